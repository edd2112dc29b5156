"""The paper's tables with ours in them, and a verdict on each of its claims."""

from collections.abc import Iterable, Sequence

from dacalns.study.cases import Case
from dacalns.study.holm import holm
from dacalns.study.paper_tables import ALL, GLOBAL, Claim, Experiment, Pair, Place, experiment
from dacalns.study.report.document import DASH, Cell, Column, Paragraph, Section, Table
from dacalns.study.report.words import cell, of_all, p_text, signed, stars
from dacalns.study.verdicts import (
    CONFIRMED,
    CONTRADICTED,
    NO_DATA,
    NOT_CONFIRMED,
    NOT_CONTRADICTED,
    UNTESTED,
    Verdict,
    cases_at,
    verdict_on,
)
from dacalns.study.versus import Versus, versus

BUDGET = "iterations"
"""The name of the budget that the paper's tables are for: as many iterations for every method."""

TONES = {
    CONFIRMED: "good", NOT_CONTRADICTED: "good", NOT_CONFIRMED: "neutral", CONTRADICTED: "bad",
    NO_DATA: "faint", UNTESTED: "faint",
}  # fmt: skip
TITLES = {
    "comparative": ("Comprehensive performance comparison", "Statistical comparison"),
    "generalisation": ("Generalisation performance", "Statistical significance of generalisation"),
}


def paper_section(name: str, cases: Sequence[Case]) -> Section:
    """The paper's tables of an experiment, with the paper's value beside ours, and the verdicts."""
    if not cases:
        why = f"The paper's tables are for a budget named {BUDGET}, which this protocol does not have."
        return Section("The paper's tables", [Paragraph(why)])
    printed = experiment(name)
    verdicts = verdicts_of(name, cases)
    return Section(
        "The paper's claims and tables",
        [
            verdict_table(verdicts, printed),
            performance_table(name, printed, cases),
            rank_test_table(name, printed, cases),
        ],
    )


def verdicts_of(name: str, cases: Sequence[Case]) -> list[Verdict]:
    """A verdict on each claim of an experiment."""
    return [verdict_on(claim, cases) for claim in experiment(name).claims]


def performance_table(name: str, printed: Experiment, cases: Sequence[Case]) -> Table:
    """Gaps and times as in the paper's first table of an experiment."""
    pairs = [*printed.performance]
    places = _in_order(name, printed.performance[pairs[0]])
    columns = _place_columns(name)
    columns += [Column(what, f"{first} vs {second}") for first, second in pairs for what in ("Best", "Avg", "Time")]
    rows = []
    for dataset, scale in places:
        row = _place_cells(name, dataset, scale)
        for pair in pairs:
            found = versus(cases_at(cases, dataset, scale), *pair)
            theirs = printed.performance[pair][dataset, scale]
            row += [
                _gap_cell(found.gap_of_bests, found, theirs.gap_of_bests),
                _gap_cell(found.gap_of_averages, found, theirs.gap_of_averages),
                cell(_ratio(found), found.timed, found.expected, f"{theirs.time_ratio:.2f}"),
            ]
        rows.append(row)
    note = (
        "Best and Avg: mean gap in percent of the best and of the average of the runs; negative is better. Time: mean "
        "ratio of wall times. In brackets: the paper's value."
    )
    return Table(columns, rows, f"{TITLES[name][0]} (equal iterations)", note, _breaks(rows))


def rank_test_table(name: str, printed: Experiment, cases: Sequence[Case]) -> Table:
    """Wins, losses, ties and tests as in the paper's second table of an experiment."""
    pairs = [*printed.tests]
    places = _in_order(name, printed.tests[pairs[0]])
    columns = [*_place_columns(name), Column("N")]
    for first, second in pairs:
        columns += [Column(what, f"{first} vs {second}") for what in ("W / L / T", "p", "exact p", "Sig.")]
    rows = []
    for dataset, scale in places:
        found = {pair: versus(cases_at(cases, dataset, scale), *pair) for pair in pairs}
        expected = max(each.expected for each in found.values())
        row = _place_cells(name, dataset, scale)
        row.append(Cell(str(expected or DASH), str(printed.tests[pairs[0]][dataset, scale].instances)))
        for pair in pairs:
            row += _test_cells(found[pair], printed, pair, (dataset, scale))
        rows.append(row)
    note = (
        "p: one-sided Wilcoxon signed-rank test on the averages, computed as in the paper: exact where nothing ties "
        "and there are at most 50 instances, else by the normal distribution. exact p: exact whatever ties. Sig.: by "
        "p; n.s. (p >= 0.05), * (p < 0.05), ** (p < 0.01), *** (p < 0.001). In brackets: the paper's value."
    )
    return Table(columns, rows, f"{TITLES[name][1]} (equal iterations)", note, _breaks(rows))


def verdict_table(verdicts: Sequence[Verdict], printed: Experiment) -> Table:
    """The claims, what the paper has to show for them, what we found, and the verdict."""
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
            row += [_gap_cell(found.gap_of_averages, found), Cell(_record(found))]
            row += [cell(p_text(value), found.used, found.expected) for value in p_values]
        else:
            row += [Cell(DASH)] * 6
        row += [cell(_ratio(found), found.timed, found.expected), Cell(_printed_words(verdict.claim, printed))]
        rows.append(row)
    note = (
        "Confirmed: exact p < 0.05. Contradicted: exact p of the opposite < 0.05. Else not confirmed. "
        "No test confirms that two methods are equal: such a claim is contradicted at p < 0.05 in either direction. "
        "Gap, W / L / T and p are of the averages. Holm: exact p, corrected for all claims of this table. Ratios of "
        "times are not tested."
    )
    return Table(columns, rows, "Verdict on each claim", note)


def claim_text(claim: Claim) -> str:
    """A claim as a sentence without a full stop."""
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


def _test_cells(found: Versus, printed: Experiment, pair: Pair, place: Place) -> list[Cell]:
    theirs = printed.tests[pair][place]
    return [
        Cell(_record(found), f"{theirs.wins} / {theirs.losses} / {theirs.ties}"),
        cell(p_text(found.p_value), found.used, found.expected, p_text(theirs.p_value)),
        cell(p_text(found.p_exact), found.used, found.expected),
        cell(stars(found.p_value), found.used, found.expected, stars(theirs.p_value)),
    ]


def _gap_cell(value: float | None, found: Versus, paper: float | None = None) -> Cell:
    text = None if value is None else signed(value, 2)
    return cell(text, found.used, found.expected, None if paper is None else signed(paper, 2))


def _record(found: Versus) -> str:
    return of_all(f"{found.wins} / {found.losses} / {found.ties}", found.counted, found.expected)


def _ratio(found: Versus) -> str | None:
    return None if found.time_ratio is None else f"{found.time_ratio:.2f}"


# The paper's tables go by dataset where sizes are compared, and by experiment where datasets are.
def _in_order(name: str, places: Iterable[Place]) -> list[Place]:
    found = [*places]
    if name == "comparative":
        return found
    scales = [*dict.fromkeys(scale for _, scale in found)]
    return sorted(found, key=lambda place: scales.index(place[1]))


def _place_columns(name: str) -> list[Column]:
    headings = ("Dataset", "Size") if name == "comparative" else ("Experiment", "Dataset")
    return [Column(heading, number=False) for heading in headings]


def _place_cells(name: str, dataset: str, scale: str) -> list[Cell]:
    return [Cell(text) for text in ((dataset, scale) if name == "comparative" else (scale, dataset))]


def _breaks(rows: list[list[Cell]]) -> list[int]:
    return [place for place in range(1, len(rows)) if rows[place][0] != rows[place - 1][0]]
