"""Distances on a map: the great circle, longer by a detour factor, because no road is straight."""

import numpy as np

from dacalns.instances.fields import FloatArray
from dacalns.util.clock import SECONDS
from dacalns.util.errors import InputError

EARTH = 6371.0088
"""The mean radius of the earth in kilometres."""

DETOUR = 1.3
"""How many times longer than the great circle a way by road is, if nobody says otherwise."""

SPEED = 50.0
"""Kilometres an hour, if nobody says otherwise."""

FAR = 1500.0
"""Kilometres, with the detour, that are too far for a round trip on one day."""

MOST_PLACES = 8_000
"""The most places of a map: their distances and driving times take a gigabyte."""

BLOCK = 256
"""Rows computed at a time, so that temporaries stay small beside the matrix."""


def great_circle(lonlat: FloatArray, detour: float = DETOUR) -> FloatArray:
    """Return distances in kilometres, to the metre, between places on a map.

    Parameters
    ----------
    lonlat
        Longitudes and latitudes in degrees, shape (places, 2).
    detour
        How many times longer than the great circle a way is.
    """
    longitude, latitude = np.radians(lonlat).T
    count = len(lonlat)
    made = np.empty((count, count))
    for start in range(0, count, BLOCK):
        rows = slice(start, min(start + BLOCK, count))
        across = np.sin((longitude[rows, None] - longitude) / 2) ** 2
        along = np.sin((latitude[rows, None] - latitude) / 2) ** 2
        chord = along + np.cos(latitude[rows, None]) * np.cos(latitude) * across
        made[rows] = 2 * EARTH * detour * np.arcsin(np.sqrt(np.clip(chord, 0.0, 1.0)))
    np.round(made, 3, out=made)
    np.fill_diagonal(made, 0.0)
    return made


def strays(distances: FloatArray, depots: int) -> list[int]:
    """Return the places that lie so far from the others that latitude and longitude may have been swapped.

    They are the customers far from all depots, beside others that are not: or the depots, where all customers are.

    Parameters
    ----------
    distances
        What `great_circle` returned; depots come first.
    depots
        How many of the places are depots.
    """
    nearest = distances[:depots, depots:].min(axis=0)
    if nearest.min() > FAR:
        return [*range(depots)]
    return [depots + int(place) for place in np.flatnonzero(nearest > max(FAR, 10 * float(np.median(nearest))))]


def driving_times(distances: FloatArray, speed: float, unit: str) -> FloatArray:
    """Return the driving times in a unit of time for distances in kilometres and a speed in kilometres an hour."""
    made: FloatArray = np.round(distances * (3600.0 / (speed * SECONDS[unit])), 3)
    return made


def in_plane(lonlat: FloatArray) -> FloatArray:
    """Return positions in kilometres in a plane that touches the earth in the middle of the places, for pictures."""
    longitudes = lonlat[:, 0]
    if np.ptp(longitudes) > 180:  # on both sides of the date line
        longitudes = np.where(longitudes < 0, longitudes + 360, longitudes)
    middle = np.array([(longitudes.min() + longitudes.max()) / 2, (lonlat[:, 1].min() + lonlat[:, 1].max()) / 2])
    east = np.radians(longitudes - middle[0]) * np.cos(np.radians(middle[1]))
    north = np.radians(lonlat[:, 1] - middle[1])
    return np.round(EARTH * np.column_stack([east, north]), 3)


def require_few_places(where: str, count: int) -> None:
    """Raise an `InputError` if the matrix between places on a map would take too much memory."""
    if count > MOST_PLACES:
        raise InputError(
            f"{where}: has {count} places on a map; expected at most {MOST_PLACES}, as each pair of them has a "
            "distance and a driving time; split the places, or give x and y in a plane."
        )
