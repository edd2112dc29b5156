"""How a distance in the plane becomes the number that is summed.

Best-known lists are only comparable under one and the same rule, and with time windows the rule even
decides which routes are feasible. So every instance carries the name of its rule, and everything that
measures goes through here.
"""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

ROUNDINGS = ("round", "trunc", "dimacs", "exact", "none")
"""The rules, by name.

``round``
    The nearest integer, floor(d + 0.5): Augerat, Christofides, Uchoa.
``trunc``
    The integer part, floor(d).
``dimacs``
    One decimal, truncated, as integers of tenths; windows and service times become tenths as well.
``exact``
    Plain doubles.
``none``
    The numbers as they stand in the file, for explicit matrices; the same as ``exact`` for coordinates.
"""

# Fractional coordinates within a smaller area than this are not meant to be rounded.
FINE = 10.0
DIMACS_SCALE = 10
# A distance such as 0.3 has no exact double: ten times it may fall just below the integer that it means.
DIMACS_GUARD = 1e-9


def scale_of(rounding: str) -> int:
    """Return the factor between file units and the units that are summed: 10 for ``dimacs``, else 1."""
    return DIMACS_SCALE if rounding == "dimacs" else 1


def rule_of(rounding: str) -> tuple[bool, float, float]:
    """Return whether distances d are rounded, and a and b so that they become floor(a d + b)."""
    rules = {"round": (True, 1.0, 0.5), "trunc": (True, 1.0, 0.0), "dimacs": (True, float(DIMACS_SCALE), DIMACS_GUARD)}
    return rules.get(rounding, (False, 1.0, 0.0))


def automatic_rounding(*, coordinates: FloatArray | None, explicit: bool, windows: bool) -> str:
    """Return the rule under which the best-known values for such instances are listed.

    No list has coordinates such as those of the unit square, of which rounding would leave nothing; they get plain
    doubles.

    Parameters
    ----------
    coordinates
        Of all nodes, if there are any.
    explicit
        Whether distances come from a matrix rather than from coordinates.
    windows
        Whether the instance has time windows.
    """
    if explicit or coordinates is None:
        return "none"
    if np.any(coordinates != np.floor(coordinates)) and np.hypot(*np.ptp(coordinates, axis=0)) < FINE:
        return "exact"
    return "dimacs" if windows else "round"


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
