"""Insertion of who matters most first, where the table holds all who wait and where it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core import insertions as near_places
from dacalns.core.insertion_table import COSTS, SPARE, fill_by_best
from dacalns.core.model import Solution
from dacalns.core.rng import seeded

SEEDS = st.integers(0, 100_000)
KINDS = [{}, {"tight": True}, {"timed": True}, {"timed": True, "tight": True}, {"timed": True, "matrix": True}]


def with_small_table(solution: Solution, rows: int) -> Solution:
    """The same with so few rows for costs; those at the end are not for operators."""
    kept = rows + 2 * len(solution.route)
    return solution._replace(scratch_floats=solution.scratch_floats[max(0, len(solution.scratch_floats) - kept) :])


@pytest.mark.parametrize("eta", [0.0, 0.025])
@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=SEEDS, customers=st.integers(9, 30), share=st.sampled_from([0.0, 0.5]), rows=st.integers(0, 40))
@pytest.mark.slow_without_jit
def test_a_table_too_small_for_all_serves_all_the_same(
    kind: dict[str, bool], eta: float, seed: int, customers: int, share: float, rows: int
) -> None:
    problem = oracle.random_problem(seed, customers, **kind)
    least = COSTS + problem.fleet  # of one block
    solution = with_small_table(oracle.filled(problem, seed, share), least + rows)
    fill_by_best(problem, solution, 2, eta, seeded(seed))
    oracle.require_consistent(problem, solution)
    routes = oracle.routes_in(solution)
    assert all(not oracle.options(problem, routes, customer) for customer in oracle.bank_of(solution))


@given(seed=SEEDS)
def test_eight_in_line_are_served_as_in_a_large_table(seed: int) -> None:
    problem = oracle.random_problem(seed, 16)
    one = oracle.filled(problem, seed, 0.5)
    other = with_small_table(oracle.filled(problem, seed, 0.5), COSTS + problem.fleet)
    fill_by_best(problem, one, 2, 0.0, seeded(0))
    fill_by_best(problem, other, 2, 0.0, seeded(0))
    assert oracle.routes_in(one) == oracle.routes_in(other)


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("timed", [False, True])
def test_more_routes_are_opened_than_there_is_room_for_at_first(timed: bool) -> None:
    problem = oracle.random_problem(7, 45, timed=timed)
    problem = problem._replace(capacity=float(sorted(problem.demand)[-1]) * 1.5)
    solution = oracle.filled(problem, 7, 0.0)
    expected, _ = oracle.naive_fill(problem, [], oracle.bank_of(solution), 2)
    assert len(expected) > SPARE + 1
    fill_by_best(problem, solution, 2, 0.0, seeded(0))
    oracle.require_consistent(problem, solution)
    assert oracle.bank_of(solution) == []


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("kind", [{}, {"tight": True}, {"timed": True}], ids=str)
def test_on_large_instances_all_are_served_whom_any_route_can_take(kind: dict[str, bool]) -> None:
    customers = near_places.MANY + 20
    problem = oracle.random_problem(3, customers, **kind)
    # One near neighbour: its route is full for most, so that others have to be looked at.
    problem = problem._replace(neighbours=problem.neighbours[:, :1].copy())
    solution = oracle.filled(problem, 3, 0.9)
    fill_by_best(problem, solution, 2, 0.0, seeded(0))
    oracle.require_consistent(problem, solution)
    routes = oracle.routes_in(solution)
    assert all(not oracle.options(problem, routes, customer) for customer in oracle.bank_of(solution))
