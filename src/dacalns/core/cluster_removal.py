"""Removal of clusters (Pisinger and Ropke 2007): routes that serve two groups of customers lose one of them."""

import numpy as np

from dacalns.core.destroy import random_served
from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED
from dacalns.core.rng import random_int
from dacalns.core.routes import remove
from dacalns.core.string_removal import start_of_string

# Of a longer route only a stretch is split: the work is the square of the number of customers.
LONGEST = np.int64(50)
# Columns of the scratch tables: a customer, the row of the one it hangs on, its cluster; how far away it hangs.
WHO, TRUNK, CLUSTER = 0, 1, 2
AWAY = 0


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
            remove(problem, solution, table[row, WHO])


@kernel
def split(problem, solution, first, length):
    """Split ``length`` customers from ``first`` on in two: their shortest spanning tree without its longest edge.

    The tree is grown from ``first`` (Prim), each row of the scratch tables hanging on one before it. Kruskal's
    algorithm, stopped when two clusters are left, comes to the same.
    """
    table, values = solution.scratch_ints, solution.scratch_floats
    node = first
    for row in range(length):
        table[row, WHO] = node
        values[row, AWAY] = np.inf
        node = solution.succ[node]
    cut = 0
    for row in range(1, length):
        newest = table[row - 1, WHO]
        nearest = row
        for other in range(row, length):
            away = between(problem, newest, table[other, WHO])
            if away < values[other, AWAY]:
                values[other, AWAY] = away
                table[other, TRUNK] = row - 1
            if values[other, AWAY] < values[nearest, AWAY]:
                nearest = other
        _swap(table, values, row, nearest)
        if cut == 0 or values[row, AWAY] > values[cut, AWAY]:
            cut = row
    for row in range(length):
        table[row, CLUSTER] = 0 if row == 0 else table[table[row, TRUNK], CLUSTER]
        if row == cut and cut:
            table[row, CLUSTER] = 1


@inlined
def _swap(table, values, one, other):
    for column in (WHO, TRUNK):
        table[one, column], table[other, column] = table[other, column], table[one, column]
    values[one, AWAY], values[other, AWAY] = values[other, AWAY], values[one, AWAY]
