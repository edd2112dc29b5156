"""A distance is the same number, bit for bit, whether it is read from the matrix or measured."""

import math

import numpy as np
import pytest

from core import oracle
from dacalns.core.distances import WithMatrix, WithoutMatrix, between, told_apart
from dacalns.core.jit import kernel
from dacalns.core.model import PROBLEM, SOLUTION, Problem
from dacalns.core.stepper import DESTROY_SIGNATURE
from dacalns.instances import Instance
from dacalns.search.start import problem_of

RULES = {
    "round": (True, 1.0, 0.5),
    "trunc": (True, 1.0, 0.0),
    "dimacs": (True, 10.0, 1e-9),
    "exact": (False, 1.0, 0.0),
    "none": (False, 1.0, 0.0),
}
PLACES = {
    "whole": np.random.default_rng(1).integers(0, 1000, (40, 2)),
    "tenths": np.random.default_rng(2).integers(0, 400, (40, 2)) / 10,
    "anywhere": np.random.default_rng(3).uniform(-1, 1, (40, 2)),
    "far": np.random.default_rng(4).uniform(-1e12, 1e12, (40, 2)),
    "ties": np.array([[126, 57.1], [43.2, 146.7], [35.5, 179.5], [88.3, 184.1], [103.9, 101.4], [155.2, 33]]),
    "one": np.full((5, 2), 7.0),
}


def problems(places: str, rounding: str) -> tuple[Problem, Problem]:
    """One with a matrix and the same without."""
    points = np.asarray(PLACES[places], dtype=np.float64)
    instance = Instance(
        name=places, coordinates=points, demands=np.r_[0, np.ones(len(points) - 1)], capacity=9, rounding=rounding
    )
    stored = problem_of(instance)
    whole, per_unit, offset = RULES[rounding]
    return stored, stored._replace(
        distance=np.empty((0, 0)), stored=False, points=points, whole=whole, per_unit=per_unit, offset=offset
    )


@kernel
def all_distances(problem, table):  # type: ignore[no-untyped-def]
    for tail in range(len(table)):
        for head in range(len(table)):
            table[tail, head] = between(problem, tail, head)


@pytest.mark.parametrize("rounding", RULES)
@pytest.mark.parametrize("places", PLACES)
def test_measured_as_in_the_matrix(places: str, rounding: str) -> None:
    stored, bare = problems(places, rounding)
    for problem in (stored, bare, WithMatrix(*stored), WithoutMatrix(*bare)):
        table = np.empty_like(stored.distance)
        all_distances(problem, table)
        assert np.array_equal(table, stored.distance)


@pytest.mark.parametrize(("rounding", "offset"), [("trunc", 0.0), ("round", 0.5)])
def test_the_root_alone_would_not_do(rounding: str, offset: float) -> None:
    points = PLACES["ties"].tolist()
    roots = [[math.floor(math.sqrt((x - u) ** 2 + (y - v) ** 2) + offset) for x, y in points] for u, v in points]
    assert not np.array_equal(roots, problems("ties", rounding)[0].distance)


@pytest.mark.parametrize("seed", range(3))
def test_an_asymmetric_matrix_keeps_its_direction(seed: int) -> None:
    problem = oracle.random_problem(seed, 8, matrix=True)
    assert between(problem, 2, 5) == problem.distance[2, 5] != between(problem, 5, 2)


def test_signatures_differ_in_the_problem_alone() -> None:
    stored, bare = told_apart(DESTROY_SIGNATURE, True), told_apart(DESTROY_SIGNATURE, False)
    assert stored.args[0] != bare.args[0]
    assert stored.args[0].types == bare.args[0].types == PROBLEM.types
    assert stored.args[1:] == bare.args[1:] == DESTROY_SIGNATURE.args[1:]
    assert SOLUTION in stored.args
