"""Repair operators: each serves the customers in the bank as far as they fit."""

import numpy as np

from dacalns.core.best_first import fill_by_best
from dacalns.core.insertion import cheapest_position
from dacalns.core.jit import kernel
from dacalns.core.model import BANKED, USED
from dacalns.core.rng import random_int
from dacalns.core.routes import link


@kernel
def random_repair(problem, solution, rng):
    """Serve the waiting customers in random order, each in a random route that can take it.

    Within the route it takes the cheapest position. A new route is opened only where no route in use can take the
    customer.
    """
    waiting, routes = 0, 1  # columns of the scratch table
    table = solution.scratch_ints
    total = solution.counts[BANKED]
    for k in range(total):
        table[k, waiting] = solution.bank[k]
    for k in range(total):
        other = k + random_int(rng, total - k)
        customer = table[other, waiting]
        table[other, waiting] = table[k, waiting]
        used = solution.counts[USED]
        room = problem.capacity - problem.demand[customer]
        left = 0
        for route in range(used):
            table[left, routes] = route
            left += solution.load[route] <= room
        served = False
        while left and not served:
            pick = random_int(rng, left)
            route = table[pick, routes]
            left -= 1
            table[pick, routes] = table[left, routes]
            delta, place = cheapest_position(problem, solution, customer, route)
            if delta < np.inf:
                link(problem, solution, customer, route, place)
                served = True
        if not served and used < problem.fleet:
            delta, place = cheapest_position(problem, solution, customer, used)
            if delta < np.inf:
                link(problem, solution, customer, used, place)


@kernel
def greedy_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that is cheapest to insert, where it is cheapest."""
    fill_by_best(problem, solution, 1, 0.0, rng)


@kernel
def regret_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that would lose most by going to its second-best route."""
    fill_by_best(problem, solution, 2, 0.0, rng)


@kernel
def regret_3_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that would lose most by its second and third-best routes."""
    fill_by_best(problem, solution, 3, 0.0, rng)


@kernel
def regret_4_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that would lose most by its second to fourth-best routes."""
    fill_by_best(problem, solution, 4, 0.0, rng)
