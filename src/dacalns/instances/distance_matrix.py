"""Distances after rounding, some rows at a time."""

import numpy as np
import numpy.typing as npt

from dacalns.instances.rounding import FloatArray, round_in_place

# Rows computed at a time: temporaries stay small beside the matrix, which takes 200 MB for 5,000 customers.
BLOCK = 64
UNROUNDED = ("exact", "none")


def distance_rows(
    coordinates: FloatArray | None, matrix: FloatArray | None, rounding: str, nodes: npt.NDArray[np.intp]
) -> FloatArray:
    """Return the distances from some nodes to all, in scaled units.

    Parameters
    ----------
    coordinates, matrix
        Those of an instance; the matrix goes before the coordinates.
    rounding
        The rule to apply.
    nodes
        Which rows.
    """
    rows: FloatArray
    if matrix is not None:
        rows = matrix[nodes]
    else:
        assert coordinates is not None, "an instance has coordinates or a matrix"
        x, y = coordinates.T
        rows = np.hypot(x[nodes, None] - x, y[nodes, None] - y)
    round_in_place(rows, rounding)
    # Some matrices hold a large number on the diagonal to forbid the loop; no route ever uses it.
    rows[np.arange(len(nodes)), nodes] = 0.0
    return rows


def distance_matrix(coordinates: FloatArray | None, matrix: FloatArray | None, rounding: str, count: int) -> FloatArray:
    """Return all distances between ``count`` nodes in scaled units, without a second array of that size."""
    if matrix is not None and rounding in UNROUNDED and not matrix.diagonal().any():
        return matrix
    distances = np.empty((count, count))
    for start in range(0, count, BLOCK):
        nodes = np.arange(start, min(start + BLOCK, count))
        distances[nodes] = distance_rows(coordinates, matrix, rounding, nodes)
    distances.setflags(write=False)
    return distances
