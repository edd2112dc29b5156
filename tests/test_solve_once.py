"""Everything that a solve is given is looked at once: resolved, matched, validated, checked."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import dacalns
from dacalns.instances import generate_vrptw
from dacalns.search import checker, fewest_vehicles, run, signals, stepper
from dacalns.search.portfolio import Portfolio
from dacalns.selectors import frozen_policy, prior
from dacalns.util import values

INSTANCE = generate_vrptw(20, seed=1)
STOP = dacalns.MaxIterations(200)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each is called from now on."""
    counted: Counter[str] = Counter()

    def counting(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            counted[what] += 1
            return function(*args, **kwargs)

        return called

    def whole_number(what: str, *args: Any, **kwargs: Any) -> int:
        counted[what] += 1
        return values.whole_number(what, *args, **kwargs)

    monkeypatch.setattr(Portfolio, "for_features", counting("resolution", Portfolio.for_features))
    for module in (frozen_policy, prior):
        monkeypatch.setattr(module, "require_match", counting("match", module.require_match))
    checked = counting("check", checker.check)
    for module in (checker, fewest_vehicles):
        monkeypatch.setattr(module, "check", checked)
    limited = counting("call_limit", signals.require_call_limit)
    for names in (dacalns.solve.__globals__, vars(run), vars(stepper), vars(fewest_vehicles)):
        monkeypatch.setitem(names, "whole_number", whole_number)
        monkeypatch.setitem(names, "require_call_limit", limited)
    return counted


ONCE = ("resolution", "check", "seed", "jobs", "call_limit")


@pytest.mark.parametrize(
    "options",
    [
        {"selector": "roulette"},
        {"selector": "roulette", "portfolio": "paper", "jobs": 2},
        {"selector": "roulette", "objective": "vehicles-then-distance"},
        {"selector": "roulette", "objective": "vehicles-then-distance", "jobs": 2},
    ],
    ids=str,
)
def test_what_is_given_is_looked_at_once(counts: Counter[str], options: dict[str, Any]) -> None:
    dacalns.solve(INSTANCE, stop=STOP, **options)
    assert {what: counts[what] for what in (*ONCE, "match")} == dict.fromkeys(ONCE, 1) | {"match": 0}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"selector": "dac-t", "portfolio": "paper"},
        {"selector": "dac-t", "jobs": 2},
        {"selector": "dac-t", "objective": "vehicles-then-distance"},
        {"selector": "wheel", "portfolio": "paper", "jobs": 2},
        {"selector": "dac:warm", "portfolio": "paper", "jobs": 2},
    ],
    ids=str,
)
def test_a_policy_is_matched_once(counts: Counter[str], options: dict[str, Any]) -> None:
    dacalns.solve(INSTANCE, stop=STOP, **options)
    assert {what: counts[what] for what in (*ONCE, "match")} == dict.fromkeys((*ONCE, "match"), 1)


def test_a_search_trusts_what_it_is_given(counts: Counter[str]) -> None:
    paper = dacalns.PORTFOLIOS["paper"]
    run.Search(INSTANCE, paper, dacalns.Roulette(), paper.acceptance, STOP, 0, None).run()
    assert counts == {"check": 1}
