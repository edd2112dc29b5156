"""Checks of what an instance states beyond capacities and windows, one field at a time.

Each function takes what messages call the instance, and returns the values as the instance keeps them, or raises an
`InputError`. Values that say nothing become the default, so that an instance asks for no feature that it does not use.
"""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.instances.fields import LARGEST, FloatArray, node_array, require_not_negative, require_zero_at_depots
from dacalns.instances.part_checks import HIGHEST_PRIORITY, amount, checked_part, first_twice, flag, whole
from dacalns.instances.parts import Group, Profile, VehicleType
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

# Per node.


def load_array(called: str, field: str, values: Any, nodes: int, dimensions: int | None = None) -> FloatArray:
    """Return an amount for each node, or for each node and load dimension."""
    several = np.ndim(values) == 2 if not _is_ragged(values) else False
    shape = (nodes, -1 if dimensions is None else dimensions) if several else (nodes,)
    array = node_array(called, field, values, shape)
    if several and array.shape[1] == 0:
        raise InputError(f"{called}: {field} has no load dimension; expected at least one; give a column for each.")
    if several and array.shape[1] == 1:
        return node_array(called, field, array[:, 0], (nodes,))
    return array


def _is_ragged(values: Any) -> bool:
    try:
        np.ndim(values)
    except ValueError:
        return True
    return False


def dimensions_of(demands: FloatArray) -> int:
    """Return the number of load dimensions."""
    return 1 if demands.ndim == 1 else demands.shape[1]


def pickups_of(called: str, values: Any, depots: int, demands: FloatArray) -> FloatArray | None:
    """Return what is collected at each node; None if nothing is."""
    array = load_array(called, "pickups", values, len(demands))
    if array.shape != demands.shape:
        raise InputError(
            f"{called}: pickups has {dimensions_of(array)} load dimensions, and demands has {dimensions_of(demands)}; "
            "expected as many; add columns of zeros."
        )
    require_not_negative(called, "pickup", array)
    require_zero_at_depots(called, "pickup", array, depots)
    return array if array.any() else None


def times_or_costs(called: str, field: str, word: str, values: Any, nodes: int, depots: int) -> FloatArray | None:
    """Return a number of 0 or more for each node, 0 at depots; None if all are 0."""
    array = node_array(called, field, values, (nodes,))
    require_not_negative(called, word, array)
    require_zero_at_depots(called, word, array, depots)
    return array if array.any() else None


def optional_of(called: str, values: Any, depots: int, nodes: int, groups: Sequence[Group]) -> BoolArray | None:
    """Return which nodes may be left out by themselves, members of groups not among them; None if none may."""
    try:
        array = np.array(values)
        kept = array.astype(np.bool_)
    except (TypeError, ValueError):
        array = kept = np.zeros(0, dtype=np.bool_)
    if array.shape != (nodes,) or not (array == kept).all():
        raise InputError(
            f"{called}: optional is {shown(values)}; expected True or False for each of the {nodes} nodes, depots "
            "first; correct it."
        )
    if kept[:depots].any():
        raise InputError(
            f"{called}: optional of depot {int(np.argmax(kept))} is True; expected False; depots come first, so check "
            "the order."
        )
    kept[[node for group in groups for node in group.customers]] = False
    kept.setflags(write=False)
    return kept if kept.any() else None


def require_leavable(called: str, word: str, values: FloatArray | None, leavable: BoolArray) -> None:
    """Raise an `InputError` if a node has a prize or priority but may not be left out."""
    if values is not None and (wrong := np.flatnonzero((values != 0) & ~leavable)).size:
        node = int(wrong[0])
        raise InputError(
            f"{called}: {word} of node {node} is {values[node]:g}, but it must be visited; expected 0; or make it "
            "optional."
        )


def priorities_of(called: str, values: Any, depots: int, nodes: int) -> FloatArray | None:
    """Return the priority of each node, 0 at depots; None if all are 0."""
    array = times_or_costs(called, "priorities", "priority", values, nodes, depots)
    if array is None:
        return None
    wrong = np.flatnonzero((array > HIGHEST_PRIORITY) | (array != np.floor(array)))
    if wrong.size:
        node = int(wrong[0])
        raise InputError(
            f"{called}: priority of node {node} is {array[node]:g}; expected a whole number from 0 to "
            f"{HIGHEST_PRIORITY}; correct the value."
        )
    return array


# By number.


def require_customer(called: str, where: str, node: Any, depots: int, nodes: int) -> int:
    """Return the number of a node that is no depot."""
    if not isinstance(node, int | np.integer) or isinstance(node, bool) or not depots <= node < nodes:
        raise InputError(
            f"{called}: {where} is {shown(node)}; expected the number of a customer, from {depots} to {nodes - 1}; "
            "correct it."
        )
    return int(node)


def more_windows_of(
    called: str, values: Any, windows: FloatArray | None, depots: int
) -> tuple[tuple[int, float, float], ...]:
    """Return further windows in the order of nodes; those of one node do not overlap and are in the order of time."""
    try:
        rows = [(node, opens, closes) for node, opens, closes in values]
    except (TypeError, ValueError):
        raise InputError(
            f"{called}: more_windows is {shown(values)}; expected rows of node, earliest and latest, such as "
            "(3, 9, 12); correct it."
        ) from None
    if not rows:
        return ()
    if windows is None:
        raise InputError(f"{called}: more_windows is given, and windows is None; expected both; give windows, too.")
    made = []
    last = dict(enumerate(windows[:, 1].tolist()))
    for number, (node, opens, closes) in enumerate(rows):
        node = require_customer(called, f"node of more_windows[{number}]", node, depots, len(windows))
        opens = amount(f"{called}: earliest of more_windows[{number}]", opens)
        closes = min(amount(f"{called}: latest of more_windows[{number}]", closes, endless=True), LARGEST)
        if opens > closes:
            raise InputError(
                f"{called}: more_windows[{number}] of node {node} is [{opens:g}, {closes:g}]; expected one that opens "
                "before it closes; swap the two."
            )
        if opens <= last[node]:
            raise InputError(
                f"{called}: more_windows[{number}] of node {node} opens at {opens:g}, and the one before closes at "
                f"{last[node]:g}; expected windows apart, in the order of time; sort or join them."
            )
        last[node] = closes
        made.append((node, opens, closes))
    return tuple(sorted(made))


def groups_of(called: str, values: Any, depots: int, nodes: int) -> tuple[Group, ...]:
    """Return groups of at least two customers each, no customer in two of them."""
    made: list[Group] = []
    group_of: dict[int, int] = {}
    for number, group in enumerate(_rows(called, "groups", values)):
        if not isinstance(group, Group):
            raise InputError(f"{called}: groups[{number}] is {shown(group)}; expected a Group; build one.")
        members = group.customers
        if not isinstance(members, tuple) or len(members) < 2:
            raise InputError(
                f"{called}: customers of groups[{number}] is {shown(members)}; expected at least two customers; add "
                "some, or take out the group."
            )
        for node in members:
            require_customer(called, f"a customer of groups[{number}]", node, depots, nodes)
            if (other := group_of.setdefault(node, number)) != number:
                raise InputError(
                    f"{called}: node {node} is in groups[{other}] and groups[{number}]; expected at most one group for "
                    "each customer; take it out of one."
                )
        if (again := first_twice(members)) is not None:
            raise InputError(
                f"{called}: customers of groups[{number}] has node {again} twice; expected every customer once; take "
                "one out."
            )
        flag(f"{called}: required of groups[{number}]", group.required)
        made.append(Group(customers=tuple(int(node) for node in members), required=bool(group.required)))
    return tuple(made)


def pairs_of(called: str, values: Any, depots: int, nodes: int) -> IntArray | None:
    """Return rows of a pickup and its delivery, no node in two of them; None if there are none."""
    if np.size(values) == 0 and not _is_ragged(values):
        return None
    try:
        array = np.array(values)
        fits = (
            array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind in "iuf" and (array == np.floor(array)).all()
        )
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise InputError(
            f"{called}: pairs is {shown(values)}; expected rows of two node numbers, the pickup and its delivery; "
            "correct it."
        )
    rows = [(int(pickup), int(delivery)) for pickup, delivery in array.tolist()]
    for number, row in enumerate(rows):
        for word, node in zip(("pickup", "delivery"), row, strict=True):
            require_customer(called, f"{word} of pairs[{number}]", node, depots, nodes)
    if (again := first_twice(node for row in rows for node in row)) is not None:
        raise InputError(
            f"{called}: pairs has node {again} twice; expected every node in at most one pair; give each visit a node."
        )
    made = np.array(rows, dtype=np.int64)
    made.setflags(write=False)
    return made


def require_pairs_agree(
    called: str,
    pairs: IntArray,
    demands: FloatArray,
    *,
    pickups: FloatArray | None,
    prizes: FloatArray | None,
    priorities: FloatArray | None,
    optional: BoolArray | None,
    groups: Sequence[Group],
) -> None:
    """Raise an `InputError` if what a pair has does not stand at its pickup, or its two nodes do not agree."""
    first, second = pairs.T
    for word, values, ends in (
        ("demand", demands, second),
        ("pickup", pickups, pairs.ravel()),
        ("prize", prizes, second),
        ("priority", priorities, second),
    ):
        if values is None:
            continue
        wrong = ends[values[ends].reshape(len(ends), -1).any(axis=1)]
        if wrong.size:
            raise InputError(
                f"{called}: {word} of node {int(wrong[0])} is {shown(values[wrong[0]].tolist())}, and it is in a pair; "
                + (
                    "expected 0, as what is carried is the demand of the pair's first node; correct the value."
                    if word in ("demand", "pickup")
                    else "expected 0 at the delivery; give it to the pair's first node."
                )
            )
    if optional is not None and (apart := np.flatnonzero(optional[first] != optional[second])).size:
        one, other = pairs[apart[0]].tolist()
        raise InputError(
            f"{called}: optional of nodes {one} and {other} differ, and they are a pair; expected the same; change one."
        )
    paired = set(pairs.ravel().tolist())
    for number, group in enumerate(groups):
        if both := paired.intersection(group.customers):
            raise InputError(
                f"{called}: node {min(both)} is in groups[{number}] and in a pair; expected one of the two; take it "
                "out of one."
            )


def require_backhauls(called: str, demands: FloatArray, pickups: FloatArray | None, pairs: IntArray | None) -> None:
    """Raise an `InputError` if deliveries and pickups cannot be told apart, as `backhauls_last` asks for."""
    if pairs is not None:
        raise InputError(
            f"{called}: backhauls_last is True, and there are pairs; expected one of the two, as pairs have an order "
            "of their own; take one out."
        )
    if pickups is not None:
        both = (demands != 0).reshape(len(demands), -1).any(axis=1) & (pickups != 0).reshape(len(demands), -1).any(1)
        if both.any():
            raise InputError(
                f"{called}: backhauls_last is True, and node {int(np.argmax(both))} has a delivery and a pickup; "
                "expected one of the two at each node; split it into two nodes."
            )


# Vehicle types and their ways.


def profiles_of(called: str, values: Any, nodes: int) -> tuple[Profile, ...]:
    """Return profiles with arrays of their own, which nobody can change."""
    made = []
    for number, profile in enumerate(_rows(called, "profiles", values)):
        if not isinstance(profile, Profile):
            raise InputError(f"{called}: profiles[{number}] is {shown(profile)}; expected a Profile; build one.")
        given = {name: getattr(profile, name) for name in ("distances", "durations")}
        if all(each is None for each in given.values()):
            raise InputError(
                f"{called}: profiles[{number}] has neither distances nor durations; expected one of them; give one, or "
                "take it out."
            )
        arrays = {
            name: None if each is None else arc_array(called, f"{name} of profiles[{number}]", each, nodes)
            for name, each in given.items()
        }
        made.append(Profile(**arrays))
    return tuple(made)


def arc_array(called: str, field: str, values: Any, nodes: int) -> FloatArray:
    """Return a number of 0 or more for each ordered pair of nodes."""
    array = node_array(called, field, values, (nodes, nodes))
    require_not_negative(called, field, array)
    return array


def vehicle_types_of(
    called: str, values: Any, *, depots: int, nodes: int, dimensions: int, loaded: bool, profiles: int
) -> tuple[VehicleType, ...]:
    """Return vehicle types with a capacity in every load dimension, and with depots, customers and profiles that exist.

    Parameters
    ----------
    called
        What messages call the instance.
    values
        The vehicle types.
    depots, nodes, dimensions, profiles
        How many the instance has; profiles without the first, which every instance has.
    loaded
        Whether anything is carried; if not, types need no capacity.
    """
    return tuple(
        _vehicle_type(called, number, given, depots, nodes, dimensions if loaded else 0, dimensions, profiles)
        for number, given in enumerate(_rows(called, "vehicle_types", values))
    )


def _vehicle_type(
    called: str, number: int, given: Any, depots: int, nodes: int, least: int, dimensions: int, profiles: int
) -> VehicleType:
    where = f"vehicle_types[{number}]"
    if not isinstance(given, VehicleType):
        raise InputError(f"{called}: {where} is {shown(given)}; expected a VehicleType; build one.")

    def name(field: str) -> str:
        return f"{called}: {field} of {where}"

    made = checked_part(given, name)
    for field, loads in (("capacity", made.capacity), ("initial_load", made.initial_load)):
        if len(loads) == dimensions or (not loads and (field == "initial_load" or not least)):
            continue
        said = "empty" if not loads else shown(loads)
        raise InputError(
            f"{name(field)} is {said}; expected {_count(dimensions, 'number')}, one for each load dimension; give as "
            "many."
        )
    for field in ("start_depot", "end_depot"):
        require_depot(name(field), getattr(made, field), depots)
    for depot in made.reload_depots:
        require_depot(f"a depot in {name('reload_depots')[len(called) + 2 :]}", depot, depots, f"{called}: ")
    if made.profile > profiles:
        raise InputError(
            f"{name('profile')} is {made.profile}; expected a number from 0 to {profiles}, as there are "
            f"{_count(profiles, 'profile')}; add profiles or correct it."
        )
    if made.max_overtime > 0 and made.shift_duration == math.inf:
        raise InputError(
            f"{name('max_overtime')} is {made.max_overtime:g}, and shift_duration has no end; expected a shift that "
            "overtime can follow; give shift_duration."
        )
    capacity = tuple(min(each, LARGEST) for each in made.capacity) or (LARGEST,) * dimensions
    initial = made.initial_load if any(made.initial_load) else ()
    for dimension, (load, most) in enumerate(zip(initial, capacity, strict=False)):
        if load > most:
            raise InputError(
                f"{name('initial_load')} is {load:g} in dimension {dimension}, more than the capacity of {most:g}; "
                "expected at most that; correct one of them."
            )
    allowed = made.allowed_customers
    if allowed is not None:
        if not allowed:
            raise InputError(f"{name('allowed_customers')} is empty; expected at least one customer; use None for all.")
        for node in allowed:
            require_customer(called, f"a customer in allowed_customers of {where}", node, depots, nodes)
        allowed = None if len(allowed) == nodes - depots else tuple(sorted(allowed))
    return dataclasses.replace(made, capacity=capacity, initial_load=initial, allowed_customers=allowed)


def require_depot(what: str, number: int | None, depots: int, before: str = "") -> None:
    """Raise an `InputError` unless there is a depot of this number; None is nowhere."""
    if number is not None and not number < depots:
        expected = "0, the only depot" if depots == 1 else f"the number of a depot, from 0 to {depots - 1}"
        raise InputError(f"{before}{what} is {number}; expected {expected}; correct the number.")


def require_partners_allowed(called: str, types: Iterable[VehicleType], pairs: IntArray) -> None:
    """Raise an `InputError` if a vehicle type may visit one node of a pair and not the other."""
    for number, each in enumerate(types):
        if each.allowed_customers is None:
            continue
        allowed = set(each.allowed_customers)
        for one, other in pairs.tolist():
            if (one in allowed) != (other in allowed):
                inside, outside = (one, other) if one in allowed else (other, one)
                raise InputError(
                    f"{called}: allowed_customers of vehicle_types[{number}] has node {inside} and not {outside}, and "
                    "they are a pair; expected both or none; add it."
                )


def vehicles_of(called: str, values: Any, fleet: int | None, types: Sequence[VehicleType]) -> tuple[int, ...]:
    """Return the numbers that vehicles have in their file, type after type; none if they are numbered in that order."""
    rows = _rows(called, "vehicles", values)
    if not rows:
        return ()
    if not types or fleet is None or len(rows) != fleet:
        limited = types and fleet is not None
        expected = f"{fleet} numbers, one for each vehicle" if limited else "none, without a fleet of vehicle_types"
        raise InputError(
            f"{called}: vehicles has {_count(len(rows), 'number')}; expected {expected}; leave it out or correct it."
        )
    made = tuple(whole(f"{called}: vehicles[{number}]", each) for number, each in enumerate(rows))
    if (again := first_twice(made)) is not None:
        raise InputError(f"{called}: vehicles has {again} twice; expected every number once; correct one.")
    return () if made == tuple(range(len(made))) else made


def _rows(called: str, field: str, values: Any) -> tuple[Any, ...]:
    if not isinstance(values, tuple | list | np.ndarray):
        raise InputError(f"{called}: {field} is {shown(values)}; expected a list; give one.")
    return tuple(values)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"
