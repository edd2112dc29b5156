import pytest

from dacalns.study.statistics import difference, gap


def test_gap() -> None:
    assert gap(103, 100) == pytest.approx(3)
    assert gap(97, 100) == pytest.approx(-3)
    assert gap(0, 0) == 0
    assert gap(5, 0) == 100  # nothing is what customers at the depot cost


def test_last_bits_are_a_tie_and_more_is_not() -> None:
    assert difference(827.3 + 4e-13, 827.3) == gap(827.3 + 4e-13, 827.3) == 0
    assert difference(827.3 * (1 - 1e-8), 827.3) < 0 < difference(827.3 * (1 + 1e-8), 827.3)


@pytest.mark.parametrize("cost", [1.1, 784.2, 1e5 + 0.1, 2.5e7])
def test_differences_that_are_equal_on_paper_are_equal(cost: float) -> None:
    assert difference(cost + 0.1, cost) == 0.1
    assert difference(cost - 0.3, cost) == -0.3
