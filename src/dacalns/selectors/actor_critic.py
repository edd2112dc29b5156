"""The learned selectors of the paper, AC-ALNS and DAC-ALNS, which learn while they search.

An actor is the part of the network that chooses operators; the critic estimates how much reward is to come.
"""

import os
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from dacalns.core import actor_critic as kernels
from dacalns.core import policy_table as layout
from dacalns.core.brain import REGION, draw_into, initialise, network_memory, new_network, vector_in, weights_in
from dacalns.core.graph import Graph, search_numbers
from dacalns.core.rng import seeded
from dacalns.core.selection import HEADER, Memory
from dacalns.instances import Instance
from dacalns.search.policy_view import Explanation
from dacalns.search.portfolio import Portfolio
from dacalns.search.selector import Selector
from dacalns.search.start import graph_of
from dacalns.search.stopping import StoppingCriterion
from dacalns.selectors.policy_log import explanation_of
from dacalns.selectors.prior import begin_with_table, prior_table
from dacalns.selectors.settings import CHOICES, CRITICS, TARGETS, LearningSettings, NetworkSettings, Rewards, preset_of

CONTEXT_SIZES = {"paper": 2, "search": 5, "rates": 7}


def context_size(network: NetworkSettings, features: int) -> int:
    """Return how many numbers on the search a network gets that sees so many features of a node."""
    return CONTEXT_SIZES[network.context] + search_numbers(features)


@dataclass(frozen=True)
class ActorCritic(Selector):
    """AC-ALNS: one actor chooses the pair of destroy and repair operator, one critic judges; both learn as they go.

    Parameters
    ----------
    rewards
        The parameters of the two reward functions.
    network
        The size of the network, and what it sees.
    learning
        How it learns.
    prior
        The mixture of operators that it begins with: None for that of a new network, which is nearly even; ``"wheel"``
        for the learned table in the package; or a file that ``dac-alns train --kind wheel`` wrote.
    """

    rewards: Rewards = field(default_factory=Rewards)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    prior: str | os.PathLike[str] | None = None

    name = "ac"
    paired: ClassVar[bool] = True
    explains = True
    _table: ClassVar[npt.NDArray[np.floating] | None] = None  # the table of the prior, once it has been read

    @classmethod
    def preset(cls, name: str) -> Self:
        """Return the selector with the settings of a preset.

        ``"paper"`` has the paper's settings, and our choice where the paper is silent; ``"one-step"`` is the paper as
        version 0.1 read it; ``"improved"`` works better; ``"context"`` also sees rates of acceptance and improvement;
        ``"warm"`` is improved, and begins with the learned table in the package. Behind the name, or in its place, any
        field of rewards, network or learning may be given: ``"improved,rate=0.0005"``,
        ``"target=joint,critic=state-action"``.
        """
        chosen = preset_of(name)
        return cls(chosen.rewards, chosen.network, chosen.learning, chosen.prior)

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled functions that choose a destroy operator, choose a repair operator, and note the outcome."""
        return kernels.ac_destroy, kernels.ac_repair, kernels.note_trial

    @staticmethod
    def heads(network: NetworkSettings, destroys: int, repairs: int) -> list[int]:
        """Return how many outputs each head has: the critic first, then the actors."""
        return _with_critic(network, [destroys * repairs])

    def load_kernels(self) -> None:
        """Compile the function that draws the first parameters, or load it from the cache."""
        draw_into(np.zeros((1, 1), dtype=np.float32), 0.0, seeded(0))

    def prepare(self, instance: Instance, portfolio: Portfolio, budget: StoppingCriterion) -> Selector:  # noqa: ARG002
        """Return a copy that has read the table it begins with; itself if there is none."""
        if self.prior is None:
            return self
        ready = copy(self)
        object.__setattr__(ready, "_table", prior_table(self.prior, instance.features, portfolio))
        return ready

    def memory_for(self, instance: Instance, portfolio: Portfolio, seed: int) -> Memory:
        """Return a memory whose network has random parameters and has learned nothing yet, except its prior."""
        memory = self.blank_memory(instance, portfolio)
        initialise(weights_in(memory, REGION.parameters), seeded(seed))
        if self.prior is not None:
            table = self._table
            begin_with_table(memory, prior_table(self.prior, instance.features, portfolio) if table is None else table)
        return memory

    def blank_memory(self, instance: Instance, portfolio: Portfolio, learns: bool = True) -> Memory:
        """Return a memory for an instance with all parameters at zero."""
        graph = graph_of(instance, self.network.neighbours)
        return self.memory_on(graph, len(portfolio.destroy), len(portfolio.repair), learns)

    def memory_on(
        self, graph: Graph, destroys: int, repairs: int, learns: bool = True, own_edges: bool = False
    ) -> Memory:
        """Return a memory for a graph and so many operators, with all parameters at zero.

        Parameters
        ----------
        graph
            The static graph of an instance; with ``own_edges``, that of `dacalns.core.given.blank_graph`.
        destroys, repairs
            The numbers of operators.
        learns
            False if all states may share one place, because nothing is learned from them.
        own_edges
            True if each state brings its own features and edges.
        """
        heads = self.heads(self.network, destroys, repairs)
        context = CONTEXT_SIZES[self.network.context]
        numbers, index = new_network(graph, self.network.hidden, context, len(heads), max(heads), learns, own_edges)
        table = np.zeros(layout.table_shape(destroys, repairs))
        header = table[HEADER]
        numbers_of = {
            **vars(self.rewards),
            **vars(self.learning),
            "destroys": destroys,
            "repairs": repairs,
            "learning": layout.LEARNS.everything,
            "paired": self.paired,
            "reuse_for": 1,
            "unit": graph.unit,
            "trace_every": 0,
            "repair_blocks": self.network.repair_blocks,
            "target": TARGETS.index(self.learning.target),
            "action_values": CRITICS.index(self.network.critic),
            "greedy": CHOICES.index(self.learning.choice),
        }
        for name, slot in layout.SETTING._asdict().items():
            header[slot] = numbers_of[name]
        table[layout.ROW.status, [layout.STATUS.log_stride, layout.STATUS.spread]] = 1, 1
        if repairs == 1:  # its probability is known from the start, so that a frozen policy need not run the network
            table[[layout.repair_row(destroy) for destroy in range(destroys)], 0] = 1
        return network_memory(table, numbers, index)

    def explain(self, memory: Memory) -> Explanation | None:
        """Return an explanation of what the policy did, from the memory after a run; None if it had no iteration."""
        return explanation_of(memory.table)

    def moved(self, memory: Memory) -> None:
        """Forget the last solution, which is no longer there to be scored or learned from."""
        memory.table[layout.ROW.status, [layout.STATUS.is_encoded, layout.STATUS.pending]] = 0

    def seconds(self, memory: Memory) -> dict[str, float]:
        """Return the seconds that each part of the selection took."""
        times = memory.table[layout.ROW.status, layout.STATUS.feature_time : layout.STATUS.backward_time + 1] * 1e-9
        return dict(zip(("features", "forward", "backward"), times.tolist(), strict=True))


@dataclass(frozen=True)
class DualActorCritic(ActorCritic):
    """DAC-ALNS: one actor chooses the destroy operator; another one sees the destroyed solution and chooses the repair.

    Parameters
    ----------
    rewards
        The parameters of the two reward functions.
    network
        The size of the network, and what it sees.
    learning
        How it learns.
    prior
        The mixture of operators that it begins with: None for that of a new network, which is nearly even; ``"wheel"``
        for the learned table in the package; or a file that ``dac-alns train --kind wheel`` wrote.
    """

    name = "dac"
    paired: ClassVar[bool] = False

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled functions that choose a destroy operator, choose a repair operator, and note the outcome."""
        return kernels.dac_destroy, kernels.dac_repair, kernels.note_trial

    @staticmethod
    def heads(network: NetworkSettings, destroys: int, repairs: int) -> list[int]:
        """Return how many outputs each head has: the critic first, then the actors."""
        return _with_critic(network, [destroys, destroys * repairs if network.repair_blocks else repairs])


def _with_critic(network: NetworkSettings, actors: list[int]) -> list[int]:
    return [sum(actors) if network.critic == "state-action" else 1, *actors]


def parameters_of(memory: Memory) -> npt.NDArray[np.float32]:
    """Return the flat parameters of a memory; writing to them changes the network."""
    return _region(memory, REGION.parameters)


def trace_of(memory: Memory) -> npt.NDArray[np.float32]:
    """Return the flat gradient, or trace, of a memory."""
    return _region(memory, REGION.gradient)


@dataclass(frozen=True)
class LearningState:
    """All that a learner takes from one instance to the next: its parameters, and where its optimiser stands."""

    parameters: npt.NDArray[np.float32]
    mean: npt.NDArray[np.float32]
    square: npt.NDArray[np.float32]
    step: float
    spread: float

    @classmethod
    def of(cls, memory: Memory) -> "LearningState":
        """Return a copy of the state in a memory."""
        parameters, mean, square = (
            _region(memory, region).copy() for region in (REGION.parameters, REGION.mean, REGION.square)
        )
        status = memory.table[layout.ROW.status]
        return cls(parameters, mean, square, float(status[layout.STATUS.step]), float(status[layout.STATUS.spread]))

    def put_into(self, memory: Memory) -> None:
        """Write the state into a memory, so that learning goes on from it."""
        for region, values in (
            (REGION.parameters, self.parameters),
            (REGION.mean, self.mean),
            (REGION.square, self.square),
        ):
            _region(memory, region)[:] = values
        memory.table[layout.ROW.status, [layout.STATUS.step, layout.STATUS.spread]] = self.step, self.spread


def _region(memory: Memory, region: int) -> npt.NDArray[np.float32]:
    view: npt.NDArray[np.float32] = vector_in(memory, region)
    return view
