"""Classic selectors. Each is three kernels over its memory, of which these use the table only.

``select_destroy(memory, problem, solution, rng)`` and ``select_repair(memory, problem, solution, destroy, rng)`` return
an operator's number, the second on the *destroyed* solution; ``update(memory, trial)`` learns from what came of it.
"""

import math
from typing import NamedTuple

import numba
import numpy as np
from numba import types

from dacalns.core.jit import kernel, shared
from dacalns.core.memory import by_reference
from dacalns.core.model import PROBLEM, SOLUTION
from dacalns.core.records import numbered
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


class Trial(NamedTuple):
    """What an update is told of an iteration."""

    destroy: int  #: the number of the destroy operator
    repair: int  #: the number of the repair operator
    outcome: int  #: see `OutcomeNumber`
    before: int  #: the objective before destroying
    destroyed: int  #: the length of what destroying left
    after: int  #: the objective after repairing
    best: int  #: the best objective before the iteration
    seconds: int  #: the time of both operators
    fraction: int  #: the part of the budget that is used
    changed: int  #: 1 if the current solution is another one now, else 0


TRIAL = numbered(Trial)


class OutcomeNumber(NamedTuple):
    """The numbers of what may come of an iteration."""

    new_best: int
    better: int  #: than the current solution, and accepted
    accepted: int
    nothing_new: int  #: not accepted, or accepted once before


OUTCOME = numbered(OutcomeNumber)


class Size(NamedTuple):
    """Where every header begins: how many operators there are. The selector's own parameters follow."""

    destroys: int
    repairs: int


SIZE = numbered(Size)
# The header is the first row of every memory.
HEADER = 0


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
    return random_int(rng, int(memory.table[HEADER, SIZE.destroys]))


@kernel
def uniform_repair(memory, problem, solution, destroy, rng):
    """Any repair operator, equally likely."""
    return random_int(rng, int(memory.table[HEADER, SIZE.repairs]))


# Fixed weights.


class WeightsRow(NamedTuple):
    """The rows of fixed weights, behind the header."""

    destroy: int  #: the weight of each destroy operator
    repair_after: int  #: with a destroy operator added: the weights of the repair operators after it


WEIGHTS_ROW = numbered(WeightsRow, first=1)


@kernel
def fixed_destroy(memory, problem, solution, rng):
    """A destroy operator by its weight."""
    return draw(memory.table, WEIGHTS_ROW.destroy, int(memory.table[HEADER, SIZE.destroys]), rng)


@kernel
def fixed_repair(memory, problem, solution, destroy, rng):
    """A repair operator by its weight after ``destroy``."""
    return draw(memory.table, WEIGHTS_ROW.repair_after + destroy, int(memory.table[HEADER, SIZE.repairs]), rng)


# Roulette.


class RouletteHeader(NamedTuple):
    """The header of a roulette wheel."""

    destroys: int
    repairs: int
    segment: int  #: iterations after which the weights change
    reaction: int  #: how far they move
    elapsed: int  #: iterations so far in the segment
    scores: int  #: of each outcome, from here on


ROULETTE = numbered(RouletteHeader)


class WheelRow(NamedTuple):
    """The rows of a roulette wheel, behind the header."""

    destroy_weight: int
    repair_weight: int
    destroy_score: int
    repair_score: int
    destroy_uses: int
    repair_uses: int


WHEEL_ROW = numbered(WheelRow, first=1)


@kernel
def roulette_destroy(memory, problem, solution, rng):
    """A destroy operator by its current weight."""
    return draw(memory.table, WHEEL_ROW.destroy_weight, int(memory.table[HEADER, SIZE.destroys]), rng)


@kernel
def roulette_repair(memory, problem, solution, destroy, rng):
    """A repair operator by its current weight, whatever destroyed."""
    return draw(memory.table, WHEEL_ROW.repair_weight, int(memory.table[HEADER, SIZE.repairs]), rng)


@kernel
def roulette_update(memory, trial):
    """Collect scores; at the end of a segment move each weight towards its mean score (Ropke and Pisinger 2006)."""
    destroy, repair = int(trial[TRIAL.destroy]), int(trial[TRIAL.repair])
    score = memory.table[HEADER, ROULETTE.scores + int(trial[TRIAL.outcome])]
    memory.table[WHEEL_ROW.destroy_score, destroy] += score
    memory.table[WHEEL_ROW.repair_score, repair] += score
    memory.table[WHEEL_ROW.destroy_uses, destroy] += 1.0
    memory.table[WHEEL_ROW.repair_uses, repair] += 1.0
    memory.table[HEADER, ROULETTE.elapsed] += 1.0
    if memory.table[HEADER, ROULETTE.elapsed] < memory.table[HEADER, ROULETTE.segment]:
        return
    memory.table[HEADER, ROULETTE.elapsed] = 0.0
    reaction = memory.table[HEADER, ROULETTE.reaction]
    for kind in range(2):
        weight, score_row, uses = (
            WHEEL_ROW.destroy_weight + kind,
            WHEEL_ROW.destroy_score + kind,
            WHEEL_ROW.destroy_uses + kind,
        )
        for k in range(int(memory.table[HEADER, SIZE.destroys + kind])):
            if memory.table[uses, k] > 0.0:
                mean = memory.table[score_row, k] / memory.table[uses, k]
                # An operator that never scored keeps a small chance, or it could never come back.
                memory.table[weight, k] = max((1.0 - reaction) * memory.table[weight, k] + reaction * mean, 1e-3)
            memory.table[score_row, k] = 0.0
            memory.table[uses, k] = 0.0


# Alpha-UCB over pairs.


class UcbHeader(NamedTuple):
    """The header of upper confidence bounds."""

    destroys: int
    repairs: int
    alpha: int  #: how much optimism an uncertain pair gets
    trials: int  #: iterations so far
    chosen_repair: int  #: the repair operator of the chosen pair
    scores: int  #: of each outcome, from here on


UCB = numbered(UcbHeader)


@shared
def mean_row(destroy):
    """The row of the mean rewards of the pairs with a destroy operator; the first is behind the header."""
    return HEADER + 1 + destroy


@shared
def uses_row(destroys, destroy):
    """The row that counts how often the pairs with a destroy operator were used."""
    return HEADER + 1 + destroys + destroy


@kernel
def ucb_destroy(memory, problem, solution, rng):
    """The pair with the highest optimistic mean reward (Hendel 2022); its second half is kept for later."""
    destroys, repairs = int(memory.table[HEADER, SIZE.destroys]), int(memory.table[HEADER, SIZE.repairs])
    bonus = memory.table[HEADER, UCB.alpha] * math.log(1.0 + memory.table[HEADER, UCB.trials])
    most = -np.inf
    chosen = 0
    for destroy in range(destroys):
        for repair in range(repairs):
            uses = memory.table[uses_row(destroys, destroy), repair]
            merit = memory.table[mean_row(destroy), repair] + math.sqrt(bonus / uses) if uses > 0.0 else np.inf
            if merit > most:
                most = merit
                chosen = destroy
                memory.table[HEADER, UCB.chosen_repair] = float(repair)
    return chosen


@kernel
def ucb_repair(memory, problem, solution, destroy, rng):
    """The repair operator of the pair that was chosen."""
    return int(memory.table[HEADER, UCB.chosen_repair])


@kernel
def ucb_update(memory, trial):
    """Move the pair's mean reward."""
    destroys = int(memory.table[HEADER, SIZE.destroys])
    destroy, repair = int(trial[TRIAL.destroy]), int(trial[TRIAL.repair])
    memory.table[HEADER, UCB.trials] += 1.0
    memory.table[uses_row(destroys, destroy), repair] += 1.0
    reward = memory.table[HEADER, UCB.scores + int(trial[TRIAL.outcome])]
    mean = memory.table[mean_row(destroy), repair]
    memory.table[mean_row(destroy), repair] = mean + (reward - mean) / memory.table[uses_row(destroys, destroy), repair]
