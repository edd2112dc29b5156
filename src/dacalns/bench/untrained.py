"""Policies that nobody has trained: as fast as trained ones, and there before any training."""

from pathlib import Path

import numpy as np

from dacalns.core.brain import count_parameters, initialise, weights_of
from dacalns.core.graph import CVRP_FEATURES, VRPTW_FEATURES
from dacalns.core.rng import seeded
from dacalns.search.portfolio import PORTFOLIOS, Portfolio
from dacalns.selectors.actor_critic import CONTEXT_SIZES
from dacalns.selectors.card import Card, TrainedPortfolio
from dacalns.selectors.checkpoint import save_checkpoint
from dacalns.selectors.frozen_policy import LEARNERS, to_tensors
from dacalns.selectors.presets import PRESETS


def write_untrained_policy(
    path: Path,
    problem: str,
    kind: str = "dac",
    portfolio: Portfolio | None = None,
    preset: str = "improved",
    seed: int = 0,
) -> None:
    """Write a checkpoint with random parameters.

    Parameters
    ----------
    path
        Where to.
    problem
        ``"cvrp"`` or ``"vrptw"``.
    kind
        ``"dac"`` or ``"ac"``.
    portfolio
        The operators; the paper's if left out.
    preset
        What the selector is set to.
    seed
        For the parameters.
    """
    chosen, operators = PRESETS[preset], portfolio or PORTFOLIOS["paper"]
    card = Card(
        problem, kind, CVRP_FEATURES if problem == "cvrp" else VRPTW_FEATURES, TrainedPortfolio.of(operators, problem),
        chosen.network, chosen.rewards, chosen.learning, preset,
    )  # fmt: skip
    heads = LEARNERS[kind].heads(chosen.network, len(operators.destroy), len(operators.repair))
    context = CONTEXT_SIZES[chosen.network.context]
    sizes = len(card.features), chosen.network.hidden, context, len(heads), max(heads)
    flat = np.zeros(count_parameters(*sizes), dtype=np.float32)
    initialise(weights_of(flat, *sizes), seeded(seed))  # type: ignore[no-untyped-call]
    save_checkpoint(path, to_tensors(card, flat), card)
