"""The network: a two-layer graph convolution, attention-mean and max pooling, and heads that act or judge.

All is written out: forward, backward and the optimiser, for arrays of any one precision. What the layers compute, with
``A`` the normalised adjacency::

    first = relu(A features W1 + b1),  second = relu(A first W2 + b2)
    vector = [softmax(second attention) second | columnwise max of second | context]
    output of head h = relu(vector U[h] + c[h]) O[h] + o[h]

The order of every sum is written down, so that the compiler may not choose one: what comes out is the same, bit for
bit, on processors with short vectors and with long ones.
"""

import math

import numpy as np
from numba import types

from dacalns.core.arithmetic import WIDE, dot, exponential, fused, registers, whole_power
from dacalns.core.brain import (
    REGION,
    edges_in,
    encoder_in,
    head_in,
    hidden_in,
    outputs_in,
    pooled_in,
    state_in,
    workspace_in,
)
from dacalns.core.graph import gather
from dacalns.core.jit import compiled_once, kernel, numeric_inlined
from dacalns.core.memory import view
from dacalns.core.selection import MEMORY

BETA_1, BETA_2, TINY = 0.9, 0.999, 1e-8
# Below this a moment is nothing; without that, it would decay into denormal numbers, which are slow.
FORGOTTEN = 1e-30
# Squares are added up in single precision within blocks of so many, and the blocks in double precision.
BLOCK = 1024


@numeric_inlined
def multiply(x, w, bias, y, floor):
    """Compute ``y = max(x w + bias, floor)``."""
    columns = w.shape[1]
    for begin in range(0, columns, WIDE):
        if columns - begin >= WIDE:
            _multiply(x, w, bias, y, floor, begin, np.int64(WIDE))
        else:
            _multiply(x, w, bias, y, floor, begin, columns - begin)


@numeric_inlined
def _multiply(x, w, bias, y, floor, begin, width):
    """Some of the columns, two rows at a time; the last of an odd number of rows is computed twice."""
    sums = registers(w)
    rows, inner = x.shape
    for row in range(0, rows, 2):
        other = min(row + 1, rows - 1)
        for j in range(width):
            sums[0, j] = sums[1, j] = bias[begin + j]
        for k in range(inner):
            a, b = x[row, k], x[other, k]
            for j in range(width):
                weight = w[k, begin + j]
                sums[0, j] = fused(a, weight, sums[0, j])
                sums[1, j] = fused(b, weight, sums[1, j])
        for j in range(width):
            y[row, begin + j] = max(sums[0, j], floor)
            y[other, begin + j] = max(sums[1, j], floor)


@numeric_inlined
def add_outer(x, y, total):
    """Add ``x^T y`` to ``total``."""
    columns = y.shape[1]
    for begin in range(0, columns, WIDE):
        if columns - begin >= WIDE:
            _add_outer(x, y, total, begin, np.int64(WIDE))
        else:
            _add_outer(x, y, total, begin, columns - begin)


@numeric_inlined
def _add_outer(x, y, total, begin, width):
    """Some of the columns, two rows of the total at a time, as above."""
    sums = registers(y)
    rows, inner = x.shape
    for k in range(0, inner, 2):
        other = min(k + 1, inner - 1)
        for j in range(width):
            sums[0, j] = total[k, begin + j]
            sums[1, j] = total[other, begin + j]
        for row in range(rows):
            a, b = x[row, k], x[row, other]
            for j in range(width):
                value = y[row, begin + j]
                sums[0, j] = fused(a, value, sums[0, j])
                sums[1, j] = fused(b, value, sums[1, j])
        for j in range(width):
            total[k, begin + j] = sums[0, j]
            total[other, begin + j] = sums[1, j]


@numeric_inlined
def add_multiple(factor, x, total):
    """Add ``factor`` times ``x`` to ``total``."""
    for k in range(len(x)):
        total[k] = fused(factor, x[k], total[k])


@compiled_once(types.void(MEMORY, types.int64))
@kernel
def forward_encoder(memory, which):
    """Fill the activations of a state and its pooled vector; features, links, arcs and degrees are there already."""
    starts, neighbours, edge_weights = edges_in(memory, which)
    weights, state = encoder_in(memory, REGION.parameters), state_in(memory, which)
    floor = weights.b1.dtype.type(0)
    nodes, hidden = state.second.shape
    gather(starts, neighbours, edge_weights, state.links, state.arcs, state.shrink, state.features, state.mixed)
    multiply(state.mixed, weights.w1, weights.b1, state.first, floor)
    gather(starts, neighbours, edge_weights, state.links, state.arcs, state.shrink, state.first, state.gathered)
    multiply(state.gathered, weights.w2, weights.b2, state.second, floor)

    second, share, attention = state.second, state.share, weights.attention
    mean, peak = state.vector[:hidden], state.vector[hidden : 2 * hidden]
    for node in range(nodes):
        share[node] = dot(second[node], attention)
    most = share[0]
    for node in range(1, nodes):
        most = max(most, share[node])
    total = 0.0
    for node in range(nodes):
        share[node] = exponential(np.float64(share[node] - most))
    for node in range(nodes):
        total += share[node]
    scale = 1.0 / total
    for j in range(hidden):
        mean[j] = floor
        peak[j] = second[0, j]
    for node in range(nodes):
        share[node] *= scale
        part = share[node]
        for j in range(hidden):
            mean[j] = fused(part, second[node, j], mean[j])
            peak[j] = max(peak[j], second[node, j])


@compiled_once(types.void(MEMORY, types.int64, types.int64))
@kernel
def forward_head(memory, which, head):
    """Fill the output of one head for a state."""
    weights = head_in(memory, REGION.parameters, head)
    vector, hidden, output = pooled_in(memory, which), hidden_in(memory, which)[head], outputs_in(memory, which)[head]
    between = view(hidden, 0, (1, len(hidden)))
    multiply(view(vector, 0, (1, len(vector))), weights.u, weights.c, between, hidden.dtype.type(0))
    multiply(between, weights.o, weights.bias, view(output, 0, (1, len(output))), hidden.dtype.type(-np.inf))


@numeric_inlined
def backward_head(memory, which, head):
    """Add one head's gradients, and those of the vector to the workspace's.

    The slopes of its outputs stand where the outputs did, which nobody needs any more.
    """
    weights, gradient, work = (
        head_in(memory, REGION.parameters, head),
        head_in(memory, REGION.gradient, head),
        workspace_in(memory),
    )
    vector, hidden, slope = pooled_in(memory, which), hidden_in(memory, which)[head], outputs_in(memory, which)[head]
    zero = hidden.dtype.type(0)
    for a in range(len(slope)):
        gradient.bias[a] += slope[a]
    for j in range(len(hidden)):
        back = zero
        if hidden[j] > zero:
            add_multiple(hidden[j], slope, gradient.o[j])
            back = dot(weights.o[j], slope)
        work.hidden[j] = back
    for j in range(len(hidden)):
        gradient.c[j] += work.hidden[j]
    for k in range(len(vector)):
        add_multiple(vector[k], work.hidden, gradient.u[k])
        work.vector[k] += dot(weights.u[k], work.hidden)


@compiled_once(types.void(MEMORY, types.int64))
@kernel
def backward_encoder(memory, which):
    """Add the encoder's gradients from those of the vector in the workspace; the transpose there must be current."""
    starts, neighbours, edge_weights = edges_in(memory, which)
    weights, gradient = encoder_in(memory, REGION.parameters), encoder_in(memory, REGION.gradient)
    state, work = state_in(memory, which), workspace_in(memory)
    zero = work.vector.dtype.type(0)
    nodes, hidden = state.second.shape
    second, share, slope, upstream = state.second, state.share, work.nodes, work.vector
    mean = zero
    for node in range(nodes):
        work.shares[node] = dot(view(upstream, 0, (hidden,)), second[node])
        mean = fused(share[node], work.shares[node], mean)
    attention, attention_slope, bias_slope = weights.attention, gradient.attention, gradient.b2
    # Of nodes that share the largest value of a column, the first gets all of its slope.
    peak, left = state.vector[hidden : 2 * hidden], work.hidden
    for j in range(hidden):
        left[j] = upstream[hidden + j]
    for node in range(nodes):
        part = share[node]
        pull = part * (work.shares[node] - mean)
        for j in range(hidden):
            value = second[node, j]
            largest = value == peak[j]
            waiting = left[j]
            back = fused(part, upstream[j], fused(pull, attention[j], waiting if largest else zero))
            left[j] = zero if largest else waiting
            back = back if value > zero else zero
            slope[node, j] = back
            attention_slope[j] = fused(pull, value, attention_slope[j])
            bias_slope[j] += back
    add_outer(state.gathered, slope, gradient.w2)
    for j in range(hidden):
        work.hidden[j] = zero
    multiply(slope, work.transposed, work.hidden, work.more_nodes, weights.b1.dtype.type(-np.inf))
    gather(starts, neighbours, edge_weights, state.links, state.arcs, state.shrink, work.more_nodes, slope)
    first, bias_slope = state.first, gradient.b1
    for node in range(nodes):
        for j in range(hidden):
            value = slope[node, j]
            back = value if first[node, j] > zero else zero
            slope[node, j] = back
            bias_slope[j] += back
    add_outer(state.mixed, slope, gradient.w1)


@numeric_inlined
def transpose(matrix, target):
    """Copy the transpose of a square matrix."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            target[j, i] = matrix[i, j]


@numeric_inlined
def clear(values):
    """Set all to zero."""
    for k in range(len(values)):
        values[k] = 0.0


@numeric_inlined
def square_sum(values):
    """The sum of the squares."""
    total = 0.0
    for begin in range(0, len(values), BLOCK):
        block = view(values, begin, (min(BLOCK, len(values) - begin),))
        total += dot(block, block)
    return total


@numeric_inlined
def adam(parameters, gradient, mean, square, step, rate, factor):
    """One step of Adam (Kingma and Ba 2015), the ``step``-th, on ``factor`` times the gradient."""
    one = parameters.dtype.type(1)
    zero = parameters.dtype.type(0)
    b1, b2 = parameters.dtype.type(BETA_1), parameters.dtype.type(BETA_2)
    scale = parameters.dtype.type(factor)
    root = math.sqrt(1.0 - whole_power(BETA_2, int(step)))
    length = parameters.dtype.type(rate * root / (1.0 - whole_power(BETA_1, int(step))))
    tiny = parameters.dtype.type(TINY * root)
    nothing = parameters.dtype.type(FORGOTTEN)
    for k in range(len(parameters)):
        g = gradient[k] * scale
        m = fused(b1, mean[k], (one - b1) * g)
        v = fused(b2, square[k], (one - b2) * (g * g))
        m = m if abs(m) > nothing else zero
        v = v if v > nothing else zero
        mean[k] = m
        square[k] = v
        parameters[k] -= length * m / (math.sqrt(v) + tiny)
