from dacalns.study.cases import cases_of, failures, records, shortfalls

from .synthetic_study import study_of


def test_what_is_lacking_by_group_and_method() -> None:
    study = study_of({"a": {"X": [1, None], "Y": [1, 1]}, "b": {"X": ["failed", "infeasible"], "Y": [1, 1]}})
    (found,) = shortfalls(cases_of(study, "iterations"))
    assert (found.group, found.method) == ("Tiny", "X")
    assert (found.expected, found.done, found.missing, found.failed, found.infeasible) == (4, 2, 1, 1, 1)
    assert (found.incomplete_instances, found.infeasible_instances) == (["a", "b"], ["b"])


def test_failures_by_error() -> None:
    study = study_of({"a": {"X": ["failed", "failed"]}, "b": {"X": ["failed", 1], "Y": ["failed", 1]}})
    found = failures(cases_of(study, "iterations"))
    assert [(each.method, len(each.rows), each.rows[0].instance) for each in found] == [("X", 3, "a"), ("Y", 1, "b")]
    assert found[0].error.startswith("ValueError")


def test_records_are_feasible_and_more_than_a_tie_below() -> None:
    costs = {"a": {"X": [9, 8], "Y": ["infeasible", 10]}, "b": {"X": [10 - 1e-12, 11]}}
    found = records(cases_of(study_of(costs, best_known={"a": 10, "b": 10}), "iterations"))
    assert [(each.method, each.row.instance, each.cost, each.listed) for each in found] == [("X", "a", 8, 10)]
