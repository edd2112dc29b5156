"""Learned selectors on states that Python describes, such as those of problems that are no vehicle routing.

Python writes the features and edges of a state where the encoder finds them, and the rest is what the compiled loop
does: the same network, the same way to learn. There is no problem and no solution, so the memory is all that the
kernels get. The full state is written as the next one, because the iteration before is still to be learned from.
"""

import numpy as np
from numba import types

from dacalns.core.actor_critic import choose, destroy_of, is_reused, is_reused_after
from dacalns.core.brain import STATE, edges_in, state_in
from dacalns.core.graph import Graph
from dacalns.core.jit import address, caller, glue, kernel, pluggable
from dacalns.core.judging import judge_destroyed, judge_full
from dacalns.core.learning import keep_vector, learn_encoded
from dacalns.core.network import forward_encoder
from dacalns.core.policy_table import ROW, SETTING, STATUS, repair_row
from dacalns.core.selection import HEADER, MEMORY, SIZE

GIVEN_DESTROY = types.int64(MEMORY, types.uint64[::1])
GIVEN_REPAIR = types.int64(MEMORY, types.float64, types.int64, types.uint64[::1])
_ask_destroy, _ask_repair = caller(GIVEN_DESTROY), caller(GIVEN_REPAIR)


def blank_graph(nodes: int, features: int, edges: int) -> Graph:
    """The graph of a network whose states bring their own features, and up to so many edges."""
    return Graph(
        np.zeros(nodes + 1, dtype=np.int64),
        np.zeros(edges, dtype=np.int64),
        np.zeros(edges, dtype=np.float32),
        np.ones(nodes, dtype=np.float32),
        np.zeros((nodes, features), dtype=np.float32),
        1.0,
    )


def write_state(memory, which, features, starts, neighbours, weights):
    """Write a state: a row of features for each node, and its edges in compressed rows, each in both directions."""
    state = state_in(memory, which)
    own_starts, own_neighbours, own_weights = edges_in(memory, which)
    state.features[:] = features
    own_starts[:] = starts
    own_neighbours[: len(neighbours)] = neighbours
    own_weights[: len(weights)] = weights
    degree = 1.0 + np.bincount(np.repeat(np.arange(len(features)), np.diff(starts)), weights, len(features))
    state.shrink[:] = 1.0 / np.sqrt(degree)


@kernel
def take_next(memory):
    """The next full state becomes the full one."""
    source, target = state_in(memory, STATE.next), state_in(memory, STATE.full)
    starts, neighbours, weights = edges_in(memory, STATE.next)
    own_starts, own_neighbours, own_weights = edges_in(memory, STATE.full)
    for node in range(len(source.features)):
        for k in range(source.features.shape[1]):
            target.features[node, k] = source.features[node, k]
        target.shrink[node] = source.shrink[node]
        own_starts[node + 1] = starts[node + 1]
    for edge in range(starts[len(source.features)]):
        own_neighbours[edge] = neighbours[edge]
        own_weights[edge] = weights[edge]


@glue
def given_destroy(memory, rng):
    """Learn if there is something to learn from, then choose a destroy operator, or a pair, for the next state."""
    table = memory.table
    size, paired = int(table[HEADER, SIZE.destroys]), table[HEADER, SETTING.paired] > 0.0
    if paired:
        size *= int(table[HEADER, SIZE.repairs])
    if not is_reused(table):
        if table[HEADER, SETTING.learning] > 0.0 and table[ROW.status, STATUS.pending] > 0.0:
            if table[ROW.status, STATUS.changed] > 0.0:
                forward_encoder(memory, STATE.next)
            else:
                keep_vector(memory)
            learn_encoded(memory)
            table[ROW.status, STATUS.pending] = 0.0
            table[ROW.status, STATUS.is_encoded] = 0.0
        if table[ROW.status, STATUS.is_encoded] == 0.0:
            take_next(memory)
            forward_encoder(memory, STATE.full)
            table[ROW.status, STATUS.is_encoded] = 1.0
        judge_full(memory, size)
    chosen = choose(table, ROW.destroy_probabilities, size, rng)
    return destroy_of(table, chosen) if paired else chosen


@glue
def given_repair(memory, removed, destroy, rng):
    """Choose a repair operator for the destroyed state, of which the part ``removed`` is missing."""
    table = memory.table
    if table[HEADER, SETTING.paired] > 0.0:
        return int(table[ROW.status, STATUS.repair])
    if not is_reused_after(table, destroy):
        forward_encoder(memory, STATE.destroyed)
        judge_destroyed(memory, removed, destroy)
    return choose(table, repair_row(destroy), int(table[HEADER, SIZE.repairs]), rng)


@kernel
def call_destroy(function, memory, rng):
    """Call `given_destroy` by its address, so that this can be loaded before what it calls."""
    return _ask_destroy(function, (memory, rng))


@kernel
def call_repair(function, memory, removed, destroy, rng):
    """Call `given_repair` by its address."""
    return _ask_repair(function, (memory, removed, destroy, rng))


def compiled_given():
    """Compile the two, or load them from the cache; return what `call_destroy` and `call_repair` call."""
    return address(pluggable(given_destroy, GIVEN_DESTROY)), address(pluggable(given_repair, GIVEN_REPAIR))
