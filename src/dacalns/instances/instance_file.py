"""An instance from a file of any format, or by its name: bundled with the package, a sample, or generated."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from dacalns.instances.cordeau import parse_cordeau
from dacalns.instances.generate import generated_instance
from dacalns.instances.instance import Instance, whole_fleet
from dacalns.instances.json_problem import is_json, parse_json
from dacalns.instances.li_lim import parse_li_lim
from dacalns.instances.parts import VehicleType
from dacalns.instances.sample import sample
from dacalns.instances.solomon import parse_solomon
from dacalns.instances.source_text import ParsedFile, SourceText
from dacalns.instances.table_problem import TableOptions, parse_tables, tell
from dacalns.instances.vrplib import parse_vrplib
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, shortened, shown, shown_path
from dacalns.util.values import require_choice

DATA = Path(__file__).parent / "data"
"""The folder of the instances that come with the package."""

# An instance from a file, whatever its format.

# The optima listed for these sets are for at most k routes; elsewhere a k in the name is only a lower bound.
AUGERAT = re.compile(r"[ABP]-n[0-9]{1,9}-k(?P<vehicles>[0-9]{1,9})")
VRPLIB_KEYS = "NAME|TYPE|DIMENSION|CAPACITY|EDGE_WEIGHT_TYPE"
NUMBER = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")
VRPLIB_LINE = re.compile(rf"\s*(({VRPLIB_KEYS})\s*:|[A-Z_]+_SECTION)", re.IGNORECASE)


def read_instance_file(path: str, rounding: str, fleet: Any) -> Instance:
    """Return what a file holds, under the rules that `read` takes, without a best-known value."""
    source = SourceText.load(path)
    parsed = _parse(source)
    try:
        return _as_instance(parsed, rounding, fleet)
    except InputError as error:  # parts that contradict one another
        raise InputError(f"{shown_path(path)}: {error}") from None


def read_tables(path: str, rounding: str, fleet: Any, options: TableOptions) -> Instance:
    """Return what a table of customers holds, and the tables that options name with it."""
    parsed, notices = parse_tables(path, **options)
    tell(notices)
    return _as_instance(parsed, rounding, fleet)


@cache
def _parse_bundled(name: str) -> ParsedFile:
    """Return what a bundled file holds. It is parsed once in a process: reading compares it with itself, too."""
    return _parse(SourceText.load(bundled_path(name)))


def _as_instance(parsed: ParsedFile, rounding: str, fleet: Any) -> Instance:
    if rounding == "auto":
        rounding = parsed.get("rounding", "auto")
    if (types := parsed.get("vehicle_types")) is not None:
        if fleet != "auto":
            parsed = parsed | {"vehicle_types": _limited(parsed["name"], types, fleet), "vehicles": ()}
        return Instance(**parsed | {"rounding": rounding})
    return Instance(**parsed | {"fleet": fleet_limit(parsed["name"], fleet, parsed["fleet"]), "rounding": rounding})


def _limited(name: str, types: tuple[VehicleType, ...], fleet: Any) -> tuple[VehicleType, ...]:
    """Return the vehicle types with as many vehicles as the user asked for."""
    limit = fleet_limit(name, fleet)
    if len(types) > 1:
        raise InputError(
            f"{shortened(name, VALUE)}: fleet is {shown(fleet)}; expected 'auto', as there are {len(types)} types of "
            "vehicles with a number of their own; leave it out."
        )
    return (replace(types[0], num_available=limit),)


def _parse(source: SourceText) -> ParsedFile:
    """Recognise the format by the content: suffixes are used for others' formats in the wild."""
    if is_json(source.lines):
        return parse_json(source)
    if any(VRPLIB_LINE.match(line) for line in source.lines):
        return parse_vrplib(source)
    if any(line.strip().upper() in ("VEHICLE", "CUSTOMER") for line in source.lines):
        return parse_solomon(source)
    first = next(line.strip() for line in source.lines if line.strip())
    if all(NUMBER.fullmatch(word) for word in first.split()):
        # Li and Lim begin with vehicles, capacity and speed; Cordeau with type, vehicles, customers and depots.
        if len(first.split()) == 3:
            return parse_li_lim(source)
        if len(first.split()) == 4:
            return parse_cordeau(source)
    raise source.error(
        1,
        f"the file begins with {shown(first, 40)}; expected VRPLIB ('NAME : …'), JSON ('{{'), Solomon's format (a "
        "name, then 'VEHICLE'), Li and Lim's (3 numbers) or Cordeau's (4); check that it is an instance.",
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


# Instances that have a name: those in the package, samples of them, and generated ones.


@cache
def _paths() -> dict[str, Path]:
    files = sorted(path for path in DATA.iterdir() if path.suffix in (".vrp", ".txt"))
    return {path.stem: path for path in files}


def bundled_names() -> list[str]:
    """Return the names of all bundled instances, sorted."""
    return list(_paths())


def bundled_path(name: str) -> str:
    """Return the file of a bundled instance."""
    return str(_paths()[name])


def find_bundled(given: str) -> str | None:
    """Return the bundled name that was meant, whatever its case, or ``None``."""
    folded = given.casefold()
    return next((name for name in _paths() if name.casefold() == folded), None)


SAMPLED = re.compile(r"(?P<base>.+)-n(?P<customers>[0-9]{1,18})-s(?P<seed>[0-9]{1,18})", re.DOTALL)


def named_instance(name: str, rounding: str, fleet: Any) -> Instance | None:
    """Return a bundled instance, a sample of one or a generated one, without a best-known value.

    ``None`` if there is none so named.
    """
    if bundled := find_bundled(name):
        return _as_instance(_parse_bundled(bundled), rounding, fleet)
    if (sampled := SAMPLED.fullmatch(name)) and (bundled := find_bundled(sampled["base"])):
        base = _as_instance(_parse_bundled(bundled), rounding, fleet)
        return sample(base, int(sampled["customers"]), int(sampled["seed"]))
    if (generated := generated_instance(name)) is not None:
        limit = fleet_limit(generated.name, fleet)
        return generated.with_(fleet=limit, rounding=generated.rounding if rounding == "auto" else rounding)
    return None
