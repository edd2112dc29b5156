"""Check a count or a seed."""

import operator

from dacalns.errors import InputError
from dacalns.shown import VALUE, shortened, shown

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
        The limits, both included; the largest that a counter can hold if left out.

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
        usual = maximum == LARGEST and (number is None or number < minimum)
        limits = f"of {minimum} or more" if usual else f"from {minimum} to {maximum}"
        raise InputError(
            f"{shortened(what, VALUE)} is {shown(given)}; expected a whole number {limits}; correct the value."
        )
    return int(number)
