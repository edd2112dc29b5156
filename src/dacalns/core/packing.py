"""Serving everybody where the fleet is tight: a short search for capacity alone, before the real one."""

import numpy as np

from dacalns.core.destroy import random_removal
from dacalns.core.insertion import candidate_routes, cheapest_position
from dacalns.core.jit import kernel
from dacalns.core.model import BANKED
from dacalns.core.repair import regret_repair
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import copy_into, link, settle

# Demands are compared after a random factor up to this, so that the order varies a little from round to round.
JITTER = 0.3


@kernel
def complete(problem, solution, candidate, rounds, rng):
    """Serve the waiting customers by regret-2 insertion, and those whom that leaves over by packing."""
    regret_repair(problem, solution, rng)
    pack(problem, solution, candidate, rounds, rng)


@kernel
def pack(problem, solution, candidate, rounds, rng):
    """Make room until nobody waits or ``rounds`` are over; no round leaves more demand unserved than the one before.

    Each round removes customers at random and serves the waiting ones, large demands first, in the fullest route that
    can take them: best-fit decreasing, the classic rule for packing bins.
    """
    waiting = _demand_in_bank(problem, solution)
    customers = len(solution.route) - 1
    for _ in range(rounds):
        if solution.counts[BANKED] == 0:
            return
        copy_into(candidate, solution)
        random_removal(problem, candidate, 1 + random_int(rng, max(1, customers // 3)), rng)
        settle(problem, candidate)
        _best_fit_decreasing(problem, candidate, rng)
        left = _demand_in_bank(problem, candidate)
        if left <= waiting:
            waiting = left
            copy_into(solution, candidate)


@kernel
def _demand_in_bank(problem, solution):
    total = 0.0
    for k in range(solution.counts[BANKED]):
        total += problem.demand[solution.bank[k]]
    return total


@kernel
def _best_fit_decreasing(problem, solution, rng):
    order, keys = solution.scratch_ints, solution.scratch_floats
    total = solution.counts[BANKED]
    for k in range(total):
        customer = solution.bank[k]
        key = problem.demand[customer] * (1.0 + JITTER * random_float(rng))
        place = k
        while place and keys[place - 1, 0] < key:
            keys[place, 0] = keys[place - 1, 0]
            order[place, 0] = order[place - 1, 0]
            place -= 1
        keys[place, 0] = key
        order[place, 0] = customer
    for k in range(total):
        customer = order[k, 0]
        fullest = -1
        behind = 0
        for route in range(candidate_routes(problem, solution)):
            if fullest < 0 or solution.load[route] > solution.load[fullest]:
                delta, place = cheapest_position(problem, solution, customer, route)
                if delta < np.inf:
                    fullest = route
                    behind = place
        if fullest >= 0:
            link(problem, solution, customer, fullest, behind)
