"""PPO of Stable-Baselines3, with masks and a graph network, learns to choose operators phase by phase.

    pip install "dac-alns[gym]" torch stable-baselines3 sb3-contrib
    python ppo.py [--steps 100000] [--out ppo.csv]

It trains on new instances with 20 to 50 customers. Then the policy and a random choice search 50 others, which no
training has seen, with equal iterations; the gap to the better of both, and the p of Wilcoxon's test, are printed.
"""

import argparse
import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from scipy.stats import mannwhitneyu, wilcoxon
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

import dacalns
import dacalns.gym

ITERATIONS, HIDDEN = 100, 32
WORLD: dict[str, Any] = {
    "instances": "generated:20-50", "portfolio": "paper", "iterations": ITERATIONS, "reward": "gain", "max_nodes": 51,
}  # fmt: skip


class GraphExtractor(BaseFeaturesExtractor):
    """Two layers of graph convolution over the padded arrays, their mean and maximum, and the numbers on the search."""

    def __init__(self, space: gymnasium.spaces.Dict) -> None:
        numbers = space["search"].shape[0]
        super().__init__(space, 2 * HIDDEN + numbers)
        sizes = space["nodes"].shape[1], HIDDEN, HIDDEN
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(sizes))

    def forward(self, seen: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the features of a batch."""
        mask, tails, heads = seen["node_mask"][:, :, None], *seen["edge_index"].long().unbind(1)
        rows = torch.arange(len(mask))[:, None].expand_as(tails)
        near = torch.eye(mask.shape[1]).repeat(len(mask), 1, 1)
        near = near.index_put((rows, tails, heads), seen["edge_weight"], accumulate=True)
        near = near / near.sum(2, keepdim=True)
        nodes = seen["nodes"]
        for layer in self.layers:
            nodes = torch.relu(layer(near @ nodes)) * mask
        return torch.cat([nodes.sum(1) / mask.sum(1), nodes.amax(1), seen["search"]], dim=1)


class Returns(BaseCallback):
    """Collects the return of every episode."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, float]] = []

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                self.rows.append((self.num_timesteps, float(info["episode"]["r"])))
        return True


def train(steps: int, seed: int = 0, searches: int = 8) -> tuple[MaskablePPO, list[tuple[int, float]]]:
    """Return the policy, and the return of each episode."""
    envs = DummyVecEnv([lambda: Monitor(gymnasium.make("dacalns/TwoPhase-v0", **WORLD).unwrapped)] * searches)
    model = MaskablePPO(
        "MultiInputPolicy", envs, n_steps=2 * ITERATIONS, batch_size=400, n_epochs=4, gamma=0.95, gae_lambda=0.9,
        learning_rate=1e-3, ent_coef=0.01, seed=seed, device="cpu",
        policy_kwargs={"features_extractor_class": GraphExtractor, "net_arch": [64]},
    )  # fmt: skip
    returns = Returns()
    model.learn(steps, callback=returns)
    return model, returns.rows


def search(model: MaskablePPO | None, instance: dacalns.Instance, seed: int) -> float:
    """Return the best cost of one search, by the policy or by a random choice."""
    env = gymnasium.make("dacalns/TwoPhase-v0", **WORLD).unwrapped
    seen, info = env.reset(seed=seed, options={"instance": instance})
    rng, ended = np.random.default_rng(seed), False
    while not ended:
        if model is None:
            action = rng.choice(np.flatnonzero(seen["action_mask"]))
        else:
            action, _ = model.predict(seen, action_masks=env.action_masks(), deterministic=False)
        seen, _, _, ended, info = env.step(int(action))
    return float(info["best"])


def compare(model: MaskablePPO, instances: int = 50) -> tuple[float, float, float]:
    """Return the mean costs of policy and random choice in percent above the lower, and p that it is no better."""
    costs = []
    for number in range(instances):
        instance = dacalns.generate_cvrp(20 + number % 31, seed=1_000_000 + number)
        costs.append([np.mean([search(each, instance, seed) for seed in range(3)]) for each in (model, None)])
    ours, theirs = np.array(costs).T
    least = np.minimum(ours, theirs)
    p = 1.0 if (ours == theirs).all() else wilcoxon(ours, theirs, alternative="less").pvalue
    return 100 * float((ours / least - 1).mean()), 100 * float((theirs / least - 1).mean()), float(p)


def main() -> None:
    """Train, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--instances", type=int, default=50)
    parser.add_argument("--out", type=Path, help="a file for the return of each episode")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model, rows = train(options.steps)
    returns = [earned for _, earned in rows]
    third = max(1, len(returns) // 3)
    first, last = returns[:third], returns[-third:]
    p = mannwhitneyu(first, last, alternative="less").pvalue
    print(f"mean return of the first third of the episodes {np.mean(first):.2f},", end=" ")
    print(f"of the last {np.mean(last):.2f}, p = {p:.2g}")
    if options.out:
        with options.out.open("w", newline="") as file:
            csv.writer(file).writerows([("step", "return"), *rows])
    ours, theirs, p = compare(model, options.instances)
    print(
        f"{options.instances} unseen instances, {ITERATIONS} iterations: {ours:.2f} % above the better of both,",
        end=" ",
    )
    print(f"a random choice {theirs:.2f} %, p = {p:.2g}")


if __name__ == "__main__":
    main()
