"""Vehicle types from the rows of a table: capacities, costs, shifts, depots and limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dacalns.instances.clock_times import clock_time
from dacalns.instances.great_circle import SPEED
from dacalns.instances.matrix_files import Ways
from dacalns.instances.part_checks import checked_part
from dacalns.instances.parts import UNLIMITED, VehicleType
from dacalns.instances.table_cells import Cells, TimeAxis
from dacalns.instances.table_columns import CAPACITY, Columns, text_of_cell
from dacalns.instances.tables import INFO, Notice, is_missing
from dacalns.util.clock import SECONDS
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shown

UNLIMITED_WORDS = ("unlimited", "inf", "infinite", "any", "free", "*")
NOWHERE = ("open", "anywhere", "none", "-")
"""What stands for a route that starts at its first customer, or ends at its last one."""

COSTS_OF_DISTANCE = ("cost_per_km", "cost_per_distance")
COSTS_OF_TIME = ("cost_per_hour", "cost_per_minute", "cost_per_duration")


@dataclass(frozen=True)
class Costs:
    """What is known of distances.

    Parameters
    ----------
    kilometres
        True if they are in kilometres.
    durations_only
        True if there are driving times in their place.
    """

    kilometres: bool
    durations_only: bool


@dataclass
class Fleet:
    """The table of vehicles and what its rows refer to.

    Parameters
    ----------
    columns
        What its columns mean.
    axis
        How times are counted.
    depots
        The names of the depots in their order.
    ways
        The matrices that were given, by the names of profiles.
    speed
        The kilometres an hour that were asked for.
    """

    columns: Columns
    axis: TimeAxis
    depots: Sequence[str]
    ways: Mapping[str, Ways]
    speed: float | None
    names: list[str] = field(default_factory=list)

    def cells(self) -> list[Cells]:
        """Return the rows."""
        return [Cells(self.columns, row, self.axis) for row in self.columns.table.rows]


def vehicle_types_of(
    fleet: Fleet,
    dimensions: Sequence[str],
    skills: Mapping[int, frozenset[str]],
    costs: Costs,
    notices: list[Notice],
    nodes: Sequence[str],
) -> list[VehicleType]:
    """Return the vehicle types.

    Parameters
    ----------
    fleet
        The table. The names of the types are noted in it.
    dimensions
        The load dimensions as vehicles call them.
    skills
        The skills that each customer asks for, by node number; nothing if there are none.
    costs
        What is known of distances.
    notices
        Where sentences go that users should read.
    nodes
        What users call the nodes.

    Raises
    ------
    InputError
        When a cell cannot be understood; the message names table, row and column.
    """
    columns, rows = fleet.columns, fleet.cells()
    ends = {each: _end_column(fleet, rows, each, notices) for each in ("start", "end")}
    _require_units(columns, fleet, costs)
    types = [_type(fleet, cells, ends, dimensions, skills) for cells in rows]
    fleet.names = [cells.text("name") or cells.text("id") for cells in rows]
    if skills:
        for node, wanted in skills.items():
            if wanted and not any(wanted <= set(cells.words("skills")) for cells in rows):
                raise InputError(
                    f"{columns.table.name}: no vehicle has the skills {listed(sorted(wanted), 60)} together, which "
                    f"{shown(nodes[node] or node, 40)} asks for; expected a vehicle with them in a column 'skills'; "
                    "add them."
                )
    return types


def _require_units(columns: Columns, fleet: Fleet, costs: Costs) -> None:
    """Raise an `InputError` if a column is about distances or times that nobody knows."""
    where = columns.table.heading or columns.table.name
    for meanings in (COSTS_OF_DISTANCE, COSTS_OF_TIME):
        given = [columns.of[each] for each in meanings if each in columns.of]
        if len(given) > 1:
            raise InputError(f"{where}: has columns {listed(given)}, which say the same; expected one; leave one out.")
    for meaning in ("cost_per_hour", "cost_per_minute", "overtime_cost_per_hour"):
        if columns.has(meaning) and not fleet.axis.unit:
            raise InputError(
                f"{where}: has a column {shown(columns.of[meaning], 40)}, and nothing says which unit times have; "
                "expected one; give time_unit (--time-unit min)."
            )
    if costs.durations_only:
        for meaning in (*COSTS_OF_DISTANCE, "max_distance"):
            if columns.has(meaning):
                raise InputError(
                    f"{where}: has a column {shown(columns.of[meaning], 40)}, and the matrix has driving times only; "
                    "expected distances; ask the routing service for both, or leave the column out."
                )


def _end_column(fleet: Fleet, rows: Sequence[Cells], meaning: str, notices: list[Notice]) -> str:
    """Return what ``start`` or ``end`` is about: ``"depot"`` or ``"shift"``, told from its values."""
    values = [(cells, value) for cells in rows if not is_missing(value := cells.raw(meaning))]
    if not values:
        return ""
    names = {name.casefold() for name in fleet.depots if name}
    table = fleet.columns.table
    depots = [text_of_cell(value).casefold() in (*names, *NOWHERE) for _, value in values]
    times = [clock_time(value) is not None or table.number(value) is not None for _, value in values]
    heading = fleet.columns.of[meaning]
    if all(depots):
        notices.append((INFO, f"{table.name}: column {shown(heading, 40)} has names of depots."))
        return "depot"
    if all(times):
        notices.append((INFO, f"{table.name}: column {shown(heading, 40)} has times of the shift."))
        return "shift"
    cells = next(
        cells
        for (cells, _), depot, time in zip(values, depots, times, strict=True)
        if not (time if any(times) else depot)
    )
    known = f" ({listed([name for name in fleet.depots if name], 60)})" if names else ""
    raise cells.error(meaning, f"a time of the shift such as 08:00 in all rows, or in all the name of a depot{known}")


def _type(
    fleet: Fleet, cells: Cells, ends: Mapping[str, str], dimensions: Sequence[str],
    skills: Mapping[int, frozenset[str]],
) -> VehicleType:  # fmt: skip
    shift = [
        _one_of(cells, meaning, named, ends[meaning] == "shift", cells.moment)
        for meaning, named in (("start", "shift_start"), ("end", "shift_end"))
    ]
    early, late = shift[0] or 0.0, UNLIMITED if shift[1] is None else shift[1]
    if early > late:
        meaning = "end" if ends["end"] == "shift" else "shift_end"
        fix = "correct it; 26:00 is 02:00 on the next day" if cells.axis.clock else "swap the two"
        raise cells.error(meaning, "a time after the shift starts", fix)
    overtime = cells.length("max_overtime") or 0.0
    longest = cells.length("max_duration")
    if overtime and longest is None:
        raise cells.error("max_overtime", "a max_duration as well, which overtime follows", "add it")
    default = _depot(fleet, cells, "depot", 0)
    allowed = None
    if skills:
        has = set(cells.words("skills"))
        allowed = tuple(node for node, wanted in skills.items() if wanted <= has)
        if not allowed:
            raise cells.error("skills", "the skills that at least one customer asks for", "add some, or take it out")
    stops, reloads = cells.whole("max_stops", least=1), cells.whole("max_reloads")
    longest_way = cells.number("max_distance")
    part = VehicleType(
        num_available=_number(cells),
        capacity=tuple(_capacity(cells, each) for each in dimensions),
        start_depot=_one_of(cells, "start", "start_depot", ends["start"] == "depot", _depots(fleet, cells), default),
        end_depot=_one_of(cells, "end", "end_depot", ends["end"] == "depot", _depots(fleet, cells), default),
        fixed_cost=cells.number("fixed_cost") or 0.0,
        tw_early=early, tw_late=late, start_late=cells.moment("latest_start"),
        shift_duration=UNLIMITED if longest is None else longest,
        max_distance=UNLIMITED if longest_way is None else longest_way,
        max_overtime=overtime, unit_overtime_cost=_per_unit(cells, "overtime_cost_per_hour", "h"),
        unit_distance_cost=_distance_cost(cells), unit_duration_cost=_duration_cost(cells),
        profile=_profile(fleet, cells), speed=_speed(fleet, cells),
        reload_depots=_reload_depots(fleet, cells), max_reloads=UNLIMITED if reloads is None else reloads,
        max_stops=UNLIMITED if stops is None else stops, allowed_customers=allowed,
    )  # fmt: skip
    return checked_part(part, lambda name: f"{cells.where}: {name}")


def _one_of(cells: Cells, meaning: str, named: str, says: bool, read: Any, default: Any = None) -> Any:
    """Return what one of two columns says: one that is told by its values, and one that is told by its name."""
    if says and cells.columns.has(named):
        raise cells.error(named, f"nothing, as the column {meaning} says it", "leave one of the columns out")
    column = meaning if says else named
    return default if is_missing(cells.raw(column)) and cells.raw(column) not in NOWHERE else read(column)


def _depots(fleet: Fleet, cells: Cells) -> Any:
    return lambda meaning: _depot(fleet, cells, meaning, 0)


def _depot(fleet: Fleet, cells: Cells, meaning: str, default: int | None) -> int | None:
    """Return the number of the depot that a cell names."""
    name = cells.text(meaning).casefold()
    if not name:
        return default
    names = [each.casefold() for each in fleet.depots]
    if name in names:
        if names.count(name) > 1:
            raise cells.error(meaning, "the name of one depot, and several have this one", "rename the depots")
        return names.index(name)
    if name in NOWHERE and meaning != "depot":
        return None
    raise cells.error(
        meaning, f"the name of a depot ({listed([each or 'one without a name' for each in fleet.depots], 80)})"
    )


def _reload_depots(fleet: Fleet, cells: Cells) -> tuple[int, ...]:
    text = cells.text("reload_depots")
    found = []
    names = [each.casefold() for each in fleet.depots]
    for each in text.replace("|", ",").replace(";", ",").split(","):
        if not each.strip():
            continue
        if each.strip().casefold() not in names:
            raise cells.error("reload_depots", f"names of depots ({listed(fleet.depots, 80)})")
        found.append(names.index(each.strip().casefold()))
    return tuple(dict.fromkeys(found))


def _number(cells: Cells) -> int | None:
    if not cells.columns.has("number"):
        return 1
    value = cells.raw("number")
    if str(value).casefold() in UNLIMITED_WORDS:
        return None
    number = cells.whole("number", least=1)
    if number is None:
        raise cells.error("number", "a whole number of 1 or more, or 'unlimited'", "add it")
    return number


def _capacity(cells: Cells, dimension: str) -> float:
    heading = cells.columns.loads[CAPACITY, dimension]
    value = cells.row.cells.get(heading)
    if str(value).casefold() in UNLIMITED_WORDS:
        return UNLIMITED
    number = cells.load(heading)
    if number is None:
        raise cells.row.error(heading, None, "a number of 0 or more, or 'unlimited'", "add it")
    return number


def _per_unit(cells: Cells, meaning: str, unit: str) -> float:
    """Return a cost for each unit of time of the instance, given one for each hour, say."""
    cost = cells.number(meaning)
    return 0.0 if cost is None else round(cost * SECONDS[cells.axis.unit] / SECONDS[unit], 12)


def _distance_cost(cells: Cells) -> float:
    """Return the cost of a unit of distance: 1 if no column is about costs of distance or time, else what they say."""
    for meaning in COSTS_OF_DISTANCE:
        if cells.columns.has(meaning):
            return cells.number(meaning) or 0.0
    return 0.0 if cells.columns.has(*COSTS_OF_TIME) else 1.0


def _duration_cost(cells: Cells) -> float:
    if cells.columns.has("cost_per_duration"):
        return cells.number("cost_per_duration") or 0.0
    return _per_unit(cells, "cost_per_hour", "h") or _per_unit(cells, "cost_per_minute", "min")


def _profile(fleet: Fleet, cells: Cells) -> int:
    names = list(fleet.ways)
    name = cells.text("profile")
    if not cells.columns.has("profile") or names in ([], [""]):
        if name:
            raise cells.error(
                "profile", "nothing, as there is one matrix at most", "give matrix={'car': …, 'truck': …}"
            )
        return 0
    if name not in names:
        raise cells.error("profile", f"the name of a matrix ({listed(names, 80)})")
    return names.index(name)


def _speed(fleet: Fleet, cells: Cells) -> float:
    factor = cells.number("speed_factor")
    if factor is not None and factor == 0:
        raise cells.error("speed_factor", "a number over 0")
    speed = cells.number("speed")
    if speed is None:
        return 1.0 if factor is None else factor
    if factor is not None:
        raise cells.error("speed", "nothing, as there is a speed_factor", "leave one of them out")
    if fleet.ways:
        raise cells.error("speed", "no speed beside a matrix, whose times say it", "give a speed_factor such as 1.2")
    if speed == 0:
        raise cells.error("speed", "a number over 0")
    return speed / (fleet.speed or SPEED)
