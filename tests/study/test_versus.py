"""One method against another, against sums done by hand."""

import pytest

from dacalns.study.cases import cases_of
from dacalns.study.comparisons import Versus, versus

from .synthetic_study import Costs, study_of


def compared(costs: Costs, first: str = "X", second: str = "Y") -> Versus:
    return versus(cases_of(study_of(costs), "iterations"), first, second)


def test_by_hand() -> None:
    found = compared(
        {
            "a": {"X": [98, 100], "Y": [100, 120]},  # 99 against 110: -10 %; bests -2 %
            "b": {"X": [195, 225], "Y": [200, 200]},  # 210 against 200: +5 %; bests -2.5 %
            "c": {"X": [40, 80], "Y": [50, 70]},  # a tie; bests -20 %
            "d": {"X": [9, 9], "Y": [10, 10]},  # -10 %; bests -10 %
        }
    )
    assert (found.expected, found.used, found.counted) == (4, 4, 4)
    assert found.gap_of_averages == pytest.approx((-10 + 5 + 0 - 10) / 4)
    assert found.gap_of_bests == pytest.approx((-2 - 2.5 - 20 - 10) / 4)
    assert (found.wins, found.losses, found.ties) == (2, 1, 1)
    # Differences -11, +10, -1 have ranks 3, 2, 1; of the eight ways to sign three ranks, the positive ones add up to at
    # most 2 in three, and the negative ones to at most 4 in six: {}, {1}, {2}, {3}, {1, 2}, {1, 3}.
    assert found.p_exact == 3 / 8
    assert found.p_worse == 6 / 8
    assert found.effect == pytest.approx((4 - 2) / 6)
    assert found.interval is not None
    assert -10 <= found.interval[0] < found.interval[1] <= 5
    assert (found.time_ratio, found.timed) == (1.0, 4)


def test_an_instance_without_all_runs_is_in_nothing() -> None:
    found = compared({"a": {"X": [1, 1], "Y": [2, 2]}, "b": {"X": [1, None], "Y": [9, 9]},
                      "c": {"X": [1, 1], "Y": [9, "failed"]}})  # fmt: skip
    assert (found.expected, found.used, found.counted, found.timed) == (3, 1, 1, 1)
    assert found.gap_of_averages == pytest.approx(-50)
    assert found.interval is None


def test_infeasible_runs_count_for_who_has_more_feasible_ones_and_for_nothing_else() -> None:
    found = compared(
        {
            "a": {"X": [5, 5], "Y": [5, "infeasible"]},  # a win, whatever the costs
            "b": {"X": ["infeasible", "infeasible"], "Y": [5, "infeasible"]},  # a loss
            "c": {"X": [5, "infeasible"], "Y": ["infeasible", 5]},  # nothing
            "d": {"X": [100, 102], "Y": [100, 100]},  # an honest loss
        }
    )
    assert (found.wins, found.losses, found.ties) == (1, 2, 0)
    assert (found.expected, found.used, found.counted, found.timed) == (4, 1, 3, 4)
    assert found.gap_of_averages == pytest.approx(1)
    assert found.p_exact == 1


def test_without_anything_there_is_nothing() -> None:
    for found in (compared({}), compared({"a": {"X": [None, None], "Y": [1, 1]}}), compared({"a": {"X": [1, 1]}})):
        values = (found.gap_of_averages, found.gap_of_bests, found.interval, found.p_value, found.p_exact,
                  found.p_worse, found.effect, found.time_ratio)  # fmt: skip
        assert set(values) == {None}
        assert (found.used, found.counted) == (0, 0)


def test_an_unknown_method_is_expected_nowhere() -> None:
    assert compared({"a": {"X": [1, 1]}}, "X", "nobody").expected == 0


def test_one_instance() -> None:
    found = compared({"a": {"X": [1, 1], "Y": [2, 2]}})
    assert (found.p_exact, found.p_value, found.effect, found.interval) == (0.5, 0.5, 1.0, None)


def test_all_ties() -> None:
    found = compared({"a": {"X": [1, 1], "Y": [1, 1]}, "b": {"X": [2, 2], "Y": [2, 2]}})
    assert (found.ties, found.gap_of_averages, found.p_value, found.p_exact, found.effect) == (2, 0, None, None, None)
    assert found.interval == (0, 0)
