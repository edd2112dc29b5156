"""Local search around what an iteration has changed: customers and ends of routes change places as long as it pays.

Only changes that bring a customer next to a near one are looked at, nearer than one of those it stands beside now
(granular search, Toth and Vigo 2003); so nearly all customers are done with at once. It is for problems whose distances
are the same in both directions.
"""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED
from dacalns.core.near_places import in_time
from dacalns.core.route_changes import change_places, exchange_ends, move, turn_between

# How many of the nearest customers are looked at.
NEAREST = 10
# A gain below this part of the distances in question is a rounding error.
LEAST_GAIN = 1e-9
# Columns of the scratch table: who is to be looked at, and where in that column each customer stands, if it does.
TO_DO, PLACE = 0, 1


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
        to_do = improve_around(problem, solution, to_do, solution.scratch_ints[to_do, TO_DO])


@inlined
def add(solution, to_do, customer):
    """Put a customer on the list, unless it is the depot or on it already; return how many are."""
    table = solution.scratch_ints
    if customer == 0:
        return to_do
    place = table[customer, PLACE]
    if 0 <= place < to_do and table[place, TO_DO] == customer:  # whatever the column held before
        return to_do
    table[to_do, TO_DO] = customer
    table[customer, PLACE] = to_do
    return to_do + 1


@kernel
def add_around(solution, to_do, customer):
    """Put a customer and those beside it on the list."""
    if customer == 0:
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
        between(problem, customer, after) if after or not before else 0.0,
    )
    for k in range(min(NEAREST, len(near))):
        other = np.int64(near[k])
        away = between(problem, customer, other)
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
    onward, onward_other = between(problem, one, after), between(problem, other, after_other)
    leg, leg_other = solution.leg[one], solution.leg[other]
    least = away + LEAST_GAIN * (onward + onward_other + leg + leg_other)
    same = solution.route[one] == solution.route[other]
    # Each customer loses the edge behind it, or the one before it. Windows leave no use for turning a whole end round.
    for kind in range(2 if problem.timed and not same else 0, 2 if same else 4):
        behind, behind_other = kind in (0, 2), kind in (0, 3)
        lost = (onward if behind else leg) + (onward_other if behind_other else leg_other)
        far, far_other = after if behind else before, after_other if behind_other else before_other
        if lost - between(problem, far, far_other) <= least:
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
    there = solution.route[other]
    room = np.inf if there == solution.route[one] else problem.capacity - solution.load[there]
    for choice in range(3):
        partner = before if choice == 1 else after if choice == 2 else 0
        if partner == other or (choice and not partner):
            continue
        if problem.demand[one] + (problem.demand[partner] if partner else 0.0) > room:
            continue
        left, right = (partner, one) if choice == 1 else (one, partner if partner else one)  # the ends of what leaves
        ahead, behind = pred[left], succ[right]
        gain = between(problem, ahead, left) + between(problem, right, behind) - between(problem, ahead, behind)
        if gain <= 0.0:
            continue
        far_end = partner if partner else one
        for side in range(2):
            beside = succ[other] if side else pred[other]
            if beside in (left, right):
                continue
            cost = away + between(problem, far_end, beside) - between(problem, other, beside)
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
    pred, succ, demand, load = solution.pred, solution.succ, problem.demand, solution.load
    here, there = solution.route[one], solution.route[other]
    if here == there:
        return to_do
    before, after = pred[one], succ[one]
    now = solution.leg[one] + between(problem, one, after)
    for side in range(2):
        leaves = succ[other] if side else pred[other]
        if leaves == 0:
            continue
        more = demand[leaves] - demand[one]
        if load[here] + more > problem.capacity or load[there] - more > problem.capacity:
            continue
        beyond = succ[leaves] if side else pred[leaves]
        cost = away + between(problem, one, beyond) - between(problem, other, leaves) - between(problem, leaves, beyond)
        cost += between(problem, before, leaves) + between(problem, leaves, after) - now
        if cost < -LEAST_GAIN * (now + away) and (
            in_time(problem, solution, leaves, before, after)
            and in_time(problem, solution, one, pred[leaves], succ[leaves])
        ):
            change_places(problem, solution, one, leaves)
            to_do = add_around(solution, to_do, leaves)
            return add_around(solution, to_do, one)
    return to_do
