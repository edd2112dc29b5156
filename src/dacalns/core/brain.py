"""Where a learned selector keeps its network inside its memory.

``memory.numbers`` and ``memory.index`` are cut into regions. :func:`new_network` lays them out and the functions below
find them again; nothing is allocated while a search runs.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dacalns.core.graph import Graph, read_routes, read_search, read_solution, search_numbers
from dacalns.core.jit import kernel, shared
from dacalns.core.memory import naming, view
from dacalns.core.records import numbered
from dacalns.core.rng import random_float
from dacalns.core.selection import Memory


class State(NamedTuple):
    """The states that a learner needs at once."""

    full: int  #: the solution before an iteration
    destroyed: int  #: what destroying left
    next: int  #: the solution after the iteration


STATE = numbered(State)


class HeadNumber(NamedTuple):
    """The heads of the network; of AC-ALNS, the destroy actor chooses pairs."""

    critic: int
    destroy_actor: int
    repair_actor: int


HEAD = numbered(HeadNumber)


class Dimension(NamedTuple):
    """The sizes with which `index` begins; there the same record has the sizes themselves."""

    nodes: int
    features: int
    hidden: int
    context: int
    heads: int
    outputs: int
    edges: int
    parameters: int
    beyond: int  #: the numbers at the end of the context that only rich problems have
    own_edges: int  #: 1 if each state has edges of its own, 0 if all have those of the instance


DIMENSION = numbered(Dimension)


class Region(NamedTuple):
    """The regions of `numbers`; behind the sizes, `index` has where each begins."""

    parameters: int
    gradient: int
    mean: int  #: Adam's first moment
    square: int  #: Adam's second moment
    edge_weights: int  #: of the static graph
    degree: int
    static: int  #: features that no solution changes
    work_transposed: int  #: see `Workspace`
    work_nodes: int
    work_more_nodes: int
    work_shares: int
    work_vector: int
    work_hidden: int
    states: int  #: the parts of the first state; those of the others follow


REGION = numbered(Region)


class Part(NamedTuple):
    """The parts of a state in `numbers`: see `Activations`; then what its heads compute."""

    features: int
    arcs: int
    shrink: int
    mixed: int
    first: int
    gathered: int
    second: int
    share: int
    vector: int
    hidden: int
    outputs: int


PART = numbered(Part)


class Indexed(NamedTuple):
    """The regions of `index` itself; behind those of `numbers`, it has where each begins."""

    starts: int
    neighbours: int
    links: int  #: of the first state; those of the others follow


INDEXED = numbered(Indexed)
REGIONS = REGION.states + len(STATE) * len(PART)
INDEX_REGIONS = INDEXED.links + len(STATE)
LINE = 16  # numbers in a cache line


class Block(NamedTuple):
    """A tensor among the flat parameters."""

    begin: int
    shape: tuple[int, ...]


class Encoder(NamedTuple):
    """The parameters that encode a state, or where they are."""

    w1: Any  #: (features, hidden)
    b1: Any  #: (hidden,)
    w2: Any  #: (hidden, hidden)
    b2: Any  #: (hidden,)
    attention: Any  #: (hidden,)


class Head(NamedTuple):
    """The parameters of one head; of all heads, the first dimension is the head; or where they are."""

    u: Any  #: (2 hidden + context, hidden)
    c: Any  #: (hidden,)
    o: Any  #: (hidden, outputs): the outputs of all heads are padded to the longest
    bias: Any  #: (outputs,)


class Weights(NamedTuple):
    """The parameters, or their gradients, as views of one flat vector."""

    flat: np.ndarray
    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray
    attention: np.ndarray
    u: np.ndarray
    c: np.ndarray
    o: np.ndarray
    bias: np.ndarray


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


@shared
def block_behind(block, shape):
    """The block of this shape that begins where another ends."""
    size = 1
    for length in block.shape:
        size *= length
    return Block(block.begin + size, shape)


@shared
def encoder_layout(features, hidden):
    """Where the parameters of the encoder are: the one place that knows, and the first part of all parameters."""
    w1 = Block(0, (features, hidden))
    b1 = block_behind(w1, (hidden,))
    w2 = block_behind(b1, (hidden, hidden))
    b2 = block_behind(w2, (hidden,))
    return Encoder(w1, b1, w2, b2, block_behind(b2, (hidden,)))


@shared
def heads_layout(features, hidden, context, heads, outputs):
    """Where the parameters of all heads are: the one place that knows, and the second part of all parameters."""
    u = block_behind(encoder_layout(features, hidden).attention, (heads, 2 * hidden + context, hidden))
    c = block_behind(u, (heads, hidden))
    o = block_behind(c, (heads, hidden, outputs))
    return Head(u, c, o, block_behind(o, (heads, outputs)))


def parameter_layout(features: int, hidden: int, context: int, heads: int, outputs: int) -> dict[str, Block]:
    """The blocks of all parameters by their names, in their order."""
    encoder, all_heads = encoder_layout(features, hidden), heads_layout(features, hidden, context, heads, outputs)
    return {**encoder._asdict(), **all_heads._asdict()}


def count_parameters(features: int, hidden: int, context: int, heads: int, outputs: int) -> int:
    """How many numbers the network has."""
    return int(block_behind(heads_layout(features, hidden, context, heads, outputs).bias, ()).begin)


def new_network(
    graph: Graph, hidden: int, context: int, heads: int, outputs: int, learns: bool = True, own_edges: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """``numbers`` and ``index`` of a network with all parameters at zero, for the graph of an instance.

    ``context`` is how many numbers on the search there are for every problem; a rich one has more.

    Without a way back, nothing of a state is needed again but its vector: then all states share one place, so that
    the activations of large instances stay in the cache.

    With ``own_edges`` the graph only says how many edges a state may have. Those of each state, and its features, come
    from Python: see `dacalns.core.given`.
    """
    nodes, features = graph.features.shape
    beyond = 0 if own_edges else search_numbers(features)
    blocks = len(STATE) if own_edges else 1
    context += beyond
    edges, vector = len(graph.neighbours), 2 * hidden + context
    parameters = count_parameters(features, hidden, context, heads, outputs)
    wide = nodes * hidden
    state = Part(
        features=nodes * features,
        arcs=2 * nodes,
        shrink=nodes,
        mixed=nodes * features,
        first=wide,
        gathered=wide,
        second=wide,
        share=nodes,
        vector=vector,
        hidden=heads * hidden,
        outputs=heads * outputs,
    )
    regions = Region(
        parameters=parameters,
        gradient=parameters,
        mean=parameters,
        square=parameters,
        edge_weights=blocks * edges,
        degree=nodes,
        static=nodes * features,
        work_transposed=hidden * hidden,
        work_nodes=wide,
        work_more_nodes=wide,
        work_shares=nodes,
        work_vector=vector,
        work_hidden=hidden,
        states=state.features,
    )
    sizes = [*regions[: REGION.states], *state * len(STATE)]
    indexed = Indexed(starts=blocks * (nodes + 1), neighbours=blocks * edges, links=2 * nodes)
    index_sizes = [*indexed[: INDEXED.links], *[indexed.links] * len(STATE)]

    def begins(of: list[int], first: int) -> list[int]:
        rounded = [-(-size // LINE) * LINE for size in of]
        return (first + np.concatenate([[0], np.cumsum(rounded)])).tolist()

    numbers_at = begins(sizes, 0)
    index_at = begins(index_sizes, len(DIMENSION) + REGIONS + INDEX_REGIONS)
    if not learns:
        for region in range(REGION.states + len(PART), REGIONS):
            within = (region - REGION.states) % len(PART)
            numbers_at[region] = numbers_at[REGION.states + within] if within != PART.vector else numbers_at[region]
        index_at[INDEXED.links + 1 : INDEXED.links + len(STATE)] = [index_at[INDEXED.links]] * (len(STATE) - 1)
    numbers = np.zeros(numbers_at[-1], dtype=np.float32)
    index = np.zeros(index_at[-1], dtype=np.int64)
    index[: len(DIMENSION)] = Dimension(
        nodes=nodes,
        features=features,
        hidden=hidden,
        context=context,
        heads=heads,
        outputs=outputs,
        edges=edges,
        parameters=parameters,
        beyond=beyond,
        own_edges=own_edges,
    )
    index[len(DIMENSION) : len(DIMENSION) + REGIONS] = numbers_at[:-1]
    index[len(DIMENSION) + REGIONS : len(DIMENSION) + REGIONS + INDEX_REGIONS] = index_at[:-1]
    for region, values in (
        (REGION.edge_weights, graph.weights),
        (REGION.degree, graph.degree),
        (REGION.static, graph.features),
    ):
        numbers[numbers_at[region] :][: values.size] = values.ravel()
    for region, whole in ((INDEXED.starts, graph.starts), (INDEXED.neighbours, graph.neighbours)):
        index[index_at[region] :][: whole.size] = whole
    return numbers, index


def weights_of(flat: np.ndarray, features: int, hidden: int, context: int, heads: int, outputs: int) -> Weights:
    """Name the parts of a flat vector of parameters."""
    blocks = parameter_layout(features, hidden, context, heads, outputs).values()
    return Weights(flat, *(view(flat, block.begin, block.shape) for block in blocks))


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
    return view(memory.numbers, index[len(DIMENSION) + region], (index[DIMENSION.parameters],))


def weights_in(memory: Memory, region: int) -> Weights:
    """The same with its parts named, for Python."""
    size = Dimension(*memory.index[: len(DIMENSION)].tolist())
    return weights_of(vector_in(memory, region), size.features, size.hidden, size.context, size.heads, size.outputs)


@naming
def encoder_in(memory, region):
    """The parameters of the encoder, or the vectors like them, in a memory."""
    numbers, index = memory.numbers, memory.index
    begin, at = index[len(DIMENSION) + region], encoder_layout(index[DIMENSION.features], index[DIMENSION.hidden])
    return Encoder(
        view(numbers, begin + at.w1.begin, at.w1.shape),
        view(numbers, begin + at.b1.begin, at.b1.shape),
        view(numbers, begin + at.w2.begin, at.w2.shape),
        view(numbers, begin + at.b2.begin, at.b2.shape),
        view(numbers, begin + at.attention.begin, at.attention.shape),
    )


@naming
def head_in(memory, region, head):
    """The parameters of one head, or the vectors like them, in a memory."""
    numbers, index = memory.numbers, memory.index
    hidden, outputs = index[DIMENSION.hidden], index[DIMENSION.outputs]
    begin, heads = index[len(DIMENSION) + region], index[DIMENSION.heads]
    at = heads_layout(index[DIMENSION.features], hidden, index[DIMENSION.context], heads, outputs)
    return Head(
        view(numbers, begin + at.u.begin + head * at.u.shape[1] * hidden, at.u.shape[1:]),
        view(numbers, begin + at.c.begin + head * hidden, at.c.shape[1:]),
        view(numbers, begin + at.o.begin + head * hidden * outputs, at.o.shape[1:]),
        view(numbers, begin + at.bias.begin + head * outputs, at.bias.shape[1:]),
    )


@naming
def state_in(memory, which):
    """The activations of one of the states."""
    numbers, index = memory.numbers, memory.index
    nodes, features, hidden = index[DIMENSION.nodes], index[DIMENSION.features], index[DIMENSION.hidden]
    at = len(DIMENSION) + REGION.states + which * len(PART)
    inside = len(DIMENSION) + REGIONS
    return Activations(
        view(numbers, index[at + PART.features], (nodes, features)),
        view(index, index[inside + INDEXED.links + which], (nodes, 2)),
        view(numbers, index[at + PART.arcs], (nodes, 2)),
        view(numbers, index[at + PART.shrink], (nodes,)),
        view(numbers, index[at + PART.mixed], (nodes, features)),
        view(numbers, index[at + PART.first], (nodes, hidden)),
        view(numbers, index[at + PART.gathered], (nodes, hidden)),
        view(numbers, index[at + PART.second], (nodes, hidden)),
        view(numbers, index[at + PART.share], (nodes,)),
        view(numbers, index[at + PART.vector], (2 * hidden + index[DIMENSION.context],)),
    )


@naming
def pooled_in(memory, which):
    """The vector of one of the states: pooled, then the context."""
    index = memory.index
    at = len(DIMENSION) + REGION.states + which * len(PART) + PART.vector
    return view(memory.numbers, index[at], (2 * index[DIMENSION.hidden] + index[DIMENSION.context],))


@naming
def hidden_in(memory, which):
    """The hidden layer of each head for one of the states."""
    index = memory.index
    at = len(DIMENSION) + REGION.states + which * len(PART) + PART.hidden
    return view(memory.numbers, index[at], (index[DIMENSION.heads], index[DIMENSION.hidden]))


@naming
def outputs_in(memory, which):
    """What the heads say of one of the states."""
    index = memory.index
    at = len(DIMENSION) + REGION.states + which * len(PART) + PART.outputs
    return view(memory.numbers, index[at], (index[DIMENSION.heads], index[DIMENSION.outputs]))


@naming
def workspace_in(memory):
    """What a backward pass needs."""
    numbers, index = memory.numbers, memory.index
    nodes, hidden = index[DIMENSION.nodes], index[DIMENSION.hidden]
    return Workspace(
        view(numbers, index[len(DIMENSION) + REGION.work_transposed], (hidden, hidden)),
        view(numbers, index[len(DIMENSION) + REGION.work_nodes], (nodes, hidden)),
        view(numbers, index[len(DIMENSION) + REGION.work_more_nodes], (nodes, hidden)),
        view(numbers, index[len(DIMENSION) + REGION.work_shares], (nodes,)),
        view(numbers, index[len(DIMENSION) + REGION.work_vector], (2 * hidden + index[DIMENSION.context],)),
        view(numbers, index[len(DIMENSION) + REGION.work_hidden], (hidden,)),
    )


@naming
def edges_in(memory, which):
    """The edges of a state but for its routes: where each node's begin, the neighbours, the weights."""
    index = memory.index
    inside = len(DIMENSION) + REGIONS
    nodes, edges = index[DIMENSION.nodes], index[DIMENSION.edges]
    block = which * index[DIMENSION.own_edges]
    return (
        view(index, index[inside + INDEXED.starts] + block * (nodes + 1), (nodes + 1,)),
        view(index, index[inside + INDEXED.neighbours] + block * edges, (edges,)),
        view(memory.numbers, index[len(DIMENSION) + REGION.edge_weights] + block * edges, (edges,)),
    )


@kernel
def read_state(memory, problem, solution, unit, which):
    """Read a solution into the features and the edges of a state, and into the end of its context."""
    numbers, index = memory.numbers, memory.index
    state = state_in(memory, which)
    static = view(numbers, index[len(DIMENSION) + REGION.static], (index[DIMENSION.nodes], index[DIMENSION.features]))
    degree = view(numbers, index[len(DIMENSION) + REGION.degree], (index[DIMENSION.nodes],))
    read_solution(problem, solution, static, state.features)
    read_routes(problem, solution, degree, unit, state.links, state.arcs, state.shrink)
    read_search(problem, solution, state.features, state.vector)


def network_memory(table: np.ndarray, numbers: np.ndarray, index: np.ndarray) -> Memory:
    """A memory whose numbers keep their precision (a search takes single, tests double)."""
    return Memory(np.ascontiguousarray(table, dtype=np.float64), numbers, index)
