"""Check a solution from its definition, apart from the search; every answer is checked before it is returned."""

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from dacalns.instances import Instance
from dacalns.search.measure import distance, scale, scaled
from dacalns.search.rich_checker import (
    ROUNDING,
    Breach,
    largest_terms,
    plans_of,
    rich_verdict,
    saved_by_lateness,
    types_of,
)
from dacalns.search.route_plan import RoutePlan
from dacalns.util.errors import InputError
from dacalns.util.tolerance import time_tolerance, tolerance

# Check a solution from scratch.
#
# Plain Python that shares no arithmetic with the search: it measures each distance itself, from the coordinates, so
# that a mistake in the kernels or in the distance matrix cannot hide. This module checks plain problems, CVRP and
# VRPTW, and passes others on to `rich_checker`.


@dataclass(frozen=True)
class Violation:
    """One way in which a solution breaks the rules.

    Parameters
    ----------
    kind
        ``unknown``, ``duplicate``, ``missing``, ``capacity``, ``window``, ``depot`` or ``fleet``; a required group
        of which nobody is visited is ``missing``, too. Of problems with more rules also ``shift`` (a vehicle starts
        or ends too late), ``duration``, ``distance`` and ``stops`` (a route is too long), ``restriction`` (a vehicle
        may not serve a customer), ``reload`` (too often, or at a depot where the vehicle may not), ``backhaul``
        (a delivery after a pickup, or pickups alone), ``pair`` (its nodes are not on one trip in their order) or
        ``group`` (several of a group are visited).
    route
        The route, counted from 1 as in solution files; ``None`` where it concerns no single route.
    customer
        The customer; ``None`` where it concerns no single one.
    amount
        By how much, in file units; a number where customers, routes or reloads are counted.
    sentence
        The same in words.
    """

    kind: str
    route: int | None
    customer: int | None
    amount: float
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Check:
    """What a solution costs and what is wrong with it.

    Parameters
    ----------
    cost
        The total cost in file units, after rounding: of a CVRP or VRPTW the distance.
    violations
        Empty for a feasible solution.
    cost_parts
        What vehicles (``fixed``), ``distance``, ``duration``, ``overtime`` and missed ``prizes`` cost, in file
        units; empty for a CVRP or VRPTW.
    left_out
        The customers that no route visits, of those that may be left out; of a group that is visited, none.
    lost_priority
        The sum of their priorities, which goes before the cost.
    """

    cost: float
    violations: list[Violation] = field(default_factory=list)
    cost_parts: dict[str, float] = field(default_factory=dict)
    left_out: list[int] = field(default_factory=list)
    lost_priority: float = 0.0

    @property
    def feasible(self) -> bool:
        """True if nothing is wrong."""
        return not self.violations


def check(instance: Instance, routes: Iterable[Sequence[int]], types: Sequence[int] | None = None) -> Check:
    """Measure a solution and look for violations.

    Parameters
    ----------
    instance
        The problem; its rounding and fleet apply.
    routes
        The customers of each route in order, by their node numbers, from 1 on where there is one depot. The depots
        at its ends are left out; a depot between customers is a reload. A route without customers counts as none.
    types
        The vehicle type of each route. It may be left out where there is only one.

    Returns
    -------
    Check
        The cost is exact for the integer conventions: integers are added, and divided once at the end.

    Raises
    ------
    InputError
        When the routes are not lists of whole numbers, or there are not as many vehicle types.
    """
    tours, kinds = _solution(instance, routes, types)
    if not instance.is_plain:
        verdict = rich_verdict(instance, tours, kinds)
        violations = [_violation(breach) for breach in verdict.breaches]
        return Check(verdict.cost, violations, verdict.cost_parts, verdict.left_out, verdict.lost_priority)
    return _plain_check(instance, tours)


def route_plans(
    instance: Instance, routes: Iterable[Sequence[int]], types: Sequence[int] | None = None
) -> list[RoutePlan]:
    """Return what each route does: its stops with their times and loads, its distance and duration, and its cost.

    Parameters
    ----------
    instance, routes, types
        Those of `check`. Routes without customers have no plan.

    Raises
    ------
    InputError
        When the routes are not lists of whole numbers, or there are not as many vehicle types.
    """
    return plans_of(instance, *_solution(instance, routes, types))


def _solution(
    instance: Instance, routes: Iterable[Sequence[int]], types: Sequence[int] | None
) -> tuple[list[list[int]], list[int]]:
    """Return the routes that are none, without those that have no customers, and the vehicle type of each."""
    tours = _as_lists(routes)
    kinds = types_of(instance, tours, types)
    depots = range(0 if instance.is_plain else instance.depots)
    kept = [(tour, kind) for tour, kind in zip(tours, kinds, strict=True) if any(node not in depots for node in tour)]
    return [tour for tour, _ in kept], [kind for _, kind in kept]


def _violation(breach: Breach) -> Violation:
    return Violation(breach.kind, breach.route, breach.customer, breach.amount, breach.sentence)


def _plain_check(instance: Instance, tours: list[list[int]]) -> Check:
    violations = _visit_violations(instance, tours)
    legs: list[float] = []
    for number, tour in enumerate(tours, start=1):
        # Unknown customers are reported above; the rest of the route is measured without them.
        known = [customer for customer in tour if 1 <= customer <= instance.customers]
        if known:
            stops = [0, *known, 0]
            distances = [distance(instance, here, there) for here, there in pairwise(stops)]
            legs.extend(distances)
            violations += _load_violations(instance, number, known)
            violations += _time_violations(instance, number, stops, distances)
    if instance.fleet is not None and len(tours) > instance.fleet:
        excess = len(tours) - instance.fleet
        sentence = f"The solution has {len(tours)} routes, {excess} more than the fleet of {instance.fleet}."
        violations.append(Violation("fleet", None, None, float(excess), sentence))
    return Check(math.fsum(legs) / scale(instance), violations)


def _as_lists(routes: Iterable[Sequence[int]]) -> list[list[int]]:
    try:
        return [[operator.index(customer) for customer in route] for route in routes]
    except TypeError:
        raise InputError(
            "routes hold something that is not a whole number; expected lists of customers such as [[1, 2], "
            "[3]]; convert them."
        ) from None


def _visit_violations(instance: Instance, tours: list[list[int]]) -> list[Violation]:
    violations = []
    first_route: dict[int, int] = {}
    for number, tour in enumerate(tours, start=1):
        for customer in tour:
            if not 1 <= customer <= instance.customers:
                sentence = f"Route {number} visits {customer}; customers are 1 to {instance.customers}."
                violations.append(Violation("unknown", number, customer, 1.0, sentence))
            elif customer in first_route:
                other = first_route[customer]
                sentence = f"Route {number} visits customer {customer}, whom route {other} visits too."
                violations.append(Violation("duplicate", number, customer, 1.0, sentence))
            else:
                first_route[customer] = number
    for customer in range(1, instance.customers + 1):
        if customer not in first_route:
            sentence = f"No route visits customer {customer}."
            violations.append(Violation("missing", None, customer, 1.0, sentence))
    return violations


def _load_violations(instance: Instance, number: int, tour: list[int]) -> list[Violation]:
    load = math.fsum(float(instance.demands[customer]) for customer in tour)
    excess = load - instance.capacity
    if excess <= tolerance(instance.capacity):
        return []
    sentence = f"Route {number} carries {load:g}, {excess:g} more than the capacity of {instance.capacity:g}."
    return [Violation("capacity", number, None, excess, sentence)]


def _time_violations(instance: Instance, number: int, stops: list[int], distances: list[float]) -> list[Violation]:
    """Drive along a route: wait where it is early, go on where it is late."""
    if instance.windows is None:
        return []
    unit = scale(instance)
    violations = []
    windows, service = instance.windows[stops].tolist(), instance.service[stops].tolist()
    allowed = time_tolerance(windows[0][0] * unit, instance.windows[stops, 1] * unit).tolist()
    leave = scaled(windows[0][0], unit)
    for stop, driven in enumerate(distances, start=1):
        place = stops[stop]
        opens, closes = (scaled(limit, unit) for limit in windows[stop])
        start = max(opens, leave + driven)
        late = (start - closes) / unit
        if start - closes > allowed[stop]:
            where = f"customer {place}" if place else "the depot"
            sentence = (
                f"Route {number} reaches {where} at {start / unit:g}, {late:g} after it closes at {closes / unit:g}."
            )
            kind = "window" if place else "depot"
            violations.append(Violation(kind, number, place or None, late, sentence))
        leave = start + scaled(service[stop], unit)
    return violations


# What the independent checker says of an answer before it is returned.

# A cost that is off by that part is an error of rounding and not of a search.
COST = 1e-9


def second_look(
    instance: Instance, routes: list[list[int]], cost: float, types: Sequence[int] | None = None
) -> tuple[float, bool, list[str]]:
    """The cost, whether all limits hold, and sentences on what does not or is not as the search says.

    An answer that is beyond a limit by rounding alone is as good as any; a sentence says so. Unserved customers are
    none of its business.
    """
    measured, terms, slack, breaches = _measured(instance, routes, types)
    broken = [breach for breach in breaches if breach.kind != "missing"]
    grave = [breach for breach in broken if not breach.slight]
    warnings = []
    if grave:
        warnings.append(
            f"the search broke a limit, which is a mistake in an operator or in dac-alns: {grave[0].sentence}"
        )
    elif broken:
        warnings.append(f"the solution is beyond a limit by the rounding of sums: {broken[0].sentence}")
    # The search adds and subtracts distances, so that its costs err by a part of the longest. Where times are no whole
    # numbers it may begin a little late, and is under way for as much less.
    difference = max(0.0, abs(measured - cost) - slack)
    if difference > COST * terms and difference > COST * _longest(instance):
        warnings.append(
            f"the routes cost {measured:.10g}, not the {cost:.10g} that the search says, which is a mistake in an "
            "operator or in dac-alns."
        )
    return without_noise(measured), not grave, warnings


def _measured(
    instance: Instance, routes: list[list[int]], types: Sequence[int] | None
) -> tuple[float, float, float, list[Breach]]:
    """The cost, the sum of the terms that it is the sum of, what beginning late may save, and what is wrong."""
    tours, kinds = _solution(instance, routes, types)
    if not instance.is_plain:
        verdict = rich_verdict(instance, tours, kinds)
        terms = sum(verdict.cost_parts.values()) + largest_terms(instance)
        return verdict.cost, terms, saved_by_lateness(instance, kinds), verdict.breaches
    plain = _plain_check(instance, tours)
    breaches = [Breach(**vars(violation), slight=_by_rounding(instance, violation)) for violation in plain.violations]
    return plain.cost, plain.cost, 0.0, breaches


def _by_rounding(instance: Instance, violation: Violation) -> bool:
    if violation.kind == "capacity":
        return violation.amount <= ROUNDING * float(tolerance(instance.capacity))
    if instance.windows is None or violation.kind not in ("window", "depot"):
        return False
    scale = instance.scale
    opens, closes = scale * instance.windows[0, 0], scale * instance.windows[violation.customer or 0, 1]
    return violation.amount * scale <= ROUNDING * float(time_tolerance(opens, closes))


def _longest(instance: Instance) -> float:
    """A distance that none exceeds, but for rounding."""
    if instance.matrix is not None:
        return float(instance.matrix.max())
    assert instance.coordinates is not None, "an instance has coordinates or a matrix"
    return float(np.hypot(*np.ptp(instance.coordinates, axis=0)))


def without_noise(cost: float) -> float:
    """The cost without the last bits of a sum of doubles: 827.3 rather than 827.3000000000001.

    Nine decimals where the cost is over 1, and never more than 15 digits; ten digits where it is less.
    """
    if cost == 0 or not math.isfinite(cost):
        return cost
    power = math.floor(math.log10(abs(cost)))
    return round(cost, 9 - power if power < 0 else max(0, min(9, 14 - power)))
