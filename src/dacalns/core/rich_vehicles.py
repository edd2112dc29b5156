"""Rich problems: routes get other vehicles, and customers who cost more than their prizes are left out."""

import numpy as np
from numba import types

from dacalns.core.jit import compiled_once, inlined, kernel
from dacalns.core.model import END, TOUCHED, USED
from dacalns.core.rich import LIMIT, OPEN_SISTER, RICH_PROBLEM, RICH_SOLUTION, SISTER, WHERE
from dacalns.core.rich_fleet import has_vehicle, rank_of
from dacalns.core.rich_legs import distance, leg_now
from dacalns.core.rich_terms import recompute, recompute_and_check, route_cost
from dacalns.core.rng import random_float
from dacalns.core.routes import remove, touch

# A gain below this part of a distance is a rounding error.
LEAST_GAIN = 1e-9

# --- Vehicles change ------------------------------------------------------------------------------------------------

# A vehicle that loads again has a chain of trips, which change their type together. Others have a chain of one.


@inlined
def first_trip(solution, route):
    """The first trip of the vehicle of a route."""
    while solution.ahead[route] >= 0:
        route = solution.ahead[route]
    return route


@inlined
def length_of_all(solution, first):
    """How far a vehicle drives on all its trips."""
    total = 0.0
    trip = first
    while trip >= 0:
        total += solution.length[trip]
        trip = solution.behind[trip]
    return total


@inlined
def cost_of_all(problem, solution, first):
    """What all trips of a vehicle cost."""
    total = 0.0
    trip = first
    while trip >= 0:
        total += route_cost(problem, solution, trip)
        trip = solution.behind[trip]
    return total


@inlined
def fewest_on_trip(solution, first):
    """How many customers are on the trip of a vehicle with fewest of them."""
    fewest = solution.size[first]
    trip = first
    while trip >= 0:
        fewest = min(fewest, solution.size[trip])
        trip = solution.behind[trip]
    return fewest


@inlined
def set_kind(solution, first, kind):
    """Let all trips of a vehicle have a type."""
    trip = first
    while trip >= 0:
        solution.kind[trip] = kind
        trip = solution.behind[trip]


@inlined
def holds(problem, solution, route, kind, customer):
    """True if a vehicle of a type holds what a trip carries, and ``customer`` (END: nobody) besides."""
    dims = problem.holds.shape[1]
    for k in range(dims):
        if solution.sums[route, k] + problem.deliver[customer, k] > problem.holds[kind, k]:
            return False
        if solution.sums[route, dims + k] + problem.collect[customer, k] > problem.holds[kind, k]:
            return False
    return True


@inlined
def holds_all(problem, solution, first, kind, route, customer):
    """True if a vehicle of a type holds what each trip carries, and ``customer`` (END: nobody) besides on ``route``."""
    trip = first
    while trip >= 0:
        if not holds(problem, solution, trip, kind, customer if trip == route else END):
            return False
        trip = solution.behind[trip]
    return True


@kernel
def may_drive_all(problem, solution, first, kind):
    """True if a type may serve everybody on the trips of a vehicle, and load again where these begin."""
    trip = first
    while trip >= 0:
        node = solution.first[trip]
        while node:
            if not problem.may_serve[kind, node]:
                return False
            node = solution.succ[node]
        trip = solution.behind[trip]
        if trip >= 0 and rank_of(problem, kind, solution.start[trip]) < 0:
            return False
    return True


@inlined
def cost_of_change(problem, solution, first, kind):
    """What the trips of a vehicle cost more with one of a type that differs in costs alone."""
    kinds, now = problem.kinds, solution.kind[first]
    rate = kinds[kind, LIMIT.per_distance] - kinds[now, LIMIT.per_distance]
    return rate * length_of_all(solution, first) + kinds[kind, LIMIT.fixed] - kinds[now, LIMIT.fixed]


@kernel
def larger_kind(problem, solution, route, customer):
    """The type to which a vehicle changes most cheaply so that ``route`` takes a customer (-1: none), and the cost."""
    chosen, least = -1, np.inf
    now = solution.kind[route]
    if problem.mixed:
        return chosen, least
    first = first_trip(solution, route)
    for kind in range(len(problem.ends)):
        sister = problem.sisters[now, kind]
        if not sister or not problem.may_serve[kind, customer]:
            continue
        if sister == SISTER and not problem.may_serve[now, customer]:
            continue  # hardly ever may it serve all the others, too
        if not has_vehicle(problem, solution, kind):
            continue
        if not holds_all(problem, solution, first, kind, route, customer):
            continue
        more = cost_of_change(problem, solution, first, kind)
        serves_all = sister == OPEN_SISTER and not problem.trips
        if more < least and (serves_all or may_drive_all(problem, solution, first, kind)):
            chosen, least = kind, more
    return chosen, least


@inlined
def change_kind(solution, route, kind):
    """Give a vehicle another type that may drive its trips as they are."""
    solution.taken[solution.kind[route]] -= 1
    solution.taken[kind] += 1
    set_kind(solution, first_trip(solution, route), kind)


@compiled_once(types.void(RICH_PROBLEM, RICH_SOLUTION))
@kernel
def suit_vehicles(problem, solution):
    """Give each vehicle with a route that has changed the type that costs least, a free one or that of another."""
    if len(problem.ends) == 1:
        return
    for k in range(solution.counts[TOUCHED]):
        route = solution.journal[k]
        # Whatever changes a trip touches the first. One that was emptied is about to go, which changes those beside it.
        if solution.ahead[route] < 0 and fewest_on_trip(solution, route):
            _take_cheapest(problem, solution, route)
            _exchange_vehicles(problem, solution, route)


@kernel
def _take_cheapest(problem, solution, first):
    now = solution.kind[first]
    chosen, least = -1, -LEAST_GAIN * length_of_all(solution, first)
    for kind in range(len(problem.ends)):
        if kind == now or not has_vehicle_beside(problem, solution, kind):
            continue
        if problem.sisters[now, kind]:
            more = cost_of_change(problem, solution, first, kind)
            fits = (
                more < least
                and (problem.mixed or holds_all(problem, solution, first, kind, first, END))
                and may_drive_all(problem, solution, first, kind)
            )
            if fits and problem.mixed:
                fits = _keeps_limits_as(problem, solution, first, kind)
                _keeps_limits_as(problem, solution, first, now)
            if fits:
                chosen, least = kind, more
            continue
        if not may_drive_all(problem, solution, first, kind):
            continue
        cost = cost_of_all(problem, solution, first)
        if _keeps_limits_as(problem, solution, first, kind):
            more = cost_of_all(problem, solution, first) - cost
            if more < least:
                chosen, least = kind, more
        _keeps_limits_as(problem, solution, first, now)
    if chosen >= 0:
        solution.taken[now] -= 1
        solution.taken[chosen] += 1
        _keeps_limits_as(problem, solution, first, chosen)


@inlined
def has_vehicle_beside(problem, solution, kind):
    """True if there is a vehicle of a type that is not in use, however many routes there are."""
    return solution.taken[kind] < problem.ends[kind, WHERE.available]


@kernel
def _keeps_limits_as(problem, solution, first, kind):
    """Let a vehicle have another type, and return True if its trips keep all limits then."""
    set_kind(solution, first, kind)
    trip = last = first
    while trip >= 0:
        last = trip
        trip = solution.behind[trip]
    solution.start[first] = problem.ends[kind, WHERE.start]
    solution.end[last] = problem.ends[kind, WHERE.end]
    if problem.trips:  # what all trips come to is known when each of them has been computed
        trip = first
        while trip >= 0:
            recompute(problem, solution, trip)
            trip = solution.behind[trip]
    trip = first
    while trip >= 0:
        if not recompute_and_check(problem, solution, trip):
            return False
        trip = solution.behind[trip]
    return True


@kernel
def _exchange_vehicles(problem, solution, first):
    """Let two vehicles exchange their trips if that saves anything."""
    if problem.mixed:
        return
    kinds = problem.kinds
    for other in range(solution.counts[USED]):
        one, two = solution.kind[first], solution.kind[other]
        if other == first or solution.ahead[other] >= 0 or not problem.sisters[one, two]:
            continue
        rate = kinds[two, LIMIT.per_distance] - kinds[one, LIMIT.per_distance]
        length = length_of_all(solution, first)
        more = rate * (length - length_of_all(solution, other))
        if more >= -LEAST_GAIN * length:
            continue
        if not holds_all(problem, solution, first, two, first, END):
            continue
        if not holds_all(problem, solution, other, one, other, END):
            continue
        if may_drive_all(problem, solution, first, two) and may_drive_all(problem, solution, other, one):
            _exchange_kind(solution, first, two)
            _exchange_kind(solution, other, one)


@inlined
def _exchange_kind(solution, first, kind):
    """Let all trips of a vehicle have a type, and note that they have changed."""
    set_kind(solution, first, kind)
    trip = first
    while trip >= 0:
        touch(solution, trip)
        trip = solution.behind[trip]


@kernel
def exchange_vehicles(problem, solution, customer):
    """Let the route of a customer and the nearest one of another vehicle type exchange vehicles, whatever that costs.

    Returns the two routes; -1 in place of the second if there is none, or if a vehicle does not suit the other route.
    """
    here = solution.route[customer]
    if problem.trips:
        return here, -1
    one = solution.kind[here]
    near = problem.neighbours[customer]
    for k in range(len(near)):
        there = solution.route[np.int64(near[k])]
        if there < 0 or solution.kind[there] == one:
            continue
        other = solution.kind[there]
        suits = _keeps_limits_as(problem, solution, here, other) and _keeps_limits_as(problem, solution, there, one)
        if not suits:
            _keeps_limits_as(problem, solution, here, one)
            _keeps_limits_as(problem, solution, there, other)
            return here, -1
        touch(solution, here)
        touch(solution, there)
        return here, there
    return here, -1


# --- Some are left out ----------------------------------------------------------------------------------------------

# How often some are served that cost more than their prizes at first, up to so many times as much: others may follow.
BOLD, BOLDEST = 0.3, 30.0


@inlined
def how_bold(problem, solution, rng):
    """How many times its prize a customer may cost."""
    if not (problem.elective or problem.grouped):
        return 1.0
    return BOLDEST ** random_float(rng) if random_float(rng) < BOLD else 1.0


@compiled_once(types.void(RICH_PROBLEM, RICH_SOLUTION))
@kernel
def drop_dear(problem, solution):
    """Take out of the routes that have changed who costs more than his prize, and whole routes that cost more."""
    if not problem.elective:
        return
    for k in range(solution.counts[TOUCHED]):
        route = solution.journal[k]
        if solution.size[route] == 0:
            continue
        while _drop_dearest(problem, solution, route):
            recompute(problem, solution, route)
            solution.dirty[route] = 1
        if solution.size[route]:
            _drop_all(problem, solution, route)


@kernel
def _drop_dearest(problem, solution, route):
    """Take out the one, or the pair, whose prize is exceeded most by what that saves; return whether there is any."""
    per_distance = problem.kinds[solution.kind[route], LIMIT.per_distance]
    worst, most = END, LEAST_GAIN * solution.length[route]
    node = solution.first[route]
    while node:
        if problem.optional[node] and not problem.second[node]:
            dearer = per_distance * _saved_without(problem, solution, route, node) - problem.unserved[node]
            if dearer > most:
                worst, most = node, dearer
        node = solution.succ[node]
    return worst != END and remove(problem, solution, worst)


@inlined
def _saved_without(problem, solution, route, node):
    """How much shorter a route is without a customer, or without the pair that he begins."""
    mate = problem.mate[node]
    tail, head = solution.pred[node], solution.succ[node]
    saved = solution.leg[node]
    if mate and head == mate:
        head = solution.succ[mate]
        saved += solution.leg[mate] + leg_now(problem, solution, route, mate, head)
    else:
        saved += leg_now(problem, solution, route, node, head)
        if mate:
            before, behind = solution.pred[mate], solution.succ[mate]
            saved += solution.leg[mate] + leg_now(problem, solution, route, mate, behind)
            saved -= distance(problem, solution, route, before, behind)
    return saved - distance(problem, solution, route, tail, head)


@kernel
def _drop_all(problem, solution, route):
    """Take out all customers of a route that costs more than their prizes, if all may be left out."""
    prizes = 0.0
    node = solution.first[route]
    while node:
        if not problem.optional[node]:
            return
        prizes += problem.unserved[node]
        node = solution.succ[node]
    saved = problem.kinds[solution.kind[route], LIMIT.per_distance] * solution.length[route]
    if solution.ahead[route] < 0 and solution.behind[route] < 0:  # else its vehicle still has other trips
        saved = route_cost(problem, solution, route)
    if prizes < saved:
        node = solution.first[route]
        while node:
            following = solution.succ[node]
            remove(problem, solution, node)
            node = following
