"""Distances on a map, against the law of cosines on the sphere."""

import math

import numpy as np
import pytest

from dacalns.instances.great_circle import EARTH, driving_times, great_circle, in_plane, require_few_places
from dacalns.util.errors import InputError


def of_cosines(here, there):
    (longitude, latitude), (other_longitude, other_latitude) = ([*map(math.radians, each)] for each in (here, there))
    cosine = math.sin(latitude) * math.sin(other_latitude)
    cosine += math.cos(latitude) * math.cos(other_latitude) * math.cos(longitude - other_longitude)
    return EARTH * math.acos(min(1.0, cosine))


def test_distances_are_those_on_the_sphere():
    rng = np.random.default_rng(1)
    places = np.column_stack([rng.uniform(-180, 180, 300), rng.uniform(-90, 90, 300)])
    found = great_circle(places, detour=1.0)
    for a, b in rng.integers(0, 300, (200, 2)).tolist():
        assert found[a, b] == pytest.approx(of_cosines(places[a], places[b]) if a != b else 0, abs=0.002)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(great_circle(places, detour=1.5), 1.5 * found, atol=0.002)


def test_times_follow_the_speed():
    assert driving_times(np.array([[50.0]]), 50, "h") == 1
    assert driving_times(np.array([[50.0]]), 100, "min") == 30
    assert driving_times(np.array([[1.0]]), 36, "s") == 100


def test_the_plane_has_the_shape_of_the_map_across_the_date_line():
    places = np.array([[179.9, 10.0], [-179.9, 10.0], [180.0, 10.1]])
    plane = in_plane(places)
    flat = np.hypot(*(plane[:, None] - plane).transpose(2, 0, 1))
    np.testing.assert_allclose(flat, great_circle(places, 1.0), rtol=1e-3, atol=0.01)
    assert plane[1, 0] > plane[2, 0] > plane[0, 0]


def test_too_many_places_are_refused():
    require_few_places("a.csv", 8000)
    with pytest.raises(InputError, match=r"a\.csv: has 8001 places on a map; expected at most 8000"):
        require_few_places("a.csv", 8001)
