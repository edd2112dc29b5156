"""Where a learned selector keeps its network inside its memory.

``memory.numbers`` and ``memory.index`` are cut into regions. :func:`new_brain` lays them out and the kernels below find
them again; nothing is allocated while a search runs.
"""

import math

import numpy as np

from dacalns.core.graph import Graph, read_routes, read_solution
from dacalns.core.jit import kernel, viewing
from dacalns.core.network import Activations, Weights, Workspace, clear
from dacalns.core.rng import random_float
from dacalns.core.selection import Memory

# The states a learner has in mind: the full solution, the destroyed one, and the full one after the iteration.
FULL, DESTROYED_STATE, NEXT, STATES = 0, 1, 2, 3
# The head that judges; those that act come behind it.
CRITIC, DESTROY_ACTOR, REPAIR_ACTOR = 0, 1, 2

# `index` begins with these sizes.
NODES, FEATURES, HIDDEN, CONTEXT, HEADS, OUTPUTS, EDGES, PARAMETERS, SIZES = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Then where the regions of `numbers` begin: parameters, their gradient and Adam's two moments, the static graph, the
# workspace, and eleven for each state; behind them, where those of `index` itself begin.
THETA, GRADIENT, MEAN, SQUARE, EDGE_WEIGHTS, DEGREE, STATIC, WORK, OF_STATES = 0, 1, 2, 3, 4, 5, 6, 7, 13
STATE_REGIONS = 11
REGIONS = OF_STATES + STATES * STATE_REGIONS
STARTS, NEIGHBOURS, LINKS, PEAKS = 0, 1, 2, 2 + STATES
INDEX_REGIONS = 2 + 2 * STATES
LINE = 16  # numbers in a cache line


def count_parameters(features: int, hidden: int, context: int, heads: int, outputs: int) -> int:
    """How many numbers the network has."""
    vector = 2 * hidden + context
    encoder = features * hidden + hidden * hidden + 3 * hidden
    return encoder + heads * (vector * hidden + hidden + hidden * outputs + outputs)


def new_brain(graph: Graph, hidden: int, context: int, heads: int, outputs: int) -> tuple[np.ndarray, np.ndarray]:
    """``numbers`` and ``index`` of a network with all parameters at zero, for the graph of an instance."""
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
    index_sizes = [nodes + 1, edges, *[2 * nodes] * STATES, *[hidden] * STATES]

    def begins(of: list[int], first: int) -> list[int]:
        rounded = [-(-size // LINE) * LINE for size in of]
        return (first + np.concatenate([[0], np.cumsum(rounded)])).tolist()

    numbers_at = begins(sizes, 0)
    index_at = begins(index_sizes, SIZES + REGIONS + INDEX_REGIONS)
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


@viewing
def place(index, region):
    """Where a region of ``numbers`` begins."""
    return index[SIZES + region]


@viewing
def vector_at(numbers, begin, size):
    """A view of ``size`` numbers."""
    return numbers[begin : begin + size]


@viewing
def matrix_at(numbers, begin, rows, columns):
    """A view of ``rows`` times ``columns`` numbers."""
    return numbers[begin : begin + rows * columns].reshape((rows, columns))


@viewing
def block_at(numbers, begin, blocks, rows, columns):
    """A view of ``blocks`` matrices."""
    return numbers[begin : begin + blocks * rows * columns].reshape((blocks, rows, columns))


@viewing
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
        matrix_at(flat, 0, features, hidden),
        vector_at(flat, b1, hidden),
        matrix_at(flat, w2, hidden, hidden),
        vector_at(flat, b2, hidden),
        vector_at(flat, attention, hidden),
        block_at(flat, u, heads, vector, hidden),
        matrix_at(flat, c, heads, hidden),
        block_at(flat, o, heads, hidden, outputs),
        matrix_at(flat, bias, heads, outputs),
    )


@viewing
def initialise(weights, rng):
    """Draw parameters (He et al. 2015); those of the outputs small, so that a policy begins near uniform."""
    clear(weights.flat)
    _draw_matrix(weights.w1, weights.w1.shape[0], 1.0, rng)
    _draw_matrix(weights.w2, weights.w2.shape[0], 1.0, rng)
    for j in range(len(weights.attention)):
        weights.attention[j] = 0.1 * (2.0 * random_float(rng) - 1.0)
    for head in range(weights.u.shape[0]):
        _draw_matrix(weights.u[head], weights.u.shape[1], 1.0, rng)
        _draw_matrix(weights.o[head], weights.o.shape[1], 0.01, rng)


@kernel
def _draw_matrix(matrix, inputs, factor, rng):
    limit = factor * math.sqrt(6.0 / inputs)
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            matrix[i, j] = limit * (2.0 * random_float(rng) - 1.0)


@viewing
def weights_in(memory, region):
    """The parameters, or one of the vectors like them, in a memory."""
    index = memory.index
    flat = vector_at(memory.numbers, place(index, region), index[PARAMETERS])
    return weights_of(flat, index[FEATURES], index[HIDDEN], index[CONTEXT], index[HEADS], index[OUTPUTS])


@viewing
def state_in(memory, which):
    """The activations of one of the states."""
    numbers, index = memory.numbers, memory.index
    nodes, features, hidden = index[NODES], index[FEATURES], index[HIDDEN]
    at = OF_STATES + which * STATE_REGIONS
    inside = SIZES + REGIONS
    return Activations(
        matrix_at(numbers, place(index, at), nodes, features),
        matrix_at(index, index[inside + LINKS + which], nodes, 2),
        matrix_at(numbers, place(index, at + 1), nodes, 2),
        vector_at(numbers, place(index, at + 2), nodes),
        matrix_at(numbers, place(index, at + 3), nodes, features),
        matrix_at(numbers, place(index, at + 4), nodes, hidden),
        matrix_at(numbers, place(index, at + 5), nodes, hidden),
        matrix_at(numbers, place(index, at + 6), nodes, hidden),
        vector_at(numbers, place(index, at + 7), nodes),
        vector_at(index, index[inside + PEAKS + which], hidden),
        vector_at(numbers, place(index, at + 8), 2 * hidden + index[CONTEXT]),
        matrix_at(numbers, place(index, at + 9), index[HEADS], hidden),
        matrix_at(numbers, place(index, at + 10), index[HEADS], index[OUTPUTS]),
    )


@viewing
def workspace_in(memory):
    """What a backward pass needs."""
    numbers, index = memory.numbers, memory.index
    nodes, hidden = index[NODES], index[HIDDEN]
    return Workspace(
        matrix_at(numbers, place(index, WORK), hidden, hidden),
        matrix_at(numbers, place(index, WORK + 1), nodes, hidden),
        matrix_at(numbers, place(index, WORK + 2), nodes, hidden),
        vector_at(numbers, place(index, WORK + 3), nodes),
        vector_at(numbers, place(index, WORK + 4), 2 * hidden + index[CONTEXT]),
        vector_at(numbers, place(index, WORK + 5), hidden),
    )


@viewing
def edges_in(memory):
    """The static edges: where each node's begin, the neighbours, the weights."""
    index = memory.index
    inside = SIZES + REGIONS
    starts = vector_at(index, index[inside + STARTS], index[NODES] + 1)
    neighbours = vector_at(index, index[inside + NEIGHBOURS], index[EDGES])
    return starts, neighbours, vector_at(memory.numbers, place(index, EDGE_WEIGHTS), index[EDGES])


@viewing
def look(memory, problem, solution, unit, state):
    """Read a solution into the features and the edges of a state."""
    numbers, index = memory.numbers, memory.index
    static = matrix_at(numbers, place(index, STATIC), index[NODES], index[FEATURES])
    degree = vector_at(numbers, place(index, DEGREE), index[NODES])
    read_solution(problem, solution, static, state.features)
    read_routes(problem, solution, degree, unit, state.links, state.arcs, state.shrink)


def brain_memory(table: np.ndarray, numbers: np.ndarray, index: np.ndarray) -> Memory:
    """A memory whose numbers keep their precision (a search takes single, tests double)."""
    return Memory(np.ascontiguousarray(table, dtype=np.float64), numbers, index)
