"""Parse a file in the format of Li and Lim: pairs of pickup and delivery with time windows."""

import numpy as np

from dacalns.instances.fields import A_CAPACITY, LEAST_CAPACITY, FloatArray
from dacalns.instances.paired_rows import PAIRED_COLUMNS, paired_fields
from dacalns.instances.source_text import ParsedFile, SourceText
from dacalns.util.shown import shown

COLUMNS = ("number", "x", "y", *PAIRED_COLUMNS)
FIRST_NOT_NEGATIVE = 4


def parse_li_lim(source: SourceText) -> ParsedFile:
    """Parse a line with vehicles, capacity and speed, and a row for each node, the depot first.

    The speed is 1 in all known files, or 0 where nobody set it: times are distances.

    Parameters
    ----------
    source
        The file's lines.

    Raises
    ------
    InputError
        When a row is malformed, or a node has no partner.
    """
    (number, head), *rows = source.rows()
    fix = "correct the first line"
    vehicles = source.number(number, head[0], "number of vehicles", fix, minimum=1, whole=True)
    capacity = source.number(number, head[1], "capacity", fix, minimum=0)
    if capacity < LEAST_CAPACITY:
        raise source.error(number, f"capacity is {shown(head[1])}; expected {A_CAPACITY}; {fix}.")
    source.number(number, head[2], "speed", fix, minimum=0)
    values, lines = _nodes(source, rows)
    fields = paired_fields(source, values[:, 3:], lines, depots=1, first=0)
    return {
        "name": source.stem,
        "coordinates": values[:, 1:3].copy(),
        "capacity": capacity,
        "fleet": int(vehicles),
        **fields,
    }


def _nodes(source: SourceText, rows: list[tuple[int, list[str]]]) -> tuple[FloatArray, list[int]]:
    if len(rows) < 3:
        raise source.error(
            rows[-1][0] if rows else 1,
            f"there are {len(rows)} nodes; expected a depot and at least one pair; add rows of {len(COLUMNS)} values.",
        )
    values = np.zeros((len(rows), len(COLUMNS)))
    for node, (number, tokens) in enumerate(rows):
        if len(tokens) != len(COLUMNS):
            raise source.error(
                number,
                f"row of node {node} has {len(tokens)} values ({shown(tokens[0], 40)} first); expected "
                f"{len(COLUMNS)} ({', '.join(COLUMNS)}); correct the line.",
            )
        if tokens[0] != str(node):
            raise source.error(
                number,
                f"node number is {shown(tokens[0], 40)}; expected {node}, as the depot is 0 and no number is left out; "
                "renumber the rows.",
            )
        for column, token in enumerate(tokens):
            least = 0 if column >= FIRST_NOT_NEGATIVE else -np.inf
            what = f"{COLUMNS[column]} of node {node}"
            values[node, column] = source.number(number, token, what, "correct the row", minimum=least)
    return values, [number for number, _ in rows]
