"""Compiled code before the clock of a search runs: made, or loaded from the cache, with an ear for signals."""

import inspect
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

import numpy as np
from numba.core import event

from dacalns.core.construction import complete, place_routes, savings_routes
from dacalns.core.distances import as_operators_see
from dacalns.core.model import build_problem, empty_solution
from dacalns.core.plane import Plane
from dacalns.core.repairs import near_repair
from dacalns.core.rng import seeded
from dacalns.instances.distance_matrix import rule_of
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.fewest_vehicles import FleetSearch
from dacalns.search.operators import destroy_operator, repair_operator
from dacalns.search.portfolio import Portfolio
from dacalns.search.run import Search
from dacalns.search.selector import CompiledSelector
from dacalns.search.signals import SIGNALS
from dacalns.search.start import problem_of, start_solution, tiny_instance
from dacalns.search.stopping import MaxIterations

# Signals while kernels are compiled or loaded.

# Of each step of the compiler: what goes wrong there leaves it in good order, as a mistake in a user's function does.
STEP = "numba:run_pass"


class Loading(event.Listener):
    """While entered, a signal is acted upon when the compiler can be left, within seconds.

    At any other moment the exception of a handler would be swallowed where LLVM calls Python, so that the search would
    run all the same, or would leave half a kernel behind for the next search.
    """

    def __init__(self) -> None:
        self._noted: int | None = None
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> "Loading":
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler):  # others need no interpreter
                    self._previous[number] = handler
                    signal.signal(number, self._note)
            event.register(STEP, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        event.unregister(STEP, self)
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._act()

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._noted = number

    def _act(self) -> None:
        """Do what the program would have done at the signal, if there was one."""
        number, self._noted = self._noted, None
        if number is not None:
            self._previous[number](number, inspect.currentframe())

    def on_start(self, _event: object) -> None:
        """Act before a step of the compiler, in the thread that signals are for."""
        if threading.current_thread() is threading.main_thread():
            self._act()

    def on_end(self, event: object) -> None:
        """Act behind it."""
        self.on_start(event)


# Compiled code before the clock of a search runs: made, or loaded from the cache.

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
