"""Fewest vehicles first, then distance: two searches, one after the other, with one budget and one result."""

import dataclasses
import random
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from dacalns.core import fleet as kernels
from dacalns.core.clock import nanoseconds
from dacalns.core.model import empty_solution, overwrite
from dacalns.core.rng import seeded
from dacalns.core.terms import item_of, missing, solution_cost
from dacalns.instances import Instance, require_feasible
from dacalns.instances.best_known import DECIMALS, fewest_vehicles
from dacalns.instances.features import FEATURE_WORDS, PRIORITIES, PRIZES, RELOADS
from dacalns.instances.parts import VehicleType
from dacalns.instances.preflight import fleet_bound
from dacalns.search.checker import check, second_look, without_noise
from dacalns.search.reasons import reasons_of
from dacalns.search.result import FleetPhase, NewBest, Result
from dacalns.search.run import CALLBACK, STRETCH, Listeners, Snapshot, described, gap_to_best_known, in_detail
from dacalns.search.signals import Interrupt
from dacalns.search.solved import Solved
from dacalns.search.start import (
    Routes,
    Start,
    answer_of,
    first_solution,
    numbering_of,
    place_in,
    problem_of,
    vehicles_in,
    with_fleet,
    with_vehicles,
)
from dacalns.search.stopping import VEHICLES_FIRST, MaxIterations, Remaining, StoppingCriterion, StopWhen
from dacalns.search.user_code import called
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, shortened

# The search for fewer vehicles: route after route is closed, and its customers find a place in the others.

# The part of the budget that may be spent on fewer vehicles. They come first, so it is ample; what it takes away from
# the second search hardly shows in the distance.
BUDGET_SHARE = 0.3
# The worsening, as a part of the start's length, that is accepted with probability 1 / e. It never falls: distance only
# keeps those in motion who are not left out.
TEMPERATURE = 0.01
# A try to do with one vehicle fewer takes so many iterations for each customer, the next one so many times as long …
FIRST_TRY, LONGER = 500, 1.5
# … and after so many of them, far more than the hardest of Solomon's instances needs, one vehicle fewer is given up.
TRIES = 10


def require_countable(instance: Instance) -> None:
    """Raise an `InputError` unless an instance's vehicles differ in their depots alone, and all must be served.

    Where somebody may be left out, the fewest vehicles are those that serve nobody who may. And where vehicles differ,
    one fewer is worth more or less, which a cost for each says better.
    """
    found = _uncountable(instance)
    if found is not None:
        has, expected, instead = found
        raise InputError(
            f"objective is {VEHICLES_FIRST}, and {shortened(instance.name, VALUE)} has {has}; expected {expected}; "
            f"use distance{instead}."
        )


def require_not_asked(stop: object) -> None:
    """Raise an `InputError` if a stopping criterion is plain Python: the search for fewer vehicles asks none."""
    function = [stop] if callable(stop) else stop.asked if isinstance(stop, StoppingCriterion) else []
    if function:
        name = function[0].name if isinstance(function[0], StopWhen) else called(function[0])
        raise InputError(
            f"objective is {VEHICLES_FIRST}, and stopping criterion {name!r} is a function, which the search for fewer "
            "vehicles does not ask; expected iterations or seconds; let on_progress raise StopSearch instead."
        )


def _uncountable(instance: Instance) -> tuple[str, str, str] | None:
    """Return what an instance has that makes its vehicles no number, what was expected, and what to do; or None."""
    types, features = instance.types, instance.features
    if len({_elsewhere(each) for each in types}) > 1:
        expected = "types that differ in their depots and numbers alone, as one of another type is worth more or less"
        return "several vehicle types", expected, ", with a fixed_cost for each type"
    if len(types) > 1 and RELOADS in features:
        return "several vehicle types that load again", "one type, as trips of several are not counted", ""
    for feature in (PRIZES, PRIORITIES):
        if feature in features:
            return FEATURE_WORDS[feature], "customers who must all be served, as it takes fewest to serve no others", ""
    if not all(group.required for group in instance.groups):
        return "a group that may be left out", "groups of which one must be visited, as fewest visit no others", ""
    return None


def _elsewhere(kind: VehicleType) -> VehicleType:
    """A vehicle type without what may differ: its depots and how many there are."""
    return dataclasses.replace(kind, num_available=None, start_depot=None, end_depot=None)


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
        The seed of all that is random; it is not checked again.
    start
        Routes to start from; regret construction if left out.
    """

    def __init__(self, instance: Instance, stop: StoppingCriterion, seed: int, start: Routes | Start | None) -> None:
        require_feasible(instance)
        self._began = nanoseconds()
        self.instance = instance
        self._problem = problem_of(instance)
        self._best = first_solution(instance, start)
        self._current, self._candidate = empty_solution(self._problem), empty_solution(self._problem)
        self._rng, self._dice = seeded(seed), random.Random(seed)
        self._absences = np.zeros(len(self._problem.demand), dtype=np.int64)
        self._counters = np.zeros(len(kernels.COUNTER), dtype=np.int64)
        self._counters[kernels.COUNTER.started] = self._began
        self._values = np.zeros(len(kernels.VALUE))
        self._values[kernels.VALUE.share_allowed] = BUDGET_SHARE
        self._values[kernels.VALUE.temperature] = TEMPERATURE * max(
            1e-9, float(solution_cost(self._problem, self._best))
        )
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
                self._problem = with_vehicles(self._problem, self.vehicles - 1)
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
        self._close_a_vehicle(afresh=False)
        self._values[kernels.VALUE.share_allowed] = 0.0
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
                self._close_a_vehicle(afresh=attempt > 0)
            self._counters[kernels.COUNTER.stuck_at] = self.iterations + length
            length = int(length * LONGER)
            state = kernels.ENDING.paused
            while state in (kernels.ENDING.paused, kernels.ENDING.more_served):
                state = self._stretch()
                if state in (kernels.ENDING.all_served, kernels.ENDING.more_served):
                    on_best(self._new_best())
                if on_progress is not None:
                    on_progress(self.snapshot())
                if interrupt.requested:
                    return False
            if state != kernels.ENDING.stuck:
                return state == kernels.ENDING.all_served
        return False

    def _close_a_vehicle(self, *, afresh: bool) -> None:
        """Let all customers of a vehicle wait: those left out least; ``afresh``, any, and counters are set to zero."""
        if self.instance.is_plain or not self._problem.trips:  # type: ignore[attr-defined]
            kernels.close_a_route(self._problem, self._current, self._absences, afresh, self._rng)
            return
        routes, types = answer_of(self.instance, self._current)
        customers = numbering_of(self.instance).customers_of

        def left_out(number: int) -> int:
            known = (customers.get(node, []) for node in routes[number])
            return sum(int(self._absences[item_of(self._problem, customer)]) for each in known for customer in each)

        if afresh:
            self._absences[:] = 0
            del routes[self._dice.randrange(len(routes))]
        else:
            del routes[min(range(len(routes)), key=left_out)]
        solution = empty_solution(self._problem, self._current)
        place_in(self.instance, self._problem, solution, routes, types[: len(routes)])
        overwrite(self._current, solution)

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
        return vehicles_in(self._best)

    @property
    def fleet(self) -> int:
        """How many vehicles another search needs: those in use, or all there are where not everybody is served."""
        if self._unserved:
            return self.instance.customers if self.instance.fleet is None else self.instance.fleet
        return self.vehicles

    @property
    def routes(self) -> list[list[int]]:
        """The best solution as plain lists."""
        return answer_of(self.instance, self._best)[0]

    @property
    def answer(self) -> Start:
        """The same with vehicle types, as another search begins with it."""
        return Start(*answer_of(self.instance, self._best))

    @property
    def iterations(self) -> int:
        """Iterations so far."""
        return int(self._counters[kernels.COUNTER.iteration])

    @property
    def seconds(self) -> float:
        """Seconds since the search for a start began."""
        return 1e-9 * float(nanoseconds() - self._began)

    @property
    def fraction(self) -> float:
        """The part of the whole budget that is used."""
        return float(self._values[kernels.VALUE.fraction])

    @property
    def _unserved(self) -> int:
        return int(missing(self._problem, self._best))

    @property
    def _cost(self) -> float:
        return float(solution_cost(self._problem, self._best)) / self.instance.scale

    def _new_best(self) -> NewBest:
        routes, types = answer_of(self.instance, self._best)
        return NewBest(self.iterations, self.seconds, self._cost, self._unserved, routes=routes, vehicle_types=types)

    def snapshot(self) -> Snapshot:
        """Return the state of the search."""
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


# Fewest vehicles first, then distance: two searches, one after the other, with one budget and one result.

OnBest = Callable[[NewBest], None] | None
OnProgress = Callable[[Snapshot], None] | None


class DistanceSearch(Protocol):
    """The second search."""

    def run(self, on_best: OnBest, on_progress: OnProgress, compile_seconds: float) -> Result:
        """Search, and return the best found."""


def vehicles_then_distance(
    instance: Instance,
    distance_search: Callable[[Instance, StoppingCriterion, Routes | Start], DistanceSearch],
    stop: StoppingCriterion,
    seed: int,
    start: Routes | Start | None,
    on_best: OnBest,
    on_progress: OnProgress,
    compile_seconds: float,
) -> Result:
    """Search for the fewest vehicles, then for the least distance with as many.

    Parameters
    ----------
    instance
        What to solve.
    distance_search
        Makes the second search for an instance, a budget and a start.
    stop
        The budget of both searches together. What the first one leaves is the second one's.
    seed, start, on_best, on_progress, compile_seconds
        As for one search.
    """
    first = FleetSearch(instance, stop, seed, start)
    with Interrupt() as interrupt:
        listeners = Listeners(on_best, on_progress, interrupt)
        bests = _Bests(None if on_best is None else listeners.best)
        phase = first.run(interrupt, bests.note, None if on_progress is None else listeners.progress)
        bests.on_best = None if listeners.stopped else on_best
        limited = with_fleet(instance, first.fleet)
        second = distance_search(limited, Remaining(stop, phase.iterations, phase.seconds), first.answer)
    if interrupt.requested:
        second = distance_search(limited, MaxIterations(0), first.answer)
    result = second.run(
        lambda event: bests.note(_later(event, phase)),
        None
        if on_progress is None or listeners.stopped
        else lambda now: on_progress(_after(now, phase, first.fraction)),
        compile_seconds,
    )
    assert bests.best is not None, "the first search has told of its start"
    answer, warnings = _answer(instance, bests.best, result)
    iterations, seconds = phase.iterations + result.iterations, phase.seconds + result.seconds
    return dataclasses.replace(
        result,
        **answer,
        **_compared(instance, phase.bound, **answer),
        warnings=list(dict.fromkeys(result.warnings + warnings)),
        solved=Solved(instance),
        fleet=instance.fleet,
        objective=VEHICLES_FIRST,
        fleet_phase=phase,
        start_cost=bests.history[0].cost,
        history=bests.history,
        iterations=iterations,
        seconds=seconds,
        iterations_per_second=iterations / seconds if seconds > 0 else 0.0,
        stopped_by=CALLBACK if listeners.stopped else "interrupt" if interrupt.requested else result.stopped_by,
        time=dataclasses.replace(result.time, fleet=phase.seconds),
        settings=result.settings
        | {
            "objective": {"name": VEHICLES_FIRST, "share": BUDGET_SHARE},
            "stop": described(stop),
            "start": "regret" if start is None else "given",
        },
    )


class _Bests:
    """The new bests of both searches, of which the second one knows distance alone."""

    def __init__(self, on_best: OnBest) -> None:
        self.on_best = on_best
        self.history: list[NewBest] = []
        self.best: NewBest | None = None

    def note(self, event: NewBest) -> None:
        """Keep and pass on what has fewer vehicles, or as many and less distance, than all before."""
        event = dataclasses.replace(event, cost=without_noise(event.cost), vehicles=len(event.routes))
        if self.best is None or _rank(event) < _rank(self.best):
            self.best = event
            self.history.append(event.for_history())
            if self.on_best is not None:
                self.on_best(event)


def _rank(event: NewBest) -> tuple[int, int, float]:
    return event.unserved, len(event.routes), event.cost


def _later(event: NewBest, phase: FleetPhase) -> NewBest:
    """A new best of the second search, counted from the beginning of the first one."""
    return dataclasses.replace(
        event, iteration=phase.iterations + event.iteration, seconds=phase.seconds + event.seconds
    )


def _after(snapshot: Snapshot, phase: FleetPhase, used: float) -> Snapshot:
    """A snapshot of the second search, likewise; ``used`` is the part of the budget that the first one used."""
    return dataclasses.replace(
        snapshot,
        iteration=phase.iterations + snapshot.iteration,
        seconds=phase.seconds + snapshot.seconds,
        fraction=used + (1 - used) * snapshot.fraction,
    )


def _answer(instance: Instance, best: NewBest, second: Result) -> tuple[dict[str, Any], list[str]]:
    """Return what was found, as the independent checker sees it.

    The checker has looked at the best solution of the second search, which is the answer as a rule: its limits are
    those of the instance, and a fleet that is no larger.
    """
    types = best.vehicle_types or [0] * len(best.routes)
    if (best.routes, types) == (second.routes, second.vehicle_types):
        return {name: getattr(second, name) for name in ("cost", "routes", "unserved", "feasible", "reasons")}, []
    verdict = check(instance, best.routes, types)
    detail = {} if instance.is_plain else in_detail(instance, best.routes, types)
    unserved = _unserved(instance, best.routes)
    cost, kept, warnings = second_look(instance, best.routes, verdict.cost, types)
    answer = {
        "cost": cost,
        "routes": best.routes,
        "unserved": unserved,
        "feasible": kept and not unserved,
        "vehicle_types": types,
        "reasons": reasons_of(instance, best.routes, types, unserved, []),
        **detail,
    }
    return answer, warnings


def _unserved(instance: Instance, routes: Routes) -> list[int]:
    """The customers whom no route visits; of a group of whom one is visited, none, and of another group all."""
    visited = {node for route in routes for node in route}
    members = {node for group in instance.groups for node in group.customers}
    alone = (node for node in instance.customer_nodes if node not in visited and node not in members)
    without = (group.customers for group in instance.groups if visited.isdisjoint(group.customers))
    return sorted({*alone, *(node for customers in without for node in customers)})


def _compared(
    instance: Instance, bound: int, cost: float, routes: Routes, feasible: bool, **_: object
) -> dict[str, Any]:
    """What is known of the instance under this objective, and the gap to it."""
    known = fewest_vehicles(instance)
    if known is not None:
        comparable = feasible and len(routes) == known.vehicles
        return {
            "best_known": known.distance,
            "best_known_vehicles": known.vehicles,
            "gap_percent": gap_to_best_known(round(cost, DECIMALS), known.distance) if comparable else None,
        }
    # Where no solution has fewer vehicles than the limit allows, the least distance is just that.
    best_known = instance.best_known if instance.fleet == bound else None
    return {
        "best_known": best_known,
        "best_known_origin": instance.best_known_origin if best_known else "",
        "gap_percent": gap_to_best_known(cost, best_known) if feasible else None,
    }
