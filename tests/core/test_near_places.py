"""When only places beside near customers are looked at, and which of them are in time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core import insertions as near_places
from dacalns.core.model import build_problem
from dacalns.core.terms import may_stand


def test_there_is_much_room_only_where_routes_have_room() -> None:
    customers = near_places.MANY + 2
    demand = np.ones(customers + 1)
    problem = build_problem(
        np.ones((customers + 1, customers + 1)), demand, customers / 2, 4, None, np.zeros(customers + 1), True
    )
    half = customers // 2
    full = [list(range(1, half)), list(range(half, customers))]
    solution = oracle.solution_of(problem, full)
    assert not near_places.much_room(problem, solution, customers)  # the second route is full
    assert near_places.much_room(problem._replace(capacity=1e9), solution, customers)


@pytest.mark.parametrize("kind", [{}, {"timed": True}, {"timed": True, "tight": True}], ids=str)
@given(seed=st.integers(0, 1000))
def test_in_time_is_what_a_walk_along_the_route_says(kind: dict[str, bool], seed: int) -> None:
    problem = oracle.random_problem(seed, 9, **kind)
    solution = oracle.filled(problem, seed, 0.7)
    for customer in oracle.bank_of(solution)[:2]:
        for route in oracle.routes_in(solution):
            for place, (before, after) in enumerate(zip([0, *route], [*route, 0], strict=True)):
                longer = [*route[:place], customer, *route[place:]]
                expected = not problem.timed or oracle.in_time(problem, longer)
                assert may_stand(problem, solution, 0, before, customer, after) == expected
