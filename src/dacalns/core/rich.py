"""Rich problems: vehicle types, depots, pickups, pairs, groups, prizes, trips, limits on routes; and their solutions.

A rich problem begins with the fields of a plain one, and so does its solution, so that whatever reads only those
through a pointer (selectors, networks) works on both. `core/rich_terms.py` answers the questions of `core/terms.py`.

A *place* is somewhere to drive to: 0 is nowhere, which is no distance from anywhere, customers 1 … n are at the places
of their numbers, and depots come behind. A *kind* is a vehicle type. With reloads, what a vehicle drives is a chain of
routes, each a *trip* from one place to another.
"""

from typing import NamedTuple

import numba
import numpy as np

from dacalns.core.lanes import LANES
from dacalns.core.memory import by_reference
from dacalns.core.model import (
    BANKED,
    BESIDES,
    LINKS,
    SLACK,
    WORKING_ROWS,
    Problem,
    Solution,
    nearest_customers,
)
from dacalns.core.records import numbered
from dacalns.util.tolerance import time_tolerance, tolerance

# Legs as long as this are forbidden. A few of them in a sum leave it exact, so that they can be taken off again.
FORBIDDEN = 2.0**40
# What one who was removed in this iteration, or was never served, has in place of the distance from somebody before it.
JUST_REMOVED = -1.0
NOWHERE = 0


class Segment(NamedTuple):
    """The columns of `RichSolution.times`: what lies before and behind a customer on its trip, itself included.

    A stretch takes its duration, waiting included, if it begins between its earliest and latest start. Whoever begins
    earlier only waits longer, and the customers on the trip may not be had before the last of them is released.
    """

    duration: int  #: from the start of the trip to the end of service here
    earliest: int
    latest: int
    released: int
    duration_on: int  #: from the start of service here to the end of the trip
    earliest_on: int
    latest_on: int
    released_on: int


SEGMENT = numbered(Segment)


class Span(NamedTuple):
    """The columns of `RichSolution.span`: what a vehicle does before and behind a trip, and in all."""

    duration: int  #: of the trips before
    earliest: int
    latest: int
    duration_on: int  #: of the trips behind
    earliest_on: int
    latest_on: int
    elsewhere: int  #: the distance of all other trips
    stops: int  #: the customers of all other trips
    reloads: int  #: how often the vehicle loads again
    whole: int  #: the duration of all trips


SPAN = numbered(Span)


class Cargo(NamedTuple):
    """The columns of `RichSolution.cargo`, these six for each load dimension."""

    delivered: int  #: up to here
    collected: int
    most: int  #: the most that is on board at any time, of what was delivered and collected up to here
    delivered_on: int  #: from here on
    collected_on: int
    most_on: int


CARGO = numbered(Cargo)


class Limit(NamedTuple):
    """The columns of `RichProblem.kinds`: what vehicles of a type may do, and what they cost."""

    fixed: int  #: the cost of a vehicle that is used
    per_distance: int
    per_duration: int
    per_overtime: int
    shift: int  #: the duration without overtime
    duration: int  #: the longest duration, overtime included
    distance: int
    stops: int
    opens: int  #: the earliest start of loading
    starts_by: int  #: the latest start of loading
    closes: int  #: the latest return
    reloads: int  #: how often a vehicle may load again


LIMIT = numbered(Limit)


class Where(NamedTuple):
    """The columns of `RichProblem.ends`."""

    profile: int  #: the matrices of the type
    start: int  #: the place where its routes start
    end: int
    available: int  #: how many vehicles there are


WHERE = numbered(Where)


class Depot(NamedTuple):
    """The columns of `RichProblem.depots`, a row for each place; of customers, nobody reads it."""

    opens: int
    closes: int
    loading: int  #: how long it takes to load before leaving


DEPOT = numbered(Depot)


class _More(NamedTuple):
    """The fields of a rich problem behind those of a plain one."""

    legs: np.ndarray  #: (profiles, places, places) distances
    drives: np.ndarray  #: (profiles, places, places) driving times
    kinds: np.ndarray  #: (kinds, …) limits and costs, see `Limit`
    ends: np.ndarray  #: (kinds, …) see `Where`
    holds: np.ndarray  #: (kinds, dimensions) capacities
    aboard: np.ndarray  #: (kinds, dimensions) what vehicles start with
    depots: np.ndarray  #: (places, …) see `Depot`
    reload_at: np.ndarray  #: (kinds, most) the places where a type may load again, then `NOWHERE`
    may_serve: np.ndarray  #: (kinds, n+1) 1 where the type may serve the customer
    deliver: np.ndarray  #: (n+1, dimensions) what is brought from the depot
    collect: np.ndarray  #: (n+1, dimensions) what is taken on board; of the second of a pair, what leaves it again
    release: np.ndarray  #: (n+1,) the earliest departure of the customer's trip
    optional: np.ndarray  #: (n+1,) 1 for those who may be left out
    group: np.ndarray  #: (n+1,) the number of the customer's group, 0 for none
    members: np.ndarray  #: the customers of all groups, group after group
    begins: np.ndarray  #: (groups+2,) where the members of each group begin
    lacking: np.ndarray  #: (groups+1,) the cost of a group of whom nobody is visited
    mate: np.ndarray  #: (n+1,) the other one of the customer's pair, 0 for none
    second: np.ndarray  #: (n+1,) 1 for the second of a pair
    clocked: bool  #: whether anything depends on time
    mixed: bool  #: whether what is on board may grow along a trip
    trips: bool  #: whether vehicles may load again
    grouped: bool  #: whether there are groups
    paired: bool  #: whether there are pairs
    elective: bool  #: whether somebody may be left out
    forfeit: np.ndarray  #: (groups+1,) what that adds to the cost of a solution
    sisters: np.ndarray  #: (kinds, kinds) see `_sisters`
    prize: np.ndarray  #: (n+1,) what leaving out a customer adds to the cost of a solution
    closing: np.ndarray  #: (n,) the customers in the order in which their windows close


class _Beyond(NamedTuple):
    """The fields of a solution of a rich problem behind those of a plain one."""

    kind: np.ndarray  #: (routes,) the vehicle type of each route in use
    ahead: np.ndarray  #: (routes,) the trip before, -1 for none
    behind: np.ndarray  #: (routes,) the trip behind, -1 for none
    start: np.ndarray  #: (routes,) the place where the trip starts
    end: np.ndarray  #: (routes,) the place where it ends
    taken: np.ndarray  #: (kinds,) how many vehicles of each type are in use
    visited: np.ndarray  #: (groups+1,) how many of each group are visited
    times: np.ndarray  #: (n+1, …) see `Segment`
    cargo: np.ndarray  #: (n+1, dimensions * …) see `Cargo`
    sums: np.ndarray  #: (routes, 2 dimensions) what is delivered and collected on each trip
    span: np.ndarray  #: (routes, …) see `Span`


def _joined(name, doc, *parts):
    joined = NamedTuple(name, [(field, kind) for part in parts for field, kind in part.__annotations__.items()])
    joined.__doc__, joined.rich = doc, True  # `core/jit.py` decides by that mark
    return by_reference(joined)


RichProblem = _joined("RichProblem", "What an operator may read of a rich instance.", Problem, _More)
RichSolution = _joined("RichSolution", "Routes of a rich problem; see `Solution`.", Solution, _Beyond)


class Fleet(NamedTuple):
    """The vehicle types of a rich problem, one row each, in scaled units."""

    kinds: np.ndarray
    ends: np.ndarray
    holds: np.ndarray
    aboard: np.ndarray
    reload_at: np.ndarray
    may_serve: np.ndarray


class Wishes(NamedTuple):
    """What customers ask for, an entry each, that of nobody first; in scaled units."""

    deliver: np.ndarray
    collect: np.ndarray
    opens: np.ndarray
    closes: np.ndarray
    service: np.ndarray
    release: np.ndarray
    optional: np.ndarray  #: 1 for those who may be left out
    prize: np.ndarray  #: what that costs
    priority: np.ndarray  #: which goes before all costs
    group: np.ndarray  #: from 1 on
    lacking: np.ndarray  #: (groups+1,) the cost of a group of whom nobody is visited; infinite if one must be
    urgent: np.ndarray  #: (groups+1,) the priority of a group
    mate: np.ndarray
    second: np.ndarray


def build_rich_problem(
    legs: np.ndarray, drives: np.ndarray, depots: np.ndarray, fleet: Fleet, wishes: Wishes
) -> Problem:
    """Return a rich problem from arrays in scaled units: places as this module counts them, limits without slack."""
    customers = len(wishes.service) - 1
    kinds, holds = fleet.kinds.astype(np.float64), fleet.holds.astype(np.float64)
    holds = holds + SLACK * tolerance(holds)
    closes = wishes.closes.astype(np.float64)
    clocked = bool(
        np.isfinite(closes[1:]).any()
        or (wishes.opens[1:] > 0).any()
        or (wishes.release[1:] > 0).any()
        or np.isfinite(kinds[:, [LIMIT.shift, LIMIT.duration, LIMIT.starts_by, LIMIT.closes]]).any()
        or (kinds[:, [LIMIT.per_duration, LIMIT.opens]] > 0).any()
        or np.isfinite(depots[customers + 1 :, DEPOT.closes]).any()
        or (depots[customers + 1 :, DEPOT.opens] > 0).any()
    )
    begin = 0.0
    depots = depots.astype(np.float64)
    # Sums of whole numbers are exact, and to begin later than allowed would make routes shorter than they are.
    slack = 0.0 if _whole(drives, depots, kinds[:, LIMIT.shift :], wishes) else SLACK
    closes = closes + slack * time_tolerance(begin, closes)
    closes[0] = _end_of_day(wishes, depots, kinds)
    depots[:, DEPOT.closes] += slack * time_tolerance(begin, depots[:, DEPOT.closes])
    for column in (LIMIT.starts_by, LIMIT.closes, LIMIT.duration):
        kinds[:, column] += slack * time_tolerance(begin, kinds[:, column])
    kinds[:, LIMIT.distance] += SLACK * tolerance(kinds[:, LIMIT.distance])
    near = _plain_distances(legs.min(axis=0), customers, int(fleet.ends[0, WHERE.start]))
    trips = bool(fleet.reload_at.any())
    routes = customers if trips else min(int(fleet.ends[:, WHERE.available].sum()), customers)
    members, begins = _members(wishes.group, len(wishes.lacking))
    unserved, lacking, penalty = _prices(legs, drives, kinds, holds, wishes)
    mixed = bool(wishes.collect.any() or fleet.aboard.any() or wishes.mate.any())
    timed = bool(np.isfinite(closes[1:]).any() or (wishes.opens[1:] > 0).any())

    def frozen(values, dtype=np.float64):
        array = np.array(values, dtype=dtype, order="C")
        array.flags.writeable = False
        return array

    near_by = _neighbours(near, drives, fleet, wishes)
    plain = Problem(
        frozen(near), frozen(wishes.deliver[:, 0]), frozen(wishes.opens), frozen(closes), frozen(wishes.service),
        float(holds[:, 0].max()), routes, penalty, frozen(unserved), timed, bool((near == near.T).all()),
        frozen(near_by, np.int32), True, frozen(np.empty((0, 2))), False, 1.0, 0.0, False,
    )  # fmt: skip
    more = _More(
        frozen(legs), frozen(drives), frozen(kinds), frozen(fleet.ends, np.int64), frozen(holds),
        frozen(fleet.aboard), frozen(depots), frozen(fleet.reload_at, np.int64), frozen(fleet.may_serve, np.int8),
        frozen(wishes.deliver), frozen(wishes.collect), frozen(wishes.release), frozen(wishes.optional, np.int8),
        frozen(wishes.group, np.int64), frozen(members, np.int64), frozen(begins, np.int64), frozen(lacking),
        frozen(wishes.mate, np.int64), frozen(wishes.second, np.int8),
        clocked, mixed, trips, len(wishes.lacking) > 1, bool(wishes.mate.any()),
        bool(wishes.optional.any()), frozen(np.where(np.isfinite(wishes.lacking), wishes.lacking, 0.0)),
        frozen(_sisters(kinds, fleet), np.int8),
        frozen(np.where(wishes.second > 0, 0.0, wishes.prize)),
        frozen(1 + np.lexsort((wishes.opens[1:], wishes.closes[1:])), np.int64),
    )  # fmt: skip
    return RichProblem(*plain, *more)


def _end_of_day(wishes, depots, kinds):
    """When all windows that end have ended: nobody is served at place 0, but networks see what day it is there."""
    times = np.concatenate([wishes.opens, wishes.closes, depots[:, DEPOT.closes], kinds[:, LIMIT.closes], [1.0]])
    return float(times[np.isfinite(times)].max())


def _whole(drives, depots, limits, wishes):
    """Whether all times are whole numbers."""
    times = drives, depots, limits, wishes.opens, wishes.closes, wishes.service, wishes.release
    return all(bool((each == np.rint(each)).all()) for each in times)


# What one type is to another whose routes it may take as far as places, times and distances go: a sister, or one that
# may also serve all whom that other one may.
SISTER, OPEN_SISTER = 1, 2


def _sisters(kinds, fleet):
    """What each vehicle type (column) is to each other one (row); 0 if it may not take its routes."""
    costs = (LIMIT.fixed, LIMIT.per_distance)
    same = [column for column in range(kinds.shape[1]) if column not in costs]
    rows = np.column_stack([kinds[:, same], fleet.ends[:, [WHERE.profile, WHERE.start, WHERE.end]], fleet.aboard])
    alike = (rows[:, None] == rows[None]).all(axis=2) & ~np.eye(len(rows), dtype=np.bool_)
    serves = fleet.may_serve.astype(np.bool_)
    open_to_all = ~(serves[:, None] & ~serves[None]).any(axis=2)
    return np.where(alike, np.where(open_to_all, OPEN_SISTER, SISTER), 0)


def _plain_distances(legs, customers, start):
    """The distances between customers, and from the place where routes start.

    A forbidden leg counts as one the other way round, and if that is forbidden, too, as the longest of all.
    """
    places = np.arange(customers + 1)
    places[0] = start
    near = legs[np.ix_(places, places)].astype(np.float64)
    near = np.where(near >= FORBIDDEN, np.minimum(near, near.T), near)
    return np.where(near >= FORBIDDEN, near[near < FORBIDDEN].max(initial=1.0), near)


# What counts how much besides the distance when neighbours are chosen: the time that a vehicle must wait between two
# customers however it is driven, and by how much the second one is late however early the first one is served.
WAITING, LATE = 0.2, 1.0


def _neighbours(near, drives, fleet, wishes):
    """The customers that go best beside each: near ones, at times that suit, whom one vehicle may serve with it.

    Those of its own group are left out: at most one of them is visited.
    """
    customers = len(near) - 1
    drive = drives[:, : customers + 1, : customers + 1].min(axis=0)
    apart = near.copy()
    ready = wishes.opens[1:] + wishes.service[1:]
    closes = wishes.closes[1:]
    known = np.where(np.isfinite(closes), closes, 0.0)
    bounded = np.isfinite(closes)
    between = drive[1:, 1:]
    wait = np.where(bounded[:, None], wishes.opens[None, 1:] - between - (known + wishes.service[1:])[:, None], 0.0)
    late = np.where(bounded[None, :], ready[:, None] + between - known[None, :], 0.0)
    apart[1:, 1:] += WAITING * np.maximum(wait, 0.0) + LATE * np.maximum(late, 0.0)
    apart[1:, 1:] = np.minimum(apart[1:, 1:], apart[1:, 1:].T)
    serves = fleet.may_serve[:, 1:].astype(np.float64)
    grouped = wishes.group > 0
    if grouped.any():
        same = grouped[:, None] & (wishes.group[:, None] == wishes.group)
        np.fill_diagonal(same, False)
        apart[same] = np.inf
    if not serves.all():
        apart[1:, 1:][serves.T @ serves == 0.0] = np.inf
    return nearest_customers(apart)


def _members(group, groups):
    members = [np.flatnonzero(group == number) for number in range(1, groups)]
    begins = np.cumsum([0, 0, *(len(each) for each in members)])
    return np.concatenate([np.zeros(0, dtype=np.int64), *members]), begins


def _prices(legs, drives, kinds, holds, wishes):
    """What leaving out each customer, and each group, costs, and a price that no saving outweighs."""
    customers = len(wishes.service) - 1
    allowed = legs[legs < FORBIDDEN]
    leg = float(allowed.max(initial=1.0)) * float(np.abs(kinds[:, LIMIT.per_distance]).max())
    rate = kinds[:, LIMIT.per_duration] + kinds[:, LIMIT.per_overtime]
    drive = (float(drives[drives < FORBIDDEN].max(initial=0.0)) + float(wishes.service.max(initial=0.0))) * float(
        rate.max()
    )
    horizon = wishes.closes[np.isfinite(wishes.closes)]
    wait = float(horizon.max(initial=0.0)) * float(rate.max())
    visit = max(2.0 * (leg + drive) + wait + float(np.abs(kinds[:, LIMIT.fixed]).max()), 1.0)
    longest = (
        2.0 * (customers + 1) * visit
        + float(wishes.prize.sum())
        + float(wishes.lacking[np.isfinite(wishes.lacking)].sum())
    )
    # Priorities go before all costs, and who must be served before all priorities.
    penalty = longest * (1.0 + float(wishes.priority.sum()) + float(wishes.urgent.sum()))
    optional = wishes.optional.astype(bool)
    unserved = np.where(optional, wishes.prize + longest * wishes.priority, penalty)
    member = wishes.prize + longest * wishes.priority
    unserved = np.where(wishes.group > 0, member, np.where(wishes.second > 0, 0.0, unserved))
    lacking = np.where(np.isfinite(wishes.lacking), wishes.lacking + longest * wishes.urgent, penalty)
    return unserved, lacking, penalty


def empty_rich_solution(problem, beside=None):
    """Return a solution of a rich problem with every customer in the bank, in the order of their numbers."""
    nodes, dims = problem.deliver.shape
    kinds, groups = len(problem.ends), len(problem.lacking)
    routes = problem.fleet + 1
    rows, columns = (5, 11), (3 + len(SEGMENT) + len(CARGO) * dims, 2 * dims + len(SPAN))
    ints = np.zeros(rows[0] * nodes + rows[1] * routes + kinds + groups + 3, dtype=np.int64)
    floats = np.zeros(columns[0] * nodes + (columns[1] + 2) * routes, dtype=np.float64)
    of_nodes = [ints[k * nodes : (k + 1) * nodes] for k in range(rows[0])]
    of_routes = [ints[rows[0] * nodes + k * routes :][:routes] for k in range(rows[1])]
    taken, visited = ints[-3 - groups - kinds : -3 - groups], ints[-3 - groups : -3]
    times = [floats[k * nodes : (k + 1) * nodes] for k in range(3)]
    place = 3 * nodes

    def block(count, width):
        nonlocal place
        place += count * width
        return floats[place - count * width : place].reshape(count, width)

    segments, cargo = block(nodes, len(SEGMENT)), block(nodes, len(CARGO) * dims)
    sums, span = block(routes, 2 * dims), block(routes, len(SPAN))
    totals = [floats[place + k * routes :][:routes] for k in range(2)]
    if beside is None:
        working = max(nodes + 8, min(WORKING_ROWS, -(-nodes // LANES) * (routes + kinds + BESIDES)))
        scratch = np.zeros((working + nodes, LINKS), dtype=np.int64), np.zeros((working + 2 * nodes, LANES))
    else:
        scratch = beside.scratch_ints, beside.scratch_floats
    solution = RichSolution(
        ints, floats, *of_nodes, *of_routes[:6], ints[-3:], *times, *totals, *scratch,
        *of_routes[6:], taken, visited, segments, cargo, sums, span,
    )  # fmt: skip
    solution.route[:] = -1
    solution.leg[:] = JUST_REMOVED
    solution.bank[: nodes - 1] = np.arange(1, nodes)
    solution.slot[1:] = np.arange(nodes - 1)
    solution.counts[BANKED] = nodes - 1
    return solution


def _example():
    kinds = np.full((1, len(LIMIT)), np.inf)
    kinds[0, [LIMIT.fixed, LIMIT.per_duration, LIMIT.per_overtime, LIMIT.opens]] = 0.0
    kinds[0, LIMIT.per_distance] = 1.0
    fleet = Fleet(kinds, np.array([[0, 2, 2, 1]]), np.ones((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)), np.ones((1, 2)))
    none, nobody = np.zeros((2, 1)), np.zeros(2)
    wishes = Wishes(
        none, none, nobody, np.full(2, np.inf), nobody, nobody, nobody, nobody, nobody, nobody, np.zeros(1),
        np.zeros(1), nobody, nobody,
    )  # fmt: skip
    depots = np.tile((0.0, np.inf, 0.0), (3, 1))
    problem = build_rich_problem(np.zeros((1, 3, 3)), np.zeros((1, 3, 3)), depots, fleet, wishes)
    return problem, empty_rich_solution(problem)


# The types of the tuples, read off a tiny pair so that they can never differ from what the builders make.
RICH_PROBLEM, RICH_SOLUTION = (numba.typeof(value) for value in _example())
