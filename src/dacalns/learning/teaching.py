"""A network that begins as several tables at once: it is taught each of them on the instances that it is for.

What whole searches tell is mostly noise, and a network has thousands of parameters that fit it. A table of six pairs
has five, so one for each sort of instances is soon learned. Then the output layers of a network are fitted to the
tables: what in a solution's embedding tells the sorts apart decides which table it follows; in between it blends them.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dacalns.core import judging, policy_table
from dacalns.core.brain import DESTROY_ACTOR, DESTROYED_STATE, FULL, REPAIR_ACTOR, hidden_in, weights_in
from dacalns.core.brain import THETA as PARAMETERS
from dacalns.core.selection import HEADER
from dacalns.instances.stream import Stream
from dacalns.learning.episode import Offsets, put_offsets
from dacalns.learning.rounds import Plan, Vector
from dacalns.learning.sources import Source
from dacalns.search.run import Search
from dacalns.selectors.actor_critic import parameters_of
from dacalns.selectors.prior import Outputs

SEARCHES = 300
"""For each table, with one look at where each stands."""

# Of the square sum of the output weights, beside the mean square error: embeddings of some hundred solutions are alike.
RIDGE = 1e-2

Array = npt.NDArray[np.float64]


class _Lessons:
    """What an actor's last hidden layer was, and what its outputs should have been."""

    def __init__(self) -> None:
        self.seen: list[Array] = []
        self.wanted: list[Array] = []

    def add(self, seen: npt.NDArray[np.float32], wanted: Array) -> None:
        self.seen.append(seen.astype(np.float64))
        self.wanted.append(wanted)

    def fitted(self) -> Outputs:
        """Weights and biases by ridge regression."""
        seen, wanted = np.array(self.seen), np.array(self.wanted)
        middle, aim = seen.mean(axis=0), wanted.mean(axis=0)
        spread = np.maximum(seen.std(axis=0), 1e-6)
        scaled = (seen - middle) / spread
        square = scaled.T @ scaled / len(scaled) + RIDGE * np.eye(scaled.shape[1])
        weights = np.linalg.solve(square, scaled.T @ (wanted - aim) / len(scaled)) / spread[:, None]
        return weights, aim - middle @ weights


def taught(plan: Plan, parameters: Vector, tables: Sequence[tuple[Source, Outputs]]) -> Vector:
    """A network that follows each table on the instances of its source; all but its output layers stay as they are."""
    assert plan.learner is not None
    destroys, repairs = len(plan.portfolio.destroy), len(plan.portfolio.repair)
    blocked, paired = plan.learner.network.repair_blocks, plan.learner.paired
    full, destroyed = _Lessons(), [_Lessons() for _ in range(destroys if blocked else 1)]
    for source, outputs in tables:
        for number in range(SEARCHES):
            _watch(plan, parameters, source, number, outputs, full, destroyed)
    memory = plan.learner.blank_memory(plan.source.instance(0), plan.portfolio)
    parameters_of(memory)[:] = parameters
    parts = weights_in(memory, PARAMETERS)
    size = destroys * repairs if paired else destroys
    parts.o[DESTROY_ACTOR][:, :size], parts.bias[DESTROY_ACTOR][:size] = full.fitted()
    for block, lessons in enumerate([] if paired else destroyed):
        place = slice(block * repairs, (block + 1) * repairs)
        parts.o[REPAIR_ACTOR][:, place], parts.bias[REPAIR_ACTOR][place] = lessons.fitted()
    return parameters_of(memory).copy()


def _watch(
    plan: Plan, parameters: Vector, source: Source, number: int, outputs: Outputs, full: _Lessons,
    destroyed: list[_Lessons],
) -> None:  # fmt: skip
    """A search by a table, and a look at where it stands when some part of its time is over.

    The network drives it, its outputs moved to those of the table, so that it sees all that it will see in a search.
    """
    assert plan.learner is not None
    destroy_outputs, repair_outputs = outputs
    pair_outputs = destroy_outputs[:, None] + repair_outputs
    instance = source.instance(number)
    search = Search(
        instance, plan.portfolio, plan.learner, plan.portfolio.acceptance, plan.budget(instance), number, None
    )
    memory, stepper = search.selector_memory, search.stepper
    parameters_of(memory)[:] = parameters
    memory.table[HEADER, [policy_table.LEARNING, policy_table.EXPLORATION, policy_table.HOLD]] = (
        policy_table.FROZEN, 0, plan.hold,
    )  # fmt: skip
    put_offsets(memory, Offsets(*outputs))
    part = Stream("teaching", plan.seed, number).uniform()
    search.begin()
    search.go_on(*plan.pause(instance, part))
    wanted = pair_outputs.ravel() if plan.learner.paired else destroy_outputs
    judging.judge_full(memory, stepper.problem, stepper.current, len(wanted))
    full.add(hidden_in(memory, FULL)[DESTROY_ACTOR], wanted)
    for destroy in range(0 if plan.learner.paired else len(repair_outputs)):
        stepper.destroy(destroy)
        judging.judge_destroyed(memory, stepper.problem, stepper.candidate, destroy)
        lessons = destroyed[destroy % len(destroyed)]
        lessons.add(hidden_in(memory, DESTROYED_STATE)[REPAIR_ACTOR], repair_outputs[destroy])
