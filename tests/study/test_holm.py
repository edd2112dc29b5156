import pytest

from dacalns.study.statistics import holm


def test_by_hand() -> None:
    # 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 x 1 raised to the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_one_test_stays_as_it_is_and_none_is_above_one() -> None:
    assert holm([0.02]) == [0.02]
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_tests_without_a_value_do_not_count() -> None:
    assert holm([None, 0.02, None]) == [None, 0.02, None]
    assert holm([]) == []
