"""Classic selectors. Each is three kernels over its memory, of which these use the table only.

``select_destroy(memory, problem, solution, rng)`` and ``select_repair(memory, problem, solution, destroy, rng)`` return
an operator's number, the second on the *destroyed* solution; ``update(memory, trial)`` learns from what came of it.
"""

import math
from typing import NamedTuple

import numba
import numpy as np
from numba import types

from dacalns.core.jit import kernel
from dacalns.core.memory import by_reference
from dacalns.core.model import PROBLEM, SOLUTION
from dacalns.core.rng import random_float, random_int


@by_reference
class Memory(NamedTuple):
    """All that a selector keeps. One type for all of them, so that one compiled loop serves them all."""

    table: np.ndarray  #: (rows, columns) of doubles: settings, weights and counts
    numbers: np.ndarray  #: single-precision numbers of a network: parameters, activations
    index: np.ndarray  #: whole numbers: where things are in ``numbers``, and the graph


def new_memory(table: np.ndarray, numbers: np.ndarray | None = None, index: np.ndarray | None = None) -> Memory:
    """A memory of these arrays; a classic selector has the table only."""
    return Memory(
        np.ascontiguousarray(np.atleast_2d(table), dtype=np.float64),
        np.zeros(1, dtype=np.float32) if numbers is None else np.ascontiguousarray(numbers, dtype=np.float32),
        np.zeros(1, dtype=np.int64) if index is None else np.ascontiguousarray(index, dtype=np.int64),
    )


MEMORY, RNG = numba.typeof(new_memory(np.zeros((1, 1)))), types.uint64[::1]
SELECT_DESTROY = types.int64(MEMORY, PROBLEM, SOLUTION, RNG)
SELECT_REPAIR = types.int64(MEMORY, PROBLEM, SOLUTION, types.int64, RNG)
UPDATE = types.void(MEMORY, types.float64[::1])

# What an update is told of an iteration: the operators, the outcome, the objective before destroying, the length of
# what destroying left, the objective after repairing, the best objective before, the operators' time, the fraction of
# the budget that is used, and whether the current solution is another one now.
DESTROY, REPAIR, OUTCOME, BEFORE, DESTROYED, AFTER, BEST, SECONDS, USED_UP, CHANGED = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
TRIAL_FIELDS = 10
# Outcomes. A solution that was accepted before, or is not accepted now, is NOTHING_NEW.
NEW_BEST, BETTER, ACCEPTED, NOTHING_NEW = 0, 1, 2, 3

# Row 0 of every memory: how many operators there are, then the selector's own parameters.
HEADER, DESTROYS, REPAIRS = 0, 0, 1


@kernel
def draw(weights, row, total, rng):
    """Draw a number with the probabilities of a row of non-negative ``weights``."""
    mass = 0.0
    for k in range(total):
        mass += weights[row, k]
    left = random_float(rng) * mass
    chosen = total - 1
    for k in range(total):
        left -= weights[row, k]
        if left < 0.0:
            chosen = k
            break
    while chosen and weights[row, chosen] <= 0.0:  # only after a rounding error in the last subtraction
        chosen -= 1
    return chosen


@kernel
def forget(memory, trial):
    """Learn nothing."""


@kernel
def uniform_destroy(memory, problem, solution, rng):
    """Any destroy operator, equally likely."""
    return random_int(rng, int(memory.table[HEADER, DESTROYS]))


@kernel
def uniform_repair(memory, problem, solution, destroy, rng):
    """Any repair operator, equally likely."""
    return random_int(rng, int(memory.table[HEADER, REPAIRS]))


# Fixed weights: row 1 has the weight of each destroy operator, row 2 + d those of the repair operators after d.
MARGINAL, CONDITIONAL = 1, 2


@kernel
def fixed_destroy(memory, problem, solution, rng):
    """A destroy operator by its weight."""
    return draw(memory.table, MARGINAL, int(memory.table[HEADER, DESTROYS]), rng)


@kernel
def fixed_repair(memory, problem, solution, destroy, rng):
    """A repair operator by its weight after ``destroy``."""
    return draw(memory.table, CONDITIONAL + destroy, int(memory.table[HEADER, REPAIRS]), rng)


# Roulette: the header goes on with segment length, reaction, iterations so far in the segment and the four scores.
SEGMENT, REACTION, ELAPSED, SCORES = 2, 3, 4, 5
DESTROY_WEIGHT, REPAIR_WEIGHT, DESTROY_SCORE, REPAIR_SCORE, DESTROY_USES, REPAIR_USES = 1, 2, 3, 4, 5, 6


@kernel
def roulette_destroy(memory, problem, solution, rng):
    """A destroy operator by its current weight."""
    return draw(memory.table, DESTROY_WEIGHT, int(memory.table[HEADER, DESTROYS]), rng)


@kernel
def roulette_repair(memory, problem, solution, destroy, rng):
    """A repair operator by its current weight, whatever destroyed."""
    return draw(memory.table, REPAIR_WEIGHT, int(memory.table[HEADER, REPAIRS]), rng)


@kernel
def roulette_update(memory, trial):
    """Collect scores; at the end of a segment move each weight towards its mean score (Ropke and Pisinger 2006)."""
    destroy, repair = int(trial[DESTROY]), int(trial[REPAIR])
    score = memory.table[HEADER, SCORES + int(trial[OUTCOME])]
    memory.table[DESTROY_SCORE, destroy] += score
    memory.table[REPAIR_SCORE, repair] += score
    memory.table[DESTROY_USES, destroy] += 1.0
    memory.table[REPAIR_USES, repair] += 1.0
    memory.table[HEADER, ELAPSED] += 1.0
    if memory.table[HEADER, ELAPSED] < memory.table[HEADER, SEGMENT]:
        return
    memory.table[HEADER, ELAPSED] = 0.0
    reaction = memory.table[HEADER, REACTION]
    for kind in range(2):
        weight, score_row, uses = DESTROY_WEIGHT + kind, DESTROY_SCORE + kind, DESTROY_USES + kind
        for k in range(int(memory.table[HEADER, DESTROYS + kind])):
            if memory.table[uses, k] > 0.0:
                mean = memory.table[score_row, k] / memory.table[uses, k]
                # An operator that never scored keeps a small chance, or it could never come back.
                memory.table[weight, k] = max((1.0 - reaction) * memory.table[weight, k] + reaction * mean, 1e-3)
            memory.table[score_row, k] = 0.0
            memory.table[uses, k] = 0.0


# Alpha-UCB over pairs: the header goes on with alpha, iterations so far, the chosen repair and the four scores.
ALPHA, TRIALS, PENDING, REWARDS = 2, 3, 4, 5
# Row 1 + d has the mean rewards of the pairs with d, row 1 + destroys + d how often each was used.
MEANS = 1


@kernel
def ucb_destroy(memory, problem, solution, rng):
    """The pair with the highest optimistic mean reward (Hendel 2022); its second half is kept for later."""
    destroys, repairs = int(memory.table[HEADER, DESTROYS]), int(memory.table[HEADER, REPAIRS])
    bonus = memory.table[HEADER, ALPHA] * math.log(1.0 + memory.table[HEADER, TRIALS])
    most = -np.inf
    chosen = 0
    for destroy in range(destroys):
        for repair in range(repairs):
            uses = memory.table[MEANS + destroys + destroy, repair]
            merit = memory.table[MEANS + destroy, repair] + math.sqrt(bonus / uses) if uses > 0.0 else np.inf
            if merit > most:
                most = merit
                chosen = destroy
                memory.table[HEADER, PENDING] = float(repair)
    return chosen


@kernel
def ucb_repair(memory, problem, solution, destroy, rng):
    """The repair operator of the pair that was chosen."""
    return int(memory.table[HEADER, PENDING])


@kernel
def ucb_update(memory, trial):
    """Move the pair's mean reward."""
    destroys = int(memory.table[HEADER, DESTROYS])
    destroy, repair = int(trial[DESTROY]), int(trial[REPAIR])
    memory.table[HEADER, TRIALS] += 1.0
    memory.table[MEANS + destroys + destroy, repair] += 1.0
    reward = memory.table[HEADER, REWARDS + int(trial[OUTCOME])]
    mean = memory.table[MEANS + destroy, repair]
    memory.table[MEANS + destroy, repair] = mean + (reward - mean) / memory.table[MEANS + destroys + destroy, repair]
