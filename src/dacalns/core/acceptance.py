"""Acceptance criteria: whether the candidate may replace the current solution.

Every criterion has the signature ``(memory, fraction, candidate, current, best, rng) -> bool``. ``memory`` holds its
parameters and whatever it remembers; ``fraction`` is the part of the budget used so far.
"""

import math
from typing import NamedTuple

from numba import types

from dacalns.core.jit import kernel
from dacalns.core.records import numbered
from dacalns.core.rng import random_float

SIGNATURE = types.boolean(
    types.float64[::1], types.float64, types.float64, types.float64, types.float64, types.uint64[::1]
)


class Limit(NamedTuple):
    """The memory of criteria whose allowance shrinks."""

    start: int
    end: int


LIMIT = numbered(Limit)


class Late(NamedTuple):
    """The memory of late acceptance."""

    length: int  #: how many objectives are kept
    position: int  #: of the oldest
    values: int  #: the objectives, from here on


LATE = numbered(Late)


@kernel
def simulated_annealing(memory, fraction, candidate, current, best, rng):
    """Accept what is worse by ``delta`` with probability exp(-delta / T), T falling exponentially from start to end."""
    delta = candidate - current
    if delta <= 0.0:
        return True
    temperature = memory[LIMIT.start] * (memory[LIMIT.end] / memory[LIMIT.start]) ** fraction
    return random_float(rng) < math.exp(-delta / temperature)


@kernel
def record_to_record(memory, fraction, candidate, current, best, rng):
    """Accept what is not much worse than the best, the allowance shrinking linearly."""
    return candidate <= best + memory[LIMIT.start] + (memory[LIMIT.end] - memory[LIMIT.start]) * fraction


@kernel
def threshold(memory, fraction, candidate, current, best, rng):
    """Accept what is not much worse than the current solution, the allowance shrinking linearly."""
    return candidate <= current + memory[LIMIT.start] + (memory[LIMIT.end] - memory[LIMIT.start]) * fraction


@kernel
def relative_threshold(memory, fraction, candidate, current, best, rng):
    """Accept what is not worse than the current solution by more than a part of it, which shrinks linearly."""
    return candidate <= current * (1.0 + memory[LIMIT.start] + (memory[LIMIT.end] - memory[LIMIT.start]) * fraction)


@kernel
def hill_climbing(memory, fraction, candidate, current, best, rng):
    """Accept what is no worse than the current solution."""
    return candidate <= current


@kernel
def late_acceptance(memory, fraction, candidate, current, best, rng):
    """Accept what is no worse than now, or than ``LENGTH`` iterations ago (Burke and Bykov 2017)."""
    place = LATE.values + int(memory[LATE.position])
    accepted = candidate <= current or candidate <= memory[place]
    now = candidate if accepted else current
    if now < memory[place]:
        memory[place] = now
    memory[LATE.position] = (memory[LATE.position] + 1.0) % memory[LATE.length]
    return accepted
