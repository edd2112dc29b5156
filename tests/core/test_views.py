"""Views of flat arrays: the same memory in kernels as in Python, and named parts that kernels can write to."""

from typing import NamedTuple

import numpy as np
import pytest

from dacalns.core.jit import kernel
from dacalns.core.memory import naming, view


class Parts(NamedTuple):
    matrix: np.ndarray
    vector: np.ndarray


@naming
def parts_of(values, rows):  # type: ignore[no-untyped-def]
    return Parts(view(values, 2, (rows, 3)), view(values, 2 + 3 * rows, (4,)))


@kernel
def write(values, rows):  # type: ignore[no-untyped-def]
    """Only writes: nothing reads the views again, and still nothing of this may be dropped."""
    parts = parts_of(values, rows)
    for i in range(rows):
        for j in range(3):
            parts.matrix[i, j] += 10 * i + j
    for k in range(len(parts.vector)):
        parts.vector[k] += -1.0


@kernel
def shape_of(values, out):  # type: ignore[no-untyped-def]
    cube = view(values, 1, (2, 3, 4))
    out[0], out[1], out[2] = cube.shape
    out[3] = int(cube[1, 2, 3])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_writing_to_parts_writes_to_the_whole(kind: type) -> None:
    values = np.full(14, 100, dtype=kind)
    write(values, 2)
    assert values.tolist() == [100, 100, 100, 101, 102, 110, 111, 112, 99, 99, 99, 99, 100, 100]
    parts = parts_of(values, 2)
    parts.matrix[1, 2] = 5
    assert values[7] == 5


def test_three_dimensions() -> None:
    values, out = np.arange(30.0), np.zeros(4, dtype=np.int64)
    shape_of(values, out)
    assert out.tolist() == [2, 3, 4, 24]
    assert view(values, 1, (2, 3, 4))[1, 2, 3] == 24
