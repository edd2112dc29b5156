"""What a search returns."""

import json
import os
import platform
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llvmlite
import numba
import numpy as np
from llvmlite.binding import get_host_cpu_name

from dacalns.instances.best_known import best_known_word
from dacalns.instances.features import in_capitals
from dacalns.search.output import geojson, notebook, page, tables, text
from dacalns.search.output.rows import RouteRow, plan_rows
from dacalns.search.output.words import count, number
from dacalns.search.policy_view import Explanation
from dacalns.search.reasons import Reasons
from dacalns.search.relaxation import Relaxation
from dacalns.search.route_plan import RoutePlan
from dacalns.search.solved import AnyInstance, Solved, instance_of
from dacalns.search.stopping import DISTANCE
from dacalns.util.errors import InputError
from dacalns.util.files import write_atomically
from dacalns.util.json_text import json_text
from dacalns.util.shown import LIST, shortened, shown_path
from dacalns.util.typed_data import from_plain

if TYPE_CHECKING:
    import pandas

    from dacalns.instances import Instance


@dataclass(frozen=True)
class NewBest:
    """A new best solution: when it was found, what it costs, and how many customers it leaves unserved.

    ``vehicles`` is the number of its routes where the objective counts them, and None elsewhere. Callbacks get the
    ``routes`` and their ``vehicle_types``; the history of a result has them only where ``solve`` was told to record
    them, and never in JSON.
    """

    iteration: int
    seconds: float
    cost: float
    unserved: int = 0
    vehicles: int | None = None
    routes: list[list[int]] = field(default_factory=list)
    vehicle_types: list[int] = field(default_factory=list)
    #: What the search minimises, in scaled units: searches side by side compare it.
    value: float = field(default=0.0, repr=False, compare=False)

    def for_history(self) -> "NewBest":
        """Return the event without its routes."""
        return NewBest(self.iteration, self.seconds, self.cost, self.unserved, self.vehicles)


@dataclass(frozen=True)
class OperatorUse:
    """How often the operators were used, and what came of it.

    Matrices have a row for each destroy and a column for each repair operator.
    """

    destroy: list[str]
    repair: list[str]
    uses: list[list[int]]
    seconds: list[list[float]]
    new_best: list[list[int]]
    better: list[list[int]]
    accepted_new: list[list[int]]
    accepted: list[list[int]]
    destroy_seconds: list[float]
    repair_seconds: list[float]
    mean_removed: list[float]

    def require_tables(self) -> None:
        """Raise an `InputError` unless every matrix and list has a place for each operator."""
        for name, value in vars(self).items():
            kind = name.partition("_")[0]
            if name in ("destroy", "repair"):
                continue
            if name in ("destroy_seconds", "repair_seconds", "mean_removed"):
                fits = len(value) == len(self.repair if kind == "repair" else self.destroy)
            else:
                fits = [len(row) for row in value] == [len(self.repair)] * len(self.destroy)
            if not fits:
                raise InputError(
                    f"result: operators.{name} does not fit {len(self.destroy)} destroy and {len(self.repair)} repair "
                    "operators; expected a number for each."
                )

    @property
    def destroy_uses(self) -> list[int]:
        """Uses of each destroy operator."""
        return [sum(row) for row in self.uses]

    @property
    def repair_uses(self) -> list[int]:
        """Uses of each repair operator."""
        return [sum(column) for column in zip(*self.uses, strict=True)]


@dataclass(frozen=True)
class TimeSplit:
    """The seconds of a run, by what they were spent on.

    Of a learned selector's ``selection``: reading solutions (``features``), the network (``forward``) and learning
    (``backward``). ``fleet`` is the search for fewer vehicles, which is no part of the others.
    """

    operators: float
    selection: float
    bookkeeping: float
    features: float = 0.0
    forward: float = 0.0
    backward: float = 0.0
    fleet: float = 0.0


@dataclass(frozen=True)
class FleetPhase:
    """What the search for fewer vehicles did before the search for distance.

    It began with ``start_vehicles`` and ended with ``vehicles``; no solution has fewer than ``bound``.
    """

    start_vehicles: int
    vehicles: int
    bound: int
    iterations: int
    seconds: float


# What only results of problems beyond CVRP and VRPTW say.
DETAILS = ("vehicle_types", "cost_parts", "left_out", "plans")


@dataclass(frozen=True, repr=False)
class Result:
    """The best solution found, how it was found, and all that is needed to find it again.

    ``cost`` is the cost of ``routes`` in the instance's own units: of a CVRP or VRPTW, their distance. Where
    ``feasible`` is False, ``unserved`` lists the customers that no route could take; all limits hold for the others.
    ``vehicle_types`` has the vehicle type of each route. For problems beyond CVRP and VRPTW, ``cost_parts`` has what
    vehicles (``fixed``), ``distance``, ``duration``, ``overtime`` and missed ``prizes`` cost, ``left_out`` the optional
    customers that are not visited, and ``plans`` the stops, times, loads and costs of each route.

    ``reasons`` has a `Reason` for each customer in ``unserved`` or ``left_out``: what stands in the way at the places
    of this answer. They are looked for when they are first read. With `dacalns.explain_unserved` they say what would
    help, and ``together`` what would serve all of ``unserved`` at once.

    ``explanation`` has the probabilities and values of a learned policy; it is None for other selectors.
    ``best_known_origin`` is the run that found ``best_known`` where that is a reference of our own, and empty where it
    is published. With several ``jobs``, ``iterations``, ``operators`` and ``time`` are sums over them, the iterations
    in ``history`` count those of all, and ``explanation`` is that of the job which found the solution.

    With the objective ``vehicles-then-distance``, ``fleet_phase`` is the search for fewer vehicles; iterations and
    seconds are those of both searches, and ``operators`` those of the second. ``best_known`` is then the least distance
    published with the fewest vehicles, ``best_known_vehicles``, and there is a gap only to a solution with as many.

    ``selector_note`` says that a fixed mixture stands in for the policy that the portfolio has for other problems, and
    ``portfolio_note`` that a policy was trained for another portfolio than the default, and brought it.

    ``warnings`` are sentences on what went wrong on the way without costing the answer.

    A result of a search knows its instance, which tables, pages and printed routes need. JSON is without it: give it to
    `from_json`, or to the method that needs it.
    """

    instance: str
    problem: str
    customers: int
    cost: float
    feasible: bool
    routes: list[list[int]]
    unserved: list[int]
    best_known: float | None
    gap_percent: float | None
    seed: int
    selector: str
    portfolio: str
    iterations: int
    seconds: float
    iterations_per_second: float
    compile_seconds: float
    stopped_by: str
    start_cost: float
    rounding: str
    fleet: int | None
    history: list[NewBest]
    operators: OperatorUse
    time: TimeSplit
    settings: dict[str, Any] = field(default_factory=dict)
    version: str = ""
    explanation: Explanation | None = None
    best_known_origin: str = ""
    jobs: int = 1
    objective: str = DISTANCE
    best_known_vehicles: int | None = None
    fleet_phase: FleetPhase | None = None
    warnings: list[str] = field(default_factory=list)
    vehicle_types: list[int] = field(default_factory=list)
    cost_parts: dict[str, float] = field(default_factory=dict)
    left_out: list[int] = field(default_factory=list)
    plans: list[RoutePlan] = field(default_factory=list)
    selector_note: str = ""
    portfolio_note: str = ""
    # They follow from the rest and the instance.
    reasons: Reasons = field(default_factory=Reasons, repr=False, compare=False)
    together: list[Relaxation] = field(default_factory=list, repr=False, compare=False)
    solved: Solved = field(default_factory=Solved, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not any(self.vehicle_types):  # of a plain problem, or of one with a single type
            object.__setattr__(self, "vehicle_types", [0] * len(self.routes))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain lists, dictionaries and numbers."""
        plain = asdict(self)
        del plain["solved"]
        for event in plain["history"]:
            del event["routes"], event["vehicle_types"], event["value"]
        if not self.cost_parts:
            for name in DETAILS:
                del plain[name]
        plain["reasons"] = self.reasons.to_list()
        for name in ("selector_note", "portfolio_note", "reasons", "together"):
            if not plain[name]:
                del plain[name]
        return plain

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The result as JSON text, also written to ``path`` if one is given."""
        text = json_text(self.to_dict())
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    @classmethod
    def from_dict(cls, data: dict[str, Any], instance: AnyInstance | None = None) -> "Result":
        """The result that :meth:`to_dict` described.

        Parameters
        ----------
        data
            What :meth:`to_dict` returned.
        instance
            What was solved, or its path or name: tables, pages and printed times need it.

        Raises
        ------
        InputError
            If ``data`` lacks a field, has one that no result has, or one of another type, or the instance is another.
        """
        if isinstance(data, dict) and data.get("explanation") is not None:
            data = data | {"explanation": Explanation.from_dict(data["explanation"])}
        if isinstance(data, dict) and "reasons" in data:
            data = data | {"reasons": Reasons.from_list(data["reasons"])}
        if isinstance(data, dict) and "solved" in data:
            raise InputError("result: 'solved' is not known; expected the JSON of a dac-alns result; leave it out.")
        result = from_plain(cls, data, "result")
        result.operators.require_tables()
        if instance is None:
            return result
        return replace(result, solved=Solved(instance_of(result, instance, "tables")))

    @classmethod
    def from_json(cls, source: str | os.PathLike[str], instance: AnyInstance | None = None) -> "Result":
        """Read a result from a JSON file, or from JSON text; ``instance`` is what was solved, as in `from_dict`."""
        is_text = isinstance(source, str) and source.lstrip().startswith("{")
        try:
            text = str(source) if is_text else Path(source).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"{shown_path(source)}: cannot be read ({shortened(reason, LIST)}); expected a JSON file; check the "
                "path."
            ) from None
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:  # the integer of 5000 digits is a ValueError, too
            where = "JSON text" if is_text else shown_path(source)
            line = getattr(error, "lineno", 1)
            reason = shortened(getattr(error, "msg", str(error)), LIST)
            raise InputError(f"{where}:{line}: {reason}; expected JSON; check the file.") from None
        if not isinstance(data, dict):
            raise InputError(f"result is a JSON {type(data).__name__}; expected the JSON of a dac-alns result.")
        return cls.from_dict(data, instance)

    # The plan, for people and for other programs.

    def stops(self, instance: AnyInstance | None = None, *, clock: bool | None = None) -> "pandas.DataFrame":
        """All stops as a DataFrame, a row each, depots included.

        The columns are ``route``, ``vehicle`` (the number of its type), ``sequence``, ``kind`` (``start``,
        ``customer``, ``pickup``, ``delivery``, ``reload`` or ``end``), ``customer`` (what the node is called),
        ``node``, ``arrival``, ``waiting``, ``start`` (of service), ``departure``, ``slack`` (how much later the
        vehicle could arrive here without breaking a limit here or further on), ``load`` after the stop, ``distance``
        from the stop before, ``travelled`` since the start, and ``cost`` since the departure from the stop before. With
        several load dimensions there are ``load_0``, ``load_1`` and so on.

        Parameters
        ----------
        instance
            What was solved, or its path or name; only a result from JSON needs it.
        clock
            Whether ``arrival``, ``start`` and ``departure`` are times of day such as ``"08:30"``, and numbers
            otherwise. Left out: whether the instance has a ``time_unit``.

        Raises
        ------
        InputError
            If the instance is not known, or another one, times of day are wanted without a unit, or pandas is missing.
        """
        known, plan = self._plan(instance, "tables")
        return tables.as_frame(tables.stop_table(known, plan, clock))

    def routes_table(self, instance: AnyInstance | None = None, *, clock: bool | None = None) -> "pandas.DataFrame":
        """All routes as a DataFrame, a row each.

        The columns are ``route``, ``vehicle``, ``customers``, ``trips``, ``start``, ``end``, ``distance``,
        ``duration``, ``waiting``, ``service``, ``overtime``, the largest ``load`` and the ``capacity`` in each
        dimension, ``cost`` and its parts. Parameters and errors are those of `stops`.
        """
        known, plan = self._plan(instance, "tables")
        return tables.as_frame(tables.route_table(known, plan, clock))

    def to_table(self, path: str | os.PathLike[str], instance: AnyInstance | None = None) -> None:
        """Write the stops as a ``.csv`` file, or stops and routes as the two sheets of an ``.xlsx`` file.

        Raises
        ------
        InputError
            If the instance is not known, or another one, the file cannot be written, or openpyxl is missing.
        """
        target = tables.require_table(path)
        tables.write_tables(*self._plan(instance, "tables"), target)

    def to_geojson(self, path: str | os.PathLike[str] | None = None, instance: AnyInstance | None = None) -> str:
        """The plan as GeoJSON, also written to ``path`` if one is given.

        A FeatureCollection has a LineString for each route and a Point for each stop, and for each customer who is not
        visited. Properties are what the tables have as columns; times are numbers, and times of day besides where the
        instance has a ``time_unit``.

        Raises
        ------
        InputError
            If the instance is not known, another one, or without longitudes and latitudes (`Instance.lonlat`), or the
            file cannot be written.
        """
        known, plan = self._plan(instance, "places")
        made = geojson.geojson(known, plan, self.unserved, self.left_out)
        if path is not None:
            write_atomically(path, made)
        return made

    def to_html(self, path: str | os.PathLike[str] | None = None, instance: AnyInstance | None = None) -> str:
        """One page that shows the plan, also written to ``path`` if one is given. It needs no network.

        The page has a map that can be moved and enlarged, the routes with their loads and lengths, their times against
        the windows, the cost over time, what the selector chose, and who is not served and why. Where ``solve`` was
        told to record routes (``record_routes=True``), a slider leads through the successive bests.

        Raises
        ------
        InputError
            If the instance is not known, or another one, or the file cannot be written.
        """
        made = page.page(instance_of(self, instance, "pages"), self)
        if path is not None:
            write_atomically(path, made)
        return made

    def _plan(self, instance: AnyInstance | None, what: str) -> "tuple[Instance, list[RouteRow]]":
        known = instance_of(self, instance, what)
        return known, plan_rows(known, self.routes, self.vehicle_types)

    # Words.

    def __repr__(self) -> str:
        served = "feasible" if self.feasible else f"{count(len(self.unserved), 'customer')} unserved"
        routes = count(len(self.routes), "route")
        return f"Result({self.instance!r}: cost {number(self.cost)}, {routes}, {served}, {self.seconds:.2f} s)"

    def _repr_html_(self) -> str:
        return notebook.result_html(self, self.solved.for_result(self))

    def __str__(self) -> str:
        head, foot = self._head, self._foot
        routes = text.route_lines(self, self.solved.for_result(self))
        return "\n".join([*head, *(f"    {line}" for line in routes), *foot])

    def summary_lines(self) -> list[str]:
        """Return the lines that are printed, without those of the routes."""
        return [*self._head, *self._foot]

    @property
    def _head(self) -> list[str]:
        word = best_known_word(self.best_known_origin)
        gap = (
            ""
            if self.gap_percent is None or self.best_known is None
            else f"  gap {self.gap_percent:.2f} % to {word} {number(self.best_known)}"
        )
        fewer = self.best_known_vehicles is not None and len(self.routes) < self.best_known_vehicles and self.feasible
        if fewer or (self.gap_percent is not None and self.gap_percent < -1e-9):
            gap += f"\n  BELOW the {word} value: check the rounding and the fleet limit, or report a new best"
        routes = f"{count(len(self.routes), 'route')}{self._about_vehicles}{about_types(self.vehicle_types)}"
        return [
            f"{self.instance}: {in_capitals(self.problem)}, {count(self.customers, 'customer')}, rounding "
            f"{self.rounding}, fleet {'free' if self.fleet is None else self.fleet}",
            f"  cost {number(self.cost)}{about_costs(self.cost_parts)}{gap}",
            f"  {routes}, {self._about_customers}",
            *(f"    {line}" for line in self.reasons.lines(MOST_REASONS)),
        ]

    @property
    def _foot(self) -> list[str]:
        speed = f"{self.iterations_per_second:,.0f}/s" + (f", {self.jobs} jobs" if self.jobs > 1 else "")
        note = f" ({self.selector_note})" if self.selector_note else ""
        why = f" ({self.portfolio_note})" if self.portfolio_note else ""
        return [
            f"  {count(self.iterations, 'iteration')} in {self.seconds:.2f} s ({speed}), stopped by {self.stopped_by}",
            f"  selector {self.selector}{note}, portfolio {self.portfolio}{why}, seed {self.seed}, "
            f"version {self.version}",
            *(f"  Warning: {sentence}" for sentence in self.warnings),
        ]

    @property
    def _about_customers(self) -> str:
        if not self.feasible:
            several = "s" * (len(self.unserved) != 1)
            return f"INFEASIBLE: unserved customer{several} {about_unserved(self.unserved, self._called)}"
        return "feasible" + about_left_out(self.left_out, self._called)

    def _called(self, node: int) -> str:
        """A customer as it is printed: its number, behind its name if it has one."""
        instance = self.solved.for_result(self)
        name = "" if instance is None else instance.name_of(node)
        return f"{shortened(name, text.NAME)} ({node})" if name not in ("", str(node)) else str(node)

    @property
    def _about_vehicles(self) -> str:
        if self.fleet_phase is None:
            return ""
        known = "" if self.best_known_vehicles is None else f"best-known {self.best_known_vehicles}, "
        return f" ({known}at least {self.fleet_phase.bound} needed)"


MOST_REASONS = 3
"""So many reasons are printed; of more, how many there are."""

# What is said of answers to problems beyond CVRP and VRPTW, and nothing of others.

MOST_LISTED = 8
"""As many vehicle types, or customers left out, are listed; of more, the first ones."""


def about_costs(parts: dict[str, float]) -> str:
    """Return the parts of a cost in brackets, if it has several."""
    known = [f"{name} {number(part)}" for name, part in parts.items() if part]
    return f" ({', '.join(known)})" if len(known) > 1 else ""


def about_types(types: list[int]) -> str:
    """Return how many routes each vehicle type has, if they are not all of the first type."""
    if not any(types):
        return ""
    counts = sorted(Counter(types).items())
    listed = [f"{count} of type {kind}" for kind, count in counts[:MOST_LISTED]]
    rest = sum(count for _, count in counts[MOST_LISTED:])
    return f" ({', '.join(listed + [f'{rest} of others'] * (rest > 0))})"


MOST_UNSERVED = 20
"""As many unserved customers are listed; of more, how many there are."""


def about_unserved(customers: list[int], called: Callable[[int], str] = str) -> str:
    """Return which customers are not served, or the first of them."""
    rest = len(customers) - MOST_UNSERVED
    listed = ", ".join(map(called, customers[:MOST_UNSERVED]))
    return f"{listed} and {rest} more" if rest > 0 else listed


def about_left_out(customers: list[int], called: Callable[[int], str] = str) -> str:
    """Return which optional customers are left out, if any are."""
    if not customers:
        return ""
    more = ", …" * (len(customers) > MOST_LISTED)
    listed = ", ".join(map(called, customers[:MOST_LISTED]))
    return f", {len(customers)} optional customer{'s' * (len(customers) > 1)} left out: {listed}{more}"


@cache
def _platform_facts() -> dict[str, str]:
    return {
        "machine": platform.machine(),
        "processor": os.environ.get("NUMBA_CPU_NAME") or get_host_cpu_name(),
        "c_library": " ".join(platform.libc_ver()).strip() or platform.system(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
    }


def platform_facts() -> dict[str, str]:
    """Return the machine, the processor that kernels are compiled for, and the versions of what computes.

    The last digits of an answer may depend on these besides instance, settings and seed.
    """
    return dict(_platform_facts())
