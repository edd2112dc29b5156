"""The "did you mean …?" half of an error message."""

import difflib
from collections.abc import Iterable

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
        Such as ``"did you mean 'R101' or 'R102'?"``, or an empty string when nothing is close.
    """
    if len(given) > LONGEST:
        return ""
    by_folded = {choice.casefold(): choice for choice in choices if len(choice) <= LONGEST}
    close = difflib.get_close_matches(given.casefold(), by_folded, n=2, cutoff=0.6)
    if not close:
        return ""
    return "did you mean " + " or ".join(repr(by_folded[match]) for match in close) + "?"
