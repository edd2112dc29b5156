"""The routing library of Google OR-Tools as a peer."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dacalns.bench.peers.peer import Answer, Trajectory, installed_version, not_whole, too_large, unknown_features
from dacalns.instances import Instance
from dacalns.instances.features import WINDOWS

# The model below has these features.
FEATURES = frozenset({WINDOWS})
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
        return unknown_features(instance, FEATURES) or not_whole(instance) or too_large(instance, BYTES_PER_PAIR)

    def prepare(self, instance: Instance, seconds: float, seed: int) -> Callable[[], Answer]:  # noqa: ARG002
        """Build and close the model, and return the call that solves it."""
        from ortools.constraint_solver import pywrapcp, routing_enums_pb2

        manager = pywrapcp.RoutingIndexManager(instance.customers + 1, enough_vehicles(instance), 0)
        routing = pywrapcp.RoutingModel(manager)
        _add_rules(routing, manager, instance)
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
                    return Answer(_routes(routing, manager, found), cost, trajectory)
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


def _add_rules(routing: Any, manager: Any, instance: Instance) -> None:
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


def _routes(routing: Any, manager: Any, found: Any) -> list[list[int]]:
    routes = []
    for vehicle in range(routing.vehicles()):
        route = []
        place = found.Value(routing.NextVar(routing.Start(vehicle)))
        while not routing.IsEnd(place):
            route.append(manager.IndexToNode(place))
            place = found.Value(routing.NextVar(place))
        if route:
            routes.append(route)
    return routes
