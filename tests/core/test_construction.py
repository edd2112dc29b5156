"""Packing: customers find room where regret insertion finds none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dacalns
from core import oracle
from dacalns.core.construction import complete, pack
from dacalns.core.model import BANKED, empty_solution
from dacalns.core.repairs import greedy_repair, regret_repair
from dacalns.core.rng import seeded
from dacalns.search.start import problem_of, start_solution


@given(seed=st.integers(0, 100_000), customers=st.integers(3, 14), timed=st.booleans())
def test_unserved_demand_never_grows(seed: int, customers: int, timed: bool) -> None:
    problem = oracle.random_problem(seed, customers, timed=timed, tight=True)
    solution = oracle.filled(problem, seed)
    before = sum(problem.demand[oracle.bank_of(solution)])
    pack(problem, solution, empty_solution(problem), 20, seeded(seed))
    oracle.require_consistent(problem, solution)
    assert sum(problem.demand[oracle.bank_of(solution)]) <= before


def test_a_perfect_packing_is_found() -> None:
    """Three bins of 10 hold 6+4, 6+4 and 5+5 exactly; cheapest insertion joins the neighbours 4 and 4."""
    demand = [0, 4, 4, 5, 5, 6, 6]
    at = [0, 1, 1.1, 10, 10.1, 20, -20]
    instance = dacalns.Instance(
        name="bins", coordinates=[[x, 0] for x in at], demands=demand, capacity=10, fleet=3, rounding="exact"
    )
    problem = problem_of(instance)
    solution = empty_solution(problem)
    greedy_repair(problem, solution, seeded(0))
    assert solution.counts[BANKED] > 0
    pack(problem, solution, empty_solution(problem), 1000, seeded(0))
    assert solution.counts[BANKED] == 0
    oracle.require_consistent(problem, solution)


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("name", dacalns.instance_names("augerat"))
def test_every_start_of_augerat_serves_everybody(name: str) -> None:
    problem = problem_of(dacalns.read(name))
    assert start_solution(problem, None).counts[BANKED] == 0


@given(seed=st.integers(0, 100_000), customers=st.integers(3, 14), timed=st.booleans())
def test_all_are_served_by_regret_and_packing_only_comes_after_it(seed: int, customers: int, timed: bool) -> None:
    problem = oracle.random_problem(seed, customers, timed=timed, tight=True)
    solution, expected = empty_solution(problem), empty_solution(problem)
    complete(problem, solution, empty_solution(problem), 20, seeded(seed))
    regret_repair(problem, expected, seeded(seed))
    if expected.counts[BANKED]:
        pack(problem, expected, empty_solution(problem), 20, seeded(seed))
    oracle.require_consistent(problem, solution)
    assert oracle.routes_in(solution) == oracle.routes_in(expected)
