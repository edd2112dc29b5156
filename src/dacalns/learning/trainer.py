"""Training from the first round to the saved policy."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np

from dacalns.engines import Engine, usable_cores
from dacalns.learning.blueprint import blueprint
from dacalns.learning.monitor import EventFiles, TrainingProgress, TrainingSummary, columns, require_event_files
from dacalns.learning.options import TrainingOptions, Wanted
from dacalns.learning.rounds import Plan, first_state
from dacalns.learning.standing import Files, Standing, load_standing
from dacalns.learning.start import started
from dacalns.learning.training import TrainingRun
from dacalns.learning.workers import Workers, require_not_starting
from dacalns.search.kernels import Announcement, Loading, load_kernels
from dacalns.search.portfolio import Portfolio
from dacalns.search.signals import Interrupt
from dacalns.selectors.actor_critic import LearningState
from dacalns.selectors.wheels import FixedWeights, Roulette
from dacalns.settings import Settings
from dacalns.util.errors import InputError
from dacalns.util.files import files_in
from dacalns.util.shown import shown, shown_path
from dacalns.util.values import whole_number


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
    start_from: str | os.PathLike[str] | None = None,
    preset: str | None = None,
    settings: Settings | str | os.PathLike[str] | None = None,
    portfolio: str | Portfolio | None = None,
    episodes: int | None = None,
    rate: float | None = None,
    seed: int | None = None,
    patience: float | None = None,
    halving: int | None = None,
    deviation: float | None = None,
    margin: float | None = None,
    hold: int | None = None,
    temperature: float | None = None,
    seconds: float | None = None,
    jobs: int | None = None,
    engine: Engine | None = None,
    validate_every: int | None = None,
    validation_instances: int | None = None,
    stop_after: int | None = None,
    log: str | os.PathLike[str] | None = None,
    on_progress: Callable[[TrainingProgress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
) -> TrainingSummary:
    """Train a policy on many instances and save it.

    The same arguments give the same policy, whatever ``jobs``, and however often it was stopped and resumed, unless
    ``seconds`` makes it depend on the machine. Beside the policy are written ``OUT.state``, from which to go on, and
    ``OUT.csv``, with a row of metrics for each round.

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
        the rounds has 15/16 of the weight, with a critic that was fitted to it at the end. ``"surface"``, for a wheel,
        fits what tables are worth to the outcomes of all searches so far. A wheel learns by one of the last two.
    start_from
        A policy to begin with instead of nothing: one of the same kind, or a wheel, whose probabilities a network then
        begins with. Several wheels with commas between teach a network to follow each on the instances that it was
        trained on.
    preset
        ``"paper"`` (the default), ``"one-step"``, ``"improved"`` or ``"context"``, fields, or both:
        ``"paper,target=joint"``.
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
    deviation, halving, margin, hold
        Of ``"whole"``: the deviation of what is added to the outputs of the actors, after how many rounds the learning
        rate is half of what it was (then a third, and so on; 0: it never falls), the relative difference in cost
        that counts as a full win, and for how many iterations a decision is used. ``"surface"`` has the first, too,
        and takes the margin as the most that counts.
    temperature
        What the outputs of the actors are divided by in the saved policy: over 1, a broader mixture.
    seconds
        Of ``"whole"`` and ``"surface"``: let every search, those of validations too, take so long instead of the
        paper's iterations, so that operators are judged by what they reach in the same time.
    seed
        Of all that is random; 0 if left out.
    jobs
        Processes; one for each core if left out.
    engine
        Who runs the episodes instead of processes of this machine: a `dacalns.engines.RayCluster`, say.
    validate_every
        Rounds between validations of what would be saved; 0: only at the end. Left out: 25, and 100 for ``"online"``,
        whose rounds are shorter.
    validation_instances
        How many generated instances to validate on, against roulette; 0: never.
    stop_after
        End after so many validations without a better one.
    log
        A folder for event files that TensorBoard reads; needs the extra ``train``.
    on_progress
        Called after every round, and before validations, with where the training stands.
    on_compile
        Called once if compiled code is not in the cache yet and must be made, which takes some seconds.

    Returns
    -------
    TrainingSummary
        What came of it, also when Ctrl-C, SIGTERM or SIGHUP cut it short after the round in flight.

    Raises
    ------
    InputError
        If something given makes no sense, files would be overwritten, or there is nothing to resume.
    """
    require_not_starting()
    options = TrainingOptions(
        problem=problem, steps=steps, instances=instances, kind=kind, method=method, start_from=start_from,
        preset=preset, settings=settings, portfolio=portfolio, episodes=episodes, rate=rate, seed=seed,
        patience=patience, halving=halving, deviation=deviation, margin=margin, hold=hold, temperature=temperature,
        seconds=seconds, validate_every=validate_every, validation_instances=validation_instances,
        stop_after=stop_after,
    )  # fmt: skip
    chosen = blueprint(options)
    wanted = Wanted.of(options, chosen.plan.method)
    if jobs is not None and engine is not None:
        raise InputError(f"jobs is {shown(jobs)}; expected none beside an engine, which does the work; leave one out.")
    folder = None if log is None else require_event_files(log)
    jobs = len(usable_cores()) if jobs is None else whole_number("jobs", jobs, minimum=1)
    files = Files.beside(Path(out))
    given = [settings, portfolio, start_from, instances]
    words = [os.fsdecode(each) for each in given if isinstance(each, str | os.PathLike)]
    files.require_apart([file for each in words for file in files_in(each)])
    if not resume:
        files.make_way(force)
    standing = load_standing(files.state, chosen.described(), (*chosen.without_effect(), "rate")) if resume else None
    with Announcement(on_compile), Loading():
        first = _prepare(chosen.plan)
    with Interrupt() as interrupt:
        if standing is None:
            if chosen.starts:
                first = started(chosen.plan, first, chosen.starts)
            standing = Standing(first, first.parameters.astype(np.float64))
        elif standing.average.shape != first.parameters.shape:
            raise InputError(
                f"{shown_path(files.state)}: it has {len(standing.average)} parameters; expected "
                f"{len(first.parameters)}, as the plan has; copy the file again, or begin anew."
            )
        with Workers(chosen.plan, chosen.portfolio, jobs, engine) as workers:
            training = TrainingRun(chosen, wanted, files, workers, interrupt, standing, on_progress)
            if folder is None:
                return training.run()
            with closing(EventFiles(folder, columns(chosen.plan.portfolio), standing.round)) as events:
                training.listeners.append(events.add)
                return training.run()


def _prepare(plan: Plan) -> LearningState:
    """Compile all that the processes will need before there are many that would each do it."""
    wheel = FixedWeights([[1.0] * len(plan.portfolio.repair)] * len(plan.portfolio.destroy))
    for selector in (Roulette(), plan.learner or wheel):
        load_kernels(plan.portfolio, selector, plan.portfolio.acceptance)
    return first_state(plan, plan.source.instance(0))
