"""Rounds of training: what is run and how it is combined."""

import math

import numpy as np
import pytest

import dacalns
from dacalns.core.brain import weights_of
from dacalns.core.graph import PLAIN_FEATURES
from dacalns.learning.rounds import (
    EpisodeReport,
    EpisodeTask,
    Plan,
    combine,
    first_state,
    relative_advantage,
    run_task,
    softened,
    tasks,
    wheel_pairs,
)
from dacalns.learning.sources import Generated
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.search.stopping import MaxIterations, MaxTime
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic, LearningState
from dacalns.selectors.settings import NetworkSettings

pytestmark = pytest.mark.slow_without_jit

SOURCE = Generated("cvrp", 5, 8)
PORTFOLIO = PORTFOLIOS["paper"]
DAC = DualActorCritic(network=NetworkSettings(hidden=8))
AC = ActorCritic(network=NetworkSettings(hidden=8))


def plan(**given):
    return Plan(**({"source": SOURCE, "portfolio": PORTFOLIO, "learner": DAC, "episodes": 4} | given))


def state_of(values, **given):
    vector = np.array(values, dtype=np.float32)
    parts = {"parameters": vector, "mean": vector * 0, "square": vector * 0, "step": 0.0, "spread": 1.0} | given
    return LearningState(**parts)


def report(cost=1.0, state=None, trace=None):
    trace = None if trace is None else np.array(trace, dtype=np.float32)
    return EpisodeReport(cost, 10, 0.0, 0.0, 0.0, np.zeros((2, 3), dtype=np.int64), state, trace)


def test_whole_searches_end_after_the_papers_iterations_or_some_seconds():
    instance = SOURCE.instance(0)
    assert plan(method="whole").stop(instance) == MaxIterations(2000)
    assert plan(method="whole", seconds=0.5).stop(instance) == plan(seconds=0.5).budget(instance) == MaxTime(0.5)


def test_online_rounds_have_episodes_of_their_own():
    assert tasks(plan(episodes=3), 0) == [EpisodeTask(0), EpisodeTask(1), EpisodeTask(2)]
    assert tasks(plan(episodes=3), 2) == [EpisodeTask(6), EpisodeTask(7), EpisodeTask(8)]


def test_whole_rounds_have_pairs_with_opposite_signs():
    assert tasks(plan(method="whole", episodes=4), 1) == [
        EpisodeTask(2, 1),
        EpisodeTask(2, -1),
        EpisodeTask(3, 1),
        EpisodeTask(3, -1),
    ]
    assert len(tasks(plan(method="whole", episodes=3), 0)) == 4


def test_online_episodes_end_early_and_whole_ones_do_not():
    instance = SOURCE.instance(0)
    assert plan(method="whole").stop(instance) == MaxIterations(2000)
    assert plan(patience=0.0).stop(instance) == MaxIterations(2000)
    assert plan().stop(instance) == MaxIterations(2000) | dacalns.Patience(40)


def test_an_online_round_is_the_mean_of_its_episodes():
    states = [state_of([1, 2], step=10.0, spread=1.0), state_of([3, 6], step=20.0, spread=2.0)]
    after = combine(plan(), state_of([0, 0]), [report(state=state) for state in states])
    assert after.parameters.tolist() == [2, 4]
    assert (after.step, after.spread) == (15, 1.5)
    assert after.parameters.dtype == np.float32


def test_a_whole_round_is_a_step_of_adam_on_the_advantages_times_the_traces():
    chosen = plan(method="whole", deviation=0.5, rate=0.01, margin=0.01)
    before = state_of([0.5, -0.25, 1.0])
    reports = [
        report(100.0, trace=[1, 0, 2]), report(100.5, trace=[-1, 0, -1]),  # half a win of the first
        report(120.0, trace=[3, 1, 0]), report(100.0, trace=[-2, 1, 0]),  # a full win of the second
    ]  # fmt: skip
    after = combine(chosen, before, reports)
    gradient = -(0.5 * np.array([2, 0, 3.0]) - 1.0 * np.array([5, 0, 0.0])) / (4 * 0.5**2)
    mean, square = 0.1 * gradient, 0.001 * gradient**2
    step = 0.01 * (mean / (1 - 0.9)) / (np.sqrt(square / (1 - 0.999)) + 1e-8)
    np.testing.assert_allclose(after.parameters, before.parameters - step, rtol=1e-5)
    np.testing.assert_allclose(after.mean, mean, rtol=1e-5)
    np.testing.assert_allclose(after.square, square, rtol=1e-4)
    assert after.step == 1
    assert before.parameters.tolist() == [0.5, -0.25, 1.0]  # as it was


def test_the_steps_of_whole_rounds_get_shorter():
    reports = [report(100.0, trace=[1.0]), report(101.0, trace=[-1.0])]

    def length(halving, step):
        before = state_of([0.0], step=step)
        return float(combine(plan(method="whole", rate=0.01, halving=halving), before, reports).parameters[0])

    assert length(50, 0.0) == pytest.approx(length(0, 0.0))
    assert length(50, 50.0) == pytest.approx(length(0, 50.0) / 2)
    assert length(50, 100.0) == pytest.approx(length(0, 100.0) / 3)
    assert length(0, 50.0) > 0


@pytest.mark.parametrize("learner", [DAC, AC, None])
def test_a_temperature_divides_the_outputs_of_the_actors_alone(learner):
    chosen = plan(learner=learner, method="whole", temperature=2.0)
    before = first_state(chosen, SOURCE.instance(0)).parameters + np.float32(0.5)
    after = softened(chosen, before)
    if learner is None:
        np.testing.assert_allclose(after, before / 2)
        return
    heads = learner.heads(learner.network, 2, 3)
    sizes = len(PLAIN_FEATURES), 8, 2, len(heads), max(heads)
    hot, cold = weights_of(after, *sizes), weights_of(before, *sizes)
    for name in ("w1", "b1", "w2", "b2", "attention", "u", "c"):
        assert getattr(hot, name).tolist() == getattr(cold, name).tolist()
    for name in ("o", "bias"):
        assert getattr(hot, name)[0].tolist() == getattr(cold, name)[0].tolist()
        np.testing.assert_allclose(getattr(hot, name)[1:], getattr(cold, name)[1:] / 2)


@pytest.mark.parametrize(
    ("cost", "other", "advantage"), [(100, 100, 0), (100, 101, 1), (101, 100, -1), (100, 100.25, 0.5), (0, 0, 0)]
)
def test_an_advantage_is_relative_and_bounded(cost, other, advantage):
    assert relative_advantage(cost, other, 0.005) == pytest.approx(advantage)


def test_pairs_of_a_wheel_are_probabilities():
    pairs = wheel_pairs(np.array([0, math.log(3), 0, 0, 0, 0, 0, math.log(2)]), (2, 3))
    np.testing.assert_allclose(pairs, [[1 / 12] * 3, [3 / 16, 3 / 16, 3 / 8]])


@pytest.mark.parametrize(
    ("learner", "method"),
    [(DAC, "online"), (DAC, "whole"), (AC, "online"), (AC, "whole"), (None, "whole")],
    ids=["dac-online", "dac-whole", "ac-online", "ac-whole", "wheel"],
)
def test_parameters_move_and_stay_finite(learner, method):
    chosen = plan(learner=learner, method=method, rate=0.1)
    state = first = first_state(chosen, SOURCE.instance(0))
    for number in range(2):
        reports = [run_task(chosen, state, task) for task in tasks(chosen, number)]
        state = combine(chosen, state, reports)
        assert all(math.isfinite(value) for entry in reports for value in (entry.reward, entry.loss, entry.entropy))
        assert all(entry.iterations == entry.uses.sum() for entry in reports)
    assert np.isfinite(state.parameters).all()
    # With costs all equal nothing is to be learned from whole searches.
    assert (state.parameters != first.parameters).any() == (method == "online")


def test_an_unknown_method_is_told():
    with pytest.raises(dacalns.InputError, match="did you mean 'online'"):
        plan(method="onlin")
