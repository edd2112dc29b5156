"""How far one node is from another: read from the matrix where there is one, else measured from the coordinates.

A matrix of 20,000 customers would take 3.2 GB, and from a few thousand on a distance is measured faster than fetched
from so large a table. Both ways give the same bits, so that an answer does not depend on which of them was taken.

Asking in every loop which way it is costs an operator up to 10 %. So operators are compiled once for problems with a
matrix and once for those without: the type of the problem, which :func:`told_apart` puts into a signature, says which.
"""

import math

import numpy as np
from numba import types
from numba.extending import overload

from dacalns.core.jit import kernel
from dacalns.core.model import PROBLEM, Problem

# The root of the sum of squares and `hypot` differ by less than this part of what is rounded.
DOUBT = 4e-15


class WithMatrix(Problem):
    """The type of a problem in operators that are compiled for those with a matrix."""

    __slots__ = ()


class WithoutMatrix(Problem):
    """The same for problems without."""

    __slots__ = ()


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
    return {WithMatrix: _read, WithoutMatrix: _measure}.get(problem.instance_class, between)


@kernel
def measured(points, whole, per_unit, offset, tail, head):
    """The distance of two points, bit for bit what `dacalns.instances.distance_matrix` puts in a matrix.

    That takes ``hypot``, which is eight times as slow as a root. Where the result is rounded down to a whole number
    the root will do, unless it comes so close to one that the last bits decide.
    """
    x = points[tail, 0] - points[head, 0]
    y = points[tail, 1] - points[head, 1]
    if whole:
        value = math.sqrt(x * x + y * y) * per_unit + offset
        below = np.floor(value)
        doubt = DOUBT * value
        if doubt < value - below < 1.0 - doubt:
            return below
        return np.floor(np.hypot(x, y) * per_unit + offset)
    return np.hypot(x, y)


@kernel
def mean_spacing(problem, nearest):
    """The mean distance of a customer to its ``nearest`` nearest ones; 0 for a single customer."""
    count = min(nearest, problem.neighbours.shape[1])
    total = 0.0
    for customer in range(1, len(problem.demand)):
        for k in range(count):
            total += between(problem, customer, np.int64(problem.neighbours[customer, k]))
    return total / max(1, count * (len(problem.demand) - 1))


def told_apart(signature, stored: bool):
    """The signature with the type of problems that have a matrix (``stored``) or have none; they look the same."""
    kind = types.NamedTuple(PROBLEM.types, WithMatrix if stored else WithoutMatrix)
    return signature.return_type(*(kind if argument == PROBLEM else argument for argument in signature.args))
