"""What a search returns."""

import json
import os
import platform
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite.binding import get_host_cpu_name

from dacalns.instances.best_known import best_known_word
from dacalns.instances.features import in_capitals
from dacalns.search.policy_view import Explanation
from dacalns.search.reasons import Reasons
from dacalns.search.route_plan import RoutePlan
from dacalns.search.stopping import DISTANCE
from dacalns.util.errors import InputError
from dacalns.util.files import write_atomically
from dacalns.util.shown import LIST, shortened, shown_path
from dacalns.util.typed_data import from_plain


@dataclass(frozen=True)
class NewBest:
    """A new best solution: when it was found, what it costs, and how many customers it leaves unserved.

    ``vehicles`` is the number of its routes where the objective counts them, and None elsewhere. Callbacks get the
    ``routes`` and their ``vehicle_types``; the history of a result goes without them.
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


@dataclass(frozen=True)
class Result:
    """The best solution found, how it was found, and all that is needed to find it again.

    ``cost`` is the cost of ``routes`` in the instance's own units: of a CVRP or VRPTW, their distance. Where
    ``feasible`` is False, ``unserved`` lists the customers that no route could take; all limits hold for the others.
    ``vehicle_types`` has the vehicle type of each route. For problems beyond CVRP and VRPTW, ``cost_parts`` has what
    vehicles (``fixed``), ``distance``, ``duration``, ``overtime`` and missed ``prizes`` cost, ``left_out`` the optional
    customers that are not visited, and ``plans`` the stops, times, loads and costs of each route.

    ``reasons`` has a `Reason` for each customer in ``unserved`` or ``left_out``: what stands in the way at the places
    of this answer. They are looked for when they are first read.

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

    def __post_init__(self) -> None:
        if not any(self.vehicle_types):  # of a plain problem, or of one with a single type
            object.__setattr__(self, "vehicle_types", [0] * len(self.routes))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain lists, dictionaries and numbers."""
        plain = asdict(self)
        for event in plain["history"]:
            del event["routes"], event["vehicle_types"], event["value"]
        if not self.cost_parts:
            for name in DETAILS:
                del plain[name]
        plain["reasons"] = self.reasons.to_list()
        for name in ("selector_note", "portfolio_note", "reasons"):
            if not plain[name]:
                del plain[name]
        return plain

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The result as JSON text, also written to ``path`` if one is given."""
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False)
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Result":
        """The result that :meth:`to_dict` described.

        Raises
        ------
        InputError
            If ``data`` lacks a field, has one that no result has, or one of another type.
        """
        if isinstance(data, dict) and data.get("explanation") is not None:
            data = data | {"explanation": Explanation.from_dict(data["explanation"])}
        if isinstance(data, dict) and "reasons" in data:
            data = data | {"reasons": Reasons.from_list(data["reasons"])}
        result = from_plain(cls, data, "result")
        result.operators.require_tables()
        return result

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> "Result":
        """Read a result from a JSON file, or from JSON text."""
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
        return cls.from_dict(data)

    def __str__(self) -> str:
        word = best_known_word(self.best_known_origin)
        gap = (
            ""
            if self.gap_percent is None or self.best_known is None
            else f"  gap {self.gap_percent:.2f} % to {word} {self.best_known:.10g}"
        )
        fewer = self.best_known_vehicles is not None and len(self.routes) < self.best_known_vehicles and self.feasible
        if fewer or (self.gap_percent is not None and self.gap_percent < -1e-9):
            gap += f"\n  BELOW the {word} value: check the rounding and the fleet limit, or report a new best"
        routes = f"{len(self.routes)} routes{self._about_vehicles}{about_types(self.vehicle_types)}"
        speed = f"{self.iterations_per_second:,.0f}/s" + (f", {self.jobs} jobs" if self.jobs > 1 else "")
        note = f" ({self.selector_note})" if self.selector_note else ""
        why = f" ({self.portfolio_note})" if self.portfolio_note else ""
        lines = [
            f"{self.instance}: {in_capitals(self.problem)}, {self.customers} customers, rounding {self.rounding}, "
            f"fleet {'free' if self.fleet is None else self.fleet}",
            f"  cost {self.cost:.10g}{about_costs(self.cost_parts)}{gap}",
            f"  {routes}, {self._about_customers}",
            *(f"    {line}" for line in self.reasons.lines(MOST_REASONS)),
            f"  {self.iterations} iterations in {self.seconds:.2f} s ({speed}), stopped by {self.stopped_by}",
            f"  selector {self.selector}{note}, portfolio {self.portfolio}{why}, seed {self.seed}, "
            f"version {self.version}",
            *(f"  Warning: {sentence}" for sentence in self.warnings),
        ]
        return "\n".join(lines)

    @property
    def _about_customers(self) -> str:
        if not self.feasible:
            return f"INFEASIBLE: unserved customers {', '.join(map(str, self.unserved))}"
        return "feasible" + about_left_out(self.left_out)

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
    known = [f"{name} {part:.10g}" for name, part in parts.items() if part]
    return f" ({', '.join(known)})" if len(known) > 1 else ""


def about_types(types: list[int]) -> str:
    """Return how many routes each vehicle type has, if they are not all of the first type."""
    if not any(types):
        return ""
    counts = sorted(Counter(types).items())
    listed = [f"{count} of type {kind}" for kind, count in counts[:MOST_LISTED]]
    rest = sum(count for _, count in counts[MOST_LISTED:])
    return f" ({', '.join(listed + [f'{rest} of others'] * (rest > 0))})"


def about_left_out(customers: list[int]) -> str:
    """Return which optional customers are left out, if any are."""
    if not customers:
        return ""
    more = ", …" * (len(customers) > MOST_LISTED)
    listed = ", ".join(map(str, customers[:MOST_LISTED]))
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
