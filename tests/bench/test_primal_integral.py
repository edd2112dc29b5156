"""The primal integral, by hand."""

import pytest

from dacalns.bench.quality.primal_integral import CAP, primal_integral


def test_by_hand() -> None:
    # Nothing for 1 s (10 %), then 4 % for 2 s, then 1 % for 1 s: (10 + 8 + 1) / 4.
    assert primal_integral([(1.0, 208.0), (3.0, 202.0)], reference=200.0, seconds=4.0) == pytest.approx(19 / 4)


def test_no_solution_is_the_cap() -> None:
    assert primal_integral([], reference=5.0, seconds=3.0) == CAP


def test_the_best_from_the_start_is_zero() -> None:
    assert primal_integral([(0.0, 7.0)], reference=7.0, seconds=2.0) == 0.0


def test_a_gap_beyond_the_cap_counts_as_the_cap() -> None:
    assert primal_integral([(0.0, 300.0), (1.0, 110.0)], reference=100.0, seconds=2.0, cap=50.0) == pytest.approx(30.0)


def test_what_comes_after_the_end_does_not_count() -> None:
    assert primal_integral([(0.0, 102.0), (2.5, 100.0)], reference=100.0, seconds=2.0) == pytest.approx(2.0)


def test_a_worse_solution_changes_nothing() -> None:
    assert primal_integral([(0.0, 102.0), (1.0, 105.0)], reference=100.0, seconds=2.0) == pytest.approx(2.0)


def test_below_the_reference_is_negative() -> None:
    assert primal_integral([(0.0, 99.0)], reference=100.0, seconds=2.0) == pytest.approx(-1.0)
