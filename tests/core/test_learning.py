"""One update against an autodiff library."""

import math
from dataclasses import replace
from typing import Any

import autograd
import numpy as np
import pytest
from autograd import numpy as anp

from core import network_oracle, oracle
from core.learners import ALL_EXTRAS, PAPER, SMALL, memory_of
from dacalns.core import brain, graph, judging, learning, network
from dacalns.core import policy_table as layout
from dacalns.core.policy_table import STATUS
from dacalns.core.selection import DESTROYS, HEADER, REPAIRS, Memory
from dacalns.search.start import problem_of
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.learned_settings import LearningSettings

ACTED = (1, 2)  # the operators, and what they earned
EARNED = (0.8, -1.9)


@pytest.mark.parametrize(("begin", "size", "chosen"), [(0, 6, 4), (0, 3, 0), (3, 3, 2), (5, 1, 0)])
def test_policy_slopes(begin: int, size: int, chosen: int) -> None:
    values = 2 * np.random.default_rng(size).standard_normal(6)

    def loss(outputs: Any) -> Any:
        logs = network_oracle.log_softmax(outputs[begin : begin + size])
        return -1.7 * logs[chosen] + 0.3 * anp.sum(anp.exp(logs) * logs)

    slopes = values.copy()
    learning.policy_slopes(slopes, begin, size, chosen, 1.7, 0.3)
    np.testing.assert_allclose(slopes, autograd.grad(loss)(values), atol=1e-12)
    # And by hand: a choice pulls by its share, less one if it was made.
    shares = np.exp(values[begin : begin + size]) / np.exp(values[begin : begin + size]).sum()
    entropy = -np.sum(shares * np.log(shares))
    by_hand = 1.7 * (shares - np.eye(size)[chosen]) + 0.3 * shares * (np.log(shares) + entropy)
    np.testing.assert_allclose(slopes[begin : begin + size], by_hand, atol=1e-12)


class Update:
    """A learner in double precision that has seen a full and a destroyed solution, and the full one it ends with."""

    def __init__(self, selector: ActorCritic, timed: bool, moved: bool) -> None:
        instance = oracle.random_instance(4, 9, timed=timed)
        self.selector, self.problem = selector, problem_of(instance)
        self.solutions = [oracle.filled(self.problem, seed, share) for seed, share in ((1, 1.0), (1, 0.5), (2, 1.0))]
        if not moved:
            self.solutions[2] = self.solutions[0]
        single = memory_of(selector, instance)
        self.memory: Memory = brain.brain_memory(single.table, single.numbers.astype(np.float64), single.index)
        self.header, self.status = self.memory.table[HEADER], self.memory.table[STATUS]
        self.destroys, self.repairs = int(self.header[DESTROYS]), int(self.header[REPAIRS])
        self.status[[layout.ACTED_DESTROY, layout.ACTED_REPAIR]] = ACTED
        self.status[[layout.REWARD_DESTROY, layout.REWARD_REPAIR]] = EARNED
        self.status[[layout.MOVED, layout.PENDING]] = moved, 1
        self.contexts = [(0.0, 0.0), (5 / 9, ACTED[0] / 2), (0.0, 0.0)]
        for which in (brain.FULL, brain.DESTROYED_STATE):
            judging.embed(self.memory, self.problem, self.solutions[which], which)
            judging.set_context(self.memory, which, *self.contexts[which])
            for head in range(int(self.memory.index[brain.HEADS])):
                network.judge(self.memory, which, np.int64(head))
        self.before = self.flat.copy()

    @property
    def flat(self) -> np.ndarray:
        return brain.weights_in(self.memory, brain.THETA).flat

    @property
    def gradient(self) -> np.ndarray:
        return brain.weights_in(self.memory, brain.GRADIENT).flat

    def learn(self) -> None:
        # Compiled for double precision as a whole, it would take three times as long as its parts do.
        plain = getattr(learning.learn, "py_func", learning.learn)
        plain(self.memory, self.problem, self.solutions[2])

    def states(self, flat: Any) -> list[Any]:
        """The outputs of all heads in the three states, from the formulas."""
        sizes = [int(size) for size in self.memory.index[brain.FEATURES : brain.OUTPUTS + 1]]
        parts, answers = network_oracle.split(flat, *sizes), []
        for solution, context in zip(self.solutions, self.contexts, strict=True):
            features = np.zeros((sizes_of(self.memory)[0], sizes[0]))
            static = graph.build_graph(self.problem, self.coordinates, SMALL.neighbours).features
            graph.read_solution(self.problem, solution, static, features)
            matrix = network_oracle.adjacency(self.problem, oracle.routes_in(solution), SMALL.neighbours)
            pooled = network_oracle.encode(parts, matrix, features)
            vector = anp.concatenate([pooled, np.array(context)])
            answers.append([network_oracle.output(parts, vector, head) for head in range(sizes[3])])
        return answers

    @property
    def coordinates(self) -> Any:
        return oracle.random_instance(4, 9, timed=self.problem.timed).coordinates

    def expected_gradient(self) -> np.ndarray:
        """Of the loss over both transitions, with targets and advantages that are not differentiated."""
        settings = self.selector.learning
        now, middle, after = (float(state[0][0]) for state in self.states(self.before))
        earned_destroy, earned_repair = (settings.reward_scale * earned for earned in EARNED)
        destroy, repair = ACTED
        if self.selector.paired:
            pair = destroy * self.repairs + repair
            error = earned_destroy + earned_repair + settings.discount * after - now
            decisions = [(0, 1, 0, self.destroys * self.repairs, pair, now, error)]
        else:
            error = earned_destroy + settings.destroy_credit * earned_repair + settings.discount * middle - now
            begin = destroy * self.repairs if self.selector.network.repair_blocks else 0
            second = earned_repair + settings.discount * after - middle
            decisions = [
                (0, 1, 0, self.destroys, destroy, now, error),
                (1, 2, begin, self.repairs, repair, middle, second),
            ]
        spread, advantages = 1.0, []
        for *_, error in decisions:
            spread += 0.01 * (error * error - spread)
            advantages.append(error / math.sqrt(spread) if settings.normalise_advantage else error)

        def loss(flat: Any) -> Any:
            states, total = self.states(flat), 0.0
            for (which, actor, begin, size, chosen, value, error), advantage in zip(decisions, advantages, strict=True):
                logs = network_oracle.log_softmax(states[which][actor][begin : begin + size])
                entropy = -anp.sum(anp.exp(logs) * logs)
                total = total - advantage * logs[chosen] - settings.entropy * entropy
                total = total + settings.value_weight * (value + error - states[which][0][0]) ** 2
            return total

        expected: np.ndarray = autograd.grad(loss)(self.before)
        return expected


def sizes_of(memory: Memory) -> list[int]:
    return [int(size) for size in memory.index[: brain.SIZES]]


@pytest.mark.parametrize("settings", [PAPER, ALL_EXTRAS], ids=["paper", "extras"])
@pytest.mark.parametrize(("timed", "moved"), [(False, True), (True, True), (False, False)])
@pytest.mark.parametrize(
    ("kind", "blocks"),
    [
        pytest.param(ActorCritic, False, id="ac"),
        pytest.param(DualActorCritic, False, id="dac"),
        pytest.param(DualActorCritic, True, id="dac-blocks"),
    ],
)
def test_one_update(
    kind: type[ActorCritic], blocks: bool, timed: bool, moved: bool, settings: LearningSettings
) -> None:
    update = Update(kind(network=replace(SMALL, repair_blocks=blocks), learning=settings), timed, moved)
    update.learn()
    gradient, expected = update.gradient, update.expected_gradient()
    # The static graph is kept in single precision.
    np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=2e-5 * np.abs(expected).max())
    clipped = gradient
    if settings.gradient_clip:
        norm = float(np.linalg.norm(gradient))
        assert norm > settings.gradient_clip, "clipping shows"
        clipped = gradient * settings.gradient_clip / norm
    # The first step of Adam has nothing to average over.
    step = settings.rate * clipped / (np.abs(clipped) + 1e-8)
    np.testing.assert_allclose(update.flat, update.before - step, rtol=1e-7, atol=1e-9)
    counted = [layout.UPDATES, layout.STEP, layout.SKIPPED]
    assert update.status[counted].tolist() == [1, 1, 0]


def test_a_critic_alone_leaves_the_rest_of_the_network() -> None:
    update = Update(DualActorCritic(network=SMALL, learning=PAPER), False, True)
    update.header[layout.LEARNING] = layout.CRITIC_ALONE
    whole = update.expected_gradient()
    update.learn()
    sizes = sizes_of(update.memory)[brain.FEATURES : brain.OUTPUTS + 1]
    ours, expected = (network_oracle.split(flat, *sizes) for flat in (update.gradient, whole))
    for name, part in ours.items():
        if name in ("u", "c", "o", "bias"):
            np.testing.assert_allclose(part[0], expected[name][0], rtol=1e-3, atol=1e-4)
            part = part[1:]
        assert not part.any(), name


def test_an_update_that_is_not_finite_is_skipped() -> None:
    update = Update(DualActorCritic(network=SMALL, learning=PAPER), False, True)
    update.status[layout.REWARD_REPAIR] = np.nan
    update.learn()
    assert (update.flat == update.before).all()
    assert not brain.weights_in(update.memory, brain.MEAN).flat.any()
    counted = [layout.UPDATES, layout.STEP, layout.SKIPPED]
    assert update.status[counted].tolist() == [1, 0, 1]
