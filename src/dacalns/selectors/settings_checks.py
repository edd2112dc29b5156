"""Checks of what selectors are set to."""

from collections.abc import Sequence

from dacalns.errors import InputError
from dacalns.instances.validation import LARGEST
from dacalns.shown import shown


def require_scores(scores: Sequence[float], example: tuple[float, ...]) -> None:
    """Raise an `InputError` unless these are four finite numbers of 0 or more."""
    numbers = isinstance(scores, tuple | list) and all(map(_is_number, scores))
    if not numbers or len(scores) != 4 or not all(0 <= score <= LARGEST for score in scores):
        raise InputError(f"scores is {shown(scores)}; expected four numbers of 0 or more, such as {example}.")


def require_fraction(what: str, value: float) -> None:
    """Raise an `InputError` unless this is a number from 0 to 1."""
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
        Its name, for the message.
    value
        What the user gave.
    minimum, maximum
        The limits, both included.
    above, below
        The limits, both left out.
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
