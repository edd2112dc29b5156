"""The paper's tables with ours in them."""

from collections.abc import Iterable, Sequence

from dacalns.study.cases import Case
from dacalns.study.paper_tables import Experiment, Pair, Place, experiment
from dacalns.study.report.document import DASH, Cell, Column, Paragraph, Section, Table
from dacalns.study.report.verdict_table import verdict_table, verdicts_of
from dacalns.study.report.versus_cells import gap_cell, ratio_text, record_text
from dacalns.study.report.words import cell, p_text, stars
from dacalns.study.verdicts import cases_at
from dacalns.study.versus import Versus, versus

BUDGET = "iterations"
"""The name of the budget that the paper's tables are for: as many iterations for every method."""

TITLES = {
    "comparative": ("Comprehensive performance comparison", "Statistical comparison"),
    "generalisation": ("Generalisation performance", "Statistical significance of generalisation"),
}


def budget_kind(name: str, words: str) -> str:
    """What a budget is the same for all methods in: iterations, time, or what its name says."""
    by_time = words.endswith(" s") or "seconds" in words
    return "Equal iterations" if name == BUDGET else "Equal time" if by_time else name


def paper_section(name: str, cases: Sequence[Case]) -> Section:
    """The paper's tables of an experiment, with the paper's value beside ours, and the verdicts."""
    if not cases:
        why = f"The paper's tables are for a budget named {BUDGET}, with which this protocol expects no runs."
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


def performance_table(name: str, printed: Experiment, cases: Sequence[Case]) -> Table:
    """Gaps and times as in the paper's first table of an experiment."""
    pairs = [*printed.performance]
    places = _in_order(name, printed.performance[pairs[0]])
    columns = _place_columns(name)
    columns += [Column(what, f"{first} vs {second}") for first, second in pairs for what in ("Best", "Avg", "Time")]
    rows = []
    several = False
    for dataset, scale in places:
        row = _place_cells(name, dataset, scale)
        for pair in pairs:
            found = versus(cases_at(cases, dataset, scale), *pair)
            several |= bool(found.trainings)
            theirs = printed.performance[pair][dataset, scale]
            row += [
                gap_cell(found.gap_of_bests, found, theirs.gap_of_bests),
                gap_cell(found.gap_of_averages, found, theirs.gap_of_averages),
                cell(ratio_text(found), found.timed, found.expected, f"{theirs.time_ratio:.2f}"),
            ]
        rows.append(row)
    note = (
        "Best and Avg: mean gap in percent of the best and of the average of the runs; negative is better. Time: mean "
        "ratio of wall times. In brackets: the paper's value."
    )
    if several:
        note += (
            " Avg of a method that was trained several times is over all trainings, Best the mean over the trainings "
            "of the best run of each."
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


def _test_cells(found: Versus, printed: Experiment, pair: Pair, place: Place) -> list[Cell]:
    theirs = printed.tests[pair][place]
    return [
        Cell(record_text(found), f"{theirs.wins} / {theirs.losses} / {theirs.ties}"),
        cell(p_text(found.p_value), found.used, found.expected, p_text(theirs.p_value)),
        cell(p_text(found.p_exact), found.used, found.expected),
        cell(stars(found.p_value), found.used, found.expected, stars(theirs.p_value)),
    ]


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
