"""Greedy and regret insertion: a table of what every waiting customer costs in every route."""

from typing import NamedTuple

import numpy as np

from dacalns.core import rich_insertions
from dacalns.core.insertions import MANY, NEAR
from dacalns.core.jit import by_kind, inlined, kernel
from dacalns.core.lanes import (
    LANES,
    fraction,
    higher,
    lane_of,
    lane_with,
    lanes_of,
    lower,
    most_of,
    put_lanes,
    spread,
    where_at_most,
    with_lane,
)
from dacalns.core.model import BANKED, END, USED
from dacalns.core.records import numbered
from dacalns.core.rng import random_float
from dacalns.core.routes import link
from dacalns.core.terms import (
    NEED,
    added,
    any_has_room8,
    apart,
    candidate_route,
    candidate_routes,
    distance,
    distance_back,
    fleet_size,
    home8,
    in_time,
    least_penalty,
    needs_used,
    put_needs,
    put_nobody,
    where_in_time8,
    where_room8,
)

# What each of the waiting customers costs in each of the routes, eight customers at a time.
#
# They stand in line in blocks of eight, in the first rows of ``scratch_ints``, whose next column lists the routes. In
# ``scratch_floats`` each block has one row for each thing that matters of its customers, and one for their costs in
# each route listed. Lanes behind the end of the line ask for more than any vehicle holds, so that they cost infinity.


class Listing(NamedTuple):
    """The columns of `scratch_ints` behind the customers of a block."""

    listed: int  #: the routes that are listed
    is_listed: int  #: by the number of a route: 1 if it is listed


LISTING = numbered(Listing, first=LANES)


class Block(NamedTuple):
    """The first rows of a block in `scratch_floats`."""

    noise: int  #: how much the costs of its customers may be changed by chance
    needs: int  #: what its customers ask for, from here on: see `dacalns.core.terms.Need`


BLOCK = numbered(Block)
# The costs in each route listed follow.
COSTS = BLOCK.needs + len(NEED)
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
    routes = 0
    if near:
        for route in range(used):
            table[route, LISTING.is_listed] = 0
        for k in range(begin, end):
            neighbours = problem.neighbours[solution.bank[k]]
            for rank in range(min(len(neighbours), NEAR)):
                route = solution.route[np.int64(neighbours[rank])]
                if route >= 0 and not table[route, LISTING.is_listed]:
                    table[route, LISTING.is_listed] = 1
                    table[routes, LISTING.listed] = route
                    routes += 1
    for rank in range(used if near else 0, candidate_routes(problem, solution)):  # the empty one is the last of all
        table[routes, LISTING.listed] = candidate_route(problem, solution, rank)
        routes += 1
    return routes


@inlined
def line_up_blocks(problem, solution, begin, customers, blocks, height, eta):
    """Line up customers of the bank; their noise is ``eta`` times the distance to their farthest neighbour."""
    who, table = solution.scratch_ints, solution.scratch_floats
    for place in range(blocks * LANES):
        block, lane = place // LANES, place % LANES
        customer = solution.bank[begin + place] if place < customers else END
        who[block, lane] = customer
        put_needs(problem, table, block * height + BLOCK.needs, lane, customer)
        if place >= customers:
            put_nobody(table, block * height + BLOCK.needs, lane)
        if eta > 0.0:
            near = problem.neighbours[customer]
            farthest = apart(problem, customer, np.int64(near[len(near) - 1])) if len(near) else 0.0
            table[block * height + BLOCK.noise, lane] = eta * farthest


@inlined
def scan_block(problem, solution, height, block, place):
    """Work out what the customers of a block cost in the route listed at a place, wherever in it they cost least."""
    table, leg, succ = solution.scratch_floats, solution.leg, solution.succ
    route = solution.scratch_ints[place, LISTING.listed]
    costs, needs = block * height + COSTS + place, block * height + BLOCK.needs
    if not any_has_room8(problem, solution, route, table, needs):
        put_lanes(table, costs, spread(np.inf))
        return
    home = home8(problem, solution, route, table, needs)
    hither = home if problem.symmetric else _from(problem, solution, route, block, END)
    least = spread(np.inf)
    before = END
    node = solution.first[route]
    while node:
        to = _to(problem, solution, route, block, node)
        more = added(problem, solution, route, hither, to, spread(leg[node]))
        more = where_in_time8(problem, solution, route, table, needs, before, node, hither, to, more)
        least = lower(more, least)
        hither = to if problem.symmetric else _from(problem, solution, route, block, node)
        before = node
        node = succ[node]
    more = added(problem, solution, route, hither, home, spread(distance(problem, solution, route, before, END)))
    more = where_in_time8(problem, solution, route, table, needs, before, END, hither, home, more)
    put_lanes(table, costs, where_room8(problem, solution, route, table, needs, lower(more, least)))


@inlined
def _from(problem, solution, route, block, node):
    """How far it is from ``node`` to each customer of a block."""
    who, distances = solution.scratch_ints, spread(0.0)
    for lane in range(LANES):
        distances = with_lane(distances, lane, distance(problem, solution, route, node, who[block, lane]))
    return distances


@inlined
def _to(problem, solution, route, block, node):
    """How far it is to ``node`` from each customer of a block."""
    who, distances = solution.scratch_ints, spread(0.0)
    for lane in range(LANES):
        distances = with_lane(distances, lane, distance(problem, solution, route, who[block, lane], node))
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
    for what in range(BLOCK.needs + needs_used(problem)):
        table[row + what, lane] = table[last + what, last_lane]
    put_nobody(table, last + BLOCK.needs, last_lane)
    for what in range(COSTS, COSTS + routes):
        table[row + what, lane] = table[last + what, last_lane]
        table[last + what, last_lane] = np.inf
    link(problem, solution, customer, route, _node_before(problem, solution, customer, route, cost))


@inlined
def _node_before(problem, solution, customer, route, cost):
    """The node in ``route`` behind which a customer costs so much: the first, if there are several."""
    before, node = END, solution.first[route]
    hither = distance(problem, solution, route, END, customer)
    while node:
        to = distance(problem, solution, route, customer, node)
        more = added(problem, solution, route, hither, to, solution.leg[node])
        if more == cost and in_time(problem, solution, route, before, customer, node, hither, to):
            break
        hither = distance_back(problem, solution, route, node, customer, to)
        before = node
        node = solution.succ[node]
    return before


@inlined
def list_opened(problem, solution, routes, used):
    """Return how many routes are listed: one more if that behind the ``used`` ones was opened and there is another."""
    if solution.counts[USED] == used:
        return routes
    for rank in range(solution.counts[USED], candidate_routes(problem, solution)):
        solution.scratch_ints[routes, LISTING.listed] = candidate_route(problem, solution, rank)
        routes += 1
    return routes


# Greedy and regret insertion, with noise or without: the customer that matters most goes first.

# The digits of one random number in [0, 1) serve for three, each by this factor behind the one before.
DIGITS = 2.0**17


@kernel
def fill_by_best(problem, solution, depth, eta, rng):
    """Insert all that fits, the customer with the highest merit first, each where it costs least.

    The merit is the negative cost (``depth`` 1), or what going to the second to ``depth``-th best routes would cost
    more. With ``eta`` there is noise, even between plus and minus that times the distance to the customer's farthest
    neighbour, on the costs of the three cheapest routes, whenever they are compared.

    On large instances only the routes of near customers are looked at; all are, for those whom none of these can take.
    """
    near = len(solution.route) > MANY
    hopeless = 0  # the first so many in the bank fit nowhere
    while hopeless < solution.counts[BANKED]:
        left = fill_from_line(problem, solution, hopeless, near, depth, eta, rng)
        for k in range(left):
            _swap_in_bank(solution, solution.slot[solution.scratch_ints[k // LANES, k % LANES]], hopeless)
            hopeless += 1
        if near and hopeless == solution.counts[BANKED]:
            near = False
            hopeless = 0


fill_by_best = by_kind(fill_by_best, rich_insertions.fill_by_best)


@inlined
def _swap_in_bank(solution, one, other):
    bank, slot = solution.bank, solution.slot
    bank[one], bank[other] = bank[other], bank[one]
    slot[bank[one]] = one
    slot[bank[other]] = other


@inlined
def fill_from_line(problem, solution, begin, near, depth, eta, rng):
    """Line up those behind ``begin`` in the bank, as many as the table holds, and serve them.

    Returns how many stand in line whom no route can take; none if the table became too small on the way.
    """
    routes = list_routes(problem, solution, begin, solution.counts[BANKED], near)
    left = solution.counts[BANKED] - begin
    height = COSTS + min(routes + SPARE, fleet_size(problem))
    blocks = min(blocks_of(left), rows_of_table(solution) // height)
    left = min(left, blocks * LANES)
    line_up_blocks(problem, solution, begin, left, blocks, height, eta)
    changed, end = 0, routes
    while left:
        chosen, cost = -1, np.inf
        most = -np.inf
        for block in range(blocks_of(left)):
            for place in range(changed, end):
                scan_block(problem, solution, height, block, place)
            merits, costs = _merits(problem, solution, height, block, routes, depth, eta, rng)
            top = most_of(merits)
            if top > most:
                most = top
                lane = lane_with(merits, top)
                cost = lane_of(costs, lane)
                chosen = block * LANES + lane
        if chosen < 0:
            return left
        left -= 1
        changed = place_of_cost(solution, height, chosen, routes, cost)
        used = solution.counts[USED]
        serve_place(
            problem, solution, height, chosen, routes, solution.scratch_ints[changed, LISTING.listed], cost, left
        )
        end = changed + 1 - routes
        routes = list_opened(problem, solution, routes, used)
        end += routes  # behind the changed route, or the empty one behind that
        if COSTS + routes > height:
            return 0
    return 0


@inlined
def _merits(problem, solution, height, block, routes, depth, eta, rng):
    """The merits of the customers of a block, and what each costs in the route that it would go to."""
    table, penalty = solution.scratch_floats, spread(least_penalty(problem))
    first = second = third = fourth = spread(np.inf)
    for place in range(routes):
        cost = lanes_of(table, block * height + COSTS + place)
        if depth > 1:
            rest = higher(cost, first)
            if depth > 2:
                later = higher(rest, second)
                fourth = lower(fourth, higher(later, third))
                third = lower(third, later)
            second = lower(second, rest)
        first = lower(first, cost)
    if eta > 0.0:
        return _noisy(first, second, third, lanes_of(table, block * height + BLOCK.noise), penalty, rng)
    merits = spread(0.0) - first
    if depth > 1:
        merits = merits + lower(second, penalty)
    if depth > 2:
        merits = merits + lower(third, penalty) - first
    if depth > 3:
        merits = merits + lower(fourth, penalty) - first
    return merits, first


@inlined
def _noisy(first, second, third, noise, penalty, rng):
    """What of three costs with noise is least, as a merit and as it is without."""
    draw = spread(0.0)
    for lane in range(LANES):
        draw = with_lane(draw, lane, random_float(rng))
    one = _shaken(first, noise, draw)
    draw = fraction(draw * spread(DIGITS))
    two = _shaken(second, noise, draw)
    draw = fraction(draw * spread(DIGITS))
    three = _shaken(third, noise, draw)
    low = lower(one, two)
    least = lower(low, three)
    runner_up = lower(higher(one, two), higher(low, three))
    return (
        lower(runner_up, penalty) - least,
        where_at_most(one, least, first, where_at_most(two, least, second, third)),
    )


@inlined
def _shaken(cost, noise, draw):
    return higher(spread(0.0), cost + noise * (draw + draw - spread(1.0)))
