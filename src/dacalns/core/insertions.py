"""Where a customer is inserted most cheaply, route by route or among near neighbours."""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.jit import inlined
from dacalns.core.model import USED
from dacalns.core.routes import fits, onward

# Where a customer is inserted most cheaply: the innermost loops of the search.


@inlined
def cheapest_position(problem, solution, customer, route):
    """The least added distance of ``customer`` in ``route`` and the node to put it behind (0: the front).

    The distance is infinite where it fits nowhere. ``route`` may be ``counts[USED]``, the next empty one, if the fleet
    has another.
    """
    symmetric, leg, succ = problem.symmetric, solution.leg, solution.succ
    best = np.inf
    place = 0
    if not 0 <= route < problem.fleet or solution.load[route] + problem.demand[customer] > problem.capacity:
        return best, place
    node = solution.first[route]
    before = 0
    home = between(problem, customer, 0)
    hither = home if symmetric else between(problem, 0, customer)  # from `before` to the customer
    if not problem.timed:
        while node:
            to = between(problem, customer, node)
            delta = hither + to - leg[node]
            if delta < best:
                best = delta
                place = before
            before = node
            hither = to if symmetric else between(problem, node, customer)
            node = succ[node]
        delta = hither + home - between(problem, before, 0)
        if delta < best:
            best = delta
            place = before
        return best, place

    depart, latest = solution.depart, solution.latest
    early, late, duration = problem.opens[customer], problem.closes[customer], problem.service[customer]
    leaves = depart[0]
    # Departures only grow along a route: behind a node that is left after the window closes, nothing is in time.
    while node and leaves <= late:
        to = between(problem, customer, node)
        delta = hither + to - leg[node]
        if delta < best:
            start = max(early, leaves + hither)
            if start <= late and start + duration + to <= latest[node]:
                best = delta
                place = before
        before = node
        leaves = depart[node]
        hither = to if symmetric else between(problem, node, customer)
        node = succ[node]
    if not node:
        delta = hither + home - between(problem, before, 0)
        if delta < best:
            start = max(early, leaves + hither)
            if start <= late and start + duration + home <= latest[0]:
                best = delta
                place = before
    return best, place


@inlined
def added_distance(problem, solution, customer, route, after):
    """What ``customer`` adds to ``route`` behind ``after``; infinite if it does not fit there."""
    if not fits(problem, solution, customer, route, after):
        return np.inf
    following = solution.succ[after] if after else solution.first[route]
    old = solution.leg[following] if following else between(problem, after, 0)
    return between(problem, after, customer) + onward(problem, customer, following) - old


@inlined
def candidate_routes(problem, solution):
    """How many routes a customer may go to: those in use and, while the fleet allows, one empty one."""
    used = solution.counts[USED]
    return used + 1 if used < problem.fleet else used


# Where routes with room have very many places, only those beside near customers and beside the depot are looked at.
#
# So the work of an insertion does not grow with the instance.

# If there are more than MANY places, only those beside the NEAR nearest customers are looked at: there both cost alike.
# Insertion by a table does so with more than MANY customers, and looks at the routes of the NEAR nearest ones.
MANY, NEAR = 400, 40


@inlined
def much_room(problem, solution, customer):
    """Whether the routes with room for ``customer`` have more than ``MANY`` places."""
    if len(solution.route) <= MANY:
        return False
    most = problem.capacity - problem.demand[customer]
    places = 0
    for route in range(solution.counts[USED]):
        if solution.load[route] <= most:
            places += solution.size[route]
            if places > MANY:
                return True
    return False


@inlined
def in_time(problem, solution, customer, before, after):
    """Whether ``customer`` may be served between two that follow one another (0: the depot)."""
    if not problem.timed:
        return True
    start = max(problem.opens[customer], solution.depart[before] + between(problem, before, customer))
    if start > problem.closes[customer]:
        return False
    return start + problem.service[customer] + between(problem, customer, after) <= solution.latest[after]
