"""How far one node is from another: read from the matrix where there is one, else measured from the coordinates.

A matrix of 20,000 customers would take 3.2 GB, and from a few thousand on a distance is measured faster than fetched
from so large a table. Both ways give the same bits, so that an answer does not depend on which of them was taken.

Asking in every loop which way it is costs an operator up to 10 %. So operators are compiled once for problems with a
matrix and once for those without: the type of the problem, which :func:`told_apart` puts into a signature, says which.
"""

from collections import namedtuple
from functools import cache

import numpy as np
from numba.extending import overload

from dacalns.core.memory import by_reference
from dacalns.core.model import PROBLEM, SOLUTION, Problem
from dacalns.core.plane import Plane, measured, measured_pairs
from dacalns.core.rich import RICH_PROBLEM, RICH_SOLUTION


class WithMatrix(Problem):
    """The type of a problem in operators that are compiled for those with a matrix."""

    __slots__ = ()


# The same for problems without: an operator that reads the matrix cannot be compiled for them.
WithoutMatrix = by_reference(namedtuple("WithoutMatrix", ["no_distance", *Problem._fields[1:]]))


def between(problem, tail, head):
    """The distance from node ``tail`` to node ``head`` in scaled units, after rounding."""
    if problem.stored:
        return problem.distance[tail, head]
    return measured(problem.points, problem.whole, problem.per_unit, problem.offset, np.int64(tail), np.int64(head))


def _read(problem, tail, head):
    return problem.distance[tail, head]


def _measure(problem, tail, head):
    return measured(problem.points, problem.whole, problem.per_unit, problem.offset, np.int64(tail), np.int64(head))


@overload(between, strict=False, jit_options={"error_model": "numpy", "_nrt": False, "forceinline": True})
def _between(problem, tail, head):
    if getattr(problem.instance_class, "rich", False):
        return _read
    return {WithMatrix: _read, WithoutMatrix: _measure}.get(problem.instance_class, between)


def pairs_between(problem: Problem, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """The distances of many pairs, for Python."""
    return problem.distance[tails, heads] if problem.stored else measured_pairs(plane_of(problem), tails, heads)


def plane_of(problem: Problem) -> Plane:
    """Where the nodes of a problem without a matrix lie."""
    return Plane(problem.points, problem.whole, problem.per_unit, problem.offset)


def mean_spacing(problem: Problem, nearest: int) -> float:
    """The mean distance of a customer to its ``nearest`` nearest ones; 0 for a single customer."""
    near = problem.neighbours[1:, :nearest]
    customers = np.repeat(np.arange(1, len(problem.neighbours)), near.shape[1])
    return float(pairs_between(problem, customers, near.ravel()).mean()) if near.size else 0.0


def as_operators_see(problem: Problem) -> Problem:
    """The problem by the type that operators are compiled for, so that kernels which both use are compiled once."""
    if getattr(type(problem), "rich", False):
        return problem
    return (WithMatrix if problem.stored else WithoutMatrix)._make(problem)  # type: ignore[return-value]


# The forms of problems that operators are compiled for.
MATRIX, PLANE, RICH = "matrix", "plane", "rich"


def form_of(problem: Problem) -> str:
    """The form of a problem: rich, or plain with a matrix or without."""
    if getattr(type(problem), "rich", False):
        return RICH
    return MATRIX if problem.stored else PLANE


@cache
def told_apart(signature, form: str):
    """The signature with the types of problems of a form, and of their solutions; in memory they begin alike."""
    problem, solution = PROBLEM.of_class(WithoutMatrix if form == PLANE else WithMatrix), SOLUTION
    if form == RICH:
        problem, solution = RICH_PROBLEM, RICH_SOLUTION
    known = {PROBLEM: problem, SOLUTION: solution}
    return signature.return_type(*(known.get(argument, argument) for argument in signature.args))
