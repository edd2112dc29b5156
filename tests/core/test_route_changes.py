"""Changes of routes against the same on plain lists: made if they are feasible, and else nothing is touched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.local_search import change_places, exchange_ends, move, turn_between
from dacalns.core.routes import settle

SEEDS = st.integers(0, 100_000)
KINDS = [{}, {"timed": True}]


def expect(problem: oracle.Problem, solution: oracle.Solution, done: bool, routes: list[oracle.Route]) -> None:
    """These routes if they are feasible, else what there was before."""
    settle(problem, solution)
    oracle.require_consistent(problem, solution)
    if done:
        assert sorted(oracle.routes_in(solution)) == sorted(route for route in routes if route)
    assert done == all(oracle.feasible(problem, route) for route in routes if route)


def drawn(
    kind: dict[str, bool], seed: int, customers: int, same: bool, beside: bool = False
) -> tuple[oracle.Problem, oracle.Solution, int, int]:
    """A solution and two of its customers, on the same route or on two, ``beside`` one another only if that may be."""
    problem = oracle.random_problem(seed, customers, **kind)
    solution = oracle.filled(problem, seed)
    rng = np.random.default_rng(seed)
    pairs = [
        (one, other)
        for one in range(1, customers + 1)
        for other in range(1, customers + 1)
        if one != other
        and solution.route[one] >= 0
        and solution.route[other] >= 0
        and (solution.route[one] == solution.route[other]) == same
        and (beside or other not in (solution.pred[one], solution.succ[one]))
    ]
    return problem, solution, *(pairs[rng.integers(len(pairs))] if pairs else (0, 0))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=SEEDS, customers=st.integers(3, 14), behind=st.booleans(), turned=st.booleans())
def test_ends_are_exchanged(kind: dict[str, bool], seed: int, customers: int, behind: bool, turned: bool) -> None:
    problem, solution, one, other = drawn(kind, seed, customers, same=False)
    if not one:
        return
    before, turned = oracle.routes_in(solution), turned and "timed" not in kind
    here, there = (next(route for route in before if node in route) for node in (one, other))
    rest = [route for route in before if route not in (here, there)]
    if turned:
        there = there[::-1]
    i, j = here.index(one), there.index(other)
    joined = (
        [here[: i + 1] + there[j:], there[:j] + here[i + 1 :]]
        if behind
        else [there[: j + 1] + here[i:], here[:i] + there[j + 1 :]]
    )
    done = exchange_ends(problem, solution, one, behind, other, behind == turned)
    expect(problem, solution, done, [*rest, *joined])
    assert done or oracle.routes_in(solution) == before


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=SEEDS, customers=st.integers(3, 14), behind=st.booleans())
def test_a_stretch_is_turned_round(kind: dict[str, bool], seed: int, customers: int, behind: bool) -> None:
    problem, solution, one, other = drawn(kind, seed, customers, same=True)
    if not one:
        return
    before = oracle.routes_in(solution)
    here = next(route for route in before if one in route)
    first, last = sorted((here.index(one) + behind, here.index(other) + behind))
    turned = here[:first] + here[first:last][::-1] + here[last:]
    done = turn_between(problem, solution, one, other, behind)
    expect(problem, solution, done, [turned, *(route for route in before if route != here)])
    assert done or oracle.routes_in(solution) == before


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(
    seed=SEEDS, customers=st.integers(3, 14), same=st.booleans(), behind=st.booleans(), side=st.sampled_from([-1, 0, 1])
)
def test_customers_are_moved(
    kind: dict[str, bool], seed: int, customers: int, same: bool, behind: bool, side: int
) -> None:
    """The one that comes along stands on either side, or none does. Loads are for the caller to see to."""
    problem, solution, one, other = drawn(kind, seed, customers, same, beside=True)
    partner = int((solution.succ[one], solution.pred[one])[side < 0]) if one and side else 0
    if not one or partner == other:
        return
    problem = problem._replace(capacity=1e9)
    before = oracle.routes_in(solution)
    moved = [one, partner] if partner else [one]
    left = [[node for node in route if node not in moved] for route in before]
    into = next(route for route in left if other in route)
    place = into.index(other) + behind
    into[place:place] = moved if behind else moved[::-1]
    if into in before:
        return  # they stand there already
    done = move(problem, solution, one, partner, other, behind)
    expect(problem, solution, done, left)
    assert done or oracle.routes_in(solution) == before


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=SEEDS, customers=st.integers(3, 14))
def test_two_change_places(kind: dict[str, bool], seed: int, customers: int) -> None:
    """Whether they may is for the caller to see to."""
    problem, solution, one, other = drawn(kind, seed, customers, same=False)
    problem = problem._replace(capacity=1e9)
    swapped = {one: other, other: one}
    expected = [[swapped.get(node, node) for node in route] for route in oracle.routes_in(solution)]
    if not one or not all(oracle.feasible(problem, route) for route in expected):
        return
    change_places(problem, solution, one, other)
    expect(problem, solution, True, expected)
