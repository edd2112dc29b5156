"""Training that begins with a policy."""

import numpy as np
import pytest
from safetensors.numpy import load_file

import dacalns
from dacalns.learning import start as teaching
from dacalns.learning.rounds import Plan, first_state, wheel_pairs
from dacalns.learning.sources import Generated
from dacalns.learning.start import with_table
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.frozen_policy import FrozenPolicy
from dacalns.selectors.prior import LEAST, table_outputs
from dacalns.selectors.settings import NetworkSettings

from .conftest import STEPS_OF_A_ROUND

pytestmark = pytest.mark.slow_without_jit

TABLE = np.array([[0.1, 0.3, 0.4], [0.02, 0.08, 0.1]])
BLOCKS = dacalns.Settings(
    selector=dacalns.SelectorSettings("dac"), network=dacalns.NetworkSettings(hidden=8, repair_blocks=True)
)


def test_the_outputs_of_a_table_have_its_probabilities():
    outputs = np.concatenate([part.ravel() for part in table_outputs(TABLE)])
    np.testing.assert_allclose(wheel_pairs(outputs, TABLE.shape), TABLE)


def test_a_pair_that_was_never_drawn_can_come_back():
    outputs = np.concatenate([part.ravel() for part in table_outputs(np.array([[0.0, 1.0], [0.0, 0.0]]))])
    assert wheel_pairs(outputs, (2, 2)).min() == pytest.approx(LEAST, rel=0.01)


@pytest.mark.parametrize(
    ("learner", "blocks"), [(DualActorCritic, True), (DualActorCritic, False), (ActorCritic, True)]
)
def test_a_network_with_a_table_begins_close_to_its_probabilities(learner, blocks):
    chosen = learner(network=NetworkSettings(hidden=8, repair_blocks=blocks))
    plan = Plan(Generated("cvrp", 5, 8), PORTFOLIOS["paper"], chosen, "whole")
    first = first_state(plan, plan.source.instance(0)).parameters
    started = with_table(plan, first, TABLE)
    heads = chosen.heads(chosen.network, 2, 3)
    biases = started[-len(heads) * max(heads) :].reshape(len(heads), -1)
    np.testing.assert_array_equal(started[: -biases.size], first[: -biases.size])
    assert not biases[0].any()
    if chosen.paired:
        np.testing.assert_allclose(np.exp(biases[1, :6]).reshape(2, 3), TABLE, rtol=1e-5)
        return
    np.testing.assert_allclose(np.exp(biases[1, :2]), TABLE.sum(axis=1), rtol=1e-5)
    after = TABLE / TABLE.sum(axis=1, keepdims=True)
    expected = after.ravel() if blocks else TABLE.sum(axis=0)
    np.testing.assert_allclose(np.exp(biases[2, : expected.size]), expected, rtol=1e-5)


def test_a_network_started_from_a_wheel_chooses_as_the_wheel_does(train, tmp_path):
    wheel = train("wheel", kind="wheel", rounds=3, rate=0.5)
    pairs = dacalns.load_checkpoint(wheel.policy)[0]["pairs"]
    network = train("network", kind="dac", settings=BLOCKS, rounds=1, rate=1e-9, start_from=wheel.policy)
    thoughts = dacalns.solve(
        "P-n16-k8", selector=FrozenPolicy(network.policy, hold=1), stop=dacalns.MaxIterations(300)
    ).explanation
    np.testing.assert_allclose(np.mean(thoughts.destroy_probabilities, axis=0), pairs.sum(axis=1), atol=0.05)
    card = dacalns.load_checkpoint(network.policy)[1]
    assert "--start-from wheel" in card.training["command"]
    assert card.training["start"][0]["command"] == dacalns.load_checkpoint(wheel.policy)[1].training["command"]


@pytest.mark.parametrize(("kind", "method"), [("dac", "whole"), ("dac", "online"), ("wheel", "whole")])
def test_it_goes_on_from_a_policy_of_the_same_kind_and_can_be_resumed(train, kind, method):
    first = train("first", kind=kind, method=method)
    started = {"kind": kind, "method": method, "start_from": first.policy}
    whole = train("whole", steps=6 * STEPS_OF_A_ROUND[method], **started)
    train("parts", steps=3 * STEPS_OF_A_ROUND[method], **started)
    resumed = train("parts", steps=6 * STEPS_OF_A_ROUND[method], resume=True, **started)
    assert resumed.policy.read_bytes() == whole.policy.read_bytes()
    scratch = train("scratch", kind=kind, method=method, steps=6 * STEPS_OF_A_ROUND[method])
    assert load_file(scratch.state)["parameters"].tobytes() != load_file(whole.state)["parameters"].tobytes()
    other = train("other", kind=kind, method=method, seed=7)
    with pytest.raises(dacalns.InputError, match="this training has start"):
        train("parts", resume=True, **started | {"start_from": other.policy})


def test_a_policy_that_cannot_be_started_from_is_told(train, tmp_path):
    ac = train("ac", kind="ac")
    with pytest.raises(dacalns.InputError, match="of kind ac; expected dac or wheel"):
        train("next", kind="dac", start_from=ac.policy)
    with pytest.raises(dacalns.InputError, match=r"has repair_blocks False; expected True, as is to be trained"):
        train("next", kind="dac", settings=BLOCKS, start_from=train("dac").policy)
    with pytest.raises(dacalns.InputError, match="trained for cvrp"):
        train("next", kind="ac", problem="vrptw", start_from=ac.policy)
    with pytest.raises(dacalns.InputError, match="no such file"):
        train("next", start_from=tmp_path / "none.safetensors")
    with pytest.raises(dacalns.InputError, match="start_from has 2 files for kind ac; expected one"):
        train("next", kind="ac", start_from=f"{ac.policy},{ac.policy}")
    with pytest.raises(dacalns.InputError, match="start_from is ','; expected a policy"):
        train("next", start_from=",")
    assert not (tmp_path / "next").exists()


@pytest.mark.parametrize("kind", ["dac", "ac"])
def test_a_network_is_taught_each_wheel_on_its_own_instances(train, monkeypatch, tmp_path, kind):
    monkeypatch.setattr(teaching, "SEARCHES", 30)
    tables = {"short": [[0.02, 0.02, 0.9], [0.02, 0.02, 0.02]], "long": [[0.02, 0.9, 0.02], [0.02, 0.02, 0.02]]}
    for horizon, table in tables.items():
        first = train(horizon, problem="vrptw", instances=f"generated:10-15:{horizon}", kind="wheel", rounds=1)
        card = dacalns.load_checkpoint(first.policy)[1]
        dacalns.save_checkpoint(first.policy, {"pairs": np.array(table, dtype=np.float32)}, card)
    network = dacalns.Settings(
        selector=dacalns.SelectorSettings(kind), network=dacalns.NetworkSettings(hidden=16, repair_blocks=True)
    )
    summary = train(
        problem="vrptw", instances="generated:10-15", kind=kind, settings=network, rate=1e-9, rounds=1,
        start_from=f"{tmp_path / 'short'},{tmp_path / 'long'}",
    )  # fmt: skip
    regret = {}
    for horizon in tables:
        shares = []
        for number in range(40, 46):
            instance = Generated("vrptw", 12, 18, 5, horizon).instance(number)
            run = dacalns.solve(instance, selector=FrozenPolicy(summary.policy), stop=dacalns.MaxIterations(300))
            shares.append(np.array(run.operators.uses)[0, 2] / run.iterations)
        regret[horizon] = np.mean(shares)
    assert regret["short"] > regret["long"] + 0.3
    command = dacalns.load_checkpoint(summary.policy)[1].training["command"]
    assert "--start-from short,long" in command
