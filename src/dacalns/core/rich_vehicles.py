"""Rich problems: routes get other vehicles, and customers who cost more than their prizes are left out."""

import numpy as np
from numba import types

from dacalns.core.jit import compiled_once, inlined, kernel
from dacalns.core.model import END, TOUCHED, USED
from dacalns.core.rich import LIMIT, OPEN_SISTER, RICH_PROBLEM, RICH_SOLUTION, SISTER, WHERE
from dacalns.core.rich_fleet import has_vehicle, set_vehicle
from dacalns.core.rich_legs import distance, leg_now
from dacalns.core.rich_terms import recompute, recompute_and_check, route_cost
from dacalns.core.rng import random_float
from dacalns.core.routes import remove, touch

# A gain below this part of a distance is a rounding error.
LEAST_GAIN = 1e-9

# --- Vehicles change ------------------------------------------------------------------------------------------------


@inlined
def holds(problem, solution, route, kind, customer):
    """True if a vehicle of a type holds what a route carries, and ``customer`` (END: nobody) besides."""
    dims = problem.holds.shape[1]
    for k in range(dims):
        if solution.sums[route, k] + problem.deliver[customer, k] > problem.holds[kind, k]:
            return False
        if solution.sums[route, dims + k] + problem.collect[customer, k] > problem.holds[kind, k]:
            return False
    return True


@inlined
def serves_all(problem, solution, route, kind):
    """True if a type may serve everybody on a route."""
    node = solution.first[route]
    while node and problem.may_serve[kind, node]:
        node = solution.succ[node]
    return node == END


@inlined
def cost_of_change(problem, solution, route, kind):
    """What a route costs more with a vehicle of a type that differs in costs alone."""
    kinds, now = problem.kinds, solution.kind[route]
    more = (kinds[kind, LIMIT.per_distance] - kinds[now, LIMIT.per_distance]) * solution.length[route]
    return more + kinds[kind, LIMIT.fixed] - kinds[now, LIMIT.fixed]


@kernel
def larger_kind(problem, solution, route, customer):
    """The type to which a route changes most cheaply so that it has room for a customer; -1 for none, and the cost."""
    chosen, least = -1, np.inf
    now = solution.kind[route]
    if problem.mixed or problem.trips:
        return chosen, least
    for kind in range(len(problem.ends)):
        sister = problem.sisters[now, kind]
        if not sister or not problem.may_serve[kind, customer]:
            continue
        if sister == SISTER and not problem.may_serve[now, customer]:
            continue  # hardly ever may it serve all the others, too
        if not has_vehicle(problem, solution, kind) or not holds(problem, solution, route, kind, customer):
            continue
        more = cost_of_change(problem, solution, route, kind)
        if more < least and (sister == OPEN_SISTER or serves_all(problem, solution, route, kind)):
            chosen, least = kind, more
    return chosen, least


@inlined
def change_kind(solution, route, kind):
    """Give a route a vehicle of another type that may take it as it is."""
    solution.taken[solution.kind[route]] -= 1
    solution.taken[kind] += 1
    solution.kind[route] = kind


@compiled_once(types.void(RICH_PROBLEM, RICH_SOLUTION))
@kernel
def suit_vehicles(problem, solution):
    """Give each route that has changed the type that costs least, a free one or that of another route."""
    if len(problem.ends) == 1 or problem.trips:
        return
    for k in range(solution.counts[TOUCHED]):
        route = solution.journal[k]
        if solution.size[route]:
            _take_cheapest(problem, solution, route)
            _exchange_vehicles(problem, solution, route)


@kernel
def _take_cheapest(problem, solution, route):
    now = solution.kind[route]
    chosen, least = -1, -LEAST_GAIN * solution.length[route]
    for kind in range(len(problem.ends)):
        if kind == now or not has_vehicle_beside(problem, solution, kind):
            continue
        if problem.sisters[now, kind]:
            more = cost_of_change(problem, solution, route, kind)
            fits = (
                more < least
                and (problem.mixed or holds(problem, solution, route, kind, END))
                and serves_all(problem, solution, route, kind)
            )
            if fits and problem.mixed:
                fits = _keeps_limits_as(problem, solution, route, kind)
                _keeps_limits_as(problem, solution, route, now)
            if fits:
                chosen, least = kind, more
            continue
        cost = route_cost(problem, solution, route)
        if _keeps_limits_as(problem, solution, route, kind):
            more = route_cost(problem, solution, route) - cost
            if more < least:
                chosen, least = kind, more
        _keeps_limits_as(problem, solution, route, now)
    if chosen >= 0:
        solution.taken[now] -= 1
        solution.taken[chosen] += 1
        _keeps_limits_as(problem, solution, route, chosen)


@inlined
def has_vehicle_beside(problem, solution, kind):
    """True if there is a vehicle of a type that is not in use, however many routes there are."""
    return solution.taken[kind] < problem.ends[kind, WHERE.available]


@kernel
def _keeps_limits_as(problem, solution, route, kind):
    """Let a route have a vehicle of a type, and return True if it keeps all limits."""
    set_vehicle(problem, solution, route, kind)
    return recompute_and_check(problem, solution, route)


@kernel
def _exchange_vehicles(problem, solution, route):
    """Let a route exchange vehicles with another one if that saves anything."""
    if problem.mixed:
        return
    kinds = problem.kinds
    for other in range(solution.counts[USED]):
        one, two = solution.kind[route], solution.kind[other]
        if other == route or not problem.sisters[one, two]:
            continue
        rate = kinds[two, LIMIT.per_distance] - kinds[one, LIMIT.per_distance]
        more = rate * (solution.length[route] - solution.length[other])
        if more >= -LEAST_GAIN * solution.length[route]:
            continue
        if not holds(problem, solution, route, two, END) or not holds(problem, solution, other, one, END):
            continue
        if serves_all(problem, solution, route, two) and serves_all(problem, solution, other, one):
            solution.kind[route] = two
            solution.kind[other] = one
            touch(solution, other)


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
    """Take out the customer whose prize is exceeded most by what leaving him out saves; return whether there is one."""
    per_distance = problem.kinds[solution.kind[route], LIMIT.per_distance]
    worst, most = END, LEAST_GAIN * solution.length[route]
    node = solution.first[route]
    while node:
        if problem.optional[node] and problem.mate[node] == 0:
            tail, head = solution.pred[node], solution.succ[node]
            saved = solution.leg[node] + leg_now(problem, solution, route, node, head)
            saved -= distance(problem, solution, route, tail, head)
            dearer = per_distance * saved - problem.unserved[node]
            if dearer > most:
                worst, most = node, dearer
        node = solution.succ[node]
    return worst != END and remove(problem, solution, worst)


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
    if prizes < route_cost(problem, solution, route):
        node = solution.first[route]
        while node:
            following = solution.succ[node]
            remove(problem, solution, node)
            node = following
