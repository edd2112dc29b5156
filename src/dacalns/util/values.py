"""Single values: how to write a number, the gap between two, and checks that say what is wrong with a value."""

import difflib
import operator
from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, listed, shortened, shown

# Write a number as people do, and so that reading it back gives the same double.


def number_text(value: float) -> str:
    """Return ``"784"`` for 784.0, and the shortest exact decimal for anything with a fraction."""
    value = float(value)
    return str(int(value)) if value.is_integer() else repr(value)


# How far a cost is above another one: the only place that computes a gap.


@overload
def gap_percent(cost: float, reference: float) -> float: ...


@overload
def gap_percent(cost: npt.NDArray[np.float64], reference: Any) -> npt.NDArray[np.float64]: ...


def gap_percent(cost: Any, reference: Any) -> Any:
    """Return how far a cost is above a reference, in percent of the reference.

    Parameters
    ----------
    cost
        A cost, or an array of them.
    reference
        The cost to compare with, or an array of as many. Against a reference of 0, which is what customers at the depot
        cost, any cost above 0 has a gap of 100 %.

    Examples
    --------
    >>> gap_percent(103.0, 100.0)
    3.0
    """
    if np.ndim(reference) == 0 and reference == 0:
        return 100.0 * np.sign(cost)
    return 100 * (cost - reference) / reference


# The "did you mean …?" half of an error message.

LONGEST = 60
"""What is longer is no slip of a name, and comparing long texts takes long."""


def did_you_mean(given: str, choices: Iterable[str]) -> str:
    """Name the closest choices.

    Parameters
    ----------
    given
        What the user wrote; case does not matter.
    choices
        What would have been accepted.

    Returns
    -------
    str
        Such as ``"did you mean 'R101' or 'R102'?"``, or an empty string when nothing is close. One that ends in
        digits, and with which the given text begins, comes first: R101 for R101.25.
    """
    if len(given) > LONGEST:
        return ""
    by_folded = {choice.casefold(): choice for choice in choices if len(choice) <= LONGEST}
    folded = given.casefold()
    begun = [each for each in by_folded if each[-1:].isdigit() and folded.startswith(each)]
    begun.sort(key=len, reverse=True)
    close = [*begun, *difflib.get_close_matches(folded, by_folded, n=2, cutoff=0.6)]
    if not close:
        return ""
    return "did you mean " + " or ".join(repr(by_folded[match]) for match in [*dict.fromkeys(close)][:2]) + "?"


# Check that a named option is one of those that exist.


def require_choice(option: str, given: object, choices: Sequence[str]) -> str:
    """Return the choice given, or say which choices there are.

    Parameters
    ----------
    option
        The name of the option, for the message.
    given
        What the user gave.
    choices
        What is accepted.

    Returns
    -------
    str
        ``given``, when it is one of ``choices``.

    Raises
    ------
    InputError
        When it is not.
    """
    if isinstance(given, str) and given in choices:
        return given
    hint = did_you_mean(given, choices) if isinstance(given, str) else ""
    raise InputError(
        f"{shortened(option, VALUE)} is {shown(given)}; expected one of {listed(choices)}; "
        f"{hint or 'choose one of these.'}"
    )


# Check a count or a seed.

LARGEST = 2**63 - 1
"""The largest whole number accepted anywhere: compiled code counts with 64 bits."""

LARGEST_SEED = 2**128 - 1
"""The largest seed of a search: seeds are made of others, and only 64 bits of them count."""


def whole_number(what: str, given: object, *, minimum: int, maximum: int = LARGEST) -> int:
    """Return an integer within its limits.

    Parameters
    ----------
    what
        Its name, for the message.
    given
        What the user gave.
    minimum, maximum
        The limits, both included; the largest that a counter can hold if left out. A message names none above that.

    Raises
    ------
    InputError
        When it is not an integer or outside the limits.
    """
    try:
        number = None if isinstance(given, bool) else operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or not minimum <= number <= maximum:
        usual = maximum >= LARGEST and (number is None or number < minimum)
        limits = f"of {minimum} or more" if usual else f"from {minimum} to {maximum}"
        raise InputError(
            f"{shortened(what, VALUE)} is {shown(given)}; expected a whole number {limits}; correct the value."
        )
    return int(number)
