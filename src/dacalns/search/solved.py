"""The instance that a result answers, which the result knows where it comes from a search and not from a file."""

import os
from typing import TYPE_CHECKING

from dacalns.instances import Instance, read
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, shortened

if TYPE_CHECKING:
    from dacalns.search.result import Result

AnyInstance = Instance | str | os.PathLike[str]


class Solved:
    """Holds the instance, if it is known. It is no part of what a result says: neither of its JSON nor of equality.

    Parameters
    ----------
    instance
        What was solved.
    """

    __slots__ = ("instance",)

    def __init__(self, instance: Instance | None = None) -> None:
        self.instance = instance

    # An instance never changes.

    def __copy__(self) -> "Solved":
        return self

    def __deepcopy__(self, memo: object) -> "Solved":
        return self

    def for_result(self, result: "Result") -> Instance | None:
        """Return the instance if it is that of a result which may have been changed since."""
        if self.instance is None or why_not(self.instance, result) is not None:
            return None
        return self.instance


def as_instance(given: AnyInstance) -> Instance:
    """Return an instance as it is, and read one that is a path or a name."""
    return given if isinstance(given, Instance) else read(given)


def instance_of(result: "Result", given: AnyInstance | None, what: str) -> Instance:
    """Return the instance that a result answers.

    Parameters
    ----------
    result
        The answer.
    given
        The instance, or its path or name, where the user says it.
    what
        What it is needed for, for the message.

    Raises
    ------
    InputError
        If nobody knows it, or it is another one.
    """
    instance = result.solved.instance if given is None else as_instance(given)
    if instance is None:
        raise InputError(
            f"{what} need the instance, which a result from JSON does not have; expected one; give instance=…, an "
            "instance, path or name, here or to Result.from_json."
        )
    reason = why_not(instance, result)
    if reason is not None:
        raise InputError(reason)
    return instance


def why_not(instance: Instance, result: "Result") -> str | None:
    """Return why a result cannot be one of an instance; None if it can."""
    called = shortened(instance.name, VALUE)
    if (result.instance, result.customers) != (instance.name, instance.customers):
        customers = f"{result.customers:,} customer{'s' * (result.customers != 1)}"
        return (
            f"the result is of {shortened(result.instance, VALUE)} with {customers}; expected one of {called} with "
            f"{instance.customers:,}; give the instance that was solved."
        )
    nodes, types = instance.depots + instance.customers, len(instance.types)
    for number, route in enumerate(result.routes, start=1):
        for node in route:
            if not 0 <= node < nodes:
                return (
                    f"the result visits node {node} on route {number}, and {called} has nodes 0 to {nodes - 1}; "
                    "give the instance that was solved."
                )
        if all(node < instance.depots for node in route):
            return f"the result has no customer on route {number}; expected one at least; leave out the route."
    if len(result.vehicle_types) != len(result.routes):
        return (
            f"the result has {len(result.vehicle_types)} vehicle types for {len(result.routes)} routes; expected one "
            "for each; correct it."
        )
    for kind in result.vehicle_types:
        if not 0 <= kind < types:
            return (
                f"the result has a route of vehicle type {kind}, and {called} has types 0 to {types - 1}; give the "
                "instance that was solved."
            )
    return None
