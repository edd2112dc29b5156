"""Places by hand: what may be wrong with one, the table that they are listed in, and positions in routes."""

from typing import NamedTuple

from dacalns.core.jit import inlined
from dacalns.core.model import END
from dacalns.core.records import numbered


class Refusal(NamedTuple):
    """What may be wrong with a place to put a customer at; 0 stands for nothing."""

    served: int  #: the customer is in a route already
    grouped: int  #: another one of its group is visited
    no_route: int  #: there is no such route, and no vehicle for another
    no_position: int
    no_room: int  #: the vehicle has no room for the customer, or may not serve it
    limits: int  #: a time window or another limit of the route would be broken


REFUSAL = numbered(Refusal, first=1)


class Found(NamedTuple):
    """The columns of the table of places that is filled row after row."""

    route: int
    position: int  #: how many stand before the customer
    second: int  #: how many stand before the other one of its pair, the customer included


FOUND = numbered(Found)


@inlined
def customer_before(solution, route, position):
    """Whom the one at a position of a route in use stands behind (END: nobody); -1 if there is no such position."""
    if not 0 <= position <= solution.size[route]:
        return -1
    before, node = END, solution.first[route]
    for _ in range(position):
        before = node
        node = solution.succ[node]
    return before


@inlined
def note_place(numbers, costs, found, cost, route, position, second):
    """Fill in a row, unless the table is full; return how many there would be."""
    if found < len(costs):
        costs[found] = cost
        numbers[len(FOUND) * found + FOUND.route] = route
        numbers[len(FOUND) * found + FOUND.position] = position
        numbers[len(FOUND) * found + FOUND.second] = second
    return found + 1
