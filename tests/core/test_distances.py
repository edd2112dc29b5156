"""A distance is the same number, bit for bit, whether it is read from the matrix or measured."""

import math

import numpy as np
import pytest

from core import oracle
from dacalns.core.distances import MATRIX, PLANE, RICH, WithMatrix, WithoutMatrix, between, pairs_between, told_apart
from dacalns.core.jit import kernel
from dacalns.core.model import PROBLEM, SOLUTION, Problem
from dacalns.core.rich import RICH_PROBLEM, RICH_SOLUTION
from dacalns.core.stepper import DESTROY_SIGNATURE
from dacalns.instances import Instance
from dacalns.instances.distance_matrix import ROUNDINGS
from dacalns.search import start
from dacalns.search.start import problem_of

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
    with pytest.MonkeyPatch.context() as patch:
        stored = problem_of(instance)
        patch.setattr(start, "MOST_STORED", 0)
        return stored, problem_of(instance.with_(name="the same"))


@kernel
def all_distances(problem, table):  # type: ignore[no-untyped-def]
    for tail in range(len(table)):
        for head in range(len(table)):
            table[tail, head] = between(problem, tail, head)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("places", PLACES)
def test_measured_as_in_the_matrix(places: str, rounding: str) -> None:
    stored, bare = problems(places, rounding)
    for problem in (stored, bare, WithMatrix(*stored), WithoutMatrix(*bare)):
        table = np.empty_like(stored.distance)
        all_distances(problem, table)
        assert np.array_equal(table, stored.distance)
    assert not bare.stored
    assert (bare.penalty, bare.neighbours.tolist()) == (stored.penalty, stored.neighbours.tolist())


def test_many_pairs_at_once() -> None:
    stored, bare = problems("tenths", "round")
    tails, heads = np.random.default_rng(1).integers(0, 40, (2, 99))
    assert pairs_between(stored, tails, heads).tolist() == [
        stored.distance[pair] for pair in zip(tails, heads, strict=True)
    ]
    assert np.array_equal(pairs_between(bare, tails, heads), pairs_between(stored, tails, heads))


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
    stored, bare = told_apart(DESTROY_SIGNATURE, MATRIX), told_apart(DESTROY_SIGNATURE, PLANE)
    assert stored.args[0] != bare.args[0]
    assert stored.args[0].types == bare.args[0].types == PROBLEM.types
    assert stored.args[1:] == bare.args[1:] == DESTROY_SIGNATURE.args[1:]
    assert SOLUTION in stored.args
    rich = told_apart(DESTROY_SIGNATURE, RICH)
    assert rich.args[:2] == (RICH_PROBLEM, RICH_SOLUTION)
    assert rich.args[2:] == stored.args[2:]


def test_rich_problems_and_solutions_begin_as_plain_ones() -> None:
    # Kernels that read only those fields get a pointer to either.
    for rich, plain in ((RICH_PROBLEM, PROBLEM), (RICH_SOLUTION, SOLUTION)):
        names = plain.instance_class._fields
        assert rich.instance_class._fields[: len(names)] == names
        assert rich.types[: len(names)] == plain.types
