"""From the parts of a problem to the fields of an instance, and back."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dacalns.instances.features import SEVERAL_WINDOWS, WINDOWS
from dacalns.instances.fields import LARGEST, FloatArray
from dacalns.instances.part_checks import checked_part
from dacalns.instances.parts import (
    KINDS,
    UNLIMITED,
    Customer,
    Depot,
    Group,
    Loads,
    Pair,
    Part,
    Parts,
    Profile,
)
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, shortened, shown

if TYPE_CHECKING:
    from dacalns.instances.instance import Instance

# From parts to the fields of an instance.


def instance_fields(called: str, parts: Parts) -> dict[str, Any]:
    """Return the fields of the instance that parts state, by name.

    Parameters
    ----------
    called
        What messages call the instance.
    parts
        What it is made of.

    Raises
    ------
    InputError
        When the parts contradict one another.
    """
    called = shortened(called, VALUE)
    parts = _checked(called, parts)
    fields = stated_fields(called, parts)
    return fields | with_depots_hours(fields, parts)


def stated_fields(called: str, parts: Parts, pair_nodes: Sequence[tuple[int, int]] | None = None) -> dict[str, Any]:
    """Return the fields of the instance that parts state, each as it stands: vehicles keep hours of their own.

    Parameters
    ----------
    called
        What messages call the instance.
    parts
        What it is made of, each part checked by itself.
    pair_nodes
        The numbers of each pair's two nodes; None if they are the last ones. Customers have the other numbers, and may
        not name their groups then: groups name them.

    Raises
    ------
    InputError
        When the parts contradict one another.
    """
    features = parts.features
    depots, customers, pairs = parts.depots, parts.customers, parts.pairs
    first = len(depots) + len(customers)
    if pair_nodes is None:
        pair_nodes = [(first + 2 * number, first + 2 * number + 1) for number in range(len(pairs))]
    _require_locations(called, parts)
    visits = _in_order(list(_visits(parts)), len(depots), pair_nodes)
    nodes: list[Depot | Customer] = [*depots, *visits]
    dimensions = _dimensions(called, parts)
    arrays = _at_nodes(called, parts, [node.location for node in nodes])
    timed = WINDOWS in features or SEVERAL_WINDOWS in features
    windows = [_windows_of(node) for node in nodes]
    optional = [False] * len(depots) + [not visit.required for visit in visits]

    def loads(given: Sequence[Loads]) -> Any:
        filled = [[0.0] * dimensions] * len(depots) + [list(each) or [0.0] * dimensions for each in given]
        return [row[0] for row in filled] if dimensions == 1 else filled

    def of_visits(field: str) -> list[float]:
        return [0.0] * len(depots) + [getattr(visit, field) for visit in visits]

    return {
        **arrays,
        "depots": len(depots),
        "demands": loads([visit.delivery for visit in visits]),
        "pickups": loads([visit.pickup for visit in visits]),
        "windows": [(each[0][0], min(each[0][1], LARGEST)) for each in windows] if timed else None,
        "more_windows": [(node, *window) for node, each in enumerate(windows) for window in each[1:]],
        "service": [node.service_duration for node in nodes],
        "releases": of_visits("release_time"),
        "prizes": of_visits("prize"),
        "optional": optional,
        "priorities": of_visits("priority"),
        "groups": _groups(called, parts),
        "pairs": list(pair_nodes),
        "backhauls_last": parts.backhauls_last,
        "vehicle_types": parts.vehicle_types,
    }


def _checked(called: str, parts: Parts) -> Parts:
    """Return the parts once each of them is checked by itself."""
    for name in ("depots", "vehicle_types"):
        if not getattr(parts, name):
            raise InputError(f"{called}: {name} is empty; expected at least one; add one.")
    if not parts.customers and not parts.pairs:
        raise InputError(f"{called}: customers is empty; expected at least one, or a pair; add one.")
    made: dict[str, tuple[Part, ...]] = {}
    for name in KINDS:

        def what(field: str, of: str) -> str:
            return f"{called}: {field} of {of}"

        made[name] = tuple(
            checked_part(part, lambda field, of=f"{name}[{number}]": what(field, of))  # type: ignore[misc]
            for number, part in enumerate(getattr(parts, name))
        )
    return dataclasses.replace(parts, **made)  # type: ignore[arg-type]


def _visits(parts: Parts) -> Iterator[Customer]:
    """Yield what is visited, in the order of nodes; the ends of a pair as customers."""
    yield from parts.customers
    for pair in parts.pairs:
        yield Customer(
            location=pair.pickup_location, delivery=pair.amount, service_duration=pair.pickup_service_duration,
            tw_early=pair.pickup_tw_early, tw_late=pair.pickup_tw_late, more_windows=pair.pickup_more_windows,
            release_time=pair.release_time, prize=pair.prize, required=pair.required, priority=pair.priority,
        )  # fmt: skip
        yield Customer(
            location=pair.delivery_location, service_duration=pair.delivery_service_duration,
            tw_early=pair.delivery_tw_early, tw_late=pair.delivery_tw_late, more_windows=pair.delivery_more_windows,
            required=pair.required,
        )  # fmt: skip


def _in_order(visits: list[Customer], depots: int, pair_nodes: Sequence[tuple[int, int]]) -> list[Customer]:
    """Return what is visited in the order of the nodes, given the numbers of those in pairs."""
    paired = [node for pair in pair_nodes for node in pair]
    taken = set(paired)
    numbers = [node for node in range(depots, depots + len(visits)) if node not in taken] + paired
    return [visit for _, visit in sorted(zip(numbers, visits, strict=True), key=lambda numbered: numbered[0])]


def _windows_of(node: Depot | Customer) -> list[tuple[float, float]]:
    """Return the windows of a node in the order of time; one that has only further ones has those."""
    own = (node.tw_early, node.tw_late)
    more = list(node.more_windows) if isinstance(node, Customer) else []
    if not more:
        return [own]
    return sorted(more if own == (0.0, UNLIMITED) else [own, *more])


def _dimensions(called: str, parts: Parts) -> int:
    """Return the number of load dimensions, which all loads that are given have."""
    given = [
        (len(value), f"{field.name} of {name}[{number}]", value)
        for name in KINDS
        for number, part in enumerate(getattr(parts, name))
        for field in dataclasses.fields(part)
        if field.type is Loads and (value := getattr(part, field.name))
    ]
    most = max((count for count, _, _ in given), default=1)
    for count, where, value in given:
        if count != most:
            other = next(where for length, where, _ in given if length == most)
            raise InputError(
                f"{called}: {where} is {shown(value)}, and {other} has {most} load dimensions; expected as many "
                "everywhere; add zeros."
            )
    return most


def _groups(called: str, parts: Parts) -> list[Group]:
    """Return the groups with all members: those that the groups name, and those that name their group."""
    members = [list(group.customers) for group in parts.groups]
    for number, customer in enumerate(parts.customers):
        group, node = customer.group, len(parts.depots) + number
        if group is None:
            continue
        if group >= len(members):
            raise InputError(
                f"{called}: group of customers[{number}] is {group}, and there are {len(members)} groups; expected the "
                "number of a group, counted from 0; add the group."
            )
        if node not in members[group]:
            members[group].append(node)
    return [
        dataclasses.replace(group, customers=tuple(sorted(given)))
        for group, given in zip(parts.groups, members, strict=True)
    ]


def with_depots_hours(fields: dict[str, Any], parts: Parts) -> dict[str, Any]:
    """Return changes that give depots the hours of the vehicles, if all vehicles of a depot have the same.

    That says the same, and keeps a problem plain whose vehicles have a window. So PyVRP's files come.
    """
    types = parts.vehicle_types
    if all((each.tw_early, each.tw_late) == (0.0, UNLIMITED) for each in types):
        return {}
    hours: dict[int, tuple[float, float]] = {}
    for each in types:
        ends = each.start_depot, each.end_depot
        if each.start_late is not None or None in ends:
            return {}
        for depot in {*ends, *each.reload_depots}:
            if depot is None or depot >= len(parts.depots):
                return {}
            if hours.setdefault(depot, (each.tw_early, each.tw_late)) != (each.tw_early, each.tw_late):
                return {}
    windows = fields["windows"] or [(0.0, LARGEST)] * len(fields["service"])
    windows = [
        (max(early, hours[node][0]), min(late, hours[node][1])) if node in hours else (early, late)
        for node, (early, late) in enumerate(windows)
    ]
    if any(early > late for early, late in windows):
        return {}
    plain = [dataclasses.replace(each, tw_early=0.0, tw_late=UNLIMITED) for each in types]
    return {"windows": windows, "vehicle_types": plain}


def _at_nodes(called: str, parts: Parts, locations: list[int]) -> dict[str, Any]:
    """Return coordinates and matrices with a row for each node; the given ones if locations are in the same order."""
    given = _places(parts)
    count = 0 if given is None else len(given)
    same = locations == list(range(count))
    rows = np.array(locations, dtype=np.intp)

    def places(values: Any) -> Any:
        return values if values is None or same else np.asarray(values)[rows]

    def ways(field: str, values: Any) -> Any:
        if values is None or same:
            return values
        if np.shape(values) != (count, count):
            raise InputError(
                f"{called}: {field} has shape {np.shape(values)}; expected ({count}, {count}), a row and a column for "
                "each location; correct it."
            )
        return np.asarray(values)[np.ix_(rows, rows)]

    return {
        "coordinates": places(parts.coordinates),
        "matrix": ways("distances", parts.distances),
        "durations": ways("durations", parts.durations),
        "profiles": [
            Profile(
                distances=ways(f"distances of profiles[{number}]", each.distances),
                durations=ways(f"durations of profiles[{number}]", each.durations),
            )
            for number, each in enumerate(parts.profiles)
        ],
    }


def _places(parts: Parts) -> Any:
    """Return what has a row for each location; None if nothing has, which the instance refuses."""
    return parts.coordinates if parts.coordinates is not None else parts.distances


def _require_locations(called: str, parts: Parts) -> None:
    """Raise an `InputError` if a part is at a location that is not there."""
    if (given := _places(parts)) is None:
        return
    for name in ("depots", "customers", "pairs"):
        for number, part in enumerate(getattr(parts, name)):
            for field in ("pickup_location", "delivery_location") if name == "pairs" else ("location",):
                if not getattr(part, field) < len(given):
                    raise InputError(
                        f"{called}: {field} of {name}[{number}] is {shown(getattr(part, field))}; expected a whole "
                        f"number from 0 to {len(given) - 1}, a row of the coordinates or distances; correct it."
                    )


# And back.


def parts_of(instance: "Instance") -> Parts:
    """Return the parts that an instance states; node ``i`` is at location ``i``.

    Pairs come last among the nodes of parts, so an instance that numbers them otherwise gets other numbers.
    """
    order, numbers = _order(instance)
    depots, pairs = instance.depots, [] if instance.pairs is None else instance.pairs.tolist()
    windows = instance.windows
    times = np.tile((0.0, UNLIMITED), (len(order), 1))
    if windows is not None:
        times = np.where(_endless(windows), np.inf, windows)
    hours = [(float(early), float(late)) for early, late in times]
    more: dict[int, list[tuple[float, float]]] = {}
    for node, early, late in instance.more_windows:
        more.setdefault(node, []).append((early, UNLIMITED if late >= LARGEST else late))
    service = instance.service.tolist()
    required = np.ones(len(order), dtype=np.bool_) if instance.optional is None else ~instance.optional
    releases, prizes, priorities = (
        [0.0] * len(order) if each is None else each.tolist()
        for each in (instance.releases, instance.prizes, instance.priorities)
    )
    paired = {node for pair in pairs for node in pair}
    return Parts(
        depots=tuple(
            Depot(location=node, tw_early=hours[node][0], tw_late=hours[node][1], service_duration=service[node])
            for node in range(depots)
        ),
        customers=tuple(
            Customer(
                location=node,
                delivery=_loads(instance.demands, node),
                pickup=() if instance.pickups is None else _loads(instance.pickups, node),
                service_duration=service[node],
                tw_early=hours[node][0],
                tw_late=hours[node][1],
                more_windows=tuple(more.get(node, ())),
                release_time=releases[node],
                prize=prizes[node],
                required=bool(required[node]),
                priority=int(priorities[node]),
            )
            for node in instance.customer_nodes
            if node not in paired
        ),
        pairs=tuple(
            Pair(
                pickup_location=one,
                delivery_location=other,
                pickup_tw_early=hours[one][0],
                pickup_tw_late=hours[one][1],
                pickup_service_duration=service[one],
                delivery_tw_early=hours[other][0],
                delivery_tw_late=hours[other][1],
                delivery_service_duration=service[other],
                amount=_loads(instance.demands, one),
                prize=prizes[one],
                required=bool(required[one]),
                pickup_more_windows=tuple(more.get(one, ())),
                delivery_more_windows=tuple(more.get(other, ())),
                release_time=max(releases[one], releases[other]),
                priority=int(priorities[one]),
            )
            for one, other in pairs
        ),
        groups=tuple(
            dataclasses.replace(group, customers=tuple(numbers[node] for node in group.customers))
            for group in instance.groups
        ),
        vehicle_types=tuple(
            each
            if each.allowed_customers is None
            else dataclasses.replace(each, allowed_customers=tuple(numbers[node] for node in each.allowed_customers))
            for each in instance.types
        ),
        coordinates=instance.coordinates,
        distances=instance.matrix,
        durations=instance.durations,
        profiles=instance.profiles,
        backhauls_last=instance.backhauls_last,
    )


def _order(instance: "Instance") -> tuple[list[int], dict[int, int]]:
    """Return the nodes in the order in which parts number them, and the number of each."""
    pairs = [] if instance.pairs is None else [node for pair in instance.pairs.tolist() for node in pair]
    paired = set(pairs)
    order = [node for node in range(len(instance.demands)) if node not in paired] + pairs
    return order, {node: number for number, node in enumerate(order)}


def _loads(values: FloatArray, node: int) -> Loads:
    return tuple(np.atleast_1d(values[node]).tolist())


def _endless(windows: FloatArray) -> npt.NDArray[np.bool_]:
    """Tell which ends of windows stand for no end: an instance holds numbers of at most `LARGEST`."""
    endless: npt.NDArray[np.bool_] = windows >= LARGEST
    endless[:, 0] = False
    return endless
