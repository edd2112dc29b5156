"""Compile the kernels of a search, or load them from the cache, before its clock starts; and tell the user to wait."""

import inspect
import logging
import multiprocessing
import signal
import threading
from collections.abc import Callable
from functools import cache, partial
from types import FrameType, TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.core import event

from dacalns.core import selection
from dacalns.core.code_cache import code_of_wheel
from dacalns.core.construction import complete, place_routes, savings_routes
from dacalns.core.distances import MATRIX, PLANE, RICH, as_operators_see
from dacalns.core.model import build_problem, empty_solution
from dacalns.core.plane import Plane
from dacalns.core.repairs import near_repair
from dacalns.core.rng import seeded
from dacalns.core.shipped_code import damaged_files
from dacalns.instances import Instance
from dacalns.instances.distance_matrix import rule_of
from dacalns.search.acceptance import AcceptanceCriterion, SimulatedAnnealing
from dacalns.search.fewest_vehicles import FleetSearch
from dacalns.search.helpers import compile_missing
from dacalns.search.operators import destroy_operator, repair_operator
from dacalns.search.parts import parts_of
from dacalns.search.portfolio import Portfolio
from dacalns.search.run import Search, compile_parts
from dacalns.search.selector import Selector
from dacalns.search.signals import SIGNALS
from dacalns.search.start import first_solution, has_matrix, is_large, tiny_instance, tiny_rich_instance
from dacalns.search.stopping import MaxIterations

# Signals while kernels are compiled or loaded.

# Numba's event for one step of the compiler. An exception there leaves the compiler in good order, as a mistake in a
# user's function does.
STEP = "numba:run_pass"


class Loading(event.Listener):
    """While this is entered, signals wait until the compiler can be left safely, which takes seconds at most.

    At any other moment the exception that a handler raises would be lost where LLVM calls Python, so that the search
    would run all the same, or it would leave half a kernel behind for the next search.
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
        """Call the program's own handler if a signal has come."""
        number, self._noted = self._noted, None
        if number is not None:
            self._previous[number](number, inspect.currentframe())

    def on_start(self, _event: object) -> None:
        """Handle a waiting signal before a step of the compiler, in the main thread only."""
        if threading.current_thread() is threading.main_thread():
            self._act()

    def on_end(self, event: object) -> None:
        """Handle a waiting signal after a step of the compiler."""
        self.on_start(event)


# The kernels that a search needs.


@destroy_operator(count=(1, 1))
def _remove_none(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    """Remove nothing; this compiles quickly."""


@repair_operator
def _insert_none(problem, solution, rng):  # type: ignore[no-untyped-def]
    """Insert nothing; this compiles quickly."""


class _AnyOperator(Selector):
    """Chooses between operators at random; compiles quickly."""

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The kernels of the uniform choice."""
        return selection.uniform_destroy, selection.uniform_repair, selection.forget

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """Return a table with the two numbers of operators."""
        return np.array([[float(destroys), float(repairs)]])


# Operators that do nothing will do to compile the loop, which is the same for all operators.
IDLE = Portfolio([_remove_none], [_insert_none])


def load_kernels(
    portfolio: Portfolio,
    selector: Selector,
    acceptance: AcceptanceCriterion,
    instance: Instance | None = None,
    *,
    fewest_vehicles: bool = False,
) -> None:
    """Compile all that a search needs, or load it from the cache, before its clock starts.

    Parameters
    ----------
    portfolio, selector, acceptance
        The parts of the search.
    instance
        What will be solved. Left out: an instance of up to 4,000 customers with a distance matrix.
    fewest_vehicles
        True to include the search for fewer vehicles.
    """
    form = _form_of(instance)
    rich = form == RICH
    large = instance is not None and not rich and (is_large(instance.customers) or form == PLANE)
    parts = parts_of(portfolio, selector, form, fewest_vehicles=fewest_vehicles, large=large)
    compile_missing(parts, Announcement.announce_all)
    _load_loop(rich)
    if large:
        _load_for_large(form == MATRIX)
    _loaded.add(form)
    compile_parts(portfolio, selector, acceptance, form)
    if fewest_vehicles:
        _load_fleet_search(rich)


# The forms of problems whose loop this process has loaded, and what their first solutions need.
_loaded: set[str] = set()


def _form_of(instance: Instance | None) -> str:
    """Return the form of problem that kernels are compiled for; without an instance, that with a distance matrix."""
    if instance is None:
        return MATRIX
    return (MATRIX if has_matrix(instance) else PLANE) if instance.is_plain else RICH


@cache
def _load_loop(rich: bool = False) -> None:
    """Load the loop, and whatever the construction of a start solution may need, by solving a tiny instance."""
    tiny = tiny_rich_instance() if rich else tiny_instance()
    # One vehicle cannot serve this route, so it is taken apart, inserted anew and packed.
    first_solution(tiny if rich else tiny.with_(fleet=1), [[1, 2]])
    search = Search(tiny, IDLE, _AnyOperator(), SimulatedAnnealing(), MaxIterations(0), 0, None)
    search.load_kernels()


@cache
def _load_fleet_search(rich: bool = False) -> None:
    """Load what the search for fewer vehicles needs in addition, by running it on a tiny instance."""
    FleetSearch(tiny_rich_instance() if rich else tiny_instance(), MaxIterations(0), 0, None).load_kernels()


@cache
def _load_for_large(stored: bool) -> None:
    """Load what only large instances need, with or without a distance matrix, by treating a tiny one like them."""
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


# The notice that kernels are being compiled.

# Steps of the compiler before the notice. Starts with a warm cache take fewer: some small functions are never cached.
ENOUGH_STEPS = 400


class Announcement(event.Listener):
    """While this is entered, it calls back once if code is compiled rather than loaded from the cache.

    Parameters
    ----------
    callback
        The function to call. None: the logger ``dacalns`` warns, once in a process for each form of problem. Unless
        logging is configured otherwise, the warning goes to standard error, in scripts as in notebooks.
    instance
        What will be solved. Left out: an instance with a distance matrix.
    """

    def __init__(self, callback: Callable[[], None] | None, instance: Instance | None = None) -> None:
        self._callback = callback or partial(_log_compilation, _form_of(instance))
        self._steps = 0
        self._said = False

    def __enter__(self) -> None:
        event.register(STEP, self)
        _entered.append(self)

    def __exit__(self, *_: object) -> None:
        event.unregister(STEP, self)
        _entered.remove(self)

    @staticmethod
    def announce_all() -> None:
        """Let all that are entered call back now, as other processes will compile."""
        for each in [*_entered]:
            each.announce()

    def announce(self) -> None:
        """Call back, unless that is done."""
        if not self._said:
            self._said = True
            self._callback()

    def on_start(self, event: object) -> None:  # noqa: ARG002
        """Count a step of the compiler."""
        self._steps += 1
        if self._steps == ENOUGH_STEPS:
            self.announce()

    def on_end(self, event: object) -> None:
        """Ignore the end of a step."""


_entered: list[Announcement] = []

# How long each takes is in `docs/benchmarks.md`, under "Start-up and memory".
WHOLE = {
    MATRIX: "Compiling the search once, usually for less than a minute; later starts take a second or two.",
    PLANE: "Compiling the search for large instances once, usually for less than a minute; later starts take a second "
    "or two.",
    RICH: "Compiling the search for problems beyond CVRP and VRPTW once, usually for less than a minute; later "
    "starts take a second or two.",
}
PART = {
    form: f"Compiling a part of the search that was not needed before, usually for less than {time}."
    for form, time in ((MATRIX, "15 seconds"), (PLANE, "15 seconds"), (RICH, "30 seconds"))
}


def compilation_sentence(instance: Instance | None = None) -> str:
    """Return the notice for the user: all that an instance's form of problem needs is being compiled, or a part of it.

    Where the code that came with the package cannot be used, it says why.

    Parameters
    ----------
    instance
        What will be solved. Left out: an instance with a distance matrix.
    """
    return _sentence(_form_of(instance))


def _sentence(form: str) -> str:
    wheel = code_of_wheel()
    because = f" The compiled code that came with the package is not used: {wheel.reason}." if wheel.reason else ""
    if wheel.folder is not None and damaged_files():
        because = " Files of the compiled code that came with the package are missing or damaged: install it anew."
    return (PART if form in _loaded else WHOLE)[form] + because


@cache
def _log_compilation(form: str) -> None:
    """Log that kernels are being compiled: once in a process for each form of problem, in the main process only."""
    if multiprocessing.parent_process() is None:
        logging.getLogger("dacalns").warning(_sentence(form))
