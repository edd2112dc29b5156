"""A plan as tables: DataFrames, text with commas, and a workbook."""

import importlib
import io
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dacalns.instances import Instance
from dacalns.search.output.rows import RouteRow
from dacalns.search.output.words import in_files
from dacalns.util.clock import clock_text, in_seconds
from dacalns.util.errors import InputError
from dacalns.util.files import STANDARD_OUTPUT, csv_text, require_writable, write_atomically
from dacalns.util.shown import shown, shown_path

if TYPE_CHECKING:
    import pandas

INSTALL = 'pip install "dac-alns[tables]"'
TIMES_OF_STOPS, TIMES_OF_ROUTES = ("arrival", "start", "departure"), ("start", "end")
"""The columns that are times of day where there is a unit of time; waiting, slack and duration are spans."""

Table = dict[str, list[Any]]


def stop_table(instance: Instance, plan: Sequence[RouteRow], clock: bool | None = None) -> Table:
    """Return the columns of all stops.

    Parameters
    ----------
    instance
        The problem.
    plan
        Its routes.
    clock
        Whether times are times of day, ``"08:30"``; by default if the instance has a unit of time.

    Raises
    ------
    InputError
        If times of day are wanted, and there is no unit of time.
    """
    stops = [stop for route in plan for stop in route.stops]
    table: Table = {
        "route": [stop.route for stop in stops],
        "vehicle": [instance.vehicle_label(stop.vehicle) for stop in stops],
        "sequence": [stop.sequence for stop in stops],
        "kind": [stop.kind for stop in stops],
        "customer": [stop.name for stop in stops],
        "node": [stop.node for stop in stops],
        "arrival": [stop.arrival for stop in stops],
        "waiting": [stop.waiting for stop in stops],
        "start": [stop.start for stop in stops],
        "departure": [stop.departure for stop in stops],
        "slack": [stop.slack for stop in stops],
        **_by_dimension("load", instance, [stop.load for stop in stops]),
        "distance": [stop.distance for stop in stops],
        "travelled": [stop.travelled for stop in stops],
        "cost": [stop.cost for stop in stops],
    }
    return _with_clock(table, instance, TIMES_OF_STOPS, clock)


def route_table(instance: Instance, plan: Sequence[RouteRow], clock: bool | None = None) -> Table:
    """Return the columns of all routes; the parameters are those of `stop_table`."""
    table: Table = {
        "route": [row.route for row in plan],
        "vehicle": [instance.vehicle_label(row.vehicle) for row in plan],
        "customers": [row.customers for row in plan],
        "trips": [row.trips for row in plan],
        "start": [row.start for row in plan],
        "end": [row.end for row in plan],
        "distance": [row.distance for row in plan],
        "duration": [row.duration for row in plan],
        "waiting": [row.waiting for row in plan],
        "service": [row.service for row in plan],
        "overtime": [row.overtime for row in plan],
        **_by_dimension("load", instance, [row.load for row in plan]),
        **_by_dimension("capacity", instance, [row.capacity for row in plan]),
        "cost": [row.cost for row in plan],
        **{f"{part}_cost": [row.costs[part] for row in plan] for part in ("fixed", "distance", "duration", "overtime")},
    }
    return _with_clock(table, instance, TIMES_OF_ROUTES, clock)


def _by_dimension(name: str, instance: Instance, amounts: Sequence[Sequence[float]]) -> Table:
    """A column for each load dimension: ``load``, or ``load_0``, ``load_1`` and so on."""
    if instance.demands.ndim == 1:
        return {name: [each[0] for each in amounts]}
    return {f"{name}_{at}": [each[at] for each in amounts] for at in range(instance.demands.shape[1])}


def _with_clock(table: Table, instance: Instance, columns: Sequence[str], clock: bool | None) -> Table:
    if clock is None:
        clock = bool(instance.time_unit)
    if not isinstance(clock, bool):
        raise InputError(f"clock is {shown(clock)}; expected True, False, or None to go by the instance's time_unit.")
    if not clock:
        return table
    if not instance.time_unit:
        raise InputError(
            f"clock is True, and {instance.name} does not say what a unit of time is; expected a time_unit, 's', 'min' "
            "or 'h', counted from midnight; set it with Instance.with_."
        )
    seconds = in_seconds((time for name in columns for time in table[name]), instance.time_unit)
    return table | {
        name: [clock_text(time, instance.time_unit, seconds=seconds) for time in table[name]] for name in columns
    }


# DataFrames.


def as_frame(table: Table) -> "pandas.DataFrame":
    """Return a table as a DataFrame.

    Raises
    ------
    InputError
        If pandas is missing.
    """
    frame: pandas.DataFrame = _module("pandas", "DataFrames").DataFrame(table)
    return frame


def _module(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"{what} need {name}, which cannot be imported ({error}); run: {INSTALL}") from None


# Files.

FORMATS = (".csv", ".xlsx")
SHEETS = ("stops", "routes")
# What a workbook cannot hold.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def require_table(path: str | os.PathLike[str]) -> str:
    """Check, before a long search, that tables can be written to ``path``, and return it as text.

    Raises
    ------
    InputError
        If the suffix is unknown, it cannot be written there, or openpyxl is missing for a workbook.
    """
    target = os.fsdecode(path)
    suffix = os.path.splitext(target)[1].lower()
    if suffix not in FORMATS and target != STANDARD_OUTPUT:
        raise InputError(
            f"{shown_path(target)}: the suffix is {suffix!r}; expected .csv for the stops, or .xlsx for stops and "
            "routes on two sheets; rename it."
        )
    require_writable(target)
    if suffix == ".xlsx":
        _module("openpyxl", "Workbooks")
    return target


def write_tables(instance: Instance, plan: Sequence[RouteRow], path: str | os.PathLike[str]) -> None:
    """Write the stops as text with commas, or stops and routes as a workbook of two sheets.

    A cell is empty where a slack is unlimited. Text that a spreadsheet would take for a formula stays text.

    Parameters
    ----------
    instance
        The problem.
    plan
        Its routes.
    path
        A file that ends in ``.csv`` or ``.xlsx``; an existing one is replaced.

    Raises
    ------
    InputError
        If the suffix is another, the file cannot be written, or openpyxl is missing for a workbook.
    """
    target = require_table(path)
    stops = stop_table(instance, plan)
    if target.lower().endswith(".xlsx"):
        write_atomically(target, _workbook(dict(zip(SHEETS, (stops, route_table(instance, plan)), strict=True))))
    else:
        write_atomically(target, csv_text(_lines(stops)))


def _lines(table: Table) -> Iterator[list[Any]]:
    yield [*table]
    for row in zip(*table.values(), strict=True):
        yield [in_files(value) if isinstance(value, float) else value for value in row]


def _workbook(tables: dict[str, Table]) -> bytes:
    openpyxl = _module("openpyxl", "Workbooks")
    styles = importlib.import_module("openpyxl.styles")
    letter = importlib.import_module("openpyxl.utils").get_column_letter
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, table in tables.items():
        sheet = book.create_sheet(name)
        for number, row in enumerate(_lines(table), start=1):
            for column, value in enumerate(row, start=1):
                cell = sheet.cell(number, column, CONTROL.sub("\ufffd", value) if isinstance(value, str) else value)
                if isinstance(value, str):
                    cell.data_type = "s"  # else what begins with = is a formula
                if number == 1:
                    cell.font = styles.Font(bold=True)
        for column, (heading, values) in enumerate(table.items(), start=1):
            longest = max((len(value) for value in values[:1000] if isinstance(value, str)), default=0)
            sheet.column_dimensions[letter(column)].width = min(max(len(heading) + 2, longest + 2, 9), 40)
        sheet.freeze_panes = "A2"
        sheet.auto_filter.ref = sheet.dimensions
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()
