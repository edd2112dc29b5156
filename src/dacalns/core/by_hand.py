"""What Python operators do with a solution: one change at a time, each checked, and all places of a customer.

Python calls these kernels by address, with the addresses of problem and solution that the loop has handed it: to pass
the two from Python would take longer than most of what is done here.

The routes of a solution have numbers, 0 … ``counts[USED]`` - 1; numbers from there on open another, see
:func:`dacalns.core.terms.candidate_routes`.
"""

from numba import types

from dacalns.core import rich_by_hand
from dacalns.core.insertions import added_distance
from dacalns.core.jit import by_kind, kernel
from dacalns.core.model import END, PROBLEM, SOLUTION, USED
from dacalns.core.places import REFUSAL, customer_before, note_place
from dacalns.core.routes import fits, link, remove, settle
from dacalns.core.terms import candidate_route, candidate_routes, has_room, may_open, solution_cost

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


@kernel
def _put_in(problem, solution, customer, route, position, second):
    if solution.route[customer] >= 0:
        return REFUSAL.served
    if not may_open(problem, solution, route):
        return REFUSAL.no_route
    before = END if route == solution.counts[USED] and position == 0 else customer_before(solution, route, position)
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
    for rank in range(candidate_routes(problem, solution)):
        route = candidate_route(problem, solution, rank)
        before, node = END, solution.first[route]
        position = 0
        while True:
            cost = added_distance(problem, solution, customer, route, before)
            if cost < 1e300:
                found = note_place(numbers, costs, found, cost, route, position, 0)
            if node == END:
                break
            before = node
            node = solution.succ[node]
            position += 1
    return found


_put_in = by_kind(_put_in, rich_by_hand.put_in)
_list_places = by_kind(_list_places, rich_by_hand.list_places)


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
