"""Repair operators against their naive twins."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.insertion_table import fill_by_best
from dacalns.core.repairs import (
    greedy_repair,
    random_place_repair,
    random_repair,
    regret_3_repair,
    regret_4_repair,
    regret_repair,
)
from dacalns.core.rng import seeded

SEEDS = st.integers(0, 100_000)
# Real coordinates and no rounding: no two insertions cost the same, and the triangle inequality holds.
METRIC = [
    {},
    {"tight": True},
    {"timed": True},
    {"timed": True, "tight": True},
]


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("kind", METRIC, ids=str)
@given(seed=SEEDS, customers=st.integers(3, 14), share=st.sampled_from([0.0, 0.4, 0.7]))
def test_cached_insertion_equals_naive(
    kind: dict[str, bool], depth: int, seed: int, customers: int, share: float
) -> None:
    problem = oracle.random_problem(seed, customers, **kind)
    solution = oracle.filled(problem, seed, share)
    expected = oracle.naive_fill(problem, oracle.routes_in(solution), oracle.bank_of(solution), depth)
    fill_by_best(problem, solution, depth, 0.0, seeded(0))
    oracle.require_consistent(problem, solution)
    assert oracle.routes_in(solution) == expected[0]
    assert sorted(oracle.bank_of(solution)) == sorted(expected[1])


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_cached_insertion_equals_naive_on_many_routes(depth: int, timed: bool) -> None:
    problem = oracle.random_problem(7, 45, timed=timed)
    solution = oracle.filled(problem, 7, 0.5)
    routes, _ = oracle.naive_fill(problem, oracle.routes_in(solution), oracle.bank_of(solution), depth)
    fill_by_best(problem, solution, depth, 0.0, seeded(0))
    assert oracle.routes_in(solution) == routes
    assert len(routes) > 8


@pytest.mark.parametrize(
    ("operator", "depth"), [(greedy_repair, 1), (regret_repair, 2), (regret_3_repair, 3), (regret_4_repair, 4)]
)
def test_operators_are_what_their_names_say(operator: object, depth: int) -> None:
    problem = oracle.random_problem(5, 10)
    one, other = oracle.filled(problem, 5, 0.3), oracle.filled(problem, 5, 0.3)
    operator(problem, one, seeded(0))  # type: ignore[operator]
    fill_by_best(problem, other, depth, 0.0, seeded(0))
    assert oracle.routes_in(one) == oracle.routes_in(other)


@pytest.mark.parametrize("kind", METRIC, ids=str)
@pytest.mark.parametrize("operator", [random_repair, random_place_repair])
@given(seed=SEEDS, share=st.sampled_from([0.0, 0.5]))
def test_random_repair_leaves_only_whom_no_route_can_take(
    operator: Any, kind: dict[str, bool], seed: int, share: float
) -> None:
    problem = oracle.random_problem(seed, 10, **kind)
    solution = oracle.filled(problem, seed, share)
    operator(problem, solution, seeded(seed))
    oracle.require_consistent(problem, solution)
    routes = oracle.routes_in(solution)
    assert all(not oracle.options(problem, routes, customer) for customer in oracle.bank_of(solution))


def test_random_repair_takes_the_cheapest_place_of_the_route() -> None:
    problem = oracle.random_problem(9, 8)._replace(capacity=1e9)
    solution = oracle.solution_of(problem, [[1, 2, 3, 4, 5, 6, 7]])
    _, place = oracle.cheapest(problem, [1, 2, 3, 4, 5, 6, 7], 8)
    random_repair(problem, solution, seeded(1))
    assert oracle.routes_in(solution)[0].index(8) == place


def test_random_repair_opens_a_route_only_where_it_must() -> None:
    problem = oracle.random_problem(9, 8)._replace(capacity=1e9)
    solution = oracle.solution_of(problem, [[1]])
    random_repair(problem, solution, seeded(1))
    assert len(oracle.routes_in(solution)) == 1


def test_random_repair_uses_every_route() -> None:
    problem = oracle.random_problem(9, 4)._replace(capacity=1e9)
    rng, seen = seeded(3), set()
    for _ in range(40):
        solution = oracle.solution_of(problem, [[1], [2], [3]])
        random_repair(problem, solution, rng)
        seen.add(int(solution.route[4]))
    assert seen == {0, 1, 2}


def test_random_place_repair_takes_every_place_that_fits_equally_often() -> None:
    problem = oracle.random_problem(9, 8)._replace(capacity=1e9)
    rng, places = seeded(3), np.zeros(8)
    for _ in range(800):
        solution = oracle.solution_of(problem, [[1, 2, 3, 4, 5, 6, 7]])
        random_place_repair(problem, solution, rng)
        places[oracle.routes_in(solution)[0].index(8)] += 1
    # Four standard deviations of 800 draws from eight.
    assert places == pytest.approx(np.full(8, 100), abs=4 * 9.4)


@pytest.mark.parametrize(("seed", "depth"), [(12, 2), (748, 2), (797, 2), (1273, 2), (1368, 1)])
def test_a_route_opened_during_a_scan_is_listed_once(seed: int, depth: int) -> None:
    """Listed twice, one entry went stale, and customers were put where they are served too late."""
    problem = oracle.random_problem(seed, 40, timed=True)
    solution = oracle.filled(problem, seed, 0.0)
    fill_by_best(problem, solution, depth, 0.0, seeded(0))
    oracle.require_consistent(problem, solution)
