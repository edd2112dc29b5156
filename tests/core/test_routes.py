"""Taking customers out and putting them in, by hand on four customers and against the oracle."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import BANKED, SLACK, USED, Problem, Solution, build_problem, empty_solution
from dacalns.core.rng import seeded
from dacalns.core.routes import (
    add_to_journal,
    changed_fingerprint,
    copy_into,
    copy_touched,
    fingerprint,
    fits,
    insert,
    remove,
    settle,
)
from dacalns.core.terms import objective, recompute, solution_cost
from dacalns.instances import Instance
from dacalns.search.start import problem_of

SEEDS = st.integers(0, 10_000)
KINDS = [
    {},
    {"rounding": "round"},
    {"timed": True},
    {"matrix": True},
    {"timed": True, "rounding": "dimacs"},
    {"tight": True},
]


def four(**changes: object) -> Problem:
    """Depot at 0, customers at 1, 2, 3 and 4 along a line; three of them fill a vehicle."""
    fields: dict[str, object] = {
        "name": "four",
        "coordinates": [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]],
        "demands": [0, 1, 1, 1, 1],
        "capacity": 3,
        "rounding": "exact",
    }
    return problem_of(Instance(**{**fields, **changes}))  # type: ignore[arg-type]


def four_timed() -> Problem:
    """Service takes one; customer 1 opens at 5, customer 3 closes at 4, the day ends at 12."""
    windows = [[0, 12], [5, 9], [0, 9], [0, 4], [0, 9]]
    return four(windows=windows, service=[0, 1, 1, 1, 1])


def test_empty_solution_has_everybody_in_the_bank() -> None:
    problem = four()
    solution = empty_solution(problem)
    oracle.require_consistent(problem, solution)
    assert oracle.bank_of(solution) == [1, 2, 3, 4]
    assert objective(problem, solution) == problem.unserved[1:].sum()


def test_insert_by_hand() -> None:
    problem = four()
    solution = oracle.solution_of(problem, [[2, 4], [1]])
    assert insert(problem, solution, 3, 0, 2)
    assert oracle.routes_in(solution) == [[2, 3, 4], [1]]
    assert solution.length[:2].tolist() == [8, 2]
    assert solution.load[:2].tolist() == [3, 1]
    assert solution_cost(problem, solution) == objective(problem, solution) == 10
    oracle.require_consistent(problem, solution)


def test_times_by_hand() -> None:
    problem = four_timed()
    solution = oracle.solution_of(problem, [[3, 1]])
    assert solution.depart[[3, 1]].tolist() == [4, 7]  # at 3 from time 3 to 4; at 1 at 6, open since 5
    assert solution.latest[[3, 1]].tolist() == pytest.approx([4, 9], abs=2 * SLACK)
    assert fits(problem, solution, 2, 0, 3)
    assert fits(problem, solution, 2, 0, 0)  # 3 is reached at 2 + 1 + 1 = 4, just in time
    assert not fits(problem, solution, 4, 0, 0)  # 3 would be reached at 4 + 1 + 1 = 6
    oracle.require_consistent(problem, solution)


@pytest.mark.parametrize(
    ("customer", "route", "after"),
    [
        (1, 0, 0),  # is in a route already
        (4, 0, 3),  # the vehicle is full
        (4, 2, 0),  # not the next empty route
        (4, -1, 0),
        (4, 1, 2),  # customer 2 is in another route
        (0, 1, 0),  # the depot is no customer
    ],
)
def test_insert_refuses(customer: int, route: int, after: int) -> None:
    problem = four()
    solution = oracle.solution_of(problem, [[1, 2, 3]])
    assert not insert(problem, solution, customer, route, after)
    assert oracle.routes_in(solution) == [[1, 2, 3]]
    oracle.require_consistent(problem, solution)


def test_insert_opens_no_route_beyond_the_fleet() -> None:
    problem = four(fleet=2, capacity=2)
    solution = oracle.solution_of(problem, [[1], [2]])
    assert not insert(problem, solution, 3, 2, 0)
    oracle.require_consistent(problem, solution)


def test_remove_and_settle_by_hand() -> None:
    problem = four()
    solution = oracle.solution_of(problem, [[1], [2, 3], [4]])
    assert remove(problem, solution, 1)
    assert remove(problem, solution, 3)
    assert not remove(problem, solution, 3)
    settle(problem, solution)
    assert sorted(oracle.routes_in(solution)) == [[2], [4]]
    assert oracle.bank_of(solution) == [1, 3]
    assert solution_cost(problem, solution) == 12
    oracle.require_consistent(problem, solution)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=SEEDS, share=st.sampled_from([0.4, 0.8]))
def test_fits_and_insert_agree_with_a_walk_along_the_route(kind: dict[str, bool], seed: int, share: float) -> None:
    problem = oracle.random_problem(seed, 6, **kind)
    solution = oracle.filled(problem, seed, share)
    routes = [*oracle.routes_in(solution), []]
    for customer in oracle.bank_of(solution)[:2]:
        for number, route in enumerate(routes):
            for place, after in enumerate([0, *route]):
                longer = [*route[:place], customer, *route[place:]]
                possible = oracle.feasible(problem, longer)
                assert fits(problem, solution, customer, number, after) == possible
                twin = empty_solution(problem)
                copy_into(twin, solution)
                allowed = possible and number < problem.fleet
                assert insert(problem, twin, customer, number, after) == allowed
                oracle.require_consistent(problem, twin)
                if allowed:
                    assert oracle.routes_in(twin)[number] == longer


@pytest.mark.parametrize("kind", KINDS[:2] + KINDS[4:], ids=str)
@given(seed=SEEDS, data=st.data())
def test_removals_in_any_order_then_settle(kind: dict[str, bool], seed: int, data: st.DataObject) -> None:
    problem = oracle.random_problem(seed, 8, **kind)
    solution = oracle.filled(problem, seed)
    before = oracle.routes_in(solution)
    order = data.draw(st.permutations(list(chain(*before))))
    gone = order[: data.draw(st.integers(0, len(order)))]
    for customer in gone:
        assert remove(problem, solution, customer)
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    left = [[customer for customer in route if customer not in gone] for route in before]
    assert sorted(oracle.routes_in(solution)) == sorted(route for route in left if route)


@given(seed=SEEDS)
def test_recompute_from_the_links_alone(seed: int) -> None:
    problem = oracle.random_problem(seed, 6, timed=True)
    solution = oracle.filled(problem, seed)
    for number in range(int(solution.counts[USED])):
        route = oracle.routes_in(solution)[number]
        solution.length[number] = solution.load[number] = -1
        solution.depart[route] = solution.latest[route] = -1
        recompute(problem, solution, number)
    oracle.require_consistent(problem, solution)


def test_copy_is_equal_and_independent() -> None:
    problem = four_timed()
    one, other = oracle.solution_of(problem, [[3, 1], [2]]), empty_solution(problem)
    copy_into(other, one)
    assert oracle.routes_in(other) == [[3, 1], [2]]
    oracle.require_consistent(problem, other)
    remove(problem, other, 3)
    settle(problem, other)
    oracle.require_consistent(problem, one)
    assert oracle.routes_in(one) == [[3, 1], [2]]


@given(seed=SEEDS, shares=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_copy_over_any_other_solution(seed: int, shares: tuple[float, float]) -> None:
    problem = oracle.random_problem(seed, 9, timed=True)
    target, source = (oracle.filled(problem, seed + k, share) for k, share in enumerate(shares))
    copy_into(target, source)
    oracle.require_consistent(problem, target)
    assert oracle.routes_in(target) == oracle.routes_in(source)
    assert oracle.bank_of(target) == oracle.bank_of(source)


@pytest.mark.parametrize("kind", KINDS[:2] + KINDS[4:], ids=str)
@given(seed=SEEDS, data=st.data())
def test_what_the_journal_names_is_all_that_need_be_copied(
    kind: dict[str, bool], seed: int, data: st.DataObject
) -> None:
    """Forth and back between three solutions, as in a search: the journal and the fingerprint are always right."""
    problem = oracle.random_problem(seed, 24, **kind)  # enough that a few routes are copied link by link
    current = oracle.filled(problem, seed, data.draw(st.sampled_from([0.8, 1.0])))
    candidate, best = empty_solution(problem), empty_solution(problem)
    copy_into(candidate, current)
    copy_into(best, current)
    key = fingerprint(problem, current)
    for _ in range(6):
        copy_touched(candidate, current, candidate)
        oracle.require_consistent(problem, candidate)
        assert oracle.routes_in(candidate) == oracle.routes_in(current)
        assert oracle.bank_of(candidate) == oracle.bank_of(current)
        for customer in data.draw(st.lists(st.integers(1, 24), max_size=5)):
            remove(problem, candidate, customer)
        settle(problem, candidate)
        for customer in data.draw(st.permutations(oracle.bank_of(candidate)))[:4]:
            insert(problem, candidate, customer, data.draw(st.integers(0, int(candidate.counts[USED]))), 0)
        key_then = changed_fingerprint(problem, candidate, current, np.uint64(key))
        assert key_then == fingerprint(problem, candidate)
        if data.draw(st.booleans()):
            key = key_then
            add_to_journal(best, candidate)
            copy_touched(current, candidate, candidate)
            oracle.require_consistent(problem, current)
            assert oracle.routes_in(current) == oracle.routes_in(candidate)
            if data.draw(st.booleans()):
                copy_touched(best, current, best)
                oracle.require_consistent(problem, best)
                assert oracle.routes_in(best) == oracle.routes_in(current)
                assert oracle.bank_of(best) == oracle.bank_of(current)


@given(seed=SEEDS, share=st.floats(0.2, 1))
def test_objective_is_length_and_penalties(seed: int, share: float) -> None:
    problem = oracle.random_problem(seed, 8)
    solution = oracle.filled(problem, seed, share)
    total = sum(oracle.length(problem, route) for route in oracle.routes_in(solution))
    assert solution_cost(problem, solution) == pytest.approx(total)
    waiting = solution.bank[: solution.counts[BANKED]]
    penalties = problem.unserved[waiting].sum()
    assert objective(problem, solution) == pytest.approx(total + penalties)


def test_no_saving_outweighs_the_penalty() -> None:
    """Serving one customer more, however far away, is always better than not."""
    problem = oracle.random_problem(3, 8, matrix=True)
    worst_case = 2 * 8 * float(problem.distance.max())
    assert problem.penalty > worst_case


def test_more_unserved_customers_are_always_worse() -> None:
    """Two of them with large demands are still better than three with small ones."""
    demand = np.array([0.0, 90, 90, 1, 1, 1])
    problem = build_problem(np.ones((6, 6)), demand, 100.0, 3, None, np.zeros(6), True)
    large, small = problem.unserved[1:3].sum(), problem.unserved[3:].sum()
    assert small - large > 2 * 6
    assert problem.unserved[1] > problem.unserved[3]


def hashed(problem: Problem, routes: list[list[int]]) -> int:
    return int(fingerprint(problem, oracle.solution_of(problem, routes)))


def test_fingerprint_ignores_order_and_direction_of_routes() -> None:
    problem = four(capacity=4)
    first = hashed(problem, [[1, 2, 3], [4]])
    assert first == hashed(problem, [[4], [1, 2, 3]]) == hashed(problem, [[4], [3, 2, 1]])


def test_fingerprints_of_different_solutions_differ() -> None:
    problem = four(capacity=4)
    different = [
        [[1, 2, 3], [4]], [[2, 1, 3], [4]], [[1, 3, 2], [4]], [[1, 2, 3, 4]], [[1, 2], [3, 4]],
        [[1, 2, 3]], [[1], [2], [3], [4]], [[1]], [[2]], [[1], [2]], [[1, 2]],
    ]  # fmt: skip
    assert len({hashed(problem, routes) for routes in different}) == len(different)


@given(seed=SEEDS)
def test_a_change_changes_the_fingerprint(seed: int) -> None:
    problem = oracle.random_problem(seed, 8)
    solution = oracle.filled(problem, seed)
    before = fingerprint(problem, solution)
    customer = 1 + int(seeded(seed)[0] % np.uint64(8))
    remove(problem, solution, customer)
    settle(problem, solution)
    assert fingerprint(problem, solution) != before
    again: Solution = oracle.solution_of(problem, oracle.routes_in(solution)[::-1])
    assert fingerprint(problem, again) == fingerprint(problem, solution)
