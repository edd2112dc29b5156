import numpy as np
import pytest
from scipy.stats import bootstrap

from dacalns.study.bootstrap import bootstrap_interval


def test_the_same_values_give_the_same_interval_around_their_mean() -> None:
    values = [-0.3, 0.1, -0.2, 0.4, -0.9, -0.1, 0.0, -0.5]
    found = bootstrap_interval(values)
    assert found is not None
    assert found == bootstrap_interval(values)
    low, high = found
    assert low < np.mean(values) < high


def test_it_is_scipys_percentile_interval_but_for_the_drawing() -> None:
    values = np.random.default_rng(3).normal(1.0, 2.0, 40)
    theirs = bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(1)).confidence_interval
    assert bootstrap_interval([*values]) == pytest.approx((theirs.low, theirs.high), abs=0.05)


def test_of_fewer_than_two_values_nothing_is_told() -> None:
    assert bootstrap_interval([]) is bootstrap_interval([1.0]) is None
    assert bootstrap_interval([2.0, 2.0]) == (2.0, 2.0)
