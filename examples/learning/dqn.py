"""A deep Q-network learns which pair of operators to use: double DQN with replay, in plain PyTorch, on Pair-v0.

    pip install "dac-alns[gym]" torch scipy
    python dqn.py [--steps 20000] [--out dqn.csv]

64 searches go side by side in one call of compiled code. The network sees the numbers on the search alone. Afterwards
it and a random choice search 50 instances that it has not seen, with equal iterations.
"""

import argparse
import csv
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from scipy.stats import mannwhitneyu, wilcoxon
from torch import nn

import dacalns
import dacalns.gym

ITERATIONS, ENVS, KEPT, BATCH, DISCOUNT = 100, 64, 50_000, 256, 0.9
WORLD: dict[str, Any] = {
    "instances": "generated:20-50", "portfolio": "paper", "iterations": ITERATIONS, "reward": "gain", "observe": False,
}  # fmt: skip


def network(numbers: int, actions: int) -> nn.Module:
    """Return a network from what is seen to the value of each pair."""
    return nn.Sequential(nn.Linear(numbers, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, actions))


class Replay:
    """The latest transitions."""

    def __init__(self, numbers: int) -> None:
        self.seen, self.next = (np.zeros((KEPT, numbers), dtype=np.float32) for _ in range(2))
        self.actions, self.rewards = np.zeros(KEPT, dtype=np.int64), np.zeros(KEPT, dtype=np.float32)
        self.filled = self.at = 0

    def add(self, *rows: Any) -> None:
        """Keep some more."""
        places = (self.at + np.arange(len(rows[0]))) % KEPT
        self.seen[places], self.actions[places], self.rewards[places], self.next[places] = rows
        self.at, self.filled = int(self.at + len(places)) % KEPT, min(KEPT, self.filled + len(places))

    def draw(self, rng: np.random.Generator) -> list[torch.Tensor]:
        """Return a batch."""
        places = rng.integers(self.filled, size=BATCH)
        return [torch.from_numpy(each[places]) for each in (self.seen, self.actions, self.rewards, self.next)]


def train(steps: int, seed: int = 0) -> tuple[nn.Module, list[tuple[int, float]]]:
    """Return the network, and the mean return of the searches at the end of each of their episodes."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    envs = gymnasium.make_vec("dacalns/Pair-v0", num_envs=ENVS, **WORLD)
    numbers, actions = envs.single_observation_space["search"].shape[0], int(envs.single_action_space.n)  # type: ignore
    judge, target = network(numbers, actions), network(numbers, actions)
    target.load_state_dict(judge.state_dict())
    optimiser, replay, curve = torch.optim.Adam(judge.parameters(), lr=5e-4), Replay(numbers), []
    seen, _ = envs.reset(seed=seed)
    ended, earned = np.zeros(ENVS, dtype=bool), np.zeros(ENVS)
    for step in range(steps):
        explore = max(0.05, 1 - 2 * step / steps)
        with torch.no_grad():
            choice = judge(torch.from_numpy(seen["search"])).argmax(1).numpy()
        choice = np.where(rng.random(ENVS) < explore, rng.integers(actions, size=ENVS), choice)
        after, rewards, _, truncated, _ = envs.step(choice)
        kept = ~ended  # a step after an end begins the next episode
        replay.add(seen["search"][kept], choice[kept], rewards[kept], after["search"][kept])
        earned += rewards
        if truncated.any():
            curve.append((step + 1, float(earned[truncated].mean())))
            earned[truncated] = 0.0
        seen, ended = after, truncated
        old, chosen, paid, new = replay.draw(rng)
        with torch.no_grad():  # an episode is cut off, not over: what comes after counts
            best = judge(new).argmax(1, keepdim=True)
            worth = paid + DISCOUNT * target(new).gather(1, best)[:, 0]
        loss = nn.functional.smooth_l1_loss(judge(old).gather(1, chosen[:, None])[:, 0], worth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 200 == 0:
            target.load_state_dict(judge.state_dict())
    return judge, curve


def search(judge: nn.Module | None, instance: dacalns.Instance, seed: int) -> float:
    """Return the best cost of one search, by the network or by a random choice."""
    env = gymnasium.make("dacalns/Pair-v0", **WORLD).unwrapped
    seen, info = env.reset(seed=seed, options={"instance": instance})
    rng, ended = np.random.default_rng(seed), False
    while not ended:
        action = int(rng.integers(env.action_space.n))  # type: ignore[attr-defined]
        if judge is not None and rng.random() >= 0.05:
            action = int(judge(torch.from_numpy(seen["search"])).argmax())
        seen, _, _, ended, info = env.step(action)
    return float(info["best"])


def compare(judge: nn.Module, instances: int = 50) -> tuple[float, float, float]:
    """Return the mean costs of network and random choice in percent above the lower, and p that it is no better."""
    costs = []
    for number in range(instances):
        instance = dacalns.generate_cvrp(20 + number % 31, seed=1_000_000 + number)
        costs.append([np.mean([search(each, instance, seed) for seed in range(3)]) for each in (judge, None)])
    ours, theirs = np.array(costs).T
    least = np.minimum(ours, theirs)
    p = 1.0 if (ours == theirs).all() else wilcoxon(ours, theirs, alternative="less").pvalue
    return 100 * float((ours / least - 1).mean()), 100 * float((theirs / least - 1).mean()), float(p)


def main() -> None:
    """Train, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000, help="of all searches")
    parser.add_argument("--out", type=Path, help="a file for the mean return of each episode")
    options = parser.parse_args()
    torch.set_num_threads(1)
    judge, curve = train(options.steps)
    third = max(1, len(curve) // 3)
    first, last = ([earned for _, earned in part] for part in (curve[:third], curve[-third:]))
    p = mannwhitneyu(first, last, alternative="less").pvalue
    print(f"mean return of the first third of the episodes {np.mean(first):.2f},", end=" ")
    print(f"of the last {np.mean(last):.2f}, p = {p:.2g}")
    if options.out:
        with options.out.open("w", newline="") as file:
            csv.writer(file).writerows([("step", "return"), *curve])
    ours, theirs, p = compare(judge)
    print(f"50 unseen instances, {ITERATIONS} iterations: {ours:.2f} % above the better of both,", end=" ")
    print(f"a random choice {theirs:.2f} %, p = {p:.2g}")


if __name__ == "__main__":
    main()
