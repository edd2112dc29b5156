"""The fleet of rich problems: which vehicle drives a route, what may be opened, and trips of one vehicle."""

import numpy as np

from dacalns.core.jit import inlined, kernel
from dacalns.core.model import USED
from dacalns.core.rich import DEPOT, LIMIT, NOWHERE, SPAN, WHERE
from dacalns.core.rich_legs import before, behind, joined, let_go, released_before, released_behind
from dacalns.core.rich_terms import recompute, touch_trip

# --- The fleet ------------------------------------------------------------------------------------------------------


@inlined
def has_vehicle(problem, solution, kind):
    """True if the fleet has another vehicle of a type."""
    return solution.taken[kind] < problem.ends[kind, WHERE.available] and solution.counts[USED] < problem.fleet


@inlined
def candidate_routes(problem, solution):
    """How many numbers of routes there are: those in use, and behind them one for each type of vehicle."""
    return solution.counts[USED] + len(problem.ends)


@inlined
def may_open(problem, solution, route):
    """True if ``route`` is in use, or stands for a vehicle type of which there is another vehicle."""
    kind = route - solution.counts[USED]
    if kind < 0:
        return route >= 0
    return kind < len(problem.ends) and has_vehicle(problem, solution, kind)


@inlined
def empty_route(problem, solution):
    """The number of an empty route with a vehicle; -1 if the fleet has no other."""
    for kind in range(len(problem.ends)):
        if has_vehicle(problem, solution, kind):
            return solution.counts[USED] + kind
    return -1


@inlined
def trip_number(problem, solution, route, ahead, rank):
    """The number that stands for a new trip behind ``route``, or ``ahead`` of it, from the depot of a rank."""
    beyond = solution.counts[USED] + len(problem.ends)
    return beyond + (2 * route + ahead) * problem.reload_at.shape[1] + rank


@inlined
def may_load_again(problem, solution, route, ahead, rank):
    """True if the vehicle of ``route`` may make another trip from the depot of a rank, behind it or ahead of it."""
    kind = solution.kind[route]
    if problem.reload_at[kind, rank] == NOWHERE or (ahead and solution.ahead[route] >= 0):
        return False
    return solution.span[route, SPAN.reloads] + 1.0 <= problem.kinds[kind, LIMIT.reloads]


@inlined
def rank_of(problem, kind, depot):
    """The rank of a depot among those where a type may load again; -1 if it may not."""
    for rank in range(problem.reload_at.shape[1]):
        if problem.reload_at[kind, rank] == depot:
            return rank
    return -1


@kernel
def opened(problem, solution, route):
    """Return the number of ``route``, which gets a vehicle, or becomes a trip of one, if it is not in use."""
    used = solution.counts[USED]
    if route < used:
        return route
    kind = route - used
    if kind < len(problem.ends):
        set_vehicle(problem, solution, used, kind)
        solution.taken[kind] += 1
        return used
    other, ahead, depot = _trip_of(problem, solution, route)
    _set_trip(problem, solution, used, other, ahead, depot)
    if ahead:
        solution.ahead[other] = used
        solution.start[other] = depot
    else:
        following = solution.behind[other]
        if following >= 0:
            solution.ahead[following] = used
        solution.behind[other] = used
        solution.end[other] = depot
    recompute(problem, solution, other)
    return used


@kernel
def as_route(problem, solution, route):
    """Return the number of a route, empty perhaps, that has a vehicle and can be asked about."""
    used = solution.counts[USED]
    if route < used:
        return route
    if route - used < len(problem.ends):
        set_vehicle(problem, solution, used, route - used)
    else:
        other, ahead, depot = _trip_of(problem, solution, route)
        _set_trip(problem, solution, used, other, ahead, depot)
    return used


@inlined
def _trip_of(problem, solution, number):
    """Beside which trip a new one stands, whether ahead of it, and the place where the vehicle loads again."""
    code = number - solution.counts[USED] - len(problem.ends)
    depots = problem.reload_at.shape[1]
    other = code // depots // 2
    return other, code // depots % 2, problem.reload_at[solution.kind[other], code % depots]


@inlined
def detour(problem, solution, route, ahead, depot):
    """How much farther a trip is that begins (``ahead``: another goes before it) or ends at another depot."""
    if ahead:
        node = solution.first[route]
        profile = problem.ends[solution.kind[route], WHERE.profile]
        return problem.legs[profile, depot, node] - problem.legs[profile, solution.start[route], node]
    node = solution.last[route]
    profile = problem.ends[solution.kind[route], WHERE.profile]
    return problem.legs[profile, node, depot] - problem.legs[profile, node, solution.end[route]]


@kernel
def detour_of(problem, solution, number):
    """What a new trip costs by the detour of the trip beside it; 0 for other routes."""
    if number < solution.counts[USED] + len(problem.ends):
        return 0.0
    other, ahead, depot = _trip_of(problem, solution, number)
    per_distance = problem.kinds[solution.kind[other], LIMIT.per_distance]
    return per_distance * detour(problem, solution, other, ahead, depot)


@kernel
def _set_trip(problem, solution, route, other, ahead, depot):
    """Let an empty route be another trip of the vehicle of ``other``, which itself stays as it is for now."""
    span = solution.span
    kind = solution.kind[other]
    profile = problem.ends[kind, WHERE.profile]
    solution.kind[route] = kind
    farther = detour(problem, solution, other, ahead, depot)
    for k in range(span.shape[1]):
        span[route, k] = span[other, k]
    span[route, SPAN.elsewhere] += solution.length[other] + farther
    span[route, SPAN.stops] += solution.size[other]
    span[route, SPAN.reloads] += 1.0
    if ahead:
        solution.start[route], solution.end[route] = solution.start[other], depot
        solution.ahead[route], solution.behind[route] = -1, other
        if problem.clocked:
            node = solution.first[other]
            hours = problem.depots
            duration, earliest, latest = behind(problem, solution, other, node)
            one, early, late = joined(
                hours[depot, DEPOT.loading], hours[depot, DEPOT.opens], hours[depot, DEPOT.closes],
                problem.drives[profile, depot, node], duration, earliest, latest,
            )  # fmt: skip
            one, early, late = let_go(one, early, late, released_behind(solution, node))
            one, early, late = joined(
                one, early, late, 0.0,
                span[other, SPAN.duration_on], span[other, SPAN.earliest_on], span[other, SPAN.latest_on],
            )  # fmt: skip
            span[route, SPAN.duration_on] = one
            span[route, SPAN.earliest_on] = early
            span[route, SPAN.latest_on] = late
    else:
        solution.start[route], solution.end[route] = depot, solution.end[other]
        solution.ahead[route], solution.behind[route] = other, solution.behind[other]
        if problem.clocked:
            node = solution.last[other]
            duration, earliest, latest = before(problem, solution, other, node)
            one, early, late = joined(
                duration, earliest, latest, problem.drives[profile, node, depot], 0.0, -np.inf, np.inf
            )
            one, early, late = let_go(one, early, late, released_before(solution, node))
            one, early, late = joined(
                span[other, SPAN.duration], span[other, SPAN.earliest], span[other, SPAN.latest],
                0.0, one, early, late,
            )  # fmt: skip
            span[route, SPAN.duration] = one
            span[route, SPAN.earliest] = early
            span[route, SPAN.latest] = late


@inlined
def set_vehicle(problem, solution, route, kind):
    """Let a route be the one trip of a vehicle of a type."""
    solution.kind[route] = kind
    solution.start[route] = problem.ends[kind, WHERE.start]
    solution.end[route] = problem.ends[kind, WHERE.end]
    solution.ahead[route] = solution.behind[route] = -1
    span = solution.span
    for k in range(span.shape[1]):
        span[route, k] = 0.0
    span[route, SPAN.earliest] = span[route, SPAN.earliest_on] = -np.inf
    span[route, SPAN.latest] = span[route, SPAN.latest_on] = np.inf


@inlined
def give_back(problem, solution, route):
    """Let the vehicle of an emptied route be free again; its other trips stay. Return whether those beside change."""
    ahead, following = solution.ahead[route], solution.behind[route]
    solution.ahead[route] = solution.behind[route] = -1
    if ahead < 0 and following < 0:
        solution.taken[solution.kind[route]] -= 1
        return False
    if ahead >= 0:
        solution.behind[ahead] = following
        solution.end[ahead] = solution.end[route] if following < 0 else solution.start[following]
        _let_change(solution, ahead)
    if following >= 0:
        solution.ahead[following] = ahead
        if ahead < 0:
            solution.start[following] = solution.start[route]
        _let_change(solution, following)
    return True


@inlined
def _let_change(solution, route):
    """Let a trip be computed anew; one that has no customers, and is given back already, stays as it is."""
    if solution.size[route]:
        touch_trip(solution, route)
        solution.dirty[route] = 1


@inlined
def stamp(problem, solution, route):
    """A number that tells the vehicle of a route, for fingerprints."""
    return np.uint64(1 + solution.kind[route])
