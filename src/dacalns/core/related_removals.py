"""Destroy operators that take out customers that belong together: related ones, and clusters."""

from typing import NamedTuple

import numpy as np

from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, END, MOST_NEIGHBOURS
from dacalns.core.records import numbered
from dacalns.core.removals import WHO, random_served, remove_by_rank
from dacalns.core.rng import random_int
from dacalns.core.routes import remove
from dacalns.core.string_removals import start_of_string
from dacalns.core.terms import amount, apart, service_start

# Removal of related customers (Shaw 1998; weights of Ropke and Pisinger 2006): those that can easily change places.

# What counts how much when two customers are compared.
DISTANCE, TIME, DEMAND = 9.0, 3.0, 2.0
# How many of the nearest neighbours are compared: all that are listed.
NEAR = np.int64(MOST_NEIGHBOURS)
# The higher, the more often the most related are chosen.
DETERMINISM = 6


class Relation(NamedTuple):
    """The columns of the table of floats, a row for each customer that is compared."""

    strangeness: int  #: the weighted sum of the differences, in the rows that are sorted already
    away: int  #: the distance
    later: int  #: the difference of the times of service
    more: int  #: the difference of the demands


RELATION = numbered(Relation)


@kernel
def related_removal(problem, solution, count, rng):
    """Remove a random customer and, mostly, those of its neighbours that are most related to it.

    The relation is closeness in distance, demand and, with windows, the time of service.
    """
    remove_related(problem, solution, count, NEAR, DISTANCE, TIME, DEMAND, rng)


@kernel
def remove_related(problem, solution, count, near, distance, time, demand, rng):
    """Remove a random customer and, mostly, the most related of the ``near`` nearest to it, by these weights."""
    centre = random_served(solution, rng) if count > 0 else END
    if centre == END:
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
        values[total, RELATION.away] = apart(problem, centre, customer)
        values[total, RELATION.later] = abs(
            service_start(problem, solution, customer) - service_start(problem, solution, centre)
        )
        values[total, RELATION.more] = abs(amount(problem, customer) - amount(problem, centre))
        most_away = max(most_away, values[total, RELATION.away])
        most_later = max(most_later, values[total, RELATION.later])
        most_more = max(most_more, values[total, RELATION.more])
        total += 1
    # Each in units of the largest difference in the list, so that neither distances nor demands have to be of any size.
    per_distance = distance / most_away if most_away > 0.0 else 0.0
    per_time = time / most_later if most_later > 0.0 else 0.0
    per_demand = demand / most_more if most_more > 0.0 else 0.0
    for k in range(total):
        customer = table[k, WHO]
        strange = (
            per_distance * values[k, RELATION.away]
            + per_time * values[k, RELATION.later]
            + per_demand * values[k, RELATION.more]
        )
        place = k
        while place and values[place - 1, RELATION.strangeness] > strange:
            values[place, RELATION.strangeness] = values[place - 1, RELATION.strangeness]
            table[place, WHO] = table[place - 1, WHO]
            place -= 1
        values[place, RELATION.strangeness] = strange
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


class Branch(NamedTuple):
    """The columns of the scratch table of whole numbers, a row for each customer of the tree."""

    member: int  #: the customer
    trunk: int  #: the row of the customer that it hangs on
    cluster: int  #: 0 or 1


BRANCH = numbered(Branch)
# The column of the table of floats: how far away a customer hangs.
HANGS_AWAY = 0


@kernel
def cluster_removal(problem, solution, count, rng):
    """Remove one of the two clusters of a random customer's route, then of its neighbours' routes, nearest first.

    That ends when ``count`` or more are out. No route is split twice.
    """
    enough = solution.counts[BANKED] + count
    centre = random_served(solution, rng) if count > 0 else END
    if centre == END:
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
        if table[row, BRANCH.cluster] == chosen:
            remove(problem, solution, table[row, BRANCH.member])


@kernel
def split(problem, solution, first, length):
    """Split ``length`` customers from ``first`` on in two: their shortest spanning tree without its longest edge.

    The tree is grown from ``first`` (Prim), each row of the scratch tables hanging on one before it. Kruskal's
    algorithm, stopped when two clusters are left, comes to the same.
    """
    table, values = solution.scratch_ints, solution.scratch_floats
    node = first
    for row in range(length):
        table[row, BRANCH.member] = node
        values[row, HANGS_AWAY] = np.inf
        node = solution.succ[node]
    cut = 0
    for row in range(1, length):
        newest = table[row - 1, BRANCH.member]
        nearest = row
        for other in range(row, length):
            away = apart(problem, newest, table[other, BRANCH.member])
            if away < values[other, HANGS_AWAY]:
                values[other, HANGS_AWAY] = away
                table[other, BRANCH.trunk] = row - 1
            if values[other, HANGS_AWAY] < values[nearest, HANGS_AWAY]:
                nearest = other
        _swap(table, values, row, nearest)
        if cut == 0 or values[row, HANGS_AWAY] > values[cut, HANGS_AWAY]:
            cut = row
    for row in range(length):
        table[row, BRANCH.cluster] = 0 if row == 0 else table[table[row, BRANCH.trunk], BRANCH.cluster]
        if row == cut and cut:
            table[row, BRANCH.cluster] = 1


@inlined
def _swap(table, values, one, other):
    for column in (BRANCH.member, BRANCH.trunk):
        table[one, column], table[other, column] = table[other, column], table[one, column]
    values[one, HANGS_AWAY], values[other, HANGS_AWAY] = values[other, HANGS_AWAY], values[one, HANGS_AWAY]
