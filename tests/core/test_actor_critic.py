"""Learned selectors: rewards by hand, one update against an autodiff library, and what a search may rely on."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import autograd
import numpy as np
import pytest
from autograd import numpy as anp

import dacalns
from core import network_oracle, oracle
from dacalns.core import actor_critic as kernels
from dacalns.core import brain, graph, network
from dacalns.core.rng import seeded
from dacalns.core.selection import AFTER, BEFORE, BEST, DESTROYED, DESTROYS, HEADER, REPAIRS, TRIAL_FIELDS, Memory
from dacalns.errors import InputError
from dacalns.learning.episode import explore_whole
from dacalns.search.acceptance import SimulatedAnnealing, Threshold
from dacalns.search.portfolio import as_portfolio
from dacalns.search.run import Search
from dacalns.search.start import problem_of
from dacalns.search.stepper import Stepper
from dacalns.search.stopping import MaxIterations
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic, parameters_of, trace_of
from dacalns.selectors.card import Card, TrainedPortfolio
from dacalns.selectors.checkpoint import save_checkpoint
from dacalns.selectors.frozen_policy import FrozenPolicy, to_tensors
from dacalns.selectors.learned_settings import LearningSettings, NetworkSettings, Rewards
from dacalns.selectors.policy_log import explanation_of

PORTFOLIO = as_portfolio("paper")
INSTANCE = dacalns.generate_cvrp(15, seed=3)
SMALL = NetworkSettings(hidden=8, neighbours=3)
KINDS = [pytest.param(ActorCritic, id="ac"), pytest.param(DualActorCritic, id="dac")]
STATUS = kernels.STATUS


def memory_of(selector: ActorCritic, instance: dacalns.Instance = INSTANCE, seed: int = 1) -> Memory:
    """The memory of a search with a network that has something to say: fresh ones are nearly even."""
    memory = selector.memory_for(instance, PORTFOLIO.for_problem(instance.problem), seed)
    noise = np.random.default_rng(seed).standard_normal(len(parameters_of(memory)))
    parameters_of(memory)[:] += (0.2 * noise).astype(np.float32)
    return memory


# --- rewards -----------------------------------------------------------------------------------------------------


def reward_memory(uses: tuple[int, int, int] = (0, 0, 0)) -> Memory:
    rewards = Rewards(alpha1=3, alpha2=5, beta=2, delta=0.4, new_best=20, better=10, otherwise=-0.1)
    memory = ActorCritic(rewards, SMALL).blank_memory(INSTANCE, PORTFOLIO)
    memory.table[kernels.USES, :3] = uses
    return memory


@pytest.mark.parametrize(
    ("before", "destroyed", "best", "reward"),
    [
        (120, 110, 100, 3 - 2 * 0.1),  # between best and current
        (120, 100, 100, 5),  # as good as the best counts as below it
        (120, 75, 100, 5 + 2 * 0.25),
        (120, 120, 100, 0),  # no cheaper than the current solution
        (120, 130, 100, 0),
        (100, 100, 100, 5),  # current, best and destroyed are one
        (100, 101, 100, 0),
        (10, 0, 0, 5),  # a best of zero divides nothing
        (10, 1e-9, 0, 3 - 2),
        (0, 0, 0, 5),
        (10, 10, 0, 0),
    ],
)
def test_destroy_reward(before: float, destroyed: float, best: float, reward: float) -> None:
    table = reward_memory().table
    assert kernels.destroy_reward(table, float(before), float(destroyed), float(best)) == pytest.approx(reward)


@pytest.mark.parametrize(
    ("before", "after", "best", "tier"),
    [
        (120, 99, 100, 20),
        (120, 100, 100, 10),  # as good as the best is no new best
        (120, 119, 100, 10),
        (120, 120, 100, -0.1),  # as good as the current solution is not better
        (120, 130, 100, -0.1),
        (100, 100, 100, -0.1),
        (100, 99, 100, 20),
        (5, 0, 0, 10),
        (0, 0, 0, -0.1),
    ],
)
@pytest.mark.parametrize(
    ("uses", "repair", "share"),
    [
        ((0, 0, 0), 1, 1.0),  # none used yet: no division by zero
        ((4, 1, 0), 0, 0.0),  # the most used one earns nothing
        ((4, 1, 0), 1, 0.75),
        ((4, 1, 0), 2, 1.0),
        ((1, 1, 1), 2, 0.0),
    ],
)
def test_repair_reward(
    before: float, after: float, best: float, tier: float, uses: tuple[int, int, int], repair: int, share: float
) -> None:
    table = reward_memory(uses).table
    reward = kernels.repair_reward(table, float(before), float(after), float(best), repair)
    assert reward == pytest.approx(tier + 0.4 * share)


def test_rewards_of_a_trial_are_noted_with_the_uses_before_it() -> None:
    memory, trial = reward_memory((4, 1, 0)), np.zeros(TRIAL_FIELDS)
    trial[:2] = 1, 1
    trial[[BEFORE, DESTROYED, AFTER, BEST]] = 120, 75, 99, 100
    kernels.note_trial(memory, trial)
    noted = memory.table[STATUS, [kernels.REWARD_DESTROY, kernels.REWARD_REPAIR, kernels.TOTAL_REWARD]]
    assert noted.tolist() == pytest.approx([5.5, 20.3, 25.8])
    assert memory.table[kernels.USES, :3].tolist() == [4, 2, 0]


# --- choosing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 1000.0], ids=["usual", "huge"])
@pytest.mark.parametrize(("begin", "size"), [(0, 6), (0, 3), (3, 3), (5, 1)])
def test_softmax(begin: int, size: int, scale: float) -> None:
    rng = np.random.default_rng(begin + size)
    output, table = (scale * rng.standard_normal((3, 6))).astype(np.float32), rng.standard_normal((5, 8))
    kept = table.copy()
    kernels.softmax_into(output, 2, begin, size, table, 1, 3)
    logits = output[2, begin : begin + size] + kept[3, :size]
    shares = np.exp(logits - logits.max())
    np.testing.assert_allclose(table[1, :size], shares / shares.sum(), rtol=1e-6, atol=1e-300)
    kept[1, :size] = table[1, :size]
    assert (table == kept).all(), "nothing else is written"


def test_softmax_of_no_number_is_even() -> None:
    output, table = np.array([[1.0, np.nan, 2.0]], dtype=np.float32), np.zeros((2, 3))
    kernels.softmax_into(output, 0, 0, 3, table, 1, 0)
    assert table[1].tolist() == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(("begin", "size", "chosen"), [(0, 6, 4), (0, 3, 0), (3, 3, 2), (5, 1, 0)])
def test_policy_slopes(begin: int, size: int, chosen: int) -> None:
    values = 2 * np.random.default_rng(size).standard_normal(6)

    def loss(outputs: Any) -> Any:
        logs = network_oracle.log_softmax(outputs[begin : begin + size])
        return -1.7 * logs[chosen] + 0.3 * anp.sum(anp.exp(logs) * logs)

    slopes = values.copy()
    kernels.policy_slopes(slopes, begin, size, chosen, 1.7, 0.3)
    np.testing.assert_allclose(slopes, autograd.grad(loss)(values), atol=1e-12)
    # And by hand: a choice pulls by its share, less one if it was made.
    shares = np.exp(values[begin : begin + size]) / np.exp(values[begin : begin + size]).sum()
    entropy = -np.sum(shares * np.log(shares))
    by_hand = 1.7 * (shares - np.eye(size)[chosen]) + 0.3 * shares * (np.log(shares) + entropy)
    np.testing.assert_allclose(slopes[begin : begin + size], by_hand, atol=1e-12)


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_exploration_is_as_frequent_as_asked(rate: float) -> None:
    table, rng, draws = np.zeros((2, 30)), seeded(2), 4000
    table[HEADER, kernels.EXPLORATION] = rate
    table[1, :4] = 0, 0.5, 0.5, 0
    counts = np.bincount([kernels.explore_or_draw(table, 1, 4, rng) for _ in range(draws)], minlength=4)
    expected = (1 - rate) * table[1, :4] + rate / 4
    # Four standard deviations.
    assert counts / draws == pytest.approx(expected, abs=4 * math.sqrt(0.25 / draws))
    assert rate or not counts[[0, 3]].any()


# --- stepping ----------------------------------------------------------------------------------------------------


def stepped(
    selector: Any, memory: Memory, iterations: int, before: Callable[[int, Memory], None] | None = None
) -> list[tuple[int, int]]:
    """The loop from Python; the pairs that it chose. ``before`` may meddle with the memory at every iteration."""
    stepper = Stepper(INSTANCE, PORTFOLIO, Threshold(0.2, 0.2), 7)
    select_destroy, select_repair, update = selector.kernels
    pairs = []
    for iteration in range(iterations):
        if before is not None:
            before(iteration, memory)
        destroy = select_destroy(memory, stepper.problem, stepper.current, stepper.rng)
        stepper.destroy(destroy)
        repair = select_repair(memory, stepper.problem, stepper.candidate, destroy, stepper.rng)
        stepper.repair(repair)
        stepper.accept()
        update(memory, stepper.progress.trial)
        pairs.append((int(destroy), int(repair)))
    return pairs


def without_times(table: np.ndarray) -> np.ndarray:
    copy = table.copy()
    copy[STATUS, kernels.FEATURE_TIME : kernels.BACKWARD_TIME + 1] = 0
    return copy


@pytest.mark.parametrize("learning", [kernels.WHOLE, kernels.FROZEN], ids=["learning", "frozen"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_embedding_that_is_used_again_is_as_good_as_a_new_one(kind: type[ActorCritic], learning: int) -> None:
    runs, kept = [], 0

    def forget(iteration: int, memory: Memory) -> None:
        nonlocal kept
        kept += iteration > 0 and memory.table[STATUS, kernels.MOVED] == 0
        memory.table[STATUS, kernels.FRESH] = 0
        memory.table[STATUS, kernels.MOVED] = 1

    for before in (None, forget):
        selector = kind(network=SMALL)
        memory = memory_of(selector)
        memory.table[HEADER, kernels.LEARNING] = learning
        runs.append((stepped(selector, memory, 60, before), memory))
    (pairs, memory), (again, forced) = runs
    assert 5 < kept < 55, "solutions both stay and move, or this shows nothing"
    assert pairs == again
    assert (parameters_of(memory) == parameters_of(forced)).all()
    for copy in (memory, forced):
        copy.table[STATUS, [kernels.FRESH, kernels.MOVED]] = 0
    assert (without_times(memory.table) == without_times(forced.table)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_are_held_and_then_refreshed(kind: type[ActorCritic]) -> None:
    hold, seen = 7, []
    memory = memory_of(kind(network=replace(SMALL, context="search")))
    memory.table[HEADER, [kernels.LEARNING, kernels.HOLD]] = kernels.FROZEN, hold
    # Of the repair operators there is one row for each destroy operator, filled when first needed.
    rows = np.array([kernels.ACTING, kernels.AFTER_DESTROY, kernels.AFTER_DESTROY + 1])

    def note(iteration: int, memory: Memory) -> None:
        seen.append(memory.table[rows, :6].copy())
        # Where the search stands changes at every iteration, so that a look would give something else.
        memory.table[STATUS, kernels.FRACTION_USED] = iteration / 50

    stepped(FrozenPolicy(), memory, 4 * hold, note)
    after = [*seen[1:], memory.table[rows, :6].copy()]  # after iteration 0, 1, ...
    for iteration in range(1, 4 * hold):
        same = (after[iteration][0] == after[iteration - 1][0]).all()
        assert same == (iteration % hold != 0), iteration
    if not kind.paired:
        repairs = memory.table[HEADER, REPAIRS]
        for first in range(0, 4 * hold, hold):
            for destroy in (1, 2):
                held = {after[k][destroy, : int(repairs)].tobytes() for k in range(first, first + hold)}
                assert len(held) <= 2, "what was there, and what was seen once since"


def test_a_frozen_policy_does_not_change() -> None:
    for hold in (1, 5):
        memory = memory_of(DualActorCritic(network=SMALL))
        memory.table[HEADER, [kernels.LEARNING, kernels.HOLD]] = kernels.FROZEN, hold
        kept = parameters_of(memory).copy()
        stepped(FrozenPolicy(), memory, 40)
        assert (parameters_of(memory) == kept).all()
        assert not memory.table[STATUS, [kernels.UPDATES, kernels.STEP]].any()


# --- the log -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("iterations", [1, 127, 128, 129, 191, 255, 256, 257, 1000])
def test_the_log_joins_its_points_two_by_two(iterations: int) -> None:
    memory = ActorCritic(network=SMALL).blank_memory(INSTANCE, PORTFOLIO)
    table, first = memory.table, kernels.first_log_row(2)
    values = np.random.default_rng(0).integers(0, 100, (iterations, 5)).astype(float)
    for value in values:
        table[kernels.log_point(table), kernels.LOGGED : kernels.LOGGED + 5] += value
        kernels.end_of_trial(table)
    stride = 1
    while iterations >= 128 * stride:
        stride *= 2
    begins = range(0, iterations, stride)
    log = table[first : first + len(begins)]
    assert log[:, kernels.COUNT].tolist() == [min(stride, iterations - begin) for begin in begins]
    sums = [values[begin : begin + stride].sum(axis=0).tolist() for begin in begins]
    assert log[:, kernels.LOGGED : kernels.LOGGED + 5].tolist() == sums
    assert not table[first + len(begins) :].any()
    explanation = explanation_of(table)
    assert explanation is not None
    assert explanation.iterations[-1] == iterations


# --- one update --------------------------------------------------------------------------------------------------

PAPER = LearningSettings(rate=0.01, entropy=0.3, value_weight=0.7)
ALL_EXTRAS = LearningSettings(
    rate=0.01, entropy=0.3, value_weight=0.7, gradient_clip=1.5, reward_scale=0.4, normalise_advantage=True,
    destroy_credit=0.6,
)  # fmt: skip
ACTED = (1, 2)  # the operators, and what they earned
EARNED = (0.8, -1.9)


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
        self.status[[kernels.ACTED_DESTROY, kernels.ACTED_REPAIR]] = ACTED
        self.status[[kernels.REWARD_DESTROY, kernels.REWARD_REPAIR]] = EARNED
        self.status[[kernels.MOVED, kernels.PENDING]] = moved, 1
        self.contexts = [(0.0, 0.0), (5 / 9, ACTED[0] / 2), (0.0, 0.0)]
        for which in (brain.FULL, brain.DESTROYED_STATE):
            kernels.embed(self.memory, self.problem, self.solutions[which], which)
            kernels.set_context(self.memory, which, *self.contexts[which])
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
        plain = getattr(kernels.learn, "py_func", kernels.learn)
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
    counted = [kernels.UPDATES, kernels.STEP, kernels.SKIPPED]
    assert update.status[counted].tolist() == [1, 1, 0]


def test_a_critic_alone_leaves_the_rest_of_the_network() -> None:
    update = Update(DualActorCritic(network=SMALL, learning=PAPER), False, True)
    update.header[kernels.LEARNING] = kernels.CRITIC_ALONE
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
    update.status[kernels.REWARD_REPAIR] = np.nan
    update.learn()
    assert (update.flat == update.before).all()
    assert not brain.weights_in(update.memory, brain.MEAN).flat.any()
    counted = [kernels.UPDATES, kernels.STEP, kernels.SKIPPED]
    assert update.status[counted].tolist() == [1, 0, 1]


# --- whole searches ----------------------------------------------------------------------------------------------


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("learning", [PAPER, ALL_EXTRAS, LearningSettings(rate=1.0)], ids=["paper", "extras", "fast"])
@pytest.mark.parametrize("kind", KINDS)
def test_exploding_rewards_leave_finite_parameters(kind: type[ActorCritic], learning: LearningSettings) -> None:
    selector = kind(Rewards(new_best=1e12, better=1e12), SMALL, learning)
    search = Search(INSTANCE, PORTFOLIO, selector, SimulatedAnnealing(), MaxIterations(500), 1, None)
    memory = search.selector_memory
    # Further than settings allow.
    memory.table[HEADER, [kernels.R_BEST, kernels.R_BETTER]] = 1e30, 1e25
    search.run()
    assert memory.table[STATUS, kernels.UPDATES] == 499
    assert np.isfinite(parameters_of(memory)).all()
    assert np.isfinite(memory.table[kernels.ACTING]).all()
    assert memory.table[kernels.ACTING, : 6 if kind.paired else 2].sum() == pytest.approx(1)


def saved_policy(path: Path, selector: ActorCritic) -> np.ndarray:
    card = Card(
        problem="cvrp", kind=selector.name, features=graph.CVRP_FEATURES, network=selector.network,
        portfolio=TrainedPortfolio.of(PORTFOLIO, "cvrp"), rewards=selector.rewards, learning=selector.learning,
        preset="custom",
    )  # fmt: skip
    parameters = parameters_of(memory_of(selector)).copy()
    save_checkpoint(path, to_tensors(card, parameters), card)
    return parameters


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("hold", [1, 10])
@pytest.mark.parametrize(
    "selector",
    [
        pytest.param(ActorCritic(network=SMALL), id="ac"),
        pytest.param(DualActorCritic(network=SMALL), id="dac"),
        pytest.param(DualActorCritic(network=NetworkSettings(16, 4, "search", True)), id="dac-blocks"),
    ],
)
def test_a_policy_from_a_file_chooses_as_it_did_before(selector: ActorCritic, hold: int, tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    parameters = saved_policy(path, selector)
    stop = MaxIterations(150)
    direct = explore_whole(selector, parameters, INSTANCE, PORTFOLIO, stop, 5, None, hold)
    answers = [(direct.result, direct.state.parameters)]
    for _ in range(2):
        search = Search(INSTANCE, PORTFOLIO, FrozenPolicy(path, hold), SimulatedAnnealing(), stop, 5, None)
        result = search.run()
        assert not trace_of(search.selector_memory).any()
        answers.append((result, parameters_of(search.selector_memory)))
    for result, kept in answers:
        assert (kept == parameters).all()
        assert result.routes == direct.result.routes
        assert result.operators.uses == direct.result.operators.uses
        assert result.explanation is not None
        assert direct.result.explanation is not None
        assert result.explanation.destroy_probabilities == direct.result.explanation.destroy_probabilities
        assert result.explanation.destroy_value == direct.result.explanation.destroy_value
        assert result.explanation.repair_given_destroy == direct.result.explanation.repair_given_destroy


@pytest.mark.parametrize(
    ("instance", "portfolio", "words"),
    [
        pytest.param(oracle.random_instance(1, 6, timed=True), PORTFOLIO, "trained for cvrp", id="problem"),
        pytest.param(
            INSTANCE, dacalns.Portfolio(["random_removal"], ["greedy_repair"], name="less"), "'less'", id="portfolio"
        ),
        pytest.param(
            INSTANCE,
            dacalns.Portfolio(PORTFOLIO.destroy, PORTFOLIO.repair[::-1], name="turned"),
            "the same in the same order",
            id="order",
        ),
    ],
)
def test_a_policy_for_something_else_is_refused(
    instance: dacalns.Instance, portfolio: dacalns.Portfolio, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "policy.safetensors"
    saved_policy(path, DualActorCritic(network=SMALL))
    with pytest.raises(InputError, match=words) as caught:
        FrozenPolicy(path).memory_for(instance, portfolio, 0)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")
