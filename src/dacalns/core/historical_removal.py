"""Removal by history (the neighbour graph of Ropke and Pisinger 2006): customers between links that never did well.

The least cost of all solutions in which one customer came right after another says how good that can be. Customers
between two links of which no good solution is known are removed first.
"""

import numpy as np

from dacalns.core.destroy import random_served, remove_by_rank
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import LINKS
from dacalns.core.routes import objective

# The higher, the more often those with the worst history are chosen.
DETERMINISM = 6
# Columns of the scratch tables.
WHO = 0
WORTH = 0
# The table of floats has fewer columns than there are links, so that each customer has two rows.
HALF = LINKS // 2


@kernel
def historical_removal(problem, solution, count, rng):
    """Remove mostly customers whose links are only known from dear solutions, out of a random one and its neighbours.

    What the solution costs is noted for the links of these first. Up to 101 customers they are all; on larger instances
    the work does not grow.
    """
    centre = random_served(solution, rng) if count > 0 else 0
    if centre == 0:
        return
    listed = rank_by_history(problem, solution, centre)
    remove_by_rank(problem, solution, listed, count, DETERMINISM, rng)


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
