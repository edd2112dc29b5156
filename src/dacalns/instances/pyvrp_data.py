"""Problems and solutions of PyVRP, version 0.14 or later, from and to ours.

Both ways are exact: PyVRP has whole numbers, and gets ours in scaled units. PyVRP is imported inside functions.
"""

import importlib
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.instances.conversion import instance_fields
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
from dacalns.instances.fields import LARGEST, FloatArray
from dacalns.instances.instance import Instance
from dacalns.instances.parts import UNLIMITED, Customer, Depot, Group, Pair, Parts, Profile, VehicleType
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, listed, reason_of, shortened, shown
from dacalns.util.values import whole_number

INSTALL = 'pip install "pyvrp>=0.14"'

PYVRP_FEATURES = frozenset(
    {
        BACKHAULS_LAST,
        DEPOTS,
        DEPOT_SERVICE,
        DISTANCE_COSTS,
        DISTANCE_LIMITS,
        DURATIONS,
        DURATION_COSTS,
        DURATION_LIMITS,
        FIXED_COSTS,
        GROUPS,
        INITIAL_LOADS,
        LOADS,
        OPEN_ROUTES,
        OVERTIME,
        PAIRS,
        PICKUPS,
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
    }
)
"""What `to_pyvrp` can state, one by one: a feature that is new to the package is refused until it is told here."""

FORBIDDEN = 1 << 44
"""PyVRP's largest distance: its files and models say with it that there is no way."""

MOST_CHOICES = 4096
"""How many choices of windows are tried for one route."""


def _pyvrp() -> Any:
    try:
        return importlib.import_module("pyvrp")
    except ImportError:
        raise InputError(
            f"PyVRP is not installed; expected version 0.14 or later; install it with: {INSTALL}"
        ) from None


# From PyVRP.


def from_pyvrp(data: Any, name: str = "pyvrp") -> Instance:
    """Return the instance that problem data of PyVRP state.

    Nodes are numbered as PyVRP numbers what it visits: depots, then clients, then each shipment's pickup and delivery.
    Numbers stay as they are. Clients to and from which all distances of a profile are PyVRP's largest become customers
    that vehicles of this profile may not serve. Driving times are left out where nothing depends on time.

    Parameters
    ----------
    data
        A ``pyvrp.ProblemData``; ``pyvrp.read`` returns one, and the method ``data`` of a ``pyvrp.Model``.
    name
        The name of the instance in results.

    Raises
    ------
    InputError
        When it is something else, or has what cannot be part of an instance, such as a negative fixed cost.
    """
    if not hasattr(data, "distance_matrices") or not hasattr(data, "shipments"):
        raise InputError(f"data is {shown(data)}; expected a pyvrp.ProblemData; give what pyvrp.read() returns.")
    _require_no_rewards(shortened(name, VALUE), data)
    used = sorted({each.profile for each in data.vehicle_types()})
    timed = _depends_on_time(data)
    ways = [_ways(data, profile, timed) for profile in used]
    base, allowed = _without_restrictions(data, ways)
    profiles: list[Profile] = []
    numbers: dict[int, int] = {}
    for profile, own in zip(used, ways, strict=True):
        if allowed[len(numbers)] is not None:
            own = base
        difference = _difference(own, base)
        if difference is not None and difference not in profiles:
            profiles.append(difference)
        numbers[profile] = 0 if difference is None else 1 + profiles.index(difference)
    visits = {profile: allowed[place] for place, profile in enumerate(used)}
    sizes = [len(group) for group in data.groups()]
    places = [(each.x, each.y) for each in data.locations()]
    parts = Parts(
        depots=tuple(
            Depot(
                location=each.location,
                tw_early=each.tw_early,
                tw_late=_limit(each.tw_late),
                service_duration=each.service_duration,
            )
            for each in data.depots()
        ),
        customers=tuple(_customer(each, data.groups(), sizes) for each in data.clients()),
        pairs=tuple(_pair(each) for each in data.shipments()),
        groups=tuple(
            Group(customers=tuple(data.num_depots + client for client in group.clients), required=group.required)
            for group in data.groups()
            if len(group) > 1
        ),
        vehicle_types=tuple(_vehicle_type(each, numbers, visits) for each in data.vehicle_types()),
        coordinates=np.array(places, dtype=np.float64),
        distances=base[0],
        durations=None if np.array_equal(*base) else base[1],
        profiles=tuple(profiles),
    )
    return Instance(name=name, rounding="none", **instance_fields(name, parts))


def _require_no_rewards(called: str, data: Any) -> None:
    """Raise an `InputError` for a fixed cost below 0, which PyVRP allows."""
    for number, each in enumerate(data.vehicle_types()):
        if each.fixed_cost < 0:
            raise InputError(
                f"{called}: fixed_cost of vehicle_types[{number}] is {each.fixed_cost}, a reward for each vehicle that "
                "is used; expected 0 or more, as searches here know no rewards; take it out."
            )


def _limit(value: int) -> float:
    """Return a number, or infinity for those that PyVRP has for no limit."""
    return UNLIMITED if value > LARGEST else float(value)


def _depends_on_time(data: Any) -> bool:
    places = [
        *data.clients(),
        *data.depots(),
        *(step for each in data.shipments() for step in (each.pickup, each.delivery)),
    ]
    return (
        any(place.tw_early > 0 or place.tw_late <= LARGEST for place in places)
        or any(client.release_time > 0 for client in data.clients())
        or any(
            each.tw_early > 0
            or min(each.tw_late, each.start_late, each.shift_duration) <= LARGEST
            or each.unit_duration_cost > 0
            for each in data.vehicle_types()
        )
    )


Ways = tuple[FloatArray, FloatArray]
"""Distances and driving times between locations."""


def _ways(data: Any, profile: int, timed: bool) -> Ways:
    distances = np.array(data.distance_matrix(profile), dtype=np.float64)
    return distances, np.array(data.duration_matrix(profile), dtype=np.float64) if timed else distances


def _without_restrictions(data: Any, ways: list[Ways]) -> tuple[Ways, list[tuple[int, ...] | None]]:
    """Return distances and times without the locations that profiles forbid, and the nodes that each of them allows.

    A profile for which that does not say the same allows all.
    """
    at = [each.location for each in data.clients()]
    at += [step.location for each in data.shipments() for step in (each.pickup, each.delivery)]
    stations = {each.location for each in data.depots()}
    forbidden = []
    for distances, _ in ways:
        far = distances >= FORBIDDEN
        np.fill_diagonal(far, True)
        shut: npt.NDArray[np.bool_] = np.logical_and(far.all(axis=0), far.all(axis=1))
        shut[sorted(stations)] = False
        forbidden.append(shut if len(far) > 1 else np.zeros(len(far), dtype=np.bool_))
    least = tuple(np.minimum.reduce([own[kind] for own in ways]) for kind in (0, 1))
    allowed: list[tuple[int, ...] | None] = []
    for own, shut in zip(ways, forbidden, strict=True):
        open_ = np.ix_(~shut, ~shut)
        if shut.any() and all(np.array_equal(own[kind][open_], least[kind][open_]) for kind in (0, 1)):
            nodes = tuple(node for node, place in enumerate(at, start=data.num_depots) if not shut[place])
            allowed.append(nodes or None)
        else:
            allowed.append(None)
    base = (least[0], least[1]) if any(each is not None for each in allowed) else ways[0]
    return (np.minimum(base[0], LARGEST), np.minimum(base[1], LARGEST)), allowed


def _difference(own: Ways, base: Ways) -> Profile | None:
    """Return the profile that turns the first ways into the others; None if they are the same."""
    distances, durations = (np.minimum(each, LARGEST) for each in own)
    same = np.array_equal(distances, base[0])
    if same and np.array_equal(durations, base[1]):
        return None
    implied = base[1] if same else distances
    return Profile(
        distances=None if same else distances, durations=None if np.array_equal(durations, implied) else durations
    )


def _loads(values: Any) -> tuple[float, ...]:
    return tuple(_limit(value) for value in values)


def _customer(client: Any, groups: Sequence[Any], sizes: Sequence[int]) -> Customer:
    group = client.group
    required = client.required or (group is not None and sizes[group] == 1 and groups[group].required)
    return Customer(
        location=client.location,
        delivery=_loads(client.delivery),
        pickup=_loads(client.pickup),
        service_duration=client.service_duration,
        tw_early=client.tw_early,
        tw_late=_limit(client.tw_late),
        release_time=client.release_time,
        prize=0.0 if required else client.prize,
        required=required,
    )


def _pair(shipment: Any) -> Pair:
    pickup, delivery = shipment.pickup, shipment.delivery
    return Pair(
        pickup_location=pickup.location,
        delivery_location=delivery.location,
        pickup_tw_early=pickup.tw_early,
        pickup_tw_late=_limit(pickup.tw_late),
        pickup_service_duration=pickup.service_duration,
        delivery_tw_early=delivery.tw_early,
        delivery_tw_late=_limit(delivery.tw_late),
        delivery_service_duration=delivery.service_duration,
        amount=_loads(shipment.amount),
        prize=0.0 if shipment.required else shipment.prize,
        required=shipment.required,
    )


def _vehicle_type(given: Any, profiles: dict[int, int], allowed: dict[int, tuple[int, ...] | None]) -> VehicleType:
    shift = _limit(given.shift_duration)
    return VehicleType(
        num_available=given.num_available,
        capacity=_loads(given.capacity),
        start_depot=given.start_depot,
        end_depot=given.end_depot,
        fixed_cost=given.fixed_cost,
        tw_early=given.tw_early,
        tw_late=_limit(given.tw_late),
        shift_duration=shift,
        max_distance=_limit(given.max_distance),
        unit_distance_cost=given.unit_distance_cost,
        unit_duration_cost=given.unit_duration_cost,
        profile=profiles[given.profile],
        start_late=None if given.start_late >= min(given.tw_late, LARGEST) else given.start_late,
        initial_load=_loads(given.initial_load),
        reload_depots=tuple(dict.fromkeys(given.reload_depots)),
        max_reloads=_limit(given.max_reloads),
        max_overtime=0.0 if shift == UNLIMITED else min(given.max_overtime, LARGEST),
        unit_overtime_cost=given.unit_overtime_cost,
        allowed_customers=allowed[given.profile],
    )


def from_pyvrp_solution(solution: Any, instance: Instance) -> tuple[list[list[int]], list[int]]:
    """Return the routes of a solution of PyVRP by node numbers, and the vehicle type of each.

    Parameters
    ----------
    solution
        A ``pyvrp.Solution`` of the data that the instance came from, or that `to_pyvrp` made of it.
    instance
        The instance.
    """
    numbering = _Numbering.of(instance)
    routes, types = [], []
    for route in solution.routes():
        visits = list(route)[1:-1]
        routes.append([numbering.node(visit) for visit in visits])
        types.append(int(route.vehicle_type()))
    return routes, types


# To PyVRP.


@dataclass(frozen=True)
class _Numbering:
    """Which nodes are clients of PyVRP, in which of their windows, and which are shipments."""

    clients: tuple[tuple[int, int], ...]
    pairs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, instance: Instance) -> "_Numbering":
        pairs = [] if instance.pairs is None else [(one, other) for one, other in instance.pairs.tolist()]
        paired = {node for pair in pairs for node in pair}
        further = [0] * len(instance.demands)
        more = []
        for node, _, _ in instance.more_windows:
            further[node] += 1
            more.append((node, further[node]))
        alone = [(node, 0) for node in instance.customer_nodes if node not in paired]
        return cls(clients=(*alone, *more), pairs=tuple(pairs))

    def node(self, visit: Any) -> int:
        """Return the node of an activity of PyVRP."""
        number = int(visit.idx)
        if visit.is_depot():
            return number
        return self.clients[number][0] if visit.is_client() else self.pairs[number][not visit.is_pickup()]


def to_pyvrp(instance: Instance) -> Any:
    """Return an instance as problem data of PyVRP, in scaled units.

    What PyVRP has no field for is said by its own tricks: routes without a depot have one at no distance, vehicles that
    may not serve a customer have no way to it, several windows are a group of clients, and a limit on the stops is a
    load dimension. So costs and feasibility are the same.

    Parameters
    ----------
    instance
        The instance. Its numbers must be whole in scaled units.

    Raises
    ------
    InputError
        When PyVRP cannot state the instance: with priorities, numbers that are not whole, and a few combinations.
    """
    pyvrp = _pyvrp()
    called = shortened(instance.name, VALUE)
    _require_sayable(called, instance)
    whole = _Whole(called)
    numbering = _Numbering.of(instance)
    open_routes = OPEN_ROUTES in instance.features
    count = len(instance.demands)
    places = np.zeros((count, 2)) if instance.coordinates is None else instance.coordinates
    locations = [pyvrp.Location(float(x), float(y)) for x, y in places.tolist()]
    if open_routes:
        locations.append(pyvrp.Location(0, 0))
    windows = _windows(instance)
    service = instance.scaled_service
    depots = [
        pyvrp.Depot(
            location=node,
            **whole.window(f"window of node {node}", windows[node][0]),
            service_duration=whole(f"service time of node {node}", service[node]),
        )
        for node in range(instance.depots)
    ]
    if open_routes:
        depots.append(pyvrp.Depot(location=count))
    stops = STOP_LIMITS in instance.features
    groups, group_of = _groups(instance, numbering)
    clients = [
        _client(instance, whole, node, windows[node][which], stops, group_of.get(place))
        for place, (node, which) in enumerate(numbering.clients)
    ]
    shipments = [_shipment(instance, whole, pair, windows) for pair in numbering.pairs]
    matrices: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
    profile_of: dict[Any, int] = {}
    too_far = _too_far(instance)
    types = []
    for number, each in enumerate(instance.scaled_types):
        key = (each.profile, each.speed, each.allowed_customers)
        if key not in profile_of:
            profile_of[key] = len(matrices)
            matrices.append(_matrices(instance, whole, each, open_routes, too_far))
        made = _type(instance, whole, number, each, profile_of[key], stops)
        if instance.backhauls_last or each.allowed_customers is not None:
            made = made.replace(max_distance=min(made.max_distance, too_far - 1))
        types.append(made)
    return pyvrp.ProblemData(
        locations=locations,
        clients=clients,
        depots=depots,
        vehicle_types=types,
        distance_matrices=[distances for distances, _ in matrices],
        duration_matrices=[durations for _, durations in matrices],
        groups=[pyvrp.ClientGroup(list(members), required) for members, required in groups],
        shipments=shipments,
    )


def _require_sayable(called: str, instance: Instance) -> None:
    """Raise an `InputError` that names what PyVRP cannot say."""
    features, found = instance.features, None
    reloads = RELOADS in features and any(each.reload_depots for each in instance.types)
    if unknown := sorted(features - PYVRP_FEATURES):
        found = listed(unknown)
    elif STOP_LIMITS in features and (PAIRS in features or reloads):
        found = "max_stops together with pairs or reload_depots"
    elif SEVERAL_WINDOWS in features:
        nodes = {node for node, _, _ in instance.more_windows}
        paired = set() if instance.pairs is None else set(instance.pairs.ravel().tolist())
        if nodes & paired:
            found = "more_windows of a node in a pair"
        elif instance.prizes is not None and instance.prizes[sorted(nodes)].any():
            found = "more_windows of a node with a prize"
    if instance.releases is not None and instance.pairs is not None and instance.releases[instance.pairs.ravel()].any():
        found = "releases of a node in a pair"
    if instance.pairs is not None and instance.windows is not None:
        opens, closes = instance.windows[instance.pairs[:, 0], 0], instance.windows[instance.pairs[:, 1], 1]
        if (closes < opens).any():
            found = "a pair whose delivery closes before its pickup opens"
    if found:
        raise InputError(f"{called}: has {found}, which PyVRP cannot say; expected none; leave it out.")


@dataclass(frozen=True)
class _Whole:
    """Turns numbers in scaled units into PyVRP's whole ones."""

    called: str

    def __call__(self, what: str, value: float) -> int:
        if value != math.floor(value):
            raise InputError(
                f"{self.called}: {what} is {value:g} in scaled units; expected a whole number, as PyVRP has no others; "
                "choose another rounding or scale it."
            )
        return int(value)

    def window(self, what: str, window: tuple[float, float]) -> dict[str, int]:
        early, late = window
        end = {} if late == UNLIMITED else {"tw_late": self(what, late)}
        return {"tw_early": self(what, early)} | end

    def array(self, what: str, values: FloatArray) -> npt.NDArray[np.int64]:
        wrong = np.argwhere(values != np.floor(values))
        if len(wrong):
            self(f"{what} of node {int(wrong[0][0])}", float(values[tuple(wrong[0])]))
        return values.astype(np.int64)


Windows = list[list[tuple[float, float]]]


def _windows(instance: Instance) -> Windows:
    """Return all windows of each node, in scaled units."""
    count, given = len(instance.demands), instance.scaled_windows
    found: Windows = [[(0.0, UNLIMITED)] for _ in range(count)]
    if given is not None:
        found = [[(float(early), float(late))] for early, late in given.tolist()]
    for node, early, late in instance.scaled_more_windows:
        found[node].append((early, late))
    return found


def _groups(instance: Instance, numbering: _Numbering) -> tuple[list[tuple[tuple[int, ...], bool]], dict[int, int]]:
    """Return the groups of clients, and the group of each client that has one; several windows of a node are one."""
    clients_of: dict[int, list[int]] = {}
    for place, (node, _) in enumerate(numbering.clients):
        clients_of.setdefault(node, []).append(place)
    groups = [
        (tuple(place for node in group.customers for place in clients_of[node]), group.required)
        for group in instance.groups
    ]
    grouped = {node for group in instance.groups for node in group.customers}
    required = instance.required
    groups += [
        (tuple(places), bool(required[node]))
        for node, places in clients_of.items()
        if len(places) > 1 and node not in grouped
    ]
    return groups, {place: number for number, (places, _) in enumerate(groups) for place in places}


def _amounts(whole: _Whole, what: str, values: FloatArray, node: int, more: Sequence[int]) -> list[int]:
    return [whole(f"{what} of node {node}", value) for value in np.atleast_1d(values[node]).tolist()] + list(more)


def _client(
    instance: Instance, whole: _Whole, node: int, window: tuple[float, float], stops: bool, group: int | None
) -> Any:
    pickups = np.zeros_like(instance.demands) if instance.pickups is None else instance.pickups
    releases, prizes = instance.scaled_releases, instance.scaled_prizes
    return _pyvrp().Client(
        location=node,
        delivery=_amounts(whole, "demand", instance.demands, node, [1] * stops),
        pickup=_amounts(whole, "pickup", pickups, node, [0] * stops),
        service_duration=whole(f"service time of node {node}", float(instance.scaled_service[node])),
        **whole.window(f"window of node {node}", window),
        release_time=0 if releases is None else whole(f"release of node {node}", float(releases[node])),
        prize=0 if prizes is None else whole(f"prize of node {node}", float(prizes[node])),
        required=group is None and bool(instance.required[node]),
        group=group,
    )


def _shipment(instance: Instance, whole: _Whole, pair: tuple[int, int], windows: Windows) -> Any:
    ends: dict[str, int] = {}
    for word, node in zip(("pickup", "delivery"), pair, strict=True):
        window = whole.window(f"window of node {node}", windows[node][0])
        ends |= {f"{word}_{name}": value for name, value in window.items()}
        ends[f"{word}_location"] = node
        service = float(instance.scaled_service[node])
        ends[f"{word}_service_duration"] = whole(f"service time of node {node}", service)
    prizes = instance.scaled_prizes
    return _pyvrp().Shipment(
        **ends,
        amount=_amounts(whole, "demand", instance.demands, pair[0], []),
        prize=0 if prizes is None else whole(f"prize of node {pair[0]}", float(prizes[pair[0]])),
        required=bool(instance.required[pair[0]]),
    )


def _type(instance: Instance, whole: _Whole, number: int, given: VehicleType, profile: int, stops: bool) -> Any:
    def of(field: str) -> str:
        return f"{field} of vehicle_types[{number}]"

    limits = {
        field: whole(of(field), value)
        for field in ("tw_late", "shift_duration", "max_distance", "max_reloads")
        if (value := getattr(given, field)) != UNLIMITED
    }
    costs = {
        field: whole(of(field), getattr(given, field))
        for field in (
            "fixed_cost", "tw_early", "unit_distance_cost", "unit_duration_cost", "max_overtime", "unit_overtime_cost",
        )
    }  # fmt: skip
    customers = instance.customers
    more = [int(min(given.max_stops, customers))] if stops else []
    nowhere = instance.depots
    return _pyvrp().VehicleType(
        num_available=customers if given.num_available is None else given.num_available,
        capacity=[whole(of("capacity"), each) for each in given.capacity] + more,
        start_depot=nowhere if given.start_depot is None else given.start_depot,
        end_depot=nowhere if given.end_depot is None else given.end_depot,
        profile=profile,
        start_late=None if given.start_late is None else whole(of("start_late"), given.start_late),
        initial_load=[whole(of("initial_load"), each) for each in given.initial_load or (0.0,) * len(given.capacity)]
        + [0] * len(more),
        reload_depots=list(given.reload_depots),
        **limits,
        **costs,
    )


def _too_far(instance: Instance) -> int:
    """Return a distance that is longer than any route, for ways that are forbidden.

    PyVRP's largest would do, but may keep its search from coming to an end, as may our largest, which stands for no way
    as well.
    """
    known = [np.where(each >= LARGEST, 0.0, each) for each in map(instance.distances_of, _profiles(instance))]
    longest = np.maximum.reduce([each.max(axis=1) for each in known])
    of_depots = longest[: instance.depots].max()
    total = float(longest.sum()) + 2.0 * (instance.customers + 1) * float(of_depots)
    return int(min(FORBIDDEN, 1 + math.ceil(total)))


def _profiles(instance: Instance) -> set[int]:
    return {each.profile for each in instance.types}


def _matrices(
    instance: Instance, whole: _Whole, given: VehicleType, open_routes: bool, too_far: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return distances and driving times of a vehicle type."""
    distances = whole.array("a distance", instance.distances_of(given.profile)).copy()
    if instance.backhauls_last or given.allowed_customers is not None:
        np.minimum(distances, too_far, out=distances)
    plain = instance.durations_of(given.profile)
    durations = whole.array("a duration", plain if given.speed == 1 else plain / given.speed).copy()
    count = len(distances)
    if open_routes:
        distances, durations = (np.pad(each, ((0, 1), (0, 1))) for each in (distances, durations))
    if given.allowed_customers is not None:
        shut = sorted(set(instance.customer_nodes) - set(given.allowed_customers))
        distances[shut] = too_far
        distances[:, shut] = too_far
    if instance.backhauls_last and instance.pickups is not None:
        collects = (instance.pickups != 0).reshape(len(instance.pickups), -1).any(axis=1)
        back, line = np.flatnonzero(collects), instance.depots + np.flatnonzero(~collects[instance.depots :])
        starts = [*range(instance.depots), *([count] if open_routes else [])]
        distances[np.ix_(starts, back)] = too_far
        distances[np.ix_(back, line)] = too_far
    np.fill_diagonal(distances, 0)
    return distances, durations


def to_pyvrp_solution(instance: Instance, data: Any, routes: Sequence[Sequence[int]], types: Sequence[int]) -> Any:
    """Return a solution by node numbers as one of PyVRP, which then judges it.

    A node with several windows is visited in those that make the route feasible, if any do, and then cheapest.

    Parameters
    ----------
    instance
        The instance.
    data
        What `to_pyvrp` made of it, or what it came from.
    routes
        The nodes of each route, reloads among them. Routes without customers are left out.
    types
        The vehicle type of each route.

    Raises
    ------
    InputError
        When there is no such node or vehicle type, or PyVRP does not accept the solution, infeasible as it may be: if
        somebody is visited twice, a pair is torn, or there are too many vehicles or trips. Also if a route reloads
        where its vehicle type may not, which PyVRP does not look at.
    """
    pyvrp = _pyvrp()
    tours, vehicles = _known(instance, routes, types)
    numbering = _Numbering.of(instance)
    clients: dict[int, list[int]] = {}
    for place, (node, _) in enumerate(numbering.clients):
        clients.setdefault(node, []).append(place)
    ends: dict[int, tuple[int, int]] = {
        node: (number, which) for number, pair in enumerate(numbering.pairs) for which, node in enumerate(pair)
    }
    kinds = pyvrp.ActivityType

    def choices(node: int) -> list[Any]:
        if node < instance.depots:
            return [pyvrp.Activity(kinds.DEPOT, node)]
        if node in ends:
            number, which = ends[node]
            return [pyvrp.Activity(kinds.DELIVERY if which else kinds.PICKUP, number)]
        return [pyvrp.Activity(kinds.CLIENT, place) for place in clients[node]]

    def judged(visits: Sequence[Any], kind: int) -> Any:
        return pyvrp.Route(data, list(visits), kind)

    made = []
    try:
        for nodes, kind in zip(tours, vehicles, strict=True):
            ways = itertools.islice(itertools.product(*map(choices, nodes)), MOST_CHOICES)
            found = (judged(way, kind) for way in ways)
            made.append(min(found, key=lambda route: (not route.is_feasible(), _cost(route))))
        return pyvrp.Solution(data, made)
    except (RuntimeError, ValueError) as error:
        raise InputError(
            f"{shortened(instance.name, VALUE)}: PyVRP does not accept the routes: {reason_of(error)} Expected some "
            "that it can judge; dacalns.check says all that is wrong with them."
        ) from None


def _known(
    instance: Instance, routes: Sequence[Sequence[int]], types: Sequence[int]
) -> tuple[list[list[int]], list[int]]:
    """Return the routes with customers and their vehicle types, after a look at whether all of these exist."""
    most = instance.depots + instance.customers - 1
    try:
        given = [[*route] for route in routes], [*types]
    except TypeError:
        raise InputError(
            f"routes is {shown(routes)} and types is {shown(types)}; expected lists; give those of a result."
        ) from None
    if len(given[0]) != len(given[1]):
        raise InputError(
            f"types has {len(given[1])} entries, and there are {len(given[0])} routes; expected one for each; give as "
            "many."
        )
    tours, vehicles = [], []
    for number, (route, kind) in enumerate(zip(*given, strict=True), start=1):
        nodes = [whole_number(f"a node of route {number}", node, minimum=0, maximum=most) for node in route]
        vehicle = whole_number(f"types of route {number}", kind, minimum=0, maximum=len(instance.types) - 1)
        allowed = instance.types[vehicle].reload_depots
        for node in nodes:
            if allowed and node < instance.depots and node not in allowed:  # PyVRP looks at how often it reloads alone
                raise InputError(
                    f"route {number} reloads at depot {node}, which vehicle type {vehicle} may not; expected one of "
                    f"{listed(allowed)}; leave it out."
                )
        if any(node >= instance.depots for node in nodes):
            tours.append(nodes)
            vehicles.append(vehicle)
    return tours, vehicles


def _cost(route: Any) -> int:
    return int(route.distance_cost() + route.duration_cost())
