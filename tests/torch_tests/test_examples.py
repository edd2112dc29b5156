"""Small versions of the examples that learn, and the oracle of the compiled learner's gradients."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns.core import policy_table as layout
from dacalns.core.rng import seeded
from dacalns.gym import PairEnv, TwoPhaseEnv, to_pyg
from dacalns.selectors.actor_critic import parameters_of, trace_of
from dacalns.selectors.frozen_policy import to_tensors

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch
FOLDER = Path(__file__).parents[2] / "examples" / "learning"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.set_num_threads(1)
    return module


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 150


def side_by_side(preset: str, iterations: int, adam: bool) -> tuple[float, float]:
    """Let both learners see the same search; return the largest relative errors of gradients and of parameters.

    With ``adam``, each makes its own steps; else PyTorch's network is that of the compiled learner before each step.
    """
    dual, instance = example("dual_actor_critic"), dacalns.generate_cvrp(20, seed=2)
    selector = dacalns.DualActorCritic.preset(preset)
    env = TwoPhaseEnv(instance, portfolio="paper", iterations=iterations, reward=selector.rewards)
    seen, _ = env.reset(seed=4)
    stepper, rng = env.stepper, seeded(3)
    memory = selector.memory_for(instance, stepper.portfolio, 4)
    learner = dual.DualActorCritic(4, preset)
    card = learner.network.card
    put_into(learner.network, parameters_of(memory))
    select_destroy, select_repair, update = selector.kernels
    destroy = select_destroy(memory, stepper.problem, stepper.current, rng)
    worst = 0.0
    for _ in range(iterations - 1):
        states, chosen = [seen], [int(destroy)]
        seen, first, _, _, _ = env.step(int(destroy))
        repair = select_repair(memory, stepper.problem, stepper.candidate, destroy, rng)
        states, chosen = [*states, seen], [*chosen, int(repair)]
        seen, second, _, _, _ = env.step(int(repair))
        update(memory, stepper.progress.trial)
        status = memory.table[layout.ROW.status]
        rewards = [first, second]
        assert rewards == pytest.approx(status[[layout.STATUS.reward_destroy, layout.STATUS.reward_repair]].tolist())
        if not adam:
            put_into(learner.network, parameters_of(memory))
        # It learns from the iteration when it is asked for the next one.
        destroy = select_destroy(memory, stepper.problem, stepper.current, rng)
        learner.learn([*states, seen], chosen, rewards)
        for name, gradient in to_tensors(card, trace_of(memory)).items():
            other = getattr(learner.network, name).grad.numpy()
            worst = max(worst, float(np.abs(gradient - other).max() / max(1.0, np.abs(gradient).max())))
    parameters = to_tensors(card, parameters_of(memory))
    apart = max(
        float(np.abs(tensor - getattr(learner.network, name).detach().numpy()).max())
        for name, tensor in parameters.items()
    )
    return worst, apart


def put_into(network: Any, flat: np.ndarray) -> None:
    with torch.no_grad():
        for name, tensor in to_tensors(network.card, flat).items():
            getattr(network, name).copy_(torch.from_numpy(tensor))


@pytest.mark.parametrize(
    "preset", ["paper", "repair_blocks=true,discount=0.5,entropy=0.1", "context=rates,value_weight=2"]
)
def test_gradients_are_those_of_the_compiled_learner(preset: str) -> None:
    worst, _ = side_by_side(preset, 25, adam=False)
    assert worst < 1e-4


def test_steps_of_the_optimiser_are_those_of_the_compiled_learner() -> None:
    worst, apart = side_by_side("paper", 15, adam=True)
    assert worst < 1e-2  # errors of single precision add up over the steps
    assert apart < 1e-3


def test_both_learners_search_alike() -> None:
    dual = example("dual_actor_critic")
    ours, torchs, p = dual.compare(dacalns.generate_cvrp(15, seed=1), iterations=60, seeds=4)
    assert ours.shape == torchs.shape == (4, 60)
    assert (ours[:, 0] >= ours[:, -1]).all()
    assert (torchs[:, 0] >= torchs[:, -1]).all()
    assert 0 <= p <= 1
    assert abs(ours[:, -1].mean() / torchs[:, -1].mean() - 1) < 0.1


def test_ppo_learns() -> None:
    """Where one action pays and the others do not, the return rises."""
    pytest.importorskip("sb3_contrib", reason="sb3_contrib is not installed")
    ppo = example("ppo")
    ppo.WORLD = ppo.WORLD | {"instances": "generated:8-12", "iterations": 20, "max_nodes": 25, "reward": first_repair}
    ppo.ITERATIONS = 20
    model, rows = ppo.train(6000, searches=4)
    returns = [earned for _, earned in rows]
    assert len(returns) == 6000 // 40 or len(returns) >= 120
    assert np.mean(returns[-30:]) > np.mean(returns[:30]) + 3
    ours, theirs, p = ppo.compare(model, 2)
    assert min(ours, theirs) >= 0
    assert 0 <= p <= 1


def first_repair(outcome: dacalns.Outcome) -> float:
    return float(outcome.repair == 0)


def test_the_q_network_learns() -> None:
    dqn = example("dqn")
    dqn.WORLD = dqn.WORLD | {"instances": dacalns.generate_cvrp(10, seed=1), "iterations": 20, "reward": first_repair}
    judge, curve = dqn.train(600)
    returns = [earned for _, earned in curve]
    assert np.mean(returns[-5:]) > np.mean(returns[:5]) + 3
    assert dqn.search(judge, dacalns.generate_cvrp(10, seed=1), 1) > 0


@pytest.mark.filterwarnings("ignore:Your observation .* has an unconventional shape:UserWarning")
def test_stable_baselines_finds_nothing_wrong() -> None:
    """But that a graph is no vector, for which it recommends a policy of one's own."""
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="stable_baselines3 is not installed")
    for kind in (TwoPhaseEnv, PairEnv):
        for options in ({}, {"portfolio": "paper", "scale": True}):
            checker.check_env(kind(dacalns.generate_cvrp(10, seed=1), iterations=10, **options), warn=True)


def test_a_hundred_updates_of_ppo() -> None:
    baselines = pytest.importorskip("stable_baselines3", reason="stable_baselines3 is not installed")
    env = PairEnv(dacalns.generate_cvrp(8, seed=1), iterations=10, observe=False)
    model = baselines.PPO("MultiInputPolicy", env, n_steps=16, batch_size=16, n_epochs=1, device="cpu", seed=1)
    model.learn(1600)
    assert model._n_updates == 100


def test_a_graph_of_pytorch_geometric() -> None:
    pytest.importorskip("torch_geometric", reason="torch_geometric is not installed")
    env = TwoPhaseEnv(dacalns.generate_cvrp(10, seed=1), max_nodes=30)
    graph = to_pyg(env.reset(seed=1)[0])
    assert graph.x.shape == (11, 4)
    assert graph.edge_index.shape == (2, len(graph.edge_weight))
    assert graph.edge_index.max() == 10
    assert graph.validate()
    assert graph.action_mask.dtype == torch.bool


def test_any_module_is_a_selector() -> None:
    chooser = example("torch_selector")
    instance = dacalns.generate_vrptw(10, seed=1)
    portfolio = dacalns.PORTFOLIOS["paper"]
    module = chooser.Graph(10, len(portfolio.destroy), len(portfolio.repair))
    results = [
        dacalns.solve(
            instance,
            selector=chooser.TorchSelector(module),
            portfolio=portfolio,
            stop=dacalns.MaxIterations(40),
            seed=3,
        )
        for _ in range(2)
    ]
    assert results[0].selector == "torch"
    assert results[0].iterations == 40
    assert results[0].operators.uses == results[1].operators.uses
    assert results[0].routes == results[1].routes
