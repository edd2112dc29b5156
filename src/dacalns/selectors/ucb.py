"""Upper confidence bounds on pairs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core import selection as kernels
from dacalns.selectors.settings_checks import require_fraction, require_scores


@dataclass(frozen=True)
class AlphaUCB:
    """The destroy-repair pair with the highest optimistic mean reward (Hendel 2022).

    Parameters
    ----------
    alpha
        How much optimism an uncertain pair gets, 0 to 1.
    scores
        The reward for a new best solution, a better one, an accepted one, and any other.
    """

    alpha: float = 0.05
    scores: tuple[float, float, float, float] = (5, 2, 1, 0)

    name = "ucb"

    def __post_init__(self) -> None:
        require_fraction("alpha", self.alpha)
        require_scores(self.scores, (5, 2, 1, 0))

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled selector."""
        return kernels.ucb_destroy, kernels.ucb_repair, kernels.ucb_update

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """No pair tried yet."""
        memory = np.zeros((1 + 2 * destroys, max(repairs, 9)))
        memory[kernels.HEADER, :9] = [destroys, repairs, self.alpha, 0, 0, *self.scores]
        return memory
