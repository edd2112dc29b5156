"""The fields of an instance: what each one means, and checks that turn what a user gives into valid values.

Every field of `Instance` is declared with one of the markers below. Digest, equality, sampling, writing and best-known
matching iterate over the fields by their meaning, so that none of them can forget a field.
"""

import dataclasses
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.util.errors import InputError
from dacalns.util.shown import shown

FloatArray = npt.NDArray[np.float64]


class Meaning(Enum):
    """What a field of an instance describes."""

    NODE = "per node"
    """One entry for each node, the depot first."""
    ARC = "per arc"
    """One entry for each ordered pair of nodes: a square array."""
    VEHICLE_TYPE = "per vehicle type"
    """What a vehicle is, and how many there are."""
    RULE = "rule"
    """A rule of the whole instance."""
    ANNOTATION = "annotation"
    """Words that change nothing: name and comment."""
    RECORD = "record"
    """What is known about the solutions of the instance as it stands: it holds no longer once anything changes."""


CONTENT = (Meaning.NODE, Meaning.ARC, Meaning.VEHICLE_TYPE, Meaning.RULE)
"""The meanings that make up the problem: two instances that agree in these have the same solutions."""

_MEANING = "meaning"


def per_node(**options: Any) -> Any:
    """Declare a field that has one entry for each node; the options are those of `dataclasses.field`."""
    return dataclasses.field(metadata={_MEANING: Meaning.NODE}, **options)


def per_arc(**options: Any) -> Any:
    """Declare a field that has one entry for each ordered pair of nodes."""
    return dataclasses.field(metadata={_MEANING: Meaning.ARC}, **options)


def per_vehicle_type(**options: Any) -> Any:
    """Declare a field that describes a vehicle type."""
    return dataclasses.field(metadata={_MEANING: Meaning.VEHICLE_TYPE}, **options)


def rule(**options: Any) -> Any:
    """Declare a field that is a rule of the whole instance."""
    return dataclasses.field(metadata={_MEANING: Meaning.RULE}, **options)


def annotation(**options: Any) -> Any:
    """Declare a field that changes nothing in the problem."""
    return dataclasses.field(metadata={_MEANING: Meaning.ANNOTATION}, **options)


def record(**options: Any) -> Any:
    """Declare a field that tells what is known about the solutions."""
    return dataclasses.field(metadata={_MEANING: Meaning.RECORD}, **options)


def fields_with(instance: Any, *meanings: Meaning) -> dict[str, "dataclasses.Field[Any]"]:
    """Return the fields of an instance, or of its class, that have one of the meanings; all fields if none is given.

    Raises
    ------
    TypeError
        When a field was declared without a meaning: nobody would know what to do with it.
    """
    found = {}
    for each in dataclasses.fields(instance):
        if _MEANING not in each.metadata:
            raise TypeError(f"field {each.name!r} has no meaning; declare it with per_node(), rule() or another marker")
        if not meanings or each.metadata[_MEANING] in meanings:
            found[each.name] = each
    return found


def default_of(field: "dataclasses.Field[Any]") -> Any:
    """Return what a field has when nothing is given for it; `dataclasses.MISSING` if something must be given."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def is_default(field: "dataclasses.Field[Any]", value: Any) -> bool:
    """Return True if a value says no more than leaving out the field does."""
    return same_value(value, default_of(field))


def same_value(one: Any, other: Any) -> bool:
    """Return True if two values of a field are equal, numbers in arrays included."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return bool(one == other)


# The fields of the parts of a problem: what each of them asks for.

_FEATURE, _ALLOWED = "feature", "allowed"


def plain(**options: Any) -> Any:
    """Declare a field that every problem has; the options are those of `dataclasses.field`."""
    return dataclasses.field(metadata={_FEATURE: None}, **options)


def asks(feature: str, *, unless: Callable[[Any], bool] | None = None, **options: Any) -> Any:
    """Declare a field that asks for a feature unless it has its default, or unless a test of its value passes."""
    return dataclasses.field(metadata={_FEATURE: feature, _ALLOWED: unless}, **options)


def feature_asked(field: "dataclasses.Field[Any]", value: Any) -> str | None:
    """Return the feature that a value of a field asks for; None if every problem has such a value.

    Raises
    ------
    TypeError
        When the field was declared with neither `plain` nor `asks`: nobody would know whether it is supported.
    """
    if _FEATURE not in field.metadata:
        raise TypeError(f"field {field.name!r} says nothing about features; declare it with plain() or asks()")
    feature: str | None = field.metadata[_FEATURE]
    if feature is None:
        return None
    allowed = field.metadata[_ALLOWED]
    return None if (is_default(field, value) if allowed is None else allowed(value)) else feature


# Checks of values.

LARGEST = 1e12
"""The largest number accepted anywhere: sums of thousands of such are still exact, and far from infinity."""

LEAST_CAPACITY = 1e-12
"""With a smaller one, the number of vehicles that a demand needs is beyond all counting."""

A_CAPACITY = f"a number over 0 (from {LEAST_CAPACITY:g} to {LARGEST:g})"


def node_array(instance: str, field: str, values: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return a private, read-only, finite float array of the shape asked for.

    Parameters
    ----------
    instance
        The instance's name, for the message.
    field
        The field's name, for the message.
    values
        Anything that NumPy can turn into an array of numbers.
    shape
        What is expected; -1 for a dimension that may have any length.

    Raises
    ------
    InputError
        When the values are not numbers, not finite, or of another shape.
    """
    try:
        array = values if _may_be_shared(values) else np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{instance}: {field} is not an array of numbers; expected shape {_shown(shape)}; check for text "
            "and for rows of unequal length."
        ) from None
    fits = array.ndim == len(shape) and all(want in (-1, got) for want, got in zip(shape, array.shape, strict=True))
    if not fits:
        raise InputError(
            f"{instance}: {field} has shape {array.shape}; expected {_shown(shape)}; give one row for each "
            "node, the depot first."
        )
    usable = np.abs(array) <= LARGEST
    if not usable.all():
        where = tuple(int(axis) for axis in np.argwhere(~usable)[0])
        raise InputError(
            f"{instance}: {field} of node {where[0]} is {array[where]:g}; expected a finite number of at "
            f"most {LARGEST:g}; correct the value."
        )
    array.setflags(write=False)
    return array


def require_not_negative(instance: str, field: str, array: FloatArray) -> None:
    """Raise an `InputError` that names the first node with a negative value."""
    if (array < 0).any():
        where = tuple(int(axis) for axis in np.argwhere(array < 0)[0])
        raise InputError(
            f"{instance}: {field} of node {where[0]} is {array[where]:g}; expected a number of 0 or more; "
            "correct the value."
        )


def require_zero_at_depot(instance: str, field: str, array: FloatArray) -> None:
    """Raise an `InputError` when the depot has a value of its own."""
    if array[0] != 0:
        raise InputError(
            f"{instance}: {field} of the depot is {array[0]:g}; expected 0; node 0 is the depot, so check the order."
        )


def require_open_windows(instance: str, windows: FloatArray) -> None:
    """Raise an `InputError` that names the first node whose window closes before it opens."""
    closed = np.flatnonzero(windows[:, 0] > windows[:, 1])
    if closed.size:
        node = int(closed[0])
        opens, closes = windows[node]
        raise InputError(
            f"{instance}: window of node {node} is [{opens:g}, {closes:g}]; expected one that opens before "
            "it closes; swap the two."
        )


def require_one_line(what: str, text: object, *, empty_allowed: bool) -> None:
    """Raise an `InputError` unless the text survives being a line of a file."""
    if not isinstance(text, str):
        raise InputError(f"{what} is {shown(text)}; expected text; give a string.")
    if not (text or empty_allowed):
        raise InputError(f"{what} is empty; expected some text; give one, such as 'mine'.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} is {shown(text)}; expected text that UTF-8 can write; take out surrogates.") from None
    if text != text.strip() or len(text.splitlines()) > 1:
        raise InputError(f"{what} is {shown(text)}; expected one line without blanks around it; strip it.")


def positive_number(what: str, value: Any) -> float:
    """Return a number over 0 that is not too large, or raise an `InputError`."""
    number = _as_float(value)
    if not 0 < number <= LARGEST:
        raise InputError(
            f"{what} is {shown(value)}; expected a number over 0 and of at most {LARGEST:g}; correct the value."
        )
    return number


def capacity_of(instance: str, value: Any) -> float:
    """Return the capacity of an instance's vehicles, or raise an `InputError`."""
    number = _as_float(value)
    if not LEAST_CAPACITY <= number <= LARGEST:
        raise InputError(f"{instance}: capacity is {shown(value)}; expected {A_CAPACITY}; correct the value.")
    return number


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _may_be_shared(values: Any) -> bool:
    """Return True if an array can be kept without a copy: it is one of another instance, which nobody can change."""
    return (
        isinstance(values, np.ndarray)
        and values.dtype == np.float64
        and values.base is None
        and values.flags.c_contiguous
        and not values.flags.writeable
    )


def _shown(shape: tuple[int, ...]) -> str:
    """Write a shape with the free dimension as ``nodes``."""
    sizes = ["nodes" if size == -1 else str(size) for size in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
