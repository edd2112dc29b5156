"""What a study lacks: runs that are missing, failed or infeasible."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dacalns.study.cases import Case, is_feasible
from dacalns.study.gaps import difference
from dacalns.study.rows import FAILED, Row


@dataclass(frozen=True)
class Shortfall:
    """A method in a group that lacks something: how many runs of which kind, and on which instances."""

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
    """An error, with the runs that ended in it, and the training of the first of them if it used one."""

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
    """Every group and method that lacks something."""
    places = dict.fromkeys((case.group, method) for case in cases for method in case.outcomes)
    found = [_shortfall(cases, group, method) for group, method in places]
    return [each for each in found if each.missing or each.failed or each.infeasible]


def failures(cases: Iterable[Case]) -> list[Failure]:
    """The runs that failed, by method and error."""
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
    """The lowest run of each method and instance below the best-known value, if there is one: to be looked into."""
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
