"""Destroy operators: how many, which, and how evenly."""

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import empty_solution
from dacalns.core.removals import random_removal, random_served, worst_removal
from dacalns.core.rng import seeded
from dacalns.core.routes import copy_into, settle


@pytest.mark.parametrize("operator", [random_removal, worst_removal])
@given(seed=st.integers(0, 1000), count=st.integers(0, 12), share=st.sampled_from([0.3, 1.0]))
def test_exactly_so_many_are_removed(operator: object, seed: int, count: int, share: float) -> None:
    problem = oracle.random_problem(seed, 8)
    solution = oracle.filled(problem, seed, share)
    waiting, served = oracle.bank_of(solution), list(chain(*oracle.routes_in(solution)))
    operator(problem, solution, count, seeded(seed))  # type: ignore[operator]
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    removed = set(oracle.bank_of(solution)) - set(waiting)
    assert len(removed) == min(count, len(served))
    assert removed <= set(served)


def test_random_removal_takes_every_set_equally_often() -> None:
    problem = oracle.random_problem(2, 5)
    full, solution = oracle.filled(problem, 2), empty_solution(problem)
    rng, rounds = seeded(11), 2000
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(rounds):
        copy_into(solution, full)
        random_removal(problem, solution, 2, rng)
        counts[tuple(sorted(oracle.bank_of(solution)))] += 1
    assert len(counts) == 10
    expected = rounds / 10
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 35  # p < 1e-4


@pytest.mark.parametrize("kind", [{}, {"timed": True}, {"matrix": True}], ids=str)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 7))
def test_worst_removal_equals_naive(kind: dict[str, bool], seed: int, count: int) -> None:
    problem = oracle.random_problem(seed, 9, **kind)
    solution = oracle.filled(problem, seed)
    expected = oracle.naive_worst(problem, oracle.routes_in(solution), count)
    worst_removal(problem, solution, count, seeded(0))
    settle(problem, solution)
    assert sorted(oracle.routes_in(solution)) == sorted(expected)


def test_every_served_customer_is_equally_likely() -> None:
    problem = oracle.random_problem(2, 8)
    solution = oracle.filled(problem, 2, 0.5)
    served, rng, rounds = sorted(chain(*oracle.routes_in(solution))), seeded(3), 2000
    drawn = Counter(int(random_served(solution, rng)) for _ in range(rounds))
    assert sorted(drawn) == served
    expected = rounds / len(served)
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 25  # p < 1e-4
    assert random_served(empty_solution(problem), rng) == 0
