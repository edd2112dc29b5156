"""Removal of whole routes that pass near one another."""

import numpy as np

from dacalns.core.jit import kernel
from dacalns.core.model import BANKED, USED
from dacalns.core.rng import random_int
from dacalns.core.routes import remove


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
