"""Destroy operators: each takes ``count`` customers out of their routes."""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.jit import kernel
from dacalns.core.model import BANKED
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import remove


@kernel
def random_served(solution, rng):
    """A customer who is served, each equally likely; 0 if nobody is."""
    customers = len(solution.route) - 1
    if solution.counts[BANKED] == customers:
        return 0
    customer = 1 + random_int(rng, customers)
    while solution.route[customer] < 0:
        customer = 1 + random_int(rng, customers)
    return customer


@kernel
def remove_by_rank(problem, solution, listed, count, determinism, rng):
    """Remove ``count`` of the customers ``listed`` in the first column of the scratch table, mostly from its top.

    The higher ``determinism``, the more often the first.
    """
    table = solution.scratch_ints
    for _ in range(min(count, listed)):
        rank = int(random_float(rng) ** determinism * listed)
        remove(problem, solution, table[rank, 0])
        listed -= 1
        for later in range(rank, listed):
            table[later, 0] = table[later + 1, 0]


@kernel
def random_removal(problem, solution, count, rng):
    """Remove ``count`` customers, every set of them equally likely."""
    served = solution.scratch_ints
    total = 0
    for customer in range(1, len(solution.route)):
        if solution.route[customer] >= 0:
            served[total, 0] = customer
            total += 1
    for k in range(min(count, total)):
        other = k + random_int(rng, total - k)
        customer = served[other, 0]
        served[other, 0] = served[k, 0]
        remove(problem, solution, customer)


@kernel
def worst_removal(problem, solution, count, rng):
    """Remove ``count`` customers one by one, always the one whose removal saves most."""
    nodes = len(solution.route)
    saving = solution.scratch_floats
    for customer in range(1, nodes):
        saving[customer, 0] = -np.inf
        if solution.route[customer] >= 0:
            saving[customer, 0] = saved_without(problem, solution, customer)
    for _ in range(count):
        worst = 0
        most = -np.inf
        for customer in range(1, nodes):
            if saving[customer, 0] > most:
                most = saving[customer, 0]
                worst = customer
        if worst == 0:
            return
        before, after = solution.pred[worst], solution.succ[worst]
        remove(problem, solution, worst)
        saving[worst, 0] = -np.inf
        if before:
            saving[before, 0] = saved_without(problem, solution, before)
        if after:
            saving[after, 0] = saved_without(problem, solution, after)


@kernel
def saved_without(problem, solution, customer):
    """How much shorter the customer's route is without it."""
    before, after, leg = solution.pred[customer], solution.succ[customer], solution.leg
    onward = leg[after] if after else between(problem, customer, 0)
    return leg[customer] + onward - between(problem, before, after)
