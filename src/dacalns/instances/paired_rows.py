"""Rows of pickups and deliveries: demand, window, service time and the number of the partner, for each node."""

from typing import Any

import numpy as np

from dacalns.instances.fields import FloatArray
from dacalns.instances.source_text import SourceText

PAIRED_COLUMNS = ("demand", "window opening", "window closing", "service time", "pickup", "delivery")


def paired_fields(
    source: SourceText, values: FloatArray, lines: list[int], *, depots: int, first: int
) -> dict[str, Any]:
    """Return demands, windows, service times and pairs.

    Parameters
    ----------
    source
        The file.
    values
        A row for each node with the numbers of `PAIRED_COLUMNS`, the depots first. A pickup names its delivery and has
        0 for its pickup; a delivery names its pickup and has 0 for its delivery.
    lines
        Where the rows stand.
    depots
        How many of the nodes are depots.
    first
        The number that the file gives to the first node.

    Raises
    ------
    InputError
        When a depot has anything but a window, a node has no partner, or the two do not agree.
    """
    for node in range(depots):
        _check_depot(source, values[node], lines[node], node + first)
    require_windows(source, values[:, 1:3], lines, first)
    pairs = [
        (node, _partner(source, values, lines, node, depots, first))
        for node in range(depots, len(values))
        if values[node, 4] == 0
    ]
    deliveries = {delivery for _, delivery in pairs}
    for node in range(depots, len(values)):
        if values[node, 4] != 0 and node not in deliveries:
            raise source.error(
                lines[node],
                f"pickup of node {node + first} is {values[node, 4]:g}; expected a node that has {node + first} as its "
                "delivery; correct the line.",
            )
    demands = np.maximum(values[:, 0], 0.0)
    return {
        "demands": demands,
        "windows": values[:, 1:3].copy(),
        "service": values[:, 3].copy(),
        "pairs": np.array(pairs, dtype=np.int64),
    }


def _check_depot(source: SourceText, row: FloatArray, line: int, number: int) -> None:
    for column in (0, 3, 4, 5):
        if row[column] != 0:
            raise source.error(
                line, f"{PAIRED_COLUMNS[column]} of depot {number} is {row[column]:g}; expected 0; correct the line."
            )


def _partner(source: SourceText, values: FloatArray, lines: list[int], node: int, depots: int, first: int) -> int:
    """Return the delivery of a pickup, once it is sure that the two agree."""
    amount, named = values[node, 0], values[node, 5]
    fix = "correct the line"
    delivery = named - first
    if not (depots <= delivery < len(values) and named.is_integer()) or delivery == node:
        raise source.error(
            lines[node],
            f"delivery of node {node + first} is {named:g}; expected another node from {depots + first} to "
            f"{len(values) - 1 + first}, as its pickup is 0; {fix}.",
        )
    partner = values[int(delivery)]
    if partner[4] != node + first or partner[5] != 0:
        raise source.error(
            lines[node],
            f"delivery of node {node + first} is {named:g}, which has pickup {partner[4]:g} and delivery "
            f"{partner[5]:g}; expected {node + first} and 0; correct one of the two lines.",
        )
    if amount < 0:
        raise source.error(
            lines[node], f"demand of node {node + first} is {amount:g}; expected 0 or more, as it is a pickup; {fix}."
        )
    if partner[0] != -amount:
        raise source.error(
            lines[int(delivery)],
            f"demand of node {named:g} is {partner[0]:g}; expected {-amount:g}, as its pickup takes {amount:g}; {fix}.",
        )
    return int(delivery)


def require_windows(source: SourceText, windows: FloatArray, lines: list[int], first: int) -> None:
    """Raise an `InputError` that names the first node whose window closes before it opens."""
    for node in np.flatnonzero(windows[:, 0] > windows[:, 1]):
        opens, closes = windows[node]
        raise source.error(
            lines[node],
            f"window of node {node + first} is {opens:g} to {closes:g}; expected one that opens before it "
            "closes; swap the two.",
        )
