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
from dacalns.core.records import numbered
from dacalns.core.rng import random_int
from dacalns.core.routes import add_to_journal, changed_fingerprint, copy_touched, settle
from dacalns.core.selection import OUTCOME, TRIAL
from dacalns.core.soundness import CHECK_SIGNATURE, FLAW
from dacalns.core.terms import missing, objective, solution_cost

RNG = types.uint64[::1]
DESTROY_SIGNATURE = types.void(PROBLEM, SOLUTION, types.int64, RNG)
REPAIR_SIGNATURE = types.void(PROBLEM, SOLUTION, RNG)
call_destroy, call_repair, call_accept = caller(DESTROY_SIGNATURE), caller(REPAIR_SIGNATURE), caller(ACCEPT_SIGNATURE)
settle_checked = caller(CHECK_SIGNATURE)

# Objectives closer than this part of the start solution's length are equal: it hides the rounding error of doubles.
RELATIVE_TOLERANCE = 1e-10
# What `destroy_step` returns in place of the time.
FAILED = -1
VISITED_SIZE = 1 << 16
# The fingerprint of the current solution is kept behind those of the visited ones.
CURRENT_KEY = VISITED_SIZE


class Counter(NamedTuple):
    """The positions in `Progress.counters`."""

    iteration: int  #: iterations so far
    best_iteration: int  #: the one that found the best solution
    events: int  #: rows of the history that are filled
    started: int  #: when, on the clock of kernels
    called: int  #: which kind of function is being called, or was called last: see `Call`
    which: int  #: the number of the operator that is called, so that one that never returns, or fails, has a name
    stop: int  #: 1 if somebody has asked to stop


COUNTER = numbered(Counter)


class Call(NamedTuple):
    """What `COUNTER.called` may be."""

    nobody: int
    destroying: int
    repairing: int
    selecting_destroy: int
    selecting_repair: int
    updating: int
    accepting: int


CALL = numbered(Call)


class Value(NamedTuple):
    """The positions in `Progress.values`."""

    current: int  #: the objective of the current solution
    best: int  #: the best objective
    start: int  #: the length of the start solution
    fraction: int  #: the part of the budget that is used
    tolerance: int  #: objectives closer than this are equal


VALUE = numbered(Value)


class Event(NamedTuple):
    """The columns of `Progress.history`, a row for each new best."""

    iteration: int
    seconds: int
    length: int
    unserved: int
    value: int


EVENT = numbered(Event)


class Side(NamedTuple):
    """The two kinds of operators: the rows of `Progress.foreign`, `chances` and `changes`."""

    destroy: int
    repair: int


SIDE = numbered(Side)


class Progress(NamedTuple):
    """Where a search stands, and what it has counted."""

    counters: np.ndarray  #: whole numbers, see `Counter`
    values: np.ndarray  #: floats, see `Value`
    trial: np.ndarray  #: the iteration in hand, see `Trial`
    visited: np.ndarray  #: hashes of accepted solutions; collisions overwrite; the last is the current solution's
    history: np.ndarray  #: a row for each new best, see `Event`
    outcomes: np.ndarray  #: (destroys, repairs, outcomes) how often each pair came to each outcome
    accepted: np.ndarray  #: (destroys, repairs) how often the criterion accepted, new or not
    pair_time: np.ndarray  #: (destroys, repairs) nanoseconds spent in each pair
    destroy_time: np.ndarray  #: (destroys,) nanoseconds
    repair_time: np.ndarray  #: (repairs,) nanoseconds
    removed: np.ndarray  #: (destroys,) customers removed
    selection_time: np.ndarray  #: (1,) nanoseconds
    foreign: np.ndarray  #: (sides, operators) 1 for the operators that are not ours, whose work is checked
    chances: np.ndarray  #: (sides, operators) uses of those in which there was something to do
    changes: np.ndarray  #: (sides, operators) uses of those in which they changed something
    flaw: np.ndarray  #: what is wrong with the solution that one of them left
    check: np.ndarray  #: (1,) the address of the kernel that checks their work, so that only they compile it


def new_progress(destroys: int, repairs: int, check: np.ndarray | None = None) -> Progress:
    """Return a progress with all counts at zero; ``check`` is needed if some operators are not ours."""
    pairs, most = (destroys, repairs), max(destroys, repairs)

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)

    return Progress(
        zeros(len(COUNTER)), np.zeros(len(VALUE)), np.zeros(len(TRIAL)), np.zeros(VISITED_SIZE + 1, dtype=np.uint64),
        np.zeros((256, len(EVENT))), zeros(*pairs, len(OUTCOME)), zeros(*pairs), zeros(*pairs), zeros(destroys),
        zeros(repairs), zeros(destroys), zeros(1), *(zeros(len(SIDE), most) for _ in range(3)), zeros(len(FLAW)),
        zeros(1) if check is None else check,
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
    progress.counters[COUNTER.which] = which
    progress.counters[COUNTER.called] = CALL.destroying
    call_destroy(operators[which], (problem, candidate, low + random_int(rng, high - low + 1), rng))
    if not progress.foreign[SIDE.destroy, which]:
        settle(problem, candidate)
    elif progress.counters[COUNTER.stop] or not settle_checked(
        progress.check[0], (problem, candidate, current, progress.flaw)
    ):
        return FAILED
    else:
        progress.chances[SIDE.destroy, which] += 1
        if candidate.counts[TOUCHED]:
            progress.changes[SIDE.destroy, which] += 1
    trial = progress.trial
    trial[TRIAL.destroy] = float(which)
    trial[TRIAL.before] = progress.values[VALUE.current]
    trial[TRIAL.best] = progress.values[VALUE.best]
    trial[TRIAL.destroyed] = solution_cost(problem, candidate)
    progress.removed[which] += candidate.counts[BANKED] - current.counts[BANKED]
    ended = nanoseconds()
    trial[TRIAL.seconds] = 1e-9 * (ended - began)
    progress.destroy_time[which] += ended - began
    return ended


@inlined
def repair_step(problem, current, candidate, progress, operators, which, rng, began):
    """Repair the destroyed solution with operator ``which``; return True if that left a solution."""
    waiting, touched = candidate.counts[BANKED], candidate.counts[TOUCHED]
    progress.counters[COUNTER.which] = which
    progress.counters[COUNTER.called] = CALL.repairing
    call_repair(operators[which], (problem, candidate, rng))
    if not progress.foreign[SIDE.repair, which]:
        settle(problem, candidate)
    elif progress.counters[COUNTER.stop] or not settle_checked(
        progress.check[0], (problem, candidate, current, progress.flaw)
    ):
        return False
    else:
        if waiting:
            progress.chances[SIDE.repair, which] += 1
        if candidate.counts[BANKED] != waiting or candidate.counts[TOUCHED] != touched:
            progress.changes[SIDE.repair, which] += 1
    trial = progress.trial
    trial[TRIAL.repair] = float(which)
    trial[TRIAL.after] = objective(problem, candidate)
    took = nanoseconds() - began
    trial[TRIAL.seconds] += 1e-9 * took
    progress.repair_time[which] += took
    progress.pair_time[int(trial[TRIAL.destroy]), which] += int(trial[TRIAL.seconds] * 1e9 + 0.5)
    return True


@inlined
def accept_step(problem, current, candidate, best, progress, accept, memory, rng):
    """Let the criterion decide, keep what is to be kept, and return the outcome."""
    trial, values, counters = progress.trial, progress.values, progress.counters
    after = trial[TRIAL.after]
    counters[COUNTER.iteration] += 1
    counters[COUNTER.called] = CALL.accepting
    accepted = call_accept(accept, (memory, values[VALUE.fraction], after, trial[TRIAL.before], trial[TRIAL.best], rng))
    outcome = OUTCOME.nothing_new
    if after < trial[TRIAL.best] - values[VALUE.tolerance]:
        accepted = True
        outcome = OUTCOME.new_best
        values[VALUE.best] = after
        counters[COUNTER.best_iteration] = counters[COUNTER.iteration]
        place = counters[COUNTER.events]
        progress.history[place, EVENT.iteration] = float(counters[COUNTER.iteration])
        progress.history[place, EVENT.seconds] = 1e-9 * (nanoseconds() - counters[COUNTER.started])
        progress.history[place, EVENT.length] = solution_cost(problem, candidate)
        progress.history[place, EVENT.unserved] = float(missing(problem, candidate))
        progress.history[place, EVENT.value] = after
        counters[COUNTER.events] = place + 1
    destroy, repair = int(trial[TRIAL.destroy]), int(trial[TRIAL.repair])
    trial[TRIAL.fraction] = values[VALUE.fraction]
    trial[TRIAL.changed] = 0.0
    if accepted:
        key = changed_fingerprint(problem, candidate, current, progress.visited[CURRENT_KEY])
        if key != progress.visited[CURRENT_KEY]:
            progress.visited[CURRENT_KEY] = key
            trial[TRIAL.changed] = 1.0
        if first_visit(progress.visited, key) and outcome != OUTCOME.new_best:
            outcome = OUTCOME.better if after < trial[TRIAL.before] - values[VALUE.tolerance] else OUTCOME.accepted
        add_to_journal(best, candidate)
        copy_touched(current, candidate, candidate)
        if outcome == OUTCOME.new_best:
            copy_touched(best, current, best)
        values[VALUE.current] = after
        progress.accepted[destroy, repair] += 1
    trial[TRIAL.outcome] = float(outcome)
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
