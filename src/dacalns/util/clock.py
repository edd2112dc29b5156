"""Times as people say them: of the day, and how long something takes."""

from dacalns.util.values import number_text

SECONDS = {"s": 1, "min": 60, "h": 3600}
"""How many seconds a unit of time has."""

DAY = 86_400
PARTS = (("hour", 3600), ("minute", 60), ("second", 1))


def clock_text(value: float, unit: str) -> str:
    """Return a time of the day, counted from midnight; a plain number where the unit is not known.

    >>> clock_text(742, "min"), clock_text(45_000, "s"), clock_text(25.5, "h"), clock_text(12.5, "")
    ('12:22', '12:30', '01:30 (+1 day)', '12.5')
    """
    if unit not in SECONDS:
        return plain_text(value)
    seconds = round(value * SECONDS[unit])
    days, rest = divmod(seconds, DAY)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    later = f" (+{days} day{'s' * (days != 1)})" if days else ""
    return f"{hours:02d}:{minutes:02d}{f':{rest:02d}' if rest else ''}{later}"


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
