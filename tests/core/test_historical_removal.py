"""Removal by history against a twin that keeps a dictionary of links."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core.model import LINKS, empty_solution
from dacalns.core.removals import historical_removal, rank_by_history
from dacalns.core.rng import random_float, random_int, seeded
from dacalns.core.routes import copy_into, settle

CUSTOMERS = 12
Links = dict[tuple[int, int], tuple[int, float]]


def noted(links: Links, customer: int, before: int, cost: float) -> float:
    """The least cost of a link; a place that is taken is given to the newcomer."""
    who, least = links.get((customer, before % LINKS), (-1, 0.0))
    least = min(least, cost) if who == before else cost
    links[customer, before % LINKS] = before, least
    return least


def naive_historical(
    problem: oracle.Problem, routes: list[oracle.Route], links: Links, near: int, count: int, rng: np.ndarray
) -> list[int]:
    """Whom the operator removes, in order, where each customer has ``near`` neighbours."""
    if not count:
        return []
    customers, served = len(problem.demand) - 1, set(chain(*routes))
    while (centre := 1 + random_int(rng, customers)) not in served:
        pass
    waiting = set(range(1, customers + 1)) - served
    cost = sum(oracle.length(problem, route) for route in routes) + sum(problem.unserved[w] for w in sorted(waiting))
    order = sorted(set(range(1, customers + 1)) - {centre}, key=lambda other: problem.distance[centre, other])
    candidates = [customer for customer in (centre, *order[:near]) if customer in served]
    worth = {}
    for customer in candidates:
        route = next(route for route in routes if customer in route)
        place = route.index(customer)
        worth[customer] = noted(links, customer, route[place - 1] if place else 0, cost)
        after = route[place + 1] if place + 1 < len(route) else None
        worth[customer] += noted(links, after or customer, customer, cost)
    ranked = sorted(candidates, key=lambda customer: -worth[customer])
    return [ranked.pop(int(random_float(rng) ** 6 * len(ranked))) for _ in range(min(count, len(ranked)))]


@pytest.mark.parametrize("near", [11, 5])
@pytest.mark.parametrize("kind", [{}, {"timed": True}, {"matrix": True}], ids=str)
@given(seeds=st.lists(st.integers(0, 50), min_size=1, max_size=4), count=st.integers(0, 14))
def test_removal_equals_naive(kind: dict[str, bool], near: int, seeds: list[int], count: int) -> None:
    """One solution after another, some of them again, in the memory of one."""
    problem = oracle.random_problem(3, CUSTOMERS, rounding="round", **kind)
    neighbours = np.ascontiguousarray(problem.neighbours[:, :near])
    neighbours.flags.writeable = False  # of the same type as before, so that nothing is compiled again
    problem = problem._replace(neighbours=neighbours)
    solution, links = empty_solution(problem), {}
    for seed in seeds:
        copy_into(solution, oracle.filled(problem, seed, 0.5 if seed % 3 == 0 else 1.0))
        waiting = oracle.bank_of(solution)
        expected = naive_historical(problem, oracle.routes_in(solution), links, near, count, seeded(seed))
        historical_removal(problem, solution, count, seeded(seed))
        assert oracle.bank_of(solution) == waiting + expected
        settle(problem, solution)
        oracle.require_consistent(problem, solution)


def test_links_of_a_good_solution_rank_last() -> None:
    """Of a line of customers, those that a better solution had in another order come first."""
    problem = oracle.on_a_line([0, 1, 2, 3, 4, 5, 6])
    solution = empty_solution(problem)
    copy_into(solution, oracle.solution_of(problem, [[1, 2, 3, 4, 5, 6]]))
    rank_by_history(problem, solution, 1)
    copy_into(solution, oracle.solution_of(problem, [[1, 2, 5, 4, 3, 6]]))
    total = rank_by_history(problem, solution, 1)
    ranked = solution.scratch_ints[:total, 0].tolist()
    assert set(ranked[:3]) == {3, 4, 5}
    assert ranked[-1] == 1


def test_nothing_to_remove() -> None:
    problem = oracle.random_problem(1, 5)
    solution = empty_solution(problem)
    historical_removal(problem, solution, 3, seeded(0))
    assert len(oracle.bank_of(solution)) == 5
