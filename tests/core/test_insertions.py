"""The innermost loops against trying every place."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.insertions import added_distance, cheapest_position
from dacalns.core.terms import candidate_routes

SEEDS = st.integers(0, 10_000)


@pytest.mark.parametrize("kind", oracle.KINDS, ids=str)
@given(seed=SEEDS, share=st.sampled_from([0.0, 0.5, 0.8]))
def test_cheapest_position_and_added_distance(kind: dict[str, object], seed: int, share: float) -> None:
    problem = oracle.random_problem(seed, 8, **kind)
    solution = oracle.filled(problem, seed, share)
    routes = [*oracle.routes_in(solution), []]
    for customer in oracle.bank_of(solution)[:3]:
        for number, route in enumerate(routes):
            delta, place = cheapest_position(problem, solution, customer, number)
            best, _ = oracle.cheapest(problem, route, customer)
            assert delta == pytest.approx(best)
            for position, after in enumerate([0, *route]):
                longer = [*route[:position], customer, *route[position:]]
                added = added_distance(problem, solution, customer, number, after)
                if oracle.feasible(problem, longer):
                    assert added == pytest.approx(oracle.length(problem, longer) - oracle.length(problem, route))
                else:
                    assert added == math.inf
                if after == place and delta < math.inf:
                    assert added == pytest.approx(best), "the place is where the distance comes from"


def test_a_full_fleet_has_no_empty_route_to_offer() -> None:
    free, tight = oracle.random_problem(1, 6), oracle.random_problem(1, 6, tight=True)
    assert candidate_routes(free, oracle.solution_of(free, [[1], [2]])) == 3
    assert candidate_routes(tight, oracle.solution_of(tight, [])) == 1
    routes = [[customer] for customer in range(1, tight.fleet + 1)]
    assert candidate_routes(tight, oracle.solution_of(tight, routes)) == tight.fleet


def test_a_waiting_customer_has_no_route_to_join() -> None:
    """The route of one is -1, and its neighbour may be asked to go there."""
    problem = oracle.random_problem(1, 6)
    solution = oracle.solution_of(problem, [[1], [2]])
    assert cheapest_position(problem, solution, 3, -1)[0] == math.inf
    assert added_distance(problem, solution, 3, -1, 0) == math.inf
