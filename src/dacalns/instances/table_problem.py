"""A problem from tables of customers, vehicles and depots: what `Instance.from_frame` and CSV files say."""

import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from dacalns.instances.conversion import stated_fields, with_depots_hours
from dacalns.instances.fields import FloatArray, as_float
from dacalns.instances.great_circle import (
    DETOUR,
    SPEED,
    driving_times,
    great_circle,
    in_plane,
    require_few_places,
    strays,
)
from dacalns.instances.matrix_files import Ways, read_ways, require_reachable
from dacalns.instances.part_checks import HIGHEST_PRIORITY, checked_part
from dacalns.instances.parts import UNLIMITED, Customer, Depot, Group, Pair, Parts, Profile, VehicleType
from dacalns.instances.source_text import ParsedFile
from dacalns.instances.table_cells import Cells, TimeAxis
from dacalns.instances.table_columns import (
    CAPACITY,
    CUSTOMER_WORDS,
    DELIVERY,
    DEPOT_WORDS,
    PICKUP,
    VEHICLE_WORDS,
    Columns,
    plain_word,
    recognised,
)
from dacalns.instances.table_vehicles import Costs, Fleet, vehicle_types_of
from dacalns.instances.tables import WARNING, Notice, Table, is_frame, is_missing, is_table, read_table, sheets_of
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shown

LOG = logging.getLogger("dacalns")
POINT = re.compile(r"\s*([+-]?\d+(?:[.]\d*)?)\s*[,; ]\s*([+-]?\d+(?:[.]\d*)?)\s*", re.ASCII)
DEPOT_NAME = re.compile(r"depot[ _-]?\d*")
DEPOT_TYPES = ("depot", "warehouse", "hub", "depots", "start")
CUSTOMER_TYPES = ("customer", "client", "stop", "job", "order", "visit")
ON_MAP, IN_PLANE, IN_MATRIX = ("lat", "lon"), ("x", "y"), ("location",)


class TableOptions(TypedDict, total=False):
    """What can be said about tables: the keywords of `dacalns.Instance.from_frame`."""

    name: str | None
    vehicles: Any
    depot: Any
    columns: Mapping[str, str] | None
    ignore: Iterable[str]
    capacity: Any
    speed: float | None
    detour: float | None
    time_unit: str | None
    matrix: Any
    durations: Any
    backhauls_last: bool


def parse_tables(
    customers: Any,
    vehicles: Any = None,
    depot: Any = None,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    ignore: Iterable[str] = (),
    capacity: Any = None,
    speed: float | None = None,
    detour: float | None = None,
    time_unit: str | None = None,
    matrix: Any = None,
    durations: Any = None,
    backhauls_last: bool = False,
) -> tuple[ParsedFile, list[Notice]]:
    """Return what tables state, by the names of the fields of an instance, and sentences that users should read.

    The parameters are those of `dacalns.Instance.from_frame`.

    Raises
    ------
    InputError
        When a table cannot be read or understood; the message names table, row and column.
    """
    options = _Options(
        mapping=_mapping(columns), ignore=_ignored(ignore), capacity=capacity,
        speed=_positive("speed", speed), detour=_positive("detour", detour), time_unit=_unit(time_unit),
        matrix=matrix, durations=durations,
    )  # fmt: skip
    return _Reader(customers, vehicles, depot, options).fields(name, backhauls_last)


@dataclass(frozen=True)
class _Options:
    mapping: dict[str, str]
    ignore: list[str]
    capacity: Any
    speed: float | None
    detour: float | None
    time_unit: str | None
    matrix: Any
    durations: Any


def tell(notices: Sequence[Notice]) -> None:
    """Log what users should know about how their tables were read: warnings go to standard error by themselves."""
    for level, sentence in notices:
        LOG.log(level, "%s", sentence)


def _mapping(columns: Any) -> dict[str, str]:
    if columns is None:
        return {}
    if not isinstance(columns, Mapping) or not all(isinstance(each, str) for each in (*columns, *columns.values())):
        raise InputError(
            f"columns is {shown(columns)}; expected a dictionary from meaning to heading, such as "
            "{'demand': 'Kisten'}; give one."
        )
    return {plain_word(meaning): heading for meaning, heading in columns.items()}


def _ignored(ignore: Any) -> list[str]:
    if isinstance(ignore, str):
        ignore = ignore.split(",")
    found: list[Any] = list(ignore) if isinstance(ignore, Iterable) else [None]
    if not all(isinstance(each, str) for each in found):
        raise InputError(f"ignore is {shown(ignore)}; expected names of columns, such as ['notes']; give a list.")
    return [each.strip() for each in found if each.strip()]


def _positive(what: str, value: Any) -> float | None:
    if value is None:
        return None
    number = as_float(value)
    if isinstance(value, bool | str) or not 1e-6 <= number <= 1e6:
        raise InputError(f"{what} is {shown(value)}; expected a number over 0 and of at most 1e6; correct the value.")
    return number


def _unit(value: Any) -> str | None:
    if value not in (None, "s", "min", "h"):
        raise InputError(f"time_unit is {shown(value)}; expected 's', 'min' or 'h'; choose one of these.")
    found: str | None = value
    return found


@dataclass(frozen=True)
class _Node:
    """A depot or customer: its name and the row that says the rest; none for a depot that an option gives."""

    name: str
    cells: Cells | None
    where: str
    place: tuple[float, float] | int | None
    other: str = ""


class _Reader:
    """Puts the tables together."""

    def __init__(self, customers: Any, vehicles: Any, depot: Any, options: _Options) -> None:
        self.options, self.notices = options, list[Notice]()
        sheets = sheets_of(customers)
        self.table = read_table(customers, "customers", "customers")
        if vehicles is None and "vehicles" in sheets:
            vehicles = read_table(customers, "vehicles", "vehicles")
        if depot is None and "depots" in sheets:
            depot = read_table(customers, "depots", "depots")
        self.stem = "customers"
        if isinstance(customers, str | os.PathLike):
            self.stem = os.path.splitext(os.path.basename(os.fspath(customers)))[0].strip() or "customers"
        self.vehicles = self._vehicles(vehicles)
        points, names, depots = _depots_given(depot)
        tables = {"customer": self.table, "vehicle": self.vehicles, "depot": depots}
        words = {"customer": CUSTOMER_WORDS, "vehicle": VEHICLE_WORDS, "depot": DEPOT_WORDS}
        self._require_mapped([each for each in tables.values() if each is not None])
        self.columns = {
            kind: recognised(table, words[kind], kind=kind, mapping=self._mapping_of(table), ignore=options.ignore)
            for kind, table in tables.items()
            if table is not None
        }
        for each in self.columns.values():
            self.notices += each.notices
        self.places = self._kind_of_places()
        self.ways = self._ways()
        self.axis = self._time_axis()
        self.depots, self.visits = self._split(points, names)

    def _vehicles(self, given: Any) -> Table | None:
        """Return the table of vehicles; one of a single row for a number of them."""
        if given is None or isinstance(given, int) or (isinstance(given, str) and given.strip().isdecimal()):
            row: dict[str, Any] = {"number": "unlimited" if given is None else int(given)}
            if self.options.capacity is not None:
                row |= _capacities(self.options.capacity)
            return read_table([row], "vehicles")
        if self.options.capacity is not None:
            raise InputError(
                f"capacity is {shown(self.options.capacity)}, and vehicles is a table; expected one of them; add a "
                "column 'capacity' to the table instead."
            )
        return read_table(given, "vehicles", "vehicles")

    def _mapping_of(self, table: Table) -> dict[str, str]:
        headings = {plain_word(each) for each in table.columns}
        return {meaning: each for meaning, each in self.options.mapping.items() if plain_word(each) in headings}

    def _require_mapped(self, tables: Sequence[Table]) -> None:
        headings = {plain_word(heading): heading for table in tables for heading in table.columns}
        for what, wanted in (("columns", self.options.mapping.values()), ("ignore", self.options.ignore)):
            for each in wanted:
                if plain_word(each) not in headings:
                    raise InputError(
                        f"{what} names {shown(each, 40)}, and no table has such a column; expected one of "
                        f"{listed(headings.values(), 100)}; correct the name."
                    )

    # Where things are.

    def _kind_of_places(self) -> tuple[str, ...]:
        """Return how the table of customers says where they are."""
        columns = self.columns["customer"]
        found = []
        for kind in (ON_MAP, IN_PLANE):
            if columns.has(*kind):
                missing = [each for each in kind if each not in columns.of]
                if missing:
                    other = columns.of[next(each for each in kind if each in columns.of)]
                    raise InputError(
                        f"{columns.table.heading or columns.table.name}: has a column {shown(other, 40)} and none for "
                        f"{missing[0]}; expected both; add it, or name it with columns={{'{missing[0]}': …}}."
                    )
                found.append(kind)
        if len(found) > 1:
            raise InputError(
                f"{columns.table.heading or columns.table.name}: has {', '.join(columns.of[each] for each in ON_MAP)} "
                f"and {', '.join(columns.of[each] for each in IN_PLANE)}; expected one of the two; ignore the other "
                f"(--ignore {','.join(columns.of[each] for each in IN_PLANE)})."
            )
        if not found and self.options.matrix is None:
            raise InputError(
                f"{columns.table.heading or columns.table.name}: no columns say where customers are; expected lat and "
                "lon, or x and y, or a matrix; name them with columns={'lat': …, 'lon': …}, or give a matrix."
            )
        return found[0] if found else IN_MATRIX

    def _place(self, cells: Cells) -> tuple[float, float] | None:
        if self.places == IN_MATRIX:
            return None
        values = [cells.number(each, least=-np.inf) for each in self.places]
        for meaning, value, most in zip(self.places, values, (90.0, 180.0), strict=True):
            if value is None:
                raise cells.error(meaning, "a number", "add it, or take the row out")
            if self.places == ON_MAP and abs(value) > most:
                raise cells.error(meaning, f"degrees from -{most:g} to {most:g}", "correct it, or swap lat and lon")
        return values[0], values[1]  # type: ignore[return-value]

    # Depots and customers.

    def _split(self, points: list[tuple[float, float]], names: list[str]) -> tuple[list[_Node], list[_Node]]:
        """Return the depots, and the customers in the order of their rows."""
        columns = self.columns["customer"]
        rows = [self._node(Cells(columns, row, self.axis)) for row in self.table.rows]
        self._rows = rows
        marked = [node for node in rows if self._is_marked(node)]
        chosen = [self._named(name, rows) for name in names]
        if "depot" in self.columns:
            chosen += [
                self._node(Cells(self.columns["depot"], row, self.axis)) for row in self.columns["depot"].table.rows
            ]
        chosen += [
            _Node(f"depot {number}" if len(points) > 1 else "depot", None, "depot", self._point(point))
            for number, point in enumerate(points, start=1)
        ]
        if chosen and (other := next((each for each in marked if each not in chosen), None)) is not None:
            raise InputError(
                f"{other.where}: {shown(other.name, 40)} is a depot by its name or type, and depot is given as well; "
                "expected one of the two; leave out depot, or take the row out."
            )
        depots = chosen or marked
        if not depots:
            raise InputError(
                f"{self.table.name}: nothing says where the depot is; expected a row named 'depot', or depot with a "
                f"position or a name; add --depot {'52.52,13.40' if self.places == ON_MAP else 'X,Y'}."
            )
        twice = next((each for number, each in enumerate(depots) if each in depots[:number]), None)
        if twice is not None:
            raise InputError(f"depot names {shown(twice.name, 40)} twice; expected each depot once; leave one out.")
        visits = [each for each in rows if not any(each is depot for depot in depots)]
        if not visits:
            raise InputError(f"{self.table.name}: has depots only; expected at least one customer; add a row.")
        return depots, visits

    def _node(self, cells: Cells) -> _Node:
        name = cells.text("name") or cells.text("id")
        other = cells.text("id") if cells.text("name") else ""
        return _Node(name, cells, cells.where, self._place(cells), other)

    def _is_marked(self, node: _Node) -> bool:
        assert node.cells is not None, "rows have cells"
        if kind := node.cells.text("type").casefold():
            if kind in DEPOT_TYPES:
                return True
            if kind not in (*CUSTOMER_TYPES, DELIVERY, PICKUP, "delivery"):
                raise node.cells.error("type", "depot, customer, pickup or delivery")
            return False
        return bool(DEPOT_NAME.fullmatch(node.name.casefold()))

    def _named(self, name: str, rows: Sequence[_Node]) -> _Node:
        wanted = name.strip().casefold()
        found = [each for each in rows if wanted in (each.name.casefold(), each.other.casefold())]
        if len(found) != 1:
            what = f"{len(found)} rows have this name" if found else "no row has this name"
            hint = "'52.52,13.40'" if self.places == ON_MAP else "'0,0'"
            raise InputError(
                f"depot is {shown(name)}, and {what} in {self.table.name}; expected the name of one row, a position "
                f"such as {hint}, or a table; correct it."
            )
        return found[0]

    def _point(self, point: tuple[float, float]) -> tuple[float, float]:
        if self.places == IN_MATRIX:
            raise InputError(
                f"depot is {shown(point)}, and {self.table.name} has no positions; expected the name of a row; correct "
                "it, or add columns for positions."
            )
        if self.places == ON_MAP and (abs(point[0]) > 90 or abs(point[1]) > 180):
            raise InputError(
                f"depot is {shown(point)}; expected a latitude from -90 to 90, then a longitude; correct it, or swap "
                "the two."
            )
        return point

    # Times.

    def _time_axis(self) -> TimeAxis:
        moments = {
            "customer": ("open", "close", "release"), "depot": ("open", "close"),
            "vehicle": ("start", "end", "shift_start", "shift_end", "latest_start"),
        }  # fmt: skip
        axis = TimeAxis(self.options.time_unit or "")
        for kind, columns in self.columns.items():
            headings = [columns.of[each] for each in moments[kind] if each in columns.of]
            headings += [each for pair in columns.more_windows for each in pair]
            for row in columns.table.rows:
                for heading in headings:
                    axis.learn(row, heading)
                if kind == "customer" and (heading := columns.of.get("windows", "")):
                    axis.learn_windows(row, heading)
        metric = any(ways.metric for ways in self.ways.values())
        return axis.settled(known=self.places == ON_MAP or self.options.speed is not None or metric)

    def _ways(self) -> dict[str, Ways]:
        """Return the matrices by the names of profiles; a single one has none."""
        matrix, durations = self.options.matrix, self.options.durations
        if matrix is None:
            if durations is not None:
                raise InputError("durations is given without matrix; expected both; give the distances as matrix.")
            return {}
        if isinstance(matrix, Mapping) and not {"distances", "durations", "times", "sources_to_targets"} & {*matrix}:
            if durations is not None and not isinstance(durations, Mapping):
                raise InputError(
                    "durations is a single matrix, and matrix has one for each profile; give a dictionary."
                )
            if not matrix:
                raise InputError("matrix is empty; expected a matrix for each profile; give some.")
            return {
                str(name): read_ways(each, (durations or {}).get(name), called=f"matrix of profile {shown(name, 40)}")
                for name, each in matrix.items()
            }
        return {"": read_ways(matrix, durations)}

    # All of it.

    def fields(self, name: str | None, backhauls_last: bool) -> tuple[ParsedFile, list[Notice]]:
        called = self.table.name
        nodes = [*self.depots, *self.visits]
        names = [_unbroken(node.name) for node in nodes]
        fleet = Fleet(self.columns["vehicle"], self.axis, names[: len(self.depots)], self.ways, self.options.speed)
        loads = self._loads(fleet)
        depots = [self._depot(number, node) for number, node in enumerate(self.depots)]
        numbers = {id(node): len(depots) + number for number, node in enumerate(self.visits)}
        pair_nodes = self._pairs(numbers)
        paired = {node for pair in pair_nodes for node in pair}
        made = [self._customer(number, loads, paired) for number in range(len(depots), len(nodes))]
        groups, made = self._groups(made, len(depots), paired)
        says = ("start", "start_depot", "depot")
        if len(depots) > 1 and not self.columns["vehicle"].has(*says):
            first = shown(names[0], 40)
            said = (
                f"{called}: there are {len(depots)} depots, and no column says where vehicles start: all use {first}."
            )
            self.notices.append((WARNING, said))
        types = vehicle_types_of(fleet, loads.dimensions, self._skills(len(depots)), self._costs(), self.notices, names)
        arrays, rounding = self._arrays(nodes, names, types, made)
        parts = Parts(
            depots=tuple(depots),
            customers=tuple(each for number, each in enumerate(made, start=len(depots)) if number not in paired),
            pairs=tuple(self._pair(pickup, delivery, made, len(depots)) for pickup, delivery in pair_nodes),
            groups=tuple(groups), vehicle_types=tuple(types), backhauls_last=backhauls_last,
            coordinates=arrays["coordinates"], distances=arrays["matrix"], durations=arrays["durations"],
            profiles=tuple(arrays["profiles"]),
        )  # fmt: skip
        fields = stated_fields(called, parts, pair_nodes)
        fields |= with_depots_hours(fields, parts)
        unit = self.axis.unit if self.times_matter else ""
        return {
            "name": self.stem if name is None else name, **fields, "rounding": rounding, "names": names,
            "lonlat": arrays["lonlat"], "time_unit": unit, "vehicle_names": fleet.names,
        }, self.notices  # fmt: skip

    def _depot(self, number: int, node: _Node) -> Depot:
        cells = node.cells
        if cells is None:
            return Depot(location=number)
        early, late = self._window(cells)
        service = cells.length("service") or 0.0
        part = Depot(location=number, tw_early=early, tw_late=late, service_duration=service)
        return checked_part(part, lambda field: f"{node.where}: {field}")

    def _window(self, cells: Cells) -> tuple[float, float]:
        opens, closes = cells.moment("open"), cells.moment("close")
        if opens is not None and closes is not None and opens > closes:
            raise cells.error(
                "close", f"a time after {cells.said('open')}",
                "correct it; 26:00 is 02:00 on the next day" if self.axis.clock else "swap the two",
            )  # fmt: skip
        return 0.0 if opens is None else opens, UNLIMITED if closes is None else closes

    def _customer(self, number: int, loads: "_Loads", paired: Iterable[int]) -> Customer:
        node = self.visits[number - len(self.depots)]
        cells = node.cells
        assert cells is not None, "customers have rows"
        early, late = self._window(cells)
        more = cells.further_windows()
        if more and (early, late) == (0.0, UNLIMITED):
            (early, late), *more = more
        required, prize = cells.truth("required"), cells.number("prize") or 0.0
        optional = cells.truth("optional")
        if required is not None and optional is not None and required == optional:
            raise cells.error("optional", "the opposite of required", "leave out one of the columns")
        may_be_left = required is False or optional is True or (prize > 0 and required is None and optional is None)
        priority = cells.whole("priority", most=HIGHEST_PRIORITY) or 0
        grouped = bool(cells.text("group"))
        for meaning, value in (("prize", prize), ("priority", priority)):
            if value and not may_be_left and not (grouped and meaning == "prize"):
                raise cells.error(
                    meaning, "0, as nothing says that the customer may be left out",
                    "add a column 'optional' with 'yes', or ignore the column",
                )  # fmt: skip
        part = Customer(
            location=number, delivery=loads.of(cells, DELIVERY, negative=number in paired),
            pickup=loads.of(cells, PICKUP), service_duration=cells.length("service") or 0.0, tw_early=early,
            tw_late=late, more_windows=tuple(more), release_time=cells.moment("release") or 0.0, prize=prize,
            required=not may_be_left, priority=int(priority),
        )  # fmt: skip
        if number in paired:  # amounts are those of the pair, and may be negative
            return part
        return checked_part(part, lambda field: f"{node.where}: {field}")

    # Loads, groups, pairs and skills.

    def _loads(self, fleet: Fleet) -> "_Loads":
        columns = self.columns["customer"]
        delivered, collected = columns.dimensions(DELIVERY), columns.dimensions(PICKUP)
        dimensions = list(dict.fromkeys([*delivered, *collected]))
        same = len(delivered) == len(collected) == 1
        if same:
            dimensions = delivered
        capacities = fleet.columns.dimensions(CAPACITY)
        table, known = fleet.columns.table, columns.table
        if dimensions and not capacities:
            first = columns.loads[DELIVERY if delivered else PICKUP, (delivered or collected)[0]]
            raise InputError(
                f"{table.heading or table.name}: nothing says what a vehicle holds, and {known.name} has a column "
                f"{shown(first, 40)}; expected a capacity; give capacity (--capacity 100), or add a column 'capacity' "
                f"to the vehicles, or ignore {shown(first, 40)}."
            )
        if not dimensions:
            if capacities:
                self.notices.append(
                    (WARNING, f"{known.name}: no column has a demand, so that capacities limit nothing.")
                )
            return _Loads(columns, [], same)
        if len(dimensions) == len(capacities) == 1:
            return _Loads(columns, [(dimensions[0], capacities[0])], same)
        for mine, theirs, what, where in (
            (dimensions, capacities, "capacity", table), (capacities, dimensions, "demand", known)
        ):  # fmt: skip
            for each in mine:
                if each not in theirs:
                    wanted = "_".join(filter(None, (what, each)))
                    other = "_".join(filter(None, ("demand" if what == "capacity" else "capacity", each)))
                    raise InputError(
                        f"{where.heading or where.name}: has no column {wanted}, which belongs to {other} of the other "
                        "table; expected a capacity for each demand; add it, or ignore the other."
                    )
        return _Loads(columns, [(each, each) for each in dimensions], same)

    def _groups(self, made: list[Customer], first: int, paired: Iterable[int]) -> tuple[list[Group], list[Customer]]:
        """Return the groups, and the customers in which members are required by their groups only."""
        members: dict[str, list[int]] = {}
        for number, node in enumerate(self.visits, start=first):
            assert node.cells is not None, "customers have rows"
            if label := node.cells.text("group"):
                members.setdefault(label.casefold(), []).append(number)
                if number in paired:
                    raise node.cells.error("group", "nothing, as the row belongs to a pair", "take it out of the group")
        groups, changed = [], list(made)
        for numbers in members.values():
            if len(numbers) < 2:
                cells = self.visits[numbers[0] - first].cells
                assert cells is not None, "customers have rows"
                raise cells.error("group", "a group of at least two rows", "leave the cell empty, or correct it")
            groups.append(
                Group(customers=tuple(numbers), required=all(made[each - first].required for each in numbers))
            )
        return groups, changed

    def _pairs(self, numbers: Mapping[int, int]) -> list[tuple[int, int]]:
        columns = self.columns["customer"]
        found: list[tuple[_Node, _Node]] = []
        labelled: dict[str, list[_Node]] = {}
        for node in self.visits:
            assert node.cells is not None, "customers have rows"
            if label := node.cells.text("pair"):
                labelled.setdefault(label.casefold(), []).append(node)
            for meaning in ("pickup_of", "delivery_of"):
                if name := node.cells.text(meaning):
                    other = self._partner(node, meaning, name)
                    pair = (node, other) if meaning == "pickup_of" else (other, node)
                    if not any(pair[0] is pickup and pair[1] is delivery for pickup, delivery in found):
                        found.append(pair)
        for rows in labelled.values():
            first = rows[0].cells
            assert first is not None, "customers have rows"
            if len(rows) != 2:
                raise first.error("pair", f"a label that two rows have, not {len(rows)}", "correct it")
            found.append(self._in_order(rows[0], rows[1]))
        seen: set[int] = set()
        for node in (each for pair in found for each in pair):
            if id(node) in seen:
                raise InputError(
                    f"{node.where}: {shown(node.name, 40)} belongs to two pairs; expected one; give a row to each."
                )
            seen.add(id(node))
        if not found and columns.has("type"):
            for node in self.visits:
                assert node.cells is not None, "customers have rows"
                if node.cells.text("type").casefold() == "pickup" and not columns.dimensions(PICKUP):
                    raise node.cells.error(
                        "type", "customer or depot, as no column pairs pickups with deliveries",
                        "add a column 'pair' with a label that both rows have",
                    )  # fmt: skip
        found.sort(key=lambda pair: numbers[id(pair[0])])
        return [(numbers[id(pickup)], numbers[id(delivery)]) for pickup, delivery in found]

    def _partner(self, node: _Node, meaning: str, name: str) -> _Node:
        assert node.cells is not None, "customers have rows"
        wanted = name.casefold()
        others = [each for each in self.visits if wanted in (each.name.casefold(), each.other.casefold())]
        if len(others) != 1 or others[0] is node:
            raise node.cells.error(meaning, "the name of one other row", "correct it")
        return others[0]

    @staticmethod
    def _in_order(one: _Node, other: _Node) -> tuple[_Node, _Node]:
        """Return the pickup and the delivery of a pair: what their types say, else the order of their rows."""
        assert one.cells is not None, "customers have rows"
        assert other.cells is not None, "customers have rows"
        kinds = [each.text("type").casefold() for each in (one.cells, other.cells)]
        if kinds in (["delivery", "pickup"], ["delivery", ""], ["", "pickup"]):
            return other, one
        if kinds[0] == kinds[1] and kinds[0] in ("pickup", "delivery"):
            raise other.cells.error("type", f"the other half of the pair: a {kinds[0]} stands in {one.where}")
        return one, other

    def _pair(self, pickup: int, delivery: int, made: Sequence[Customer], first: int) -> Pair:
        start, end = made[pickup - first], made[delivery - first]
        row, other = self.visits[pickup - first], self.visits[delivery - first]
        # Tables have the amount at the pickup, at the delivery, at both, or negative at one of them.
        given = [
            tuple(abs(amount) for amount in loads)
            for loads in (start.pickup, start.delivery, end.delivery, end.pickup)
            if any(loads)
        ]
        if len({*given}) > 1:
            raise InputError(
                f"{other.where}: the delivery is of {shown(given[-1], 30)}, and its pickup ({row.where}) of "
                f"{shown(given[0], 30)}; expected the same amount; correct one, or leave it empty."
            )
        if end.release_time:
            raise InputError(
                f"{other.where}: the delivery of a pair has a release time; expected it at the pickup; move it there."
            )
        for meaning in ("prize", "priority"):
            if getattr(start, meaning) and getattr(end, meaning) and getattr(start, meaning) != getattr(end, meaning):
                raise InputError(
                    f"{other.where}: {meaning} is another one than that of its pickup ({row.where}); expected it once; "
                    "leave one cell empty."
                )
        part = Pair(
            pickup_location=pickup, delivery_location=delivery, amount=given[0] if given else (),
            pickup_tw_early=start.tw_early, pickup_tw_late=start.tw_late, pickup_more_windows=start.more_windows,
            pickup_service_duration=start.service_duration, delivery_tw_early=end.tw_early,
            delivery_tw_late=end.tw_late, delivery_more_windows=end.more_windows,
            delivery_service_duration=end.service_duration, release_time=start.release_time,
            prize=start.prize or end.prize, required=start.required and end.required,
            priority=start.priority or end.priority,
        )  # fmt: skip
        return checked_part(part, lambda field: f"{row.where}: {field}")

    def _skills(self, first: int) -> dict[int, frozenset[str]]:
        """Return the skills that each node asks for."""
        found = {}
        for number, node in enumerate(self.visits, start=first):
            assert node.cells is not None, "customers have rows"
            found[number] = frozenset(node.cells.words("skills"))
        return found if any(found.values()) or self.columns["customer"].has("skills") else {}

    # Distances and times.

    def _costs(self) -> Costs:
        metric = self.places == ON_MAP or any(ways.metric for ways in self.ways.values())
        without = [ways for ways in self.ways.values() if ways.distances is None]
        return Costs(kilometres=metric and not without, durations_only=bool(without))

    def _arrays(
        self, nodes: Sequence[_Node], names: Sequence[str], types: Sequence[VehicleType], made: Sequence[Customer]
    ) -> tuple[dict[str, Any], str]:  # fmt: skip
        """Return positions and matrices of the nodes, and how distances are rounded."""
        positions = None
        if self.places != IN_MATRIX:
            positions = np.array([node.place for node in nodes], dtype=np.float64)
        lonlat: FloatArray | None = positions[:, ::-1] if positions is not None and self.places == ON_MAP else None
        coordinates = positions if lonlat is None else in_plane(lonlat)
        found: dict[str, Any] = {
            "coordinates": coordinates, "lonlat": lonlat, "matrix": None, "durations": None, "profiles": []
        }  # fmt: skip
        self.times_matter = self._times_matter(types, made)
        if self.ways:
            return self._with_ways(found, nodes, names), self._rounding(
                metric=all(ways.metric for ways in self.ways.values())
            )
        speed = self.options.speed
        if lonlat is not None:
            require_few_places(self.table.name, len(nodes))
            found["matrix"] = great_circle(lonlat, self.options.detour or DETOUR)
            self._tell_of_strays(found["matrix"], names)
            if self.times_matter:
                found["durations"] = driving_times(found["matrix"], speed or SPEED, self.axis.unit)
            return found, self._rounding(metric=True)
        if self.options.detour is not None:
            raise InputError(
                f"detour is {self.options.detour:g}, and {self.table.name} has x and y; expected lat and lon, whose "
                "distances it stretches; leave it out."
            )
        if speed is not None and self.times_matter and coordinates is not None:
            require_few_places(self.table.name, len(nodes))
            across, along = (np.subtract.outer(each, each) for each in coordinates.T)
            found["durations"] = driving_times(np.hypot(across, along), speed, self.axis.unit)
        elif self.axis.clock and self.times_matter:
            takes = {"s": "a second", "min": "a minute", "h": "an hour"}[self.axis.unit]
            said = f"{self.table.name}: no speed is given, so that a unit of distance takes {takes} to drive."
            self.notices.append((WARNING, said))
        return found, "exact"

    def _tell_of_strays(self, distances: FloatArray, names: Sequence[str]) -> None:
        """Warn of places that are far from all others, as they are where latitude and longitude were swapped."""
        depots = len(self.depots)
        if far := strays(distances, depots):
            place = far[0]
            others = distances[place, depots:] if place < depots else distances[place, :depots]
            more = f", and so do {len(far) - 1} more" if len(far) > 1 else ""
            said = (
                f"{self.table.name}: {shown(names[place], 40)} lies {others.min():,.0f} km from the nearest "
                f"{'customer' if place < depots else 'depot'}{more}; look whether lat and lon are the right way round."
            )
            self.notices.append((WARNING, said))

    def _rounding(self, *, metric: bool) -> str:
        """Return ``milli`` where metres are thousandths: then sums of them are exact."""
        return "milli" if metric and self.axis.unit in ("", "s", "min") else "none"

    def _with_ways(self, found: dict[str, Any], nodes: Sequence[_Node], names: Sequence[str]) -> dict[str, Any]:
        for option in ("speed", "detour"):
            if getattr(self.options, option) is not None:
                raise InputError(
                    f"{option} is {getattr(self.options, option):g}, and a matrix is given; expected one of the two; "
                    "leave it out."
                )
        rows = self._rows_of(nodes)
        picked = np.array(rows, dtype=np.intp)
        made = []
        for ways in self.ways.values():
            labels = [f"row {row}" for row in range(ways.places)]
            for row, name in zip(rows, names, strict=True):
                labels[row] = name or labels[row]
            used = Ways(
                ways.source,
                None if ways.distances is None else ways.distances[np.ix_(picked, picked)],
                None if ways.durations is None else ways.durations[np.ix_(picked, picked)],
                ways.metric,
            )
            require_reachable(used, [labels[row] for row in rows])
            times = used.durations_in(self.axis.unit or "s")
            distances = times if used.distances is None else used.distances
            assert distances is not None, "ways have distances or durations"
            distances, times = distances.copy(), None if times is None else times.copy()
            for values in (distances, times):
                if values is not None:
                    np.fill_diagonal(values, 0.0)
            if used.distances is None:
                times = None  # one matrix is both
            made.append((distances, times))
        found["matrix"], found["durations"] = made[0]
        if not self.times_matter and len(made) == 1:
            found["durations"] = None
        if len(made) > 1 and found["durations"] is None and any(times is not None for _, times in made):
            raise InputError("matrix has driving times for some profiles only; expected them for all; add durations.")
        found["profiles"] = [Profile(distances=distances, durations=times) for distances, times in made[1:]]
        return found

    def _rows_of(self, nodes: Sequence[_Node]) -> list[int]:
        """Return the row of the matrix for each node: what its cell says, else depots first, or rows as they stand."""
        sizes = {ways.source: ways.places for ways in self.ways.values()}
        source, places = next(iter(sizes.items()))
        for other, size in sizes.items():
            if size != places:
                raise InputError(f"{other}: has {size} rows, and {source} has {places}; expected as many; give others.")
        if any(node.cells is not None and node.cells.columns.has("location") for node in nodes):
            return [self._location(node, source, places) for node in nodes]
        if places != len(nodes):
            raise InputError(
                f"{source}: has {places} rows, and there are {len(nodes)} depots and customers; expected as many, in "
                "the same order, depots that --depot gives first; give another matrix, or a column 'location' with the "
                "number of the row."
            )
        if all(any(node is row for row in self._rows) for node in self.depots):
            order = {id(node): number for number, node in enumerate(self._rows)}
            return [order[id(node)] for node in nodes]
        return list(range(places))

    def _location(self, node: _Node, source: str, places: int) -> int:
        row = None if node.cells is None else node.cells.whole("location", most=places - 1)
        if row is None:
            raise InputError(
                f"{node.where}: nothing says which row of {source} belongs to {shown(node.name, 40)}; expected a "
                f"number from 0 to {places - 1} in the column 'location'; add it."
            )
        return row

    def _times_matter(self, types: Sequence[VehicleType], made: Sequence[Customer]) -> bool:
        if self.options.speed is not None or self.options.time_unit is not None or self.options.durations is not None:
            return True
        default = VehicleType()
        fields = ("tw_early", "tw_late", "shift_duration", "unit_duration_cost", "start_late", "max_overtime")
        return (
            any(columns.has("open", "close", "service", "windows", "release") for columns in self.columns.values())
            or any(getattr(each, field) != getattr(default, field) for each in types for field in fields)
            or any(each.more_windows for each in made)
        )


@dataclass(frozen=True)
class _Loads:
    """The load dimensions: for each, what customers call it, and what vehicles call it."""

    columns: Columns
    pairs: list[tuple[str, str]]
    same: bool

    @property
    def dimensions(self) -> list[str]:
        """What vehicles call each dimension."""
        return [theirs for _, theirs in self.pairs]

    def of(self, cells: Cells, kind: str, *, negative: bool = False) -> tuple[float, ...]:
        """Return what a customer gets or gives, in each dimension."""
        given = self.columns.dimensions(kind)
        if not given:
            return ()
        found = []
        for mine, _ in self.pairs:
            dimension = given[0] if self.same else mine
            heading = self.columns.loads.get((kind, dimension))
            found.append(0.0 if heading is None else cells.load(heading, negative=negative) or 0.0)
        return tuple(found)


def _unbroken(name: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in name).split())


def _capacities(capacity: Any) -> dict[str, Any]:
    if isinstance(capacity, Mapping):
        return {f"capacity_{plain_word(str(each))}": value for each, value in capacity.items()}
    return {"capacity": capacity}


def _depots_given(depot: Any) -> tuple[list[tuple[float, float]], list[str], Table | None]:
    """Return the positions, names and table that the argument for depots gives."""
    if depot is None:
        return [], [], None
    if isinstance(depot, Table) or is_frame(depot) or isinstance(depot, Mapping | os.PathLike):
        return [], [], read_table(depot, "depots", "depots")
    if isinstance(depot, list) and depot and all(isinstance(each, Mapping) for each in depot):
        return [], [], read_table(depot, "depots")
    if isinstance(depot, str):
        if found := POINT.fullmatch(depot):
            return [(float(found[1]), float(found[2]))], [], None
        if is_table(depot):
            return [], [], read_table(depot, "depots", "depots")
        if is_missing(depot.strip()):
            raise InputError("depot is empty; expected a position, a name or a table; give one.")
        return [], [depot], None
    if isinstance(depot, tuple | list | np.ndarray) and len(depot) == 2 and all(map(_is_number, depot)):
        return [(float(depot[0]), float(depot[1]))], [], None
    if isinstance(depot, tuple | list) and depot:
        points: list[tuple[float, float]] = []
        names: list[str] = []
        table = None
        for each in depot:
            more_points, more_names, more_table = _depots_given(each)
            points, names = [*points, *more_points], [*names, *more_names]
            if more_table is not None and len(depot) > 1:
                raise InputError("depot has a table among other entries; expected one table; put all depots there.")
            table = table or more_table
        return points, names, table
    raise InputError(
        f"depot is {shown(depot)}; expected a position (lat, lon) or (x, y), the name of a row, or a table; give one."
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(np.isfinite(value))
