"""Route removal: whole routes, no more than are needed, near one another."""

from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import empty_solution
from dacalns.core.removals import route_removal
from dacalns.core.rng import seeded
from dacalns.core.routes import copy_into, settle


@given(seed=st.integers(0, 10_000), count=st.integers(0, 20), share=st.sampled_from([0.6, 1.0]))
def test_whole_routes_until_enough_are_out(seed: int, count: int, share: float) -> None:
    problem = oracle.random_problem(seed, 15)
    solution = oracle.filled(problem, seed, share)
    routes, waiting = oracle.routes_in(solution), set(oracle.bank_of(solution))
    route_removal(problem, solution, count, seeded(seed))
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    removed = set(oracle.bank_of(solution)) - waiting
    emptied = [route for route in routes if set(route) <= removed]
    assert sum(map(len, emptied)) == len(removed) >= min(count, sum(map(len, routes)))
    # Without the one that came last it would not have been enough.
    assert not emptied or len(removed) - max(map(len, emptied)) < count


def test_every_route_is_as_likely_and_its_neighbour_follows() -> None:
    problem = oracle.on_a_line([0, 1, 2, 10, 11, 50, 51])
    full, solution, rng = oracle.solution_of(problem, [[1, 2], [3, 4], [5, 6]]), empty_solution(problem), seeded(1)
    seen = set()
    for _ in range(60):
        copy_into(solution, full)
        route_removal(problem, solution, 3, rng)
        seen.add(tuple(sorted(oracle.bank_of(solution))))
    assert seen == {(1, 2, 3, 4), (3, 4, 5, 6)}


def test_nothing_to_remove() -> None:
    problem = oracle.random_problem(1, 5)
    solution = empty_solution(problem)
    route_removal(problem, solution, 3, seeded(0))
    assert len(oracle.bank_of(solution)) == 5
