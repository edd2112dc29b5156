"""The learned selectors as kernels: rewards, and what happens before and after every choice."""

from dacalns.core.brain import DESTROY_ACTOR, DESTROYED_STATE, FULL, REPAIR_ACTOR
from dacalns.core.jit import glue, inlined, kernel
from dacalns.core.judging import FIRST, first_output, judge_destroyed, judge_full
from dacalns.core.learning import learn, trace
from dacalns.core.policy_table import (
    ACCEPTANCE_RATE,
    ACTED_DESTROY,
    ACTED_REPAIR,
    ACTING,
    AGE,
    ALPHA_1,
    ALPHA_2,
    BEST_AT,
    BETA,
    DELTA,
    EXPLORATION,
    FRACTION_USED,
    FRESH,
    GAP,
    GREEDY,
    HELD_FOR,
    HOLD,
    IMPROVEMENT_RATE,
    LEARNING,
    MOVED,
    PAIRED,
    PENDING,
    R_BEST,
    R_BETTER,
    R_OTHER,
    REWARD_DESTROY,
    REWARD_REPAIR,
    STATUS,
    TOTAL_REWARD,
    USES,
    destroy_offsets_row,
    held,
    repair_offsets_row,
    repair_row,
)
from dacalns.core.rng import random_float, random_int
from dacalns.core.selection import (
    AFTER,
    BEFORE,
    BEST,
    CHANGED,
    DESTROY,
    DESTROYED,
    DESTROYS,
    HEADER,
    REPAIR,
    REPAIRS,
    USED_UP,
    draw,
)

# The two reward functions of the paper.


@kernel
def destroy_reward(table, before, destroyed, best):
    """R_destroy of the paper."""
    potential = table[HEADER, BETA] * (best - destroyed) / max(1e-9, best)
    if destroyed <= best:
        return table[HEADER, ALPHA_2] + potential
    if destroyed < before:
        return table[HEADER, ALPHA_1] + potential
    return 0.0


@kernel
def repair_reward(table, before, after, best, repair):
    """R_repair of the paper; the uses of the repair operators are those before this one."""
    tier = table[HEADER, R_OTHER]
    if after < best:
        tier = table[HEADER, R_BEST]
    elif after < before:
        tier = table[HEADER, R_BETTER]
    most = 0.0
    for k in range(int(table[HEADER, REPAIRS])):
        most = max(most, table[USES, k])
    return tier + table[HEADER, DELTA] * (1.0 - table[USES, repair] / max(1.0, most))


# Actor-critic selectors: what AC-ALNS, DAC-ALNS and frozen policies do in the loop.

# How much the last iteration counts in the rates of acceptance and improvement, which are those of about a thousand.
RECENT = 0.001


@inlined
def choose(table, row, size, rng):
    """Draw by the probabilities of a row, or take the most probable; with the exploration rate, draw uniformly."""
    table[row, held(table, HELD_FOR)] += 1.0
    if table[HEADER, EXPLORATION] > 0.0 and random_float(rng) < table[HEADER, EXPLORATION]:
        return random_int(rng, size)
    if table[HEADER, GREEDY] > 0.0:
        return most_probable(table, row, size)
    return draw(table, row, size, rng)


@kernel
def most_probable(table, row, size):
    """The first of the largest numbers in a row."""
    best = 0
    for k in range(1, size):
        if table[row, k] > table[row, best]:
            best = k
    return best


@kernel
def destroy_of(table, pair):
    """The destroy operator of a pair; its repair operator is kept for later."""
    repairs = int(table[HEADER, REPAIRS])
    table[STATUS, ACTED_REPAIR] = pair % repairs
    return pair // repairs


@kernel
def is_held(table):
    """Whether the probabilities of the destroy operators are to be used again."""
    return 0.0 < table[ACTING, held(table, HELD_FOR)] < table[HEADER, HOLD]


@kernel
def is_held_after(table, destroy):
    """Whether those of the repair operators after ``destroy`` are."""
    return table[repair_row(destroy), held(table, HELD_FOR)] > 0.0


@glue
def decide_destroy(memory, problem, solution, size):
    """Learn if there is something to learn from, then fill row ACTING for the current solution."""
    table = memory.table
    if table[HEADER, LEARNING] > 0.0 and table[STATUS, PENDING] > 0.0:
        learn(memory, problem, solution)
        table[STATUS, PENDING] = 0.0
        table[STATUS, FRESH] = 0.0
    judge_full(memory, problem, solution, size)
    trace(memory, FULL, DESTROY_ACTOR, FIRST, size, destroy_offsets_row(int(table[HEADER, DESTROYS])))


@glue
def dac_destroy(memory, problem, solution, rng):
    """A destroy operator by the first actor."""
    table = memory.table
    destroys = int(table[HEADER, DESTROYS])
    if not is_held(table):
        decide_destroy(memory, problem, solution, destroys)
    return choose(table, ACTING, destroys, rng)


@glue
def dac_repair(memory, problem, solution, destroy, rng):
    """A repair operator by the second actor, which sees the destroyed solution and what destroyed it."""
    table = memory.table
    repairs = int(table[HEADER, REPAIRS])
    if not is_held_after(table, destroy):
        judge_destroyed(memory, problem, solution, destroy)
        begin, offsets = first_output(table, destroy), repair_offsets_row(int(table[HEADER, DESTROYS]), destroy)
        trace(memory, DESTROYED_STATE, REPAIR_ACTOR, begin, repairs, offsets)
    return choose(table, repair_row(destroy), repairs, rng)


@glue
def ac_destroy(memory, problem, solution, rng):
    """The destroy operator of a pair by the one actor; the repair operator is kept for later."""
    table = memory.table
    pairs = int(table[HEADER, DESTROYS]) * int(table[HEADER, REPAIRS])
    if not is_held(table):
        decide_destroy(memory, problem, solution, pairs)
    return destroy_of(table, choose(table, ACTING, pairs, rng))


@kernel
def ac_repair(memory, problem, solution, destroy, rng):
    """The repair operator of the pair."""
    return int(memory.table[STATUS, ACTED_REPAIR])


@glue
def frozen_destroy(memory, problem, solution, rng):
    """Choose as the policy was trained to, over pairs or destroy operators; there is nothing to learn."""
    table = memory.table
    size, paired = int(table[HEADER, DESTROYS]), table[HEADER, PAIRED] > 0.0
    if paired:
        size *= int(table[HEADER, REPAIRS])
    if not is_held(table):
        judge_full(memory, problem, solution, size)
    chosen = choose(table, ACTING, size, rng)
    return destroy_of(table, chosen) if paired else chosen


@glue
def frozen_repair(memory, problem, solution, destroy, rng):
    """Choose as the policy was trained to, over pairs or repair operators."""
    table = memory.table
    if table[HEADER, PAIRED] > 0.0:
        return int(table[STATUS, ACTED_REPAIR])
    # With one repair operator alone there is nothing to look at the destroyed solution for.
    if table[HEADER, REPAIRS] > 1.0 and not is_held_after(table, destroy):
        judge_destroyed(memory, problem, solution, destroy)
    return choose(table, repair_row(destroy), int(table[HEADER, REPAIRS]), rng)


@kernel
def note_progress(memory, trial):
    """Note where the search stands now: all that a frozen policy need know of an iteration."""
    status = memory.table[STATUS]
    status[FRACTION_USED] = trial[USED_UP]
    if trial[CHANGED] > 0.0:
        status[FRESH] = 0.0
        best = min(trial[BEST], trial[AFTER])
        # In units of 5 %, which is far for an annealed search.
        status[GAP] = min(1.0, 20.0 * (trial[AFTER] - best) / max(1e-9, best))
    if trial[AFTER] < trial[BEST]:
        status[BEST_AT] = trial[USED_UP]
    status[ACCEPTANCE_RATE] += RECENT * (trial[CHANGED] - status[ACCEPTANCE_RATE])
    better = 1.0 if trial[AFTER] < trial[BEFORE] else 0.0
    status[IMPROVEMENT_RATE] += RECENT * (better - status[IMPROVEMENT_RATE])


@kernel
def note_trial(memory, trial):
    """Note the iteration's rewards too; the learning waits for the next state."""
    table = memory.table
    status = table[STATUS]
    destroy, repair = int(trial[DESTROY]), int(trial[REPAIR])
    status[ACTED_DESTROY] = destroy
    status[ACTED_REPAIR] = repair
    status[REWARD_DESTROY] = destroy_reward(table, trial[BEFORE], trial[DESTROYED], trial[BEST])
    status[REWARD_REPAIR] = repair_reward(table, trial[BEFORE], trial[AFTER], trial[BEST], repair)
    status[TOTAL_REWARD] += status[REWARD_DESTROY] + status[REWARD_REPAIR]
    table[USES, repair] += 1.0
    status[PENDING] = 1.0
    status[MOVED] = trial[CHANGED]
    status[AGE] += 1.0
    note_progress(memory, trial)
