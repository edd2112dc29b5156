"""Policies that come with the package."""

import pytest

from dacalns import InputError, bundled_policy, load_checkpoint
from dacalns.selectors import bundled_policy as module


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
    with pytest.raises(InputError, match=r"problem is 'vrp'; .* did you mean"):
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
