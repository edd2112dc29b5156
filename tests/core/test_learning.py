"""One update against an autodiff library."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest import mock

import autograd
import numpy as np
import pytest
from autograd import numpy as anp

from core import network_oracle, oracle
from core.learners import ALL_EXTRAS, PAPER, SMALL, memory_of
from core.rich_states import expected_search, rich_instance, states_of
from dacalns.core import brain, graph, judging, learning, network
from dacalns.core import policy_table as layout
from dacalns.core.policy_table import ROW
from dacalns.core.selection import HEADER, SIZE, Memory
from dacalns.search.start import positions_of, problem_of
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.settings import CRITICS, TARGETS, LearningSettings

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

    def __init__(self, selector: ActorCritic, kind: str, moved: bool) -> None:
        rich = kind == "rich"
        instance = rich_instance(1) if rich else oracle.random_instance(4, 9, timed=kind == "timed")
        self.selector, self.instance, self.problem = selector, instance, problem_of(instance)
        self.solutions = states_of(instance) if rich else [
            oracle.filled(self.problem, seed, share) for seed, share in ((1, 1.0), (1, 0.5), (2, 1.0))
        ]  # fmt: skip
        if not moved:
            self.solutions[2] = self.solutions[0]
        single = memory_of(selector, instance)
        self.memory: Memory = brain.network_memory(single.table, single.numbers.astype(np.float64), single.index)
        self.header, self.status = self.memory.table[HEADER], self.memory.table[ROW.status]
        self.destroys, self.repairs = int(self.header[SIZE.destroys]), int(self.header[SIZE.repairs])
        self.status[[layout.STATUS.destroy, layout.STATUS.repair]] = ACTED
        self.status[[layout.STATUS.reward_destroy, layout.STATUS.reward_repair]] = EARNED
        self.status[[layout.STATUS.changed, layout.STATUS.pending]] = moved, 1
        self.contexts = [(0.0, 0.0), (5 / 9, ACTED[0] / 2), (0.0, 0.0)]
        self.searches = [
            list(expected_search(instance, solution).values()) if rich else [] for solution in self.solutions
        ]
        self.before = self.flat.copy()
        self.seen()

    @property
    def flat(self) -> np.ndarray:
        return brain.weights_in(self.memory, brain.REGION.parameters).flat

    @property
    def gradient(self) -> np.ndarray:
        return brain.weights_in(self.memory, brain.REGION.gradient).flat

    def learn(self) -> None:
        with mock.patch.object(learning, "encode_state", in_parts(judging.encode_state)):
            in_parts(learning.learn)(self.memory, self.problem, self.solutions[2])

    def states(self, flat: Any) -> list[Any]:
        """The outputs of all heads in the three states, from the formulas."""
        sizes = [int(size) for size in self.memory.index[brain.DIMENSION.features : brain.DIMENSION.outputs + 1]]
        parts, answers = network_oracle.split(flat, *sizes), []
        for solution, context, search in zip(self.solutions, self.contexts, self.searches, strict=True):
            features = np.zeros((sizes_of(self.memory)[0], sizes[0]))
            static = graph.build_graph(self.problem, positions_of(self.instance), SMALL.neighbours).features
            graph.read_solution(self.problem, solution, static, features)
            matrix = network_oracle.adjacency(self.problem, oracle.routes_in(solution), SMALL.neighbours)
            pooled = network_oracle.encode(parts, matrix, features)
            vector = anp.concatenate([pooled, np.array([*context, *search])])
            answers.append([network_oracle.output(parts, vector, head) for head in range(sizes[3])])
        return answers

    def value(self, state: Any, decision: tuple[int, int, int]) -> Any:
        """The critic's value of a state in which an actor decides among its outputs from ``begin`` on."""
        actor, begin, size = decision
        if self.selector.network.critic == "state":
            return state[0][0]
        logs = network_oracle.log_softmax(state[actor][begin : begin + size])
        return anp.sum(anp.exp(logs) * state[0][self.column(decision, 0) : self.column(decision, size)])

    def column(self, decision: tuple[int, int, int], chosen: int) -> int:
        """Which output of the critic an operator's value is."""
        actor, begin, _ = decision
        if self.selector.network.critic == "state":
            return 0
        return chosen + begin + (self.destroys if actor == 2 else 0)

    def decisions(self) -> list[tuple[int, tuple[int, int, int], int, float, bool]]:
        """State, outputs, choice, error, and whether the critic learns from it, written out from the definitions."""
        settings, (destroy, repair) = self.selector.learning, ACTED
        before, destroyed, after = self.states(self.before)
        earned_destroy, earned_repair = (settings.reward_scale * earned for earned in EARNED)
        own, discount = earned_destroy + settings.destroy_credit * earned_repair, settings.discount
        if self.selector.paired:
            pairs = (1, 0, self.destroys * self.repairs)
            value, following = float(self.value(before, pairs)), float(self.value(after, pairs))
            error = earned_destroy + earned_repair + discount * following - value
            if settings.target == "two-step":
                error = own + discount * earned_repair + discount**2 * following - value
            return [(0, pairs, destroy * self.repairs + repair, error, True)]
        first = (1, 0, self.destroys)
        second = (2, destroy * self.repairs if self.selector.network.repair_blocks else 0, self.repairs)
        value, following = float(self.value(before, first)), float(self.value(after, first))
        middle = float(self.value(destroyed, second))
        error = {
            "one-step": own + discount * middle - value,
            "two-step": own + discount * earned_repair + discount**2 * following - value,
            "joint": own + earned_repair + discount * following - value,
            "independent": own + discount * following - value,
        }[settings.target]
        other, valued = earned_repair + discount * following - middle, True
        if settings.target == "joint":
            valued = self.selector.network.critic == "state-action"
            other = error + value - middle if valued else error
        return [(0, first, destroy, error, True), (1, second, repair, other, valued)]

    def loss(self) -> Callable[[Any], Any]:
        """Over all decisions as a function of the states' outputs; targets and advantages are not differentiated."""
        settings, spread = self.selector.learning, 1.0
        states, terms = self.states(self.before), []
        for which, decision, chosen, error, valued in self.decisions():
            value = float(self.value(states[which], decision))
            advantage = error
            if self.selector.network.critic == "state-action":
                advantage = float(states[which][0][self.column(decision, chosen)]) - value
            spread += 0.01 * (advantage * advantage - spread)
            if settings.normalise_advantage:
                advantage /= math.sqrt(spread)
            terms.append((which, decision, chosen, advantage, value + error, valued))

        def total(states: Any) -> Any:
            sum_of_losses = 0.0
            for which, decision, chosen, advantage, goal, valued in terms:
                actor, begin, size = decision
                logs = network_oracle.log_softmax(states[which][actor][begin : begin + size])
                entropy = -anp.sum(anp.exp(logs) * logs)
                sum_of_losses = sum_of_losses - advantage * logs[chosen] - settings.entropy * entropy
                if valued:
                    said = states[which][0][self.column(decision, chosen)]
                    sum_of_losses = sum_of_losses + settings.value_weight * (goal - said) ** 2
            return sum_of_losses

        return total

    def expected_gradient(self) -> np.ndarray:
        """By an autodiff library, from the formulas of the network."""
        loss = self.loss()
        expected: np.ndarray = autograd.grad(lambda flat: loss(self.states(flat)))(self.before)
        return expected

    def slope(self, direction: np.ndarray) -> float:
        """Of the loss along a direction, by finite differences of what the kernels themselves say."""
        loss, step, sides = self.loss(), 1e-6, []
        for sign in (1, -1):
            self.flat[:] = self.before + sign * step * direction
            sides.append(float(loss(self.seen())))
        self.flat[:] = self.before
        return (sides[0] - sides[1]) / (2 * step)

    def seen(self) -> list[Any]:
        """What the kernels say of the full and of the destroyed solution."""
        for which in (brain.STATE.full, brain.STATE.destroyed):
            in_parts(judging.encode_state)(self.memory, self.problem, self.solutions[which], which)
            judging.set_context(self.memory, which, *self.contexts[which])
            for head in range(int(self.memory.index[brain.DIMENSION.heads])):
                network.forward_head(self.memory, which, np.int64(head))
        return [brain.outputs_in(self.memory, which).copy() for which in (brain.STATE.full, brain.STATE.destroyed)]


def in_parts(kernel: Any) -> Any:
    """A kernel in plain Python: compiled for double precision as a whole, it takes three times as long as its parts."""
    return getattr(kernel, "py_func", kernel)


def sizes_of(memory: Memory) -> list[int]:
    return [int(size) for size in memory.index[: len(brain.DIMENSION)]]


READINGS = [
    pytest.param(target, critic, kind, moved, id=f"{target}-{critic}-{kind}{'-same' * (not moved)}")
    for target in TARGETS
    for critic in CRITICS
    for kind, moved in (("plain", True), ("timed", True), ("plain", False), ("rich", True), ("rich", False))
    # Problems and solutions that stay matter to the encoder alone.
    if (kind, moved) == ("plain", True) or (target, critic) in (("two-step", "state"), ("joint", "state-action"))
]


@pytest.mark.parametrize("settings", [PAPER, ALL_EXTRAS], ids=["paper", "extras"])
@pytest.mark.parametrize(("target", "critic", "problem", "moved"), READINGS)
@pytest.mark.parametrize(
    ("kind", "blocks"),
    [
        pytest.param(ActorCritic, False, id="ac"),
        pytest.param(DualActorCritic, False, id="dac"),
        pytest.param(DualActorCritic, True, id="dac-blocks"),
    ],
)
def test_one_update(
    kind: type[ActorCritic],
    blocks: bool,
    target: str,
    critic: str,
    problem: str,
    moved: bool,
    settings: LearningSettings,
) -> None:
    shape = replace(SMALL, repair_blocks=blocks, critic=critic)
    update = Update(kind(network=shape, learning=replace(settings, target=target)), problem, moved)
    directions = np.random.default_rng(3).standard_normal((3, len(update.before)))
    slopes = [update.slope(direction) for direction in directions]
    update.seen()
    update.learn()
    gradient, expected = update.gradient, update.expected_gradient()
    # The static graph is kept in single precision.
    np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=2e-5 * np.abs(expected).max())
    # Finite differences lose half of the digits.
    np.testing.assert_allclose(directions @ gradient, slopes, rtol=1e-4, atol=1e-4 * np.linalg.norm(gradient))
    clipped = gradient
    if settings.gradient_clip:
        norm = float(np.linalg.norm(gradient))
        assert norm > settings.gradient_clip, "clipping shows"
        clipped = gradient * settings.gradient_clip / norm
    # The first step of Adam has nothing to average over.
    step = settings.rate * clipped / (np.abs(clipped) + 1e-8)
    np.testing.assert_allclose(update.flat, update.before - step, rtol=1e-7, atol=1e-9)
    counted = [layout.STATUS.updates, layout.STATUS.step, layout.STATUS.skipped]
    assert update.status[counted].tolist() == [1, 1, 0]


def test_a_critic_alone_leaves_the_rest_of_the_network() -> None:
    update = Update(DualActorCritic(network=SMALL, learning=PAPER), "plain", True)
    update.header[layout.SETTING.learning] = layout.LEARNS.critic_alone
    whole = update.expected_gradient()
    update.learn()
    sizes = sizes_of(update.memory)[brain.DIMENSION.features : brain.DIMENSION.outputs + 1]
    ours, expected = (network_oracle.split(flat, *sizes) for flat in (update.gradient, whole))
    for name, part in ours.items():
        if name in ("u", "c", "o", "bias"):
            np.testing.assert_allclose(part[0], expected[name][0], rtol=1e-3, atol=1e-4)
            part = part[1:]
        assert not part.any(), name


def test_an_update_that_is_not_finite_is_skipped() -> None:
    update = Update(DualActorCritic(network=SMALL, learning=PAPER), "plain", True)
    update.status[layout.STATUS.reward_repair] = np.nan
    update.learn()
    assert (update.flat == update.before).all()
    assert not brain.weights_in(update.memory, brain.REGION.mean).flat.any()
    counted = [layout.STATUS.updates, layout.STATUS.step, layout.STATUS.skipped]
    assert update.status[counted].tolist() == [1, 0, 1]
