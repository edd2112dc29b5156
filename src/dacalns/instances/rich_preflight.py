"""Reasons why an instance that asks for more than capacity and windows has no solution, each of them a proof.

Every customer, and every pair, is looked at alone: whether a vehicle of any type can carry it, reach it and return from
it. Legs are looked at by themselves first; only where those fail, all ways over other nodes are.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dacalns.instances.fields import FloatArray
from dacalns.instances.instance import Instance
from dacalns.instances.parts import UNLIMITED, VehicleType
from dacalns.util.tolerance import time_tolerance, tolerance
from dacalns.util.values import number_text

BoolArray = npt.NDArray[np.bool_]
FromNode = Callable[[int], FloatArray]

MOST_PAIRS = 50
"""The most pairs for which all ways between the two ends are looked at; further ones are taken to be in time."""

CAPACITY, STOPS, REACH, RETURN, DURATION, DISTANCE = "capacity", "stops", "reach", "return", "duration", "distance"
WHY = {
    CAPACITY: "it is more than they carry",
    STOPS: "their routes have fewer stops than a pair",
    REACH: "they cannot reach it in time",
    RETURN: "they cannot return from it in time",
    DURATION: "it takes longer than their routes may",
    DISTANCE: "it is further than their routes may go",
}
"""What stands between a customer and vehicles, in words that follow "no vehicle can serve it: "."""


def rich_reasons(instance: Instance) -> list[str]:
    """Return reasons why no solution can be feasible, one sentence each."""
    return [*_alone_reasons(instance), *_backhaul_reasons(instance), *_fleet_reasons(instance)]


# Each customer and pair alone.


def _alone_reasons(instance: Instance) -> list[str]:
    """Return who cannot be served by any vehicle, of those who must be."""
    refused = _refused(instance, [_Quick(instance, kind) for kind in instance.scaled_types])
    if not _needed(instance, refused.all_types):
        return []
    kept: Kept = {}
    refused = _refused(instance, [_Thorough(instance, kind, kept) for kind in instance.scaled_types])
    return _needed(instance, refused.all_types, refused)


@dataclass
class _Refused:
    """Which nodes vehicles of each type cannot serve, and why; a pair is told at its pickup."""

    not_allowed: list[BoolArray]
    why: list[dict[str, BoolArray]]

    @property
    def all_types(self) -> BoolArray:
        """True for nodes that no type can serve."""
        each = [
            shut | np.logical_or.reduce([*why.values()]) for shut, why in zip(self.not_allowed, self.why, strict=True)
        ]
        together: BoolArray = np.logical_and.reduce(each)
        return together

    def words(self, node: int) -> str:
        """Return why no type can serve a node."""
        kinds = [
            next(name for name, which in why.items() if which[node])
            for shut, why in zip(self.not_allowed, self.why, strict=True)
            if not shut[node]
        ]
        if not kinds:
            return "none of them may"
        return " or ".join(WHY[name] for name in dict.fromkeys(kinds))


def _refused(instance: Instance, views: "Iterable[_Quick]") -> _Refused:
    shut, why = [], []
    for view in views:
        allowed = np.ones(len(instance.demands), dtype=np.bool_)
        if view.kind.allowed_customers is not None:
            allowed[:] = False
            allowed[list(view.kind.allowed_customers)] = True
        shut.append(~allowed)
        why.append(view.reasons())
    return _Refused(shut, why)


def _needed(instance: Instance, unserved: BoolArray, refused: _Refused | None = None) -> list[str]:
    """Return a sentence for every customer, pair and group that must be served and is among the unserved."""
    required = instance.required
    partners = {} if instance.pairs is None else dict(instance.pairs.tolist())
    ends = set(partners.values())
    found = []
    for node in np.flatnonzero(unserved & required).tolist():
        if node not in ends:
            name = instance.name_of(node)
            who = (
                f"The pair of {name} and {instance.name_of(partners[node])}" if node in partners else f"Customer {name}"
            )
            found.append(f"{who} can be served by no vehicle: {refused.words(node) if refused else ''}.")
    for number, group in enumerate(instance.groups):
        members = list(group.customers)
        if group.required and unserved[members].all():
            why = refused.words(members[0]) if refused else ""
            first = instance.name_of(members[0])
            found.append(f"No customer of group {number} can be served by any vehicle: of node {first}, {why}.")
    return found


class _Quick:
    """What a vehicle of a type can do with each node alone, by the legs to and from the depots.

    Where distances break the triangle inequality, there may be faster ways than these.
    """

    def __init__(self, instance: Instance, kind: VehicleType) -> None:
        self.instance, self.kind = instance, kind
        self.count = len(instance.demands)

    # What the subclass computes over all ways.

    def times_from(self, node: int) -> FloatArray:
        """Return at least how long it takes from a node to all."""
        return self._duration_row(node)

    def times_to(self, node: int) -> FloatArray:
        """Return at least how long it takes to a node from all."""
        return self._duration_column(node)

    def ways_from(self, node: int) -> FloatArray:
        """Return at least how far it is from a node to all."""
        return self._distance_row(node)

    def ways_to(self, node: int) -> FloatArray:
        """Return at least how far it is to a node from all."""
        return self._distance_column(node)

    # Rows and columns, without matrices where there are none.

    @property
    def _in_plane(self) -> bool:
        instance = self.instance
        return self.kind.profile == 0 and instance.durations is None

    def _duration_row(self, node: int) -> FloatArray:
        instance, profile = self.instance, self.kind.profile
        row = instance.distances_from(node) if self._in_plane else instance.durations_of(profile)[node]
        return row / self.kind.speed

    def _duration_column(self, node: int) -> FloatArray:
        instance, profile = self.instance, self.kind.profile
        column = instance.distances_to(node) if self._in_plane else instance.durations_of(profile)[:, node]
        return column / self.kind.speed

    def _distance_row(self, node: int) -> FloatArray:
        profile = self.kind.profile
        return self.instance.distances_from(node) if not profile else self.instance.distances_of(profile)[node]

    def _distance_column(self, node: int) -> FloatArray:
        profile = self.kind.profile
        return self.instance.distances_to(node) if not profile else self.instance.distances_of(profile)[:, node]

    # Each reason as an array over nodes.

    def reasons(self) -> dict[str, BoolArray]:
        """Return which nodes such vehicles cannot serve, by reason; both ends of a pair are told at its pickup."""
        found = {CAPACITY: self._too_much(), REACH: self._late(), RETURN: self._late_back()}
        found[DURATION] = self._over(self.kind.shift_duration + self.kind.max_overtime, self._durations)
        found[DISTANCE] = self._over(self.kind.max_distance, self._distances)
        pairs = self.instance.pairs
        if pairs is not None:
            for each in found.values():
                each[pairs[:, 0]] |= each[pairs[:, 1]]
            found[STOPS] = np.zeros(self.count, dtype=np.bool_)
            found[STOPS][pairs[:, 0]] = self.kind.max_stops < 2
            found[REACH][pairs[:, 0]] |= self._late_between(pairs)
        return found

    def _too_much(self) -> BoolArray:
        instance, capacity = self.instance, np.array(self.kind.capacity)
        demands = instance.demands.reshape(self.count, -1)
        if not self.kind.reload_depots and self.kind.initial_load and instance.pairs is None:
            some = np.asarray(demands.any(axis=1), dtype=np.float64)
            demands = demands + np.outer(some, self.kind.initial_load)
        over = np.asarray(demands > capacity + tolerance(capacity), dtype=np.bool_)
        if instance.pickups is not None:
            over |= instance.pickups.reshape(self.count, -1) > capacity + tolerance(capacity)
        return np.asarray(over.any(axis=1), dtype=np.bool_)

    @cached_property
    def _opens(self) -> FloatArray:
        windows = self.instance.scaled_windows
        return np.zeros(self.count) if windows is None else windows[:, 0]

    @cached_property
    def _closes(self) -> FloatArray:
        """The end of the last window of each node."""
        windows = self.instance.scaled_windows
        closes = np.full(self.count, np.inf) if windows is None else windows[:, 1].copy()
        for node, _, late in self.instance.scaled_more_windows:
            closes[node] = max(closes[node], late)
        return closes

    @property
    def _timed(self) -> bool:
        kind, instance = self.kind, self.instance
        return instance.windows is not None or kind.tw_late != UNLIMITED

    @cached_property
    def _begins(self) -> float:
        """The earliest departure."""
        start = self.kind.start_depot
        return self.kind.tw_early if start is None else max(self.kind.tw_early, float(self._opens[start]))

    @cached_property
    def _ends(self) -> float:
        """The latest return."""
        end = self.kind.end_depot
        return self.kind.tw_late if end is None else min(self.kind.tw_late, float(self._closes[end]))

    @cached_property
    def _arrivals(self) -> FloatArray:
        """The earliest arrival at each node."""
        kind, instance = self.kind, self.instance
        start, service = kind.start_depot, instance.scaled_service
        if start is None:
            arrivals = np.full(self.count, self._begins)
        else:
            arrivals = self._begins + service[start] + self.times_from(start)
        releases = instance.scaled_releases
        if releases is not None:
            depots = {*([] if start is None else [start]), *kind.reload_depots}
            legs = [self.times_from(depot) for depot in sorted(depots)]
            least = np.zeros(self.count) if start is None or not legs else np.minimum.reduce(legs)
            arrivals = np.maximum(arrivals, np.where(releases > 0, releases + least, 0.0))
        return arrivals

    def _margin(self, limit: FloatArray) -> FloatArray:
        margin: FloatArray = time_tolerance(self._begins, np.where(np.isfinite(limit), limit, 1.0))
        return margin

    def _late(self) -> BoolArray:
        if not self._timed:
            return np.zeros(self.count, dtype=np.bool_)
        late: BoolArray = self._arrivals > self._closes + self._margin(self._closes)
        return late

    def _late_back(self) -> BoolArray:
        if not self._timed or self._ends == UNLIMITED:
            return np.zeros(self.count, dtype=np.bool_)
        end = self.kind.end_depot
        back = self.instance.scaled_service + (0.0 if end is None else self.times_to(end))
        leaves = np.maximum(self._arrivals, self._opens)
        late: BoolArray = leaves + back > self._ends + self._margin(np.full(self.count, self._ends))
        return late

    def _durations(self) -> FloatArray:
        kind, service = self.kind, self.instance.scaled_service
        there = 0.0 if kind.start_depot is None else service[kind.start_depot] + self.times_from(kind.start_depot)
        back = 0.0 if kind.end_depot is None else self.times_to(kind.end_depot)
        # A visit may end after its window, but without a way back the route ends with it.
        total: FloatArray = there + service + back
        return total

    def _distances(self) -> FloatArray:
        kind = self.kind
        there = 0.0 if kind.start_depot is None else self.ways_from(kind.start_depot)
        back = 0.0 if kind.end_depot is None else self.ways_to(kind.end_depot)
        total: FloatArray = np.zeros(self.count) + there + back
        return total

    def _over(self, limit: float, needs: Callable[[], FloatArray]) -> BoolArray:
        if limit == UNLIMITED:
            return np.zeros(self.count, dtype=np.bool_)
        over: BoolArray = needs() > limit + float(tolerance(limit))
        return over

    def _late_between(self, pairs: npt.NDArray[np.int64]) -> BoolArray:
        """Return which pairs cannot be delivered in time after their pickup."""
        late = np.zeros(len(pairs), dtype=np.bool_)
        if not self._timed:
            return late
        service = self.instance.scaled_service
        checked = 0
        for place, (one, other) in enumerate(pairs.tolist()):
            leaves = max(self._arrivals[one], self._opens[one]) + service[one]
            limit = min(self._closes[other], self._ends)
            if leaves + self._between(one, other) <= limit + float(self._margin(np.array([limit]))[0]):
                continue
            checked += 1
            late[place] = checked <= MOST_PAIRS and leaves + self.times_from(one)[other] > limit + float(
                self._margin(np.array([limit]))[0]
            )
        return late

    def _between(self, one: int, other: int) -> float:
        instance = self.instance
        if self._in_plane and instance.matrix is None:
            return float(instance.distances_from(one)[other]) / self.kind.speed
        matrix = instance.distances if self._in_plane else instance.durations_of(self.kind.profile)
        return float(matrix[one, other]) / self.kind.speed


Kept = dict[tuple[str, int, float, int], FloatArray]
"""What has been computed, by what it is, profile, speed and node."""


class _Thorough(_Quick):
    """The same over all ways, other nodes on them with their service: what remains is a proof."""

    def __init__(self, instance: Instance, kind: VehicleType, kept: Kept) -> None:
        super().__init__(instance, kind)
        self._kept = kept

    def _shortest(self, what: str, node: int, row: FromNode, on_the_way: FloatArray) -> FloatArray:
        key = what, self.kind.profile, self.kind.speed, node
        if key not in self._kept:
            self._kept[key] = shortest(node, row, on_the_way)
        return self._kept[key]

    def times_from(self, node: int) -> FloatArray:
        """Return at least how long it takes from a node to all."""
        return self._shortest("times from", node, self._duration_row, self.instance.scaled_service)

    def times_to(self, node: int) -> FloatArray:
        """Return at least how long it takes to a node from all."""
        return self._shortest("times to", node, self._duration_column, self.instance.scaled_service)

    def ways_from(self, node: int) -> FloatArray:
        """Return at least how far it is from a node to all."""
        return self._shortest("ways from", node, self._distance_row, np.zeros(self.count))

    def ways_to(self, node: int) -> FloatArray:
        """Return at least how far it is to a node from all."""
        return self._shortest("ways to", node, self._distance_column, np.zeros(self.count))


def shortest(begin: int, row: FromNode, on_the_way: FloatArray) -> FloatArray:
    """Return the least sum from a node to all over any other nodes, by Dijkstra's method.

    Parameters
    ----------
    begin
        Where to begin.
    row
        Returns the legs from a node to all.
    on_the_way
        What each node adds on the way, neither at the beginning nor at the end.
    """
    nodes = len(on_the_way)
    least = row(begin).astype(np.float64)
    settled = np.zeros(nodes, dtype=np.bool_)
    settled[begin] = True
    for _ in range(nodes - 1):
        node = int(np.argmin(np.where(settled, np.inf, least)))
        settled[node] = True
        np.minimum(least, least[node] + on_the_way[node] + row(node), out=least)
    return least


# All together.


def _backhaul_reasons(instance: Instance) -> list[str]:
    if not instance.backhauls_last or instance.pickups is None:
        return []
    collects = (instance.pickups != 0).reshape(len(instance.pickups), -1).any(axis=1)
    if not collects[instance.depots :].all():  # whoever has neither counts as a delivery
        return []
    node = int(np.argmax(instance.required))
    if not instance.required.any():
        return []
    return [
        f"Customer {instance.name_of(node)} has a pickup, which comes after a delivery on its route, and all have "
        "pickups."
    ]


def required_amount(instance: Instance, values: FloatArray) -> FloatArray:
    """Return the least that solutions move of something, in each load dimension; pairs are left out."""
    values = values.reshape(len(values), -1)
    counted = instance.required
    if instance.pairs is not None:
        counted[instance.pairs.ravel()] = False
    total: FloatArray = values[counted].sum(axis=0)
    for group in instance.groups:
        if group.required:
            total = total + values[list(group.customers)].min(axis=0)
    return total


def trips(kind: VehicleType) -> float:
    """Return how many trips a vehicle of a type may make."""
    return 1.0 + kind.max_reloads if kind.reload_depots else 1.0


def _fleet_reasons(instance: Instance) -> list[str]:
    if instance.fleet is None:
        return []
    found = []
    for word, values in (("deliveries", instance.demands), ("pickups", instance.pickups)):
        if values is None:
            continue
        total = required_amount(instance, values)
        loads = [(float(kind.num_available or 0) * trips(kind), np.array(kind.capacity)) for kind in instance.types]
        room = np.atleast_1d(sum(number * capacity for number, capacity in loads))
        excused = sum(number * tolerance(capacity) for number, capacity in loads)
        for dimension in np.flatnonzero(total * (1 - 1e-12) > room + excused).tolist():
            where = f" in load dimension {dimension}" if len(total) > 1 else ""
            found.append(
                f"The {word} of all who must be served come to {number_text(total[dimension])}{where}, more than the "
                f"{number_text(float(room[dimension]))} that all vehicles carry."
            )
    stops = sum(float(kind.num_available or 0) * kind.max_stops for kind in instance.types)
    needed = int(instance.required.sum()) + sum(group.required for group in instance.groups)
    if needed > stops:
        found.append(f"{needed} customers must be visited, and routes of all vehicles have {number_text(stops)} stops.")
    return found
