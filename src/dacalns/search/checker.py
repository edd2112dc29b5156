"""Check a solution from its definition, apart from the search; every answer is checked before it is returned."""

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from dacalns.instances import Instance
from dacalns.util.errors import InputError
from dacalns.util.tolerance import time_tolerance, tolerance

# Check a solution from scratch.
#
# Plain Python that shares no arithmetic with the search: it measures each distance itself, from the coordinates, so
# that a mistake in the kernels or in the distance matrix cannot hide.


@dataclass(frozen=True)
class Violation:
    """One way in which a solution breaks the rules.

    Parameters
    ----------
    kind
        ``unknown``, ``duplicate``, ``missing``, ``capacity``, ``window``, ``depot`` or ``fleet``.
    route
        The route, counted from 1 as in solution files; ``None`` where it concerns no single route.
    customer
        The customer; ``None`` where it concerns no single one.
    amount
        By how much, in file units; 1 for each customer that is unknown, duplicate or missing.
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
        The total distance in file units, after rounding.
    violations
        Empty for a feasible solution.
    """

    cost: float
    violations: list[Violation] = field(default_factory=list)

    @property
    def feasible(self) -> bool:
        """True if nothing is wrong."""
        return not self.violations


def check(instance: Instance, routes: Iterable[Sequence[int]]) -> Check:
    """Measure a solution and look for violations.

    Parameters
    ----------
    instance
        The problem; its rounding and fleet apply.
    routes
        The customers of each route in order, from 1 on, the depot left out. A route without customers
        counts as none.

    Returns
    -------
    Check
        The cost is exact for the integer conventions: integers are added, and divided once at the end.

    Raises
    ------
    InputError
        When the routes are not lists of whole numbers.
    """
    tours = [tour for tour in _as_lists(routes) if tour]
    violations = _visit_violations(instance, tours)
    legs: list[float] = []
    for number, tour in enumerate(tours, start=1):
        # Unknown customers are reported above; the rest of the route is measured without them.
        known = [customer for customer in tour if 1 <= customer <= instance.customers]
        if known:
            stops = [0, *known, 0]
            distances = [_distance(instance, here, there) for here, there in pairwise(stops)]
            legs.extend(distances)
            violations += _load_violations(instance, number, known)
            violations += _time_violations(instance, number, stops, distances)
    if instance.fleet is not None and len(tours) > instance.fleet:
        excess = len(tours) - instance.fleet
        sentence = f"The solution has {len(tours)} routes, {excess} more than the fleet of {instance.fleet}."
        violations.append(Violation("fleet", None, None, float(excess), sentence))
    return Check(math.fsum(legs) / _scale(instance), violations)


def _as_lists(routes: Iterable[Sequence[int]]) -> list[list[int]]:
    try:
        return [[operator.index(customer) for customer in route] for route in routes]
    except TypeError:
        raise InputError(
            "routes hold something that is not a whole number; expected lists of customers such as [[1, 2], "
            "[3]]; convert them."
        ) from None


def _scale(instance: Instance) -> int:
    return 10 if instance.rounding == "dimacs" else 1


def _distance(instance: Instance, here: int, there: int) -> float:
    """Measure one edge, in tenths for ``dimacs``, after rounding."""
    if here == there:
        return 0
    if instance.matrix is not None:
        plain = float(instance.matrix[here, there])
    else:
        assert instance.coordinates is not None, "an instance has coordinates or a matrix"
        (x1, y1), (x2, y2) = instance.coordinates[here].tolist(), instance.coordinates[there].tolist()
        plain = math.hypot(x1 - x2, y1 - y2)
    if instance.rounding == "round":
        return math.floor(plain + 0.5)
    if instance.rounding == "trunc":
        return math.floor(plain)
    if instance.rounding == "dimacs":
        return math.floor(10 * plain + 1e-9)
    return plain


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
    scale = _scale(instance)
    violations = []
    windows, service = instance.windows[stops].tolist(), instance.service[stops].tolist()
    allowed = time_tolerance(windows[0][0] * scale, instance.windows[stops, 1] * scale).tolist()
    leave = _time(windows[0][0], scale)
    for stop, distance in enumerate(distances, start=1):
        place = stops[stop]
        opens, closes = (_time(limit, scale) for limit in windows[stop])
        start = max(opens, leave + distance)
        late = (start - closes) / scale
        if start - closes > allowed[stop]:
            where = f"customer {place}" if place else "the depot"
            sentence = (
                f"Route {number} reaches {where} at {start / scale:g}, {late:g} after it closes at {closes / scale:g}."
            )
            kind = "window" if place else "depot"
            violations.append(Violation(kind, number, place or None, late, sentence))
        leave = start + _time(service[stop], scale)
    return violations


def _time(value: float, scale: int) -> float:
    """A time of the file in scaled units: as it stands, or in tenths, where 1.1 is 11 and not 11.000000000000002."""
    return value if scale == 1 else round(value * scale, 9)


# What the independent checker says of an answer before it is returned.

# A violation of so many tolerances, or a cost that is off by that part, is an error of rounding and not of a search.
ROUNDING = 100
COST = 1e-9


def second_look(instance: Instance, routes: list[list[int]], cost: float) -> tuple[float, bool, list[str]]:
    """The cost, whether all limits hold, and sentences on what does not or is not as the search says.

    An answer that is beyond a limit by rounding alone is as good as any; a sentence says so. Unserved customers are
    none of its business.
    """
    verdict = check(instance, routes)
    broken = [violation for violation in verdict.violations if violation.kind != "missing"]
    grave = [violation for violation in broken if not _by_rounding(instance, violation)]
    warnings = []
    if grave:
        warnings.append(f"the search broke a limit, which is a mistake in an operator or in dac-alns: {grave[0]}")
    elif broken:
        warnings.append(f"the solution is beyond a limit by the rounding of sums: {broken[0]}")
    # The search adds and subtracts distances, so that its costs err by a part of the longest.
    difference = abs(verdict.cost - cost)
    if difference > COST * verdict.cost and difference > COST * _longest(instance):
        warnings.append(
            f"the routes cost {verdict.cost:.10g}, not the {cost:.10g} that the search says, which is a mistake in an "
            "operator or in dac-alns."
        )
    return without_noise(verdict.cost), not grave, warnings


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
