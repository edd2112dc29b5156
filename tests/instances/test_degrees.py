"""Coordinates that look like latitude and longitude get one warning, and no others do."""

import copy
import dataclasses
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dacalns.instances import Instance, generate_cvrp, generate_vrptw, instance_names, read, sample
from dacalns.instances.distance_matrix import look_like_degrees
from dacalns.instances.parts import Customer, Depot, Parts, VehicleType

BERLIN = [[52.5200, 13.4050], [52.5163, 13.3777], [52.5076, 13.3904], [52.4986, 13.4431]]
PLACES = {
    "a town": BERLIN,
    "longitude first": [[lon, lat] for lat, lon in BERLIN],
    "across the first meridian": [[51.5074, -0.1278], [51.4816, 0.0076], [51.5416, -0.0033]],
    "near the equator": [[-0.1807, -78.4678], [0.0021, -78.4558], [-0.2521, -78.5229]],
    "south": [[-33.8688, 151.2093], [-33.9173, 151.2313], [-33.7969, 151.2877]],
    "a country": [[40.7128, -74.0060], [34.0522, -118.2437], [41.8781, -87.6298], [29.7604, -95.3698]] * 3,
    "three points with few decimals": [[52.5, 13.4], [52.55, 13.36], [52.49, 13.5]],
    "two decimals": [[52.51, 13.41], [52.62, 13.57], [52.43, 13.39]],
    "one decimal": [[52.5, 13.4], [52.6, 13.5], [52.4, 13.3]],
    "two points": [[52.5, 13.4], [52.55, 13.36]],
    "some rounded": [[48.1, 11.5], [48.1371, 11.5754], [48.1509, 11.5681]],
}
RANDOM = np.random.default_rng(5).random((50, 2))
PLANES = {
    "whole numbers": [[52, 13], [53, 14], [52, 14]],
    "halves": [[20.5, 30.5], [24.5, 33.5], [18.5, 28.5]],
    "one decimal, wider than a town": [[52.5, 13.4], [49.6, 17.5], [56.4, 12.3]],
    "one place": [[7.5, 7.5], [7.5, 7.5], [7.5, 7.5]],
    "a small plane far away in one direction": [[52.5, 3.4], [52.6, 1.5], [52.4, 2.3]],
    "the unit square": RANDOM,
    "the unit square around zero": 2 * RANDOM - 1,
    "a corner of the unit square": 0.9 + RANDOM / 10,
    "a square of 10": 10 * RANDOM,
    "a square of 50": 50 * RANDOM,
    "a square of 100": 100 * RANDOM,
    "a square around zero": 80 * RANDOM - 40,
    "a few points far from zero by chance": [[31.4159, 27.1828], [42.4242, 35.3535], [38.1966, 44.6692]],
    "both beyond 90": 100 + 10 * RANDOM,
    "kilometres of a grid": [[392.143, 5820.071], [391.992, 5819.654], [390.128, 5818.002]],
    "wider than a continent": [[80.1234, 170.1234], [81.1234, 100.1234], [80.5678, 120.5678]],
}


def built(coordinates: Any, **fields: Any) -> Instance:
    demands = [0] + [1] * (len(coordinates) - 1)
    return Instance(name="town", coordinates=coordinates, demands=demands, capacity=9, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("places", PLACES.values(), ids=PLACES)
def test_degrees_get_a_warning(places: list[list[float]]) -> None:
    with pytest.warns(UserWarning, match="latitude and longitude") as caught:
        built(places)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    said = str(caught[0].message)
    assert said.startswith("town: ")
    assert "\n" not in said
    assert all(part in said for part in ("points in a plane", "straight-line", "degrees", "project", "matrix"))


@pytest.mark.parametrize("places", PLANES.values(), ids=PLANES)
def test_planes_get_none(places: Any) -> None:
    assert not look_like_degrees(np.array(places, dtype=np.float64))
    built(places)  # a warning would fail the test


def test_bundled_and_generated_instances_get_none() -> None:
    names = instance_names()
    assert len(names) == 130
    drawn = [generate_cvrp(30, seed=1), generate_vrptw(30, seed=1)]
    assert not any(look_like_degrees(each.coordinates) for each in [*map(read, names), *drawn])  # type: ignore[arg-type]


def test_a_matrix_answers_the_warning() -> None:
    built(BERLIN, matrix=np.ones((4, 4)))


def test_a_file_gets_one_warning(tmp_path: Path) -> None:
    path = tmp_path / "town.vrp"
    nodes = "\n".join(f"{node} {lat} {lon}" for node, (lat, lon) in enumerate(BERLIN, start=1))
    path.write_text(
        "NAME : town\nTYPE : CVRP\nDIMENSION : 4\nCAPACITY : 9\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n"
        f"{nodes}\nDEMAND_SECTION\n1 0\n2 1\n3 1\n4 1\nDEPOT_SECTION\n1\n-1\nEOF\n",
        encoding="utf-8",
    )
    with pytest.warns(UserWarning, match="latitude and longitude") as caught:
        read(path)
    assert len(caught) == 1


def test_what_is_made_of_an_instance_does_not_warn_again() -> None:
    with pytest.warns(UserWarning, match="latitude and longitude"):
        town = built(BERLIN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        town.with_(fleet=3)
        dataclasses.replace(town, name="other")
        sample(town, customers=2, seed=1)
        assert pickle.loads(pickle.dumps(town)) == copy.copy(town) == copy.deepcopy(town) == town


def test_new_coordinates_warn_anew() -> None:
    with pytest.warns(UserWarning, match="latitude and longitude"):
        built(np.zeros((4, 2))).with_(coordinates=BERLIN)


def test_the_warning_names_the_users_line_when_an_instance_is_built_from_parts() -> None:
    parts = Parts(
        coordinates=BERLIN,
        depots=[Depot(location=0)],
        customers=[Customer(location=node, delivery=1) for node in (1, 2, 3)],
        vehicle_types=[VehicleType(num_available=3, capacity=9)],
    )
    with pytest.warns(UserWarning, match="latitude and longitude") as caught:
        Instance.from_parts("town", parts)
    assert caught[0].filename == __file__
