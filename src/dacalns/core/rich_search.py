"""Local search for rich problems: customers and ends of routes change places as long as that pays.

See `dacalns.core.local_search`, which does the same for plain problems. Here routes may have vehicles of different
types, whose costs differ, and time may have a price; so a change is judged by what it costs, not by distances alone.
"""

import numpy as np
from numba import types

from dacalns.core.jit import compiled_once, inlined, kernel
from dacalns.core.model import BANKED, END, TOUCHED
from dacalns.core.rich import RICH_PROBLEM, RICH_SOLUTION
from dacalns.core.rich_ends import cost_with_end, drive_alike, end_alike, ends_in_time, is_whole
from dacalns.core.rich_legs import distance, leg_now, rate_of
from dacalns.core.rich_places import saved_without, try_place
from dacalns.core.rich_terms import (
    cost_of_both,
    cost_of_vehicle,
    has_room,
    may_swap_loads,
    recompute,
    recompute_and_check,
    route_cost,
    stands,
)
from dacalns.core.rich_vehicles import suit_vehicles
from dacalns.core.routes import link, remove, touch
from dacalns.core.string_removals import exchange_tails
from dacalns.core.terms import follows

# How many of the nearest customers are looked at.
NEAREST = 10
# A gain below this part of the costs in question is a rounding error.
LEAST_GAIN = 1e-9
# Columns of the scratch table: a list of customers, and where each stands in it.
TO_DO, PLACE = 0, 1
# For members of groups: whom the cheapest way to one comes from, and who stood in its place before; and, in the other
# table, what that way costs.
CAME_FROM, STOOD_THERE, COSTS = 2, 3, 0
# What all moves are: they return how many customers are on the list then.
MOVE = types.int64(RICH_PROBLEM, RICH_SOLUTION, types.int64, types.int64, types.int64)


@inlined
def _add(solution, to_do, customer):
    """Put a customer on the list, unless it is nobody or on it already; return how many are."""
    table = solution.scratch_ints
    if customer == END:
        return to_do
    place = table[customer, PLACE]
    if 0 <= place < to_do and table[place, TO_DO] == customer:
        return to_do
    table[to_do, TO_DO] = customer
    table[customer, PLACE] = to_do
    return to_do + 1


@kernel
def _add_around(solution, to_do, customer):
    """Put a customer and those beside it on the list."""
    if customer == END or solution.route[customer] < 0:
        return to_do
    to_do = _add(solution, to_do, solution.pred[customer])
    to_do = _add(solution, to_do, solution.succ[customer])
    return _add(solution, to_do, customer)


# --- One customer goes elsewhere ------------------------------------------------------------------------------------


@compiled_once(MOVE)
@kernel
def _relocate(problem, solution, to_do, one, other):
    """Move a customer, or another member of his group, to either side of one on another route."""
    here, there = solution.route[one], solution.route[other]
    if not has_room(problem, solution, there, one):
        return to_do
    saved = saved_without(problem, solution, one)
    least = saved - LEAST_GAIN * abs(saved)
    if least <= 0.0:
        return to_do
    group = problem.group[one]
    begin, end = (problem.begins[group], problem.begins[group + 1]) if group else (0, 1)
    for k in range(2 * begin, 2 * end):
        goes = problem.members[k // 2] if group else one
        more = problem.unserved[one] - problem.unserved[goes] if group else 0.0
        tail, head = (other, solution.succ[other]) if k % 2 else (solution.pred[other], other)
        if goes != one and not has_room(problem, solution, there, goes):
            continue
        if try_place(problem, solution, goes, there, tail, head, least - more) >= least - more:
            continue
        ahead, beyond = solution.pred[one], solution.succ[one]
        now = cost_of_both(problem, solution, here, there) - more
        remove(problem, solution, one)
        link(problem, solution, goes, there, tail)
        if not _pays(problem, solution, here, there, now):
            remove(problem, solution, goes)
            link(problem, solution, one, here, ahead)
            _compute_both(problem, solution, here, there)
            continue
        to_do = _add_around(solution, to_do, ahead)
        to_do = _add_around(solution, to_do, beyond)
        return _add_around(solution, to_do, goes)
    return to_do


@kernel
def _compute_both(problem, solution, here, there):
    recompute(problem, solution, here)
    recompute(problem, solution, there)


@kernel
def _pays(problem, solution, here, there, now):
    """True if two routes that have changed keep all limits and cost less than ``now``; one may be empty."""
    for route in (here, there):
        if solution.size[route] == 0:
            recompute(problem, solution, route)
            if problem.trips:
                return False
        elif not recompute_and_check(problem, solution, route):
            return False
    return cost_of_both(problem, solution, here, there) < now - LEAST_GAIN * abs(now)


@compiled_once(MOVE)
@kernel
def _relocate_within(problem, solution, to_do, one, other):
    """Move a customer to either side of another one on its route, or turn round what is between the two."""
    route = solution.route[one]
    ahead, beyond = solution.pred[one], solution.succ[one]
    shorter = solution.leg[one] + leg_now(problem, solution, route, one, beyond)
    shorter -= distance(problem, solution, route, ahead, beyond)
    for side in range(2):
        tail, head = (other, solution.succ[other]) if side else (solution.pred[other], other)
        if one in (tail, head):
            continue
        longer = distance(problem, solution, route, tail, one) + distance(problem, solution, route, one, head)
        longer -= leg_now(problem, solution, route, tail, head)
        if longer >= shorter * (1.0 - LEAST_GAIN):
            continue
        now = route_cost(problem, solution, route)
        _put(solution, problem, one, tail)
        if _route_pays(problem, solution, route, now):
            to_do = _add_around(solution, to_do, ahead)
            to_do = _add_around(solution, to_do, beyond)
            return _add_around(solution, to_do, one)
        _put(solution, problem, one, ahead)
        recompute(problem, solution, route)
    return _turn(problem, solution, to_do, one, other)


@kernel
def _put(solution, problem, one, tail):
    """Move a customer behind ``tail`` on its route; what the route adds up to is stale then."""
    route = solution.route[one]
    ahead, beyond = solution.pred[one], solution.succ[one]
    if ahead:
        solution.succ[ahead] = beyond
    else:
        solution.first[route] = beyond
    if beyond:
        solution.pred[beyond] = ahead
    else:
        solution.last[route] = ahead
    head = solution.succ[tail] if tail else solution.first[route]
    if tail:
        solution.succ[tail] = one
    else:
        solution.first[route] = one
    if head:
        solution.pred[head] = one
    else:
        solution.last[route] = one
    solution.pred[one], solution.succ[one] = tail, head


@inlined
def _route_pays(problem, solution, route, now):
    """True if a route that has changed keeps all limits and costs less than ``now``."""
    touch(solution, route)
    if recompute(problem, solution, route) != END:
        return False
    return cost_of_vehicle(problem, solution, route) < now - LEAST_GAIN * abs(now)


@kernel
def _turn(problem, solution, to_do, one, other):
    """Serve what lies between two customers of a route in the other direction, so that the two stand side by side."""
    if problem.paired:
        return to_do
    route = solution.route[one]
    earlier, later = (one, other) if follows(solution, other, one) else (other, one)
    for side in range(2):
        # The later one comes right behind the earlier one, or the earlier one right before the later one.
        first, last = (earlier, solution.pred[later]) if side else (solution.succ[earlier], later)
        if first == last or not follows(solution, last, first):
            continue
        tail, head = solution.pred[first], solution.succ[last]
        longer = distance(problem, solution, route, tail, last) + distance(problem, solution, route, first, head)
        longer -= solution.leg[first] + leg_now(problem, solution, route, last, head)
        if problem.symmetric:
            if longer >= -LEAST_GAIN * solution.length[route]:
                continue
        else:
            node = first
            while node != last:
                following = solution.succ[node]
                longer += distance(problem, solution, route, following, node) - solution.leg[following]
                node = following
            if longer >= -LEAST_GAIN * solution.length[route]:
                continue
        now = cost_of_vehicle(problem, solution, route)
        _reverse(solution, first, last)
        if _route_pays(problem, solution, route, now):
            to_do = _add_around(solution, to_do, first)
            return _add_around(solution, to_do, last)
        _reverse(solution, last, first)
        recompute(problem, solution, route)
    return to_do


@kernel
def _reverse(solution, first, last):
    """Serve a stretch of a route in the other direction; what the route adds up to is stale then."""
    pred, succ = solution.pred, solution.succ
    route = solution.route[first]
    tail, head = pred[first], succ[last]
    node, behind_it = first, head
    while node != head:
        following = succ[node]
        pred[node], succ[node] = following, behind_it
        behind_it = node
        node = following
    pred[last] = tail
    if tail:
        succ[tail] = last
    else:
        solution.first[route] = last
    if head:
        pred[head] = first
    else:
        solution.last[route] = first


# --- Two change places ----------------------------------------------------------------------------------------------


@compiled_once(MOVE)
@kernel
def _swap(problem, solution, to_do, one, other):
    """Let a customer and one beside ``other``, on another route, take each other's places."""
    here, there = solution.route[one], solution.route[other]
    if here == there:
        return to_do
    ahead, beyond = solution.pred[one], solution.succ[one]
    now_here = solution.leg[one] + leg_now(problem, solution, here, one, beyond)
    rate, rate_there = rate_of(problem, solution, here), rate_of(problem, solution, there)
    for side in range(2):
        leaves = solution.succ[other] if side else solution.pred[other]
        if leaves == END or problem.mate[leaves] or not may_swap_loads(problem, solution, one, leaves):
            continue
        tail, head = solution.pred[leaves], solution.succ[leaves]
        there_now = solution.leg[leaves] + leg_now(problem, solution, there, leaves, head)
        longer = distance(problem, solution, here, ahead, leaves) + distance(problem, solution, here, leaves, beyond)
        longer -= now_here
        longer_there = distance(problem, solution, there, tail, one) + distance(problem, solution, there, one, head)
        longer_there -= there_now
        if rate * longer + rate_there * longer_there >= -LEAST_GAIN * (rate * now_here + rate_there * there_now):
            continue
        if stands(problem, solution, here, ahead, leaves, beyond, longer) == np.inf:
            continue
        if stands(problem, solution, there, tail, one, head, longer_there) == np.inf:
            continue
        now = cost_of_both(problem, solution, here, there)
        _change_places(problem, solution, one, leaves, ahead, tail)
        if _pays(problem, solution, here, there, now):
            to_do = _add_around(solution, to_do, leaves)
            return _add_around(solution, to_do, one)
        _change_places(problem, solution, one, leaves, tail, ahead)
        _compute_both(problem, solution, here, there)
    return to_do


@kernel
def _change_places(problem, solution, one, other, ahead, ahead_of_other):
    here, there = solution.route[one], solution.route[other]
    remove(problem, solution, one)
    remove(problem, solution, other)
    link(problem, solution, one, there, ahead_of_other)
    link(problem, solution, other, here, ahead)


# --- Two routes exchange their ends ---------------------------------------------------------------------------------


@compiled_once(MOVE)
@kernel
def _exchange_ends(problem, solution, to_do, one, other):
    """Let ``other`` and all behind it follow ``one``, and what followed that follow the one before ``other``.

    Vehicles of sister types may change routes with that: either of the two drives the one or the other.
    """
    here, there = solution.route[one], solution.route[other]
    kind, kind_there = solution.kind[here], solution.kind[there]
    following, ahead = solution.succ[one], solution.pred[other]
    if problem.paired and not (is_whole(problem, solution, other) and is_whole(problem, solution, following)):
        return to_do
    same_ends = end_alike(problem, solution, here, there)
    if drive_alike(problem, solution, here, there):
        onward = leg_now(problem, solution, here, one, following)
        longer = distance(problem, solution, here, one, other) - onward - solution.leg[other]
        if ahead or following:
            longer += distance(problem, solution, there, ahead, following)
        if not same_ends:
            last, last_there = solution.last[here], solution.last[there]
            longer += distance(problem, solution, here, last_there, END)
            longer -= leg_now(problem, solution, there, last_there, END)
            if following:
                longer += distance(problem, solution, there, last, END) - leg_now(problem, solution, here, last, END)
        if longer >= -LEAST_GAIN * (solution.length[here] + solution.length[there]) and ahead:
            return to_do
    if not ends_in_time(problem, solution, one, other, ahead, following):
        return to_do
    now = cost_of_both(problem, solution, here, there)
    least = now - LEAST_GAIN * abs(now)
    cost = cost_with_end(problem, solution, here, one, other, least)
    if cost < least:
        cost += cost_with_end(problem, solution, there, ahead, following, least - cost)
    changes = False
    if cost >= least and problem.sisters[kind, kind_there]:
        changes = True
        solution.kind[here], solution.kind[there] = kind_there, kind
        cost = cost_with_end(problem, solution, here, one, other, least)
        if cost < least:
            cost += cost_with_end(problem, solution, there, ahead, following, least - cost)
        solution.kind[here], solution.kind[there] = kind, kind_there
    if cost >= least:
        return to_do
    if changes:
        solution.kind[here], solution.kind[there] = kind_there, kind
    exchange_tails(problem, solution, one, other)
    solution.dirty[here] = 1  # one of them may be empty now
    solution.dirty[there] = 1
    if not _pays(problem, solution, here, there, now):  # a rule that the quick looks above do not know
        _put_ends_back(problem, solution, one, other, ahead, following, there)
        solution.kind[here], solution.kind[there] = kind, kind_there
        _compute_both(problem, solution, here, there)
        return to_do
    to_do = _add_around(solution, to_do, following)
    to_do = _add_around(solution, to_do, ahead)
    to_do = _add_around(solution, to_do, one)
    return _add_around(solution, to_do, other)


@kernel
def _put_ends_back(problem, solution, one, other, ahead, following, there):
    """Undo an exchange of ends; what the routes add up to is stale then."""
    if following:
        exchange_tails(problem, solution, one, following)
    elif ahead:
        exchange_tails(problem, solution, ahead, other)
    else:  # one route has become part of the other
        here = solution.route[one]
        solution.first[there], solution.last[there] = other, solution.last[here]
        solution.last[here] = one
        solution.succ[one] = solution.pred[other] = END
        node = other
        while node:
            solution.route[node] = there
            solution.size[here] -= 1
            solution.size[there] += 1
            node = solution.succ[node]


# --- Another member of a group is visited ---------------------------------------------------------------------------


@compiled_once(types.int64(RICH_PROBLEM, RICH_SOLUTION, types.int64, types.int64))
@kernel
def _visit_another(problem, solution, to_do, customer):
    """Visit the member of a customer's group that costs least at its place."""
    group = problem.group[customer]
    route = solution.route[customer]
    kind = solution.kind[route]
    rate = rate_of(problem, solution, route)
    tail, head = solution.pred[customer], solution.succ[customer]
    now_there = solution.leg[customer] + leg_now(problem, solution, route, customer, head)
    for k in range(problem.begins[group], problem.begins[group + 1]):
        member = problem.members[k]
        if member == customer or not problem.may_serve[kind, member]:
            continue
        longer = distance(problem, solution, route, tail, member) + distance(problem, solution, route, member, head)
        more = problem.unserved[customer] - problem.unserved[member]
        if rate * (longer - now_there) + more >= -LEAST_GAIN * rate * now_there:
            continue
        now = cost_of_vehicle(problem, solution, route) - more
        remove(problem, solution, customer)
        link(problem, solution, member, route, tail)
        if _route_pays(problem, solution, route, now):
            customer, now_there = member, longer
            to_do = _add_around(solution, to_do, member)
        else:
            remove(problem, solution, member)
            link(problem, solution, customer, route, tail)
            recompute(problem, solution, route)
    return to_do


@compiled_once(types.int64(RICH_PROBLEM, RICH_SOLUTION, types.int64))
@kernel
def visit_best_members(problem, solution, route):
    """Visit those members of the groups on a route that cost least together, in the order in which the groups come.

    Returns 1 if others are visited than before. Time is looked at only when they have been exchanged: if the route then
    costs more, or breaks a limit, everything is as it was.
    """
    came_from, costs = solution.scratch_ints, solution.scratch_floats
    kind, rate = solution.kind[route], rate_of(problem, solution, route)
    now = rate * solution.length[route]
    tail, node = END, solution.first[route]
    while node:
        first, end = _alternatives(problem, node)
        for k in range(first, end):
            member = problem.members[k] if end > 1 else node
            least, before = np.inf, END
            if tail == END:
                least = rate * distance(problem, solution, route, END, member)
            else:
                first_before, end_before = _alternatives(problem, tail)
                for j in range(first_before, end_before):
                    other = problem.members[j] if end_before > 1 else tail
                    cost = costs[other, COSTS] + rate * distance(problem, solution, route, other, member)
                    if cost < least:
                        least, before = cost, other
            if member != node and not problem.may_serve[kind, member]:
                least = np.inf
            costs[member, COSTS] = least - _collected(problem, member)
            came_from[member, CAME_FROM] = before
        now -= _collected(problem, node)
        tail = node
        node = solution.succ[node]
    chosen, least = END, np.inf
    first, end = _alternatives(problem, tail)
    for k in range(first, end):
        member = problem.members[k] if end > 1 else tail
        cost = costs[member, COSTS] + rate * distance(problem, solution, route, member, END)
        if cost < least:
            chosen, least = member, cost
    if least >= now - LEAST_GAIN * rate * solution.length[route]:
        return 0
    limit, node = cost_of_vehicle(problem, solution, route), tail
    while node:
        ahead, before = solution.pred[node], came_from[chosen, CAME_FROM]
        came_from[chosen, STOOD_THERE] = node
        limit += _collected(problem, chosen) - _collected(problem, node)
        _take_place_of(problem, solution, chosen, node)
        node, chosen = ahead, before
    if _route_pays(problem, solution, route, limit):
        return 1
    node = solution.last[route]
    while node:
        ahead = solution.pred[node]
        _take_place_of(problem, solution, came_from[node, STOOD_THERE], node)
        node = ahead
    recompute(problem, solution, route)
    return 0


@inlined
def _alternatives(problem, customer):
    """Where the members of a customer's group are listed; 0 and 1 for one who is in none."""
    group = problem.group[customer]
    return (problem.begins[group], problem.begins[group + 1]) if group else (0, 1)


@inlined
def _collected(problem, customer):
    """What it costs less that a member of a group is visited; 0 for one who is in none."""
    return problem.unserved[customer] if problem.group[customer] else 0.0


@inlined
def _take_place_of(problem, solution, member, customer):
    """Visit a member of a group in place of another; what the route adds up to is stale then."""
    if member != customer:
        link(problem, solution, member, solution.route[customer], solution.pred[customer])
        remove(problem, solution, customer)


# --- All of them ----------------------------------------------------------------------------------------------------


@kernel
def _improve_around(problem, solution, to_do, customer):
    """Apply the first improving change that brings ``customer`` next to a near one, and list those it concerns."""
    route = solution.route[customer]
    if route < 0:
        return to_do
    if problem.group[customer]:
        to_do = _visit_another(problem, solution, to_do, customer)
        if solution.route[customer] < 0:  # another one has taken his place
            return to_do
    alone = problem.mate[customer] == 0
    near = problem.neighbours[customer]
    head = solution.succ[customer]
    reach = max(solution.leg[customer], leg_now(problem, solution, route, customer, head))
    looked = 0
    for k in range(len(near)):
        other = np.int64(near[k])
        if looked == NEAREST or problem.distance[customer, other] >= reach:
            return to_do
        there = solution.route[other]
        if there >= 0 or not problem.grouped:  # of a group, all but one are nowhere
            looked += 1
        if there < 0:
            continue
        more = to_do
        if there != route:
            if not problem.trips:
                more = _exchange_ends(problem, solution, to_do, customer, other)
                if more == to_do:
                    more = _exchange_ends(problem, solution, to_do, other, customer)
            if alone and more == to_do:
                more = _relocate(problem, solution, to_do, customer, other)
                if more == to_do and solution.route[customer] >= 0:
                    more = _swap(problem, solution, to_do, customer, other)
        elif alone:
            more = _relocate_within(problem, solution, to_do, customer, other)
        if more != to_do or solution.route[customer] < 0:
            return more
    return to_do


@compiled_once(types.void(RICH_PROBLEM, RICH_SOLUTION, types.int64))
@kernel
def _improve(problem, solution, waited):
    """Improve what is around the customers served since ``waited`` were in the bank, until nothing more can be."""
    to_do = 0
    for k in range(solution.counts[BANKED], waited):
        to_do = _add_around(solution, to_do, solution.bank[k])
    table = solution.scratch_ints
    changed = False
    while to_do:
        to_do -= 1
        customer = table[to_do, TO_DO]
        table[customer, PLACE] = 0  # others read that column, too
        more = _improve_around(problem, solution, to_do, customer)
        changed |= more != to_do
        to_do = more
    if problem.grouped:
        for k in range(solution.counts[TOUCHED]):
            route = solution.journal[k]
            if solution.size[route]:
                changed |= visit_best_members(problem, solution, route) > 0
    if changed:
        suit_vehicles(problem, solution)


@kernel
def improve_rich_around_served(problem, solution, waited):
    """Improve what is around the customers served since ``waited`` were in the bank, until nothing more can be."""
    _improve(problem, solution, np.int64(waited))
