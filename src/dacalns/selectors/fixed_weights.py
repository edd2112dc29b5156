"""Fixed weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core import selection as kernels
from dacalns.errors import InputError
from dacalns.instances.validation import LARGEST
from dacalns.shown import shown

# Far more than a portfolio has room for.
MOST_PAIRS = 100_000


@dataclass(frozen=True)
class FixedWeights:
    """Operators drawn with weights that never change.

    Parameters
    ----------
    pairs
        A row for each destroy operator, a column for each repair operator: the weight of the pair.
    """

    pairs: Sequence[Sequence[float]]

    name = "weights"

    @classmethod
    def independent(cls, destroy: Sequence[float], repair: Sequence[float]) -> "FixedWeights":
        """Weights of the destroy and of the repair operators, drawn independently."""
        return cls([[one * other for other in repair] for one in destroy])

    @classmethod
    def parse(cls, text: str) -> "FixedWeights":
        """Weights from text such as ``1,0/0,1,2``: the destroy operators', then the repair operators'."""
        try:
            destroy, repair = ([float(entry) for entry in part.split(",")] for part in text.split("/"))
        except ValueError:
            raise InputError(
                f"weights are {shown(text)}; expected those of the destroy operators, a slash and those of the repair "
                "operators, such as weights:1,0/0,1,2."
            ) from None
        if len(destroy) * len(repair) > MOST_PAIRS:
            raise InputError(
                f"weights are for {len(destroy)} destroy operators and {len(repair)} repair operators; expected as "
                "many as the portfolio has."
            )
        return cls.independent(destroy, repair)

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled selector."""
        return kernels.fixed_destroy, kernels.fixed_repair, kernels.forget

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """The weights of destroying, and of repairing after each."""
        try:
            shape = [len(row) for row in self.pairs]
        except TypeError:
            raise InputError(
                f"weights are {shown(self.pairs)}; expected a row of numbers for each destroy operator."
            ) from None
        if shape != [repairs] * destroys:
            raise InputError(
                f"weights are for {len(shape)} destroy operators with {sorted(set(shape))} repair operators; "
                f"expected {destroys} with {repairs}, as the portfolio has."
            )
        try:
            weights = np.array(self.pairs, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"weights are {shown(self.pairs)}; expected numbers.") from None
        if not (weights.min() >= 0 and 0 < weights.max() <= LARGEST):
            raise InputError(
                f"weights are {shown(self.pairs)}; expected numbers of 0 or more, and not all 0, of at most "
                f"{LARGEST:g} each."
            )
        memory = np.zeros((2 + destroys, max(destroys, repairs, 2)))
        memory[kernels.HEADER, :2] = destroys, repairs
        memory[kernels.MARGINAL, :destroys] = weights.sum(axis=1)
        memory[kernels.CONDITIONAL :, :repairs] = weights
        return memory
