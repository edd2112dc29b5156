"""Changing a solution: take a customer out, put one in, and keep every array consistent.

``remove``, ``insert`` and ``fits`` are what operators call. During a destroy phase the times of touched routes are
stale, and lengths and loads may be in their last digits; :func:`settle` puts them right once at its end, which is
cheaper than after each removal.
"""

import numpy as np

from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel, shared
from dacalns.core.model import BANKED, TOUCHED, USED

# What `Solution.dirty` says of a route: customers were removed, or more than that was changed.
SHORTER, REJOINED = 1, 2


@kernel
def remove(problem, solution, customer):
    """Take ``customer`` out of its route and put it in the bank; False if it is in none.

    The times of its route, and its length and load to the last digit, are stale until the destroy phase ends.
    """
    if not 0 < customer < len(solution.route) or solution.route[customer] < 0:
        return False
    route = solution.route[customer]
    before, after = solution.pred[customer], solution.succ[customer]
    if before:
        solution.succ[before] = after
    else:
        solution.first[route] = after
    joined = between(problem, before, after)
    if after:
        saved = solution.leg[customer] + solution.leg[after] - joined
        solution.pred[after] = before
        solution.leg[after] = joined
    else:
        saved = solution.leg[customer] + between(problem, customer, 0) - joined
        solution.last[route] = before
    solution.length[route] -= saved
    solution.load[route] -= problem.demand[customer]
    solution.size[route] -= 1
    solution.dirty[route] = SHORTER
    touch(solution, route)
    solution.route[customer] = -1
    banked = solution.counts[BANKED]
    solution.bank[banked] = customer
    solution.slot[customer] = banked
    solution.counts[BANKED] = banked + 1
    return True


@inlined
def fits(problem, solution, customer, route, after):
    """Whether ``customer`` may follow ``after`` (0: the front) in ``route`` within capacity and windows."""
    if route < 0 or solution.load[route] + problem.demand[customer] > problem.capacity:
        return False
    if not problem.timed:
        return True
    following = solution.succ[after] if after else solution.first[route]
    start = max(problem.opens[customer], solution.depart[after] + between(problem, after, customer))
    if start > problem.closes[customer]:
        return False
    return start + problem.service[customer] + onward(problem, customer, following) <= solution.latest[following]


@inlined
def onward(problem, customer, following):
    """The distance from ``customer`` to ``following``.

    Many customers are tried at one place in turn, so the row of the place is the one that is in the cache.
    """
    if problem.symmetric:
        return between(problem, following, customer)
    return between(problem, customer, following)


@kernel
def insert(problem, solution, customer, route, after):
    """Move ``customer`` from the bank to ``route``, behind ``after`` (0: to the front), if it fits there.

    ``route`` is one of the routes in use, or ``counts[USED]`` to open a new one. Returns whether it was done, so that
    no operator can make a solution infeasible.
    """
    nodes, used = len(solution.route), solution.counts[USED]
    if not 0 < customer < nodes or not 0 <= after < nodes or not 0 <= route <= used or route >= problem.fleet:
        return False
    if solution.route[customer] >= 0 or (after and solution.route[after] != route):
        return False
    if not fits(problem, solution, customer, route, after):
        return False
    link(problem, solution, customer, route, after)
    return True


@inlined
def link(problem, solution, customer, route, after):
    """Do what :func:`insert` does without asking whether it is allowed."""
    succ, pred, leg = solution.succ, solution.pred, solution.leg
    if after:
        following = succ[after]
        succ[after] = customer
    else:
        following = solution.first[route]
        solution.first[route] = customer
    old = leg[following] if following else between(problem, after, 0)
    onward = between(problem, customer, following)
    leg[customer] = between(problem, after, customer)
    if following:
        pred[following] = customer
        leg[following] = onward
    else:
        solution.last[route] = customer
    succ[customer] = following
    pred[customer] = after
    solution.route[customer] = route
    solution.size[route] += 1
    solution.load[route] += problem.demand[customer]
    solution.length[route] += leg[customer] + onward - old
    touch(solution, route)
    if route == solution.counts[USED]:
        solution.counts[USED] += 1

    banked = solution.counts[BANKED] - 1
    mover = solution.bank[banked]
    solution.bank[solution.slot[customer]] = mover
    solution.slot[mover] = solution.slot[customer]
    solution.bank[banked] = customer  # behind those who wait stay those who were served, the last one first
    solution.counts[BANKED] = banked
    if problem.timed:
        push_departures(problem, solution, customer)
        pull_latest(problem, solution, customer)


@inlined
def push_departures(problem, solution, node):
    """Recompute earliest departures from ``node`` onwards, as far as they change; ``node`` itself always."""
    opens, service = problem.opens, problem.service
    succ, leg, depart = solution.succ, solution.leg, solution.depart
    clock = depart[solution.pred[node]]
    first = True
    while node:
        clock = max(opens[node], clock + leg[node]) + service[node]
        if clock == depart[node] and not first:
            return
        depart[node] = clock
        node = succ[node]
        first = False


@inlined
def pull_latest(problem, solution, node):
    """Recompute latest starts from ``node`` back to the front, as far as they change; ``node`` itself always."""
    closes, service = problem.closes, problem.service
    pred, leg, latest = solution.pred, solution.leg, solution.latest
    following = solution.succ[node]
    late = latest[following]
    onward = between(problem, node, following)
    first = True
    while node:
        late = min(closes[node], late - onward - service[node])
        if late == latest[node] and not first:
            return
        latest[node] = late
        onward = leg[node]
        node = pred[node]
        first = False


@inlined
def settle(problem, solution):
    """Put touched routes right after removals: lengths, loads and times anew, emptied routes closed up."""
    exact = problem.integral and not problem.timed  # what `remove` has left is as it should be, then
    emptied = 0
    for k in range(solution.counts[TOUCHED]):  # whatever is dirty was touched
        route = solution.journal[k]
        if solution.dirty[route]:
            late = 0 if exact and solution.dirty[route] == SHORTER else -1
            while late:  # only where the triangle inequality fails can a removal delay what follows
                if late > 0:
                    remove(problem, solution, late)
                late = recompute(problem, solution, route)
            solution.dirty[route] = 0
            if solution.size[route] == 0:
                emptied += 1
    route = solution.counts[USED] - 1
    while emptied:
        if solution.size[route] == 0:
            _close_up(solution, route)
            emptied -= 1
        route -= 1


@kernel
def recompute(problem, solution, route):
    """Length, load and times of a route from its links alone, so that no rounding error piles up.

    Returns the first customer that is served too late, or after which the depot is closed; 0 if all are in time.
    """
    demand, opens, service = problem.demand, problem.opens, problem.service
    succ, pred, leg, depart, latest = solution.succ, solution.pred, solution.leg, solution.depart, solution.latest
    load = 0.0
    length = 0.0
    node = solution.first[route]
    while node:
        load += demand[node]
        length += leg[node]
        node = succ[node]
    last = solution.last[route]
    home = between(problem, last, 0)
    solution.load[route] = load
    solution.length[route] = length + home
    if not problem.timed or last == 0:
        return 0
    clock = depart[0]
    tardy = 0
    node = solution.first[route]
    while node:
        clock = max(opens[node], clock + leg[node])
        if clock > problem.closes[node] and tardy == 0:
            tardy = node
        clock += service[node]
        depart[node] = clock
        node = succ[node]
    if clock + home > latest[0] and tardy == 0:
        tardy = last
    late = latest[0]
    onward = home
    node = last
    while node:
        late = min(problem.closes[node], late - onward - service[node])
        latest[node] = late
        onward = leg[node]
        node = pred[node]
    return tardy


@kernel
def _close_up(solution, route):
    """Fill the emptied slot ``route`` with the last route in use."""
    end = solution.counts[USED] - 1
    if route != end:
        touch(solution, end)
        solution.first[route] = solution.first[end]
        solution.last[route] = solution.last[end]
        solution.size[route] = solution.size[end]
        solution.load[route] = solution.load[end]
        solution.length[route] = solution.length[end]
        node = solution.first[route]
        while node:
            solution.route[node] = route
            node = solution.succ[node]
    solution.first[end] = 0
    solution.last[end] = 0
    solution.size[end] = 0
    solution.load[end] = 0.0
    solution.length[end] = 0.0
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
        _copy_sums(target, source, route)
        node = source.first[route]
        while node:
            target.succ[node] = source.succ[node]
            target.pred[node] = source.pred[node]
            target.route[node] = route
            target.leg[node] = source.leg[node]
            target.depart[node] = source.depart[node]
            target.latest[node] = source.latest[node]
            node = source.succ[node]
    _copy_bank(target, source)
    for k in range(source.counts[BANKED]):
        target.route[source.bank[k]] = -1
    clear_journal(journal_of)


@inlined
def _copy_sums(target, source, route):
    target.first[route] = source.first[route]
    target.last[route] = source.last[route]
    target.size[route] = source.size[route]
    target.dirty[route] = source.dirty[route]
    target.load[route] = source.load[route]
    target.length[route] = source.length[route]


@inlined
def _copy_bank(target, source):
    for k in range(source.counts[BANKED]):
        customer = source.bank[k]
        target.bank[k] = customer
        target.slot[customer] = k
    target.counts[USED] = source.counts[USED]
    target.counts[BANKED] = source.counts[BANKED]


@kernel
def copy_into(target, source):
    """Make ``target`` equal to ``source``, as far as anybody reads it: not what lies behind the counts.

    A fleet may be as large as the number of customers and nearly all of it unused, and hardly anybody waits in the
    bank, so that this is less than half of the arrays. The target's journal is cleared.
    """
    # `succ`, `pred` and `route` lie side by side, and so do `leg` and, where there are windows, `depart` and `latest`.
    for k in range(3 * len(source.succ)):
        target.ints[k] = source.ints[k]
    for k in range(len(source.floats) - 2 * len(source.load)):
        target.floats[k] = source.floats[k]
    for route in range(max(source.counts[USED], target.counts[USED])):
        _copy_sums(target, source, route)
    _copy_bank(target, source)
    clear_journal(target)


@shared
def total_length(solution):
    """Distance of all routes, whoever waits in the bank."""
    total = 0.0
    for route in range(solution.counts[USED]):
        total += solution.length[route]
    return total


@shared
def objective(problem, solution):
    """What the search minimises: distance, plus what each customer in the bank costs."""
    total = total_length(solution)
    for k in range(solution.counts[BANKED]):
        total += problem.unserved[solution.bank[k]]
    return total


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
    directed = problem.timed or not problem.symmetric
    total = np.uint64(0)
    node = solution.first[route]
    if node == 0:
        return total
    while node:
        total += _edge_hash(solution.pred[node], node, directed)
        node = solution.succ[node]
    return total + _edge_hash(solution.last[route], 0, directed)


@kernel
def _edge_hash(tail, head, directed):
    if not directed:
        tail, head = min(tail, head), max(tail, head)
    key = (np.uint64(tail) << SHIFT_32) | np.uint64(head)
    key = (key ^ (key >> SHIFT_29)) * MIX_1
    key = (key ^ (key >> SHIFT_32)) * MIX_2
    return key ^ (key >> SHIFT_29)
