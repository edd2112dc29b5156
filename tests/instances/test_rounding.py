"""The rounding rules on numbers where they differ."""

import numpy as np
import pytest

from dacalns.instances.distance_matrix import automatic_rounding, round_in_place, scale_of, scaled


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
    assert automatic_rounding(coordinates=plane, explicit=False, windows=False) == "round"
    assert automatic_rounding(coordinates=plane, explicit=False, windows=True) == "dimacs"
    assert automatic_rounding(coordinates=plane, explicit=True, windows=False) == "none"
    assert automatic_rounding(coordinates=None, explicit=True, windows=True) == "none"


def test_the_unit_square_is_not_rounded_away() -> None:
    square = np.array([[0.0, 0.5], [0.2, 0.1], [1.0, 1.0]])
    for windows in (False, True):
        assert automatic_rounding(coordinates=square, explicit=False, windows=windows) == "exact"
    assert automatic_rounding(coordinates=np.array([[0.0, 0.0], [3.0, 4.0]]), explicit=False, windows=False) == "round"
    assert [scale_of(rule) for rule in ("round", "trunc", "dimacs", "exact", "none")] == [1, 1, 10, 1, 1]
