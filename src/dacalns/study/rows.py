"""The data of a study: a row for each run that has ended, and a member for each run that a protocol expects."""

from dataclasses import dataclass, field
from typing import Any

DONE, FAILED = "done", "failed"


@dataclass(frozen=True)
class Row:
    """A run that is done or has failed; the values that a failed one lacks are None or empty.

    Parameters
    ----------
    key
        A digest of all that determines the run: instance, method, seed, budget and code.
    status
        ``"done"`` or ``"failed"``.
    attempts
        The number of times it was tried.
    error
        The reason why it failed the last time.
    instance, problem, customers, selector, seed
        The instance, the selector and the seed.
    budget
        The budget in words: ``"2000 iterations"`` or ``"0.125 s"``.
    cost, feasible, unserved
        The figures of the best solution, as the independent checker sees it.
    best_known, gap_percent
        The best-known value, if there is one, and how far the cost is above it.
    wall_seconds, cpu_seconds, iterations
        The time and the iterations of the run alone, without compiling; 0 iterations if another solver ran.
    destroy, repair, uses
        The operators, and how often each pair was used: a row for each destroy operator.
    history
        The iteration, the seconds, the cost and the unserved customers of each new best solution.
    routes
        The routes of the best solution.
    settings
        The settings of selector, acceptance, stop and portfolio, in full; and ``vehicle_types``, the vehicle type of
        each route, where there are several.
    version, machine, finished
        The code (version and fingerprint), the machine, and the time when it ended (UTC).
    """

    key: str
    status: str
    attempts: int
    instance: str
    problem: str
    customers: int
    selector: str
    seed: int
    budget: str
    version: str
    machine: str
    finished: str
    error: str | None = None
    cost: float | None = None
    feasible: bool | None = None
    unserved: int | None = None
    best_known: float | None = None
    gap_percent: float | None = None
    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    iterations: int | None = None
    destroy: list[str] = field(default_factory=list)
    repair: list[str] = field(default_factory=list)
    uses: list[list[int]] = field(default_factory=list)
    history: list[list[float]] = field(default_factory=list)
    routes: list[list[int]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Member:
    """A run that a protocol expects; several protocols may expect the same run.

    Parameters
    ----------
    group, dataset, scale
        The group, dataset and scale of its instance, as the tables name them.
    instance, method, budget, seed
        The instance, method, budget and seed, as the protocol names them.
    key
        The key of its row.
    policy, training
        The training of the protocol whose policy it uses, and the seed of that training; None if it uses none.
    """

    group: str
    dataset: str
    scale: str
    instance: str
    method: str
    budget: str
    seed: int
    key: str
    policy: str | None = None
    training: int | None = None


@dataclass(frozen=True)
class ProtocolOutline:
    """The facts about a protocol that a report needs.

    Parameters
    ----------
    name, title
        The name and the title of the protocol.
    methods
        The methods by name, with the selector of each.
    budgets
        The budgets by name, each in words, such as ``"max(2000, 50 n) iterations"``.
    comparisons
        Pairs of methods; the first one is compared with the second one.
    paper
        The paper's experiment whose tables are shown beside ours: ``"comparative"``, ``"generalisation"`` or None.
    seeds
        The seeds of all groups together; a group may have its own.
    command
        The command that ran it.
    trainings
        The trainings by name, with the seeds of each; each seed gave a policy.
    map
        The readings of the paper that it tries, as `dacalns.study.readings.ReadingMap.plain` returns them; empty if
        none.
    """

    name: str
    title: str
    methods: dict[str, str]
    budgets: dict[str, str]
    comparisons: list[tuple[str, str]]
    paper: str | None
    seeds: list[int]
    command: str = ""
    trainings: dict[str, list[int]] = field(default_factory=dict)
    map: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """A protocol, the runs that it expects, and the rows that there are by key."""

    outline: ProtocolOutline
    members: list[Member]
    rows: dict[str, Row]
