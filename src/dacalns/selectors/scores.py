"""The four scores that classic selectors give to outcomes."""

import math
from collections.abc import Sequence

from dacalns.errors import InputError


def require_scores(scores: Sequence[float], example: tuple[float, ...]) -> None:
    """Raise an `InputError` unless these are four finite numbers of 0 or more."""
    numbers = isinstance(scores, tuple | list) and all(isinstance(score, int | float) for score in scores)
    if not numbers or len(scores) != 4 or not all(0 <= score < math.inf for score in scores):
        raise InputError(f"scores is {scores!r}; expected four numbers of 0 or more, such as {example}.")
