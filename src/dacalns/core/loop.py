"""The compiled search loop."""

from typing import NamedTuple

import numpy as np

from dacalns.core.clock import nanoseconds
from dacalns.core.jit import caller, kernel
from dacalns.core.records import numbered
from dacalns.core.selection import OUTCOME, SELECT_DESTROY, SELECT_REPAIR, UPDATE
from dacalns.core.stepper import CALL, COUNTER, FAILED, VALUE, accept_step, destroy_step, repair_step
from dacalns.core.stopping import used_fraction
from dacalns.core.terms import missing


class Ending(NamedTuple):
    """Why the loop returned."""

    paused: int
    finished: int
    no_such_operator: int  #: the selector chose a number that no operator has
    broken: int  #: an operator failed, or left what is no solution


ENDING = numbered(Ending)

ask_destroy, ask_repair, tell = caller(SELECT_DESTROY), caller(SELECT_REPAIR), caller(UPDATE)


@kernel
def run(
    problem, current, candidate, best, progress, destroy_operators, scales, repair_operators,
    select_destroy, select_repair, update, selector_memory, accept, accept_memory,
    stop_kinds, stop_values, stop_stack, rng, pause_after, pause_iteration, pause_on_best,
):  # fmt: skip
    """Iterate until the stopping program says so, for ``pause_after`` nanoseconds, or up to ``pause_iteration``.

    Returns one of `Ending`. All state is in the arguments, so a paused run goes on as if it had never paused. The loop
    also pauses when the history is full, so that the caller can empty it; on a new best if ``pause_on_best``; and when
    ``counters[COUNTER.stop]`` is set. If a function that it called has ended it, ``counters[COUNTER.called]`` and
    ``counters[COUNTER.which]`` say which one that was.
    """
    counters, values = progress.counters, progress.values
    now = nanoseconds()
    pause_at = now + pause_after
    while True:
        seconds = 1e-9 * (now - counters[COUNTER.started])
        stalled = counters[COUNTER.iteration] - counters[COUNTER.best_iteration]
        # An unfinished solution meets no target.
        best_value = values[VALUE.best] if missing(problem, best) == 0 else np.inf
        fraction = used_fraction(
            stop_kinds, stop_values, stop_stack, counters[COUNTER.iteration], seconds, stalled,
            values[VALUE.start], best_value,
        )  # fmt: skip
        values[VALUE.fraction] = max(values[VALUE.fraction], fraction)  # a new best must not heat the search up again
        full = counters[COUNTER.events] == len(progress.history)
        due = now >= pause_at or counters[COUNTER.iteration] >= pause_iteration or counters[COUNTER.stop]
        if fraction >= 1.0 or due or full:
            progress.selection_time[0] += nanoseconds() - now  # the last update
            counters[COUNTER.called] = CALL.nobody
            return ENDING.finished if fraction >= 1.0 else ENDING.paused

        counters[COUNTER.called] = CALL.selecting_destroy
        destroy = ask_destroy(select_destroy, (selector_memory, problem, current, rng))
        if not 0 <= destroy < len(progress.destroy_time):
            counters[COUNTER.which] = destroy
            return ENDING.no_such_operator
        chosen = nanoseconds()
        destroyed = destroy_step(
            problem, current, candidate, progress, destroy_operators, scales, destroy, rng, chosen
        )  # fmt: skip
        if destroyed == FAILED:
            return ENDING.broken
        counters[COUNTER.called] = CALL.selecting_repair
        repair = ask_repair(select_repair, (selector_memory, problem, candidate, destroy, rng))
        if not 0 <= repair < len(progress.repair_time):
            counters[COUNTER.which] = repair
            return ENDING.no_such_operator
        chosen_too = nanoseconds()
        if not repair_step(problem, current, candidate, progress, repair_operators, repair, rng, chosen_too):
            return ENDING.broken
        # From an update to the next choice, asking whether to stop included, it is all selection: each look at the
        # clock costs as much as a draw from a wheel.
        progress.selection_time[0] += (chosen - now) + (chosen_too - destroyed)
        outcome = accept_step(problem, current, candidate, best, progress, accept, accept_memory, rng)
        now = nanoseconds()
        counters[COUNTER.called] = CALL.updating
        tell(update, (selector_memory, progress.trial))
        if pause_on_best and outcome == OUTCOME.new_best:
            pause_at = now
