"""Checks of what an operator of users has left of a rich problem; they stand in for those in `core/terms.py`.

What a route adds up to is computed anew, and so is right afterwards: what is found is a limit that is broken, a length
or a load that was not that of the links, and whatever is counted in more than one place and does not agree.
"""

from dacalns.core.flaws import OF_PENALTY, RELATIVE, WRONG_SUM
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import END, USED
from dacalns.core.rich_legs import distance
from dacalns.core.rich_terms import recompute_and_check


@inlined
def same_sums(one, other, route):
    """True if two solutions agree on what a route adds up to, and on its vehicle."""
    if one.load[route] != other.load[route] or one.length[route] != other.length[route]:
        return False
    if one.kind[route] != other.kind[route] or one.ahead[route] != other.ahead[route]:
        return False
    same = one.behind[route] == other.behind[route]
    for k in range(one.sums.shape[1]):
        same = same and one.sums[route, k] == other.sums[route, k]
    return same


@inlined
def same_times(problem, one, other, node):
    """True if two solutions agree on what lies before and behind a customer."""
    if problem.clocked:
        for k in range(one.times.shape[1]):
            if one.times[node, k] != other.times[node, k]:
                return False
    if problem.mixed:
        for k in range(one.cargo.shape[1]):
            if one.cargo[node, k] != other.cargo[node, k]:
                return False
    return True


@inlined
def ends_as_built(problem, solution):
    """Return True: what says when vehicles start is part of the problem, which nobody can change."""
    return True


@inlined
def _alike(given, right, problem):
    return given == right or abs(given - right) <= RELATIVE * abs(right) + OF_PENALTY * problem.penalty


@kernel
def wrong_sum(problem, solution, route):
    """What is wrong with a route: a kind (0: nothing) and two customers. What it adds up to is right afterwards."""
    tail, node = END, solution.first[route]
    while node:
        if not _alike(solution.leg[node], distance(problem, solution, route, tail, node), problem):
            return WRONG_SUM.leg, node, tail
        mate = problem.mate[node]
        if mate:
            if solution.route[mate] != route:
                return WRONG_SUM.pair, node, mate
            if problem.second[node] and not _stands_before(solution, mate, node):
                return WRONG_SUM.pair, node, mate
        tail = node
        node = solution.succ[node]
    length, load = solution.length[route], solution.load[route]
    if not recompute_and_check(problem, solution, route):
        return WRONG_SUM.limits, END, END
    if not _alike(length, solution.length[route], problem):
        return WRONG_SUM.length, END, END
    if not abs(load - solution.load[route]) <= RELATIVE * max(abs(load), problem.capacity):
        return WRONG_SUM.load, END, END
    return 0, END, END


@inlined
def _stands_before(solution, one, other):
    """True if a customer stands before another one of its route."""
    node = solution.pred[other]
    while node and node != one:
        node = solution.pred[node]
    return node == one


@kernel
def wrong_count(problem, solution):
    """What is wrong with vehicles, trips and groups: a kind (0: nothing) and a route, a group or a type."""
    used = solution.counts[USED]
    driven = 0
    for route in range(used):
        kind, ahead, behind = solution.kind[route], solution.ahead[route], solution.behind[route]
        if not 0 <= kind < len(problem.ends) or not -1 <= ahead < used or not -1 <= behind < used:
            return WRONG_SUM.trips, route
        if ahead >= 0 and (solution.behind[ahead] != route or solution.kind[ahead] != kind):
            return WRONG_SUM.trips, route
        if behind >= 0 and solution.ahead[behind] != route:
            return WRONG_SUM.trips, route
        if ahead < 0:
            trip = route
            while trip >= 0 and driven < used:
                driven += 1
                trip = solution.behind[trip]
                if not -1 <= trip < used:
                    return WRONG_SUM.trips, route
    if driven != used:  # some go round in a circle
        return WRONG_SUM.trips, 0
    for kind in range(len(problem.ends)):
        vehicles = 0
        for route in range(used):
            if solution.kind[route] == kind and solution.ahead[route] < 0:
                vehicles += 1
        if vehicles != solution.taken[kind]:
            return WRONG_SUM.vehicles, kind
    if problem.grouped:
        for group in range(1, len(problem.lacking)):
            visited = 0
            for k in range(problem.begins[group], problem.begins[group + 1]):
                if solution.route[problem.members[k]] >= 0:
                    visited += 1
            if visited != solution.visited[group] or visited > 1:
                return WRONG_SUM.members, group
    return 0, 0
