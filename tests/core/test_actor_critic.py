"""Learned selectors: choosing, holding, and what a search may rely on."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dacalns
from core import oracle
from core.learners import ALL_EXTRAS, INSTANCE, KINDS, PAPER, PORTFOLIO, SMALL, memory_of
from dacalns.core import actor_critic, graph
from dacalns.core import policy_table as layout
from dacalns.core.policy_table import ROW
from dacalns.core.rng import seeded
from dacalns.core.selection import HEADER, SIZE, Memory
from dacalns.learning.episode import explore_whole
from dacalns.search.acceptance import HillClimbing, SimulatedAnnealing, Threshold
from dacalns.search.run import Search
from dacalns.search.stepper import Stepper
from dacalns.search.stopping import MaxIterations
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic, parameters_of, trace_of
from dacalns.selectors.card import Card, TrainedPortfolio
from dacalns.selectors.checkpoint import save_checkpoint
from dacalns.selectors.frozen_policy import FrozenPolicy, to_tensors
from dacalns.selectors.settings import LearningSettings, NetworkSettings, Rewards
from dacalns.util.errors import InputError


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_exploration_is_as_frequent_as_asked(rate: float) -> None:
    table, rng, draws = np.zeros((2, 30)), seeded(2), 4000
    table[HEADER, layout.SETTING.exploration] = rate
    table[1, :4] = 0, 0.5, 0.5, 0
    counts = np.bincount([actor_critic.choose(table, 1, 4, rng) for _ in range(draws)], minlength=4)
    expected = (1 - rate) * table[1, :4] + rate / 4
    # Four standard deviations.
    assert counts / draws == pytest.approx(expected, abs=4 * math.sqrt(0.25 / draws))
    assert rate or not counts[[0, 3]].any()


def test_the_best_is_taken_unless_an_operator_is_drawn_with_no_regard_to_the_policy() -> None:
    table, rng, draws = np.zeros((2, 30)), seeded(2), 4000
    table[HEADER, [layout.SETTING.exploration, layout.SETTING.greedy]] = 0.2, 1
    table[1, :4] = 0.1, 0.3, 0.3, 0.3
    counts = np.bincount([actor_critic.choose(table, 1, 4, rng) for _ in range(draws)], minlength=4)
    assert counts / draws == pytest.approx([0.05, 0.85, 0.05, 0.05], abs=4 * math.sqrt(0.25 / draws))


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
    copy[ROW.status, layout.STATUS.feature_time : layout.STATUS.backward_time + 1] = 0
    return copy


@pytest.mark.parametrize("learning", [layout.LEARNS.everything, layout.LEARNS.nothing], ids=["learning", "frozen"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_embedding_that_is_used_again_is_as_good_as_a_new_one(kind: type[ActorCritic], learning: int) -> None:
    runs, kept = [], 0

    def forget(iteration: int, memory: Memory) -> None:
        nonlocal kept
        kept += iteration > 0 and memory.table[ROW.status, layout.STATUS.changed] == 0
        memory.table[ROW.status, layout.STATUS.is_encoded] = 0
        memory.table[ROW.status, layout.STATUS.changed] = 1

    for before in (None, forget):
        selector = kind(network=SMALL)
        memory = memory_of(selector)
        memory.table[HEADER, layout.SETTING.learning] = learning
        runs.append((stepped(selector, memory, 60, before), memory))
    (pairs, memory), (again, forced) = runs
    assert 5 < kept < 55, "solutions both stay and move, or this shows nothing"
    assert pairs == again
    assert (parameters_of(memory) == parameters_of(forced)).all()
    for copy in (memory, forced):
        copy.table[ROW.status, [layout.STATUS.is_encoded, layout.STATUS.changed]] = 0
    assert (without_times(memory.table) == without_times(forced.table)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_are_held_and_then_refreshed(kind: type[ActorCritic]) -> None:
    hold, seen = 7, []
    memory = memory_of(kind(network=replace(SMALL, context="search")))
    memory.table[HEADER, [layout.SETTING.learning, layout.SETTING.reuse_for]] = layout.LEARNS.nothing, hold
    # Of the repair operators there is one row for each destroy operator, filled when first needed.
    rows = np.array(
        [layout.ROW.destroy_probabilities, layout.ROW.repair_probabilities, layout.ROW.repair_probabilities + 1]
    )

    def note(iteration: int, memory: Memory) -> None:
        seen.append(memory.table[rows, :6].copy())
        # Where the search stands changes at every iteration, so that a look would give something else.
        memory.table[ROW.status, layout.STATUS.fraction] = iteration / 50

    stepped(FrozenPolicy(), memory, 4 * hold, note)
    after = [*seen[1:], memory.table[rows, :6].copy()]  # after iteration 0, 1, ...
    for iteration in range(1, 4 * hold):
        same = (after[iteration][0] == after[iteration - 1][0]).all()
        assert same == (iteration % hold != 0), iteration
    if not kind.paired:
        repairs = memory.table[HEADER, SIZE.repairs]
        for first in range(0, 4 * hold, hold):
            for destroy in (1, 2):
                held = {after[k][destroy, : int(repairs)].tobytes() for k in range(first, first + hold)}
                assert len(held) <= 2, "what was there, and what was seen once since"


def test_a_frozen_policy_does_not_change() -> None:
    for hold in (1, 5):
        memory = memory_of(DualActorCritic(network=SMALL))
        memory.table[HEADER, [layout.SETTING.learning, layout.SETTING.reuse_for]] = layout.LEARNS.nothing, hold
        kept = parameters_of(memory).copy()
        stepped(FrozenPolicy(), memory, 40)
        assert (parameters_of(memory) == kept).all()
        assert not memory.table[ROW.status, [layout.STATUS.updates, layout.STATUS.step]].any()


# --- whole searches ----------------------------------------------------------------------------------------------


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("learning", [PAPER, ALL_EXTRAS, LearningSettings(rate=1.0)], ids=["paper", "extras", "fast"])
@pytest.mark.parametrize("kind", KINDS)
def test_exploding_rewards_leave_finite_parameters(kind: type[ActorCritic], learning: LearningSettings) -> None:
    selector = kind(Rewards(new_best=1e12, better=1e12), SMALL, learning)
    search = Search(INSTANCE, PORTFOLIO, selector, SimulatedAnnealing(), MaxIterations(500), 1, None)
    memory = search.selector_memory
    # Further than settings allow.
    memory.table[HEADER, [layout.SETTING.new_best, layout.SETTING.better]] = 1e30, 1e25
    search.run()
    assert memory.table[ROW.status, layout.STATUS.updates] == 499
    assert np.isfinite(parameters_of(memory)).all()
    assert np.isfinite(memory.table[layout.ROW.destroy_probabilities]).all()
    assert memory.table[layout.ROW.destroy_probabilities, : 6 if kind.paired else 2].sum() == pytest.approx(1)


def saved_policy(path: Path, selector: ActorCritic) -> np.ndarray:
    card = Card(
        problem="cvrp", kind=selector.name, features=graph.PLAIN_FEATURES, network=selector.network,
        portfolio=TrainedPortfolio.of(PORTFOLIO, frozenset()), rewards=selector.rewards, learning=selector.learning,
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
        search = Search(INSTANCE, PORTFOLIO, FrozenPolicy(path, hold), PORTFOLIO.acceptance, stop, 5, None)
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


@pytest.mark.parametrize("selector", [ActorCritic(network=SMALL), DualActorCritic(network=SMALL)], ids=["ac", "dac"])
@pytest.mark.parametrize("frozen", [False, True])
def test_after_a_move_to_another_solution_it_is_that_one_which_is_judged(
    selector: ActorCritic, frozen: bool, tmp_path: Path
) -> None:
    chosen: ActorCritic | FrozenPolicy = selector
    if frozen:
        chosen = FrozenPolicy(tmp_path / "policy.safetensors", 1)
        saved_policy(tmp_path / "policy.safetensors", selector)
    moved, other = (
        Search(INSTANCE, PORTFOLIO, chosen, HillClimbing(), MaxIterations(500), 1, start)
        for start in ([[1], [2], [3]], None)
    )
    for search in (moved, other):
        search.begin()
    while (
        moved.selector_memory.table[layout.ROW.status, layout.STATUS.is_encoded] == 0
    ):  # so that there is something to forget
        moved.advance(10**15, moved.iteration + 1, listening=False)
    moved.move_to_best_of(other)
    memory = moved.selector_memory
    fresh = chosen.memory_for(INSTANCE, PORTFOLIO, 1)
    parameters_of(fresh)[:] = parameters_of(memory)
    stepper, steps_before = moved.stepper, memory.table[layout.ROW.status, layout.STATUS.step]
    for looking in (memory, fresh):
        chosen.kernels[0](looking, stepper.problem, stepper.current, stepper.rng.copy())
    size = len(PORTFOLIO.destroy) * (len(PORTFOLIO.repair) if selector.paired else 1)
    assert memory.table[layout.ROW.destroy_probabilities, :size] == pytest.approx(
        fresh.table[layout.ROW.destroy_probabilities, :size]
    )
    assert memory.table[layout.ROW.status, layout.STATUS.step] == steps_before, "it learned from what did not follow"


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
            "repair operator 1 of portfolio 'turned' is",
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
