"""Greedy insertion with blinks (Christiaens and Vanden Berghe 2020): in one go, each customer at its cheapest place.

Now and then a place is overlooked. That, and the order in which the customers come, is all that varies.
"""

from typing import NamedTuple

import numpy as np

from dacalns.core import rich_insertions
from dacalns.core.insertions import NEAR, cheaper_position, much_room
from dacalns.core.jit import by_kind, inlined, kernel
from dacalns.core.model import BANKED, END
from dacalns.core.records import numbered
from dacalns.core.rng import random_float
from dacalns.core.routes import link
from dacalns.core.terms import (
    added,
    added_beside,
    amount,
    candidate_route,
    candidate_routes,
    closing,
    distance,
    from_start,
    has_room,
    if_windows,
    in_time,
    leg_now,
    opening,
    waits,
)

# How often a place is overlooked.
BLINK = 0.01


class Order(NamedTuple):
    """The orders in which waiting customers are served."""

    random: int
    demand: int  #: the largest first
    far: int  #: the farthest from the depot first
    close: int  #: the closest to the depot first
    narrow: int  #: the narrowest window first
    early: int  #: the window that opens first
    late: int  #: the window that closes last


ORDER = numbered(Order)
# Shares of the orders, summed up: published weights 4, 4, 2, 1, and 2 for each that looks at windows.
SHARES = np.cumsum([4.0, 4.0, 2.0, 1.0, 2.0, 2.0, 2.0])
WITHOUT_WINDOWS, WITH_WINDOWS = SHARES[ORDER.close], SHARES[ORDER.late]


@kernel
def blink_repair(problem, solution, rng):
    """Serve the waiting customers in one of the orders below, drawn by the published weights."""
    fill_in_order(problem, solution, draw_order(problem, rng), BLINK, rng)


@inlined
def draw_order(problem, rng):
    """One of the orders, by the published weights."""
    drawn = random_float(rng) * if_windows(problem, WITH_WINDOWS, WITHOUT_WINDOWS)
    order = np.int64(0)
    while drawn >= SHARES[order]:
        order += 1
    return order


@kernel
def blink_random_repair(problem, solution, rng):
    """Serve the waiting customers in random order."""
    fill_in_order(problem, solution, ORDER.random, BLINK, rng)


@kernel
def blink_demand_repair(problem, solution, rng):
    """Serve the waiting customers, largest demand first."""
    fill_in_order(problem, solution, ORDER.demand, BLINK, rng)


@kernel
def blink_far_repair(problem, solution, rng):
    """Serve the waiting customers, farthest from the depot first."""
    fill_in_order(problem, solution, ORDER.far, BLINK, rng)


@kernel
def blink_close_repair(problem, solution, rng):
    """Serve the waiting customers, closest to the depot first."""
    fill_in_order(problem, solution, ORDER.close, BLINK, rng)


@kernel
def blink_narrow_repair(problem, solution, rng):
    """Serve the waiting customers, narrowest window first."""
    fill_in_order(problem, solution, ORDER.narrow, BLINK, rng)


@kernel
def blink_early_repair(problem, solution, rng):
    """Serve the waiting customers, earliest opening first."""
    fill_in_order(problem, solution, ORDER.early, BLINK, rng)


@kernel
def blink_late_repair(problem, solution, rng):
    """Serve the waiting customers, latest closing first."""
    fill_in_order(problem, solution, ORDER.late, BLINK, rng)


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
        chosen, behind = -1, END
        if much_room(problem, solution, customer):
            chosen, behind = place_near(problem, solution, customer, blink, rng)
        if chosen < 0:
            chosen, behind = place_anywhere(problem, solution, customer, blink, rng)
        if chosen >= 0:
            link(problem, solution, customer, chosen, behind)


fill_in_line = by_kind(fill_in_line, rich_insertions.fill_in_line)


@inlined
def place_anywhere(problem, solution, customer, blink, rng):
    """The cheapest place for ``customer`` that is not overlooked: its route (-1: none), and the node before it."""
    least, chosen, behind = np.inf, -1, END
    for rank in range(candidate_routes(problem, solution)):
        route = candidate_route(problem, solution, rank)
        if has_room(problem, solution, route, customer):
            delta, place = cheaper_position(problem, solution, customer, route, least, blink, rng)
            if delta < least:
                least, chosen, behind = delta, route, place
    return chosen, behind


@kernel
def place_near(problem, solution, customer, blink, rng):
    """Like :func:`place_anywhere`, among the places beside near customers and at the ends of routes."""
    leg, succ, pred = solution.leg, solution.succ, solution.pred
    least, chosen, behind = np.inf, -1, END
    near = problem.neighbours[customer]
    for k in range(min(len(near), NEAR)):
        node = np.int64(near[k])
        route = solution.route[node]
        if route < 0 or not has_room(problem, solution, route, customer):
            continue
        before, after = pred[node], succ[node]
        hither = distance(problem, solution, route, before, customer)
        to = distance(problem, solution, route, customer, node)
        delta = added(problem, solution, route, hither, to, leg[node])
        if (
            delta < least
            and in_time(problem, solution, route, before, customer, node, hither, to)
            and random_float(rng) >= blink
        ):
            least, chosen, behind = delta, route, before
        hither = distance(problem, solution, route, node, customer)
        to = distance(problem, solution, route, customer, after)
        delta = added_beside(problem, solution, route, hither, to, leg_now(problem, solution, route, node, after))
        if (
            delta < least
            and in_time(problem, solution, route, node, customer, after, hither, to)
            and random_float(rng) >= blink
        ):
            least, chosen, behind = delta, route, node
    for rank in range(candidate_routes(problem, solution)):
        route = candidate_route(problem, solution, rank)
        if not has_room(problem, solution, route, customer):
            continue
        node = solution.first[route]
        out = distance(problem, solution, route, END, customer)
        to = distance(problem, solution, route, customer, node)
        delta = added_beside(problem, solution, route, out, to, leg[node] if node else 0.0)
        if (
            delta < least
            and in_time(problem, solution, route, END, customer, node, out, to)
            and random_float(rng) >= blink
        ):
            least, chosen, behind = delta, route, END
        node = solution.last[route]
        hither = distance(problem, solution, route, node, customer)
        home = distance(problem, solution, route, customer, END)
        delta = added(problem, solution, route, hither, home, distance(problem, solution, route, node, END))
        if (
            node
            and delta < least
            and in_time(problem, solution, route, node, customer, END, hither, home)
            and random_float(rng) >= blink
        ):
            least, chosen, behind = delta, route, node
    return chosen, behind


@kernel
def line_up(problem, solution, order, rng):
    """Put the waiting customers in ``order`` into the first column of the scratch table; return how many."""
    queue, keys = solution.scratch_ints, solution.scratch_floats
    waiting = 0
    for k in range(solution.counts[BANKED]):
        customer = solution.bank[k]
        if not waits(problem, solution, customer, rng):
            continue
        key = _key(problem, customer, order, rng)
        place = waiting
        waiting += 1
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
    if order == ORDER.random:
        return random_float(rng)
    if order == ORDER.demand:
        return -amount(problem, customer)
    if order == ORDER.far:
        return -from_start(problem, customer)
    if order == ORDER.close:
        return from_start(problem, customer)
    if order == ORDER.narrow:
        return closing(problem, customer) - opening(problem, customer)
    if order == ORDER.early:
        return opening(problem, customer)
    return -closing(problem, customer)
