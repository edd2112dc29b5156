"""Settings of the learned selectors: the paper's values and limits."""

from dataclasses import FrozenInstanceError, astuple, fields

import pytest

from dacalns.core.policy_table import SETTING
from dacalns.selectors.settings import LearningSettings, NetworkSettings, Rewards
from dacalns.util.errors import InputError


@pytest.mark.parametrize(
    ("kind", "names", "values"),
    [
        (Rewards, "alpha1 alpha2 beta delta new_best better otherwise", (1, 2, 1, 0.1, 20, 10, -0.1)),
        (NetworkSettings, "hidden neighbours context repair_blocks critic", (64, 10, "paper", False, "state")),
        (
            LearningSettings,
            "rate discount entropy exploration value_weight gradient_clip reward_scale normalise_advantage "
            "destroy_credit target choice",
            (1e-3, 0.9, 0.01, 0.1, 0.5, 0, 1, False, 0, "two-step", "draw"),
        ),
    ],
)
def test_names_order_and_defaults(kind: type, names: str, values: tuple[object, ...]) -> None:
    assert [field.name for field in fields(kind)] == names.split()
    assert astuple(kind()) == values


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (Rewards, {"beta": "1"}, "beta is '1'; expected a finite number"),
        (Rewards, {"alpha1": float("nan")}, "alpha1 is nan"),
        (Rewards, {"new_best": float("inf")}, "new_best is inf"),
        (Rewards, {"delta": True}, "delta is True"),
        (NetworkSettings, {"hidden": 60}, "hidden is 60; expected a multiple of 8"),
        (NetworkSettings, {"hidden": 3}, "hidden is 3; .* 8 is the nearest"),
        (NetworkSettings, {"hidden": 0}, "hidden is 0; expected a whole number from 1 to 1024"),
        (NetworkSettings, {"hidden": 64.0}, "hidden is 64.0; expected a whole number"),
        (NetworkSettings, {"neighbours": 0}, "neighbours is 0"),
        (NetworkSettings, {"context": "serch"}, "did you mean 'search'"),
        (NetworkSettings, {"critic": "states"}, "did you mean 'state'"),
        (LearningSettings, {"target": "twostep"}, "target is 'twostep'; .* did you mean 'two-step'"),
        (LearningSettings, {"target": 2}, "target is 2"),
        (LearningSettings, {"choice": "greedy"}, "choice is 'greedy'"),
        (LearningSettings, {"rate": 0}, "rate is 0; expected a finite number over 0;"),
        (LearningSettings, {"discount": 1}, "discount is 1; expected a finite number of at least 0 and under 1;"),
        (LearningSettings, {"discount": -0.1}, "discount is -0.1"),
        (LearningSettings, {"entropy": -1e-9}, "entropy is -1e-09"),
        (LearningSettings, {"exploration": 1.01}, "exploration is 1.01; .* of at least 0 and of at most 1"),
        (LearningSettings, {"value_weight": 0.0}, "value_weight is 0.0"),
        (LearningSettings, {"gradient_clip": -1}, "gradient_clip is -1"),
        (LearningSettings, {"reward_scale": 0}, "reward_scale is 0"),
        (LearningSettings, {"normalise_advantage": 1}, "normalise_advantage is 1; expected True or False"),
        (LearningSettings, {"destroy_credit": 2}, "destroy_credit is 2"),
        (LearningSettings, {"rate": None}, "rate is None; expected a finite number over 0;"),
    ],
)
def test_settings_that_make_no_sense(kind: type, settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind(**settings)


def test_the_limits_that_belong_to_the_range_are_accepted() -> None:
    LearningSettings(discount=0, entropy=0, exploration=1, gradient_clip=0, destroy_credit=1)
    LearningSettings(exploration=0, destroy_credit=0)
    NetworkSettings(hidden=8, neighbours=1, context="search")


def test_numbers_are_kept_as_floats_so_that_kernels_see_one_type() -> None:
    assert all(type(value) is float for value in astuple(Rewards(alpha1=3, new_best=5)))
    assert type(LearningSettings(rate=1).rate) is float


def test_settings_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Rewards().beta = 2  # type: ignore[misc]


def test_every_number_reaches_the_kernels() -> None:
    """What is set but never handed on would be an option that does nothing."""
    handed_on = {*SETTING._fields, "choice"}  # the choice is `greedy` there
    assert {field.name for kind in (Rewards, LearningSettings) for field in fields(kind)} <= handed_on
