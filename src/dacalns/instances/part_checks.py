"""Checks of the parts of a problem, one part at a time: every message names the field, and the part that it is of."""

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from dacalns.instances.fields import LARGEST, as_float
from dacalns.instances.parts import Loads, Part
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

P = TypeVar("P", bound=Part)

HIGHEST_PRIORITY = 100


def checked_part(part: P, called: Callable[[str], str]) -> P:
    """Return a part with values of the types that its fields have.

    Parameters
    ----------
    part
        A customer, a vehicle type or another part.
    called
        Turns the name of a field into what a message calls it.

    Raises
    ------
    InputError
        When a value is of another type, out of range, or contradicts another field of the part.
    """
    changes = {}
    for field in dataclasses.fields(part):
        check = CHECKS.get(field.name, _loads if field.type is Loads else None)
        if check is not None:
            changes[field.name] = check(called(field.name), getattr(part, field.name))
    made = dataclasses.replace(part, **changes)
    for early, late in ((f"{of}tw_early", f"{of}tw_late") for of in ("", "pickup_", "delivery_")):
        if hasattr(made, early):
            require_order(called(early), getattr(made, early), late, getattr(made, late))
    if (latest := getattr(made, "start_late", None)) is not None:
        require_order(called("tw_early"), getattr(made, "tw_early"), "start_late", latest)  # noqa: B009
    return made


def require_order(early: str, opens: float, late: str, closes: float) -> None:
    """Raise an `InputError` if a window closes before it opens."""
    if opens > closes:
        raise InputError(
            f"{early} is {opens:g}, and {late} is {closes:g}; expected a window that opens before it closes; swap them."
        )


# Checks of a single value: each takes what messages call the field, and returns the value in the type of the field.


def amount(what: str, value: Any, *, over_zero: bool = False, endless: bool = False) -> float:
    """Return a number of 0 or more."""
    usable = isinstance(value, float | np.floating | np.integer) or type(value) is int
    number = as_float(value) if usable else math.nan
    if (endless and number == math.inf) or (0 <= number <= LARGEST and not (over_zero and number == 0)):
        return number
    least = "over 0" if over_zero else "of 0 or more"
    most = f"at most {LARGEST:g}{', or math.inf' if endless else ''}"
    raise InputError(f"{what} is {shown(value)}; expected a number {least} and of {most}; correct the value.")


def whole(what: str, value: Any, *, minimum: int = 0, maximum: float = LARGEST) -> int:
    """Return a whole number within limits."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not minimum <= int(value) <= maximum:
        limits = f"of {minimum} or more" if maximum == LARGEST else f"from {minimum} to {maximum:g}"
        raise InputError(f"{what} is {shown(value)}; expected a whole number {limits}; correct the value.")
    return int(value)


def flag(what: str, value: Any) -> bool:
    """Return a truth value."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{what} is {shown(value)}; expected True or False; give one of the two.")
    return bool(value)


def _endless(what: str, value: Any) -> float:
    return amount(what, value, endless=True)


def _speed(what: str, value: Any) -> float:
    return amount(what, value, over_zero=True)


def _start_late(what: str, value: Any) -> float | None:
    return None if value is None or value == math.inf else amount(what, value)


def _number_or_none(what: str, value: Any) -> int | None:
    return None if value is None else whole(what, value)


def _vehicles(what: str, value: Any) -> int | None:
    if value is None:
        return None
    try:
        return whole(what, value, minimum=1)
    except InputError:
        raise InputError(
            f"{what} is {shown(value)}; expected a whole number of 1 or more; use None for no limit."
        ) from None


def _count(what: str, value: Any, minimum: int) -> float:
    """Return a whole number, as a float because it may be infinite."""
    if isinstance(value, float | np.floating) and (value == math.inf or float(value).is_integer()):
        value = math.inf if value == math.inf else int(value)
    return value if value == math.inf else float(whole(what, value, minimum=minimum))


def _reloads(what: str, value: Any) -> float:
    return _count(what, value, 0)


def _stops(what: str, value: Any) -> float:
    return _count(what, value, 1)


def _priority(what: str, value: Any) -> int:
    return whole(what, value, maximum=HIGHEST_PRIORITY)


def _loads(what: str, value: Any) -> tuple[float, ...]:
    endless = what.partition(" of ")[0].endswith("capacity")
    if not isinstance(value, tuple):
        raise InputError(f"{what} is {shown(value)}; expected a number for each load dimension; give a list of them.")
    return tuple(amount(what, each, endless=endless) for each in value)


def numbers(what: str, value: Any) -> tuple[int, ...]:
    """Return whole numbers, none of them twice."""
    if not isinstance(value, tuple):
        raise InputError(f"{what} is {shown(value)}; expected a list of whole numbers; give one.")
    found = tuple(whole(what, each) for each in value)
    if (again := first_twice(found)) is not None:
        raise InputError(f"{what} has {again} twice; expected every number once; take one out.")
    return found


def _numbers_or_none(what: str, value: Any) -> tuple[int, ...] | None:
    return None if value is None else numbers(what, value)


def _windows(what: str, value: Any) -> tuple[tuple[float, float], ...]:
    try:
        if isinstance(value, str | dict):
            raise TypeError("text and dictionaries have entries, too, but no windows")
        found = tuple((opens, closes) for opens, closes in value)
    except (TypeError, ValueError):
        raise InputError(
            f"{what} is {shown(value)}; expected pairs of an earliest and a latest start, such as [(9, 12)]; give some."
        ) from None
    made = tuple((amount(what, opens), amount(what, closes, endless=True)) for opens, closes in found)
    for opens, closes in made:
        if opens > closes:
            raise InputError(
                f"{what} has ({opens:g}, {closes:g}); expected windows that open before they close; swap the two."
            )
    return made


def first_twice(values: Iterable[Any]) -> Any:
    """Return the first value that was there before; None if there is none."""
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("location", "pickup_location", "delivery_location", "profile"), whole),
    **dict.fromkeys(("tw_early", "pickup_tw_early", "delivery_tw_early", "release_time", "prize"), amount),
    **dict.fromkeys(("service_duration", "pickup_service_duration", "delivery_service_duration"), amount),
    **dict.fromkeys(("fixed_cost", "unit_distance_cost", "unit_duration_cost", "unit_overtime_cost"), amount),
    **dict.fromkeys(("tw_late", "pickup_tw_late", "delivery_tw_late", "shift_duration", "max_distance"), _endless),
    **dict.fromkeys(("start_depot", "end_depot", "group"), _number_or_none),
    **dict.fromkeys(("reload_depots", "customers"), numbers),
    "max_overtime": amount,
    "speed": _speed,
    "start_late": _start_late,
    "num_available": _vehicles,
    "max_reloads": _reloads,
    "max_stops": _stops,
    "priority": _priority,
    "required": flag,
    "allowed_customers": _numbers_or_none,
    **dict.fromkeys(("more_windows", "pickup_more_windows", "delivery_more_windows"), _windows),
}
"""What is checked of a field, by its name; loads are told by their type."""
