"""The one call that most users need."""

import numbers
import os
import time
from collections.abc import Callable
from functools import cache

from dacalns.errors import InputError
from dacalns.instances import Instance, read, read_solution
from dacalns.search.acceptance import AcceptanceCriterion, SimulatedAnnealing
from dacalns.search.portfolio import Portfolio, as_portfolio
from dacalns.search.python_selector import PythonSelector
from dacalns.search.result import Result
from dacalns.search.run import NewBest, Search, Snapshot, compile_parts
from dacalns.search.selector import CompiledSelector
from dacalns.search.start import Routes, has_matrix, is_large
from dacalns.search.stopping import MaxIterations, MaxTime, StoppingCriterion
from dacalns.search.warm_up import Announcement, load_kernels, load_kernels_for_large
from dacalns.selectors import UniformRandom, as_selector


def solve(
    instance: Instance | str | os.PathLike[str],
    *,
    selector: str | CompiledSelector | PythonSelector = "roulette",
    portfolio: str | Portfolio = "paper",
    acceptance: AcceptanceCriterion | None = None,
    stop: StoppingCriterion | float | None = None,
    seed: int = 0,
    start: Routes | str | os.PathLike[str] | None = None,
    on_best: Callable[[NewBest], None] | None = None,
    on_progress: Callable[[Snapshot], None] | None = None,
    on_compile: Callable[[], None] | None = None,
) -> Result:
    """Solve an instance.

    Parameters
    ----------
    instance
        An instance, or a path or name that `dacalns.read` takes.
    selector
        How operators are chosen: ``"random"``, ``"roulette"``, ``"ucb"``, ``"weights:1,0/0,1,2"``, ``"FILE.py:NAME"``
        or an object, which may be one of yours in plain Python.
    portfolio
        The operators: ``"paper"``, ``"full"``, ``"FILE.py"`` or ``"FILE.py:VARIABLE"``, or an object.
    acceptance
        The acceptance criterion; simulated annealing if left out.
    stop
        When to stop: a criterion, or seconds. Left out: max(2000, 50 n) iterations, the budget of the paper.
    seed
        The same seed and iterations give the same answer.
    start
        Routes, or a ``.sol`` file, to start from. The answer is never worse than a feasible start.
    on_best
        Called with every new best solution, the start included.
    on_progress
        Called about 20 times a second with where the search stands.
    on_compile
        Called once if compiled code is not in the cache yet and must be made, which takes some seconds.

    Returns
    -------
    Result
        The best solution found, also when Ctrl-C or SIGTERM cut the search short.

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
    routes = read_solution(start)[0] if isinstance(start, str | os.PathLike) else start
    budget = _as_stop(stop, instance)
    criterion = _as_acceptance(acceptance)
    operators, chooser = as_portfolio(portfolio), as_selector(selector)
    began = time.perf_counter()
    with Announcement(on_compile):
        _load_kernels()
        if is_large(instance.customers) or not has_matrix(instance):
            _load_kernels_for_large()
        compile_parts(operators, chooser, criterion, has_matrix(instance))
    compile_seconds = time.perf_counter() - began
    return Search(instance, operators, chooser, criterion, budget, seed, routes).run(
        on_best, on_progress, compile_seconds
    )


def default_iterations(customers: int) -> int:
    """The paper's budget."""
    return max(2000, 50 * customers)


def _as_stop(given: StoppingCriterion | float | None, instance: Instance) -> StoppingCriterion:
    if given is None:
        return MaxIterations(default_iterations(instance.customers))
    if isinstance(given, StoppingCriterion):
        return given
    if isinstance(given, numbers.Real) and not isinstance(given, bool):
        return MaxTime(float(given))
    raise InputError(f"stop is {given!r}; expected a criterion such as MaxTime(10), or seconds.")


def _as_acceptance(given: AcceptanceCriterion | None) -> AcceptanceCriterion:
    if given is None:
        return SimulatedAnnealing()
    if isinstance(given, type) or not (hasattr(given, "kernel") and hasattr(given, "memory")):
        raise InputError(f"acceptance is {given!r}; expected a criterion such as SimulatedAnnealing().")
    return given


@cache
def _load_kernels() -> None:
    load_kernels(UniformRandom())


@cache
def _load_kernels_for_large() -> None:
    load_kernels_for_large()
