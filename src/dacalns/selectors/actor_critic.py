"""The learned selectors of the paper: AC-ALNS and DAC-ALNS, which learn while they search."""

from dataclasses import astuple, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from dacalns.core import actor_critic as kernels
from dacalns.core.brain import PARAMETERS, THETA, brain_memory, initialise, new_brain, place, weights_in
from dacalns.core.graph import build_graph
from dacalns.core.rng import seeded
from dacalns.core.selection import DESTROYS, HEADER, REPAIRS, Memory
from dacalns.instances import Instance
from dacalns.search.portfolio import Portfolio
from dacalns.search.start import problem_of
from dacalns.selectors.learned_settings import LearningSettings, NetworkSettings, Rewards

CONTEXT_SIZES = {"paper": 2, "search": 5}
# The improved preset; docs/learning.md has the measurements behind each value.
IMPROVED_REWARDS = Rewards()
IMPROVED_LEARNING = LearningSettings()
IMPROVED_NETWORK = NetworkSettings()


@dataclass(frozen=True)
class ActorCritic:
    """AC-ALNS: one actor chooses the destroy-repair pair, one critic judges; both learn online.

    Parameters
    ----------
    rewards
        The parameters of the two reward functions.
    network
        The size of the network and what it sees.
    learning
        How it learns.
    """

    rewards: Rewards = field(default_factory=Rewards)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)

    name: ClassVar[str] = "ac"
    paired: ClassVar[bool] = True

    @classmethod
    def paper(cls) -> Self:
        """All as in the paper, and our choice where it is silent."""
        return cls()

    @classmethod
    def improved(cls) -> Self:
        """What we found to work better."""
        return cls(IMPROVED_REWARDS, IMPROVED_NETWORK, IMPROVED_LEARNING)

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled selector."""
        return kernels.ac_destroy, kernels.ac_repair, kernels.note_trial

    def heads(self, destroys: int, repairs: int) -> list[int]:
        """The outputs of the heads: the critic's, then the actors'."""
        return [1, destroys * repairs]

    def memory_for(self, instance: Instance, portfolio: Portfolio, seed: int) -> Memory:
        """A network with random parameters, and nothing learned yet."""
        memory = self.blank_memory(instance, portfolio)
        initialise(weights_in(memory, THETA), seeded(seed))
        return memory

    def blank_memory(self, instance: Instance, portfolio: Portfolio) -> Memory:
        """The memory on an instance with all parameters at zero."""
        destroys, repairs = len(portfolio.destroy), len(portfolio.repair)
        graph = build_graph(problem_of(instance), instance.coordinates, self.network.neighbours)
        heads = self.heads(destroys, repairs)
        numbers, index = new_brain(
            graph, self.network.hidden, CONTEXT_SIZES[self.network.context], len(heads), max(heads)
        )
        table = np.zeros(kernels.table_shape(destroys, repairs))
        header = table[HEADER]
        header[[DESTROYS, REPAIRS]] = destroys, repairs
        header[[kernels.LEARNING, kernels.PAIRED, kernels.HOLD, kernels.UNIT]] = 1, self.paired, 1, graph.unit
        header[kernels.ALPHA_1 : kernels.R_OTHER + 1] = astuple(self.rewards)
        header[kernels.RATE : kernels.CREDIT + 1] = astuple(self.learning)
        table[kernels.STATUS, [kernels.STRIDE, kernels.SPREAD]] = 1, 1
        return brain_memory(table, numbers, index)


@dataclass(frozen=True)
class DualActorCritic(ActorCritic):
    """DAC-ALNS: one actor chooses the destroy operator, another, on the destroyed solution, the repair operator.

    Parameters
    ----------
    rewards
        The parameters of the two reward functions.
    network
        The size of the network and what it sees.
    learning
        How it learns.
    """

    name: ClassVar[str] = "dac"
    paired: ClassVar[bool] = False

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled selector."""
        return kernels.dac_destroy, kernels.dac_repair, kernels.note_trial

    def heads(self, destroys: int, repairs: int) -> list[int]:
        """The outputs of the heads: the critic's, then the actors'."""
        return [1, destroys, repairs]


def parameters_in(memory: Memory) -> npt.NDArray[np.float32]:
    """The flat parameters of a memory; writing to it changes the network."""
    begin = int(place(memory.index, THETA))
    return memory.numbers[begin : begin + int(memory.index[PARAMETERS])]


