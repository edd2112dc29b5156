"""How a policy learns: from single iterations, or a trace for learning from whole searches.

An iteration makes two transitions, from the full solution over the destroyed one to the full solution after it. Both
are learned from when the next destroy operator is asked for, because only then the last state is there to be judged.
"""

import math

import numpy as np
from numba import types

from dacalns.core.arithmetic import exponential, logarithm
from dacalns.core.brain import (
    HEAD,
    REGION,
    STATE,
    encoder_in,
    outputs_in,
    pooled_in,
    vector_in,
    workspace_in,
)
from dacalns.core.clock import nanoseconds
from dacalns.core.distances import RICH, told_apart
from dacalns.core.jit import compiled_once, glue, kernel
from dacalns.core.judging import FIRST, encode_state, first_output, first_value, mean_value, set_context, value_in
from dacalns.core.model import PROBLEM, SOLUTION
from dacalns.core.network import adam, backward_encoder, backward_head, clear, forward_head, square_sum, transpose
from dacalns.core.policy_table import LEARNS, ROW, SETTING, STATUS, TARGET
from dacalns.core.selection import HEADER, MEMORY, SIZE

# No advantage is larger: rewards that explode must not take the parameters along.
LARGEST_ADVANTAGE = 1e4
AFTER_ITERATION = types.void(MEMORY, PROBLEM, SOLUTION)


@compiled_once(AFTER_ITERATION, told_apart(AFTER_ITERATION, RICH))
@glue
def learn(memory, problem, solution):
    """Learn from the iteration that has ended; ``solution`` is what it left as the current one."""
    if memory.table[ROW.status, STATUS.changed] > 0.0:
        encode_state(memory, problem, solution, STATE.next)
    else:
        keep_vector(memory)
    learn_encoded(memory)


@kernel
def keep_vector(memory):
    """The next full state is the one before."""
    vector, same = pooled_in(memory, STATE.next), pooled_in(memory, STATE.full)
    for k in range(len(vector)):
        vector[k] = same[k]


@glue
def learn_encoded(memory):
    """Learn from the iteration that has ended, whose three states are encoded."""
    table = memory.table
    set_context(memory, STATE.next, 0.0, 0.0)
    began = nanoseconds()
    forward_head(memory, STATE.next, HEAD.critic)
    if table[HEADER, SETTING.action_values] > 0.0:
        forward_head(memory, STATE.next, HEAD.destroy_actor)
    table[ROW.status, STATUS.forward_time] += nanoseconds() - began

    began = nanoseconds()
    gradient = vector_in(memory, REGION.gradient)
    transpose(encoder_in(memory, REGION.parameters).w2, workspace_in(memory).transposed)
    clear(gradient)
    header, status = table[HEADER], table[ROW.status]
    if header[SETTING.paired] > 0.0:
        learn_pair(memory)
    else:
        learn_both(memory)
    status[STATUS.updates] += 1.0
    squares = square_sum(gradient)
    if squares < np.inf:  # neither infinite nor no number
        factor = 1.0
        if (
            header[SETTING.gradient_clip] > 0.0
            and squares > header[SETTING.gradient_clip] * header[SETTING.gradient_clip]
        ):
            factor = header[SETTING.gradient_clip] / math.sqrt(squares)
        status[STATUS.step] += 1.0
        mean, square = vector_in(memory, REGION.mean), vector_in(memory, REGION.square)
        adam(
            vector_in(memory, REGION.parameters),
            gradient,
            mean,
            square,
            status[STATUS.step],
            header[SETTING.rate],
            factor,
        )
    else:
        status[STATUS.skipped] += 1.0
    status[STATUS.backward_time] += nanoseconds() - began


@glue
def learn_pair(memory):
    """What the one actor over pairs learns from: one decision with the rewards of both operators."""
    table = memory.table
    header, status = table[HEADER], table[ROW.status]
    repairs = int(header[SIZE.repairs])
    pairs = int(header[SIZE.destroys]) * repairs
    pair = int(status[STATUS.destroy]) * repairs + int(status[STATUS.repair])
    scale, discount = header[SETTING.reward_scale], header[SETTING.discount]
    now = value_in(table, outputs_in(memory, STATE.full), HEAD.destroy_actor, FIRST, pairs)
    after = value_in(table, outputs_in(memory, STATE.next), HEAD.destroy_actor, FIRST, pairs)
    if int(header[SETTING.target]) == TARGET.two_step:  # the return of the destroy actor of two
        earned = scale * (status[STATUS.reward_destroy] + header[SETTING.destroy_credit] * status[STATUS.reward_repair])
        error = bounded(earned + discount * (scale * status[STATUS.reward_repair] + discount * after) - now)
    else:
        error = bounded(scale * (status[STATUS.reward_destroy] + status[STATUS.reward_repair]) + discount * after - now)
    learn_state(memory, STATE.full, HEAD.destroy_actor, FIRST, pairs, pair, error, True)


@glue
def learn_both(memory):
    """What two actors learn from; TARGET says by what the destroy actor's decision is judged.

    One step: by its own reward and the value of the destroyed solution. Two steps: by both rewards and the value of the
    next full solution. Joint: by the rewards of an iteration as a whole, and so is the repair actor's. Independent: by
    its own reward and the value of the next full solution, as if nobody repaired in between.
    """
    table = memory.table
    header, status = table[HEADER], table[ROW.status]
    destroys, repairs = int(header[SIZE.destroys]), int(header[SIZE.repairs])
    destroy, repair = int(status[STATUS.destroy]), int(status[STATUS.repair])
    scale, discount, target = header[SETTING.reward_scale], header[SETTING.discount], int(header[SETTING.target])
    begin = first_output(table, destroy)
    now = value_in(table, outputs_in(memory, STATE.full), HEAD.destroy_actor, FIRST, destroys)
    middle = value_in(table, outputs_in(memory, STATE.destroyed), HEAD.repair_actor, begin, repairs)
    after = value_in(table, outputs_in(memory, STATE.next), HEAD.destroy_actor, FIRST, destroys)
    reward = scale * (status[STATUS.reward_destroy] + header[SETTING.destroy_credit] * status[STATUS.reward_repair])
    repaired = scale * status[STATUS.reward_repair]
    if target == TARGET.two_step:
        follows = discount * (repaired + discount * after)
    elif target == TARGET.joint:
        follows = repaired + discount * after
    elif target == TARGET.independent:
        follows = discount * after
    else:
        follows = discount * middle
    error = bounded(reward + follows - now)
    learn_state(memory, STATE.full, HEAD.destroy_actor, FIRST, destroys, destroy, error, True)
    valued = True
    if target != TARGET.joint:
        error = bounded(repaired + discount * after - middle)
    elif header[SETTING.action_values] > 0.0:
        error = bounded(reward + follows - middle)
    else:
        valued = False  # the iteration as a whole has one value, that of the solution it began with
    learn_state(memory, STATE.destroyed, HEAD.repair_actor, begin, repairs, repair, error, valued)


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
    if table[HEADER, SETTING.action_values] > 0.0:
        first = first_value(table, actor, begin)
        column = first + chosen
        advantage = outputs[HEAD.critic, column] - mean_value(outputs, actor, begin, size, first)
        surprise = bounded(error - advantage)
    if table[HEADER, SETTING.normalise_advantage] > 0.0:
        table[ROW.status, STATUS.spread] += 0.01 * (advantage * advantage - table[ROW.status, STATUS.spread])
        advantage = advantage / math.sqrt(max(table[ROW.status, STATUS.spread], 1e-8))
    # Nobody needs the outputs any more, so the slopes take their place.
    if not valued:
        surprise = 0.0
    table[ROW.status, STATUS.total_loss] += surprise * surprise
    clear(outputs[HEAD.critic])
    outputs[HEAD.critic, column] = -2.0 * table[HEADER, SETTING.value_weight] * surprise
    backward_head(memory, which, HEAD.critic)
    if int(table[HEADER, SETTING.learning]) == LEARNS.critic_alone:
        return
    policy_slopes(outputs[actor], begin, size, chosen, advantage, table[HEADER, SETTING.entropy])
    backward_head(memory, which, actor)
    backward_encoder(memory, which)


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
    every = int(table[HEADER, SETTING.trace_every])
    if every == 0 or int(table[ROW.status, STATUS.iterations]) % every:
        return
    began = nanoseconds()
    work = workspace_in(memory)
    transpose(encoder_in(memory, REGION.parameters).w2, work.transposed)
    clear(work.vector)
    slopes = outputs_in(memory, which)[actor]
    for k in range(len(slopes)):
        slopes[k] = table[offsets, k - begin] if begin <= k < begin + size else 0.0
    backward_head(memory, which, actor)
    backward_encoder(memory, which)
    table[ROW.status, STATUS.updates] += 1.0
    table[ROW.status, STATUS.backward_time] += nanoseconds() - began
