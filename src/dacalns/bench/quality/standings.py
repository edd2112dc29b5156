"""How the solvers stand: gaps, wins and primal integrals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from dacalns.bench.quality.primal_integral import CAP, primal_integral
from dacalns.bench.quality.reference import Reference
from dacalns.bench.quality.run import FAILED, FEASIBLE, LEFT_OUT, Run
from dacalns.util.values import gap_percent

# What a run without a feasible solution counts for, in percent: leaving it out would reward giving up.
GAP_WITHOUT_SOLUTION = 100.0
# Gaps that differ by no more are equal.
SAME = 1e-9


@dataclass(frozen=True)
class Standing:
    """How a solver stands on a subset.

    Parameters
    ----------
    instances, runs, feasible, failed
        How many; ``failed`` are the runs without an answer.
    gap
        In percent: the mean over the instances of the mean over the runs; None without runs.
    integral
        The mean primal integral likewise; None where the solver tells no trajectory.
    wins, losses, ties
        Of the first solver against this one, by the mean gap on each instance.
    seconds, share
        Of a run: mean wall time, and the part of it that a processor worked for it.
    """

    solver: str
    instances: int
    runs: int
    feasible: int
    failed: int
    gap: float | None
    integral: float | None
    wins: int
    losses: int
    ties: int
    seconds: float | None
    share: float | None


def counted_instances(runs: Sequence[Run]) -> list[str]:
    """Return the instances that every solver was asked to solve; of an interrupted comparison, not the last one."""
    solvers = {run.solver for run in runs}
    asked: dict[str, set[str]] = {}
    for run in runs:
        asked.setdefault(run.instance, set()).add(run.solver)
    return [instance for instance, by in asked.items() if by == solvers]


def mean_gap(runs: Sequence[Run], reference: Reference) -> float | None:
    """Return the mean gap of a solver's runs on an instance, in percent; None if it was left out."""
    gaps = [gap_of(run, reference) for run in runs if run.status != LEFT_OUT]
    return fmean(gaps) if gaps else None


def gap_of(run: Run, reference: Reference) -> float:
    """Return the gap of a run, in percent."""
    if run.cost is None or reference.cost is None:
        return GAP_WITHOUT_SOLUTION
    return gap_percent(run.cost, reference.cost)


def standings(runs: Sequence[Run], references: Mapping[str, Reference]) -> list[Standing]:
    """Return how the solvers stand, in the order in which they first appear.

    Parameters
    ----------
    runs
        Of a subset.
    references
        By instance.
    """
    counted = counted_instances(runs)
    by_solver: dict[str, dict[str, list[Run]]] = {}
    for run in runs:
        of_instance = by_solver.setdefault(run.solver, {})
        if run.instance in counted and run.status != LEFT_OUT:
            of_instance.setdefault(run.instance, []).append(run)
    gaps = {
        solver: {name: fmean(gap_of(run, references[name]) for run in each) for name, each in of_solver.items()}
        for solver, of_solver in by_solver.items()
    }
    first = next(iter(gaps.values()), {})
    return [_standing(solver, by_solver[solver], gaps[solver], first, references) for solver in by_solver]


def _standing(
    solver: str,
    by_instance: Mapping[str, Sequence[Run]],
    gaps: Mapping[str, float],
    first: Mapping[str, float],
    references: Mapping[str, Reference],
) -> Standing:
    runs = [run for each in by_instance.values() for run in each]
    answered = [run for run in runs if run.status != FAILED]
    differences = [first[name] - gap for name, gap in gaps.items() if name in first]
    integrals = [_integral(each, references[name]) for name, each in by_instance.items()]
    told = [value for value in integrals if value is not None]
    spent = sum(run.seconds for run in answered)
    return Standing(
        solver=solver,
        instances=len(by_instance),
        runs=len(runs),
        feasible=sum(run.status == FEASIBLE for run in runs),
        failed=sum(run.status == FAILED for run in runs),
        gap=fmean(gaps.values()) if gaps else None,
        integral=fmean(told) if told and len(told) == len(integrals) else None,
        wins=sum(difference < -SAME for difference in differences),
        losses=sum(difference > SAME for difference in differences),
        ties=sum(abs(difference) <= SAME for difference in differences),
        seconds=spent / len(answered) if answered else None,
        share=sum(run.processor_seconds for run in answered) / spent if spent else None,
    )


def _integral(runs: Sequence[Run], reference: Reference) -> float | None:
    """Return the mean over the runs; None if one of them has an answer and no trajectory."""
    values = []
    for run in runs:
        if run.status != FEASIBLE or reference.cost is None:
            values.append(CAP)  # whatever it says to have found on the way
        elif run.trajectory is None:
            return None
        else:
            values.append(primal_integral(run.trajectory, reference.cost, run.budget))
    return fmean(values)
