"""What each of the waiting customers costs in each of the routes, eight customers at a time.

They stand in line in blocks of eight, in the first rows of ``scratch_ints``, whose next column lists the routes. In
``scratch_floats`` each block has one row for each thing that matters of its customers, and one for their costs in each
route listed. Lanes behind the end of the line ask for more than any vehicle holds, so that they cost infinity.
"""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.insertion import candidate_routes
from dacalns.core.jit import inlined
from dacalns.core.lanes import LANES, any_at_most, higher, lanes_of, lower, put_lanes, spread, with_lane, within
from dacalns.core.model import USED
from dacalns.core.near_places import NEAR, in_time
from dacalns.core.routes import link

# Columns of `scratch_ints` behind the customers of a block: the routes listed, and, by its number, if a route is.
LISTED, IS_LISTED = LANES, LANES + 1
# Rows of a block in `scratch_floats`, behind which are those of the costs.
DEMAND, HOME, NOISE, OPENS, CLOSES, SERVICE, COSTS = 0, 1, 2, 3, 4, 5, 6
ALWAYS = 3  # those that there are without windows, too
# There is room for so many routes that are opened on the way; for more, those in line are lined up anew.
SPARE = 8


@inlined
def blocks_of(customers):
    """How many blocks they fill."""
    return (customers + LANES - 1) // LANES


@inlined
def rows_of_table(solution):
    """How many rows of ``scratch_floats`` there are for all blocks."""
    return len(solution.scratch_floats) - 2 * len(solution.route)


@inlined
def list_routes(problem, solution, begin, end, near):
    """List the routes for those between two places of the bank: all, or the ``near`` ones; return how many."""
    table, used = solution.scratch_ints, solution.counts[USED]
    routes = used
    if near:
        routes = 0
        for route in range(used):
            table[route, IS_LISTED] = 0
        for k in range(begin, end):
            neighbours = problem.neighbours[solution.bank[k]]
            for rank in range(min(len(neighbours), NEAR)):
                route = solution.route[np.int64(neighbours[rank])]
                if route >= 0 and not table[route, IS_LISTED]:
                    table[route, IS_LISTED] = 1
                    table[routes, LISTED] = route
                    routes += 1
    else:
        for route in range(used):
            table[route, LISTED] = route
    if used < problem.fleet:  # the empty one is the last of all
        table[routes, LISTED] = used
        routes += 1
    return routes


@inlined
def line_up_blocks(problem, solution, begin, customers, blocks, height, eta):
    """Line up customers of the bank; their noise is ``eta`` times the distance to their farthest neighbour."""
    who, table = solution.scratch_ints, solution.scratch_floats
    for place in range(blocks * LANES):
        block, lane = place // LANES, place % LANES
        customer = solution.bank[begin + place] if place < customers else 0
        who[block, lane] = customer
        table[block * height + DEMAND, lane] = problem.demand[customer] if place < customers else np.inf
        table[block * height + HOME, lane] = between(problem, customer, 0)
        if problem.timed:
            table[block * height + OPENS, lane] = problem.opens[customer]
            table[block * height + CLOSES, lane] = problem.closes[customer]
            table[block * height + SERVICE, lane] = problem.service[customer]
        if eta > 0.0:
            near = problem.neighbours[customer]
            farthest = between(problem, customer, np.int64(near[len(near) - 1])) if len(near) else 0.0
            table[block * height + NOISE, lane] = eta * farthest


@inlined
def scan_block(problem, solution, height, block, place):
    """Work out what the customers of a block cost in the route listed at a place, wherever in it they cost least."""
    table, leg, succ = solution.scratch_floats, solution.leg, solution.succ
    route = solution.scratch_ints[place, LISTED]
    costs = block * height + COSTS + place
    load = spread(solution.load[route]) + lanes_of(table, block * height + DEMAND)
    capacity = spread(problem.capacity)
    if not any_at_most(load, capacity):
        put_lanes(table, costs, spread(np.inf))
        return
    home = lanes_of(table, block * height + HOME)
    hither = home if problem.symmetric else _from(problem, solution, block, 0)
    least = spread(np.inf)
    before = 0
    node = solution.first[route]
    if problem.timed:
        opens = lanes_of(table, block * height + OPENS)
        closes = lanes_of(table, block * height + CLOSES)
        service = lanes_of(table, block * height + SERVICE)
        while True:
            to = _to(problem, solution, block, node) if node else home
            start = higher(opens, spread(solution.depart[before]) + hither)
            added = hither + to - spread(leg[node] if node else between(problem, before, 0))
            added = within(added, start, closes)
            least = lower(within(added, start + service + to, spread(solution.latest[node])), least)
            if not node:
                break
            hither = to if problem.symmetric else _from(problem, solution, block, node)
            before = node
            node = succ[node]
    else:
        while node:
            to = _to(problem, solution, block, node)
            least = lower(hither + to - spread(leg[node]), least)
            hither = to if problem.symmetric else _from(problem, solution, block, node)
            before = node
            node = succ[node]
        least = lower(hither + home - spread(between(problem, before, 0)), least)
    put_lanes(table, costs, within(least, load, capacity))


@inlined
def _from(problem, solution, block, node):
    """How far it is from ``node`` to each customer of a block."""
    who, distances = solution.scratch_ints, spread(0.0)
    for lane in range(LANES):
        distances = with_lane(distances, lane, between(problem, node, who[block, lane]))
    return distances


@inlined
def _to(problem, solution, block, node):
    """How far it is to ``node`` from each customer of a block."""
    who, distances = solution.scratch_ints, spread(0.0)
    for lane in range(LANES):
        distances = with_lane(distances, lane, between(problem, who[block, lane], node))
    return distances


@inlined
def place_of_cost(solution, height, place, routes, cost):
    """Where the first route is listed that costs the customer at a place of the line so much."""
    table = solution.scratch_floats
    block, lane = place // LANES, place % LANES
    listed = 0
    while listed < routes - 1 and table[block * height + COSTS + listed, lane] != cost:
        listed += 1
    return listed


@inlined
def serve_place(problem, solution, height, place, routes, route, cost, left):
    """Serve the customer at a place of the line in ``route``, where it costs so much.

    The last in line takes the place, and ``left`` are left.
    """
    who, table = solution.scratch_ints, solution.scratch_floats
    block, lane = place // LANES, place % LANES
    last_block, last_lane = left // LANES, left % LANES
    customer = who[block, lane]
    who[block, lane] = who[last_block, last_lane]
    row, last = block * height, last_block * height
    for what in range(COSTS if problem.timed else ALWAYS):
        table[row + what, lane] = table[last + what, last_lane]
    table[last + DEMAND, last_lane] = np.inf
    for what in range(COSTS, COSTS + routes):
        table[row + what, lane] = table[last + what, last_lane]
        table[last + what, last_lane] = np.inf
    link(problem, solution, customer, route, _node_before(problem, solution, customer, route, cost))


@inlined
def _node_before(problem, solution, customer, route, cost):
    """The node in ``route`` behind which a customer costs so much: the first, if there are several."""
    before, node = 0, solution.first[route]
    hither = between(problem, 0, customer)
    while node:
        to = between(problem, customer, node)
        if hither + to - solution.leg[node] == cost and in_time(problem, solution, customer, before, node):
            break
        hither = to if problem.symmetric else between(problem, node, customer)
        before = node
        node = solution.succ[node]
    return before


@inlined
def list_opened(problem, solution, routes, used):
    """Return how many routes are listed: one more if that behind the ``used`` ones was opened and there is another."""
    if solution.counts[USED] == used or candidate_routes(problem, solution) == solution.counts[USED]:
        return routes
    solution.scratch_ints[routes, LISTED] = solution.counts[USED]
    return routes + 1
