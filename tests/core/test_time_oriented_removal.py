"""Time-oriented removal against a ranking in plain Python."""

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import empty_solution
from dacalns.core.related_removals import NEAR_IN_TIME, time_oriented_removal
from dacalns.core.rng import random_float, random_int, seeded
from dacalns.core.routes import copy_into, settle


def naive_ranking(problem: oracle.Problem, routes: list[oracle.Route], centre: int, near: int) -> list[int]:
    """Those of the ``near`` nearest who are served, by how far apart in time their service begins."""
    begun = {}
    for route in routes:
        for customer, start in zip(route, oracle.starts(problem, route), strict=False):
            begun[customer] = start + problem.service[customer] - problem.service[customer]  # as it is known by its end
    others = sorted(set(range(1, len(problem.demand))) - {centre}, key=lambda other: problem.distance[centre, other])
    served = [other for other in others[:near] if other in begun]
    apart = {other: abs(begun[other] - begun[centre]) for other in served}
    most = max(apart.values(), default=0.0)
    # In units of the longest time, as there; of equally far ones the nearest first.
    return sorted(served, key=lambda other: apart[other] * (1.0 / most) if most else 0.0)


@given(seed=st.integers(0, 10_000), count=st.integers(0, 14), share=st.sampled_from([0.5, 1.0]))
def test_removal_equals_naive(seed: int, count: int, share: float) -> None:
    problem = oracle.random_problem(seed, 12, timed=True)
    solution = oracle.filled(problem, seed, share)
    routes, waiting = oracle.routes_in(solution), oracle.bank_of(solution)
    time_oriented_removal(problem, solution, count, seeded(seed))
    rng, expected = seeded(seed), []
    if count:
        while (centre := 1 + random_int(rng, 12)) in waiting:
            pass
        ranked = naive_ranking(problem, routes, centre, 12)
        expected = [centre]
        while ranked and len(expected) < count:
            expected.append(ranked.pop(int(random_float(rng) ** 6 * len(ranked))))
    assert oracle.bank_of(solution) == waiting + expected
    settle(problem, solution)
    oracle.require_consistent(problem, solution)


@pytest.mark.slow_without_jit
def test_the_far_stay_and_those_at_the_same_time_go_first() -> None:
    problem = oracle.random_problem(6, 60, timed=True)
    full, solution, rng = oracle.filled(problem, 6), empty_solution(problem), seeded(4)
    routes = oracle.routes_in(full)
    assert len(list(chain(*routes))) == 60
    ranks: Counter[int] = Counter()
    rounds = 600
    for _ in range(rounds):
        copy_into(solution, full)
        time_oriented_removal(problem, solution, 2, rng)
        centre, other = oracle.bank_of(solution)
        ranks[naive_ranking(problem, routes, centre, int(NEAR_IN_TIME)).index(other)] += 1
    assert ranks[0] / rounds == pytest.approx((1 / NEAR_IN_TIME) ** (1 / 6), abs=0.08)


def test_nothing_to_remove() -> None:
    problem = oracle.random_problem(1, 5, timed=True)
    solution = empty_solution(problem)
    time_oriented_removal(problem, solution, 3, seeded(0))
    assert len(oracle.bank_of(solution)) == 5
