"""What makes a waiting customer go first: the key (lowest first) and how much of the costs it depends on."""

import math
from collections.abc import Callable

# From the least costs in each route: the key, and the bound such that routes at or above it do not matter to the key.
Rating = Callable[[list[float]], tuple[float, float]]


def least_cost(costs: list[float]) -> tuple[float, float]:
    """Greedy: the least cost; infinite if there is no place."""
    best = min(costs)
    return best, best


def negative_regret(penalty: float) -> Rating:
    """Regret-2: what going to the second-best route would save (negative), or the penalty where there is none."""

    def rate(costs: list[float]) -> tuple[float, float]:
        ordered = sorted(costs)
        best = ordered[0]
        second = ordered[1] if len(ordered) > 1 else math.inf
        if best == math.inf:
            return math.inf, math.inf
        return best - (second if second < math.inf else penalty), second

    return rate
