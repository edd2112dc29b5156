"""Insertion beside near neighbours alone: the time it takes does not grow with the number of routes."""

import numpy as np

from dacalns.core.insertion import added_distance
from dacalns.core.jit import kernel
from dacalns.core.model import BANKED, USED
from dacalns.core.rng import random_int
from dacalns.core.routes import link


@kernel
def near_repair(problem, solution, rng):
    """Serve the waiting customers in random order, each at its cheapest place next to one of its neighbours, or alone.

    Whoever fits at none of these places goes on waiting, even if another route could take it.
    """
    queue = solution.scratch_ints
    waiting = solution.counts[BANKED]
    for k in range(waiting):
        queue[k, 0] = solution.bank[k]
    near = problem.neighbours
    for k in range(waiting):
        other = k + random_int(rng, waiting - k)
        customer = queue[other, 0]
        queue[other, 0] = queue[k, 0]
        least, chosen, behind = np.inf, -1, 0
        used = solution.counts[USED]
        if used < problem.fleet:
            least, chosen = added_distance(problem, solution, customer, used, 0), used
        for rank in range(near.shape[1]):
            neighbour = np.int64(near[customer, rank])
            route = solution.route[neighbour]
            if route < 0:
                continue
            for place in (solution.pred[neighbour], neighbour):
                delta = added_distance(problem, solution, customer, route, place)
                if delta < least:
                    least, chosen, behind = delta, route, place
        if least < np.inf:
            link(problem, solution, customer, chosen, behind)
