"""The places of an answer where a customer could be served: what stands in the way there, and what it would cost."""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dacalns.instances import Instance
from dacalns.instances.fields import LARGEST
from dacalns.search.measure import distance, driving_time, scaled
from dacalns.search.rich_checker import OTHER_RULES
from dacalns.search.route_plan import Figures, Measured, measure_route
from dacalns.search.schedule import Visit, begin, best_schedule
from dacalns.util.tolerance import tolerance

# The numbers and the schedules are those of the independent checker, and so are the rules; nothing comes from the
# search. The checker measures whole routes. There are many places, so only what a customer changes is measured here,
# and a test compares each place with the checker.

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

Inserted = tuple[tuple[int, int], ...]
"""Nodes, each with the index in the route's nodes before which it comes; in their order."""

LEAST = 4
"""At least so many places of routes are tried for everybody."""

# Microseconds, more or less, that it takes to try a place, and for each visit of its route: where there are times to
# keep, where the best departure must be found besides, and where the whole route is measured.
PLACE, TIMED_VISIT, PLANNED_VISIT, MEASURED_VISIT = 15.0, 1.0, 10.0, 20.0


class Obstacle(NamedTuple):
    """What stands in the way at a place.

    Parameters
    ----------
    amount
        By how much a limit is exceeded, in file units; 1 where nothing is measured.
    part
        The same as a part of the limit, or of the day where somebody is too late; infinity where nothing is measured.
    limit
        The limit, in file units.
    where
        The node at which the vehicle is too late, or the load dimension; None for the end of a route.
    """

    amount: float
    part: float
    limit: float = 0.0
    where: int | None = None


UNMEASURED = Obstacle(1.0, math.inf)


@dataclass(frozen=True)
class Attempt:
    """What comes of serving somebody at a place.

    Parameters
    ----------
    route
        The route, counted from 1; None for a new one.
    vehicle_type
        The number of its vehicle type.
    inserted
        The nodes that are inserted, a reload among them where they get a trip of their own.
    obstacles
        What stands in the way, by the kinds of a `Violation`.
    longer
        By how much the routes become longer, in file units.
    cost
        What the routes cost more, in file units; None where something stands in the way.
    """

    route: int | None
    vehicle_type: int
    inserted: Inserted
    obstacles: dict[str, Obstacle]
    longer: float
    cost: float | None

    @property
    def shortfall(self) -> float:
        """How far it is from being feasible: infinitely far where that cannot be measured."""
        return math.fsum(obstacle.part for obstacle in self.obstacles.values())


class _Course:
    """A route of the answer: what it does now, by visits; the first is the start, the last is the end."""

    def __init__(self, number: int, measured: Measured, depots: int) -> None:
        self.number, self.kind, self.vehicle = number, measured.kind, measured.vehicle
        self.nodes, self.places, self.visits = measured.nodes, measured.places, measured.visits
        self.distance, self.overtime = measured.distance, measured.overtime
        self.duration = measured.schedule.duration
        self.cost = math.fsum(measured.costs.values())
        self.stops = sum(node >= depots for node in self.nodes)
        self.starts = _earliest_starts(self.visits)
        self.on_board = [[*amounts] for amounts in zip(*measured.on_board, strict=True)]
        # The visits where the trip begins and ends to which a node before each node, or before the end, belongs.
        borders = [0, *(at + 1 for at, node in enumerate(self.nodes) if node < depots), len(self.visits) - 1]
        self.trips = [trip for trip in pairwise(borders) for _ in range(trip[1] - trip[0])]


def _earliest_starts(visits: Sequence[Visit]) -> list[float]:
    starts: list[float] = []
    day = visits[0].earliest
    for number, visit in enumerate(visits):
        reached = visit.earliest
        if number:
            reached = max(reached, starts[-1] + visits[number - 1].service + visit.travel)
        starts.append(begin(visit, reached, day))
    return starts


class _Lateness:
    """Who is too late on a route, and where most.

    Parameters
    ----------
    places
        What knows the instance.
    day
        The earliest start of the route.
    """

    def __init__(self, places: "OpenPlaces", day: float) -> None:
        self._places, self._day = places, abs(day)
        self.obstacles: dict[str, Obstacle] = {}

    def note(self, place: int | None, visit: Visit, after_closing: float, after_latest: float) -> None:
        """Note by how much a visit is too late."""
        if after_closing > 0:
            at_customer = place is not None and place >= self._places.instance.depots
            self._add("window" if at_customer else "depot", after_closing, visit.windows[-1][1], place)
        if after_latest > 0:
            self._add("shift", after_latest, visit.latest, place)

    def _add(self, kind: str, late: float, limit: float, place: int | None) -> None:
        if late > tolerance(max(self._day, abs(float(limit)))):
            unit = self._places.unit
            if kind not in self.obstacles or late / unit > self.obstacles[kind].amount:
                self.obstacles[kind] = Obstacle(late / unit, late / self._places.day, limit / unit, place)


class OpenPlaces:
    """All places of an answer where somebody who is not served could be.

    A place is before or behind a customer of a route, a trip of one's own where the vehicle may reload, or a new route
    of a vehicle type of which there is another vehicle.

    Parameters
    ----------
    instance
        The problem.
    routes, types
        The answer.
    """

    def __init__(self, instance: Instance, routes: Sequence[Sequence[int]], types: Sequence[int]) -> None:
        self.instance = instance
        self._routes, self._kinds = [[*route] for route in routes], [*types]
        self._figures = Figures(instance)
        self.unit = self._figures.scale
        self._courses: dict[int, _Course] = {}
        self._lengths: dict[tuple[int, int | None, int | None], float] = {}
        self._times: dict[tuple[int, int | None, int | None], float] = {}
        self._allowed = [
            None if vehicle.allowed_customers is None else frozenset(vehicle.allowed_customers)
            for vehicle in instance.types
        ]
        self._farthest = [scaled(vehicle.max_distance, self.unit) for vehicle in instance.types]
        self._longest = [
            scaled(vehicle.shift_duration, self.unit) + scaled(vehicle.max_overtime, self.unit)
            for vehicle in instance.types
        ]
        used = [self._kinds.count(kind) for kind in range(len(instance.types))]
        #: the vehicle types of which there is no other vehicle
        self.exhausted = [
            kind
            for kind, vehicle in enumerate(instance.types)
            if vehicle.num_available is not None and used[kind] >= vehicle.num_available
        ]
        self._free = [kind for kind in range(len(instance.types)) if kind not in self.exhausted]
        clock = instance.windows is not None or instance.releases is not None
        self._timed = [clock or vehicle.tw_late < LARGEST for vehicle in instance.types]

    # Which places there are.

    def count(self, nodes: Sequence[int]) -> int:
        """The number of places for a customer, or for a pair."""
        return self._ways_in(nodes) + self._trips + len(self._free)

    @cached_property
    def _trips(self) -> int:
        """The number of trips of one's own that there could be."""
        return sum(1 for route in range(len(self._routes)) for _ in self._new_trips(route, ()))

    def _ways_in(self, nodes: Sequence[int]) -> int:
        gaps = [len(route) + 1 for route in self._routes]
        return sum(gap * (gap + 1) // 2 for gap in gaps) if len(nodes) > 1 else sum(gaps)

    @cached_property
    def effort(self) -> float:
        """Microseconds, more or less, that it takes to try a place."""
        total, gaps = PLACE, 1
        for route, kind in zip(self._routes, self._kinds, strict=True):
            vehicle, visits = self.instance.types[kind], len(route) + 2
            limited = math.isfinite(vehicle.shift_duration + vehicle.max_overtime)
            planned = limited or vehicle.unit_duration_cost or vehicle.unit_overtime_cost
            each = (PLANNED_VISIT if planned else TIMED_VISIT) if self._timed[kind] else 0.0
            each += MEASURED_VISIT * len(OTHER_RULES)
            total += (len(route) + 1) * (PLACE + each * visits)
            total += 2 * len(vehicle.reload_depots) * MEASURED_VISIT * visits
            gaps += len(route) + 1
        return total / gaps

    def attempts(self, nodes: Sequence[int], most: int) -> Iterator[Attempt]:
        """Try a customer, or a pair, at every place, or at those where it is the least way round.

        Parameters
        ----------
        nodes
            The customer, or the pickup and the delivery.
        most
            The most places to try in trips that there are, but at least `LEAST`. Of others, which take longer, there
            are fewer if these are more.
        """
        most = max(most, LEAST)
        chosen = [*self._chosen(nodes, most)]
        for route, inserted in chosen:
            yield self._attempt(route, inserted)
        routes = dict.fromkeys(route for route, _ in chosen)
        trips = ((route, inserted) for route in routes for inserted in self._new_trips(route, nodes))
        everything = len(chosen) == self._ways_in(nodes)
        for route, inserted in islice(trips, None if everything else most // 10):
            yield self._attempt(route, inserted)
        for kind in self._free if everything else self._free[:most]:
            yield self._new_route(kind, nodes)

    def alone(self, nodes: Sequence[int], *, without_windows: bool = False) -> list[Attempt]:
        """Try a customer, or a pair, in an empty vehicle of each type, whether there is another one or not.

        With ``without_windows``, as if these nodes could be visited at any time.
        """
        known = self._figures.windows
        if without_windows:
            self._figures.windows = [*known]
            for node in nodes:
                self._figures.windows[node] = ((0.0, math.inf),)
        try:
            return [self._new_route(kind, nodes) for kind in range(len(self.instance.types))]
        finally:
            self._figures.windows = known

    def _chosen(self, nodes: Sequence[int], most: int) -> Iterator[tuple[int, Inserted]]:
        """The routes and places where it is the least way round, of equals the first."""
        if len(nodes) == 1:
            for arc in self._nearest(nodes[0], most).tolist():
                yield self._owners[arc], ((self._ats[arc], nodes[0]),)
            return
        if self._ways_in(nodes) <= most:
            for route, old in enumerate(self._routes):
                for at in range(len(old) + 1):
                    for later in range(at, len(old) + 1):
                        yield route, ((at, nodes[0]), (later, nodes[1]))
            return
        pickup, delivery = (self._detours(node) for node in nodes)
        together = self._detours_together(*nodes)
        near: dict[int, list[int]] = {}
        for arc in self._nearest(nodes[1], most).tolist():
            near.setdefault(self._owners[arc], []).append(arc)
        found = []
        for arc in self._nearest(nodes[0], most).tolist():
            found.append((together[arc], arc, arc))
            behind = [other for other in near.get(self._owners[arc], ()) if other > arc]
            found += [(pickup[arc] + delivery[other], arc, other) for other in behind]
        for _, arc, other in sorted(found)[:most]:
            yield self._owners[arc], ((self._ats[arc], nodes[0]), (self._ats[other], nodes[1]))

    def _new_trips(self, route: int, nodes: Sequence[int]) -> Iterator[Inserted]:
        """A trip of one's own: before the others of a route, or behind any of them."""
        old = self._routes[route]
        for depot in self.instance.types[self._kinds[route]].reload_depots:
            yield *((0, node) for node in nodes), (0, depot)
            for at in [*(at for at, node in enumerate(old) if node < self.instance.depots), len(old)]:
                yield ((at, depot), *((at, node) for node in nodes))

    # How far it is round by each place: only to choose among many, so distances may be those of the search.

    @cached_property
    def _arcs(self) -> list[tuple[int, int, int | None, int | None]]:
        """The route, the index and the nodes before and behind of each place between two nodes."""
        arcs = []
        for number, (route, kind) in enumerate(zip(self._routes, self._kinds, strict=True)):
            vehicle = self.instance.types[kind]
            ends = [vehicle.start_depot, *route, vehicle.end_depot]
            arcs += [(number, at, here, there) for at, (here, there) in enumerate(pairwise(ends))]
        return arcs

    @cached_property
    def _owners(self) -> list[int]:
        return [route for route, _, _, _ in self._arcs]

    @cached_property
    def _ats(self) -> list[int]:
        return [at for _, at, _, _ in self._arcs]

    @cached_property
    def _ends(self) -> tuple[IntArray, IntArray]:
        """The nodes before and behind each place, -1 for none."""
        before = [-1 if here is None else here for _, _, here, _ in self._arcs]
        behind = [-1 if there is None else there for _, _, _, there in self._arcs]
        return np.array(before, dtype=np.int64), np.array(behind, dtype=np.int64)

    @cached_property
    def _arcs_of_profiles(self) -> list[tuple[int, IntArray]]:
        """The places on routes whose vehicle types have a profile."""
        found: dict[int, list[int]] = {}
        for arc, route in enumerate(self._owners):
            found.setdefault(self.instance.types[self._kinds[route]].profile, []).append(arc)
        return [(profile, np.array(arcs, dtype=np.int64)) for profile, arcs in found.items()]

    @cached_property
    def _arc_lengths(self) -> FloatArray:
        return np.array([self._length(self._kinds[route], here, there) for route, _, here, there in self._arcs])

    def _ways(self, node: int) -> tuple[FloatArray, FloatArray]:
        """The distance to a node from the one before each place, and from it to the one behind."""
        instance, (before, behind) = self.instance, self._ends
        there, back = np.zeros(len(before)), np.zeros(len(before))
        for profile, arcs in self._arcs_of_profiles:
            if profile and instance.profiles[profile - 1].distances is not None:
                matrix = instance.distances_of(profile)
                to_node, from_node = matrix[:, node], matrix[node]
            else:
                from_node = instance.distances_from(node)
                to_node = from_node if instance.symmetric else instance.distances_to(node)
            there[arcs], back[arcs] = to_node[before[arcs]], from_node[behind[arcs]]
        there[before < 0] = back[behind < 0] = 0.0
        return there, back

    def _detours(self, node: int) -> FloatArray:
        there, back = self._ways(node)
        detours: FloatArray = there + back - self._arc_lengths
        return detours

    def _detours_together(self, pickup: int, delivery: int) -> FloatArray:
        between = self._length(self._kinds[0], pickup, delivery) if self._kinds else 0.0
        detours: FloatArray = self._ways(pickup)[0] + between + self._ways(delivery)[1] - self._arc_lengths
        return detours

    def _nearest(self, node: int, most: int) -> IntArray:
        """The places where it is the least way round; of equals the first, on every processor."""
        if most >= len(self._arcs):
            return np.arange(len(self._arcs))
        detours = self._detours(node)
        last = np.partition(detours, most - 1)[most - 1]
        less, equal = np.flatnonzero(detours < last), np.flatnonzero(detours == last)
        return np.concatenate([less, equal[: most - len(less)]])

    # What comes of it.

    def _attempt(self, route: int, inserted: Inserted) -> Attempt:
        course = self._course(route)
        if self._is_simple(course, inserted):
            return self._small_change(course, inserted)
        nodes = [*course.nodes]
        for shift, (at, node) in enumerate(inserted):
            nodes.insert(at + shift, node)
        return self._whole(course, course.kind, nodes, inserted)

    def _new_route(self, kind: int, nodes: Sequence[int]) -> Attempt:
        return self._whole(None, kind, [*nodes], tuple((0, node) for node in nodes))

    def _course(self, route: int) -> _Course:
        if route not in self._courses:
            measured = measure_route(self._figures, route + 1, self._routes[route], self._kinds[route])
            self._courses[route] = _Course(route + 1, measured, self.instance.depots)
        return self._courses[route]

    def _is_simple(self, course: _Course, inserted: Inserted) -> bool:
        """Whether all are inserted into one trip, no partner of theirs is elsewhere, and there are no other rules."""
        figures, nodes = self._figures, [node for _, node in inserted]
        if (
            OTHER_RULES
            or any(node < self.instance.depots for node in nodes)
            or (len(nodes) == 1 and figures.in_pair(nodes[0]))
        ):
            return False
        return course.trips[inserted[0][0]] == course.trips[inserted[-1][0]]

    def _whole(self, course: _Course | None, kind: int, nodes: list[int], inserted: Inserted) -> Attempt:
        """Measure a whole route, as the checker does."""
        figures, depots = self._figures, self.instance.depots
        measured = measure_route(figures, 1, nodes, kind)
        schedule = measured.schedule
        obstacles = dict(self._overloads(kind, measured.loads))
        late = _Lateness(self, measured.visits[0].earliest)
        for place, visit, *too_late in zip(
            measured.places, measured.visits, schedule.after_closing, schedule.after_latest, strict=True
        ):
            late.note(place, visit, *too_late)
        obstacles |= late.obstacles
        reloads = sum(node < depots for node in nodes)
        end = abs(schedule.departures[-1])
        obstacles |= self._limits(kind, measured.distance, schedule.duration, end, len(nodes) - reloads)
        obstacles |= self._orders(kind, nodes, inserted)
        if reloads > measured.vehicle.max_reloads:
            obstacles["reload"] = UNMEASURED
        broken = (breach for rule in OTHER_RULES for breach in rule(figures, measured))
        obstacles |= {breach.kind: UNMEASURED._replace(amount=breach.amount) for breach in broken}
        more, longer = math.fsum(measured.costs.values()), measured.distance
        if course is not None:
            more, longer = more - course.cost, longer - course.distance
        number, cost = None if course is None else course.number, None if obstacles else more / self.unit
        return Attempt(number, kind, inserted, obstacles, longer / self.unit, cost)

    def _small_change(self, course: _Course, inserted: Inserted) -> Attempt:
        """Measure what changes if nodes are inserted into one trip of a route."""
        vehicle, kind = course.vehicle, course.kind
        obstacles = dict(self._overloads(kind, self._loads_with(course, inserted)))
        longer, slower = self._detour(course, inserted)
        nodes = course.nodes
        if self.instance.backhauls_last:
            nodes = [*course.nodes]
            for shift, (at, node) in enumerate(inserted):
                nodes.insert(at + shift, node)
        obstacles |= self._orders(kind, nodes, inserted)
        limit = self._longest[kind]
        rates = bool(vehicle.unit_duration_cost or vehicle.unit_overtime_cost)
        duration = course.duration + slower
        end, visits = abs(course.starts[-1] + slower), course.visits
        if self._timed[kind]:
            late, visits, shortest = self._times_with(course, inserted)
            obstacles |= late.obstacles
            # No duration is longer than that of the earliest departure.
            duration = shortest
            if shortest > limit or (rates and not obstacles):
                schedule = best_schedule(visits)
                duration, end = schedule.duration, abs(schedule.departures[-1])
        stops = course.stops + len(inserted)
        obstacles |= self._limits(kind, course.distance + longer, duration, end, stops)
        more = vehicle.unit_distance_cost * longer
        if rates:
            overtime = max(0.0, duration - scaled(vehicle.shift_duration, self.unit))
            more += vehicle.unit_duration_cost * (duration - course.duration)
            more += vehicle.unit_overtime_cost * (overtime - course.overtime)
        cost = None if obstacles else more / self.unit
        return Attempt(course.number, kind, inserted, obstacles, longer / self.unit, cost)

    # Rules.

    def _overloads(self, kind: int, loads: Sequence[float]) -> Iterator[tuple[str, Obstacle]]:
        """The dimension of which there is too much, as a part of its capacity."""
        worst = None
        for dimension, (load, capacity) in enumerate(zip(loads, self.instance.types[kind].capacity, strict=False)):
            excess = load - capacity
            if excess > 0 and excess > tolerance(float(capacity)):
                part = excess / capacity if capacity else math.inf
                if worst is None or part > worst.part:
                    worst = Obstacle(excess, part, capacity, dimension)
        if worst is not None:
            yield "capacity", worst

    def _limits(self, kind: int, length: float, duration: float, end: float, stops: int) -> dict[str, Obstacle]:
        """What is too much for a route as a whole; ``end`` is when it ends."""
        vehicle, unit = self.instance.types[kind], self.unit
        found = {}
        longest, farthest = self._longest[kind], self._farthest[kind]
        for name, value, limit, size in (("duration", duration, longest, end), ("distance", length, farthest, 0.0)):
            excess = value - limit
            if excess > 0 and excess > tolerance(max(float(limit), float(size))):
                found[name] = Obstacle(excess / unit, excess / limit if limit else math.inf, limit / unit)
        most = vehicle.max_stops
        if stops > most:
            found["stops"] = Obstacle(stops - most, (stops - most) / most if most else math.inf, most)
        return found

    def _orders(self, kind: int, nodes: Sequence[int], inserted: Inserted) -> dict[str, Obstacle]:
        """Who may be served by whom, and in which order."""
        found = {}
        allowed, new = self._allowed[kind], [node for _, node in inserted]
        if allowed is not None and not allowed.issuperset(node for node in new if node >= self.instance.depots):
            found["restriction"] = UNMEASURED
        if self.instance.backhauls_last and not self._deliveries_first(nodes):
            found["backhaul"] = UNMEASURED
        if self._figures.delivery_of and any(self._is_torn(nodes, node) for node in new):
            found["pair"] = UNMEASURED
        return found

    def _deliveries_first(self, nodes: Sequence[int]) -> bool:
        depots = self.instance.depots
        for reload, trip in groupby(nodes, lambda node: node < depots):
            collects = [] if reload else [any(self._figures.pickups[node]) for node in trip]
            if collects and (collects[0] or collects != sorted(collects)):
                return False
        return True

    def _is_torn(self, nodes: Sequence[int], node: int) -> bool:
        """Whether a node of a pair is not on one trip with the other one, in their order; but for small changes."""
        figures = self._figures
        if node not in nodes or not figures.in_pair(node):  # a small change, which keeps pairs together
            return False
        pickup = figures.pickup_of.get(node, node)
        delivery = figures.delivery_of[pickup]
        if pickup not in nodes or delivery not in nodes:
            return True
        first, last = nodes.index(pickup), nodes.index(delivery)
        return last < first or any(each < self.instance.depots for each in nodes[first:last])

    # What a small change changes.

    def _loads_with(self, course: _Course, inserted: Inserted) -> list[float]:
        """The largest load of the trip in each dimension."""
        figures = self._figures
        first, last = course.trips[inserted[0][0]]
        loads = []
        for dimension, on_board in enumerate(course.on_board):
            more = math.fsum(figures.delivered(node)[dimension] for _, node in inserted)
            since, most = first, -math.inf
            for at, node in inserted:
                most = max(most, max(on_board[since : at + 1]) + more)
                more += figures.change(node)[dimension]
                since = at
            loads.append(max(most, max(on_board[since:last]) + more))
        return loads

    def _detour(self, course: _Course, inserted: Inserted) -> tuple[float, float]:
        """How much longer the route becomes, and how much more time driving and service take."""
        kind, longer, slower = course.kind, 0.0, 0.0
        for at, group in groupby(inserted, lambda each: each[0]):
            own = [node for _, node in group]
            before, behind = course.places[at], course.places[at + 1]
            longer -= self._length(kind, before, behind)
            slower -= self._time(kind, before, behind)
            for here, there in pairwise([before, *own, behind]):
                longer += self._length(kind, here, there)
                slower += self._time(kind, here, there)
            slower += sum(self._figures.services[node] for node in own)
        return longer, slower

    def _times_with(self, course: _Course, inserted: Inserted) -> tuple[_Lateness, list[Visit], float]:
        """Who is late, the visits with those inserted, and the time of the route from its earliest departure."""
        figures, kind = self._figures, course.kind
        places, visits = [*course.places], [*course.visits]
        for shift, (at, node) in enumerate(inserted):
            places.insert(at + shift + 1, node)
            visits.insert(at + shift + 1, Visit(windows=figures.windows[node], service=figures.services[node]))
        new = [at + shift + 1 for shift, (at, _) in enumerate(inserted)]
        for index in sorted({*new, *(index + 1 for index in new)}):
            old, travel = visits[index], self._time(kind, places[index - 1], places[index])
            visits[index] = Visit(old.windows, old.earliest, old.latest, old.service, travel)
        first, starts = new[0], course.starts
        released = max(figures.releases[node] for _, node in inserted)
        trip = course.trips[inserted[0][0]][0]
        if released > visits[trip].earliest:
            visits[trip] = dataclasses.replace(visits[trip], earliest=released)
            first = trip
        day = visits[0].earliest
        late = _Lateness(self, day)
        opening = left = starts[0]
        if first:
            left = starts[first - 1] + visits[first - 1].service
        end = starts[-1]
        for index in range(first, len(visits)):
            visit = visits[index]
            reached = max(visit.earliest, left + visit.travel) if index else visit.earliest
            start = begin(visit, reached, day)
            if index == 0:
                opening = start
            if start > visit.windows[-1][1] or start > visit.latest:
                late.note(places[index], visit, start - visit.windows[-1][1], start - visit.latest)
            if index > new[-1] and start == starts[index - len(new)]:
                break
            left = start + visit.service
        else:
            end = start
        return late, visits, end + visits[-1].service - opening

    def _length(self, kind: int, here: int | None, there: int | None) -> float:
        profile = self.instance.types[kind].profile
        key = profile, here, there
        if key not in self._lengths:
            known = here is not None and there is not None
            self._lengths[key] = distance(self.instance, here, there, profile) if known else 0.0  # type: ignore[arg-type]
        return self._lengths[key]

    def _time(self, kind: int, here: int | None, there: int | None) -> float:
        key = kind, here, there
        if key not in self._times:
            vehicle = self.instance.types[kind]
            known = here is not None and there is not None
            self._times[key] = driving_time(self.instance, vehicle, here, there) if known else 0.0  # type: ignore[arg-type]
        return self._times[key]

    @cached_property
    def day(self) -> float:
        """The time from the first opening to the last closing, in scaled units."""
        windows = self._figures.windows
        closes = [each[-1][1] for each in windows]
        closes += [scaled(vehicle.tw_late, self.unit) for vehicle in self.instance.types]
        last = max((limit for limit in closes if limit < LARGEST), default=0.0)
        return max(last - min(each[0][0] for each in windows), 1.0)
