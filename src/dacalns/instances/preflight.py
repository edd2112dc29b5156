"""Tell before the search how many vehicles an instance needs, and why it has no solution."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from dacalns.instances.features import (
    BACKHAULS_LAST,
    DEPOT_SERVICE,
    GROUPS,
    PAIRS,
    PICKUPS,
    PRIORITIES,
    PRIZES,
    RELEASE_TIMES,
    WINDOWS,
)
from dacalns.instances.instance import Instance
from dacalns.instances.rich_preflight import required_amount, rich_reasons, trips
from dacalns.util.clock import clock_text
from dacalns.util.errors import InfeasibleInstanceError
from dacalns.util.shown import VALUE, shortened
from dacalns.util.tolerance import time_tolerance, tolerance
from dacalns.util.values import number_text

# How many vehicles an instance needs at least.

BoolArray = npt.NDArray[np.bool_]

# With more customers, comparing all pairs over all ways between them takes too long for what it tells.
MOST_COMPARED = 400
# How many customers are tried as the first of a group.
SEEDS = 20


def fleet_bound(instance: Instance) -> int:
    """Return a number of vehicles that no solution can do with fewer than, at least 1.

    For a CVRP or VRPTW, the larger of two bounds: the total demand in units of a vehicle's capacity; and, up to 400
    customers, the size of a group no two of whom fit into one route, because their demands are too large together or
    because neither can be reached in time after the other. For other problems, these bounds as far as they hold.

    Parameters
    ----------
    instance
        The problem; its fleet is ignored.
    """
    if not instance.is_plain:
        return max(1, _rich_bound(instance))
    needed = vehicles_for(float(instance.demands.sum()), instance.capacity)
    apart = _largest_group(_conflicts(instance)) if instance.customers <= MOST_COMPARED else 1
    return max(1, needed, apart)


def _rich_bound(instance: Instance) -> int:
    """Return how many vehicles those who must be served need, by their loads and by their windows."""
    largest = np.max([np.array(kind.capacity) * trips(kind) for kind in instance.types], axis=0)
    totals = [required_amount(instance, each) for each in (instance.demands, instance.pickups) if each is not None]
    needed = max(
        vehicles_for(float(total), float(capacity))
        for each in totals
        for total, capacity in zip(each, largest, strict=True)
    )
    if instance.vehicle_types or instance.features - TIMED_ALIKE or instance.customers > MOST_COMPARED:
        return needed
    return max(needed, _largest_group(_too_late(instance)[np.ix_(*[instance.required[1:]] * 2)]))


TIMED_ALIKE = frozenset(
    {WINDOWS, PAIRS, PICKUPS, PRIZES, PRIORITIES, GROUPS, RELEASE_TIMES, BACKHAULS_LAST, DEPOT_SERVICE}
)
"""The features that leave a proof valid which goes by the windows of one depot and of all nodes, each with one."""


def _conflicts(instance: Instance) -> BoolArray:
    """Return True for each two customers who cannot be in one route."""
    demands = instance.demands[1:]
    too_large: BoolArray = demands[:, None] + demands > instance.capacity + tolerance(instance.capacity)
    np.fill_diagonal(too_large, False)
    return too_large | _too_late(instance)


def _too_late(instance: Instance) -> BoolArray:
    """Return True for each two customers of whom neither can be reached in time after the other."""
    windows = instance.scaled_windows
    too_late = np.zeros((instance.customers, instance.customers), dtype=np.bool_)
    if windows is not None:
        service, (opens, closes) = instance.scaled_service, windows.T
        # Others may be visited on the way, which is faster where distances break the triangle inequality.
        way = instance.distances.copy()
        for stop in range(1, instance.customers + 1):
            np.minimum(way, way[:, stop, None] + service[stop] + way[stop], out=way)
        earliest = np.maximum(opens, opens[0] + way[0])
        still = closes + time_tolerance(opens[0], closes)
        latest = np.minimum(still, still[0] - way[:, 0] - service)
        # Backwards from a late end, which is far larger than a time may be, differences err by more.
        in_time = (earliest + service)[:, None] + way <= latest + tolerance(still[0])
        too_late = ~(in_time | in_time.T)[1:, 1:]
    np.fill_diagonal(too_late, False)
    return too_late


def _largest_group(conflicts: BoolArray) -> int:
    """Return the size of a large set of customers who are all in conflict, found greedily from several beginnings."""
    if not len(conflicts):
        return 0
    largest = 1
    degrees = conflicts.sum(axis=1)
    for seed in np.argsort(-degrees, kind="stable")[:SEEDS]:
        size, others = 1, np.flatnonzero(conflicts[seed])
        while len(others):
            among = conflicts[np.ix_(others, others)]
            chosen = int(among.sum(axis=1).argmax())
            size, others = size + 1, others[among[chosen]]
        largest = max(largest, size)
    return largest


# Tell before the search why an instance has no solution.

FloatArray = npt.NDArray[np.float64]

# The characters of a message that reasons may take; the name and the words around them take the rest.
ROOM = 200


def preflight(instance: Instance) -> list[str]:
    """Look for reasons why no solution can be feasible.

    Every reason is a proof; that there is none proves nothing.

    Parameters
    ----------
    instance
        What to look at.

    Returns
    -------
    list
        One sentence for each reason, in the units of the file.
    """
    if not instance.is_plain:
        return rich_reasons(instance)
    return [*_capacity_reasons(instance), *_window_reasons(instance), *_fleet_reasons(instance)]


def require_feasible(instance: Instance) -> None:
    """Stop when the pre-flight finds a reason why no solution can be feasible.

    Raises
    ------
    InfeasibleInstanceError
        With the first few reasons.
    """
    reasons = preflight(instance)
    if reasons:
        raise InfeasibleInstanceError(
            f"{shortened(instance.name, VALUE)} has no feasible solution: {_first_few(reasons)}."
        )


def _first_few(reasons: list[str]) -> str:
    """Return as many reasons as a message has room for, and how many more there are."""
    told = reasons[0].rstrip(".")
    for shown, reason in enumerate(reasons[1:], start=1):
        if len(told) + len(reason) > ROOM:
            left = len(reasons) - shown
            return f"{told}; and {left} more reason{'s' * (left > 1)}"
        told += f"; {reason.rstrip('.')}"
    return told


def _capacity_reasons(instance: Instance) -> list[str]:
    over = np.flatnonzero(instance.demands > instance.capacity + tolerance(instance.capacity))
    return [
        f"Customer {instance.name_of(int(customer))} demands {number_text(instance.demands[customer])}, more than the "
        f"capacity of {number_text(instance.capacity)}."
        for customer in over
    ]


def _fleet_reasons(instance: Instance) -> list[str]:
    if instance.fleet is None:
        return []
    total = float(instance.demands.sum())
    needed = vehicles_for(total, instance.capacity)
    if needed > instance.fleet:
        return [
            f"The total demand of {number_text(total)} needs {needed} vehicles of capacity "
            f"{number_text(instance.capacity)}, more than the fleet of {instance.fleet}."
        ]
    large = int((instance.demands > (instance.capacity + tolerance(instance.capacity)) / 2).sum())
    if large > instance.fleet:
        return [
            f"{large} customers demand more than half of the capacity each, so that no two of them share a "
            f"route, and the fleet is {instance.fleet}."
        ]
    return []


def vehicles_for(total: float, capacity: float) -> int:
    """Return how many vehicles a total demand needs, each as full as the checker allows."""
    # Of a capacity near the smallest double no whole number of vehicles would be enough.
    needed = min(total / (capacity + float(tolerance(capacity))), 2.0**53)
    return math.ceil(needed * (1 - 1e-12))  # the total is a sum, too


def _window_reasons(instance: Instance) -> list[str]:
    windows = instance.scaled_windows
    if windows is None:
        return []
    service = instance.scaled_service
    opens, closes = windows.T
    arrival = opens[0] + instance.distances_from(0)
    back = np.maximum(arrival, opens) + service + instance.distances_to(0)
    latest = closes + time_tolerance(opens[0], closes)
    if not ((arrival > latest).any() or (back > latest[0]).any()):
        return []
    # Rounded or explicit distances may break the triangle inequality: only the fastest way, over other
    # customers where that is faster, proves anything. It costs a pass over the matrix, and hardly any
    # instance comes to this.
    arrival = _fastest(instance.distances_from, opens, latest, service)
    always = np.full_like(closes, np.inf)
    return_time = _fastest(instance.distances_to, np.zeros_like(opens), always, service)
    back = np.maximum(arrival, opens) + return_time + service
    reasons = []
    for customer in range(1, instance.customers + 1):
        if arrival[customer] > latest[customer]:
            reasons.append(
                f"Customer {instance.name_of(customer)} cannot be reached in time: the earliest arrival is at "
                f"{_time(instance, arrival[customer])} and its window closes at "
                f"{_time(instance, closes[customer])}."
            )
        elif back[customer] > latest[0]:
            reasons.append(
                f"From customer {instance.name_of(customer)} the depot cannot be regained in time: the earliest "
                f"return is at {_time(instance, back[customer])} and the depot closes at {_time(instance, closes[0])}."
            )
    return reasons


def _time(instance: Instance, scaled: float) -> str:
    return clock_text(float(scaled) / instance.scale, instance.time_unit)


def _fastest(
    distances: Callable[[int], FloatArray], opens: FloatArray, latest: FloatArray, service: FloatArray
) -> FloatArray:
    """Return the earliest arrival at each node from the depot, over any other nodes, by Dijkstra's method.

    Without windows this is the shortest time, with service on the way but neither at the start nor at the
    end; that makes it, with the distances to a node, the shortest time of return.
    """
    nodes = len(service)
    arrival: FloatArray = opens[0] + distances(0)
    settled = np.zeros(nodes, dtype=bool)
    settled[0] = True
    for _ in range(nodes - 1):
        node = int(np.argmin(np.where(settled, np.inf, arrival)))
        settled[node] = True
        if arrival[node] <= latest[node]:
            leave = max(arrival[node], opens[node]) + service[node]
            np.minimum(arrival, leave + distances(node), out=arrival)
    return arrival
