"""Destroy operators that work along routes: strings are removed, and tails are exchanged."""

import numpy as np

from dacalns.core.jit import by_kind, inlined, kernel
from dacalns.core.model import BANKED, END, USED
from dacalns.core.rich_ends import best_rich_head
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import DIRTY, remove, touch
from dacalns.core.terms import (
    added_by_exchange,
    distance,
    load_along,
    load_of,
    may_carry,
    may_join,
    suits,
    who_waits_for_room,
)

# Removal of adjacent strings (Christiaens and Vanden Berghe 2020): stretches of routes that pass near one another.
#
# Customers that were neighbours in a route leave room for one another, and those of nearby routes can change places.

# The longest string: the published length, and one for routes of many customers.
SHORT, LONG = np.int64(10), np.int64(20)
# No customer in particular to remove strings near to.
ANYWHERE = np.int64(0)
# How often a string is split, leaving some of its customers where they are; how often one more of them stays.
SPLIT, LEAVE_MORE = 0.5, 0.01


@kernel
def string_removal(problem, solution, count, rng):
    """Remove strings of up to 10 customers, on average about ``count`` customers altogether."""
    remove_strings(problem, solution, count, SHORT, rng)


@kernel
def long_string_removal(problem, solution, count, rng):
    """Remove strings of up to 20 customers, on average about ``count`` customers altogether."""
    remove_strings(problem, solution, count, LONG, rng)


@kernel
def remove_strings(problem, solution, count, longest, rng):
    """Remove one string of at most ``longest`` from each of some routes, those nearest to a random customer.

    Where vehicles are scarce, it is often one whom no route can take.
    """
    remove_strings_near(problem, solution, who_waits_for_room(problem, solution, rng), count, longest, rng)


@kernel
def remove_strings_near(problem, solution, centre, count, longest, rng):
    """Remove one string of at most ``longest`` from each of some routes, those nearest to ``centre`` (0: to anybody).

    How many routes and how many customers of each are drawn anew, evenly, so that ``count`` are removed on average
    where routes are long enough.
    """
    used, customers = solution.counts[USED], len(solution.route) - 1
    if used == 0 or count <= 0:
        return
    longest_here = min(float(longest), (customers - solution.counts[BANKED]) / used)
    most_strings = max(1.0, 4.0 * count / (1.0 + longest_here) - 1.0)
    strings = 1 + int(random_float(rng) * most_strings)
    customer = centre if centre else 1 + random_int(rng, customers)
    centre = customer
    near = problem.neighbours[centre]
    for k in range(-1, len(near)):
        if k >= 0:
            customer = np.int64(near[k])
        route = solution.route[customer]
        if route < 0 or solution.dirty[route]:  # dirty: it has lost a string already
            continue
        if not suits(problem, solution, route, centre):
            continue
        most = min(float(solution.size[route]), longest_here)
        remove_string_with(problem, solution, customer, 1 + int(random_float(rng) * most), rng)
        strings -= 1
        if strings == 0:
            return


@inlined
def remove_string_with(problem, solution, customer, length, rng):
    """Remove ``length`` customers of a stretch that holds ``customer``, now and then all but some inside it."""
    size = solution.size[solution.route[customer]]
    kept = 0
    if 1 < length < size and random_float(rng) < SPLIT:
        kept = 1
        while length + kept < size and random_float(rng) < LEAVE_MORE:
            kept += 1
    keep_from = 1 + random_int(rng, length - 1) if kept else length
    node = start_of_string(solution, customer, length + kept, rng)
    for place in range(length + kept):
        following = solution.succ[node]
        if not keep_from <= place < keep_from + kept:
            remove(problem, solution, node)
        node = following


@inlined
def start_of_string(solution, customer, length, rng):
    """The first customer of a stretch of ``length`` that holds ``customer``, each such stretch equally likely."""
    before, node = 0, solution.pred[customer]
    while node and before < length - 1:
        before += 1
        node = solution.pred[node]
    behind, node = 0, solution.succ[customer]
    while node and behind < length - 1:
        behind += 1
        node = solution.succ[node]
    least = length - 1 - behind
    node = customer
    for _ in range(least + random_int(rng, before - least + 1)):
        node = solution.pred[node]
    return node


# Exchange of the ends of two routes (Potvin and Rousseau 1995), with strings removed around it.
#
# Removal and insertion move a few customers at a time. Where routes are long, what is wrong may be that two of them
# have each other's ends, a dozen customers each, and nothing that lies between those two solutions would be accepted.

# How many of the nearest customers an end may begin with, and how often one of them is passed over.
NEAREST, PASS_OVER = 30, 0.2


@kernel
def tail_exchange(problem, solution, count, rng):
    """Exchange the ends of two routes behind a random customer, then remove about ``count`` customers around it."""
    customer = 1 + random_int(rng, len(solution.route) - 1)
    head = best_head(problem, solution, customer, PASS_OVER, rng)
    one, other = solution.route[customer], solution.route[head]
    if head:
        exchange_tails(problem, solution, customer, head)
    remove_strings_near(problem, solution, customer, count, SHORT, rng)
    if head:  # only now: strings are removed from routes that are not dirty yet
        solution.dirty[one] = DIRTY.rejoined
        solution.dirty[other] = DIRTY.rejoined


@kernel
def best_head(problem, solution, customer, pass_over, rng):
    """The near customer of another route that, with all behind it, adds least if it comes next; 0 if none can.

    What comes behind ``customer`` now goes to that other route. ``pass_over`` is how often a better one is not taken.
    """
    route, succ, pred = solution.route, solution.succ, solution.pred
    here = route[customer]
    if here < 0:
        return END
    following = succ[customer]
    now = distance(problem, solution, here, customer, following)
    load_kept = -1.0
    best, least = END, np.inf
    near = problem.neighbours[customer]
    for k in range(min(NEAREST, len(near))):
        head = np.int64(near[k])
        there = route[head]
        if there < 0 or there == here:
            continue
        before = pred[head]
        joint = distance(problem, solution, here, customer, head)
        other_joint = distance(problem, solution, there, before, following)
        more = added_by_exchange(problem, solution, here, there, joint, other_joint, now, solution.leg[head])
        if more >= least:
            continue
        if not may_join(problem, solution, here, customer, head, joint):
            continue
        if not may_join(problem, solution, there, before, following, other_joint):
            continue
        if load_kept < 0:
            load_kept = load_along(problem, pred, customer)
        load_got = load_along(problem, succ, head)
        load_given = load_of(solution, here) - load_kept
        if not may_carry(problem, solution, here, load_kept + load_got):
            continue
        if not may_carry(problem, solution, there, load_of(solution, there) - load_got + load_given):
            continue
        if random_float(rng) < pass_over:
            continue
        best, least = head, more
    return best


best_head = by_kind(best_head, best_rich_head)


@kernel
def exchange_tails(problem, solution, customer, head):
    """Let ``head`` and all behind it follow ``customer``, and what followed that follow the one before ``head``.

    Lengths, loads and times of the two routes are stale then; they are not marked as dirty.
    """
    succ, pred = solution.succ, solution.pred
    here, there = solution.route[customer], solution.route[head]
    following, before = succ[customer], pred[head]
    given = _renumber(solution, following, there)
    got = _renumber(solution, head, here)
    last_here = solution.last[here]
    solution.last[here] = solution.last[there]
    solution.last[there] = last_here if following else before
    succ[customer], pred[head] = head, customer
    solution.leg[head] = distance(problem, solution, here, customer, head)
    if before:
        succ[before] = following
    else:
        solution.first[there] = following
    if following:
        pred[following] = before
        solution.leg[following] = distance(problem, solution, there, before, following)
    solution.size[here] += got - given
    solution.size[there] += given - got
    touch(solution, here)
    touch(solution, there)


@inlined
def _renumber(solution, node, route):
    """Give a customer and all behind it to ``route``; returns how many."""
    count = 0
    while node:
        solution.route[node] = route
        node = solution.succ[node]
        count += 1
    return count
