"""The rules of problems that ask for more than a CVRP or VRPTW, each checked from its definition."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from dacalns.instances import Instance
from dacalns.instances.fields import LARGEST
from dacalns.search.measure import scaled
from dacalns.search.route_plan import Figures, Measured, RoutePlan, measure_route, planned
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.tolerance import tolerance

# A violation of so many tolerances, or a cost that is off by that part, is an error of rounding and not of a search.
ROUNDING = 100


@dataclass(frozen=True)
class Breach:
    """One way in which a solution breaks the rules.

    Parameters
    ----------
    kind, route, customer, amount, sentence
        Those of a `Violation`.
    slight
        True if it may come from the rounding of sums.
    """

    kind: str
    route: int | None
    customer: int | None
    amount: float
    sentence: str
    slight: bool = False


@dataclass(frozen=True)
class Verdict:
    """What a solution costs, by parts in file units, and what is wrong with it.

    Parameters
    ----------
    cost
        The sum of the parts.
    cost_parts
        What vehicles, distance, duration, overtime and missed prizes cost.
    breaches
        What is wrong.
    left_out
        The customers that no route visits, and that may be left out; of a group that is visited, none.
    lost_priority
        The sum of the priorities of all that may be left out and are, members of visited groups included.
    """

    cost: float
    cost_parts: dict[str, float]
    breaches: list[Breach]
    left_out: list[int]
    lost_priority: float


def types_of(instance: Instance, routes: Sequence[Sequence[int]], types: Sequence[int] | None) -> list[int]:
    """Return the vehicle type of each route.

    Raises
    ------
    InputError
        When they do not fit the routes, or are left out though there are several.
    """
    count = len(instance.types)
    if types is None:
        if count > 1:
            raise InputError(
                f"types is None, and {instance.name} has {count} vehicle types; expected the number of one for each "
                "route; give them, such as those of Result.vehicle_types."
            )
        return [0] * len(routes)
    given = [*types]
    if len(given) != len(routes):
        raise InputError(f"types has {len(given)} entries, and there are {len(routes)} routes; expected one for each.")
    for kind in given:
        if not (isinstance(kind, int) or hasattr(kind, "__index__")) or not 0 <= kind < count:
            raise InputError(
                f"types has {shown(kind)}; expected the number of a vehicle type, from 0 to {count - 1}; correct it."
            )
    return [int(kind) for kind in given]


def measured_routes(
    instance: Instance, tours: Sequence[list[int]], kinds: Sequence[int], figures: Figures
) -> list[Measured]:
    """Measure the routes of a solution, without what is neither a customer nor a depot."""
    measured = []
    for number, (tour, kind) in enumerate(zip(tours, kinds, strict=True), start=1):
        known = [node for node in tour if 0 <= node < instance.depots + instance.customers]
        if any(node >= instance.depots for node in known):
            measured.append(measure_route(figures, number, known, kind))
    return measured


def plans_of(instance: Instance, tours: Sequence[list[int]], kinds: Sequence[int]) -> list[RoutePlan]:
    """Return what each route does."""
    figures = Figures(instance)
    return [planned(each, figures.scale) for each in measured_routes(instance, tours, kinds, figures)]


def rich_verdict(instance: Instance, tours: Sequence[list[int]], kinds: Sequence[int]) -> Verdict:
    """Measure a solution and look for breaches of every rule.

    Parameters
    ----------
    instance
        The problem.
    tours
        The routes, none of them without customers.
    kinds
        The vehicle type of each.
    """
    figures = Figures(instance)
    measured = measured_routes(instance, tours, kinds, figures)
    visited = {node for tour in tours for node in tour}
    left_out = [node for node in instance.customer_nodes if node not in visited]
    parts = {
        part: math.fsum(route.costs[part] for route in measured)
        for part in ("fixed", "distance", "duration", "overtime")
    }
    parts["prizes"] = math.fsum(figures.prizes[node] for node in left_out)
    free = _free(instance)
    breaches = [*_visits(instance, tours), *_missing(instance, left_out, free), *_groups(instance, tours)]
    breaches += _pairs(figures, tours)
    for route in measured:
        for rule in (*RULES, *OTHER_RULES):
            breaches += rule(figures, route)
    breaches += _fleet(figures, kinds)
    optional = [node for node in left_out if node in free]
    served = {node for group in instance.groups if not visited.isdisjoint(group.customers) for node in group.customers}
    lost = [] if instance.priorities is None else [float(instance.priorities[node]) for node in optional]
    return Verdict(
        cost=math.fsum(parts.values()) / figures.scale,
        cost_parts={part: cost / figures.scale for part, cost in parts.items()},
        breaches=breaches,
        left_out=[node for node in optional if node not in served],
        lost_priority=math.fsum(lost),
    )


def largest_terms(instance: Instance) -> float:
    """A number that the single terms of a cost do not exceed, distances and durations aside, in file units."""
    fixed = max(vehicle.fixed_cost for vehicle in instance.types)
    return float(fixed if instance.prizes is None else max(fixed, instance.prizes.max()))


def saved_by_lateness(instance: Instance, kinds: Sequence[int]) -> float:
    """What routes cost less at most, in file units, if all begin as much too late as the tolerance allows."""
    unit = instance.scale
    ends = [each.tw_late for each in instance.types]
    ends += [] if instance.windows is None else instance.windows.ravel().tolist()
    latest = max((end for end in ends if end < LARGEST), default=0.0)
    vehicles = [instance.types[kind] for kind in kinds]
    rates = math.fsum(each.unit_duration_cost + each.unit_overtime_cost for each in vehicles)
    return rates * float(tolerance(float(latest * unit))) / unit


# Who is visited.


def _visits(instance: Instance, tours: Sequence[list[int]]) -> Iterator[Breach]:
    first, last = instance.depots, instance.depots + instance.customers - 1
    first_route: dict[int, int] = {}
    for number, tour in enumerate(tours, start=1):
        for node in tour:
            if not 0 <= node <= last:
                sentence = f"Route {number} visits {node}; customers are {first} to {last}."
                yield Breach("unknown", number, node, 1.0, sentence)
            elif node in first_route:
                sentence = f"Route {number} visits customer {node}, whom route {first_route[node]} visits too."
                yield Breach("duplicate", number, node, 1.0, sentence)
            elif node >= first:
                first_route[node] = number


def _free(instance: Instance) -> set[int]:
    """The customers who may be left out, by themselves or because one of their group is enough."""
    free = {node for group in instance.groups for node in group.customers}
    if instance.optional is not None:
        free |= {node for node, optional in enumerate(instance.optional.tolist()) if optional}
    return free


def _missing(instance: Instance, left_out: Sequence[int], free: set[int]) -> Iterator[Breach]:
    pairs = [] if instance.pairs is None else instance.pairs.tolist()
    partners = {one: other for pickup, delivery in pairs for one, other in ((pickup, delivery), (delivery, pickup))}
    missed = set(left_out)
    for node in left_out:
        torn = node in partners and partners[node] not in missed
        if not torn and node not in free:
            yield Breach("missing", None, node, 1.0, f"No route visits customer {node}.")
    for group in instance.groups:
        if group.required and missed.issuperset(group.customers):
            sentence = f"No route visits any customer of the group {_listed(group.customers)}."
            yield Breach("missing", None, None, 1.0, sentence)


def _groups(instance: Instance, tours: Sequence[list[int]]) -> Iterator[Breach]:
    group_of = {node: number for number, group in enumerate(instance.groups) for node in group.customers}
    chosen: dict[int, int] = {}
    for number, tour in enumerate(tours, start=1):
        for node in tour:
            if node in group_of and (first := chosen.setdefault(group_of[node], node)) != node:
                sentence = (
                    f"Route {number} visits customer {node}, but customer {first} of the same group is visited already."
                )
                yield Breach("group", number, node, 1.0, sentence)


def _pairs(figures: Figures, tours: Sequence[list[int]]) -> Iterator[Breach]:
    places: dict[int, tuple[int, int, int]] = {}
    for number, tour in enumerate(tours, start=1):
        trip = 0
        for at, node in enumerate(tour):
            trip += 0 <= node < figures.instance.depots
            places.setdefault(node, (number, trip, at))
    for pickup, delivery in figures.delivery_of.items():
        if pickup not in places and delivery not in places:
            continue
        for one, other in ((pickup, delivery), (delivery, pickup)):
            if other not in places:
                number = places[one][0]
                sentence = f"Route {number} visits customer {one}, but none visits customer {other} of the same pair."
                yield Breach("pair", number, one, 1.0, sentence)
        if pickup in places and delivery in places:
            (first, trip, at), (second, other_trip, later) = places[pickup], places[delivery]
            wrong = (
                f"route {first} visits customer {pickup} of the same pair"
                if first != second
                else f"customer {pickup} of the same pair comes after it"
                if later < at
                else f"a reload parts it from customer {pickup} of the same pair"
                if trip != other_trip
                else ""
            )
            if wrong:
                sentence = f"Route {second} visits customer {delivery}, but {wrong}."
                yield Breach("pair", second, delivery, 1.0, sentence)


# What a route may do.


def _loads(figures: Figures, route: Measured) -> Iterator[Breach]:
    for dimension, (load, capacity) in enumerate(zip(route.loads, route.vehicle.capacity, strict=False)):
        excess = load - capacity
        slack = float(tolerance(float(capacity)))
        if excess > slack:
            where = f" in dimension {dimension}" if figures.dimensions > 1 else ""
            sentence = (
                f"Route {route.number} carries {load:g}{where}, {excess:g} more than the capacity of {capacity:g}."
            )
            yield Breach("capacity", route.number, None, excess, sentence, excess <= ROUNDING * slack)


def _times(figures: Figures, route: Measured) -> Iterator[Breach]:
    """Every visit that starts later than it may; nobody is late who need not be."""
    unit, schedule = figures.scale, route.schedule
    day = abs(route.visits[0].earliest)
    for at, place in enumerate(route.places):
        start, visit = schedule.starts[at], route.visits[at]
        late, closes = schedule.after_closing[at], visit.windows[-1][1]
        slack = float(tolerance(max(day, abs(closes))))
        if late > slack:
            where = _place(figures, place)
            customer = None if place is None or place < figures.instance.depots else place
            done = "leaves" if at == 0 else "reaches"
            sentence = (
                f"Route {route.number} {done} {where} at {start / unit:g}, {late / unit:g} after it closes at "
                f"{closes / unit:g}."
            )
            kind = "depot" if customer is None else "window"
            yield Breach(kind, route.number, customer, late / unit, sentence, late <= ROUNDING * slack)
        late, latest = schedule.after_latest[at], visit.latest
        slack = float(tolerance(max(day, abs(latest))))
        if late > slack:
            done, limit = ("starts", "start") if at == 0 else ("ends", "end")
            sentence = (
                f"Route {route.number} {done} at {start / unit:g}, {late / unit:g} after the latest {limit} of vehicle "
                f"type {route.kind} at {latest / unit:g}."
            )
            yield Breach("shift", route.number, None, late / unit, sentence, late <= ROUNDING * slack)


def _limits(figures: Figures, route: Measured) -> Iterator[Breach]:
    unit, vehicle = figures.scale, route.vehicle
    longest = scaled(vehicle.shift_duration, unit) + scaled(vehicle.max_overtime, unit)
    duration = route.schedule.duration
    end = abs(route.schedule.departures[-1])
    overtime = " with overtime" if vehicle.max_overtime else ""
    yield from _limit(figures, route, "duration", f"takes {{}}{overtime}", duration, longest, end)
    yield from _limit(figures, route, "distance", "is {} long", route.distance, scaled(vehicle.max_distance, unit), 0)
    stops = sum(node >= figures.instance.depots for node in route.nodes)
    if stops > vehicle.max_stops:
        sentence = (
            f"Route {route.number} has {stops} customers, {stops - vehicle.max_stops:g} more than the "
            f"{vehicle.max_stops:g} of vehicle type {route.kind}."
        )
        yield Breach("stops", route.number, None, stops - vehicle.max_stops, sentence)


def _limit(
    figures: Figures, route: Measured, kind: str, words: str, value: float, limit: float, size: float
) -> Iterator[Breach]:
    """A breach if a value is over its limit; ``size`` is that of the numbers of which the value is a difference."""
    excess = value - limit
    slack = float(tolerance(max(float(limit), float(size))))
    if excess > slack:
        unit = figures.scale
        said = words.format(f"{value / unit:g}")
        sentence = (
            f"Route {route.number} {said}, {excess / unit:g} more than the {limit / unit:g} of vehicle type "
            f"{route.kind}."
        )
        yield Breach(kind, route.number, None, excess / unit, sentence, excess <= ROUNDING * slack)


def _restrictions(figures: Figures, route: Measured) -> Iterator[Breach]:
    allowed = route.vehicle.allowed_customers
    if allowed is None:
        return
    known = set(allowed)
    for node in route.nodes:
        if node >= figures.instance.depots and node not in known:
            sentence = f"Route {route.number} visits customer {node}, whom vehicle type {route.kind} may not serve."
            yield Breach("restriction", route.number, node, 1.0, sentence)


def _reloads(figures: Figures, route: Measured) -> Iterator[Breach]:
    reloads = [node for node in route.nodes if node < figures.instance.depots]
    for depot, _ in groupby(sorted(reloads)):
        if depot not in route.vehicle.reload_depots:
            sentence = f"Route {route.number} reloads at depot {depot}, which vehicle type {route.kind} may not."
            yield Breach("reload", route.number, None, float(reloads.count(depot)), sentence)
    excess = len(reloads) - route.vehicle.max_reloads
    if excess > 0:
        sentence = (
            f"Route {route.number} reloads {len(reloads)} times, {excess:g} more than the "
            f"{route.vehicle.max_reloads:g} of vehicle type {route.kind}."
        )
        yield Breach("reload", route.number, None, excess, sentence)


def _backhauls(figures: Figures, route: Measured) -> Iterator[Breach]:
    """On each trip, those who only collect come last; a customer without goods counts as a delivery."""
    if not figures.instance.backhauls_last:
        return
    depots = figures.instance.depots
    trips = [[*nodes] for reload, nodes in groupby(route.nodes, lambda node: node < depots) if not reload]
    for trip in trips:
        collects = [any(figures.pickups[node]) for node in trip]
        if all(collects):
            sentence = f"Route {route.number} only collects; expected at least one delivery before."
            if len(trips) > 1:
                sentence = f"Route {route.number} only collects on a trip; expected at least one delivery before."
            yield Breach("backhaul", route.number, None, 1.0, sentence)
        for at, node in enumerate(trip):
            if not collects[at] and any(collects[:at]):
                before = trip[collects.index(True)]
                sentence = f"Route {route.number} delivers to customer {node} after its pickup at customer {before}."
                yield Breach("backhaul", route.number, node, 1.0, sentence)


# What holds for a route by itself. Of the first, `open_places` measures what one more customer changes; it takes the
# others from here, and measures the whole route for that.
RULES = (_loads, _times, _limits, _restrictions, _reloads, _backhauls)
OTHER_RULES: tuple[Callable[[Figures, Measured], Iterator[Breach]], ...] = ()


def route_breaches(figures: Figures, route: Measured) -> list[Breach]:
    """Return what is wrong with a route by itself."""
    found = [*_pairs(figures, [route.nodes])]
    for rule in (*RULES, *OTHER_RULES):
        found += rule(figures, route)
    return found


def _fleet(figures: Figures, kinds: Sequence[int]) -> Iterator[Breach]:
    for kind, vehicle in enumerate(figures.vehicles):
        used, available = kinds.count(kind), vehicle.num_available
        if available is not None and used > available:
            excess = used - available
            which = f" of vehicle type {kind}" if len(figures.vehicles) > 1 else ""
            sentence = f"The solution has {used} routes{which}, {excess} more than the fleet of {available}."
            yield Breach("fleet", None, None, float(excess), sentence)


def _place(figures: Figures, place: int | None) -> str:
    if place is None:
        return "its end"
    if place >= figures.instance.depots:
        return f"customer {place}"
    return "the depot" if figures.instance.depots == 1 else f"depot {place}"


def _listed(customers: Sequence[int]) -> str:
    shortened = [str(customer) for customer in customers[:8]]
    return ", ".join(shortened) + (", …" if len(customers) > 8 else "")
