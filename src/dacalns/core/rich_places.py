"""Places in the routes of rich problems: where in a route a customer or a pair costs least."""

import numpy as np

from dacalns.core.insertions import overlooked
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import END
from dacalns.core.rich import FORBIDDEN, LIMIT, SPAN
from dacalns.core.rich_legs import (
    before,
    behind,
    distance,
    drive,
    joined,
    leg_now,
    released_before,
    released_behind,
    time_cost,
    whole_duration,
)
from dacalns.core.rich_terms import elsewhere, left_too_late, may_stop, route_cost, stands

# --- The cheapest place in a route ----------------------------------------------------------------------------------


@inlined
def cost_now(problem, solution, route):
    """What is taken off the cost of a route when it changes: what its time costs, or nothing, if it is opened."""
    kind = solution.kind[route]
    if solution.size[route] == 0 and solution.ahead[route] < 0 and solution.behind[route] < 0:
        return -problem.kinds[kind, LIMIT.fixed]
    return time_cost(problem, kind, solution.span[route, SPAN.whole]) if problem.clocked else 0.0


@kernel
def scan_route(problem, solution, customer, route, least, blink, rng):
    """Where in ``route``, perhaps an empty one, a customer costs least, if that is below ``least``: cost and place."""
    place = END
    if not may_stop(problem, solution, route, 1):
        return least, place
    kind = solution.kind[route]
    per_distance, now = problem.kinds[kind, LIMIT.per_distance], cost_now(problem, solution, route)
    fixed = max(0.0, -now)
    tail, node = END, solution.first[route]
    hither = distance(problem, solution, route, END, customer)
    while True:
        longer = hither + distance(problem, solution, route, customer, node)
        longer -= leg_now(problem, solution, route, tail, node)
        if per_distance * longer + fixed < least:
            duration = stands(problem, solution, route, tail, customer, node, longer)
            cost = per_distance * longer + (time_cost(problem, kind, duration) - now)
            if cost < least and not overlooked(blink, rng):
                least = cost
                place = tail
        if node == END or left_too_late(problem, solution, route, node, customer):
            return least, place
        hither = distance(problem, solution, route, node, customer)
        tail = node
        node = solution.succ[node]


@kernel
def try_place(problem, solution, customer, route, tail, node, least):
    """What a customer costs between two that follow one another, if that is below ``least``."""
    kind = solution.kind[route]
    per_distance = problem.kinds[kind, LIMIT.per_distance]
    longer = distance(problem, solution, route, tail, customer) + distance(problem, solution, route, customer, node)
    longer -= leg_now(problem, solution, route, tail, node)
    if per_distance * longer >= least or not may_stop(problem, solution, route, 1):
        return np.inf
    duration = stands(problem, solution, route, tail, customer, node, longer)
    return per_distance * longer + (time_cost(problem, kind, duration) - cost_now(problem, solution, route))


@inlined
def on_board(problem, solution, route, node, k):
    """What is on board behind a customer, or behind the start (END), in a dimension."""
    if node:
        column = 6 * k
        return solution.sums[route, k] - solution.cargo[node, column] + solution.cargo[node, column + 1]
    first = solution.ahead[route] < 0
    return solution.sums[route, k] + (problem.aboard[solution.kind[route], k] if first else 0.0)


@inlined
def takes_more(problem, solution, route, node, customer):
    """True if what a pair carries fits on board behind a customer of the route."""
    kind = solution.kind[route]
    for k in range(problem.holds.shape[1]):
        if on_board(problem, solution, route, node, k) + problem.collect[customer, k] > problem.holds[kind, k]:
            return False
    return True


@kernel
def scan_route_for_pair(problem, solution, first, route, least, blink, rng):
    """Where in ``route`` a pair costs least, if that is below ``least``: the cost, and whom each of the two follows.

    The second one follows ``first`` where both stand side by side.
    """
    place = place_too = END
    second = problem.mate[first]
    kind = solution.kind[route]
    if not problem.may_serve[kind, second] or not may_stop(problem, solution, route, 2):
        return least, place, place_too
    per_distance, now = problem.kinds[kind, LIMIT.per_distance], cost_now(problem, solution, route)
    fixed = max(0.0, -now)
    far = problem.kinds[kind, LIMIT.distance] - solution.length[route] - elsewhere(problem, solution, route)
    between = distance(problem, solution, route, first, second)
    drive_between = drive(problem, solution, route, first, second)
    duration = earliest = latest = released = 0.0
    ahead, node = END, solution.first[route]
    while True:
        hither = distance(problem, solution, route, ahead, first)
        leg = leg_now(problem, solution, route, ahead, node)
        in_time = True
        if problem.clocked:
            duration, earliest, latest = before(problem, solution, route, ahead)
            released = max(released_before(solution, ahead), problem.release[first])
            duration, earliest, latest = joined(
                duration, earliest, latest, drive(problem, solution, route, ahead, first),
                problem.service[first], problem.opens[first], problem.closes[first],
            )  # fmt: skip
            in_time = duration < np.inf
        if in_time and takes_more(problem, solution, route, ahead, first):
            # The second one goes right behind the first one, then behind each that follows.
            tail, tail_now, following, longer = first, ahead, node, hither - leg
            while True:
                to = between if tail == first else distance(problem, solution, route, tail, second)
                added = longer + to + distance(problem, solution, route, second, following)
                if tail != first:
                    added -= leg_now(problem, solution, route, tail_now, following)
                if per_distance * added + fixed < least and added <= far:
                    whole = 0.0
                    if problem.clocked:
                        gap = drive_between if tail == first else drive(problem, solution, route, tail, second)
                        one, early, late = joined(
                            duration, earliest, latest, gap,
                            problem.service[second], problem.opens[second], problem.closes[second],
                        )  # fmt: skip
                        if one < np.inf:
                            on, early_on, late_on = behind(problem, solution, route, following)
                            gap = drive(problem, solution, route, second, following)
                            one, early, late = joined(one, early, late, gap, on, early_on, late_on)
                        release = max(max(released, problem.release[second]), released_behind(solution, following))
                        whole = np.inf
                        if one < np.inf:
                            whole = whole_duration(problem, solution, route, one, early, late, release)
                    cost = per_distance * added + (time_cost(problem, kind, whole) - now)
                    if cost < least and not overlooked(blink, rng):
                        least = cost
                        place = ahead
                        place_too = tail
                if following == END:
                    break
                if tail == first:
                    longer += distance(problem, solution, route, first, following)
                if per_distance * longer + fixed >= least or not takes_more(problem, solution, route, following, first):
                    break
                if problem.clocked:
                    gap = drive(problem, solution, route, tail, following)
                    duration, earliest, latest = joined(
                        duration, earliest, latest, gap,
                        problem.service[following], problem.opens[following], problem.closes[following],
                    )  # fmt: skip
                    if duration == np.inf:
                        break
                    released = max(released, problem.release[following])
                tail = tail_now = following
                following = solution.succ[following]
        if node == END or left_too_late(problem, solution, route, node, first):
            return least, place, place_too
        ahead = node
        node = solution.succ[node]


@kernel
def scan_for(problem, solution, customer, route, least, blink, rng):
    """Where in a route with room a customer or a pair costs least, if below ``least``: cost, and whom they follow."""
    if problem.paired and problem.mate[customer]:
        return scan_route_for_pair(problem, solution, customer, route, least, blink, rng)
    least, place = scan_route(problem, solution, customer, route, least, blink, rng)
    return least, place, END


# --- Without a customer ----------------------------------------------------------------------------------------------


@kernel
def saved_without(problem, solution, customer):
    """What the route of a customer, who has no mate, costs less without it."""
    route = solution.route[customer]
    if solution.size[route] == 1:
        return 0.0 if problem.trips else route_cost(problem, solution, route)
    tail, head = solution.pred[customer], solution.succ[customer]
    kind = solution.kind[route]
    shorter = solution.leg[customer] + leg_now(problem, solution, route, customer, head)
    gap = distance(problem, solution, route, tail, head)
    if gap >= FORBIDDEN:
        return 0.0
    shorter -= gap
    saved = problem.kinds[kind, LIMIT.per_distance] * shorter
    if not problem.clocked:
        return saved
    duration, earliest, latest = before(problem, solution, route, tail)
    on, early_on, late_on = behind(problem, solution, route, head)
    gap = drive(problem, solution, route, tail, head)
    duration, earliest, latest = joined(duration, earliest, latest, gap, on, early_on, late_on)
    if duration == np.inf:
        return 0.0
    released = max(released_before(solution, tail), released_behind(solution, head))
    whole = whole_duration(problem, solution, route, duration, earliest, latest, released)
    return saved + cost_now(problem, solution, route) - time_cost(problem, kind, whole)
