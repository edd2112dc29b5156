"""The benchmark instances that come with the package, and the best values published for them."""

import csv
import dataclasses
from functools import cache
from pathlib import Path

import numpy as np

from dacalns.instances.instance import Instance
from dacalns.instances.solomon_file import parse_solomon
from dacalns.instances.source_text import SourceText
from dacalns.instances.vrplib_file import parse_vrplib

DATA = Path(__file__).parent / "data"


@dataclasses.dataclass(frozen=True)
class BestKnown:
    """A published cost and the rules under which it was found."""

    cost: float
    rounding: str
    fleet: int
    proven: bool


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


@cache
def best_known_values() -> dict[str, BestKnown]:
    """Return what ``best_known.csv`` lists, by instance name."""
    with open(DATA / "best_known.csv", encoding="utf-8", newline="") as stream:
        return {
            row["name"]: BestKnown(float(row["cost"]), row["rounding"], int(row["fleet"]), row["proven"] == "yes")
            for row in csv.DictReader(stream)
        }


def with_best_known(instance: Instance) -> Instance:
    """Return the instance with its best-known value, if one is listed for its very data and rules.

    A user's file may bear a famous name and hold other numbers, so the numbers are compared as well.
    """
    listed = best_known_values().get(instance.name)
    if listed is None or (instance.rounding, instance.fleet) != (listed.rounding, listed.fleet):
        return instance
    source = SourceText.load(bundled_path(instance.name))
    original = parse_solomon(source) if source.name.endswith(".txt") else parse_vrplib(source)
    same = instance.capacity == original.capacity and all(
        np.array_equal(getattr(instance, field), getattr(original, field))
        for field in ("coordinates", "matrix", "demands", "windows", "service")
    )
    if not same:
        return instance
    return dataclasses.replace(instance, best_known=listed.cost, proven_optimal=listed.proven)
