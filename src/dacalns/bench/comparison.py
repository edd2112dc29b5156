"""Compare selectors: gaps, wins, and the odds that chance alone did it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from dacalns.errors import InputError
from dacalns.study.gaps import difference, gap
from dacalns.study.signed_rank import wilcoxon_less

# A run that leaves customers unserved counts as this many times the reference: 100 % worse.
UNSERVED_FACTOR = 2.0


@dataclass(frozen=True)
class Run:
    """One answer of one selector, as far as the comparison needs it."""

    instance: str
    selector: str
    seed: int
    cost: float
    unserved: int
    iterations: int
    seconds: float
    best_known: float | None


@dataclass(frozen=True)
class Comparison:
    """A selector against another one, over some instances.

    Parameters
    ----------
    gap_of_averages, gap_of_bests
        Mean over the instances of the gap in percent, on the mean and on the best of the seeds. Negative is better.
    wins, losses, ties
        Instances on which the mean of the seeds is lower, higher, and equal within 1e-9 of it.
    p_value
        Of the one-sided Wilcoxon signed-rank test that the means are lower, ties dropped; None if all are ties.
    gap_to_best_known
        Mean gap in percent of the mean of the seeds, over the instances with a best-known value; None without any.
    with_best_known
        How many instances have one.
    unserved_runs, runs
        Runs that left customers unserved, of all runs of the selector.
    time_ratio
        Mean over the instances of the ratio of the mean times.
    iterations_per_second
        All iterations by all seconds.
    """

    selector: str
    against: str
    instances: int
    gap_of_averages: float
    gap_of_bests: float
    wins: int
    losses: int
    ties: int
    p_value: float | None
    gap_to_best_known: float | None
    with_best_known: int
    unserved_runs: int
    runs: int
    time_ratio: float
    iterations_per_second: float


def compare(runs: Sequence[Run], selector: str, against: str) -> Comparison:
    """Compare two selectors on the instances that ``runs`` are of.

    Parameters
    ----------
    runs
        Those of all selectors: what a run without an answer counts as depends on the answers of the others.
    selector, against
        The two; both must have the same seeds on every instance.

    Raises
    ------
    InputError
        If the two do not have the same runs, or SciPy is missing.
    """
    ours, theirs = _by_instance(runs, selector), _by_instance(runs, against)
    if {name: [run.seed for run in found] for name, found in ours.items()} != {
        name: [run.seed for run in found] for name, found in theirs.items()
    }:
        raise InputError(f"{selector} and {against} have not run on the same instances with the same seeds.")
    if not ours:
        raise InputError(f"{selector} has no run; expected at least one.")
    cost = counted_costs(runs)
    average = {one: {name: mean(map(cost.__getitem__, found)) for name, found in each.items()}
               for one, each in ((selector, ours), (against, theirs))}  # fmt: skip
    best = {one: {name: min(map(cost.__getitem__, found)) for name, found in each.items()}
            for one, each in ((selector, ours), (against, theirs))}  # fmt: skip
    differences = [difference(average[selector][name], average[against][name]) for name in ours]
    known = {name: found[0].best_known for name, found in ours.items()}
    to_best_known = [gap(average[selector][name], value) for name, value in known.items() if value is not None]
    own = [run for found in ours.values() for run in found]
    return Comparison(
        selector=selector,
        against=against,
        instances=len(ours),
        gap_of_averages=mean(gap(average[selector][name], average[against][name]) for name in ours),
        gap_of_bests=mean(gap(best[selector][name], best[against][name]) for name in ours),
        wins=sum(value < 0 for value in differences),
        losses=sum(value > 0 for value in differences),
        ties=sum(value == 0 for value in differences),
        p_value=wilcoxon_less(differences),
        gap_to_best_known=mean(to_best_known) if to_best_known else None,
        with_best_known=len(to_best_known),
        unserved_runs=sum(run.unserved > 0 for run in own),
        runs=len(own),
        time_ratio=mean(_seconds(ours[name]) / _seconds(theirs[name]) for name in ours),
        iterations_per_second=sum(run.iterations for run in own) / max(sum(run.seconds for run in own), 1e-9),
    )


def counted_costs(runs: Iterable[Run]) -> dict[Run, float]:
    """What each run counts as.

    A run that serves everybody counts as its cost. One that does not counts as twice the best-known value, or, where
    none is known, twice the lowest cost of any run on the instance that serves everybody; but never as less than any
    run that serves everybody. Where no run does and nothing is known, all runs count the same.
    """
    by_instance: dict[str, list[Run]] = {}
    for run in runs:
        by_instance.setdefault(run.instance, []).append(run)
    counted: dict[Run, float] = {}
    for found in by_instance.values():
        served = [run.cost for run in found if not run.unserved]
        known = found[0].best_known
        reference = known if known is not None else min(served, default=1.0)
        penalised = max([UNSERVED_FACTOR * reference, *served])
        counted |= {run: penalised if run.unserved else run.cost for run in found}
    return counted


def comparison_table(rows: Sequence[tuple[str, Comparison]]) -> str:
    """Comparisons as a Markdown table, each with the name of the instances that it is over."""
    lines = [
        "| instances | | selector | against | gap of averages, % | gap of bests, % | wins / losses / ties | p "
        "| to best-known, % | unserved runs | time | iterations/s |",
        "|---|---:|---|---|---:|---:|:---:|---:|---:|---:|---:|---:|",
    ]
    for name, row in rows:
        base = row.selector == row.against
        cells = [
            name,
            str(row.instances),
            row.selector,
            "-" if base else row.against,
            "-" if base else _signed(row.gap_of_averages),
            "-" if base else _signed(row.gap_of_bests),
            "-" if base else f"{row.wins} / {row.losses} / {row.ties}",
            "-" if row.p_value is None else f"{row.p_value:.4f}",
            _best_known_text(row),
            f"{row.unserved_runs} of {row.runs}" if row.unserved_runs else "0",
            "-" if base else f"{row.time_ratio:.2f}",
            f"{row.iterations_per_second:,.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _by_instance(runs: Iterable[Run], selector: str) -> dict[str, list[Run]]:
    found: dict[str, list[Run]] = {}
    for run in sorted((run for run in runs if run.selector == selector), key=lambda run: (run.instance, run.seed)):
        found.setdefault(run.instance, []).append(run)
    return found


def _seconds(runs: Sequence[Run]) -> float:
    return max(mean(run.seconds for run in runs), 1e-9)


def _signed(percent: float) -> str:
    text = f"{percent:+.3f}"
    return "0.000" if float(text) == 0 else text


def _best_known_text(row: Comparison) -> str:
    if row.gap_to_best_known is None:
        return "-"
    some = f" ({row.with_best_known} instances)" if row.with_best_known < row.instances else ""
    return f"{row.gap_to_best_known:.3f}{some}"
