"""Write an instance to a file."""

import dataclasses
import json
import math
import os
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import Any

import numpy as np

from dacalns.instances.features import (
    BACKHAULS_LAST,
    DEPOTS,
    DISTANCE_COSTS,
    DISTANCE_LIMITS,
    DURATION_LIMITS,
    FEATURES,
    FIXED_COSTS,
    GROUPS,
    LOADS,
    OPEN_ROUTES,
    PAIRS,
    PICKUPS,
    PLAIN,
    PRIZES,
    RELEASE_TIMES,
    RELOADS,
    RESTRICTIONS,
    VEHICLE_TYPES,
    WINDOWS,
)
from dacalns.instances.fields import CONTENT, LARGEST, FloatArray, Meaning, fields_with, is_default
from dacalns.instances.instance import Instance
from dacalns.instances.json_problem import DELIVERY_RELEASE, FORMAT, PAIR_NODES, POINTS, ROW_KEYS, ROWS, VERSION
from dacalns.instances.parts import UNLIMITED, Loads, Part, Profile, VehicleType
from dacalns.instances.rich_checks import dimensions_of
from dacalns.instances.solution_file import require_lines, types_of_vehicles
from dacalns.instances.vrplib_outline import MOST_LOADS
from dacalns.instances.vrplib_vehicles import FIELDS
from dacalns.util.errors import InputError
from dacalns.util.files import is_plain, write_atomically
from dacalns.util.shown import VALUE, listed, shortened, shown, shown_path
from dacalns.util.values import number_text

# The fields that a file in Solomon's format holds, in the order of the file.
SOLOMON_VEHICLE = ("fleet", "capacity")
SOLOMON_COLUMNS = ("coordinates", "demands", "windows", "service")
SOLOMON_TITLE = "CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME"


def write_instance(instance: Instance, path: str | os.PathLike[str]) -> None:
    """Write an instance so that reading it back gives the same numbers.

    JSON holds the rounding, too; with another format, give it to `read` where it is not the automatic one.

    Parameters
    ----------
    instance
        What to write.
    path
        A file ending in ``.json`` (whatever the instance asks for), ``.vrp`` (VRPLIB, with the sections for richer
        problems that PyVRP reads) or ``.txt`` (Solomon's format, for time windows and a limited fleet only). Devices
        and pipes get VRPLIB.

    Raises
    ------
    InputError
        When the suffix is another, the format cannot hold the instance, or the file cannot be written.
    """
    target = os.fsdecode(path)
    suffix = os.path.splitext(target)[1].lower()
    if suffix == ".vrp" or (not suffix and not is_plain(target)):
        lines = _vrplib_lines(instance, target)
    elif suffix == ".json":
        lines = _json_lines(instance, target)
    elif suffix == ".txt":
        lines = _solomon_lines(instance, target)
    else:
        raise InputError(
            f"{shown_path(target)}: the suffix is {shown(suffix)}; expected .vrp, .json or .txt; rename the file."
        )
    write_atomically(target, "\n".join(lines) + "\n")


def _require_held(instance: Instance, target: str, features: Set[str], *written: Collection[str]) -> None:
    """Raise an `InputError` that names what a format cannot say: a feature, or else a field of the problem.

    VRPLIB and Solomon's format hold no rules: `read` is told the rounding.
    """
    held = set().union(*written) | fields_with(Instance, Meaning.RULE).keys()
    lacking = sorted(instance.features - features) or [
        name
        for name, each in fields_with(instance, *CONTENT).items()
        if name not in held and not is_default(each, getattr(instance, name))
    ]
    _require_none(instance, target, lacking)


def _require_none(instance: Instance, target: str, lacking: Collection[str]) -> None:
    if lacking:
        raise InputError(
            f"{shown_path(target)}: {shortened(instance.name, VALUE)} has {listed(lacking)}, which this format cannot "
            "say; expected an instance without; take it out, or write a .json file."
        )


# JSON, in the words of `dacalns.Model`: what `json_problem` reads.


def _json_lines(instance: Instance, target: str) -> Iterator[str]:
    _require_held(instance, target, frozenset(FEATURES), fields_with(Instance, *CONTENT))
    if dimensions_of(instance.demands) > MOST_LOADS:
        _require_none(instance, target, [f"over {MOST_LOADS} load dimensions"])
    items = [f"{_quoted(key)}: {text}" for key, text in _json_items(instance)]
    yield "{"
    yield from (f"{item}," for item in items[:-1])
    yield from (items[-1], "}")


def _json_items(instance: Instance) -> Iterator[tuple[str, str]]:
    """Yield the keys of the file with the text of their values. What says no more than its absence is left out."""
    yield "format", _quoted(FORMAT)
    yield "version", str(VERSION)
    yield "name", _quoted(instance.name)
    if instance.comment:
        yield "comment", _quoted(instance.comment)
    yield "rounding", _quoted(instance.rounding)
    if instance.backhauls_last:
        yield "backhauls_last", "true"
    parts = _JsonParts(instance)
    if parts.by_rows:
        for key, values in (
            ("coordinates", instance.coordinates), ("distances", instance.matrix), ("durations", instance.durations)
        ):  # fmt: skip
            if values is not None:
                yield key, _json_rows(values)
    yield "depots", _json_list(map(_json_object, parts.depots()))
    if customers := parts.customers():
        yield "customers", _json_list(map(_json_object, customers))
    if instance.pairs is not None:
        yield "pairs", _json_list(map(_json_object, parts.pairs()))
    if instance.groups:
        yield "groups", _json_list(_json_object(_said(group)) for group in instance.groups)
    if instance.profiles:
        yield "profiles", _json_list(map(_json_profile, instance.profiles))
    yield "vehicle_types", _json_list(map(_json_object, parts.vehicle_types()))
    if instance.vehicles:
        yield "vehicles", _json_text(instance.vehicles)
    if instance.customers_first:
        yield "customers_first", "true"
    for key, names in (("names", instance.names), ("vehicle_names", instance.vehicle_names)):
        if names:
            yield key, _json_list(map(_quoted, names))
    if instance.lonlat is not None:
        yield "lonlat", _json_rows(instance.lonlat)
    if instance.time_unit:
        yield "time_unit", _quoted(instance.time_unit)


class _JsonParts:
    """The parts of an instance as objects of a file, with the numbers that nodes have in the instance."""

    def __init__(self, instance: Instance) -> None:
        self.instance, self.parts = instance, instance.parts
        matrices = (instance.matrix, instance.durations, *instance.profiles)
        self.by_rows = instance.coordinates is None or any(each is not None for each in matrices)
        """True if the file has locations, which matrices need; else every part says by itself where it is."""

    def depots(self) -> list[dict[str, Any]]:
        found = [self._place("depots", each) | _said(each) for each in self.parts.depots]
        windows = self.instance.windows
        if windows is not None and not windows[:, 0].any() and (windows[:, 1] >= LARGEST).all():
            found[0]["tw_late"] = LARGEST  # so that there are windows, though none of them says anything
        return found

    def customers(self) -> list[dict[str, Any]]:
        return [self._place("customers", each) | _said(each) for each in self.parts.customers]

    def pairs(self) -> Iterator[dict[str, Any]]:
        nodes = [] if self.instance.pairs is None else self.instance.pairs.tolist()
        in_order = [node for pair in nodes for node in pair] == [*self.instance.customer_nodes][-2 * len(nodes) :]
        releases = np.zeros(len(self.instance.demands)) if self.instance.releases is None else self.instance.releases
        for pair, (pickup, delivery) in zip(self.parts.pairs, nodes, strict=True):
            said = self._place("pairs", pair)
            if not in_order:
                said |= dict(zip(PAIR_NODES, (pickup, delivery), strict=True))
            said |= _said(dataclasses.replace(pair, release_time=float(releases[pickup])))
            if releases[delivery]:
                said[DELIVERY_RELEASE] = float(releases[delivery])
            yield said

    def vehicle_types(self) -> Iterator[dict[str, Any]]:
        loaded = bool(self.instance.demands.any()) or self.instance.pickups is not None
        for each in self.instance.types:
            said = _said(each)
            if not loaded and each.capacity == (LARGEST,):
                del said["capacity"]
            yield said

    def _place(self, kind: str, part: Part) -> dict[str, Any]:
        nodes = [getattr(part, name) for name in ROWS[kind]]
        if self.by_rows or self.instance.coordinates is None:
            return dict(zip(ROWS[kind], nodes, strict=True))
        points = [tuple(self.instance.coordinates[node].tolist()) for node in nodes]
        return dict(zip(POINTS[kind], points if kind == "pairs" else points[0], strict=True))


def _said(part: Part) -> dict[str, Any]:
    """Return the fields of a part that are not the default, without its places."""
    found = {}
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if field.name in ROW_KEYS:
            continue
        if field.type is Loads:
            value = value[0] if len(value) == 1 else value
            if field.name != "capacity" and not np.any(value):
                continue
        elif is_default(field, value) and not _is_negative_zero(value):
            continue
        found[field.name] = value
    return found


def _is_negative_zero(value: Any) -> bool:
    return isinstance(value, float) and value == 0 and math.copysign(1, value) < 0


def _json_text(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_json_text, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return _json_number(min(value, LARGEST))  # which stands for no end in windows, and for no limit in capacities


def _json_number(value: float) -> str:
    text = repr(value)
    return text.removesuffix(".0") if text != "-0.0" else text


def _json_object(said: dict[str, Any]) -> str:
    return f"{{{', '.join(f'{_quoted(key)}: {_json_text(value)}' for key, value in said.items())}}}"


def _json_rows(values: FloatArray) -> str:
    return _json_list(f"[{', '.join(map(_json_number, row))}]" for row in values.tolist())


def _json_profile(profile: Profile) -> str:
    given = (("distances", profile.distances), ("durations", profile.durations))
    return f"{{{', '.join(f'{_quoted(key)}: {_json_rows(values)}' for key, values in given if values is not None)}}}"


def _json_list(texts: Iterable[str]) -> str:
    """Return a list with a line for each entry."""
    lines = ",\n".join(f"  {text}" for text in texts)
    return f"[\n{lines}\n]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# VRPLIB, in the dialect that has richer problems.

VRPLIB_FEATURES = frozenset(
    {
        BACKHAULS_LAST,
        DEPOTS,
        DISTANCE_COSTS,
        DISTANCE_LIMITS,
        DURATION_LIMITS,
        FIXED_COSTS,
        GROUPS,
        LOADS,
        OPEN_ROUTES,
        PAIRS,
        PICKUPS,
        PRIZES,
        RELEASE_TIMES,
        RELOADS,
        RESTRICTIONS,
        VEHICLE_TYPES,
        WINDOWS,
    }
)
VRPLIB_FIELDS = (
    "capacity",
    "coordinates",
    "demands",
    "fleet",
    "groups",
    "matrix",
    "optional",
    "pairs",
    "pickups",
    "prizes",
    "releases",
    "service",
    "vehicle_types",
    "windows",
)


def _vrplib_lines(instance: Instance, target: str) -> Iterator[str]:
    _require_held(instance, target, VRPLIB_FEATURES, VRPLIB_FIELDS)
    _require_none(instance, target, list(_unsaid_in_vrplib(instance)))
    yield f"NAME : {instance.name}"
    if instance.comment:
        yield f"COMMENT : {instance.comment}"
    yield f"TYPE : {_type(instance)}"
    yield f"DIMENSION : {len(instance.demands)}"
    vehicles = _Vehicles(instance)
    yield from vehicles.specifications()
    if instance.pairs is None and _same_service(instance) and instance.service[-1] != 0:
        yield f"SERVICE_TIME : {number_text(instance.service[-1])}"
    yield from _places(instance)
    yield from _paired_visits(instance) if instance.pairs is not None else _visits(instance)
    yield from vehicles.sections()
    yield from ("DEPOT_SECTION", *map(str, range(1, instance.depots + 1)), "-1", "EOF")


def _type(instance: Instance) -> str:
    if instance.pairs is not None:
        return "PDPTW"
    if instance.backhauls_last:
        return "VRPB"
    name = "OVRP" if OPEN_ROUTES in instance.features else "CVRP"
    return name if instance.windows is None else {"CVRP": "VRPTW"}.get(name, f"{name}TW")


def _unsaid_in_vrplib(instance: Instance) -> Iterator[str]:
    """Name what the dialect cannot say though it knows the feature."""
    optional, prizes, pairs = instance.optional, instance.prizes, instance.pairs
    if pairs is None:
        if optional is not None and (prizes is None or (optional & (prizes == 0)).any()):
            yield "optional customers without a prize"
        if prizes is not None and any(prizes[list(group.customers)].any() for group in instance.groups):
            yield "prizes in groups"
    else:
        if pairs.size != instance.customers:
            yield "pairs beside other customers"
        if instance.demands.ndim > 1:
            yield "pairs with several loads"
        if optional is not None:
            yield "pairs that may be left out"
        if instance.releases is not None:
            yield "release times of pairs"
    if not all(group.required for group in instance.groups):
        yield "groups of which nobody need be visited"
    types = instance.vehicle_types
    if len(types) > 1 and any(not kind.num_available for kind in types):
        yield "several types of unlimited vehicles"
    if OPEN_ROUTES in instance.features:
        if any(kind.start_depot is None for kind in types):
            yield "routes that start at a customer"
        if any(kind.end_depot is not None for kind in types):
            yield "routes of which only some are open"
        if pairs is not None or instance.backhauls_last:
            yield f"open routes with {'pairs' if pairs is not None else 'backhauls last'}"
    elif any(kind.start_depot != kind.end_depot for kind in types):
        yield "routes that end at another depot"
    if any(kind.max_reloads < UNLIMITED and not kind.reload_depots for kind in types):
        yield "a limit on reloads without depots"
    if (windows := instance.windows) is not None and any(
        windows[depot, 0] > windows[kind.start_depot, 0] or windows[depot, 1] < windows[kind.start_depot, 1]
        for kind in types
        for depot in kind.reload_depots
    ):
        yield "opening hours of depots to reload at"


class _Vehicles:
    """What a file says about vehicles: a specification for what all share, else a section with a row for each."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.types = instance.vehicle_types or (VehicleType(capacity=(instance.capacity,)),)

    def specifications(self) -> Iterator[str]:
        if self.instance.fleet is not None:
            yield f"VEHICLES : {self.instance.fleet}"
        if self._alike("capacity") and len(self.types[0].capacity) == 1:
            yield f"CAPACITY : {number_text(self.types[0].capacity[0])}"
        for name, its_field in FIELDS.items():
            if self._alike(its_field) and getattr(self.types[0], its_field) != getattr(VehicleType(), its_field):
                yield f"{name} : {number_text(getattr(self.types[0], its_field))}"

    def sections(self) -> Iterator[str]:
        if not self._alike("capacity") or len(self.types[0].capacity) != 1:
            yield from self._section("CAPACITY_SECTION", [kind.capacity for kind in self.types])
        for name, its_field in FIELDS.items():
            if not self._alike(its_field):
                values = [min(getattr(kind, its_field), LARGEST) for kind in self.types]
                yield from self._section(f"{name}_SECTION", [(value,) for value in values])
        if any(kind.start_depot for kind in self.types):
            yield from self._section("VEHICLES_DEPOT_SECTION", [((kind.start_depot or 0) + 1,) for kind in self.types])
        if any(kind.reload_depots for kind in self.types):
            depots = [[depot + 1 for depot in kind.reload_depots] for kind in self.types]
            yield from self._section("VEHICLES_RELOAD_DEPOT_SECTION", depots)
        if any(kind.allowed_customers is not None for kind in self.types):
            everyone = self.instance.customer_nodes
            allowed = [everyone if kind.allowed_customers is None else kind.allowed_customers for kind in self.types]
            rows = [[node + 1 for node in nodes] for nodes in allowed]
            yield from self._section("VEHICLES_ALLOWED_CLIENTS_SECTION", rows)

    def _alike(self, its_field: str) -> bool:
        return len({getattr(kind, its_field) for kind in self.types}) == 1

    def _section(self, heading: str, rows: Sequence[Iterable[float]]) -> Iterator[str]:
        texts = [_row(row) for row in rows]
        yield heading
        for vehicle, kind in enumerate(self._type_of_each, start=1):
            yield f"{vehicle} {texts[kind]}".rstrip()

    @cached_property
    def _type_of_each(self) -> list[int]:
        """The type of each vehicle. There is one for each customer if nothing is said about their number."""
        if several := types_of_vehicles(self.instance):
            return [several[vehicle] for vehicle in sorted(several)]
        count = self.instance.customers if self.instance.fleet is None else self.instance.fleet
        require_lines(self.instance, count)
        return [0] * count


def _places(instance: Instance) -> Iterator[str]:
    if instance.matrix is None:
        yield "EDGE_WEIGHT_TYPE : EUC_2D"
    else:
        yield "EDGE_WEIGHT_TYPE : EXPLICIT"
        yield "EDGE_WEIGHT_FORMAT : FULL_MATRIX"
        yield "EDGE_WEIGHT_SECTION"
        yield from (_row(row) for row in instance.matrix)
    if instance.coordinates is not None:
        yield from _section("NODE_COORD_SECTION", instance.coordinates)


def _same_service(instance: Instance) -> bool:
    of_customers = instance.service[instance.depots :]
    return bool((of_customers == of_customers[0]).all())


def _visits(instance: Instance) -> Iterator[str]:
    nodes = len(instance.demands)
    yield from _section("DEMAND_SECTION", instance.demands.reshape(nodes, -1))
    if instance.pickups is not None:
        yield from _section("BACKHAUL_SECTION", instance.pickups.reshape(nodes, -1))
    if instance.windows is not None:
        yield from _section("TIME_WINDOW_SECTION", instance.windows)
    if not _same_service(instance):
        yield from _section("SERVICE_TIME_SECTION", instance.service[:, None])
    if instance.releases is not None:
        yield from _section("RELEASE_TIME_SECTION", instance.releases[:, None])
    if instance.prizes is not None:
        yield from _section("PRIZE_SECTION", instance.prizes[:, None])
    if instance.groups:
        members = ([node + 1 for node in group.customers] for group in instance.groups)
        yield from _section("MUTUALLY_EXCLUSIVE_GROUP_SECTION", members)


def _paired_visits(instance: Instance) -> Iterator[str]:
    """A row for each node with demand, window, service time, pickup and delivery."""
    nodes = len(instance.demands)
    pickups, deliveries = np.asarray(instance.pairs).T
    table = np.zeros((nodes, 6))
    table[:, 0] = instance.demands
    table[deliveries, 0] = -instance.demands[pickups]
    table[:, 1:3] = (0.0, LARGEST) if instance.windows is None else instance.windows
    table[:, 3] = instance.service
    table[deliveries, 4], table[pickups, 5] = pickups + 1, deliveries + 1
    yield from _section("PICKUP_AND_DELIVERY_SECTION", table)


def _section(heading: str, rows: Iterable[Iterable[float]]) -> Iterator[str]:
    yield heading
    for node, row in enumerate(rows, start=1):
        yield f"{node} {_row(row)}"


def _row(values: Iterable[float]) -> str:
    return " ".join(number_text(value) for value in values)


# Solomon's format.


def _solomon_lines(instance: Instance, target: str) -> Iterator[str]:
    _require_held(instance, target, PLAIN, SOLOMON_VEHICLE, SOLOMON_COLUMNS, {"matrix"})  # a matrix is refused below
    lacking = [
        what
        for what, value in (
            ("time windows", instance.windows),
            ("a fleet", instance.fleet),
            ("coordinates", None if instance.matrix is not None else instance.coordinates),
        )
        if value is None
    ]
    if lacking or instance.coordinates is None or instance.windows is None:
        raise InputError(
            f"{shown_path(target)}: {shortened(instance.name, VALUE)} does not go by {' and '.join(lacking)}; expected "
            "all that Solomon's format holds; write a .vrp or .json file."
        )
    yield from (instance.name, "", "VEHICLE", "NUMBER CAPACITY")
    yield _row(getattr(instance, field) for field in SOLOMON_VEHICLE)
    yield from ("", "CUSTOMER", SOLOMON_TITLE)
    table = np.column_stack([getattr(instance, field) for field in SOLOMON_COLUMNS])
    for node, row in enumerate(table):
        yield f"{node} {_row(row)}"
