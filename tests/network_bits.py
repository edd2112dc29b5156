"""What a network's kernels make of fixed numbers, bit for bit: run in other processes, as for other processors."""

import hashlib
import json

import numpy as np

from dacalns.core import brain, network
from dacalns.core.graph import Graph
from dacalns.core.selection import Memory

# The paper's width and one that no vector fits; more outputs than lanes abreast, and fewer.
SHAPES = [(30, 4, 64, 5, 20), (17, 10, 13, 2, 3)]


def memory_of(nodes: int, features: int, hidden: int, context: int, outputs: int) -> Memory:
    """A network on a ring, and in each of its numbers something."""
    rng = np.random.default_rng(nodes)
    ring = np.arange(nodes)
    graph = Graph(
        2 * np.arange(nodes + 1), np.column_stack([ring - 1, ring + 1]).ravel() % nodes,
        rng.random(2 * nodes).astype(np.float32), 1 + rng.random(nodes).astype(np.float32),
        rng.random((nodes, features)).astype(np.float32), 1.0,
    )  # fmt: skip
    numbers, index = brain.new_network(graph, hidden, context, 3, outputs)
    memory = brain.network_memory(np.zeros((1, 1)), numbers, index)
    parameters = brain.vector_in(memory, brain.REGION.parameters)
    parameters[:] = 0.2 * rng.standard_normal(len(parameters))
    state = brain.state_in(memory, brain.STATE.full)
    state.features[:] = rng.random(state.features.shape)
    state.links[1:, 0], state.links[1:, 1] = ring[:-1], np.append(ring[2:], 0)
    state.arcs[1:], state.shrink[:], state.vector[:] = 0.7, rng.random(nodes), rng.random(len(state.vector))
    return memory


def bits(memory: Memory) -> dict[str, str]:
    """A digest of all numbers after each step of a pass forward, a pass back and an update."""
    found = {}

    def note(step: str) -> None:
        found[step] = hashlib.sha256(memory.numbers.tobytes()).hexdigest()

    which = brain.STATE.full
    network.forward_encoder(memory, which)
    note("encode")
    for head in (brain.HEAD.critic, brain.HEAD.destroy_actor):
        network.forward_head(memory, which, head)
    note("judge")
    network.transpose(brain.encoder_in(memory, brain.REGION.parameters).w2, brain.workspace_in(memory).transposed)
    for head in (brain.HEAD.critic, brain.HEAD.destroy_actor):
        network.backward_head(memory, which, head)
    note("judge_back")
    network.backward_encoder(memory, which)
    note("encode_back")
    gradient = brain.vector_in(memory, brain.REGION.gradient)
    squares = network.square_sum(gradient)
    found["square_sum"] = float(squares).hex()
    vectors = (
        brain.vector_in(memory, region)
        for region in (brain.REGION.parameters, brain.REGION.gradient, brain.REGION.mean, brain.REGION.square)
    )
    network.adam(*vectors, 7.0, 1e-3, 1.0 / np.sqrt(squares))
    note("adam")
    return found


def all_bits() -> dict[str, dict[str, str]]:
    """Those of networks of several shapes."""
    return {str(shape): bits(memory_of(*shape)) for shape in SHAPES}


if __name__ == "__main__":
    print(json.dumps(all_bits()))
