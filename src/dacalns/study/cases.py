"""The rows of a study, sorted by instance and method: what can be compared, and what is missing or has failed.

A case is an instance with the runs of all methods on it. An outcome is settled if every expected run is done and serves
all customers.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from dacalns.study.rows import DONE, FAILED, Member, Row, Study
from dacalns.study.statistics import difference

Run = tuple[int | None, int]
"""The seed of the training whose policy was used (None if the method uses none), and the seed of the search."""


@dataclass(frozen=True)
class MethodRuns:
    """The runs of one method on one instance with one budget.

    Parameters
    ----------
    expected
        The runs that the protocol asks for: every seed, with the policy of each training.
    rows
        The rows of these runs so far, including failed ones.
    policy
        The name of the training, if the method uses a trained policy.
    """

    expected: tuple[Run, ...]
    rows: dict[Run, Row]
    policy: str | None = None

    @property
    def trainings(self) -> tuple[int, ...]:
        """The seeds of the trainings whose policies are used; none if the method uses no policy."""
        return tuple(dict.fromkeys(training for training, _ in self.expected if training is not None))

    @property
    def done(self) -> list[Row]:
        """The runs that ended without an error, feasible or not."""
        return [row for row in self.rows.values() if row.status == DONE]

    @property
    def failed(self) -> list[Row]:
        """The runs that ended in an error."""
        return [row for row in self.rows.values() if row.status == FAILED]

    @property
    def missing(self) -> int:
        """The number of runs that are still to be done."""
        return len(self.expected) - len(self.done) - len(self.failed)

    @property
    def complete(self) -> bool:
        """True if every expected run is done."""
        return len(self.done) == len(self.expected)

    @property
    def feasible(self) -> list[Row]:
        """The runs that serve all customers."""
        return [row for row in self.done if is_feasible(row)]

    @property
    def settled(self) -> bool:
        """True if every expected run is done and serves all customers, so that the mean and the best have a meaning."""
        return len(self.feasible) == len(self.expected)

    @property
    def average(self) -> float:
        """The mean cost over all trainings and seeds; only for a settled outcome."""
        return fmean(cost for costs in self._costs().values() for cost in costs)

    @property
    def averages(self) -> dict[int | None, float]:
        """The mean cost by training, or under None if there is no training; only for a settled outcome."""
        return {training: fmean(costs) for training, costs in self._costs().items()}

    @property
    def best(self) -> float:
        """The lowest cost, or the mean over several trainings of the lowest cost of each; only for a settled outcome.

        The lowest over all trainings would be the best of more runs than a method without a training has.
        """
        return fmean(min(costs) for costs in self._costs().values())

    @property
    def seconds(self) -> float | None:
        """The mean wall time of the runs that are done; None unless all of them were timed."""
        times = [row.wall_seconds for row in self.done]
        known = [seconds for seconds in times if seconds is not None]
        return fmean(known) if known and len(known) == len(times) else None

    def _costs(self) -> dict[int | None, list[float]]:
        costs: dict[int | None, list[float]] = {}
        for (training, _), row in self.rows.items():
            if is_feasible(row) and row.cost is not None:
                costs.setdefault(training, []).append(row.cost)
        return costs


@dataclass(frozen=True)
class Case:
    """An instance of a group, the outcome of every method that should run on it, and the keys of all these runs."""

    group: str
    dataset: str
    scale: str
    instance: str
    outcomes: dict[str, MethodRuns]
    keys: frozenset[str]

    @property
    def best_known(self) -> float | None:
        """The lowest best-known value of any row: a later row may have been written with a better one."""
        return min((row.best_known for row in self.rows() if row.best_known is not None), default=None)

    @property
    def lowest(self) -> float | None:
        """The lowest cost of any feasible run; None if there is none."""
        costs = [row.cost for row in self.rows() if is_feasible(row) and row.cost is not None]
        return min(costs, default=None)

    def rows(self) -> list[Row]:
        """Return the rows of all methods."""
        return [row for outcome in self.outcomes.values() for row in outcome.rows.values()]

    def settled(self, *methods: str) -> bool:
        """Return True if all these methods have every run, and all of them are feasible."""
        return all(method in self.outcomes and self.outcomes[method].settled for method in methods)


def is_feasible(row: Row) -> bool:
    """Return True if a row has the cost of a solution that breaks no rule and serves all customers."""
    return bool(row.status == DONE and row.feasible and not row.unserved and row.cost is not None
                and math.isfinite(row.cost))  # fmt: skip


def cases_of(study: Study, budget: str) -> list[Case]:
    """Return all cases of a study with one budget, in the order of the protocol.

    An instance may be in several groups, with different policies; in each it is a case of its own.
    """
    expected: dict[tuple[str, str], dict[str, list[Member]]] = {}
    places: dict[tuple[str, str], tuple[str, str]] = {}
    for member in study.members:
        if member.budget == budget:
            where = (member.group, member.instance)
            places.setdefault(where, (member.dataset, member.scale))
            expected.setdefault(where, {}).setdefault(member.method, []).append(member)
    return [
        Case(
            group, *places[group, instance], instance,
            {method: _outcome(study, members) for method, members in methods.items()},
            frozenset(member.key for members in methods.values() for member in members),
        )
        for (group, instance), methods in expected.items()
    ]  # fmt: skip


def _outcome(study: Study, members: Sequence[Member]) -> MethodRuns:
    keys = {(member.training, member.seed): member.key for member in members}
    rows = {run: study.rows[key] for run, key in keys.items() if key in study.rows}
    return MethodRuns((*keys,), rows, members[0].policy)


def distinct(cases: Iterable[Case]) -> list[Case]:
    """Return the cases without those that repeat all runs of another: groups may overlap, but nothing counts twice."""
    found: dict[tuple[str, frozenset[str]], Case] = {}
    for case in cases:
        found.setdefault((case.instance, case.keys), case)
    return [*found.values()]


# A brief table has one line for a dataset with at least this many groups.
MANY_GROUPS = 3


def places_of(cases: Sequence[Case], *, brief: bool = False) -> list[tuple[str, list[Case]]]:
    """Return the lines of a table: each group, each dataset of several groups, and all datasets together.

    Each line has a name and its cases. Brief tables leave out the groups of datasets that have many.
    """
    groups: dict[str, list[Case]] = {}
    datasets: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.group, []).append(case)
        datasets.setdefault(case.dataset, []).append(case)
    places = []
    for dataset, found in datasets.items():
        own = {name: members for name, members in groups.items() if members[0].dataset == dataset}
        if not brief or len(own) < MANY_GROUPS:
            places += list(own.items())
        if len(own) > 1:
            places.append((f"{dataset}, all" if dataset else "all", distinct(found)))
    if len(datasets) > 1:
        places.append(("all", distinct(cases)))
    return places


def methods_of(cases: Iterable[Case]) -> list[str]:
    """Return the methods that should run on any of the cases."""
    return [*dict.fromkeys(method for case in cases for method in case.outcomes)]


# What a study lacks: runs that are missing, failed or infeasible.


@dataclass(frozen=True)
class Shortfall:
    """A method in a group that lacks runs: how many of which kind, and on which instances."""

    group: str
    method: str
    expected: int
    done: int
    missing: int
    failed: int
    infeasible: int
    incomplete_instances: list[str]
    infeasible_instances: list[str]


@dataclass(frozen=True)
class Failure:
    """An error, the runs that ended in it, and the training of the first of them if it used one."""

    error: str
    method: str
    rows: list[Row]
    training: int | None = None


@dataclass(frozen=True)
class Record:
    """A run that beat the listed best-known value of its instance, and the training of its policy if it used one."""

    method: str
    row: Row
    listed: float
    cost: float
    training: int | None = None


def shortfalls(cases: Sequence[Case]) -> list[Shortfall]:
    """Return every group and method that lacks runs."""
    places = dict.fromkeys((case.group, method) for case in cases for method in case.outcomes)
    found = [_shortfall(cases, group, method) for group, method in places]
    return [each for each in found if each.missing or each.failed or each.infeasible]


def failures(cases: Iterable[Case]) -> list[Failure]:
    """Return the runs that failed, by method and error."""
    found: dict[tuple[str, str], list[tuple[int | None, Row]]] = {}
    for case in cases:
        for method, outcome in case.outcomes.items():
            for (training, _), row in outcome.rows.items():
                if row.status == FAILED:
                    found.setdefault((method, row.error or "no reason was recorded"), []).append((training, row))
    return [
        Failure(error, method, [row for _, row in runs], runs[0][0]) for (method, error), runs in found.items()
    ]  # fmt: skip


def records(cases: Iterable[Case]) -> list[Record]:
    """Return the lowest run of each method and instance that is below the best-known value: they need a look."""
    found = []
    for case in cases:
        for method, outcome in case.outcomes.items():
            below = [
                Record(method, row, row.best_known, row.cost, training)
                for (training, _), row in outcome.rows.items()
                if is_feasible(row) and row.cost is not None and row.best_known is not None
                and difference(row.cost, row.best_known) < 0
            ]  # fmt: skip
            found += sorted(below, key=lambda record: record.cost)[:1]
    return found


def _shortfall(cases: Sequence[Case], group: str, method: str) -> Shortfall:
    own = [case for case in cases if case.group == group and method in case.outcomes]
    outcomes = [case.outcomes[method] for case in own]
    done = sum(len(outcome.done) for outcome in outcomes)
    return Shortfall(
        group,
        method,
        expected=sum(len(outcome.expected) for outcome in outcomes),
        done=done,
        missing=sum(outcome.missing for outcome in outcomes),
        failed=sum(len(outcome.failed) for outcome in outcomes),
        infeasible=done - sum(len(outcome.feasible) for outcome in outcomes),
        incomplete_instances=[case.instance for case in own if not case.outcomes[method].complete],
        infeasible_instances=[case.instance for case in own if _any_infeasible(case, method)],
    )


def _any_infeasible(case: Case, method: str) -> bool:
    return len(case.outcomes[method].feasible) < len(case.outcomes[method].done)
