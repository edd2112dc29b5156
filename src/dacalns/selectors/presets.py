"""Named settings of the learned selectors."""

from dataclasses import dataclass, field, replace

from dacalns.selectors.learned_settings import LearningSettings, NetworkSettings, Rewards


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
    "improved": _IMPROVED,
    "context": replace(_IMPROVED, network=replace(_IMPROVED.network, context="rates")),
    # Slower, so as not to forget at once what it begins with.
    "warm": replace(_IMPROVED, learning=replace(_IMPROVED.learning, rate=3e-4), prior="wheel"),
}
"""``"paper"``: the values of the paper, and ours where it gives none; ``"improved"``: against collapse on one pair;
``"context"``: the same, with rates of acceptance and improvement to see; ``"warm"``: improved, but begun
with the learned table of the package instead of from nothing."""
