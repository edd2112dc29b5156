"""What learners outside of this package see of a search: padded arrays of its graph, and some numbers on the search.

The features and the edges are those of our own networks (`core/graph.py`), each pair of nodes once, in both directions.
"""

from typing import NamedTuple

from numba import types

from dacalns.core.frames import (
    FRAME,
    NOTE,
    engine_at,
    graph_at,
    problem_at,
    progress_at,
    rich_problem_at,
    rich_solution_at,
    solution_at,
)
from dacalns.core.graph import arc_weight, read_search, read_solution
from dacalns.core.jit import caller, glue, inlined, kernel
from dacalns.core.memory import view
from dacalns.core.model import BANKED
from dacalns.core.records import numbered
from dacalns.core.selection import TRIAL
from dacalns.core.stepper import VALUE
from dacalns.core.terms import ends_at, is_depot, starts_at

# A gap to the best of one over this, or more, is shown as 1, as in the context of our own networks.
GAP_UNIT = 20.0


class Sight(NamedTuple):
    """The numbers on the search, behind two for the phase and one for each destroy operator."""

    fraction: int  #: of the budget that was used when the last iteration began, as our own networks see it
    temperature: int  #: of the criterion, or its allowance, as a part of the first; 0 where it has none
    stagnation: int  #: the part of the budget used since the best solution was found
    gap: int  #: of the current solution to the best, in units of 5 %, at most 1
    removed: int  #: the part of the customers that wait in the bank
    acceptance_rate: int  #: how often solutions changed, over about the last thousand iterations
    improvement_rate: int  #: how often they were better than the current one
    left_out: int  #: these three are of rich problems only, see `dacalns.core.rich_view.Search`
    vehicles: int
    types: int


SIGHT = numbered(Sight)
PHASES = 2

_NODES, _MASK = types.float32[:, ::1], types.int8[::1]
SEE = types.int64(
    types.int64[::1], types.int64, types.int64, _NODES, _MASK, types.int64[:, ::1], types.float32[::1], _MASK,
    types.float32[::1],
)  # fmt: skip
call_see = caller(SEE)


@inlined
def _see(
    problem, current, candidate, progress, engine, graph, destroyed, operator, nodes, node_mask, edge_index,
    edge_weight, edge_mask, search,
):  # fmt: skip
    """Show the destroyed solution, or the current one; return how many edges there are, also if they do not fit."""
    solution = candidate if destroyed else current
    total, room = len(graph.degree), len(edge_weight)
    for node in range(len(nodes)):
        node_mask[node] = 1 if node < total else 0
        for k in range(nodes.shape[1]):
            nodes[node, k] = 0.0
    read_solution(problem, solution, graph.features, nodes)
    edges = len(graph.neighbours)
    for node in range(total):
        for edge in range(graph.starts[node], min(graph.starts[node + 1], room)):
            edge_index[0, edge], edge_index[1, edge] = node, graph.neighbours[edge]
            edge_weight[edge] = graph.weights[edge]
    for node in range(total):
        route = solution.route[node]
        if is_depot(node) or route < 0:
            continue
        before = starts_at(problem, solution, route) if is_depot(solution.pred[node]) else solution.pred[node]
        after = ends_at(problem, solution, route) if is_depot(solution.succ[node]) else solution.succ[node]
        for side in range(2):
            other = after if side else before
            weight = arc_weight(problem, graph.unit, node, other)
            if before == after:  # out and back are one edge
                if side:
                    continue
                weight *= 2.0
            edges = _add(graph, edges, room, node, other, weight, edge_index, edge_weight)
            if is_depot(other):  # a depot's own side of an arc is noted nowhere
                edges = _add(graph, edges, room, other, node, weight, edge_index, edge_weight)
    for edge in range(room):
        edge_mask[edge] = 1 if edge < edges else 0
    for edge in range(edges, room):
        edge_index[0, edge] = edge_index[1, edge] = 0
        edge_weight[edge] = 0.0

    for k in range(len(search)):
        search[k] = 0.0
    search[1 if destroyed else 0] = 1.0
    if operator >= 0:
        search[PHASES + operator] = 1.0
    values, notes, before = progress.values, engine.notes, progress.trial[TRIAL.fraction]
    at, fraction, best = len(search) - len(SIGHT), values[VALUE.fraction], values[VALUE.best]
    search[at + SIGHT.fraction] = before
    coldest = notes[NOTE.coldest]
    if coldest > 0.0:
        cooled = 1.0 + (coldest - 1.0) * fraction if notes[NOTE.linear] else coldest**fraction
        search[at + SIGHT.temperature] = cooled
    search[at + SIGHT.stagnation] = before - notes[NOTE.best_at]
    search[at + SIGHT.gap] = min(1.0, GAP_UNIT * (values[VALUE.current] - best) / max(1e-9, best))
    search[at + SIGHT.removed] = solution.counts[BANKED] / (len(solution.route) - 1)
    search[at + SIGHT.acceptance_rate] = notes[NOTE.acceptance_rate]
    search[at + SIGHT.improvement_rate] = notes[NOTE.improvement_rate]
    read_search(problem, solution, nodes, search)
    return edges


@inlined
def _add(graph, edges, room, tail, head, weight, edge_index, edge_weight):
    """Add a weight to an edge: to that of two neighbours if they are such, else to a new one."""
    for edge in range(graph.starts[tail], min(graph.starts[tail + 1], room)):
        if graph.neighbours[edge] == head:
            edge_weight[edge] += weight
            return edges
    if edges < room:
        edge_index[0, edges], edge_index[1, edges] = tail, head
        edge_weight[edges] = weight
    return edges + 1


@glue
def see_plain(frame, destroyed, operator, nodes, node_mask, edge_index, edge_weight, edge_mask, search):
    """Show a search of a CVRP or VRPTW."""
    return _see(
        problem_at(frame[FRAME.problem]), solution_at(frame[FRAME.current]), solution_at(frame[FRAME.candidate]),
        progress_at(frame[FRAME.progress]), engine_at(frame[FRAME.engine]), graph_at(frame[FRAME.graph]),
        destroyed, operator, nodes, node_mask, edge_index, edge_weight, edge_mask, search,
    )  # fmt: skip


@glue
def see_rich(frame, destroyed, operator, nodes, node_mask, edge_index, edge_weight, edge_mask, search):
    """Show a search of a rich problem."""
    return _see(
        rich_problem_at(frame[FRAME.problem]), rich_solution_at(frame[FRAME.current]),
        rich_solution_at(frame[FRAME.candidate]), progress_at(frame[FRAME.progress]),
        engine_at(frame[FRAME.engine]), graph_at(frame[FRAME.graph]),
        destroyed, operator, nodes, node_mask, edge_index, edge_weight, edge_mask, search,
    )  # fmt: skip


@kernel
def observe(frames, destroyed, operators, sizes, nodes, node_mask, edge_index, edge_weight, edge_mask, search, edges):
    """Show several searches, each in its part of the arrays, one behind the other.

    ``sizes`` are the numbers of nodes, features, edges and numbers on the search that there is room for; ``operators``
    are the last destroy operators, or -1 for none; ``edges`` takes how many there are, also where they do not fit.
    """
    width, most, features, room, numbers = len(FRAME), sizes[0], sizes[1], sizes[2], sizes[3]
    for which in range(len(operators)):
        frame = view(frames, which * width, (width,))
        edges[which] = call_see(
            frame[FRAME.see],
            (
                frame, destroyed[which], operators[which],
                view(nodes, which * most * features, (most, features)), view(node_mask, which * most, (most,)),
                view(edge_index, which * 2 * room, (2, room)), view(edge_weight, which * room, (room,)),
                view(edge_mask, which * room, (room,)), view(search, which * numbers, (numbers,)),
            ),
        )  # fmt: skip
