"""Ends of routes of rich problems: what two routes cost, and whether they may be, if they exchange them."""

import numpy as np

from dacalns.core.jit import inlined, kernel
from dacalns.core.model import END
from dacalns.core.rich import CARGO, FORBIDDEN, LIMIT, WHERE
from dacalns.core.rich_legs import (
    before,
    behind,
    distance,
    drive,
    end_of,
    joined,
    rate_of,
    released_before,
    time_cost,
    whole_duration,
)
from dacalns.core.rich_terms import PER_DIMENSION, route_cost
from dacalns.core.rng import random_float


@inlined
def is_whole(problem, solution, node):
    """True if none of the pairs from a customer on to the end of its trip began before it."""
    open_pairs = 0
    while node:
        if problem.mate[node]:
            open_pairs += -1 if problem.second[node] else 1
        node = solution.succ[node]
    return open_pairs == 0


@inlined
def end_alike(problem, solution, here, there):
    """True if the vehicles of two routes end at the same place and go the same ways."""
    one, other = solution.kind[here], solution.kind[there]
    ends = problem.ends
    return ends[one, WHERE.end] == ends[other, WHERE.end] and ends[one, WHERE.profile] == ends[other, WHERE.profile]


@inlined
def drive_alike(problem, solution, here, there):
    """True if the vehicles of two routes go the same ways, at the same cost of distance."""
    one, other = solution.kind[here], solution.kind[there]
    same_ways = problem.ends[one, WHERE.profile] == problem.ends[other, WHERE.profile]
    return same_ways and rate_of(problem, solution, here) == rate_of(problem, solution, there)


@kernel
def ends_in_time(problem, solution, one, other, ahead, following):
    """True if two ends that are exchanged are in time, as far as can be told without driving along them."""
    here, there = solution.route[one], solution.route[other]
    if not problem.clocked or not end_alike(problem, solution, here, there):
        return True
    duration, earliest, latest = before(problem, solution, here, one)
    on, early_on, late_on = behind(problem, solution, there, other)
    gap = drive(problem, solution, here, one, other)
    if joined(duration, earliest, latest, gap, on, early_on, late_on)[0] == np.inf:
        return False
    if ahead == END and following == END:
        return True
    duration, earliest, latest = before(problem, solution, there, ahead)
    on, early_on, late_on = behind(problem, solution, here, following)
    gap = drive(problem, solution, there, ahead, following)
    return joined(duration, earliest, latest, gap, on, early_on, late_on)[0] < np.inf


@kernel
def cost_with_end(problem, solution, route, node, head, least):
    """What a route would cost if ``head`` and all behind it came behind ``node``; infinite if not below ``least``.

    It is infinite, too, if that may not be. A vehicle that would have nobody to serve costs nothing.
    """
    if node == END and head == END:
        return 0.0
    kind = solution.kind[route]
    limits = problem.kinds
    length, stops = 0.0, 0.0
    at = node
    while at:
        if not problem.may_serve[kind, at]:
            return np.inf
        length += solution.leg[at]
        stops += 1.0
        at = solution.pred[at]
    tail, at = node, head
    while at:
        if not problem.may_serve[kind, at]:
            return np.inf
        length += solution.leg[at] if at != head else distance(problem, solution, route, tail, at)
        stops += 1.0
        tail = at
        at = solution.succ[at]
    length += distance(problem, solution, route, tail, END)
    if length > limits[kind, LIMIT.distance] or length >= FORBIDDEN or stops > limits[kind, LIMIT.stops]:
        return np.inf
    cost = limits[kind, LIMIT.fixed] + limits[kind, LIMIT.per_distance] * length
    if cost >= least or not holds_with_end(problem, solution, route, node, head):
        return np.inf
    if not problem.clocked:
        return cost
    duration, earliest, latest = before(problem, solution, route, node)
    released = released_before(solution, node)
    tail, at = node, head
    while at:
        duration, earliest, latest = joined(
            duration, earliest, latest, drive(problem, solution, route, tail, at),
            problem.service[at], problem.opens[at], problem.closes[at],
        )  # fmt: skip
        if duration == np.inf:
            return np.inf
        released = max(released, problem.release[at])
        tail = at
        at = solution.succ[at]
    on, early_on, late_on = end_of(problem, solution, route)
    gap = drive(problem, solution, route, tail, END)
    duration, earliest, latest = joined(duration, earliest, latest, gap, on, early_on, late_on)
    if duration == np.inf:
        return np.inf
    whole = whole_duration(problem, solution, route, duration, earliest, latest, released)
    return cost + time_cost(problem, kind, whole)


@kernel
def holds_with_end(problem, solution, route, node, head):
    """True if the vehicle of a route holds what is on board if ``head`` and all behind it came behind ``node``."""
    kind = solution.kind[route]
    for k in range(problem.holds.shape[1]):
        most = problem.holds[kind, k]
        if problem.mixed:
            column = k * PER_DIMENSION
            if node:
                collected = solution.cargo[node, column + CARGO.collected]
                aboard = solution.cargo[node, column + CARGO.most]
            else:
                collected = aboard = problem.aboard[kind, k]
            at = head
            while at:
                brought, taken = problem.deliver[at, k], problem.collect[at, k]
                aboard = max(aboard + brought, collected + max(brought, taken))
                collected += taken
                at = solution.succ[at]
        else:
            aboard = 0.0
            at = node
            while at:
                aboard += problem.deliver[at, k]
                at = solution.pred[at]
            at = head
            while at:
                aboard += problem.deliver[at, k]
                at = solution.succ[at]
        if aboard > most:
            return False
    return True


# How many of the nearest customers an end may begin with.
NEAREST = 30


@kernel
def best_rich_head(problem, solution, customer, pass_over, rng):
    """The near customer of another route that, with all behind it, adds least if it comes next; END if none can.

    See `dacalns.core.string_removals.best_head`. Routes with several trips keep their ends.
    """
    here, following = solution.route[customer], solution.succ[customer]
    if here < 0 or problem.trips or (problem.paired and not is_whole(problem, solution, following)):
        return END
    best, least = END, np.inf
    near = problem.neighbours[customer]
    cost_here = route_cost(problem, solution, here)
    for k in range(min(NEAREST, len(near))):
        head = np.int64(near[k])
        there = solution.route[head]
        if there < 0 or there == here or (problem.paired and not is_whole(problem, solution, head)):
            continue
        ahead = solution.pred[head]
        if not ends_in_time(problem, solution, customer, head, ahead, following):
            continue
        now = cost_here + route_cost(problem, solution, there)
        most = now + least
        cost = cost_with_end(problem, solution, here, customer, head, most)
        if cost < most:
            cost += cost_with_end(problem, solution, there, ahead, following, most - cost)
        if cost < most and random_float(rng) >= pass_over:
            best, least = head, cost - now
    return best
