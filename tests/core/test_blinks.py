"""Greedy insertion with blinks: exact without blinks, and by their chances with them."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core import blinks
from dacalns.core.model import empty_solution
from dacalns.core.rng import seeded
from dacalns.core.routes import copy_into

KINDS = [{}, {"tight": True}, {"timed": True}, {"timed": True, "tight": True}, {"matrix": True}]
OPERATORS = {
    blinks.blink_random_repair: blinks.ORDER.random,
    blinks.blink_demand_repair: blinks.ORDER.demand,
    blinks.blink_far_repair: blinks.ORDER.far,
    blinks.blink_close_repair: blinks.ORDER.close,
    blinks.blink_narrow_repair: blinks.ORDER.narrow,
    blinks.blink_early_repair: blinks.ORDER.early,
    blinks.blink_late_repair: blinks.ORDER.late,
}


def naive_order(problem: oracle.Problem, bank: list[int], order: int) -> list[int]:
    keys = {
        blinks.ORDER.demand: lambda customer: -problem.demand[customer],
        blinks.ORDER.far: lambda customer: -problem.distance[0, customer],
        blinks.ORDER.close: lambda customer: problem.distance[0, customer],
        blinks.ORDER.narrow: lambda customer: problem.closes[customer] - problem.opens[customer],
        blinks.ORDER.early: lambda customer: problem.opens[customer],
        blinks.ORDER.late: lambda customer: -problem.closes[customer],
    }
    return sorted(bank, key=keys[order])


def naive_fill_in_order(
    problem: oracle.Problem, routes: list[oracle.Route], queue: list[int]
) -> tuple[list[oracle.Route], list[int]]:
    routes, left = [list(route) for route in routes], []
    for customer in queue:
        found = oracle.options(problem, routes, customer)
        if not found:
            left.append(customer)
            continue
        _, number, place = found[0]
        if number == len(routes):
            routes.append([])
        routes[number].insert(place, customer)
    return routes, left


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(
    seed=st.integers(0, 100_000),
    share=st.sampled_from([0.0, 0.5, 0.8]),
    order=st.integers(blinks.ORDER.demand, blinks.ORDER.late),
)
def test_without_blinks_equals_naive(kind: dict[str, bool], seed: int, share: float, order: int) -> None:
    problem = oracle.random_problem(seed, 11, **kind)
    solution = oracle.filled(problem, seed, share)
    routes, bank = oracle.routes_in(solution), oracle.bank_of(solution)
    expected = naive_fill_in_order(problem, routes, naive_order(problem, bank, order))
    blinks.fill_in_order(problem, solution, order, 0.0, seeded(0))
    oracle.require_consistent(problem, solution)
    assert oracle.routes_in(solution) == expected[0]
    assert sorted(oracle.bank_of(solution)) == sorted(expected[1])


@pytest.mark.parametrize("near", [0, 2, 10])
@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=st.integers(0, 1000), share=st.floats(0.3, 0.9))
def test_places_beside_near_customers_and_the_depot(kind: dict[str, bool], near: int, seed: int, share: float) -> None:
    """The cheapest of them, and with all customers for neighbours the cheapest of all."""
    problem = oracle.random_problem(seed, 11, **kind)
    problem = problem._replace(neighbours=np.ascontiguousarray(problem.neighbours[:, :near]))
    problem.neighbours.flags.writeable = False
    solution = oracle.filled(problem, seed, share)
    routes = [*oracle.routes_in(solution), []][: problem.fleet]
    for customer in oracle.bank_of(solution)[:3]:
        beside = {0, *problem.neighbours[customer].tolist()}
        costs = {}
        for number, route in enumerate(routes):
            stops = [0, *route, 0]
            for place, (before, after) in enumerate(pairwise(stops)):
                longer = [*route[:place], customer, *route[place:]]
                if beside & {before, after} and oracle.feasible(problem, longer):
                    costs[number, before] = oracle.length(problem, longer) - oracle.length(problem, route)
        route, behind = blinks.place_near(problem, solution, customer, 0.0, seeded(0))
        if not costs:
            assert route == -1
        else:
            assert costs[route, behind] == pytest.approx(min(costs.values()), abs=1e-9)


@pytest.mark.parametrize("operator", [*OPERATORS, blinks.blink_repair])
@given(seed=st.integers(0, 1000), timed=st.booleans())
def test_with_blinks_solutions_stay_sound(operator: object, seed: int, timed: bool) -> None:
    problem = oracle.random_problem(seed, 11, timed=timed, tight=seed % 2 == 0)
    solution = oracle.filled(problem, seed, 0.5)
    operator(problem, solution, seeded(seed))  # type: ignore[operator]
    oracle.require_consistent(problem, solution)


def test_who_always_blinks_serves_nobody() -> None:
    problem = oracle.random_problem(1, 8)
    solution = oracle.filled(problem, 1, 0.5)
    before = oracle.routes_in(solution)
    blinks.fill_in_order(problem, solution, blinks.ORDER.random, 1.0, seeded(0))
    assert oracle.routes_in(solution) == before


@pytest.mark.parametrize("timed", [False, True])
def test_each_place_is_overlooked_by_chance(timed: bool) -> None:
    """With blinks of one half, the cheapest place is taken every second time, the next every fourth, and so on."""
    problem = oracle.random_problem(9, 7)._replace(capacity=1e9, fleet=1)
    if timed:  # windows that never bind, so that all places are possible
        closes = np.full(8, 1e6)
        closes.flags.writeable = False
        problem = problem._replace(timed=True, closes=closes)
    full, solution = oracle.solution_of(problem, [[1, 2, 3, 4, 5, 6]]), empty_solution(problem)
    by_cost = sorted(
        range(7),
        key=lambda place: oracle.length(problem, [*range(1, place + 1), 7, *range(place + 1, 7)]),
    )
    rng, rounds = seeded(3), 2000
    taken: Counter[int] = Counter()
    for _ in range(rounds):
        copy_into(solution, full)
        blinks.fill_in_order(problem, solution, blinks.ORDER.random, 0.5, rng)
        if not oracle.bank_of(solution):
            taken[by_cost.index(oracle.routes_in(solution)[0].index(7))] += 1
    for rank in range(4):
        assert taken[rank] / rounds == pytest.approx(0.5 ** (rank + 1), abs=0.04)


@pytest.mark.parametrize(("operator", "order"), OPERATORS.items())
def test_operators_use_the_order_of_their_name(operator: object, order: int) -> None:
    problem = oracle.random_problem(5, 10, timed=True)
    one, other = oracle.filled(problem, 5, 0.3), oracle.filled(problem, 5, 0.3)
    operator(problem, one, seeded(2))  # type: ignore[operator]
    blinks.fill_in_order(problem, other, order, blinks.BLINK, seeded(2))
    assert oracle.routes_in(one) == oracle.routes_in(other)


def test_random_order_is_evenly_random() -> None:
    problem = oracle.random_problem(1, 4)
    solution, rng, rounds = empty_solution(problem), seeded(8), 2400
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(rounds):
        assert blinks.line_up(problem, solution, blinks.ORDER.random, rng) == 4
        seen[tuple(solution.scratch_ints[:4, 0].tolist())] += 1
    assert len(seen) == 24
    assert sum((count - 100) ** 2 / 100 for count in seen.values()) < 60


@pytest.mark.parametrize("timed", [False, True])
def test_orders_are_drawn_by_the_published_weights(timed: bool) -> None:
    shares = [4, 4, 2, 1, 2, 2, 2] if timed else [4, 4, 2, 1]
    problem, rng, rounds = oracle.random_problem(1, 4, timed=timed), seeded(8), 3000
    drawn = Counter(int(blinks.draw_order(problem, rng)) for _ in range(rounds))
    assert sorted(drawn) == list(range(len(shares)))
    for order, share in enumerate(shares):
        assert drawn[order] / rounds == pytest.approx(share / sum(shares), abs=0.04)
