"""The instances on which speed is measured, and policies that need no training."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dacalns.core.brain import count_parameters, initialise, weights_of
from dacalns.core.rng import seeded
from dacalns.instances import Instance, generate_cvrp, read
from dacalns.instances.feature_sets import feature_sets
from dacalns.search.portfolio import PORTFOLIOS, Portfolio
from dacalns.selectors.actor_critic import context_size
from dacalns.selectors.card import Card, TrainedPortfolio, node_features
from dacalns.selectors.checkpoint import save_checkpoint
from dacalns.selectors.frozen_policy import LEARNERS, to_tensors
from dacalns.selectors.settings import PRESETS

SHARED = Path("shared", "data", "scale", "X")


@dataclass(frozen=True)
class SpeedCase:
    """An instance, and the speed that the search should have on it.

    Parameters
    ----------
    load
        A function that returns the instance.
    iterations_per_second
        The least speed that is good enough.
    ratio
        The least multiple of the peer's speed that is good enough; None if there is no target.
    """

    load: Callable[[], Instance]
    iterations_per_second: float
    ratio: float | None = None


@dataclass(frozen=True)
class LearnedCase:
    """An instance, and the speed that learned selectors should have on it.

    Parameters
    ----------
    load
        A function that returns the instance.
    online, frozen
        The fewest iterations per second that are good enough while learning, and with a frozen policy that sees every
        solution; None if there is no target.
    """

    load: Callable[[], Instance]
    online: float | None = None
    frozen: float | None = None


def speed_cases() -> list[SpeedCase]:
    """Return the four cases, by size."""
    return [
        SpeedCase(lambda: read("A-n80-k10"), 60_000, ratio=60),
        SpeedCase(lambda: read("R101"), 40_000),
        SpeedCase(_with_199_customers, 20_000),
        SpeedCase(_with_1000_customers, 1_500),
    ]


def learned_cases() -> list[LearnedCase]:
    """Return the five cases, by size."""
    return [
        LearnedCase(lambda: read("B-n41-k6")),
        LearnedCase(lambda: read("A-n80-k10"), online=5_000, frozen=15_000),
        LearnedCase(lambda: read("R101"), online=4_000, frozen=11_000),
        LearnedCase(_with_199_customers),
        LearnedCase(_with_1000_customers, online=450, frozen=1_100),
    ]


def _with_199_customers() -> Instance:
    return _from_set_x("X-n200-k36") or generate_cvrp(
        199, positions="clustered", demand="quadrant", route_length=5.6, seed=1
    )


def _with_1000_customers() -> Instance:
    return _from_set_x("X-n1001-k43") or generate_cvrp(1000, demand="1-10", route_length=23.6, seed=1)


def _from_set_x(name: str) -> Instance | None:
    """Return an instance of set X, which is not in the package, if the data lie next to the checkout; else None."""
    checkout = Path(__file__).parents[3]
    for base in (checkout, Path.cwd()):
        path = base.parent / SHARED / f"{name}.vrp"
        if path.is_file():
            return read(path)
    return None


# Untrained policies, which are as fast as trained ones.


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
        The path of the file.
    problem
        ``"cvrp"``, ``"vrptw"``, or sets of features of rich problems.
    kind
        ``"dac"`` or ``"ac"``.
    portfolio
        The operators; the paper's if left out.
    preset
        The name of the selector's settings.
    seed
        The seed of the parameters.
    """
    chosen, operators = PRESETS[preset], portfolio or PORTFOLIOS["paper"]
    card = Card(
        problem, kind, node_features(problem), TrainedPortfolio.of(operators, feature_sets(problem)[0]),
        chosen.network, chosen.rewards, chosen.learning, preset,
    )  # fmt: skip
    heads = LEARNERS[kind].heads(chosen.network, len(operators.destroy), len(operators.repair))
    context = context_size(chosen.network, len(card.features))
    sizes = len(card.features), chosen.network.hidden, context, len(heads), max(heads)
    flat = np.zeros(count_parameters(*sizes), dtype=np.float32)
    initialise(weights_of(flat, *sizes), seeded(seed))
    save_checkpoint(path, to_tensors(card, flat), card)
