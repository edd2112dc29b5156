"""Greedy insertion with blinks (Christiaens and Vanden Berghe 2020): in one go, each customer at its cheapest place.

Now and then a place is overlooked. That, and the order in which the customers come, is all that varies.
"""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.insertions import NEAR, candidate_routes, in_time, much_room
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED
from dacalns.core.rng import random_float
from dacalns.core.routes import link

# How often a place is overlooked.
BLINK = 0.01
# The orders.
RANDOM, DEMAND, FAR, CLOSE, NARROW, EARLY, LATE = (np.int64(order) for order in range(7))
# Shares of the orders, summed up: published weights 4, 4, 2, 1, and 2 for each that looks at windows.
SHARES = np.cumsum([4.0, 4.0, 2.0, 1.0, 2.0, 2.0, 2.0])
WITHOUT_WINDOWS, WITH_WINDOWS = SHARES[CLOSE], SHARES[LATE]


@kernel
def blink_repair(problem, solution, rng):
    """Serve the waiting customers in one of the orders below, drawn by the published weights."""
    fill_in_order(problem, solution, draw_order(problem, rng), BLINK, rng)


@inlined
def draw_order(problem, rng):
    """One of the orders, by the published weights."""
    drawn = random_float(rng) * (WITH_WINDOWS if problem.timed else WITHOUT_WINDOWS)
    order = np.int64(0)
    while drawn >= SHARES[order]:
        order += 1
    return order


@kernel
def blink_random_repair(problem, solution, rng):
    """Serve the waiting customers in random order."""
    fill_in_order(problem, solution, RANDOM, BLINK, rng)


@kernel
def blink_demand_repair(problem, solution, rng):
    """Serve the waiting customers, largest demand first."""
    fill_in_order(problem, solution, DEMAND, BLINK, rng)


@kernel
def blink_far_repair(problem, solution, rng):
    """Serve the waiting customers, farthest from the depot first."""
    fill_in_order(problem, solution, FAR, BLINK, rng)


@kernel
def blink_close_repair(problem, solution, rng):
    """Serve the waiting customers, closest to the depot first."""
    fill_in_order(problem, solution, CLOSE, BLINK, rng)


@kernel
def blink_narrow_repair(problem, solution, rng):
    """Serve the waiting customers, narrowest window first."""
    fill_in_order(problem, solution, NARROW, BLINK, rng)


@kernel
def blink_early_repair(problem, solution, rng):
    """Serve the waiting customers, earliest opening first."""
    fill_in_order(problem, solution, EARLY, BLINK, rng)


@kernel
def blink_late_repair(problem, solution, rng):
    """Serve the waiting customers, latest closing first."""
    fill_in_order(problem, solution, LATE, BLINK, rng)


@kernel
def fill_in_order(problem, solution, order, blink, rng):
    """Serve the waiting customers in ``order``, each at the cheapest place not overlooked."""
    fill_in_line(problem, solution, line_up(problem, solution, order, rng), blink, rng)


@kernel
def fill_in_line(problem, solution, waiting, blink, rng):
    """Serve those lined up in the first column of the scratch table, each at the cheapest place not overlooked.

    A place is drawn for being overlooked only when it would be chosen: for others it makes no difference. Where routes
    with room have very many places, only those beside near customers and beside the depot are looked at, and all only
    if none of those will do, so that the work does not grow with the instance.
    """
    queue = solution.scratch_ints
    for k in range(waiting):
        customer = queue[k, 0]
        chosen, behind = -1, 0
        if much_room(problem, solution, customer):
            chosen, behind = place_near(problem, solution, customer, blink, rng)
        if chosen < 0:
            chosen, behind = place_anywhere(problem, solution, customer, blink, rng)
        if chosen >= 0:
            link(problem, solution, customer, chosen, behind)


@inlined
def place_anywhere(problem, solution, customer, blink, rng):
    """The cheapest place for ``customer`` that is not overlooked: its route (-1: none), and the node before it."""
    load, most = solution.load, problem.capacity - problem.demand[customer]
    least, chosen, behind = np.inf, -1, 0
    for route in range(candidate_routes(problem, solution)):
        if load[route] <= most:
            delta, place = cheaper_position(problem, solution, customer, route, least, blink, rng)
            if delta < least:
                least, chosen, behind = delta, route, place
    return chosen, behind


@kernel
def place_near(problem, solution, customer, blink, rng):
    """Like :func:`place_anywhere`, among the places beside near customers and beside the depot."""
    leg, succ, pred = solution.leg, solution.succ, solution.pred
    load, route_of = solution.load, solution.route
    most = problem.capacity - problem.demand[customer]
    home, out = between(problem, customer, 0), between(problem, 0, customer)
    least, chosen, behind = np.inf, -1, 0
    near = problem.neighbours[customer]
    for k in range(min(len(near), NEAR)):
        node = np.int64(near[k])
        route = route_of[node]
        if route < 0 or load[route] > most:
            continue
        hither, thither = between(problem, node, customer), between(problem, customer, node)
        before = pred[node]
        delta = (between(problem, before, customer) if before else out) + thither - leg[node]
        if delta < least and in_time(problem, solution, customer, before, node) and random_float(rng) >= blink:
            least, chosen, behind = delta, route, before
        after = succ[node]
        delta = hither + (between(problem, customer, after) - leg[after] if after else home - between(problem, node, 0))
        if delta < least and in_time(problem, solution, customer, node, after) and random_float(rng) >= blink:
            least, chosen, behind = delta, route, node
    for route in range(candidate_routes(problem, solution)):
        if load[route] > most:
            continue
        node = solution.first[route]
        delta = out + (between(problem, customer, node) - leg[node] if node else home)
        if delta < least and in_time(problem, solution, customer, 0, node) and random_float(rng) >= blink:
            least, chosen, behind = delta, route, 0
        node = solution.last[route]
        delta = between(problem, node, customer) + home - between(problem, node, 0)
        if node and delta < least and in_time(problem, solution, customer, node, 0) and random_float(rng) >= blink:
            least, chosen, behind = delta, route, node
    return chosen, behind


@kernel
def line_up(problem, solution, order, rng):
    """Put the waiting customers in ``order`` into the first column of the scratch table; return how many."""
    queue, keys = solution.scratch_ints, solution.scratch_floats
    waiting = solution.counts[BANKED]
    for k in range(waiting):
        customer = solution.bank[k]
        key = _key(problem, customer, order, rng)
        place = k
        while place and keys[place - 1, 0] > key:
            keys[place, 0] = keys[place - 1, 0]
            queue[place, 0] = queue[place - 1, 0]
            place -= 1
        keys[place, 0] = key
        queue[place, 0] = customer
    return waiting


@inlined
def _key(problem, customer, order, rng):
    """What customers are sorted by, least first."""
    if order == RANDOM:
        return random_float(rng)
    if order == DEMAND:
        return -problem.demand[customer]
    if order == FAR:
        return -between(problem, 0, customer)
    if order == CLOSE:
        return between(problem, 0, customer)
    if order == NARROW:
        return problem.closes[customer] - problem.opens[customer]
    if order == EARLY:
        return problem.opens[customer]
    return -problem.closes[customer]


@inlined
def cheaper_position(problem, solution, customer, route, least, blink, rng):
    """The least added distance of ``customer`` in ``route`` and the node to put it behind, if it is below ``least``.

    The caller has seen to the load. Otherwise as :func:`dacalns.core.insertions.cheapest_position`, which says why.
    """
    symmetric, leg, succ = problem.symmetric, solution.leg, solution.succ
    place = 0
    node = solution.first[route]
    before = 0
    home = between(problem, customer, 0)
    hither = home if symmetric else between(problem, 0, customer)
    if not problem.timed:
        while node:
            to = between(problem, customer, node)
            delta = hither + to - leg[node]
            if delta < least and random_float(rng) >= blink:
                least = delta
                place = before
            before = node
            hither = to if symmetric else between(problem, node, customer)
            node = succ[node]
        delta = hither + home - between(problem, before, 0)
        if delta < least and random_float(rng) >= blink:
            least = delta
            place = before
        return least, place

    depart, latest = solution.depart, solution.latest
    early, late, duration = problem.opens[customer], problem.closes[customer], problem.service[customer]
    leaves = depart[0]
    while node and leaves <= late:
        to = between(problem, customer, node)
        delta = hither + to - leg[node]
        if delta < least:
            start = max(early, leaves + hither)
            if start <= late and start + duration + to <= latest[node] and random_float(rng) >= blink:
                least = delta
                place = before
        before = node
        leaves = depart[node]
        hither = to if symmetric else between(problem, node, customer)
        node = succ[node]
    if not node:
        delta = hither + home - between(problem, before, 0)
        if delta < least:
            start = max(early, leaves + hither)
            if start <= late and start + duration + home <= latest[0] and random_float(rng) >= blink:
                least = delta
                place = before
    return least, place
