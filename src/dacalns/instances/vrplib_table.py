"""A section of a VRPLIB file that has one row for each node."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dacalns.instances.vrplib_outline import Line, Outline
from dacalns.shown import shortened, shown


@dataclass(frozen=True)
class NodeTable:
    """Numbers by node, and the line on which each node stands."""

    values: npt.NDArray[np.float64]
    lines: list[int]


def node_table(
    outline: Outline, section: str, columns: tuple[str, ...], nodes: int, minimum: float = -math.inf
) -> NodeTable:
    """Parse rows of a node number followed by values; the nodes may come in any order.

    Parameters
    ----------
    outline
        The file.
    section
        The section's name.
    columns
        What the values are called in messages.
    nodes
        How many nodes there must be.
    minimum
        The least value allowed.

    Raises
    ------
    InputError
        When a row is malformed, or a node is missing, unknown or given twice.
    """
    source = outline.source
    rows = outline.section(section)
    # Before anything of that size is allocated: DIMENSION may be a slip.
    if len(rows) < nodes:
        given = {row.text.split()[0] for row in rows}
        missing = next(node for node in range(1, nodes + 1) if str(node) not in given)
        raise source.error(
            outline.headings[section],
            f"{section} has {len(rows)} rows; expected {nodes} as DIMENSION says; add node {missing} or "
            "correct DIMENSION.",
        )
    values = np.zeros((nodes, len(columns)))
    lines = [0] * nodes
    for row in rows:
        node, tokens = _node_and_tokens(outline, section, row, columns, nodes)
        if lines[node - 1]:
            raise source.error(
                row.number,
                f"node {node} is given a second time in {section}; expected it once (first on line "
                f"{lines[node - 1]}); delete one of the two.",
            )
        lines[node - 1] = row.number
        for column, token in enumerate(tokens):
            what, fix = f"{columns[column]} of node {node}", f"correct the line in {section}"
            values[node - 1, column] = source.number(row.number, token, what, fix, minimum=minimum)
    return NodeTable(values, lines)


def _node_and_tokens(
    outline: Outline, section: str, row: Line, columns: tuple[str, ...], nodes: int
) -> tuple[int, list[str]]:
    number, *tokens = row.text.split()
    if not (number.isdecimal() and len(number) < 10 and 1 <= int(number) <= nodes):
        raise outline.source.error(
            row.number,
            f"node number is {shown(number)} in {section}; expected 1 to {nodes} as DIMENSION says; correct one of "
            "them.",
        )
    if len(tokens) != len(columns):
        raise outline.source.error(
            row.number,
            f"node {number} has {len(tokens)} values ({shortened(' '.join(tokens), 40) or 'none'}) in {section}; "
            f"expected {len(columns)} ({', '.join(columns)}); correct the line.",
        )
    return int(number), tokens
