"""Whole routes, feasible or not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.construction import place_route, place_routes
from dacalns.core.model import empty_solution


@pytest.mark.parametrize("timed", [False, True])
@given(seed=st.integers(0, 100_000), sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_feasible_routes_are_placed_and_others_are_not(timed: bool, seed: int, sizes: list[int]) -> None:
    problem = oracle.random_problem(seed, 12, timed=timed)._replace(fleet=3)
    order = iter(np.random.default_rng(seed).permutation(np.arange(1, 13)).tolist())
    solution, expected = empty_solution(problem), []
    for size in sizes:
        route = [customer for _, customer in zip(range(size), order, strict=False)]
        if not route:
            break
        fits = len(expected) < 3 and bool(oracle.feasible(problem, route))
        assert place_route(problem, solution, np.array(route)) == fits
        expected += [route] * fits
        oracle.require_consistent(problem, solution)
    assert oracle.routes_in(solution) == expected


@pytest.mark.parametrize("timed", [False, True])
@given(seed=st.integers(0, 100_000), sizes=st.lists(st.integers(1, 6), max_size=6))
def test_of_routes_that_are_not_feasible_those_who_break_a_limit_wait(timed: bool, seed: int, sizes: list[int]) -> None:
    problem = oracle.random_problem(seed, 12, timed=timed)._replace(fleet=3)
    visits = np.random.default_rng(seed).permutation(np.arange(1, 13))
    routes = [route.tolist() for route in np.split(visits, np.cumsum(sizes)) if len(route)]
    solution, expected = empty_solution(problem), []
    place_routes(problem, solution, visits, np.array([len(route) for route in routes]))
    for route in routes:
        kept: list[int] = []
        for customer in [] if oracle.feasible(problem, route) else route:
            kept += [customer] * bool(oracle.feasible(problem, [*kept, customer]))
        expected += [kept or route] if len(expected) < 3 else []
    oracle.require_consistent(problem, solution)
    assert oracle.routes_in(solution) == expected
