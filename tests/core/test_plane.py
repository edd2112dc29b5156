"""Nodes in the plane against their distance matrix."""

import numpy as np
import pytest

from dacalns.core.model import nearest_customers
from dacalns.core.plane import LEAF, Plane, longest_distance, measured_pairs, nearest_nodes
from dacalns.instances.distance_matrix import ROUNDINGS, rule_of

RNG = np.random.default_rng(1)
PLACES = {
    "square": RNG.uniform(0, 100, (90, 2)),
    "circle": 50 * np.column_stack([np.cos(np.arange(60.0)), np.sin(np.arange(60.0))]),
    "grid": np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1).reshape(-1, 2),
    "town and country": np.r_[RNG.uniform(0, 1, (60, 2)), RNG.uniform(-1000, 1000, (20, 2))],
    "line": np.column_stack([np.arange(50.0) ** 2, np.zeros(50)]),
    "one place": np.full((40, 2), 3.0),
    "a leaf": RNG.uniform(0, 9, (LEAF, 2)),
    "two": np.array([[0.0, 0.0], [3.0, 4.0]]),
}


def plane_and_matrix(places: str, rounding: str) -> tuple[Plane, np.ndarray]:
    points = PLACES[places]
    plane = Plane(points, *rule_of(rounding))
    nodes = np.arange(len(points))
    tails, heads = (axis.ravel() for axis in np.meshgrid(nodes, nodes, indexing="ij"))
    return plane, measured_pairs(plane, tails, heads).reshape(len(points), -1)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("places", PLACES)
def test_nearest_nodes_equal_a_sorted_list(places: str, rounding: str) -> None:
    plane, matrix = plane_and_matrix(places, rounding)
    nodes = len(matrix)
    for first in (0, 1):
        for most in {0, 1, 7, nodes - 1 - first} & set(range(nodes - first)):
            who, away = nearest_nodes(plane, most, first)
            for node in range(nodes):
                others = [other for other in range(first, nodes) if other != node]
                expected = sorted(others, key=lambda other: (matrix[node, other], other))[:most]
                assert who[node].tolist() == expected
                assert away[node].tolist() == matrix[node, expected].tolist()


def test_the_lists_are_those_of_the_matrix() -> None:
    plane, matrix = plane_and_matrix("grid", "round")
    assert np.array_equal(nearest_nodes(plane, 20, 1)[0], nearest_customers(matrix, 20))


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("places", PLACES)
def test_longest_distance(places: str, rounding: str) -> None:
    plane, matrix = plane_and_matrix(places, rounding)
    assert longest_distance(plane) == matrix.max()
