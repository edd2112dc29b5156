"""The two-phase stepper, ``destroy(i) -> repair(j) -> accept()``: the one way in which a search moves.

The compiled loop calls these kernels, and so does :class:`dacalns.search.stepper.Stepper` from Python.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from dacalns.core.acceptance import SIGNATURE as ACCEPT_SIGNATURE
from dacalns.core.clock import nanoseconds
from dacalns.core.jit import caller, inlined, kernel
from dacalns.core.model import BANKED, PROBLEM, SOLUTION, TOUCHED
from dacalns.core.rng import random_int
from dacalns.core.routes import add_to_journal, changed_fingerprint, copy_touched, settle, total_length
from dacalns.core.selection import (
    ACCEPTED,
    AFTER,
    BEFORE,
    BEST,
    BETTER,
    CHANGED,
    DESTROY,
    DESTROYED,
    NEW_BEST,
    NOTHING_NEW,
    OUTCOME,
    REPAIR,
    SECONDS,
    TRIAL_FIELDS,
    USED_UP,
)
from dacalns.core.soundness import FLAW_FIELDS, settle_checked
from dacalns.core.terms import objective

RNG = types.uint64[::1]
DESTROY_SIGNATURE = types.void(PROBLEM, SOLUTION, types.int64, RNG)
REPAIR_SIGNATURE = types.void(PROBLEM, SOLUTION, RNG)
call_destroy, call_repair, call_accept = caller(DESTROY_SIGNATURE), caller(REPAIR_SIGNATURE), caller(ACCEPT_SIGNATURE)

# Objectives closer than this part of the start solution's length are equal: it hides the rounding error of doubles.
RELATIVE_TOLERANCE = 1e-10
# What `destroy_step` returns in place of the time.
FAILED = -1
VISITED_SIZE = 1 << 16
# The fingerprint of the current solution is kept behind those of the visited ones.
CURRENT_KEY = VISITED_SIZE

# Positions in `Progress.counters` and `Progress.values`.
ITERATION, BEST_ITERATION, EVENTS, STARTED, CALLED, WHICH, STOP, COUNTERS = 0, 1, 2, 3, 4, 5, 6, 7
# What `counters[CALLED]` says is being called, or was called last: a function of this kind, of operators number
# `counters[WHICH]`. So that one that never returns, or fails, has a name.
NOBODY, DESTROYING, REPAIRING, SELECTING_DESTROY, SELECTING_REPAIR, UPDATING, ACCEPTING = 0, 1, 2, 3, 4, 5, 6
CURRENT_VALUE, BEST_VALUE, START_VALUE, FRACTION, TOLERANCE, VALUE_FIELDS = 0, 1, 2, 3, 4, 5
# Columns of `Progress.history`.
EVENT_ITERATION, EVENT_SECONDS, EVENT_LENGTH, EVENT_UNSERVED, EVENT_VALUE, EVENT_FIELDS = 0, 1, 2, 3, 4, 5


class Progress(NamedTuple):
    """Where a search stands, and what it has counted."""

    counters: np.ndarray  #: (COUNTERS,) ints: see the positions above
    values: np.ndarray  #: (VALUE_FIELDS,) floats
    trial: np.ndarray  #: (TRIAL_FIELDS,) the iteration in hand
    visited: np.ndarray  #: hashes of accepted solutions; collisions overwrite; the last is the current solution's
    history: np.ndarray  #: (events, EVENT_FIELDS) of each new best
    outcomes: np.ndarray  #: (destroys, repairs, 4) how often each pair came to each outcome
    accepted: np.ndarray  #: (destroys, repairs) how often the criterion accepted, new or not
    pair_time: np.ndarray  #: (destroys, repairs) nanoseconds spent in each pair
    destroy_time: np.ndarray  #: (destroys,) nanoseconds
    repair_time: np.ndarray  #: (repairs,) nanoseconds
    removed: np.ndarray  #: (destroys,) customers removed
    selection_time: np.ndarray  #: (1,) nanoseconds
    foreign: (
        np.ndarray
    )  #: (2, operators) 1 for the destroy and for the repair operators that are not ours, to be checked
    chances: np.ndarray  #: (2, operators) uses of those in which there was something to do
    changes: np.ndarray  #: (2, operators) uses of those in which they changed something
    flaw: np.ndarray  #: (FLAW_FIELDS,) what is wrong with the solution that one of them left


def new_progress(destroys: int, repairs: int) -> Progress:
    """All counts at zero."""
    pairs, most = (destroys, repairs), max(destroys, repairs)

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)

    return Progress(
        zeros(COUNTERS), np.zeros(VALUE_FIELDS), np.zeros(TRIAL_FIELDS), np.zeros(VISITED_SIZE + 1, dtype=np.uint64),
        np.zeros((256, EVENT_FIELDS)), zeros(*pairs, 4), zeros(*pairs), zeros(*pairs), zeros(destroys), zeros(repairs),
        zeros(destroys), zeros(1), *(zeros(2, most) for _ in range(3)), zeros(FLAW_FIELDS),
    )  # fmt: skip


@inlined
def destroy_step(problem, current, candidate, progress, operators, scales, which, rng, began):
    """Copy the current solution and destroy the copy with operator ``which``, at a scale drawn from its range.

    The candidate's journal says where the two differ, so that only those routes are copied, here and on acceptance.
    Takes and returns the time: asking for it twice would cost as much as selecting an operator does. Where the operator
    failed, or left something that is no solution, it returns `FAILED`.
    """
    copy_touched(candidate, current, candidate)
    low, high = scales[which, 0], scales[which, 1]
    progress.counters[WHICH] = which
    progress.counters[CALLED] = DESTROYING
    call_destroy(operators[which], (problem, candidate, low + random_int(rng, high - low + 1), rng))
    if not progress.foreign[0, which]:
        settle(problem, candidate)
    elif progress.counters[STOP] or not settle_checked(problem, candidate, current, progress.flaw):
        return FAILED
    else:
        progress.chances[0, which] += 1
        if candidate.counts[TOUCHED]:
            progress.changes[0, which] += 1
    trial = progress.trial
    trial[DESTROY] = float(which)
    trial[BEFORE] = progress.values[CURRENT_VALUE]
    trial[BEST] = progress.values[BEST_VALUE]
    trial[DESTROYED] = total_length(candidate)
    progress.removed[which] += candidate.counts[BANKED] - current.counts[BANKED]
    ended = nanoseconds()
    trial[SECONDS] = 1e-9 * (ended - began)
    progress.destroy_time[which] += ended - began
    return ended


@inlined
def repair_step(problem, current, candidate, progress, operators, which, rng, began):
    """Repair the destroyed solution with operator ``which``; return whether that left a solution."""
    waiting, touched = candidate.counts[BANKED], candidate.counts[TOUCHED]
    progress.counters[WHICH] = which
    progress.counters[CALLED] = REPAIRING
    call_repair(operators[which], (problem, candidate, rng))
    if not progress.foreign[1, which]:
        settle(problem, candidate)
    elif progress.counters[STOP] or not settle_checked(problem, candidate, current, progress.flaw):
        return False
    else:
        if waiting:
            progress.chances[1, which] += 1
        if candidate.counts[BANKED] != waiting or candidate.counts[TOUCHED] != touched:
            progress.changes[1, which] += 1
    trial = progress.trial
    trial[REPAIR] = float(which)
    trial[AFTER] = objective(problem, candidate)
    took = nanoseconds() - began
    trial[SECONDS] += 1e-9 * took
    progress.repair_time[which] += took
    progress.pair_time[int(trial[DESTROY]), which] += int(trial[SECONDS] * 1e9 + 0.5)
    return True


@inlined
def accept_step(problem, current, candidate, best, progress, accept, memory, rng):
    """Let the criterion decide, keep what is to be kept, and return the outcome."""
    trial, values, counters = progress.trial, progress.values, progress.counters
    after = trial[AFTER]
    counters[ITERATION] += 1
    counters[CALLED] = ACCEPTING
    accepted = call_accept(accept, (memory, values[FRACTION], after, trial[BEFORE], trial[BEST], rng))
    outcome = NOTHING_NEW
    if after < trial[BEST] - values[TOLERANCE]:
        accepted = True
        outcome = NEW_BEST
        values[BEST_VALUE] = after
        counters[BEST_ITERATION] = counters[ITERATION]
        place = counters[EVENTS]
        progress.history[place, EVENT_ITERATION] = float(counters[ITERATION])
        progress.history[place, EVENT_SECONDS] = 1e-9 * (nanoseconds() - counters[STARTED])
        progress.history[place, EVENT_LENGTH] = total_length(candidate)
        progress.history[place, EVENT_UNSERVED] = float(candidate.counts[BANKED])
        progress.history[place, EVENT_VALUE] = after
        counters[EVENTS] = place + 1
    destroy, repair = int(trial[DESTROY]), int(trial[REPAIR])
    trial[USED_UP] = values[FRACTION]
    trial[CHANGED] = 0.0
    if accepted:
        key = changed_fingerprint(problem, candidate, current, progress.visited[CURRENT_KEY])
        if key != progress.visited[CURRENT_KEY]:
            progress.visited[CURRENT_KEY] = key
            trial[CHANGED] = 1.0
        if first_visit(progress.visited, key) and outcome != NEW_BEST:
            outcome = BETTER if after < trial[BEFORE] - values[TOLERANCE] else ACCEPTED
        add_to_journal(best, candidate)
        copy_touched(current, candidate, candidate)
        if outcome == NEW_BEST:
            copy_touched(best, current, best)
        values[CURRENT_VALUE] = after
        progress.accepted[destroy, repair] += 1
    trial[OUTCOME] = float(outcome)
    progress.outcomes[destroy, repair, outcome] += 1
    return outcome


@kernel
def first_visit(visited, key):
    """Note a solution by its fingerprint; False if noted before (and its place not taken by another since)."""
    place = key & np.uint64(VISITED_SIZE - 1)
    if visited[place] == key:
        return False
    visited[place] = key
    return True
