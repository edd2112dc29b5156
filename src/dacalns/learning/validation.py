"""A validation compares a policy with roulette on generated instances that it was not trained on, with equal budgets.

Roulette is the classic selector, which gives operators weights by their recent success.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.instances import Instance
from dacalns.learning.episode import explore_whole
from dacalns.learning.rounds import Plan, Vector, counted_cost, wheel_pairs
from dacalns.learning.sources import Generated, Source
from dacalns.learning.workers import Workers
from dacalns.search.run import Search, require_user_code_sound
from dacalns.search.selector import CompiledSelector
from dacalns.selectors.wheels import FixedWeights, Roulette
from dacalns.util.values import gap_percent

# No training has this seed, so none has seen these instances, and all trainings are measured on the same ones.
VALIDATION_SEED = -1


@dataclass(frozen=True)
class Validation:
    """The outcome of comparing a policy with roulette.

    Parameters
    ----------
    round
        The round after which the policy was validated.
    gap
        The mean over the instances of (policy - roulette) / roulette, in percent: below 0 the policy is better.
    wins, losses, ties
        The numbers of instances on which the policy was better, worse and equal.
    """

    round: int
    gap: float
    wins: int
    losses: int
    ties: int

    def __str__(self) -> str:
        return f"{self.gap:+.3f} % against roulette ({self.wins} wins, {self.losses} losses, {self.ties} ties)"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return asdict(self)


def validation_source(source: Source) -> Generated:
    """Return a source of generated instances with as many customers as the training instances have."""
    if isinstance(source, Generated):
        return Generated(source.problem, source.fewest, source.most, VALIDATION_SEED, source.sort)
    sizes = [source.customers(number) for number in range(len(source.members))]
    return Generated(source.problem, min(sizes), max(sizes), VALIDATION_SEED)


def validation_hold(plan: Plan) -> int:
    """Return for how many iterations a decision is used, which is as many as in training."""
    return plan.hold if plan.method == "whole" else 1


def policy_pairs(plan: Plan, parameters: npt.NDArray[np.float32]) -> Vector:
    """Return the pair probabilities of a wheel, as they are saved."""
    shape = len(plan.portfolio.destroy), len(plan.portfolio.repair)
    return wheel_pairs(parameters, shape).astype(np.float32)


def costs_of_roulette(workers: Workers, source: Generated, count: int) -> list[float]:
    """Return the costs that roulette reaches on the first ``count`` instances."""
    return workers.run(_roulette_cost, source, range(count), [source.customers(number) for number in range(count)])


def validate(
    workers: Workers, source: Generated, parameters: Vector, reference: Sequence[float], rounds: int
) -> Validation:
    """Compare a policy with the costs of roulette, which are the ``reference``."""
    sizes = [source.customers(number) for number in range(len(reference))]
    costs = workers.run(_policy_cost, (source, parameters), range(len(reference)), sizes)
    ties = sum(math.isclose(*pair, rel_tol=1e-9) for pair in zip(costs, reference, strict=True))
    wins = sum(
        cost < other and not math.isclose(cost, other, rel_tol=1e-9)
        for cost, other in zip(costs, reference, strict=True)
    )
    gaps = [gap_percent(cost, other) for cost, other in zip(costs, reference, strict=True)]
    return Validation(rounds, math.fsum(gaps) / len(gaps), wins, len(costs) - wins - ties, ties)


def _roulette_cost(plan: Plan, source: Generated, number: int) -> float:
    return _search(plan, source.instance(number), Roulette(), number)


def _policy_cost(plan: Plan, shared: tuple[Generated, Vector], number: int) -> float:
    source, parameters = shared
    instance = source.instance(number)
    if plan.learner is None:
        pairs = policy_pairs(plan, parameters).astype(np.float64)
        return _search(plan, instance, FixedWeights(pairs.tolist()), number)
    stop, hold = plan.budget(instance), validation_hold(plan)
    episode = explore_whole(plan.learner, parameters, instance, plan.portfolio, stop, number, None, hold)
    return counted_cost(episode.result)


def _search(plan: Plan, instance: Instance, selector: CompiledSelector, seed: int) -> float:
    search = Search(instance, plan.portfolio, selector, plan.portfolio.acceptance, plan.budget(instance), seed, None)
    return counted_cost(require_user_code_sound(search.run()))
