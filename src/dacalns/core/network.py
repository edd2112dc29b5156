"""The network: a two-layer graph convolution, attention-mean and max pooling, and heads that act or judge.

All is written out: forward, backward and the optimiser, for arrays of any one precision. What the layers compute, with
``A`` the normalised adjacency::

    first = relu(A features W1 + b1),  second = relu(A first W2 + b2)
    vector = [softmax(second attention) second | columnwise max of second | context]
    output of head h = relu(vector U[h] + c[h]) O[h] + o[h]
"""

from typing import NamedTuple

import numpy as np

from dacalns.core.graph import gather
from dacalns.core.jit import numeric

BETA_1, BETA_2, TINY = 0.9, 0.999, 1e-8
# Below this a moment is nothing; without that, it would decay into denormal numbers, which are slow.
FORGOTTEN = 1e-30


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


class Activations(NamedTuple):
    """What a forward pass leaves for the backward one."""

    features: np.ndarray  #: (nodes, features)
    links: np.ndarray  #: (nodes, 2) see `dacalns.core.graph.read_routes`
    arcs: np.ndarray  #: (nodes, 2)
    shrink: np.ndarray  #: (nodes,)
    mixed: np.ndarray  #: (nodes, features) A features
    first: np.ndarray  #: (nodes, hidden)
    gathered: np.ndarray  #: (nodes, hidden) A first
    second: np.ndarray  #: (nodes, hidden)
    share: np.ndarray  #: (nodes,) of the attention
    peaks: np.ndarray  #: (hidden,) the node with the largest value in each column
    vector: np.ndarray  #: (2 hidden + context,)
    hidden: np.ndarray  #: (heads, hidden)
    output: np.ndarray  #: (heads, outputs)


class Workspace(NamedTuple):
    """What a backward pass needs besides."""

    transposed: np.ndarray  #: (hidden, hidden) of w2
    nodes: np.ndarray  #: (nodes, hidden)
    more_nodes: np.ndarray  #: (nodes, hidden)
    shares: np.ndarray  #: (nodes,)
    vector: np.ndarray  #: (2 hidden + context,)
    hidden: np.ndarray  #: (hidden,)


@numeric
def multiply(x, w, bias, y, floor):
    """Compute ``y = max(x w + bias, floor)``; four rows and four products at a time keep the vector units busy."""
    rows, inner = x.shape
    columns = w.shape[1]
    row = 0
    while row + 4 <= rows:
        for j in range(columns):
            y[row, j] = bias[j]
            y[row + 1, j] = bias[j]
            y[row + 2, j] = bias[j]
            y[row + 3, j] = bias[j]
        k = 0
        while k + 4 <= inner:
            a0, a1, a2, a3 = x[row, k], x[row, k + 1], x[row, k + 2], x[row, k + 3]
            b0, b1, b2, b3 = x[row + 1, k], x[row + 1, k + 1], x[row + 1, k + 2], x[row + 1, k + 3]
            c0, c1, c2, c3 = x[row + 2, k], x[row + 2, k + 1], x[row + 2, k + 2], x[row + 2, k + 3]
            d0, d1, d2, d3 = x[row + 3, k], x[row + 3, k + 1], x[row + 3, k + 2], x[row + 3, k + 3]
            for j in range(columns):
                w0, w1, w2, w3 = w[k, j], w[k + 1, j], w[k + 2, j], w[k + 3, j]
                y[row, j] += (a0 * w0 + a1 * w1) + (a2 * w2 + a3 * w3)
                y[row + 1, j] += (b0 * w0 + b1 * w1) + (b2 * w2 + b3 * w3)
                y[row + 2, j] += (c0 * w0 + c1 * w1) + (c2 * w2 + c3 * w3)
                y[row + 3, j] += (d0 * w0 + d1 * w1) + (d2 * w2 + d3 * w3)
            k += 4
        while k < inner:
            a0, b0, c0, d0 = x[row, k], x[row + 1, k], x[row + 2, k], x[row + 3, k]
            for j in range(columns):
                y[row, j] += a0 * w[k, j]
                y[row + 1, j] += b0 * w[k, j]
                y[row + 2, j] += c0 * w[k, j]
                y[row + 3, j] += d0 * w[k, j]
            k += 1
        row += 4
    while row < rows:
        for j in range(columns):
            y[row, j] = bias[j]
        for k in range(inner):
            a0 = x[row, k]
            for j in range(columns):
                y[row, j] += a0 * w[k, j]
        row += 1
    for row in range(rows):
        for j in range(columns):
            y[row, j] = max(y[row, j], floor)


@numeric
def add_outer(x, y, total):
    """Add ``x^T y`` to ``total``, four rows at a time."""
    rows, inner = x.shape
    columns = y.shape[1]
    row = 0
    while row + 4 <= rows:
        for k in range(inner):
            a, b, c, d = x[row, k], x[row + 1, k], x[row + 2, k], x[row + 3, k]
            for j in range(columns):
                total[k, j] += (a * y[row, j] + b * y[row + 1, j]) + (c * y[row + 2, j] + d * y[row + 3, j])
        row += 4
    while row < rows:
        for k in range(inner):
            a = x[row, k]
            for j in range(columns):
                total[k, j] += a * y[row, j]
        row += 1


@numeric
def add_rows(x, total):
    """Add the sum of the rows of ``x`` to ``total``."""
    for row in range(x.shape[0]):
        for j in range(x.shape[1]):
            total[j] += x[row, j]


@numeric
def encode(starts, neighbours, edge_weights, weights, state):
    """Fill the activations of the graph and its pooled vector; features, links, arcs and degrees are there already."""
    floor = weights.b1.dtype.type(0)
    nodes, hidden = state.second.shape
    gather(starts, neighbours, edge_weights, state.links, state.arcs, state.shrink, state.features, state.mixed)
    multiply(state.mixed, weights.w1, weights.b1, state.first, floor)
    gather(starts, neighbours, edge_weights, state.links, state.arcs, state.shrink, state.first, state.gathered)
    multiply(state.gathered, weights.w2, weights.b2, state.second, floor)

    second, share, vector, peaks = state.second, state.share, state.vector, state.peaks
    most = -np.inf
    for node in range(nodes):
        score = floor
        for j in range(hidden):
            score += second[node, j] * weights.attention[j]
        share[node] = score
        most = max(most, score)
    total = 0.0
    for node in range(nodes):
        share[node] = np.exp(share[node] - most)
        total += share[node]
    for j in range(hidden):
        vector[j] = 0.0
        vector[hidden + j] = second[0, j]
        peaks[j] = 0
    for node in range(nodes):
        share[node] /= total
        part = share[node]
        for j in range(hidden):
            vector[j] += part * second[node, j]
    for node in range(1, nodes):
        for j in range(hidden):
            larger = second[node, j] > vector[hidden + j]
            vector[hidden + j] = second[node, j] if larger else vector[hidden + j]
            peaks[j] = node if larger else peaks[j]


@numeric
def judge(weights, state, head):
    """Fill the output of one head."""
    vector, hidden, output = state.vector, state.hidden, state.output
    size, width = len(vector), hidden.shape[1]
    for j in range(width):
        hidden[head, j] = weights.c[head, j]
    for k in range(size):
        value = vector[k]
        for j in range(width):
            hidden[head, j] += value * weights.u[head, k, j]
    for a in range(output.shape[1]):
        output[head, a] = weights.bias[head, a]
    for j in range(width):
        hidden[head, j] = max(hidden[head, j], hidden.dtype.type(0))
        for a in range(output.shape[1]):
            output[head, a] += hidden[head, j] * weights.o[head, j, a]


@numeric
def judge_back(weights, gradient, state, head, slope, work):
    """Add one head's gradients, and those of the vector to ``work.vector``, from the slopes of its outputs."""
    vector, hidden = state.vector, state.hidden
    size, width = len(vector), hidden.shape[1]
    for a in range(len(slope)):
        gradient.bias[head, a] += slope[a]
    for j in range(width):
        back = work.hidden.dtype.type(0)
        for a in range(len(slope)):
            gradient.o[head, j, a] += hidden[head, j] * slope[a]
            back += weights.o[head, j, a] * slope[a]
        work.hidden[j] = back if hidden[head, j] > 0.0 else work.hidden.dtype.type(0)
    for j in range(width):
        gradient.c[head, j] += work.hidden[j]
    for k in range(size):
        value = vector[k]
        total = work.hidden.dtype.type(0)
        for j in range(width):
            gradient.u[head, k, j] += value * work.hidden[j]
            total += weights.u[head, k, j] * work.hidden[j]
        work.vector[k] += total


@numeric
def encode_back(starts, neighbours, edge_weights, weights, gradient, state, work):
    """Add the encoder's gradients from those of the vector in ``work.vector``. ``work.transposed`` must be current."""
    zero = work.vector.dtype.type(0)
    nodes, hidden = state.second.shape
    second, share, slope, upstream = state.second, state.share, work.nodes, work.vector
    mean = zero
    for node in range(nodes):
        total = zero
        for j in range(hidden):
            total += upstream[j] * second[node, j]
        work.shares[node] = total
        mean += share[node] * total
    for node in range(nodes):
        part = share[node]
        pull = part * (work.shares[node] - mean)
        for j in range(hidden):
            slope[node, j] = part * upstream[j] + pull * weights.attention[j]
            gradient.attention[j] += pull * second[node, j]
    for j in range(hidden):
        slope[state.peaks[j], j] += upstream[hidden + j]
    for node in range(nodes):
        for j in range(hidden):
            slope[node, j] = slope[node, j] if second[node, j] > zero else zero
    add_outer(state.gathered, slope, gradient.w2)
    add_rows(slope, gradient.b2)
    for j in range(hidden):
        work.hidden[j] = zero
    multiply(slope, work.transposed, work.hidden, work.more_nodes, -np.inf)
    gather(starts, neighbours, edge_weights, state.links, state.arcs, state.shrink, work.more_nodes, slope)
    for node in range(nodes):
        for j in range(hidden):
            slope[node, j] = slope[node, j] if state.first[node, j] > zero else zero
    add_outer(state.mixed, slope, gradient.w1)
    add_rows(slope, gradient.b1)


@numeric
def transpose(matrix, target):
    """Copy the transpose of a square matrix."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            target[j, i] = matrix[i, j]


@numeric
def clear(values):
    """Set all to zero."""
    for k in range(len(values)):
        values[k] = 0.0


@numeric
def square_sum(values):
    """The sum of the squares."""
    total = 0.0
    for k in range(len(values)):
        total += values[k] * values[k]
    return total


@numeric
def adam(parameters, gradient, mean, square, step, rate, factor):
    """One step of Adam (Kingma and Ba 2015), the ``step``-th, on ``factor`` times the gradient."""
    one = parameters.dtype.type(1)
    zero = parameters.dtype.type(0)
    b1, b2 = parameters.dtype.type(BETA_1), parameters.dtype.type(BETA_2)
    scale = parameters.dtype.type(factor)
    root = np.sqrt(1.0 - BETA_2**step)
    length = parameters.dtype.type(rate * root / (1.0 - BETA_1**step))
    tiny = parameters.dtype.type(TINY * root)
    nothing = parameters.dtype.type(FORGOTTEN)
    for k in range(len(parameters)):
        g = gradient[k] * scale
        m = b1 * mean[k] + (one - b1) * g
        v = b2 * square[k] + (one - b2) * (g * g)
        m = m if abs(m) > nothing else zero
        v = v if v > nothing else zero
        mean[k] = m
        square[k] = v
        parameters[k] -= length * m / (np.sqrt(v) + tiny)
