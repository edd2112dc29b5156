"""What learners outside of this package see of a search, in arrays."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dacalns.core.selection import TRIAL
from dacalns.core.sight import PHASES, SIGHT, observe
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import whole_number

if TYPE_CHECKING:
    from dacalns.search.stepper import Stepper


class Observation(NamedTuple):
    """The graph of a solution, and numbers on the search; in arrays that may have room for more, filled with zeros.

    Those of several searches have one more dimension in front.
    """

    nodes: npt.NDArray[np.float32]  #: (N, F) a row for the depot and each customer: see `State.node_features`
    node_mask: npt.NDArray[np.int8]  #: (N,) 1 for the rows that are used
    edge_index: npt.NDArray[np.int64]  #: (2, E) tails and heads: nearest neighbours and the arcs of the routes
    edge_weight: npt.NDArray[np.float32]  #: (E,) see `State.edges`
    edge_mask: npt.NDArray[np.int8]  #: (E,) 1 for the edges that there are
    search: npt.NDArray[np.float32]  #: two for the phase, one for each destroy operator, and those of `Sight`

    @classmethod
    def empty(cls, nodes: int, features: int, edges: int, destroys: int, batch: int | None = None) -> "Observation":
        """Return arrays with room for so much, and for so many destroy operators; for a batch of searches if given."""
        shapes = (nodes, features), (nodes,), (2, edges), (edges,), (edges,), (PHASES + destroys + len(SIGHT),)
        kinds = np.float32, np.int8, np.int64, np.float32, np.int8, np.float32
        front = () if batch is None else (batch,)
        return cls(*(np.zeros((*front, *shape), dtype=kind) for shape, kind in zip(shapes, kinds, strict=True)))

    def sizes(self, batch: int | None = None) -> npt.NDArray[np.int64]:
        """Return how many nodes, features, edges and numbers on the search there is room for.

        Raises
        ------
        InputError
            If the arrays are of other types, or do not fit together.
        """
        good = self.nodes.ndim == (2 if batch is None else 3)
        if good:
            nodes, features = self.nodes.shape[-2:]
            edges, numbers = self.edge_weight.shape[-1], self.search.shape[-1]
            wanted = Observation.empty(nodes, features, edges, numbers - PHASES - len(SIGHT), batch)
            good = all(
                mine.shape == one.shape and mine.dtype == one.dtype and mine.flags.c_contiguous
                for mine, one in zip(map(np.asarray, self), map(np.asarray, wanted), strict=True)
            )
        if not good:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in self._asdict().items())
            raise InputError(f"the arrays have shapes {shapes}; expected those that Observation.empty returns.")
        return np.array([nodes, features, edges, numbers], dtype=np.int64)

    def trimmed(self, edges: int) -> "Observation":
        """Return it with room for so many edges."""
        return self._replace(
            edge_index=np.ascontiguousarray(self.edge_index[..., :edges]),
            edge_weight=np.ascontiguousarray(self.edge_weight[..., :edges]),
            edge_mask=np.ascontiguousarray(self.edge_mask[..., :edges]),
        )


def observe_all(
    steppers: Sequence["Stepper"],
    out: Observation | None,
    destroyed: Sequence[bool],
    neighbours: int,
    *,
    operators: npt.NDArray[np.int64] | None = None,
    frames: npt.NDArray[Any] | None = None,
    batch: bool = False,
) -> Observation:
    """Show several searches in arrays that are given, or in new ones; those of a ``batch`` have one more dimension.

    ``operators`` are the last destroy operators, by the numbers that there is room for; left out, those of the
    iterations in hand. ``frames`` are those of the steppers, with the graph in them, if they are at hand.

    Raises
    ------
    InputError
        If there is not room enough.
    """
    neighbours = whole_number("neighbours", neighbours, minimum=1)
    graphs = [stepper._ground.graph_with(neighbours) for stepper in steppers]
    count = len(steppers) if batch else None
    fitted = out is None
    if out is None:
        nodes, features = (max(graph.features.shape[k] for graph in graphs) for k in range(2))
        edges = max(len(graph.neighbours) + 4 * len(graph.degree) for graph in graphs)
        out = Observation.empty(nodes, features, edges, max(len(each.portfolio.destroy) for each in steppers), count)
    sizes = out.sizes(count)
    numbers = int(sizes[3]) - PHASES - len(SIGHT)
    for stepper, graph in zip(steppers, graphs, strict=True):
        destroys = len(stepper.portfolio.destroy) if operators is None else 0
        for what, needed, room in (
            ("nodes, those of depot and customers,", graph.features.shape[0], sizes[0]),
            ("features of a node", graph.features.shape[1], sizes[1]),
            ("destroy operators", destroys, numbers),
        ):
            if needed > room:
                raise InputError(
                    f"{shown(stepper.instance.name)} has {needed} {what} and there is room for {room}; expected at "
                    "least as much; give larger arrays."
                )
    if operators is None:
        trials = zip(steppers, destroyed, strict=True)
        operators = np.array([int(each.progress.trial[TRIAL.destroy]) if seen else -1 for each, seen in trials])
    if frames is None:
        frames = np.concatenate([stepper._framed_to_see(neighbours) for stepper in steppers])
    found = show(frames, out, sizes, destroyed, operators)
    if found.max() > sizes[2]:
        raise InputError(
            f"{shown(steppers[int(found.argmax())].instance.name)} has {found.max()} edges and there is room for "
            f"{sizes[2]}; expected at least as much; give larger arrays, or fewer neighbours."
        )
    return out.trimmed(int(found.max())) if fitted else out


def show(
    frames: npt.NDArray[Any],
    out: Observation,
    sizes: npt.NDArray[np.int64],
    destroyed: npt.ArrayLike,
    operators: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Fill arrays of which it is known that there is room; return how many edges each search has."""
    found = np.zeros(len(operators), dtype=np.int64)
    observe(frames, np.array(destroyed, dtype=np.int64), operators, sizes, *(array.reshape(-1) for array in out), found)
    return found
