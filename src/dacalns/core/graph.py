"""The state of a search as a graph: the paper's node features, what rich problems need beside, and the network's edges.

A graph has the nodes of the problem. Its edges are the ``k`` nearest neighbours of each node, which never change, and
the arcs of the current routes, taken without their direction and with weight 1/d each. An arc between neighbours
counts on top of the edge that is there: else most routes would leave no trace in the graph.

Everything is relative: positions are seen from the depot, lengths are in units of the mean distance between
neighbours or of the reach of the depot, demands in vehicle loads, times in horizons. So moving, scaling or renumbering
an instance changes nothing, but for which neighbours count where more than twice as many as asked for are equally near.
"""

import math
from typing import NamedTuple

import numpy as np

from dacalns.core.arithmetic import WIDE, fused, registers
from dacalns.core.distances import between, pairs_between, plane_of
from dacalns.core.jit import inlined, kernel, numeric_inlined
from dacalns.core.model import AT_ONCE, Problem
from dacalns.core.plane import nearest_nodes
from dacalns.core.records import numbered
from dacalns.core.rich_view import Beyond, Search
from dacalns.core.terms import (
    amounts_in_vehicles,
    arrival,
    columns_beyond,
    day,
    ends_at,
    from_start_to_all,
    is_depot,
    opening,
    see_beyond,
    see_search,
    seen_from,
    starts_at,
    windows_in_horizons,
)


class Feature(NamedTuple):
    """The columns of a node's features; those of time only where there are time windows, or the problem is rich."""

    x: int
    y: int
    demand: int
    served: int  #: 1 unless the customer waits in the bank
    opens: int
    closes: int
    width: int
    service: int
    arrival: int
    waiting: int


FEATURE = numbered(Feature)
WINDOW_FEATURES = Feature._fields
PLAIN_FEATURES = WINDOW_FEATURES[: FEATURE.opens]
RICH_FEATURES = WINDOW_FEATURES + Beyond._fields
FIRST_BEYOND = len(WINDOW_FEATURES)
# Loops over so few are faster by a third if their length is known when they are compiled.
FEW = len(PLAIN_FEATURES)
# Customers at one place would have infinite weight: nearer than this part of the usual distance counts as this.
NEAREST = 0.1
# Distances that differ by less, relatively, are equal: scaling an instance must not break ties.
TIE = 1e-9


class Graph(NamedTuple):
    """What of the graph never changes: the neighbours in compressed rows, and the features without the solution."""

    starts: np.ndarray  #: (nodes+1,) where the neighbours of each node begin
    neighbours: np.ndarray  #: the neighbours, row after row
    weights: np.ndarray  #: the weight of each of these edges
    degree: np.ndarray  #: (nodes,) one for the loop, and the sum of the weights
    features: np.ndarray  #: (nodes, features) with those that depend on the solution at zero
    unit: float  #: the distance that has weight one


def build_graph(problem: Problem, coordinates: np.ndarray | None, k: int) -> Graph:
    """The static graph of a problem with ``k`` nearest neighbours a node.

    Ties are all taken, up to twice ``k``, so that the order of the customers does not matter. Without coordinates,
    ``x`` is the distance from the depot and ``y`` is nothing.
    """
    nodes = len(problem.neighbours)
    most = min(2 * k, nodes - 1)
    k = min(k, nodes - 1)
    near, away = _nearest(problem, most)
    # The nearest k, and those as far away as the last of them.
    tails, ranks = np.nonzero(away <= away[:, k - 1 : k] * (1.0 + TIE))
    heads = near[tails, ranks]
    nearest_total = float(away[:, :k].sum())
    unit = nearest_total / (nodes * k) or 1.0
    pairs = np.unique(np.concatenate([tails * nodes + heads, heads * nodes + tails]))
    tails, heads = pairs // nodes, pairs % nodes
    lengths = 0.5 * (pairs_between(problem, tails, heads) + pairs_between(problem, heads, tails))
    weights = 1.0 / np.maximum(lengths / unit, NEAREST)
    starts = np.searchsorted(tails, np.arange(nodes + 1))
    degree = 1.0 + np.bincount(tails, weights, nodes)
    return Graph(
        starts.astype(np.int64), heads.astype(np.int64), weights.astype(np.float32), degree.astype(np.float32),
        _static_features(problem, coordinates).astype(np.float32), float(unit),
    )  # fmt: skip


def _nearest(problem: Problem, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest other nodes of each, nearest first, and how far away they are on the mean of both ways."""
    if not problem.stored:
        near, away = nearest_nodes(plane_of(problem), most, 0)
        return near.astype(np.int64), away
    distance = problem.distance
    nodes = len(distance)
    near, away = np.empty((nodes, most), dtype=np.int64), np.empty((nodes, most))
    rows = max(1, AT_ONCE**2 // nodes)  # so that no second matrix is needed
    for begin in range(0, nodes, rows):
        some = np.arange(begin, min(begin + rows, nodes))
        block = 0.5 * (distance[some] + distance[:, some].T)
        block[np.arange(len(some)), some] = np.inf
        found = _lowest(block, most)
        order = np.argsort(np.take_along_axis(block, found, axis=1), axis=1, kind="stable")
        near[some] = np.take_along_axis(found, order, axis=1)
        away[some] = np.take_along_axis(block, near[some], axis=1)
    return near, away


def _lowest(block: np.ndarray, most: int) -> np.ndarray:
    """Return the places of the lowest numbers of each row; of equal numbers the first."""
    found = np.sort(np.argpartition(block, most - 1, axis=1)[:, :most], axis=1)
    # Of those as high as the highest that is found, NumPy takes whichever the processor's vectors come upon.
    highest = np.take_along_axis(block, found, axis=1).max(axis=1, keepdims=True)
    for row in np.flatnonzero((block <= highest).sum(axis=1) > most):
        found[row] = np.sort(np.argsort(block[row], kind="stable")[:most])
    return found


def _static_features(problem: Problem, coordinates: np.ndarray | None) -> np.ndarray:
    nodes, windows, beyond = len(problem.neighbours), windows_in_horizons(problem), columns_beyond(problem)
    plain = WINDOW_FEATURES if windows is not None else PLAIN_FEATURES
    features = np.zeros((nodes, len(plain if beyond is None else RICH_FEATURES)))
    if coordinates is None:
        places = np.column_stack([from_start_to_all(problem), np.zeros(nodes)])
    else:
        places = np.asarray(coordinates, dtype=np.float64) - coordinates[seen_from(problem)]
    features[:, [FEATURE.x, FEATURE.y]] = places / (np.hypot(*places.T).max() or 1.0)
    features[:, FEATURE.demand] = amounts_in_vehicles(problem)
    if windows is not None:
        features[:, [FEATURE.opens, FEATURE.closes, FEATURE.width, FEATURE.service]] = windows
    if beyond is not None:
        features[:, FIRST_BEYOND:] = beyond
    return features


def search_numbers(features: int) -> int:
    """How many numbers on the search a network has, for nodes with so many features, that only rich problems have."""
    return len(Search._fields) if features == len(RICH_FEATURES) else 0


@kernel
def read_solution(problem, solution, static, features):
    """Copy the static features and fill in those of the solution: who is served, arrival and waiting times."""
    begin, horizon = day(problem)
    for node in range(len(static)):
        for k in range(static.shape[1]):
            features[node, k] = static[node, k]
        if is_depot(node) or solution.route[node] >= 0:
            features[node, FEATURE.served] = 1.0
        if static.shape[1] > FEATURE.arrival and not is_depot(node) and solution.route[node] >= 0:
            arrives = arrival(problem, solution, node)
            features[node, FEATURE.arrival] = (arrives - begin) / horizon
            features[node, FEATURE.waiting] = max(0.0, opening(problem, node) - arrives) / horizon
    see_beyond(problem, solution, features, FIRST_BEYOND)


@kernel
def read_search(problem, solution, features, vector):
    """Put what is told of the search of a rich problem at the end of a vector; ``features`` are the solution's."""
    see_search(problem, solution, features, FIRST_BEYOND, vector)


@inlined
def arc_weight(problem, unit, tail, head):
    """The weight of a route's arc, the same in both directions."""
    length = between(problem, tail, head)
    if not problem.symmetric:
        length = 0.5 * (length + between(problem, head, tail))
    return 1.0 / max(length / unit, NEAREST)


@kernel
def read_routes(problem, solution, static_degree, unit, links, arcs, shrink):
    """Note the routes' arcs and their weights, and for each node one over the root of its degree.

    ``links[i]`` has the nodes before and behind customer i and ``arcs[i]`` the weights of the two arcs, zero while it
    waits in the bank. A depot's arcs are those of its neighbours.
    """
    nodes = len(shrink)
    for node in range(nodes):
        shrink[node] = static_degree[node]
        for side in range(2):
            links[node, side] = 0
            arcs[node, side] = 0.0
    for node in range(nodes):
        route = solution.route[node]
        if is_depot(node) or route < 0:
            continue
        before, after = solution.pred[node], solution.succ[node]
        links[node, 0] = before if before else starts_at(problem, solution, route)
        links[node, 1] = after if after else ends_at(problem, solution, route)
        for side in range(2):
            other = links[node, side]
            weight = arc_weight(problem, unit, node, other)
            arcs[node, side] = weight
            shrink[node] += weight
            if is_depot(other):
                shrink[other] += weight
    for node in range(nodes):
        shrink[node] = 1.0 / math.sqrt(shrink[node])


@numeric_inlined
def gather(starts, neighbours, weights, links, arcs, shrink, source, target):
    """Multiply ``source`` (nodes x columns) by the normalised adjacency of the graph, loops included.

    The matrix is its own transpose, so that this is also how gradients go back.
    """
    columns = source.shape[1]
    if columns == FEW:
        _gather(starts, neighbours, weights, links, arcs, shrink, source, target, 0, np.int64(FEW))
        return
    for begin in range(0, columns, WIDE):
        if columns - begin >= WIDE:
            _gather(starts, neighbours, weights, links, arcs, shrink, source, target, begin, np.int64(WIDE))
        else:
            _gather(starts, neighbours, weights, links, arcs, shrink, source, target, begin, columns - begin)


@numeric_inlined
def _gather(starts, neighbours, weights, links, arcs, shrink, source, target, begin, width):
    """Some of the columns."""
    sums = registers(source)
    nodes = len(shrink)
    for node in range(nodes):
        own = shrink[node]
        for c in range(width):
            sums[0, c] = own * source[node, begin + c]
        for edge in range(starts[node], starts[node + 1]):
            near = neighbours[edge]
            weight = weights[edge] * shrink[near]
            for c in range(width):
                sums[0, c] = fused(weight, source[near, begin + c], sums[0, c])
        if arcs[node, 0] > 0.0:
            before, after = links[node, 0], links[node, 1]
            weight, weight_after = arcs[node, 0] * shrink[before], arcs[node, 1] * shrink[after]
            for c in range(width):
                column = begin + c
                both = fused(weight, source[before, column], sums[0, c])
                sums[0, c] = fused(weight_after, source[after, column], both)
        if is_depot(node):
            for near in range(nodes):
                for side in range(2):
                    if arcs[near, side] > 0.0 and links[near, side] == node:
                        weight = arcs[near, side] * shrink[near]
                        for c in range(width):
                            sums[0, c] = fused(weight, source[near, begin + c], sums[0, c])
        for c in range(width):
            target[node, begin + c] = own * sums[0, c]
