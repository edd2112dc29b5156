"""Get an instance from a file or by name."""

import os
import re
from typing import Any

from dacalns.errors import InputError
from dacalns.instances.bundled import bundled_names, bundled_path, find_bundled, with_best_known
from dacalns.instances.choices import require_choice
from dacalns.instances.instance import Instance, whole_fleet
from dacalns.instances.parsed_file import ParsedFile
from dacalns.instances.rounding import ROUNDINGS
from dacalns.instances.sample import sample
from dacalns.instances.solomon_file import parse_solomon
from dacalns.instances.source_text import SourceText
from dacalns.instances.suggest import did_you_mean
from dacalns.instances.vrplib_file import parse_vrplib

SAMPLED = re.compile(r"(?P<base>.+)-n(?P<customers>\d+)-s(?P<seed>\d+)")
# The optima listed for these sets are for at most k routes; elsewhere a k in the name is only a lower bound.
AUGERAT = re.compile(r"[ABP]-n\d+-k(?P<vehicles>\d+)")
VRPLIB_KEYS = "NAME|TYPE|DIMENSION|CAPACITY|EDGE_WEIGHT_TYPE"
VRPLIB_LINE = re.compile(rf"\s*(({VRPLIB_KEYS})\s*:|[A-Z_]+_SECTION)", re.IGNORECASE)


def read(path_or_name: str | os.PathLike[str], rounding: str = "auto", fleet: int | str = "auto") -> Instance:
    """Read an instance.

    Parameters
    ----------
    path_or_name
        A VRPLIB or Solomon file, recognised by its content; or a bundled name such as ``"A-n32-k5"`` or
        ``"R101"``; or a sample of a bundled one, as ``"R105-n67-s3"``: 67 customers of R105, drawn with
        seed 3. A file that exists goes before a name.
    rounding
        How distances are rounded: ``round``, ``trunc``, ``dimacs``, ``exact`` or ``none``. ``auto`` takes
        ``round`` for a CVRP, ``dimacs`` for time windows, ``none`` for an explicit matrix.
    fleet
        The most routes allowed: a number, ``"free"``, or ``"auto"``: what the file says, else the k in the
        name of an Augerat instance, else free.

    Returns
    -------
    Instance
        With its best-known value where one is listed for this rounding and this fleet.

    Raises
    ------
    InputError
        When there is no such file or name, or the file is malformed; the message names the line.

    Examples
    --------
    >>> read("A-n32-k5")
    Instance('A-n32-k5': cvrp, 31 customers, capacity 100, fleet 5, rounding round)
    """
    if rounding != "auto":
        require_choice("rounding", rounding, ("auto", *ROUNDINGS))
    if not isinstance(path_or_name, str | os.PathLike):
        raise InputError(f"instance is {path_or_name!r}; expected a path or a name; give it as text.")
    given = os.fspath(path_or_name)
    if not os.path.isfile(given):
        if bundled := find_bundled(given):
            return _read_file(bundled_path(bundled), rounding, fleet)
        if (sampled := SAMPLED.fullmatch(given)) and (bundled := find_bundled(sampled["base"])):
            base = _read_file(bundled_path(bundled), rounding, fleet)
            return sample(base, int(sampled["customers"]), int(sampled["seed"]))
        if not os.path.exists(given):
            raise _unknown(given)
    return _read_file(given, rounding, fleet)


def _unknown(given: str) -> InputError:
    sampled = SAMPLED.fullmatch(given)
    hint = did_you_mean(sampled["base"] if sampled else os.path.basename(given), bundled_names())
    return InputError(
        f"{given!r} is neither a file nor a bundled instance; expected a path or a name such as 'A-n32-k5'; "
        f"{hint or 'check the path.'}"
    )


def _read_file(path: str, rounding: str, fleet: Any) -> Instance:
    parsed = _parse(SourceText.load(path))
    instance = Instance(
        name=parsed.name,
        coordinates=parsed.coordinates,
        matrix=parsed.matrix,
        demands=parsed.demands,
        capacity=parsed.capacity,
        windows=parsed.windows,
        service=parsed.service,
        fleet=_fleet_limit(parsed, fleet),
        rounding=rounding,
        comment=parsed.comment,
    )
    return with_best_known(instance)


def _parse(source: SourceText) -> ParsedFile:
    """Recognise the format: both suffixes are used for both formats in the wild."""
    if any(VRPLIB_LINE.match(line) for line in source.lines):
        return parse_vrplib(source)
    if any(line.strip().upper() in ("VEHICLE", "CUSTOMER") for line in source.lines):
        return parse_solomon(source)
    first = next(line.strip() for line in source.lines if line.strip())
    raise source.error(
        1,
        f"the file begins with {first[:40]!r}; expected VRPLIB ('NAME : …') or Solomon's format (a name, "
        "then 'VEHICLE'); check that it is an instance.",
    )


def _fleet_limit(parsed: ParsedFile, fleet: Any) -> int | None:
    if fleet is None or fleet == "free":
        return None
    if fleet != "auto":
        if isinstance(fleet, str):
            require_choice("fleet", fleet, ("auto", "free", "a whole number"))
        return whole_fleet(parsed.name, fleet)
    if parsed.vehicles is not None:
        return parsed.vehicles
    augerat = AUGERAT.fullmatch(parsed.name)
    return int(augerat["vehicles"]) if augerat else None
