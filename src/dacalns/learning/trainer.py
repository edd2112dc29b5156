"""Training from the first round to the saved policy."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dacalns.errors import InputError
from dacalns.instances.atomic import require_writable
from dacalns.instances.whole_number import whole_number
from dacalns.learning.average import averaged
from dacalns.learning.blueprint import Blueprint, blueprint
from dacalns.learning.critic import CRITIC_ROUNDS, first_critic, fit_critic
from dacalns.learning.metrics import MetricsFile, Row, columns, row_of, with_validation
from dacalns.learning.progress import TrainingProgress
from dacalns.learning.rounds import Plan, Report, Task, Vector, combine, first_state, run_task, tasks
from dacalns.learning.standing import Standing, load_standing, save_standing
from dacalns.learning.summary import TrainingSummary
from dacalns.learning.validation import (
    Validation,
    costs_of_roulette,
    policy_pairs,
    validate,
    validation_hold,
    validation_source,
)
from dacalns.learning.workers import Workers, cores
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.interrupt import Interrupt
from dacalns.search.portfolio import Portfolio
from dacalns.search.run import compile_parts
from dacalns.search.warm_up import Announcement, load_kernels
from dacalns.selectors.actor_critic import LearningState
from dacalns.selectors.checkpoint import save_checkpoint
from dacalns.selectors.fixed_weights import FixedWeights
from dacalns.selectors.frozen_policy import to_tensors
from dacalns.selectors.roulette import Roulette
from dacalns.settings import Settings

# A training that is killed loses no more than this.
SAVE_AFTER_SECONDS = 60.0
VALIDATE_EVERY = {"online": 100, "whole": 25}


def train(
    problem: str,
    instances: str = "generated",
    *,
    steps: int,
    out: str | os.PathLike[str],
    resume: bool = False,
    force: bool = False,
    kind: str | None = None,
    method: str | None = None,
    preset: str | None = None,
    settings: Settings | str | os.PathLike[str] | None = None,
    portfolio: str | Portfolio | None = None,
    episodes: int = 16,
    patience: float = 0.02,
    rate: float | None = None,
    deviation: float = 0.7,
    margin: float = 0.005,
    hold: int = 10,
    seed: int | None = None,
    jobs: int | None = None,
    validate_every: int | None = None,
    validation_instances: int = 64,
    stop_after: int | None = None,
    on_progress: Callable[[TrainingProgress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
) -> TrainingSummary:
    """Train a policy on many instances and save it.

    The same arguments give the same policy, whatever ``jobs``, and however often it was stopped and resumed. Beside
    the policy are written ``OUT.state``, from which to go on, and ``OUT.csv``, with a row of metrics for each round.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``.
    instances
        What to train on: ``"generated"``, ``"generated:20-59"`` (that many customers), the name of a set, a file, or
        files with commas between.
    steps
        Iterations of search over all episodes. Training ends after the round that reaches them.
    out
        The file of the policy.
    resume
        Whether to go on where ``OUT.state`` says. All else must be as it was, but for ``steps``, ``jobs``, and when to
        validate and to stop.
    force
        Whether to begin anew where files of an earlier training are.
    kind
        ``"dac"`` (two actors, the default), ``"ac"`` (one actor for pairs) or ``"wheel"`` (no network).
    method
        ``"online"``, as in the paper, learns at every iteration, and the parameters after the last round are saved.
        ``"whole"`` learns from the outcome of whole searches; their running mean is saved, in which the second half of
        the rounds has 15/16 of the weight, with a critic that was fitted to it at the end. A wheel learns by this only.
    preset
        ``"paper"`` (the default) or ``"improved"``.
    settings
        A file or an object with rewards, network and learning, portfolio and seed.
    portfolio
        The operators, as `dacalns.solve` takes them; ``"paper"`` if left out.
    episodes
        Searches in a round, all from the same parameters.
    patience
        An online episode ends when the best cost has not improved for this part of its iterations; 0: never.
    rate
        The learning rate; 1e-3 if left out, or that of the settings for ``"online"``.
    deviation, margin, hold
        Of ``"whole"``: the deviation of what is added to the outputs of the actors, the relative difference in cost
        that counts as a full win, and for how many iterations a decision is used.
    seed
        Of all that is random; 0 if left out.
    jobs
        Processes; one for each core if left out.
    validate_every
        Rounds between validations of what would be saved; 0: only at the end. Left out: 25, and 100 for ``"online"``,
        whose rounds are shorter.
    validation_instances
        How many generated instances to validate on, against roulette; 0: never.
    stop_after
        End after so many validations without a better one.
    on_progress
        Called after every round with where the training stands.
    on_compile
        Called once if compiled code is not in the cache yet and must be made, which takes some seconds.

    Returns
    -------
    TrainingSummary
        What came of it, also when Ctrl-C or SIGTERM cut it short after the round in flight.

    Raises
    ------
    InputError
        If something given makes no sense, files would be overwritten, or there is nothing to resume.
    """
    chosen = blueprint(
        problem, instances, kind=kind, method=method, preset=preset, settings=settings, portfolio=portfolio,
        episodes=episodes, patience=patience, rate=rate, deviation=deviation, margin=margin, hold=hold, seed=seed,
    )  # fmt: skip
    wanted = Wanted(
        whole_number("steps", steps, minimum=1),
        VALIDATE_EVERY[chosen.plan.method]
        if validate_every is None
        else whole_number("validate_every", validate_every, minimum=0),
        whole_number("validation_instances", validation_instances, minimum=0),
        None if stop_after is None else whole_number("stop_after", stop_after, minimum=1),
    )
    jobs = cores() if jobs is None else whole_number("jobs", jobs, minimum=1)
    files = Files.beside(Path(out))
    if not resume:
        files.make_way(force)
    standing = load_standing(files.state, chosen.described()) if resume else None
    with Interrupt() as interrupt:
        with Announcement(on_compile):
            first = _prepare(chosen.plan)
        if standing is None:
            standing = Standing(first, first.parameters.astype(np.float64))
        with Workers(chosen.plan, chosen.portfolio, jobs) as workers:
            return Training(chosen, wanted, files, workers, interrupt, standing, on_progress).run()


def _prepare(plan: Plan) -> LearningState:
    """Compile all that the processes will need before there are many that would each do it."""
    wheel = FixedWeights([[1.0] * len(plan.portfolio.repair)] * len(plan.portfolio.destroy))
    load_kernels(Roulette())
    for selector in (Roulette(), plan.learner or wheel):
        compile_parts(plan.portfolio, selector, SimulatedAnnealing())
    return first_state(plan, plan.source.instance(0))


@dataclass(frozen=True)
class Wanted:
    """When to end and to validate."""

    steps: int
    validate_every: int
    validation_instances: int
    stop_after: int | None


@dataclass(frozen=True)
class Files:
    """What a training writes."""

    policy: Path
    state: Path
    metrics: Path

    @classmethod
    def beside(cls, policy: Path) -> "Files":
        """The files of a policy."""
        return cls(policy, policy.with_name(policy.name + ".state"), policy.with_name(policy.name + ".csv"))

    def make_way(self, force: bool) -> None:
        """Raise an `InputError` if there are files already; remove them if that is wanted."""
        require_writable(self.policy)
        there = [path for path in (self.policy, self.state, self.metrics) if path.exists()]
        if there and not force:
            raise InputError(
                f"{there[0]}: this file is there already; expected a new one; resume that training, choose another "
                "name, or force it to be replaced."
            )
        for path in there:
            path.unlink()


class Training:
    """A training that runs; :meth:`run` does all of it.

    Parameters
    ----------
    chosen
        What to train.
    wanted
        When to end and to validate.
    files
        What to write.
    workers
        Who does it.
    interrupt
        Who may ask to stop.
    standing
        Where to go on.
    on_progress
        Whom to tell.
    """

    def __init__(
        self,
        chosen: Blueprint,
        wanted: Wanted,
        files: Files,
        workers: Workers,
        interrupt: Interrupt,
        standing: Standing,
        on_progress: Callable[[TrainingProgress], None] | None,
    ) -> None:
        self._chosen, self._plan, self._wanted, self._files = chosen, chosen.plan, wanted, files
        self._workers, self._interrupt, self._standing, self._on_progress = workers, interrupt, standing, on_progress
        self._source = validation_source(self._plan.source)
        self._columns = columns(self._plan.portfolio)
        self._metrics = MetricsFile(files.metrics, self._columns, standing.rows)
        self._began, self._at_first = time.perf_counter(), standing
        self._saved_at = self._began

    def run(self) -> TrainingSummary:
        """All rounds that are left, then the policy."""
        if self._standing.finished and self._reason() == "steps" and self._files.policy.exists():
            return self._summary("steps")
        try:
            self._save_standing()
            self._set_reference()
            reason = self._reason()
            while reason is None:
                self._round()
                reason = self._reason()
            if reason != "interrupt":
                reason = self._finish(reason)
        except BaseException:
            # Of the last whole round: nothing that was learned is lost.
            self._save_standing()
            raise
        if reason == "interrupt":
            self._save_standing()
            self._save_policy(self._policy(), finished=False)
        return self._summary(reason)

    def _reason(self) -> str | None:
        """Why to end now, if there is a reason."""
        standing, patience = self._standing, self._wanted.stop_after
        if standing.steps >= self._wanted.steps:
            return "steps"
        if patience is not None and standing.validations:
            gaps = [validation.gap for validation in standing.validations]
            if len(gaps) - 1 - gaps.index(min(gaps)) >= patience:
                return "no improvement"
        return "interrupt" if self._interrupt.requested else None

    def _set_reference(self) -> None:
        count = self._wanted.validation_instances
        if len(self._standing.reference) == count:
            return
        self._tell("validation")
        reference = tuple(costs_of_roulette(self._workers, self._source, count)) if count else ()
        # Gaps to other instances say nothing about these.
        self._standing = replace(self._standing, reference=reference, validations=(), latest=None)

    def _round(self) -> None:
        before, plan = self._standing, self._plan
        # Those that learn from whole searches need the parameters alone.
        sent = before.learner if plan.method == "online" else _parameters_alone(before.learner)
        reports = self._workers.run(_episode, sent, tasks(plan, before.round))
        learner = combine(plan, before.learner, reports)
        number = before.round + 1
        if not np.isfinite(learner.parameters).all():
            raise InputError(
                f"parameters are no longer finite after round {number}; expected them to be; train with a lower rate."
            )
        steps = before.steps + sum(report.iterations for report in reports)
        row = row_of(number, steps, self._seconds(), reports)
        after = replace(
            before,
            learner=learner,
            average=averaged(before.average, learner.parameters, number),
            round=number,
            steps=steps,
            finished=False,
        )
        due = self._wanted.validate_every > 0 and number % self._wanted.validate_every == 0
        validation = self._validated(after) if due else None
        if validation is not None:
            row = with_validation(row, validation)
            after = replace(after, validations=(*after.validations, validation), latest=validation)
        elif steps >= self._wanted.steps and not self._interrupt.requested:
            validation = self._validated(after)
            if validation is not None:
                row = with_validation(row, validation)
                after = replace(after, latest=validation)
        self._standing = replace(after, seconds=self._seconds(), rows=(*before.rows, row))
        self._metrics.add(row)
        if due or time.perf_counter() - self._saved_at > SAVE_AFTER_SECONDS:
            self._save_standing()
            self._save_policy(self._policy(), finished=False)
        self._tell("training")

    def _validated(self, standing: Standing) -> Validation | None:
        if not standing.reference:
            return None
        self._tell("validation")
        return validate(self._workers, self._source, self._policy(standing), standing.reference, standing.round)

    def _policy(self, standing: Standing | None = None) -> Vector:
        """The parameters that are saved."""
        standing = standing or self._standing
        if self._plan.method == "online":
            return standing.learner.parameters
        return standing.average.astype(np.float32)

    def _finish(self, reason: str) -> str:
        """The policy as it is to be used; if that is interrupted, resuming begins with it again."""
        self._save_standing()
        policy = self._policy()
        latest = self._standing.latest
        if latest is None or latest.round != self._standing.round:
            self._standing = replace(self._standing, latest=self._validated(self._standing))
        if self._plan.learner is not None and self._plan.method == "whole":
            state = first_critic(policy)
            for number in range(CRITIC_ROUNDS):
                if self._interrupt.requested:
                    return "interrupt"
                self._tell("critic")
                state = fit_critic(self._workers, self._plan, state, number)
            policy = state.parameters
        self._save_policy(policy, finished=True)
        self._standing = replace(self._standing, finished=True, seconds=self._seconds())
        self._save_standing()
        return reason

    def _save_standing(self) -> None:
        save_standing(self._files.state, self._standing, self._chosen.described())
        self._saved_at = time.perf_counter()

    def _save_policy(self, parameters: Vector, *, finished: bool) -> None:
        standing, plan = self._standing, self._plan
        whole = plan.method == "whole"
        training = {
            "rounds": standing.round,
            "steps": standing.steps,
            "finished": finished,
            "saved": "running mean" if whole else "last",
            "critic_rounds": CRITIC_ROUNDS if finished and whole and plan.learner is not None else 0,
        }
        validation = {}
        if standing.latest is not None:
            validation = {
                **standing.latest.to_dict(),
                "against": "roulette",
                "instances": f"{self._source} with seed {self._source.seed}, the first {len(standing.reference)}",
                "iterations": "max(2000, 50 n)",
                "hold": validation_hold(plan),
            }
        card = self._chosen.card(training, validation, self._wanted.steps)
        wheel = plan.learner is None
        tensors = {"pairs": policy_pairs(plan, parameters)} if wheel else to_tensors(card, parameters)
        save_checkpoint(self._files.policy, tensors, card)

    def _seconds(self) -> float:
        return self._at_first.seconds + time.perf_counter() - self._began

    def _tell(self, phase: str) -> None:
        if self._on_progress is None:
            return
        standing, first = self._standing, self._at_first
        passed = max(time.perf_counter() - self._began, 1e-9)
        steps, rounds = standing.steps - first.steps, standing.round - first.round
        episodes = len(tasks(self._plan, 0))
        row: Row = standing.rows[-1] if standing.rows else ()
        self._on_progress(
            TrainingProgress(
                phase,
                standing.round,
                standing.steps,
                self._wanted.steps,
                self._seconds(),
                passed * max(0, self._wanted.steps - standing.steps) / steps if steps else None,
                rounds * episodes / passed,
                dict(zip(self._columns, row, strict=False)),
                standing.latest,
            )
        )

    def _summary(self, reason: str) -> TrainingSummary:
        standing, files = self._standing, self._files
        return TrainingSummary(
            files.policy, files.state, files.metrics, standing.round, standing.steps, standing.seconds,
            standing.latest, reason,
        )  # fmt: skip


def _parameters_alone(state: LearningState) -> LearningState:
    nothing = np.zeros(0, dtype=np.float32)
    return LearningState(state.parameters, nothing, nothing, state.step, state.spread)


def _episode(plan: Plan, state: LearningState, task: Task) -> Report:
    report = run_task(plan, state, task)
    # What combining the round does not need is not sent.
    return replace(report, trace=None) if plan.method == "online" else replace(report, state=None)
