"""What the arrays of a rich solution must say, computed from its links alone in another way than the kernels do."""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from dacalns.core.model import BANKED, END, USED, Problem, Solution
from dacalns.core.rich import CARGO, DEPOT, FORBIDDEN, LIMIT, SEGMENT, SPAN, WHERE

Stop = tuple[float, float, float]  # opens, closes, service
Stretch = tuple[float, float, float]  # duration, earliest and latest start
NO_TIME: Stretch = (0.0, -math.inf, math.inf)


def stretch(stops: list[Stop], gaps: list[float]) -> Stretch:
    """How long the stops take, and when to begin for that: by the times that lie before each of them."""
    if not stops:
        return NO_TIME
    before = [0.0]
    for (_, _, service), gap in zip(stops, gaps, strict=False):
        before.append(before[-1] + service + gap)
    for later, (_, closes, _) in enumerate(stops):
        for earlier in range(later):
            if stops[earlier][0] + before[later] - before[earlier] > closes + 1e-9:
                return math.inf, math.nan, math.nan
    whole = before[len(stops) - 1] + stops[-1][2]
    earliest = max(opens - passed for (opens, _, _), passed in zip(stops, before, strict=False))
    latest = min(closes - passed for (_, closes, _), passed in zip(stops, before, strict=False))
    if earliest <= latest:
        return whole, earliest, latest
    return whole + earliest - latest, latest, latest


def trip_of(solution: Solution, route: int) -> list[int]:
    """The customers of a trip."""
    found, node = [], int(solution.first[route])
    while node:
        found.append(node)
        assert len(found) < len(solution.succ), "a route runs in a circle"
        node = int(solution.succ[node])
    return found


def chain_of(solution: Any, route: int) -> list[int]:
    """All trips of the vehicle of a route, the first one first."""
    while solution.ahead[route] >= 0:
        route = int(solution.ahead[route])
    chain = [route]
    while solution.behind[chain[-1]] >= 0:
        chain.append(int(solution.behind[chain[-1]]))
        assert len(chain) <= solution.counts[USED], "trips run in a circle"
        assert solution.ahead[chain[-1]] == chain[-2]
    return chain


def places_of(solution: Any, route: int) -> list[int]:
    """Where a trip goes, its start and end included."""
    return [int(solution.start[route]), *trip_of(solution, route), int(solution.end[route])]


def stops_of(problem: Any, solution: Any, route: int) -> tuple[list[Stop], list[float]]:
    """All stops of a trip, its start and end included, and the drives between them."""
    kind = int(solution.kind[route])
    limits, depots = problem.kinds[kind], problem.depots
    start, *nodes, end = places_of(solution, route)
    opens, closes, loading = depots[start, [DEPOT.opens, DEPOT.closes, DEPOT.loading]].tolist()
    if solution.ahead[route] < 0:
        opens, closes = max(opens, limits[LIMIT.opens]), min(closes, limits[LIMIT.starts_by])
    stops: list[Stop] = [(opens, closes, loading)]
    stops += [(problem.opens[node], problem.closes[node], problem.service[node]) for node in nodes]
    if solution.behind[route] < 0:
        opens, closes = depots[end, [DEPOT.opens, DEPOT.closes]].tolist()
        stops.append((max(opens, limits[LIMIT.opens]), min(closes, limits[LIMIT.closes]), 0.0))
    else:
        stops.append((-math.inf, math.inf, 0.0))
    drives = problem.drives[int(problem.ends[kind, WHERE.profile])]
    return stops, [drives[leg] for leg in pairwise(places_of(solution, route))]


def released(problem: Any, nodes: list[int]) -> float:
    """When the last goods of some customers are released."""
    return max((float(problem.release[node]) for node in nodes), default=0.0)


def of_trips(problem: Any, solution: Any, trips: list[int]) -> Stretch:
    """The trips of a vehicle one after the other, none of which leaves before its goods are released."""
    stops: list[Stop] = []
    gaps: list[float] = []
    for route in trips:
        own, between = stops_of(problem, solution, route)
        opens, closes, loading = own[0]
        own[0] = max(opens, released(problem, trip_of(solution, route))), closes, loading
        if own[0][0] > closes:
            return math.inf, math.nan, math.nan
        gaps += [0.0] * bool(stops) + between
        stops += own
    return stretch(stops, gaps)


def loads(problem: Any, start: np.ndarray, nodes: list[int]) -> np.ndarray:
    """What is on board at the start with all deliveries, and at the most at each customer."""
    board = start + problem.deliver[nodes].sum(axis=0)
    found = [board]
    for node in nodes:
        before = board
        board = board - problem.deliver[node] + problem.collect[node]
        found.append(np.maximum(before, board))
    return np.array(found)


def require_sound(problem: Any, solution: Any) -> None:
    """Every array says what the links do, and all limits are kept."""
    used, nodes = int(solution.counts[USED]), len(solution.succ)
    seen: list[int] = []
    for route in range(used):
        _require_trip(problem, solution, route)
        seen += trip_of(solution, route)
    for route in range(used, len(solution.first)):
        assert (solution.first[route], solution.last[route], solution.size[route]) == (END, END, 0)
        assert solution.load[route] == solution.length[route] == 0
        assert not solution.sums[route].any()
    for route in {chain_of(solution, route)[0] for route in range(used)}:
        _require_vehicle(problem, solution, chain_of(solution, route))
    bank = solution.bank[: solution.counts[BANKED]].tolist()
    assert sorted(seen + bank) == list(range(1, nodes))
    assert [int(solution.slot[customer]) for customer in bank] == list(range(len(bank)))
    assert all(solution.route[customer] == -1 for customer in bank)
    kinds = [int(solution.kind[route]) for route in range(used) if solution.ahead[route] < 0]
    assert solution.taken.tolist() == [kinds.count(kind) for kind in range(len(problem.ends))]
    assert (solution.taken <= problem.ends[:, WHERE.available]).all()
    if problem.grouped:
        for group in range(1, len(problem.lacking)):
            visited = sum(int(problem.group[node]) == group for node in seen)
            assert visited == solution.visited[group] <= 1
    for customer in seen:
        mate = int(problem.mate[customer])
        if mate:
            assert solution.route[mate] == solution.route[customer]
            trip = trip_of(solution, int(solution.route[customer]))
            assert (trip.index(customer) > trip.index(mate)) == bool(problem.second[customer])


def _require_trip(problem: Any, solution: Any, route: int) -> None:
    nodes, kind = trip_of(solution, route), int(solution.kind[route])
    first = solution.ahead[route] < 0
    assert nodes, "a route in use is empty"
    assert solution.last[route] == nodes[-1]
    assert solution.size[route] == len(nodes)
    assert solution.dirty[route] == 0
    assert [int(solution.pred[node]) for node in nodes] == [0, *nodes[:-1]]
    assert (solution.route[nodes] == route).all()
    assert problem.may_serve[kind, nodes].all()
    legs = problem.legs[int(problem.ends[kind, WHERE.profile])]
    lengths = [float(legs[leg]) for leg in pairwise(places_of(solution, route))]
    assert max(lengths) < FORBIDDEN
    assert np.allclose(solution.leg[nodes], lengths[:-1])
    assert math.isclose(solution.length[route], math.fsum(lengths), abs_tol=1e-9)
    assert math.isclose(solution.load[route], problem.demand[nodes].sum(), abs_tol=1e-9)
    delivered, collected = problem.deliver[nodes].sum(axis=0), problem.collect[nodes].sum(axis=0)
    assert np.allclose(solution.sums[route], [*delivered, *collected])
    start = problem.aboard[kind] if first else np.zeros(len(delivered))
    assert (loads(problem, start, nodes) <= problem.holds[kind]).all()
    ends = problem.ends[kind]
    if first:
        assert solution.start[route] == ends[WHERE.start]
    else:
        assert solution.start[route] in set(problem.reload_at[kind].tolist()) - {0}
        assert solution.end[int(solution.ahead[route])] == solution.start[route]
        assert solution.kind[int(solution.ahead[route])] == kind
    if solution.behind[route] < 0:
        assert solution.end[route] == ends[WHERE.end]
    if problem.clocked:
        stops, gaps = stops_of(problem, solution, route)
        for at, node in enumerate(nodes, start=1):
            times = solution.times[node]
            head, tail = stretch(stops[: at + 1], gaps), stretch(stops[at:], gaps[at:])
            assert np.allclose(times[[SEGMENT.duration, SEGMENT.earliest, SEGMENT.latest]], head)
            assert np.allclose(times[[SEGMENT.duration_on, SEGMENT.earliest_on, SEGMENT.latest_on]], tail)
            assert times[SEGMENT.released] == released(problem, nodes[:at])
            assert times[SEGMENT.released_on] == released(problem, nodes[at - 1 :])
    if problem.mixed:
        for at, node in enumerate(nodes, start=1):
            rows = solution.cargo[node].reshape(-1, len(CARGO)).T
            head, tail = nodes[:at], nodes[at - 1 :]
            assert np.allclose(rows[CARGO.delivered], problem.deliver[head].sum(axis=0))
            assert np.allclose(rows[CARGO.collected], start + problem.collect[head].sum(axis=0))
            assert np.allclose(rows[CARGO.most], loads(problem, start, head).max(axis=0))
            assert np.allclose(rows[CARGO.delivered_on], problem.deliver[tail].sum(axis=0))
            assert np.allclose(rows[CARGO.collected_on], problem.collect[tail].sum(axis=0))
            assert np.allclose(rows[CARGO.most_on], loads(problem, 0 * start, tail).max(axis=0))


def _require_vehicle(problem: Any, solution: Any, chain: list[int]) -> None:
    kind = int(solution.kind[chain[0]])
    limits = problem.kinds[kind]
    far = math.fsum(solution.length[chain])
    stops = sum(len(trip_of(solution, route)) for route in chain)
    assert far <= limits[LIMIT.distance]
    assert stops <= limits[LIMIT.stops]
    assert len(chain) - 1 <= limits[LIMIT.reloads]
    whole = of_trips(problem, solution, chain)[0]
    if problem.clocked:
        assert whole <= limits[LIMIT.duration]
        assert np.allclose(solution.span[chain, SPAN.whole], whole)
    if not problem.trips:
        assert chain == chain[:1]
        return
    for at, route in enumerate(chain):
        span = solution.span[route]
        assert math.isclose(span[SPAN.elsewhere], far - solution.length[route], abs_tol=1e-9)
        assert span[SPAN.stops] == stops - len(trip_of(solution, route))
        assert span[SPAN.reloads] == len(chain) - 1
        if problem.clocked:
            head = of_trips(problem, solution, chain[:at])
            tail = of_trips(problem, solution, chain[at + 1 :])
            assert np.allclose(span[[SPAN.duration, SPAN.earliest, SPAN.latest]], head)
            assert np.allclose(span[[SPAN.duration_on, SPAN.earliest_on, SPAN.latest_on]], tail)


def cost_of(problem: Any, solution: Any) -> float:
    """The cost of all vehicles, computed anew."""
    total = 0.0
    for route in range(int(solution.counts[USED])):
        if solution.ahead[route] >= 0:
            continue
        chain = chain_of(solution, route)
        limits = problem.kinds[int(solution.kind[route])]
        total += limits[LIMIT.fixed] + limits[LIMIT.per_distance] * math.fsum(solution.length[chain])
        if problem.clocked:
            whole = of_trips(problem, solution, chain)[0]
            total += limits[LIMIT.per_duration] * whole
            if limits[LIMIT.per_overtime]:
                total += limits[LIMIT.per_overtime] * max(0.0, whole - limits[LIMIT.shift])
    return total


def is_same(one: Any, other: Any) -> bool:
    """Whether two solutions agree in all that is read of them: routes in use, customers on them, the bank."""
    used, banked = int(one.counts[USED]), int(one.counts[BANKED])
    if (used, banked) != (int(other.counts[USED]), int(other.counts[BANKED])):
        return False
    routes = ("first", "last", "size", "load", "length", "kind", "ahead", "behind", "start", "end", "sums", "span")
    same = all(np.array_equal(getattr(one, name)[:used], getattr(other, name)[:used]) for name in routes)
    nodes = [node for route in range(used) for node in trip_of(one, route)]
    names = ("succ", "pred", "route", "leg", "times", "cargo")
    same &= all(np.array_equal(getattr(one, name)[nodes], getattr(other, name)[nodes]) for name in names)
    return bool(
        same
        and one.bank[:banked].tolist() == other.bank[:banked].tolist()
        and np.array_equal(one.taken, other.taken)
        and np.array_equal(one.visited, other.visited)
    )


__all__ = ["Problem", "chain_of", "cost_of", "is_same", "places_of", "require_sound", "stretch", "trip_of"]
