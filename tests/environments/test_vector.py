"""Many searches in one call do what as many environments do one after the other."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence as same
from gymnasium.vector import AutoresetMode, VectorEnv
from test_env import CVRP, VRPTW, WORLDS

from dacalns import InputError, Rewards
from dacalns.gym import TwoPhaseEnv, TwoPhaseVectorEnv

ENVS, STEPS = 3, 26


def made(name: str, mode: str, **options: Any) -> VectorEnv:
    return gymnasium.make_vec(f"dacalns/{name}-v0", num_envs=ENVS, vectorization_mode=mode, **options)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", ["TwoPhase", "Pair"])
def test_it_is_what_gymnasium_makes_of_single_ones(world: str, name: str) -> None:
    options = {"iterations": 5, "reward": "paper"} | WORLDS[world]
    one, many = (made(name, mode, **options) for mode in ("vector_entry_point", "sync"))
    assert isinstance(one.unwrapped, TwoPhaseVectorEnv)
    assert one.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    for space in ("action_space", "observation_space", "single_action_space", "single_observation_space"):
        assert getattr(one, space) == getattr(many, space)
    rng = np.random.default_rng(0)
    (seen, info), (also, more) = (env.reset(seed=[5, 6, 9]) for env in (one, many))
    assert same(seen, also)
    single: Any = one.single_action_space
    sizes = np.tile(single.nvec, (ENVS, 1)) if "scale" in options else np.full(ENVS, single.n)
    for _ in range(STEPS):
        actions = rng.integers(sizes)
        answer, other = one.step(actions), many.step(actions)
        assert one.observation_space.contains(answer[0])
        assert same(answer[0], other[0])
        np.testing.assert_allclose(answer[1], other[1])
        assert (answer[2] == other[2]).all()
        assert (answer[3] == other[3]).all()
        for key in ("cost", "best", "iteration"):
            np.testing.assert_allclose(answer[4][key], other[4][key])
        assert (np.array([*other[4]["action_mask"]]) == answer[4]["action_mask"]).all()
    assert answer[4]["iteration"].max() <= 5
    del info, more


def test_rewards_of_ones_own_and_gains() -> None:
    for reward in (lambda outcome: outcome.removed + outcome.after, "gain", Rewards(delta=3.0)):
        one, many = (
            made("TwoPhase", mode, instances=[CVRP, VRPTW], iterations=6, reward=reward)
            for mode in ("vector_entry_point", "sync")
        )
        one.reset(seed=1)
        many.reset(seed=1)
        for k in range(20):
            actions = np.full(ENVS, k % 3)
            np.testing.assert_allclose(one.step(actions)[1], many.step(actions)[1])


def test_arrays_that_were_returned_stay_as_they_are() -> None:
    env = made("TwoPhase", "vector_entry_point", instances=CVRP, iterations=4)
    answers = [env.reset(seed=1)]
    copies = [{key: value.copy() for key, value in answers[0][0].items()}]
    infos = [answers[0][1]["cost"].copy()]
    for k in range(9):
        answer: Any = env.step(np.full(ENVS, k % 3))
        answers.append(answer)
        copies.append({key: value.copy() for key, value in answer[0].items()})
        infos.append(answer[-1]["cost"].copy())
    for answer, copy, cost in zip(answers, copies, infos, strict=True):
        assert same(answer[0], copy)
        assert (answer[-1]["cost"] == cost).all()


def test_some_may_begin_anew() -> None:
    env = made("TwoPhase", "vector_entry_point", instances=[CVRP, VRPTW], iterations=4)
    env.reset(seed=1)
    env.step(np.zeros(ENVS, dtype=int))
    env.step(np.zeros(ENVS, dtype=int))
    mask = np.array([True, False, True])
    _, info = env.reset(seed=3, options={"reset_mask": mask, "instance": CVRP})
    assert info["iteration"].tolist() == [0, 1, 0]
    assert env.unwrapped.action_masks().shape == (ENVS, 7)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ([0, 0], "^actions are .*; expected one of MultiDiscrete"),
        ([0, 0, 9], "^actions are "),
        ([0, -1, 0], "^actions are "),
        ([0.0, 1.0, 1.0], "^actions are "),
    ],
)
def test_what_are_no_actions(actions: Any, sentence: str) -> None:
    env = TwoPhaseVectorEnv(ENVS, CVRP)
    with pytest.raises(InputError, match=r"there is no episode; expected one; call reset first"):
        env.step([0, 0, 0])
    env.reset(seed=1)
    with pytest.raises(InputError, match=sentence):
        env.step(actions)


def test_mistakes_get_a_sentence() -> None:
    with pytest.raises(InputError, match=r"^num_envs is 0"):
        TwoPhaseVectorEnv(0, CVRP)
    env = TwoPhaseVectorEnv(2, CVRP)
    with pytest.raises(InputError, match=r"^there are 3 seeds; expected one for each of 2 searches"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(InputError, match=r"^reset_mask is given, but no episode has begun"):
        env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(InputError, match=r"^reset_mask is .*; expected True or False for each of 2"):
        env.reset(options={"reset_mask": [1, 0]})
    with pytest.raises(InputError, match=r"^options have 'mask'; expected instance and reset_mask alone"):
        env.reset(options={"mask": 1})
    with pytest.raises(InputError, match=r"has 13 nodes, and max_nodes is 5"):
        TwoPhaseVectorEnv(2, CVRP, max_nodes=5).reset()
    with pytest.raises(InputError, match=r"edges, and max_edges is 5"):
        TwoPhaseVectorEnv(2, CVRP, max_edges=5).reset()
    with pytest.raises(InputError, match=r"^render_mode is"):
        TwoPhaseVectorEnv(2, CVRP, render_mode="human")  # type: ignore[arg-type]


def test_after_a_failure_searches_go_on_and_share_no_criterion() -> None:
    class Counting:
        def __init__(self) -> None:
            self.calls = 0

        def __call__(self, candidate: float, current: float, best: float, fraction: float, rng: Any) -> bool:
            self.calls += 1
            if self.calls == 3:
                raise ValueError("three")
            return True

    counting = Counting()
    given = {"portfolio": "paper", "iterations": 20, "acceptance": counting, "observe": False}
    envs = TwoPhaseVectorEnv(num_envs=2, instances="A-n32-k5", **given)  # type: ignore[arg-type]
    envs.reset(seed=1)
    for _ in range(4):
        envs.step(np.zeros(2, dtype=np.int64))
    assert counting.calls == 2  # of the first search alone
    envs.step(np.zeros(2, dtype=np.int64))
    with pytest.raises(InputError, match="three"):
        envs.step(np.zeros(2, dtype=np.int64))
    for _ in range(4):
        info = envs.step(np.zeros(2, dtype=np.int64))[4]
    assert info["iteration"].min() >= 4
    env = TwoPhaseEnv(instances="A-n32-k5", **given | {"acceptance": Counting()})  # type: ignore[arg-type]
    env.reset(seed=1)
    for _ in range(5):
        env.step(0)
    with pytest.raises(InputError, match="three"):
        env.step(0)
    for _ in range(2):
        info = env.step(0)[4]
    assert info["iteration"] == 4  # one has failed
    with pytest.raises(InputError, match="hill-climbing"):
        TwoPhaseEnv(instances="A-n32-k5", acceptance="hill-climbin")
