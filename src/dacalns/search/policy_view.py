"""What a learned policy sees and answers: the graph of a solution, and the record of its choices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core.graph import Graph, read_routes, read_solution
from dacalns.core.model import Problem, Solution
from dacalns.core.terms import is_depot
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.typed_data import from_plain

# The explanation of how a learned policy chose.

MOST_POINTS = 128
# Means of single-precision probabilities add up to one within less.
TOLERANCE = 1e-4

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Explanation:
    """Probabilities, entropies and values along a run, each point the mean over a stretch of iterations.

    Parameters
    ----------
    iterations
        The last iteration of each stretch; at most 128 stretches, the first one from the beginning of the run. Where a
        decision is held for many iterations, a stretch is at least as long.
    destroy_probabilities, repair_probabilities
        A row for each point, a column for each operator: the policy's probability, before exploration. That of repair
        operators is the mean over the destroyed solutions that were met.
    destroy_entropy, repair_entropy
        The entropy of the policy at each point, in nats.
    destroy_value, repair_value
        What the critic expected at the full and at the destroyed solution; empty where there is no critic.
    repair_given_destroy
        A row for each destroy operator, a column for each repair operator: the mean probability of the repair operator
        after that destroy operator, over the run. All zero after a destroy operator that was never used.
    exploration
        The probability with which an operator was drawn evenly instead of by the policy.

    Raises
    ------
    InputError
        If the numbers do not fit together.
    """

    iterations: list[int]
    destroy_probabilities: list[list[float]]
    repair_probabilities: list[list[float]]
    destroy_entropy: list[float]
    repair_entropy: list[float]
    destroy_value: list[float]
    repair_value: list[float]
    repair_given_destroy: list[list[float]]
    exploration: float

    def __post_init__(self) -> None:
        ends = self._plain("iterations", 1)
        points = len(ends)
        if not 1 <= points <= MOST_POINTS:
            raise _unfit("iterations", f"has {points} points", f"1 to {MOST_POINTS}")
        if ends[0] < 1 or (np.diff(ends) <= 0).any() or (ends != np.round(ends)).any():
            raise _unfit("iterations", f"is {shown(self.iterations)}", "ascending whole numbers from 1 on")
        object.__setattr__(self, "iterations", [int(end) for end in ends])
        destroys, repairs = self._probabilities("destroy", points), self._probabilities("repair", points)
        for kind, operators in (("destroy", destroys), ("repair", repairs)):
            self._series(f"{kind}_entropy", points, largest=float(np.log(operators)) + TOLERANCE)
            self._series(f"{kind}_value", points)
        pairs = self._plain("repair_given_destroy", 2)
        if pairs.shape != (destroys, repairs):
            raise _unfit("repair_given_destroy", f"is {_size(pairs)}", f"{destroys} x {repairs}")
        _require_distributions("repair_given_destroy", pairs[pairs.any(axis=1)])
        exploration = self._plain("exploration", 0)
        if not 0 <= exploration <= 1:
            raise _unfit("exploration", f"is {shown(self.exploration)}", "a probability, 0 to 1")

    @property
    def operators(self) -> tuple[int, int]:
        """The numbers of destroy and of repair operators."""
        return len(self.repair_given_destroy), len(self.repair_given_destroy[0])

    @classmethod
    def from_dict(cls, data: Any) -> "Explanation":
        """The explanation that ``dataclasses.asdict`` described.

        Raises
        ------
        InputError
            If ``data`` lacks a field, has one that no explanation has, or the numbers do not fit together.
        """
        return from_plain(cls, data, "explanation")

    def _plain(self, name: str, dimensions: int) -> Numbers:
        """The numbers of a field, which from now on holds plain lists of floats whatever was given."""
        given = getattr(self, name)
        try:
            numbers = np.array(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            numbers = np.array(np.nan)
        if numbers.ndim != dimensions or not np.isfinite(numbers).all():
            expected = ("a number", "a list of numbers", "a table of numbers")[dimensions]
            raise _unfit(name, f"is {shown(given)}", f"{expected}, all finite")
        object.__setattr__(self, name, numbers.tolist())
        return numbers

    def _probabilities(self, kind: str, points: int) -> int:
        """The number of operators, once it is clear that the rows are probabilities of them."""
        name = f"{kind}_probabilities"
        table = self._plain(name, 2)
        if len(table) != points or not table.shape[1]:
            raise _unfit(name, f"is {_size(table)}", f"{points} rows, as there are points")
        _require_distributions(name, table)
        return int(table.shape[1])

    def _series(self, name: str, points: int, largest: float | None = None) -> None:
        series = self._plain(name, 1)
        if len(series) != points and (largest is not None or len(series)):
            raise _unfit(name, f"has {len(series)} numbers", f"{points}, as there are points")
        if largest is not None and (series.min() < -TOLERANCE or series.max() > largest):
            raise _unfit(name, f"is {series.min():g} to {series.max():g}", f"0 to {largest:.3g}, that of even odds")


def _require_distributions(name: str, rows: Numbers) -> None:
    sums = rows.sum(axis=1)
    if rows.size and (rows.min() < 0 or np.abs(sums - 1).max() > TOLERANCE):
        worst = sums[np.abs(sums - 1).argmax()]
        raise _unfit(name, f"has a row from {rows.min():g} on, or one that adds up to {worst:g}", "probabilities")


def _size(table: Numbers) -> str:
    return " x ".join(map(str, table.shape))


def _unfit(name: str, found: str, expected: str) -> InputError:
    return InputError(f"explanation: {name} {found}; expected {expected}.")


# A solution as the learned selectors see it: features of the nodes, and weighted edges between them.

# Nearest neighbours of a node, as in the network of the learned selectors.
NEIGHBOURS = 10
Edges = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float32]]


def node_features(graph: Graph, problem: Problem, solution: Solution) -> npt.NDArray[np.float32]:
    """A row for the depot and each customer, in the order of `dacalns.core.graph.RICH_FEATURES`."""
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
    at_depot = is_depot(others)  # the depot's own side of an arc is noted nowhere
    tails = np.concatenate([np.repeat(np.arange(nodes), np.diff(graph.starts)), customers, others[at_depot]])
    heads = np.concatenate([graph.neighbours, others, customers[at_depot]])
    weights = np.concatenate([graph.weights, lengths, lengths[at_depot]])
    pairs, of_pair = np.unique(tails * nodes + heads, return_inverse=True)
    return pairs // nodes, pairs % nodes, np.bincount(of_pair, weights).astype(np.float32)
