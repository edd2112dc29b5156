"""Parse a VRPLIB file.

The parsing is our own: a user with a broken file needs the line that is wrong, which has to be kept from
the first look at the text on, and then little is left that a parser without line numbers could do.
"""

import os

import numpy as np
import numpy.typing as npt

from dacalns.instances.edge_weights import explicit_matrix
from dacalns.instances.parsed_file import ParsedFile
from dacalns.instances.source_text import SourceText
from dacalns.instances.validation import A_CAPACITY, LEAST_CAPACITY
from dacalns.instances.vrplib_outline import Outline, outline_vrplib
from dacalns.instances.vrplib_table import node_table
from dacalns.shown import shown

FloatArray = npt.NDArray[np.float64]

TYPES = ("CVRP", "VRPTW")
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
    return ParsedFile(
        name=_name(outline),
        coordinates=coordinates,
        matrix=matrix,
        demands=_zero_at_depot(outline, "DEMAND_SECTION", "demand", nodes),
        capacity=capacity,
        windows=_windows(outline, nodes) if windows_expected else None,
        service=_service(outline, nodes),
        vehicles=_vehicles(outline),
        comment=outline.specifications["COMMENT"].text if "COMMENT" in outline.specifications else "",
    )


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
    if has_section != (line.text == "VRPTW"):
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
