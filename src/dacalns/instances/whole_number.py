"""Check a count or a seed."""

import operator

from dacalns.errors import InputError


def whole_number(what: str, given: object, *, minimum: int, maximum: int | None = None) -> int:
    """Return an integer within its limits.

    Parameters
    ----------
    what
        Its name, for the message.
    given
        What the user gave.
    minimum, maximum
        The limits, both included.

    Raises
    ------
    InputError
        When it is not an integer or outside the limits.
    """
    limits = f"of {minimum} or more" if maximum is None else f"from {minimum} to {maximum}"
    try:
        number = None if isinstance(given, bool) else operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < minimum or (maximum is not None and number > maximum):
        raise InputError(f"{what} is {given!r}; expected a whole number {limits}; correct the value.")
    return int(number)
