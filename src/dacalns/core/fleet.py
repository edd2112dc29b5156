"""Serving everybody with fewer routes, after the absence counters of Christiaens and Vanden Berghe (2020).

A route is closed and its customers wait in the bank. Removing strings and inserting with blinks moves the others until
all find a place. Each customer has a counter of how often it was left out: those with high ones are hard to place, so
solutions that leave out others instead are preferred, whatever they cost. A pair has one counter, and so has a group of
whom one is visited; the bank has its other members, too, who do not wait.
"""

import math
from typing import NamedTuple

import numpy as np

from dacalns.core.blinks import BLINK, draw_order, fill_in_line, line_up
from dacalns.core.clock import nanoseconds
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, USED
from dacalns.core.records import numbered
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import copy_into, remove, settle
from dacalns.core.stopping import used_fraction
from dacalns.core.string_removals import ANYWHERE, SHORT, remove_strings_near
from dacalns.core.terms import is_item, item_of, missing, solution_cost

# How many customers are removed on average.
REMOVED = np.int64(10)
# How often strings are removed near a customer left out; how often those left out most come first.
NEAR_LEFT_OUT, LEFT_OUT_FIRST = 0.3, 0.2


class Ending(NamedTuple):
    """Why the search for fewer routes returned."""

    paused: int
    budget_used: int
    stuck: int
    more_served: int
    all_served: int


ENDING = numbered(Ending)


class Counter(NamedTuple):
    """The positions in `counters`."""

    iteration: int  #: iterations in all
    served_at: int  #: the iteration that served everybody last
    stuck_at: int  #: the iteration at which to give up
    started: int  #: when, on the clock of kernels


COUNTER = numbered(Counter)


class Value(NamedTuple):
    """The positions in `values`."""

    temperature: int
    share_allowed: int  #: the part of the budget that may be used
    fraction: int  #: the part of the budget that is used


VALUE = numbered(Value)


@kernel
def serve_all(
    problem, current, candidate, best, absences, counters, values, stop_kinds, stop_values, stop_stack, rng, pause_after
):  # fmt: skip
    """Search until nobody waits in the bank, or the share of the budget is used, or ``counters[STUCK_AT]`` is reached.

    ``best`` becomes the candidate that serves everybody, or one that serves more than it did. That pauses the search,
    and so do ``pause_after`` nanoseconds.
    """
    now = nanoseconds()
    pause_at = now + pause_after
    while True:
        seconds = 1e-9 * (now - counters[COUNTER.started])
        stalled = counters[COUNTER.iteration] - counters[COUNTER.served_at]
        # No cost has been looked at, so a target has not been met.
        values[VALUE.fraction] = used_fraction(
            stop_kinds, stop_values, stop_stack, counters[COUNTER.iteration], seconds, stalled, 0.0, np.inf
        )
        if values[VALUE.fraction] >= values[VALUE.share_allowed]:
            return ENDING.budget_used
        if counters[COUNTER.iteration] >= counters[COUNTER.stuck_at]:
            return ENDING.stuck
        if now >= pause_at:
            return ENDING.paused
        counters[COUNTER.iteration] += 1
        copy_into(candidate, current)
        move(problem, candidate, absences, rng)
        if missing(problem, candidate) == 0:
            copy_into(best, candidate)
            counters[COUNTER.served_at] = counters[COUNTER.iteration]
            return ENDING.all_served
        accepted = is_preferred(problem, current, candidate, absences, values[VALUE.temperature], rng)
        note_absences(problem, candidate, absences)
        if accepted:
            copy_into(current, candidate)
        if missing(problem, candidate) < missing(problem, best):
            copy_into(best, candidate)
            return ENDING.more_served
        now = nanoseconds()


@inlined
def move(problem, solution, absences, rng):
    """Remove strings and insert all who wait, as far as they fit."""
    centre = ANYWHERE
    if random_float(rng) < NEAR_LEFT_OUT:
        centre = solution.bank[random_int(rng, solution.counts[BANKED])]
        if not is_item(problem, solution, centre):
            centre = ANYWHERE
    remove_strings_near(problem, solution, centre, REMOVED, SHORT, rng)
    settle(problem, solution)
    if random_float(rng) < LEFT_OUT_FIRST:
        waiting = line_up_by_absence(solution, absences, rng)
    else:
        waiting = line_up(problem, solution, draw_order(problem, rng), rng)
    fill_in_line(problem, solution, waiting, BLINK, rng)
    settle(problem, solution)


@kernel
def line_up_by_absence(solution, absences, rng):
    """Put the waiting customers into the first column of the scratch table, mostly those left out most first."""
    queue, keys = solution.scratch_ints, solution.scratch_floats
    waiting = solution.counts[BANKED]
    for k in range(waiting):
        customer = solution.bank[k]
        key = (1.0 + absences[customer]) * random_float(rng)
        place = k
        while place and keys[place - 1, 0] < key:
            keys[place, 0] = keys[place - 1, 0]
            queue[place, 0] = queue[place - 1, 0]
            place -= 1
        keys[place, 0] = key
        queue[place, 0] = customer
    return waiting


@inlined
def is_preferred(problem, current, candidate, absences, temperature, rng):
    """Whether the candidate leaves out fewer customers or less absent ones; if the very same, whether it anneals."""
    if missing(problem, candidate) < missing(problem, current):
        return True
    more = absence(problem, candidate, absences) - absence(problem, current, absences)
    if more != 0 or not leave_out_the_same(problem, candidate, current):
        return more < 0
    worse = solution_cost(problem, candidate) - solution_cost(problem, current)
    return worse <= 0.0 or random_float(rng) < math.exp(-worse / temperature)


@inlined
def absence(problem, solution, absences):
    """The sum of the counters of those left out."""
    total = 0
    for k in range(solution.counts[BANKED]):
        if is_item(problem, solution, solution.bank[k]):
            total += absences[solution.bank[k]]
    return total


@inlined
def leave_out_the_same(problem, one, other):
    """Whether the same customers wait in both banks."""
    both = 0
    for k in range(one.counts[BANKED]):
        customer = one.bank[k]
        both += is_item(problem, one, customer) and is_item(problem, other, customer)
    return items_in(problem, one) == items_in(problem, other) == both


@inlined
def items_in(problem, solution):
    """How many wait in the bank."""
    waiting = 0
    for k in range(solution.counts[BANKED]):
        waiting += is_item(problem, solution, solution.bank[k])
    return waiting


@inlined
def note_absences(problem, solution, absences):
    """Count those left out."""
    for k in range(solution.counts[BANKED]):
        customer = solution.bank[k]
        absences[customer] += is_item(problem, solution, customer)


@kernel
def close_a_route(problem, solution, absences, afresh, rng):
    """Put all customers of a route in the bank: the route of those left out least.

    ``afresh``, all counters are set to zero, and it may be any route.
    """
    if afresh:
        for customer in range(len(absences)):
            absences[customer] = 0
        route = random_int(rng, solution.counts[USED])
    else:
        route = easiest_route(problem, solution, absences)
    node = solution.first[route]
    while node:
        following = solution.succ[node]
        remove(problem, solution, node)
        node = following
    settle(problem, solution)


@inlined
def easiest_route(problem, solution, absences):
    """The route whose customers were left out least."""
    easiest, least = 0, -1
    for route in range(solution.counts[USED]):
        total = 0
        node = solution.first[route]
        while node:
            total += absences[item_of(problem, node)]
            node = solution.succ[node]
        if least < 0 or total < least:
            easiest, least = route, total
    return easiest
