"""Two agents that take turns are the search of one environment."""

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test
from test_env import CVRP, PRIZES, VRPTW

from dacalns import InputError
from dacalns.gym import TwoPhaseEnv, dual_v0


@pytest.mark.parametrize("instances", [CVRP, [VRPTW, PRIZES]], ids=["cvrp", "vrptw and prizes"])
def test_pettingzoo_finds_nothing_wrong(instances: Any, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(dual_v0.env(instances, iterations=6), num_cycles=40)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("shared", [True, False])
def test_it_is_the_same_search(shared: bool) -> None:
    dual, single = dual_v0.env(CVRP, iterations=5, shared=shared), TwoPhaseEnv(CVRP, iterations=5)
    assert (dual.action_space("destroyer").n, dual.action_space("repairer").n) == (4, 3)
    dual.reset(seed=3)
    single.reset(seed=3)
    earned = {"destroyer": 0.0, "repairer": 0.0}
    paid = dict(earned)
    turns = []
    for k in range(5):
        for agent, action in (("destroyer", k % 4), ("repairer", k % 3)):
            seen, reward, terminated, truncated, _ = dual.last()
            earned[dual.agent_selection] += reward
            turns.append(dual.agent_selection)
            assert not terminated
            assert not truncated
            assert dual.observation_space(agent).contains(seen)
            assert seen["action_mask"].all()
            other = "repairer" if agent == "destroyer" else "destroyer"
            assert not dual.observe(other)["action_mask"].any()
            dual.step(action)
            reward = single.step(action)[1]
            for one in paid:
                paid[one] += reward if shared or one == agent else 0.0
    assert turns == ["destroyer", "repairer"] * 5
    for _ in range(2):
        _, reward, _, truncated, _ = dual.last()
        earned[dual.agent_selection] += reward
        assert truncated
        dual.step(None)
    assert not dual.agents
    assert earned == pytest.approx(paid)
    assert dual.unwrapped.search.stepper.best_routes == single.stepper.best_routes
    np.testing.assert_array_equal(dual.unwrapped.search.stepper.rng, single.stepper.rng)


def test_mistakes_get_a_sentence() -> None:
    with pytest.raises(InputError, match=r"^dual_v0 has no parallel environment, as its agents take turns"):
        dual_v0.parallel_env(CVRP)
    with pytest.raises(InputError, match=r"^scale is True; expected none for two agents"):
        dual_v0.env(CVRP, scale=True)
    env = dual_v0.raw_env(CVRP)
    env.reset(seed=1, options={"instance": CVRP, "other": 1})
    with pytest.raises(InputError, match=r"^action is 4; expected one of Discrete\(4\)"):
        env.step(4)
