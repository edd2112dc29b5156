"""The two named tuples that every operator gets: the problem, which never changes, and a solution, which does.

Customers are numbered 1 … n and node 0 is the depot. Costs, times and windows are in the instance's *scaled* units,
whole numbers for every rounding but ``exact`` and ``none``, so that sums are exact.
"""

from typing import NamedTuple, TypeGuard

import numba
import numpy as np

from dacalns.core.jit import load_rich_calls
from dacalns.core.lanes import LANES
from dacalns.core.memory import by_reference
from dacalns.core.plane import Plane, longest_distance, nearest_nodes
from dacalns.core.records import numbered
from dacalns.util.tolerance import time_tolerance, tolerance

# What stands in place of a customer at either end of a route. Which depot is there, `core/terms.py` says.
END = 0


class Count(NamedTuple):
    """The positions in ``Solution.counts``."""

    used: int  #: routes in use
    banked: int  #: customers in the bank
    touched: int  #: routes in the journal


# Operators of users have these names, too.
USED, BANKED, TOUCHED = numbered(Count)
# Sums of fractions such as 0.1 are not exact. The search allows for this part of what the checker tolerates: more than
# its sums err by, so that it misses nothing, and so much less that the checker, who adds in another order, agrees.
SLACK = 0.5
# Lists of neighbours are no longer than this, so that what walks them does not grow with the instance.
MOST_NEIGHBOURS = 100
# How many links to a customer removal by history remembers: one for each column of the scratch table.
LINKS = 10
# Whole numbers are exact up to here, and so are their sums.
EXACT = 2.0**53
# So many rows of the scratch tables are for an operator's use while it runs, or fewer on instances so small that all
# customers in all routes need no more: for each eight customers, one for each route and some besides.
WORKING_ROWS = 4096
BESIDES = 16


@by_reference
class Problem(NamedTuple):
    """What an operator may read of the instance (the arrays are read-only)."""

    distance: np.ndarray  #: (n+1, n+1) cost and travel time from row to column; empty unless ``stored``
    demand: np.ndarray  #: (n+1,)
    opens: np.ndarray  #: (n+1,) earliest start of service
    closes: np.ndarray  #: (n+1,) latest start of service; the depot's is the end of the day
    service: np.ndarray  #: (n+1,) duration of service
    capacity: float
    fleet: int  #: the most routes a solution may have
    penalty: float  #: for an unserved customer, at least; no saving outweighs it
    unserved: np.ndarray  #: (n+1,) what leaving each customer in the bank costs
    timed: bool  #: whether there are windows; without them the four times are never read
    symmetric: bool  #: whether all distances are the same in both directions
    neighbours: np.ndarray  #: (n+1, K) the customers nearest to each node, itself left out, nearest first
    stored: bool  #: whether there is a matrix; :func:`dacalns.core.distances.between` works either way
    points: np.ndarray  #: (n+1, 2) coordinates, in the instance's units; empty if ``stored``
    whole: bool  #: whether distances are floor(``per_unit`` d + ``offset``), d the distance of two points; else d
    per_unit: float
    offset: float
    integral: bool  #: whether all distances and demands are whole numbers, so that their sums are exact


@by_reference
class Solution(NamedTuple):
    """Routes as linked lists. Routes 0 … ``counts[USED]`` - 1 have customers; the others are empty.

    Change it through :mod:`dacalns.core.routes` (``remove``, ``insert``), which keeps all of it consistent.
    """

    ints: np.ndarray  #: the buffers behind most of the arrays below, so that a solution is copied in two blocks
    floats: np.ndarray
    succ: np.ndarray  #: (n+1,) next customer in the route, 0 at its end
    pred: np.ndarray  #: (n+1,) previous customer, 0 at the front
    route: np.ndarray  #: (n+1,) the customer's route, -1 while it waits in the bank
    bank: np.ndarray  #: (n+1,) customers without a route: the first ``counts[BANKED]``
    slot: np.ndarray  #: (n+1,) where a waiting customer stands in ``bank``
    first: np.ndarray  #: (fleet+1,) first customer of each route, 0 if empty
    last: np.ndarray  #: (fleet+1,) last customer of each route, 0 if empty
    size: np.ndarray  #: (fleet+1,) customers in each route
    dirty: np.ndarray  #: (fleet+1,) not 0 where customers were removed and the route is not settled yet
    touched: np.ndarray  #: (fleet+1,) 1 for the routes that are in the journal
    journal: np.ndarray  #: (fleet+1,) routes changed since the solution was last made equal to another
    counts: np.ndarray  #: (3,) routes in use, customers in the bank, routes in the journal
    leg: np.ndarray  #: (n+1,) distance from the predecessor
    depart: np.ndarray  #: (n+1,) earliest end of service; the depot's is the start of the day
    latest: np.ndarray  #: (n+1,) latest start of service that keeps the rest of the route in time
    load: np.ndarray  #: (fleet+1,) total demand of each route
    length: np.ndarray  #: (fleet+1,) total distance of each route
    scratch_ints: np.ndarray  #: (n+2 or more, 10) for an operator's use while it runs, then what history remembers
    scratch_floats: np.ndarray  #: (n+2 or more, 8) likewise


def build_problem(
    distance: np.ndarray | Plane,
    demand: np.ndarray,
    capacity: float,
    fleet: int,
    windows: np.ndarray | None,
    service: np.ndarray,
    symmetric: bool,
) -> Problem:
    """A problem from plain arrays in scaled units; without a matrix where there is a plane instead."""
    nodes = len(demand)
    timed = windows is not None
    plane = distance if isinstance(distance, Plane) else None
    if plane:
        distance, neighbours = np.empty((0, 0)), nearest_nodes(plane, min(MOST_NEIGHBOURS, nodes - 2), 1)[0]
    else:
        neighbours = nearest_customers(distance)
    points, whole, per_unit, offset = plane or Plane(np.empty((0, 2)), False, 1.0, 0.0)
    opens, closes = windows.T if timed else (np.zeros(nodes), np.full(nodes, np.inf))
    capacity += SLACK * float(tolerance(capacity))
    if timed:
        closes = closes + SLACK * time_tolerance(opens[0], closes)
    # A solution costs at most two legs a customer. So an unserved demand as large as a vehicle outweighs any saving in
    # distance, and one more unserved customer outweighs all unserved demand: the search first serves as many as it can,
    # then leaves out those that are easiest to fit in.
    longest = 2.0 * nodes * max(float(longest_distance(plane) if plane else distance.max()), 1.0)
    penalty = longest * (1.0 + float(demand.sum()) / capacity)
    unserved = penalty + longest * demand / capacity

    def frozen(values: np.ndarray, dtype: type = np.float64) -> np.ndarray:
        array = np.ascontiguousarray(values, dtype=dtype)
        if array.flags.writeable:
            array = array.view()
            array.flags.writeable = False
        return array

    return Problem(
        frozen(distance), frozen(demand), frozen(opens), frozen(closes), frozen(service),
        float(capacity), int(fleet), penalty, frozen(unserved), bool(timed), bool(symmetric),
        frozen(neighbours, np.int32), plane is None, frozen(points), bool(whole), float(per_unit), float(offset),
        longest < EXACT and _whole(demand) and (bool(whole) if plane else all(map(_whole, distance))),
    )  # fmt: skip


def _whole(numbers: np.ndarray) -> bool:
    return bool((numbers == np.rint(numbers)).all())


# Up to here, sorting all rows in one call is faster than looking at one after the other.
AT_ONCE = 400


def nearest_customers(distance: np.ndarray, most: int = MOST_NEIGHBOURS) -> np.ndarray:
    """The customers nearest to each node, nearest first; of equally near ones the lower number."""
    customers = len(distance) - 1
    length = min(most, customers - 1)
    nearest = np.empty((customers + 1, length), dtype=np.int32)
    if length == 0:
        return nearest
    if customers <= AT_ONCE:
        others = distance[:, 1:].astype(np.float64)
        np.fill_diagonal(others[1:], np.inf)
        return 1 + np.argsort(others, axis=1, kind="stable")[:, :length].astype(np.int32)
    for node, row in enumerate(distance):  # a row at a time, so that no second matrix is needed
        others = row[1:].astype(np.float64)
        if node:
            others[node - 1] = np.inf
        near = np.flatnonzero(others <= np.partition(others, length - 1)[length - 1])
        nearest[node] = 1 + near[np.argsort(others[near], kind="stable")[:length]]
    return nearest


def empty_solution(problem: Problem, beside: Solution | None = None) -> Solution:
    """A solution with every customer in the bank, in the order of their numbers.

    One ``beside`` which it is used shares its scratch tables, which are large: an operator works on one at a time.
    """
    if getattr(type(problem), "rich", False):
        from dacalns.core.rich import empty_rich_solution  # it is made of what this module defines

        load_rich_calls()  # whatever is done with it
        return empty_rich_solution(problem, beside)
    nodes, routes = len(problem.demand), problem.fleet + 1
    ints = np.zeros(5 * nodes + 6 * routes + 3, dtype=np.int64)
    copied = 3 if problem.timed else 1  # without windows there are no times to copy
    floats = np.zeros(copied * nodes + 2 * routes, dtype=np.float64)
    of_nodes = [ints[k * nodes : (k + 1) * nodes] for k in range(5)]
    of_routes = [ints[5 * nodes + k * routes :][:routes] for k in range(6)]
    times = [floats[k * nodes : (k + 1) * nodes] if k < copied else np.zeros(nodes) for k in range(3)]
    sums = [floats[copied * nodes + k * routes :][:routes] for k in range(2)]
    # Rows for use while an operator runs, then those of `historical_removal`: in fields of their own they would be two
    # more arrays that every kernel has to be given.
    if beside is None:
        working = max(nodes + 8, min(WORKING_ROWS, -(-nodes // LANES) * (routes + BESIDES)))
        scratch = np.zeros((working + nodes, LINKS), dtype=np.int64), np.zeros((working + 2 * nodes, LANES))
    else:
        scratch = beside.scratch_ints, beside.scratch_floats
    solution = Solution(ints, floats, *of_nodes, *of_routes, ints[-3:], *times, *sums, *scratch)
    solution.route[:] = -1
    solution.bank[: nodes - 1] = np.arange(1, nodes)
    solution.slot[1:] = np.arange(nodes - 1)
    solution.counts[BANKED] = nodes - 1
    solution.depart[0] = problem.opens[0]
    solution.latest[0] = problem.closes[0]
    return solution


def overwrite(target: Solution, source: Solution) -> None:
    """Make ``target`` equal to ``source``, of the same problem, with an empty journal; for Python, not compiled."""
    target.ints[:] = source.ints
    target.floats[:] = source.floats
    target.touched[:] = 0
    target.counts[TOUCHED] = 0


def is_solution(thing: object) -> TypeGuard[Solution]:
    """Whether something is a solution, of whatever kind of problem; for Python, not compiled."""
    return isinstance(thing, Solution) or getattr(type(thing), "rich", False)


def touch_all(solution: Solution, other: Solution) -> None:
    """Put all routes that this or the other solution has into its journal; for Python, not compiled."""
    routes = max(solution.counts[USED], other.counts[USED])
    solution.touched[:] = np.arange(len(solution.touched)) < routes
    solution.journal[:routes] = np.arange(routes)
    solution.counts[TOUCHED] = routes


def _example() -> tuple[Problem, Solution]:
    problem = build_problem(np.zeros((2, 2)), np.zeros(2), 1.0, 1, None, np.zeros(2), True)
    return problem, empty_solution(problem)


# The types of the tuples, read off a tiny pair so that they can never differ from what the builders make.
PROBLEM, SOLUTION = (numba.typeof(value) for value in _example())
