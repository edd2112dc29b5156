"""Repair operators: each serves the customers in the bank as far as they fit."""

import numpy as np

from dacalns.core.insertion import (
    BOUND,
    DEPTH,
    LISTED,
    PLACE,
    ROUTE,
    WHO,
    added_distance,
    cheapest_position,
    list_route,
    rank_of,
    route_grew,
    scan_routes,
)
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, USED
from dacalns.core.rng import random_int
from dacalns.core.routes import link


@kernel
def random_repair(problem, solution, rng):
    """Serve the waiting customers in random order, each in a random route that can take it.

    Within the route it takes the cheapest position. A new route is opened only where no route in use can take the
    customer.
    """
    waiting, routes = 0, 1  # columns of the scratch table
    table = solution.scratch_ints
    total = solution.counts[BANKED]
    for k in range(total):
        table[k, waiting] = solution.bank[k]
    for k in range(total):
        other = k + random_int(rng, total - k)
        customer = table[other, waiting]
        table[other, waiting] = table[k, waiting]
        used = solution.counts[USED]
        for route in range(used):
            table[route, routes] = route
        served = False
        for tried in range(used):
            pick = tried + random_int(rng, used - tried)
            route = table[pick, routes]
            table[pick, routes] = table[tried, routes]
            delta, place = cheapest_position(problem, solution, customer, route)
            if delta < np.inf:
                link(problem, solution, customer, route, place)
                served = True
                break
        if not served and used < problem.fleet:
            delta, place = cheapest_position(problem, solution, customer, used)
            if delta < np.inf:
                link(problem, solution, customer, used, place)


@kernel
def greedy_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that is cheapest to insert, where it is cheapest."""
    fill_by_best(problem, solution, 1)


@kernel
def regret_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that would lose most by going to its second-best route."""
    fill_by_best(problem, solution, 2)


@kernel
def regret_3_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that would lose most by its second and third-best routes."""
    fill_by_best(problem, solution, 3)


@kernel
def regret_4_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that would lose most by its second to fourth-best routes."""
    fill_by_best(problem, solution, 4)


@kernel
def fill_by_best(problem, solution, depth):
    """Greedy (``depth`` 1) or regret-``depth`` insertion of all that fits, with cached costs in O(waiting) memory."""
    costs, places = solution.scratch_floats, solution.scratch_ints
    waiting = solution.counts[BANKED]
    for row in range(waiting):
        places[row, WHO] = solution.bank[row]
        scan_routes(problem, solution, row)
    while waiting:
        chosen = -1
        most = -np.inf
        for row in range(waiting):
            listed = places[row, LISTED]
            if listed:
                merit = -costs[row, 0]
                if depth > 1:
                    merit = 0.0
                    for rank in range(1, depth):
                        merit += (costs[row, rank] if rank < listed else problem.penalty) - costs[row, 0]
                if merit > most:
                    most = merit
                    chosen = row
        if chosen < 0:
            return
        waiting -= 1
        serve_row(problem, solution, chosen, 0, waiting, depth)


@inlined
def serve_row(problem, solution, chosen, rank, left, needed):
    """Serve the customer in row ``chosen`` in its route of this ``rank``, and keep the insertion table in order.

    The last row takes the place of the chosen one, and ``left`` rows are left, each of which lists its ``needed``
    cheapest routes, or all that can take its customer.
    """
    costs, places = solution.scratch_floats, solution.scratch_ints
    customer, route = places[chosen, WHO], places[chosen, ROUTE + rank]
    opens_route = route == solution.counts[USED]
    link(problem, solution, customer, route, places[chosen, PLACE + rank])
    for column in range(DEPTH + 1):
        costs[chosen, column] = costs[left, column]
    for column in range(PLACE + DEPTH):
        places[chosen, column] = places[left, column]
    route_grew(problem, solution, left, route, customer, needed)
    if opens_route and solution.counts[USED] < problem.fleet:
        another = solution.counts[USED]
        for row in range(left):
            delta = added_distance(problem, solution, places[row, WHO], another, 0)
            # A row that was scanned a moment ago has the new route already.
            if delta < costs[row, BOUND] and rank_of(places, row, another) < 0:
                list_route(costs, places, row, another, delta, 0)
