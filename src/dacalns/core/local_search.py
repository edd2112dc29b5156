"""Local search: how two routes change, and which changes are tried."""

from typing import NamedTuple

import numpy as np

from dacalns.core.jit import by_kind, inlined, kernel
from dacalns.core.model import BANKED, END
from dacalns.core.records import numbered
from dacalns.core.rich_search import improve_rich_around_served
from dacalns.core.routes import link, remove, touch
from dacalns.core.string_removals import exchange_tails
from dacalns.core.terms import (
    apart,
    distance,
    edge,
    follows,
    has_room_for_both,
    load_along,
    load_of,
    may_carry,
    may_move,
    may_stand,
    may_swap_loads,
    may_turn,
    recompute,
    reversible,
    tails_may_change,
)

# What a local search does to routes: ends exchanged, a stretch turned round, customers moved or changing places.


@kernel
def exchange_ends(problem, solution, one, behind, other, behind_other):
    """Exchange the ends of two routes, so that two customers of theirs stand side by side; whether that is feasible.

    Each customer loses the edge ``behind`` it, or the one before it, and is joined with the other one there; so are the
    two ends that are left. Where both lose the same one, a route is turned round, which is not done with windows.
    """
    here, there = solution.route[one], solution.route[other]
    customer, head = (one, other) if behind else (other, one)
    turned = behind == behind_other
    if turned and not reversible(problem):
        return False
    if not turned and not tails_may_change(problem, solution, customer, head):
        return False
    joined = _load_kept(problem, solution, one, behind) + _load_kept(problem, solution, other, behind_other)
    rest = load_of(solution, here) + load_of(solution, there) - joined
    if not may_carry(problem, solution, here, joined) or not may_carry(problem, solution, there, rest):
        return False
    if turned:
        _reverse(problem, solution, solution.first[there], solution.last[there])
    exchange_tails(problem, solution, customer, head)
    solution.dirty[here] = 1  # one of them may be empty now
    solution.dirty[there] = 1
    recompute(problem, solution, here)
    recompute(problem, solution, there)
    return True


@inlined
def _load_kept(problem, solution, customer, behind):
    """The demand on the customer's side of the edge that it has lost."""
    onward, back = (solution.pred, solution.succ) if behind else (solution.succ, solution.pred)
    return load_along(problem, onward, customer) if back[customer] else load_of(solution, solution.route[customer])


@kernel
def turn_between(problem, solution, one, other, behind):
    """Serve what is between two customers of a route in the other direction; whether that is in time.

    The later of the two is turned with it if both have lost the edge ``behind`` them, else the earlier one.
    """
    earlier, later = (one, other) if follows(solution, other, one) else (other, one)
    first, last = (solution.succ[earlier], later) if behind else (earlier, solution.pred[later])
    if not may_turn(problem, solution, first, last):
        return False
    _reverse(problem, solution, first, last)
    return True


@kernel
def _reverse(problem, solution, first, last):
    """Serve a stretch of a route in the other direction."""
    pred, succ, leg = solution.pred, solution.succ, solution.leg
    route = solution.route[first]
    before, after = pred[first], succ[last]
    node, ahead = first, after
    while node != after:
        following = succ[node]
        pred[node], succ[node] = following, ahead
        ahead = node
        node = following
    pred[last] = before
    if before:
        succ[before] = last
    else:
        solution.first[route] = last
    if after:
        pred[after] = first
    else:
        solution.last[route] = first
    node = last
    while node != after:
        leg[node] = distance(problem, solution, route, pred[node], node)
        node = succ[node]
    if after:
        leg[after] = distance(problem, solution, route, first, after)
    touch(solution, route)
    recompute(problem, solution, route)


@kernel
def change_places(problem, solution, one, other):
    """Let two customers of different routes take each other's places."""
    here, there = solution.route[one], solution.route[other]
    before, before_other = solution.pred[one], solution.pred[other]
    remove(problem, solution, one)
    remove(problem, solution, other)
    link(problem, solution, one, there, before_other)
    link(problem, solution, other, here, before)
    recompute(problem, solution, here)
    recompute(problem, solution, there)


@kernel
def move(problem, solution, one, partner, other, behind):
    """Move a customer, and the one beside it if that is to come along, next to ``other``; whether that is in time.

    It goes ``behind`` the other or before it, its ``partner`` (0: none) on its far side.
    """
    if not may_move(problem, solution, one, partner, other, behind):
        return False
    here, there = solution.route[one], solution.route[other]
    remove(problem, solution, one)
    if partner:
        remove(problem, solution, partner)
    link(problem, solution, one, there, other if behind else solution.pred[other])
    if partner:
        link(problem, solution, partner, there, one if behind else solution.pred[one])
    recompute(problem, solution, here)
    recompute(problem, solution, there)
    return True


# Local search around what an iteration has changed: customers and ends of routes change places as long as it pays.
#
# Only changes that bring a customer next to a near one are looked at, nearer than one of those it stands beside now
# (granular search, Toth and Vigo 2003); so nearly all customers are done with at once. It is for problems whose
# distances are the same in both directions.

# How many of the nearest customers are looked at.
NEAREST = 10
# A gain below this part of the distances in question is a rounding error.
LEAST_GAIN = 1e-9


class ToDo(NamedTuple):
    """The columns of the scratch table: a list of customers, and where each stands in it."""

    to_do: int  #: the customers that are to be looked at
    place: int  #: by customer: where it stands in that list, if it does


TO_DO = numbered(ToDo)


@kernel
def improve_around_served(problem, solution, waited):
    """Improve what is around the customers served since ``waited`` were in the bank, until nothing more can be."""
    if not problem.symmetric:
        return
    to_do = 0
    for k in range(solution.counts[BANKED], waited):
        to_do = add_around(solution, to_do, solution.bank[k])
    while to_do:
        to_do -= 1
        to_do = improve_around(problem, solution, to_do, solution.scratch_ints[to_do, TO_DO.to_do])


improve_around_served = by_kind(improve_around_served, improve_rich_around_served)


@inlined
def add(solution, to_do, customer):
    """Put a customer on the list, unless it is the depot or on it already; return how many are."""
    table = solution.scratch_ints
    if customer == END:
        return to_do
    place = table[customer, TO_DO.place]
    if 0 <= place < to_do and table[place, TO_DO.to_do] == customer:  # whatever the column held before
        return to_do
    table[to_do, TO_DO.to_do] = customer
    table[customer, TO_DO.place] = to_do
    return to_do + 1


@kernel
def add_around(solution, to_do, customer):
    """Put a customer and those beside it on the list."""
    if customer == END:
        return to_do
    to_do = add(solution, to_do, solution.pred[customer])
    to_do = add(solution, to_do, solution.succ[customer])
    return add(solution, to_do, customer)


@inlined
def improve_around(problem, solution, to_do, customer):
    """Apply the first improving change that brings ``customer`` next to a near one, and list those it concerns."""
    if solution.route[customer] < 0:
        return to_do
    near = problem.neighbours[customer]
    before, after = solution.pred[customer], solution.succ[customer]
    reach = max(
        solution.leg[customer] if before or not after else 0.0,
        distance(problem, solution, solution.route[customer], customer, after) if after or not before else 0.0,
    )
    for k in range(min(NEAREST, len(near))):
        other = np.int64(near[k])
        away = apart(problem, customer, other)
        if away >= reach:
            return to_do
        if solution.route[other] < 0:
            continue
        more = reconnect(problem, solution, to_do, customer, other, away)
        if more == to_do:
            more = relocate(problem, solution, to_do, customer, other, away)
        if more == to_do:
            more = swap(problem, solution, to_do, customer, other, away)
        if more != to_do:
            return more
    return to_do


@inlined
def reconnect(problem, solution, to_do, one, other, away):
    """Join two customers, and two others, by new edges: 2-opt within a route, exchange of ends between two."""
    before, after = solution.pred[one], solution.succ[one]
    if other in (before, after):
        return to_do
    before_other, after_other = solution.pred[other], solution.succ[other]
    here, there = solution.route[one], solution.route[other]
    onward = distance(problem, solution, here, one, after)
    onward_other = distance(problem, solution, there, other, after_other)
    leg, leg_other = solution.leg[one], solution.leg[other]
    least = away + LEAST_GAIN * (onward + onward_other + leg + leg_other)
    same = here == there
    # Each customer loses the edge behind it, or the one before it. A whole end is turned round only where that is free.
    for kind in range(0 if same or reversible(problem) else 2, 2 if same else 4):
        behind, behind_other = kind in (0, 2), kind in (0, 3)
        lost = (onward if behind else leg) + (onward_other if behind_other else leg_other)
        far, far_other = after if behind else before, after_other if behind_other else before_other
        if lost - edge(problem, solution, here, far, far_other) <= least:
            continue
        if same:
            done = turn_between(problem, solution, one, other, behind)
        else:
            done = exchange_ends(problem, solution, one, behind, other, behind_other)
        if not done:
            continue
        to_do = add_around(solution, to_do, before)
        to_do = add_around(solution, to_do, after)
        to_do = add_around(solution, to_do, before_other)
        to_do = add_around(solution, to_do, after_other)
        to_do = add(solution, to_do, one)
        return add(solution, to_do, other)
    return to_do


@inlined
def relocate(problem, solution, to_do, one, other, away):
    """Move a customer, alone or with one beside it, to either side of another."""
    pred, succ = solution.pred, solution.succ
    before, after = pred[one], succ[one]
    here, there = solution.route[one], solution.route[other]
    for choice in range(3):
        partner = before if choice == 1 else after if choice == 2 else 0
        if partner == other or (choice and not partner):
            continue
        if here != there and not has_room_for_both(problem, solution, there, one, partner):
            continue
        left, right = (partner, one) if choice == 1 else (one, partner if partner else one)  # the ends of what leaves
        ahead, behind = pred[left], succ[right]
        gain = distance(problem, solution, here, ahead, left) + distance(problem, solution, here, right, behind)
        gain -= distance(problem, solution, here, ahead, behind)
        if gain <= 0.0:
            continue
        far_end = partner if partner else one
        for side in range(2):
            beside = succ[other] if side else pred[other]
            if beside in (left, right):
                continue
            cost = (
                away + edge(problem, solution, there, far_end, beside) - edge(problem, solution, there, other, beside)
            )
            if gain - cost > LEAST_GAIN * (gain + away):
                if not move(problem, solution, one, partner, other, side == 1):
                    continue
                to_do = add_around(solution, to_do, ahead)
                to_do = add_around(solution, to_do, behind)
                to_do = add_around(solution, to_do, far_end)
                return add_around(solution, to_do, one)
    return to_do


@inlined
def swap(problem, solution, to_do, one, other, away):
    """Let a customer and one beside ``other``, on another route, take each other's places."""
    pred, succ = solution.pred, solution.succ
    here, there = solution.route[one], solution.route[other]
    if here == there:
        return to_do
    before, after = pred[one], succ[one]
    now = solution.leg[one] + distance(problem, solution, here, one, after)
    for side in range(2):
        leaves = succ[other] if side else pred[other]
        if leaves == END or not may_swap_loads(problem, solution, one, leaves):
            continue
        beyond = succ[leaves] if side else pred[leaves]
        cost = away + edge(problem, solution, there, one, beyond) - edge(problem, solution, there, other, leaves)
        cost -= edge(problem, solution, there, leaves, beyond)
        cost += (
            distance(problem, solution, here, before, leaves) + distance(problem, solution, here, leaves, after) - now
        )
        if cost < -LEAST_GAIN * (now + away) and (
            may_stand(problem, solution, here, before, leaves, after)
            and may_stand(problem, solution, there, pred[leaves], one, succ[leaves])
        ):
            change_places(problem, solution, one, leaves)
            to_do = add_around(solution, to_do, leaves)
            return add_around(solution, to_do, one)
    return to_do
