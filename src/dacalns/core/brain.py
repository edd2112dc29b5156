"""Where a learned selector keeps its network inside its memory.

``memory.numbers`` and ``memory.index`` are cut into regions. :func:`new_brain` lays them out and the functions below
find them again; nothing is allocated while a search runs.
"""

import math
from typing import NamedTuple

import numpy as np

from dacalns.core.graph import Graph, read_routes, read_solution
from dacalns.core.jit import kernel
from dacalns.core.memory import naming, view
from dacalns.core.rng import random_float
from dacalns.core.selection import Memory

# The states a learner has in mind: the full solution, the destroyed one, and the full one after the iteration.
# They, and the heads below, are of NumPy's type: Numba would compile a kernel anew for each plain number it is given.
FULL, DESTROYED_STATE, NEXT = np.int64(0), np.int64(1), np.int64(2)
STATES = 3
# The head that judges; those that act come behind it.
CRITIC, DESTROY_ACTOR, REPAIR_ACTOR = np.int64(0), np.int64(1), np.int64(2)

# `index` begins with these sizes.
NODES, FEATURES, HIDDEN, CONTEXT, HEADS, OUTPUTS, EDGES, PARAMETERS, SIZES = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Then where the regions of `numbers` begin: parameters, their gradient and Adam's two moments, the static graph, the
# workspace, and eleven for each state; behind them, where those of `index` itself begin.
THETA, GRADIENT, MEAN, SQUARE, EDGE_WEIGHTS, DEGREE, STATIC, WORK, OF_STATES = 0, 1, 2, 3, 4, 5, 6, 7, 13
POOLED, BEHIND, OUTPUT, STATE_REGIONS = 8, 9, 10, 11
REGIONS = OF_STATES + STATES * STATE_REGIONS
STARTS, NEIGHBOURS, LINKS = 0, 1, 2
INDEX_REGIONS = LINKS + STATES
LINE = 16  # numbers in a cache line


class Weights(NamedTuple):
    """The parameters, or their gradients, as views of one flat vector."""

    flat: np.ndarray
    w1: np.ndarray  #: (features, hidden)
    b1: np.ndarray  #: (hidden,)
    w2: np.ndarray  #: (hidden, hidden)
    b2: np.ndarray  #: (hidden,)
    attention: np.ndarray  #: (hidden,)
    u: np.ndarray  #: (heads, 2 hidden + context, hidden)
    c: np.ndarray  #: (heads, hidden)
    o: np.ndarray  #: (heads, hidden, outputs): the outputs of all heads padded to the longest
    bias: np.ndarray  #: (heads, outputs)


class Encoder(NamedTuple):
    """Those of them that encode."""

    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray
    attention: np.ndarray


class Head(NamedTuple):
    """Those of one head."""

    u: np.ndarray  #: (2 hidden + context, hidden)
    c: np.ndarray  #: (hidden,)
    o: np.ndarray  #: (hidden, outputs)
    bias: np.ndarray  #: (outputs,)


class Activations(NamedTuple):
    """What encoding a state leaves for the way back."""

    features: np.ndarray  #: (nodes, features)
    links: np.ndarray  #: (nodes, 2) see `dacalns.core.graph.read_routes`
    arcs: np.ndarray  #: (nodes, 2)
    shrink: np.ndarray  #: (nodes,)
    mixed: np.ndarray  #: (nodes, features) A features
    first: np.ndarray  #: (nodes, hidden)
    gathered: np.ndarray  #: (nodes, hidden) A first
    second: np.ndarray  #: (nodes, hidden)
    share: np.ndarray  #: (nodes,) of the attention
    vector: np.ndarray  #: (2 hidden + context,)


class Workspace(NamedTuple):
    """What a backward pass needs besides."""

    transposed: np.ndarray  #: (hidden, hidden) of w2
    nodes: np.ndarray  #: (nodes, hidden)
    more_nodes: np.ndarray  #: (nodes, hidden)
    shares: np.ndarray  #: (nodes,)
    vector: np.ndarray  #: (2 hidden + context,)
    hidden: np.ndarray  #: (hidden,)


def count_parameters(features: int, hidden: int, context: int, heads: int, outputs: int) -> int:
    """How many numbers the network has."""
    vector = 2 * hidden + context
    encoder = features * hidden + hidden * hidden + 3 * hidden
    return encoder + heads * (vector * hidden + hidden + hidden * outputs + outputs)


def new_brain(
    graph: Graph, hidden: int, context: int, heads: int, outputs: int, learns: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """``numbers`` and ``index`` of a network with all parameters at zero, for the graph of an instance.

    Without a way back, nothing of a state is needed again but its vector: then all states share one place, so that
    the activations of large instances stay in the cache.
    """
    nodes, features = graph.features.shape
    edges, vector = len(graph.neighbours), 2 * hidden + context
    parameters = count_parameters(features, hidden, context, heads, outputs)
    wide = nodes * hidden
    state = [
        nodes * features, 2 * nodes, nodes, nodes * features, wide, wide, wide, nodes, vector, heads * hidden,
        heads * outputs,
    ]  # fmt: skip
    work = [hidden * hidden, wide, wide, nodes, vector, hidden]
    sizes = [*[parameters] * 4, edges, nodes, nodes * features, *work, *state * STATES]
    index_sizes = [nodes + 1, edges, *[2 * nodes] * STATES]

    def begins(of: list[int], first: int) -> list[int]:
        rounded = [-(-size // LINE) * LINE for size in of]
        return (first + np.concatenate([[0], np.cumsum(rounded)])).tolist()

    numbers_at = begins(sizes, 0)
    index_at = begins(index_sizes, SIZES + REGIONS + INDEX_REGIONS)
    if not learns:
        for region in range(OF_STATES + STATE_REGIONS, REGIONS):
            within = (region - OF_STATES) % STATE_REGIONS
            numbers_at[region] = numbers_at[OF_STATES + within] if within != POOLED else numbers_at[region]
        index_at[LINKS + 1 : LINKS + STATES] = [index_at[LINKS]] * (STATES - 1)
    numbers = np.zeros(numbers_at[-1], dtype=np.float32)
    index = np.zeros(index_at[-1], dtype=np.int64)
    index[:SIZES] = nodes, features, hidden, context, heads, outputs, edges, parameters
    index[SIZES : SIZES + REGIONS] = numbers_at[:-1]
    index[SIZES + REGIONS : SIZES + REGIONS + INDEX_REGIONS] = index_at[:-1]
    for region, values in ((EDGE_WEIGHTS, graph.weights), (DEGREE, graph.degree), (STATIC, graph.features)):
        numbers[numbers_at[region] :][: values.size] = values.ravel()
    for region, whole in ((STARTS, graph.starts), (NEIGHBOURS, graph.neighbours)):
        index[index_at[region] :][: whole.size] = whole
    return numbers, index


def weights_of(flat, features, hidden, context, heads, outputs):
    """Name the parts of a flat vector of parameters."""
    vector = 2 * hidden + context
    b1 = features * hidden
    w2 = b1 + hidden
    b2 = w2 + hidden * hidden
    attention = b2 + hidden
    u = attention + hidden
    c = u + heads * vector * hidden
    o = c + heads * hidden
    bias = o + heads * hidden * outputs
    return Weights(
        flat,
        view(flat, 0, (features, hidden)),
        view(flat, b1, (hidden,)),
        view(flat, w2, (hidden, hidden)),
        view(flat, b2, (hidden,)),
        view(flat, attention, (hidden,)),
        view(flat, u, (heads, vector, hidden)),
        view(flat, c, (heads, hidden)),
        view(flat, o, (heads, hidden, outputs)),
        view(flat, bias, (heads, outputs)),
    )


def initialise(weights: Weights, rng: np.ndarray) -> None:
    """Draw parameters (He et al. 2015); those of the outputs small, so that a policy begins near uniform."""
    weights.flat[:] = 0
    for matrix in (weights.w1, weights.w2):
        draw_into(matrix, math.sqrt(6.0 / matrix.shape[0]), rng)
    draw_into(weights.attention.reshape(1, -1), 0.1, rng)
    for head in range(len(weights.u)):
        draw_into(weights.u[head], math.sqrt(6.0 / weights.u.shape[1]), rng)
        draw_into(weights.o[head], 0.01 * math.sqrt(6.0 / weights.o.shape[1]), rng)


@kernel
def draw_into(matrix, limit, rng):
    """Draw every number uniformly from plus to minus ``limit``."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            matrix[i, j] = limit * (2.0 * random_float(rng) - 1.0)


@naming
def vector_in(memory, region):
    """The flat parameters, or one of the vectors like them, in a memory."""
    index = memory.index
    return view(memory.numbers, index[SIZES + region], (index[PARAMETERS],))


def weights_in(memory: Memory, region: int) -> Weights:
    """The same with its parts named, for Python."""
    features, hidden, context, heads, outputs = memory.index[FEATURES : OUTPUTS + 1].tolist()
    return weights_of(vector_in(memory, region), features, hidden, context, heads, outputs)


@naming
def encoder_in(memory, region):
    """The parameters of the encoder, in the order of `weights_of`."""
    numbers, index = memory.numbers, memory.index
    features, hidden = index[FEATURES], index[HIDDEN]
    w1 = index[SIZES + region]
    b1 = w1 + features * hidden
    w2 = b1 + hidden
    b2 = w2 + hidden * hidden
    return Encoder(
        view(numbers, w1, (features, hidden)),
        view(numbers, b1, (hidden,)),
        view(numbers, w2, (hidden, hidden)),
        view(numbers, b2, (hidden,)),
        view(numbers, b2 + hidden, (hidden,)),
    )


@naming
def head_in(memory, region, head):
    """The parameters of a head, in the order of `weights_of`."""
    numbers, index = memory.numbers, memory.index
    hidden, heads, outputs = index[HIDDEN], index[HEADS], index[OUTPUTS]
    vector = 2 * hidden + index[CONTEXT]
    u = index[SIZES + region] + (index[FEATURES] + hidden + 3) * hidden
    c = u + heads * vector * hidden
    o = c + heads * hidden
    bias = o + heads * hidden * outputs
    return Head(
        view(numbers, u + head * vector * hidden, (vector, hidden)),
        view(numbers, c + head * hidden, (hidden,)),
        view(numbers, o + head * hidden * outputs, (hidden, outputs)),
        view(numbers, bias + head * outputs, (outputs,)),
    )


@naming
def state_in(memory, which):
    """The activations of one of the states."""
    numbers, index = memory.numbers, memory.index
    nodes, features, hidden = index[NODES], index[FEATURES], index[HIDDEN]
    at = SIZES + OF_STATES + which * STATE_REGIONS
    inside = SIZES + REGIONS
    return Activations(
        view(numbers, index[at], (nodes, features)),
        view(index, index[inside + LINKS + which], (nodes, 2)),
        view(numbers, index[at + 1], (nodes, 2)),
        view(numbers, index[at + 2], (nodes,)),
        view(numbers, index[at + 3], (nodes, features)),
        view(numbers, index[at + 4], (nodes, hidden)),
        view(numbers, index[at + 5], (nodes, hidden)),
        view(numbers, index[at + 6], (nodes, hidden)),
        view(numbers, index[at + 7], (nodes,)),
        view(numbers, index[at + POOLED], (2 * hidden + index[CONTEXT],)),
    )


@naming
def pooled_in(memory, which):
    """The vector of one of the states: pooled, then the context."""
    index = memory.index
    at = SIZES + OF_STATES + which * STATE_REGIONS + POOLED
    return view(memory.numbers, index[at], (2 * index[HIDDEN] + index[CONTEXT],))


@naming
def hidden_in(memory, which):
    """The hidden layer of each head for one of the states."""
    index = memory.index
    at = SIZES + OF_STATES + which * STATE_REGIONS + BEHIND
    return view(memory.numbers, index[at], (index[HEADS], index[HIDDEN]))


@naming
def outputs_in(memory, which):
    """What the heads say of one of the states."""
    index = memory.index
    at = SIZES + OF_STATES + which * STATE_REGIONS + OUTPUT
    return view(memory.numbers, index[at], (index[HEADS], index[OUTPUTS]))


@naming
def workspace_in(memory):
    """What a backward pass needs."""
    numbers, index = memory.numbers, memory.index
    nodes, hidden = index[NODES], index[HIDDEN]
    return Workspace(
        view(numbers, index[SIZES + WORK], (hidden, hidden)),
        view(numbers, index[SIZES + WORK + 1], (nodes, hidden)),
        view(numbers, index[SIZES + WORK + 2], (nodes, hidden)),
        view(numbers, index[SIZES + WORK + 3], (nodes,)),
        view(numbers, index[SIZES + WORK + 4], (2 * hidden + index[CONTEXT],)),
        view(numbers, index[SIZES + WORK + 5], (hidden,)),
    )


@naming
def edges_in(memory):
    """The static edges: where each node's begin, the neighbours, the weights."""
    index = memory.index
    inside = SIZES + REGIONS
    starts = view(index, index[inside + STARTS], (index[NODES] + 1,))
    neighbours = view(index, index[inside + NEIGHBOURS], (index[EDGES],))
    return starts, neighbours, view(memory.numbers, index[SIZES + EDGE_WEIGHTS], (index[EDGES],))


@kernel
def look(memory, problem, solution, unit, which):
    """Read a solution into the features and the edges of a state."""
    numbers, index = memory.numbers, memory.index
    state = state_in(memory, which)
    static = view(numbers, index[SIZES + STATIC], (index[NODES], index[FEATURES]))
    degree = view(numbers, index[SIZES + DEGREE], (index[NODES],))
    read_solution(problem, solution, static, state.features)
    read_routes(problem, solution, degree, unit, state.links, state.arcs, state.shrink)


def brain_memory(table: np.ndarray, numbers: np.ndarray, index: np.ndarray) -> Memory:
    """A memory whose numbers keep their precision (a search takes single, tests double)."""
    return Memory(np.ascontiguousarray(table, dtype=np.float64), numbers, index)
