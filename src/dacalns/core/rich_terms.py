"""What the terms of a rich problem are: who fits where, what a route adds up to, and what it costs.

Functions here have the names of those in `core/terms.py` that they stand in for; the others of that module hold for all
problems. Kernels call them by way of the terms, and whichever is meant is decided when they are compiled.

Times are stretches of a route that can be joined: see `dacalns.core.rich.Segment`. A stretch that cannot be driven has
an infinite duration.
"""

import numpy as np
from numba import types

from dacalns.core.jit import compiled_once, inlined, kernel, shared
from dacalns.core.model import BANKED, END, TOUCHED, USED
from dacalns.core.rich import (
    CARGO,
    FORBIDDEN,
    JUST_REMOVED,
    LIMIT,
    OPEN_SISTER,
    RICH_PROBLEM,
    RICH_SOLUTION,
    SEGMENT,
    SPAN,
    WHERE,
)
from dacalns.core.rich_legs import (
    before,
    behind,
    distance,
    drive,
    end_of,
    joined,
    leg_now,
    let_go,
    released_before,
    released_behind,
    time_cost,
    whole_duration,
)
from dacalns.core.rng import random_float, random_int

PER_DIMENSION = len(CARGO)

# --- Loads ----------------------------------------------------------------------------------------------------------


@kernel
def has_room(problem, solution, route, customer):
    """True if ``route``, one in use, may take ``customer``, alone or with its mate, as far as its sums tell."""
    kind = solution.kind[route]
    if not problem.may_serve[kind, customer]:
        return False
    if problem.mate[customer]:
        return True  # what is on board between the two decides
    dims = problem.holds.shape[1]
    for k in range(dims):
        most = problem.holds[kind, k]
        if solution.sums[route, k] + problem.deliver[customer, k] > most:
            return False
        if solution.sums[route, dims + k] + problem.collect[customer, k] > most:
            return False
    return True


@inlined
def suits(problem, solution, route, customer):
    """True if the vehicle of ``route``, or a sister that serves whom it serves and more, may serve a customer."""
    kind = solution.kind[route]
    if problem.may_serve[kind, customer]:
        return True
    for other in range(len(problem.ends)):
        if problem.sisters[kind, other] == OPEN_SISTER and problem.may_serve[other, customer]:
            return True
    return False


@inlined
def fits_aboard(problem, solution, route, node, customer, following):
    """True if all dimensions have room for ``customer`` between two that follow one another."""
    kind = solution.kind[route]
    first = solution.ahead[route] < 0
    cargo = solution.cargo
    for k in range(problem.holds.shape[1]):
        column = k * PER_DIMENSION
        if node:
            collected, most = cargo[node, column + CARGO.collected], cargo[node, column + CARGO.most]
        else:
            collected = most = problem.aboard[kind, k] if first else 0.0
        brought, taken = problem.deliver[customer, k], problem.collect[customer, k]
        most = max(most + brought, collected + max(brought, taken))
        collected += taken
        if following:
            most = max(
                most + cargo[following, column + CARGO.delivered_on],
                collected + cargo[following, column + CARGO.most_on],
            )
        if most > problem.holds[kind, k]:
            return False
    return True


@inlined
def count_in(problem, solution, route, customer, more):
    """Add ``customer`` to what its new route carries, and ``more`` to its distance."""
    solution.load[route] += problem.demand[customer]
    solution.length[route] += more
    dims = problem.holds.shape[1]
    for k in range(dims):
        solution.sums[route, k] += problem.deliver[customer, k]
        solution.sums[route, dims + k] += problem.collect[customer, k]
    if problem.grouped:
        solution.visited[problem.group[customer]] += 1


@inlined
def count_out(problem, solution, route, customer, saved):
    """Take ``customer`` off what its route carries, and ``saved`` off its distance."""
    solution.load[route] -= problem.demand[customer]
    solution.length[route] -= saved
    dims = problem.holds.shape[1]
    for k in range(dims):
        solution.sums[route, k] -= problem.deliver[customer, k]
        solution.sums[route, dims + k] -= problem.collect[customer, k]
    if problem.grouped:
        solution.visited[problem.group[customer]] -= 1
    solution.leg[customer] = JUST_REMOVED


@kernel
def may_swap_loads(problem, solution, one, other):
    """True if two customers of different routes may change places as far as vehicles and sums of loads go."""
    here, there = solution.route[one], solution.route[other]
    kind, kind_there = solution.kind[here], solution.kind[there]
    if not problem.may_serve[kind, other] or not problem.may_serve[kind_there, one]:
        return False
    dims = problem.holds.shape[1]
    for k in range(dims):
        most, most_there = problem.holds[kind, k], problem.holds[kind_there, k]
        more = problem.deliver[other, k] - problem.deliver[one, k]
        if solution.sums[here, k] + more > most or solution.sums[there, k] - more > most_there:
            return False
        more = problem.collect[other, k] - problem.collect[one, k]
        if solution.sums[here, dims + k] + more > most or solution.sums[there, dims + k] - more > most_there:
            return False
    return True


@inlined
def partner(problem, customer):
    """The customer that comes and goes with ``customer``; END for none."""
    return problem.mate[customer]


# --- Whether somebody may stand somewhere ---------------------------------------------------------------------------


@kernel
def stands(problem, solution, route, node, customer, following, longer):
    """The duration of the vehicle of ``route`` with ``customer`` between two of its trip; infinite if he may not stand.

    ``longer`` is the distance that he adds. His mate, if he has one, is not looked at. Without anything that depends on
    time, the duration is 0.
    """
    kind = solution.kind[route]
    if solution.length[route] + longer + elsewhere(problem, solution, route) > problem.kinds[kind, LIMIT.distance]:
        return np.inf
    if not (longer < 0.5 * FORBIDDEN):
        return np.inf
    if problem.mixed and not fits_aboard(problem, solution, route, node, customer, following):
        return np.inf
    if not problem.clocked:
        return 0.0
    duration, earliest, latest = before(problem, solution, route, node)
    duration, earliest, latest = joined(
        duration, earliest, latest, drive(problem, solution, route, node, customer),
        problem.service[customer], problem.opens[customer], problem.closes[customer],
    )  # fmt: skip
    if duration == np.inf:
        return np.inf
    duration_on, earliest_on, latest_on = behind(problem, solution, route, following)
    duration, earliest, latest = joined(
        duration, earliest, latest, drive(problem, solution, route, customer, following),
        duration_on, earliest_on, latest_on,
    )  # fmt: skip
    released = max(
        max(released_before(solution, node), released_behind(solution, following)), problem.release[customer]
    )
    return whole_duration(problem, solution, route, duration, earliest, latest, released)


@inlined
def elsewhere(problem, solution, route):
    """How far the vehicle of ``route`` drives on its other trips."""
    return solution.span[route, SPAN.elsewhere] if problem.trips else 0.0


@inlined
def may_stop(problem, solution, route, more):
    """True if the vehicle of ``route`` may serve so many more customers."""
    stops = float(solution.size[route] + more)
    if problem.trips:
        stops += solution.span[route, SPAN.stops]
    return stops <= problem.kinds[solution.kind[route], LIMIT.stops]


@inlined
def left_too_late(problem, solution, route, node, customer):
    """True if the vehicle leaves ``node`` after the customer's window has closed; so it does farther on the trip."""
    if not problem.clocked or node == END:
        return False
    times = solution.times
    return times[node, SEGMENT.earliest] + times[node, SEGMENT.duration] > problem.closes[customer]


@inlined
def may_stand(problem, solution, route, node, customer, following):
    """True if ``customer``, who has no mate, may stand between two that follow one another on ``route``."""
    if problem.mate[customer] or not may_stop(problem, solution, route, 1):
        return False
    if problem.grouped and problem.group[customer] and solution.visited[problem.group[customer]]:
        return False
    hither = distance(problem, solution, route, node, customer)
    longer = hither + distance(problem, solution, route, customer, following)
    longer -= leg_now(problem, solution, route, node, following)
    duration = stands(problem, solution, route, node, customer, following, longer)
    return time_cost(problem, solution.kind[route], duration) < np.inf


@inlined
def service_start(problem, solution, customer):
    """When service of a customer on a route begins at the earliest."""
    times = solution.times
    return times[customer, SEGMENT.earliest] + times[customer, SEGMENT.duration] - problem.service[customer]


# --- What a route adds up to ----------------------------------------------------------------------------------------


@kernel
def push_on(problem, solution, route, node):
    """Compute what lies before each customer of a trip, from ``node`` on; return the first who is too late, or END."""
    times, cargo = solution.times, solution.cargo
    dims = problem.holds.shape[1]
    kind = solution.kind[route]
    first = solution.ahead[route] < 0
    behind_it = solution.pred[node]
    if problem.clocked:
        duration, earliest, latest = before(problem, solution, route, behind_it)
        released = released_before(solution, behind_it)
        at, tail = node, behind_it
        while at:
            gap = drive(problem, solution, route, tail, at)
            duration, earliest, latest = joined(
                duration, earliest, latest, gap, problem.service[at], problem.opens[at], problem.closes[at]
            )
            if duration == np.inf:
                return at
            released = max(released, problem.release[at])
            if released > latest:
                return at
            times[at, SEGMENT.duration] = duration
            times[at, SEGMENT.earliest] = earliest
            times[at, SEGMENT.latest] = latest
            times[at, SEGMENT.released] = released
            tail = at
            at = solution.succ[at]
    if problem.mixed:
        for k in range(dims):
            column = k * PER_DIMENSION
            delivered = 0.0
            collected = most = problem.aboard[kind, k] if first else 0.0
            if behind_it:
                delivered = cargo[behind_it, column + CARGO.delivered]
                collected = cargo[behind_it, column + CARGO.collected]
                most = cargo[behind_it, column + CARGO.most]
            at = node
            while at:
                brought, taken = problem.deliver[at, k], problem.collect[at, k]
                delivered += brought
                most = max(most + brought, collected + max(brought, taken))
                collected += taken
                cargo[at, column + CARGO.delivered] = delivered
                cargo[at, column + CARGO.collected] = collected
                cargo[at, column + CARGO.most] = most
                if most > problem.holds[kind, k]:
                    return at
                at = solution.succ[at]
    return END


@kernel
def pull_back(problem, solution, route, node):
    """Compute what lies behind each customer of a trip, from ``node`` back to the front; the trip must be in time."""
    times, cargo = solution.times, solution.cargo
    following = solution.succ[node]
    if problem.clocked:
        duration, earliest, latest = behind(problem, solution, route, following)
        released = released_behind(solution, following)
        at, head = node, following
        while at:
            gap = drive(problem, solution, route, at, head)
            duration, earliest, latest = joined(
                problem.service[at], problem.opens[at], problem.closes[at], gap, duration, earliest, latest
            )
            released = max(released, problem.release[at])
            times[at, SEGMENT.duration_on] = duration
            times[at, SEGMENT.earliest_on] = earliest
            times[at, SEGMENT.latest_on] = latest
            times[at, SEGMENT.released_on] = released
            head = at
            at = solution.pred[at]
    if problem.mixed:
        for k in range(problem.holds.shape[1]):
            column = k * PER_DIMENSION
            delivered = collected = most = 0.0
            if following:
                delivered = cargo[following, column + CARGO.delivered_on]
                collected = cargo[following, column + CARGO.collected_on]
                most = cargo[following, column + CARGO.most_on]
            at = node
            while at:
                brought, taken = problem.deliver[at, k], problem.collect[at, k]
                most = max(max(brought, taken) + delivered, taken + most)
                delivered += brought
                collected += taken
                cargo[at, column + CARGO.delivered_on] = delivered
                cargo[at, column + CARGO.collected_on] = collected
                cargo[at, column + CARGO.most_on] = most
                at = solution.pred[at]


@inlined
def trip_now(problem, solution, route):
    """The whole of a trip as it is: duration, earliest and latest start, release."""
    node = solution.last[route]
    duration, earliest, latest = before(problem, solution, route, node)
    duration_on, earliest_on, latest_on = end_of(problem, solution, route)
    gap = drive(problem, solution, route, node, END)
    duration, earliest, latest = joined(duration, earliest, latest, gap, duration_on, earliest_on, latest_on)
    return duration, earliest, latest, released_before(solution, node)


@kernel
def note_whole(problem, solution, route):
    """Note how long the vehicle of ``route`` is under way; with several trips, what each has before and behind it."""
    span = solution.span
    if not problem.trips:
        if problem.clocked:
            duration, earliest, latest, released = trip_now(problem, solution, route)
            span[route, SPAN.whole] = let_go(duration, earliest, latest, released)[0]
        return
    first = route
    while solution.ahead[first] >= 0:
        first = solution.ahead[first]
    far, stops, trips = 0.0, 0.0, 0.0
    duration, earliest, latest = 0.0, -np.inf, np.inf
    trip = last = first
    while trip >= 0:
        far += solution.length[trip]
        stops += solution.size[trip]
        trips += 1.0
        span[trip, SPAN.duration] = duration
        span[trip, SPAN.earliest] = earliest
        span[trip, SPAN.latest] = latest
        if problem.clocked:
            one, early, late, released = trip_now(problem, solution, trip)
            one, early, late = let_go(one, early, late, released)
            duration, earliest, latest = joined(duration, earliest, latest, 0.0, one, early, late)
        last = trip
        trip = solution.behind[trip]
    whole = duration
    duration, earliest, latest = 0.0, -np.inf, np.inf
    trip = last
    while trip >= 0:
        touch_trip(solution, trip)
        span[trip, SPAN.elsewhere] = far - solution.length[trip]
        span[trip, SPAN.stops] = stops - solution.size[trip]
        span[trip, SPAN.reloads] = trips - 1.0
        span[trip, SPAN.whole] = whole
        span[trip, SPAN.duration_on] = duration
        span[trip, SPAN.earliest_on] = earliest
        span[trip, SPAN.latest_on] = latest
        if problem.clocked:
            one, early, late, released = trip_now(problem, solution, trip)
            one, early, late = let_go(one, early, late, released)
            duration, earliest, latest = joined(one, early, late, 0.0, duration, earliest, latest)
        trip = solution.ahead[trip]


@inlined
def touch_trip(solution, route):
    """Note in the journal that another trip of a vehicle has changed, too: what is copied is what that names."""
    if not solution.touched[route]:
        solution.touched[route] = 1
        solution.journal[solution.counts[TOUCHED]] = route
        solution.counts[TOUCHED] += 1


@inlined
def refresh_from(problem, solution, route, node):
    """Bring what a route adds up to up to date after ``node`` was put into it."""
    if problem.mate[node]:
        if problem.second[node]:  # the other one, which nobody has looked at yet, stands somewhere before it
            recompute(problem, solution, route)
        return
    push_on(problem, solution, route, node)
    pull_back(problem, solution, route, node)
    note_whole(problem, solution, route)


@kernel
def recompute(problem, solution, route):
    """Compute all that a route adds up to from its links alone, so that no rounding error piles up.

    Returns a customer without whom it comes nearer to keeping all limits; END if it keeps them.
    """
    return _compute(problem, solution, np.int64(route))


@kernel
def keeps_limits(problem, solution, route):
    """True if a route that is up to date keeps the limits of its vehicle."""
    kind = solution.kind[route]
    limits = problem.kinds
    dims = problem.holds.shape[1]
    if not problem.paired:
        for k in range(dims):
            if max(solution.sums[route, k], solution.sums[route, dims + k]) > problem.holds[kind, k]:
                return False
    if solution.length[route] + elsewhere(problem, solution, route) > limits[kind, LIMIT.distance]:
        return False
    if not may_stop(problem, solution, route, 0):
        return False
    if problem.trips and solution.span[route, SPAN.reloads] > limits[kind, LIMIT.reloads]:
        return False
    return not problem.clocked or time_cost(problem, kind, solution.span[route, SPAN.whole]) < np.inf


@compiled_once(types.int64(RICH_PROBLEM, RICH_SOLUTION, types.int64))
@kernel
def _compute(problem, solution, route):
    """Do what `recompute` does."""
    dims = problem.holds.shape[1]
    for k in range(2 * dims):
        solution.sums[route, k] = 0.0
    load = length = 0.0
    tail = END
    barred = END
    node = solution.first[route]
    while node:
        leg = distance(problem, solution, route, tail, node)
        solution.leg[node] = leg
        if leg >= FORBIDDEN and barred == END:
            barred = node
        length += leg
        load += problem.demand[node]
        for k in range(dims):
            solution.sums[route, k] += problem.deliver[node, k]
            solution.sums[route, dims + k] += problem.collect[node, k]
        tail = node
        node = solution.succ[node]
    if tail == END:
        solution.load[route] = solution.length[route] = 0.0
        return END
    home = distance(problem, solution, route, tail, END)
    solution.load[route] = load
    solution.length[route] = length + home
    if barred or home >= FORBIDDEN:
        return barred if barred else tail
    tardy = push_on(problem, solution, route, solution.first[route])
    if tardy:
        return tardy
    pull_back(problem, solution, route, tail)
    note_whole(problem, solution, route)
    return END if keeps_limits(problem, solution, route) else tail


@inlined
def recompute_and_check(problem, solution, route):
    """Recompute a route; return True if it keeps all limits and its vehicle may serve everybody on it."""
    node = solution.first[route]
    while node:
        if not problem.may_serve[solution.kind[route], node]:
            return False
        node = solution.succ[node]
    return recompute(problem, solution, route) == END


@inlined
def stays_exact(problem):
    """Return False: what removals leave is computed anew."""
    return False


@inlined
def clear_sums(solution, route):
    """Let an emptied route add up to nothing."""
    solution.load[route] = solution.length[route] = 0.0
    for k in range(solution.sums.shape[1]):
        solution.sums[route, k] = 0.0


@inlined
def copy_sums(target, source, route):
    """Copy what a route adds up to, and its vehicle, from one solution to another."""
    target.load[route] = source.load[route]
    target.length[route] = source.length[route]
    _copy_vehicle(target, route, source, route)


@inlined
def move_sums(solution, source, target):
    """Give what route ``source`` adds up to, and its vehicle, to route ``target``."""
    solution.load[target] = solution.load[source]
    solution.length[target] = solution.length[source]
    _copy_vehicle(solution, target, solution, source)
    ahead, following = solution.ahead[target], solution.behind[target]
    if ahead >= 0:
        solution.behind[ahead] = target
        touch_trip(solution, ahead)
    if following >= 0:
        solution.ahead[following] = target
        touch_trip(solution, following)


@inlined
def _copy_vehicle(target, to, source, route):
    target.kind[to] = source.kind[route]
    target.ahead[to] = source.ahead[route]
    target.behind[to] = source.behind[route]
    target.start[to] = source.start[route]
    target.end[to] = source.end[route]
    for k in range(source.sums.shape[1]):
        target.sums[to, k] = source.sums[route, k]
    for k in range(source.span.shape[1]):
        target.span[to, k] = source.span[route, k]


@inlined
def copy_times(target, source, node):
    """Copy what lies before and behind a customer from one solution to another."""
    for k in range(source.times.shape[1]):
        target.times[node, k] = source.times[node, k]
    for k in range(source.cargo.shape[1]):
        target.cargo[node, k] = source.cargo[node, k]


@inlined
def copy_counts(target, source):
    """Copy how many vehicles of each type are in use, and how many of each group are visited."""
    for kind in range(len(source.taken)):
        target.taken[kind] = source.taken[kind]
    for group in range(len(source.visited)):
        target.visited[group] = source.visited[group]


# --- Costs ----------------------------------------------------------------------------------------------------------


@shared
def route_cost(problem, solution, route):
    """What a route costs; what its vehicle costs is added to the first of its trips."""
    kind = solution.kind[route]
    cost = problem.kinds[kind, LIMIT.per_distance] * solution.length[route]
    if solution.ahead[route] < 0:
        cost += problem.kinds[kind, LIMIT.fixed]
        if problem.clocked:
            cost += time_cost(problem, kind, solution.span[route, SPAN.whole])
    return cost


@shared
def objective(problem, solution):
    """What the search minimises: the costs of all routes, and of leaving out customers and groups."""
    total = 0.0
    for route in range(solution.counts[USED]):
        total += route_cost(problem, solution, route)
    for k in range(solution.counts[BANKED]):
        total += problem.unserved[solution.bank[k]]
    if problem.grouped:
        for group in range(1, len(problem.lacking)):
            if solution.visited[group] == 0:
                total += problem.lacking[group]
    return total


@shared
def solution_cost(problem, solution):
    """What a solution costs, whoever is missing: routes, and prizes of those who may be left out."""
    total = 0.0
    for route in range(solution.counts[USED]):
        total += route_cost(problem, solution, route)
    if problem.elective or problem.grouped:
        for k in range(solution.counts[BANKED]):
            total += problem.prize[solution.bank[k]]
    if problem.grouped:
        for group in range(1, len(problem.lacking)):
            if solution.visited[group] == 0:
                total += problem.forfeit[group]
    return total


@shared
def missing(problem, solution):
    """How many customers and groups are not served who must be."""
    total = solution.counts[BANKED]
    if problem.elective or problem.grouped:
        total = 0
        for k in range(solution.counts[BANKED]):
            customer = solution.bank[k]
            total += not (problem.optional[customer] or problem.group[customer])
        for group in range(1, len(problem.lacking)):
            total += solution.visited[group] == 0 and problem.lacking[group] >= problem.penalty
    return total


def cost_of_distance(problem):
    """What a unit of distance costs a usual vehicle, the time that it takes included; for Python, not compiled."""
    return float(np.median(problem.kinds[:, LIMIT.per_distance] + problem.kinds[:, LIMIT.per_duration]))


def rarity(problem):
    """How many customers there are for each that may change places with a usual one, as vehicles go; for Python.

    Each of the two must suit the other's vehicle.
    """
    available = problem.ends[:, WHERE.available].astype(np.float64)
    share = (available @ problem.may_serve[:, 1:]).mean() / max(available.sum(), 1.0)
    return float(1.0 / max(share, 0.1) ** 2)


@kernel
def cost_of_both(problem, solution, here, there):
    """What the vehicles of two routes cost; one that is empty has none."""
    return cost_of_vehicle(problem, solution, here) + cost_of_vehicle(problem, solution, there)


@kernel
def cost_of_vehicle(problem, solution, route):
    """What the vehicle of a route costs, all its trips together; nothing if the route is empty."""
    if solution.size[route] == 0:
        return 0.0
    if not problem.trips:
        return route_cost(problem, solution, route)
    while solution.ahead[route] >= 0:
        route = solution.ahead[route]
    total = 0.0
    while route >= 0:
        total += route_cost(problem, solution, route)
        route = solution.behind[route]
    return total


# --- Who waits ------------------------------------------------------------------------------------------------------

# How many neighbours of one that may be left out are asked whether their routes have changed; and of one that must not
# be, once so many wait that trying them all again and again takes too long.
BESIDE, BESIDE_REQUIRED, MANY_WAIT = 6, 20, 20
# Those who may be left out have their turn near a change as often as this is a part of all who wait.
SOME_OTHERS = 60.0
# How often room is made near somebody who waits for it.
MAKE_ROOM = 0.5


@inlined
def who_waits_for_room(problem, solution, rng):
    """Somebody in the bank who must be served, now and then; END for nobody in particular."""
    waiting = solution.counts[BANKED]
    if waiting == 0 or random_float(rng) >= MAKE_ROOM:
        return END
    customer = solution.bank[random_int(rng, waiting)]
    return customer if is_item(problem, solution, customer) and cost_without(problem, customer) == np.inf else END


@inlined
def is_item(problem, solution, customer):
    """True if a customer stands for something that waits to be served."""
    if solution.route[customer] >= 0 or problem.second[customer]:
        return False
    group = problem.group[customer]
    if group == 0:
        return True
    return solution.visited[group] == 0 and problem.members[problem.begins[group]] == customer


@shared
def item_of(problem, customer):
    """The customer that stands for a pair or a group; himself for one in neither."""
    group = problem.group[customer]
    if group:
        return problem.members[problem.begins[group]]
    return problem.mate[customer] if problem.second[customer] else customer


@inlined
def cost_without(problem, item):
    """What leaving out an item costs; infinite if it must be served."""
    if problem.group[item]:
        group = problem.group[item]
        return problem.lacking[group] if problem.lacking[group] < problem.penalty else np.inf
    return problem.unserved[item] if problem.optional[item] else np.inf


@inlined
def worth_a_try(problem, solution, item, rng):
    """True if an item must be served, was just removed, or lies near a route that is being changed.

    Many may be left out, and nothing has changed for most of them. Of those for whom it has, some have their turn:
    they would take the places of all who were just removed, and hardly ever would that be accepted.
    """
    if solution.leg[item] == JUST_REMOVED:
        return True
    must = cost_without(problem, item) == np.inf
    if must and solution.counts[BANKED] <= MANY_WAIT:
        return True
    near = problem.neighbours[item]
    for k in range(min(BESIDE_REQUIRED if must else BESIDE, len(near))):
        route = solution.route[np.int64(near[k])]
        if route >= 0 and solution.touched[route]:
            return must or random_float(rng) * solution.counts[BANKED] < SOME_OTHERS
    return False


@inlined
def waits(problem, solution, customer, rng):
    """True if one in the bank stands for what should be served, and it may come off now."""
    return is_item(problem, solution, customer) and worth_a_try(problem, solution, customer, rng)


@kernel
def let_all_rest(problem, solution):
    """Let nobody in the bank count as just removed any more."""
    if problem.elective:
        for k in range(solution.counts[BANKED]):
            solution.leg[solution.bank[k]] = 0.0
