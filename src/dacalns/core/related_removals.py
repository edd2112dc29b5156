"""Destroy operators that take out customers that belong together: related ones, and clusters."""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, MOST_NEIGHBOURS
from dacalns.core.removals import random_served, remove_by_rank
from dacalns.core.rng import random_int
from dacalns.core.routes import remove
from dacalns.core.string_removals import start_of_string
from dacalns.core.terms import amount, service_start

# Removal of related customers (Shaw 1998; weights of Ropke and Pisinger 2006): those that can easily change places.

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
        values[total, LATER] = abs(
            service_start(problem, solution, customer) - service_start(problem, solution, centre)
        )
        values[total, MORE] = abs(amount(problem, customer) - amount(problem, centre))
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


# Removal of near customers served at about the same time (Pisinger and Ropke 2007), for problems with windows.

# Only so many nearest customers are compared, since being far apart counts for nothing among them.
NEAR_IN_TIME = np.int64(40)


@kernel
def time_oriented_removal(problem, solution, count, rng):
    """Remove a random customer and, mostly, those of its nearest whose service begins closest in time to its own."""
    remove_related(problem, solution, count, NEAR_IN_TIME, 0.0, 1.0, 0.0, rng)


# Removal of clusters (Pisinger and Ropke 2007): routes that serve two groups of customers lose one of them.

# Of a longer route only a stretch is split: the work is the square of the number of customers.
LONGEST = np.int64(50)
# Columns of the scratch tables: a customer, the row of the one it hangs on, its cluster; how far away it hangs.
MEMBER, TRUNK, CLUSTER = 0, 1, 2
HANGS_AWAY = 0


@kernel
def cluster_removal(problem, solution, count, rng):
    """Remove one of the two clusters of a random customer's route, then of its neighbours' routes, nearest first.

    That ends when ``count`` or more are out. No route is split twice.
    """
    enough = solution.counts[BANKED] + count
    centre = random_served(solution, rng) if count > 0 else 0
    if centre == 0:
        return
    near = problem.neighbours[centre]
    for k in range(-1, len(near)):
        customer = np.int64(near[k]) if k >= 0 else centre
        route = solution.route[customer]
        if route < 0 or solution.dirty[route]:  # dirty: it has lost a cluster already
            continue
        remove_cluster(problem, solution, customer, rng)
        if solution.counts[BANKED] >= enough:
            return


@kernel
def remove_cluster(problem, solution, customer, rng):
    """Split the route of ``customer``, or a stretch of it, and remove either cluster, both equally likely."""
    length = min(solution.size[solution.route[customer]], LONGEST)
    split(problem, solution, start_of_string(solution, customer, length, rng), length)
    chosen = random_int(rng, 2) if length > 1 else 0
    table = solution.scratch_ints
    for row in range(length):
        if table[row, CLUSTER] == chosen:
            remove(problem, solution, table[row, MEMBER])


@kernel
def split(problem, solution, first, length):
    """Split ``length`` customers from ``first`` on in two: their shortest spanning tree without its longest edge.

    The tree is grown from ``first`` (Prim), each row of the scratch tables hanging on one before it. Kruskal's
    algorithm, stopped when two clusters are left, comes to the same.
    """
    table, values = solution.scratch_ints, solution.scratch_floats
    node = first
    for row in range(length):
        table[row, MEMBER] = node
        values[row, HANGS_AWAY] = np.inf
        node = solution.succ[node]
    cut = 0
    for row in range(1, length):
        newest = table[row - 1, MEMBER]
        nearest = row
        for other in range(row, length):
            away = between(problem, newest, table[other, MEMBER])
            if away < values[other, HANGS_AWAY]:
                values[other, HANGS_AWAY] = away
                table[other, TRUNK] = row - 1
            if values[other, HANGS_AWAY] < values[nearest, HANGS_AWAY]:
                nearest = other
        _swap(table, values, row, nearest)
        if cut == 0 or values[row, HANGS_AWAY] > values[cut, HANGS_AWAY]:
            cut = row
    for row in range(length):
        table[row, CLUSTER] = 0 if row == 0 else table[table[row, TRUNK], CLUSTER]
        if row == cut and cut:
            table[row, CLUSTER] = 1


@inlined
def _swap(table, values, one, other):
    for column in (MEMBER, TRUNK):
        table[one, column], table[other, column] = table[other, column], table[one, column]
    values[one, HANGS_AWAY], values[other, HANGS_AWAY] = values[other, HANGS_AWAY], values[one, HANGS_AWAY]
