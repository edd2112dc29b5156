"""A run of the peer, whose operators are in pure Python and whose search is that of the ``alns`` package."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from random import Random
from typing import Any

import numpy as np

from dacalns.bench.pure_python.operators import (
    greedy_repair,
    random_removal,
    random_repair,
    regret_repair,
    worst_removal,
)
from dacalns.bench.pure_python.state import PlainState, plain_problem, plain_state
from dacalns.instances import Instance
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.start import Routes
from dacalns.util.errors import InputError

DESTROY = (random_removal, worst_removal)
REPAIR = (random_repair, greedy_repair, regret_repair)


@dataclass(frozen=True)
class PeerResult:
    """The solution that a run of the peer found, and its speed."""

    cost: float
    routes: list[list[int]]
    unserved: list[int]
    iterations: int
    seconds: float

    @property
    def iterations_per_second(self) -> float:
        """The speed of the run."""
        return self.iterations / self.seconds


def load_alns() -> Any:
    """Import the ``alns`` package, which only benchmarks need.

    Raises
    ------
    InputError
        If it is not installed.
    """
    try:
        import alns
    except ImportError as error:
        raise InputError(
            "the package 'alns', which the pure-Python peer runs on, is not installed; expected version 7; "
            'install it with: pip install "dac-alns[bench]"'
        ) from error
    return alns


def solve_in_python(
    instance: Instance,
    *,
    iterations: int,
    seconds: float | None = None,
    seed: int = 0,
    start: Routes = (),
) -> PeerResult:
    """Solve with the paper's five operators in pure Python, uniform choice and simulated annealing.

    The operators' scales and both temperatures are those of :func:`dacalns.solve`.

    Parameters
    ----------
    instance
        A CVRP or VRPTW with symmetric distances.
    iterations
        The number of iterations, over which the temperature falls to its end.
    seconds
        If given, the run stops after this time instead; ``iterations`` then only sets the cooling.
    seed
        The seed of all that is random.
    start
        Feasible routes; customers that are in no route are inserted by regret.

    Raises
    ------
    InputError
        If ``alns`` is not installed, or distances differ by direction.
    """
    alns = load_alns()
    problem = plain_problem(instance)
    random = Random(seed)
    search = alns.ALNS(np.random.default_rng(seed))
    for destroy in DESTROY:
        search.add_destroy_operator(_on_alns(destroy, random))
    for repair in REPAIR:
        search.add_repair_operator(_on_alns(repair, random))

    first = regret_repair(plain_state(problem, start), random)
    hot, cold = SimulatedAnnealing().memory(first.length()).tolist()
    accept = alns.accept.SimulatedAnnealing(hot, cold, (cold / hot) ** (1 / max(iterations, 1)))
    choose = alns.select.RandomSelect(len(DESTROY), len(REPAIR))
    stop = alns.stop.MaxIterations(iterations) if seconds is None else alns.stop.MaxRuntime(seconds)
    # A candidate that serves more customers than the current solution is better by more than exp() can hold.
    with np.errstate(over="ignore"):
        began = time.perf_counter()
        found = search.iterate(first, choose, accept, stop)
        took = time.perf_counter() - began
    best = found.best_state
    return PeerResult(
        cost=best.length() / instance.scale,
        routes=best.routes(),
        unserved=sorted(best.waiting),
        iterations=len(found.statistics.objectives) - 1,
        seconds=took,
    )


def _on_alns(operator: Callable[[PlainState, Random], PlainState], random: Random) -> Any:
    """Return the operator in the form that ``alns`` calls.

    It draws from Python's own generator, because single numbers from NumPy's, which ``alns`` offers, take much longer.
    """

    @wraps(operator)
    def with_generator(state: PlainState, _: Any) -> PlainState:
        return operator(state, random)

    return with_generator
