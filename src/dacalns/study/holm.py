"""Many tests at once: p-values that hold for all of them together."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction over a family of tests; tests without a value are no part of it.

    The smallest value counts times the number of tests, the next one times one less, and so on, and none less than the
    one before [1]_.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. of Statistics 6 (1979).
    """
    ordered = sorted((value, place) for place, value in enumerate(p_values) if value is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for done, (value, place) in enumerate(ordered):
        highest = max(highest, min(1.0, value * (len(ordered) - done)))
        corrected[place] = highest
    return corrected
