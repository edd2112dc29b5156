"""Everything that a solve is given is looked at once: resolved, matched, validated, checked."""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dacalns
from dacalns import cli
from dacalns.instances import generate_vrptw
from dacalns.search import checker, fewest_vehicles, portfolio, run, signals, stepper
from dacalns.search.portfolio import Portfolio
from dacalns.selectors import by_name, frozen_policy, prior
from dacalns.settings import settings
from dacalns.study import task
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
    monkeypatch.setattr(checker, "_plain_check", counting("check", checker._plain_check))
    limited = counting("call_limit", signals.require_call_limit)
    modules = (dacalns.solve.__globals__, vars(run), vars(stepper), vars(fewest_vehicles), vars(settings))
    for names in modules:
        monkeypatch.setitem(names, "whole_number", whole_number)
        monkeypatch.setitem(names, "require_call_limit", limited)
    budgets = counting("budget", dacalns.MaxIterations.__post_init__)
    monkeypatch.setattr(dacalns.MaxIterations, "__post_init__", lambda self: budgets(self))
    for module in (portfolio, by_name):
        monkeypatch.setattr(module, "load_file", counting("file", module.load_file))
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


# A portfolio in a file of the user's.
MINE = """
import dacalns

portfolio = dacalns.Portfolio((dacalns.random_removal,), (dacalns.greedy_repair,), name="mine")
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_the_command_looks_at_what_it_is_given_once(
    counts: Counter[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mine: Path
) -> None:
    given = "--iterations 50 --seed 1 --jobs 1 --call-limit 5 --quiet --selector dac --portfolio"
    arguments = ["solve", "P-n16-k8", *given.split(), str(mine), "--explain", str(tmp_path / "x.png")]
    monkeypatch.setattr(sys, "argv", ["dac-alns", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert not left.value.code
    assert {what: counts[what] for what in (*ONCE, "budget", "file")} == dict.fromkeys((*ONCE, "budget", "file"), 1)


def test_a_run_of_a_study_looks_at_what_it_is_given_once(counts: Counter[str], mine: Path) -> None:
    chosen = dacalns.Settings(search=dacalns.SearchSettings(str(mine)), selector=dacalns.SelectorSettings("roulette"))
    row = task.SearchTask("key", INSTANCE, chosen, 1, 50, None).row()
    assert row.status == "done", row.error
    once = ("resolution", "check", "budget", "file")
    assert {what: counts[what] for what in once} == dict.fromkeys(once, 1)


def test_a_study_hears_what_the_checker_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict is taken from the result, so every sentence of the checker must be known there."""
    everybody = [list(range(1, INSTANCE.customers + 1))]
    _, kept, sentences = checker.second_look(INSTANCE, everybody, 1.0)
    assert not kept
    assert len(sentences) == 2
    assert all(sentence.startswith(run.DOUBTS) for sentence in sentences)
    monkeypatch.setattr(run, "second_look", lambda *_: (1.0, False, sentences))
    row = task.SearchTask("key", INSTANCE, dacalns.Settings(), 1, 20, None).row()
    assert row.status == "failed"
    assert task.DISAGREES in row.error
