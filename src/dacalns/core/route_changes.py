"""What a local search does to routes: ends exchanged, a stretch turned round, customers moved or changing places."""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel
from dacalns.core.routes import link, recompute, remove, touch
from dacalns.core.tail_exchange import exchange_tails, load_along


@kernel
def exchange_ends(problem, solution, one, behind, other, behind_other):
    """Exchange the ends of two routes, so that two customers of theirs stand side by side; whether that is feasible.

    Each customer loses the edge ``behind`` it, or the one before it, and is joined with the other one there; so are the
    two ends that are left. Where both lose the same one, a route is turned round, which is not done with windows.
    """
    load, here, there = solution.load, solution.route[one], solution.route[other]
    customer, head = (one, other) if behind else (other, one)
    if problem.timed and (behind == behind_other or not _joined_in_time(problem, solution, customer, head)):
        return False
    joined = _load_kept(problem, solution, one, behind) + _load_kept(problem, solution, other, behind_other)
    if joined > problem.capacity or load[here] + load[there] - joined > problem.capacity:
        return False
    if behind == behind_other:
        _reverse(problem, solution, solution.first[there], solution.last[there])
    exchange_tails(problem, solution, customer, head)
    solution.dirty[here] = 1  # one of them may be empty now
    solution.dirty[there] = 1
    recompute(problem, solution, here)
    recompute(problem, solution, there)
    return True


@inlined
def _joined_in_time(problem, solution, customer, head):
    """Whether ``head`` may follow ``customer``, and what followed that the one before ``head``."""
    before, following = solution.pred[head], solution.succ[customer]
    return (
        solution.depart[customer] + between(problem, customer, head) <= solution.latest[head]
        and solution.depart[before] + between(problem, before, following) <= solution.latest[following]
    )


@inlined
def _load_kept(problem, solution, customer, behind):
    """The demand on the customer's side of the edge that it has lost."""
    onward, back = (solution.pred, solution.succ) if behind else (solution.succ, solution.pred)
    return load_along(problem, onward, customer) if back[customer] else solution.load[solution.route[customer]]


@kernel
def turn_between(problem, solution, one, other, behind):
    """Serve what is between two customers of a route in the other direction; whether that is in time.

    The later of the two is turned with it if both have lost the edge ``behind`` them, else the earlier one.
    """
    earlier, later = (one, other) if _follows(solution, other, one) else (other, one)
    first, last = (solution.succ[earlier], later) if behind else (earlier, solution.pred[later])
    if problem.timed and not _turned_in_time(problem, solution, first, last):
        return False
    _reverse(problem, solution, first, last)
    return True


@inlined
def _follows(solution, other, node):
    """Whether ``other`` is ``node``, or comes after it on its route."""
    while node and node != other:
        node = solution.succ[node]
    return node != 0


@inlined
def _turned_in_time(problem, solution, first, last):
    before, after = solution.pred[first], solution.succ[last]
    clock = _passed(problem, solution.pred, solution.depart[before], before, last, first)
    return clock + between(problem, first, after) <= solution.latest[after]


@inlined
def _passed(problem, links, clock, before, node, end):
    """When service at ``end`` is over, if one leaves ``before`` at ``clock`` and follows the links from ``node`` on."""
    while clock < np.inf:
        clock = _served(problem, clock, before, node)
        if node == end:
            break
        before = node
        node = links[node]
    return clock


@inlined
def _served(problem, clock, before, node):
    """When service at ``node`` is over, if one leaves ``before`` at ``clock``; never if it is too late for it."""
    start = max(problem.opens[node], clock + between(problem, before, node))
    return start + problem.service[node] if start <= problem.closes[node] else np.inf


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
        leg[node] = between(problem, pred[node], node)
        node = succ[node]
    if after:
        leg[after] = between(problem, first, after)
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
    if problem.timed and not _moved_in_time(problem, solution, one, partner, other, behind):
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


@inlined
def _moved_in_time(problem, solution, one, partner, other, behind):
    pred, succ, depart, latest = solution.pred, solution.succ, solution.depart, solution.latest
    left, right = (partner, one) if partner and partner == pred[one] else (one, partner if partner else one)
    ahead, following = pred[left], succ[right]  # between whom they are, and between whom they go
    before, after = (other, succ[other]) if behind else (pred[other], other)
    far = partner if partner else one
    first, last = (one, far) if behind else (far, one)
    same = solution.route[one] == solution.route[other]
    later = same and before != 0 and _follows(solution, before, following)
    clock = depart[before]
    if later:
        clock = _passed(problem, succ, depart[ahead], ahead, following, before)
    clock = _served(problem, clock, before, first)
    if first != last:
        clock = _served(problem, clock, first, last)
    if same and not later:
        clock = _passed(problem, succ, clock, last, after, ahead)
        return clock + between(problem, ahead, following) <= latest[following]
    if not same and depart[ahead] + between(problem, ahead, following) > latest[following]:
        return False  # without the triangle inequality
    return clock + between(problem, last, after) <= latest[after]
