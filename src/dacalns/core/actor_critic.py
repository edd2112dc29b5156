"""The learned selectors as kernels: rewards, and what happens before and after every choice."""

from dacalns.core.brain import HEAD, STATE
from dacalns.core.jit import glue, inlined, kernel
from dacalns.core.judging import FIRST, first_output, score_destroyed, score_full
from dacalns.core.learning import learn, trace
from dacalns.core.policy_table import (
    DECISION,
    ROW,
    SETTING,
    STATUS,
    decision_column,
    destroy_offsets_row,
    repair_offsets_row,
    repair_row,
)
from dacalns.core.rng import random_float, random_int
from dacalns.core.selection import HEADER, SIZE, TRIAL, draw

# The two reward functions of the paper.


@kernel
def destroy_reward(table, before, destroyed, best):
    """R_destroy of the paper."""
    potential = table[HEADER, SETTING.beta] * (best - destroyed) / max(1e-9, best)
    if destroyed <= best:
        return table[HEADER, SETTING.alpha2] + potential
    if destroyed < before:
        return table[HEADER, SETTING.alpha1] + potential
    return 0.0


@kernel
def repair_reward(table, before, after, best, repair):
    """R_repair of the paper; the uses of the repair operators are those before this one."""
    tier = table[HEADER, SETTING.otherwise]
    if after < best:
        tier = table[HEADER, SETTING.new_best]
    elif after < before:
        tier = table[HEADER, SETTING.better]
    most = 0.0
    for k in range(int(table[HEADER, SIZE.repairs])):
        most = max(most, table[ROW.repair_uses, k])
    return tier + table[HEADER, SETTING.delta] * (1.0 - table[ROW.repair_uses, repair] / max(1.0, most))


# Actor-critic selectors: what AC-ALNS, DAC-ALNS and frozen policies do in the loop.

# How much the last iteration counts in the rates of acceptance and improvement, which are those of about a thousand.
RECENT = 0.001


@inlined
def choose(table, row, size, rng):
    """Draw by the probabilities of a row, or take the most probable; with the exploration rate, draw uniformly."""
    table[row, decision_column(table, DECISION.used)] += 1.0
    if table[HEADER, SETTING.exploration] > 0.0 and random_float(rng) < table[HEADER, SETTING.exploration]:
        return random_int(rng, size)
    if table[HEADER, SETTING.greedy] > 0.0:
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
    repairs = int(table[HEADER, SIZE.repairs])
    table[ROW.status, STATUS.repair] = pair % repairs
    return pair // repairs


@kernel
def is_reused(table):
    """Whether the probabilities of the destroy operators are to be used again."""
    return (
        0.0 < table[ROW.destroy_probabilities, decision_column(table, DECISION.used)] < table[HEADER, SETTING.reuse_for]
    )


@kernel
def is_reused_after(table, destroy):
    """True if the probabilities of the repair operators after ``destroy`` are still used."""
    return table[repair_row(destroy), decision_column(table, DECISION.used)] > 0.0


@glue
def decide_destroy(memory, problem, solution, size):
    """Learn if there is something to learn from, then fill row ACTING for the current solution."""
    table = memory.table
    if table[HEADER, SETTING.learning] > 0.0 and table[ROW.status, STATUS.pending] > 0.0:
        learn(memory, problem, solution)
        table[ROW.status, STATUS.pending] = 0.0
        table[ROW.status, STATUS.is_encoded] = 0.0
    score_full(memory, problem, solution, size)
    trace(memory, STATE.full, HEAD.destroy_actor, FIRST, size, destroy_offsets_row(int(table[HEADER, SIZE.destroys])))


@glue
def dac_destroy(memory, problem, solution, rng):
    """A destroy operator by the first actor."""
    table = memory.table
    destroys = int(table[HEADER, SIZE.destroys])
    if not is_reused(table):
        decide_destroy(memory, problem, solution, destroys)
    return choose(table, ROW.destroy_probabilities, destroys, rng)


@glue
def dac_repair(memory, problem, solution, destroy, rng):
    """A repair operator by the second actor, which sees the destroyed solution and what destroyed it."""
    table = memory.table
    repairs = int(table[HEADER, SIZE.repairs])
    if not is_reused_after(table, destroy):
        score_destroyed(memory, problem, solution, destroy)
        begin, offsets = first_output(table, destroy), repair_offsets_row(int(table[HEADER, SIZE.destroys]), destroy)
        trace(memory, STATE.destroyed, HEAD.repair_actor, begin, repairs, offsets)
    return choose(table, repair_row(destroy), repairs, rng)


@glue
def ac_destroy(memory, problem, solution, rng):
    """The destroy operator of a pair by the one actor; the repair operator is kept for later."""
    table = memory.table
    pairs = int(table[HEADER, SIZE.destroys]) * int(table[HEADER, SIZE.repairs])
    if not is_reused(table):
        decide_destroy(memory, problem, solution, pairs)
    return destroy_of(table, choose(table, ROW.destroy_probabilities, pairs, rng))


@kernel
def ac_repair(memory, problem, solution, destroy, rng):
    """The repair operator of the pair."""
    return int(memory.table[ROW.status, STATUS.repair])


@glue
def frozen_destroy(memory, problem, solution, rng):
    """Choose as the policy was trained to, over pairs or destroy operators; there is nothing to learn."""
    table = memory.table
    size, paired = int(table[HEADER, SIZE.destroys]), table[HEADER, SETTING.paired] > 0.0
    if paired:
        size *= int(table[HEADER, SIZE.repairs])
    if not is_reused(table):
        score_full(memory, problem, solution, size)
    chosen = choose(table, ROW.destroy_probabilities, size, rng)
    return destroy_of(table, chosen) if paired else chosen


@glue
def frozen_repair(memory, problem, solution, destroy, rng):
    """Choose as the policy was trained to, over pairs or repair operators."""
    table = memory.table
    if table[HEADER, SETTING.paired] > 0.0:
        return int(table[ROW.status, STATUS.repair])
    # With one repair operator alone there is nothing to look at the destroyed solution for.
    if table[HEADER, SIZE.repairs] > 1.0 and not is_reused_after(table, destroy):
        score_destroyed(memory, problem, solution, destroy)
    return choose(table, repair_row(destroy), int(table[HEADER, SIZE.repairs]), rng)


@kernel
def note_progress(memory, trial):
    """Note where the search stands now: all that a frozen policy need know of an iteration."""
    status = memory.table[ROW.status]
    status[STATUS.fraction] = trial[TRIAL.fraction]
    if trial[TRIAL.changed] > 0.0:
        status[STATUS.is_encoded] = 0.0
        best = min(trial[TRIAL.best], trial[TRIAL.after])
        # In units of 5 %, which is far for an annealed search.
        status[STATUS.gap] = min(1.0, 20.0 * (trial[TRIAL.after] - best) / max(1e-9, best))
    if trial[TRIAL.after] < trial[TRIAL.best]:
        status[STATUS.best_at] = trial[TRIAL.fraction]
    status[STATUS.acceptance_rate] += RECENT * (trial[TRIAL.changed] - status[STATUS.acceptance_rate])
    better = 1.0 if trial[TRIAL.after] < trial[TRIAL.before] else 0.0
    status[STATUS.improvement_rate] += RECENT * (better - status[STATUS.improvement_rate])


@kernel
def note_trial(memory, trial):
    """Note the iteration's rewards too; the learning waits for the next state."""
    table = memory.table
    status = table[ROW.status]
    destroy, repair = int(trial[TRIAL.destroy]), int(trial[TRIAL.repair])
    status[STATUS.destroy] = destroy
    status[STATUS.repair] = repair
    status[STATUS.reward_destroy] = destroy_reward(
        table, trial[TRIAL.before], trial[TRIAL.destroyed], trial[TRIAL.best]
    )
    status[STATUS.reward_repair] = repair_reward(
        table, trial[TRIAL.before], trial[TRIAL.after], trial[TRIAL.best], repair
    )
    status[STATUS.total_reward] += status[STATUS.reward_destroy] + status[STATUS.reward_repair]
    table[ROW.repair_uses, repair] += 1.0
    status[STATUS.pending] = 1.0
    status[STATUS.changed] = trial[TRIAL.changed]
    status[STATUS.iterations] += 1.0
    note_progress(memory, trial)
