"""The parts of a routing problem: depots, customers, vehicle types, pairs and groups.

Names, defaults and meaning of the fields are those of PyVRP. `Instance.from_parts` builds an instance of them. Every
field says here which feature it asks for, so that nobody has to keep a list.

Distances, times and loads are in the units of the file, before rounding. Where parts name each other, depots and
customers go by their node numbers: depots count from 0 in their order, customers follow in theirs, and then the pairs,
each with its pickup before its delivery. Numbers of groups, profiles and locations count from 0 by themselves.
"""

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
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
from dacalns.instances.fields import FloatArray, asks, feature_asked, hashable, plain, same_value
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

UNLIMITED = math.inf
"""No limit."""


def _is_single(values: Any) -> bool:
    return len(values) <= 1


def _is_given(value: Any) -> bool:
    return value is not None


def _is_nothing(value: Any) -> bool:
    return not any(value)


Loads = tuple[float, ...]
"""An amount for each load dimension. A single number may be given for one dimension."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """What all parts share: lists become tuples, and a single number becomes the load in the one dimension."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.type is Loads and isinstance(value, int | float | np.number):
                object.__setattr__(self, field.name, (value,))
            elif field.type is Loads and isinstance(value, np.ndarray) and value.ndim == 1:
                object.__setattr__(self, field.name, tuple(value.tolist()))
            elif isinstance(value, list | set | frozenset | range):
                object.__setattr__(self, field.name, tuple(value))

    def asked(self) -> Iterator[tuple[str, str]]:
        """Yield each feature that the part asks for, with the name of the field that does."""
        for field in dataclasses.fields(self):
            if (feature := feature_asked(field, getattr(self, field.name))) is not None:
                yield feature, field.name


@dataclass(frozen=True, kw_only=True)
class Depot(Part):
    """A place where routes start and end.

    Parameters
    ----------
    location
        The row of the coordinates and matrices where it is.
    tw_early, tw_late
        The earliest departure and the latest return.
    service_duration
        The time that loading takes before each departure.
    """

    location: int = plain()
    tw_early: float = asks(WINDOWS, default=0.0)
    tw_late: float = asks(WINDOWS, default=UNLIMITED)
    service_duration: float = asks(DEPOT_SERVICE, default=0.0)


@dataclass(frozen=True, kw_only=True)
class Customer(Part):
    """A customer, who is visited at most once.

    Parameters
    ----------
    location
        The row of the coordinates and matrices where it is.
    delivery
        What is brought from the depot, in each load dimension.
    pickup
        What is taken to the depot, in each load dimension.
    service_duration
        The time that a visit takes. It counts where time does.
    tw_early, tw_late
        The window in which the visit must start; it may end later. A vehicle that comes early waits.
    more_windows
        Further windows, each an earliest and a latest start.
    release_time
        The earliest departure of its vehicle from the depot.
    prize
        The cost of leaving out an optional customer.
    required
        False for an optional customer.
    priority
        How important it is to serve an optional customer, from 0 to 100; it goes before the cost.
    group
        The number of the group that it belongs to; None for no group, or if only the group says so.
    """

    location: int = plain()
    delivery: Loads = asks(LOADS, default=(), unless=_is_single)
    pickup: Loads = asks(PICKUPS, default=(), unless=_is_nothing)
    service_duration: float = plain(default=0.0)
    tw_early: float = asks(WINDOWS, default=0.0)
    tw_late: float = asks(WINDOWS, default=UNLIMITED)
    more_windows: tuple[tuple[float, float], ...] = asks(SEVERAL_WINDOWS, default=())
    release_time: float = asks(RELEASE_TIMES, default=0.0)
    prize: float = asks(PRIZES, default=0.0)
    required: bool = asks(PRIZES, default=True)
    priority: int = asks(PRIORITIES, default=0)
    group: int | None = asks(GROUPS, default=None)


@dataclass(frozen=True, kw_only=True)
class VehicleType(Part):
    """Vehicles that are alike.

    Parameters
    ----------
    num_available
        How many there are; None for as many as are needed.
    capacity
        The most that a vehicle carries at any time, in each load dimension.
    start_depot, end_depot
        The numbers of the depots where routes start and end; None for routes that start at their first customer, or
        end at their last one.
    fixed_cost
        The cost of each vehicle that is used.
    tw_early, tw_late
        The window of the shift: a route starts and ends in it.
    shift_duration
        The longest duration of a route without overtime, from departure to return, waiting included.
    max_distance
        The longest distance of a route.
    unit_distance_cost, unit_duration_cost
        The cost of each unit of distance and of duration.
    profile
        The matrices that hold for the type: 0 for those of the problem, k for number k - 1 of its profiles.
    speed
        How many times faster it drives than the durations say.
    start_late
        The latest departure; None for ``tw_late``.
    initial_load
        What a vehicle carries at its start, in each load dimension.
    reload_depots
        The numbers of the depots where a route may unload and load again.
    max_reloads
        How often it may do so.
    max_overtime
        How much longer than ``shift_duration`` a route may take.
    unit_overtime_cost
        The cost of each unit of overtime, on top of its cost as duration.
    max_stops
        The most customers of a route.
    allowed_customers
        The node numbers of the customers that it may serve; None for all.
    """

    num_available: int | None = plain(default=1)
    capacity: Loads = asks(LOADS, default=(), unless=_is_single)
    start_depot: int | None = asks(OPEN_ROUTES, default=0, unless=_is_given)
    end_depot: int | None = asks(OPEN_ROUTES, default=0, unless=_is_given)
    fixed_cost: float = asks(FIXED_COSTS, default=0.0)
    tw_early: float = asks(SHIFTS, default=0.0)
    tw_late: float = asks(SHIFTS, default=UNLIMITED)
    shift_duration: float = asks(DURATION_LIMITS, default=UNLIMITED)
    max_distance: float = asks(DISTANCE_LIMITS, default=UNLIMITED)
    unit_distance_cost: float = asks(DISTANCE_COSTS, default=1.0)
    unit_duration_cost: float = asks(DURATION_COSTS, default=0.0)
    profile: int = asks(PROFILES, default=0)
    speed: float = asks(PROFILES, default=1.0)
    start_late: float | None = asks(SHIFTS, default=None)
    initial_load: Loads = asks(INITIAL_LOADS, default=(), unless=_is_nothing)
    reload_depots: tuple[int, ...] = asks(RELOADS, default=())
    max_reloads: float = asks(RELOADS, default=UNLIMITED)
    max_overtime: float = asks(OVERTIME, default=0.0)
    unit_overtime_cost: float = asks(OVERTIME, default=0.0)
    max_stops: float = asks(STOP_LIMITS, default=UNLIMITED)
    allowed_customers: tuple[int, ...] | None = asks(RESTRICTIONS, default=None)


@dataclass(frozen=True, kw_only=True)
class Pair(Part):
    """Goods that one vehicle picks up at one place and then delivers at another; PyVRP calls it a shipment.

    Parameters
    ----------
    pickup_location, delivery_location
        The rows of the coordinates and matrices of the two places.
    pickup_tw_early, pickup_tw_late, delivery_tw_early, delivery_tw_late
        The windows in which the two visits must start.
    pickup_service_duration, delivery_service_duration
        The time that each visit takes.
    amount
        What is carried, in each load dimension.
    prize
        The cost of leaving out an optional pair.
    required
        False for an optional pair.
    pickup_more_windows, delivery_more_windows
        Further windows of the two visits, each an earliest and a latest start.
    release_time
        The earliest departure of its vehicle from the depot.
    priority
        How important it is to serve an optional pair, from 0 to 100; it goes before the cost.
    """

    pickup_location: int = plain()
    delivery_location: int = plain()
    pickup_tw_early: float = asks(WINDOWS, default=0.0)
    pickup_tw_late: float = asks(WINDOWS, default=UNLIMITED)
    pickup_service_duration: float = plain(default=0.0)
    delivery_tw_early: float = asks(WINDOWS, default=0.0)
    delivery_tw_late: float = asks(WINDOWS, default=UNLIMITED)
    delivery_service_duration: float = plain(default=0.0)
    amount: Loads = asks(LOADS, default=(), unless=_is_single)
    prize: float = asks(PRIZES, default=0.0)
    required: bool = asks(PRIZES, default=True)
    pickup_more_windows: tuple[tuple[float, float], ...] = asks(SEVERAL_WINDOWS, default=())
    delivery_more_windows: tuple[tuple[float, float], ...] = asks(SEVERAL_WINDOWS, default=())
    release_time: float = asks(RELEASE_TIMES, default=0.0)
    priority: int = asks(PRIORITIES, default=0)


@dataclass(frozen=True, kw_only=True)
class Group(Part):
    """Customers of whom at most one is visited.

    Parameters
    ----------
    customers
        Their node numbers.
    required
        True if one of them must be visited.
    """

    customers: tuple[int, ...] = plain(default=())
    required: bool = plain(default=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Profile(Part):
    """Distances and driving times of vehicle types that take other ways.

    Parameters
    ----------
    distances
        Distances, shape (locations, locations), or (nodes, nodes) in an instance; None for those of the problem.
    durations
        Driving times; None for the distances if these are given here, else for the driving times of the problem.
    """

    distances: FloatArray | None = plain(default=None)
    durations: FloatArray | None = plain(default=None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Profile):
            return NotImplemented
        return same_value(self.distances, other.distances) and same_value(self.durations, other.durations)

    def __hash__(self) -> int:
        return hash((hashable(self.distances), hashable(self.durations)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts(Part):
    """All parts of a problem. Lists are accepted wherever a tuple is named.

    Parameters
    ----------
    depots, customers, vehicle_types, pairs, groups
        The parts. At least one depot, one customer or pair, and one vehicle type are needed.
    coordinates
        The positions of the locations in a plane, shape (locations, 2). They may be left out when there are distances.
    distances
        Distances between locations, shape (locations, locations); None for those of the coordinates.
    durations
        Driving times between locations; None if they are the distances.
    profiles
        Distances and driving times of vehicle types that have their own.
    backhauls_last
        True if every trip makes all deliveries before the first pickup, and at least one.
    """

    depots: tuple[Depot, ...] = asks(DEPOTS, unless=_is_single)
    customers: tuple[Customer, ...] = plain(default=())
    vehicle_types: tuple[VehicleType, ...] = asks(VEHICLE_TYPES, unless=_is_single)
    pairs: tuple[Pair, ...] = asks(PAIRS, default=())
    groups: tuple[Group, ...] = asks(GROUPS, default=())
    coordinates: FloatArray | None = plain(default=None)
    distances: FloatArray | None = plain(default=None)
    durations: FloatArray | None = asks(DURATIONS, default=None)
    profiles: tuple[Profile, ...] = asks(PROFILES, default=())
    backhauls_last: bool = asks(BACKHAULS_LAST, default=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, kind in KINDS.items():
            for number, part in enumerate(getattr(self, name)):
                if not isinstance(part, kind):
                    raise InputError(f"{name}[{number}] is {shown(part)}; expected a {kind.__name__}; build one.")

    @property
    def features(self) -> frozenset[str]:
        """The features that the parts ask for, by the names in `dacalns.instances.features`."""
        return frozenset(feature for feature, _, _ in self.asked_where())

    def asked_where(self) -> Iterator[tuple[str, str, Any]]:
        """Yield each feature that is asked for, with the field in words and its value."""
        for feature, name in self.asked():
            yield feature, name, getattr(self, name)
        for name in KINDS:
            for number, part in enumerate(getattr(self, name)):
                for feature, field in part.asked():
                    yield feature, f"{field} of {name}[{number}]", getattr(part, field)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parts):
            return NotImplemented
        names = [field.name for field in dataclasses.fields(self)]
        return all(same_value(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]  # arrays have none


KINDS: dict[str, type[Part]] = {
    "depots": Depot, "customers": Customer, "vehicle_types": VehicleType, "pairs": Pair, "groups": Group,
    "profiles": Profile,
}  # fmt: skip
"""The fields of `Parts` that hold parts, and of which kind."""
