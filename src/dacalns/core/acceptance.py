"""Acceptance criteria: whether the candidate may replace the current solution.

Every criterion has the signature ``(memory, fraction, candidate, current, best, rng) -> bool``. ``memory`` holds its
parameters and whatever it remembers; ``fraction`` is the part of the budget used so far.
"""

import math

from numba import types

from dacalns.core.jit import kernel
from dacalns.core.rng import random_float

SIGNATURE = types.boolean(
    types.float64[::1], types.float64, types.float64, types.float64, types.float64, types.uint64[::1]
)

START, END = 0, 1
LENGTH, POSITION, VALUES = 0, 1, 2


@kernel
def simulated_annealing(memory, fraction, candidate, current, best, rng):
    """Accept what is worse by ``delta`` with probability exp(-delta / T), T falling exponentially from start to end."""
    delta = candidate - current
    if delta <= 0.0:
        return True
    temperature = memory[START] * (memory[END] / memory[START]) ** fraction
    return random_float(rng) < math.exp(-delta / temperature)


@kernel
def record_to_record(memory, fraction, candidate, current, best, rng):
    """Accept what is not much worse than the best, the allowance shrinking linearly."""
    return candidate <= best + memory[START] + (memory[END] - memory[START]) * fraction


@kernel
def threshold(memory, fraction, candidate, current, best, rng):
    """Accept what is not much worse than the current solution, the allowance shrinking linearly."""
    return candidate <= current + memory[START] + (memory[END] - memory[START]) * fraction


@kernel
def relative_threshold(memory, fraction, candidate, current, best, rng):
    """Accept what is not worse than the current solution by more than a part of it, which shrinks linearly."""
    return candidate <= current * (1.0 + memory[START] + (memory[END] - memory[START]) * fraction)


@kernel
def hill_climbing(memory, fraction, candidate, current, best, rng):
    """Accept what is no worse than the current solution."""
    return candidate <= current


@kernel
def late_acceptance(memory, fraction, candidate, current, best, rng):
    """Accept what is no worse than now, or than ``LENGTH`` iterations ago (Burke and Bykov 2017)."""
    place = VALUES + int(memory[POSITION])
    accepted = candidate <= current or candidate <= memory[place]
    now = candidate if accepted else current
    if now < memory[place]:
        memory[place] = now
    memory[POSITION] = (memory[POSITION] + 1.0) % memory[LENGTH]
    return accepted
