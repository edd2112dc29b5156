"""Named settings of the learned selectors."""

from dataclasses import dataclass, field

from dacalns.selectors.learned_settings import LearningSettings, NetworkSettings, Rewards


@dataclass(frozen=True)
class Preset:
    """What a learned selector is set to.

    Parameters
    ----------
    rewards, network, learning
        Its parts.
    """

    rewards: Rewards = field(default_factory=Rewards)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)


PRESETS = {
    "paper": Preset(),
    "improved": Preset(
        network=NetworkSettings(context="search"),
        learning=LearningSettings(gradient_clip=1.0, reward_scale=0.1, normalise_advantage=True, destroy_credit=1.0),
    ),
}
"""``"paper"``: the values of the paper, and ours where it gives none; ``"improved"``: against collapse on one pair."""
