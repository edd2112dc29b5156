"""Compiled code before the clock of a search runs: made, or loaded from the cache."""

import threading
from collections.abc import Callable

from dacalns.instances import Instance
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.fleet_search import FleetSearch
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.search.run import Search
from dacalns.search.selector import CompiledSelector
from dacalns.search.start import problem_of, start_solution
from dacalns.search.stopping import MaxIterations

# Loading compiled code from the cache takes less than this; compiling takes much more.
ANNOUNCE_AFTER = 2.0


def load_kernels(selector: CompiledSelector) -> None:
    """Compile the loop and all that a start may need, or load them from the cache, on a tiny instance."""
    tiny = _tiny()
    # Too much for one vehicle, so that it is taken apart, inserted anew and packed.
    start_solution(problem_of(tiny.with_(fleet=1)), [[1, 2]])
    search = Search(tiny, PORTFOLIOS["paper"], selector, SimulatedAnnealing(), MaxIterations(0), 0, None)
    search.load_kernels()


def load_fleet_kernels() -> None:
    """Compile what the search for fewer vehicles needs besides, or load it from the cache, on a tiny instance."""
    FleetSearch(_tiny(), MaxIterations(0), 0, None).load_kernels()


def _tiny() -> Instance:
    return Instance(name="tiny", coordinates=[[0, 0], [1, 0], [2, 0]], demands=[0, 1, 1], capacity=1)  # type: ignore[arg-type]


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
