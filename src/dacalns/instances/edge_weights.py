"""The distance matrix in an EDGE_WEIGHT_SECTION."""

import numpy as np
import numpy.typing as npt

from dacalns.instances.vrplib_outline import Outline
from dacalns.shown import shown

FORMATS = ("FULL_MATRIX", "LOWER_ROW", "UPPER_ROW", "LOWER_DIAG_ROW", "UPPER_DIAG_ROW")


def explicit_matrix(outline: Outline, nodes: int) -> npt.NDArray[np.float64]:
    """Return the full matrix that a file writes in one of the row formats.

    The numbers are one stream; where the lines break does not matter.

    Parameters
    ----------
    outline
        The file.
    nodes
        Its dimension.

    Raises
    ------
    InputError
        For an unknown format, a wrong count, or something that is not a number of 0 or more.
    """
    line = outline.required("EDGE_WEIGHT_FORMAT", "FULL_MATRIX")
    if line.text not in FORMATS:
        raise outline.source.error(
            line.number,
            f"EDGE_WEIGHT_FORMAT is {shown(line.text)}; expected one of {', '.join(FORMATS)}; convert the matrix.",
        )
    weights = _stream(outline)
    expected = _count(line.text, nodes)
    if len(weights) != expected:
        raise outline.source.error(
            outline.headings["EDGE_WEIGHT_SECTION"],
            f"EDGE_WEIGHT_SECTION has {len(weights)} numbers; expected {expected} for {line.text} of "
            f"{nodes} nodes; correct the section, DIMENSION or EDGE_WEIGHT_FORMAT.",
        )
    if line.text == "FULL_MATRIX":
        return weights.reshape(nodes, nodes)
    matrix = np.zeros((nodes, nodes))
    rows, columns = _triangle(line.text, nodes)
    matrix[rows, columns] = weights
    matrix[columns, rows] = weights
    return matrix


def _count(layout: str, nodes: int) -> int:
    if layout == "FULL_MATRIX":
        return nodes * nodes
    return nodes * (nodes + 1 if "DIAG" in layout else nodes - 1) // 2


def _triangle(layout: str, nodes: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return rows and columns in the order of the file."""
    off_diagonal = 0 if "DIAG" in layout else 1
    if layout.startswith("LOWER"):
        return np.tril_indices(nodes, -off_diagonal)
    return np.triu_indices(nodes, off_diagonal)


def _stream(outline: Outline) -> npt.NDArray[np.float64]:
    weights: list[float] = []
    for line in outline.section("EDGE_WEIGHT_SECTION"):
        for token in line.text.split():
            fix = "correct the line in EDGE_WEIGHT_SECTION"
            weights.append(outline.source.number(line.number, token, "distance", fix, minimum=0))
    return np.array(weights)
