"""Exchange of the ends of two routes (Potvin and Rousseau 1995), with strings removed around it.

Removal and insertion move a few customers at a time. Where routes are long, what is wrong may be that two of them have
each other's ends, a dozen customers each, and nothing that lies between those two solutions would be accepted.
"""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import REJOINED, touch
from dacalns.core.string_removal import SHORT, remove_strings_near

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
        solution.dirty[one] = REJOINED
        solution.dirty[other] = REJOINED


@kernel
def best_head(problem, solution, customer, pass_over, rng):
    """The near customer of another route that, with all behind it, adds least if it comes next; 0 if none can.

    What comes behind ``customer`` now goes to that other route. ``pass_over`` is how often a better one is not taken.
    """
    route, succ, pred = solution.route, solution.succ, solution.pred
    here = route[customer]
    if here < 0:
        return 0
    following = succ[customer]
    now = between(problem, customer, following)
    load_kept = -1.0
    best, least = 0, np.inf
    near = problem.neighbours[customer]
    for k in range(min(NEAREST, len(near))):
        head = np.int64(near[k])
        there = route[head]
        if there < 0 or there == here:
            continue
        before = pred[head]
        joint, other_joint = between(problem, customer, head), between(problem, before, following)
        added = joint + other_joint - now - solution.leg[head]
        if added >= least:
            continue
        if problem.timed and (
            solution.depart[customer] + joint > solution.latest[head]
            or solution.depart[before] + other_joint > solution.latest[following]
        ):
            continue
        if load_kept < 0:
            load_kept = load_along(problem, pred, customer)
        load_got = load_along(problem, succ, head)
        load_given = solution.load[here] - load_kept
        if load_kept + load_got > problem.capacity or solution.load[there] - load_got + load_given > problem.capacity:
            continue
        if random_float(rng) < pass_over:
            continue
        best, least = head, added
    return best


@inlined
def load_along(problem, links, node):
    """The demand of a customer and of all that the links lead to from there."""
    load = 0.0
    while node:
        load += problem.demand[node]
        node = links[node]
    return load


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
    solution.leg[head] = between(problem, customer, head)
    if before:
        succ[before] = following
    else:
        solution.first[there] = following
    if following:
        pred[following] = before
        solution.leg[following] = between(problem, before, following)
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
