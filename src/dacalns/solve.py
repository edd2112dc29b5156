"""The one call that most users need."""

import dataclasses
import numbers
import os
import time
from collections.abc import Callable

from dacalns.instances import Instance, read, read_solution, read_solution_of
from dacalns.instances.part_checks import flag
from dacalns.search.acceptance import AcceptanceCriterion, Accepts, as_acceptance
from dacalns.search.fewest_vehicles import require_countable, require_not_asked, vehicles_then_distance
from dacalns.search.kernels import Announcement, Loading, load_kernels
from dacalns.search.output.progress import showing
from dacalns.search.parallel import MOST_JOBS, Chains
from dacalns.search.portfolio import Portfolio, as_portfolio, is_of_paper
from dacalns.search.python_selector import PythonSelector
from dacalns.search.recording import Recorder
from dacalns.search.result import NewBest, Result
from dacalns.search.run import Search, Snapshot
from dacalns.search.selector import CompiledSelector, Selector
from dacalns.search.signals import CALL_LIMIT, require_call_limit
from dacalns.search.start import Routes, Start
from dacalns.search.stopping import (
    DISTANCE,
    VEHICLES_FIRST,
    MaxIterations,
    MaxTime,
    StoppingCriterion,
    Stops,
    StopWhen,
    paper_iterations,
    require_objective,
)
from dacalns.selectors import as_selector
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import LARGEST_SEED, whole_number

USUAL_PORTFOLIO = "full"
BROUGHT = "which the policy was trained for; without it, {} is the default"
"""What a result says of the portfolio if a policy brought another one than the usual."""


def solve(
    instance: Instance | str | os.PathLike[str],
    *,
    selector: str | CompiledSelector | PythonSelector | None = None,
    portfolio: str | Portfolio | None = None,
    acceptance: str | AcceptanceCriterion | Accepts | None = None,
    stop: StoppingCriterion | float | Stops | None = None,
    seed: int = 0,
    objective: str = DISTANCE,
    start: Routes | Result | str | os.PathLike[str] | None = None,
    jobs: int = 1,
    call_limit: float = CALL_LIMIT,
    on_best: Callable[[NewBest], None] | None = None,
    on_progress: Callable[[Snapshot], None] | None = None,
    on_compile: Callable[[], None] | None = None,
    record_routes: bool = False,
    display: bool | None = None,
) -> Result:
    """Solve an instance.

    Parameters
    ----------
    instance
        An instance, or a path or name that `dacalns.read` takes.
    selector
        How operators are chosen: ``"dac-t"``, ``"random"``, ``"roulette"``, ``"ucb"``, ``"weights:1,0/0,1,2"``,
        ``"FILE.py:NAME"`` and others, or an object, which may be one of yours in plain Python. Left out: with
        portfolio ``"full"`` the policy that comes with the package, else what the portfolio says: as a rule the
        roulette wheel.
    portfolio
        The operators: ``"full"``, the strongest; ``"paper"``, those of the paper, or another reading of it such as
        ``"paper:ratio,scales"``; ``"FILE.py"`` or
        ``"FILE.py:VARIABLE"``, or an object. Left out: what a policy of yours was trained for, else ``"full"``.
    acceptance
        The acceptance criterion: an object, a name of `dacalns.ACCEPTANCES` such as ``"hill-climbing"``,
        ``"FILE.py:NAME"``, or any callable ``(candidate, current, best, fraction, rng) -> bool`` in plain Python; the
        portfolio's if left out, annealing as a rule.
    stop
        When to stop: a criterion, seconds, or any callable that returns True to stop, see `StopWhen`. Left out: 50,000
        iterations and 1000 for each customer; with the paper's portfolio its budget, max(2000, 50 n).
    seed
        The same seed, iterations and jobs give the same answer.
    objective
        What to minimise: ``"distance"``, or ``"vehicles-then-distance"``, which first spends a part of the budget on
        doing with fewer vehicles.
    start
        Routes, a ``.sol`` file, or an earlier result, to start from. The answer is never worse than a feasible start.
    jobs
        How many searches to run side by side, each on a core of its own and each with the whole budget. They exchange
        their best solutions near the end.
    call_limit
        Seconds that one call of an operator, selector or criterion of yours may take. One that takes longer ends the
        search.
    on_best
        Called with every new best solution, the start included. It may raise `StopSearch` to end the search.
    on_progress
        Called about 20 times a second with where the search stands. It may raise `StopSearch`, too.
    on_compile
        Called once if code must be compiled, which usually takes less than a minute the first time, for each form of
        problem. Left out: the logger ``dacalns`` warns, once in a process for each form of
        problem; the warning goes to standard error unless you configure logging.
    record_routes
        True to keep the routes of every new best in ``history``: `Result.to_html` shows them one after the other.
    display
        True to show the search while it runs, False not to. Left out: it is shown in notebooks, in one output that is
        renewed and ends as one line. Outside of them, True shows it on standard error.

    Returns
    -------
    Result
        The best solution found, also when Ctrl-C, SIGTERM or SIGHUP cut the search short, or code of yours failed: then
        ``stopped_by`` is ``"user code"`` and ``warnings`` says what happened. If it raised `StopSearch`, ``stopped_by``
        is ``"callback"``.

    Raises
    ------
    InputError
        If something given cannot be used, or the instance has no feasible solution.

    Examples
    --------
    >>> import dacalns
    >>> result = dacalns.solve("A-n32-k5", stop=dacalns.MaxIterations(2000), seed=1)
    >>> result.feasible, result.cost < result.start_cost
    (True, True)
    """
    if not isinstance(instance, Instance):
        instance = read(instance)
    with showing(instance, display, on_progress) as listener:
        return solve_validated(
            instance,
            selector=selector,
            portfolio=portfolio,
            acceptance=acceptance,
            stop=stop,
            seed=whole_number("seed", seed, minimum=0, maximum=LARGEST_SEED),
            objective=require_objective(objective),
            start=start,
            jobs=whole_number("jobs", jobs, minimum=1, maximum=MOST_JOBS),
            call_limit=require_call_limit(call_limit),
            on_best=on_best,
            on_progress=listener,
            on_compile=on_compile,
            record_routes=flag("record_routes", record_routes),
        )


def solve_validated(
    instance: Instance,
    *,
    selector: str | CompiledSelector | PythonSelector | None = None,
    portfolio: str | Portfolio | None = None,
    acceptance: str | AcceptanceCriterion | Accepts | None = None,
    stop: StoppingCriterion | float | Stops | None = None,
    seed: int = 0,
    objective: str = DISTANCE,
    start: Routes | Result | str | os.PathLike[str] | None = None,
    jobs: int = 1,
    call_limit: float = CALL_LIMIT,
    on_best: Callable[[NewBest], None] | None = None,
    on_progress: Callable[[Snapshot], None] | None = None,
    on_compile: Callable[[], None] | None = None,
    record_routes: bool = False,
) -> Result:
    """Do what `solve` does, for an instance that is read and a seed, objective, jobs and call limit that are valid.

    `dacalns.Settings` validates them, so that the command line and studies, which have them from there, call this.
    """
    if objective == VEHICLES_FIRST:
        require_countable(instance)
        require_not_asked(stop)
    first = _as_start(start, instance)
    operators, chooser = _operators_and_selector(portfolio, selector, instance)
    budget = _as_stop(stop, instance, operators)
    prepared = chooser.prepare(instance, operators, budget)
    chooser = chooser if prepared is chooser else as_selector(prepared)
    criterion = operators.acceptance if acceptance is None else as_acceptance(acceptance)
    began = time.perf_counter()
    with Announcement(on_compile, instance), Loading():
        load_kernels(operators, chooser, criterion, instance, fewest_vehicles=objective == VEHICLES_FIRST)
    compile_seconds = time.perf_counter() - began

    def search(instance: Instance, budget: StoppingCriterion, start: Routes | Start | None) -> Search | Chains:
        given = instance, operators, chooser, criterion, budget, seed, start
        return Search(*given, call_limit=call_limit) if jobs == 1 else Chains(*given, jobs, call_limit)

    recorder = Recorder(on_best) if record_routes else None
    tell = on_best if recorder is None else recorder
    if objective == VEHICLES_FIRST:
        result = vehicles_then_distance(instance, search, budget, seed, first, tell, on_progress, compile_seconds)
    else:
        result = search(instance, budget, first).run(tell, on_progress, compile_seconds)
    if recorder is not None:
        result = recorder.recorded(result)
    if selector is None and operators.selector_note:
        result = dataclasses.replace(result, selector_note=operators.selector_note)
    if portfolio is None and operators.name != USUAL_PORTFOLIO:
        result = dataclasses.replace(result, portfolio_note=BROUGHT.format(USUAL_PORTFOLIO))
    return result


def _as_start(given: Routes | Result | str | os.PathLike[str] | None, instance: Instance) -> Routes | Start | None:
    """Return the routes of a start, with their vehicle types where they are known."""
    if isinstance(given, Result):
        return Start(given.routes, given.vehicle_types)
    if not isinstance(given, str | os.PathLike):
        return given
    if instance.is_plain:
        return read_solution(given)[0]
    routes, types, _ = read_solution_of(instance, given)
    return Start(routes, types)


def _operators_and_selector(
    portfolio: str | Portfolio | None, selector: str | CompiledSelector | PythonSelector | None, instance: Instance
) -> tuple[Portfolio, Selector]:
    """Return what is given, and what suits it in place of what is not; only operators that are fit for the instance."""
    if selector is None:
        operators = as_portfolio(USUAL_PORTFOLIO if portfolio is None else portfolio).for_features(instance.features)
        return operators, as_selector(operators.selector)
    chooser = as_selector(selector)
    operators = as_portfolio(
        (chooser.made_for(instance.features) or USUAL_PORTFOLIO) if portfolio is None else portfolio
    )
    return operators.for_features(instance.features), chooser


def default_iterations(customers: int, portfolio: str = "paper") -> int:
    """The budget of searches that are given none; the paper's for its portfolio, whose iterations are far dearer."""
    return paper_iterations(customers) if is_of_paper(portfolio) else 50_000 + 1000 * customers


def _as_stop(
    given: StoppingCriterion | float | Stops | None, instance: Instance, portfolio: Portfolio
) -> StoppingCriterion:
    if given is None:
        return MaxIterations(default_iterations(instance.customers, portfolio.name))
    if isinstance(given, StoppingCriterion):
        return given
    if isinstance(given, numbers.Real) and not isinstance(given, bool):
        return MaxTime(float(given))
    if callable(given) and not isinstance(given, type):
        return StopWhen(given)
    raise InputError(
        f"stop is {shown(given)}; expected a criterion such as MaxTime(10), seconds, or a function of a snapshot."
    )
