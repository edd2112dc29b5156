"""Regret insertion with noise (Ropke and Pisinger 2006), so that the same bank is not always served the same way."""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.insertion import LISTED, WHO, scan_routes
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED
from dacalns.core.repair import serve_row
from dacalns.core.rng import random_float

# How much noise at most, as a fraction of the largest distance.
ETA = 0.025
# How many of its cheapest routes a customer may be sent to by noise.
ROUTES = np.int64(3)


@kernel
def noisy_regret_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that seems to lose most by its second-best route."""
    fill_with_noise(problem, solution, ETA, rng)


@kernel
def fill_with_noise(problem, solution, eta, rng):
    """Regret-2 insertion of all that fits, with noise on every cost whenever costs are compared.

    The noise is even between plus and minus ``eta`` times the distance to the farthest neighbour listed, which up to
    101 customers is the farthest of all. On larger instances the largest distance would drown what places differ by.
    """
    costs, places = solution.scratch_floats, solution.scratch_ints
    waiting = solution.counts[BANKED]
    for row in range(waiting):
        places[row, WHO] = solution.bank[row]
        scan_routes(problem, solution, row)
    while waiting:
        chosen, chosen_rank = -1, 0
        most = -np.inf
        for row in range(waiting):
            listed = min(places[row, LISTED], ROUTES)
            if listed == 0:
                continue
            noise = eta * _farthest(problem, places[row, WHO])
            least, second, best = np.inf, np.inf, 0
            for rank in range(listed):
                cost = max(0.0, costs[row, rank] + noise * (2.0 * random_float(rng) - 1.0))
                if cost < least:
                    second = least
                    least = cost
                    best = rank
                elif cost < second:
                    second = cost
            merit = (second if listed > 1 else problem.penalty) - least
            if merit > most:
                most = merit
                chosen = row
                chosen_rank = best
        if chosen < 0:
            return
        waiting -= 1
        serve_row(problem, solution, chosen, chosen_rank, waiting, ROUTES)


@inlined
def _farthest(problem, customer):
    """The distance to the last of the customer's neighbours; 0 if it has none."""
    near = problem.neighbours[customer]
    return between(problem, customer, np.int64(near[len(near) - 1])) if len(near) else 0.0
