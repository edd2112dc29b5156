"""Exchange of the ends of routes against lists that are cut and joined."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import empty_solution
from dacalns.core.rng import seeded
from dacalns.core.routes import settle
from dacalns.core.string_removals import NEAREST, best_head, exchange_tails, tail_exchange

CUSTOMERS = 12


def exchanged(routes: list[oracle.Route], customer: int, head: int) -> list[oracle.Route]:
    """The routes with what is behind ``customer`` and what begins with ``head`` in each other's place."""
    one = next(route for route in routes if customer in route)
    other = next(route for route in routes if head in route)
    cut, start = one.index(customer) + 1, other.index(head)
    rest = [route for route in routes if route not in (one, other)]
    return [route for route in (*rest, one[:cut] + other[start:], other[:start] + one[cut:]) if route]


def length(problem: oracle.Problem, routes: list[oracle.Route]) -> float:
    return sum(oracle.length(problem, route) for route in routes)


@pytest.mark.parametrize("timed", [False, True])
@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.5, 1.0]), customer=st.integers(1, CUSTOMERS))
def test_the_best_head_equals_the_naive_one(timed: bool, seed: int, share: float, customer: int) -> None:
    problem = oracle.random_problem(seed, CUSTOMERS, timed=timed)
    solution = oracle.filled(problem, seed, share)
    routes = oracle.routes_in(solution)
    served = set(chain(*routes))
    found = best_head(problem, solution, customer, 0.0, seeded(0))
    if customer not in served:
        assert found == 0
        return
    here = next(route for route in routes if customer in route)
    choices = {
        head: length(problem, exchanged(routes, customer, head))
        for head in problem.neighbours[customer][:NEAREST].tolist()
        if head in served
        and head not in here
        and all(oracle.feasible(problem, route) for route in exchanged(routes, customer, head))
    }
    if not choices:
        assert found == 0
    else:
        assert choices[found] == pytest.approx(min(choices.values()))


@given(seed=st.integers(0, 10_000), timed=st.booleans(), customer=st.integers(1, CUSTOMERS))
def test_the_exchange_equals_cutting_and_joining_lists(seed: int, timed: bool, customer: int) -> None:
    problem = oracle.random_problem(seed, CUSTOMERS, timed=timed)
    solution = oracle.filled(problem, seed)
    routes = oracle.routes_in(solution)
    head = best_head(problem, solution, customer, 0.5, seeded(seed))
    if not head:
        return
    one, other = solution.route[customer], solution.route[head]
    exchange_tails(problem, solution, customer, head)
    solution.dirty[one] = solution.dirty[other] = 1
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    assert sorted(oracle.routes_in(solution)) == sorted(exchanged(routes, customer, head))


@given(seed=st.integers(0, 10_000), count=st.integers(0, 14), share=st.sampled_from([0.5, 1.0]), timed=st.booleans())
def test_the_solution_stays_consistent_and_feasible(seed: int, count: int, share: float, timed: bool) -> None:
    problem = oracle.random_problem(seed, CUSTOMERS, timed=timed)
    solution = oracle.filled(problem, seed, share)
    waiting = set(oracle.bank_of(solution))
    tail_exchange(problem, solution, count, seeded(seed))
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    assert waiting <= set(oracle.bank_of(solution))
    assert all(oracle.feasible(problem, route) for route in oracle.routes_in(solution))


def test_heads_are_passed_over_now_and_then() -> None:
    problem = oracle.random_problem(3, CUSTOMERS, tight=True)
    solution = oracle.filled(problem, 3)
    assert len(oracle.routes_in(solution)) > 2
    problem, rng = problem._replace(capacity=1e9), seeded(1)  # so that all ends may change places
    found = {
        customer: {best_head(problem, solution, customer, 0.5, rng) for _ in range(60)}
        for customer in range(1, CUSTOMERS)
    }
    assert any(len(heads) > 1 for heads in found.values())


def test_nothing_to_exchange() -> None:
    problem = oracle.random_problem(1, 5)
    solution = empty_solution(problem)
    tail_exchange(problem, solution, 3, seeded(0))
    assert len(oracle.bank_of(solution)) == 5


@given(seed=st.integers(0, 10_000), timed=st.booleans())
def test_sums_are_right_where_all_numbers_are_whole(seed: int, timed: bool) -> None:
    """There, removals alone need no new sums."""
    problem = oracle.random_problem(seed, CUSTOMERS, timed=timed, rounding="round")
    assert problem.integral
    solution = oracle.filled(problem, seed)
    tail_exchange(problem, solution, 2, seeded(seed))
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
