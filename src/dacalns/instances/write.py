"""Write an instance to a file."""

import os
from collections.abc import Collection, Iterable, Iterator

import numpy as np

from dacalns.instances.features import WINDOWS
from dacalns.instances.fields import CONTENT, Meaning, fields_with, is_default
from dacalns.instances.instance import Instance
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

    Neither format holds the rounding: give it to `read` where it is not the automatic one.

    Parameters
    ----------
    instance
        What to write.
    path
        A file ending in ``.vrp`` (VRPLIB) or ``.txt`` (Solomon's format, for time windows and a limited
        fleet only). Devices and pipes get VRPLIB.

    Raises
    ------
    InputError
        When the suffix is another, the format cannot hold the instance, or the file cannot be written.
    """
    target = os.fsdecode(path)
    suffix = os.path.splitext(target)[1].lower()
    if suffix == ".vrp" or (not suffix and not is_plain(target)):
        lines = _vrplib_lines(instance, target)
    elif suffix == ".txt":
        lines = _solomon_lines(instance, target)
    else:
        raise InputError(
            f"{shown_path(target)}: the suffix is {shown(suffix)}; expected .vrp or .txt; rename the file."
        )
    write_atomically(target, "\n".join(lines) + "\n")


def _require_held(instance: Instance, target: str, *written: Collection[str]) -> None:
    """Raise an `InputError` that names what a format cannot say: a field of the problem, or a feature.

    Neither format holds rules: `read` is told the rounding.
    """
    held = set().union(*written) | fields_with(Instance, Meaning.RULE).keys()
    lacking = [
        name
        for name, each in fields_with(instance, *CONTENT).items()
        if name not in held and not is_default(each, getattr(instance, name))
    ]
    lacking += sorted(instance.features - {WINDOWS})
    if lacking:
        raise InputError(
            f"{shown_path(target)}: {shortened(instance.name, VALUE)} has {listed(lacking)}, which this format cannot "
            "say; expected an instance without; take it out, or keep the instance in Python."
        )


def _vrplib_lines(instance: Instance, target: str) -> Iterator[str]:
    _require_held(instance, target, SPECIFICATIONS, SECTIONS)
    yield f"NAME : {instance.name}"
    if instance.comment:
        yield f"COMMENT : {instance.comment}"
    yield f"TYPE : {instance.problem.upper()}"
    yield f"DIMENSION : {len(instance.demands)}"
    for lines in (*SPECIFICATIONS.values(), *SECTIONS.values()):
        yield from lines(instance)
    yield from ("DEPOT_SECTION", "1", "-1", "EOF")


def _vehicles(instance: Instance) -> Iterator[str]:
    if instance.fleet is not None:
        yield f"VEHICLES : {instance.fleet}"


def _capacity(instance: Instance) -> Iterator[str]:
    yield f"CAPACITY : {number_text(instance.capacity)}"


def _same_service(instance: Instance) -> bool:
    return bool((instance.service[1:] == instance.service[1]).all())


def _service_time(instance: Instance) -> Iterator[str]:
    if _same_service(instance) and instance.service[1] != 0:
        yield f"SERVICE_TIME : {number_text(instance.service[1])}"


def _edge_weights(instance: Instance) -> Iterator[str]:
    if instance.matrix is None:
        yield "EDGE_WEIGHT_TYPE : EUC_2D"
    else:
        yield "EDGE_WEIGHT_TYPE : EXPLICIT"
        yield "EDGE_WEIGHT_FORMAT : FULL_MATRIX"
        yield "EDGE_WEIGHT_SECTION"
        yield from (_row(row) for row in instance.matrix)


def _coordinates(instance: Instance) -> Iterator[str]:
    if instance.coordinates is not None:
        yield from _section("NODE_COORD_SECTION", instance.coordinates)


def _demands(instance: Instance) -> Iterator[str]:
    yield from _section("DEMAND_SECTION", instance.demands[:, None])


def _windows(instance: Instance) -> Iterator[str]:
    if instance.windows is not None:
        yield from _section("TIME_WINDOW_SECTION", instance.windows)


def _service_times(instance: Instance) -> Iterator[str]:
    if not _same_service(instance):
        yield from _section("SERVICE_TIME_SECTION", instance.service[:, None])


# The fields that a VRPLIB file holds, in the order of the file, and what writes each of them.
SPECIFICATIONS = {"fleet": _vehicles, "capacity": _capacity, "service": _service_time, "matrix": _edge_weights}
SECTIONS = {"coordinates": _coordinates, "demands": _demands, "windows": _windows, "service": _service_times}


def _section(heading: str, rows: Iterable[Iterable[float]]) -> Iterator[str]:
    yield heading
    for node, row in enumerate(rows, start=1):
        yield f"{node} {_row(row)}"


def _row(values: Iterable[float]) -> str:
    return " ".join(number_text(value) for value in values)


def _solomon_lines(instance: Instance, target: str) -> Iterator[str]:
    _require_held(instance, target, SOLOMON_VEHICLE, SOLOMON_COLUMNS, {"matrix"})  # a matrix is refused below
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
            "all that Solomon's format holds; write a .vrp file."
        )
    yield from (instance.name, "", "VEHICLE", "NUMBER CAPACITY")
    yield _row(getattr(instance, field) for field in SOLOMON_VEHICLE)
    yield from ("", "CUSTOMER", SOLOMON_TITLE)
    table = np.column_stack([getattr(instance, field) for field in SOLOMON_COLUMNS])
    for node, row in enumerate(table):
        yield f"{node} {_row(row)}"
