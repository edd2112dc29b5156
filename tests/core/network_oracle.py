"""The network once more, from its formulas, in plain array expressions that an autodiff library can differentiate."""

from typing import Any

import numpy
from autograd import numpy as np


def adjacency(problem: Any, routes: list[list[int]], k: int) -> Any:
    """The normalised adjacency of the graph: k nearest neighbours both ways, arcs of the routes on top, loops."""
    distance = (problem.distance + problem.distance.T) / 2
    nodes = len(distance)
    near = numpy.zeros((nodes, nodes), dtype=bool)
    nearest = []
    for i in range(nodes):
        others = sorted((distance[i, j], j) for j in range(nodes) if j != i)
        limit = others[min(k, nodes - 1) - 1][0]
        nearest += [length for length, _ in others[:k]]
        for length, j in others[: 2 * k]:
            if length <= limit:
                near[i, j] = near[j, i] = True
    unit = sum(nearest) / len(nearest)
    weight = 1 / numpy.maximum(distance / unit, 0.1)
    matrix = numpy.where(near, weight, 0.0) + numpy.eye(nodes)
    for route in routes:
        for i, j in zip([0, *route], [*route, 0], strict=True):
            matrix[i, j] += weight[i, j]
            matrix[j, i] += weight[i, j]
    root = numpy.sqrt(matrix.sum(axis=1))
    return matrix / numpy.outer(root, root)


def split(flat: Any, features: int, hidden: int, context: int, heads: int, outputs: int) -> dict[str, Any]:
    """The parts of the flat parameters, in their order."""
    vector = 2 * hidden + context
    shapes = {
        "w1": (features, hidden), "b1": (hidden,), "w2": (hidden, hidden), "b2": (hidden,), "attention": (hidden,),
        "u": (heads, vector, hidden), "c": (heads, hidden), "o": (heads, hidden, outputs), "bias": (heads, outputs),
    }  # fmt: skip
    parts, begin = {}, 0
    for name, shape in shapes.items():
        size = int(numpy.prod(shape))
        parts[name] = np.reshape(flat[begin : begin + size], shape)
        begin += size
    assert begin == len(flat)
    return parts


def encode(parts: dict[str, Any], matrix: Any, features: Any) -> Any:
    """The pooled vector."""
    first = np.maximum(matrix @ features @ parts["w1"] + parts["b1"], 0)
    second = np.maximum(matrix @ first @ parts["w2"] + parts["b2"], 0)
    scores = second @ parts["attention"]
    share = np.exp(scores - np.max(scores))
    share = share / np.sum(share)
    return np.concatenate([share @ second, np.max(second, axis=0)])


def output(parts: dict[str, Any], vector: Any, head: int) -> Any:
    """What one head says."""
    hidden = np.maximum(vector @ parts["u"][head] + parts["c"][head], 0)
    return hidden @ parts["o"][head] + parts["bias"][head]


def log_softmax(values: Any) -> Any:
    """Logarithms of the probabilities."""
    most = np.max(values)
    return values - most - np.log(np.sum(np.exp(values - most)))
