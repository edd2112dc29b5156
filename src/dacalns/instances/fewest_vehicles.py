"""Published solutions with the fewest vehicles, of those the shortest."""

import csv
import dataclasses
from functools import cache

from dacalns.instances.best_known import has_original_numbers
from dacalns.instances.bundled import DATA
from dacalns.instances.instance import Instance

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
