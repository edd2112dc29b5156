"""Small learners to test with."""

import numpy as np
import pytest

import dacalns
from dacalns.core.selection import Memory
from dacalns.search.portfolio import as_portfolio
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic, parameters_of
from dacalns.selectors.settings import LearningSettings, NetworkSettings

PORTFOLIO = as_portfolio("paper")
# As many operators, but such that fit rich problems.
RICH_PORTFOLIO = dacalns.Portfolio(
    ["random_removal", "worst_removal"], ["greedy_repair", "regret_repair", "blink_repair"]
)
INSTANCE = dacalns.generate_cvrp(15, seed=3)
SMALL = NetworkSettings(hidden=8, neighbours=3)
KINDS = [pytest.param(ActorCritic, id="ac"), pytest.param(DualActorCritic, id="dac")]
PAPER = LearningSettings(rate=0.01, entropy=0.3, value_weight=0.7)
ALL_EXTRAS = LearningSettings(
    rate=0.01, entropy=0.3, value_weight=0.7, gradient_clip=0.5, reward_scale=0.4, normalise_advantage=True,
    destroy_credit=0.6,
)  # fmt: skip


def memory_of(selector: ActorCritic, instance: dacalns.Instance = INSTANCE, seed: int = 1) -> Memory:
    """The memory of a search with a network that has something to say: fresh ones are nearly even."""
    portfolio = PORTFOLIO if instance.is_plain else RICH_PORTFOLIO
    memory = selector.memory_for(instance, portfolio.for_features(instance.features), seed)
    noise = np.random.default_rng(seed).standard_normal(len(parameters_of(memory)))
    parameters_of(memory)[:] += (0.2 * noise).astype(np.float32)
    return memory
