"""What Python operators do with a solution: one change at a time, each checked, and all places of a customer.

Python calls these kernels by address, with the addresses of problem and solution that the loop has handed it: to pass
the two from Python would take longer than most of what is done here.

The routes of a solution have numbers, 0 … ``counts[USED]`` - 1; numbers from there on open another: see
:func:`dacalns.core.terms.candidate_routes`. Beyond these, `dacalns.core.rich_fleet.trip_number` has those of new trips.
"""

from typing import NamedTuple

from numba import types

from dacalns.core.insertions import added_distance
from dacalns.core.jit import by_kind, inlined, kernel
from dacalns.core.model import END, PROBLEM, SOLUTION, USED
from dacalns.core.records import numbered
from dacalns.core.rich_fleet import as_route, detour_of, has_vehicle, may_load_again, trip_number
from dacalns.core.rich_places import scan_route_for_pair, try_place
from dacalns.core.rich_terms import recompute_and_check
from dacalns.core.routes import fits, link, remove, settle
from dacalns.core.terms import candidate_routes, has_room, may_open, solution_cost


class Refusal(NamedTuple):
    """What :func:`put_in` may find wrong with a place; 0 stands for nothing."""

    served: int  #: the customer is in a route already
    grouped: int  #: another one of its group is visited
    no_route: int  #: there is no such route, and no vehicle for another
    no_position: int
    no_room: int  #: the vehicle has no room for the customer, or may not serve it
    limits: int  #: a time window or another limit of the route would be broken


REFUSAL = numbered(Refusal, first=1)


class Found(NamedTuple):
    """The columns of the table of places that :func:`list_places` fills, row after row."""

    route: int
    position: int  #: how many stand before the customer
    second: int  #: how many stand before the other one of its pair, the customer included


FOUND = numbered(Found)

_WHOLE, _WHOLES, _REALS = types.int64, types.int64[::1], types.float64[::1]
PUT_SIGNATURE = _WHOLE(PROBLEM, SOLUTION, _WHOLE, _WHOLE, _WHOLE, _WHOLE)
TAKE_SIGNATURE = _WHOLE(PROBLEM, SOLUTION, _WHOLE)
LIST_SIGNATURE = _WHOLE(PROBLEM, SOLUTION, _WHOLE, _WHOLES, _REALS)
SETTLE_SIGNATURE = types.void(PROBLEM, SOLUTION)
COST_SIGNATURE = types.float64(PROBLEM, SOLUTION)


@kernel
def take_out(problem, solution, customer):
    """Take a customer, with the other one of its pair, out of its route; 0 if it is in none."""
    return 1 if remove(problem, solution, customer) else 0


@kernel
def put_right(problem, solution):
    """Bring all up to date after removals; routes that are empty go, so that others may change their numbers."""
    settle(problem, solution)


@kernel
def cost_of(problem, solution):
    """What a solution costs, whoever is missing."""
    return solution_cost(problem, solution)


@inlined
def _customer_before(solution, route, position):
    """Whom the one at a position of a route in use stands behind (END: nobody); -1 if there is no such position."""
    if not 0 <= position <= solution.size[route]:
        return -1
    before, node = END, solution.first[route]
    for _ in range(position):
        before = node
        node = solution.succ[node]
    return before


@inlined
def _note(numbers, costs, found, cost, route, position, second):
    """Fill in a row, unless the table is full; return how many there would be."""
    if found < len(costs):
        costs[found] = cost
        numbers[len(FOUND) * found + FOUND.route] = route
        numbers[len(FOUND) * found + FOUND.position] = position
        numbers[len(FOUND) * found + FOUND.second] = second
    return found + 1


# --- Plain problems ------------------------------------------------------------------------------------------------


@kernel
def _put_in(problem, solution, customer, route, position, second):
    if solution.route[customer] >= 0:
        return REFUSAL.served
    if not may_open(problem, solution, route):
        return REFUSAL.no_route
    before = END if route == solution.counts[USED] and position == 0 else _customer_before(solution, route, position)
    if before < 0:
        return REFUSAL.no_position
    if not has_room(problem, solution, route, customer):
        return REFUSAL.no_room
    if not fits(problem, solution, customer, route, before):
        return REFUSAL.limits
    link(problem, solution, customer, route, before)
    return 0


@kernel
def _list_places(problem, solution, customer, numbers, costs):
    found = 0
    for route in range(candidate_routes(problem, solution)):
        before, node = END, solution.first[route]
        position = 0
        while True:
            cost = added_distance(problem, solution, customer, route, before)
            if cost < 1e300:
                found = _note(numbers, costs, found, cost, route, position, 0)
            if node == END:
                break
            before = node
            node = solution.succ[node]
            position += 1
    return found


# --- Rich problems -------------------------------------------------------------------------------------------------


@inlined
def _is_trip(problem, solution, number):
    """True if a number stands for a new trip that a vehicle in use may make."""
    code = number - solution.counts[USED] - len(problem.ends)
    depots = problem.reload_at.shape[1]
    other = code // depots // 2
    if not problem.trips or code < 0 or other >= solution.counts[USED]:
        return False
    return may_load_again(problem, solution, other, code // depots % 2, code % depots)


@kernel
def _put_in_rich(problem, solution, customer, route, position, second):
    used = solution.counts[USED]
    if solution.route[customer] >= 0:
        return REFUSAL.served
    if problem.grouped and problem.group[customer] and solution.visited[problem.group[customer]]:
        return REFUSAL.grouped
    if not may_open(problem, solution, route) and not _is_trip(problem, solution, route):
        return REFUSAL.no_route
    at = as_route(problem, solution, route)
    before = END if route >= used and position == 0 else _customer_before(solution, at, position)
    if before < 0:
        return REFUSAL.no_position
    if not has_room(problem, solution, at, customer):
        return REFUSAL.no_room
    mate = problem.mate[customer]
    if mate == END:
        following = solution.succ[before] if before else solution.first[at]
        if try_place(problem, solution, customer, at, before, following, 1e300) >= 1e300:
            return REFUSAL.limits
        link(problem, solution, customer, route, before)
        return 0
    size = 0 if route >= used else solution.size[at]
    if not position < second <= size + 1:
        return REFUSAL.no_position
    if not problem.may_serve[solution.kind[at], mate]:
        return REFUSAL.no_room
    link(problem, solution, customer, route, before)
    at = solution.route[customer]
    link(problem, solution, mate, at, _customer_before(solution, at, second))
    if recompute_and_check(problem, solution, at):
        return 0
    remove(problem, solution, customer)
    settle(problem, solution)
    return REFUSAL.limits


@kernel
def _list_places_rich(problem, solution, customer, numbers, costs):
    if problem.grouped and problem.group[customer] and solution.visited[problem.group[customer]]:
        return 0
    found = 0
    used = solution.counts[USED]
    for number in range(used + len(problem.ends)):
        if number < used or has_vehicle(problem, solution, number - used):
            found = _places_in(problem, solution, customer, number, numbers, costs, found)
    if problem.trips:
        for other in range(used):
            for side in range(2):
                for rank in range(problem.reload_at.shape[1]):
                    if may_load_again(problem, solution, other, side, rank):
                        number = trip_number(problem, solution, other, side, rank)
                        found = _places_in(problem, solution, customer, number, numbers, costs, found)
    return found


@kernel
def _places_in(problem, solution, customer, number, numbers, costs, found):
    route = as_route(problem, solution, number)
    if not has_room(problem, solution, route, customer):
        return found
    more = detour_of(problem, solution, number)
    if problem.mate[customer]:
        cost, one, other = scan_route_for_pair(problem, solution, customer, route, 1e300, None, None)
        if cost < 1e300:
            position = _position_behind(solution, route, one)
            second = position + 1 if other == customer else _position_behind(solution, route, other) + 1
            found = _note(numbers, costs, found, cost + more, number, position, second)
        return found
    before, node = END, solution.first[route]
    position = 0
    while True:
        cost = try_place(problem, solution, customer, route, before, node, 1e300)
        if cost < 1e300:
            found = _note(numbers, costs, found, cost + more, number, position, 0)
        if node == END:
            return found
        before = node
        node = solution.succ[node]
        position += 1


@inlined
def _position_behind(solution, route, customer):
    """The position right behind a customer of a route (END: the first one)."""
    if customer == END:
        return 0
    position, node = 1, solution.first[route]
    while node != customer:
        node = solution.succ[node]
        position += 1
    return position


_put_in, _list_places = by_kind(_put_in, _put_in_rich), by_kind(_list_places, _list_places_rich)


# --- Either --------------------------------------------------------------------------------------------------------


@kernel
def put_in(problem, solution, customer, route, position, second):
    """Put a waiting customer at a position of a route, if it fits there; return 0, or what is wrong, see `Refusal`.

    The other one of its pair, if it has one, comes along and then stands at position ``second``.
    """
    return _put_in(problem, solution, customer, route, position, second)


@kernel
def list_places(problem, solution, customer, numbers, costs):
    """List all places where a waiting customer fits, and what each costs; return how many there are.

    Of a pair, by its first one, it is the cheapest place in each route. If there are more than the table has rows, the
    others are counted only.
    """
    return _list_places(problem, solution, customer, numbers, costs)
