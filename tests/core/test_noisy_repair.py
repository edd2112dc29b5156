"""Regret insertion with noise against a twin in plain Python that computes every cost anew at every step."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.insertion_table import DIGITS, fill_by_best
from dacalns.core.lanes import LANES
from dacalns.core.repairs import DEPTH, ETA, noisy_regret_repair
from dacalns.core.rng import random_float, seeded

SEEDS = st.integers(0, 100_000)
KINDS = [{}, {"tight": True}, {"timed": True}, {"timed": True, "tight": True}]


def naive_noisy_fill(
    problem: oracle.Problem, routes: list[oracle.Route], bank: list[int], eta: float, seed: int
) -> list[oracle.Route]:
    """Noise on the three cheapest routes of each waiting customer; the last takes the place of the one served.

    One number is drawn for each place of a block, whether anybody stands there or not, and its digits serve for three.
    """
    routes, bank, rng = [list(route) for route in routes], list(bank), seeded(seed)
    while True:
        most, chosen, where = -math.inf, None, (0, 0)
        draws = [random_float(rng) for _ in range(-(-len(bank) // LANES) * LANES)]
        for customer, draw in zip(bank, draws, strict=False):
            reach = eta * max(problem.distance[customer, 1:])
            noises = [draw, draw * DIGITS % 1.0, draw * DIGITS % 1.0 * DIGITS % 1.0]
            seeming = [
                (max(0.0, delta + reach * (2 * noise - 1)), rank, (number, place))
                for rank, (noise, (delta, number, place)) in enumerate(
                    zip(noises, oracle.options(problem, routes, customer), strict=False)
                )
            ]
            if seeming:
                best, second = [*sorted(seeming), (problem.penalty, 0, (0, 0))][:2]
                if second[0] - best[0] > most:
                    most, chosen, where = second[0] - best[0], customer, best[2]
        if chosen is None:
            return routes
        if where[0] == len(routes):
            routes.append([])
        routes[where[0]].insert(where[1], chosen)
        last = bank.pop()
        if last != chosen:
            bank[bank.index(chosen)] = last


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=SEEDS, customers=st.integers(2, 12), share=st.sampled_from([0.0, 0.5]), eta=st.sampled_from([ETA, 0.5]))
def test_insertion_equals_naive(kind: dict[str, bool], seed: int, customers: int, share: float, eta: float) -> None:
    problem = oracle.random_problem(seed, customers, **kind)
    solution = oracle.filled(problem, seed, share)
    expected = naive_noisy_fill(problem, oracle.routes_in(solution), oracle.bank_of(solution), eta, seed)
    fill_by_best(problem, solution, DEPTH, eta, seeded(seed))
    oracle.require_consistent(problem, solution)
    assert oracle.routes_in(solution) == expected


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("timed", [False, True])
def test_insertion_equals_naive_on_many_routes(timed: bool) -> None:
    problem = oracle.random_problem(7, 45, timed=timed)
    solution = oracle.filled(problem, 7, 0.5)
    expected = naive_noisy_fill(problem, oracle.routes_in(solution), oracle.bank_of(solution), ETA, 3)
    noisy_regret_repair(problem, solution, seeded(3))
    assert oracle.routes_in(solution) == expected
    assert len(expected) > 8


def test_the_same_bank_is_served_in_different_ways() -> None:
    problem = oracle.random_problem(5, 14)
    seen = set()
    for seed in range(30):
        solution = oracle.filled(problem, 5, 0.3)
        noisy_regret_repair(problem, solution, seeded(seed))
        seen.add(str(sorted(oracle.routes_in(solution))))
    assert len(seen) > 1


def test_a_single_customer_has_no_neighbours() -> None:
    problem = oracle.random_problem(5, 1)
    solution = oracle.filled(problem, 5, 0.0)
    noisy_regret_repair(problem, solution, seeded(0))
    assert oracle.routes_in(solution) == [[1]]
