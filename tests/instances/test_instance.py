"""The instance itself: what it computes, what it refuses, how it copies."""

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

from dacalns.instances import Instance, generate_cvrp, sample
from dacalns.util.errors import InputError

# Distances from the depot: 5, 10, 5, 5; from 1 to 2: 5; from 1 to 3 and from 3 to 4: sqrt(10) = 3.16…
SQUARE = {
    "name": "four",
    "coordinates": [[0, 0], [3, 4], [6, 8], [0, 5], [-3, 4]],
    "demands": [0, 1, 2, 3, 4],
    "capacity": 5,
}


def four(**changes: object) -> Instance:
    return Instance(**{**SQUARE, **changes})  # type: ignore[arg-type]


def test_plain_lists_are_enough() -> None:
    instance = four()
    assert instance.customers == 4
    assert instance.problem == "cvrp"
    assert instance.rounding == "round"
    assert instance.scale == 1
    assert instance.fleet is None
    assert instance.symmetric
    assert instance.service.tolist() == [0, 0, 0, 0, 0]
    assert instance.scaled_windows is None
    assert repr(instance) == "Instance('four': cvrp, 4 customers, capacity 5, fleet free, rounding round)"


def test_distances_by_hand() -> None:
    distances = four().distances
    assert distances[0].tolist() == [0, 5, 10, 5, 5]
    assert distances[1].tolist() == [5, 0, 5, 3, 6]
    assert distances.flags.c_contiguous
    assert distances.dtype == np.float64


@pytest.mark.parametrize(
    ("rounding", "expected"),
    [("round", 3), ("trunc", 3), ("dimacs", 31), ("exact", 10**0.5), ("none", 10**0.5)],
)
def test_rounding_of_one_edge(rounding: str, expected: float) -> None:
    assert four(rounding=rounding).distances[3, 4] == pytest.approx(expected, abs=1e-12)


def test_blocks_do_not_show() -> None:
    points = [[7 * i % 101, 13 * i % 97] for i in range(150)]
    instance = Instance(name="blocks", coordinates=points, demands=[0] + [1] * 149, capacity=9)
    x, y = np.array(points, dtype=float).T
    plain = np.hypot(x[:, None] - x, y[:, None] - y)
    assert np.array_equal(instance.distances, np.floor(plain + 0.5))
    assert np.array_equal(instance.distances[70], instance.distances_from(70))


def test_dimacs_scales_times_with_distances() -> None:
    windows = [[0, 100], [1.1, 5.7], [0, 50], [0, 50], [0, 50]]
    instance = four(windows=windows, service=[0, 0.3, 1, 1, 1])
    assert instance.rounding == "dimacs"
    assert instance.problem == "vrptw"
    assert instance.scale == 10
    assert instance.scaled_windows is not None
    assert instance.scaled_windows[1].tolist() == [11, 57]
    assert instance.scaled_service.tolist() == [0, 3, 10, 10, 10]
    assert instance.windows is not None
    assert instance.windows[1].tolist() == [1.1, 5.7]


def test_explicit_matrix_may_be_asymmetric() -> None:
    matrix = [[9, 1, 2], [3, 9, 4.5], [5, 6, 9]]
    instance = Instance(name="m", matrix=matrix, demands=[0, 1, 1], capacity=2)  # type: ignore[arg-type]
    assert instance.rounding == "none"
    assert not instance.symmetric
    assert instance.distances.tolist() == [[0, 1, 2], [3, 0, 4.5], [5, 6, 0]]
    assert instance.distances_to(0).tolist() == [0, 3, 5]
    assert instance.distances_from(0).tolist() == [0, 1, 2]
    assert instance.with_(rounding="round").distances[1, 2] == 5


def test_arrays_are_private_and_read_only() -> None:
    demands = np.array([0.0, 1, 2, 3, 4])
    instance = four(demands=demands)
    demands[1] = 99
    assert instance.demands[1] == 1
    for array in (instance.demands, instance.coordinates, instance.service, instance.distances):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_equality_hash_and_pickle_go_by_content() -> None:
    one, other = four(), four()
    assert one == other
    assert hash(one) == hash(other)
    assert one != four(capacity=6)
    assert one != "four"
    assert one.distances is one.distances
    copy = pickle.loads(pickle.dumps(one))
    assert copy == one
    assert "distances" not in vars(copy)
    assert not copy.demands.flags.writeable


def test_copies_drop_the_best_known_value() -> None:
    known = four(best_known=40, proven_optimal=True, best_known_origin="a run")
    assert known.best_known == 40.0
    assert known.with_(name="renamed").best_known == 40.0
    assert known.with_(rounding="exact").best_known is None
    assert not known.with_(fleet=2).proven_optimal
    assert known.with_(fleet=2).best_known_origin == ""
    assert known.with_(fleet=2, best_known=41).best_known == 41.0
    assert dataclasses.replace(known, fleet=3).fleet == 3


@pytest.mark.parametrize(
    ("changes", "fragment"),
    [
        ({"name": ""}, "instance name is empty"),
        ({"name": "a\nb"}, r"instance name is 'a\nb'"),
        ({"name": 7}, "instance name is 7"),
        ({"comment": " x"}, "comment is ' x'"),
        ({"demands": [0]}, "has 1 nodes"),
        ({"demands": [0, 1, 2, 3]}, "coordinates has shape (5, 2); expected (4, 2)"),
        ({"demands": [0, 1, 2, 3, "x"]}, "demands is not an array of numbers"),
        ({"demands": [0, 1, 2, 3, None]}, "demands of node 4 is nan"),
        ({"demands": [0, 1, 2, 3, -1]}, "demand of node 4 is -1"),
        ({"demands": [1, 1, 2, 3, 4]}, "demand of the depot is 1"),
        ({"demands": [[0, 1, 2, 3, 4]]}, "has 1 nodes"),
        ({"demands": [0, 1, 2, 3, 10**400]}, "demands is not an array of numbers"),
        ({"capacity": 0}, "capacity is 0"),
        ({"capacity": "lots"}, "capacity is 'lots'"),
        ({"capacity": float("inf")}, "capacity is inf"),
        ({"coordinates": None}, "neither coordinates nor matrix"),
        ({"coordinates": [[0, 0], [1, 1], [2, 2], [3, 3], [4, 1e300]]}, "coordinates of node 4 is 1e+300"),
        ({"coordinates": [[0, 0], [1, 1], [2], [3, 3], [4, 4]]}, "coordinates is not an array of numbers"),
        ({"matrix": [[0, 1], [1, 0]]}, "matrix has shape (2, 2); expected (5, 5)"),
        ({"matrix": [[0, 1, 1, 1, -3]] * 5}, "distance of node 0 is -3"),
        ({"windows": [[0, 9]] * 4 + [[5, 4]]}, "window of node 4 is [5, 4]"),
        ({"windows": [[0, 9]] * 4 + [[-5, 4]]}, "window of node 4 is -5"),
        ({"service": [0, 1, 1]}, "service has shape (3,); expected (5,)"),
        ({"fleet": 0}, "fleet is 0"),
        ({"fleet": 2.5}, "fleet is 2.5"),
        ({"fleet": True}, "fleet is True"),
        ({"rounding": "ceil"}, "rounding is 'ceil'; expected one of round, trunc, dimacs, milli, exact, none"),
        ({"rounding": "dimac"}, "did you mean 'dimacs'"),
        ({"best_known": -1}, "best_known is -1"),
    ],
)
def test_what_is_refused(changes: dict[str, object], fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        four(**changes)
    assert fragment in str(caught.value)
    assert "expected" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_and_places_on_a_map_change_nothing_and_stay_with_their_nodes() -> None:
    plain = generate_cvrp(6, seed=1)
    names = ["depot", *"abcdef"]
    lonlat = [[13 + node / 10, 52] for node in range(7)]
    named = plain.with_(names=names, lonlat=lonlat, time_unit="min")
    assert named.same_content(plain)
    assert (named.name_of(0), named.name_of(3), plain.name_of(3)) == ("depot", "c", "3")
    smaller = sample(named, 3, seed=0)
    assert smaller.lonlat is not None
    assert list(smaller.names) == [names[round(10 * (place - 13))] for place in smaller.lonlat[:, 0]]
    assert smaller.time_unit == "min"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"names": ["depot"]}, "names has 1 entries; expected 7, one for each node"),
        ({"names": ["depot", *"abcd", "e\nf", "g"]}, r"names\[5\]"),
        ({"lonlat": [[52, 13]] * 6 + [[52, 113]]}, "lonlat of node 6 .* expected a longitude from -180 to 180, then"),
        ({"time_unit": "days"}, "time_unit is 'days'"),
    ],
)
def test_names_and_places_that_cannot_be(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        generate_cvrp(6, seed=1).with_(**changes)
