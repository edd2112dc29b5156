"""Positions by name: headers and parameters are filled by their names, never by the order of somebody's fields."""

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np

import dacalns
from dacalns.core import brain
from dacalns.core.policy_table import SETTING
from dacalns.core.records import numbered
from dacalns.core.selection import HEADER, OUTCOME, ROULETTE, SIZE, UCB
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.selectors.actor_critic import DualActorCritic
from dacalns.selectors.settings import Rewards
from dacalns.selectors.wheels import AlphaUCB, Roulette


class Pair(NamedTuple):
    left: int
    right: int


PAIR = numbered(Pair, first=3)


def test_fields_are_numbered_in_their_order_also_in_compiled_code():
    assert PAIR == (3, 4)
    assert numba.njit(lambda values: values[PAIR.right] - values[PAIR.left])(np.arange(5.0) ** 2) == 7


@dataclass(frozen=True)
class OtherOrder:
    """The rewards, with their fields the other way round."""

    otherwise: float = -0.5
    better: float = 7.0
    new_best: float = 17.0
    delta: float = 0.3
    beta: float = 1.5
    alpha2: float = 4.0
    alpha1: float = 3.0


def header(rewards):
    memory = DualActorCritic(rewards=rewards).blank_memory(dacalns.read("A-n32-k5"), PORTFOLIOS["paper"])
    return memory.table[HEADER]


def test_the_order_of_the_fields_of_settings_does_not_matter():
    other = OtherOrder()
    usual = Rewards(**vars(other))
    assert list(vars(usual)) != list(vars(other))
    assert header(other).tolist() == header(usual).tolist()
    assert header(usual)[[SETTING.alpha1, SETTING.otherwise, SETTING.new_best]].tolist() == [3, -0.5, 17]


def test_every_header_begins_with_the_numbers_of_operators():
    for record in (SETTING, ROULETTE, UCB):
        assert (record.destroys, record.repairs) == (SIZE.destroys, SIZE.repairs)


def test_the_headers_of_the_wheels_are_filled_by_name():
    wheel = Roulette(scores=(4, 3, 2, 1), segment=7, reaction=0.25).memory(2, 3)[HEADER]
    assert wheel[[ROULETTE.destroys, ROULETTE.repairs, ROULETTE.segment]].tolist() == [2, 3, 7]
    assert wheel[ROULETTE.reaction] == 0.25
    assert wheel[ROULETTE.scores + OUTCOME.better] == 3
    bounds = AlphaUCB(alpha=0.5, scores=(4, 3, 2, 1)).memory(2, 3)[HEADER]
    assert bounds[UCB.alpha] == 0.5
    assert bounds[UCB.scores + OUTCOME.accepted] == 2


def test_all_views_of_the_parameters_share_one_layout():
    learner, instance = DualActorCritic(), dacalns.read("A-n32-k5")
    memory = learner.blank_memory(instance, PORTFOLIOS["paper"])
    flat = brain.vector_in(memory, brain.REGION.parameters)
    flat[:] = np.arange(len(flat))
    sizes = memory.index[brain.DIMENSION.features : brain.DIMENSION.outputs + 1].tolist()
    layout, named = brain.parameter_layout(*sizes), brain.weights_in(memory, brain.REGION.parameters)._asdict()
    assert brain.count_parameters(*sizes) == len(flat)
    end = 0
    for name, block in layout.items():
        assert block.begin == end
        assert named[name].shape == block.shape
        assert named[name].ravel()[0] == block.begin
        end += named[name].size
    assert end == len(flat)
    for name, part in brain.encoder_in(memory, brain.REGION.parameters)._asdict().items():
        assert np.array_equal(part, named[name])
    for head in brain.HEAD:
        for name, part in brain.head_in(memory, brain.REGION.parameters, head)._asdict().items():
            assert np.array_equal(part, named[name][head])
