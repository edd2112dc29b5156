"""How a policy judges a state: read, encoded, and turned into probabilities in the table."""

import numpy as np
from numba import types

from dacalns.core.arithmetic import exponential, logarithm
from dacalns.core.brain import (
    CONTEXT,
    CRITIC,
    DESTROY_ACTOR,
    DESTROYED_STATE,
    FULL,
    HIDDEN,
    REPAIR_ACTOR,
    look,
    outputs_in,
    pooled_in,
)
from dacalns.core.clock import nanoseconds
from dacalns.core.jit import apart, glue, kernel
from dacalns.core.model import BANKED, PROBLEM, SOLUTION
from dacalns.core.network import encode, judge
from dacalns.core.policy_log import log_decision
from dacalns.core.policy_table import (
    ACCEPTANCE_RATE,
    ACTING,
    ACTION_VALUES,
    BEST_AT,
    BLOCKED,
    FEATURE_TIME,
    FORWARD_TIME,
    FRACTION_USED,
    FRESH,
    GAP,
    HELD_ENTROPY,
    HELD_FOR,
    HELD_VALUE,
    IMPROVEMENT_RATE,
    STATUS,
    UNIT,
    destroy_offsets_row,
    held,
    repair_offsets_row,
    repair_row,
)
from dacalns.core.selection import DESTROYS, HEADER, MEMORY, REPAIRS

# The destroy actor's outputs begin here; of NumPy's type for the reason given in `dacalns.core.brain`.
FIRST = np.int64(0)


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
        mean += share * outputs[CRITIC, first + k]
    return mean / total


@kernel
def first_value(table, actor, begin):
    """Where a critic of actions has the values of an actor's outputs: those of the repair actor come behind."""
    return begin if actor == DESTROY_ACTOR else int(table[HEADER, DESTROYS]) + begin


@kernel
def value_in(table, outputs, actor, begin, size):
    """The critic's value of a state in which ``actor`` chooses among ``size`` outputs from ``begin`` on."""
    if table[HEADER, ACTION_VALUES] > 0.0:
        return mean_value(outputs, actor, begin, size, first_value(table, actor, begin))
    return outputs[CRITIC, 0]


@kernel
def entropy_of(table, row, size):
    """Of a row of probabilities, in nats."""
    total = 0.0
    for k in range(size):
        if table[row, k] > 0.0:
            total -= table[row, k] * logarithm(table[row, k])
    return total


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
    if memory.index[CONTEXT] > 5:
        vector[at + 5] = table[STATUS, ACCEPTANCE_RATE]
        vector[at + 6] = table[STATUS, IMPROVEMENT_RATE]


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


@kernel
def first_output(table, destroy):
    """Where the repair actor's outputs after a destroy operator begin: each may have a block of its own."""
    return destroy * int(table[HEADER, REPAIRS]) if table[HEADER, BLOCKED] > 0.0 else 0


@kernel
def hold(table, row, size, value):
    """Note what belongs to new probabilities in a row."""
    table[row, held(table, HELD_FOR)] = 0.0
    table[row, held(table, HELD_ENTROPY)] = entropy_of(table, row, size)
    table[row, held(table, HELD_VALUE)] = value


@apart(types.void(MEMORY, PROBLEM, SOLUTION, types.int64))
@glue
def judge_full(memory, problem, solution, size):
    """Fill row ACTING for the current solution; its embedding is kept while it stays the same."""
    table = memory.table
    log_decision(table)
    if table[STATUS, FRESH] == 0.0:
        embed(memory, problem, solution, FULL)
        table[STATUS, FRESH] = 1.0
    set_context(memory, FULL, 0.0, 0.0)
    ask(memory, FULL, DESTROY_ACTOR)
    outputs, destroys = outputs_in(memory, FULL), int(table[HEADER, DESTROYS])
    softmax_into(outputs, DESTROY_ACTOR, FIRST, size, table, ACTING, destroy_offsets_row(destroys))
    hold(table, ACTING, size, value_in(table, outputs, DESTROY_ACTOR, FIRST, size))
    for destroy in range(destroys):
        table[repair_row(destroy), held(table, HELD_FOR)] = 0.0


@apart(types.void(MEMORY, PROBLEM, SOLUTION, types.int64))
@glue
def judge_destroyed(memory, problem, solution, destroy):
    """Fill the row of the repair operators after ``destroy`` for what it left."""
    table = memory.table
    destroys, repairs = int(table[HEADER, DESTROYS]), int(table[HEADER, REPAIRS])
    row, offsets = repair_row(destroy), repair_offsets_row(destroys, destroy)
    embed(memory, problem, solution, DESTROYED_STATE)
    set_context(memory, DESTROYED_STATE, removed_fraction(solution), destroy / destroys)
    ask(memory, DESTROYED_STATE, REPAIR_ACTOR)
    outputs = outputs_in(memory, DESTROYED_STATE)
    begin = first_output(table, destroy)
    softmax_into(outputs, REPAIR_ACTOR, begin, repairs, table, row, offsets)
    hold(table, row, repairs, value_in(table, outputs, REPAIR_ACTOR, begin, repairs))
