"""Numbers and counts as people read them."""

import math


def number(value: float) -> str:
    """Return a cost, distance or time for people: two decimals at most, and four digits of what is below one.

    >>> number(885.2096166), number(784.0), number(0.00123456), number(1e12)
    ('885.21', '784', '0.001235', '1e+12')
    """
    if abs(value) >= 1e10 or value != value:
        return f"{value:.10g}"
    if 0 < abs(value) < 1:
        return f"{value:.4g}"
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def count(many: int, what: str) -> str:
    """Return a number of things in words: ``1 route``, ``2 routes``."""
    return f"{many} {what}" + "s" * (many != 1)


def in_files(value: float) -> float | None:
    """Return a number for a file: without the last bits of sums of doubles, and None for what has no limit.

    >>> in_files(0.1 + 0.2), in_files(3.0), in_files(math.inf)
    (0.3, 3, None)
    """
    if not math.isfinite(value):
        return None
    value = round(value, 9)
    return int(value) if abs(value) < 1e15 and value == int(value) else value
