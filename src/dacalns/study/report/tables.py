"""The tables of a report, and the text of the numbers in them."""

from collections.abc import Sequence

from dacalns.study.cases import Case, methods_of, places_of
from dacalns.study.comparisons import (
    DIFFERENCE,
    HOLDS,
    NO_DATA,
    NO_DIFFERENCE,
    NOT_SHOWN,
    OPPOSITE,
    UNTESTED,
    ClaimVerdict,
    MethodSummary,
    OneTraining,
    Spread,
    Versus,
    spread_of,
    summarise,
    verdict_on,
    versus,
)
from dacalns.study.curves import operator_shares
from dacalns.study.paper_tables import ALL, GLOBAL, Claim, Experiment, experiment
from dacalns.study.report.document import DASH, Cell, Column, Table
from dacalns.study.statistics import holm

# Numbers as text.


def signed(value: float, digits: int) -> str:
    """Return a gap with its sign; a zero has none."""
    text = f"{value:+.{digits}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def p_text(value: float | None) -> str:
    """Return a p-value as the paper prints them."""
    if value is None:
        return DASH
    return "<0.0001" if value < 5e-5 else f"{value:.4f}"


def stars(value: float | None) -> str:
    """Return the paper's symbol for the significance of a p-value."""
    if value is None:
        return DASH
    return "***" if value < 0.001 else "**" if value < 0.01 else "*" if value < 0.05 else "n.s."


def of_all(text: str, used: int, expected: int) -> str:
    """Return a value with the number of instances that it is over, unless these are all; a dash if there are none."""
    if not used:
        return DASH if not expected else f"{DASH} (0 of {expected})"
    return text if used >= expected else f"{text} ({used} of {expected})"


def cell(text: str | None, used: int, expected: int, paper: str | None = None) -> Cell:
    """Return a cell that says how many instances it is over, with the paper's value beside it."""
    return Cell(of_all(DASH if text is None else text, used, expected), paper)


def some(names: list[str], most: int = 8) -> str:
    """Return the first names as a list, and how many more there are."""
    if len(names) <= most:
        return ", ".join(names)
    return ", ".join(names[:most]) + f" and {len(names) - most} more"


# Headings that several columns share.


def over_spans(table: Table) -> list[tuple[str, int, int]]:
    """Return the shared headings with first column and number of columns; a column without one stands alone."""
    spans: list[tuple[str, int, int]] = []
    for place, column in enumerate(table.columns):
        if spans and column.over and spans[-1][0] == column.over:
            over, begin, count = spans[-1]
            spans[-1] = (over, begin, count + 1)
        else:
            spans.append((column.over, place, 1))
    return spans


# Cells that compare one method with another.


def gap_cell(value: float | None, found: Versus, paper: float | None = None) -> Cell:
    """Return a gap in percent, as precise as the paper's, with the paper's value beside it."""
    text = None if value is None else signed(value, 2)
    return cell(text, found.used, found.expected, None if paper is None else signed(paper, 2))


def record_text(found: Versus) -> str:
    """Return wins, losses and ties, and how many instances they are over."""
    return of_all(f"{found.wins} / {found.losses} / {found.ties}", found.counted, found.expected)


def ratio_text(found: Versus) -> str | None:
    """Return the ratio of times as text."""
    return None if found.time_ratio is None else f"{found.time_ratio:.2f}"


# Tables that the paper lacks: every method by itself, and every comparison in detail.


def method_table(cases: Sequence[Case], *, brief: bool = False) -> Table:
    """Return a table of every method in every group; a brief one is by dataset."""
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
    """Return a table of every comparison in every group; a brief one is by dataset. Tests are also corrected."""
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
    """Return a table of comparisons by training, for methods that were trained several times; None without any."""
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
            # If there are several policies, their trainings have lines with their own instances.
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
    # For several policies, mean and deviation would include the differences between their instances.
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


# The operators that each method used.


def shares_table(cases: Sequence[Case]) -> Table | None:
    """Return a matrix of the mean shares of operator pairs for each method and dataset; None without any."""
    datasets: dict[str, list[Case]] = {}
    for case in cases:
        datasets.setdefault(case.dataset, []).append(case)
    found = [
        (method, dataset, shares)
        for method in methods_of(cases)
        for dataset, members in datasets.items()
        for shares in operator_shares(members, method)
    ]
    if not found:
        return None
    repair = [*dict.fromkeys(name for _, _, shares in found for name in shares.repair)]
    rows: list[list[Cell]] = []
    breaks = []
    for method, dataset, shares in found:
        breaks.append(len(rows))
        for name, line in zip(shares.destroy, shares.percent, strict=True):
            by_repair = dict(zip(shares.repair, line, strict=True))
            texts = [f"{by_repair[each]:.1f}" if each in by_repair else DASH for each in repair]
            rows.append([Cell(text) for text in (method, dataset, name, *texts, f"{line.sum():.1f}")])
    columns = [Column(heading, number=False) for heading in ("Method", "Dataset", "Destroy")]
    columns += [Column(name, "Repair") for name in repair] + [Column("all")]
    note = "Percent of the iterations of a run, mean over the runs that are done."
    return Table(columns, rows, "Destroy x repair", note, breaks[1:])


# Verdicts on the paper's claims.

TONES = {
    HOLDS: "good", NO_DIFFERENCE: "good", NOT_SHOWN: "neutral", OPPOSITE: "bad", DIFFERENCE: "bad",
    NO_DATA: "faint", UNTESTED: "faint",
}  # fmt: skip


def verdicts_of(name: str, cases: Sequence[Case]) -> list[ClaimVerdict]:
    """Return a verdict on each claim of an experiment."""
    return [verdict_on(claim, cases) for claim in experiment(name).claims]


def verdict_table(verdicts: Sequence[ClaimVerdict], printed: Experiment) -> Table:
    """Return a table of the claims, what the paper has to show for them, what we found, and the verdict."""
    columns = [
        Column("Verdict", number=False), Column("Claim of the paper", number=False), Column("Gap, %"),
        Column("W / L / T"), Column("p"), Column("exact p"), Column("Holm"),
        Column("exact p of the opposite"), Column("Time"),
        Column("In the paper", number=False),
    ]  # fmt: skip
    tested = [verdict.claim.kind != "time" for verdict in verdicts]
    corrected = holm([verdict.found.p_exact if test else None for verdict, test in zip(verdicts, tested, strict=True)])
    rows = []
    for verdict, test, together in zip(verdicts, tested, corrected, strict=True):
        found = verdict.found
        row = [Cell(verdict.words, tone=TONES[verdict.words]), Cell(claim_text(verdict.claim))]
        if test:
            p_values = (found.p_value, found.p_exact, together, found.p_worse)
            row += [gap_cell(found.gap_of_averages, found), Cell(record_text(found))]
            row += [cell(p_text(value), found.used, found.expected) for value in p_values]
        else:
            row += [Cell(DASH)] * 6
        row += [cell(ratio_text(found), found.timed, found.expected), Cell(_printed_words(verdict.claim, printed))]
        rows.append(row)
    note = (
        "Every verdict is on one reading of the paper: it leaves open settings that can decide a claim. Over which "
        "readings a claim holds, the map says (dac-alns study run map). Holds here: exact p < 0.05. The opposite here: "
        "exact p of the opposite < 0.05. Not shown here: neither. No test shows that two methods are equal: for such a "
        "claim a difference is shown at p < 0.05 in either direction. Gap, W / L / T and p are of the averages. Holm: "
        "exact p, corrected for all claims of this table. Ratios of times are not tested."
    )
    if any(verdict.found.trainings for verdict in verdicts):
        note += " Averages of a method that was trained several times are over all its trainings."
    return Table(columns, rows, "Verdict on each claim", note)


def claim_text(claim: Claim) -> str:
    """Return a claim as a sentence without a full stop."""
    where = "overall" if claim.dataset == ALL else f"on {claim.dataset}" + (
        "" if claim.scale == GLOBAL else f" {claim.scale}"
    )  # fmt: skip
    if claim.kind == "equal":
        return f"{claim.first} and {claim.second} cannot be told apart {where}"
    if claim.kind == "time":
        return f"time of {claim.first} by that of {claim.second} {where}"
    return f"{claim.first} is better than {claim.second} {where}"


def _printed_words(claim: Claim, printed: Experiment) -> str:
    test = printed.tests.get((claim.first, claim.second), {}).get((claim.dataset, claim.scale))
    words = [] if test is None or claim.kind == "time" else [f"p = {test.p_value:.4f}"]
    return "; ".join([*words, *([claim.note] if claim.note else [])]) or DASH
