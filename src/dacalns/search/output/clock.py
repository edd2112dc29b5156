"""Times of day and spans of time as people write them, where an instance says what a unit of time is."""

import math
from collections.abc import Iterable

SECONDS = {"s": 1, "min": 60, "h": 3600}
"""How many seconds a unit of time has."""


def clock_text(time: float, unit: str, *, seconds: bool = False) -> str:
    """Return a time since midnight as a time of day, to the nearest minute or second.

    Hours go on after midnight, as in timetables of trains: 25:10 is ten past one on the next day. So times of one plan
    sort as they follow one another.

    >>> clock_text(510, "min"), clock_text(91805, "s", seconds=True)
    ('08:30', '25:30:05')
    """
    whole = round(time * SECONDS[unit])
    if not seconds:
        whole = 60 * round(whole / 60)
    sign = "-" * (whole < 0)
    minutes, rest = divmod(abs(whole), 60)
    text = f"{sign}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{rest:02d}" if seconds else text


def in_seconds(times: Iterable[float], unit: str) -> bool:
    """Return True if some of the times are no whole minutes, so that seconds must be written."""
    return any(round(time * SECONDS[unit]) % 60 for time in times)


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
