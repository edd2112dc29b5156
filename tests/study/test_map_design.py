"""Which readings are tried: balanced, orthogonal, and the same every time."""

from itertools import combinations

import numpy as np
import pytest

from dacalns.study.readings import balanced_rows, design, hadamard, reading_names

CHOICES = {
    "target": ["two", "one", "joint", "independent"],
    "critic": ["state", "action"],
    "acceptance": ["a", "b", "c", "d", "e"],
    **{f"choice {number}": ["first", "second"] for number in range(8)},
}
CROSSED = ["target", "acceptance"]
VARIED = [name for name in CHOICES if name not in CROSSED]


@pytest.mark.parametrize("least", range(1, 69))
def test_rows_of_a_hadamard_matrix_are_orthogonal(least: int) -> None:
    matrix = hadamard(least)
    assert len(matrix) >= least
    assert np.array_equal(matrix @ matrix.T, len(matrix) * np.eye(len(matrix)))
    assert (matrix[:, 0] == 1).all()


def test_orders() -> None:
    # Paley's: 4, 8, 12, 20, 24, 32, 44, 48, 60, 68; doubled: 2, 16, 40, 64.
    orders = sorted({len(hadamard(least)) for least in range(1, 69)})
    assert orders == [1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 44, 48, 60, 64, 68]


def test_every_combination_thrice() -> None:
    points = design(CHOICES, CROSSED)
    assert len(points) == len({tuple(point.levels.values()) for point in points}) == 60
    assert all([*point.levels] == [*CHOICES] for point in points)
    for target in CHOICES["target"]:
        for acceptance in CHOICES["acceptance"]:
            own = [
                each for each in points if (each.levels["target"], each.levels["acceptance"]) == (target, acceptance)
            ]
            usual = [each for each in own if all(each.levels[name] == CHOICES[name][0] for name in VARIED)]
            assert (len(own), len(usual), sum(each.designed for each in own)) == (3, 1, 2)
            # The two of the fraction are each other's opposite.
            one, other = (each.levels for each in own if each.designed)
            assert all(one[name] != other[name] for name in VARIED)


def test_effects_do_not_depend_on_one_another() -> None:
    points = [point for point in design(CHOICES, CROSSED) if point.designed]
    signs = {name: np.array([1 - 2 * CHOICES[name].index(each.levels[name]) for each in points]) for name in VARIED}
    cells = [CHOICES["target"].index(each.levels["target"]) * 5 + CHOICES["acceptance"].index(each.levels["acceptance"])
             for each in points]  # fmt: skip
    for name in VARIED:
        # Balanced in every combination of the crossed choices: clear of these and of their interaction.
        assert np.array_equal(np.bincount(cells, weights=signs[name]), np.zeros(20))
    for one, other in combinations(VARIED, 2):
        assert signs[one] @ signs[other] == 0
        for name in VARIED:
            # Clear of the interaction of any two of them.
            assert signs[name] @ (signs[one] * signs[other]) == 0


@pytest.mark.parametrize("combinations_", range(4, 31))
def test_effects_can_be_told_apart_whatever_the_numbers(combinations_: int) -> None:
    for columns in range(combinations_):
        rows = balanced_rows(combinations_, columns)
        assert rows.shape == (combinations_, columns)
        assert np.linalg.matrix_rank(rows) == columns
        assert set(np.unique(rows)) <= {-1, 1}


def test_nothing_is_drawn() -> None:
    assert design(CHOICES, CROSSED) == design(CHOICES, CROSSED)


def test_equal_readings_are_one() -> None:
    choices = {"a": ["x", "y"], "b": ["x", "y"]}
    points = design(choices, ["a", "b"])
    assert [(*point.levels.values(), point.designed) for point in points] == [
        ("x", "x", True), ("x", "y", True), ("y", "x", True), ("y", "y", True)
    ]  # fmt: skip


def test_names() -> None:
    assert reading_names(3) == ["R01", "R02", "R03"]
    assert reading_names(100)[0] == "R001"
