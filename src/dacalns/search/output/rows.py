"""A plan as rows: one for each stop and one for each route, measured as the checker measures them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from dacalns.instances import Instance
from dacalns.search.measure import distance, scaled
from dacalns.search.rich_checker import measured_routes
from dacalns.search.route_plan import Figures, Measured
from dacalns.search.schedule import Visit

START, CUSTOMER, PICKUP, DELIVERY, RELOAD, END = "start", "customer", "pickup", "delivery", "reload", "end"
"""The kinds of stops; pickups and deliveries are those of pairs."""


@dataclass(frozen=True)
class StopRow:
    """A stop, in file units.

    Parameters
    ----------
    route, sequence
        The route, from 1, and the place of the stop on it: 0 where it starts at a depot.
    vehicle
        The number of the vehicle type.
    kind
        ``start``, ``customer``, ``pickup``, ``delivery``, ``reload`` or ``end``.
    name, node
        What the place is called, and the number of its node.
    arrival, waiting, start, departure
        When the vehicle arrives, how long it waits, when service or loading starts, and when it leaves.
    slack
        How much later the vehicle could arrive here without breaking a limit here or further on; infinite where no
        limit could be broken. Where the route starts, how much later it could start.
    load
        What is on board when it leaves, in each load dimension.
    distance, travelled
        The distance from the stop before, and from the start of the route.
    cost
        What the route costs from the departure from the stop before to the departure from this one. A vehicle's fixed
        cost is at its first stop, overtime at its last.
    """

    route: int
    sequence: int
    vehicle: int
    kind: str
    name: str
    node: int
    arrival: float
    waiting: float
    start: float
    departure: float
    slack: float
    load: list[float]
    distance: float
    travelled: float
    cost: float


@dataclass(frozen=True)
class RouteRow:
    """A route, in file units.

    Parameters
    ----------
    route, vehicle
        The route, from 1, and the number of its vehicle type.
    customers, trips
        How many customers it visits, and how often it loads: 1 without reloads.
    start, end
        When it starts and ends.
    distance, duration, waiting, service, overtime
        Its distance, its time from start to end, how much of that is waiting, how much is service and loading, and by
        how much it is longer than the shift.
    load
        The largest load at any time, in each load dimension.
    capacity
        The most that the vehicle could carry.
    costs
        The parts of its cost: ``fixed``, ``distance``, ``duration`` and ``overtime``.
    stops
        Its stops.
    """

    route: int
    vehicle: int
    customers: int
    trips: int
    start: float
    end: float
    distance: float
    duration: float
    waiting: float
    service: float
    overtime: float
    load: list[float]
    capacity: list[float]
    costs: dict[str, float]
    stops: list[StopRow]

    @property
    def cost(self) -> float:
        """What the route costs."""
        return math.fsum(self.costs.values())


def plan_rows(
    instance: Instance, routes: Sequence[Sequence[int]], types: Sequence[int], figures: Figures | None = None
) -> list[RouteRow]:
    """Return what each route does, with its stops.

    Parameters
    ----------
    instance
        The problem.
    routes, types
        The answer: customers and reloads of each route, and its vehicle type.
    figures
        Those of the instance, if they are at hand.
    """
    figures = Figures(instance) if figures is None else figures
    lists = [[*route] for route in routes]
    return [_row(figures, each) for each in measured_routes(instance, lists, types, figures)]


def _row(figures: Figures, measured: Measured) -> RouteRow:
    stops = _stops(figures, measured)
    schedule, factor, vehicle = measured.schedule, figures.scale, measured.vehicle
    depots = figures.instance.depots
    return RouteRow(
        route=measured.number,
        vehicle=measured.kind,
        customers=sum(node >= depots for node in measured.nodes),
        trips=sum(not at_depot for at_depot, _ in groupby(measured.nodes, key=lambda node: node < depots)),
        start=schedule.starts[0] / factor,
        end=schedule.departures[-1] / factor,
        distance=measured.distance / factor,
        duration=schedule.duration / factor,
        waiting=math.fsum(stop.waiting for stop in stops),
        service=math.fsum(visit.service for visit in measured.visits) / factor,
        overtime=measured.overtime / factor,
        load=measured.loads,
        capacity=[*vehicle.capacity, *[0.0] * figures.dimensions][: figures.dimensions],
        costs={part: cost / factor for part, cost in measured.costs.items()},
        stops=stops,
    )


def _stops(figures: Figures, measured: Measured) -> list[StopRow]:
    instance, factor, vehicle, schedule = figures.instance, figures.scale, measured.vehicle, measured.schedule
    latest = _latest_starts(figures, measured)
    rows: list[StopRow] = []
    left = schedule.starts[0]  # the time that is paid for already
    before: int | None = None
    travelled = 0.0
    last = max(at for at, place in enumerate(measured.places) if place is not None)
    for at, place in enumerate(measured.places):
        if place is None:
            continue
        leg = 0.0 if before is None else distance(instance, before, place, vehicle.profile)
        travelled += leg
        cost = vehicle.unit_distance_cost * leg + vehicle.unit_duration_cost * (schedule.departures[at] - left)
        cost += measured.costs["fixed"] * (not rows) + measured.costs["overtime"] * (at == last)
        arrival, start = schedule.arrivals[at], schedule.starts[at]
        rows.append(
            StopRow(
                route=measured.number,
                sequence=at,
                vehicle=measured.kind,
                kind=_kind(figures, measured, at, place),
                name=instance.name_of(place),
                node=place,
                arrival=arrival / factor,
                waiting=max(0.0, start - arrival) / factor,
                start=start / factor,
                departure=schedule.departures[at] / factor,
                slack=max(0.0, latest[at] - arrival) / factor,
                load=measured.on_board[at],
                distance=leg / factor,
                travelled=travelled / factor,
                cost=cost / factor,
            )
        )
        before, left = place, schedule.departures[at]
    return rows


def _kind(figures: Figures, measured: Measured, at: int, place: int) -> str:
    if at == 0:
        return START
    if at == len(measured.places) - 1:
        return END
    if place < figures.instance.depots:
        return RELOAD
    if place in figures.delivery_of:
        return PICKUP
    return DELIVERY if place in figures.pickup_of else CUSTOMER


def _latest_starts(figures: Figures, measured: Measured) -> list[float]:
    """The latest start of service at each visit with which no limit is broken there or further on.

    The vehicle could arrive until then: whoever arrives early waits, and nobody who leaves earlier arrives later. What
    the plan itself does counts as possible, lest the rounding of sums takes it for late.
    """
    visits, starts = measured.visits, measured.schedule.starts
    most = scaled(measured.vehicle.shift_duration + measured.vehicle.max_overtime, figures.scale)
    under_way = _backwards(visits, starts, starts[0] + most)
    # The route as a whole may start later. Where that leaves all waiting as it is or shortens it, the route takes no
    # more time than now; where a customer's window is missed, and the next one is waited for, it takes more.
    later = _backwards(visits, starts, math.inf)
    begin = min(later[0], _too_long_from(visits, starts[0], most))
    # Without a depot to start at, the route comes into being where its first customer is reached.
    return [begin, under_way[1] if measured.places[0] is not None else begin, *under_way[2:]]


def _backwards(visits: Sequence[Visit], starts: Sequence[float], end: float) -> list[float]:
    """The latest start of each visit with which the route ends no later than it may."""
    latest = [0.0] * len(visits)
    leave = end
    for at in range(len(visits) - 1, -1, -1):
        latest[at] = max(_last_within(visits[at], leave - visits[at].service), starts[at])
        leave = latest[at] - visits[at].travel
    return latest


def _last_within(visit: Visit, limit: float) -> float:
    """The latest start that is allowed, no later than a limit; minus infinity if there is none."""
    limit = min(limit, visit.latest)
    ends = ((max(opens, visit.earliest), min(closes, limit)) for opens, closes in visit.windows)
    return max((closes for opens, closes in ends if opens <= closes), default=-math.inf)


def _too_long_from(visits: Sequence[Visit], start: float, most: float) -> float:
    """The first start of the route behind which it would take more time than it may: that misses a window."""
    if math.isinf(most) or all(len(visit.windows) == 1 for visit in visits):
        return math.inf
    turns = {_latest_departure(visits, at, closes) for at, visit in enumerate(visits) for _, closes in visit.windows}
    for turn in sorted(turn for turn in turns if start <= turn < math.inf):
        if _end_just_after(visits, turn) - turn > most + _noise(most):
            return turn
    return math.inf


def _latest_departure(visits: Sequence[Visit], number: int, limit: float) -> float:
    """The latest departure with which a visit starts no later than a limit."""
    for at in range(number, -1, -1):
        limit = _last_within(visits[at], limit)
        if at:
            limit -= visits[at].travel + visits[at - 1].service
    return limit


def _end_just_after(visits: Sequence[Visit], departure: float) -> float:
    """When a route ends that starts a moment after a departure; infinity if it cannot."""
    reached = departure
    for at, visit in enumerate(visits):
        if at:
            reached += visit.travel
        reached = max(reached, visit.earliest)
        reached = min(
            (max(opens, reached) for opens, closes in visit.windows if reached < closes - _noise(closes)),
            default=math.inf,
        )
        if reached > visit.latest + _noise(visit.latest):
            return math.inf
        reached += visit.service
    return reached


def _noise(limit: float) -> float:
    return 1e-9 * max(1.0, abs(limit)) if math.isfinite(limit) else 0.0
