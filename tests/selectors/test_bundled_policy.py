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
    (folder / "cvrp.safetensors").touch()
    assert bundled_policy("cvrp") == folder / "cvrp.safetensors"


def test_none_for_this_problem(folder):
    with pytest.raises(
        InputError, match=r"no bundled policy for vrptw; .* for no problem; train one and give its file\."
    ):
        bundled_policy("vrptw")
    (folder / "cvrp.safetensors").touch()
    with pytest.raises(InputError, match=r"no bundled policy for vrptw; .* for cvrp; train one"):
        bundled_policy("vrptw")


def test_no_such_problem():
    with pytest.raises(InputError, match=r"problem is 'vrp'; .* did you mean"):
        bundled_policy("vrp")


@pytest.mark.parametrize("problem", ["cvrp", "vrptw"])
def test_what_is_bundled_can_be_loaded_and_is_for_its_problem(problem):
    try:
        path = bundled_policy(problem)
    except InputError:
        pytest.skip("none is bundled")
    assert load_checkpoint(path)[1].problem == problem
