"""The fields of an instance: what each one means, and checks that turn what a user gives into valid values.

Every field of `Instance` is declared with one of the markers below. Digest, equality, sampling, writing and best-known
matching iterate over the fields by their meaning, so that none of them can forget a field.
"""

import dataclasses
from collections.abc import Callable, Sequence
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
    """One entry for each node, depots first."""
    ARC = "per arc"
    """One entry for each ordered pair of nodes: a square array."""
    VEHICLE_TYPE = "per vehicle type"
    """What a vehicle is, and how many there are."""
    BY_NUMBER = "by number"
    """Entries that name the nodes they belong to by their numbers."""
    RULE = "rule"
    """A rule of the whole instance."""
    ANNOTATION = "annotation"
    """What changes nothing: names, a comment, where nodes are on a map."""
    RECORD = "record"
    """What is known about the solutions of the instance as it stands: it holds no longer once anything changes."""


CONTENT = (Meaning.NODE, Meaning.ARC, Meaning.BY_NUMBER, Meaning.VEHICLE_TYPE, Meaning.RULE)
"""The meanings that make up the problem: two instances that agree in these have the same solutions."""

_MEANING, _FEATURE, _ALLOWED, _UNSAID, _KEPT = "meaning", "feature", "allowed", "unsaid", "kept"

Keep = Callable[[Any, Sequence[int]], Any]
"""Returns what is left of a value, given it and the numbers of the nodes that are kept, in ascending order."""


def rows(values: npt.NDArray[Any], kept: Sequence[int]) -> npt.NDArray[Any]:
    """Return rows of an array, read-only as those of the instance are, so that no check warns of them again."""
    taken = np.take(values, kept, axis=0)
    taken.setflags(write=False)
    return taken


def rows_and_columns(values: npt.NDArray[Any], kept: Sequence[int]) -> npt.NDArray[Any]:
    """Return rows and columns of an array."""
    return values[kept][:, kept]


def _declared(meaning: Meaning, feature: str | None, unsaid: bool, kept: Keep | None, options: dict[str, Any]) -> Any:
    told = {_MEANING: meaning, _FEATURE: feature, _ALLOWED: None, _UNSAID: unsaid, _KEPT: kept}
    return dataclasses.field(metadata=told, **options)


def per_node(*, feature: str | None, unsaid: bool = False, kept: Keep = rows, **options: Any) -> Any:
    """Declare a field that has one entry for each node.

    Parameters
    ----------
    feature
        The feature that an instance has which says anything here. None, which must be written, is for what plain
        problems have as well, or what the instance asks for in another way. It has no default: a field that was
        forgotten here would be solved as if it were not there.
    unsaid
        True if the field is left out of the content while it says nothing, so that digests of instances which were made
        before there was such a field stay as they are.
    kept
        Returns the value that is left when only some nodes are kept, given the value and their numbers in ascending
        order.
    options
        Those of `dataclasses.field`.
    """
    return _declared(Meaning.NODE, feature, unsaid, kept, options)


def per_arc(*, feature: str | None, unsaid: bool = False, kept: Keep = rows_and_columns, **options: Any) -> Any:
    """Declare a field that has one entry for each ordered pair of nodes; the parameters are those of `per_node`."""
    return _declared(Meaning.ARC, feature, unsaid, kept, options)


def by_number(*, kept: Keep, feature: str | None, unsaid: bool = False, **options: Any) -> Any:
    """Declare a field whose entries name nodes by their numbers; the parameters are those of `per_node`."""
    return _declared(Meaning.BY_NUMBER, feature, unsaid, kept, options)


def per_vehicle_type(*, feature: str | None, unsaid: bool = False, kept: Keep | None = None, **options: Any) -> Any:
    """Declare a field that describes a vehicle type; the parameters are those of `per_node`."""
    return _declared(Meaning.VEHICLE_TYPE, feature, unsaid, kept, options)


def rule(*, feature: str | None, unsaid: bool = False, **options: Any) -> Any:
    """Declare a field that is a rule of the whole instance; the parameters are those of `per_node`."""
    return _declared(Meaning.RULE, feature, unsaid, None, options)


def annotation(*, kept: Keep | None = None, **options: Any) -> Any:
    """Declare a field that changes nothing in the problem; ``kept`` is that of `per_node`."""
    return dataclasses.field(metadata={_MEANING: Meaning.ANNOTATION, _KEPT: kept}, **options)


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


def kept_part(field: "dataclasses.Field[Any]", value: Any, kept: Sequence[int]) -> Any:
    """Return what is left of a value of a field when only some nodes are kept."""
    take = field.metadata.get(_KEPT)
    return value if take is None or is_default(field, value) else take(value, kept)


def default_of(field: "dataclasses.Field[Any]") -> Any:
    """Return what a field has when nothing is given for it; `dataclasses.MISSING` if something must be given."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def is_default(field: "dataclasses.Field[Any]", value: Any) -> bool:
    """Return True if a value says no more than leaving out the field does."""
    return same_value(value, default_of(field))


def is_unsaid(field: "dataclasses.Field[Any]", value: Any) -> bool:
    """Return True if a field is left out of the content, as it says nothing."""
    return bool(field.metadata.get(_UNSAID)) and is_default(field, value)


def same_value(one: Any, other: Any) -> bool:
    """Return True if two values of a field are equal, numbers in arrays included."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return bool(one == other)


def hashable(value: Any) -> Any:
    """Return what stands for a value of a field in a hash."""
    return value.tobytes() if isinstance(value, np.ndarray) else value


def plain_data(value: Any) -> Any:
    """Return a value of a field as plain data that JSON can hold; parts are told by what is not their default."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [plain_data(each) for each in value]
    if dataclasses.is_dataclass(value):
        said = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        known = {each.name: each for each in dataclasses.fields(value)}
        return {name: plain_data(each) for name, each in said.items() if not is_default(known[name], each)}
    return repr(value) if isinstance(value, float) and not np.isfinite(value) else value


# What the fields of an instance, and of the parts of a problem, ask for.


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


def features_of_fields(instance: Any) -> set[str]:
    """Return the features that the fields of an instance ask for, each by itself."""
    asked = (feature_asked(each, getattr(instance, name)) for name, each in fields_with(instance, *CONTENT).items())
    return {feature for feature in asked if feature is not None}


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


def require_zero_at_depots(instance: str, field: str, array: FloatArray, depots: int = 1) -> None:
    """Raise an `InputError` when a depot has a value of its own."""
    if array[:depots].any():
        node = int(np.argwhere(array[:depots])[0][0])
        value = array[node][array[node] != 0][0] if array.ndim > 1 else array[node]
        which, order = ("the depot", "node 0 is the depot") if depots == 1 else (f"depot {node}", "depots come first")
        raise InputError(f"{instance}: {field} of {which} is {value:g}; expected 0; {order}, so check the order.")


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
    number = as_float(value)
    if not 0 < number <= LARGEST:
        raise InputError(
            f"{what} is {shown(value)}; expected a number over 0 and of at most {LARGEST:g}; correct the value."
        )
    return number


def capacity_of(instance: str, value: Any) -> float:
    """Return the capacity of an instance's vehicles, or raise an `InputError`."""
    number = as_float(value)
    if not LEAST_CAPACITY <= number <= LARGEST:
        raise InputError(f"{instance}: capacity is {shown(value)}; expected {A_CAPACITY}; correct the value.")
    return number


def as_float(value: Any) -> float:
    """Return a value as a number; NaN if it is none."""
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
