"""Sums in registers are what they are in an array."""

import numpy as np
import pytest

from dacalns.core.arithmetic import ROWS, WIDE, registers
from dacalns.core.jit import kernel


@kernel
def column_sums(matrix, totals):
    """Those of two halves of a matrix, a row of totals each."""
    sums = registers(matrix)
    for half in range(ROWS):
        for column in range(WIDE):
            sums[half, column] = 0.0
    for row in range(len(matrix)):
        for column in range(WIDE):
            sums[row % ROWS, column] += matrix[row, column]
    for half in range(ROWS):
        for column in range(WIDE):
            totals[half, column] = sums[half, column]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_and_columns_are_kept_apart(kind: type) -> None:
    matrix = np.arange(7 * WIDE, dtype=kind).reshape(7, WIDE)
    totals = np.full((ROWS, WIDE), np.nan, dtype=kind)
    column_sums(matrix, totals)
    assert (totals == [matrix[half::ROWS].sum(axis=0) for half in range(ROWS)]).all()


def test_of_the_type_of_what_they_are_like() -> None:
    assert registers(np.zeros(3, dtype=np.float32)).dtype == np.float32
    assert registers(np.zeros((1, 1))).shape == (ROWS, WIDE)
