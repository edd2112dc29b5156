"""The compiled search loop."""

import numpy as np

from dacalns.core.clock import nanoseconds
from dacalns.core.jit import caller, kernel
from dacalns.core.model import BANKED
from dacalns.core.selection import NEW_BEST, SELECT_DESTROY, SELECT_REPAIR, UPDATE
from dacalns.core.stepper import (
    BEST_ITERATION,
    BEST_VALUE,
    CALLED,
    EVENTS,
    FAILED,
    FRACTION,
    ITERATION,
    NOBODY,
    SELECTING_DESTROY,
    SELECTING_REPAIR,
    START_VALUE,
    STARTED,
    STOP,
    UPDATING,
    WHICH,
    accept_step,
    destroy_step,
    repair_step,
)
from dacalns.core.stopping import used_fraction

PAUSED, FINISHED, NO_SUCH_OPERATOR, BROKEN = 0, 1, 2, 3
ask_destroy, ask_repair, tell = caller(SELECT_DESTROY), caller(SELECT_REPAIR), caller(UPDATE)


@kernel
def run(
    problem, current, candidate, best, progress, destroy_operators, scales, repair_operators,
    select_destroy, select_repair, update, selector_memory, accept, accept_memory,
    stop_kinds, stop_values, stop_stack, rng, pause_after, pause_iteration, pause_on_best,
):  # fmt: skip
    """Iterate until the stopping program says so, for ``pause_after`` nanoseconds, or up to ``pause_iteration``.

    Returns whether it has finished or paused. All state is in the arguments, so a paused run goes on as if it had
    never paused. It also pauses when the history is full, so that the caller can empty it, on a new best where the
    caller wants to hear of it, and where ``counters[STOP]`` is set. Where it ends because of a function that it called,
    the counters say which one that was.
    """
    counters, values = progress.counters, progress.values
    now = nanoseconds()
    pause_at = now + pause_after
    while True:
        seconds = 1e-9 * (now - counters[STARTED])
        stalled = counters[ITERATION] - counters[BEST_ITERATION]
        # An unfinished solution meets no target.
        best_value = values[BEST_VALUE] if best.counts[BANKED] == 0 else np.inf
        fraction = used_fraction(
            stop_kinds, stop_values, stop_stack, counters[ITERATION], seconds, stalled,
            values[START_VALUE], best_value,
        )  # fmt: skip
        values[FRACTION] = max(values[FRACTION], fraction)  # a new best must not heat the search up again
        full = counters[EVENTS] == len(progress.history)
        due = now >= pause_at or counters[ITERATION] >= pause_iteration or counters[STOP]
        if fraction >= 1.0 or due or full:
            progress.selection_time[0] += nanoseconds() - now  # the last update
            counters[CALLED] = NOBODY
            return FINISHED if fraction >= 1.0 else PAUSED

        counters[CALLED] = SELECTING_DESTROY
        destroy = ask_destroy(select_destroy, (selector_memory, problem, current, rng))
        if not 0 <= destroy < len(progress.destroy_time):
            counters[WHICH] = destroy
            return NO_SUCH_OPERATOR
        chosen = nanoseconds()
        destroyed = destroy_step(
            problem, current, candidate, progress, destroy_operators, scales, destroy, rng, chosen
        )  # fmt: skip
        if destroyed == FAILED:
            return BROKEN
        counters[CALLED] = SELECTING_REPAIR
        repair = ask_repair(select_repair, (selector_memory, problem, candidate, destroy, rng))
        if not 0 <= repair < len(progress.repair_time):
            counters[WHICH] = repair
            return NO_SUCH_OPERATOR
        chosen_too = nanoseconds()
        if not repair_step(problem, current, candidate, progress, repair_operators, repair, rng, chosen_too):
            return BROKEN
        # From an update to the next choice, asking whether to stop included, it is all selection: each look at the
        # clock costs as much as a draw from a wheel.
        progress.selection_time[0] += (chosen - now) + (chosen_too - destroyed)
        outcome = accept_step(problem, current, candidate, best, progress, accept, accept_memory, rng)
        now = nanoseconds()
        counters[CALLED] = UPDATING
        tell(update, (selector_memory, progress.trial))
        if pause_on_best and outcome == NEW_BEST:
            pause_at = now
