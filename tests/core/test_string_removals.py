"""String removal: stretches of routes, one of each, from routes that lie near one customer."""

import math
from collections import Counter
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import empty_solution
from dacalns.core.rng import seeded
from dacalns.core.routes import copy_into, settle
from dacalns.core.string_removals import (
    LONG,
    SHORT,
    long_string_removal,
    remove_string_with,
    remove_strings,
    start_of_string,
    string_removal,
)

TEN = list(range(1, 11))


def one_route(customers: int = 10) -> tuple[oracle.Problem, oracle.Solution]:
    problem = oracle.random_problem(3, customers)._replace(capacity=1e9)
    return problem, oracle.solution_of(problem, [list(range(1, customers + 1))])


def holes(route: list[int], removed: set[int]) -> int:
    """How many stretches the removed customers of a route make."""
    gone = [False, *(customer in removed for customer in route)]
    return sum(after and not before for before, after in pairwise(gone))


@pytest.mark.parametrize("timed", [False, True])
@given(seed=st.integers(0, 10_000), count=st.integers(0, 15), longest=st.integers(1, 6))
def test_one_stretch_or_one_with_a_gap_from_each_of_the_nearest_routes(
    timed: bool, seed: int, count: int, longest: int
) -> None:
    problem = oracle.random_problem(seed, 16, timed=timed)
    solution = oracle.filled(problem, seed, 0.9)
    routes, waiting = oracle.routes_in(solution), set(oracle.bank_of(solution))
    remove_strings(problem, solution, count, longest, seeded(seed))
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    removed = set(oracle.bank_of(solution)) - waiting
    assert bool(removed) == bool(count)
    touched = [route for route in routes if removed & set(route)]
    average = len(list(chain(*routes))) / len(routes)
    assert len(touched) <= max(1, math.ceil(4 * count / (1 + min(longest, average)) - 1))
    for route in touched:
        assert len(removed & set(route)) <= math.ceil(min(longest, average))
        assert holes(route, removed) <= 2
    # Some customer is such that the routes of its neighbours, nearest first, are the touched ones.
    if removed:
        expected = {tuple(route) for route in touched}
        assert any(nearest_routes(problem, routes, centre, len(touched)) == expected for centre in range(1, 17))


def nearest_routes(
    problem: oracle.Problem, routes: list[oracle.Route], centre: int, number: int
) -> set[tuple[int, ...]]:
    order = sorted(range(1, len(problem.demand)), key=lambda other: problem.distance[centre, other] * (other != centre))
    found: list[tuple[int, ...]] = []
    for customer in order:
        found += [tuple(route) for route in routes if customer in route and tuple(route) not in found]
    return set(found[:number])


@pytest.mark.parametrize("length", [1, 3, 4, 10])
def test_every_stretch_that_holds_the_customer_is_equally_likely(length: int) -> None:
    _, solution = one_route()
    rng, rounds = seeded(5), 2000
    for customer in (1, 5, 10):
        drawn = Counter(int(start_of_string(solution, customer, length, rng)) for _ in range(rounds))
        possible = [start for start in TEN if start <= customer < start + length <= 11]
        assert sorted(drawn) == possible
        expected = rounds / len(possible)
        assert sum((drawn[start] - expected) ** 2 / expected for start in possible) < 35


def test_half_of_the_strings_are_split_and_keep_their_length() -> None:
    problem, full = one_route()
    solution, rng, split = empty_solution(problem), seeded(7), 0
    for _ in range(600):
        copy_into(solution, full)
        remove_string_with(problem, solution, 5, 4, rng)
        removed = set(oracle.bank_of(solution))
        assert len(removed) == 4
        split += holes(TEN, removed) == 2
    assert 240 < split < 360


def test_a_string_as_long_as_its_route_is_the_route() -> None:
    problem, solution = one_route()
    remove_string_with(problem, solution, 5, 10, seeded(1))
    assert set(oracle.bank_of(solution)) == set(TEN)


def test_count_is_the_mean_where_routes_are_long() -> None:
    problem = oracle.random_problem(4, 60)._replace(capacity=1e9, fleet=6)
    full = oracle.solution_of(problem, np.arange(1, 61).reshape(6, 10).tolist())
    solution, rng, rounds = empty_solution(problem), seeded(2), 1500
    removed = 0
    for _ in range(rounds):
        copy_into(solution, full)
        string_removal(problem, solution, 12, rng)
        removed += len(oracle.bank_of(solution))
    assert removed / rounds == pytest.approx(12, rel=0.1)


def test_lengths() -> None:
    problem, full = one_route(40)
    solution, rng = empty_solution(problem), seeded(2)
    for operator, longest in ((string_removal, SHORT), (long_string_removal, LONG)):
        most = 0
        for _ in range(300):
            copy_into(solution, full)
            operator(problem, solution, 10, rng)
            most = max(most, len(oracle.bank_of(solution)))
        assert most == longest


def test_nothing_to_remove() -> None:
    problem = oracle.random_problem(1, 5)
    solution = empty_solution(problem)
    string_removal(problem, solution, 10, seeded(0))
    assert len(oracle.bank_of(solution)) == 5
