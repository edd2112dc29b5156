"""How far beyond a limit a sum may end: the one rule for the search, the checker and the pre-flight."""

from typing import Any

import numpy as np

# A sum of usual size may miss its limit by this much, as in most checkers.
USUAL = 1e-6
# Where the unit is so large that all numbers are small, that would be a lot: then by this part of the limit,
SMALL = 1e-7
# and where it is so small that all numbers are large, a sum of doubles errs by more: then by this part,
LARGE = 1e-12
# but never by as much as whole numbers differ.
MOST = 0.5


def tolerance(limit: Any) -> Any:
    """How much a sum may exceed ``limit``, a number or an array of them, by the rounding of doubles alone.

    It is 1e-6 for limits between 10 and a million.

    Examples
    --------
    >>> [f"{tolerance(limit):g}" for limit in (2e-6, 8, 240, 5e9)]
    ['2e-13', '8e-07', '1e-06', '0.005']
    """
    if isinstance(limit, float):  # as below, without the detour over arrays
        size = abs(limit)
        return min(max(min(USUAL, SMALL * size), LARGE * size), MOST)
    size = np.abs(limit)
    return np.minimum(np.maximum(np.minimum(USUAL, SMALL * size), LARGE * size), MOST)


def time_tolerance(opens_first: float, closes: Any) -> Any:
    """The same for windows that close at ``closes`` on a day that begins at ``opens_first``.

    The times that add up to an arrival lie between the two.
    """
    return tolerance(np.maximum(np.abs(closes), abs(opens_first)))
