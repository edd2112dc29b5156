"""Fewest vehicles first, then distance: two searches, one after the other, with one budget and one result."""

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol

from dacalns.instances import Instance
from dacalns.instances.fewest_vehicles import DECIMALS, fewest_vehicles
from dacalns.search.checker import check
from dacalns.search.fleet_search import SHARE, FleetSearch
from dacalns.search.interrupt import Interrupt
from dacalns.search.objective import VEHICLES_FIRST
from dacalns.search.result import FleetPhase, Improvement, Result
from dacalns.search.run import NewBest, Snapshot, described, gap_percent
from dacalns.search.second_look import second_look, without_noise
from dacalns.search.start import Routes, with_fleet
from dacalns.search.stopping import MaxIterations, Remaining, StoppingCriterion

OnBest = Callable[[NewBest], None] | None
OnProgress = Callable[[Snapshot], None] | None


class DistanceSearch(Protocol):
    """The second search."""

    def run(self, on_best: OnBest, on_progress: OnProgress, compile_seconds: float) -> Result:
        """Search, and return the best found."""


def vehicles_then_distance(
    instance: Instance,
    distance_search: Callable[[Instance, StoppingCriterion, Routes], DistanceSearch],
    stop: StoppingCriterion,
    seed: int,
    start: Routes | None,
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
        bests = _Bests(on_best)
        phase = first.run(interrupt, bests.note, on_progress)
        limited = with_fleet(instance, first.fleet)
        second = distance_search(limited, Remaining(stop, phase.iterations, phase.seconds), first.routes)
    if interrupt.requested:
        second = distance_search(limited, MaxIterations(0), first.routes)
    result = second.run(
        lambda event: bests.note(_later(event, phase)),
        None if on_progress is None else lambda now: on_progress(_after(now, phase, first.fraction)),
        compile_seconds,
    )
    assert bests.best is not None, "the first search has told of its start"
    answer, warnings = _answer(instance, bests.best)
    iterations, seconds = phase.iterations + result.iterations, phase.seconds + result.seconds
    return dataclasses.replace(
        result,
        **answer,
        **_compared(instance, phase.bound, **answer),
        warnings=list(dict.fromkeys(result.warnings + warnings)),
        fleet=instance.fleet,
        objective=VEHICLES_FIRST,
        fleet_phase=phase,
        start_cost=bests.history[0].cost,
        history=bests.history,
        iterations=iterations,
        seconds=seconds,
        iterations_per_second=iterations / seconds if seconds > 0 else 0.0,
        stopped_by="interrupt" if interrupt.requested else result.stopped_by,
        time=dataclasses.replace(result.time, fleet=phase.seconds),
        settings=result.settings
        | {
            "objective": {"name": VEHICLES_FIRST, "share": SHARE},
            "stop": described(stop),
            "start": "regret" if start is None else "given",
        },
    )


class _Bests:
    """The new bests of both searches, of which the second one knows distance alone."""

    def __init__(self, on_best: OnBest) -> None:
        self._on_best = on_best
        self.history: list[Improvement] = []
        self.best: NewBest | None = None

    def note(self, event: NewBest) -> None:
        """Keep and pass on what has fewer vehicles, or as many and less distance, than all before."""
        event = dataclasses.replace(event, cost=without_noise(event.cost))
        if self.best is None or _rank(event) < _rank(self.best):
            self.best = event
            vehicles = len(event.routes)
            self.history.append(Improvement(event.iteration, event.seconds, event.cost, event.unserved, vehicles))
            if self._on_best is not None:
                self._on_best(event)


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


def _answer(instance: Instance, best: NewBest) -> tuple[dict[str, Any], list[str]]:
    """What was found, as the independent checker sees it: the second search has looked at its own best alone."""
    verdict = check(instance, best.routes)
    unserved = [violation.customer for violation in verdict.violations if violation.kind == "missing"]
    cost, kept, warnings = second_look(instance, best.routes, verdict.cost)
    answer = {
        "cost": cost,
        "routes": best.routes,
        "unserved": unserved,
        "feasible": kept and not unserved,
    }
    return answer, warnings


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
            "gap_percent": gap_percent(round(cost, DECIMALS), known.distance) if comparable else None,
        }
    # Where no solution has fewer vehicles than the limit allows, the least distance is just that.
    best_known = instance.best_known if instance.fleet == bound else None
    return {
        "best_known": best_known,
        "best_known_origin": instance.best_known_origin if best_known else "",
        "gap_percent": gap_percent(cost, best_known) if feasible else None,
    }
