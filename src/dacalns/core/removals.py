"""Destroy operators that take out customers one by one: at random, by what they save, by their history, by route."""

import numpy as np

from dacalns.core.jit import inlined, kernel
from dacalns.core.lanes import LANES, higher, lane_with, lanes_of, most_of, put_lanes, spread, with_lane
from dacalns.core.model import BANKED, END, LINKS, USED
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import remove
from dacalns.core.terms import added, distance, leg_now, objective, partner

# Destroy operators: each takes ``count`` customers out of their routes.

# The column of the scratch table in which those who rank customers list them.
WHO = 0


@kernel
def random_served(solution, rng):
    """A customer who is served, each equally likely; END if nobody is."""
    customers = len(solution.route) - 1
    if solution.counts[BANKED] == customers:
        return END
    customer = 1 + random_int(rng, customers)
    while solution.route[customer] < 0:
        customer = 1 + random_int(rng, customers)
    return customer


@kernel
def remove_by_rank(problem, solution, listed, count, determinism, rng):
    """Remove ``count`` of the customers ``listed`` in the first column of the scratch table, mostly from its top.

    The higher ``determinism``, the more often the first.
    """
    table = solution.scratch_ints
    for _ in range(min(count, listed)):
        rank = int(random_float(rng) ** determinism * listed)
        remove(problem, solution, table[rank, WHO])
        listed -= 1
        for later in range(rank, listed):
            table[later, WHO] = table[later + 1, WHO]


@kernel
def random_removal(problem, solution, count, rng):
    """Remove ``count`` customers, every set of them equally likely."""
    customers = len(solution.route) - 1
    for _ in range(min(count, customers - solution.counts[BANKED])):
        remove(problem, solution, random_served(solution, rng))


@kernel
def worst_removal(problem, solution, count, rng):
    """Remove ``count`` customers one by one, always the one whose removal saves most."""
    saving = solution.scratch_floats  # of customer k in row k // LANES, so that eight are looked at at once
    nodes = len(solution.route)
    blocks = (nodes + LANES - 1) // LANES
    put_lanes(saving, 0, spread(-np.inf))
    put_lanes(saving, blocks - 1, spread(-np.inf))
    for customer in range(1, nodes):
        _note_saving(problem, solution, customer)
    for _ in range(count):
        highest = spread(-np.inf)
        for block in range(blocks):
            highest = higher(highest, lanes_of(saving, block))
        most = most_of(highest)
        if most == -np.inf:
            return
        block = 0
        lane = lane_with(lanes_of(saving, block), most)
        while lane == LANES:
            block += 1
            lane = lane_with(lanes_of(saving, block), most)
        worst = block * LANES + lane
        before, after = solution.pred[worst], solution.succ[worst]
        remove(problem, solution, worst)
        _set(saving, worst, -np.inf)
        other = partner(problem, worst)
        if other:
            _set(saving, other, -np.inf)
        if before and before != other:
            _set(saving, before, saved_without(problem, solution, before))
        if after and after != other:
            _set(saving, after, saved_without(problem, solution, after))


@inlined
def _note_saving(problem, solution, customer):
    served = solution.route[customer] >= 0
    saved = saved_without(problem, solution, customer) if served else -np.inf
    solution.scratch_floats[customer // LANES, customer % LANES] = saved


@inlined
def _set(saving, customer, number):
    row = customer // LANES
    put_lanes(saving, row, with_lane(lanes_of(saving, row), customer % LANES, number))


@kernel
def saved_without(problem, solution, customer):
    """How much shorter the customer's route is without it."""
    before, after, leg = solution.pred[customer], solution.succ[customer], solution.leg
    route = solution.route[customer]
    onward = leg_now(problem, solution, route, customer, after)
    joined = distance(problem, solution, route, before, after)
    return added(problem, solution, route, leg[customer], onward, joined)


# Worst removal by chance (Ropke and Pisinger 2006): mostly customers whose removal saves much, never the same set.

# The higher, the more often those that save most are chosen.
WORST_DETERMINISM = 3
# The column of the table of floats: what leaving out a ranked customer saves.
SAVED = 0


@kernel
def random_worst_removal(problem, solution, count, rng):
    """Remove, one by one, mostly customers who save most, out of a random one and its listed neighbours.

    Up to 101 customers these are all. On larger instances the work does not grow, and places to put the customers
    back are near one another.
    """
    centre = random_served(solution, rng) if count > 0 else END
    if centre == END:
        return
    table, values = solution.scratch_ints, solution.scratch_floats
    left = rank_by_saving(problem, solution, centre)
    for _ in range(min(count, left)):
        rank = int(random_float(rng) ** WORST_DETERMINISM * left)
        customer = table[rank, WHO]
        before, after = solution.pred[customer], solution.succ[customer]
        if solution.route[customer] < 0:  # he left with his partner
            before = after = END
        remove(problem, solution, customer)
        left -= 1
        for later in range(rank, left):
            table[later, WHO] = table[later + 1, WHO]
            values[later, SAVED] = values[later + 1, SAVED]
        other = partner(problem, customer)
        if before and before != other:
            _rank_again(problem, solution, before, left)
        if after and after != other:
            _rank_again(problem, solution, after, left)


@kernel
def rank_by_saving(problem, solution, centre):
    """List ``centre`` and its served neighbours in the scratch tables, most saved first, and return how many."""
    near = problem.neighbours[centre]
    total = 0
    for k in range(-1, len(near)):
        customer = np.int64(near[k]) if k >= 0 else centre
        if solution.route[customer] >= 0:
            _climb(solution, total, customer, saved_without(problem, solution, customer))
            total += 1
    return total


@inlined
def _climb(solution, place, customer, saved):
    """Put ``customer`` where it belongs, given that ``place`` is free and all before it are in order."""
    table, values = solution.scratch_ints, solution.scratch_floats
    while place and values[place - 1, SAVED] < saved:
        table[place, WHO] = table[place - 1, WHO]
        values[place, SAVED] = values[place - 1, SAVED]
        place -= 1
    table[place, WHO] = customer
    values[place, SAVED] = saved


@kernel
def _rank_again(problem, solution, customer, total):
    """Move ``customer``, if it is listed, to where it belongs now that a neighbour in its route is gone."""
    table, values = solution.scratch_ints, solution.scratch_floats
    place = 0
    while place < total and table[place, WHO] != customer:
        place += 1
    if place == total:
        return
    saved = saved_without(problem, solution, customer)
    while place + 1 < total and values[place + 1, SAVED] > saved:
        table[place, WHO] = table[place + 1, WHO]
        values[place, SAVED] = values[place + 1, SAVED]
        place += 1
    _climb(solution, place, customer, saved)


# Removal by history (the neighbour graph of Ropke and Pisinger 2006): customers between links that never did well.
#
# The least cost of all solutions in which one customer came right after another says how good that can be. Customers
# between two links of which no good solution is known are removed first.

# The higher, the more often those with the worst history are chosen.
HISTORY_DETERMINISM = 6
# The column of the table of floats: the costs of the best solutions known with the links of a ranked customer.
WORTH = 0
# The table of floats has fewer columns than there are links, so that each customer has two rows.
HALF = LINKS // 2


@kernel
def historical_removal(problem, solution, count, rng):
    """Remove mostly customers whose links are only known from dear solutions, out of a random one and its neighbours.

    What the solution costs is noted for the links of these first. Up to 101 customers they are all; on larger instances
    the work does not grow.
    """
    centre = random_served(solution, rng) if count > 0 else END
    if centre == END:
        return
    listed = rank_by_history(problem, solution, centre)
    remove_by_rank(problem, solution, listed, count, HISTORY_DETERMINISM, rng)


@kernel
def rank_by_history(problem, solution, centre):
    """List ``centre`` and its served neighbours in the scratch tables, worst history first, and return how many."""
    table, values, near = solution.scratch_ints, solution.scratch_floats, problem.neighbours[centre]
    cost = objective(problem, solution)
    total = 0
    for k in range(-1, len(near)):
        customer = np.int64(near[k]) if k >= 0 else centre
        if solution.route[customer] < 0:
            continue
        worth = least_cost(solution, customer, solution.pred[customer], cost)
        following = solution.succ[customer]
        if following:
            worth += least_cost(solution, following, customer, cost)
        else:  # it is last: noted as if it came after itself
            worth += least_cost(solution, customer, customer, cost)
        place = total
        while place and values[place - 1, WORTH] < worth:
            values[place, WORTH] = values[place - 1, WORTH]
            table[place, WHO] = table[place - 1, WHO]
            place -= 1
        values[place, WORTH] = worth
        table[place, WHO] = customer
        total += 1
    return total


@inlined
def least_cost(solution, customer, before, cost):
    """The least cost of a solution in which ``before`` came before ``customer``, one of ``cost`` included.

    Each customer has a few places for those that came before it, by their number; one that needs a place takes it. They
    are behind the rows of the scratch tables that others use, so that they stay from one iteration to the next.
    """
    who, at_cost = solution.scratch_ints, solution.scratch_floats
    place = before % LINKS
    row, half, column = len(who) - 1 - customer, len(at_cost) - 1 - 2 * customer - place // HALF, place % HALF
    if who[row, place] != before + 1 or not at_cost[half, column] < cost:
        who[row, place] = before + 1  # 0: nobody so far
        at_cost[half, column] = cost
    return at_cost[half, column]


# Removal of whole routes that pass near one another.


@kernel
def route_removal(problem, solution, count, rng):
    """Remove the route of a random customer and those of its nearest neighbours, until ``count`` or more are out."""
    used = solution.counts[USED]
    if used == 0 or count <= 0:
        return
    enough = solution.counts[BANKED] + count
    route = random_int(rng, used)
    centre = solution.first[route]
    for _ in range(random_int(rng, solution.size[route])):
        centre = solution.succ[centre]
    near = problem.neighbours[centre]
    _empty(problem, solution, centre)
    for k in range(len(near)):
        if solution.counts[BANKED] >= enough:
            return
        _empty(problem, solution, np.int64(near[k]))


@kernel
def _empty(problem, solution, customer):
    """Remove all of the customer's route, if it has one."""
    route = solution.route[customer]
    if route < 0:
        return
    node = solution.first[route]
    while node:
        following = solution.succ[node]
        remove(problem, solution, node)
        node = following
