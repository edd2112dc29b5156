"""What a study has: the runs that it expects, and those that are done."""

from dataclasses import dataclass, field
from typing import Any

DONE, FAILED = "done", "failed"


@dataclass(frozen=True)
class Row:
    """One run, done or failed; what a failed one lacks is None or empty.

    Parameters
    ----------
    key
        A digest of all that determines the run: instance, method, seed, budget and code.
    status
        ``"done"`` or ``"failed"``.
    attempts
        How often it was tried.
    error
        Why it failed, the last time.
    instance, problem, customers, selector, seed
        What was run.
    budget
        In words: ``"2000 iterations"`` or ``"0.125 s"``.
    cost, feasible, unserved
        Of the best solution, as the independent checker sees it.
    best_known, gap_percent
        The best-known value, if there is one, and how much the cost is above it.
    wall_seconds, cpu_seconds, iterations
        The time and the iterations of the run alone, without compiling; 0 iterations where another solver ran.
    destroy, repair, uses
        The operators, and how often each pair was used: a row for each destroy operator.
    history
        Each new best: iteration, seconds, cost and unserved customers.
    routes
        The best solution.
    settings
        Of selector, acceptance, stop and portfolio, in full.
    version, machine, finished
        The code (version and fingerprint), where it ran, and when it ended (UTC).
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
    """A run that a protocol expects; several protocols may expect the same one.

    Parameters
    ----------
    group, dataset, scale
        The group, dataset and scale of its instance, as the tables name them.
    instance, method, budget, seed
        By the names of the protocol.
    key
        The key of its row.
    policy, training
        The training of the protocol whose policy it uses, and the seed of that training; None where it uses none.
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
    """What a report needs to know of a protocol.

    Parameters
    ----------
    name, title
        Of the protocol.
    methods
        By name, with the selector of each.
    budgets
        By name, each in words, such as ``"max(2000, 50 n) iterations"``.
    comparisons
        Pairs of methods: the first one against the second one.
    paper
        Whose tables stand beside ours: ``"comparative"``, ``"generalisation"`` or None.
    seeds
        Of all groups together; a group may have its own.
    command
        What ran it.
    trainings
        By name, with the seeds of each: so many policies were trained.
    map
        The readings of the paper that it tries, as `dacalns.study.readings.ReadingMap.plain` has them; empty if none.
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
    """A protocol, the runs that it expects and those that there are, by key."""

    outline: ProtocolOutline
    members: list[Member]
    rows: dict[str, Row]
