"""Repair operators: each serves the customers in the bank as far as they fit."""

import numpy as np

from dacalns.core.best_first import fill_by_best
from dacalns.core.insertion import cheapest_position
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, USED
from dacalns.core.rng import random_int
from dacalns.core.routes import fits, link


@kernel
def random_repair(problem, solution, rng):
    """Serve the waiting customers in random order, each in a random route that can take it.

    Within the route it takes the cheapest position. A new route is opened only where no route in use can take the
    customer.
    """
    fill_at_random(problem, solution, False, rng)


@kernel
def random_place_repair(problem, solution, rng):
    """Serve the waiting customers in random order, each at a random place of a random route that can take it.

    A new route is opened only where no route in use can take the customer.
    """
    fill_at_random(problem, solution, True, rng)


@inlined
def fill_at_random(problem, solution, anywhere, rng):
    """Serve the waiting customers in random order in random routes, at the cheapest place or ``anywhere``."""
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
                if anywhere:
                    place = random_place(problem, solution, customer, route, place, rng)
                link(problem, solution, customer, route, place)
                served = True
        if not served and used < problem.fleet:
            delta, place = cheapest_position(problem, solution, customer, used)
            if delta < np.inf:
                link(problem, solution, customer, used, place)


@kernel
def random_place(problem, solution, customer, route, known, rng):
    """A node of the route behind which the customer fits, each equally likely; ``known`` is one of them."""
    found = 0
    chosen = known
    after = 0
    following = solution.first[route]
    while True:
        if fits(problem, solution, customer, route, after):
            found += 1
            if random_int(rng, found) == 0:
                chosen = after
        if following == 0:
            return chosen
        after = following
        following = solution.succ[following]


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
