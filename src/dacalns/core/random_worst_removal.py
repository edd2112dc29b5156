"""Worst removal by chance (Ropke and Pisinger 2006): mostly customers whose removal saves much, never the same set."""

import numpy as np

from dacalns.core.destroy import random_served, saved_without
from dacalns.core.jit import inlined, kernel
from dacalns.core.rng import random_float
from dacalns.core.routes import remove

# The higher, the more often those that save most are chosen.
DETERMINISM = 3
# Columns of the scratch tables.
WHO = 0
SAVED = 0


@kernel
def random_worst_removal(problem, solution, count, rng):
    """Remove, one by one, mostly customers who save most, out of a random one and its listed neighbours.

    Up to 101 customers these are all. On larger instances the work does not grow, and places to put the customers
    back are near one another.
    """
    centre = random_served(solution, rng) if count > 0 else 0
    if centre == 0:
        return
    table, values = solution.scratch_ints, solution.scratch_floats
    left = rank_by_saving(problem, solution, centre)
    for _ in range(min(count, left)):
        rank = int(random_float(rng) ** DETERMINISM * left)
        customer = table[rank, WHO]
        before, after = solution.pred[customer], solution.succ[customer]
        remove(problem, solution, customer)
        left -= 1
        for later in range(rank, left):
            table[later, WHO] = table[later + 1, WHO]
            values[later, SAVED] = values[later + 1, SAVED]
        if before:
            _rank_again(problem, solution, before, left)
        if after:
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
