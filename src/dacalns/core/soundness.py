"""Checks that an operator has left a solution whose arrays agree with one another.

Everything else that walks along a route trusts its links, and would walk for ever along a circle, or read behind the
end of an array. So these kernels trust nothing: indices are compared with their ranges before they are used, and no
route is followed for longer than its size. They are asked about operators of users only; ours are tested instead.

``links_sound`` comes before :func:`dacalns.core.routes.settle`, which walks; ``sums_sound`` comes after it;
``settle_checked`` does all three. They note what they find in ``flaw``, see `Flaw`.
"""

from typing import NamedTuple

from numba import types

from dacalns.core.flaws import WRONG_SUM
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, END, PROBLEM, SOLUTION, TOUCHED, USED
from dacalns.core.records import numbered
from dacalns.core.routes import settle
from dacalns.core.terms import (
    adds_up_to_nothing,
    ends_as_built,
    fleet_size,
    same_sums,
    same_times,
    wrong_count,
    wrong_sum,
)


class Flaw(NamedTuple):
    """The positions in ``flaw``; what the last two are depends on the kind."""

    kind: int  #: see `WrongLink`, and `dacalns.core.flaws.WrongSum`
    route: int
    customer: int
    other: int


FLAW = numbered(Flaw)
CHECK_SIGNATURE = types.boolean(PROBLEM, SOLUTION, SOLUTION, types.int64[::1])


class WrongLink(NamedTuple):
    """What may be wrong with counts, links, the bank or the journal; the numbers follow those of `WrongSum`."""

    count: int  #: a count is out of range; `FLAW.other` is its position
    journal: int
    not_a_customer: int
    backwards: int  #: a customer is not the predecessor of the one that follows it
    elsewhere: int  #: a customer names another route
    size: int
    ends: int
    bank: int
    lost: int  #: not every customer is in a route or in the bank
    behind: int  #: a route that is not in use is not empty
    empty: int  #: a route in use is empty
    untold: int  #: a route has changed and is not in the journal


WRONG_LINK = numbered(WrongLink, first=1 + len(WRONG_SUM))


@inlined
def _note(flaw, kind, route, customer, other):
    flaw[FLAW.kind] = kind
    flaw[FLAW.route] = route
    flaw[FLAW.customer] = customer
    flaw[FLAW.other] = other
    return False


@kernel
def settle_checked(problem, solution, before, flaw):
    """Settle a solution that may be in disorder; return True if it is sound."""
    if not links_sound(problem, solution, before, flaw):
        return False
    kind, where = wrong_count(problem, solution)
    if kind:
        return _note(flaw, kind, where, 0, 0)
    settle(problem, solution)
    return sums_sound(problem, solution, flaw)


@kernel
def links_sound(problem, solution, before, flaw):
    """True if counts, links, routes and bank agree, and the journal names all that differs from ``before``."""
    nodes, fleet = len(solution.succ), fleet_size(problem)
    counts = solution.counts
    if not 0 <= counts[USED] <= fleet:
        return _note(flaw, WRONG_LINK.count, 0, 0, USED)
    if not 0 <= counts[BANKED] < nodes:
        return _note(flaw, WRONG_LINK.count, 0, 0, BANKED)
    if not _journal_sound(solution, flaw):
        return False
    served = 0
    for route in range(counts[USED]):
        if not _route_links_sound(solution, route, flaw):
            return False
        served += solution.size[route]
        if solution.size[route] == 0 and not solution.dirty[route]:
            return _note(flaw, WRONG_LINK.empty, route, 0, 0)
    for route in range(counts[USED], len(solution.first)):
        if solution.size[route] or solution.first[route] or solution.last[route] or solution.dirty[route]:
            return _note(flaw, WRONG_LINK.behind, route, 0, 0)
        if not adds_up_to_nothing(solution, route):
            return _note(flaw, WRONG_LINK.behind, route, 0, 0)
    # No customer is in two routes, since it can name only one of them, and none is in its route twice, since it has
    # only one predecessor. So whoever is neither there nor in the bank shows in the numbers.
    for place in range(counts[BANKED]):
        customer = solution.bank[place]
        if not 0 < customer < nodes:
            return _note(flaw, WRONG_LINK.bank, 0, customer, place)
        if solution.slot[customer] != place or solution.route[customer] != -1:
            return _note(flaw, WRONG_LINK.bank, 0, customer, place)
    if served + counts[BANKED] != nodes - 1:
        return _note(flaw, WRONG_LINK.lost, 0, served, counts[BANKED])
    return _rest_unchanged(problem, solution, before, flaw)


@kernel
def _journal_sound(solution, flaw):
    routes = len(solution.touched)
    if not 0 <= solution.counts[TOUCHED] <= routes:
        return _note(flaw, WRONG_LINK.count, 0, 0, TOUCHED)
    total = 0
    for route in range(routes):
        if solution.touched[route]:
            total += 1
        elif solution.dirty[route]:
            return _note(flaw, WRONG_LINK.journal, route, 0, 0)
    if total != solution.counts[TOUCHED]:
        return _note(flaw, WRONG_LINK.journal, -1, 0, 0)
    for k in range(total):
        route = solution.journal[k]
        if not 0 <= route < routes or solution.touched[route] != 1:
            return _note(flaw, WRONG_LINK.journal, -1, 0, 0)
        solution.touched[route] = 2  # so that none is named twice
    for k in range(total):
        solution.touched[solution.journal[k]] = 1
    return True


@inlined
def _route_links_sound(solution, route, flaw):
    nodes, size = len(solution.succ), solution.size[route]
    behind = END
    node = solution.first[route]
    steps = 0
    while node:
        if not 0 < node < nodes:
            return _note(flaw, WRONG_LINK.not_a_customer, route, node, behind)
        if solution.pred[node] != behind:
            return _note(flaw, WRONG_LINK.backwards, route, node, behind)
        if solution.route[node] != route:
            return _note(flaw, WRONG_LINK.elsewhere, route, node, solution.route[node])
        steps += 1
        if steps > size:
            return _note(flaw, WRONG_LINK.size, route, size, 0)
        behind = node
        node = solution.succ[node]
    if steps != size:
        return _note(flaw, WRONG_LINK.size, route, size, 0)
    if solution.last[route] != behind:
        return _note(flaw, WRONG_LINK.ends, route, solution.last[route], behind)
    return True


@inlined
def _rest_unchanged(problem, solution, before, flaw):
    """True if the routes that are not in the journal are what they were; nobody would copy them."""
    for route in range(max(solution.counts[USED], before.counts[USED])):
        if solution.touched[route]:
            continue
        if (
            solution.first[route] != before.first[route]
            or solution.size[route] != before.size[route]
            or not same_sums(solution, before, route)
        ):
            return _note(flaw, WRONG_LINK.untold, route, 0, 0)
        node = solution.first[route]
        while node:
            if solution.succ[node] != before.succ[node] or solution.leg[node] != before.leg[node]:
                return _note(flaw, WRONG_LINK.untold, route, 0, 0)
            if not same_times(problem, solution, before, node):
                return _note(flaw, WRONG_LINK.untold, route, 0, 0)
            node = solution.succ[node]
    return True


@kernel
def sums_sound(problem, solution, flaw):
    """True if lengths, loads and times of the routes in the journal are what their links say, and within the limits."""
    if not ends_as_built(problem, solution):
        return _note(flaw, WRONG_SUM.depot, 0, 0, 0)
    for k in range(solution.counts[TOUCHED]):
        route = solution.journal[k]
        if solution.size[route]:
            kind, customer, behind = wrong_sum(problem, solution, route)
            if kind:
                return _note(flaw, kind, route, customer, behind)
    return True
