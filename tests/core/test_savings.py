"""Savings against a plain twin that keeps routes as lists and checks each joined route from scratch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core import construction as savings
from dacalns.core.construction import savings_routes
from dacalns.core.model import Problem

KINDS = [{}, {"timed": True}, {"matrix": True}, {"matrix": True, "timed": True}, {"rounding": "round"}]


def naive_savings(problem: Problem, neighbours: int) -> list[oracle.Route]:
    either = problem.symmetric and not problem.timed
    near = [set(row[:neighbours]) for row in problem.neighbours.tolist()]
    pairs = []
    for tail in range(1, len(problem.demand)):
        for head in problem.neighbours[tail, :neighbours].tolist():
            mutual = tail in near[head]
            if not (either and mutual and head < tail):
                pairs.append((tail, head))
            if not either and not mutual:
                pairs.append((head, tail))
    distance = problem.distance
    saved = {pair: float(distance[pair[0], 0] + distance[0, pair[1]] - distance[pair]) for pair in pairs}
    rank = dict(saved)
    if problem.timed:
        for tail, head in pairs:
            soonest = problem.closes[tail] + problem.service[tail] + distance[tail, head]
            rank[tail, head] -= 0.1 * max(0.0, float(problem.opens[head] - soonest))
    routes = [[customer] for customer in range(1, len(problem.demand)) if oracle.feasible(problem, [customer])]
    for tail, head in sorted(pairs, key=lambda pair: -rank[pair]):
        one = next((route for route in routes if tail in route), None)
        other = next((route for route in routes if head in route), None)
        if saved[tail, head] <= 0 or one is None or other is None or one is other:
            continue
        joined = next(
            (route for route in ways(one, other, tail, head, either) if oracle.feasible(problem, route)), None
        )
        if joined:
            routes = [route for route in routes if route is not one and route is not other] + [joined]
    return routes


def ways(one: oracle.Route, other: oracle.Route, tail: int, head: int, either: bool) -> list[oracle.Route]:
    fronts, backs = ([one, one[::-1]], [other, other[::-1]]) if either else ([one], [other])
    return [front + back for front in fronts for back in backs if front[-1] == tail and back[0] == head]


def undirected(routes: list[oracle.Route]) -> list[oracle.Route]:
    return sorted(min(route, route[::-1]) for route in routes)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=st.integers(0, 100_000), customers=st.integers(1, 25), neighbours=st.sampled_from([3, 40]))
def test_savings_equal_their_naive_twin(kind: dict[str, object], seed: int, customers: int, neighbours: int) -> None:
    problem = oracle.random_problem(seed, customers, **kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(savings, "NEIGHBOURS", neighbours)
        found = savings_routes(problem)
    expected = naive_savings(problem, neighbours)
    assert all(oracle.feasible(problem, route) for route in found)
    if savings.reversible(problem):
        assert undirected(found) == undirected(expected)
    else:
        assert sorted(found) == sorted(expected)


def test_full_routes_come_first() -> None:
    problem = oracle.random_problem(3, 40)
    loads = [problem.demand[route].sum() for route in savings_routes(problem)]
    assert loads == sorted(loads, reverse=True)


def test_whom_no_vehicle_can_serve_is_left_out() -> None:
    problem = oracle.random_problem(3, 10, timed=True)
    closes = problem.closes.copy()
    closes[4] = problem.opens[0]  # nobody gets there in time
    demand = problem.demand.copy()
    demand[7] = problem.capacity + 1
    served = np.concatenate(savings_routes(problem._replace(closes=closes, demand=demand)))
    assert sorted(served.tolist()) == [1, 2, 3, 5, 6, 8, 9, 10]
