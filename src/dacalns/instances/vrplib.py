"""Read a VRPLIB file: its outline, its tables by node, its explicit matrix, and the instance."""

import difflib
import math
import os
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dacalns.instances.features import PROBLEMS, WINDOWS
from dacalns.instances.fields import A_CAPACITY, LEAST_CAPACITY
from dacalns.instances.source_text import ParsedFile, SourceText
from dacalns.util.shown import listed, shortened, shown
from dacalns.util.values import did_you_mean

# The outline of a VRPLIB file: its specifications and sections, each with its line.

SECTIONS = (
    "NODE_COORD_SECTION",
    "DISPLAY_DATA_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DEMAND_SECTION",
    "TIME_WINDOW_SECTION",
    "SERVICE_TIME_SECTION",
    "DEPOT_SECTION",
)

HEADING = re.compile(r"([A-Z][A-Z0-9_]*_SECTION)\s*:?$")
KEY = re.compile(r"[A-Z][A-Z0-9_ ]*", re.IGNORECASE | re.ASCII)
MOST_KEYS = 1000
# A slip in one of these would be passed over like any unknown key, and the problem would be another.
MEANINGFUL = (
    "CAPACITY",
    "DIMENSION",
    "DISTANCE",
    "EDGE_WEIGHT_FORMAT",
    "EDGE_WEIGHT_TYPE",
    "SERVICE_TIME",
    "TYPE",
    "VEHICLES",
)


@dataclass(frozen=True)
class Line:
    """A piece of text and where it stands."""

    number: int
    text: str


@dataclass(frozen=True)
class Outline:
    """Specifications by key, headings and rows of the sections by name."""

    source: SourceText
    specifications: dict[str, Line]
    headings: dict[str, int]
    rows: dict[str, list[Line]]

    def required(self, key: str, example: str) -> Line:
        """Return a specification, or raise an `InputError` that shows what the line should look like."""
        if key not in self.specifications:
            raise self.source.error(1, f"{key} is missing; expected a line such as '{key} : {example}'; add it.")
        return self.specifications[key]

    def section(self, name: str) -> list[Line]:
        """Return the rows of a section, or raise an `InputError` that says it is missing."""
        if name not in self.rows:
            raise self.source.error(1, f"{name} is missing; expected a row for each node under it; add the section.")
        return self.rows[name]


def outline_vrplib(source: SourceText) -> Outline:
    """Sort the lines of a VRPLIB file into specifications and sections.

    Raises
    ------
    InputError
        For a line that is neither, for something given twice, and for a section that is not known: it may
        well change the problem, so that ignoring it would solve another one.
    """
    outline = Outline(source, {}, {}, {})
    current: list[Line] | None = None
    for number, raw in enumerate(source.lines, start=1):
        text = raw.strip()
        if not text:
            continue
        if not text[0].isalpha() and current is not None:
            current.append(Line(number, text))
        elif text == "EOF":
            break
        elif heading := HEADING.match(text):
            current = _open_section(outline, heading[1], number)
        elif key := _key(text):
            _add_specification(outline, key, Line(number, text.partition(":")[2].strip()))
        elif current is not None:
            current.append(Line(number, text))
        else:
            raise source.error(
                number,
                f"the line is {shown(text, 40)}; expected 'KEY : VALUE' or a section heading; correct or delete it.",
            )
    return outline


def _open_section(outline: Outline, name: str, number: int) -> list[Line]:
    if name not in SECTIONS:
        hint = did_you_mean(name, SECTIONS) or "delete it if it does not matter."
        raise outline.source.error(
            number, f"section {shortened(name, 40)} is not supported; expected one of {listed(SECTIONS)}; {hint}"
        )
    if name in outline.rows:
        first = outline.headings[name]
        raise outline.source.error(
            number,
            f"{name} is given a second time; expected it once (first on line {first}); delete one of the two.",
        )
    outline.headings[name] = number
    return outline.rows.setdefault(name, [])


def _add_specification(outline: Outline, key: str, line: Line) -> None:
    if key not in outline.specifications:
        if close := _meant(key):
            raise outline.source.error(
                line.number, f"key {shown(key)} is not known; expected {close[0]} if that is meant; correct the key."
            )
        if len(outline.specifications) == MOST_KEYS:
            raise outline.source.error(
                line.number, f"there are over {MOST_KEYS} keys; expected those of an instance; check the file."
            )
    elif key != "COMMENT":
        first = outline.specifications[key].number
        raise outline.source.error(
            line.number,
            f"{shortened(key, 40)} is given a second time as {shown(line.text)}; expected it once (first on line "
            f"{first}); delete one.",
        )
    outline.specifications.setdefault(key, line)


def _key(text: str) -> str | None:
    """The key that a line gives a value to, if it does."""
    key, colon, _ = text.partition(":")
    return key.strip().upper() if colon and KEY.fullmatch(key.strip()) else None


def _meant(key: str) -> list[str]:
    """The key that this one is a slip of, if it is likely."""
    if key in MEANINGFUL or len(key) > 2 * max(map(len, MEANINGFUL)):
        return []
    return difflib.get_close_matches(key, MEANINGFUL, n=1, cutoff=0.85)


# A section of a VRPLIB file that has one row for each node.


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


# The distance matrix in an EDGE_WEIGHT_SECTION.

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


# Parse a VRPLIB file.
#
# The parsing is our own: a user with a broken file needs the line that is wrong, which has to be kept from the first
# look at the text on, and then little is left that a parser without line numbers could do.

FloatArray = npt.NDArray[np.float64]

TYPES = {name.upper(): features for name, features in PROBLEMS.items()}
WEIGHT_TYPES = ("EUC_2D", "EXPLICIT")
# Specifications that forbid solutions which a CVRP or VRPTW would allow.
UNSUPPORTED = ("DISTANCE", "VEHICLES_MAX_DISTANCE", "VEHICLES_MAX_DURATION")


def parse_vrplib(source: SourceText) -> ParsedFile:
    """Parse the text of a VRPLIB file.

    Parameters
    ----------
    source
        The file's lines.

    Raises
    ------
    InputError
        When the file is malformed, or says something that a CVRP or VRPTW cannot express.
    """
    outline = outline_vrplib(source)
    for key in UNSUPPORTED:
        if key in outline.specifications:
            line = outline.specifications[key]
            raise source.error(
                line.number,
                f"{key} is {shown(line.text)}; expected no limit on the length of routes, which is not "
                "supported; delete the line if it does not bind.",
            )
    windows_expected = _has_windows(outline)
    nodes = int(_number(outline, "DIMENSION", "32", minimum=2, whole=True))
    capacity = _number(outline, "CAPACITY", "100", minimum=0)
    if capacity < LEAST_CAPACITY:
        line = outline.specifications["CAPACITY"]
        raise source.error(line.number, f"CAPACITY is {shown(line.text)}; expected {A_CAPACITY}; correct it.")
    coordinates, matrix = _places(outline, nodes)
    _check_depot(outline)
    return {
        "name": _name(outline),
        "coordinates": coordinates,
        "matrix": matrix,
        "demands": _zero_at_depot(outline, "DEMAND_SECTION", "demand", nodes),
        "capacity": capacity,
        "windows": _windows(outline, nodes) if windows_expected else None,
        "service": _service(outline, nodes),
        "fleet": _vehicles(outline),
        "comment": outline.specifications["COMMENT"].text if "COMMENT" in outline.specifications else "",
    }


def _name(outline: Outline) -> str:
    line = outline.specifications.get("NAME")
    stem = os.path.splitext(os.path.basename(outline.source.name))[0]
    return line.text if line is not None and line.text else stem


def _has_windows(outline: Outline) -> bool:
    has_section = "TIME_WINDOW_SECTION" in outline.rows
    line = outline.specifications.get("TYPE")
    if line is None:
        return has_section
    if line.text not in TYPES:
        raise outline.source.error(
            line.number, f"TYPE is {shown(line.text)}; expected CVRP or VRPTW; other problems are not supported."
        )
    if has_section != (WINDOWS in TYPES[line.text]):
        fix = "write 'TYPE : VRPTW'" if has_section else "add a TIME_WINDOW_SECTION or write 'TYPE : CVRP'"
        found = "there is a" if has_section else "there is no"
        raise outline.source.error(
            line.number,
            f"TYPE is {shown(line.text)} but {found} TIME_WINDOW_SECTION; expected the two to agree; {fix}.",
        )
    return has_section


def _number(outline: Outline, key: str, example: str, *, minimum: float, whole: bool = False) -> float:
    line = outline.required(key, example)
    fix = f"write for example '{key} : {example}'"
    return outline.source.number(line.number, line.text, key, fix, minimum=minimum, whole=whole)


def _places(outline: Outline, nodes: int) -> tuple[FloatArray | None, FloatArray | None]:
    """Return coordinates and matrix, the latter only when explicit."""
    line = outline.required("EDGE_WEIGHT_TYPE", "EUC_2D")
    if line.text not in WEIGHT_TYPES:
        raise outline.source.error(
            line.number,
            f"EDGE_WEIGHT_TYPE is {shown(line.text)}; expected EUC_2D or EXPLICIT; write distances of another "
            "kind as EXPLICIT with a FULL_MATRIX.",
        )
    if line.text == "EXPLICIT":
        known = [name for name in ("NODE_COORD_SECTION", "DISPLAY_DATA_SECTION") if name in outline.rows]
        coordinates = node_table(outline, known[0], ("x", "y"), nodes).values if known else None
        return coordinates, explicit_matrix(outline, nodes)
    if "EDGE_WEIGHT_SECTION" in outline.headings:
        raise outline.source.error(
            outline.headings["EDGE_WEIGHT_SECTION"],
            "EDGE_WEIGHT_SECTION contradicts EDGE_WEIGHT_TYPE 'EUC_2D'; expected one of them; write "
            "EXPLICIT to use it.",
        )
    return node_table(outline, "NODE_COORD_SECTION", ("x", "y"), nodes).values, None


def _check_depot(outline: Outline) -> None:
    source = outline.source
    depots: list[str] = []
    for line in outline.rows.get("DEPOT_SECTION", []):
        for token in line.text.split():
            if token == "-1":
                break
            if depots:
                raise source.error(
                    line.number,
                    f"node {shown(token)} is a second depot; expected exactly one; delete all but node 1.",
                )
            if token != "1":
                raise source.error(line.number, f"depot is node {shown(token)}; expected node 1; renumber the nodes.")
            depots.append(token)
    if "DEPOT_SECTION" in outline.headings and not depots:
        raise source.error(
            outline.headings["DEPOT_SECTION"],
            "DEPOT_SECTION names no depot; expected node 1; write '1' and '-1' below.",
        )


def _zero_at_depot(outline: Outline, section: str, what: str, nodes: int) -> FloatArray:
    table = node_table(outline, section, (what,), nodes, minimum=0)
    if table.values[0, 0] != 0:
        raise outline.source.error(
            table.lines[0],
            f"{what} of the depot is {table.values[0, 0]:g}; expected 0; correct the line in {section}.",
        )
    return table.values[:, 0].copy()


def _windows(outline: Outline, nodes: int) -> FloatArray:
    table = node_table(outline, "TIME_WINDOW_SECTION", ("window opening", "window closing"), nodes, minimum=0)
    for node in np.flatnonzero(table.values[:, 0] > table.values[:, 1]):
        opens, closes = table.values[node]
        raise outline.source.error(
            table.lines[node],
            f"window of node {node + 1} is {opens:g} to {closes:g}; expected one that opens before it "
            "closes; swap the two.",
        )
    return table.values


def _service(outline: Outline, nodes: int) -> FloatArray:
    if "SERVICE_TIME_SECTION" in outline.rows:
        return _zero_at_depot(outline, "SERVICE_TIME_SECTION", "service time", nodes)
    service = np.zeros(nodes)
    if "SERVICE_TIME" in outline.specifications:
        service[1:] = _number(outline, "SERVICE_TIME", "10", minimum=0)
    return service


def _vehicles(outline: Outline) -> int | None:
    if "VEHICLES" not in outline.specifications:
        return None
    return int(_number(outline, "VEHICLES", "5", minimum=1, whole=True))
