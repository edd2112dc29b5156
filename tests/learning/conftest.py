"""Trainings so small that they take no time."""

import pytest

import dacalns
from dacalns.learning import training

TINY = dacalns.Settings(selector=dacalns.SelectorSettings("dac"), network=dacalns.NetworkSettings(hidden=8))
INSTANCES = "generated:5-8"
# A round is as many episodes of 2000 iterations for "whole", twice as many for "surface", of about 40 for "online".
EPISODES = 4
STEPS_OF_A_ROUND = {"whole": EPISODES * 2000, "online": EPISODES * 40, "surface": 8 * 2000}


@pytest.fixture
def train(monkeypatch, tmp_path):
    """Train on tiny instances in this process, to a file of the test's own folder."""
    monkeypatch.setattr(training, "CRITIC_ROUNDS", 2)

    def run(name="policy", rounds=2, **given):
        options = {
            "settings": None if given.get("kind") == "wheel" else TINY,
            "method": "whole",
            "portfolio": "paper",  # it has few operators, and is quick
            "episodes": EPISODES,
            "jobs": 1,
            "validate_every": 2,
            "validation_instances": 3,
        } | given
        steps = options.pop("steps", rounds * STEPS_OF_A_ROUND[options["method"]])
        problem, instances = options.pop("problem", "cvrp"), options.pop("instances", INSTANCES)
        return dacalns.train(problem, instances, steps=steps, out=tmp_path / name, **options)

    return run
