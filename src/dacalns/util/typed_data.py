"""Data classes from plain data that came out of a file, each value checked against the type of its field."""

import json
import math
import types
import typing
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shown
from dacalns.util.values import LARGEST_SEED

T = TypeVar("T")
WORDS = {bool: "true or false", int: "a whole number", float: "a finite number", str: "text"}


def from_plain(kind: type[T], data: Any, what: str) -> T:
    """The object of a data class that ``dataclasses.asdict`` described.

    Fields may be text, numbers, truth values, lists, tuples and dictionaries of these, data classes, and None where
    their type says so. Numbers are finite.

    Parameters
    ----------
    kind
        The data class.
    data
        A dictionary, as JSON has it.
    what
        What it is, for the message.

    Raises
    ------
    InputError
        When ``data`` lacks a field, has one that is not known, or one of another type. The message names it.
    """
    made: T = _object(kind, data, what, "")
    return made


@cache
def _types(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {entry.name: hints[entry.name] for entry in fields(kind) if entry.init}


def _object(kind: Any, data: Any, what: str, at: str) -> Any:
    if isinstance(data, kind):
        return data
    known = _types(kind)
    if not isinstance(data, dict):
        raise _unfit(what, at, data, "an object with fields")
    for name in data:
        if name not in known:
            raise InputError(f"{what}: {at}{shown(name)} is not known; expected {listed(known)}.")
    for entry in fields(kind):
        if entry.init and entry.name not in data and entry.default is MISSING and entry.default_factory is MISSING:
            raise InputError(f"{what}: {at}{entry.name} is missing; expected {listed(known)}.")
    return kind(**{name: _checked(value, known[name], what, f"{at}{name}") for name, value in data.items()})


def _checked(value: Any, hint: Any, what: str, at: str) -> Any:
    """The value, once it is clear that it is of a type."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return _plain(value, what, at)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        (hint,) = (one for one in inner if one is not type(None))
        return _checked(value, hint, what, at)
    if is_dataclass(hint):
        return _object(hint, value, what, f"{at}.")
    if origin is list:
        return _list(value, inner[0], what, at)
    if origin is tuple:
        return _tuple(value, inner, what, at)
    if origin is dict:
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise _unfit(what, at, value, "an object")
        return {key: _checked(entry, inner[1], what, f"{at}.{key}") for key, entry in value.items()}
    if not _is(hint, value):
        raise _unfit(what, at, value, WORDS[hint])
    return value


def _plain(value: Any, what: str, at: str) -> Any:
    """Anything that JSON can hold."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise _unfit(what, at, value, "what JSON can hold, without NaN and infinity") from None
    return value


def _list(value: Any, hint: Any, what: str, at: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise _unfit(what, at, value, "a list")
    # Rows of numbers are long, and a call for each takes a while.
    if hint in WORDS and all(_is(hint, entry) for entry in value):
        return list(value)
    return [_checked(entry, hint, what, f"{at}[{index}]") for index, entry in enumerate(value)]


def _tuple(value: Any, hints: tuple[Any, ...], what: str, at: str) -> tuple[Any, ...]:
    if hints[1:] == (...,):
        return tuple(_list(value, hints[0], what, at))
    if not isinstance(value, list | tuple) or len(value) != len(hints):
        raise _unfit(what, at, value, f"a list of {len(hints)}")
    return tuple(
        _checked(entry, hint, what, f"{at}[{index}]")
        for index, (entry, hint) in enumerate(zip(value, hints, strict=True))
    )


def _is(kind: type, value: Any) -> bool:
    if kind is float:
        try:
            return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)
        except OverflowError:
            return False
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_SEED
    return isinstance(value, kind)


def _unfit(what: str, at: str, value: Any, expected: str) -> InputError:
    return InputError(f"{what}: {at.removesuffix('.') or 'it'} is {shown(value)}; expected {expected}.")
