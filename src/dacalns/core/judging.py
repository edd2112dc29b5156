"""How a policy judges a state: read, encoded, and turned into probabilities in the table."""

import numpy as np
from numba import types

from dacalns.core.arithmetic import exponential, logarithm
from dacalns.core.brain import DIMENSION, HEAD, STATE, outputs_in, pooled_in, read_state
from dacalns.core.clock import nanoseconds
from dacalns.core.distances import RICH, told_apart
from dacalns.core.jit import compiled_once, glue, kernel
from dacalns.core.model import BANKED, PROBLEM, SOLUTION
from dacalns.core.network import forward_encoder, forward_head
from dacalns.core.policy_table import (
    DECISION,
    ROW,
    SETTING,
    STATUS,
    decision_column,
    destroy_offsets_row,
    log_decision,
    repair_offsets_row,
    repair_row,
)
from dacalns.core.selection import HEADER, MEMORY, SIZE

# The destroy actor's outputs begin here; of NumPy's type for the reason given in `dacalns.core.brain`.
FIRST = np.int64(0)
# What looks at a state of a plain problem, and of a rich one.
ON_STATE = types.void(MEMORY, PROBLEM, SOLUTION, types.int64)
ON_RICH_STATE = told_apart(ON_STATE, RICH)


@kernel
def softmax_into(output, head, begin, size, table, row, offsets):
    """The probabilities of some of a head's outputs plus offsets, in a row of the table; equal ones if one is NaN."""
    most = -np.inf
    for k in range(size):
        most = max(most, output[head, begin + k] + table[offsets, k])
    total = 0.0
    for k in range(size):
        table[row, k] = exponential(output[head, begin + k] + table[offsets, k] - most)
        total += table[row, k]
    for k in range(size):
        table[row, k] = table[row, k] / total if total > 0.0 and total < np.inf else 1.0 / size


@kernel
def mean_value(outputs, actor, begin, size, first):
    """What a critic of actions says of a state: the mean over the policy of its outputs from ``first`` on."""
    most = -np.inf
    for k in range(begin, begin + size):
        most = max(most, outputs[actor, k])
    total = 0.0
    mean = 0.0
    for k in range(size):
        share = exponential(outputs[actor, begin + k] - most)
        total += share
        mean += share * outputs[HEAD.critic, first + k]
    return mean / total


@kernel
def first_value(table, actor, begin):
    """Where a critic of actions has the values of an actor's outputs: those of the repair actor come behind."""
    return begin if actor == HEAD.destroy_actor else int(table[HEADER, SIZE.destroys]) + begin


@kernel
def value_in(table, outputs, actor, begin, size):
    """The critic's value of a state in which ``actor`` chooses among ``size`` outputs from ``begin`` on."""
    if table[HEADER, SETTING.action_values] > 0.0:
        return mean_value(outputs, actor, begin, size, first_value(table, actor, begin))
    return outputs[HEAD.critic, 0]


@kernel
def entropy_of(table, row, size):
    """The entropy of a row of probabilities, in nats."""
    total = 0.0
    for k in range(size):
        if table[row, k] > 0.0:
            total -= table[row, k] * logarithm(table[row, k])
    return total


@kernel
def set_context(memory, which, removed, operator):
    """The scalars behind the pooled vector: the paper's two, and where the search stands if there is room.

    Those that only rich problems have come last; reading a state has put them there.
    """
    table, vector = memory.table, pooled_in(memory, which)
    at = 2 * memory.index[DIMENSION.hidden]
    size = memory.index[DIMENSION.context] - memory.index[DIMENSION.beyond]
    vector[at] = removed
    vector[at + 1] = operator
    if size > 2:
        vector[at + 2] = table[ROW.status, STATUS.fraction]
        vector[at + 3] = table[ROW.status, STATUS.gap]
        vector[at + 4] = table[ROW.status, STATUS.fraction] - table[ROW.status, STATUS.best_at]
    if size > 5:
        vector[at + 5] = table[ROW.status, STATUS.acceptance_rate]
        vector[at + 6] = table[ROW.status, STATUS.improvement_rate]


@compiled_once(ON_STATE, ON_RICH_STATE)
@glue
def encode_state(memory, problem, solution, which):
    """Read a solution and encode it."""
    table = memory.table
    began = nanoseconds()
    read_state(memory, problem, solution, table[HEADER, SETTING.unit], which)
    seen = nanoseconds()
    forward_encoder(memory, which)
    table[ROW.status, STATUS.feature_time] += seen - began
    table[ROW.status, STATUS.forward_time] += nanoseconds() - seen


@glue
def forward_heads(memory, which, actor):
    """Let the critic and an actor judge a state."""
    began = nanoseconds()
    forward_head(memory, which, HEAD.critic)
    forward_head(memory, which, actor)
    memory.table[ROW.status, STATUS.forward_time] += nanoseconds() - began


@kernel
def removed_fraction(solution):
    """The paper's rho: how many of the customers wait in the bank."""
    return solution.counts[BANKED] / (len(solution.route) - 1)


@kernel
def first_output(table, destroy):
    """Where the repair actor's outputs after a destroy operator begin: each may have a block of its own."""
    return destroy * int(table[HEADER, SIZE.repairs]) if table[HEADER, SETTING.repair_blocks] > 0.0 else 0


@kernel
def note_decision(table, row, size, value):
    """Note what belongs to new probabilities in a row."""
    table[row, decision_column(table, DECISION.used)] = 0.0
    table[row, decision_column(table, DECISION.entropy)] = entropy_of(table, row, size)
    table[row, decision_column(table, DECISION.value)] = value


@compiled_once(ON_STATE, ON_RICH_STATE)
@glue
def score_full(memory, problem, solution, size):
    """Fill row ACTING for the current solution; its embedding is kept while it stays the same."""
    table = memory.table
    if table[ROW.status, STATUS.is_encoded] == 0.0:
        encode_state(memory, problem, solution, STATE.full)
        table[ROW.status, STATUS.is_encoded] = 1.0
    judge_full(memory, size)


@glue
def judge_full(memory, size):
    """Fill row ACTING for the full state, which is encoded."""
    table = memory.table
    log_decision(table)
    set_context(memory, STATE.full, 0.0, 0.0)
    forward_heads(memory, STATE.full, HEAD.destroy_actor)
    outputs, destroys = outputs_in(memory, STATE.full), int(table[HEADER, SIZE.destroys])
    softmax_into(
        outputs, HEAD.destroy_actor, FIRST, size, table, ROW.destroy_probabilities, destroy_offsets_row(destroys)
    )
    note_decision(table, ROW.destroy_probabilities, size, value_in(table, outputs, HEAD.destroy_actor, FIRST, size))
    for destroy in range(destroys):
        table[repair_row(destroy), decision_column(table, DECISION.used)] = 0.0


@compiled_once(ON_STATE, ON_RICH_STATE)
@glue
def score_destroyed(memory, problem, solution, destroy):
    """Fill the row of the repair operators after ``destroy`` for what it left."""
    encode_state(memory, problem, solution, STATE.destroyed)
    judge_destroyed(memory, removed_fraction(solution), destroy)


@glue
def judge_destroyed(memory, removed, destroy):
    """Fill the row of the repair operators after ``destroy`` for the destroyed state, which is encoded."""
    table = memory.table
    destroys, repairs = int(table[HEADER, SIZE.destroys]), int(table[HEADER, SIZE.repairs])
    row, offsets = repair_row(destroy), repair_offsets_row(destroys, destroy)
    set_context(memory, STATE.destroyed, removed, destroy / destroys)
    forward_heads(memory, STATE.destroyed, HEAD.repair_actor)
    outputs = outputs_in(memory, STATE.destroyed)
    begin = first_output(table, destroy)
    softmax_into(outputs, HEAD.repair_actor, begin, repairs, table, row, offsets)
    note_decision(table, row, repairs, value_in(table, outputs, HEAD.repair_actor, begin, repairs))
