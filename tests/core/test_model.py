"""The lists of neighbours."""

import numpy as np
import pytest

from core import oracle
from dacalns.core.model import nearest_customers


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
