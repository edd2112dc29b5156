"""The runs of a comparison of solvers: which solvers run, in which order, and how a process does one run."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from dacalns.bench.peers import Hgs, OrTools, Ours, Peer, PyVrp
from dacalns.bench.quality.sets import Subset
from dacalns.engines import Processes
from dacalns.instances import Instance, generate_cvrp, generate_rich, generate_vrptw
from dacalns.study.content_key import code_version, digest, instance_digest
from dacalns.study.rows import DONE, Member, Row
from dacalns.study.task import RunTask, checked, types_in_settings
from dacalns.util.values import require_choice

SOLVERS: tuple[Peer, ...] = (
    # Wins and losses are counted for the first one against each of the others.
    Ours("ours", "dac-alns", {"portfolio": "full"}),
    Ours("uniform", "dac-alns, uniform choice", {"portfolio": "full", "selector": "random"}),
    Ours("paper", "dac-alns, paper's portfolio", {"portfolio": "paper"}),
    PyVrp(),
    OrTools(),
    Hgs(),
)


def chosen_solvers(keys: Sequence[str]) -> list[Peer]:
    """Return the solvers that are named, in the order of the list; all of them if none is named.

    Raises
    ------
    InputError
        If there is no such solver.
    """
    known = [solver.key for solver in SOLVERS]
    for key in keys:
        require_choice("solver", key, known)
    return [solver for solver in SOLVERS if not keys or solver.key in keys]


# One run, which is done in the process of its solver.

# How many seconds beyond its time a solver may take before its process is ended. Its data must be prepared first, and
# it is better to report an overrun than to cut it short.
PATIENCE = 120.0
# Loading may take long, because some code is compiled before the first run, once on each machine.
LOADING_PATIENCE = 600.0
WARM_UP_SECONDS = 0.05

_warm: set[tuple[str, bool]] = set()
"""The keys of the solvers that this process has imported and compiled, and whether for plain problems."""


def warm_up(solver: Peer, *, plain: bool = True) -> None:
    """Import and compile all that a solver needs in this process for plain or for rich problems, before its time."""
    if (solver.key, plain) in _warm:
        return
    plain_ones = generate_cvrp(10, seed=1), generate_vrptw(10, seed=1)
    for instance in plain_ones if plain else (generate_rich(10, ("pickups",), seed=1),):
        if solver.refuses(instance) is None:
            solver.prepare(instance, WARM_UP_SECONDS, 0)()
    _warm.add((solver.key, plain))


@dataclass(frozen=True)
class SolverTask(RunTask):
    """One run of one solver, with all that its process needs to do it.

    Parameters
    ----------
    key
        The key of the row.
    instance, solver, seconds, seed
        The instance, the solver, its time and its seed.
    patience
        The seconds beyond twice the budget after which the process is ended.
    attempt
        1 or 2.
    """

    key: str
    instance: Instance
    solver: Peer
    seconds: float
    seed: int
    patience: float = PATIENCE
    attempt: int = 1

    @property
    def method(self) -> str:
        """The key of the solver."""
        return self.solver.key

    @property
    def budget(self) -> str:
        """The budget in words."""
        return f"{self.seconds:.6g} s"

    @property
    def limit(self) -> float:
        """The seconds after which the process is ended if there is no answer."""
        return self.patience + 2 * self.seconds

    def load(self) -> None:
        """Load the solver without a run."""
        warm_up(self.solver, plain=self.instance.is_plain)

    def done(self) -> Row:
        """Let the solver run, and return the row; only its routes count, which our checker measures."""
        warm_up(self.solver, plain=self.instance.is_plain)
        run = self.solver.prepare(self.instance, self.seconds, self.seed)
        began, processor_began = time.perf_counter(), time.process_time()
        answer = run()
        wall_seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - processor_began
        reported = None if answer.cost is None or not math.isfinite(answer.cost) else float(answer.cost)
        return self.row_with(
            DONE,
            **checked(self.instance, answer.routes, answer.types),
            wall_seconds=wall_seconds,
            cpu_seconds=cpu_seconds,
            iterations=0,  # other solvers do not say how many
            history=[[0, float(moment), float(cost), 0] for moment, cost in answer.trajectory or []],
            settings={
                "solver": self.solver.name,
                "version": self.solver.version(),
                REPORTED: reported,
                **types_in_settings(self.instance, answer.types),
            },
        )


REPORTED = "reported_cost"
"""The name of the setting in a row with the cost that the solver itself reports; None if it reports none."""

Value = TypeVar("Value")


class SolverProcesses:
    """An engine with a process for each solver, only one of which works at a time.

    So no solver can disturb or crash the others, and each keeps what it has loaded for its next run.
    """

    def __init__(self) -> None:
        self._processes: dict[str, Processes] = {}

    @property
    def slots(self) -> int:
        """One, because no two solvers run at the same time."""
        return 1

    def submit(self, call: Callable[..., Value], *arguments: Any) -> "Future[Value]":
        """Make a call whose first argument is a `SolverTask`, in the process of its solver, within its limit."""
        task: SolverTask = arguments[0]
        if task.solver.key not in self._processes:
            self._processes[task.solver.key] = Processes(1).__enter__()
        return self._processes[task.solver.key].submit(call, *arguments, limit=task.limit)

    def __enter__(self) -> "SolverProcesses":
        return self

    def __exit__(self, *_: object) -> None:
        while self._processes:
            self._processes.popitem()[1].__exit__(None, None, None)


# All runs on a subset.


@dataclass(frozen=True)
class SolverRun:
    """A run of a comparison, for the runner of studies."""

    member: Member
    of: SolverTask
    references: tuple[str, ...] = ()

    def task(self, references: Iterable[Row]) -> SolverTask:  # noqa: ARG002
        """Return the task, which waits for no other run."""
        return self.of

    def refused(self, error: str) -> Row:
        """Return the row of a run that cannot be done."""
        return self.of.failed(error)


@dataclass(frozen=True)
class LeftOut:
    """A solver that cannot take an instance, and the reason."""

    instance: str
    solver: str
    reason: str


def runs_on(
    subset: Subset, solvers: Sequence[Peer], patience: float = PATIENCE
) -> tuple[list[SolverRun], list[LeftOut]]:
    """Return the runs on a subset in the order in which they are done, and which solvers are left out where.

    All solvers run in turn, seed by seed; which one goes first changes, because the speed of a machine drifts. A solver
    that takes no seed runs once.
    """
    runs, left_out = [], []
    for number, instance in enumerate(subset.instances):
        refusals = {solver.key: solver.refuses(instance) for solver in solvers}
        left_out += [LeftOut(instance.name, key, reason) for key, reason in refusals.items() if reason is not None]
        which = instance_digest(instance)
        for seed in range(subset.seeds):
            shift = (number + seed) % len(solvers)
            for solver in [*solvers[shift:], *solvers[:shift]]:
                if refusals[solver.key] is None and seed < runs_of(solver, subset):
                    key = _key(which, solver, seed, subset.seconds)
                    member = Member(
                        subset.name, subset.name, "", instance.name, solver.key, subset.budget, seed, key
                    )  # fmt: skip
                    runs.append(SolverRun(member, SolverTask(key, instance, solver, subset.seconds, seed, patience)))
    return runs, left_out


def runs_of(solver: Peer, subset: Subset) -> int:
    """Return how often a solver runs on each instance of a subset."""
    return subset.seeds if solver.seeded else 1


def expected_seconds(runs: Iterable[SolverRun]) -> float:
    """Return how many seconds the runs will take, without starting and loading."""
    return sum(run.of.seconds for run in runs)


def _key(instance: str, solver: Peer, seed: int, seconds: float) -> str:
    return digest(
        {
            "instance": instance,
            "solver": repr(solver),
            "version": solver.version(),
            "seed": seed,
            "budget": {"seconds": seconds},
            "code": code_version("bench"),
        }
    )
