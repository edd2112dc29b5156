"""Episodes: what whole searches teach, and what the critic alone learns."""

from dataclasses import dataclass

import numpy as np
import pytest

from dacalns.learning.episode import Offsets, explore_whole, learn_online
from dacalns.learning.rounds import Plan, combine, first_state, run_task, tasks
from dacalns.learning.sources import Generated
from dacalns.search.portfolio import PORTFOLIOS, Portfolio
from dacalns.search.stopping import MaxIterations
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.settings import NetworkSettings

pytestmark = pytest.mark.slow_without_jit

NETWORK = NetworkSettings(hidden=8)
LEARNERS = {"dac": DualActorCritic(network=NETWORK), "ac": ActorCritic(network=NETWORK), "wheel": None}


@dataclass(frozen=True)
class ShortPlan(Plan):
    """Searches so short that the operators decide how good they are."""

    def stop(self, instance):
        return MaxIterations(100)


def test_offsets_repeat_and_differ():
    offsets = Offsets.draw(2, 3, 0.7, seed=5)
    assert offsets.destroy.shape == (2,)
    assert offsets.repair.shape == (2, 3)
    assert (offsets.repair == Offsets.draw(2, 3, 0.7, seed=5).repair).all()
    assert (offsets.repair != Offsets.draw(2, 3, 0.7, seed=6).repair).any()
    assert ((-offsets).destroy == -offsets.destroy).all()


def test_offsets_have_their_deviation():
    drawn = np.concatenate([Offsets.draw(2, 3, 0.7, seed).repair.ravel() for seed in range(300)])
    assert abs(drawn.mean()) < 0.05
    assert abs(drawn.std() - 0.7) < 0.05


@pytest.mark.parametrize("kind", ["dac", "ac"])
def test_an_offset_makes_its_operator_likely(kind):
    instance, portfolio, learner = Generated("cvrp", 10, 10).instance(0), PORTFOLIOS["paper"], LEARNERS[kind]
    plan = Plan(Generated("cvrp"), portfolio, learner)
    parameters = first_state(plan, instance).parameters
    offsets = Offsets(np.array([0.0, 4.0]), np.array([[0.0, 0, 0], [0.0, 4.0, 0]]))
    episode = explore_whole(learner, parameters, instance, portfolio, MaxIterations(300), 1, offsets)
    uses = np.array(episode.result.operators.uses)
    assert uses[1, 1] > 0.8 * uses.sum()
    assert np.isfinite(episode.trace).all()
    assert (episode.trace != 0).any()
    plain = explore_whole(learner, parameters, instance, portfolio, MaxIterations(300), 1, None)
    assert not plain.trace.any()


@pytest.mark.parametrize("kind", LEARNERS)
def test_whole_searches_teach_which_pair_is_plainly_better(kind):
    # Repairing at random after removing the worst undoes what the search has found.
    portfolio = Portfolio(["worst_removal", "random_removal"], ["random_repair", "regret_repair"])
    rate = 0.1 if kind == "wheel" else 0.01
    pace = {"rate": rate, "halving": 0, "deviation": 0.7, "margin": 0.02}
    plan = ShortPlan(Generated("cvrp", 25, 25), portfolio, LEARNERS[kind], "whole", 8, **pace)
    state = first_state(plan, plan.source.instance(0))
    shares = []
    for number in range(25):
        reports = [run_task(plan, state, task) for task in tasks(plan, number)]
        state = combine(plan, state, reports)
        uses = np.sum([report.uses for report in reports], axis=0)
        shares.append(uses / uses.sum())
    before, after = np.mean(shares[:5], axis=0), np.mean(shares[-5:], axis=0)
    assert after[1, 1] > before[1, 1] + 0.2
    assert after[1, 1] == after.max()
    assert after[0, 0] < before[0, 0]


@pytest.mark.parametrize("kind", ["dac", "ac"])
def test_the_critic_alone_learns_and_the_actors_stay_bit_for_bit(kind):
    instance, portfolio, learner = Generated("cvrp", 8, 8).instance(0), PORTFOLIOS["paper"], LEARNERS[kind]
    state = first_state(Plan(Generated("cvrp"), portfolio, learner), instance)
    episode = learn_online(learner, state, instance, portfolio, MaxIterations(200), 1, critic_alone=True)
    assert (episode.state.parameters != state.parameters).any()
    stop = MaxIterations(300)
    before, after = (
        explore_whole(learner, entry.parameters, instance, portfolio, stop, 2, None).result
        for entry in (state, episode.state)
    )
    assert before.routes == after.routes
    assert before.operators.uses == after.operators.uses
    one, other = before.explanation, after.explanation
    assert one.destroy_probabilities == other.destroy_probabilities
    assert one.repair_probabilities == other.repair_probabilities
    assert one.destroy_value != other.destroy_value
