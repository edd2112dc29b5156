"""Randomised worst removal against a twin in plain Python that computes every saving anew at every step."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import empty_solution
from dacalns.core.removals import random_worst_removal
from dacalns.core.rng import random_float, random_int, seeded
from dacalns.core.routes import settle


def naive_random_worst(
    problem: oracle.Problem, routes: list[oracle.Route], near: int, count: int, seed: int
) -> list[int]:
    """Whom the operator removes, in order, where each customer has ``near`` neighbours."""
    if not count:
        return []
    rng, customers, removed = seeded(seed), len(problem.demand) - 1, []
    served = set(chain(*routes))
    while (centre := 1 + random_int(rng, customers)) not in served:
        pass
    order = sorted(set(range(1, customers + 1)) - {centre}, key=lambda other: problem.distance[centre, other])
    candidates = {centre, *order[:near]}
    for _ in range(count):
        savings = sorted(
            (
                (oracle.length(problem, route) - oracle.length(problem, [o for o in route if o != customer]), customer)
                for route in routes
                for customer in route
                if customer in candidates
            ),
            reverse=True,
        )
        if savings:
            removed.append(savings[int(random_float(rng) ** 3 * len(savings))][1])
            routes = [[customer for customer in route if customer != removed[-1]] for route in routes]
    return removed


@pytest.mark.parametrize("near", [11, 5])
@pytest.mark.parametrize("kind", [{}, {"timed": True}, {"matrix": True}], ids=str)
@given(seed=st.integers(0, 10_000), count=st.integers(0, 14), share=st.sampled_from([0.5, 1.0]))
def test_removal_equals_naive(kind: dict[str, bool], near: int, seed: int, count: int, share: float) -> None:
    problem = oracle.random_problem(seed, 12, **kind)
    neighbours = np.ascontiguousarray(problem.neighbours[:, :near])
    neighbours.flags.writeable = False  # of the same type as before, so that nothing is compiled again
    problem = problem._replace(neighbours=neighbours)
    solution = oracle.filled(problem, seed, share)
    waiting = oracle.bank_of(solution)
    expected = naive_random_worst(problem, oracle.routes_in(solution), near, count, seed)
    random_worst_removal(problem, solution, count, seeded(seed))
    assert oracle.bank_of(solution) == waiting + expected
    settle(problem, solution)
    oracle.require_consistent(problem, solution)


def test_nothing_to_remove() -> None:
    problem = oracle.random_problem(1, 5)
    solution = empty_solution(problem)
    random_worst_removal(problem, solution, 3, seeded(0))
    assert len(oracle.bank_of(solution)) == 5
