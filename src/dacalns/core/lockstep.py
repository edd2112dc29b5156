"""Many searches, driven from outside: each goes the steps that it is told, all in one call of compiled code."""

from typing import NamedTuple

from numba import types

from dacalns.core.actor_critic import RECENT
from dacalns.core.clock import nanoseconds
from dacalns.core.frames import (
    FRAME,
    NOTE,
    PHASE,
    engine_at,
    problem_at,
    progress_at,
    rich_problem_at,
    rich_solution_at,
    solution_at,
)
from dacalns.core.jit import caller, glue, inlined, kernel
from dacalns.core.memory import view
from dacalns.core.model import BANKED
from dacalns.core.records import numbered
from dacalns.core.selection import TRIAL
from dacalns.core.stepper import COUNTER, FAILED, VALUE, accept_step, destroy_step, repair_step

# What is to be done, added up.
DESTROY, REPAIR, ACCEPT = 1, 2, 4
WHOLE = DESTROY + REPAIR + ACCEPT
# For a destroy operator that draws how many customers it takes.
DRAWN = 0


class Done(NamedTuple):
    """The columns of what came of a step: costs are objectives, those of the last phase are still missing before it."""

    destroy: int
    repair: int
    outcome: int  #: see `dacalns.core.selection.OutcomeNumber`
    accepted: int
    before: int
    destroyed: int  #: the length of what destroying left
    after: int
    best: int  #: the best before
    seconds: int  #: of both operators
    removed: int


DONE = numbered(Done)


class Trouble(NamedTuple):
    """How a step ended."""

    none: int
    no_such_destroy: int
    no_such_repair: int
    broken: int  #: an operator has failed, or the criterion
    not_destroyed: int  #: there was nothing to repair
    not_repaired: int  #: there was nothing to accept


TROUBLE = numbered(Trouble)

MOVE = types.int64(types.int64[::1], types.int64, types.int64, types.int64, types.int64, types.float64[::1])
call_move = caller(MOVE)


@inlined
def _move(problem, current, candidate, best, progress, engine, accept, phases, destroy, repair, count, row):
    """Do some phases of an iteration, and note in ``row`` what came of them."""
    counters, values, trial, notes = progress.counters, progress.values, progress.trial, engine.notes
    if phases & DESTROY:
        if not 0 <= destroy < len(progress.destroy_time):
            return TROUBLE.no_such_destroy
        used = min(1.0, counters[COUNTER.iteration] / notes[NOTE.budget])
        values[VALUE.fraction] = max(values[VALUE.fraction], used)
        notes[NOTE.phase] = float(PHASE.whole)
        low, high = engine.scales[destroy, 0], engine.scales[destroy, 1]
        if count > DRAWN:
            engine.scales[destroy, 0] = engine.scales[destroy, 1] = min(count, len(candidate.route) - 1)
        ended = destroy_step(
            problem, current, candidate, progress, engine.destroy_operators, engine.scales, destroy, engine.rng,
            nanoseconds(),
        )  # fmt: skip
        engine.scales[destroy, 0], engine.scales[destroy, 1] = low, high
        if ended == FAILED or counters[COUNTER.stop]:
            return TROUBLE.broken
        notes[NOTE.phase] = float(PHASE.destroyed)
        notes[NOTE.removed] = float(candidate.counts[BANKED] - current.counts[BANKED])
    if phases & REPAIR:
        if notes[NOTE.phase] != PHASE.destroyed:
            return TROUBLE.not_destroyed
        if not 0 <= repair < len(progress.repair_time):
            return TROUBLE.no_such_repair
        repaired = repair_step(
            problem, current, candidate, progress, engine.repair_operators, repair, engine.rng, nanoseconds()
        )
        if not repaired or counters[COUNTER.stop]:
            return TROUBLE.broken
        notes[NOTE.phase] = float(PHASE.repaired)
    if phases & ACCEPT:
        if notes[NOTE.phase] != PHASE.repaired:
            return TROUBLE.not_repaired
        pair = int(trial[TRIAL.destroy]), int(trial[TRIAL.repair])
        times = progress.accepted[pair]
        outcome = accept_step(problem, current, candidate, best, progress, accept, engine.accept_memory, engine.rng)
        counters[COUNTER.events] = 0
        if counters[COUNTER.stop]:
            return TROUBLE.broken
        notes[NOTE.phase] = float(PHASE.whole)
        if trial[TRIAL.after] < trial[TRIAL.best]:
            notes[NOTE.best_at] = trial[TRIAL.fraction]
        better = 1.0 if trial[TRIAL.after] < trial[TRIAL.before] else 0.0
        notes[NOTE.acceptance_rate] += RECENT * (trial[TRIAL.changed] - notes[NOTE.acceptance_rate])
        notes[NOTE.improvement_rate] += RECENT * (better - notes[NOTE.improvement_rate])
        row[DONE.outcome] = float(outcome)
        row[DONE.accepted] = float(progress.accepted[pair] - times)
    row[DONE.destroy] = trial[TRIAL.destroy]
    row[DONE.repair] = trial[TRIAL.repair]
    row[DONE.before] = trial[TRIAL.before]
    row[DONE.destroyed] = trial[TRIAL.destroyed]
    row[DONE.after] = trial[TRIAL.after]
    row[DONE.best] = trial[TRIAL.best]
    row[DONE.seconds] = trial[TRIAL.seconds]
    row[DONE.removed] = notes[NOTE.removed]
    return TROUBLE.none


@glue
def move_plain(frame, phases, destroy, repair, count, row):
    """Go a step of a CVRP or VRPTW."""
    return _move(
        problem_at(frame[FRAME.problem]), solution_at(frame[FRAME.current]), solution_at(frame[FRAME.candidate]),
        solution_at(frame[FRAME.best]), progress_at(frame[FRAME.progress]), engine_at(frame[FRAME.engine]),
        frame[FRAME.accept], phases, destroy, repair, count, row,
    )  # fmt: skip


@glue
def move_rich(frame, phases, destroy, repair, count, row):
    """Go a step of a rich problem."""
    return _move(
        rich_problem_at(frame[FRAME.problem]), rich_solution_at(frame[FRAME.current]),
        rich_solution_at(frame[FRAME.candidate]), rich_solution_at(frame[FRAME.best]),
        progress_at(frame[FRAME.progress]), engine_at(frame[FRAME.engine]),
        frame[FRAME.accept], phases, destroy, repair, count, row,
    )  # fmt: skip


@kernel
def advance(frames, phases, destroy, repair, counts, rows, done, troubles):
    """Go the same number of steps with each of several searches; return how many of them could not go all of theirs.

    ``phases``, ``destroy``, ``repair`` and ``counts`` have a row for each search and a column for each step; ``rows``
    has as many rows of `Done`, one behind the other. Whoever has trouble stops there; the others go on.
    """
    width, steps, stuck = len(FRAME), destroy.shape[1], 0
    for which in range(len(done)):
        frame = view(frames, which * width, (width,))
        done[which], troubles[which] = steps, TROUBLE.none
        for k in range(steps):
            row = view(rows, (which * steps + k) * len(DONE), (len(DONE),))
            trouble = call_move(
                frame[FRAME.move],
                (frame, phases[which], destroy[which, k], repair[which, k], counts[which, k], row),
            )
            if trouble != TROUBLE.none:
                done[which], troubles[which] = k, trouble
                stuck += 1
                break
    return stuck
