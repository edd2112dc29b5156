"""What should make a reader doubt a comparison."""

from collections.abc import Mapping, Sequence

from dacalns.bench.quality.reference import Reference
from dacalns.bench.quality.run import FEASIBLE, LEFT_OUT, Run
from dacalns.util.values import number_text

# A longer run than this many times its budget is told, if it is longer by SLACK seconds, too.
OVERRUN, SLACK = 1.1, 0.2
SAME_COST = 1e-6


def alarms(runs: Sequence[Run], references: Mapping[str, Reference]) -> list[str]:
    """Return a sentence for each run that has failed or that is doubtful, and for each solver that took too long."""
    sentences = []
    for run in runs:
        who = f"{run.instance}, {run.solver}, seed {run.seed}"
        if run.status not in (FEASIBLE, LEFT_OUT):
            sentences.append(f"{who}: {run.status}: {run.reason}")
        best = references[run.instance].cost
        if run.cost is not None and best is not None and run.cost < best - SAME_COST:
            sentences.append(
                f"{who}: {number_text(run.cost)} is less than the reference of {number_text(best)}: a new best, or "
                "other rules than the reference's."
            )
        if run.cost is not None and run.reported is not None and abs(run.cost - run.reported) > SAME_COST:
            sentences.append(f"{who}: says {run.reported:.10g}, and our checker {run.cost:.10g}; the latter counts.")
    return [*sentences, *_overruns(runs)]


def _overruns(runs: Sequence[Run]) -> list[str]:
    """Return a sentence for each solver that took too long, however often it did."""
    late: dict[str, list[Run]] = {}
    for run in runs:
        if run.seconds > OVERRUN * run.budget and run.seconds > run.budget + SLACK:
            late.setdefault(run.solver, []).append(run)
    return [
        f"{solver}: {len(each)} of its runs took longer than they were given, the worst "
        f"{max(run.seconds / run.budget for run in each):.2f} times as long."
        for solver, each in late.items()
    ]
