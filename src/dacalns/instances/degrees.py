"""A warning about coordinates that look like latitude and longitude: distances are those of a plane."""

import warnings

import numpy as np

from dacalns.instances.distance_matrix import FloatArray

WIDEST = 60.0
"""The most degrees that the places of one instance are expected to span, in either direction."""

CHANCE = 1e-4
"""The most likely that points drawn between zero and the furthest may be to lie as far from zero as these do."""


def look_like_degrees(coordinates: FloatArray) -> bool:
    """Return True if positions look like latitude and longitude, in either order.

    They do if they are in the range of both, most have three decimals or more, and in one direction at least they are
    further from zero than they are wide, as the places of a town or a country are. Points drawn in a square that
    begins at zero or is centred there, such as the unit square, do not, and a few do so by chance only rarely.
    """
    far, wide = np.abs(coordinates).max(axis=0), np.ptp(coordinates, axis=0)
    near = np.abs(coordinates).min(axis=0)
    in_range = far.min() <= 90 and far.max() <= 180 and wide.max() < WIDEST
    hundredths = coordinates * 100
    fine = np.abs(hundredths - np.round(hundredths)) > 1e-6
    chance = (wide / np.maximum(far, 1)) ** (len(coordinates) - 1)
    return bool(in_range and fine.mean() > 0.5 and np.any((near > 1) & (near > wide) & (chance < CHANCE)))


def warn_of_degrees(called: str, coordinates: FloatArray) -> None:
    """Warn if positions from which distances are computed look like latitude and longitude."""
    if look_like_degrees(coordinates):
        warnings.warn(
            f"{called}: coordinates look like latitude and longitude; they are taken as points in a plane, with "
            "straight-line distances in the same unit, degrees; project them to kilometres or metres first, or give "
            "a matrix.",
            UserWarning,
            stacklevel=5,  # where the instance is built: beyond two checks and the __init__ that dataclasses write
        )
