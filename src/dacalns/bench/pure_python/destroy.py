"""The destroy operators of :mod:`dacalns.core.destroy` in pure Python."""

import math
from random import Random

from dacalns.bench.pure_python.state import PlainState


def random_removal(state: PlainState, random: Random) -> PlainState:
    """Remove customers, every set of them equally likely."""
    served = [customer for tour in state.tours for customer in tour if customer]
    count = random.randint(*state.problem.random_range)
    return state.without(random.sample(served, min(count, len(served))))


def worst_removal(state: PlainState, random: Random) -> PlainState:
    """Remove customers one by one, always the one whose removal saves most."""
    distance = state.problem.distance
    nodes = len(distance)
    pred, succ, saving = [0] * nodes, [0] * nodes, [-math.inf] * nodes
    for tour, legs in zip(state.tours, state.legs, strict=True):
        before = 0
        for k in range(len(tour) - 1):
            node, after = tour[k], tour[k + 1]
            pred[node], succ[node] = before, after
            saving[node] = legs[k] + legs[k + 1] - distance[before][after]
            before = node
    removed = []
    for _ in range(random.randint(*state.problem.worst_range)):
        most = max(saving)
        if most == -math.inf:
            break
        worst = saving.index(most)
        removed.append(worst)
        saving[worst] = -math.inf
        before, after = pred[worst], succ[worst]
        if before:
            succ[before] = after
            ahead = pred[before]
            row = distance[before]
            saving[before] = row[ahead] + row[after] - distance[ahead][after]
        if after:
            pred[after] = before
            behind = succ[after]
            row = distance[after]
            saving[after] = row[before] + row[behind] - distance[before][behind]
    return state.without(removed)
