"""Greedy and regret insertion, with noise or without: the customer that matters most goes first."""

import numpy as np

from dacalns.core.insertion_table import (
    COSTS,
    LISTED,
    NOISE,
    SPARE,
    blocks_of,
    line_up_blocks,
    list_opened,
    list_routes,
    place_of_cost,
    rows_of_table,
    scan_block,
    serve_place,
)
from dacalns.core.jit import inlined, kernel
from dacalns.core.lanes import (
    LANES,
    fraction,
    higher,
    lane_of,
    lane_with,
    lanes_of,
    lower,
    most_of,
    spread,
    where_at_most,
    with_lane,
)
from dacalns.core.model import BANKED, USED
from dacalns.core.near_places import MANY
from dacalns.core.rng import random_float

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
    height = COSTS + min(routes + SPARE, problem.fleet)
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
        serve_place(problem, solution, height, chosen, routes, solution.scratch_ints[changed, LISTED], cost, left)
        end = changed + 1 - routes
        routes = list_opened(problem, solution, routes, used)
        end += routes  # behind the changed route, or the empty one behind that
        if COSTS + routes > height:
            return 0
    return 0


@inlined
def _merits(problem, solution, height, block, routes, depth, eta, rng):
    """The merits of the customers of a block, and what each costs in the route that it would go to."""
    table, penalty = solution.scratch_floats, spread(problem.penalty)
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
        return _noisy(first, second, third, lanes_of(table, block * height + NOISE), penalty, rng)
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
