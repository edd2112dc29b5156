"""Removal of adjacent strings (Christiaens and Vanden Berghe 2020): stretches of routes that pass near one another.

Customers that were neighbours in a route leave room for one another, and those of nearby routes can change places.
"""

import numpy as np

from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, USED
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import remove

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
    """Remove one string of at most ``longest`` from each of some routes, those nearest to a random customer."""
    remove_strings_near(problem, solution, ANYWHERE, count, longest, rng)


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
    near = problem.neighbours[customer]
    for k in range(-1, len(near)):
        if k >= 0:
            customer = np.int64(near[k])
        route = solution.route[customer]
        if route < 0 or solution.dirty[route]:  # dirty: it has lost a string already
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
