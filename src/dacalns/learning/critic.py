"""A critic for a policy that was learned from whole searches, which needs none; but its explanation does."""

import numpy as np

from dacalns.learning.episode import learn_online
from dacalns.learning.rounds import Plan, Vector, mean_state
from dacalns.learning.workers import Workers
from dacalns.search.stopping import MaxIterations
from dacalns.selectors.actor_critic import LearningState

CRITIC_ROUNDS, CRITIC_EPISODES = 20, 16
"""How many, and of how many episodes at most: learning at every iteration, a critic takes far fewer than a policy."""


def first_critic(parameters: Vector) -> LearningState:
    """The policy with an optimiser that has not begun.

    Its moments must be zero: with what training left in them, parameters would move that have no gradient here.
    """
    zeros = np.zeros_like(parameters)
    return LearningState(parameters, zeros, zeros.copy(), 0.0, 1.0)


def fit_critic(workers: Workers, plan: Plan, state: LearningState, number: int) -> LearningState:
    """One of the rounds, from 0: the critic's head learns by temporal differences what the frozen policy earns."""
    episodes = min(plan.episodes, CRITIC_EPISODES)
    tasks = range(number * episodes, (number + 1) * episodes)
    return mean_state(workers.run(_critic_episode, state, tasks, [plan.source.customers(task) for task in tasks]))


def _critic_episode(plan: Plan, state: LearningState, number: int) -> LearningState:
    assert plan.learner is not None
    instance = plan.source.instance(number)
    stop = MaxIterations(max(2000, 50 * instance.customers))
    seed = plan.seed * 1_000_003 + number
    return learn_online(plan.learner, state, instance, plan.portfolio, stop, seed, critic_alone=True).state
