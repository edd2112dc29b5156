"""Given routes of rich problems: checker, search and PyVRP agree on them, and whoever errs is noticed."""

import dataclasses
from typing import Any

import pytest

import dacalns
from dacalns.instances import Instance
from dacalns.search.checker import Check, Violation
from invariants import given
from invariants.given import Judged, judge_given
from invariants.rich import _in_pyvrp, draw_case
from search.rich_cases import draw

# `make invariants` takes others, and more.
CASES = 60


def judged(number: int, **answer: Any) -> Judged:
    instance = draw_case(number).instance
    return judge_given(instance, number, _in_pyvrp(instance), answer.get("answer"))


def test_all_agree_on_given_routes() -> None:
    found = [judged(number) for number in range(7000, 7000 + CASES)]
    assert [sentence for each in found for sentence in each.wrong] == []
    counts = {name: sum(getattr(each, name) for each in found) for name in vars(Judged()) if name != "wrong"}
    assert counts["given"] == CASES * given.DRAWN
    assert min(counts["feasible"], counts["given"] - counts["feasible"]) > counts["given"] / 5
    assert min(counts["kept"], counts["by_search"] - counts["kept"]) > counts["by_search"] / 5
    if _in_pyvrp(draw(0, pyvrp=True)) is not None:
        assert min(counts["feasible_there"], counts["by_pyvrp"] - counts["feasible_there"]) > counts["by_pyvrp"] / 5


def test_routes_near_an_answer_are_judged_too() -> None:
    pytest.importorskip("pyvrp")
    instance = draw(5, pyvrp=True)
    answer = dacalns.solve(instance, stop=dacalns.MaxIterations(5), selector="random")
    near = judge_given(instance, 8, _in_pyvrp(instance), (answer.routes, answer.vehicle_types))
    assert near.given == near.by_pyvrp == given.DRAWN + given.CHANGED
    assert near.wrong == []


@pytest.mark.parametrize("part", ["feasible", "infeasible", "cost"])
def test_a_checker_that_errs_is_noticed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = dacalns.check

    def lying(*arguments: Any) -> Check:
        verdict = honest(*arguments)
        if part == "cost":
            return dataclasses.replace(verdict, cost=verdict.cost + 1)
        wrong = [] if part == "feasible" else [Violation("capacity", 1, None, 1.0, "a lie")]
        return dataclasses.replace(verdict, violations=wrong)

    monkeypatch.setattr(dacalns, "check", lying)
    wrong = [sentence for number in range(7000, 7010) for sentence in judged(number).wrong]
    assert any("the search" in sentence for sentence in wrong)
    if _in_pyvrp(draw(0, pyvrp=True)) is not None:
        assert any("PyVRP" in sentence for sentence in wrong)


def test_a_search_that_drops_somebody_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "place_in", lambda *_: None)
    wrong = [sentence for number in range(7000, 7010) for sentence in judged(number).wrong]
    assert wrong
    assert all("the search keeps []" in sentence for sentence in wrong)


def test_trips_without_customers_are_none() -> None:
    instance = Instance(name="x", matrix=[[0] * 5] * 5, demands=[0] * 5, depots=2, capacity=1)  # type: ignore[arg-type]
    assert given._trips(instance, [0, 2, 1, 0, 3, 1, 1]) == [2, 0, 3]
    assert given._trips(instance, [0, 1]) == []
    assert given._trips(instance, [2]) == [2]
