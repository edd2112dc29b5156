"""How a policy learns: from single iterations, or a trace for learning from whole searches.

An iteration makes two transitions, from the full solution over the destroyed one to the full solution after it. Both
are learned from when the next destroy operator is asked for, because only then the last state is there to be judged.
"""

import math

import numpy as np
from numba import types

from dacalns.core.arithmetic import exponential, logarithm
from dacalns.core.brain import (
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
    outputs_in,
    pooled_in,
    vector_in,
    workspace_in,
)
from dacalns.core.clock import nanoseconds
from dacalns.core.jit import apart, glue, kernel
from dacalns.core.judging import FIRST, embed, first_output, first_value, mean_value, set_context, value_in
from dacalns.core.model import PROBLEM, SOLUTION
from dacalns.core.network import adam, clear, encode_back, judge, judge_back, square_sum, transpose
from dacalns.core.policy_table import (
    ACTED_DESTROY,
    ACTED_REPAIR,
    ACTION_VALUES,
    AGE,
    BACKWARD_TIME,
    CLIP,
    CREDIT,
    CRITIC_ALONE,
    DISCOUNT,
    ENTROPY,
    FORWARD_TIME,
    INDEPENDENT,
    JOINT,
    LEARNING,
    MOVED,
    NORMALISE,
    PAIRED,
    RATE,
    REWARD_DESTROY,
    REWARD_REPAIR,
    REWARD_SCALE,
    SKIPPED,
    SPREAD,
    STATUS,
    STEP,
    TARGET,
    TOTAL_LOSS,
    TRACED,
    TWO_STEP,
    UPDATES,
    VALUE_WEIGHT,
)
from dacalns.core.selection import DESTROYS, HEADER, MEMORY, REPAIRS

# No advantage is larger: rewards that explode must not take the parameters along.
LARGEST_ADVANTAGE = 1e4


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
    if table[HEADER, ACTION_VALUES] > 0.0:
        judge(memory, NEXT, DESTROY_ACTOR)
    table[STATUS, FORWARD_TIME] += nanoseconds() - began

    began = nanoseconds()
    gradient = vector_in(memory, GRADIENT)
    transpose(encoder_in(memory, THETA).w2, workspace_in(memory).transposed)
    clear(gradient)
    header, status = table[HEADER], table[STATUS]
    if header[PAIRED] > 0.0:
        learn_pair(memory)
    else:
        learn_both(memory)
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


@glue
def learn_pair(memory):
    """What the one actor over pairs learns from: one decision with the rewards of both operators."""
    table = memory.table
    header, status = table[HEADER], table[STATUS]
    repairs = int(header[REPAIRS])
    pairs = int(header[DESTROYS]) * repairs
    pair = int(status[ACTED_DESTROY]) * repairs + int(status[ACTED_REPAIR])
    scale, discount = header[REWARD_SCALE], header[DISCOUNT]
    now = value_in(table, outputs_in(memory, FULL), DESTROY_ACTOR, FIRST, pairs)
    after = value_in(table, outputs_in(memory, NEXT), DESTROY_ACTOR, FIRST, pairs)
    if int(header[TARGET]) == TWO_STEP:  # the return of the destroy actor of two
        earned = scale * (status[REWARD_DESTROY] + header[CREDIT] * status[REWARD_REPAIR])
        error = bounded(earned + discount * (scale * status[REWARD_REPAIR] + discount * after) - now)
    else:
        error = bounded(scale * (status[REWARD_DESTROY] + status[REWARD_REPAIR]) + discount * after - now)
    learn_state(memory, FULL, DESTROY_ACTOR, FIRST, pairs, pair, error, True)


@glue
def learn_both(memory):
    """What two actors learn from; TARGET says by what the destroy actor's decision is judged.

    One step: by its own reward and the value of the destroyed solution. Two steps: by both rewards and the value of the
    next full solution. Joint: by the rewards of an iteration as a whole, and so is the repair actor's. Independent: by
    its own reward and the value of the next full solution, as if nobody repaired in between.
    """
    table = memory.table
    header, status = table[HEADER], table[STATUS]
    destroys, repairs = int(header[DESTROYS]), int(header[REPAIRS])
    destroy, repair = int(status[ACTED_DESTROY]), int(status[ACTED_REPAIR])
    scale, discount, target = header[REWARD_SCALE], header[DISCOUNT], int(header[TARGET])
    begin = first_output(table, destroy)
    now = value_in(table, outputs_in(memory, FULL), DESTROY_ACTOR, FIRST, destroys)
    middle = value_in(table, outputs_in(memory, DESTROYED_STATE), REPAIR_ACTOR, begin, repairs)
    after = value_in(table, outputs_in(memory, NEXT), DESTROY_ACTOR, FIRST, destroys)
    reward = scale * (status[REWARD_DESTROY] + header[CREDIT] * status[REWARD_REPAIR])
    repaired = scale * status[REWARD_REPAIR]
    if target == TWO_STEP:
        follows = discount * (repaired + discount * after)
    elif target == JOINT:
        follows = repaired + discount * after
    elif target == INDEPENDENT:
        follows = discount * after
    else:
        follows = discount * middle
    error = bounded(reward + follows - now)
    learn_state(memory, FULL, DESTROY_ACTOR, FIRST, destroys, destroy, error, True)
    valued = True
    if target != JOINT:
        error = bounded(repaired + discount * after - middle)
    elif header[ACTION_VALUES] > 0.0:
        error = bounded(reward + follows - middle)
    else:
        valued = False  # the iteration as a whole has one value, that of the solution it began with
    learn_state(memory, DESTROYED_STATE, REPAIR_ACTOR, begin, repairs, repair, error, valued)


@kernel
def bounded(error):
    """Keep an advantage within limits."""
    return min(max(error, -LARGEST_ADVANTAGE), LARGEST_ADVANTAGE)


@glue
def learn_state(memory, which, actor, begin, size, chosen, error, valued):
    """Add the gradients of one decision: policy gradient, entropy, and the critic's square error if it is ``valued``.

    The decision was among the ``size`` outputs of the actor from ``begin`` on; ``error`` is how much better it turned
    out than the critic's value of the state. That is the advantage, too, unless the critic has a value for each
    operator: then that of the operator chosen, less the value of the state, is.
    """
    table, outputs = memory.table, outputs_in(memory, which)
    clear(workspace_in(memory).vector)
    advantage, surprise, column = error, error, 0
    if table[HEADER, ACTION_VALUES] > 0.0:
        first = first_value(table, actor, begin)
        column = first + chosen
        advantage = outputs[CRITIC, column] - mean_value(outputs, actor, begin, size, first)
        surprise = bounded(error - advantage)
    if table[HEADER, NORMALISE] > 0.0:
        table[STATUS, SPREAD] += 0.01 * (advantage * advantage - table[STATUS, SPREAD])
        advantage = advantage / math.sqrt(max(table[STATUS, SPREAD], 1e-8))
    # Nobody needs the outputs any more, so the slopes take their place.
    if not valued:
        surprise = 0.0
    table[STATUS, TOTAL_LOSS] += surprise * surprise
    clear(outputs[CRITIC])
    outputs[CRITIC, column] = -2.0 * table[HEADER, VALUE_WEIGHT] * surprise
    judge_back(memory, which, CRITIC)
    if int(table[HEADER, LEARNING]) == CRITIC_ALONE:
        return
    policy_slopes(outputs[actor], begin, size, chosen, advantage, table[HEADER, ENTROPY])
    judge_back(memory, which, actor)
    encode_back(memory, which)


@kernel
def policy_slopes(outputs, begin, size, chosen, advantage, entropy_weight):
    """Turn outputs into the slopes of -advantage log p(chosen) - entropy_weight H(p), in place; others into zero."""
    most = -np.inf
    for k in range(begin, begin + size):
        most = max(most, outputs[k])
    total = 0.0
    for k in range(begin, begin + size):
        total += exponential(outputs[k] - most)
    rest = logarithm(total) + most
    entropy = 0.0
    for k in range(begin, begin + size):
        entropy -= exponential(outputs[k] - rest) * (outputs[k] - rest)
    for k in range(len(outputs)):
        if begin <= k < begin + size:
            share = exponential(outputs[k] - rest)
            pull = share - 1.0 if k == begin + chosen else share
            outputs[k] = advantage * pull + entropy_weight * share * (outputs[k] - rest + entropy)
        else:
            outputs[k] = 0.0


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
