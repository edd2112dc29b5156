"""First solutions: savings, given routes, and packing where the fleet is tight."""

from typing import NamedTuple

import numpy as np

from dacalns.core.distances import between
from dacalns.core.insertions import candidate_routes, cheapest_position
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, USED, Problem
from dacalns.core.removals import random_removal
from dacalns.core.repairs import regret_repair
from dacalns.core.rng import random_float, random_int
from dacalns.core.routes import copy_into, insert, link, recompute, remove, settle

# Routes by savings (Clarke and Wright 1964) among near neighbours: a start whose time hardly grows with the instance.
#
# Every customer first has a route of its own. The end of one route and the beginning of another are joined where that
# saves most, as long as capacity and windows allow; only customers that are neighbours of one another are asked.

# Neighbours of each customer that it may be joined with.
NEIGHBOURS = 100
# What waiting counts that cannot be avoided even if the earlier customer is served as late as it may be. Without it,
# neighbours are joined that want service at different times of the day, and routes fill up with waiting.
WAITING = 0.1


class Chains(NamedTuple):
    """Routes as linked lists, as many as there are customers at first."""

    succ: np.ndarray  #: (n+1,) next customer in the route, 0 at its end
    pred: np.ndarray  #: (n+1,) previous customer, 0 at the front
    route: np.ndarray  #: (n+1,) the customer's route, 0 if not even a route of its own would be in time
    first: np.ndarray  #: (n+1,) first customer of each route
    last: np.ndarray  #: (n+1,) last customer of each route
    size: np.ndarray  #: (n+1,) customers in each route, 0 if it was joined to another
    load: np.ndarray  #: (n+1,) total demand of each route
    depart: np.ndarray  #: (n+1,) earliest end of service; only with windows
    latest: np.ndarray  #: (n+1,) latest start of service that keeps the rest in time; only with windows


def savings_routes(problem: Problem) -> list[list[int]]:
    """The routes, largest load first. Customers whom no route of their own can serve in time are left out."""
    nodes = len(problem.demand)
    chains = Chains(*(np.zeros(nodes, dtype=np.int64) for _ in range(6)), *(np.zeros(nodes) for _ in range(3)))
    most = nodes * min(NEIGHBOURS, problem.neighbours.shape[1]) * (1 if reversible(problem) else 2)
    tails, heads, savings = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32), np.empty(most)
    count = list_savings(problem, NEIGHBOURS, tails, heads, savings)
    order = np.argsort(-savings[:count], kind="stable")
    join_chains(problem, chains, tails[order], heads[order])
    routes = np.flatnonzero(chains.size)
    routes = routes[np.argsort(-chains.load[routes], kind="stable")]
    succ, visits = chains.succ.tolist(), []
    for node in chains.first[routes].tolist():
        visits.append(visit := [])
        while node:
            visit.append(node)
            node = succ[node]
    return visits


@kernel
def reversible(problem):
    """Whether a route may be driven backwards."""
    return problem.symmetric and not problem.timed


@kernel
def list_savings(problem, most, tails, heads, savings):
    """List what joining a customer's end to another's beginning saves, for all neighbours; return how many there are.

    Where routes may be driven backwards, each pair is listed once.
    """
    near = problem.neighbours
    either = reversible(problem)
    count = 0
    for tail in range(1, len(problem.demand)):
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
    onward = between(problem, tail, head)
    saving = between(problem, tail, 0) + between(problem, 0, head) - onward
    if saving <= 0.0:
        return count
    if problem.timed:
        saving -= WAITING * max(0.0, problem.opens[head] - problem.closes[tail] - problem.service[tail] - onward)
    tails[count] = tail
    heads[count] = head
    savings[count] = saving
    return count + 1


@inlined
def _begin_alone(problem, chains):
    """Give every customer a route of its own, if that is in time."""
    for node in range(1, len(problem.demand)):
        if problem.timed:
            home = between(problem, node, 0)
            start = max(problem.opens[node], problem.opens[0] + between(problem, 0, node))
            chains.latest[node] = min(problem.closes[node], problem.closes[0] - home - problem.service[node])
            chains.depart[node] = start + problem.service[node]
            if start > chains.latest[node]:
                continue
        if problem.demand[node] > problem.capacity:
            continue
        chains.route[node] = node
        chains.first[node] = node
        chains.last[node] = node
        chains.size[node] = 1
        chains.load[node] = problem.demand[node]


@kernel
def join_chains(problem, chains, tails, heads):
    """Begin with a route for each customer, and join what may be joined, in this order."""
    _begin_alone(problem, chains)
    either = reversible(problem)
    for k in range(len(tails)):
        tail, head = np.int64(tails[k]), np.int64(heads[k])
        one, other = chains.route[tail], chains.route[head]
        if one == other or one == 0 or other == 0:
            continue
        if chains.load[one] + chains.load[other] > problem.capacity:
            continue
        if chains.last[one] == tail and chains.first[other] == head:
            _join(problem, chains, one, other)
        elif either and _is_end(chains, one, tail) and _is_end(chains, other, head):
            if chains.first[one] == tail and chains.last[other] == head:
                _join(problem, chains, other, one)
            elif chains.last[one] == tail:
                _turn(chains, other)
                _join(problem, chains, one, other)
            else:
                _turn(chains, one)
                _join(problem, chains, one, other)


@inlined
def _is_end(chains, route, node):
    return chains.first[route] == node or chains.last[route] == node


@kernel
def _turn(chains, route):
    """Drive a route backwards."""
    node = chains.first[route]
    while node:
        following = chains.succ[node]
        chains.succ[node] = chains.pred[node]
        chains.pred[node] = following
        node = following
    node = chains.first[route]
    chains.first[route] = chains.last[route]
    chains.last[route] = node


@kernel
def _join(problem, chains, front, back):
    """Drive ``back`` after ``front`` as one route, if that is in time."""
    tail, head = chains.last[front], chains.first[back]
    if problem.timed:
        onward = between(problem, tail, head)
        if chains.depart[tail] + onward > chains.latest[head]:
            return
        _push(problem, chains, head, chains.depart[tail] + onward)
        _pull(problem, chains, tail, chains.latest[head] - onward)
    chains.succ[tail] = head
    chains.pred[head] = tail
    # The customers of the smaller one change their route: nobody does so more often than the sizes double.
    kept, gone = (front, back) if chains.size[front] >= chains.size[back] else (back, front)
    node = chains.first[gone]
    last = chains.last[gone]
    while True:
        chains.route[node] = kept
        if node == last:
            break
        node = chains.succ[node]
    first, last = chains.first[front], chains.last[back]
    chains.size[kept] += chains.size[gone]
    chains.load[kept] += chains.load[gone]
    chains.size[gone] = 0
    chains.first[kept] = first
    chains.last[kept] = last


@inlined
def _push(problem, chains, node, arrival):
    """Recompute earliest departures from ``node`` onwards, as far as they change."""
    while node:
        clock = max(problem.opens[node], arrival) + problem.service[node]
        if clock == chains.depart[node]:
            return
        chains.depart[node] = clock
        following = chains.succ[node]
        arrival = clock + between(problem, node, following)
        node = following


@inlined
def _pull(problem, chains, node, latest_arrival):
    """Recompute latest starts from ``node`` back to the front, as far as they change."""
    while node:
        late = min(problem.closes[node], latest_arrival - problem.service[node])
        if late == chains.latest[node]:
            return
        chains.latest[node] = late
        before = chains.pred[node]
        latest_arrival = late - between(problem, before, node)
        node = before


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
            number, last = solution.counts[USED], 0
            for place in range(begin, end):
                if insert(problem, solution, visits[place], number, last):
                    last = visits[place]
        begin = end


@kernel
def place_route(problem, solution, visits):
    """Serve waiting customers by a new route in this order, if that is feasible; return whether it is.

    Its beginnings need not be: they may return to the depot too late.
    """
    number = solution.counts[USED]
    if number >= problem.fleet:
        return False
    last = 0
    for k in range(len(visits)):
        link(problem, solution, visits[k], number, last)
        last = visits[k]
    if recompute(problem, solution, number) == 0 and solution.load[number] <= problem.capacity:
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
        total += problem.demand[solution.bank[k]]
    return total


@kernel
def _best_fit_decreasing(problem, solution, rng):
    order, keys = solution.scratch_ints, solution.scratch_floats
    total = solution.counts[BANKED]
    for k in range(total):
        customer = solution.bank[k]
        key = problem.demand[customer] * (1.0 + JITTER * random_float(rng))
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
        behind = 0
        for route in range(candidate_routes(problem, solution)):
            if fullest < 0 or solution.load[route] > solution.load[fullest]:
                delta, place = cheapest_position(problem, solution, customer, route)
                if delta < np.inf:
                    fullest = route
                    behind = place
        if fullest >= 0:
            link(problem, solution, customer, fullest, behind)
