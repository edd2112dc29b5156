"""What each route of a solution does: its stops and times, its loads, and what it costs, from the definitions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dacalns.instances import Instance
from dacalns.instances.fields import FloatArray
from dacalns.instances.parts import VehicleType
from dacalns.search.measure import distance, driving_time, scale, scaled
from dacalns.search.schedule import Schedule, Visit, Window, best_schedule


@dataclass(frozen=True)
class PlannedStop:
    """One stop of a route, in file units.

    Parameters
    ----------
    node
        The customer or depot.
    arrival, wait, start, departure
        When the vehicle arrives, how long it waits, when service or loading starts, and when the vehicle leaves.
    load
        What is on board when it leaves, in each load dimension; nothing where the route ends at a depot.
    """

    node: int
    arrival: float
    wait: float
    start: float
    departure: float
    load: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class RoutePlan:
    """What a route does, in file units. Its vehicle leaves when the route takes the least time.

    Parameters
    ----------
    vehicle_type
        The number of its vehicle type.
    start_depot, end_depot
        Where it starts and ends; None where that is at a customer.
    stops
        All stops in order, the depots among them.
    distance, duration, overtime
        Its distance, its time from start to end, and by how much that is longer than the shift.
    loads
        The largest load at any time, in each load dimension.
    costs
        The parts of its cost: ``fixed``, ``distance``, ``duration`` and ``overtime``.
    """

    vehicle_type: int
    start_depot: int | None
    end_depot: int | None
    stops: list[PlannedStop]
    distance: float
    duration: float
    overtime: float
    loads: list[float]
    costs: dict[str, float]

    @property
    def start(self) -> float:
        """When the route starts."""
        return self.stops[0].arrival if self.start_depot is None else self.stops[0].start

    @property
    def end(self) -> float:
        """When the route ends."""
        return self.stops[-1].departure

    @property
    def cost(self) -> float:
        """What the route costs."""
        return math.fsum(self.costs.values())


@dataclass(frozen=True)
class Measured:
    """A route in scaled units.

    Parameters
    ----------
    number
        The route, counted from 1.
    kind, vehicle
        The number of its vehicle type, and the type.
    nodes
        Customers and reloads in order.
    places
        The node of each visit of the schedule; None where the route starts or ends at a customer.
    visits, schedule
        The visits with their limits, and their times.
    distance, overtime
        Those of the route.
    on_board
        The loads with which each visit is left.
    costs
        The parts of its cost.
    """

    number: int
    kind: int
    vehicle: VehicleType
    nodes: list[int]
    places: list[int | None]
    visits: list[Visit]
    schedule: Schedule
    distance: float
    overtime: float
    on_board: list[list[float]]
    costs: dict[str, float]

    @property
    def loads(self) -> list[float]:
        """The largest load in each dimension."""
        return [max(amounts) for amounts in zip(*self.on_board, strict=True)]


class Figures:
    """The figures of an instance as plain numbers in scaled units.

    Parameters
    ----------
    instance
        The problem.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.scale = scale(instance)
        self.vehicles = instance.types
        nodes = instance.depots + instance.customers
        self.demands: list[list[float]] = instance.demands.reshape(nodes, -1).tolist()
        self.dimensions = len(self.demands[0])
        self.pickups = [[0.0] * self.dimensions] * nodes
        if instance.pickups is not None:
            self.pickups = instance.pickups.reshape(nodes, -1).tolist()
        self.services = [scaled(value, self.scale) for value in instance.service.tolist()]
        self.releases = self._per_node(instance.releases)
        self.prizes = self._per_node(instance.prizes)
        self.windows = self._windows(nodes)
        pairs = [] if instance.pairs is None else instance.pairs.tolist()
        self.delivery_of: dict[int, int] = dict(pairs)
        self.pickup_of: dict[int, int] = {delivery: pickup for pickup, delivery in pairs}

    def _per_node(self, values: FloatArray | None) -> list[float]:
        if values is None:
            return [0.0] * len(self.demands)
        return [scaled(value, self.scale) for value in values.tolist()]

    def _windows(self, nodes: int) -> list[tuple[Window, ...]]:
        if self.instance.windows is None:
            return [((0.0, math.inf),)] * nodes
        windows = [[(opens, closes)] for opens, closes in self.instance.windows.tolist()]
        for node, opens, closes in self.instance.more_windows:
            windows[node].append((opens, closes))
        return [tuple((scaled(a, self.scale), scaled(b, self.scale)) for a, b in sorted(own)) for own in windows]

    def in_pair(self, node: int) -> bool:
        """Tell whether a node is one of a pair."""
        return node in self.delivery_of or node in self.pickup_of

    def delivered(self, node: int) -> list[float]:
        """What is brought to a node from the depot."""
        return [0.0] * self.dimensions if self.in_pair(node) else self.demands[node]

    def change(self, node: int) -> list[float]:
        """By how much a stop changes the load."""
        if node in self.pickup_of:
            return [-amount for amount in self.demands[self.pickup_of[node]]]
        if node in self.delivery_of:
            return self.demands[node]
        return [more - less for more, less in zip(self.pickups[node], self.demands[node], strict=True)]


def measure_route(figures: Figures, number: int, nodes: Sequence[int], kind: int) -> Measured:
    """Measure a route: its distance, its best schedule, its loads and its costs.

    Parameters
    ----------
    figures
        The instance.
    number
        The number of the route in the solution, from 1.
    nodes
        Customers, and depots where it reloads.
    kind
        The number of its vehicle type.
    """
    instance, vehicle = figures.instance, figures.vehicles[kind]
    places = [vehicle.start_depot, *nodes, vehicle.end_depot]
    visits = _visits(figures, places, vehicle)
    schedule = best_schedule(visits)
    at_nodes = [place for place in places if place is not None]
    length = math.fsum(distance(instance, here, there, vehicle.profile) for here, there in pairwise(at_nodes))
    duration = schedule.duration
    overtime = max(0.0, duration - scaled(vehicle.shift_duration, figures.scale))
    costs = {
        "fixed": scaled(vehicle.fixed_cost, figures.scale),
        "distance": vehicle.unit_distance_cost * length,
        "duration": vehicle.unit_duration_cost * duration,
        "overtime": vehicle.unit_overtime_cost * overtime,
    }
    on_board = _on_board(figures, nodes, vehicle)
    return Measured(number, kind, vehicle, [*nodes], places, visits, schedule, length, overtime, on_board, costs)


def _visits(figures: Figures, places: list[int | None], vehicle: VehicleType) -> list[Visit]:
    """The visits of a route; one without a place where it starts or ends at a customer."""
    instance, depots = figures.instance, figures.instance.depots
    closes = scaled(vehicle.tw_late, figures.scale)
    leaves = closes if vehicle.start_late is None else scaled(vehicle.start_late, figures.scale)
    anytime: tuple[Window, ...] = ((0.0, math.inf),)
    visits = []
    for at, place in enumerate(places):
        first, last = at == 0, at == len(places) - 1
        earliest = scaled(vehicle.tw_early, figures.scale) if first else 0.0
        if first or (not last and place is not None and place < depots):
            earliest = max(earliest, _release(figures, places, at))
        before = None if first else places[at - 1]
        visits.append(
            Visit(
                windows=anytime if place is None else figures.windows[place],
                earliest=earliest,
                latest=leaves if first else closes if last else math.inf,
                service=0.0 if last or place is None else figures.services[place],
                travel=0.0 if before is None or place is None else driving_time(instance, vehicle, before, place),
            )
        )
    return visits


def _release(figures: Figures, places: list[int | None], at: int) -> float:
    """The latest release of the customers of the trip that leaves from a place."""
    latest = 0.0
    for place in places[at + 1 : -1]:
        if place is None or place < figures.instance.depots:
            break
        latest = max(latest, figures.releases[place])
    return latest


def _on_board(figures: Figures, nodes: Sequence[int], vehicle: VehicleType) -> list[list[float]]:
    """The loads after the start, after each customer and reload, and after the end."""
    initial = [*vehicle.initial_load, *[0.0] * figures.dimensions][: figures.dimensions]
    loads = [[*map(math.fsum, zip(initial, *_loaded(figures, nodes), strict=True))]]
    for at, node in enumerate(nodes):
        if node < figures.instance.depots:
            after = [math.fsum(amounts) for amounts in zip(*_loaded(figures, nodes[at + 1 :]), strict=True)]
            loads.append(after or [0.0] * figures.dimensions)
        else:
            loads.append([load + change for load, change in zip(loads[-1], figures.change(node), strict=True)])
    loads.append(loads[-1] if vehicle.end_depot is None else [0.0] * figures.dimensions)
    return loads


def _loaded(figures: Figures, nodes: Sequence[int]) -> list[list[float]]:
    """What is loaded at the depot for each customer of the trip that begins the nodes."""
    loaded = []
    for node in nodes:
        if node < figures.instance.depots:
            break
        loaded.append(figures.delivered(node))
    return loaded


def planned(measured: Measured, factor: int) -> RoutePlan:
    """Return what a route does in file units, which are ``factor`` times as large as scaled units."""
    schedule, vehicle = measured.schedule, measured.vehicle
    stops = [
        PlannedStop(
            node=place,
            arrival=arrival / factor,
            wait=max(0.0, start - arrival) / factor,
            start=start / factor,
            departure=departure / factor,
            load=load,
        )
        for place, arrival, start, departure, load in zip(
            measured.places, schedule.arrivals, schedule.starts, schedule.departures, measured.on_board, strict=True
        )
        if place is not None
    ]
    return RoutePlan(
        vehicle_type=measured.kind,
        start_depot=vehicle.start_depot,
        end_depot=vehicle.end_depot,
        stops=stops,
        distance=measured.distance / factor,
        duration=schedule.duration / factor,
        overtime=measured.overtime / factor,
        loads=measured.loads,
        costs={part: cost / factor for part, cost in measured.costs.items()},
    )
