"""The lists of neighbours, and what Python does to whole solutions."""

import numpy as np
import pytest

from core import oracle
from dacalns.core.model import TOUCHED, build_problem, empty_solution, nearest_customers, overwrite, touch_all
from dacalns.core.routes import copy_into, remove, settle


@pytest.mark.parametrize("kind", [{}, {"matrix": True}, {"rounding": "round"}], ids=str)
@pytest.mark.parametrize("most", [1, 4, 100])
def test_neighbours_equal_a_sorted_list(kind: dict[str, object], most: int) -> None:
    distance = oracle.random_problem(3, 30, **kind).distance
    lists = nearest_customers(distance, most)
    for node, found in enumerate(lists.tolist()):
        others = [customer for customer in range(1, 31) if customer != node]
        assert found == sorted(others, key=lambda other: distance[node, other])[: min(most, 29)]


def test_a_problem_knows_its_neighbours() -> None:
    problem = oracle.on_a_line([0, 1, 3, 7, 20])
    assert problem.neighbours.tolist() == [[1, 2, 3], [2, 3, 4], [1, 3, 4], [2, 1, 4], [3, 2, 1]]
    assert problem.neighbours.dtype == np.int32
    assert not problem.neighbours.flags.writeable


def test_one_customer_has_none() -> None:
    assert oracle.on_a_line([0, 1]).neighbours.shape == (2, 0)


@pytest.mark.parametrize("seed", range(5))
def test_overwriting_is_copying(seed: int) -> None:
    problem = oracle.random_problem(seed, 12, timed=True)
    source, copied, overwritten = (
        oracle.filled(problem, seed),
        oracle.filled(problem, seed + 1),
        empty_solution(problem),
    )
    remove(problem, source, 1 + seed)
    settle(problem, source)
    copy_into(copied, source)
    overwrite(overwritten, source)
    for solution in (copied, overwritten):
        oracle.require_consistent(problem, solution)
        assert oracle.routes_in(solution) == oracle.routes_in(source)
        assert oracle.bank_of(solution) == oracle.bank_of(source)
        assert solution.counts[TOUCHED] == 0
        assert not solution.touched.any()


def test_all_routes_of_either_are_touched() -> None:
    problem = oracle.on_a_line([0, 1, 2, 3, 4])
    for routes, others, expected in (([[1, 2, 3, 4]], [[1], [2, 3], [4]], 3), ([[1, 2], [3, 4]], [[1, 2, 3, 4]], 2)):
        solution = oracle.solution_of(problem, routes)
        touch_all(solution, oracle.solution_of(problem, others))
        assert sorted(solution.journal[: solution.counts[TOUCHED]].tolist()) == list(range(expected))
        assert solution.touched.tolist() == [route < expected for route in range(len(solution.touched))]


def test_whole_numbers_are_told_from_fractions_and_from_those_too_large() -> None:
    assert oracle.random_problem(1, 5, rounding="round").integral
    assert not oracle.random_problem(1, 5).integral
    large = np.full((4, 4), 2.0**51)
    demand = np.array([0.0, 1.0, 1.0, 1.0])
    assert not build_problem(large, demand, 9.0, 3, None, np.zeros(4), True).integral
    assert build_problem(large / 2**20, demand, 9.0, 3, None, np.zeros(4), True).integral
    assert not build_problem(large / 2**20, demand / 2, 9.0, 3, None, np.zeros(4), True).integral
