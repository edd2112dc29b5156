"""What Python operators do with a solution of a rich problem: one change at a time, and all places of a customer.

These stand in for the functions of the same names in `core/by_hand.py`. Beyond the numbers of routes that are in use,
and of the types that another may be opened for, `dacalns.core.rich_fleet.trip_number` has those of new trips.
"""

from dacalns.core.jit import inlined, kernel
from dacalns.core.model import END, USED
from dacalns.core.places import REFUSAL, customer_before, note_place
from dacalns.core.rich_fleet import as_route, detour_of, has_vehicle, may_load_again, may_open, trip_number
from dacalns.core.rich_places import scan_route_for_pair, try_place
from dacalns.core.rich_terms import has_room, recompute_and_check
from dacalns.core.routes import link, remove, settle


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
def put_in(problem, solution, customer, route, position, second):
    """Do what `dacalns.core.by_hand.put_in` does."""
    used = solution.counts[USED]
    if solution.route[customer] >= 0:
        return REFUSAL.served
    if problem.grouped and problem.group[customer] and solution.visited[problem.group[customer]]:
        return REFUSAL.grouped
    if not may_open(problem, solution, route) and not _is_trip(problem, solution, route):
        return REFUSAL.no_route
    at = as_route(problem, solution, route)
    before = END if route >= used and position == 0 else customer_before(solution, at, position)
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
    link(problem, solution, mate, at, customer_before(solution, at, second))
    if recompute_and_check(problem, solution, at):
        return 0
    remove(problem, solution, customer)
    settle(problem, solution)
    return REFUSAL.limits


@kernel
def list_places(problem, solution, customer, numbers, costs):
    """Do what `dacalns.core.by_hand.list_places` does."""
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
            found = note_place(numbers, costs, found, cost + more, number, position, second)
        return found
    before, node = END, solution.first[route]
    position = 0
    while True:
        cost = try_place(problem, solution, customer, route, before, node, 1e300)
        if cost < 1e300:
            found = note_place(numbers, costs, found, cost + more, number, position, 0)
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
