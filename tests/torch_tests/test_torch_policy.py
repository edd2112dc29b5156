"""What PyTorch computes is what the compiled loop computes: probabilities, values, gradients; there and back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns import InputError, MaxIterations
from dacalns.bench.speed_cases import write_untrained_policy
from dacalns.core import actor_critic as kernels
from dacalns.core import policy_table as layout
from dacalns.core.selection import HEADER
from dacalns.core.sight import SIGHT
from dacalns.gym import TwoPhaseEnv
from dacalns.instances import generate_cvrp, generate_rich, generate_vrptw
from dacalns.selectors.checkpoint import bundled_policy, load_checkpoint
from dacalns.selectors.frozen_policy import FrozenPolicy
from dacalns.torch_policy import PolicyNetwork, card_for, load_policy, tensors

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch
INSTANCES = {
    "cvrp": generate_cvrp(24, seed=3),
    "vrptw": generate_vrptw(20, seed=3),
    "pairs": generate_rich(10, {"pairs"}, seed=3),
}
PRESETS = ["paper", "critic=state-action", "improved", "improved,critic=state-action", "context"]


def states(instance: dacalns.Instance, portfolio: str, iterations: int = 6) -> list[tuple[Any, Any, Any, int]]:
    """Observations of an episode, each with the solution that it shows and the last destroy operator."""
    env = TwoPhaseEnv(instance, portfolio=portfolio, iterations=iterations, max_nodes=40)
    rng = np.random.default_rng(1)
    seen, _ = env.reset(seed=1)
    found = []
    for _ in range(iterations):
        stepper = env.stepper
        found.append((tensors(seen), stepper, stepper.current, -1))
        destroy = int(rng.integers(len(env.operators[0])))
        seen = env.step(destroy)[0]
        found.append((tensors(seen), stepper, stepper.candidate, destroy))
        yield from found
        found = []
        seen = env.step(int(rng.integers(len(env.operators[1]))))[0]


def compiled(memory: Any, stepper: Any, solution: Any, destroy: int, seen: Any) -> tuple[list[float], float]:
    """The probabilities and the value that the compiled policy comes to."""
    table, row = memory.table, layout.ROW.destroy_probabilities
    status = table[layout.ROW.status]
    told = seen["search"][0].numpy()[-len(SIGHT) :]
    # The search as the observation shows it.
    status[layout.STATUS.fraction], status[layout.STATUS.gap] = told[0], told[3]
    status[layout.STATUS.best_at] = told[0] - told[2]
    status[[layout.STATUS.acceptance_rate, layout.STATUS.improvement_rate]] = told[5:7]
    status[layout.STATUS.is_encoded] = 0
    destroys, repairs = len(stepper.portfolio.destroy), len(stepper.portfolio.repair)
    size = destroys
    if destroy < 0:
        table[row, layout.decision_column(table, layout.DECISION.used)] = 0
        kernels.frozen_destroy(memory, stepper.problem, solution, stepper.rng.copy())
    else:
        row, size = layout.repair_row(destroy), repairs
        table[row, layout.decision_column(table, layout.DECISION.used)] = 0
        kernels.frozen_repair(memory, stepper.problem, solution, destroy, stepper.rng.copy())
    return table[row, :size].tolist(), float(table[row, layout.decision_column(table, layout.DECISION.value)])


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("problem", INSTANCES)
def test_the_same_states_have_the_same_probabilities(problem: str, preset: str, tmp_path: Path) -> None:
    network = PolicyNetwork(card_for(problem, "full", preset=preset), seed=5)
    with torch.no_grad():  # so that operators differ
        network.o *= 40
    network.save(tmp_path / "mine.safetensors", {"by": "hand"})
    instance = INSTANCES[problem]
    compare(tmp_path / "mine.safetensors", instance, "full", network)


def compare(path: Path, instance: dacalns.Instance, portfolio: str, network: Any) -> None:
    worst = spread = 0.0
    for seen, stepper, solution, destroy in states(instance, portfolio):
        if destroy < 0 and stepper.iteration == 0:
            memory = FrozenPolicy(path, hold=1).memory_for(instance, stepper.portfolio, 0)
        with torch.no_grad():
            judged = network(seen)
        shares = judged.logits.softmax(dim=1)[0].numpy()
        expected, value = compiled(memory, stepper, solution, destroy, seen)
        worst = max(worst, float(np.abs(shares[: len(expected)] - expected).max()))
        spread = max(spread, max(expected) - min(expected))
        assert not shares[len(expected) :].any()
        assert float(judged.value) == pytest.approx(value, abs=1e-5, rel=1e-5)
    assert worst < 1e-6
    assert spread > 0.05


@pytest.mark.parametrize(("problem", "portfolio"), [("cvrp", "paper"), ("vrptw", "paper"), ("cvrp", "full")])
def test_there_and_back(problem: str, portfolio: str, tmp_path: Path) -> None:
    path, copy = bundled_policy(problem, portfolio=portfolio), tmp_path / "copy.safetensors"
    network = load_policy(path)
    network.save(copy)
    (ours, card), (theirs, again) = load_checkpoint(path), load_checkpoint(copy)
    assert card == again
    assert all((ours[name] == theirs[name]).all() for name in ours)
    compare(copy, INSTANCES[problem], portfolio, network)
    answers = [
        dacalns.solve(
            INSTANCES[problem], portfolio=portfolio, selector=FrozenPolicy(file, hold=5), stop=MaxIterations(50)
        )
        for file in (path, copy)
    ]
    assert answers[0].routes == answers[1].routes
    assert answers[0].operators.uses == answers[1].operators.uses


def test_the_padding_changes_nothing() -> None:
    network = PolicyNetwork(card_for("cvrp", preset="improved"), seed=1)
    seen = [TwoPhaseEnv(INSTANCES["cvrp"], max_nodes=size).reset(seed=1)[0] for size in (25, 60)]
    with torch.no_grad():
        one, other = (network(tensors(each)) for each in seen)
    torch.testing.assert_close(one.logits, other.logits)
    torch.testing.assert_close(one.value, other.value)


def test_an_actor_over_pairs(tmp_path: Path) -> None:
    network = PolicyNetwork(card_for("cvrp", kind="ac"), seed=2)
    with torch.no_grad():
        network.o *= 40
    network.save(tmp_path / "ac.safetensors")
    instance = INSTANCES["cvrp"]
    seen, stepper, solution, _ = next(iter(states(instance, "full")))
    memory = FrozenPolicy(tmp_path / "ac.safetensors", hold=1).memory_for(instance, stepper.portfolio, 0)
    assert memory.table[HEADER, layout.SETTING.paired] == 1
    kernels.frozen_destroy(memory, stepper.problem, solution, stepper.rng.copy())
    with torch.no_grad():
        shares = network(seen).logits.softmax(dim=1)[0].numpy()
    np.testing.assert_allclose(shares, memory.table[layout.ROW.destroy_probabilities, :12], atol=1e-6)


def test_mistakes_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the card is of a wheel, which has no network"):
        load_policy(bundled_policy("cvrp", "wheel"))
    with pytest.raises(InputError, match=r"there is no such file"):
        load_policy(tmp_path / "nowhere.safetensors")
    with pytest.raises(InputError, match=r"the observation has no 'nodes'; expected that of an environment"):
        tensors(TwoPhaseEnv(INSTANCES["cvrp"], observe=False).reset(seed=1)[0])
    write_untrained_policy(tmp_path / "other.safetensors", "cvrp")
    assert load_policy(tmp_path / "other.safetensors").card.preset == "improved"
