"""The local search against all changes that it may make, written out on plain lists."""

from collections.abc import Iterator
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.local_search import NEAREST, improve_around_served
from dacalns.core.model import BANKED, build_problem
from dacalns.core.repairs import polished_blink_repair, polished_regret_repair
from dacalns.core.rng import seeded
from dacalns.core.routes import remove, settle
from dacalns.core.terms import solution_cost

SEEDS = st.integers(0, 100_000)
KINDS = [{}, {"tight": True}, {"timed": True}]


def changes(routes: list[oracle.Route], one: int, other: int, timed: bool) -> Iterator[list[oracle.Route]]:
    """All that brings ``one`` next to ``other``: by two new edges, by moving one or two, by changing places.

    With windows, ends of routes are not turned round.
    """
    rest = [route for route in routes if one not in route and other not in route]
    here = next(route for route in routes if one in route)
    there = next(route for route in routes if other in route)
    i, j = here.index(one), there.index(other)
    if here is there:
        a, b = sorted((i, j))
        yield [*rest, here[: a + 1] + here[a + 1 : b + 1][::-1] + here[b + 1 :]]
        yield [*rest, here[:a] + here[a:b][::-1] + here[b:]]
    else:
        yield [*rest, here[: i + 1] + there[j:], there[:j] + here[i + 1 :]]
        yield [*rest, there[: j + 1] + here[i:], here[:i] + there[j + 1 :]]
        if not timed:
            yield [*rest, here[: i + 1] + there[: j + 1][::-1], here[i + 1 :][::-1] + there[j + 1 :]]
            yield [*rest, here[:i] + there[:j][::-1], here[i:][::-1] + there[j:]]
        for k in (j - 1, j + 1):
            if 0 <= k < len(there):
                yield [*rest, [*here[:i], there[k], *here[i + 1 :]], [*there[:k], one, *there[k + 1 :]]]
    for stretch in (here[i : i + 1], here[i : i + 2], here[max(0, i - 1) : i + 1]):
        if other in stretch:
            continue
        left = [node for node in here if node not in stretch]
        into = left if here is there else there
        outward = stretch if stretch[0] == one else stretch[::-1]  # from the one that goes next to the other
        place = into.index(other)
        kept = rest if here is there else [*rest, left]
        yield [*kept, into[: place + 1] + outward + into[place + 1 :]]
        yield [*kept, into[:place] + outward[::-1] + into[place:]]


def within_reach(problem: oracle.Problem, routes: list[oracle.Route], one: int) -> list[int]:
    """The near customers that are nearer than one of those that ``one`` stands beside; the depot counts if alone."""
    route = next(route for route in routes if one in route)
    i = route.index(one)
    beside = [*route[max(0, i - 1) : i], *route[i + 1 : i + 2]] or [0]
    reach = max(problem.distance[one, node] for node in beside)
    served = set(chain(*routes))
    near = problem.neighbours[one, :NEAREST].tolist()
    return [other for other in near if problem.distance[one, other] < reach and other in served]


def total(problem: oracle.Problem, routes: list[oracle.Route]) -> float:
    return sum(oracle.length(problem, route) for route in routes if route)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=SEEDS, customers=st.integers(2, 14))
def test_it_stops_only_where_nothing_can_be_gained(kind: dict[str, bool], seed: int, customers: int) -> None:
    """With one customer on its list, it changes something if, and only if, some change around it is a gain."""
    problem = oracle.random_problem(seed, customers, **kind)
    solution = oracle.filled(problem, seed)
    last = int(solution.bank[solution.counts[BANKED]])  # who was served last is listed behind those who wait
    before = oracle.routes_in(solution)
    around = next(route for route in before if last in route)
    place = around.index(last)
    looked_at = around[max(0, place - 1) : place + 2]
    gains = [
        total(problem, before) - total(problem, changed)
        for one in looked_at
        for other in within_reach(problem, before, one)
        for changed in changes(before, one, other, problem.timed)
        if all(oracle.feasible(problem, route) for route in changed if route)
    ]
    improve_around_served(problem, solution, solution.counts[BANKED] + 1)
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    gained = total(problem, before) - solution_cost(problem, solution)
    assert gained >= -1e-9
    assert (gained > 1e-7) == (max(gains, default=0.0) > 1e-7)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=SEEDS, customers=st.integers(2, 25))
def test_all_around_everybody(kind: dict[str, bool], seed: int, customers: int) -> None:
    problem = oracle.random_problem(seed, customers, **kind)
    solution = oracle.filled(problem, seed)
    before, waiting = solution_cost(problem, solution), oracle.bank_of(solution)
    improve_around_served(problem, solution, customers)
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    assert solution_cost(problem, solution) <= before + 1e-9
    assert sorted(oracle.bank_of(solution)) == sorted(waiting)


def improved(problem: oracle.Problem, routes: list[oracle.Route]) -> list[oracle.Route]:
    solution = oracle.solution_of(problem, routes)
    improve_around_served(problem, solution, len(problem.demand) - 1)
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    return oracle.routes_in(solution)


def in_the_plane(points: list[tuple[float, float]], demands: list[float], capacity: float) -> oracle.Problem:
    places = np.array(points)
    distance = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    nodes = len(places)
    return build_problem(distance, np.array([0, *demands]), capacity, nodes - 1, None, np.zeros(nodes), True)


def test_a_crossing_is_undone() -> None:
    problem = in_the_plane([(0, 0), (0, 1), (1, 2), (2, 2), (2, 1)], [1, 1, 1, 1], 9)
    assert improved(problem, [[1, 3, 2, 4]]) in ([[1, 2, 3, 4]], [[4, 3, 2, 1]])


def test_full_routes_change_customers() -> None:
    """Two and two, each with one of the other side; there is no room to move any."""
    problem = in_the_plane([(0, 0), (-9, 0), (-9, 1), (9, 0), (9, 1)], [1, 1, 1, 1], 2)
    assert sorted(map(sorted, improved(problem, [[1, 3], [4, 2]]))) == [[1, 2], [3, 4]]


def test_a_route_that_is_no_longer_needed_is_closed() -> None:
    problem = oracle.on_a_line([0, 5, 6])
    assert improved(problem, [[1], [2]]) in ([[1, 2]], [[2, 1]])


def test_one_way_distances_are_left_alone() -> None:
    problem = oracle.random_problem(5, 15, matrix=True)
    solution = oracle.filled(problem, 5)
    before = oracle.routes_in(solution)
    improve_around_served(problem, solution, 15)
    assert oracle.routes_in(solution) == before


@pytest.mark.parametrize("repair", [polished_blink_repair, polished_regret_repair])
@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=SEEDS, customers=st.integers(2, 20), share=st.floats(0, 1))
def test_repairs(  # type: ignore[no-untyped-def]
    repair, kind: dict[str, bool], seed: int, customers: int, share: float
) -> None:
    problem = oracle.random_problem(seed, customers, **kind)
    solution = oracle.filled(problem, seed)
    rng = np.random.default_rng(seed)
    for customer in rng.permutation(np.arange(1, customers + 1))[: round(share * customers)].tolist():
        remove(problem, solution, customer)
    settle(problem, solution)
    repair(problem, solution, seeded(seed))
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    if "tight" not in kind:
        assert not oracle.bank_of(solution)
