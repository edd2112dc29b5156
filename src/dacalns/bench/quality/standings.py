"""The standings of the solvers in a comparison: gaps, wins and primal integrals, and reasons to doubt them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from dacalns.bench.quality.runs import REPORTED
from dacalns.instances import Instance
from dacalns.study.cases import Case, MethodRuns, cases_of, is_feasible
from dacalns.study.comparisons import mean_gap, wins_losses_ties
from dacalns.study.rows import DONE, FAILED, Row, Study
from dacalns.util.values import gap_percent, number_text

# References, from which gaps are measured.

BEST_OF_RUNS = "best of these runs"
PUBLISHED = "best-known"


@dataclass(frozen=True)
class Reference:
    """A cost and its origin; the cost is None if no solver has found a solution."""

    cost: float | None
    origin: str


def reference_of(instance: Instance, case: Case | None) -> Reference:
    """Return the best-known cost of an instance, or else the best that any solver has found in this comparison."""
    if instance.best_known is not None:
        return Reference(instance.best_known, instance.best_known_origin or PUBLISHED)
    return Reference(None if case is None else case.lowest, BEST_OF_RUNS)


def solver_cases(study: Study, budget: str) -> list[Case]:
    """Return the instances on which every solver has all its runs; an interrupted comparison has others, too.

    A run that failed counts as a run without a solution here: the solver was asked, and had no answer.
    """
    rows = {key: _without_solution(row) if row.status == FAILED else row for key, row in study.rows.items()}
    cases = cases_of(replace(study, rows=rows), budget)
    return [case for case in cases if not any(runs.missing for runs in case.outcomes.values())]


def _without_solution(row: Row) -> Row:
    return replace(row, status=DONE, cost=0.0, feasible=False, unserved=row.customers)


# The figures of a solver.


@dataclass(frozen=True)
class SolverSummary:
    """The figures of a solver on a subset.

    Parameters
    ----------
    instances, runs, feasible, failed
        The numbers of instances and runs that it was asked for, and of the runs that are feasible and that have failed.
    gap, in_gap
        The mean over the instances of the gap of the mean cost in percent, and the number of instances that it is over:
        those with all its runs feasible. The gap is None if there are none.
    integral
        The mean primal integral; None if the solver does not report its progress.
    wins, losses, ties
        The numbers of instances on which the first solver is better than this one, worse and equal, by the rule of
        studies: mean costs that differ by no more than 1e-9 of their value tie; if some runs are not feasible, the
        solver with more feasible ones wins.
    seconds, share
        The mean wall time of a run that has ended, and the part of it in which a processor worked for it.
    """

    solver: str
    instances: int
    runs: int
    feasible: int
    failed: int
    gap: float | None
    in_gap: int
    integral: float | None
    wins: int
    losses: int
    ties: int
    seconds: float | None
    share: float | None


def summaries(
    study: Study, cases: Sequence[Case], solvers: Sequence[str], references: Mapping[str, Reference], seconds: float
) -> list[SolverSummary]:
    """Return the figures of each solver.

    Parameters
    ----------
    study
        All rows.
    cases
        The instances that count, from `solver_cases`.
    solvers
        The keys of the solvers; wins are those of the first one.
    references
        The references by instance.
    seconds
        The budget of a run.
    """

    def reference(case: Case) -> float | None:
        return references[case.instance].cost

    return [_summary(study, cases, key, solvers[0], reference, seconds) for key in solvers]


def _summary(
    study: Study,
    cases: Sequence[Case],
    solver: str,
    first: str,
    reference: Callable[[Case], float | None],
    seconds: float,
) -> SolverSummary:
    own = [case for case in cases if solver in case.outcomes]
    rows = [study.rows[row.key] for case in own for row in case.outcomes[solver].rows.values()]
    gap, in_gap = mean_gap(own, solver, reference)
    integrals = [_integral(case.outcomes[solver], reference(case), seconds) for case in own]
    told = [value for value in integrals if value is not None]
    pairs = [(case.outcomes[first], case.outcomes[solver]) for case in own if first in case.outcomes]
    wins, losses, ties = wins_losses_ties(pairs)
    ended = [(row.wall_seconds, row.cpu_seconds or 0.0) for row in rows if row.wall_seconds is not None]
    spent = sum(wall for wall, _ in ended)
    return SolverSummary(
        solver=solver,
        instances=len(own),
        runs=len(rows),
        feasible=sum(map(is_feasible, rows)),
        failed=sum(row.status == FAILED for row in rows),
        gap=gap,
        in_gap=in_gap,
        integral=fmean(told) if told and len(told) == len(integrals) else None,
        wins=wins,
        losses=losses,
        ties=ties,
        seconds=spent / len(ended) if ended else None,
        share=sum(cpu for _, cpu in ended) / spent if spent else None,
    )


# The primal integral tells how good a search is over all of its time, not only at the end.

CAP = 10.0


def primal_integral(
    trajectory: Sequence[tuple[float, float]], reference: float, seconds: float, cap: float = CAP
) -> float:
    """Return the gap of the best solution so far in percent, averaged over the time of a run.

    Gaps count as at most ``cap``, and so does the time before the first solution. With a cap of 10 % this is the
    measure of the 12th DIMACS implementation challenge.

    Parameters
    ----------
    trajectory
        The seconds and the cost of each new best solution, in order.
    reference
        The cost that gaps are measured from.
    seconds
        The length of the run; later solutions do not count.
    cap
        The largest gap that counts, in percent.

    References
    ----------
    T. Berthold, "Measuring the impact of primal heuristics", Operations Research Letters 41 (2013).

    Examples
    --------
    >>> primal_integral([(1.0, 104.0), (3.0, 102.0)], reference=100.0, seconds=4.0)  # (10 + 2 * 4 + 2) / 4
    5.0
    """
    area, since, gap = 0.0, 0.0, cap
    for moment, cost in trajectory:
        at = min(max(moment, since), seconds)
        area += gap * (at - since)
        if moment <= seconds:
            gap = min(gap, gap_percent(cost, reference))
        since = at
    return (area + gap * (seconds - since)) / seconds


def _integral(runs: MethodRuns, reference: float | None, seconds: float) -> float | None:
    """Return the mean over the runs; None if one of them is feasible and does not report its progress."""
    values = []
    for row in runs.rows.values():
        if not is_feasible(row) or reference is None:
            values.append(CAP)  # whatever it reports to have found on the way
        elif not row.history:
            return None
        else:
            trajectory = [(moment, cost) for _, moment, cost, unserved in row.history if not unserved]
            values.append(primal_integral(trajectory, reference, seconds))
    return fmean(values)


# Reasons to doubt the figures.

# A run is reported if it takes longer than OVERRUN times its budget, and longer by SLACK seconds, too.
OVERRUN, SLACK = 1.1, 0.2
SAME_COST = 1e-6


def alarms(rows: Sequence[Row], references: Mapping[str, Reference], seconds: float) -> list[str]:
    """Return a sentence for each run that has failed or is doubtful, and for each solver that took too long."""
    sentences = []
    for row in rows:
        who = f"{row.instance}, {row.selector}, seed {row.seed}"
        if row.status == FAILED:
            sentences.append(f"{who}: failed: {row.error}")
        elif not is_feasible(row) or row.cost is None:
            sentences.append(f"{who}: not feasible: {row.unserved} of {row.customers} customers are not served")
        else:
            sentences += [f"{who}: {doubt}" for doubt in _doubts(row, row.cost, references[row.instance].cost)]
    return [*sentences, *_overruns(rows, seconds)]


def _doubts(row: Row, cost: float, best: float | None) -> list[str]:
    found, reported = [], row.settings.get(REPORTED)
    if best is not None and cost < best - SAME_COST:
        found.append(
            f"{number_text(cost)} is less than the reference of {number_text(best)}: a new best, or other rules than "
            "the reference's."
        )
    if reported is not None and abs(cost - reported) > SAME_COST:
        found.append(f"says {reported:.10g}, and our checker {cost:.10g}; the latter counts.")
    return found


def _overruns(rows: Sequence[Row], budget: float) -> list[str]:
    """Return one sentence for each solver that took too long, however often it did."""
    late: dict[str, list[float]] = {}
    for row in rows:
        if row.wall_seconds is not None and row.wall_seconds > max(OVERRUN * budget, budget + SLACK):
            late.setdefault(row.selector, []).append(row.wall_seconds)
    return [
        f"{solver}: {len(each)} of its runs took longer than they were given, the worst {max(each) / budget:.2f} times "
        "as long."
        for solver, each in late.items()
    ]
