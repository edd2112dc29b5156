"""Parse a file in Solomon's format."""

import numpy as np

from dacalns.instances.fields import A_CAPACITY, LEAST_CAPACITY
from dacalns.instances.source_text import ParsedFile, SourceText
from dacalns.util.shown import shown

COLUMNS = ("number", "x", "y", "demand", "ready time", "due date", "service time")
FIRST_NOT_NEGATIVE = 3


def parse_solomon(source: SourceText) -> ParsedFile:
    """Parse a name, a VEHICLE block and a CUSTOMER block; other text is passed over.

    Parameters
    ----------
    source
        The file's lines.

    Raises
    ------
    InputError
        When a block is missing or a row is malformed.
    """
    text = [line.strip() for line in source.lines]
    vehicle = _heading(source, text, "VEHICLE", 0)
    customer = _heading(source, text, "CUSTOMER", vehicle)
    vehicles, capacity = _vehicle_block(source, text, vehicle, customer)
    numbers, lines = _customer_block(source, text, customer)
    table = np.array(numbers)
    _check(source, table, lines)
    return {
        "name": next(line for line in text if line),
        "coordinates": table[:, 1:3].copy(),
        "demands": table[:, 3].copy(),
        "capacity": capacity,
        "windows": table[:, 4:6].copy(),
        "service": table[:, 6].copy(),
        "fleet": vehicles,
    }


def _heading(source: SourceText, text: list[str], word: str, start: int) -> int:
    """Return the index of the line that opens a block; the name before it may contain the word as well."""
    for index in range(start, len(text)):
        if text[index].upper() == word:
            return index
    raise source.error(len(text), f"{word} block is missing; expected a line with only {word!r}; add it.")


def _is_row(line: str) -> bool:
    return bool(line) and not line[0].isalpha()


def _vehicle_block(source: SourceText, text: list[str], start: int, end: int) -> tuple[int, float]:
    rows = [index for index in range(start + 1, end) if _is_row(text[index])]
    number = rows[0] + 1 if rows else start + 1
    tokens = text[rows[0]].split() if rows else []
    if len(tokens) != 2:
        raise source.error(
            number,
            f"VEHICLE block says {shown(' '.join(tokens) or 'nothing')}; expected the number of vehicles and the "
            "capacity; write for example '25 200'.",
        )
    fix = "correct the VEHICLE block"
    vehicles = source.number(number, tokens[0], "number of vehicles", fix, minimum=1, whole=True)
    capacity = source.number(number, tokens[1], "capacity", fix, minimum=0)
    if capacity < LEAST_CAPACITY:
        raise source.error(number, f"capacity is {shown(tokens[1])}; expected {A_CAPACITY}; {fix}.")
    return int(vehicles), capacity


def _customer_block(source: SourceText, text: list[str], start: int) -> tuple[list[list[float]], list[int]]:
    numbers: list[list[float]] = []
    lines: list[int] = []
    for index in range(start + 1, len(text)):
        # Before the first row come the column titles; after it, every line must be a row.
        if not text[index] or not (numbers or _is_row(text[index])):
            continue
        tokens = text[index].split()
        node = len(numbers)
        if len(tokens) != len(COLUMNS):
            raise source.error(
                index + 1,
                f"row of node {node} has {len(tokens)} values ({shown(tokens[0])} first); expected "
                f"{len(COLUMNS)} ({', '.join(COLUMNS)}); correct the line.",
            )
        if tokens[0] != str(node):
            raise source.error(
                index + 1,
                f"node number is {shown(tokens[0])}; expected {node}, as the depot is 0 and no number is left "
                "out; renumber the rows.",
            )
        row = []
        for column, token in enumerate(tokens):
            least = 0 if column >= FIRST_NOT_NEGATIVE else -np.inf
            what = f"{COLUMNS[column]} of node {node}"
            row.append(source.number(index + 1, token, what, "correct the row", minimum=least))
        numbers.append(row)
        lines.append(index + 1)
    if len(numbers) < 2:
        raise source.error(
            start + 1,
            f"CUSTOMER block has {len(numbers)} rows; expected the depot and at least one customer; add rows.",
        )
    return numbers, lines


def _check(source: SourceText, table: np.ndarray[tuple[int, ...], np.dtype[np.float64]], lines: list[int]) -> None:
    for column in (3, 6):
        if table[0, column] != 0:
            raise source.error(
                lines[0],
                f"{COLUMNS[column]} of the depot is {table[0, column]:g}; expected 0; correct the row.",
            )
    for node in np.flatnonzero(table[:, 4] > table[:, 5]):
        raise source.error(
            lines[node],
            f"window of node {node} is {table[node, 4]:g} to {table[node, 5]:g}; expected one that opens "
            "before it closes; swap the two.",
        )
