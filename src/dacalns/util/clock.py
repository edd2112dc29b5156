"""Times as people say them: of the day, and how long something takes."""

from collections.abc import Iterable

from dacalns.util.values import number_text

SECONDS = {"s": 1, "min": 60, "h": 3600}
"""How many seconds a unit of time has."""

PARTS = (("hour", 3600), ("minute", 60), ("second", 1))


def clock_text(time: float, unit: str, *, seconds: bool | None = None) -> str:
    """Return a time since midnight as a time of day; a plain number where the unit is not known.

    Hours go on after midnight, as in timetables of trains: 25:10 is ten past one on the next day. So times of one plan
    sort as they follow one another. ``seconds`` says whether seconds are written; if left out, they are where there
    are some.

    >>> clock_text(510, "min"), clock_text(91805, "s"), clock_text(25.5, "h"), clock_text(12.5, "")
    ('08:30', '25:30:05', '25:30', '12.5')
    >>> clock_text(30630, "s", seconds=False), clock_text(510, "min", seconds=True)
    ('08:30', '08:30:00')
    """
    if unit not in SECONDS:
        return plain_text(time)
    whole = round(time * SECONDS[unit])
    if seconds is False:
        whole = 60 * round(whole / 60)
    minutes, rest = divmod(abs(whole), 60)
    text = f"{'-' * (whole < 0)}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{rest:02d}" if seconds or rest else text


def in_seconds(times: Iterable[float], unit: str) -> bool:
    """Return True if some of the times are no whole minutes, so that seconds must be written."""
    return any(round(time * SECONDS[unit]) % 60 for time in times)


def span_text(amount: float, unit: str) -> str:
    """Return how long something takes; a plain number where the unit is not known.

    >>> span_text(22, "min"), span_text(3660, "s"), span_text(0.5, "s"), span_text(7, "")
    ('22 minutes', '1 hour 1 minute', '0.5 seconds', '7')
    """
    if unit not in SECONDS:
        return plain_text(amount)
    exact = amount * SECONDS[unit]
    if exact < 1:
        return f"{plain_text(exact)} seconds"
    rest, said = round(exact), []
    for word, size in PARTS:
        count, rest = divmod(rest, size)
        said += [f"{count} {word}{'s' * (count != 1)}"] * bool(count)
    return " ".join(said)


def plain_text(value: float) -> str:
    """Return a number without the last bits of a sum of doubles.

    >>> plain_text(0.1 + 0.2), plain_text(784.0), plain_text(1 / 3)
    ('0.3', '784', '0.333333')
    """
    return number_text(round(float(value), 6 if abs(value) >= 1e-3 else 12))
