"""Distances, driving times and limits in scaled units, measured from the definition and apart from the search."""

import math

from dacalns.instances import Instance
from dacalns.instances.parts import VehicleType

# The checker measures with these. They share no arithmetic with the search, and use neither its matrices nor its
# scaled windows, so that a mistake there cannot hide.

SCALES = {"dimacs": 10, "milli": 1000}


def scale(instance: Instance) -> int:
    """Return the factor from file units to the units that are added up."""
    return SCALES.get(instance.rounding, 1)


def scaled(value: float, factor: int) -> float:
    """A time, limit or cost of the file in scaled units, where 1.1 is 11 tenths and not 11.000000000000002."""
    return value if factor == 1 else round(value * factor, 9)


def distance(instance: Instance, here: int, there: int, profile: int = 0) -> float:
    """Measure one edge, in scaled units, after rounding.

    Parameters
    ----------
    instance
        The problem, whose rounding applies.
    here, there
        Two nodes.
    profile
        0 for the distances of the instance, k for those of its k-th profile.
    """
    if here == there:
        return 0
    own = instance.profiles[profile - 1].distances if profile else None
    matrix = instance.matrix if own is None else own
    if matrix is not None:
        plain = float(matrix[here, there])
    else:
        assert instance.coordinates is not None, "an instance has coordinates or a matrix"
        (x1, y1), (x2, y2) = instance.coordinates[here].tolist(), instance.coordinates[there].tolist()
        plain = math.hypot(x1 - x2, y1 - y2)
    return _rounded(plain, instance.rounding)


def driving_time(instance: Instance, vehicle: VehicleType, here: int, there: int) -> float:
    """Measure how long a vehicle takes for one edge, in scaled units: its driving time after rounding, by its speed.

    Where there are no driving times, they are the distances. A profile with distances of its own, and without driving
    times, has its own distances as driving times.
    """
    if here == there:
        return 0
    matrix = instance.durations
    if vehicle.profile:
        profile = instance.profiles[vehicle.profile - 1]
        if profile.durations is not None or profile.distances is not None:
            matrix = profile.durations
    if matrix is None:
        needed = distance(instance, here, there, vehicle.profile)
    else:
        needed = _rounded(float(matrix[here, there]), instance.rounding)
    return needed if vehicle.speed == 1 else needed / vehicle.speed


def _rounded(plain: float, rounding: str) -> float:
    if rounding == "round":
        return math.floor(plain + 0.5)
    if rounding == "trunc":
        return math.floor(plain)
    if rounding == "dimacs":
        return math.floor(10 * plain + 1e-9)
    if rounding == "milli":
        return math.floor(1000 * plain + 0.5)
    return plain
