"""Ranges: what a setting may be, as a file says it and as Optuna draws it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import did_you_mean

Fail = Callable[[str], InputError]
KEYS = ("low", "high", "log", "step", "choices")


@dataclass(frozen=True)
class NumberRange:
    """Numbers from ``low`` to ``high``, both included.

    Parameters
    ----------
    low, high
        The ends; two whole numbers mean that all are whole.
    log
        True if the logarithm is drawn evenly.
    step
        The distance between the numbers, if only some count.
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None

    @property
    def whole(self) -> bool:
        """True if the numbers are whole."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def suggest(self, trial: Any, name: str) -> Any:
        """Let a trial of Optuna draw a number."""
        if self.whole:
            return trial.suggest_int(name, self.low, self.high, log=self.log, step=self.step or 1)
        return trial.suggest_float(name, self.low, self.high, log=self.log, step=self.step)

    def samples(self) -> list[Any]:
        """Return the ends and a number between, to try whether they make sense."""
        middle = math.sqrt(self.low * self.high) if self.log else (self.low + self.high) / 2
        if self.whole:
            middle = round(middle)
        return [self.low, self.high, middle]


@dataclass(frozen=True)
class Choice:
    """One of some values: texts, numbers, or true and false."""

    choices: tuple[Any, ...]

    def suggest(self, trial: Any, name: str) -> Any:
        """Let a trial of Optuna draw a value."""
        return trial.suggest_categorical(name, list(self.choices))

    def samples(self) -> list[Any]:
        """Return all values."""
        return list(self.choices)


Range = NumberRange | Choice


def range_of(name: str, given: dict[str, Any], fail: Fail) -> Range:
    """Return the range that an inline table means.

    Parameters
    ----------
    name
        The setting, for messages.
    given
        The table, such as ``{low = 1, high = 9}`` or ``{choices = ["a", "b"]}``.
    fail
        Makes an error that names file and line.

    Raises
    ------
    InputError
        If it means none.
    """
    for key in given:
        if key not in KEYS:
            raise fail(
                f"{name} has a key {shown(key)}; expected {{low, high}} with log or step, or {{choices}}; "
                + (did_you_mean(key, KEYS) or "leave it out.")
            )
    if "choices" in given:
        return _choice(name, given, fail)
    low: Any
    high: Any
    low, high, log, step = given.get("low"), given.get("high"), given.get("log", False), given.get("step")
    if not (_is_number(low) and _is_number(high) and low < high):
        raise fail(f"{name} is from {shown(low)} to {shown(high)}; expected low and high, numbers with low < high.")
    if not isinstance(log, bool) or (log and not low > 0):
        raise fail(f"{name} has log {shown(log)} and low {shown(low)}; expected true with low above 0, or false.")
    whole = isinstance(low, int) and isinstance(high, int)
    if step is not None and (log or not _is_number(step) or step <= 0 or (whole and not isinstance(step, int))):
        raise fail(
            f"{name} has step {shown(step)}; expected one above 0, whole for whole numbers, and no log beside it."
        )
    return NumberRange(low, high, log, step)


def _choice(name: str, given: dict[str, Any], fail: Fail) -> Choice:
    choices = given["choices"]
    plain = isinstance(choices, list) and all(isinstance(value, str | bool | int | float) for value in choices)
    if len(given) > 1 or not plain or len(choices) < 2 or len({repr(value) for value in choices}) < len(choices):
        raise fail(
            f"{name} has choices {shown(choices)}; expected a list of two or more texts, numbers or truth values that "
            "differ, and no other key beside it."
        )
    return Choice(tuple(choices))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
