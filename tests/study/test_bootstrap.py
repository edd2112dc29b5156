import numpy as np
import pytest
from scipy.stats import bootstrap

from dacalns.study.statistics import LEVEL, RESAMPLES, SEED, bootstrap_interval, interval_over_trainings


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


def test_over_trainings_it_is_what_plain_loops_give(monkeypatch: pytest.MonkeyPatch) -> None:
    resamples = 400
    monkeypatch.setattr("dacalns.study.statistics.RESAMPLES", resamples)
    random = np.random.default_rng(5)
    ours = [[*random.normal(100, 3, 4)] for _ in range(3)] + [[*random.normal(200, 9, 2)] for _ in range(2)]
    theirs = [[100.0], [101.0], [*random.normal(99, 2, 4)], [205.0], [190.0]]
    policies = ["a", "a", "a", "b", "b"]
    found = interval_over_trainings(ours, theirs, policies)

    draws = np.random.default_rng(SEED)
    instances = draws.integers(5, size=(resamples, 5))
    trainings = {"a": draws.integers(4, size=(resamples, 4)), "b": draws.integers(2, size=(resamples, 2))}
    means = []
    for sample in range(resamples):
        gaps = []
        for instance in instances[sample]:
            drawn = trainings[policies[instance]][sample]
            first, second = (
                sum(costs[each] if len(costs) > 1 else costs[0] for each in drawn) / len(drawn)
                for costs in (ours[instance], theirs[instance])
            )
            gaps.append(100 * (first - second) / second)
        means.append(sum(gaps) / len(gaps))
    expected = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    assert found == pytest.approx((*expected,))


def test_trainings_that_differ_widen_the_interval_where_instances_do_not() -> None:
    # One training is 1 % better and one 1 % worse on every instance: a sample has both of one kind with odds of 1/4.
    ours, theirs = [[99.0, 101.0]] * 6, [[100.0]] * 6
    assert interval_over_trainings(ours, theirs, ["a"] * 6) == pytest.approx((-1.0, 1.0))
    # The draws of two policies have nothing to do with each other: both of the same kind with odds of 1/16.
    assert interval_over_trainings(ours, theirs, ["a"] * 3 + ["b"] * 3) == pytest.approx((-1.0, 1.0))
    # All of twelve policies are hardly ever of the same kind.
    low, high = interval_over_trainings([[99.0, 101.0]] * 12, [[100.0]] * 12, [*"abcdefghijkl"]) or (0.0, 0.0)
    assert -1.0 < low < 0.0 < high < 1.0


def test_with_one_training_it_is_the_interval_over_instances() -> None:
    costs = [97.0, 101.0, 103.0, 99.0, 98.0]
    found = interval_over_trainings([[cost] for cost in costs], [[100.0]] * 5, [""] * 5)
    assert found == pytest.approx(bootstrap_interval([cost - 100 for cost in costs]))
    assert interval_over_trainings([[1.0, 2.0]], [[1.0]], ["a"]) is None
    assert RESAMPLES == 10_000
