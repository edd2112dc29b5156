"""What networks see of a rich problem and its solutions, beside what they see of a plain one.

The columns of a node, and the numbers on the search, are listed here, each with how it is filled. They are the same for
all rich problems, and zero where a problem does not ask for what they tell of, so that one network can serve them all.
`core/terms.py` passes the questions on; for plain problems, the answer is that there is nothing.
"""

from typing import NamedTuple

import numpy as np

from dacalns.core.jit import inlined, kernel
from dacalns.core.records import numbered
from dacalns.core.rich import LIMIT, SPAN, WHERE
from dacalns.core.rich_legs import before, drive, released_before, released_behind
from dacalns.core.rich_terms import cost_of_distance, elsewhere

# --- The columns of a node ------------------------------------------------------------------------------------------


class Beyond(NamedTuple):
    """The columns of a node behind those of VRPTW; all are from -1 to 1, and 0 for the first node, who is nobody."""

    # What no solution changes:
    pickup: int  #: what is taken on board, in vehicle loads; below 0: what of a pair leaves it again
    pair: int  #: 1 for the first of a pair, -1 for the second
    mate: int  #: how far the other one of the pair is, as a part of the longest distance
    optional: int  #: 1 for those who may be left out
    prize: int  #: p / (p + c), where leaving them out costs p and driving the longest distance c
    release: int  #: when the goods are released, as a part of the day
    group: int  #: 1 for those of whom at most one is visited: of a group, and the several windows of a customer
    barred: int  #: the part of the vehicle types that may not serve the customer
    depot: int  #: how far the nearest of several depots is, as a part of the longest distance
    # What a solution says; all but the first are zero for whoever waits in the bank:
    visited: int  #: 1 where one of the group is visited
    rate: int  #: how much more than the cheapest the vehicle costs for each unit on the road, in parts of the dearest
    smaller: int  #: how much smaller than the largest the vehicle is, in parts of that
    trip: int  #: the part of the vehicle's trips that are made before this one
    limit: int  #: the largest part that the vehicle uses of any limit on distance, duration and stops


BEYOND = numbered(Beyond)


class Search(NamedTuple):
    """The numbers on a search that only rich problems have."""

    left_out: int  #: the part of the customers who wait in the bank and may be left out
    vehicles: int  #: the part of the vehicles that are in use
    types: int  #: the part of the vehicle types that are in use, where there are several


SEARCH = numbered(Search)


def _pickup(problem):
    return _in_loads(problem, problem.collect)


def _pair(problem):
    return np.where(problem.mate > 0, 1.0 - 2.0 * problem.second, 0.0)


def _mate(problem):
    nodes = np.arange(len(problem.mate))
    first, second = np.where(problem.second > 0, (problem.mate, nodes), (nodes, problem.mate))
    return np.where(problem.mate > 0, problem.distance[first, second] / _longest(problem), 0.0)


def _optional(problem):
    return _cost_without(problem) < problem.penalty


def _prize(problem):
    cost, way = _cost_without(problem), _longest(problem) * cost_of_distance(problem)
    return np.where(_optional(problem), cost / (cost + (way or 1.0)), 0.0)


def _release(problem):
    return problem.release / max(float(problem.closes[0]), float(problem.release.max()))


def _group(problem):
    return problem.group > 0


def _barred(problem):
    return 1.0 - problem.may_serve.mean(axis=0)


def _depot(problem):
    nodes = len(problem.mate)
    if problem.legs.shape[1] - nodes < 2:
        return np.zeros(nodes)
    out, back = problem.legs[:, nodes:, :nodes], problem.legs[:, :nodes, nodes:].transpose(0, 2, 1)
    # Where backhauls come last, the way from a depot to a pickup is forbidden, but not the way back.
    nearest = np.minimum(out, back).min(axis=(0, 1))
    return np.minimum(1.0, nearest / _longest(problem))


STATIC = {
    "pickup": _pickup,
    "pair": _pair,
    "mate": _mate,
    "optional": _optional,
    "prize": _prize,
    "release": _release,
    "group": _group,
    "barred": _barred,
    "depot": _depot,
}
"""How the columns are filled that no solution changes."""


def _in_loads(problem, amounts):
    """The dimension that takes up most of a vehicle, as a part of the largest."""
    largest = problem.holds.max(axis=0)
    parts = amounts / np.where(largest > 0, largest, 1.0)
    return parts[np.arange(len(parts)), np.abs(parts).argmax(axis=1)]


def _longest(problem):
    return float(problem.distance.max()) or 1.0


def _cost_without(problem):
    """What leaving out each customer costs, with all of the pair or group; the penalty where one must be visited."""
    alone = np.where(problem.second > 0, problem.unserved[problem.mate], problem.unserved)
    cost = np.where(problem.group > 0, problem.lacking[problem.group], alone)
    cost[0] = problem.penalty  # nobody
    return cost


def columns_beyond(problem):
    """The columns that only rich problems have, without what a solution says; for Python, not compiled."""
    columns = np.zeros((len(problem.mate), len(BEYOND)))
    for name, fill in STATIC.items():
        columns[1:, getattr(BEYOND, name)] = fill(problem)[1:]
    return columns


def amounts_in_vehicles(problem):
    """How much of a vehicle each node takes up, as a part of a whole one; for Python, not compiled."""
    return _in_loads(problem, problem.deliver)


@kernel
def see_beyond(problem, solution, features, first):
    """Fill in what a solution says in the columns that only rich problems have, from column ``first`` on."""
    largest, least, most = 0.0, np.inf, 0.0
    for kind in range(len(problem.ends)):
        rate = _rate(problem, kind)
        least, most = min(least, rate), max(most, rate)
        largest = max(largest, problem.holds[kind, 0])
    for node in range(1, len(features)):
        route = solution.route[node]
        if problem.grouped and problem.group[node] and solution.visited[problem.group[node]]:
            features[node, first + BEYOND.visited] = 1.0
        if route < 0:
            continue
        kind = solution.kind[route]
        if most > 0.0:
            features[node, first + BEYOND.rate] = (_rate(problem, kind) - least) / most
        if 0.0 < largest < np.inf:
            features[node, first + BEYOND.smaller] = 1.0 - problem.holds[kind, 0] / largest
        if problem.trips:
            features[node, first + BEYOND.trip] = _trips_before(solution, route) / (
                solution.span[route, SPAN.reloads] + 1.0
            )
        features[node, first + BEYOND.limit] = _limit_used(problem, solution, route)


@inlined
def _rate(problem, kind):
    """What a unit of distance costs a vehicle type, with a unit of time."""
    return problem.kinds[kind, LIMIT.per_distance] + problem.kinds[kind, LIMIT.per_duration]


@inlined
def _trips_before(solution, route):
    count = 0.0
    trip = solution.ahead[route]
    while trip >= 0:
        count += 1.0
        trip = solution.ahead[trip]
    return count


@inlined
def _limit_used(problem, solution, route):
    """The largest part of a limit on distance, duration and stops that the vehicle of a route uses."""
    kind = solution.kind[route]
    stops = float(solution.size[route])
    if problem.trips:
        stops += solution.span[route, SPAN.stops]
    used = stops / max(problem.kinds[kind, LIMIT.stops], 1.0)
    far = solution.length[route] + elsewhere(problem, solution, route)
    if far > 0.0:
        used = max(used, far / max(problem.kinds[kind, LIMIT.distance], far))
    if problem.clocked and solution.span[route, SPAN.whole] > 0.0:
        whole = solution.span[route, SPAN.whole]
        used = max(used, whole / max(problem.kinds[kind, LIMIT.duration], whole))
    return used


@inlined
def arrival(problem, solution, customer):
    """When the vehicle arrives at a customer on a route, if it leaves early but does not wait before; with windows."""
    if not problem.timed:
        return 0.0
    route, node = solution.route[customer], solution.pred[customer]
    duration, starts, _ = before(problem, solution, route, node)
    starts = max(starts, max(released_before(solution, customer), released_behind(solution, customer)))
    if problem.trips:
        starts = max(starts, solution.span[route, SPAN.earliest] + solution.span[route, SPAN.duration])
    return starts + duration + drive(problem, solution, route, node, customer)


# --- The numbers on a search ----------------------------------------------------------------------------------------


@kernel
def see_search(problem, solution, features, first, vector):
    """Put the numbers on a search at the end of a vector; ``features`` are those of the solution."""
    customers = len(features) - 1
    left_out = available = taken = used = 0.0
    for node in range(1, len(features)):
        if solution.route[node] < 0 and features[node, first + BEYOND.visited] == 0.0:
            left_out += features[node, first + BEYOND.optional]
    kinds = len(problem.ends)
    for kind in range(kinds):
        available += problem.ends[kind, WHERE.available]
        taken += solution.taken[kind]
        if solution.taken[kind]:
            used += 1.0
    at = len(vector) - len(SEARCH)
    vector[at + SEARCH.left_out] = left_out / customers
    vector[at + SEARCH.vehicles] = taken / min(available, float(customers))
    vector[at + SEARCH.types] = used / kinds if kinds > 1 else 0.0
