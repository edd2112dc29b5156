"""Actor-critic selectors: what the kernels of AC-ALNS, DAC-ALNS and of frozen policies do in the loop.

An iteration makes two transitions, from the full solution over the destroyed one to the full solution after it. Both
are learned from when the next destroy operator is asked for, because only then the last state is there to be judged.
"""

import math

import numpy as np
from numba import types

from dacalns.core.apart import apart
from dacalns.core.brain import (
    CONTEXT,
    CRITIC,
    DESTROY_ACTOR,
    DESTROYED_STATE,
    FULL,
    GRADIENT,
    HIDDEN,
    MEAN,
    NEXT,
    REPAIR_ACTOR,
    SQUARE,
    THETA,
    encoder_in,
    look,
    outputs_in,
    pooled_in,
    vector_in,
    workspace_in,
)
from dacalns.core.clock import nanoseconds
from dacalns.core.jit import glue, kernel
from dacalns.core.model import BANKED, PROBLEM, SOLUTION
from dacalns.core.network import adam, clear, encode, encode_back, judge, judge_back, square_sum, transpose
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
    MEMORY,
    REPAIR,
    REPAIRS,
    USED_UP,
    draw,
)

# Row 0 of the table: settings. Rewards and learning in the order of the fields of their dataclasses.
LEARNING, PAIRED, HOLD, UNIT = 2, 3, 4, 5
ALPHA_1, ALPHA_2, BETA, DELTA, R_BEST, R_BETTER, R_OTHER = 6, 7, 8, 9, 10, 11, 12
RATE, DISCOUNT, ENTROPY, EXPLORATION, VALUE_WEIGHT = 13, 14, 15, 16, 17
CLIP, REWARD_SCALE, NORMALISE, CREDIT, TRACED, BLOCKED = 18, 19, 20, 21, 22, 23
# What LEARNING may be: a frozen policy; all of it learns; the critic's head alone.
FROZEN, WHOLE, CRITIC_ALONE = 0, 1, 2
# Row 1: where the learner stands.
PENDING, FRESH, STEP, SPREAD, ACTED_DESTROY, ACTED_REPAIR, REWARD_DESTROY, REWARD_REPAIR = 0, 1, 2, 3, 4, 5, 6, 7
MOVED, FRACTION_USED, GAP, BEST_AT, AGE, SKIPPED = 8, 9, 10, 11, 12, 13
FEATURE_TIME, FORWARD_TIME, BACKWARD_TIME = 14, 15, 16
TOTAL_REWARD, TOTAL_LOSS, UPDATES, STRIDE, FILLED, IN_POINT = 17, 18, 19, 20, 21, 22
HELD_DESTROY, HELD_ENTROPY, HELD_VALUE = 23, 24, 25
COLUMNS = 26
# Row 2: how often each repair operator was used. Row 3: probabilities of the destroy operators. Then for each destroy
# operator the probabilities of the repair operators after it (counted from its end: whether they are held, their
# entropy and the critic's value; see HELD), their sums over the run (its last column: how many), and what is added to
# the outputs of the repair actor; one more such row for the destroy actor. Then the log, of LOG_POINTS rows.
STATUS, USES, ACTING, AFTER_DESTROY = 1, 2, np.int64(3), 4
HELD, ENTROPY_HELD, VALUE_HELD = 1, 2, 3
LOG_POINTS = 128
COUNT, ENTROPY_DESTROY, ENTROPY_REPAIR, VALUE_DESTROY, VALUE_REPAIR, LOGGED = 0, 1, 2, 3, 4, 5
# The destroy actor's outputs begin here; of NumPy's type for the reason given in `dacalns.core.brain`.
FIRST = np.int64(0)
# No advantage is larger: rewards that explode must not take the parameters along.
LARGEST_ADVANTAGE = 1e4


def first_log_row(destroys: int) -> int:
    """Where the log begins."""
    return AFTER_DESTROY + 3 * destroys + 1


def table_shape(destroys: int, repairs: int) -> tuple[int, int]:
    """Rows and columns of the table."""
    return first_log_row(destroys) + LOG_POINTS, max(COLUMNS, LOGGED + destroys + repairs, destroys * repairs + 1)


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


@kernel
def softmax_into(output, head, begin, size, table, row, offsets):
    """The probabilities of some of a head's outputs plus offsets, in a row of the table; equal ones if one is NaN."""
    most = -np.inf
    for k in range(size):
        most = max(most, output[head, begin + k] + table[offsets, k])
    total = 0.0
    for k in range(size):
        table[row, k] = math.exp(output[head, begin + k] + table[offsets, k] - most)
        total += table[row, k]
    for k in range(size):
        table[row, k] = table[row, k] / total if total > 0.0 and total < np.inf else 1.0 / size


@kernel
def entropy_of(table, row, size):
    """Of a row of probabilities, in nats."""
    total = 0.0
    for k in range(size):
        if table[row, k] > 0.0:
            total -= table[row, k] * math.log(table[row, k])
    return total


@kernel
def explore_or_draw(table, row, size, rng):
    """Draw by the probabilities of a row, or with the exploration rate uniformly."""
    if table[HEADER, EXPLORATION] > 0.0 and random_float(rng) < table[HEADER, EXPLORATION]:
        return random_int(rng, size)
    return draw(table, row, size, rng)


@kernel
def set_context(memory, which, removed, operator):
    """The scalars behind the pooled vector: the paper's two, and where the search stands if there is room."""
    table, vector = memory.table, pooled_in(memory, which)
    at = 2 * memory.index[HIDDEN]
    vector[at] = removed
    vector[at + 1] = operator
    if memory.index[CONTEXT] > 2:
        vector[at + 2] = table[STATUS, FRACTION_USED]
        vector[at + 3] = table[STATUS, GAP]
        vector[at + 4] = table[STATUS, FRACTION_USED] - table[STATUS, BEST_AT]


@apart(types.void(MEMORY, PROBLEM, SOLUTION, types.int64))
@glue
def embed(memory, problem, solution, which):
    """Read a solution and encode it."""
    table = memory.table
    began = nanoseconds()
    look(memory, problem, solution, table[HEADER, UNIT], which)
    seen = nanoseconds()
    encode(memory, which)
    table[STATUS, FEATURE_TIME] += seen - began
    table[STATUS, FORWARD_TIME] += nanoseconds() - seen


@glue
def ask(memory, which, actor):
    """Let the critic and an actor judge a state."""
    began = nanoseconds()
    judge(memory, which, CRITIC)
    judge(memory, which, actor)
    memory.table[STATUS, FORWARD_TIME] += nanoseconds() - began


@kernel
def removed_fraction(solution):
    """The paper's rho: how many of the customers wait in the bank."""
    return solution.counts[BANKED] / (len(solution.route) - 1)


@apart(types.void(MEMORY, PROBLEM, SOLUTION))
@glue
def learn(memory, problem, solution):
    """Learn from the iteration that has ended; ``solution`` is what it left as the current one."""
    table = memory.table
    if table[STATUS, MOVED] > 0.0:
        embed(memory, problem, solution, NEXT)
    else:
        vector, same = pooled_in(memory, NEXT), pooled_in(memory, FULL)
        for k in range(2 * memory.index[HIDDEN]):
            vector[k] = same[k]
    set_context(memory, NEXT, 0.0, 0.0)
    began = nanoseconds()
    judge(memory, NEXT, CRITIC)
    table[STATUS, FORWARD_TIME] += nanoseconds() - began

    began = nanoseconds()
    gradient = vector_in(memory, GRADIENT)
    transpose(encoder_in(memory, THETA).w2, workspace_in(memory).transposed)
    clear(gradient)
    header, status = table[HEADER], table[STATUS]
    destroys, repairs = int(header[DESTROYS]), int(header[REPAIRS])
    destroy, repair = int(status[ACTED_DESTROY]), int(status[ACTED_REPAIR])
    scale, discount = header[REWARD_SCALE], header[DISCOUNT]
    now, after = outputs_in(memory, FULL)[CRITIC, 0], outputs_in(memory, NEXT)[CRITIC, 0]
    if header[PAIRED] > 0.0:
        error = bounded(scale * (status[REWARD_DESTROY] + status[REWARD_REPAIR]) + discount * after - now)
        learn_state(memory, FULL, DESTROY_ACTOR, FIRST, destroys * repairs, destroy * repairs + repair, error)
    else:
        middle = outputs_in(memory, DESTROYED_STATE)[CRITIC, 0]
        reward = scale * (status[REWARD_DESTROY] + header[CREDIT] * status[REWARD_REPAIR])
        error = bounded(reward + discount * middle - now)
        learn_state(memory, FULL, DESTROY_ACTOR, FIRST, destroys, destroy, error)
        error = bounded(scale * status[REWARD_REPAIR] + discount * after - middle)
        begin = first_output(table, destroy)
        learn_state(memory, DESTROYED_STATE, REPAIR_ACTOR, begin, repairs, repair, error)
    status[UPDATES] += 1.0
    squares = square_sum(gradient)
    if squares < np.inf:  # neither infinite nor no number
        factor = 1.0
        if header[CLIP] > 0.0 and squares > header[CLIP] * header[CLIP]:
            factor = header[CLIP] / math.sqrt(squares)
        status[STEP] += 1.0
        mean, square = vector_in(memory, MEAN), vector_in(memory, SQUARE)
        adam(vector_in(memory, THETA), gradient, mean, square, status[STEP], header[RATE], factor)
    else:
        status[SKIPPED] += 1.0
    status[BACKWARD_TIME] += nanoseconds() - began


@kernel
def bounded(error):
    """Keep an advantage within limits."""
    return min(max(error, -LARGEST_ADVANTAGE), LARGEST_ADVANTAGE)


@glue
def learn_state(memory, which, actor, begin, size, chosen, error):
    """Add the gradients of one decision: policy gradient on the TD error, entropy, and the critic's square error.

    The decision was among the ``size`` outputs of the actor from ``begin`` on.
    """
    table, outputs = memory.table, outputs_in(memory, which)
    clear(workspace_in(memory).vector)
    table[STATUS, TOTAL_LOSS] += error * error
    advantage = error
    if table[HEADER, NORMALISE] > 0.0:
        table[STATUS, SPREAD] += 0.01 * (error * error - table[STATUS, SPREAD])
        advantage = error / math.sqrt(max(table[STATUS, SPREAD], 1e-8))
    # Nobody needs the outputs any more, so the slopes take their place.
    clear(outputs[CRITIC])
    outputs[CRITIC, 0] = -2.0 * table[HEADER, VALUE_WEIGHT] * error
    judge_back(memory, which, CRITIC)
    if int(table[HEADER, LEARNING]) == CRITIC_ALONE:
        return
    policy_slopes(outputs[actor], begin, size, chosen, advantage, table[HEADER, ENTROPY])
    judge_back(memory, which, actor)
    encode_back(memory, which)


@kernel
def first_output(table, destroy):
    """Where the repair actor's outputs after a destroy operator begin: each may have a block of its own."""
    return destroy * int(table[HEADER, REPAIRS]) if table[HEADER, BLOCKED] > 0.0 else 0


@kernel
def policy_slopes(outputs, begin, size, chosen, advantage, entropy_weight):
    """Turn outputs into the slopes of -advantage log p(chosen) - entropy_weight H(p), in place; others into zero."""
    most = -np.inf
    for k in range(begin, begin + size):
        most = max(most, outputs[k])
    total = 0.0
    for k in range(begin, begin + size):
        total += math.exp(outputs[k] - most)
    rest = math.log(total) + most
    entropy = 0.0
    for k in range(begin, begin + size):
        entropy -= math.exp(outputs[k] - rest) * (outputs[k] - rest)
    for k in range(len(outputs)):
        if begin <= k < begin + size:
            share = math.exp(outputs[k] - rest)
            pull = share - 1.0 if k == begin + chosen else share
            outputs[k] = advantage * pull + entropy_weight * share * (outputs[k] - rest + entropy)
        else:
            outputs[k] = 0.0


@kernel
def destroy_offsets(table):
    """The row with what is added to the outputs of the destroy actor."""
    return AFTER_DESTROY + 3 * int(table[HEADER, DESTROYS])


@glue
def trace(memory, which, actor, begin, size, offsets):
    """Every so many iterations, add the slope of (outputs times offsets) to the gradient.

    This is how whole searches are learned from: the offsets are kept for a search, and if it turns out well, the
    outputs in all its states should move their way.
    """
    table = memory.table
    every = int(table[HEADER, TRACED])
    if every == 0 or int(table[STATUS, AGE]) % every:
        return
    began = nanoseconds()
    work = workspace_in(memory)
    transpose(encoder_in(memory, THETA).w2, work.transposed)
    clear(work.vector)
    slopes = outputs_in(memory, which)[actor]
    for k in range(len(slopes)):
        slopes[k] = table[offsets, k - begin] if begin <= k < begin + size else 0.0
    judge_back(memory, which, actor)
    encode_back(memory, which)
    table[STATUS, UPDATES] += 1.0
    table[STATUS, BACKWARD_TIME] += nanoseconds() - began


@kernel
def is_held(table):
    """Whether the probabilities of the destroy operators are to be used again."""
    hold = int(table[HEADER, HOLD])
    return hold > 1 and int(table[STATUS, AGE]) % hold != 0 and table[STATUS, HELD_DESTROY] > 0.0


@glue
def judge_full(memory, problem, solution, size):
    """Fill row ACTING for the current solution; its embedding is kept while it stays the same."""
    table = memory.table
    if table[STATUS, FRESH] == 0.0:
        embed(memory, problem, solution, FULL)
        table[STATUS, FRESH] = 1.0
    set_context(memory, FULL, 0.0, 0.0)
    ask(memory, FULL, DESTROY_ACTOR)
    outputs = outputs_in(memory, FULL)
    softmax_into(outputs, DESTROY_ACTOR, FIRST, size, table, ACTING, destroy_offsets(table))
    table[STATUS, HELD_DESTROY] = 1.0
    table[STATUS, HELD_ENTROPY] = entropy_of(table, ACTING, size)
    table[STATUS, HELD_VALUE] = outputs[CRITIC, 0]
    for destroy in range(int(table[HEADER, DESTROYS])):
        table[AFTER_DESTROY + destroy, table.shape[1] - HELD] = 0.0


@glue
def judge_destroyed(memory, problem, solution, destroy):
    """Fill the row of the repair operators after ``destroy`` for what it left."""
    table = memory.table
    destroys, repairs = int(table[HEADER, DESTROYS]), int(table[HEADER, REPAIRS])
    row, width = AFTER_DESTROY + destroy, table.shape[1]
    embed(memory, problem, solution, DESTROYED_STATE)
    set_context(memory, DESTROYED_STATE, removed_fraction(solution), destroy / destroys)
    ask(memory, DESTROYED_STATE, REPAIR_ACTOR)
    outputs = outputs_in(memory, DESTROYED_STATE)
    softmax_into(outputs, REPAIR_ACTOR, first_output(table, destroy), repairs, table, row, row + 2 * destroys)
    table[row, width - HELD] = 1.0
    table[row, width - ENTROPY_HELD] = entropy_of(table, row, repairs)
    table[row, width - VALUE_HELD] = outputs[CRITIC, 0]


@glue
def decide_destroy(memory, problem, solution, size):
    """Learn if there is something to learn from, then fill row ACTING for the current solution."""
    table = memory.table
    if table[HEADER, LEARNING] > 0.0 and table[STATUS, PENDING] > 0.0:
        learn(memory, problem, solution)
        table[STATUS, PENDING] = 0.0
        table[STATUS, FRESH] = 0.0
    judge_full(memory, problem, solution, size)
    trace(memory, FULL, DESTROY_ACTOR, FIRST, size, destroy_offsets(table))


@kernel
def needs_look(table, destroy):
    """Whether the probabilities of the repair operators after ``destroy`` are not held."""
    return table[AFTER_DESTROY + destroy, table.shape[1] - HELD] == 0.0


@kernel
def draw_destroy(table, rng):
    """Draw a destroy operator by row ACTING, and log."""
    destroys, point = int(table[HEADER, DESTROYS]), log_point(table)
    table[point, ENTROPY_DESTROY] += table[STATUS, HELD_ENTROPY]
    table[point, VALUE_DESTROY] += table[STATUS, HELD_VALUE]
    for k in range(destroys):
        table[point, LOGGED + k] += table[ACTING, k]
    return explore_or_draw(table, ACTING, destroys, rng)


@kernel
def draw_repair(table, destroy, rng):
    """Draw a repair operator by the row of ``destroy``, and log."""
    destroys, repairs = int(table[HEADER, DESTROYS]), int(table[HEADER, REPAIRS])
    row, width = AFTER_DESTROY + destroy, table.shape[1]
    point, sums = log_point(table), row + destroys
    table[point, ENTROPY_REPAIR] += table[row, width - ENTROPY_HELD]
    table[point, VALUE_REPAIR] += table[row, width - VALUE_HELD]
    for k in range(repairs):
        table[point, LOGGED + destroys + k] += table[row, k]
        table[sums, k] += table[row, k]
    table[sums, width - 1] += 1.0
    return explore_or_draw(table, row, repairs, rng)


@kernel
def draw_pair(table, rng):
    """Draw a pair by row ACTING, and log; the repair operator is kept for later."""
    destroys, repairs = int(table[HEADER, DESTROYS]), int(table[HEADER, REPAIRS])
    point = log_point(table)
    table[point, ENTROPY_DESTROY] += table[STATUS, HELD_ENTROPY]
    table[point, VALUE_DESTROY] += table[STATUS, HELD_VALUE]
    for destroy in range(destroys):
        sums = AFTER_DESTROY + destroys + destroy
        for repair in range(repairs):
            share = table[ACTING, destroy * repairs + repair]
            table[point, LOGGED + destroy] += share
            table[point, LOGGED + destroys + repair] += share
            table[sums, repair] += share
            table[sums, table.shape[1] - 1] += share
    pair = explore_or_draw(table, ACTING, destroys * repairs, rng)
    table[STATUS, ACTED_REPAIR] = pair % repairs
    return pair // repairs


@glue
def dac_destroy(memory, problem, solution, rng):
    """A destroy operator by the first actor."""
    table = memory.table
    if not is_held(table):
        decide_destroy(memory, problem, solution, int(table[HEADER, DESTROYS]))
    return draw_destroy(table, rng)


@glue
def dac_repair(memory, problem, solution, destroy, rng):
    """A repair operator by the second actor, which sees the destroyed solution and what destroyed it."""
    table = memory.table
    if needs_look(table, destroy):
        judge_destroyed(memory, problem, solution, destroy)
        offsets = AFTER_DESTROY + destroy + 2 * int(table[HEADER, DESTROYS])
        begin, repairs = first_output(table, destroy), int(table[HEADER, REPAIRS])
        trace(memory, DESTROYED_STATE, REPAIR_ACTOR, begin, repairs, offsets)
    return draw_repair(table, destroy, rng)


@glue
def ac_destroy(memory, problem, solution, rng):
    """The destroy operator of a pair by the one actor; the repair operator is kept for later."""
    table = memory.table
    if not is_held(table):
        decide_destroy(memory, problem, solution, int(table[HEADER, DESTROYS]) * int(table[HEADER, REPAIRS]))
    return draw_pair(table, rng)


@kernel
def ac_repair(memory, problem, solution, destroy, rng):
    """The repair operator of the pair."""
    return int(memory.table[STATUS, ACTED_REPAIR])


@glue
def frozen_destroy(memory, problem, solution, rng):
    """Choose as the policy was trained to, over pairs or destroy operators; there is nothing to learn."""
    table = memory.table
    paired = table[HEADER, PAIRED] > 0.0
    if not is_held(table):
        repairs = int(table[HEADER, REPAIRS]) if paired else 1
        judge_full(memory, problem, solution, int(table[HEADER, DESTROYS]) * repairs)
    return draw_pair(table, rng) if paired else draw_destroy(table, rng)


@glue
def frozen_repair(memory, problem, solution, destroy, rng):
    """Choose as the policy was trained to, over pairs or repair operators."""
    table = memory.table
    if table[HEADER, PAIRED] > 0.0:
        return int(table[STATUS, ACTED_REPAIR])
    if needs_look(table, destroy):
        judge_destroyed(memory, problem, solution, destroy)
    return draw_repair(table, destroy, rng)


@kernel
def note_trial(memory, trial):
    """Note the iteration's rewards and where the search stands now; the learning waits for the next state."""
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
    if trial[CHANGED] > 0.0:
        status[FRESH] = 0.0
    status[FRACTION_USED] = trial[USED_UP]
    best = min(trial[BEST], trial[AFTER])
    if trial[AFTER] < trial[BEST]:
        status[BEST_AT] = trial[USED_UP]
    if status[MOVED] > 0.0:
        # In units of 5 %, which is far for an annealed search.
        status[GAP] = min(1.0, 20.0 * (trial[AFTER] - best) / max(1e-9, best))
    status[AGE] += 1.0
    end_of_trial(table)


@kernel
def log_point(table):
    """The row of the log that is being filled."""
    return AFTER_DESTROY + 3 * int(table[HEADER, DESTROYS]) + 1 + int(table[STATUS, FILLED])


@kernel
def end_of_trial(table):
    """Count the iteration in the log; when the log is full, join its points two by two and go on half as fine."""
    status = table[STATUS]
    first = log_point(table) - int(status[FILLED])
    table[first + int(status[FILLED]), COUNT] += 1.0
    status[IN_POINT] += 1.0
    if status[IN_POINT] < status[STRIDE]:
        return
    status[IN_POINT] = 0.0
    status[FILLED] += 1.0
    if int(status[FILLED]) < LOG_POINTS:
        return
    for point in range(LOG_POINTS):
        for k in range(table.shape[1]):
            value = table[first + point, k]
            table[first + point, k] = 0.0
            table[first + point // 2, k] += value
    status[FILLED] = LOG_POINTS // 2
    status[STRIDE] *= 2.0
