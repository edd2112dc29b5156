"""Sections of a report: where the numbers come from, what is missing, and the paper's tables."""

from collections import Counter
from collections.abc import Iterable, Sequence

from dacalns.report.figure import cost_text, count_text
from dacalns.study.cases import Case, Record, Shortfall, failures, records, shortfalls
from dacalns.study.comparisons import Versus, cases_at, versus
from dacalns.study.paper_tables import Experiment, Pair, Place, experiment
from dacalns.study.report.document import DASH, Block, Cell, Column, Facts, Paragraph, Section, Table
from dacalns.study.report.tables import (
    cell,
    gap_cell,
    p_text,
    ratio_text,
    record_text,
    signed,
    some,
    stars,
    verdict_table,
    verdicts_of,
)
from dacalns.study.rows import DONE, FAILED, Study
from dacalns.study.statistics import gap
from dacalns.version import __version__

# Provenance: where the numbers of a study come from.


def provenance_section(study: Study) -> Section:
    """Return a section with the command, versions, machines, seeds, budgets, dates and the number of runs."""
    outline, rows = study.outline, study.rows.values()
    # Dates are to the minute, without the time zone, which is always UTC.
    finished = sorted(row.finished[:16].replace("T", " ") for row in rows)
    counts = Counter(row.status for row in rows)
    expected = len({member.key for member in study.members})
    facts = {
        "Command": [Cell(outline.command, code=True)] if outline.command else [],
        "Methods": [Cell(f"{name} = {selector}") for name, selector in outline.methods.items()],
        "Budgets": [Cell(f"{name}: {words}") for name, words in outline.budgets.items()],
        "Seeds": [Cell(str(seed)) for seed in outline.seeds],
        "Trainings": [
            Cell(f"{name} (seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))})")
            for name, seeds in outline.trainings.items()
        ],
        "Runs": [Cell(f"{expected:,} expected, {counts[DONE]:,} done, {counts[FAILED]:,} failed")],
        "Version": _counted(row.version for row in rows),
        "Machine": _counted(row.machine for row in rows),
        "Dates": [Cell(f"{finished[0]} to {finished[-1]} UTC")] if finished else [],
        "Report": [Cell(f"dac-alns {__version__}")],
    }
    if not outline.trainings:
        del facts["Trainings"]
    return Section("Where this comes from", [Facts([(name, cells or [Cell(DASH)]) for name, cells in facts.items()])])


def _counted(values: Iterable[str]) -> list[Cell]:
    """Return the different values, with the number of runs of each if there are several."""
    counts = Counter(values)
    if len(counts) < 2:
        return [Cell(value) for value in counts]
    return [Cell(f"{value} ({count:,} runs)") for value, count in counts.most_common()]


# Runs that are missing, failed or infeasible, and runs that beat a best-known value.

LONGEST_ERROR = 300


def shortfall_section(by_budget: dict[str, list[Case]], *, gathered: bool = False) -> Section:
    """Return a section with everything that a reader must know about runs without an answer.

    Parameters
    ----------
    by_budget
        All cases, by budget.
    gathered
        True if the methods of a group share a line, for studies with hundreds of methods.
    """
    blocks: list[Block] = []
    lacking = [(budget, each) for budget, cases in by_budget.items() for each in shortfalls(cases)]
    if not any(by_budget.values()):
        blocks.append(Paragraph("The protocol expects no runs."))
    elif not lacking:
        blocks.append(Paragraph("Nothing: every expected run is done and feasible."))
    elif gathered:
        blocks.append(_gathered(lacking))
    else:
        blocks.append(
            Table(
                [Column("Instances", number=False), Column("Method", number=False), Column("Budget", number=False),
                 Column("Expected"), Column("Done"), Column("Missing"), Column("Failed"), Column("Infeasible"),
                 Column("Incomplete", number=False), Column("With infeasible runs", number=False)],
                [[Cell(each.group), Cell(each.method), Cell(budget)]
                 + [Cell(f"{count:,}")
                    for count in (each.expected, each.done, each.missing, each.failed, each.infeasible)]
                 + [Cell(some(each.incomplete_instances)), Cell(some(each.infeasible_instances))]
                 for budget, each in lacking],
                "Runs that are missing, failed or infeasible",
            )
        )  # fmt: skip
    errors = [(budget, each) for budget, cases in by_budget.items() for each in failures(cases)]
    if errors:
        blocks.append(
            Table(
                [Column("Method", number=False), Column("Budget", number=False), Column("Runs"),
                 Column("First of them", number=False), Column("Error", number=False)],
                [[Cell(each.method), Cell(budget), Cell(f"{len(each.rows):,}"),
                  Cell(f"{each.rows[0].instance}, {run_text(each.training, each.rows[0].seed)}, "
                       f"{count_text(each.rows[0].attempts, 'attempt')}"),
                  Cell(_one_line(each.error), code=True)]
                 for budget, each in errors],
                "Why runs failed",
            )
        )  # fmt: skip
    return Section("What is missing", blocks)


def record_section(by_budget: dict[str, list[Case]]) -> Section | None:
    """Return a section with the runs that beat a best-known value; None if there are none."""
    best: dict[str, Record] = {}
    for cases in by_budget.values():
        for record in records(cases):
            if record.row.instance not in best or record.cost < best[record.row.instance].cost:
                best[record.row.instance] = record
    if not best:
        return None
    columns = [
        Column("Instance", number=False), Column("Listed"), Column("Found"), Column("Gap, %"),
        Column("Method", number=False), Column("Budget", number=False), Column("Run", number=False),
    ]  # fmt: skip
    rows = [
        [Cell(name), Cell(cost_text(record.listed)), Cell(cost_text(record.cost)),
         Cell(signed(gap(record.cost, record.listed), 3)), Cell(record.method), Cell(record.row.budget),
         Cell(run_text(record.training, record.row.seed))]
        for name, record in best.items()
    ]  # fmt: skip
    words = (
        "These runs cost less than the best-known value that was listed when they ran. The independent checker found "
        "their solutions feasible: update the list of best-known values, or look into the rules of the instance."
    )
    return Section("Below the best-known value", [Paragraph(words), Table(columns, rows)])


def _gathered(lacking: Sequence[tuple[str, Shortfall]]) -> Table:
    """Return a table with a line for each group and budget."""
    columns = [
        Column("Instances", number=False), Column("Budget", number=False), Column("Methods"), Column("Missing"),
        Column("Failed"), Column("Infeasible"), Column("Which methods", number=False),
        Column("On which instances", number=False),
    ]  # fmt: skip
    rows = []
    for budget, group in dict.fromkeys((budget, each.group) for budget, each in lacking):
        own = [each for of, each in lacking if (of, each.group) == (budget, group)]
        where = [name for each in own for name in (*each.incomplete_instances, *each.infeasible_instances)]
        counts = [len(own), *(sum(getattr(each, what) for each in own) for what in ("missing", "failed", "infeasible"))]
        rows.append(
            [Cell(group), Cell(budget), *(Cell(f"{count:,}") for count in counts),
             Cell(some([each.method for each in own])), Cell(some([*dict.fromkeys(where)]))]
        )  # fmt: skip
    return Table(columns, rows, "Runs that are missing, failed or infeasible")


def run_text(training: int | None, seed: int) -> str:
    """Return the words for a run of a method on an instance."""
    return f"seed {seed}" if training is None else f"training {training}, seed {seed}"


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_ERROR else words[: LONGEST_ERROR - 1] + "…"


# The paper's tables, with our values in them.

BUDGET = "iterations"
"""The name of the budget that the paper's tables are for: equal iterations for every method."""

TITLES = {
    "comparative": ("Comprehensive performance comparison", "Statistical comparison"),
    "generalisation": ("Generalisation performance", "Statistical significance of generalisation"),
}


def budget_kind(name: str, words: str) -> str:
    """Return what is equal for all methods with a budget: iterations, time, or else the budget's name."""
    by_time = words.endswith(" s") or "seconds" in words
    return "Equal iterations" if name == BUDGET else "Equal time" if by_time else name


def paper_section(name: str, cases: Sequence[Case]) -> Section:
    """Return the paper's tables of an experiment, with the paper's values beside ours, and the verdicts."""
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
    """Return gaps and times as in the paper's first table of an experiment."""
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
    """Return wins, losses, ties and tests as in the paper's second table of an experiment."""
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


# The paper's tables are sorted by dataset if sizes are compared, and by experiment if datasets are compared.
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
