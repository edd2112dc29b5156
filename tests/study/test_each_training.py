"""Trainings against another method, against sums done by hand."""

from itertools import product
from statistics import fmean

import pytest

from dacalns.study.cases import cases_of
from dacalns.study.comparisons import Versus, sign_test, spread_of, versus
from dacalns.study.statistics import bootstrap_interval

from .synthetic_study import Costs, study_of

# Average by training: -5, +1 and -2 % on a, -1, 0 and +2 % on b.
COSTS: Costs = {
    "a": {"X": {0: [90, 100], 1: [101, 101], 2: [98, 98]}, "Y": [100, 100]},
    "b": {"X": {0: [198, 198], 1: [190, 210], 2: [204, 204]}, "Y": [200, 200]},
}


def compared(costs: Costs, first: str = "X", second: str = "Y", **more: object) -> Versus:
    return versus(cases_of(study_of(costs, **more), "iterations"), first, second)  # type: ignore[arg-type]


def test_the_average_is_over_trainings_and_seeds_and_the_best_the_mean_of_the_bests() -> None:
    case, _ = cases_of(study_of(COSTS), "iterations")
    outcome = case.outcomes["X"]
    assert outcome.trainings == (0, 1, 2)
    assert outcome.policy == "for Tiny"
    assert outcome.averages == {0: 95, 1: 101, 2: 98}
    assert outcome.average == 98
    assert outcome.best == pytest.approx((90 + 101 + 98) / 3)
    assert len(outcome.expected) == len(outcome.done) == 6
    other = case.outcomes["Y"]
    assert (other.trainings, other.averages, other.best, other.policy) == ((), {None: 100}, 100, None)


def test_by_hand() -> None:
    found = compared(COSTS)
    # 98 against 100, and 200 2/3 against 200.
    assert found.gap_of_averages == pytest.approx((-2 + 1 / 3) / 2)
    assert (found.wins, found.losses, found.ties) == (1, 1, 0)
    each = [(one.training, one.wins, one.losses, one.ties, one.p_exact) for one in found.trainings]
    # Of two ranks, both negative with odds of 1/4; of one, 1/2 or 1; -2 and +4 have ranks 1 and 2: all but both, 3/4.
    assert each == [(0, 2, 0, 0, 1 / 4), (1, 1 - 1, 1, 1, 1.0), (2, 1, 1, 0, 3 / 4)]
    assert [one.gap_of_averages for one in found.trainings] == pytest.approx([-3.0, 0.5, 0.0])
    assert found.gap_of_averages == pytest.approx(fmean(one.gap_of_averages for one in found.trainings))
    spread = spread_of(found.trainings)
    assert spread is not None
    assert (spread.trainings, spread.better, spread.worse) == (3, 1, 1)
    assert (spread.mean, spread.lowest, spread.highest) == pytest.approx((-2.5 / 3, -3.0, 0.5))
    # -3, 0.5 and 0 less their mean, squared: 4.694 + 1.778 + 0.694, by two.
    assert spread.deviation == pytest.approx((7.1667 / 2) ** 0.5, abs=1e-4)
    assert spread.p_value == 3 / 4


def test_the_interval_is_over_instances_and_trainings() -> None:
    # Every instance is alike, so that only trainings can widen it; five, one of them 5 % better.
    costs = {name: {"X": {k: [100 - 5 * (k == 4)] * 2 for k in range(5)}, "Y": [100, 100]} for name in "abcdef"}
    found = compared(costs)
    assert found.gap_of_averages == pytest.approx(-1)
    assert bootstrap_interval([-1.0] * 6) == (-1, -1)
    # So many of five draws are the good one: none with odds of .33, three or more with .058, four or more with .007.
    assert found.interval == pytest.approx((-3.0, 0.0))


def test_the_other_method_may_be_the_one_with_trainings() -> None:
    found = compared(COSTS, "Y", "X")
    assert [one.training for one in found.trainings] == [0, 1, 2]
    assert found.trainings[0].gap_of_averages == pytest.approx((100 * 5 / 95 + 100 * 2 / 198) / 2)
    assert (found.trainings[0].wins, found.trainings[0].losses) == (0, 2)


def test_two_methods_with_the_same_policies_are_compared_training_by_training() -> None:
    costs: Costs = {name: {"X": {0: [99, 99], 1: [198, 198]}, "Y": {0: [100, 100], 1: [200, 200]}} for name in "ab"}
    found = compared(costs)
    assert [one.gap_of_averages for one in found.trainings] == pytest.approx([-1.0, -1.0])
    # The same training is drawn for both: no draw makes a difference.
    assert found.interval == pytest.approx((-1.0, -1.0))


def test_policies_of_several_groups_are_told_apart_unless_they_are_the_same() -> None:
    costs: Costs = {name: {"X": {0: [1, 1], 1: [3, 3]}, "Y": [2, 2]} for name in "abcd"}
    groups = {"one": ("CVRP", "Small", "ab"), "two": ("CVRP", "Large", "cd")}
    own = compared(costs, groups=groups)
    assert [(one.policy, one.training, one.wins) for one in own.trainings] == [
        ("for one", 0, 2),
        ("for one", 1, 0),
        ("for two", 0, 2),
        ("for two", 1, 0),
    ]
    same = compared(costs, groups=groups, policies={"one": "both", "two": "both"})
    assert [(one.policy, one.training, one.wins) for one in same.trainings] == [("both", 0, 4), ("both", 1, 0)]


def test_an_instance_without_all_runs_of_all_trainings_is_in_nothing() -> None:
    costs = {**COSTS, "c": {"X": {0: [1, 1], 1: [1, None], 2: [1, 1]}, "Y": [2, 2]},
             "d": {"X": {0: [1, 1], 1: [1, 1], 2: [1, "infeasible"]}, "Y": [2, 2]}}  # fmt: skip
    found = compared(costs)
    assert (found.used, found.expected) == (2, 4)
    assert found.trainings == compared(COSTS).trainings


def test_one_training_is_none_to_compare() -> None:
    found = compared({name: {"X": {5: [1, 1]}, "Y": [2, 2]} for name in "abc"})
    assert found.trainings == ()
    assert found.interval == (-50, -50)
    assert spread_of(found.trainings) is None


@pytest.mark.parametrize(("better", "worse"), [(0, 1), (1, 0), (3, 2), (5, 0), (0, 5), (4, 1)])
def test_the_sign_test_counts_all_tosses(better: int, worse: int) -> None:
    tosses = [*product((0, 1), repeat=better + worse)]
    assert sign_test(better, worse) == sum(sum(toss) >= better for toss in tosses) / len(tosses)


def test_the_sign_test_of_nothing() -> None:
    assert sign_test(0, 0) is None
