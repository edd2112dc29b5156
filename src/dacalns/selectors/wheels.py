"""Selectors without a network: uniform random choice, roulette, upper confidence bounds and fixed weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core import selection as kernels
from dacalns.instances.fields import LARGEST
from dacalns.search.selector import Selector
from dacalns.selectors.settings import require_fraction, require_scores
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import require_choice, whole_number


def new_table(
    rows: int,
    destroys: int,
    repairs: int,
    record: Any,
    header: Mapping[str, float] | None = None,
    scores: Sequence[float] = (),
) -> npt.NDArray[np.float64]:
    """Return a table of zeros whose header has the numbers of operators, these parameters by name, and the scores."""
    table = np.zeros((rows, max(destroys, repairs, len(record) + len(scores))))
    for name, number in {"destroys": destroys, "repairs": repairs, **(header or {})}.items():
        table[kernels.HEADER, getattr(record, name)] = number
    if scores:
        table[kernels.HEADER, record.scores :][: len(scores)] = scores
    return table


# Uniform random choice.


@dataclass(frozen=True)
class UniformRandom(Selector):
    """A selector that draws every operator with the same probability, whatever happened before."""

    name = "random"

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled functions that choose a destroy operator, choose a repair operator, and ignore the outcome."""
        return kernels.uniform_destroy, kernels.uniform_repair, kernels.forget

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """Return a memory that holds only the numbers of operators."""
        return new_table(1, destroys, repairs, kernels.SIZE)


# The classic roulette wheel.


@dataclass(frozen=True)
class Roulette(Selector):
    """Two independent wheels, for destroying and repairing, whose weights follow the operators' scores.

    This is the classic selector of ALNS (Ropke and Pisinger 2006).

    Parameters
    ----------
    scores
        The scores for a new best solution, a better one, an accepted one (both only if not accepted before), and any
        other.
    segment
        The number of iterations between two changes of the weights.
    reaction
        How far a weight moves towards the mean score of the segment, from 0 to 1.

    Notes
    -----
    The published scores are 33, 9 and 13: diversification is worth more than a small improvement. The preset
    ``"tuned"`` has scores, segment and reaction that are better for searches as short as the paper's.
    """

    scores: tuple[float, float, float, float] = (33, 9, 13, 0)
    segment: int = 100
    reaction: float = 0.1

    name = "roulette"

    @classmethod
    def preset(cls, name: str) -> "Roulette":
        """Return a wheel: ``"ropke-pisinger"`` as published, ``"tuned"`` for short searches, or ``"quick"``."""
        return WHEELS[require_choice("preset of roulette", name, tuple(WHEELS))]

    def __post_init__(self) -> None:
        require_scores(self.scores, (33, 9, 13, 0))
        require_fraction("reaction", self.reaction)
        object.__setattr__(self, "segment", whole_number("segment", self.segment, minimum=1))

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The compiled functions that choose a destroy operator, choose a repair operator, and note the outcome."""
        return kernels.roulette_destroy, kernels.roulette_repair, kernels.roulette_update

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """Return a memory in which all weights are one."""
        header = {"segment": self.segment, "reaction": self.reaction}
        memory = new_table(1 + len(kernels.WHEEL_ROW), destroys, repairs, kernels.ROULETTE, header, self.scores)
        memory[kernels.WHEEL_ROW.destroy_weight, :destroys] = 1
        memory[kernels.WHEEL_ROW.repair_weight, :repairs] = 1
        return memory


WHEELS = {
    "ropke-pisinger": Roulette(),
    "tuned": Roulette(scores=(20, 10, 2, 0), segment=20, reaction=0.4),
    "quick": Roulette(scores=(30, 20, 10, 0), segment=5, reaction=0.4),
}
"""The wheels by name: as published; the best of thirty on generated instances (``benchmarks/calibrate.py``); and one
whose weights change every five iterations, as in scripts that are often copied."""


# Upper confidence bounds on pairs.


@dataclass(frozen=True)
class AlphaUCB(Selector):
    """A selector that takes the pair of operators with the highest optimistic mean reward (Hendel 2022).

    Parameters
    ----------
    alpha
        How much optimism an uncertain pair gets, from 0 to 1.
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
        """The compiled functions that choose a destroy operator, choose a repair operator, and note the outcome."""
        return kernels.ucb_destroy, kernels.ucb_repair, kernels.ucb_update

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """Return a memory in which no pair has been tried."""
        header = {"alpha": self.alpha}
        return new_table(kernels.uses_row(destroys, destroys), destroys, repairs, kernels.UCB, header, self.scores)


# Fixed weights.

# No portfolio has as many pairs; a longer text is refused before it takes much memory.
MOST_PAIRS = 100_000


@dataclass(frozen=True)
class FixedWeights(Selector):
    """A selector that draws operators with weights that never change.

    Parameters
    ----------
    pairs
        The weight of each pair: a row for each destroy operator, a column for each repair operator.
    """

    pairs: Sequence[Sequence[float]]

    name = "weights"

    @classmethod
    def independent(cls, destroy: Sequence[float], repair: Sequence[float]) -> "FixedWeights":
        """Return a selector that draws destroy and repair operators independently, with these weights."""
        return cls([[one * other for other in repair] for one in destroy])

    @classmethod
    def parse(cls, text: str) -> "FixedWeights":
        """Return a selector from text such as ``1,0/0,1,2``: weights of destroy operators, then of repair operators."""
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
        """The compiled functions that choose a destroy operator, choose a repair operator, and ignore the outcome."""
        return kernels.fixed_destroy, kernels.fixed_repair, kernels.forget

    def memory(self, destroys: int, repairs: int) -> npt.NDArray[np.float64]:
        """Return a memory with the weights of destroying, and those of repairing after each destroy operator."""
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
        rows = kernels.WEIGHTS_ROW.repair_after + destroys
        memory = new_table(rows, destroys, repairs, kernels.SIZE)
        memory[kernels.WEIGHTS_ROW.destroy, :destroys] = weights.sum(axis=1)
        memory[kernels.WEIGHTS_ROW.repair_after :, :repairs] = weights
        return memory
