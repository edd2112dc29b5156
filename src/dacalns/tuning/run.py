"""The run of a tuning: trials of Optuna are drawn here, and their searches made by an engine."""

import contextlib
import datetime
import os
import platform
import random
import warnings
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dacalns.engines import Engine, Processes, WorkerDied, usable_cores
from dacalns.instances import Instance
from dacalns.search.kernels import Loading
from dacalns.search.signals import Interrupt
from dacalns.settings import Settings
from dacalns.study.statistics import exact_p_value
from dacalns.tuning.evaluation import Answer, Evaluation
from dacalns.tuning.plan import TuningPlan, load_plan
from dacalns.tuning.result import Comparison, TuningProgress, TuningResult
from dacalns.util.errors import InputError
from dacalns.util.files import write_atomically
from dacalns.util.shown import shown
from dacalns.util.values import gap_percent, whole_number

INSTALL = 'pip install "dac-alns[tune]"'
# A search that leaves customers unserved has this gap, in percent: worse than any that serves all.
UNSERVED = 1000.0
ATTEMPTS = 2
POLL_SECONDS = 0.5
# So many draws in a row that make no sense together are too many.
SENSELESS = 200
# Fewer instances say little; Wilcoxon's test needs some.
FIRST_PRUNED, PRUNED_AT = 5, 0.1
# A trial of a process that has not even said who it is was left by one that is gone.
NAMELESS_SECONDS = 60.0


def load_optuna() -> Any:
    """Import Optuna when it is needed.

    Raises
    ------
    InputError
        If it is not installed; the message has the command that installs it.
    """
    try:
        import optuna
        import scipy.stats  # noqa: F401  # for the pruner
    except ImportError as error:
        raise InputError(
            f"Optuna or SciPy cannot be imported ({error}); expected both for tuning; install them with: {INSTALL}"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def tune(
    path: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    storage: str | None = None,
    trials: int | None = None,
    jobs: int | None = None,
    engine: Engine | None = None,
    on_progress: Callable[[TuningProgress], None] | None = None,
) -> TuningResult:
    """Look for the best settings in ranges that a file gives, or go on with that.

    Parameters
    ----------
    path
        A TOML file with ``[tune]`` and the tables of a settings file, in which values may be ranges.
    out
        The folder for ``best.toml``, the best settings so far, and for ``study.db``.
    storage
        Where Optuna keeps the study: a URL such as ``"sqlite:///study.db"``, or a file that ends in ``.log`` for its
        journal. Left out: ``study.db`` in the folder.
    trials
        The number of trials, in place of that of the file.
    jobs
        The number of processes; one for each core if left out. With one, the same file gives the same trials.
    engine
        The engine in place of processes, such as ``RayCluster()``.
    on_progress
        A function that is called after each trial.

    Returns
    -------
    TuningResult
        The best settings, also if Ctrl-C cut the tuning short.

    Raises
    ------
    InputError
        If Optuna is not installed, the file makes no sense, or the study in the storage is another one.
    """
    optuna = load_optuna()
    plan = load_plan(path)
    total = plan.trials if trials is None else whole_number("trials", trials, minimum=1, maximum=1_000_000)
    if jobs is not None and engine is not None:
        raise InputError(f"jobs is {shown(jobs)} beside an engine; expected one of the two; leave jobs out.")
    if engine is None:
        count = len(usable_cores()) if jobs is None else whole_number("jobs", jobs, minimum=1, maximum=1024)
        engine = Processes(count, pinned=True)
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"out is {shown(str(folder))}, where no folder can be made ({error.strerror}); expected one to write to."
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna's notes on what is experimental, and on draws from fixed choices
        place, kept = _storage(optuna, storage, folder)
        study = _study(optuna, plan, kept)
        with Interrupt() as interrupt, engine:
            return _Tuning(optuna, plan, study, engine, interrupt, folder, place, total, on_progress).run()


def _storage(optuna: Any, given: str | None, folder: Path) -> tuple[str, Any]:
    """Return what the dashboard takes for the storage, and the storage."""
    place = f"sqlite:///{(folder / 'study.db').as_posix()}" if given is None else given
    if not isinstance(place, str) or not ("://" in place or place.endswith(".log")):
        raise InputError(
            f"storage is {shown(given)}; expected a URL such as sqlite:///study.db, or a file that ends in .log."
        )
    try:
        if "://" in place:
            return place, optuna.storages.RDBStorage(place)
        journal = optuna.storages.journal
        return place, optuna.storages.JournalStorage(journal.JournalFileBackend(place))
    except Exception as error:  # of whatever database it is
        said = " ".join(str(error).split())[:120]
        raise InputError(
            f"storage {shown(place)} cannot be used ({said}); expected one to write to; check it."
        ) from None


def _study(optuna: Any, plan: TuningPlan, storage: Any) -> Any:
    """Return the study, new or as it was left; one of another file is refused."""
    pruner = optuna.pruners.NopPruner()
    if plan.prune:
        pruner = optuna.pruners.WilcoxonPruner(p_threshold=PRUNED_AT, n_startup_steps=FIRST_PRUNED)
    study = optuna.create_study(
        study_name=plan.name, storage=storage, direction="minimize", load_if_exists=True, pruner=pruner
    )
    known = study.user_attrs.get("digest")
    if known is None and study.trials:
        raise InputError(
            f"the storage has a study {shown(plan.name)} that is no tuning of ours; name the file otherwise."
        )
    if known not in (None, plan.digest):
        raise InputError(
            f"the storage has a study {shown(plan.name)} with other instances, budget, ranges or settings; expected "
            "the same file, in which only trials may change; choose another folder, or name the file otherwise."
        )
    study.set_user_attr("digest", plan.digest)
    study.set_metric_names(["mean gap in percent"])
    return study


@dataclass
class _Trial:
    """A trial whose searches are being made."""

    trial: Any
    settings: Settings
    text: str
    gaps: dict[int, float]
    flying: set[int] = field(default_factory=set)
    over: bool = False

    def next_step(self, steps: int) -> int | None:
        """Return the first search that is neither made nor under way."""
        return next((step for step in range(steps) if step not in self.gaps and step not in self.flying), None)


class _Tuning:
    def __init__(
        self,
        optuna: Any,
        plan: TuningPlan,
        study: Any,
        engine: Engine,
        interrupt: Interrupt,
        folder: Path,
        place: str,
        total: int,
        on_progress: Callable[[TuningProgress], None] | None,
    ) -> None:
        self._optuna, self._plan, self._study, self._engine = optuna, plan, study, engine
        self._interrupt, self._folder, self._place = interrupt, folder, place
        self._total, self._on_progress = total, on_progress
        self._steps = [(instance, seed) for seed in range(plan.seeds) for instance in plan.instances]
        self._active: list[_Trial] = []
        self._best: int | None = None
        self._senseless = 0
        self._known: dict[tuple[str, int], float] = {}
        self._runner = f"{platform.node()}:{os.getpid()}"

    def run(self) -> TuningResult:
        with Loading(), contextlib.suppress(InputError):  # compiled once, before each process would do it
            Evaluation(self._plan.instances[0], self._plan.defaults, 0, 1, None).answer()
        if not self._prepare_references():
            return self._result(interrupted=True)
        self._remember()
        self._write_best()
        flying: dict[Future[Answer], tuple[_Trial, int, int]] = {}
        while not self._interrupt.requested:
            while len(flying) < self._engine.slots and (found := self._next_search()):
                trial, step = found
                trial.flying.add(step)
                flying[self._submit(trial.settings, *self._steps[step])] = trial, step, 1
            if not flying:
                break
            for future in wait(flying, POLL_SECONDS, FIRST_COMPLETED)[0]:
                trial, step, attempt = flying.pop(future)
                try:
                    answer = future.result()
                except WorkerDied as error:
                    if attempt == ATTEMPTS:
                        raise self._failed(trial, str(error)) from None
                    flying[self._submit(trial.settings, *self._steps[step])] = trial, step, attempt + 1
                    continue
                except InputError as error:
                    raise self._failed(trial, str(error)) from None
                self._take(trial, step, self._gap(self._steps[step][0], answer))
        if self._interrupt.requested:
            return self._result(interrupted=True)
        return self._result(check=self._check())

    # Searches.

    def _submit(self, settings: Settings, instance: Instance, seed: int) -> "Future[Answer]":
        plan = self._plan
        # Searches have seeds of their own for each tuning seed, so that another one is another sample.
        return self._engine.submit(
            Evaluation.answer, Evaluation(instance, settings, 1000 * plan.seed + seed, plan.iterations, plan.time)
        )

    def _all(self, settings: Settings, cases: list[tuple[Instance, int]]) -> list[Answer] | None:
        """Make searches with the same settings; None if the user asked to stop."""
        futures = [self._submit(settings, *case) for case in cases]
        waiting = set(futures)
        while waiting:
            waiting = wait(waiting, POLL_SECONDS)[1]
            if self._interrupt.requested:
                return None
        try:
            return [future.result() for future in futures]
        except WorkerDied as error:
            raise InputError(f"a search failed: {error}; expected one that ends; try again.") from None

    def _gap(self, instance: Instance, answer: Answer) -> float:
        if answer.missing:
            return UNSERVED
        return float(gap_percent(answer.cost, self._references[instance.name]))

    def _prepare_references(self) -> bool:
        """Let the defaults search once; where no best cost is known, the best that they find is the reference."""
        attributes = self._study.user_attrs
        if "references" not in attributes:
            answers = self._all(self._plan.defaults, self._steps)
            if answers is None:
                return False
            found: dict[str, float] = {}
            for instance in self._plan.instances:
                costs = [
                    answer.cost
                    for (each, _), answer in zip(self._steps, answers, strict=True)
                    if each is instance and not answer.missing
                ]
                if instance.best_known is None and not costs:
                    raise InputError(
                        f"{instance.name}: the defaults leave customers unserved within {self._plan.budget}, and no "
                        "best cost is known; expected one of the two to compare with; raise the budget."
                    )
                found[instance.name] = min(costs) if instance.best_known is None else instance.best_known
            self._references = found
            gaps = [self._gap(case[0], answer) for case, answer in zip(self._steps, answers, strict=True)]
            self._study.set_user_attr("defaults", gaps)
            self._study.set_user_attr("references", found)
        self._references = dict(self._study.user_attrs["references"])
        return True

    # Trials.

    def _trials(self, *states: str) -> list[Any]:
        chosen = tuple(self._optuna.trial.TrialState[state] for state in states)
        return list(self._study.get_trials(deepcopy=False, states=chosen))

    def _remember(self) -> None:
        """Note what was searched before, so that the same settings need not be searched again."""
        for trial in self._trials("COMPLETE", "PRUNED", "RUNNING"):
            text = trial.user_attrs.get("settings")
            for step, gap in trial.intermediate_values.items():
                self._known.setdefault((text, step), gap)

    def _over(self) -> list[Any]:
        """Return the trials that are over, without those that were drawn and made no sense."""
        return [trial for trial in self._trials("COMPLETE", "PRUNED") if trial.intermediate_values]

    def _next_search(self) -> tuple[_Trial, int] | None:
        """Return the next search of a trial under way, or the first one of another trial; None if all are given out."""
        while True:
            for trial in self._active:
                step = trial.next_step(len(self._steps))
                if step is not None:
                    return trial, step
            if len(self._over()) + len(self._trials("RUNNING")) >= self._total and not self._left():
                return None
            self._begin()

    def _left(self) -> list[Any]:
        """Return trials that a process left in the middle."""
        mine = {trial.trial.number for trial in self._active}
        return [
            trial for trial in self._trials("RUNNING") if trial.number not in mine and _is_left(trial, self._runner)
        ]

    def _begin(self) -> None:
        """Go on with a trial that was left, or draw a new one; of a draw that makes no sense nothing is left to do."""
        left = self._left()
        number = left[0].number if left else len(self._study.get_trials(deepcopy=False))
        self._study.sampler = self._sampler(number)
        # One that was left keeps its number, its draws and what its searches have found.
        trial = self._optuna.trial.Trial(self._study, left[0]._trial_id) if left else self._study.ask()
        trial.set_user_attr("runner", self._runner)
        try:
            settings = self._plan.suggest(trial)
        except InputError as error:
            trial.set_user_attr("makes no sense", str(error))
            self._study.tell(trial, state=self._optuna.trial.TrialState.PRUNED)
            self._senseless += 1
            if self._senseless > SENSELESS:
                raise InputError(
                    f"{SENSELESS} draws in a row made no sense, such as: {error}"[:220] + "; narrow the ranges."
                ) from None
            return
        self._senseless = 0
        text = settings.to_toml()
        trial.set_user_attr("settings", text)
        frozen = self._study._storage.get_trial(trial._trial_id)
        begun = _Trial(trial, settings, text, dict(frozen.intermediate_values))
        self._active.append(begun)
        if begun.next_step(len(self._steps)) is None:
            self._end(begun)
        for step in range(len(self._steps)):
            if begun.over:
                break
            gap = self._known.get((text, step)) if self._plan.time is None else None
            if step not in begun.gaps and gap is not None:
                self._take(begun, step, gap)

    def _sampler(self, number: int) -> Any:
        """Return a sampler whose draws depend on the seed, the number of the trial, and the trials before."""
        seed = random.Random(f"{self._plan.seed} {number}").getrandbits(32)
        if self._plan.sampler == "random":
            return self._optuna.samplers.RandomSampler(seed=seed)
        return self._optuna.samplers.TPESampler(seed=seed)

    def _take(self, trial: _Trial, step: int, gap: float) -> None:
        """Note what a search found, and end its trial if that was the last one or it is not worth going on."""
        trial.flying.discard(step)
        self._known[trial.text, step] = gap
        if trial.over:  # it was given up while this search was under way
            return
        trial.gaps[step] = gap
        trial.trial.report(gap, step)
        if len(trial.gaps) == len(self._steps):
            self._end(trial)
        elif trial.trial.should_prune():
            self._end(trial, pruned=True)

    def _end(self, trial: _Trial, pruned: bool = False) -> None:
        trial.over = True
        self._active.remove(trial)
        if pruned:
            self._study.tell(trial.trial, state=self._optuna.trial.TrialState.PRUNED)
        else:
            # In the order of the searches, whichever ended first, so that the sum has the same bits.
            self._study.tell(trial.trial, sum(trial.gaps[step] for step in sorted(trial.gaps)) / len(trial.gaps))
        new = self._write_best()
        if self._on_progress is not None:
            over, best = self._over(), self._best_trial()
            self._on_progress(
                TuningProgress(
                    len(over), self._total, sum(each.state.name == "PRUNED" for each in over), self._default_gap,
                    None if best is None else best.value, None if best is None else best.number, new,
                )
            )  # fmt: skip

    def _failed(self, trial: _Trial, reason: str) -> InputError:
        """Give up a trial whose search failed, and return the error that ends the tuning."""
        self._study.tell(trial.trial, state=self._optuna.trial.TrialState.FAIL)
        drawn = ", ".join(f"{name} = {value}" for name, value in trial.trial.params.items())
        return InputError(f"trial {trial.trial.number} ({drawn[:80]}) failed: {reason}"[:290])

    # What was found.

    @property
    def _default_gap(self) -> float:
        gaps = self._study.user_attrs.get("defaults", [])
        return sum(gaps) / len(gaps) if gaps else float("nan")

    def _best_trial(self) -> Any:
        complete = self._trials("COMPLETE")
        return min(complete, key=lambda trial: (trial.value, trial.number), default=None)

    def _write_best(self) -> bool:
        """Write the best settings if they are new; return whether they are."""
        best = self._best_trial()
        if best is None or best.number == self._best:
            return False
        self._best = best.number
        plan = self._plan
        about = (
            f"# Trial {best.number} of the tuning {plan.name}: a mean gap of {best.value:.4f} % on "
            f"{len(plan.instances)} instances,\n# seeds: {plan.seeds}, budget: {plan.budget}; the defaults have "
            f"{self._default_gap:.4f} %.\n\n"
        )
        write_atomically(self._folder / "best.toml", about + plan.settings(best.params).to_toml())
        return True

    def _check(self) -> Comparison | None:
        best = self._best_trial()
        if not self._plan.check or best is None:
            return None
        known = self._study.user_attrs.get("check", {})
        if known.get("trial") != best.number:
            cases = [(instance, seed) for instance in self._plan.check for seed in range(self._plan.seeds)]
            costs = []
            for settings in (self._plan.defaults, self._plan.settings(best.params)):
                answers = self._all(settings, cases)
                if answers is None:
                    return None
                # An answer that leaves customers unserved counts as one that is eleven times as dear.
                costs.append([answer.cost * (1 + UNSERVED / 100 * bool(answer.missing)) for answer in answers])
            known = {"trial": best.number, "defaults": costs[0], "best": costs[1]}
            self._study.set_user_attr("check", known)
        return _comparison(known["defaults"], known["best"], self._plan.seeds)

    def _result(self, check: Comparison | None = None, *, interrupted: bool = False) -> TuningResult:
        best, over = self._best_trial(), self._over()
        return TuningResult(
            self._plan.defaults if best is None else self._plan.settings(best.params),
            self._default_gap if best is None else best.value,
            self._default_gap,
            None if best is None else best.number,
            len(over),
            sum(trial.state.name == "PRUNED" for trial in over),
            self._folder / "best.toml",
            self._place,
            check,
            interrupted or self._interrupt.requested,
        )


def _comparison(defaults: list[float], tuned: list[float], seeds: int) -> Comparison:
    """Compare costs by instance, on the mean over the seeds."""
    changes = []
    for begin in range(0, len(defaults), seeds):
        usual, best = (sum(costs[begin : begin + seeds]) for costs in (defaults, tuned))
        changes.append(float(gap_percent(best, usual)))
    sides = [exact_p_value(changes), exact_p_value([-change for change in changes])]
    p_value = min(1.0, 2.0 * min(1.0 if side is None else side for side in sides))
    better, worse = (sum(sign * change > 0 for change in changes) for sign in (-1, 1))
    return Comparison(len(changes), sum(changes) / len(changes), better, worse, p_value)


def _is_left(trial: Any, runner: str) -> bool:
    """Return True if a trial that is said to run was left by a process of this machine that is gone."""
    host, _, process = str(trial.user_attrs.get("runner", "")).rpartition(":")
    if not process:
        age = datetime.datetime.now() - (trial.datetime_start or datetime.datetime.min)
        return age.total_seconds() > NAMELESS_SECONDS
    if f"{host}:{process}" == runner:
        return True
    return host == platform.node() and not _lives(int(process))


def _lives(process: int) -> bool:
    if os.name == "nt":  # where asking would end it
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
