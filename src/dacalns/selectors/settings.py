"""The settings of learned selectors (rewards, network and learning), and presets, which are named settings."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from dacalns.instances.fields import LARGEST
from dacalns.util.errors import InputError
from dacalns.util.shown import shown, text_of
from dacalns.util.values import did_you_mean, require_choice, whole_number

# Checks of values.


def require_scores(scores: Sequence[float], example: tuple[float, ...]) -> None:
    """Raise an `InputError` unless there are four finite scores of 0 or more."""
    numbers = isinstance(scores, tuple | list) and all(map(_is_number, scores))
    if not numbers or len(scores) != 4 or not all(0 <= score <= LARGEST for score in scores):
        raise InputError(f"scores is {shown(scores)}; expected four numbers of 0 or more, such as {example}.")


def require_fraction(what: str, value: float) -> None:
    """Raise an `InputError` unless the value is a number from 0 to 1."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise InputError(f"{what} is {shown(value)}; expected a number from 0 to 1.")


def require_number(
    what: str,
    value: float,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> float:
    """Return a finite number within its limits, or raise an `InputError`.

    Parameters
    ----------
    what
        The name of the value, for the message.
    value
        The value that the user gave.
    minimum, maximum
        The limits, both included.
    above, below
        The limits, both excluded.
    """
    limits = (("over", above), ("of at least", minimum), ("under", below), ("of at most", maximum))
    expected = " and ".join(f"{words} {limit:g}" for words, limit in limits if limit is not None)
    if not _is_number(value) or not abs(value) <= LARGEST:
        expected = expected or f"from {-LARGEST:g} to {LARGEST:g}"
    elif (
        (above is None or value > above)
        and (minimum is None or value >= minimum)
        and (below is None or value < below)
        and (maximum is None or value <= maximum)
    ):
        return float(value)
    raise InputError(f"{what} is {shown(value)}; expected a finite number {expected}; correct the value.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# Every choice that the paper leaves open is a field below, or a portfolio or an acceptance criterion with a name.
# ``docs/paper.md`` tells for each what the paper says, how it can be read, and what we choose.

MOST_HIDDEN = 1024
"""The width of the widest network, which has seven million parameters, and four copies of them while it learns."""

CONTEXTS = ("paper", "search", "rates")
"""The names for what the networks see beside the graph."""

TARGETS = ("one-step", "two-step", "joint", "independent")
"""The names for what an actor's decision is judged by, in the order of the kernels' numbers."""

CRITICS = ("state", "state-action")
"""The names for what the critic gives a value to."""

CHOICES = ("draw", "best")
"""The names for how a policy takes an operator when it does not explore."""


def _check_numbers(settings: object, limits: dict[str, dict[str, float]]) -> None:
    for name, limit in limits.items():
        object.__setattr__(settings, name, require_number(name, getattr(settings, name), **limit))


@dataclass(frozen=True)
class Rewards:
    """The parameters of the paper's two reward functions.

    Destroying earns ``alpha2`` if the destroyed solution costs no more than the best one, else ``alpha1`` if it costs
    less than the current one, and in both cases ``beta`` times (best - destroyed) / best; otherwise it earns nothing.
    Repairing earns ``new_best``, ``better`` or ``otherwise``, plus ``delta`` times (1 - uses / most uses) of the
    operator.

    Parameters
    ----------
    alpha1
        The reward for a destroyed solution cheaper than the current one, but not than the best. The paper gives no
        value.
    alpha2
        The reward for a destroyed solution that costs no more than the best. The paper gives no value.
    beta
        The weight of the relative distance to the best cost. The paper gives no value.
    delta
        The most that a repair operator earns for being rarely used. The paper gives no value.
    new_best
        The reward for a repaired solution cheaper than the best: 20 in the paper.
    better
        The reward for one cheaper than the current solution, but not than the best: 10 in the paper.
    otherwise
        The reward for any other: -0.1 in the paper.

    Raises
    ------
    InputError
        When a value is not a finite number.
    """

    alpha1: float = 1.0
    alpha2: float = 2.0
    beta: float = 1.0
    delta: float = 0.1
    new_best: float = 20.0
    better: float = 10.0
    otherwise: float = -0.1

    def __post_init__(self) -> None:
        _check_numbers(self, {field: {} for field in self.__dataclass_fields__})


@dataclass(frozen=True)
class NetworkSettings:
    """The size of the networks, and what they see.

    Parameters
    ----------
    hidden
        The width of both graph layers, a multiple of 8 and at most 1024. The paper gives an embedding dimension of 64.
    neighbours
        How many nearest neighbours of a node the static part of the graph links it to. The paper gives no number.
    context
        What the networks see beside the graph. ``"paper"``: the removed fraction of the customers, and the number of
        the destroy operator divided by how many there are (the paper says "normalized identifier"); both are 0 while
        the solution is whole. ``"search"`` adds the used fraction of the budget, the gap between the current and the
        best solution, and the fraction of the budget used since the last best one. ``"rates"`` adds to these which
        shares of about the last thousand iterations were accepted and were improvements.
    repair_blocks
        True if the repair actor has separate outputs after each destroy operator. In the paper one number of the state
        tells it which operator that was.
    critic
        ``"state"``: the critic has one value for a state. ``"state-action"``: it has one for each operator that can be
        chosen there; the value of a state is then their mean over the policy, and an operator's advantage is its own
        value less that mean. The paper speaks of a "state-action value function" and of assessing "the current state".

    Raises
    ------
    InputError
        When a value is outside its limits.
    """

    hidden: int = 64
    neighbours: int = 10
    context: str = "paper"
    repair_blocks: bool = False
    critic: str = "state"

    def __post_init__(self) -> None:
        hidden = whole_number("hidden", self.hidden, minimum=1, maximum=MOST_HIDDEN)
        if hidden % 8:
            raise InputError(
                f"hidden is {hidden}; expected a multiple of 8; {max(8, round(hidden / 8) * 8)} is the nearest."
            )
        object.__setattr__(self, "hidden", hidden)
        object.__setattr__(self, "neighbours", whole_number("neighbours", self.neighbours, minimum=1))
        require_choice("context", self.context, CONTEXTS)
        if not isinstance(self.repair_blocks, bool):
            raise InputError(f"repair_blocks is {shown(self.repair_blocks)}; expected true or false.")
        require_choice("critic", self.critic, CRITICS)


@dataclass(frozen=True)
class LearningSettings:
    """How the networks learn: by temporal differences, with one update in each iteration, after both rewards.

    Below, ``r_d`` and ``r_r`` are the rewards of destroying and repairing; ``s_d``, ``s_r`` and ``s'_d`` are the
    solution before, the destroyed one and the one after; ``V`` is the critic and ``g`` the discount.

    Parameters
    ----------
    rate
        The learning rate, above 0: 1e-3 in the paper.
    discount
        How much the value of the next state counts, from 0 to below 1: 0.9 in the paper.
    entropy
        The weight of the policies' entropy, 0 or more: 0.01 in the paper.
    exploration
        How often an operator is drawn without regard to the policy, from 0 to 1: 0.1 in the paper.
    value_weight
        The weight of the critic's loss relative to the actors', above 0. The paper gives none.
    gradient_clip
        The norm to which a gradient is clipped; 0: it is not clipped. The paper does not mention it.
    reward_scale
        The factor by which rewards are multiplied, above 0. The paper does not mention it.
    normalise_advantage
        True if advantages are divided by their running deviation. The paper does not mention it.
    destroy_credit
        The part of the repair's reward that is added to the reward for destroying, from 0 to 1. The paper does not
        mention it. With the target ``"joint"`` the repair's reward counts once anyway, for both actors, and this is
        added to it; the one actor of `ActorCritic` uses it only with ``"two-step"``.
    target
        What the destroy actor's choice is judged by; the paper says "using TD" and no more.

        * ``"two-step"``: ``r_d + g r_r + g^2 V(s'_d) - V(s_d)``, the update after both rewards of its Algorithm 1.
        * ``"one-step"``: ``r_d + g V(s_r) - V(s_d)``, so that the repair's reward reaches it only through the critic.
        * ``"independent"``: ``r_d + g V(s'_d) - V(s_d)``, as if there were no repair in between.
        * ``"joint"``: ``r_d + r_r + g V(s'_d) - V(s_d)`` for both actors; the critic then learns the value of full
         solutions only, or that of both choices if it is a ``"state-action"`` critic.

        With the first three, the repair actor's choice is judged by ``r_r + g V(s'_d) - V(s_r)``. The one actor of
        `ActorCritic` is judged by ``r_d + g r_r + g^2 V(s'_d) - V(s_d)`` with ``"two-step"``, and by
        ``r_d + r_r + g V(s'_d) - V(s_d)`` with any other.
    choice
        Which operator is taken when the selector does not explore: ``"draw"`` draws one by the policy's probabilities,
        ``"best"`` takes the most probable one. The paper only gives a rate of exploration. A policy that was trained to
        take the best also does so when it is frozen; use it with ``hold=1``, or it repeats one pair.

    Raises
    ------
    InputError
        When a value is outside its limits.
    """

    rate: float = 1e-3
    discount: float = 0.9
    entropy: float = 0.01
    exploration: float = 0.1
    value_weight: float = 0.5
    gradient_clip: float = 0.0
    reward_scale: float = 1.0
    normalise_advantage: bool = False
    destroy_credit: float = 0.0
    target: str = "two-step"
    choice: str = "draw"

    def __post_init__(self) -> None:
        _check_numbers(
            self,
            {
                "rate": {"above": 0},
                "discount": {"minimum": 0, "below": 1},
                "entropy": {"minimum": 0},
                "exploration": {"minimum": 0, "maximum": 1},
                "value_weight": {"above": 0},
                "gradient_clip": {"minimum": 0},
                "reward_scale": {"above": 0},
                "destroy_credit": {"minimum": 0, "maximum": 1},
            },
        )
        if not isinstance(self.normalise_advantage, bool):
            raise InputError(
                f"normalise_advantage is {shown(self.normalise_advantage)}; expected True or False; correct the value."
            )
        require_choice("target", self.target, TARGETS)
        require_choice("choice", self.choice, CHOICES)


# Presets.


@dataclass(frozen=True)
class Preset:
    """The settings of a learned selector.

    Parameters
    ----------
    rewards, network, learning
        The parts of the settings.
    prior
        The table that the selector begins with; see `DualActorCritic`.
    """

    rewards: Rewards = field(default_factory=Rewards)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    prior: str | None = None


_IMPROVED = Preset(
    # Destroying itself earns nothing, because removing more is always cheaper. Both actors earn what the repair makes
    # of it, at once and in units of its own spread; this kept them from collapsing on one pair. A new best is worth six
    # improvements. No part of the search is spent on draws without regard to the actors, because their own draws
    # explore.
    rewards=Rewards(alpha1=0.0, alpha2=0.0, beta=0.0, delta=0.0, new_best=60.0, better=10.0, otherwise=0.0),
    network=NetworkSettings(context="search", repair_blocks=True),
    learning=LearningSettings(
        discount=0.0, exploration=0.0, gradient_clip=5.0, normalise_advantage=True, destroy_credit=1.0
    ),
)

PRESETS = {
    "paper": Preset(),
    # The paper as version 0.1 read it.
    "one-step": Preset(learning=LearningSettings(target="one-step")),
    "improved": _IMPROVED,
    "context": replace(_IMPROVED, network=replace(_IMPROVED.network, context="rates")),
    # It learns more slowly, so that it does not forget at once what it begins with.
    "warm": replace(_IMPROVED, learning=replace(_IMPROVED.learning, rate=3e-4), prior="wheel"),
}
"""The presets by name.

``"paper"`` has the values of the paper, and ours where it gives none. ``"one-step"`` is the same with the one-step
target, in which the repair's reward reaches the destroy actor of ``dac`` only through the critic, while the one actor
of ``ac`` earns it at once. ``"improved"`` does not collapse on one pair of operators. ``"context"`` is improved, and
also sees rates of acceptance and improvement. ``"warm"`` is improved, but begins with the learned table of the package
instead of from nothing."""


# The part of a preset to which each field belongs.
_PART_OF = {
    entry.name: part
    for part, kind in (("rewards", Rewards), ("network", NetworkSettings), ("learning", LearningSettings))
    for entry in fields(kind)
}


def preset_of(text: str) -> Preset:
    """Return the preset that a text describes: a name, fields in place of the preset's, or both, with commas between.

    >>> preset_of("improved,rate=0.0005").learning.rate
    0.0005
    >>> preset_of("target=one-step,critic=state-action").network.critic
    'state-action'

    Raises
    ------
    InputError
        If there is no such preset or field, or a value makes no sense.
    """
    words = [word.strip() for word in text.split(",")] if isinstance(text, str) else [text]
    name, others = ("paper", words) if "=" in text_of(words[0]) else (words[0], words[1:])
    preset = PRESETS[require_choice("preset", name, (*PRESETS, "FIELD=VALUE"))]
    given: set[str] = set()
    for other in others:
        key, equals, value = other.partition("=")
        if key in given:
            raise InputError(
                f"setting {shown(key)} is given twice in {shown(text)}; expected it once; leave one of them out."
            )
        given.add(key)
        if not equals or key not in _PART_OF:
            hint = did_you_mean(key, _PART_OF) or "correct it."
            raise InputError(
                f"setting {shown(other)} is not understood; expected FIELD=VALUE with a field of rewards, network or "
                f"learning, such as target=one-step; {hint}"
            )
        part = _PART_OF[key]
        preset = replace(preset, **{part: replace(getattr(preset, part), **{key: _value(value)})})
    return preset


def _value(text: str) -> Any:
    """Return a text as true or false, a whole number or a number if it is one, or else as it is."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
