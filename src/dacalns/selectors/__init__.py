"""Selectors choose the next operators of a search; each is a small settings object with compiled kernels behind it."""

from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.by_name import SELECTORS, as_selector
from dacalns.selectors.frozen_policy import FrozenPolicy, LearnedWheel
from dacalns.selectors.wheels import AlphaUCB, FixedWeights, Roulette, UniformRandom

__all__ = [
    "SELECTORS",
    "ActorCritic",
    "AlphaUCB",
    "DualActorCritic",
    "FixedWeights",
    "FrozenPolicy",
    "LearnedWheel",
    "Roulette",
    "UniformRandom",
    "as_selector",
]
