"""Compiled code before the clock of a search runs: made, or loaded from the cache."""

import threading
from collections.abc import Callable

import numpy as np

from dacalns.core.distances import as_operators_see
from dacalns.core.model import build_problem, empty_solution
from dacalns.core.near_repair import near_repair
from dacalns.core.packing import complete
from dacalns.core.placing import place_routes
from dacalns.core.plane import Plane
from dacalns.core.rng import seeded
from dacalns.core.savings import savings_routes
from dacalns.instances.rounding import rule_of
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.fleet_search import FleetSearch
from dacalns.search.operators import destroy_operator, repair_operator
from dacalns.search.portfolio import Portfolio
from dacalns.search.run import Search
from dacalns.search.selector import CompiledSelector
from dacalns.search.start import problem_of, start_solution, tiny_instance
from dacalns.search.stopping import MaxIterations

# Loading compiled code from the cache takes less than this; compiling takes much more.
ANNOUNCE_AFTER = 2.0


@destroy_operator(count=(1, 1))
def _remove_none(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    """Nothing, quickly compiled."""


@repair_operator
def _insert_none(problem, solution, rng):  # type: ignore[no-untyped-def]
    """Nothing, quickly compiled."""


# The loop is the same whatever the operators are.
IDLE = Portfolio([_remove_none], [_insert_none])


def load_kernels(selector: CompiledSelector) -> None:
    """Compile the loop and all that a start may need, or load them from the cache, on a tiny instance."""
    tiny = tiny_instance()
    # Too much for one vehicle, so that it is taken apart, inserted anew and packed.
    start_solution(problem_of(tiny.with_(fleet=1)), [[1, 2]])
    search = Search(tiny, IDLE, selector, SimulatedAnnealing(), MaxIterations(0), 0, None)
    search.load_kernels()


def load_fleet_kernels() -> None:
    """Compile what the search for fewer vehicles needs besides, or load it from the cache, on a tiny instance."""
    FleetSearch(tiny_instance(), MaxIterations(0), 0, None).load_kernels()


def load_kernels_for_large(stored: bool) -> None:
    """The same for what only large instances need, with a matrix or without, on a tiny one as if it were large."""
    points = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    points.flags.writeable = False
    distance = np.ones((4, 4)) if stored else Plane(points, *rule_of("round"))
    windows = np.tile([0.0, 9.0], (4, 1))
    demand = np.array([0.0, 1.0, 1.0, 1.0])
    problem = as_operators_see(build_problem(distance, demand, 2.0, 1, windows, np.zeros(4), True))
    solution = empty_solution(problem)
    route = savings_routes(problem)[0]
    place_routes(problem, solution, np.array(route, dtype=np.int64), np.array([len(route)], dtype=np.int64))
    near_repair(problem, solution, seeded(0))
    complete(problem, solution, empty_solution(problem), 1, seeded(0))


class Announcement:
    """Calls back if the body takes longer than loading from the cache would."""

    def __init__(self, callback: Callable[[], None] | None) -> None:
        self._timer = threading.Timer(ANNOUNCE_AFTER, callback) if callback else None

    def __enter__(self) -> None:
        if self._timer:
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *_: object) -> None:
        if self._timer:
            self._timer.cancel()
