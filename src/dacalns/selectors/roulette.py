"""The classic roulette wheel."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core import selection as kernels
from dacalns.instances.choices import require_choice
from dacalns.instances.whole_number import whole_number
from dacalns.selectors.settings_checks import require_fraction, require_scores


@dataclass(frozen=True)
class Roulette:
    """Two independent wheels whose weights follow the operators' scores (Ropke and Pisinger 2006).

    Parameters
    ----------
    scores
        For a new best solution, a better one, an accepted one (both only if not accepted before), and any other.
    segment
        Iterations between two changes of the weights.
    reaction
        How far a weight moves to the mean score of the segment, 0 to 1.

    Notes
    -----
    The published scores are 33, 9 and 13: diversification is worth more than a small improvement. ``"tuned"`` has
    scores, segment and reaction that are better for searches as short as the paper's.
    """

    scores: tuple[float, float, float, float] = (33, 9, 13, 0)
    segment: int = 100
    reaction: float = 0.1

    name = "roulette"

    @classmethod
    def preset(cls, name: str) -> "Roulette":
        """``"ropke-pisinger"``, the published wheel; ``"tuned"``, the best for short searches; or ``"quick"``."""
        return WHEELS[require_choice("preset of roulette", name, tuple(WHEELS))]

    def __post_init__(self) -> None:
        require_scores(self.scores, (33, 9, 13, 0))
        require_fraction("reaction", self.reaction)
        object.__setattr__(self, "segment", whole_number("segment", self.segment, minimum=1))

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled selector."""
        return kernels.roulette_destroy, kernels.roulette_repair, kernels.roulette_update

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """All weights equal to one."""
        memory = np.zeros((7, max(destroys, repairs, 9)))
        memory[kernels.HEADER, :9] = [destroys, repairs, self.segment, self.reaction, 0, *self.scores]
        memory[kernels.DESTROY_WEIGHT, :destroys] = 1
        memory[kernels.REPAIR_WEIGHT, :repairs] = 1
        return memory


WHEELS = {
    "ropke-pisinger": Roulette(),
    "tuned": Roulette(scores=(20, 10, 2, 0), segment=20, reaction=0.4),
    "quick": Roulette(scores=(30, 20, 10, 0), segment=5, reaction=0.4),
}
"""Wheels by name: as published; the best of thirty on generated instances (``benchmarks/calibrate.py``); and one whose
weights change every five iterations, as in scripts that are much copied."""
