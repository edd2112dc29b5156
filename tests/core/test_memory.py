"""Tuples passed by their address: what compiled code reads of them, and what it leaves behind."""

import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest

from core import oracle
from dacalns.core.distances import WithMatrix, WithoutMatrix, as_operators_see
from dacalns.core.jit import jit_enabled
from dacalns.core.memory import Referenced, by_reference
from dacalns.core.model import PROBLEM, SOLUTION

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="there is nothing to pass without compilation")


@by_reference
class Mixed(NamedTuple):
    """Fields of several kinds."""

    grid: np.ndarray
    whole: int
    real: float
    flag: bool
    row: np.ndarray


def mixed() -> Mixed:
    return Mixed(np.arange(6.0).reshape(2, 3), 7, 0.5, True, np.arange(4))


@numba.njit
def inner(value):  # type: ignore[no-untyped-def]
    return value.grid[1, 2] + value.whole + value.real + value.row[3] if value.flag else -1.0


@numba.njit
def outer(value):  # type: ignore[no-untyped-def]
    value.row[3] += 1
    return inner(value) + value.grid.sum() + value.grid.copy()[0, 1]


def test_fields_are_read_and_arrays_written() -> None:
    value = mixed()
    assert outer(value) == 5.0 + 7 + 0.5 + 4 + 15 + 1
    assert value.row[3] == 4
    assert outer(value._replace(flag=False)) == -1.0 + 15 + 1


def test_arrays_are_released() -> None:
    value = mixed()
    before = [sys.getrefcount(array) for array in (value.grid, value.row)]
    for _ in range(10):
        outer(value)
    assert [sys.getrefcount(array) for array in (value.grid, value.row)] == before


def test_a_field_that_is_not_there_is_told() -> None:
    with pytest.raises(numba.TypingError, match="no_such_field"):
        numba.njit(lambda value: value.no_such_field)(mixed())


def test_a_member_that_cannot_be_compiled_is_told() -> None:
    with pytest.raises(numba.TypingError):
        outer(mixed()._replace(whole=object()))  # type: ignore[arg-type]


def test_types_differ_by_class() -> None:
    problem = oracle.random_problem(1, 4)
    assert isinstance(PROBLEM, Referenced)
    assert isinstance(SOLUTION, Referenced)
    assert numba.typeof(problem) == PROBLEM
    assert numba.typeof(as_operators_see(problem)) == PROBLEM.of_class(WithMatrix) != PROBLEM
    assert PROBLEM.of_class(WithMatrix) != PROBLEM.of_class(WithoutMatrix)
