"""How many vehicles an instance needs at least."""

import numpy as np
import numpy.typing as npt

from dacalns.instances.instance import Instance
from dacalns.instances.preflight import vehicles_for
from dacalns.tolerance import time_tolerance, tolerance

BoolArray = npt.NDArray[np.bool_]

# With more customers, comparing all pairs over all ways between them takes too long for what it tells.
MOST_COMPARED = 400
# How many customers are tried as the first of a group.
SEEDS = 20


def fleet_bound(instance: Instance) -> int:
    """Return a number of vehicles that no solution can do with fewer than.

    The larger of two bounds: the total demand in units of a vehicle's capacity; and, up to 400 customers, the size of a
    group no two of whom fit into one route, because their demands are too large together or because neither can be
    reached in time after the other.

    Parameters
    ----------
    instance
        Its fleet is not looked at.
    """
    needed = vehicles_for(float(instance.demands.sum()), instance.capacity)
    apart = _largest_group(_conflicts(instance)) if instance.customers <= MOST_COMPARED else 1
    return max(1, needed, apart)


def _conflicts(instance: Instance) -> BoolArray:
    """Which two customers cannot be in one route."""
    demands = instance.demands[1:]
    too_large: BoolArray = demands[:, None] + demands > instance.capacity + tolerance(instance.capacity)
    windows = instance.scaled_windows
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
        too_large |= ~(in_time | in_time.T)[1:, 1:]
    np.fill_diagonal(too_large, False)
    return too_large


def _largest_group(conflicts: BoolArray) -> int:
    """The size of a large set of customers that are all in conflict, found greedily from several beginnings."""
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
