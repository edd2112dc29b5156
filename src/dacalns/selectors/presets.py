"""Named settings of the learned selectors."""

from dataclasses import dataclass, field, fields, replace
from typing import Any

from dacalns.errors import InputError
from dacalns.instances.choices import require_choice
from dacalns.instances.suggest import did_you_mean
from dacalns.selectors.learned_settings import LearningSettings, NetworkSettings, Rewards
from dacalns.shown import shown, text_of


@dataclass(frozen=True)
class Preset:
    """What a learned selector is set to.

    Parameters
    ----------
    rewards, network, learning
        Its parts.
    prior
        What it begins with, see `DualActorCritic`.
    """

    rewards: Rewards = field(default_factory=Rewards)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    prior: str | None = None


_IMPROVED = Preset(
    # Destroying earns nothing of itself: removing more is always cheaper. What the repair makes of it is earned by both
    # actors, at once and in units of its own spread; that is what kept them from collapsing on one pair. A new best is
    # worth six improvements; and no part of the search is spent on draws with no regard to the actors, whose own draws
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
    # Slower, so as not to forget at once what it begins with.
    "warm": replace(_IMPROVED, learning=replace(_IMPROVED.learning, rate=3e-4), prior="wheel"),
}
"""``"paper"``: the values of the paper, and ours where it gives none; ``"one-step"``: the same with the one-step
target, in which the repair's reward reaches the destroy actor of ``dac`` through the critic alone, while the one actor
of ``ac`` earns it at once; ``"improved"``: against collapse on one pair;
``"context"``: the same, with rates of acceptance and improvement to see; ``"warm"``: improved, but begun
with the learned table of the package instead of from nothing."""


# The part of a preset that a field belongs to.
_PART_OF = {
    entry.name: part
    for part, kind in (("rewards", Rewards), ("network", NetworkSettings), ("learning", LearningSettings))
    for entry in fields(kind)
}


def preset_of(text: str) -> Preset:
    """A preset from text: its name, fields in place of its own, or both, with commas between.

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
    """A whole number, a number, true or false, or else the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
