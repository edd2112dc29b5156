"""The best values known of an instance: cost, and fewest vehicles."""

import csv
import dataclasses
import os
from functools import cache

from dacalns.instances.instance import Instance
from dacalns.instances.instance_file import DATA, named_instance

# The best costs known: published ones of the bundled instances, our own references for samples of them.

REFERENCES = DATA / "references.csv"


@dataclasses.dataclass(frozen=True)
class BestKnown:
    """A cost, the rules under which it was found, and the run that found it unless it is published."""

    cost: float
    rounding: str
    fleet: int
    proven: bool = False
    origin: str = ""


@cache
def best_known_values() -> dict[str, BestKnown]:
    """Return what ``best_known.csv`` and ``references.csv`` list, by instance name."""
    with open(DATA / "best_known.csv", encoding="utf-8", newline="") as stream:
        published = {
            row["name"]: BestKnown(float(row["cost"]), row["rounding"], int(row["fleet"]), row["proven"] == "yes")
            for row in csv.DictReader(stream)
        }
    return read_references(REFERENCES) | published


def read_references(path: str | os.PathLike[str]) -> dict[str, BestKnown]:
    """Return what a file such as ``references.csv``, which ``benchmarks/references.py`` writes, lists."""
    with open(path, encoding="utf-8", newline="") as stream:
        return {
            row["name"]: BestKnown(float(row["cost"]), row["rounding"], int(row["fleet"]), origin=row["origin"])
            for row in csv.DictReader(stream)
        }


def with_best_known(instance: Instance) -> Instance:
    """Return the instance with its best-known value, if one is listed for its very data and rules.

    A user's file may bear a famous name and hold other numbers, so the numbers are compared as well.
    """
    listed = best_known_values().get(instance.name)
    if listed is None or (instance.rounding, instance.fleet) != (listed.rounding, listed.fleet):
        return instance
    if not has_original_numbers(instance):
        return instance
    return dataclasses.replace(
        instance, best_known=listed.cost, proven_optimal=listed.proven, best_known_origin=listed.origin
    )


def has_original_numbers(instance: Instance) -> bool:
    """Return True if the instance has the very numbers of the bundled one, or of the sample, that bears its name."""
    original = named_instance(instance.name, instance.rounding, "free")
    return original is not None and instance.with_(fleet=None).same_content(original)


def best_known_word(origin: str) -> str:
    """Return what to call a best-known value of this origin: one of our own runs is no more than a reference."""
    return "reference" if origin else "best-known"


# Published solutions with the fewest vehicles, of those the shortest.

# Distances are published to two decimals.
DECIMALS = 2


@dataclasses.dataclass(frozen=True)
class FewestVehicles:
    """The fewest vehicles known, the least distance known with as many, and the rounding of that distance."""

    vehicles: int
    distance: float
    rounding: str


@cache
def fewest_vehicles_values() -> dict[str, FewestVehicles]:
    """Return what ``fewest_vehicles.csv`` lists, by instance name."""
    with open(DATA / "fewest_vehicles.csv", encoding="utf-8", newline="") as stream:
        return {
            row["name"]: FewestVehicles(int(row["vehicles"]), float(row["distance"]), row["rounding"])
            for row in csv.DictReader(stream)
        }


def fewest_vehicles(instance: Instance) -> FewestVehicles | None:
    """Return what is published for an instance's very numbers and rounding; ``None`` if nothing is.

    Nobody had a fleet that was too small, so it holds for any fleet that has as many vehicles.
    """
    listed = fewest_vehicles_values().get(instance.name)
    if listed is None or instance.rounding != listed.rounding or not has_original_numbers(instance):
        return None
    return None if instance.fleet is not None and instance.fleet < listed.vehicles else listed
