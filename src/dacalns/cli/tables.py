"""Options for tables of customers: which other tables and matrices belong to them, and what columns mean."""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dacalns.cli.console import err
from dacalns.cli.options import Rounding, read_instance
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

if TYPE_CHECKING:
    from dacalns.instances import Instance
    from dacalns.instances.vroom_problem import VroomProblem

PANEL = "Tables of customers (.csv, .xlsx)"

VehiclesOption = Annotated[
    str | None,
    typer.Option(help="The table of vehicles, or their number.", metavar="FILE|N", rich_help_panel=PANEL),
]
DepotOption = Annotated[
    list[str] | None,
    typer.Option(
        help="The depot: LAT,LON or X,Y, the name of a row, or a table. Several: repeat it.",
        metavar="LAT,LON|NAME|FILE",
        rich_help_panel=PANEL,
    ),
]
CapacityOption = Annotated[
    list[str] | None,
    typer.Option(
        help="The capacity of a vehicle, where no table says it; kg=100 for one of several loads.",
        metavar="[LOAD=]N",
        rich_help_panel=PANEL,
    ),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        help="What a column means whose name says something else: demand=Kisten.",
        metavar="MEANING=NAME",
        rich_help_panel=PANEL,
    ),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(help="Columns to leave out, with commas between.", metavar="NAME,…", rich_help_panel=PANEL),
]
SpeedOption = Annotated[
    float | None,
    typer.Option(help="Kilometres an hour on a map.", metavar="KMH", show_default="50", rich_help_panel=PANEL),
]
DetourOption = Annotated[
    float | None,
    typer.Option(
        help="How many times longer than the great circle ways on a map are.",
        metavar="FACTOR",
        show_default="1.3",
        rich_help_panel=PANEL,
    ),
]
TimeUnitOption = Annotated[
    str | None,
    typer.Option(help="The unit of times that are numbers: s, min or h.", metavar="s|min|h", rich_help_panel=PANEL),
]
MatrixOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Distances and times: the JSON of OSRM, Valhalla or GraphHopper, .npy or CSV. PROFILE=FILE for several.",
        metavar="[PROFILE=]FILE",
        rich_help_panel=PANEL,
    ),
]
DurationsOption = Annotated[
    list[str] | None,
    typer.Option(help="Driving times, if the matrix has none.", metavar="[PROFILE=]FILE", rich_help_panel=PANEL),
]


@dataclass(frozen=True)
class TableArguments:
    """What the options say; the fields have their names."""

    vehicles: str | None = None
    depot: Sequence[str] | None = None
    capacity: Sequence[str] | None = None
    column: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    speed: float | None = None
    detour: float | None = None
    time_unit: str | None = None
    matrix: Sequence[str] | None = None
    durations: Sequence[str] | None = None

    def keywords(self) -> dict[str, Any]:
        """Return what `dacalns.read` takes for tables."""
        said = {
            "vehicles": self.vehicles, "depot": _single(self.depot), "columns": self._columns(),
            "ignore": [name for given in self.ignore or () for name in given.split(",")] or None,
            "capacity": self._capacity(), "speed": self.speed, "detour": self.detour, "time_unit": self.time_unit,
            "matrix": _by_profile("matrix", self.matrix), "durations": _by_profile("durations", self.durations),
        }  # fmt: skip
        return {name: value for name, value in said.items() if value is not None}

    def files(self) -> dict[str, str]:
        """Return the files that are read, by the option that names each."""
        given = [("--vehicles", self.vehicles or ""), *(("--depot", each) for each in self.depot or ())]
        for option, paths in (("--matrix", self.matrix), ("--durations", self.durations)):
            given += [(option, path if os.path.isfile(path) else path.partition("=")[2]) for path in paths or ()]
        return {f"{option} ({path})": path for option, path in given if os.path.isfile(path)}

    def _columns(self) -> dict[str, str] | None:
        found: dict[str, str] = {}
        for given in self.column or ():
            meaning, equals, name = given.partition("=")
            if not (equals and meaning.strip() and name.strip()):
                raise InputError(f"column is {shown(given)}; expected MEANING=NAME, such as demand=Kisten; correct it.")
            if meaning.strip() in found:
                raise InputError(f"column gives {shown(meaning)} twice; expected it once; leave one out.")
            found[meaning.strip()] = name.strip()
        return found or None

    def _capacity(self) -> Any:
        if not self.capacity:
            return None
        found = {}
        for given in self.capacity:
            load, _, number = given.rpartition("=")
            try:
                value = float(number)
            except ValueError:
                raise InputError(
                    f"capacity is {shown(given)}; expected a number, or LOAD=N such as kg=100; correct it."
                ) from None
            if load in found:
                raise InputError(
                    f"capacity is given twice; expected one for each load; name the loads: --capacity kg={number}."
                )
            found[load] = value
        return found[""] if [*found] == [""] else found


def _single(given: Sequence[str] | None) -> Any:
    return None if not given else given[0] if len(given) == 1 else list(given)


def _by_profile(option: str, given: Sequence[str] | None) -> Any:
    """Return a path, or one for each profile."""
    if not given:
        return None
    if len(given) == 1 and (os.path.isfile(given[0]) or "=" not in given[0]):
        return given[0]
    found: dict[str, str] = {}
    for each in given:
        profile, equals, path = each.partition("=")
        if not (equals and profile and path) or profile in found:
            raise InputError(
                f"{option} is {shown(each)}, one of {len(given)}; expected PROFILE=FILE, each profile once; correct it."
            )
        found[profile] = path
    return found


FormatOption = Annotated[
    str | None,
    typer.Option("--format", help="vroom, for a problem in VROOM's JSON.", metavar="vroom", show_default="by content"),
]


def read_problem(
    instance: str, rounding: Rounding, fleet: str, tables: TableArguments, form: str | None, *, quiet: bool
) -> "tuple[Instance, VroomProblem | None]":
    """The instance that the arguments name, and what an answer needs if it is a problem of VROOM's."""
    from dacalns.instances.vroom_problem import is_vroom_file, read_vroom

    if form not in (None, "vroom"):
        raise InputError(f"format is {shown(form)}; expected vroom; leave it out to tell the format by the content.")
    if form is None and not is_vroom_file(instance):
        return read_tables(instance, rounding, fleet, tables, quiet=quiet), None
    given = [name for name in tables.keywords() if name not in ("speed", "detour")]
    given += ["fleet"] * (fleet != "auto") + ["rounding"] * (rounding is not Rounding.AUTO)
    if given:
        raise InputError(
            f"{given[0]} is given, and {shown(instance)} is a problem of VROOM's, which says all of it; expected speed "
            f"or detour at most; leave {given[0]} out."
        )
    problem = read_vroom(instance, speed=tables.speed, detour=tables.detour)
    return problem.instance, problem


def read_tables(instance: str, rounding: Rounding, fleet: str, tables: TableArguments, *, quiet: bool) -> "Instance":
    """The instance that the arguments name; what users should know of how tables were read is printed."""
    log, notes = logging.getLogger("dacalns"), _Notes()
    before = log.level, log.propagate
    log.addHandler(notes)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        problem = read_instance(instance, rounding, fleet, **tables.keywords())
    finally:
        log.removeHandler(notes)
        log.setLevel(before[0])
        log.propagate = before[1]
    for note in [] if quiet else notes.sentences:  # where reading fails, its error is all that is said
        err.print(f"Note: {note}", style="dim", soft_wrap=True)
    return problem


class _Notes(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.sentences: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.sentences.append(record.getMessage())
