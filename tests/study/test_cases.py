from dataclasses import replace

import pytest

from dacalns.study.cases import cases_of, distinct, is_feasible, places_of

from .synthetic_study import row_of, study_of


def test_what_a_case_has_and_lacks() -> None:
    study = study_of({"a": {"X": [10, 14], "Y": [None, 7], "Z": ["failed", "infeasible"]}}, best_known={"a": 9})
    (case,) = cases_of(study, "iterations")
    assert (case.group, case.dataset, case.scale, case.instance, case.best_known) == ("Tiny", "CVRP", "Small", "a", 9)
    x, y, z = (case.outcomes[name] for name in "XYZ")
    assert (x.average, x.best, x.seconds) == (12, 10, 0.5)
    assert (x.complete, x.settled, x.missing) == (True, True, 0)
    assert (y.complete, y.settled, y.missing) == (False, False, 1)
    assert (len(z.failed), len(z.done), len(z.feasible), z.missing, z.complete) == (1, 1, 0, 0, False)
    assert case.settled("X")
    assert not case.settled("X", "Y")
    assert not case.settled("unheard of")


def test_other_budgets_are_other_cases() -> None:
    study = study_of({"a": {"X": [1, 2]}}, budgets=("iterations", "time"))
    assert len(cases_of(study, "time")) == 1
    assert cases_of(study, "unheard of") == []


def test_places_are_groups_datasets_and_everything() -> None:
    costs = {name: {"X": [1, 1]} for name in "abcd"}
    groups = {"s": ("CVRP", "Small", "ab"), "l": ("CVRP", "Large", "c"), "t": ("VRPTW", "Small", "d")}
    places = places_of(cases_of(study_of(costs, groups=groups), "iterations"))
    assert [(name, len(cases)) for name, cases in places] == [
        ("s", 2),
        ("l", 1),
        ("CVRP, all", 3),
        ("t", 1),
        ("all", 4),
    ]


def test_one_group_has_no_total() -> None:
    assert [name for name, _ in places_of(cases_of(study_of({"a": {"X": [1, 1]}}), "iterations"))] == ["Tiny"]


def test_runs_in_two_groups_count_once_in_totals() -> None:
    groups = {"one": ("CVRP", "Small", "ab"), "two": ("CVRP", "All", "abc")}
    cases = cases_of(study_of({name: {"X": [1, 1]} for name in "abc"}, groups=groups), "iterations")
    assert len(cases) == 5
    assert [case.instance for case in distinct(cases)] == ["a", "b", "c"]
    assert [len(found) for _, found in places_of(cases)] == [2, 3, 3]


@pytest.mark.parametrize(
    "change", [{"status": "failed"}, {"feasible": False}, {"feasible": None}, {"unserved": 1}, {"cost": None},
               {"cost": float("nan")}]
)  # fmt: skip
def test_only_what_serves_everybody_at_a_cost_counts(change: dict[str, object]) -> None:
    row = row_of("k", "a", "X", 0, 5)
    assert is_feasible(row)
    assert not is_feasible(replace(row, **change))  # type: ignore[arg-type]
