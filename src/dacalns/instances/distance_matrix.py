"""Distances: how one is rounded, the matrix of all of them, and a warning where positions look like degrees."""

import warnings
from collections.abc import Set

import numpy as np
import numpy.typing as npt

from dacalns.instances.features import (
    DEPOTS,
    DISTANCE_COSTS,
    DISTANCE_LIMITS,
    DURATION_COSTS,
    DURATION_LIMITS,
    FIXED_COSTS,
    PAIRS,
    RESTRICTIONS,
    WINDOWS,
)
from dacalns.util.errors import caller_level

# How a distance in the plane becomes the number that is summed.
#
# Best-known lists are only comparable under one and the same rule, and with time windows the rule even decides which
# routes are feasible. So every instance carries the name of its rule, and everything that measures goes through here.

FloatArray = npt.NDArray[np.float64]

ROUNDINGS = ("round", "trunc", "dimacs", "milli", "exact", "none")
"""The rules, by name.

``round``
    The nearest integer, floor(d + 0.5): Augerat, Christofides, Uchoa.
``trunc``
    The integer part, floor(d).
``dimacs``
    One decimal, truncated, as integers of tenths; windows and service times become tenths as well.
``milli``
    Three decimals, to the nearest, as integers of thousandths; times, limits, prizes and fixed costs become thousandths
    as well. PyVRP calls it "exact".
``exact``
    Plain doubles.
``none``
    The numbers as they stand in the file, for explicit matrices; the same as ``exact`` for coordinates.
"""

# Fractional coordinates within a smaller area than this are not meant to be rounded.
FINE = 10.0
SCALES = {"dimacs": 10, "milli": 1000}
# A distance such as 0.3 has no exact double: ten times it may fall just below the integer that it means.
DIMACS_GUARD = 1e-9


def scale_of(rounding: str) -> int:
    """Return the factor from file units to those that are summed: 10 for ``dimacs``, 1000 for ``milli``, else 1."""
    return SCALES.get(rounding, 1)


def rule_of(rounding: str) -> tuple[bool, float, float]:
    """Return whether distances d are rounded, and a and b so that they become floor(a d + b)."""
    offsets = {"round": 0.5, "trunc": 0.0, "dimacs": DIMACS_GUARD, "milli": 0.5}
    return (True, float(scale_of(rounding)), offsets[rounding]) if rounding in offsets else (False, 1.0, 0.0)


COSTS = frozenset({FIXED_COSTS, DISTANCE_COSTS, DURATION_COSTS})
LIMITS = frozenset({DURATION_LIMITS, DISTANCE_LIMITS})


def automatic_rounding(
    *, coordinates: FloatArray | None, explicit: bool, features: Set[str] = frozenset(), capacities: int = 1
) -> str:
    """Return the rule under which the best-known values for such instances are listed.

    No list has coordinates such as those of the unit square, of which rounding would leave nothing; they get plain
    doubles.

    Parameters
    ----------
    coordinates
        The coordinates of all nodes; None if the instance has none.
    explicit
        True if distances come from a matrix rather than from coordinates.
    features
        The features of the instance.
    capacities
        How many different capacities its vehicles have.
    """
    if explicit or coordinates is None:
        return "none"
    if np.any(coordinates != np.floor(coordinates)) and np.hypot(*np.ptp(coordinates, axis=0)) < FINE:
        return "exact"
    if PAIRS in features:
        return "exact"
    unlike = capacities > 1 or bool(COSTS & features)
    if WINDOWS in features:
        return "milli" if unlike or features & {DEPOTS, DURATION_LIMITS, RESTRICTIONS} else "dimacs"
    if unlike:
        return "milli"
    return "exact" if DEPOTS in features or LIMITS & features else "round"


def round_in_place(distances: FloatArray, rounding: str) -> None:
    """Apply a rule to plain distances, without a second array, and leave them in scaled units."""
    whole, per_unit, offset = rule_of(rounding)
    if whole:
        distances *= per_unit
        distances += offset
        np.floor(distances, out=distances)


def scaled(values: FloatArray, rounding: str) -> FloatArray:
    """Return times of the file in scaled units, read-only."""
    scale = scale_of(rounding)
    # 1.1 * 10 is 11.000000000000002: without the rounding, a window written with one decimal would not be an integer.
    # With fewer decimals, thirds of hours along a route would no longer add up to the appointment they lead to.
    result = values if scale == 1 else np.round(values * scale, 9)
    result.setflags(write=False)
    return result


def scaled_number(value: float, rounding: str) -> float:
    """Return a time, a limit or a cost of the file in scaled units, by the rule of `scaled`."""
    scale = scale_of(rounding)
    return value if scale == 1 else round(value * scale, 9)


# Distances after rounding, some rows at a time.

# Rows computed at a time: temporaries stay small beside the matrix, which takes 200 MB for 5,000 customers.
BLOCK = 64
UNROUNDED = ("exact", "none")


def distance_rows(
    coordinates: FloatArray | None, matrix: FloatArray | None, rounding: str, nodes: npt.NDArray[np.intp]
) -> FloatArray:
    """Return the distances from some nodes to all, in scaled units.

    Parameters
    ----------
    coordinates, matrix
        The fields of an instance; if there are both, the matrix counts.
    rounding
        The rule to apply.
    nodes
        The nodes whose rows are returned.
    """
    rows: FloatArray
    if matrix is not None:
        rows = matrix[nodes]
    else:
        assert coordinates is not None, "an instance has coordinates or a matrix"
        x, y = coordinates.T
        rows = np.hypot(x[nodes, None] - x, y[nodes, None] - y)
    round_in_place(rows, rounding)
    # Some matrices hold a large number on the diagonal to forbid the loop; no route ever uses it.
    rows[np.arange(len(nodes)), nodes] = 0.0
    return rows


def distance_matrix(coordinates: FloatArray | None, matrix: FloatArray | None, rounding: str, count: int) -> FloatArray:
    """Return all distances between ``count`` nodes in scaled units, without a second array of that size."""
    if matrix is not None and rounding in UNROUNDED and not matrix.diagonal().any():
        return matrix
    distances = np.empty((count, count))
    for start in range(0, count, BLOCK):
        nodes = np.arange(start, min(start + BLOCK, count))
        distances[nodes] = distance_rows(coordinates, matrix, rounding, nodes)
    distances.setflags(write=False)
    return distances


# Distances are those of a plane, which latitude and longitude are not.

WIDEST = 60.0
"""The most degrees that the places of one instance are expected to span, in either direction."""

CHANCE = 1e-4
"""The most likely that points drawn between zero and the furthest may be to lie as far from zero as these do."""

TOWN = 10.0
"""How many times further from zero than they are wide the places of a town are, where they have few decimals."""


def look_like_degrees(coordinates: FloatArray) -> bool:
    """Return True if positions look like latitude and longitude, in either order.

    They do if they are in the range of both, most have three decimals or more, and in one direction at least they are
    further from zero than they are wide, as the places of a town or a country are. Points drawn in a square that
    begins at zero or is centred there, such as the unit square, do not, and a few do so by chance only rarely.

    With fewer decimals they do if they are the places of one town: most are no whole numbers, and in both directions
    they are ten times as far from zero as they are wide.
    """
    far, wide = np.abs(coordinates).max(axis=0), np.ptp(coordinates, axis=0)
    near = np.abs(coordinates).min(axis=0)
    in_range = far.min() <= 90 and far.max() <= 180 and wide.max() < WIDEST
    hundredths = coordinates * 100
    fine = np.abs(hundredths - np.round(hundredths)) > 1e-6
    chance = np.minimum(wide / np.maximum(far, 1), 1) ** (len(coordinates) - 1)
    if not in_range:
        return False
    if fine.mean() > 0.5:
        return bool(np.any((near > 1) & (near > wide) & (chance < CHANCE)))
    broken = coordinates != np.round(coordinates)
    apart = wide.max() > 0
    return bool(apart and broken.mean() > 0.5 and np.all((near > 1) & (near > TOWN * wide)) and chance.prod() < CHANCE)


def warn_of_degrees(called: str, coordinates: FloatArray) -> None:
    """Warn if positions from which distances are computed look like latitude and longitude."""
    if look_like_degrees(coordinates):
        warnings.warn(
            f"{called}: coordinates look like latitude and longitude; they are taken as points in a plane, with "
            "straight-line distances in the same unit, degrees; give Instance.from_frame columns called lat and lon, "
            "project them to kilometres or metres first, or give a matrix.",
            UserWarning,
            stacklevel=caller_level(),
        )
