"""Differences of costs, and when there is none."""

import math

TIE = 1e-9
"""Costs that differ by no more than this fraction are equal: averages of doubles differ in their last bits."""

# Doubles have sixteen digits; of costs as long as this, a difference is worth no more than twelve.
DIGITS = 12


def difference(cost: float, reference: float) -> float:
    """How much ``cost`` is above ``reference``: 0 where they tie.

    Rounded to the twelfth digit of the costs, so that differences which are equal on paper are equal here, and share a
    rank.

    >>> difference(827.3, 827.2) == difference(100.3, 100.2)
    True
    """
    if math.isclose(cost, reference, rel_tol=TIE):
        return 0.0
    magnitude = math.floor(math.log10(max(abs(cost), abs(reference)))) + 1
    return round(cost - reference, DIGITS - magnitude)


def gap(cost: float, reference: float) -> float:
    """How much ``cost`` is above ``reference``, in percent: 0 where they tie, 100 where the reference is nothing."""
    return 0.0 if difference(cost, reference) == 0 else 100 * (cost - reference) / (reference or cost)
