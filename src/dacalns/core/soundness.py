"""Whether an operator has left a solution whose arrays agree with one another.

Everything else that walks along a route trusts its links, and would walk for ever along a circle, or read behind the
end of an array. So these kernels trust nothing: indices are compared with their ranges before they are used, and no
route is followed for longer than its size. They are asked about operators of users only; ours are tested instead.

``links_sound`` comes before :func:`dacalns.core.routes.settle`, which walks; ``sums_sound`` comes after it;
``settle_checked`` does all three. What they find is noted in ``flaw``: one of the kinds below, a route, a customer, and
another number.
"""

from dacalns.core.distances import between
from dacalns.core.jit import inlined, kernel
from dacalns.core.model import BANKED, TOUCHED, USED
from dacalns.core.routes import settle

# Positions in ``flaw``.
KIND, ROUTE, CUSTOMER, OTHER, FLAW_FIELDS = 0, 1, 2, 3, 4
# Kinds. Of counts out of range, ``OTHER`` is the position in ``counts``.
COUNT, JOURNAL, NOT_A_CUSTOMER, BACKWARDS, ELSEWHERE, SIZE, ENDS, BANK, LOST, BEHIND = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
EMPTY, DEPOT, LEG, LENGTH, LOAD, CAPACITY, TIMES, LATE, UNTOLD = 11, 12, 13, 14, 15, 16, 17, 18, 19

# Sums made in another order differ by this part of them at most, and by this part of the penalty where they are near 0.
RELATIVE, OF_PENALTY = 1e-9, 1e-12


@inlined
def _note(flaw, kind, route, customer, other):
    flaw[KIND] = kind
    flaw[ROUTE] = route
    flaw[CUSTOMER] = customer
    flaw[OTHER] = other
    return False


@kernel
def settle_checked(problem, solution, before, flaw):
    """Settle a solution that may be in disorder; return whether it is sound."""
    if not links_sound(problem, solution, before, flaw):
        return False
    settle(problem, solution)
    return sums_sound(problem, solution, flaw)


@kernel
def links_sound(problem, solution, before, flaw):
    """Whether counts, links, routes and bank agree, and the journal names all that differs from ``before``."""
    nodes, fleet = len(solution.succ), problem.fleet
    counts = solution.counts
    if not 0 <= counts[USED] <= fleet:
        return _note(flaw, COUNT, 0, 0, USED)
    if not 0 <= counts[BANKED] < nodes:
        return _note(flaw, COUNT, 0, 0, BANKED)
    if not _journal_sound(solution, flaw):
        return False
    served = 0
    for route in range(counts[USED]):
        if not _route_links_sound(solution, route, flaw):
            return False
        served += solution.size[route]
        if solution.size[route] == 0 and not solution.dirty[route]:
            return _note(flaw, EMPTY, route, 0, 0)
    for route in range(counts[USED], len(solution.first)):
        if solution.size[route] or solution.first[route] or solution.last[route] or solution.dirty[route]:
            return _note(flaw, BEHIND, route, 0, 0)
        if solution.load[route] != 0.0 or solution.length[route] != 0.0:
            return _note(flaw, BEHIND, route, 0, 0)
    # No customer is in two routes, since it can name only one of them, and none is in its route twice, since it has
    # only one predecessor. So whoever is neither there nor in the bank shows in the numbers.
    for place in range(counts[BANKED]):
        customer = solution.bank[place]
        if not 0 < customer < nodes:
            return _note(flaw, BANK, 0, customer, place)
        if solution.slot[customer] != place or solution.route[customer] != -1:
            return _note(flaw, BANK, 0, customer, place)
    if served + counts[BANKED] != nodes - 1:
        return _note(flaw, LOST, 0, served, counts[BANKED])
    return _rest_unchanged(problem, solution, before, flaw)


@kernel
def _journal_sound(solution, flaw):
    routes = len(solution.touched)
    if not 0 <= solution.counts[TOUCHED] <= routes:
        return _note(flaw, COUNT, 0, 0, TOUCHED)
    total = 0
    for route in range(routes):
        if solution.touched[route]:
            total += 1
        elif solution.dirty[route]:
            return _note(flaw, JOURNAL, route, 0, 0)
    if total != solution.counts[TOUCHED]:
        return _note(flaw, JOURNAL, -1, 0, 0)
    for k in range(total):
        route = solution.journal[k]
        if not 0 <= route < routes or solution.touched[route] != 1:
            return _note(flaw, JOURNAL, -1, 0, 0)
        solution.touched[route] = 2  # so that none is named twice
    for k in range(total):
        solution.touched[solution.journal[k]] = 1
    return True


@inlined
def _route_links_sound(solution, route, flaw):
    nodes, size = len(solution.succ), solution.size[route]
    behind = 0
    node = solution.first[route]
    steps = 0
    while node:
        if not 0 < node < nodes:
            return _note(flaw, NOT_A_CUSTOMER, route, node, behind)
        if solution.pred[node] != behind:
            return _note(flaw, BACKWARDS, route, node, behind)
        if solution.route[node] != route:
            return _note(flaw, ELSEWHERE, route, node, solution.route[node])
        steps += 1
        if steps > size:
            return _note(flaw, SIZE, route, size, 0)
        behind = node
        node = solution.succ[node]
    if steps != size:
        return _note(flaw, SIZE, route, size, 0)
    if solution.last[route] != behind:
        return _note(flaw, ENDS, route, solution.last[route], behind)
    return True


@inlined
def _rest_unchanged(problem, solution, before, flaw):
    """Whether the routes that are not in the journal are what they were: nobody would copy them."""
    for route in range(max(solution.counts[USED], before.counts[USED])):
        if solution.touched[route]:
            continue
        if (
            solution.first[route] != before.first[route]
            or solution.size[route] != before.size[route]
            or solution.load[route] != before.load[route]
            or solution.length[route] != before.length[route]
        ):
            return _note(flaw, UNTOLD, route, 0, 0)
        node = solution.first[route]
        while node:
            if solution.succ[node] != before.succ[node] or solution.leg[node] != before.leg[node]:
                return _note(flaw, UNTOLD, route, 0, 0)
            # Without windows, nobody reads the times.
            on_time = solution.depart[node] == before.depart[node] and solution.latest[node] == before.latest[node]
            if problem.timed and not on_time:
                return _note(flaw, UNTOLD, route, 0, 0)
            node = solution.succ[node]
    return True


@kernel
def sums_sound(problem, solution, flaw):
    """Whether lengths, loads and times of the routes in the journal are what their links say, and within the limits."""
    if solution.depart[0] != problem.opens[0] or solution.latest[0] != problem.closes[0]:
        return _note(flaw, DEPOT, 0, 0, 0)
    for k in range(solution.counts[TOUCHED]):
        route = solution.journal[k]
        if solution.size[route] and not _route_sums_sound(problem, solution, route, flaw):
            return False
    return True


@inlined
def _route_sums_sound(problem, solution, route, flaw):
    load = 0.0
    length = 0.0
    behind = 0
    node = solution.first[route]
    while node:
        leg = between(problem, behind, node)
        if not _alike(solution.leg[node], leg, problem):
            return _note(flaw, LEG, route, node, behind)
        length += leg
        load += problem.demand[node]
        behind = node
        node = solution.succ[node]
    home = between(problem, behind, 0)
    if not _alike(solution.length[route], length + home, problem):
        return _note(flaw, LENGTH, route, 0, 0)
    if not abs(solution.load[route] - load) <= RELATIVE * max(load, problem.capacity):
        return _note(flaw, LOAD, route, 0, 0)
    if not load <= problem.capacity * (1.0 + RELATIVE):
        return _note(flaw, CAPACITY, route, 0, 0)
    return not problem.timed or _times_sound(problem, solution, route, flaw)


@inlined
def _times_sound(problem, solution, route, flaw):
    clock = solution.depart[0]
    node = solution.first[route]
    while node:
        clock = max(problem.opens[node], clock + solution.leg[node])
        if not (clock <= problem.closes[node] or _alike(clock, problem.closes[node], problem)):
            return _note(flaw, LATE, route, node, 0)
        clock += problem.service[node]
        if not _alike(solution.depart[node], clock, problem):
            return _note(flaw, TIMES, route, node, 0)
        node = solution.succ[node]
    late = solution.latest[0]
    onward = between(problem, solution.last[route], 0)
    if not (clock + onward <= late or _alike(clock + onward, late, problem)):
        return _note(flaw, LATE, route, 0, 0)
    node = solution.last[route]
    while node:
        late = min(problem.closes[node], late - onward - problem.service[node])
        if not _alike(solution.latest[node], late, problem):
            return _note(flaw, TIMES, route, node, 0)
        onward = solution.leg[node]
        node = solution.pred[node]
    return True


@inlined
def _alike(given, right, problem):
    """Whether two sums are the same but for rounding; NaN is like nothing."""
    return given == right or abs(given - right) <= RELATIVE * abs(right) + OF_PENALTY * problem.penalty
