from dataclasses import replace

import numpy as np
import pytest

from dacalns.study.cases import cases_of
from dacalns.study.curves import FRACTIONS, convergence, operator_shares, profile
from dacalns.study.rows import Study

from .synthetic_study import Costs, study_of


def cases(costs: Costs, budget: str = "iterations", **best_known: float):
    return cases_of(study_of(costs, budgets=(budget,), best_known=best_known), budget)


@pytest.mark.parametrize("budget", ["iterations", "time"])
def test_convergence_follows_the_history(budget: str) -> None:
    # Every made-up run starts at twice its cost and finds it at half its budget.
    found = convergence(cases({"a": {"X": [10, 12]}}, budget, a=10))
    early, late = found.gaps["X"][FRACTIONS < 0.499], found.gaps["X"][FRACTIONS > 0.501]
    assert early == pytest.approx((100 + 140) / 2)
    assert late == pytest.approx((0 + 20) / 2)
    assert (found.used, found.expected, found.without_best_known) == (1, 1, 0)


def test_without_a_best_known_value_the_best_found_is_the_reference() -> None:
    found = convergence(cases({"a": {"X": [10, 10], "Y": [20, 20]}}))
    assert found.gaps["Y"][-1] == pytest.approx(100)
    assert found.without_best_known == 1


def test_an_instance_that_one_method_lacks_is_left_out_for_all() -> None:
    costs: Costs = {"a": {"X": [10, 10], "Y": [20, 20]}, "b": {"X": [1, 1], "Y": [1, "infeasible"]}}
    found = convergence(cases(costs, a=10))
    assert (found.used, found.expected) == (1, 2)
    assert found.gaps["X"][-1] == 0


def test_costs_of_solutions_that_leave_customers_unserved_are_not_drawn() -> None:
    study = study_of({"a": {"X": [10, 10]}})
    rows = {key: replace(row, history=[[0, 0.0, 3.0, 2], [500, 0.1, 10.0, 0]]) for key, row in study.rows.items()}
    found = convergence(cases_of(Study(study.outline, study.members, rows), "iterations"))
    assert np.isnan(found.gaps["X"][FRACTIONS < 0.499]).all()
    assert found.gaps["X"][-1] == 0


def test_without_a_history_only_the_end_is_known() -> None:
    study = study_of({"a": {"X": [10, 10]}})
    rows = {key: replace(row, history=[]) for key, row in study.rows.items()}
    gaps = convergence(cases_of(Study(study.outline, study.members, rows), "iterations")).gaps["X"]
    assert np.isnan(gaps[:-1]).all()
    assert gaps[-1] == 0


def test_profile() -> None:
    costs: Costs = {
        "a": {"X": [10, 10], "Y": [11, 11]},
        "b": {"X": [21, 21], "Y": [20, 20]},
        "c": {"X": [5, 5], "Y": ["infeasible", 5]},
        "d": {"X": [5, 5], "Y": [None, 5]},
        "e": {"X": ["infeasible"] * 2, "Y": ["infeasible"] * 2},
    }
    found = profile(cases(costs))
    assert (found.used, found.expected) == (3, 5)
    assert found.excess["X"] == pytest.approx([0, 0, 5])
    assert found.excess["Y"] == pytest.approx([0, 10, np.inf])


def test_shares_are_means_over_runs() -> None:
    study = study_of({"a": {"X": [1, 1], "Y": ["failed", None]}})
    first, second, failed = study.rows.values()
    rows = {row.key: row for row in (first, replace(second, uses=[[0, 0], [0, 7]]), failed)}
    found = cases_of(Study(study.outline, study.members, rows), "iterations")
    (shares,) = operator_shares(found, "X")
    assert shares.percent == pytest.approx(np.array([[5, 10], [15, 70]]))
    assert (shares.destroy, shares.runs) == (["random_removal", "worst_removal"], 2)
    assert operator_shares(found, "Y") == operator_shares(found, "nobody") == []


def test_nothing() -> None:
    for costs in ({}, {"a": {"X": [None, None]}}):
        assert convergence(cases(costs)).gaps == profile(cases(costs)).excess == {}
