import pytest

from dacalns.study.cases import cases_of
from dacalns.study.comparisons import cases_at, verdict_on
from dacalns.study.paper_tables import Claim

from .synthetic_study import study_of


def verdict(kind: str, ours: list[float], theirs: list[float], dataset: str = "CVRP", scale: str = "Small") -> str:
    costs = {f"i{k}": {"DAC": [a, a], "AC": [b, b]} for k, (a, b) in enumerate(zip(ours, theirs, strict=True))}
    return verdict_on(Claim(kind, "DAC", "AC", dataset, scale), cases_of(study_of(costs), "iterations")).words


FIVE, LOWER, HIGHER = [10.0] * 5, [9.0, 8.0, 7.0, 6.0, 5.0], [11.0, 12.0, 13.0, 14.0, 15.0]


@pytest.mark.parametrize(
    ("kind", "ours", "words"),
    [
        ("better", LOWER, "holds here"),  # 5 of 5: 1/32
        ("better", HIGHER, "the opposite here"),
        ("better", [9.0, 8.0, 7.0, 6.0, 10.0], "not shown here"),  # 4 of 4: 1/16
        ("better", FIVE, "not shown here"),
        ("equal", LOWER, "a difference shown"),
        ("equal", HIGHER, "a difference shown"),
        ("equal", FIVE, "no difference shown"),
        ("time", LOWER, "not tested"),
    ],
)
def test_by_the_exact_test(kind: str, ours: list[float], words: str) -> None:
    assert verdict(kind, ours, FIVE) == words


@pytest.mark.parametrize("kind", ["better", "equal", "time"])
def test_without_data(kind: str) -> None:
    assert verdict(kind, LOWER, FIVE, scale="Large") == "no data"
    assert verdict(kind, [], []) == "no data"


def test_global_is_a_dataset_and_all_is_everything() -> None:
    costs = {name: {"DAC": [1, 1]} for name in "abc"}
    groups = {"1": ("CVRP", "Small", "a"), "2": ("CVRP", "Large", "b"), "3": ("VRPTW", "Small", "c")}
    cases = cases_of(study_of(costs, groups=groups), "iterations")
    assert [case.instance for case in cases_at(cases, "CVRP", "Global")] == ["a", "b"]
    assert [case.instance for case in cases_at(cases, "CVRP", "Large")] == ["b"]
    assert [case.instance for case in cases_at(cases, "all", "Global")] == ["a", "b", "c"]
