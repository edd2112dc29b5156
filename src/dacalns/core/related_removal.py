"""Removal of related customers (Shaw 1998; weights of Ropke and Pisinger 2006): those that can easily change places."""

import numpy as np

from dacalns.core.destroy import random_served, remove_by_rank
from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import MOST_NEIGHBOURS
from dacalns.core.routes import remove

# What counts how much when two customers are compared.
DISTANCE, TIME, DEMAND = 9.0, 3.0, 2.0
# How many of the nearest neighbours are compared: all that are listed.
NEAR = np.int64(MOST_NEIGHBOURS)
# The higher, the more often the most related are chosen.
DETERMINISM = 6
# Columns of the scratch tables.
WHO = 0
STRANGENESS, AWAY, LATER, MORE = 0, 1, 2, 3


@kernel
def related_removal(problem, solution, count, rng):
    """Remove a random customer and, mostly, those of its neighbours that are most related to it.

    The relation is closeness in distance, demand and, with windows, the time of service.
    """
    remove_related(problem, solution, count, NEAR, DISTANCE, TIME, DEMAND, rng)


@kernel
def remove_related(problem, solution, count, near, distance, time, demand, rng):
    """Remove a random customer and, mostly, the most related of the ``near`` nearest to it, by these weights."""
    centre = random_served(solution, rng) if count > 0 else 0
    if centre == 0:
        return
    listed = rank_related(problem, solution, centre, near, distance, time, demand)
    remove(problem, solution, centre)
    remove_by_rank(problem, solution, listed, count - 1, DETERMINISM, rng)


@kernel
def rank_related(problem, solution, centre, near, distance, time, demand):
    """List those of the ``near`` nearest to ``centre`` who are served, most related first, in the scratch table.

    Returns how many there are.
    """
    table, values, neighbours = solution.scratch_ints, solution.scratch_floats, problem.neighbours[centre]
    total = 0
    most_away, most_later, most_more = 0.0, 0.0, 0.0
    for k in range(min(near, len(neighbours))):
        customer = np.int64(neighbours[k])
        if solution.route[customer] < 0:
            continue
        table[total, WHO] = customer
        values[total, AWAY] = between(problem, centre, customer)
        values[total, LATER] = abs(_start(problem, solution, customer) - _start(problem, solution, centre))
        values[total, MORE] = abs(problem.demand[customer] - problem.demand[centre])
        most_away = max(most_away, values[total, AWAY])
        most_later = max(most_later, values[total, LATER])
        most_more = max(most_more, values[total, MORE])
        total += 1
    # Each in units of the largest difference in the list, so that neither distances nor demands have to be of any size.
    per_distance = distance / most_away if most_away > 0.0 else 0.0
    per_time = time / most_later if most_later > 0.0 else 0.0
    per_demand = demand / most_more if most_more > 0.0 else 0.0
    for k in range(total):
        customer = table[k, WHO]
        strange = per_distance * values[k, AWAY] + per_time * values[k, LATER] + per_demand * values[k, MORE]
        place = k
        while place and values[place - 1, STRANGENESS] > strange:
            values[place, STRANGENESS] = values[place - 1, STRANGENESS]
            table[place, WHO] = table[place - 1, WHO]
            place -= 1
        values[place, STRANGENESS] = strange
        table[place, WHO] = customer
    return total


@inlined
def _start(problem, solution, customer):
    """When service begins; the same for all without windows."""
    return solution.depart[customer] - problem.service[customer] if problem.timed else 0.0
