"""Checks of what classic selectors are set to."""

import math
from collections.abc import Sequence

from dacalns.errors import InputError


def require_scores(scores: Sequence[float], example: tuple[float, ...]) -> None:
    """Raise an `InputError` unless these are four finite numbers of 0 or more."""
    numbers = isinstance(scores, tuple | list) and all(isinstance(score, int | float) for score in scores)
    if not numbers or len(scores) != 4 or not all(0 <= score < math.inf for score in scores):
        raise InputError(f"scores is {scores!r}; expected four numbers of 0 or more, such as {example}.")


def require_fraction(what: str, value: float) -> None:
    """Raise an `InputError` unless this is a number from 0 to 1."""
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(f"{what} is {value!r}; expected a number from 0 to 1.")
