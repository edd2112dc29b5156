"""A training can begin with earlier policies; a network can be taught tables, and a finished policy gets a critic.

A table has a probability for each pair of operators. A critic estimates how much reward is to come.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core import judging, policy_table
from dacalns.core.brain import HEAD, REGION, STATE, hidden_in, weights_in
from dacalns.core.selection import HEADER
from dacalns.instances.feature_sets import feature_sets, is_rich
from dacalns.learning.episode import Offsets, learn_online, put_offsets
from dacalns.learning.rounds import Plan, Vector, mean_state
from dacalns.learning.sources import Source, as_source
from dacalns.learning.workers import Workers
from dacalns.search.run import Search
from dacalns.search.stopping import MaxIterations, paper_iterations
from dacalns.selectors.actor_critic import LearningState, parameters_of
from dacalns.selectors.card import Card, require_match, require_operators
from dacalns.selectors.checkpoint import Tensors, load_checkpoint
from dacalns.selectors.frozen_policy import from_tensors, tensor_shapes
from dacalns.selectors.prior import Outputs, begin_with_table, table_outputs
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream

# A policy that learned from whole searches needs no critic to search, but its explanation does: fit one at the end.

CRITIC_ROUNDS, CRITIC_EPISODES = 20, 16
"""The number of rounds, and of episodes in each at most. A critic that learns at every iteration needs far fewer
episodes than a policy."""


def first_critic(parameters: Vector) -> LearningState:
    """Return a state with these parameters and an optimiser that has not begun.

    Its moments must be zero: what training left in them would move parameters that have no gradient here.
    """
    zeros = np.zeros_like(parameters)
    return LearningState(parameters, zeros, zeros.copy(), 0.0, 1.0)


def fit_critic(workers: Workers, plan: Plan, state: LearningState, number: int) -> LearningState:
    """Run one round: the critic's head learns by temporal differences what the frozen policy earns."""
    episodes = min(plan.episodes, CRITIC_EPISODES)
    tasks = range(number * episodes, (number + 1) * episodes)
    return mean_state(workers.run(_critic_episode, state, tasks, [plan.source.customers(task) for task in tasks]))


def _critic_episode(plan: Plan, state: LearningState, number: int) -> LearningState:
    assert plan.learner is not None
    instance = plan.source.instance(number)
    stop = MaxIterations(paper_iterations(instance.customers))
    seed = plan.seed * 1_000_003 + number
    return learn_online(plan.learner, state, instance, plan.portfolio, stop, seed, critic_alone=True).state


# A network can begin as several tables at once: it is taught each table on the instances that the table is for.
#
# Outcomes of whole searches are mostly noise, and a network has thousands of parameters that can fit the noise. A table
# of six pairs has five, so one for each sort of instances is soon learned. Then the output layers of a network are
# fitted to the tables: whatever in a solution's embedding tells the sorts apart decides which table the network
# follows; in between it blends them.

SEARCHES = 300
"""The number of searches for each table; each gives one example."""

# The weight of the squared output weights beside the mean square error: it is needed because the embeddings of some
# hundred solutions are much alike.
RIDGE = 1e-2

Array = npt.NDArray[np.float64]


class _Lessons:
    """Examples for an actor: what its last hidden layer was, and what its outputs should have been."""

    def __init__(self) -> None:
        self.seen: list[Array] = []
        self.wanted: list[Array] = []

    def add(self, seen: npt.NDArray[np.float32], wanted: Array) -> None:
        self.seen.append(seen.astype(np.float64))
        self.wanted.append(wanted)

    def fitted(self) -> Outputs:
        """Return the weights and biases that ridge regression gives."""
        seen, wanted = np.array(self.seen), np.array(self.wanted)
        middle, aim = seen.mean(axis=0), wanted.mean(axis=0)
        spread = np.maximum(seen.std(axis=0), 1e-6)
        scaled = (seen - middle) / spread
        square = scaled.T @ scaled / len(scaled) + RIDGE * np.eye(scaled.shape[1])
        weights = np.linalg.solve(square, scaled.T @ (wanted - aim) / len(scaled)) / spread[:, None]
        return weights, aim - middle @ weights


def taught(plan: Plan, parameters: Vector, tables: Sequence[tuple[Source, Outputs]]) -> Vector:
    """Return the network with output layers that follow each table on the instances of its source."""
    assert plan.learner is not None
    destroys, repairs = len(plan.portfolio.destroy), len(plan.portfolio.repair)
    blocked, paired = plan.learner.network.repair_blocks, plan.learner.paired
    full, destroyed = _Lessons(), [_Lessons() for _ in range(destroys if blocked else 1)]
    for source, outputs in tables:
        for number in range(SEARCHES):
            _watch(plan, parameters, source, number, outputs, full, destroyed)
    memory = plan.learner.blank_memory(plan.source.instance(0), plan.portfolio)
    parameters_of(memory)[:] = parameters
    parts = weights_in(memory, REGION.parameters)
    size = destroys * repairs if paired else destroys
    parts.o[HEAD.destroy_actor][:, :size], parts.bias[HEAD.destroy_actor][:size] = full.fitted()
    for block, lessons in enumerate([] if paired else destroyed):
        place = slice(block * repairs, (block + 1) * repairs)
        parts.o[HEAD.repair_actor][:, place], parts.bias[HEAD.repair_actor][place] = lessons.fitted()
    return parameters_of(memory).copy()


def _watch(
    plan: Plan, parameters: Vector, source: Source, number: int, outputs: Outputs, full: _Lessons,
    destroyed: list[_Lessons],
) -> None:  # fmt: skip
    """Search as a table says, pause at a random moment, and note what the network sees there.

    The network drives the search, its outputs moved to those of the table, so that it sees what it will see in use.
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
    setting = policy_table.SETTING
    memory.table[HEADER, [setting.learning, setting.exploration, setting.reuse_for]] = (
        policy_table.LEARNS.nothing, 0, plan.hold,
    )  # fmt: skip
    put_offsets(memory, Offsets(*outputs))
    part = Stream("teaching", plan.seed, number).uniform()
    search.begin()
    search.go_on(*plan.pause(instance, part))
    wanted = pair_outputs.ravel() if plan.learner.paired else destroy_outputs
    judging.score_full(memory, stepper.problem, stepper.current, len(wanted))
    full.add(hidden_in(memory, STATE.full)[HEAD.destroy_actor], wanted)
    for destroy in range(0 if plan.learner.paired else len(repair_outputs)):
        stepper.destroy(destroy)
        judging.score_destroyed(memory, stepper.problem, stepper.candidate, destroy)
        lessons = destroyed[destroy % len(destroyed)]
        lessons.add(hidden_in(memory, STATE.destroyed)[HEAD.repair_actor], repair_outputs[destroy])


# Policies that were trained before, as a start.


@dataclass(frozen=True)
class Start:
    """A policy to begin with.

    Parameters
    ----------
    name
        The name of its file, without the folder.
    digest
        The SHA-256 of the file's bytes: another file of the same name is another start.
    tensors, card
        The content of the file.
    """

    name: str
    digest: str
    tensors: Tensors
    card: Card

    @classmethod
    def read(cls, path: str | os.PathLike[str], kind: str, plan: Plan) -> "Start":
        """Return the policy in a file, after checking that a plan for this kind of policy can begin with it.

        Raises
        ------
        InputError
            If the file has no policy, or one for another problem, portfolio, kind or network.
        """
        tensors, card = load_checkpoint(path, tensor_shapes)
        problem = plan.source.problem
        try:
            if is_rich(problem) and is_rich(card.problem):
                require_operators(card, plan.portfolio)  # it will be trained on what it has not met
            else:
                require_match(card, feature_sets(problem)[0], plan.portfolio)
        except InputError as error:
            raise InputError(f"{os.fspath(path)}: {error}") from None
        if card.kind not in (kind, "wheel"):
            raise InputError(
                f"{os.fspath(path)}: this policy is of kind {card.kind}; expected {kind} or wheel to start a {kind} "
                "from; choose another file or kind."
            )
        if plan.learner is not None and card.kind == kind:
            for field, known in vars(card.network).items():
                asked = getattr(plan.learner.network, field)
                if known != asked:
                    raise InputError(
                        f"{os.fspath(path)}: the network of this policy has {field} {known!r}; expected {asked!r}, as "
                        "is to be trained; give the preset or settings that it was trained with."
                    )
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        return cls(Path(path).name, digest, tensors, card)

    def described(self) -> dict[str, Any]:
        """Return what a card or a state file says about it."""
        return {"name": self.name, "sha256": self.digest, "command": self.card.training.get("command")}

    def outputs(self) -> Outputs:
        """Return the outputs of actors that would have the probabilities of this wheel."""
        return table_outputs(self.tensors["pairs"])

    def source(self, plan: Plan) -> Source:
        """Return the instances that it was trained on."""
        problem = self.card.training.get("problem", self.card.problem)
        return as_source(problem, self.card.training["instances"], plan.seed)


def read_starts(paths: Sequence[str], kind: str, plan: Plan) -> tuple[Start, ...]:
    """Return the policy in one file, or the wheels in several files, to begin a plan with.

    Raises
    ------
    InputError
        If a plan cannot begin with one of them, or several are not all wheels for a network.
    """
    starts = tuple(Start.read(path, kind, plan) for path in paths)
    if len(starts) > 1 and (plan.learner is None or any(start.card.kind != "wheel" for start in starts)):
        raise InputError(
            f"start_from has {len(starts)} files for kind {kind}; expected one, or several wheels for a network; give "
            "one."
        )
    return starts


def started(plan: Plan, nothing_learned: LearningState, starts: Sequence[Start]) -> LearningState:
    """Return the state before the first round; ``nothing_learned`` is that of a training from nothing."""
    first = starts[0]
    if len(starts) > 1:
        tables = [(start.source(plan), start.outputs()) for start in starts]
        parameters = taught(plan, nothing_learned.parameters, tables)
    elif first.card.kind != "wheel":
        parameters = from_tensors(first.card, first.tensors)
    elif plan.learner is None:
        parameters = np.concatenate([part.ravel() for part in first.outputs()])
    else:
        parameters = with_table(plan, nothing_learned.parameters, first.tensors["pairs"])
    zeros = np.zeros_like(nothing_learned.parameters)
    return LearningState(parameters.astype(np.float32), zeros, zeros.copy(), 0.0, 1.0)


def with_table(plan: Plan, parameters: Vector, pairs: npt.NDArray[np.floating]) -> Vector:
    """Return the parameters with output biases that have the probabilities of a table."""
    assert plan.learner is not None
    memory = plan.learner.blank_memory(plan.source.instance(0), plan.portfolio)
    parameters_of(memory)[:] = parameters
    begin_with_table(memory, pairs)
    return parameters_of(memory).copy()
