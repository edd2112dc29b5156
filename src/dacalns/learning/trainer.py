"""The function `train`, which runs a training from the first round to the saved policy."""

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

    The same arguments give the same policy, whatever ``jobs``, and however often the training was stopped and resumed,
    unless ``seconds`` makes it depend on the machine. Two files are written beside the policy: ``OUT.state``, from
    which the training can be resumed, and ``OUT.csv``, with a row of metrics for each round. A round is a number of
    episodes: searches from which the policy learns, and which all begin with the same parameters.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``; or sets of features, which make one policy for all of them, such as
        ``"pairs+windows,prizes"``; or ``"rich"``, for all features.
    instances
        The instances to train on: ``"generated"``, ``"generated:20-59"`` (with that many customers), the name of a set,
        a file, or files with commas between.
    steps
        The training ends after the round in which all searches together reach this many iterations.
    out
        The file of the policy.
    resume
        If True, the training goes on from ``OUT.state``. All else must be as it was, except ``steps``, ``jobs``, and
        when to validate and to stop.
    force
        If True, files of an earlier training are replaced.
    kind
        ``"dac"`` (two actors, the default), ``"ac"`` (one actor for pairs) or ``"wheel"`` (no network).
    method
        How the policy learns. ``"online"`` learns at every iteration, as in the paper; the parameters after the last
        round are saved. ``"whole"`` learns from the outcome of whole searches; the running mean of the parameters is
        saved, in which the second half of the rounds has 15/16 of the weight, with a critic that is fitted to it at the
        end. ``"surface"``, for a wheel, estimates from the outcomes of all searches so far how good tables are. A wheel
        learns by one of the last two. If left out: ``"whole"``, and ``"surface"`` for a wheel, by which the policies in
        the package were trained.
    start_from
        A policy to begin with instead of nothing: one of the same kind, or a wheel, whose probabilities a network then
        begins with. Several wheels with commas between teach a network to follow each on the instances that it was
        trained on.
    preset
        The values of rewards, network and learning: ``"paper"``, ``"one-step"``, ``"improved"`` or ``"context"``,
        fields, or both: ``"paper,target=joint"``. If left out: ``"context"``, with which the policies for portfolio
        ``"full"`` were trained, and ``"paper"`` for method ``"online"``, which is the paper's, or where ``settings``
        have some of these values.
    settings
        A file or an object with rewards, network and learning, portfolio and seed.
    portfolio
        The operators, as `dacalns.solve` takes them; if left out ``"full"``, which is the default there, too: a
        policy can choose only from the operators that it was trained with.
    episodes
        The number of searches in a round.
    patience
        An online episode ends when the best cost has not improved for this part of its iterations; 0: never.
    rate
        The learning rate; 1e-3 if left out, or that of the settings for ``"online"``.
    deviation, halving, margin, hold
        Options of ``"whole"``: the standard deviation of the random numbers that are added to the outputs of the
        actors, the number of rounds after which the learning rate is half of what it was (then a third, and so on; 0:
        it never falls), the relative difference in cost that counts as a full win, and the number of iterations for
        which a decision is used. ``"surface"`` has ``deviation``, too, and takes ``margin`` as the largest difference
        that counts.
    temperature
        The outputs of the actors are divided by this in the saved policy; above 1, operators are mixed more.
    seconds
        With ``"whole"`` and ``"surface"``, every search, also those of validations, takes this long instead of the
        paper's number of iterations, so that operators are judged by what they reach in the same time.
    seed
        The seed of all that is random; 0 if left out.
    jobs
        The number of processes; one for each core if left out.
    engine
        An engine that runs the episodes instead of processes of this machine, such as `dacalns.engines.RayCluster`.
    validate_every
        The number of rounds between validations of the policy; 0: there is only one, at the end. If left out: 25, and
        100 for ``"online"``, whose rounds are shorter.
    validation_instances
        The number of generated instances on which a validation compares the policy with roulette; 0: there is none.
    stop_after
        The training ends after this many validations without a better one.
    log
        A folder for event files that TensorBoard reads; needs the extra ``train``.
    on_progress
        A function that is called at the start, after every round, and before validations, with where the training
        stands.
    on_compile
        A function that is called once if code is not in the cache yet and must be compiled, which takes some seconds.

    Returns
    -------
    TrainingSummary
        The outcome, also when Ctrl-C, SIGTERM or SIGHUP ended the training after the current round.

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
    """Compile what the processes will need, before each of them would do it, and return the first state."""
    wheel = FixedWeights([[1.0] * len(plan.portfolio.repair)] * len(plan.portfolio.destroy))
    first = plan.source.instance(0)
    for selector in (Roulette(), plan.learner or wheel):
        load_kernels(plan.portfolio, selector, plan.portfolio.acceptance, None if first.is_plain else first)
    return first_state(plan, first)
