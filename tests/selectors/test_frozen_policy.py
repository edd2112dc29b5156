"""Policies in files, as searches use them."""

import shutil

import numpy as np
import pytest

import dacalns
from dacalns import FrozenPolicy, InputError, LearnedWheel, bundled_policy, load_checkpoint, save_checkpoint
from dacalns.core import policy_table as layout
from dacalns.core.selection import HEADER
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.search.start import graph_of
from dacalns.selectors import as_selector, frozen_policy

PAPER = PORTFOLIOS["paper"]


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "wheel.safetensors"
    shutil.copy(bundled_policy("cvrp", "wheel"), path)
    return path


def test_a_file_is_read_once_and_again_when_it_was_written_anew(wheel, monkeypatch):
    reads = []

    def read(path, shapes):
        reads.append(path)
        return load_checkpoint(path, shapes)

    monkeypatch.setattr(frozen_policy, "load_checkpoint", read)
    instance = dacalns.read("A-n32-k5")
    first, again = (LearnedWheel(wheel).memory_for(instance, PAPER, 0).table for _ in range(2))
    assert np.array_equal(first, again)
    assert reads == [wheel]
    tensors, card = load_checkpoint(wheel)
    save_checkpoint(wheel, {"pairs": np.roll(tensors["pairs"], 1)}, card)
    other = LearnedWheel(wheel).memory_for(instance, PAPER, 0).table
    assert len(reads) == 2
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("selector", ["dac-t:no.safetensors", "wheel:no.safetensors"])
def test_a_policy_that_is_not_there_is_said_before_anything_is_compiled(selector, monkeypatch):
    monkeypatch.setitem(dacalns.solve.__globals__, "load_kernels", lambda *_, **__: pytest.fail("compiled"))
    with pytest.raises(InputError, match=r"no\.safetensors: there is no such file; .* check the path"):
        dacalns.solve("A-n32-k5", portfolio="paper", selector=selector, stop=dacalns.MaxIterations(1))


def test_the_graph_of_an_instance_is_built_once_for_each_number_of_neighbours():
    instance = dacalns.read("A-n32-k5")
    assert graph_of(instance, 5) is graph_of(dacalns.read("A-n32-k5"), 5)
    assert len(graph_of(instance, 5).weights) < len(graph_of(instance, 10).weights)
    assert graph_of(instance, 5) is not graph_of(dacalns.read("A-n33-k5"), 5)


@pytest.mark.parametrize(
    ("policy", "given", "portfolio", "hold"),
    [
        (None, None, "paper", 500),
        ("timed", None, "paper", 2000),
        ("timed", 7, "paper", 7),
        (None, None, "full", 1000),
        (None, 1, "full", 1),
    ],
)
def test_how_long_a_decision_is_held(policy, given, portfolio, hold):
    selector = FrozenPolicy(policy, hold=given)
    instance = dacalns.read("A-n32-k5")
    operators = PORTFOLIOS[portfolio].for_features(frozenset())
    assert selector.memory_for(instance, operators, 0).table[HEADER, layout.SETTING.reuse_for] == hold


def test_settings_behind_the_name():
    assert as_selector("dac-t:hold=7,timed,exploration=0.25") == FrozenPolicy("timed", hold=7, exploration=0.25)
    assert as_selector("dac-t:exploration=1") == FrozenPolicy(exploration=1.0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hold=x", r"hold is 'x'; expected a whole number of 1 or more"),
        ("hold=0", r"hold is 0; expected a whole number of 1 or more"),
        ("exploration=x", r"exploration is 'x'; expected a number from 0 to 1"),
        ("exploration=2", r"exploration is 2\.0; expected a number from 0 to 1"),
        (
            "timed,explore=0.1",
            r"'dac-t:timed,explore=0\.1' has two policies, 'timed' and 'explore=0\.1'; expected one file",
        ),
    ],
)
def test_settings_that_are_none(text, sentence):
    with pytest.raises(InputError, match=sentence):
        as_selector(f"dac-t:{text}")
