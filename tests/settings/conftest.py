"""A settings file from text, and a selector that learns, as the registry sees one."""

from dataclasses import dataclass, field

import pytest

from dacalns.selectors import by_name
from dacalns.selectors.settings import PRESETS, LearningSettings, NetworkSettings, Preset, Rewards
from dacalns.selectors.wheels import UniformRandom


@dataclass(frozen=True)
class Learner(UniformRandom):
    rewards: Rewards = field(default_factory=Rewards)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    every: int = 1

    name = "learner"


IMPROVED = Preset(Rewards(beta=2), NetworkSettings(context="search"), LearningSettings(reward_scale=0.5))


@pytest.fixture(autouse=True)
def learner(monkeypatch):
    """The name ``learner`` in the registry, and an improved preset that differs in every part."""
    monkeypatch.setitem(by_name.SELECTORS, "learner", Learner)
    monkeypatch.setitem(PRESETS, "improved", IMPROVED)
    return Learner


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write text to ``mine.toml`` in the current folder and return its name."""
    monkeypatch.chdir(tmp_path)

    def write_file(text, name="mine.toml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write_file
