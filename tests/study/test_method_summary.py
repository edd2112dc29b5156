import pytest

from dacalns.study.cases import cases_of
from dacalns.study.comparisons import ranks_of, summarise

from .synthetic_study import Costs, study_of


def summaries(costs: Costs, **best_known: float):
    return {each.method: each for each in summarise(cases_of(study_of(costs, best_known=best_known), "iterations"))}


def test_by_hand() -> None:
    found = summaries({"a": {"X": [11, 13], "Y": [10, 10]}, "b": {"X": [20, 20], "Y": [20, 20]}}, a=10)
    assert found["X"].gap_to_best_known == pytest.approx(20)
    assert found["Y"].gap_to_best_known == 0
    assert found["X"].with_best_known == 1
    assert (found["X"].rank, found["Y"].rank) == ((2 + 1.5) / 2, (1 + 1.5) / 2)
    assert (found["X"].feasible_runs, found["X"].done_runs, found["X"].expected_runs) == (4, 4, 4)
    assert found["X"].iterations_per_second == 2000
    assert found["X"].seconds == 0.5


def test_what_is_missing_failed_or_infeasible_is_left_out_and_counted() -> None:
    found = summaries(
        {"a": {"X": [11, 11], "Y": [None, "failed"]}, "b": {"X": [1, "infeasible"], "Y": [3, 3]}}, a=10, b=1
    )
    assert (found["X"].gap_to_best_known, found["X"].with_best_known) == (pytest.approx(10), 1)
    assert (found["X"].feasible_runs, found["X"].done_runs) == (3, 4)
    assert (found["Y"].feasible_runs, found["Y"].done_runs, found["Y"].expected_runs) == (2, 2, 4)
    assert (found["X"].rank, found["X"].ranked) == (None, 0)


def test_a_method_without_any_run_does_not_spoil_the_ranks_of_the_others() -> None:
    costs: Costs = {"a": {"X": [1, 1], "Y": [2, 2], "Z": [None, None]}}
    assert ranks_of(cases_of(study_of(costs), "iterations")) == {"X": [1.0], "Y": [2.0]}
    nothing = summaries(costs)["Z"]
    assert (nothing.rank, nothing.seconds, nothing.iterations_per_second, nothing.gap_to_best_known) == (None,) * 4
