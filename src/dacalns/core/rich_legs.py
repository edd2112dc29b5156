"""Legs of rich problems: how far and how long it is for a vehicle, and how stretches of a route are joined.

Times are stretches: see `dacalns.core.rich.Segment`. A stretch that cannot be driven has an infinite duration.
"""

import numpy as np

from dacalns.core.jit import inlined, shared
from dacalns.core.model import END
from dacalns.core.rich import DEPOT, LIMIT, SEGMENT, SPAN, WHERE

# --- Stretches of time ----------------------------------------------------------------------------------------------


@inlined
def joined(duration, earliest, latest, gap, duration_on, earliest_on, latest_on):
    """Join two stretches that are a drive of ``gap`` apart: the duration (infinite: too late), and when to begin."""
    onward = duration + gap
    if onward == np.inf or earliest + onward > latest_on:
        return np.inf, earliest, latest
    wait = max(0.0, earliest_on - onward - latest)
    return onward + duration_on + wait, max(earliest_on - onward, earliest) - wait, min(latest_on - onward, latest)


@inlined
def let_go(duration, earliest, latest, released):
    """Begin a stretch not before its goods are released."""
    if released > latest:
        return np.inf, earliest, latest
    return duration, max(earliest, released), latest


@inlined
def start_of(problem, solution, route):
    """The stretch that is the start of a trip, loading included."""
    kind, place = solution.kind[route], solution.start[route]
    opens, closes = problem.depots[place, DEPOT.opens], problem.depots[place, DEPOT.closes]
    if solution.ahead[route] < 0:
        opens = max(opens, problem.kinds[kind, LIMIT.opens])
        closes = min(closes, problem.kinds[kind, LIMIT.starts_by])
    return problem.depots[place, DEPOT.loading], opens, closes


@inlined
def end_of(problem, solution, route):
    """When a trip may end; if another follows, that one says so."""
    kind, place = solution.kind[route], solution.end[route]
    if solution.behind[route] >= 0:
        return 0.0, -np.inf, np.inf
    return last_return(problem, kind, place)


@inlined
def last_return(problem, kind, place):
    """When a vehicle may end its last trip at a place."""
    opens = max(problem.depots[place, DEPOT.opens], problem.kinds[kind, LIMIT.opens])
    return 0.0, opens, min(problem.depots[place, DEPOT.closes], problem.kinds[kind, LIMIT.closes])


@inlined
def before(problem, solution, route, node):
    """The stretch from the start of a trip to the end of service at a customer, or to the start itself (END)."""
    if node == END:
        return start_of(problem, solution, route)
    times = solution.times
    return times[node, SEGMENT.duration], times[node, SEGMENT.earliest], times[node, SEGMENT.latest]


@inlined
def behind(problem, solution, route, node):
    """The stretch from the start of service at a customer to the end of its trip, or the end itself (END)."""
    if node == END:
        return end_of(problem, solution, route)
    times = solution.times
    return times[node, SEGMENT.duration_on], times[node, SEGMENT.earliest_on], times[node, SEGMENT.latest_on]


@inlined
def released_before(solution, node):
    """When the goods of a customer and those before it on its trip are released."""
    return solution.times[node, SEGMENT.released] if node else 0.0


@inlined
def released_behind(solution, node):
    """When the goods of a customer and those behind it on its trip are released."""
    return solution.times[node, SEGMENT.released_on] if node else 0.0


@inlined
def whole_duration(problem, solution, route, duration, earliest, latest, released):
    """How long the vehicle is under way in all, if its trip is this stretch; infinite if that cannot be."""
    duration, earliest, latest = let_go(duration, earliest, latest, released)
    if problem.trips:
        span = solution.span
        duration, earliest, latest = joined(
            span[route, SPAN.duration], span[route, SPAN.earliest], span[route, SPAN.latest],
            0.0, duration, earliest, latest,
        )  # fmt: skip
        duration, earliest, latest = joined(
            duration, earliest, latest, 0.0,
            span[route, SPAN.duration_on], span[route, SPAN.earliest_on], span[route, SPAN.latest_on],
        )  # fmt: skip
    return duration


@shared
def time_cost(problem, kind, duration):
    """What it costs to be under way for so long; infinite if that is too long."""
    kinds = problem.kinds
    if duration == np.inf or duration > kinds[kind, LIMIT.duration]:
        return np.inf
    cost = kinds[kind, LIMIT.per_duration] * duration
    if duration > kinds[kind, LIMIT.shift]:
        cost += kinds[kind, LIMIT.per_overtime] * (duration - kinds[kind, LIMIT.shift])
    return cost


# --- Legs -----------------------------------------------------------------------------------------------------------


@inlined
def place_behind(solution, route, node):
    """The place of a customer that is followed, or where its trip starts (END)."""
    return node if node else solution.start[route]


@inlined
def place_ahead(solution, route, node):
    """The place of a customer that follows, or where the trip ends (END)."""
    return node if node else solution.end[route]


@inlined
def distance(problem, solution, route, tail, head):
    """The distance from ``tail`` to ``head`` for the vehicle of ``route``; END is where that starts or ends."""
    profile = problem.ends[solution.kind[route], WHERE.profile]
    return problem.legs[profile, place_behind(solution, route, tail), place_ahead(solution, route, head)]


@inlined
def distance_to(problem, solution, route, customer, place):
    """The distance from ``customer`` to a place of the route."""
    return distance(problem, solution, route, customer, place)


@inlined
def distance_back(problem, solution, route, place, customer, thither):
    """The distance from a place of the route to ``customer``."""
    return distance(problem, solution, route, place, customer)


@inlined
def rate_of(problem, solution, route):
    """What a unit of distance costs the vehicle of a route."""
    return problem.kinds[solution.kind[route], LIMIT.per_distance]


@inlined
def edge(problem, solution, route, one, other):
    """The distance of two places that stand side by side on ``route`` in this order."""
    return distance(problem, solution, route, one, other)


@inlined
def duration(problem, solution, route, tail, head):
    """How long it takes the vehicle of ``route`` from ``tail`` to ``head``."""
    return drive(problem, solution, route, tail, head)


@inlined
def drive(problem, solution, route, tail, head):
    """How long it takes the vehicle of ``route`` from ``tail`` to ``head``."""
    profile = problem.ends[solution.kind[route], WHERE.profile]
    return problem.drives[profile, place_behind(solution, route, tail), place_ahead(solution, route, head)]


@inlined
def leg_now(problem, solution, route, tail, head):
    """The distance of a leg that the route has now, from ``tail`` to the ``head`` behind it; an empty one has none."""
    if head:
        return solution.leg[head]
    return distance(problem, solution, route, tail, END) if tail else 0.0


@shared
def reversible(problem):
    """Return False: other directions are tried one by one."""
    return False
