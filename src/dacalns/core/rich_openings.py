"""Routes that are opened in rich problems for those who wait and whom no insertion would open one for."""

import numpy as np
from numba import types

from dacalns.core.jit import compiled_once, kernel
from dacalns.core.model import END, USED
from dacalns.core.rich import DEPOT, FORBIDDEN, LIMIT, RICH_PROBLEM, RICH_SOLUTION, WHERE
from dacalns.core.rich_fleet import as_route, has_vehicle
from dacalns.core.rich_legs import distance
from dacalns.core.rich_places import scan_route, try_place
from dacalns.core.rich_terms import cost_without, has_room, is_item, recompute, recompute_and_check
from dacalns.core.rng import random_float
from dacalns.core.routes import link, remove

# Never overlook a place, or pass over a customer.
NEVER = 0.0

# --- For somebody and those near him --------------------------------------------------------------------------------


@compiled_once(types.void(RICH_PROBLEM, RICH_SOLUTION, types.int64, types.int64, types.uint64[::1]))
@kernel
def open_route(problem, solution, customer, kind, rng):
    """Open a route of a type for somebody who waits, and let those near him join it if that costs less than they bring.

    Alone, hardly anybody is worth a route. If all together are not, they are taken off it again (`drop_dear`).
    """
    used = solution.counts[USED]
    if problem.mate[customer] or not is_item(problem, solution, customer) or not has_vehicle(problem, solution, kind):
        return
    number = as_route(problem, solution, used + kind)
    if not has_room(problem, solution, number, customer):
        return
    if scan_route(problem, solution, customer, number, np.inf, NEVER, rng)[0] == np.inf:
        return
    link(problem, solution, customer, used + kind, END)
    route = solution.route[customer]
    near = problem.neighbours[customer]
    for k in range(len(near)):
        other = np.int64(near[k])
        if problem.mate[other] or not is_item(problem, solution, other) or problem.group[other]:
            continue
        if has_room(problem, solution, route, other):
            worth = cost_without(problem, other)
            cost, place = scan_route(problem, solution, other, route, worth, NEVER, rng)
            if cost < worth:
                link(problem, solution, other, route, place)


# --- For somebody who may not be first ------------------------------------------------------------------------------


@compiled_once(types.void(RICH_PROBLEM, RICH_SOLUTION, types.int64))
@kernel
def open_behind_another(problem, solution, customer):
    """Open a route for somebody who may not be first on one: a near customer leaves his route and goes ahead of him.

    Where backhauls come last, nobody else would open one for a pickup that has no place.
    """
    used = solution.counts[USED]
    near = problem.neighbours[customer]
    for kind in range(len(problem.ends)):
        if not has_vehicle(problem, solution, kind):
            continue
        route = as_route(problem, solution, used + kind)
        if distance(problem, solution, route, END, customer) < FORBIDDEN or not has_room(
            problem, solution, route, customer
        ):
            continue
        for k in range(len(near)):
            other = np.int64(near[k])
            here, ahead = solution.route[other], solution.pred[other]
            if here < 0 or ahead == END or problem.mate[other] or problem.group[other]:
                continue  # the first of a route stays: without him, others might have nobody to go ahead of them
            route = as_route(problem, solution, used + kind)
            if not has_room(problem, solution, route, other):
                continue
            if try_place(problem, solution, other, route, END, END, np.inf) == np.inf:
                continue
            remove(problem, solution, other)
            if recompute_and_check(problem, solution, here):
                link(problem, solution, other, used + kind, END)
                route = solution.route[other]
                fits = has_room(problem, solution, route, customer)
                if fits and try_place(problem, solution, customer, route, other, END, np.inf) < np.inf:
                    link(problem, solution, customer, route, other)
                return
            link(problem, solution, other, here, ahead)
            recompute(problem, solution, here)


# --- For those who bring most together ------------------------------------------------------------------------------

# How often a customer is passed over, so that another route is found the next time.
PASSED_OVER = 0.25
# Columns of the scratch tables: whom the best route to each customer visits before it; and what that brings, when the
# vehicle leaves, and what it carries.
WHO, FROM = 2, 3
BRINGS, LEAVES, CARRIES = 0, 1, 2


@compiled_once(types.int64(RICH_PROBLEM, RICH_SOLUTION, types.int64, types.float64, types.uint64[::1]))
@kernel
def open_best_route(problem, solution, kind, passed_over, rng):
    """Open a route of a type for those who bring most if they are visited in the order in which their windows close.

    Returns how many are on it. Prizes and distances are looked at, windows, and one load dimension; whoever may not be
    there for another reason is left off it.
    """
    used = solution.counts[USED]
    if not has_vehicle(problem, solution, kind):
        return 0
    route = as_route(problem, solution, used + kind)
    table = solution.scratch_ints
    at = _find_best_route(problem, solution, route, passed_over, rng)
    served, first = 0, END
    while at >= 0:
        customer = table[at, WHO]
        number = used + kind if first == END else route
        # Those are lined up from the last to the first.
        fits = has_room(problem, solution, as_route(problem, solution, number), customer)
        if fits and try_place(problem, solution, customer, route, END, first, np.inf) < np.inf:
            link(problem, solution, customer, number, END)
            first = customer
            served += 1
        at = table[at, FROM]
    return served


@kernel
def _find_best_route(problem, solution, route, passed_over, rng):
    """The row of the last one on the route that brings most; -1 if none brings anything. `FROM` leads to the others."""
    table, values = solution.scratch_ints, solution.scratch_floats
    kind, start, end = solution.kind[route], solution.start[route], solution.end[route]
    limits, depots = problem.kinds, problem.depots
    profile = problem.ends[kind, WHERE.profile]
    legs, drives = problem.legs, problem.drives
    rate, most = limits[kind, LIMIT.per_distance], problem.holds[kind, 0]
    begin = max(depots[start, DEPOT.opens], limits[kind, LIMIT.opens]) + depots[start, DEPOT.loading]
    back = min(depots[end, DEPOT.closes], limits[kind, LIMIT.closes])
    found, last, best = 0, -1, limits[kind, LIMIT.fixed]
    for place in range(len(problem.closing)):
        customer = problem.closing[place]
        if problem.mate[customer] or problem.group[customer] or not problem.may_serve[kind, customer]:
            continue
        if not is_item(problem, solution, customer) or random_float(rng) < passed_over:
            continue
        worth, carries = cost_without(problem, customer), problem.deliver[customer, 0] + problem.collect[customer, 0]
        closes = problem.closes[customer]
        if worth == np.inf or begin + drives[profile, start, customer] > closes or carries > most:
            continue
        brings, before = -rate * legs[profile, start, customer], -1
        for k in range(found):
            tail = table[k, WHO]
            other = values[k, BRINGS] - rate * legs[profile, tail, customer]
            if other > brings:
                in_time = values[k, LEAVES] + drives[profile, tail, customer] <= closes
                if in_time and values[k, CARRIES] + carries <= most:
                    brings, before = other, k
        arrives = begin + drives[profile, start, customer]
        if before >= 0:
            arrives = values[before, LEAVES] + drives[profile, table[before, WHO], customer]
            carries += values[before, CARRIES]
        table[found, WHO], table[found, FROM] = customer, before
        values[found, BRINGS] = brings + worth
        values[found, LEAVES] = max(arrives, problem.opens[customer]) + problem.service[customer]
        values[found, CARRIES] = carries
        home = values[found, LEAVES] + drives[profile, customer, end] <= back
        if home and values[found, BRINGS] - rate * legs[profile, customer, end] > best:
            last, best = found, values[found, BRINGS] - rate * legs[profile, customer, end]
        found += 1
    return last
