"""Policies that come with the package."""

import pytest

import dacalns
from dacalns import InputError, bundled_policy, load_checkpoint
from dacalns.selectors import checkpoint as module


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "files", lambda package: tmp_path / package)
    policies = tmp_path / "dacalns.selectors" / "policies"
    policies.mkdir(parents=True)
    return policies


def test_the_file_of_a_problem(folder):
    for kind in ("dac", "wheel"):
        (folder / f"{kind}-cvrp.safetensors").touch()
        assert bundled_policy("cvrp", kind) == folder / f"{kind}-cvrp.safetensors"
    assert bundled_policy("cvrp") == folder / "dac-cvrp.safetensors"


def test_none_for_this_problem(folder):
    with pytest.raises(
        InputError,
        match=r"no bundled dac policy for vrptw and portfolio 'paper'; .* no policy; train one and give its file\.",
    ):
        bundled_policy("vrptw")
    (folder / "dac-cvrp.safetensors").touch()
    with pytest.raises(
        InputError, match=r"no bundled dac policy for vrptw and portfolio 'paper'; .* dac-cvrp; train one"
    ):
        bundled_policy("vrptw")


def test_no_such_problem():
    with pytest.raises(InputError, match=r"no bundled dac policy for a vrp; expected one of cvrp(,| and) vrptw"):
        bundled_policy("vrp")


def test_the_file_of_another_portfolio(folder):
    (folder / "full").mkdir()
    (folder / "full" / "dac-cvrp.safetensors").touch()
    assert bundled_policy("cvrp", portfolio="full") == folder / "full" / "dac-cvrp.safetensors"
    with pytest.raises(InputError, match=r"for vrptw and portfolio 'full'; .* full/dac-cvrp; train one"):
        bundled_policy("vrptw", portfolio="full")


@pytest.mark.parametrize("portfolio", ["paper", "full"])
@pytest.mark.parametrize("kind", ["dac", "wheel"])
@pytest.mark.parametrize("problem", ["cvrp", "vrptw"])
def test_what_is_bundled_can_be_loaded_and_is_for_its_problem(problem, kind, portfolio):
    card = load_checkpoint(bundled_policy(problem, kind, portfolio))[1]
    assert (card.problem, card.kind) == (problem, kind)
    assert card.training["instances"].startswith("generated:")


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("name", ["A-n32-k5", "R101"])
def test_policies_trained_by_time_are_others_for_the_papers_portfolio(name):
    """Named, they bring their portfolio, and they choose otherwise than those trained by iterations."""
    stop = dacalns.MaxIterations(2000)
    timed, usual = (dacalns.solve(name, selector=f"dac-t{kind}", portfolio=operators, stop=stop, seed=1)
                    for kind, operators in ((":timed", None), ("", "paper")))  # fmt: skip
    assert timed.portfolio == "paper"
    assert timed.operators.destroy_uses != usual.operators.destroy_uses
    card = load_checkpoint(bundled_policy(dacalns.read(name).problem, "timed"))[1]
    assert card.kind == "dac"
    assert all("--seconds" in training["command"] for training in (card.training, *card.training["start"]))


@pytest.mark.slow_without_jit
@pytest.mark.parametrize(
    ("selector", "portfolio", "stop", "policy"),
    [
        ("dac-t", "paper", dacalns.MaxTime(0.02), "timed"),
        ("dac-t:hold=50", "paper", dacalns.MaxTime(0.02) | dacalns.TargetCost(1), "timed"),
        ("dac-t", "paper", dacalns.MaxIterations(100), None),
        ("dac-t", "paper", dacalns.MaxIterations(100) | dacalns.MaxTime(5), None),
        ("dac-t", "full", dacalns.MaxTime(0.02), None),
    ],
)
def test_searches_that_end_by_the_clock_take_the_policy_trained_by_time(selector, portfolio, stop, policy):
    result = dacalns.solve("A-n32-k5", selector=selector, portfolio=portfolio, stop=stop, seed=1)
    assert result.settings["selector"]["policy"] == policy


@pytest.mark.slow_without_jit
def test_a_policy_that_is_given_stays():
    given = str(bundled_policy("cvrp"))
    result = dacalns.solve("A-n32-k5", selector=f"dac-t:{given}", stop=dacalns.MaxTime(0.02))
    assert result.settings["selector"]["policy"] == given


@pytest.mark.slow_without_jit
def test_there_is_none_trained_by_time_for_other_portfolios():
    with pytest.raises(InputError, match=r"no bundled timed policy for cvrp and portfolio 'full'"):
        dacalns.solve("A-n32-k5", selector="dac-t:timed", portfolio="full")
