"""Generate instances that have any features, each of them feasible by a hidden plan."""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dacalns.instances.features import (
    BACKHAULS_LAST,
    DEPOT_SERVICE,
    DEPOTS,
    DISTANCE_COSTS,
    DISTANCE_LIMITS,
    DURATION_COSTS,
    DURATION_LIMITS,
    DURATIONS,
    FEATURES,
    FIXED_COSTS,
    GROUPS,
    INITIAL_LOADS,
    LOADS,
    OPEN_ROUTES,
    OVERTIME,
    PAIRS,
    PICKUPS,
    PRIORITIES,
    PRIZES,
    PROFILES,
    RELEASE_TIMES,
    RELOADS,
    RESTRICTIONS,
    SEVERAL_WINDOWS,
    SHIFTS,
    STOP_LIMITS,
    VEHICLE_TYPES,
    WINDOWS,
)
from dacalns.instances.fields import FloatArray
from dacalns.instances.instance import Instance
from dacalns.instances.parts import UNLIMITED, Group, Profile, VehicleType
from dacalns.instances.positions import MOST_CUSTOMERS, POSITIONS, customer_positions
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream
from dacalns.util.shown import listed, shown
from dacalns.util.values import whole_number

IMPLIED = {
    SEVERAL_WINDOWS: (WINDOWS,),
    OVERTIME: (DURATION_LIMITS,),
    BACKHAULS_LAST: (PICKUPS,),
    PRIORITIES: (PRIZES,),
    RESTRICTIONS: (VEHICLE_TYPES,),
    DEPOTS: (VEHICLE_TYPES,),
}
"""What a feature makes no sense without."""

DRAWN = frozenset(
    {
        BACKHAULS_LAST, DEPOT_SERVICE, DEPOTS, DISTANCE_COSTS, DISTANCE_LIMITS, DURATION_COSTS, DURATION_LIMITS,
        DURATIONS, FIXED_COSTS, GROUPS, INITIAL_LOADS, LOADS, OPEN_ROUTES, OVERTIME, PAIRS, PICKUPS, PRIORITIES,
        PRIZES, PROFILES, RELEASE_TIMES, RELOADS, RESTRICTIONS, SEVERAL_WINDOWS, SHIFTS, STOP_LIMITS, VEHICLE_TYPES,
        WINDOWS,
    }
)  # fmt: skip
"""The features that instances are drawn with. A new feature is not among them until something below draws it."""

LEAST_SIDE, DENSITY = 60, 100
MOST_TYPES = 4


def generate_rich(customers: int, features: Collection[str] = (), seed: int = 0) -> Instance:
    """Generate an instance that has some features, and those that these imply.

    All numbers are whole, so that other solvers can take it. It has a feasible solution: every customer, or pair, fits
    into a route of its own in a vehicle of any type that may serve it, and there are as many vehicles of at least one
    type as are needed. Where backhauls come last, each shares a route with a customer who has a delivery.

    Parameters
    ----------
    customers
        The number of nodes that are visited; a pair has two.
    features
        Names of `dacalns.instances.features`, such as ``{"windows", "depots", "prizes"}``; ``()`` for a CVRP.
    seed
        The same arguments give the same instance, on every machine.

    Raises
    ------
    InputError
        When a feature is unknown, two of them exclude each other, or there are too few customers.

    Examples
    --------
    >>> generate_rich(20, {"prizes"}, seed=1)
    Instance('rich-prizes-n20-s1': vrp with prizes, 20 customers, capacity 110, fleet 20, rounding round)
    """
    count = whole_number("customers", customers, minimum=1, maximum=MOST_CUSTOMERS)
    seed = whole_number("seed", seed, minimum=0)
    asked = require_features(features)
    if {BACKHAULS_LAST, PAIRS} <= asked:
        raise InputError(
            "features has backhauls-last and pairs; expected one of the two, as pairs have an order of their own; "
            "leave one out."
        )
    least = least_customers(asked)
    if count < least:
        raise InputError(f"customers is {count}; expected at least {least} for {listed(sorted(asked))}; ask for more.")
    name = f"rich-{'+'.join(sorted(asked)) or 'cvrp'}-n{count}-s{seed}"
    return _Draw(Stream("rich", *sorted(asked), count, seed), asked, count).instance(name)


def require_features(features: Collection[str]) -> frozenset[str]:
    """Return features with those that they imply, or say which one is unknown."""
    given = frozenset({features} if isinstance(features, str) else features)
    unknown = sorted(map(str, given - set(FEATURES)))
    if unknown:
        raise InputError(f"features has {shown(unknown[0])}; expected some of {listed(FEATURES)}; correct it.")
    while more := {each for feature in given for each in IMPLIED.get(feature, ())} - given:
        given |= more
    return given


def least_customers(features: Collection[str]) -> int:
    """Return how many customers an instance has at least that has all these features."""
    asked = require_features(features)
    return max(1, 2 * bool(asked & {PAIRS, BACKHAULS_LAST}) + _singles(asked))


def _singles(features: frozenset[str]) -> int:
    """Return how many customers must be neither in a pair nor go with another one, so that there is every feature."""
    return (
        2 * (GROUPS in features)
        + (PRIZES in features and PAIRS not in features)
        + (PAIRS in features and bool(features & {RELEASE_TIMES, PICKUPS}))
        + (RESTRICTIONS in features)
    )


@dataclass(frozen=True)
class _Unit:
    """Nodes that one route of the hidden plan visits."""

    nodes: tuple[int, ...]


class _Draw:
    """What is drawn of one instance, in an order in which each draw depends on earlier ones."""

    def __init__(self, stream: Stream, features: frozenset[str], count: int) -> None:
        self.stream, self.features, self.count = stream, features, count
        self.side = max(LEAST_SIDE, round(LEAST_SIDE * math.sqrt(count / DENSITY)))
        self.depots = stream.integer(2, 3) if DEPOTS in features else 1
        self.nodes = self.depots + count
        self.dimensions = 2 if LOADS in features else 1
        self.points = self._points()
        self.distances = self._rounded(1.0, 1.0)
        self.durations = self._rounded(0.8, 1.5) if DURATIONS in features else None
        self.profiles = [self._profile()] if PROFILES in features else []
        self.pairs = self._pairs()
        self.backhauls: list[int] = []
        self.units = list(self._units())
        self.service = self._service()
        self.demands, self.pickups = self._loads()

    def has(self, *features: str) -> bool:
        """Return True if the instance is to have one of the features."""
        return bool(self.features & set(features))

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.stream.uniform() < probability

    def visits(self) -> range:
        """The nodes that are visited."""
        return range(self.depots, self.nodes)

    # Places, ways and loads.

    def _points(self) -> FloatArray:
        stream = self.stream
        kind = POSITIONS[stream.integer(0, len(POSITIONS) - 1)]
        middle = (self.side // 2, self.side // 2)
        places = customer_positions(stream, kind, self.count + self.depots - 1, self.side, self.side / 10, middle)
        return np.array([middle, *places], dtype=np.float64)

    def _rounded(self, low: float, high: float) -> FloatArray:
        """Return distances in whole numbers, each made longer or shorter by a factor."""
        x, y = self.points.T
        plain: FloatArray = np.floor(np.hypot(x[:, None] - x, y[:, None] - y) + 0.5)
        if low == high:
            return plain
        factors = [[self.stream.uniform(low, high) for _ in range(self.nodes)] for _ in range(self.nodes)]
        made: FloatArray = np.maximum(np.floor(plain * factors + 0.5), 1.0)
        np.fill_diagonal(made, 0.0)
        return made

    def _profile(self) -> Profile:
        distances = self._rounded(1.0, 1.4) if self.chance(0.6) else None
        durations = self._rounded(1.0, 1.6) if distances is None or self.chance(0.5) else None
        return Profile(distances=distances, durations=durations)

    def _pairs(self) -> list[tuple[int, int]]:
        if not self.has(PAIRS):
            return []
        most = (self.count - _singles(self.features)) // 2
        number = most if self.chance(0.5) else max(1, min(most, self.count // 4))
        first = self.nodes - 2 * number
        return [(node, node + 1) for node in range(first, self.nodes, 2)]

    def _units(self) -> Iterator[_Unit]:
        paired = {node for pair in self.pairs for node in pair}
        alone = [node for node in self.visits() if node not in paired]
        if self.has(BACKHAULS_LAST):
            number = self.stream.integer(1, (len(alone) - _singles(self.features)) // 2)
            self.backhauls = alone[len(alone) - number :]
            yield from (_Unit((line, back)) for line, back in zip(alone, self.backhauls, strict=False))
            alone = alone[number : len(alone) - number]
        yield from (_Unit((node,)) for node in alone)
        yield from (_Unit(pair) for pair in self.pairs)

    def _service(self) -> FloatArray:
        service = np.zeros(self.nodes)
        service[self.depots :] = [self.stream.integer(0, 10) for _ in self.visits()]
        if self.has(DEPOT_SERVICE):
            service[: self.depots] = [self.stream.integer(1, 8) for _ in range(self.depots)]
        return service

    def _loads(self) -> tuple[FloatArray, FloatArray | None]:
        shape = (self.nodes, self.dimensions)
        demands, pickups = np.zeros(shape), np.zeros(shape)
        drops = {delivery for _, delivery in self.pairs}
        paired = drops | {pickup for pickup, _ in self.pairs}
        for node in self.visits():
            amounts = [self.stream.integer(1, 20), *(self.stream.integer(0, 5) for _ in range(1, self.dimensions))]
            back = [self.stream.integer(1, 20), *(self.stream.integer(0, 5) for _ in range(1, self.dimensions))]
            kind = self.stream.uniform()
            if node in paired or not self.has(PICKUPS):
                demands[node] = [0 if node in drops else amount for amount in amounts]
            elif self.has(BACKHAULS_LAST):
                (pickups if node in self.backhauls else demands)[node] = amounts
            else:
                demands[node] = amounts if kind < 0.7 else 0
                pickups[node] = back if kind > 0.4 else 0
        if self.has(PICKUPS) and not pickups.any():
            pickups[next(node for node in self.visits() if node not in paired), 0] = 1.0
        return demands, pickups if self.has(PICKUPS) else None

    # Vehicles.

    def types(self) -> list[VehicleType]:
        """Draw the vehicle types; their limits on routes come later, once it is known what routes need."""
        stream = self.stream
        number = stream.integer(2, MOST_TYPES) if self.has(VEHICLE_TYPES) else 1
        number = max(number, self.depots)
        most = self.demands.max(axis=0)
        total = self.demands.sum(axis=0)
        if self.pickups is not None:
            most, total = np.maximum(most, self.pickups.max(axis=0)), np.maximum(total, self.pickups.sum(axis=0))
            for unit in self.units:  # a backhaul and its customer are never on board together
                nodes = list(unit.nodes)
                most = np.maximum(most, np.maximum(self.demands[nodes].max(axis=0), self.pickups[nodes].max(axis=0)))
        made = []
        for each in range(number):
            stops = stream.triangular(3.0, 6.0, 14.0)
            initial = [stream.integer(0, 5) for _ in range(self.dimensions)] if self.has(INITIAL_LOADS) else []
            if initial and not any(initial):
                initial[0] = 1
            capacity = np.maximum(most, np.ceil(stops * total / self.count)) + (initial or 0)
            capacity = np.maximum(capacity, 1)
            ends = [each % self.depots] * 2
            if self.depots > 1 and each >= self.depots and self.chance(0.3):
                ends[1] = stream.integer(0, self.depots - 1)
            opened = stream.integer(0, 2) if self.has(OPEN_ROUTES) and (each == 0 or self.chance(0.5)) else None
            ample = each == 0 or self.has(RESTRICTIONS) or self.chance(0.5)
            fleet = None if self.chance(0.5) else self.count
            few = max(1, math.ceil(float(total[0]) / float(capacity[0]) / 2))
            profiled = bool(self.profiles) and (each == number - 1 or self.chance(0.3))
            made.append(
                VehicleType(
                    num_available=fleet if ample else few,
                    capacity=tuple(capacity.tolist()),
                    initial_load=tuple(map(float, initial)),
                    start_depot=None if opened in (1, 2) else ends[0],
                    end_depot=None if opened in (0, 2) else ends[1],
                    fixed_cost=float(stream.integer(self.side // 3, 2 * self.side)) if self.has(FIXED_COSTS) else 0.0,
                    unit_distance_cost=float(stream.integer(2, 5)) if self.has(DISTANCE_COSTS) else 1.0,
                    unit_duration_cost=float(stream.integer(1, 3)) if self.has(DURATION_COSTS) else 0.0,
                    profile=1 if profiled else 0,
                    speed=0.5 if profiled and self.chance(0.3) else 1.0,
                    max_stops=float(stream.integer(2, 8)) if self.has(STOP_LIMITS) else UNLIMITED,
                    reload_depots=self._reload_depots(),
                    max_reloads=float(stream.integer(1, 3)) if self.has(RELOADS) and self.chance(0.7) else UNLIMITED,
                )
            )
        return made

    def _reload_depots(self) -> tuple[int, ...]:
        if not self.has(RELOADS):
            return ()
        chosen = [depot for depot in range(self.depots) if self.chance(0.6)]
        return tuple(chosen) or (self.stream.integer(0, self.depots - 1),)

    def allowed(self, types: list[VehicleType]) -> list[VehicleType]:
        """Draw who may serve whom; every unit is allowed for at least one type."""
        if not self.has(RESTRICTIONS):
            return types
        sets: list[list[int]] = [[] for _ in types]
        for unit in self.units:
            chosen = [number for number in range(len(types)) if self.chance(0.5)]
            for number in chosen or [self.stream.integer(0, len(types) - 1)]:
                sets[number].extend(unit.nodes)
        sets = [nodes or list(self.units[0].nodes) for nodes in sets]
        if all(len(nodes) == self.count for nodes in sets):  # then nobody is restricted
            sets[-1] = list(self.units[0].nodes)
        return [_changed(each, allowed_customers=tuple(sorted(nodes))) for each, nodes in zip(types, sets, strict=True)]

    # Routes of the hidden plan, and times around them.

    def ways(self, kind: VehicleType) -> tuple[FloatArray, FloatArray]:
        """Return distances and driving times of a vehicle type."""
        profile = self.profiles[kind.profile - 1] if kind.profile else None
        distances = profile.distances if profile is not None and profile.distances is not None else self.distances
        if profile is not None and profile.durations is not None:
            durations = profile.durations
        elif profile is not None and profile.distances is not None:
            durations = profile.distances
        else:
            durations = self.distances if self.durations is None else self.durations
        return distances, durations / kind.speed

    def legs(self, unit: _Unit, kind: VehicleType) -> tuple[float, list[float], float, float]:
        """Return the time to the first node, from node to node, and to the end, and the whole distance."""
        distances, durations = self.ways(kind)
        start, end, nodes = kind.start_depot, kind.end_depot, unit.nodes
        there = 0.0 if start is None else self.service[start] + durations[start, nodes[0]]
        between = [float(self.service[one] + durations[one, other]) for one, other in pairwise(nodes)]
        back = self.service[nodes[-1]] + (0.0 if end is None else durations[nodes[-1], end])
        stops = [*([] if start is None else [start]), *nodes, *([] if end is None else [end])]
        distance = sum(distances[one, other] for one, other in pairwise(stops))
        return float(there), between, float(back), float(distance)

    def limited(self, types: list[VehicleType]) -> tuple[list[VehicleType], float]:
        """Give types limits that every unit keeps, and return them with the end of the day."""
        needs = []
        for kind in types:
            found = [self.legs(unit, kind) for unit in self.units]
            needs.append((max(there + sum(on) + back for there, on, back, _ in found), max(way for *_, way in found)))
        longest = max(duration for duration, _ in needs)
        day = math.ceil(3 * longest) + 20
        made = []
        for kind, (duration, distance) in zip(types, needs, strict=True):
            changes: dict[str, Any] = {}
            if self.has(DURATION_LIMITS):
                shift, more = math.ceil(duration * self.stream.uniform(1.0, 2.2)), 0
                if self.has(OVERTIME):
                    more = max(1, math.ceil(shift * self.stream.uniform(0.2, 0.5)))
                    shift = max(1, shift - more // 2)
                    changes |= {"max_overtime": float(more), "unit_overtime_cost": float(self.stream.integer(1, 5))}
                changes["shift_duration"] = float(shift)
            if self.has(DISTANCE_LIMITS):
                changes["max_distance"] = float(math.ceil(distance * self.stream.uniform(1.0, 2.5)) + 1)
            if self.has(SHIFTS):
                changes["tw_early"] = float(self.stream.integer(1, 10))
                changes["tw_late"] = float(day - self.stream.integer(0, 10))
                changes["start_late"] = float(math.floor(day * self.stream.uniform(0.4, 0.6)))
            made.append(_changed(kind, **changes))
        return made, float(day)

    def times(self, types: list[VehicleType], day: float) -> dict[str, Any]:
        """Draw release times and windows that every unit keeps in a route of its own."""
        releases = np.zeros(self.nodes)
        windows = np.array([[0.0, day]] * self.nodes)
        more: list[tuple[int, float, float]] = []
        begin = max(kind.tw_early for kind in types)
        start_late = min([day, *(kind.start_late for kind in types if kind.start_late is not None)])
        end = min([day, *(kind.tw_late for kind in types)])
        for unit in self.units:
            release = float(self.stream.integer(1, math.floor(day / 5)))
            if unit.nodes not in self.pairs:
                releases[list(unit.nodes)] = release
            legs = [self.legs(unit, kind) for kind in types]
            ready = max(begin, release if self.has(RELEASE_TIMES) else 0.0)
            first = ready + max(there for there, *_ in legs)
            latest = min(
                end - max(sum(on) + back for _, on, back, _ in legs), start_late + min(there for there, *_ in legs)
            )
            here = self.stream.integer(math.ceil(first), max(math.ceil(first), math.floor(latest)))
            arrivals = [[float(here)] * len(legs)]
            for place in range(len(unit.nodes) - 1):
                arrivals.append([arrivals[-1][k] + leg[1][place] for k, leg in enumerate(legs)])
            for node, times in zip(unit.nodes, arrivals, strict=True):
                width = self.stream.uniform(0.02, 0.3) * day
                opens = max(0, math.floor(min(times) - width * self.stream.uniform()))
                closes = math.ceil(max(times) + width * self.stream.uniform())
                wide = self.chance(0.2)
                if not wide:
                    windows[node] = opens, closes
                if self.has(SEVERAL_WINDOWS) and not wide and (self.chance(0.4) or not more):
                    later = closes + self.stream.integer(1, 20)
                    more.append((node, float(later), float(later + self.stream.integer(0, 30))))
        if self.has(SEVERAL_WINDOWS) and not more:
            node = self.units[0].nodes[0]
            windows[node, 1] = max(windows[node, 0], min(windows[node, 1], day - 1))
            more.append((node, float(windows[node, 1] + 2), float(windows[node, 1] + 9)))
        made: dict[str, Any] = {}
        if self.has(RELEASE_TIMES):
            if not releases.any():
                releases[next(unit.nodes[0] for unit in self.units if unit.nodes not in self.pairs)] = 1.0
            made["releases"] = releases
        if self.has(WINDOWS):
            made |= {"windows": windows, "more_windows": tuple(sorted(more))}
        return made

    # What may be left out.

    def choices(self) -> dict[str, Any]:
        """Draw groups, optional nodes, prizes and priorities."""
        groups: list[Group] = []
        alone = [unit.nodes[0] for unit in self.units if len(unit.nodes) == 1]
        spared = self.has(PRIZES) and not self.pairs  # somebody may be left out alone
        pool = self.stream.choose(alone, len(alone) - spared) if self.has(GROUPS) else []
        while len(pool) >= 2 and (not groups or self.chance(0.8)):
            size = min(len(pool), self.stream.integer(2, 4))
            members, pool = sorted(pool[:size]), pool[size:]
            groups.append(Group(customers=tuple(members), required=self.chance(0.7)))
        made: dict[str, Any] = {"groups": tuple(groups)}
        if self.has(PRIZES):
            grouped = {node for group in groups for node in group.customers}
            optional, prizes, priorities = np.zeros(self.nodes, dtype=bool), np.zeros(self.nodes), np.zeros(self.nodes)
            free = [unit for unit in self.units if not grouped & set(unit.nodes) and len(unit.nodes) == 1] + [
                unit for unit in self.units if unit.nodes in self.pairs
            ]
            chosen = [unit for unit in free if self.chance(0.5)] or free[:1]
            for unit in chosen:
                optional[list(unit.nodes)] = True
                prizes[unit.nodes[0]] = self.stream.integer(0, self.side)
                priorities[unit.nodes[0]] = self.stream.integer(1, 3) if self.chance(0.3) or unit is chosen[0] else 0
            made |= {"optional": optional, "prizes": prizes}
            if self.has(PRIORITIES):
                made["priorities"] = priorities
        return made

    def instance(self, name: str) -> Instance:
        """Draw the rest, and return the instance."""
        types, day = self.limited(self.allowed(self.types()))
        flat = self.dimensions == 1
        return Instance(
            name=name,
            coordinates=self.points,
            demands=self.demands[:, 0] if flat else self.demands,
            pickups=None if self.pickups is None else self.pickups[:, 0] if flat else self.pickups,
            service=self.service,
            depots=self.depots,
            vehicle_types=tuple(types),
            durations=self.durations,
            profiles=tuple(self.profiles),
            pairs=np.array(self.pairs, dtype=np.int64) if self.pairs else None,
            backhauls_last=self.has(BACKHAULS_LAST),
            rounding="round",
            **self.times(types, day),
            **self.choices(),
        )


def _changed(kind: VehicleType, **changes: Any) -> VehicleType:
    fields = {name: getattr(kind, name) for name in kind.__dataclass_fields__}
    return VehicleType(**fields | changes)
