"""The paper's dual actor-critic once more, in PyTorch, through the environment: an oracle of the compiled `dac`.

    pip install "dac-alns[gym]" torch scipy
    python dual_actor_critic.py [--seeds 10] [--iterations 1000] [--out dac.csv]

Both learn while they search the same instance, each with the same settings and seeds: one update in each iteration, by
temporal differences over both phases. The random numbers differ, so that the curves can only be alike on average.
"""

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import mannwhitneyu

import dacalns
from dacalns.gym import TwoPhaseEnv
from dacalns.torch_policy import PolicyNetwork, card_for, tensors

PORTFOLIO, PRESET = "paper", "paper"


class DualActorCritic:
    """Two actors and a critic in one network, which learn from an iteration at a time."""

    def __init__(self, seed: int, preset: str = PRESET) -> None:
        self.network = PolicyNetwork(card_for("cvrp", PORTFOLIO, preset=preset), seed)
        self.settings = self.network.card.learning
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=self.settings.rate)
        self.rng = np.random.default_rng(seed)

    def choose(self, seen: dict[str, Any]) -> int:
        """Draw an operator by the policy, or any, as often as the settings say."""
        mask = np.flatnonzero(seen["action_mask"])
        if self.rng.random() < self.settings.exploration:
            return int(self.rng.choice(mask))
        with torch.no_grad():
            shares = self.network(tensors(seen)).logits.softmax(1)[0, mask].double().numpy()
        return int(self.rng.choice(mask, p=shares / shares.sum()))

    def loss(self, states: list[dict[str, Any]], chosen: list[int], rewards: list[float]) -> torch.Tensor:
        """What one iteration teaches: its two states and the next one, two operators, two rewards.

        The destroy actor is judged by r_d + g r_r + g^2 V(s') - V(s), the repair actor by r_r + g V(s') - V(s_r).
        """
        batch = {name: torch.cat([tensors(state)[name] for state in states]) for name in states[0]}
        judged = self.network(batch)
        discount, after = self.settings.discount, judged.value[2].detach()
        returns = rewards[0] + discount * (rewards[1] + discount * after), rewards[1] + discount * after
        total = torch.zeros(())
        for k in range(2):
            shares = torch.distributions.Categorical(logits=judged.logits[k][: int(states[k]["action_mask"].sum())])
            error = returns[k] - judged.value[k]
            total = total - error.detach() * shares.log_prob(torch.tensor(chosen[k]))
            total = total - self.settings.entropy * shares.entropy() + self.settings.value_weight * error**2
        return total

    def learn(self, states: list[dict[str, Any]], chosen: list[int], rewards: list[float]) -> None:
        """Make one step of the optimiser."""
        self.optimiser.zero_grad()
        self.loss(states, chosen, rewards).backward()
        self.optimiser.step()


def search_with_torch(instance: dacalns.Instance, iterations: int, seed: int) -> list[float]:
    """Return the best cost after each iteration of a search that learns in PyTorch."""
    env = TwoPhaseEnv(instance, portfolio=PORTFOLIO, iterations=iterations, reward="paper")
    learner = DualActorCritic(seed)
    seen, info = env.reset(seed=seed)
    costs = []
    for _ in range(iterations):
        states, chosen, rewards = [seen], [], []
        for _ in range(2):
            chosen.append(learner.choose(seen))
            seen, reward, _, _, info = env.step(chosen[-1])
            states.append(seen)
            rewards.append(reward)
        learner.learn(states, chosen, rewards)
        costs.append(info["best"])
    return costs


def search_compiled(instance: dacalns.Instance, iterations: int, seed: int) -> list[float]:
    """Return the same of the compiled learner."""
    result = dacalns.solve(
        instance, selector=dacalns.DualActorCritic.preset(PRESET), portfolio=PORTFOLIO, seed=seed,
        stop=dacalns.MaxIterations(iterations),
    )  # fmt: skip
    costs = np.full(iterations, result.start_cost)
    for event in result.history:
        costs[max(0, event.iteration - 1) :] = event.cost
    return costs.tolist()


def compare(instance: dacalns.Instance, iterations: int, seeds: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return both learners' curves, a row for each seed, and p that their mean costs over a run differ by chance."""
    ours = np.array([search_compiled(instance, iterations, seed) for seed in range(seeds)])
    torchs = np.array([search_with_torch(instance, iterations, seed) for seed in range(seeds)])
    return ours, torchs, float(mannwhitneyu(ours.mean(axis=1), torchs.mean(axis=1)).pvalue)


def main() -> None:
    """Compare, print, write the mean curves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instance", default="A-n32-k5")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--out", type=Path, help="a file for both mean curves")
    options = parser.parse_args()
    torch.set_num_threads(1)
    ours, torchs, p = compare(dacalns.read(options.instance), options.iterations, options.seeds)
    for name, curves in (("compiled", ours), ("PyTorch", torchs)):
        means = curves.mean(axis=1)
        print(f"{name:9} mean best cost over a run {means.mean():.1f} ± {means.std(ddof=1):.1f},", end=" ")
        print(f"at its end {curves[:, -1].mean():.1f} ± {curves[:, -1].std(ddof=1):.1f}")
    print(f"{options.seeds} seeds each, Mann-Whitney p = {p:.2f}")
    if options.out:
        with options.out.open("w", newline="") as file:
            rows = zip(range(1, options.iterations + 1), ours.mean(axis=0), torchs.mean(axis=0), strict=True)
            csv.writer(file).writerows([("iteration", "compiled", "PyTorch"), *rows])


if __name__ == "__main__":
    main()
