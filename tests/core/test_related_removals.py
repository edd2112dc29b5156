"""Related removal against a ranking in plain Python."""

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import empty_solution
from dacalns.core.related_removals import DEMAND, DISTANCE, NEAR, TIME, rank_related, related_removal
from dacalns.core.rng import seeded
from dacalns.core.routes import copy_into, settle


def naive_ranking(problem: oracle.Problem, routes: list[oracle.Route], centre: int) -> list[int]:
    """All served customers, by 9 parts distance, 3 parts time of service, 2 parts demand, each relative to the most."""
    begun = {}
    for route in routes:
        begun |= dict(zip(route, oracle.starts(problem, route), strict=False))
    others = [customer for customer in chain(*routes) if customer != centre]
    terms = [
        (9, {other: problem.distance[centre, other] for other in others}),
        (3, {other: abs(begun[other] - begun[centre]) * problem.timed for other in others}),
        (2, {other: abs(problem.demand[other] - problem.demand[centre]) for other in others}),
    ]
    return sorted(others, key=lambda other: sum(weight * by[other] / (max(by.values()) or 1) for weight, by in terms))


@pytest.mark.parametrize("timed", [False, True])
@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.5, 1.0]))
def test_ranking_equals_naive(timed: bool, seed: int, share: float) -> None:
    problem = oracle.random_problem(seed, 12, timed=timed)
    solution = oracle.filled(problem, seed, share)
    routes = oracle.routes_in(solution)
    centre = routes[0][0]
    total = rank_related(problem, solution, centre, NEAR, DISTANCE, TIME, DEMAND)
    assert solution.scratch_ints[:total, 0].tolist() == naive_ranking(problem, routes, centre)


@given(seed=st.integers(0, 10_000), count=st.integers(0, 14), share=st.sampled_from([0.5, 1.0]))
def test_exactly_so_many_are_removed(seed: int, count: int, share: float) -> None:
    problem = oracle.random_problem(seed, 12, timed=seed % 2 == 0)
    solution = oracle.filled(problem, seed, share)
    waiting, served = set(oracle.bank_of(solution)), list(chain(*oracle.routes_in(solution)))
    related_removal(problem, solution, count, seeded(seed))
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    assert len(set(oracle.bank_of(solution)) - waiting) == min(count, len(served))


def test_the_most_related_goes_with_the_centre_most_often() -> None:
    problem = oracle.random_problem(6, 10)._replace(capacity=1e9)
    full, solution, rng = oracle.filled(problem, 6), empty_solution(problem), seeded(4)
    first: Counter[int] = Counter()
    rounds = 600
    for _ in range(rounds):
        copy_into(solution, full)
        related_removal(problem, solution, 2, rng)
        centre, other = oracle.bank_of(solution)
        first[naive_ranking(problem, oracle.routes_in(full), centre).index(other)] += 1
    # Of nine, the first has the chance that y ** 6 is below 1 / 9.
    assert first[0] / rounds == pytest.approx((1 / 9) ** (1 / 6), abs=0.08)


def test_nothing_to_remove() -> None:
    problem = oracle.random_problem(1, 5)
    solution = empty_solution(problem)
    related_removal(problem, solution, 3, seeded(0))
    assert len(oracle.bank_of(solution)) == 5
