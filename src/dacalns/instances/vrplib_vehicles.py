"""The vehicles of a VRPLIB file: one row for each of them, of which equal ones become a type."""

from dataclasses import dataclass, field
from typing import Any

from dacalns.instances.fields import A_CAPACITY, LARGEST, LEAST_CAPACITY
from dacalns.instances.parts import UNLIMITED, VehicleType
from dacalns.instances.vrplib_outline import (
    VEHICLE_NUMBERS,
    NumberedRow,
    Numbering,
    Outline,
    load_table,
    numbered_rows,
    table,
    whole_within,
)
from dacalns.util.shown import shown

# The fields of a vehicle type that have one number for each vehicle.
FIELDS = dict(
    zip(
        VEHICLE_NUMBERS,
        ("fixed_cost", "max_distance", "shift_duration", "max_reloads", "unit_distance_cost"),
        strict=True,
    )
)
LIMITS = ("max_distance", "shift_duration", "max_reloads")


@dataclass
class Vehicles:
    """What the file says of vehicles: fields that all share, and fields with a value for each of them."""

    outline: Outline
    numbering: Numbering
    same: dict[str, Any] = field(default_factory=dict)
    each: dict[str, list[Any]] = field(default_factory=dict)


def vehicle_fields(
    outline: Outline,
    *,
    nodes: int,
    depots: int,
    dimensions: int,
    waiting: bool,
    serving: bool,
    partners: dict[int, int],
    open_routes: bool,
) -> dict[str, Any]:
    """Return capacity and number of the vehicles if there is no more to them, else the vehicle types.

    Parameters
    ----------
    outline
        The file.
    nodes, depots
        How many there are.
    dimensions
        How many numbers a demand has; 0 if there are no demands.
    waiting
        Whether vehicles may have to wait somewhere.
    serving
        Whether customers have service times.
    partners
        The other node of each node in a pair.
    open_routes
        Whether routes end at their last customers.

    Raises
    ------
    InputError
        When a row is malformed, or something is missing, unknown or given twice.
    """
    stated: int | None = None
    said, fix = "as there are customers, for VEHICLES is missing", "write VEHICLES"
    if "VEHICLES" in outline.specifications:
        stated = int(outline.number("VEHICLES", "5", minimum=1, whole=True))
        said, fix = "as VEHICLES says", "correct VEHICLES"
    vehicles = Vehicles(outline, Numbering("vehicle", nodes - depots if stated is None else stated, said, fix))
    _capacities(vehicles, dimensions)
    _numbers(vehicles)
    _route_limit(vehicles, waiting=waiting, serving=serving)
    _depots(vehicles, depots)
    if open_routes:
        vehicles.each.pop("end_depot", None)
        vehicles.same["end_depot"] = None
    _allowed(vehicles, depots, nodes, partners)
    kinds = _kinds(vehicles)
    if len(kinds) > 1:
        return {
            "vehicle_types": tuple(VehicleType(**said, num_available=len(numbers)) for said, numbers in kinds),
            "vehicles": tuple(number for _, numbers in kinds for number in numbers),
        }
    only = VehicleType(**kinds[0][0], num_available=stated)
    if len(only.capacity) == 1 and only == VehicleType(capacity=only.capacity, num_available=stated):
        return {"capacity": only.capacity[0], "fleet": stated}
    return {"vehicle_types": (only,)}


def _kinds(vehicles: Vehicles) -> list[tuple[dict[str, Any], list[int]]]:
    """Return what is said of each kind of vehicle, and the numbers of those of that kind, from 0."""
    if not vehicles.each:
        return [(_without_idle_reloads(vehicles.same), [])]
    kinds: dict[tuple[tuple[str, Any], ...], list[int]] = {}
    for number, values in enumerate(zip(*vehicles.each.values(), strict=True)):
        said = vehicles.same | dict(zip(vehicles.each, values, strict=True))
        kinds.setdefault(tuple(_without_idle_reloads(said).items()), []).append(number)
    return [(dict(said), numbers) for said, numbers in kinds.items()]


def _without_idle_reloads(said: dict[str, Any]) -> dict[str, Any]:
    """A limit on reloads means nothing where there is no depot to reload at."""
    if said.get("reload_depots"):
        return said
    return {name: value for name, value in said.items() if name != "max_reloads"}


def _capacities(vehicles: Vehicles, dimensions: int) -> None:
    outline = vehicles.outline
    if "CAPACITY_SECTION" not in outline.rows:
        if "CAPACITY" not in outline.specifications and not dimensions:
            vehicles.same["capacity"] = (LARGEST,)
            return
        capacity = outline.number("CAPACITY", "100", minimum=0)
        line = outline.specifications["CAPACITY"]
        if capacity < LEAST_CAPACITY:
            raise outline.source.error(
                line.number, f"CAPACITY is {shown(line.text)}; expected {A_CAPACITY}; correct it."
            )
        if dimensions > 1:
            raise outline.source.error(
                line.number,
                f"CAPACITY is {shown(line.text)}, but demands have {dimensions} numbers; expected as many for each "
                "vehicle; write a CAPACITY_SECTION.",
            )
        vehicles.same["capacity"] = (capacity,)
        return
    _require_section_only(outline, "CAPACITY")
    given = load_table(outline, "CAPACITY_SECTION", "capacity", vehicles.numbering)
    if given.values.shape[1] != max(dimensions, 1):
        raise outline.source.error(
            given.lines[0],
            f"vehicle 1 has {given.values.shape[1]} capacities; expected {max(dimensions, 1)}, as demands have; "
            "correct CAPACITY_SECTION or the demands.",
        )
    if given.values.shape[1] == 1 and given.values.min() < LEAST_CAPACITY:
        worst = int(given.values[:, 0].argmin())
        raise outline.source.error(
            given.lines[worst],
            f"capacity of vehicle {worst + 1} is {given.values[worst, 0]:g}; expected {A_CAPACITY}; correct it.",
        )
    vehicles.each["capacity"] = [tuple(row) for row in given.values.tolist()]


def _require_section_only(outline: Outline, name: str) -> None:
    if name in outline.specifications:
        line = outline.specifications[name]
        raise outline.source.error(
            line.number,
            f"{name} is {shown(line.text, 40)} and there is a {name}_SECTION (line "
            f"{outline.headings[f'{name}_SECTION']}); expected one of them; delete one.",
        )


def _numbers(vehicles: Vehicles) -> None:
    outline = vehicles.outline
    for name, its_field in FIELDS.items():
        whole = its_field == "max_reloads"
        if (section := f"{name}_SECTION") in outline.rows:
            _require_section_only(outline, name)
            what = name.removeprefix("VEHICLES_").replace("_", " ").lower()
            found = table(outline, section, (what,), vehicles.numbering, minimum=0, whole=whole)
            vehicles.each[its_field] = [_unlimited(its_field, value) for value in found.values[:, 0].tolist()]
        elif name in outline.specifications:
            vehicles.same[its_field] = _unlimited(its_field, outline.number(name, "100", minimum=0, whole=whole))


def _unlimited(its_field: str, value: float) -> float:
    """The largest number that a file can have stands for no limit where others have one."""
    return UNLIMITED if value == LARGEST and its_field in LIMITS else value


def _route_limit(vehicles: Vehicles, *, waiting: bool, serving: bool) -> None:
    """Take over DISTANCE: the most distance and service time of a route, which never count waiting."""
    outline = vehicles.outline
    if "DISTANCE" not in outline.specifications:
        return
    limit, line = outline.number("DISTANCE", "200", minimum=0), outline.specifications["DISTANCE"]
    if waiting and serving:
        raise outline.source.error(
            line.number,
            f"DISTANCE is {shown(line.text)}, a limit on distance and service time without waiting; expected none "
            "beside windows or release times; write VEHICLES_MAX_DISTANCE or VEHICLES_MAX_DURATION.",
        )
    its_field = "max_distance" if waiting else "shift_duration"
    if its_field in vehicles.each or its_field in vehicles.same:
        raise outline.source.error(
            line.number,
            f"DISTANCE is {shown(line.text)} and the vehicles have a limit of their own; expected one of them; delete "
            "one.",
        )
    vehicles.same[its_field] = limit


def _depots(vehicles: Vehicles, depots: int) -> None:
    outline, count = vehicles.outline, vehicles.numbering.count
    if (section := "VEHICLES_DEPOT_SECTION") in outline.rows:
        homes = [0] * count
        for row in numbered_rows(outline, section, vehicles.numbering):
            if len(row.tokens) != 1:
                raise outline.source.error(
                    row.line,
                    f"vehicle {row.number} has {len(row.tokens)} depots in {section}; expected 1; correct the line.",
                )
            homes[row.number - 1] = _depot(outline, section, row.tokens[0], row.line, depots)
        if any(homes):
            vehicles.each["start_depot"] = vehicles.each["end_depot"] = homes
    if (section := "VEHICLES_RELOAD_DEPOT_SECTION") in outline.rows:
        reloads: list[tuple[int, ...]] = [()] * count
        for row in numbered_rows(outline, section, vehicles.numbering):
            found = {_depot(outline, section, token, row.line, depots) for token in row.tokens}
            reloads[row.number - 1] = tuple(sorted(found))
        vehicles.each["reload_depots"] = reloads


def _depot(outline: Outline, section: str, token: str, line: int, depots: int) -> int:
    number = whole_within(token, depots)
    if number is None:
        raise outline.source.error(
            line,
            f"depot is {shown(token, 40)} in {section}; expected 1 to {depots} as in DEPOT_SECTION; correct the line.",
        )
    return number - 1


def _require_partners(outline: Outline, row: NumberedRow, allowed: set[int], partners: dict[int, int]) -> None:
    for node in sorted(allowed):
        if partners.get(node, node) not in allowed:
            raise outline.source.error(
                row.line,
                f"vehicle {row.number} may serve customer {node + 1} and not {partners[node] + 1}; expected both or "
                "none, as they are a pair; correct the line.",
            )


def _allowed(vehicles: Vehicles, depots: int, nodes: int, partners: dict[int, int]) -> None:
    outline = vehicles.outline
    if (section := "VEHICLES_ALLOWED_CLIENTS_SECTION") not in outline.rows:
        return
    allowed: list[tuple[int, ...] | None] = [None] * vehicles.numbering.count
    known: dict[tuple[str, ...], tuple[int, ...] | None] = {}  # many vehicles have the same long list
    for row in numbered_rows(outline, section, vehicles.numbering):
        given = tuple(row.tokens)
        if not given:
            raise outline.source.error(
                row.line,
                f"vehicle {row.number} has no customers in {section}; expected at least one; name some, or take out "
                "the vehicle.",
            )
        if given not in known:
            found = set()
            for token in given:
                number = whole_within(token, nodes)
                if number is None or number <= depots or number - 1 in found:
                    raise outline.source.error(
                        row.line,
                        f"customer of vehicle {row.number} is {shown(token, 40)} in {section}; expected {depots + 1} "
                        f"to {nodes}, each once; correct the line.",
                    )
                found.add(number - 1)
            _require_partners(outline, row, found, partners)
            known[given] = None if len(found) == nodes - depots else tuple(sorted(found))
        allowed[row.number - 1] = known[given]
    vehicles.each["allowed_customers"] = allowed
