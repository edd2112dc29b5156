"""An instance from a file of either format."""

import re
from typing import Any

from dacalns.instances.choices import require_choice
from dacalns.instances.instance import Instance, whole_fleet
from dacalns.instances.parsed_file import ParsedFile
from dacalns.instances.solomon_file import parse_solomon
from dacalns.instances.source_text import SourceText
from dacalns.instances.vrplib_file import parse_vrplib
from dacalns.shown import shown

# The optima listed for these sets are for at most k routes; elsewhere a k in the name is only a lower bound.
AUGERAT = re.compile(r"[ABP]-n[0-9]{1,9}-k(?P<vehicles>[0-9]{1,9})")
VRPLIB_KEYS = "NAME|TYPE|DIMENSION|CAPACITY|EDGE_WEIGHT_TYPE"
VRPLIB_LINE = re.compile(rf"\s*(({VRPLIB_KEYS})\s*:|[A-Z_]+_SECTION)", re.IGNORECASE)


def read_instance_file(path: str, rounding: str, fleet: Any) -> Instance:
    """Return what a file holds, under the rules that `read` takes, without a best-known value."""
    parsed = _parse(SourceText.load(path))
    return Instance(
        name=parsed.name,
        coordinates=parsed.coordinates,
        matrix=parsed.matrix,
        demands=parsed.demands,
        capacity=parsed.capacity,
        windows=parsed.windows,
        service=parsed.service,
        fleet=fleet_limit(parsed.name, fleet, parsed.vehicles),
        rounding=rounding,
        comment=parsed.comment,
    )


def _parse(source: SourceText) -> ParsedFile:
    """Recognise the format: both suffixes are used for both formats in the wild."""
    if any(VRPLIB_LINE.match(line) for line in source.lines):
        return parse_vrplib(source)
    if any(line.strip().upper() in ("VEHICLE", "CUSTOMER") for line in source.lines):
        return parse_solomon(source)
    first = next(line.strip() for line in source.lines if line.strip())
    raise source.error(
        1,
        f"the file begins with {shown(first, 40)}; expected VRPLIB ('NAME : …') or Solomon's format (a name, "
        "then 'VEHICLE'); check that it is an instance.",
    )


def fleet_limit(name: str, fleet: Any, vehicles: int | None = None) -> int | None:
    """Return the most routes allowed: what the user asked for; for ``"auto"``, what the file or the name says.

    Raises
    ------
    InputError
        When it is neither ``"auto"``, ``"free"`` nor a whole number of 1 or more.
    """
    if fleet is None or fleet == "free":
        return None
    if fleet != "auto":
        if isinstance(fleet, str):
            require_choice("fleet", fleet, ("auto", "free", "a whole number"))
        return whole_fleet(name, fleet)
    if vehicles is not None:
        return vehicles
    augerat = AUGERAT.fullmatch(name)
    return int(augerat["vehicles"]) if augerat else None
