"""The rounding rules on numbers where they differ."""

from pathlib import Path

import numpy as np
import pytest

import dacalns
from dacalns.instances.distance_matrix import automatic_rounding, round_in_place, scale_of, scaled, scaled_number


@pytest.mark.parametrize(
    ("rounding", "expected"),
    [
        ("round", [0, 1, 1, 2, 3]),
        ("trunc", [0, 0, 1, 1, 2]),
        ("dimacs", [0, 5, 14, 15, 29]),
        ("exact", [0, 0.5, 1.49, 1.5, 2.99]),
        ("none", [0, 0.5, 1.49, 1.5, 2.99]),
    ],
)
def test_values(rounding: str, expected: list[float]) -> None:
    distances = np.array([0, 0.5, 1.49, 1.5, 2.99])
    round_in_place(distances, rounding)
    assert distances.tolist() == expected


def test_dimacs_keeps_every_number_of_one_decimal() -> None:
    tenths = np.arange(20_000)
    distances = tenths / 10
    round_in_place(distances, "dimacs")
    assert np.array_equal(distances, tenths)
    assert np.array_equal(scaled(tenths / 10, "dimacs"), tenths)


@pytest.mark.parametrize(("a", "b", "c"), [(3, 4, 5), (20, 21, 29), (119, 120, 169), (696, 697, 985)])
def test_pythagorean_triples_are_not_truncated_below(a: int, b: int, c: int) -> None:
    for rounding, expected in (("trunc", c), ("round", c), ("dimacs", 10 * c)):
        distance = np.hypot(np.array([float(a)]), b)
        round_in_place(distance, rounding)
        assert distance[0] == expected


def test_automatic_choice_and_scale() -> None:
    plane = np.array([[0.0, 0.5], [30.0, 40.0]])
    assert automatic_rounding(coordinates=plane, explicit=False) == "round"
    assert automatic_rounding(coordinates=plane, explicit=False, features={"windows"}) == "dimacs"
    assert automatic_rounding(coordinates=plane, explicit=True) == "none"
    assert automatic_rounding(coordinates=None, explicit=True, features={"windows"}) == "none"


@pytest.mark.parametrize(
    ("features", "capacities", "expected"),
    [
        ("pairs windows", 1, "exact"),  # Li and Lim
        ("vehicle-types fixed-costs distance-costs", 3, "milli"),  # HFVRP
        ("windows depots vehicle-types duration-limits", 1, "milli"),  # MDVRPTW
        ("windows vehicle-types restrictions", 2, "milli"),  # SDVRPTW
        ("windows reloads release-times", 1, "dimacs"),  # MTVRPTWR
        ("windows prizes", 1, "dimacs"),  # PCVRPTW
        ("groups", 1, "round"),  # GVRP
        ("pickups backhauls-last", 1, "round"),  # VRPB
        ("depots vehicle-types", 1, "exact"),  # Cordeau's MDVRP
        ("duration-limits", 1, "exact"),  # Christofides, Mingozzi and Toth
        ("distance-limits", 1, "exact"),
    ],
)
def test_automatic_choice_for_rich_problems(features: str, capacities: int, expected: str) -> None:
    plane = np.array([[0.0, 0.5], [30.0, 40.0]])
    chosen = automatic_rounding(
        coordinates=plane, explicit=False, features=set(features.split()), capacities=capacities
    )
    assert chosen == expected
    assert automatic_rounding(coordinates=plane, explicit=True, features=set(features.split())) == "none"


def test_thousandths() -> None:
    distance = np.array([1.4142135, 2.0, 0.0004999])
    round_in_place(distance, "milli")
    assert distance.tolist() == [1414, 2000, 0]
    assert scaled(np.array([1.1, 0.0005]), "milli").tolist() == [1100, 0.5]
    assert scaled_number(1.1, "milli") == 1100
    assert scaled_number(float("inf"), "milli") == float("inf")
    assert scaled_number(1.1, "round") == 1.1


def test_the_unit_square_is_not_rounded_away() -> None:
    square = np.array([[0.0, 0.5], [0.2, 0.1], [1.0, 1.0]])
    for features in ({"windows"}, {"fixed-costs"}, set[str]()):
        assert automatic_rounding(coordinates=square, explicit=False, features=features) == "exact"
    assert automatic_rounding(coordinates=np.array([[0.0, 0.0], [3.0, 4.0]]), explicit=False) == "round"
    assert [scale_of(rule) for rule in ("round", "trunc", "dimacs", "milli", "exact", "none")] == [1, 1, 10, 1000, 1, 1]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("707.79", "exact"),
        ("784", "round"),
        ("1000.0", "round"),
        ("version 2.1", "round"),
        ("nan", "round"),
        ("", "round"),
    ],
)
def test_best_known_value_in_the_comment_tells_the_rounding(tmp_path: Path, comment: str, expected: str) -> None:
    path = tmp_path / "tour.vrp"
    path.write_text(
        f"NAME : tour\nCOMMENT : {comment}\nTYPE : CVRP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 9\n"
        "NODE_COORD_SECTION\n1 0 0\n2 10 11\n3 20 5\nDEMAND_SECTION\n1 0\n2 3\n3 4\nDEPOT_SECTION\n1\n-1\nEOF\n"
    )
    read = dacalns.read(path)
    assert (read.rounding, read.comment) == (expected, comment)
    again = tmp_path / "again.vrp"
    dacalns.write_instance(read, again)
    assert dacalns.read(again) == read
    assert dacalns.read(path, rounding="trunc").rounding == "trunc"
