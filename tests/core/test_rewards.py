"""The paper's rewards by hand."""

import numpy as np
import pytest

from core.learners import INSTANCE, PORTFOLIO, SMALL
from dacalns.core import actor_critic
from dacalns.core import actor_critic as rewards
from dacalns.core import policy_table as layout
from dacalns.core.selection import TRIAL, Memory
from dacalns.selectors.actor_critic import ActorCritic
from dacalns.selectors.settings import Rewards


def reward_memory(uses: tuple[int, int, int] = (0, 0, 0)) -> Memory:
    settings = Rewards(alpha1=3, alpha2=5, beta=2, delta=0.4, new_best=20, better=10, otherwise=-0.1)
    memory = ActorCritic(settings, SMALL).blank_memory(INSTANCE, PORTFOLIO)
    memory.table[layout.ROW.repair_uses, :3] = uses
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
    assert rewards.destroy_reward(table, float(before), float(destroyed), float(best)) == pytest.approx(reward)


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
    reward = rewards.repair_reward(table, float(before), float(after), float(best), repair)
    assert reward == pytest.approx(tier + 0.4 * share)


def test_rewards_of_a_trial_are_noted_with_the_uses_before_it() -> None:
    memory, trial = reward_memory((4, 1, 0)), np.zeros(len(TRIAL))
    trial[:2] = 1, 1
    trial[[TRIAL.before, TRIAL.destroyed, TRIAL.after, TRIAL.best]] = 120, 75, 99, 100
    actor_critic.note_trial(memory, trial)
    noted = memory.table[
        layout.ROW.status, [layout.STATUS.reward_destroy, layout.STATUS.reward_repair, layout.STATUS.total_reward]
    ]
    assert noted.tolist() == pytest.approx([5.5, 20.3, 25.8])
    assert memory.table[layout.ROW.repair_uses, :3].tolist() == [4, 2, 0]
