"""Times of the day as people write them, lengths of time, and the unit in which an instance counts both."""

import datetime
import re
from dataclasses import dataclass
from typing import Any

from dacalns.util.clock import SECONDS

UNIT_WORDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
}
"""What people write for a unit of time."""

LAST_HOUR = 47
"""The last hour that a time may have: those from 24 on are after midnight, for shifts that last until then."""

CLOCK = r"(?P<hours>\d{1,2}):(?P<minutes>[0-5]\d)(:(?P<seconds>[0-5]\d)(\.(?P<part>\d{1,6})\d*)?)?"
TIME = re.compile(rf"{CLOCK}(\s*(?P<half>[ap])\.?m\.?)?", re.IGNORECASE | re.ASCII)
DATED = re.compile(rf"(?P<date>\d{{4}}-\d{{2}}-\d{{2}})[T ]{CLOCK}", re.ASCII)
LENGTH = re.compile(r"(?P<amount>\d+(\.\d+)?)\s*(?P<unit>[a-z]+)\.?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class ClockTime:
    """A time of the day.

    Parameters
    ----------
    seconds
        Seconds from midnight.
    date
        The day, as ``2026-05-04``; empty if nobody says.
    """

    seconds: float
    date: str = ""


def clock_time(value: Any) -> ClockTime | None:
    """Return the time of the day that a value means; None if it is no such time.

    >>> clock_time("08:30"), clock_time("8:30 pm").seconds / 3600
    (ClockTime(seconds=30600.0, date=''), 20.5)
    """
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            return None
        return ClockTime(_of_day(value.time()), value.date().isoformat())
    if isinstance(value, datetime.time):
        return ClockTime(_of_day(value)) if value.tzinfo is None else None
    if isinstance(value, datetime.timedelta):  # spreadsheets have these for times after midnight
        seconds = value.total_seconds()
        return ClockTime(seconds) if 0 <= seconds < 3600 * (LAST_HOUR + 1) else None
    if not isinstance(value, str) or len(value) > 40:
        return None
    if (found := DATED.fullmatch(value)) is not None:
        try:
            datetime.date.fromisoformat(found["date"])
        except ValueError:
            return None
        return ClockTime(_seconds(found), found["date"]) if int(found["hours"]) < 24 else None
    if (found := TIME.fullmatch(value)) is None:
        return None
    hours = int(found["hours"])
    if found["half"]:
        if not 1 <= hours <= 12:
            return None
        return ClockTime(_seconds(found) + 3600 * ((12 if found["half"] in "pP" else 0) - (12 if hours == 12 else 0)))
    return ClockTime(_seconds(found)) if hours <= LAST_HOUR else None


def seconds_long(value: Any) -> float | None:
    """Return how many seconds a length of time has that says its unit; None if it says none.

    >>> seconds_long("0:10"), seconds_long("90 min"), seconds_long("10")
    (600.0, 5400.0, None)
    """
    if isinstance(value, datetime.timedelta):
        return value.total_seconds() if value.total_seconds() >= 0 else None
    if isinstance(value, datetime.time):
        return _of_day(value)
    if not isinstance(value, str) or len(value) > 40:
        return None
    if (found := re.fullmatch(CLOCK, value, re.ASCII)) is not None:
        return _seconds(found)
    found = LENGTH.fullmatch(value)
    unit = None if found is None else UNIT_WORDS.get(found["unit"].casefold())
    return None if found is None or unit is None else float(found["amount"]) * SECONDS[unit]


def in_unit(seconds: float, unit: str) -> float:
    """Return seconds in a unit of time, without the last digits that dividing makes up."""
    return round(seconds / SECONDS[unit], 9)


def _of_day(time: datetime.time) -> float:
    return time.hour * 3600.0 + time.minute * 60.0 + time.second + time.microsecond / 1e6


def _seconds(found: "re.Match[str]") -> float:
    part = float(f"0.{found['part']}") if found["part"] else 0.0
    return int(found["hours"]) * 3600.0 + int(found["minutes"]) * 60.0 + int(found["seconds"] or 0) + part
