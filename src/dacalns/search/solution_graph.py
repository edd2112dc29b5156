"""A solution as the learned selectors see it: features of the nodes, and weighted edges between them."""

import numpy as np
import numpy.typing as npt

from dacalns.core.graph import Graph, read_routes, read_solution
from dacalns.core.model import Problem, Solution

# Nearest neighbours of a node, as in the network of the learned selectors.
NEIGHBOURS = 10
Edges = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float32]]


def node_features(graph: Graph, problem: Problem, solution: Solution) -> npt.NDArray[np.float32]:
    """A row for the depot and each customer, in the order of `dacalns.core.graph.VRPTW_FEATURES`."""
    features = np.zeros_like(graph.features)
    read_solution(problem, solution, graph.features, features)
    return features


def edges(graph: Graph, problem: Problem, solution: Solution) -> Edges:
    """Tails, heads and weights: nearest neighbours and the arcs of the routes, both ways, each pair of nodes once."""
    nodes = len(graph.degree)
    links, arcs = np.zeros((nodes, 2), dtype=np.int64), np.zeros((nodes, 2), dtype=np.float32)
    read_routes(problem, solution, graph.degree, graph.unit, links, arcs, np.zeros(nodes, dtype=np.float32))
    customers, sides = np.nonzero(arcs)
    others, lengths = links[customers, sides], arcs[customers, sides]
    at_depot = others == 0  # the depot's own side of an arc is noted nowhere
    tails = np.concatenate([np.repeat(np.arange(nodes), np.diff(graph.starts)), customers, others[at_depot]])
    heads = np.concatenate([graph.neighbours, others, customers[at_depot]])
    weights = np.concatenate([graph.weights, lengths, lengths[at_depot]])
    pairs, of_pair = np.unique(tails * nodes + heads, return_inverse=True)
    return pairs // nodes, pairs % nodes, np.bincount(of_pair, weights).astype(np.float32)
