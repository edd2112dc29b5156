"""Repair operators: each serves the customers in the bank as far as they fit."""

import numpy as np

from dacalns.core.blinks import BLINK, draw_order, fill_in_order
from dacalns.core.insertion_table import fill_by_best
from dacalns.core.insertions import added_distance, cheapest_position
from dacalns.core.jit import inlined, kernel
from dacalns.core.local_search import improve_around_served
from dacalns.core.model import BANKED, END, USED
from dacalns.core.rng import random_int
from dacalns.core.routes import fits, link
from dacalns.core.terms import empty_route, has_room


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
        left = 0
        for route in range(used):
            table[left, routes] = route
            left += has_room(problem, solution, route, customer)
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
        empty = empty_route(problem, solution)
        if not served and empty >= 0:
            delta, place = cheapest_position(problem, solution, customer, empty)
            if delta < np.inf:
                link(problem, solution, customer, empty, place)


@kernel
def random_place(problem, solution, customer, route, known, rng):
    """A node of the route behind which the customer fits, each equally likely; ``known`` is one of them."""
    found = 0
    chosen = known
    after = END
    following = solution.first[route]
    while True:
        if fits(problem, solution, customer, route, after):
            found += 1
            if random_int(rng, found) == 0:
                chosen = after
        if following == END:
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


# Insertion beside near neighbours alone: the time it takes does not grow with the number of routes.


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
        least, chosen, behind = np.inf, -1, END
        empty = empty_route(problem, solution)
        if empty >= 0:
            least, chosen = added_distance(problem, solution, customer, empty, END), empty
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


# Regret insertion with noise (Ropke and Pisinger 2006), so that the same bank is not always served the same way.

# How much noise at most, as a fraction of the distance to the farthest neighbour listed, which up to 101 customers is
# the farthest of all. On larger instances the largest distance would drown what places differ by.
ETA = 0.025
# With noise, the third-cheapest route may become the cheapest.
DEPTH = 3


@kernel
def noisy_regret_repair(problem, solution, rng):
    """Serve, again and again, the waiting customer that seems to lose most by its second-best route."""
    fill_by_best(problem, solution, DEPTH, ETA, rng)


# Insertion, and then a local search around the customers that were inserted.


@kernel
def polished_blink_repair(problem, solution, rng):
    """Serve the waiting customers with blinks, then improve what is around them."""
    waited = solution.counts[BANKED]
    fill_in_order(problem, solution, draw_order(problem, rng), BLINK, rng)
    improve_around_served(problem, solution, waited)


@kernel
def polished_regret_repair(problem, solution, rng):
    """Serve the waiting customers by regret with noise, then improve what is around them."""
    waited = solution.counts[BANKED]
    noisy_regret_repair(problem, solution, rng)
    improve_around_served(problem, solution, waited)
