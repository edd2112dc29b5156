"""The routing library of Google OR-Tools as a peer."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dacalns.bench.peers.peer import Answer, Trajectory, installed_version, not_whole, too_large, unknown_features
from dacalns.instances import Instance
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
    RESTRICTIONS,
    SHIFTS,
    STOP_LIMITS,
    VEHICLE_TYPES,
    WINDOWS,
)
from dacalns.instances.fields import FloatArray
from dacalns.instances.parts import UNLIMITED, VehicleType

# What the model below states, one by one: a feature that is new to the package is not among them.
FEATURES = frozenset(
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
        RESTRICTIONS,
        SHIFTS,
        STOP_LIMITS,
        VEHICLE_TYPES,
        WINDOWS,
    }
)
# These are our matrix, the same as integers and as lists of Python's integers, and the library's copies; times as well.
BYTES_PER_PAIR = 96


@dataclass(frozen=True)
class OrTools:
    """OR-Tools routing with the settings that its guide recommends: guided local search until the time is up.

    The first solution is by savings. On the Augerat and Solomon instances this is no worse in the end than parallel
    cheapest insertion, and it finds a solution where the automatic choice does not (R105). If the fleet is tight it may
    be the other way round (P-n50-k8); so if savings find no solution, the rest of the time goes to the automatic
    choice. Nothing in it is random, so a seed changes nothing.
    """

    key: str = "ortools"
    name: str = "OR-Tools"
    seeded: bool = False

    def version(self) -> str | None:
        """Return the installed version; None if it is not installed."""
        return installed_version("ortools")

    def refuses(self, instance: Instance) -> str | None:
        """Refuse features that the model below does not have, what is not whole, or does not fit the memory."""
        return (
            unknown_features(instance, FEATURES)
            or not_whole(instance)
            or too_large(instance, BYTES_PER_PAIR)
            or _unsayable(instance)
        )

    def prepare(self, instance: Instance, seconds: float, seed: int) -> Callable[[], Answer]:  # noqa: ARG002
        """Build and close the model, and return the call that solves it."""
        from ortools.constraint_solver import pywrapcp, routing_enums_pb2

        fleet = _Fleet(instance)
        nodes = len(instance.demands) + fleet.is_open
        manager = pywrapcp.RoutingIndexManager(nodes, len(fleet.vehicles), fleet.starts, fleet.ends)
        routing = pywrapcp.RoutingModel(manager)
        if instance.is_plain:
            _add_plain_rules(routing, manager, instance)
        else:
            _Rules(routing, manager, instance, fleet, pywrapcp).add()
        parameters = pywrapcp.DefaultRoutingSearchParameters()
        parameters.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
        parameters.time_limit.FromMilliseconds(max(1, round(1000 * seconds)))
        strategies = routing_enums_pb2.FirstSolutionStrategy
        routing.CloseModelWithParameters(parameters)

        def run() -> Answer:
            began = time.perf_counter()
            trajectory: Trajectory = []

            def note() -> None:
                cost = routing.CostVar().Max() / instance.scale
                if not trajectory or cost < trajectory[-1][1]:
                    trajectory.append((time.perf_counter() - began, cost))

            routing.AddAtSolutionCallback(note)
            for strategy in (strategies.SAVINGS, strategies.AUTOMATIC):
                left = seconds - (time.perf_counter() - began)
                if left <= 0:
                    break
                parameters.first_solution_strategy = strategy
                parameters.time_limit.FromMilliseconds(max(1, round(1000 * left)))
                found = routing.SolveWithParameters(parameters)
                if found is not None:
                    cost = found.ObjectiveValue() / instance.scale
                    routes, vehicles = _routes(routing, manager, found)
                    return Answer(routes, cost, trajectory, [fleet.vehicles[each] for each in vehicles])
            return Answer([], None, trajectory)

        return run


def enough_vehicles(instance: Instance) -> int:
    """Return the fleet; if it is free, what HGS-CVRP allows itself, or a vehicle for every customer of a VRPTW.

    The library is slower with many vehicles that are not needed.
    """
    if instance.fleet is not None:
        return instance.fleet
    if instance.windows is not None:
        return instance.customers
    least = float(instance.demands.sum()) / instance.capacity
    return min(instance.customers, math.ceil(1.3 * least) + 3)


def _add_plain_rules(routing: Any, manager: Any, instance: Instance) -> None:
    distances = routing.RegisterTransitMatrix(instance.distances.astype(int).tolist())
    routing.SetArcCostEvaluatorOfAllVehicles(distances)
    demands = routing.RegisterUnaryTransitVector(instance.demands.astype(int).tolist())
    routing.AddDimension(demands, 0, math.floor(instance.capacity), True, "load")
    if instance.scaled_windows is None:
        return
    windows = instance.scaled_windows.astype(int).tolist()
    # Service begins within a window, so the duration of a leg is the service before it plus the drive.
    durations = (instance.distances + instance.scaled_service[:, None]).astype(int)
    horizon = windows[0][1]
    routing.AddDimension(routing.RegisterTransitMatrix(durations.tolist()), horizon, horizon, False, "time")
    clock = routing.GetDimensionOrDie("time")
    for customer in range(1, instance.customers + 1):
        clock.CumulVar(manager.NodeToIndex(customer)).SetRange(*windows[customer])
    for vehicle in range(routing.vehicles()):
        clock.CumulVar(routing.Start(vehicle)).SetRange(*windows[0])
        clock.CumulVar(routing.End(vehicle)).SetRange(*windows[0])


def _unsayable(instance: Instance) -> str | None:
    """Return what the model below cannot say, though it has all of an instance's features; None if it says all."""
    grouped = [node for group in instance.groups for node in group.customers]
    if instance.prizes is not None and instance.prizes[grouped].any():
        return "customers in groups have prizes of their own"
    costs = ("fixed_cost", "unit_distance_cost", "unit_duration_cost", "unit_overtime_cost")
    numbers = [getattr(each, name) for each in instance.scaled_types for name in costs]
    if any(number != math.floor(number) for number in numbers):
        return "costs of vehicles are not whole numbers"
    return None


class _Fleet:
    """The vehicles of an instance one by one, as the library wants them: their types, and where they start and end.

    Where routes need no depot, they have one that is at no distance from anywhere: a node behind all others.
    """

    def __init__(self, instance: Instance) -> None:
        types = instance.types
        numbers = [
            (enough_vehicles(instance) if instance.is_plain else instance.customers)
            if each.num_available is None
            else each.num_available
            for each in types
        ]
        numbers = [min(number, instance.customers) for number in numbers]
        self.is_open = any(None in (each.start_depot, each.end_depot) for each in types)
        self.vehicles = [kind for kind, number in enumerate(numbers) for _ in range(number)]
        nowhere = len(instance.demands)
        starts = [nowhere if each.start_depot is None else each.start_depot for each in types]
        ends = [nowhere if each.end_depot is None else each.end_depot for each in types]
        self.starts = [starts[kind] for kind in self.vehicles]
        self.ends = [ends[kind] for kind in self.vehicles]


class _Rules:
    """All that a rich instance asks for, in words of the library; amounts and times are in scaled units."""

    def __init__(self, routing: Any, manager: Any, instance: Instance, fleet: _Fleet, library: Any) -> None:
        self.routing, self.manager, self.instance, self.fleet = routing, manager, instance, fleet
        self.library = library
        self.types = instance.scaled_types
        self.count = len(instance.demands)
        self.index = [manager.NodeToIndex(node) if node >= instance.depots else -1 for node in range(self.count)]

    def of_vehicles(self) -> Iterator[tuple[int, VehicleType]]:
        """Yield each vehicle with its type."""
        for vehicle, kind in enumerate(self.fleet.vehicles):
            yield vehicle, self.types[kind]

    def add(self) -> None:
        """Add everything."""
        self._add_distances()
        self._add_times()
        self._add_loads()
        self._add_visits()

    def _matrix(self, values: FloatArray) -> list[list[int]]:
        """Return whole numbers between all nodes, and nothing to and from the depot of open routes."""
        if self.fleet.is_open:
            values = np.pad(values, ((0, 1), (0, 1)))
        whole: list[list[int]] = values.astype(np.int64).tolist()
        return whole

    def _add_distances(self) -> None:
        routing, instance = self.routing, self.instance
        lengths = {
            profile: routing.RegisterTransitMatrix(self._matrix(instance.distances_of(profile)))
            for profile in {each.profile for each in self.types}
        }
        costs = [
            routing.RegisterTransitMatrix(self._matrix(instance.distances_of(each.profile) * each.unit_distance_cost))
            for each in self.types
        ]
        for vehicle, each in self.of_vehicles():
            routing.SetArcCostEvaluatorOfVehicle(costs[self.fleet.vehicles[vehicle]], vehicle)
            routing.SetFixedCostOfVehicle(int(each.fixed_cost), vehicle)
        if any(each.max_distance < UNLIMITED for each in self.types):
            most = int(sum(instance.distances_of(profile).max(axis=1).sum() for profile in lengths)) + 1
            limits = [
                most if each.max_distance == UNLIMITED else int(each.max_distance) for _, each in self.of_vehicles()
            ]
            transits = [lengths[each.profile] for _, each in self.of_vehicles()]
            routing.AddDimensionWithVehicleTransitAndCapacity(transits, 0, limits, True, "distance")
        if any(each.max_stops < UNLIMITED for each in self.types):
            stops = [int(min(each.max_stops, instance.customers)) for _, each in self.of_vehicles()]
            visits = [0] * instance.depots + [1] * instance.customers + [0] * self.fleet.is_open
            one = routing.RegisterUnaryTransitVector(visits)
            routing.AddDimensionWithVehicleCapacity(one, 0, stops, True, "stops")

    @cached_property
    def _horizon(self) -> int:
        """A time by which everybody could be home, whoever waits for whom."""
        instance = self.instance
        times = (
            [0.0] if instance.scaled_windows is None else instance.scaled_windows[np.isfinite(instance.scaled_windows)]
        )
        begins = [*times, *(each.tw_early for each in self.types)]
        begins += [each.tw_late for each in self.types if each.tw_late < UNLIMITED]
        slowest = min(each.speed for each in self.types)
        longest = max(float(instance.durations_of(each.profile).max()) for each in self.types) / slowest
        return int(max(begins) + (instance.customers + 2) * (longest + float(instance.scaled_service.max()))) + 1

    def _add_times(self) -> None:
        routing, instance = self.routing, self.instance
        windows = instance.scaled_windows
        limits = ("tw_late", "shift_duration")
        costly = ("tw_early", "unit_duration_cost", "unit_overtime_cost", "start_late")
        if windows is None and not any(
            any(getattr(each, name) < UNLIMITED for name in limits) or any(getattr(each, name) for name in costly)
            for each in self.types
        ):
            return
        transits = []
        for each in self.types:
            driven = instance.durations_of(each.profile) / each.speed
            transits.append(routing.RegisterTransitMatrix(self._matrix(driven + instance.scaled_service[:, None])))
        horizon = self._horizon
        of_each = [transits[kind] for kind in self.fleet.vehicles]
        routing.AddDimensionWithVehicleTransits(of_each, horizon, horizon, False, "time")
        clock = routing.GetDimensionOrDie("time")
        if windows is not None:
            for node in instance.customer_nodes:
                clock.CumulVar(self.index[node]).SetRange(int(windows[node][0]), int(min(windows[node][1], horizon)))
        for vehicle, each in self.of_vehicles():
            kind = instance.types[self.fleet.vehicles[vehicle]]
            by = each.tw_late if each.start_late is None else min(each.tw_late, each.start_late)
            for variable, depot, late in (
                (clock.CumulVar(routing.Start(vehicle)), kind.start_depot, by),
                (clock.CumulVar(routing.End(vehicle)), kind.end_depot, each.tw_late),
            ):
                early = each.tw_early
                if windows is not None and depot is not None:
                    early, late = max(early, windows[depot][0]), min(late, windows[depot][1])
                variable.SetRange(int(early), int(min(late, horizon)))
                routing.AddVariableMinimizedByFinalizer(variable)
            if each.unit_duration_cost:
                clock.SetSpanCostCoefficientForVehicle(int(each.unit_duration_cost), vehicle)
            if each.shift_duration < UNLIMITED:
                longest = each.shift_duration + each.max_overtime
                clock.SetSpanUpperBoundForVehicle(int(min(longest, horizon)), vehicle)
                if each.max_overtime and each.unit_overtime_cost:
                    bound = self.library.BoundCost(int(each.shift_duration), int(each.unit_overtime_cost))
                    clock.SetSoftSpanUpperBoundForVehicle(bound, vehicle)

    def _add_loads(self) -> None:
        """Add what is on board: the deliveries that are left, what was picked up, and the goods of pairs."""
        routing, instance = self.routing, self.instance
        demands = instance.demands.reshape(self.count, -1).astype(np.int64)
        taken = np.zeros_like(demands)
        if instance.pickups is not None:
            taken += instance.pickups.reshape(self.count, -1).astype(np.int64)
        pairs = [] if instance.pairs is None else instance.pairs.tolist()
        drops = demands.copy()
        for pickup, delivery in pairs:
            drops[pickup] = 0
            taken[pickup], taken[delivery] = demands[pickup], -demands[pickup]
        nobody = [0] * self.fleet.is_open
        for k in range(demands.shape[1]):
            holds = [int(each.capacity[k]) if each.capacity else 0 for _, each in self.of_vehicles()]
            begun = [int(each.initial_load[k]) if each.initial_load else 0 for _, each in self.of_vehicles()]
            brought = routing.RegisterUnaryTransitVector(drops[:, k].tolist() + nobody)
            if not taken[:, k].any() and not any(begun):
                routing.AddDimensionWithVehicleCapacity(brought, 0, holds, True, f"brought {k}")
                continue
            net = routing.RegisterUnaryTransitVector((taken[:, k] - drops[:, k]).tolist() + nobody)
            routing.AddDimensionWithVehicleCapacity(brought, 0, holds, True, f"brought {k}")
            routing.AddDimensionWithVehicleCapacity(net, 0, holds, False, f"aboard {k}")
            total, aboard = (routing.GetDimensionOrDie(f"{word} {k}") for word in ("brought", "aboard"))
            for vehicle, initial in enumerate(begun):
                at_start = aboard.CumulVar(routing.Start(vehicle))
                routing.solver().Add(at_start == total.CumulVar(routing.End(vehicle)) + initial)

    def _add_visits(self) -> None:
        """Add who may be left out, who excludes whom, who comes before whom, and who may serve whom."""
        routing, instance = self.routing, self.instance
        grouped = {node for group in instance.groups for node in group.customers}
        for group in instance.groups:
            members = [self.index[node] for node in group.customers]
            routing.AddDisjunction(members, *([] if group.required else [0]))
        seconds = set() if instance.pairs is None else set(instance.pairs[:, 1].tolist())
        prizes = np.zeros(self.count) if instance.scaled_prizes is None else instance.scaled_prizes
        for node in instance.customer_nodes:
            if not instance.required[node] and node not in grouped:
                routing.AddDisjunction([self.index[node]], 0 if node in seconds else int(prizes[node]))
        self._add_pairs()
        if any(each.allowed_customers is not None for each in instance.types):
            allowed = [
                set(instance.customer_nodes) if each.allowed_customers is None else set(each.allowed_customers)
                for each in instance.types
            ]
            for node in instance.customer_nodes:
                may = [vehicle for vehicle, kind in enumerate(self.fleet.vehicles) if node in allowed[kind]]
                routing.VehicleVar(self.index[node]).SetValues([-1, *may])
        if instance.backhauls_last:
            assert instance.pickups is not None
            back = [node for node in instance.customer_nodes if np.any(instance.pickups[node])]
            line = [node for node in instance.customer_nodes if node not in set(back)]
            for node in back:
                routing.NextVar(self.index[node]).RemoveValues([self.index[other] for other in line])
            for vehicle, _ in self.of_vehicles():
                routing.NextVar(routing.Start(vehicle)).RemoveValues([self.index[node] for node in back])

    def _add_pairs(self) -> None:
        routing, instance = self.routing, self.instance
        if instance.pairs is None:
            return
        order = routing.RegisterUnaryTransitVector([1] * (self.count + self.fleet.is_open))
        routing.AddDimension(order, 0, self.count + 1, True, "order")
        place = routing.GetDimensionOrDie("order")
        solver = routing.solver()
        for pickup, delivery in instance.pairs.tolist():
            first, then = self.index[pickup], self.index[delivery]
            routing.AddPickupAndDelivery(first, then)
            solver.Add(routing.VehicleVar(first) == routing.VehicleVar(then))
            solver.Add(place.CumulVar(first) <= place.CumulVar(then))


def _routes(routing: Any, manager: Any, found: Any) -> tuple[list[list[int]], list[int]]:
    """Return the routes, and the vehicle of each."""
    routes, vehicles = [], []
    for vehicle in range(routing.vehicles()):
        route = []
        place = found.Value(routing.NextVar(routing.Start(vehicle)))
        while not routing.IsEnd(place):
            route.append(manager.IndexToNode(place))
            place = found.Value(routing.NextVar(place))
        if route:
            routes.append(route)
            vehicles.append(vehicle)
    return routes, vehicles
