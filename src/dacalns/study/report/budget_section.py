"""What the paper lacks: every method by itself, and every comparison with all that can be said of it."""

from collections.abc import Sequence

from dacalns.study.cases import Case, places_of
from dacalns.study.each_training import OneTraining, Spread, spread_of
from dacalns.study.holm import holm
from dacalns.study.method_summary import MethodSummary, summarise
from dacalns.study.report.document import DASH, Cell, Column, Table
from dacalns.study.report.versus_cells import ratio_text, record_text
from dacalns.study.report.words import cell, p_text, signed
from dacalns.study.versus import Versus, versus


def method_table(cases: Sequence[Case], *, brief: bool = False) -> Table:
    """Every method in every group, or in brief on every dataset."""
    columns = [
        Column("Instances", number=False), Column("Method", number=False), Column("Gap to best-known, %"),
        Column("Mean rank"), Column("Feasible runs"), Column("Iterations/s"), Column("Time, s"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    breaks = []
    for place, members in places_of(cases, brief=brief):
        breaks.append(len(rows))
        for found in summarise(members):
            rows.append([Cell(place), Cell(found.method), *_method_cells(found)])
    note = (
        "Gap: mean over the instances of the average cost above the best-known value. Mean rank: by average cost among "
        "the methods, 1 is best. Numbers in parentheses say over how many of the expected instances or runs a value "
        "is, if not over all: the others have runs that are missing, failed or infeasible, or no best-known value."
    )
    return Table(columns, rows, "Every method", note, breaks[1:])


def comparison_table(cases: Sequence[Case], comparisons: Sequence[tuple[str, str]], *, brief: bool = False) -> Table:
    """Every comparison in every group, or in brief on every dataset, each test also corrected for all of the table."""
    columns = [
        Column("Comparison", number=False), Column("Instances", number=False), Column("Gap of bests, %"),
        Column("Gap of averages, %"), Column("95 % interval"), Column("W / L / T"), Column("p"), Column("exact p"),
        Column("Holm"), Column("Effect"), Column("Time"),
    ]  # fmt: skip
    places = places_of(cases, brief=brief)
    found = [(place, versus(members, *pair)) for pair in comparisons for place, members in places]
    corrected = holm([each.p_exact for _, each in found])
    several = ""
    if any(each.trainings for _, each in found):
        several = "; where a method was trained several times, of the instances and of the trainings"
    rows = [
        [Cell(f"{each.first} vs {each.second}"), Cell(place), *_comparison_cells(each, together)]
        for (place, each), together in zip(found, corrected, strict=True)
    ]
    note = (
        "Gaps: mean over the instances; negative: the first method is better. Interval: of the gap of averages, by "
        f"10,000 bootstrap samples of the instances (seed 0){several}. p: one-sided Wilcoxon signed-rank test that "
        "the first method's averages are lower, as in the paper (SciPy; exact without ties, else normal). exact p: "
        "exact whatever ties. Holm: exact p, corrected for all tests of this table. Effect: rank-biserial correlation, "
        "1 where the first method is always better. Time: mean ratio of wall times."
    )
    return Table(columns, rows, "Every comparison", note, [*range(len(places), len(rows), max(len(places), 1))])


def training_table(cases: Sequence[Case], comparisons: Sequence[tuple[str, str]]) -> Table | None:
    """Every comparison of a method that was trained several times, training by training; None without any."""
    columns = [
        Column("Comparison", number=False), Column("Instances", number=False), Column("Training", number=False),
        Column("Gap of averages, %"), Column("Lowest to highest"), Column("W / L / T"), Column("exact p"),
        Column("Trainings better"), Column("Sign test"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    breaks = []
    trained = {method for case in cases for method, outcome in case.outcomes.items() if len(outcome.trainings) > 1}
    for pair in comparisons:
        for place, members in places_of(cases) if trained & {*pair} else []:
            found = versus(members, *pair)
            spread = spread_of(found.trainings)
            if spread is None:
                continue
            breaks.append(len(rows))
            names = [Cell(f"{found.first} vs {found.second}"), Cell(place)]
            # The trainings of several policies stand in the lines of their own instances.
            one_policy = len({each.policy for each in found.trainings}) == 1
            rows += [[*names, *_training_cells(each, found)] for each in found.trainings if one_policy]
            rows.append([*names, *_spread_cells(spread, found, one_policy)])
    if not rows:
        return None
    note = (
        "A method that was trained several times, with the policy of each training alone. The last line of each part: "
        "mean of the gaps and standard deviation between the trainings, lowest and highest gap, in how many of the "
        "trainings the first method is better by its gap, and the one-sided exact sign test over the trainings that it "
        "is. exact p: signed-rank test over the instances, for that training."
    )
    return Table(columns, rows, "Each training", note, breaks[1:])


def _training_cells(each: OneTraining, found: Versus) -> list[Cell]:
    return [
        Cell(str(each.training)),
        cell(signed(each.gap_of_averages, 3), found.used, found.expected),
        Cell(DASH),
        cell(f"{each.wins} / {each.losses} / {each.ties}", found.used, found.expected),
        cell(p_text(each.p_exact), found.used, found.expected),
        Cell(DASH),
        Cell(DASH),
    ]


def _spread_cells(spread: Spread, found: Versus, one_policy: bool) -> list[Cell]:
    # Over several policies, the differences between their instances would be in mean and deviation.
    mean = f"{signed(spread.mean, 3)} ± {spread.deviation:.3f}"
    return [
        Cell(f"all {spread.trainings}"),
        cell(mean, found.used, found.expected) if one_policy else Cell(DASH),
        cell(f"{signed(spread.lowest, 3)} to {signed(spread.highest, 3)}", found.used, found.expected),
        Cell(DASH),
        Cell(DASH),
        Cell(f"{spread.better} of {spread.trainings}"),
        Cell(p_text(spread.p_value)),
    ]


def _method_cells(found: MethodSummary) -> list[Cell]:
    gap = None if found.gap_to_best_known is None else signed(found.gap_to_best_known, 3).removeprefix("+")
    rank = None if found.rank is None else f"{found.rank:.2f}"
    speed = None if found.iterations_per_second is None else f"{found.iterations_per_second:,.0f}"
    seconds = None if found.seconds is None else f"{found.seconds:.3g}"
    feasible = f"{found.feasible_runs:,} of {found.done_runs:,}" if found.done_runs else DASH
    if found.done_runs < found.expected_runs:
        feasible += f" ({found.expected_runs:,} expected)"
    return [
        cell(gap, found.with_best_known, found.instances),
        cell(rank, found.ranked, found.instances),
        Cell(feasible),
        cell(speed, found.done_runs, found.expected_runs),
        cell(seconds, found.done_runs, found.expected_runs),
    ]


def _comparison_cells(found: Versus, corrected: float | None) -> list[Cell]:
    def value(text: str | None) -> Cell:
        return cell(text, found.used, found.expected)

    interval = None if found.interval is None else " to ".join(signed(end, 3) for end in found.interval)
    return [
        value(None if found.gap_of_bests is None else signed(found.gap_of_bests, 3)),
        value(None if found.gap_of_averages is None else signed(found.gap_of_averages, 3)),
        value(interval),
        Cell(record_text(found)),
        value(p_text(found.p_value)),
        value(p_text(found.p_exact)),
        value(p_text(corrected)),
        value(None if found.effect is None else signed(found.effect, 2)),
        cell(ratio_text(found), found.timed, found.expected),
    ]
