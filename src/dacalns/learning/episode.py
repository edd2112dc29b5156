"""An episode is one search from which a policy learns."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from dacalns.core import policy_table as layout
from dacalns.core.selection import HEADER, Memory
from dacalns.instances import Instance
from dacalns.search.portfolio import Portfolio
from dacalns.search.result import Result
from dacalns.search.run import Search, require_user_code_sound
from dacalns.search.stopping import StoppingCriterion
from dacalns.selectors.actor_critic import ActorCritic, LearningState, parameters_of, trace_of
from dacalns.util.random_stream import Stream

# A gradient from every 20th decision is as good as one from all decisions, and costs nothing.
TRACE_EVERY = 20


@dataclass(frozen=True)
class Offsets:
    """Numbers that an episode adds to the outputs of the actors, the same from its first iteration to its last.

    An actor is the part of the network that chooses operators: one for destroying, one for repairing.

    Parameters
    ----------
    destroy
        (destroys,) numbers for the destroy actor.
    repair
        (destroys, repairs) numbers for the repair actor, a row for each destroy operator.
    """

    destroy: npt.NDArray[np.float64]
    repair: npt.NDArray[np.float64]

    @classmethod
    def draw(cls, destroys: int, repairs: int, deviation: float, seed: int) -> "Offsets":
        """Draw the offsets from a normal distribution."""
        stream = Stream("offsets", seed)
        drawn = [NormalDist(0, deviation).inv_cdf(stream.uniform(1e-12)) for _ in range(destroys * (1 + repairs))]
        return cls(np.array(drawn[:destroys]), np.array(drawn[destroys:]).reshape(destroys, repairs))

    def __neg__(self) -> "Offsets":
        return Offsets(-self.destroy, -self.repair)


@dataclass(frozen=True)
class Episode:
    """The outcome of an episode: the result, the learner's state and gradient trace, and sums over the iterations."""

    result: Result
    state: LearningState
    trace: npt.NDArray[np.float32]
    reward: float
    loss: float
    updates: float
    skipped: float


def _search(
    learner: ActorCritic, instance: Instance, portfolio: Portfolio, stop: StoppingCriterion, seed: int
) -> tuple[Search, Memory]:
    search = Search(instance, portfolio, learner, portfolio.acceptance, stop, seed, None)
    return search, search.selector_memory


def _ended(search: Search, memory: Memory) -> Episode:
    result = require_user_code_sound(search.run())
    status = memory.table[layout.ROW.status]
    return Episode(
        result,
        LearningState.of(memory),
        trace_of(memory).copy(),
        *(
            float(status[k])
            for k in (
                layout.STATUS.total_reward,
                layout.STATUS.total_loss,
                layout.STATUS.updates,
                layout.STATUS.skipped,
            )
        ),
    )


def learn_online(
    learner: ActorCritic,
    state: LearningState | None,
    instance: Instance,
    portfolio: Portfolio,
    stop: StoppingCriterion,
    seed: int,
    critic_alone: bool = False,
) -> Episode:
    """Search and learn at every iteration, from ``state`` on; with ``critic_alone`` the actors stay as they are."""
    search, memory = _search(learner, instance, portfolio, stop, seed)
    if state is not None:
        state.put_into(memory)
    if critic_alone:
        memory.table[HEADER, [layout.SETTING.learning, layout.SETTING.exploration]] = layout.LEARNS.critic_alone, 0
    return _ended(search, memory)


def explore_whole(
    learner: ActorCritic,
    parameters: npt.NDArray[np.float32],
    instance: Instance,
    portfolio: Portfolio,
    stop: StoppingCriterion,
    seed: int,
    offsets: Offsets | None,
    hold: int = 1,
) -> Episode:
    """Search with a frozen policy whose outputs are moved by ``offsets``, and trace how parameters move the outputs.

    The trace times the episode's advantage is the gradient of the expected outcome: in all states of the search,
    outputs should move in the direction that turned out well. (Sehnke et al. 2010 explore parameters like this; we
    explore outputs.)
    """
    search, memory = _search(learner, instance, portfolio, stop, seed)
    parameters_of(memory)[:] = parameters
    memory.table[HEADER, [layout.SETTING.learning, layout.SETTING.exploration, layout.SETTING.reuse_for]] = (
        layout.LEARNS.nothing,
        0,
        hold,
    )
    if offsets is not None:
        put_offsets(memory, offsets)
        memory.table[HEADER, layout.SETTING.trace_every] = TRACE_EVERY
    episode = _ended(search, memory)
    if episode.updates:
        episode.trace[:] /= episode.updates
    return episode


def put_offsets(memory: Memory, offsets: Offsets) -> None:
    """Add the offsets to the outputs of the actors from now on."""
    destroys, repairs = offsets.repair.shape
    table = memory.table
    if table[HEADER, layout.SETTING.paired]:
        pairs = offsets.destroy[:, None] + offsets.repair
        table[layout.destroy_offsets_row(destroys), : destroys * repairs] = pairs.ravel()
        return
    table[layout.destroy_offsets_row(destroys), :destroys] = offsets.destroy
    for destroy in range(destroys):
        table[layout.repair_offsets_row(destroys, destroy), :repairs] = offsets.repair[destroy]
