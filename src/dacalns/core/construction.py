"""First solutions: savings, given routes, and packing where the fleet is tight."""

import numpy as np

from dacalns.core import rich_insertions
from dacalns.core.insertions import cheapest_position
from dacalns.core.jit import by_kind, inlined, kernel
from dacalns.core.model import BANKED, END, Problem, empty_solution
from dacalns.core.removals import random_removal
from dacalns.core.repairs import regret_repair
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import copy_into, fits, insert, link, remove, settle
from dacalns.core.terms import (
    amount,
    apart,
    candidate_route,
    candidate_routes,
    distance,
    empty_route,
    from_start,
    join_sums,
    joined_route,
    load_of,
    loads_of,
    may_carry,
    may_join,
    recompute_and_check,
    refresh_joint,
    reversible,
    to_end,
    unavoidable_wait,
    vehicle_for_each,
)

# Routes by savings (Clarke and Wright 1964) among near neighbours: a start whose time hardly grows with the instance.
#
# Every customer first has a route of its own. The end of one route and the beginning of another are joined where that
# saves most, as long as capacity and windows allow; only customers that are neighbours of one another are asked.

# Neighbours of each customer that it may be joined with.
NEIGHBOURS = 100
# What waiting counts that cannot be avoided even if the earlier customer is served as late as it may be. Without it,
# neighbours are joined that want service at different times of the day, and routes fill up with waiting.
WAITING = 0.1


def savings_routes(problem: Problem) -> list[list[int]]:
    """The routes, largest load first. Customers whom no route of their own can serve are left out."""
    nodes = len(problem.neighbours)
    problem = vehicle_for_each(problem)
    solution = empty_solution(problem)
    most = nodes * min(NEIGHBOURS, problem.neighbours.shape[1]) * (1 if reversible(problem) else 2)
    tails, heads, savings = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32), np.empty(most)
    count = list_savings(problem, NEIGHBOURS, tails, heads, savings)
    order = np.argsort(-savings[:count], kind="stable")
    join_routes(problem, solution, tails[order], heads[order])
    routes = np.flatnonzero(solution.size)
    routes = routes[np.argsort(-loads_of(solution, routes), kind="stable")]
    succ, visits = solution.succ.tolist(), []
    for node in solution.first[routes].tolist():
        visits.append(visit := [])
        while node:
            visit.append(node)
            node = succ[node]
    return visits


@kernel
def list_savings(problem, most, tails, heads, savings):
    """List what joining a customer's end to another's beginning saves, for all neighbours; return how many there are.

    Where routes may be driven backwards, each pair is listed once.
    """
    near = problem.neighbours
    either = reversible(problem)
    count = 0
    for tail in range(1, len(near)):
        for rank in range(min(most, near.shape[1])):
            head = np.int64(near[tail, rank])
            if either and head < tail and _is_among(near, head, most, tail):
                continue
            count = _list(problem, tails, heads, savings, count, tail, head)
            if not either and not _is_among(near, head, most, tail):
                count = _list(problem, tails, heads, savings, count, head, tail)
    return count


@inlined
def _is_among(near, node, most, other):
    found = False
    for rank in range(min(most, near.shape[1])):
        found = found or near[node, rank] == other
    return found


@inlined
def _list(problem, tails, heads, savings, count, tail, head):
    onward = apart(problem, tail, head)
    saving = to_end(problem, tail) + from_start(problem, head) - onward
    if saving <= 0.0:
        return count
    saving -= WAITING * unavoidable_wait(problem, tail, head, onward)
    tails[count] = tail
    heads[count] = head
    savings[count] = saving
    return count + 1


@kernel
def join_routes(problem, solution, tails, heads):
    """Begin with a route for each customer, and join what may be joined, in this order."""
    _begin_alone(problem, solution)
    first, last = solution.first, solution.last
    either = reversible(problem)
    for k in range(len(tails)):
        tail, head = np.int64(tails[k]), np.int64(heads[k])
        one, other = solution.route[tail], solution.route[head]
        if one == other or one < 0 or other < 0:
            continue
        if not may_carry(problem, solution, one, load_of(solution, one) + load_of(solution, other)):
            continue
        if last[one] == tail and first[other] == head:
            _join(problem, solution, one, other)
        elif either and _is_end(solution, one, tail) and _is_end(solution, other, head):
            if first[one] == tail and last[other] == head:
                _join(problem, solution, other, one)
            elif last[one] == tail:
                _turn(problem, solution, other)
                _join(problem, solution, one, other)
            else:
                _turn(problem, solution, one)
                _join(problem, solution, one, other)


@inlined
def _begin_alone(problem, solution):
    """Give every customer a route of its own, if that keeps all limits."""
    for customer in range(1, len(solution.route)):
        route = customer - 1
        if fits(problem, solution, customer, route, END):
            link(problem, solution, customer, route, END)


@inlined
def _is_end(solution, route, node):
    return solution.first[route] == node or solution.last[route] == node


@kernel
def _turn(problem, solution, route):
    """Drive a route backwards, which costs the same."""
    succ, pred = solution.succ, solution.pred
    node = solution.first[route]
    while node:
        following = succ[node]
        succ[node] = pred[node]
        pred[node] = following
        solution.leg[node] = distance(problem, solution, route, following, node)
        node = following
    solution.first[route], solution.last[route] = solution.last[route], solution.first[route]


@kernel
def _join(problem, solution, front, back):
    """Drive ``back`` after ``front`` as one route, if that is in time."""
    tail, head = solution.last[front], solution.first[back]
    kept = joined_route(problem, solution, front, back)
    gone = back if kept == front else front
    gap = distance(problem, solution, kept, tail, head)
    if not may_join(problem, solution, kept, tail, head, gap):
        return
    solution.succ[tail] = head
    solution.pred[head] = tail
    solution.leg[head] = gap
    refresh_joint(problem, solution, kept, tail, head)
    first, last = solution.first[front], solution.last[back]
    node, end = solution.first[gone], solution.last[gone]
    while True:
        solution.route[node] = kept
        if node == end:
            break
        node = solution.succ[node]
    solution.size[kept] += solution.size[gone]
    solution.size[gone] = 0
    join_sums(solution, kept, gone)
    solution.first[kept] = first
    solution.last[kept] = last


# Whole routes at once.


@kernel
def place_routes(problem, solution, visits, sizes):
    """Serve waiting customers by new routes, one after the other in ``visits``, each with as many as ``sizes`` says.

    Of a route that is not feasible, those are left waiting who break a limit behind the ones before them.
    """
    begin = 0
    for k in range(len(sizes)):
        end = begin + sizes[k]
        if not place_route(problem, solution, visits[begin:end]):
            number, last = empty_route(problem, solution), END
            for place in range(begin, end):
                if insert(problem, solution, visits[place], number, last):
                    last = visits[place]
        begin = end


@kernel
def place_route(problem, solution, visits):
    """Serve waiting customers by a new route in this order, if that is feasible; return whether it is.

    Its beginnings need not be: they may return to the depot too late.
    """
    number = empty_route(problem, solution)
    if number < 0:
        return False
    last = END
    for k in range(len(visits)):
        link(problem, solution, visits[k], number, last)
        last = visits[k]
    if recompute_and_check(problem, solution, number):
        return True
    for k in range(len(visits)):
        remove(problem, solution, visits[k])
    settle(problem, solution)
    return False


# Serving everybody where the fleet is tight: a short search for capacity alone, before the real one.

# Demands are compared after a random factor up to this, so that the order varies a little from round to round.
JITTER = 0.3


@kernel
def complete(problem, solution, candidate, rounds, rng):
    """Serve the waiting customers by regret-2 insertion, and those whom that leaves over by packing."""
    regret_repair(problem, solution, rng)
    pack(problem, solution, candidate, rounds, rng)


complete = by_kind(complete, rich_insertions.complete)


@kernel
def pack(problem, solution, candidate, rounds, rng):
    """Make room until nobody waits or ``rounds`` are over; no round leaves more demand unserved than the one before.

    Each round removes customers at random and serves the waiting ones, large demands first, in the fullest route that
    can take them: best-fit decreasing, the classic rule for packing bins.
    """
    waiting = _demand_in_bank(problem, solution)
    customers = len(solution.route) - 1
    for _ in range(rounds):
        if solution.counts[BANKED] == 0:
            return
        copy_into(candidate, solution)
        random_removal(problem, candidate, 1 + random_int(rng, max(1, customers // 3)), rng)
        settle(problem, candidate)
        _best_fit_decreasing(problem, candidate, rng)
        left = _demand_in_bank(problem, candidate)
        if left <= waiting:
            waiting = left
            copy_into(solution, candidate)


@kernel
def _demand_in_bank(problem, solution):
    total = 0.0
    for k in range(solution.counts[BANKED]):
        total += amount(problem, solution.bank[k])
    return total


@kernel
def _best_fit_decreasing(problem, solution, rng):
    order, keys = solution.scratch_ints, solution.scratch_floats
    total = solution.counts[BANKED]
    for k in range(total):
        customer = solution.bank[k]
        key = amount(problem, customer) * (1.0 + JITTER * random_float(rng))
        place = k
        while place and keys[place - 1, 0] < key:
            keys[place, 0] = keys[place - 1, 0]
            order[place, 0] = order[place - 1, 0]
            place -= 1
        keys[place, 0] = key
        order[place, 0] = customer
    for k in range(total):
        customer = order[k, 0]
        fullest = -1
        behind = END
        for rank in range(candidate_routes(problem, solution)):
            route = candidate_route(problem, solution, rank)
            if fullest < 0 or load_of(solution, route) > load_of(solution, fullest):
                delta, place = cheapest_position(problem, solution, customer, route)
                if delta < np.inf:
                    fullest = route
                    behind = place
        if fullest >= 0:
            link(problem, solution, customer, fullest, behind)
