"""Insertion beside neighbours against a plain twin."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import Problem
from dacalns.core.repairs import near_repair
from dacalns.core.rng import random_int, seeded


def naive_near_fill(problem: Problem, routes: list[oracle.Route], order: list[int]) -> list[oracle.Route]:
    routes = [list(route) for route in routes]
    for customer in order:
        near = set(problem.neighbours[customer].tolist())
        best, chosen = math.inf, None
        for number, route in enumerate([*routes, []] if len(routes) < problem.fleet else routes):
            for place in range(len(route) + 1):
                longer = [*route[:place], customer, *route[place:]]
                beside = not route or near & set(route[max(0, place - 1) : place + 1])
                added = oracle.length(problem, longer) - oracle.length(problem, route)
                if beside and oracle.feasible(problem, longer) and added < best:
                    best, chosen = added, (number, place)
        if chosen:
            if chosen[0] == len(routes):
                routes.append([])
            routes[chosen[0]].insert(chosen[1], customer)
    return routes


@pytest.mark.parametrize("kind", [{}, {"tight": True}, {"timed": True}, {"timed": True, "tight": True}], ids=str)
@given(seed=st.integers(0, 100_000), customers=st.integers(3, 20), share=st.sampled_from([0.0, 0.5, 0.8]))
def test_equals_its_naive_twin(kind: dict[str, bool], seed: int, customers: int, share: float) -> None:
    problem = oracle.random_problem(seed, customers, **kind)
    problem = problem._replace(neighbours=problem.neighbours[:, :4].copy())
    problem.neighbours.flags.writeable = False
    solution = oracle.filled(problem, seed, share)
    waiting, order, rng = oracle.bank_of(solution), [], seeded(seed)
    for k in range(len(waiting)):
        other = k + random_int(rng, len(waiting) - k)
        order.append(waiting[other])
        waiting[other] = waiting[k]
    expected = naive_near_fill(problem, oracle.routes_in(solution), order)
    near_repair(problem, solution, seeded(seed))
    oracle.require_consistent(problem, solution)
    assert oracle.routes_in(solution) == expected
