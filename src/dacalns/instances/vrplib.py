"""Read a VRPLIB file: its explicit matrix, its depots and customers, and the instance.

Beyond the CVRP and VRPTW, this is the dialect in which PyVRP reads richer problems.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.instances.fields import LARGEST
from dacalns.instances.paired_rows import PAIRED_COLUMNS, paired_fields, require_windows
from dacalns.instances.parts import Group, VehicleType
from dacalns.instances.source_text import ParsedFile, SourceText
from dacalns.instances.vrplib_outline import (
    VEHICLE_NUMBERS,
    Numbering,
    Outline,
    Table,
    load_table,
    nodes_numbered,
    numbered_rows,
    outline_vrplib,
    table,
    whole_within,
)
from dacalns.instances.vrplib_vehicles import vehicle_fields
from dacalns.util.shown import listed, shown

FloatArray = npt.NDArray[np.float64]

# The distance matrix in an EDGE_WEIGHT_SECTION.

FORMATS = ("FULL_MATRIX", "LOWER_ROW", "UPPER_ROW", "LOWER_DIAG_ROW", "UPPER_DIAG_ROW")


def explicit_matrix(outline: Outline, nodes: int) -> FloatArray:
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


def _stream(outline: Outline) -> FloatArray:
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

WEIGHT_TYPES = ("EUC_2D", "EXPLICIT")
PAIRED = "PICKUP_AND_DELIVERY_SECTION"
BACKHAULS_LAST = ("VRPB", "VRPBTW")
OPEN_ROUTES = ("OVRP", "OVRPTW")
TIMED = "TW"
LIMITS = (
    "DISTANCE",
    *(f"VEHICLES_MAX_{what}{where}" for what in ("DISTANCE", "DURATION") for where in ("", "_SECTION")),
)
UNLIKE = ("CAPACITY_SECTION", *(f"{name}_SECTION" for name in VEHICLE_NUMBERS))
COLLECTED = ("BACKHAUL_SECTION",)
SAYING: dict[str, tuple[str, ...]] = {
    "CVRP": (),
    "VRP": (),
    "VRPB": COLLECTED,
    "VRPSPD": COLLECTED,
    "VRPMPD": COLLECTED,
    "ACVRP": ("EDGE_WEIGHT_SECTION",),
    "DCVRP": LIMITS,
    "GVRP": ("MUTUALLY_EXCLUSIVE_GROUP_SECTION",),
    "HFVRP": UNLIKE,
    "HVRP": UNLIKE,
    "MDVRP": ("VEHICLES_DEPOT_SECTION",),
    "MTVRP": ("VEHICLES_RELOAD_DEPOT_SECTION",),
    "OVRP": (),
    "PCVRP": ("PRIZE_SECTION",),
    "PDP": (PAIRED,),
    "SDVRP": ("VEHICLES_ALLOWED_CLIENTS_SECTION",),
}
TYPES = SAYING | {f"{name}{TIMED}": saying for name, saying in SAYING.items()}
TYPES |= {f"MTVRP{TIMED}R": SAYING["MTVRP"]}
"""The problems that a file may name, and what says what they mean: each needs one of these sections or specifications.

Two change what follows: VRPB brings before it collects, and the routes of OVRP end at their last customers.
"""
OTHER_TYPES = [name for name in TYPES if name not in ("CVRP", "VRPTW")]
MAY_WAIT = ("VRPB", "PDP")
"""Those that may have windows though their name does not say so."""
# What the rows of pickups and deliveries say already, or what pairs cannot have.
NOT_FOR_PAIRS = (
    "DEMAND_SECTION",
    "LINEHAUL_SECTION",
    "BACKHAUL_SECTION",
    "TIME_WINDOW_SECTION",
    "SERVICE_TIME_SECTION",
    "RELEASE_TIME_SECTION",
    "PRIZE_SECTION",
    "MUTUALLY_EXCLUSIVE_GROUP_SECTION",
)


def parse_vrplib(source: SourceText) -> ParsedFile:
    """Parse the text of a VRPLIB file.

    Parameters
    ----------
    source
        The file's lines.

    Raises
    ------
    InputError
        When the file is malformed, or names a problem or has a section that is not known.
    """
    outline = outline_vrplib(source)
    _check_type(outline)
    nodes = int(outline.number("DIMENSION", "32", minimum=2, whole=True))
    depots = _depots(outline, nodes)
    coordinates, matrix = _places(outline, nodes)
    visits = _pairs(outline, nodes, depots) if PAIRED in outline.rows else _customers(outline, nodes, depots)
    dimensions = visits.pop("dimensions")
    vehicles = vehicle_fields(
        outline,
        nodes=nodes,
        depots=depots,
        dimensions=dimensions,
        waiting=visits["windows"] is not None or "releases" in visits,
        serving=bool(visits["service"].any()),
        partners={one: other for pair in visits["pairs"].tolist() for one, other in (pair, pair[::-1])}
        if "pairs" in visits
        else {},
        open_routes="TYPE" in outline.specifications and outline.specifications["TYPE"].text in OPEN_ROUTES,
    )
    parsed: ParsedFile = {
        "name": _name(outline),
        "coordinates": coordinates,
        "matrix": matrix,
        "fleet": None,
        "comment": outline.specifications["COMMENT"].text if "COMMENT" in outline.specifications else "",
    }
    if coordinates is not None and matrix is None and _is_fraction(parsed["comment"]):
        parsed["rounding"] = "exact"
    if depots > 1:
        parsed["depots"] = depots
    return parsed | visits | _with_own_windows(vehicles, visits["windows"], depots)


def _is_fraction(comment: str) -> bool:
    """True if a comment is nothing but a number that is not whole.

    CVRPLIB writes the best-known value there; where that is no whole number, it was found without rounding.
    """
    try:
        value = float(comment)
    except ValueError:
        return False
    return math.isfinite(value) and not value.is_integer()


def _with_own_windows(vehicles: dict[str, Any], windows: FloatArray | None, depots: int) -> dict[str, Any]:
    """Give vehicles the windows of their depots where other vehicles reload at those depots at other times.

    The dialect's windows of depots hold for the routes that start there, and not for vehicles that only reload.
    """
    types: tuple[VehicleType, ...] = vehicles.get("vehicle_types", ())
    if windows is None or not any(_reloads_outside(kind, windows) for kind in types):
        return vehicles
    opening = windows.copy()
    opening[:depots] = windows[:depots, 0].min(), windows[:depots, 1].max()
    own = (_with_own_window(kind, windows) for kind in types)
    return vehicles | {"vehicle_types": tuple(own), "windows": opening}


def _with_own_window(kind: VehicleType, windows: FloatArray) -> VehicleType:
    opens, closes = windows[kind.start_depot or 0].tolist()
    if kind.end_depot is None:
        return replace(kind, tw_early=opens, start_late=closes)
    return replace(kind, tw_early=opens, tw_late=closes)


def _reloads_outside(kind: VehicleType, windows: FloatArray) -> bool:
    return any(
        windows[depot, 0] > windows[kind.start_depot, 0] or windows[depot, 1] < windows[kind.start_depot, 1]
        for depot in kind.reload_depots
    )


def _name(outline: Outline) -> str:
    line = outline.specifications.get("NAME")
    return line.text if line is not None and line.text else outline.source.stem


def _check_type(outline: Outline) -> None:
    has_section = "TIME_WINDOW_SECTION" in outline.rows or PAIRED in outline.rows
    line = outline.specifications.get("TYPE")
    if line is None:
        return
    if line.text not in TYPES:
        raise outline.source.error(
            line.number,
            f"TYPE is {shown(line.text, 40)}; expected CVRP or VRPTW, or one of {listed(OTHER_TYPES, 100)}; name what "
            "the sections say, or write the problem as JSON.",
        )
    if has_section != (TIMED in line.text) and line.text not in MAY_WAIT:
        timed = {"CVRP": "VRPTW"}.get(line.text, f"{line.text}{TIMED}")
        plain = {"VRPTW": "CVRP"}.get(line.text, line.text.partition(TIMED)[0])
        if has_section:
            fix = f"write 'TYPE : {timed}'"
        else:
            fix = "add a TIME_WINDOW_SECTION" + (f" or write 'TYPE : {plain}'" if plain in TYPES else "")
        found = "there is a" if has_section else "there is no"
        raise outline.source.error(
            line.number,
            f"TYPE is {shown(line.text)} but {found} TIME_WINDOW_SECTION; expected the two to agree; {fix}.",
        )
    saying = TYPES[line.text]
    if saying and not any(name in outline.rows or name in outline.specifications for name in saying):
        general = "VRPTW" if has_section else "CVRP"
        raise outline.source.error(
            line.number,
            f"TYPE is {shown(line.text)} but there is no {' or '.join(saying[:2])}; expected what says it; add "
            f"one, or write 'TYPE : {general}' if nothing of the kind is meant.",
        )


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
        coordinates = table(outline, known[0], ("x", "y"), nodes_numbered(nodes)).values if known else None
        return coordinates, explicit_matrix(outline, nodes)
    if "EDGE_WEIGHT_SECTION" in outline.headings:
        raise outline.source.error(
            outline.headings["EDGE_WEIGHT_SECTION"],
            "EDGE_WEIGHT_SECTION contradicts EDGE_WEIGHT_TYPE 'EUC_2D'; expected one of them; write "
            "EXPLICIT to use it.",
        )
    return table(outline, "NODE_COORD_SECTION", ("x", "y"), nodes_numbered(nodes)).values, None


def _depots(outline: Outline, nodes: int) -> int:
    """Return how many depots there are: the first nodes, and one if the file does not say."""
    source = outline.source
    if "DEPOT_SECTION" not in outline.rows:
        return 1
    depots, ended = 0, False
    for line in outline.rows["DEPOT_SECTION"]:
        for token in line.text.split():
            if token == "-1":
                ended = True
                break
            if ended:
                raise source.error(
                    line.number, f"depot {shown(token)} stands after -1; expected nothing; delete one of the two lines."
                )
            if token != str(depots + 1):
                raise source.error(
                    line.number,
                    f"depot is node {shown(token)}; expected node {depots + 1}, as depots come first; renumber the "
                    "nodes.",
                )
            depots += 1
            if depots == nodes:
                raise source.error(
                    line.number,
                    f"all {nodes} nodes are depots; expected a customer or more; correct DEPOT_SECTION or DIMENSION.",
                )
    if not depots:
        raise source.error(
            outline.headings["DEPOT_SECTION"],
            "DEPOT_SECTION names no depot; expected node 1; write '1' and '-1' below.",
        )
    return depots


# What is visited.


def _pairs(outline: Outline, nodes: int, depots: int) -> dict[str, Any]:
    for section in NOT_FOR_PAIRS:
        if section in outline.rows:
            raise outline.source.error(
                outline.headings[section],
                f"{section} stands beside {PAIRED} (line {outline.headings[PAIRED]}); expected one of them, as pairs "
                "have all in their rows; delete one.",
            )
    if (line := outline.specifications.get("SERVICE_TIME")) is not None:
        raise outline.source.error(
            line.number,
            f"SERVICE_TIME is {shown(line.text, 40)} beside {PAIRED}; expected none, as its rows have service times; "
            "delete the line.",
        )
    found = table(outline, PAIRED, PAIRED_COLUMNS, nodes_numbered(nodes))
    for column in (1, 2, 3):
        for node in np.flatnonzero(found.values[:, column] < 0):
            raise outline.source.error(
                found.lines[node],
                f"{PAIRED_COLUMNS[column]} of node {node + 1} is {found.values[node, column]:g}; expected a number of "
                f"0 or more; correct the line in {PAIRED}.",
            )
    fields = paired_fields(outline.source, found.values, found.lines, depots=depots, first=1)
    if (fields["windows"] == (0.0, LARGEST)).all():
        fields["windows"] = None
    return fields | {"dimensions": 1}


def _customers(outline: Outline, nodes: int, depots: int) -> dict[str, Any]:
    fields: dict[str, Any] = {"windows": _windows(outline, nodes), "service": _service(outline, nodes, depots)}
    fields |= _loads(outline, nodes, depots)
    releases = _of_customers(outline, "RELEASE_TIME_SECTION", "release time", nodes, depots)
    prizes = _of_customers(outline, "PRIZE_SECTION", "prize", nodes, depots)
    if releases is not None and releases.any():
        fields["releases"] = releases
    if prizes is not None and prizes.any():
        fields |= {"prizes": prizes, "optional": prizes > 0}
    if groups := _groups(outline, nodes, depots, prizes):
        fields["groups"] = groups
    line = outline.specifications.get("TYPE")
    if line is not None and line.text in BACKHAULS_LAST:
        _require_one_direction(outline, fields)
        fields["backhauls_last"] = True
    return fields


def _loads(outline: Outline, nodes: int, depots: int) -> dict[str, Any]:
    """Return demands, pickups if there are any, and how many numbers each of them has."""
    delivered = [name for name in ("DEMAND_SECTION", "LINEHAUL_SECTION") if name in outline.rows]
    collected = [name for name in ("BACKHAUL_SECTION",) if name in outline.rows]
    if len(delivered) > 1:
        raise outline.source.error(
            outline.headings["LINEHAUL_SECTION"],
            f"LINEHAUL_SECTION says what DEMAND_SECTION (line {outline.headings['DEMAND_SECTION']}) says; expected one "
            "of them; delete one.",
        )
    if not delivered and not collected:
        if "CAPACITY" in outline.specifications or "CAPACITY_SECTION" in outline.rows:
            outline.section("DEMAND_SECTION")
        return {"demands": np.zeros(nodes), "dimensions": 0}
    tables: dict[str, FloatArray] = {}
    for section in (*delivered, *collected):
        found = load_table(outline, section, "demand", nodes_numbered(nodes))
        _require_zero_at_depots(outline, section, "demand", found, depots)
        tables[section] = found.values[:, 0].copy() if found.values.shape[1] == 1 else found.values
        first = next(iter(tables.values()))
        if tables[section].shape != first.shape:
            raise outline.source.error(
                outline.headings[section],
                f"{section} has {found.values.shape[1]} numbers for a node; expected as many as {delivered[0]} (line "
                f"{outline.headings[delivered[0]]}); correct one of them.",
            )
    pickups = tables[collected[0]] if collected else None
    demands = tables[delivered[0]] if delivered else np.zeros_like(pickups)
    fields: dict[str, Any] = {"demands": demands, "dimensions": 1 if demands.ndim == 1 else demands.shape[1]}
    return fields | ({"pickups": pickups} if pickups is not None and pickups.any() else {})


def _require_one_direction(outline: Outline, fields: dict[str, Any]) -> None:
    """Raise an `InputError` where a customer gets and gives something, though the one must be over before the other."""
    if "pickups" not in fields:
        return
    nodes = len(fields["demands"])
    given, taken = ((fields[name] > 0).reshape(nodes, -1).any(axis=1) for name in ("demands", "pickups"))
    for node in np.flatnonzero(given & taken):
        raise outline.source.error(
            outline.headings["BACKHAUL_SECTION"],
            f"node {node + 1} has a demand and a backhaul; expected one of them in TYPE VRPB; correct one of the "
            "sections.",
        )


def _of_customers(outline: Outline, section: str, what: str, nodes: int, depots: int) -> FloatArray | None:
    """Return a number for each node that is 0 at depots, or ``None`` without such a section."""
    if section not in outline.rows:
        return None
    found = table(outline, section, (what,), nodes_numbered(nodes), minimum=0)
    _require_zero_at_depots(outline, section, what, found, depots)
    return found.values[:, 0].copy()


def _require_zero_at_depots(outline: Outline, section: str, what: str, found: Table, depots: int) -> None:
    for depot, column in np.argwhere(found.values[:depots] != 0):
        which = "the depot" if depots == 1 else f"depot {depot + 1}"
        raise outline.source.error(
            found.lines[depot],
            f"{what} of {which} is {found.values[depot, column]:g}; expected 0; correct the line in {section}.",
        )


def _windows(outline: Outline, nodes: int) -> FloatArray | None:
    if "TIME_WINDOW_SECTION" not in outline.rows:
        return None
    columns = ("window opening", "window closing")
    found = table(outline, "TIME_WINDOW_SECTION", columns, nodes_numbered(nodes), minimum=0)
    require_windows(outline.source, found.values, found.lines, 1)
    return found.values


def _service(outline: Outline, nodes: int, depots: int) -> FloatArray:
    service = _of_customers(outline, "SERVICE_TIME_SECTION", "service time", nodes, depots)
    if service is None:
        service = np.zeros(nodes)
        if "SERVICE_TIME" in outline.specifications:
            service[depots:] = outline.number("SERVICE_TIME", "10", minimum=0)
    return service


def _groups(outline: Outline, nodes: int, depots: int, prizes: FloatArray | None) -> tuple[Group, ...]:
    """Return the groups of several customers: one customer alone is simply visited."""
    section = "MUTUALLY_EXCLUSIVE_GROUP_SECTION"
    if section not in outline.rows:
        return ()
    count = len(outline.rows[section])
    groups: dict[int, Group] = {}
    lines: dict[int, int] = {}
    for row in numbered_rows(outline, section, Numbering("group", count, f"as there are {count} rows", "")):
        members = []
        for token in row.tokens:
            node = whole_within(token, nodes)
            if node is None or node <= depots:
                raise outline.source.error(
                    row.line,
                    f"customer of group {row.number} is {shown(token, 40)}; expected {depots + 1} to {nodes}; correct "
                    "the line.",
                )
            if node in lines:
                raise outline.source.error(
                    row.line,
                    f"customer {node} of group {row.number} is in a group already (line {lines[node]}); expected one "
                    "group at most; delete it from one of them.",
                )
            lines[node] = row.line
            if prizes is not None and prizes[node - 1] > 0 and len(row.tokens) > 1:
                raise outline.source.error(
                    row.line,
                    f"customer {node} of group {row.number} has a prize of {prizes[node - 1]:g}; expected 0, as its "
                    "group is visited anyway; correct PRIZE_SECTION or the group.",
                )
            members.append(node - 1)
        if len(members) > 1:
            groups[row.number] = Group(customers=tuple(members))
    return tuple(groups[number] for number in sorted(groups))
