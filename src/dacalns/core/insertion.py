"""Where a customer is inserted most cheaply: the innermost loops of the search."""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import USED
from dacalns.core.near_places import NEAR, in_time, much_room
from dacalns.core.routes import fits, onward


@inlined
def cheapest_position(problem, solution, customer, route):
    """The least added distance of ``customer`` in ``route`` and the node to put it behind (0: the front).

    The distance is infinite where it fits nowhere. ``route`` may be ``counts[USED]``, the next empty one, if the fleet
    has another.
    """
    symmetric, leg, succ = problem.symmetric, solution.leg, solution.succ
    best = np.inf
    place = 0
    if route >= problem.fleet or solution.load[route] + problem.demand[customer] > problem.capacity:
        return best, place
    node = np.uint64(solution.first[route])  # unsigned: an index that cannot be negative is not checked for it
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
            before = np.int64(node)
            hither = to if symmetric else between(problem, node, customer)
            node = np.uint64(succ[node])
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
        before = np.int64(node)
        leaves = depart[node]
        hither = to if symmetric else between(problem, node, customer)
        node = np.uint64(succ[node])
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


# The insertion table has one row for each waiting customer: its DEPTH cheapest routes in ascending order, and a bound
# that no route outside the list is below. Columns of `solution.scratch_floats`: the costs, then the bound …
DEPTH = 4
BOUND = DEPTH
# … and of `solution.scratch_ints`: the customer, how many routes are listed, their numbers, the node to go behind.
WHO, LISTED, ROUTE, PLACE = 0, 1, 2, 2 + DEPTH


@kernel
def scan_routes(problem, solution, row):
    """List the cheapest routes of the customer in ``row`` from scratch."""
    costs, places = solution.scratch_floats, solution.scratch_ints
    places[row, LISTED] = 0
    costs[row, BOUND] = np.inf
    customer = places[row, WHO]
    if much_room(problem, solution, customer):
        scan_near(problem, solution, row)
        return
    for route in range(candidate_routes(problem, solution)):
        delta, place = cheapest_position(problem, solution, customer, route)
        if delta < costs[row, BOUND]:
            list_route(costs, places, row, route, delta, place)


@kernel
def scan_near(problem, solution, row):
    """Do so by the places beside near customers and beside the depot alone."""
    places, leg = solution.scratch_ints, solution.leg
    customer = places[row, WHO]
    most = problem.capacity - problem.demand[customer]
    home, out = between(problem, customer, 0), between(problem, 0, customer)
    near = problem.neighbours[customer]
    for k in range(min(len(near), NEAR)):
        node = np.int64(near[k])
        route = solution.route[node]
        if route < 0 or solution.load[route] > most:
            continue
        before, after = solution.pred[node], solution.succ[node]
        delta = (between(problem, before, customer) if before else out) + between(problem, customer, node) - leg[node]
        offer(problem, solution, row, route, delta, before, node)
        delta = between(problem, node, customer)
        delta += between(problem, customer, after) - leg[after] if after else home - between(problem, node, 0)
        offer(problem, solution, row, route, delta, node, after)
    for route in range(candidate_routes(problem, solution)):
        if solution.load[route] > most:
            continue
        node = solution.first[route]
        delta = out + (between(problem, customer, node) - leg[node] if node else home)
        offer(problem, solution, row, route, delta, 0, node)
        node = solution.last[route]
        if node:
            delta = between(problem, node, customer) + home - between(problem, node, 0)
            offer(problem, solution, row, route, delta, node, 0)


@inlined
def offer(problem, solution, row, route, delta, before, after):
    """List a place between two that follow one another, if it is good enough and better than the route's so far."""
    costs, places = solution.scratch_floats, solution.scratch_ints
    if delta >= costs[row, BOUND]:
        return
    rank = rank_of(places, row, route)
    if rank >= 0 and delta >= costs[row, rank]:
        return
    if in_time(problem, solution, places[row, WHO], before, after):
        if rank >= 0:
            _unlist(costs, places, row, rank)
        list_route(costs, places, row, route, delta, before)


@inlined
def route_grew(problem, solution, rows, route, inserted, needed):
    """Bring the first ``rows`` rows up to date after ``inserted`` joined ``route``, nearly always without a scan.

    An insertion destroys one position of the route, makes two, and can only delay the others (given the triangle
    inequality). So the two new positions are looked at, and the old best one is asked whether it still fits; the route
    is scanned when it does not. All routes are scanned only when fewer than ``needed`` are left on the list.
    """
    costs, places = solution.scratch_floats, solution.scratch_ints
    before, following = solution.pred[inserted], solution.succ[inserted]
    leg_ahead, leg_behind = between(problem, before, inserted), between(problem, inserted, following)
    for row in range(rows):
        customer = places[row, WHO]
        ahead = between(problem, before, customer) + onward(problem, customer, inserted) - leg_ahead
        behind = between(problem, inserted, customer) + onward(problem, customer, following) - leg_behind
        bound = costs[row, BOUND]
        rank = rank_of(places, row, route)
        if rank < 0 and ahead >= bound and behind >= bound:
            continue
        delta = ahead if fits(problem, solution, customer, route, before) else np.inf
        place = before
        if behind < delta and fits(problem, solution, customer, route, inserted):
            delta = behind
            place = inserted
        if rank >= 0:
            old_place = places[row, PLACE + rank]
            if old_place != before and fits(problem, solution, customer, route, old_place):
                if costs[row, rank] <= delta:
                    continue
            else:
                delta, place = cheapest_position(problem, solution, customer, route)
            _unlist(costs, places, row, rank)
        if delta < bound:
            list_route(costs, places, row, route, delta, place)
        elif places[row, LISTED] < needed and bound < np.inf:
            scan_routes(problem, solution, row)


@inlined
def rank_of(places, row, route):
    """Where ``route`` stands in the list of ``row``; -1 if it does not."""
    found = -1
    for rank in range(places[row, LISTED]):
        if places[row, ROUTE + rank] == route:
            found = rank
    return found


@inlined
def list_route(costs, places, row, route, delta, place):
    """Insert a route that costs less than the bound where it belongs; the last of a full list becomes the bound."""
    rank = places[row, LISTED]
    if rank == DEPTH:
        rank -= 1
        costs[row, BOUND] = max(delta, costs[row, rank])
        if delta >= costs[row, rank]:
            return
    else:
        places[row, LISTED] = rank + 1
    while rank and costs[row, rank - 1] > delta:
        _copy_entry(costs, places, row, rank - 1, rank)
        rank -= 1
    costs[row, rank] = delta
    places[row, ROUTE + rank] = route
    places[row, PLACE + rank] = place


@inlined
def _unlist(costs, places, row, rank):
    listed = places[row, LISTED] - 1
    places[row, LISTED] = listed
    while rank < listed:
        _copy_entry(costs, places, row, rank + 1, rank)
        rank += 1


@inlined
def _copy_entry(costs, places, row, source, target):
    costs[row, target] = costs[row, source]
    places[row, ROUTE + target] = places[row, ROUTE + source]
    places[row, PLACE + target] = places[row, PLACE + source]
