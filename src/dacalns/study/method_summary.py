"""What a method is worth on its own: gaps to the best-known values, ranks, feasible runs and speed."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from dacalns.study.cases import Case, methods_of
from dacalns.study.gaps import difference, gap


@dataclass(frozen=True)
class MethodSummary:
    """One method over some instances.

    Parameters
    ----------
    instances
        Those that it should run on.
    gap_to_best_known, with_best_known
        Mean gap in percent of the average cost, over so many instances with a best-known value and all runs feasible.
    rank, ranked
        Mean rank by average cost among all methods that have any, over so many instances where all of these have all
        runs feasible; equals share the mean of their ranks.
    expected_runs, done_runs, feasible_runs
        How many.
    iterations_per_second, seconds
        All iterations by all seconds, and the mean time, of the runs that are done.
    """

    method: str
    instances: int
    gap_to_best_known: float | None
    with_best_known: int
    rank: float | None
    ranked: int
    expected_runs: int
    done_runs: int
    feasible_runs: int
    iterations_per_second: float | None
    seconds: float | None


def summarise(cases: Sequence[Case]) -> list[MethodSummary]:
    """Every method that should run on these, in the order of the protocol."""
    ranks = ranks_of(cases)
    return [_summary(cases, method, ranks.get(method, [])) for method in methods_of(cases)]


def ranks_of(cases: Sequence[Case]) -> dict[str, list[float]]:
    """The ranks of each method that has all runs of any instance, where all such methods have."""
    present = [method for method in methods_of(cases) if any(case.settled(method) for case in cases)]
    common = [case for case in cases if case.settled(*present)]
    ranks: dict[str, list[float]] = {method: [] for method in present}
    for case in common if present else []:
        averages = {method: case.outcomes[method].average for method in present}
        for method, average in averages.items():
            signs = [difference(average, other) for other in averages.values()]
            ahead, level = sum(sign > 0 for sign in signs), sum(sign == 0 for sign in signs)
            ranks[method].append(ahead + (level + 1) / 2)
    return ranks


def _summary(cases: Sequence[Case], method: str, ranks: list[float]) -> MethodSummary:
    own = [case for case in cases if method in case.outcomes]
    gaps = [
        gap(case.outcomes[method].average, case.best_known)
        for case in own
        if case.settled(method) and case.best_known is not None
    ]
    outcomes = [case.outcomes[method] for case in own]
    done = [row for outcome in outcomes for row in outcome.done]
    timed = [(row.iterations, row.wall_seconds) for row in done if row.iterations is not None and row.wall_seconds]
    seconds = sum(time for _, time in timed)
    return MethodSummary(
        method=method,
        instances=len(own),
        gap_to_best_known=fmean(gaps) if gaps else None,
        with_best_known=len(gaps),
        rank=fmean(ranks) if ranks else None,
        ranked=len(ranks),
        expected_runs=sum(len(outcome.expected) for outcome in outcomes),
        done_runs=len(done),
        feasible_runs=sum(len(outcome.feasible) for outcome in outcomes),
        iterations_per_second=sum(count for count, _ in timed) / seconds if seconds else None,
        seconds=seconds / len(timed) if timed else None,
    )
