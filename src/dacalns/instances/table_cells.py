"""The cells of a row by what they mean: names, numbers, times, truth values and lists of words."""

import math
import re
from dataclasses import dataclass, field
from typing import Any

from dacalns.instances.clock_times import clock_time, in_unit, seconds_long
from dacalns.instances.fields import LARGEST
from dacalns.instances.table_columns import Columns, text_of_cell
from dacalns.instances.tables import Row, is_missing
from dacalns.util.clock import SECONDS
from dacalns.util.errors import InputError

TRUE = ("yes", "y", "true", "1", "1.0", "x", "ja", "j", "wahr", "oui", "si", "sí")
FALSE = ("no", "n", "false", "0", "0.0", "nein", "falsch", "non")

MOST_WINDOWS = 20
"""The most windows that one cell may list."""

BETWEEN = re.compile(r"\s*(?:-|\u2013|\u2014|\bto\b)\s*")


@dataclass
class TimeAxis:
    """How times are counted.

    Parameters
    ----------
    unit
        The unit of time of the instance: ``s``, ``min`` or ``h``; empty if nobody knows, when times are numbers.
    clock
        True if the tables have times of the day.
    date
        The day of all of them, if they name one.
    """

    unit: str = ""
    clock: bool = False
    date: str = ""
    _where: str = field(default="", repr=False)

    def learn(self, row: Row, heading: str) -> None:
        """Look at a cell with a time, and note whether it is a time of the day."""
        self._learn(row, heading, row.cells.get(heading))

    def learn_windows(self, row: Row, heading: str) -> None:
        """Look at a cell with windows."""
        for opens, closes in _windows_in(row, heading):
            self._learn(row, heading, opens)
            self._learn(row, heading, closes)

    def _learn(self, row: Row, heading: str, value: Any) -> None:
        time = clock_time(value)
        if time is None:
            return
        self.clock = True
        if time.date and not self.date:
            self.date, self._where = time.date, row.where
        if time.date and time.date != self.date:
            raise row.error(
                heading, value, f"a time on {self.date}, the day in {self._where}", "plan one day at a time"
            )

    def settled(self, *, known: bool) -> "TimeAxis":
        """Return the axis with a unit: minutes if times are those of a clock, or driving times are computed."""
        if not self.unit and (self.clock or known):
            self.unit = "min"
        return self


@dataclass(frozen=True)
class Cells:
    """A row and what its columns mean."""

    columns: Columns
    row: Row
    axis: TimeAxis

    @property
    def where(self) -> str:
        """What messages call the row."""
        return self.row.where

    def raw(self, meaning: str) -> Any:
        """Return what a cell holds; None if it is empty or there is no such column."""
        heading = self.columns.of.get(meaning)
        return None if heading is None else self.row.cells.get(heading)

    def said(self, meaning: str) -> str:
        """Return what a cell holds as it stands there."""
        return str(self.raw(meaning))[:40]

    def error(self, meaning: str, expected: str, fix: str = "correct the cell") -> InputError:
        """Return an error that points at a cell."""
        return self.row.error(self.columns.of.get(meaning, meaning), self.raw(meaning), expected, fix)

    def text(self, meaning: str) -> str:
        """Return a cell as text in one line; nothing if it is empty."""
        value = self.raw(meaning)
        return "" if value is None else text_of_cell(value)

    def words(self, meaning: str) -> list[str]:
        """Return the words of a cell, which commas, semicolons, bars or blanks separate."""
        return [each.casefold() for each in re.split(r"[,;|\s]+", self.text(meaning)) if each]

    def truth(self, meaning: str) -> bool | None:
        """Return a truth value; None if the cell is empty."""
        value = self.raw(meaning)
        if is_missing(value):
            return None
        word = str(value).strip().casefold()
        if word in TRUE or word in FALSE:
            return word in TRUE
        raise self.error(meaning, "yes or no")

    def number(self, meaning: str, *, least: float = 0.0) -> float | None:
        """Return a number; None if the cell is empty."""
        heading = self.columns.of.get(meaning)
        return None if heading is None else self._number(heading, least)

    def load(self, heading: str, *, negative: bool = False) -> float | None:
        """Return the number in a column of loads."""
        return self._number(heading, -math.inf if negative else 0.0)

    def _number(self, heading: str, least: float) -> float | None:
        value = self.row.cells.get(heading)
        if is_missing(value):
            return None
        number = self.columns.table.number(value)
        if number is None or number < least or abs(number) > LARGEST:
            kind = "a number" if least == -math.inf else f"a number of {least:g} or more"
            if number is not None and number >= least:
                kind = f"a number of at most {LARGEST:g}"
            comma = isinstance(value, str) and "," in value
            fix = "write a decimal point, and nothing between thousands" if comma else "correct the cell"
            raise self.row.error(heading, value, kind, fix)
        return number

    def whole(self, meaning: str, *, least: int = 0, most: float = LARGEST) -> int | None:
        """Return a whole number; None if the cell is empty."""
        number = self.number(meaning, least=-math.inf)
        if number is None:
            return None
        if not number.is_integer() or not least <= number <= most:
            limits = f"of {least} or more" if most == LARGEST else f"from {least} to {most:g}"
            raise self.error(meaning, f"a whole number {limits}")
        return int(number)

    def moment(self, meaning: str) -> float | None:
        """Return a point in time in the unit of the instance; None if the cell is empty."""
        heading = self.columns.of.get(meaning)
        return None if heading is None else self._moment(heading, self.row.cells.get(heading))

    def _moment(self, heading: str, value: Any) -> float | None:
        if is_missing(value):
            return None
        if (time := clock_time(value)) is not None:
            return in_unit(time.seconds, self.axis.unit)
        if self.axis.clock:
            fix = "write 8:00 for eight o'clock" if self.columns.table.number(value) is not None else "correct the cell"
            raise self.row.error(heading, value, "a time such as 08:30, as other times are", fix)
        number = self.columns.table.number(value)
        if number is None or not 0 <= number <= LARGEST:
            raise self.row.error(heading, value, "a time: a number of 0 or more, or one such as 08:30")
        return number

    def further_windows(self) -> list[tuple[float, float]]:
        """Return the windows beside those of the columns for opening and closing, in the order of time."""
        found: list[tuple[str, str, Any, Any]] = [
            (opens, closes, self.row.cells.get(opens), self.row.cells.get(closes))
            for opens, closes in self.columns.more_windows
        ]
        if heading := self.columns.of.get("windows"):
            found += [(heading, heading, *window) for window in _windows_in(self.row, heading)]
        made = []
        for opens, closes, early, late in found:
            if is_missing(early) and is_missing(late):
                continue
            start, end = self._moment(opens, early), self._moment(closes, late)
            if start is None or end is None:
                raise self.row.error(opens if start is None else closes, None, "a time, as its window has another one")
            if start > end:
                raise self.row.error(closes, late, f"a time after {str(early)[:20]}", "swap the two")
            made.append((start, end))
        return sorted(made)

    def length(self, meaning: str) -> float | None:
        """Return a length of time in the unit of the instance; None if the cell is empty."""
        value, heading = self.raw(meaning), self.columns.of.get(meaning)
        if heading is None or is_missing(value):
            return None
        seconds = seconds_long(value)
        number = self.columns.table.number(value)
        if seconds is None and number is not None and (unit := self.columns.units.get(meaning)):
            seconds = number * SECONDS[unit]
        if seconds is not None and seconds >= 0:
            if not self.axis.unit:
                raise self.error(
                    meaning, "a number, as nothing says which unit of time other numbers have",
                    "give time_unit (--time-unit min)",
                )  # fmt: skip
            return in_unit(seconds, self.axis.unit)
        if number is None or not 0 <= number <= LARGEST:
            raise self.error(meaning, "a length of time: a number of 0 or more, or one such as 0:10")
        return number


def _windows_in(row: Row, heading: str) -> list[tuple[str, str]]:
    """Return the windows that a cell lists, such as ``08:00-10:00, 14:00-16:00``."""
    value = row.cells.get(heading)
    if is_missing(value):
        return []
    found: list[tuple[str, str]] = []
    for each in re.split(r"[,;|]+", str(value)):
        if not each.strip():
            continue
        ends = BETWEEN.split(each.strip())
        if len(ends) != 2 or not all(ends) or len(found) == MOST_WINDOWS:
            raise row.error(heading, value, f"up to {MOST_WINDOWS} windows such as 08:00-10:00, with commas between")
        found.append((ends[0], ends[1]))
    return found
