"""Changing a solution: take a customer out, put one in, and keep every array consistent.

``remove``, ``insert`` and ``fits`` are what operators call. During a destroy phase the times of touched routes are
stale, and lengths and loads may be in their last digits; :func:`settle` puts them right once at its end, which is
cheaper than after each removal.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from dacalns.core.jit import by_kind, compiled_once, inlined, kernel
from dacalns.core.model import BANKED, END, TOUCHED, USED
from dacalns.core.records import numbered
from dacalns.core.rich import RICH_PROBLEM, RICH_SOLUTION
from dacalns.core.terms import (
    added,
    as_route,
    clear_sums,
    copy_counts,
    copy_sums,
    copy_times,
    count_in,
    count_out,
    distance,
    give_back,
    has_room,
    is_open,
    leg_now,
    may_open,
    may_stand,
    move_sums,
    opened,
    partner,
    recompute,
    refresh_from,
    reversible,
    stamp,
    stays_exact,
)


class Dirty(NamedTuple):
    """What `Solution.dirty` says of a route; 0 stands for a route that is settled."""

    shorter: int  #: customers were removed
    rejoined: int  #: more than that was changed


DIRTY = numbered(Dirty, first=1)


@kernel
def remove(problem, solution, customer):
    """Take ``customer`` out of its route, with the other one of its pair, into the bank; False if it is in none.

    The times of its route, and its length and load to the last digit, are stale until the destroy phase ends.
    """
    if not _take_out(problem, solution, customer):
        return False
    other = partner(problem, customer)
    if other:
        _take_out(problem, solution, other)
    return True


@inlined
def _take_out(problem, solution, customer):
    if not 0 < customer < len(solution.route) or solution.route[customer] < 0:
        return False
    route = solution.route[customer]
    before, after = solution.pred[customer], solution.succ[customer]
    if before:
        solution.succ[before] = after
    else:
        solution.first[route] = after
    joined = distance(problem, solution, route, before, after)
    onward = leg_now(problem, solution, route, customer, after)
    saved = added(problem, solution, route, solution.leg[customer], onward, joined)
    if after:
        solution.pred[after] = before
        solution.leg[after] = joined
    else:
        solution.last[route] = before
    count_out(problem, solution, route, customer, saved)
    solution.size[route] -= 1
    solution.dirty[route] = DIRTY.shorter
    touch(solution, route)
    solution.route[customer] = -1
    banked = solution.counts[BANKED]
    solution.bank[banked] = customer
    solution.slot[customer] = banked
    solution.counts[BANKED] = banked + 1
    return True


@inlined
def fits(problem, solution, customer, route, after):
    """True if ``customer`` may follow ``after`` (END: the front) in ``route`` within all limits."""
    if route < 0:
        return False
    route = as_route(problem, solution, route)
    if not has_room(problem, solution, route, customer):
        return False
    following = solution.succ[after] if after else solution.first[route]
    return may_stand(problem, solution, route, after, customer, following)


@kernel
def insert(problem, solution, customer, route, after):
    """Move ``customer`` from the bank to ``route``, behind ``after`` (END, which is 0: to the front), if it fits there.

    ``route`` is one of the routes in use, or ``counts[USED]`` to open a new one. Returns True if it was done, so that
    no operator can make a solution infeasible.
    """
    nodes = len(solution.route)
    if not 0 < customer < nodes or not 0 <= after < nodes or not may_open(problem, solution, route):
        return False
    if solution.route[customer] >= 0 or (after and solution.route[after] != route):
        return False
    if not fits(problem, solution, customer, route, after):
        return False
    link(problem, solution, customer, route, after)
    return True


@inlined
def link(problem, solution, customer, route, after):
    """Do what :func:`insert` does, without a check that it is allowed."""
    _link(problem, solution, customer, route, after)


@kernel
def _link_in_rich_problems(problem, solution, customer, route, after):
    _rich_link(problem, solution, np.int64(customer), np.int64(route), np.int64(after))


link = by_kind(link, _link_in_rich_problems)


@inlined
def _link(problem, solution, customer, route, after):
    succ, pred, leg = solution.succ, solution.pred, solution.leg
    route = opened(problem, solution, route)
    if after:
        following = succ[after]
        succ[after] = customer
    else:
        following = solution.first[route]
        solution.first[route] = customer
    old = leg_now(problem, solution, route, after, following)
    onward = distance(problem, solution, route, customer, following)
    leg[customer] = distance(problem, solution, route, after, customer)
    if following:
        pred[following] = customer
        leg[following] = onward
    else:
        solution.last[route] = customer
    succ[customer] = following
    pred[customer] = after
    solution.route[customer] = route
    solution.size[route] += 1
    count_in(problem, solution, route, customer, added(problem, solution, route, leg[customer], onward, old))
    touch(solution, route)
    if not is_open(solution, route):
        solution.counts[USED] += 1

    banked = solution.counts[BANKED] - 1
    mover = solution.bank[banked]
    solution.bank[solution.slot[customer]] = mover
    solution.slot[mover] = solution.slot[customer]
    solution.bank[banked] = customer  # behind those who wait stay those who were served, the last one first
    solution.counts[BANKED] = banked
    refresh_from(problem, solution, route, customer)


_rich_link = compiled_once(types.void(RICH_PROBLEM, RICH_SOLUTION, types.int64, types.int64, types.int64))(_link)


@inlined
def settle(problem, solution):
    """Put touched routes right after removals: lengths, loads and times anew, emptied routes closed up."""
    exact = stays_exact(problem)  # what `remove` has left is as it should be, then
    emptied = 0
    again = True
    while again:
        again = False
        for k in range(solution.counts[TOUCHED]):  # whatever is dirty was touched
            route = solution.journal[k]
            if solution.dirty[route]:
                late = 0 if exact and solution.dirty[route] == DIRTY.shorter else -1
                while late:  # only where the triangle inequality fails can a removal delay what follows
                    if late > 0:
                        remove(problem, solution, late)
                    late = recompute(problem, solution, route)
                solution.dirty[route] = 0
                if solution.size[route] == 0:
                    emptied += 1
                    if give_back(problem, solution, route):
                        again = True  # others have changed with it
    route = solution.counts[USED] - 1
    while emptied:
        if solution.size[route] == 0:
            _close_up(problem, solution, route)
            emptied -= 1
        route -= 1


@kernel
def _close_up(problem, solution, route):
    """Fill the emptied slot ``route`` with the last route in use."""
    end = solution.counts[USED] - 1
    if route != end:
        touch(solution, end)
        solution.first[route] = solution.first[end]
        solution.last[route] = solution.last[end]
        solution.size[route] = solution.size[end]
        move_sums(solution, end, route)
        node = solution.first[route]
        while node:
            solution.route[node] = route
            node = solution.succ[node]
    solution.first[end] = END
    solution.last[end] = END
    solution.size[end] = 0
    clear_sums(solution, end)
    solution.counts[USED] = end


@inlined
def touch(solution, route):
    """Note in the journal that ``route`` is no longer what it was."""
    if not solution.touched[route]:
        solution.touched[route] = 1
        solution.journal[solution.counts[TOUCHED]] = route
        solution.counts[TOUCHED] += 1


@inlined
def clear_journal(solution):
    """Begin a new journal."""
    for k in range(solution.counts[TOUCHED]):
        solution.touched[solution.journal[k]] = 0
    solution.counts[TOUCHED] = 0


@kernel
def add_to_journal(solution, other):
    """Touch all that the other solution's journal names."""
    for k in range(other.counts[TOUCHED]):
        touch(solution, other.journal[k])


# Following the links of a route costs about this much more for each customer than copying arrays from end to end.
LINK_BY_LINK = 4


@inlined
def copy_touched(target, source, journal_of):
    """Make ``target`` equal to ``source``, given that they differ in the journal's routes and the bank alone.

    The journal is that of ``journal_of``, one of the two; it is cleared.
    """
    journal, touched = journal_of.journal, journal_of.counts[TOUCHED]
    customers = 0
    for k in range(touched):
        customers += source.size[journal[k]]
    if customers * LINK_BY_LINK > len(source.succ):
        copy_into(target, source)
        clear_journal(journal_of)
        return
    for k in range(touched):
        route = journal[k]
        _copy_route(target, source, route)
        node = source.first[route]
        while node:
            target.succ[node] = source.succ[node]
            target.pred[node] = source.pred[node]
            target.route[node] = route
            target.leg[node] = source.leg[node]
            copy_times(target, source, node)
            node = source.succ[node]
    _copy_bank(target, source)
    for k in range(source.counts[BANKED]):
        target.route[source.bank[k]] = -1
    clear_journal(journal_of)


@inlined
def _copy_route(target, source, route):
    target.first[route] = source.first[route]
    target.last[route] = source.last[route]
    target.size[route] = source.size[route]
    target.dirty[route] = source.dirty[route]
    copy_sums(target, source, route)


@inlined
def _copy_bank(target, source):
    for k in range(source.counts[BANKED]):
        customer = source.bank[k]
        target.bank[k] = customer
        target.slot[customer] = k
    target.counts[USED] = source.counts[USED]
    target.counts[BANKED] = source.counts[BANKED]
    copy_counts(target, source)


@kernel
def copy_into(target, source):
    """Make ``target`` equal to ``source``, as far as anybody reads it: not what lies behind the counts.

    A fleet may be as large as the number of customers and nearly all of it unused, and hardly anybody waits in the
    bank, so that this is less than half of the arrays. The target's journal is cleared.
    """
    # `succ`, `pred` and `route` lie side by side, and so do `leg` and, where there are windows, `depart` and `latest`.
    for k in range(3 * len(source.succ)):
        target.ints[k] = source.ints[k]
    for k in range(len(source.floats) - 2 * len(source.first)):
        target.floats[k] = source.floats[k]
    for route in range(max(source.counts[USED], target.counts[USED])):
        _copy_route(target, source, route)
    _copy_bank(target, source)
    clear_journal(target)


MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
SHIFT_32 = np.uint64(32)
SHIFT_29 = np.uint64(29)


@kernel
def fingerprint(problem, solution):
    """A 64-bit hash of the set of edges, whatever the order of the routes; and their direction, where it is all one."""
    total = np.uint64(0)
    for route in range(solution.counts[USED]):
        total += _route_hash(problem, solution, route)
    return total


@kernel
def changed_fingerprint(problem, solution, before, key):
    """The fingerprint of a solution that differs from ``before``, whose fingerprint is ``key``, as its journal says."""
    for k in range(solution.counts[TOUCHED]):
        route = solution.journal[k]
        key += _route_hash(problem, solution, route) - _route_hash(problem, before, route)
    return key


@inlined
def _route_hash(problem, solution, route):
    directed = not reversible(problem)
    total = np.uint64(0)
    node = solution.first[route]
    if node == END:
        return total
    total += stamp(problem, solution, route) * MIX_1
    while node:
        total += _edge_hash(solution.pred[node], node, directed)
        node = solution.succ[node]
    return total + _edge_hash(solution.last[route], END, directed)


@kernel
def _edge_hash(tail, head, directed):
    if not directed:
        tail, head = min(tail, head), max(tail, head)
    key = (np.uint64(tail) << SHIFT_32) | np.uint64(head)
    key = (key ^ (key >> SHIFT_29)) * MIX_1
    key = (key ^ (key >> SHIFT_32)) * MIX_2
    return key ^ (key >> SHIFT_29)
