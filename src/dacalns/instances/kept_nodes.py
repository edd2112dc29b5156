"""What becomes of the values of an instance's fields when only some of its nodes are kept, and numbered anew."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.instances.fields import rows_and_columns
from dacalns.instances.parts import Group, Profile, VehicleType

Kept = Sequence[int]
"""The numbers of the nodes that are kept, depots first, in ascending order; their places are their new numbers."""


def entries(values: Sequence[Any], kept: Kept) -> tuple[Any, ...]:
    """Return the entries of the nodes that are kept."""
    return tuple(values[node] for node in kept)


def windows(values: Sequence[tuple[int, float, float]], kept: Kept) -> tuple[tuple[int, float, float], ...]:
    """Return further windows of the nodes."""
    new = _new_numbers(kept)
    return tuple((new[node], opens, closes) for node, opens, closes in values if node in new)


def groups(values: Sequence[Group], kept: Kept) -> tuple[Group, ...]:
    """Return groups of which at least two members are kept; see `left_alone` for the others."""
    new = _new_numbers(kept)
    members = [tuple(new[node] for node in group.customers if node in new) for group in values]
    return tuple(
        dataclasses.replace(group, customers=left) for group, left in zip(values, members, strict=True) if len(left) > 1
    )


def left_alone(values: Sequence[Group], kept: Kept) -> dict[int, bool]:
    """Return the new numbers of nodes that are the last ones of their groups, and whether their groups are required."""
    new = _new_numbers(kept)
    members = [[new[node] for node in group.customers if node in new] for group in values]
    return {left[0]: group.required for group, left in zip(values, members, strict=True) if len(left) == 1}


def pairs(values: npt.NDArray[np.int64] | None, kept: Kept) -> list[tuple[int, int]] | None:
    """Return pairs; both of their nodes are kept, or none of them."""
    if values is None:
        return None
    new = _new_numbers(kept)
    return [(new[pickup], new[delivery]) for pickup, delivery in values.tolist() if pickup in new]


def vehicle_types(values: Sequence[VehicleType], kept: Kept) -> tuple[VehicleType, ...]:
    """Return vehicle types that may visit any of the nodes."""
    new = _new_numbers(kept)
    allowed = [
        None if each.allowed_customers is None else tuple(new[node] for node in each.allowed_customers if node in new)
        for each in values
    ]
    return tuple(
        dataclasses.replace(each, allowed_customers=left)
        for each, left in zip(values, allowed, strict=True)
        if left is None or left
    )


def profiles(values: Sequence[Profile], kept: Kept) -> tuple[Profile, ...]:
    """Return profiles of the nodes."""
    return tuple(
        Profile(
            distances=None if each.distances is None else rows_and_columns(each.distances, kept),
            durations=None if each.durations is None else rows_and_columns(each.durations, kept),
        )
        for each in values
    )


def _new_numbers(kept: Kept) -> dict[int, int]:
    return {int(node): number for number, node in enumerate(kept)}
