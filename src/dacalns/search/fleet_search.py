"""The search for fewer vehicles: route after route is closed, and its customers find a place in the others."""

from collections.abc import Callable

import numpy as np

from dacalns.core import fleet as kernels
from dacalns.core.clock import nanoseconds
from dacalns.core.model import BANKED, USED, empty_solution, overwrite
from dacalns.core.rng import seeded
from dacalns.core.routes import total_length
from dacalns.instances import Instance, require_feasible
from dacalns.instances.fleet_bound import fleet_bound
from dacalns.instances.whole_number import LARGEST_SEED, whole_number
from dacalns.search.interrupt import Interrupt
from dacalns.search.result import FleetPhase
from dacalns.search.run import STRETCH, NewBest, Snapshot
from dacalns.search.start import Routes, problem_of, routes_of, start_solution
from dacalns.search.stopping import StoppingCriterion

# The part of the budget that may be spent on fewer vehicles. They come first, so it is ample; what it takes away from
# the second search hardly shows in the distance.
SHARE = 0.3
# The worsening, as a part of the start's length, that is accepted with probability 1 / e. It never falls: distance only
# keeps those in motion who are not left out.
TEMPERATURE = 0.01
# A try to do with one vehicle fewer takes so many iterations for each customer, the next one so many times as long …
FIRST_TRY, LONGER = 500, 1.5
# … and after so many of them, far more than the hardest of Solomon's instances needs, one vehicle fewer is given up.
TRIES = 10


class FleetSearch:
    """One search for the fewest vehicles.

    Building it finds the start solution, which the clock counts; :meth:`run` searches.

    Parameters
    ----------
    instance
        What to solve.
    stop
        The budget of the whole search, of which this is only a part.
    seed
        Of all that is random.
    start
        Routes to start from; regret construction if left out.
    """

    def __init__(self, instance: Instance, stop: StoppingCriterion, seed: int, start: Routes | None) -> None:
        require_feasible(instance)
        self._began = nanoseconds()
        self.instance = instance
        self._problem = problem_of(instance)
        self._best = start_solution(self._problem, start)
        self._current, self._candidate = empty_solution(self._problem), empty_solution(self._problem)
        self._rng = seeded(whole_number("seed", seed, minimum=0, maximum=LARGEST_SEED))
        self._absences = np.zeros(instance.customers + 1, dtype=np.int64)
        self._counters = np.zeros(kernels.COUNTERS, dtype=np.int64)
        self._counters[kernels.STARTED] = self._began
        self._values = np.zeros(kernels.VALUES)
        self._values[kernels.SHARE] = SHARE
        self._values[kernels.TEMPERATURE] = TEMPERATURE * max(1e-9, float(total_length(self._best)))
        program = stop.tokens(instance.scale)
        self._stop = (
            np.array([kind for kind, _ in program], dtype=np.int64),
            np.array([value for _, value in program], dtype=np.float64),
            np.zeros(len(program)),
        )
        self.bound = fleet_bound(instance)
        self.start_vehicles = self.vehicles

    def run(
        self,
        interrupt: Interrupt,
        on_best: Callable[[NewBest], None],
        on_progress: Callable[[Snapshot], None] | None = None,
    ) -> FleetPhase:
        """Search until as few vehicles are in use as are needed, or the share of the budget is used.

        ``on_best`` is called with the start and with each solution that has fewer vehicles, or serves more customers.
        """
        on_best(self._new_best())
        going_on = True
        while going_on and (self._unserved or self.vehicles > self.bound):
            if not self._unserved:
                self._problem = self._problem._replace(fleet=self.vehicles - 1)
            going_on = self._serve_all(interrupt, on_best, on_progress)
        return FleetPhase(
            start_vehicles=self.start_vehicles,
            vehicles=self.vehicles,
            bound=self.bound,
            iterations=self.iterations,
            seconds=self.seconds,
        )

    def load_kernels(self) -> None:
        """Compile the kernels, or load them from the cache, without an iteration."""
        overwrite(self._current, self._best)
        kernels.close_a_route(self._problem, self._current, self._absences, False, self._rng)
        self._values[kernels.SHARE] = 0.0
        self._stretch()

    def _serve_all(
        self,
        interrupt: Interrupt,
        on_best: Callable[[NewBest], None],
        on_progress: Callable[[Snapshot], None] | None,
    ) -> bool:
        """Try to serve everybody with the fleet there is; return whether that came to be."""
        length = FIRST_TRY * self.instance.customers
        for attempt in range(TRIES):
            overwrite(self._current, self._best)
            if attempt or not self._unserved:
                kernels.close_a_route(self._problem, self._current, self._absences, attempt > 0, self._rng)
            self._counters[kernels.STUCK_AT] = self.iterations + length
            length = int(length * LONGER)
            state = kernels.PAUSED
            while state in (kernels.PAUSED, kernels.MORE_SERVED):
                state = self._stretch()
                if state in (kernels.ALL_SERVED, kernels.MORE_SERVED):
                    on_best(self._new_best())
                if on_progress is not None:
                    on_progress(self.snapshot())
                if interrupt.requested:
                    return False
            if state != kernels.STUCK:
                return state == kernels.ALL_SERVED
        return False

    def _stretch(self) -> int:
        return int(
            kernels.serve_all(
                self._problem, self._current, self._candidate, self._best, self._absences, self._counters,
                self._values, *self._stop, self._rng, STRETCH,
            )
        )  # fmt: skip

    @property
    def vehicles(self) -> int:
        """How many vehicles the best solution has."""
        return int(self._best.counts[USED])

    @property
    def fleet(self) -> int:
        """How many vehicles another search needs: those in use, or all there are where not everybody is served."""
        return problem_of(self.instance).fleet if self._unserved else self.vehicles

    @property
    def routes(self) -> list[list[int]]:
        """The best solution as plain lists."""
        return routes_of(self._best)

    @property
    def iterations(self) -> int:
        """Iterations so far."""
        return int(self._counters[kernels.ITERATION])

    @property
    def seconds(self) -> float:
        """Seconds since the search for a start began."""
        return 1e-9 * float(nanoseconds() - self._began)

    @property
    def fraction(self) -> float:
        """The part of the whole budget that is used."""
        return float(self._values[kernels.FRACTION])

    @property
    def _unserved(self) -> int:
        return int(self._best.counts[BANKED])

    @property
    def _cost(self) -> float:
        return float(total_length(self._best)) / self.instance.scale

    def _new_best(self) -> NewBest:
        return NewBest(self.iterations, self.seconds, self._cost, self._unserved, self.routes)

    def snapshot(self) -> Snapshot:
        """Where the search stands now."""
        return Snapshot(
            iteration=self.iterations,
            seconds=self.seconds,
            fraction=self.fraction,
            cost=self._cost,
            unserved=self._unserved,
            gap_percent=None,
            destroy_uses={},
            repair_uses={},
            vehicles=self.vehicles,
        )
