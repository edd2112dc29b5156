"""The outcome of a comparison of solvers: tables for the terminal and Markdown, and every run as JSON and CSV."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table as RichTable

from dacalns.bench.quality.runs import LeftOut
from dacalns.bench.quality.sets import Subset
from dacalns.bench.quality.standings import (
    BEST_OF_RUNS,
    CAP,
    Reference,
    SolverSummary,
    alarms,
    reference_of,
    solver_cases,
    summaries,
)
from dacalns.study.cases import Case, is_feasible
from dacalns.study.report.document import DASH, Block, Cell, Column, Document, Facts, Paragraph, Section, Table
from dacalns.study.report.markdown import to_markdown
from dacalns.study.rows import Row, Study
from dacalns.study.statistics import gap
from dacalns.util.files import csv_text, write_atomically
from dacalns.util.values import number_text
from dacalns.version import __version__

# The outcome as data.


@dataclass(frozen=True)
class Contestant:
    """A solver that took part: the word for it, its name and its version."""

    key: str
    name: str
    version: str


@dataclass
class SubsetResult:
    """A subset of instances, the keys of the solvers, the runs so far, and which solvers are left out where."""

    subset: Subset
    solvers: Sequence[str]
    study: Study
    left_out: Sequence[LeftOut] = ()

    @property
    def rows(self) -> list[Row]:
        """The rows so far, in the order of the instances and seeds."""
        return [self.study.rows[member.key] for member in self.study.members if member.key in self.study.rows]

    @property
    def cases(self) -> list[Case]:
        """The instances on which every solver has all its runs."""
        return solver_cases(self.study, self.subset.budget)

    @property
    def references(self) -> dict[str, Reference]:
        """The references by instance."""
        cases = {case.instance: case for case in self.cases}
        return {each.name: reference_of(each, cases.get(each.name)) for each in self.subset.instances}

    @property
    def summaries(self) -> list[SolverSummary]:
        """The figures of each solver."""
        return summaries(self.study, self.cases, self.solvers, self.references, self.subset.seconds)

    @property
    def alarms(self) -> list[str]:
        """Sentences about what should make a reader doubt the figures."""
        return [*self.subset.notes, *alarms(self.rows, self.references, self.subset.seconds)]


@dataclass
class Comparison:
    """A comparison of solvers.

    Parameters
    ----------
    command
        The command that repeats it.
    machine
        The machine that it ran on.
    solvers
        The solvers that took part.
    missing
        A sentence for each solver that could not take part.
    results
        The results by subset.
    interrupted
        True if it was ended before all runs were done.
    """

    command: str
    machine: Mapping[str, Any]
    solvers: Sequence[Contestant] = ()
    missing: Sequence[str] = ()
    results: list[SubsetResult] = field(default_factory=list)
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, dictionaries and numbers, every run among them."""
        return {
            "version": __version__,
            "command": self.command,
            "machine": dict(self.machine),
            "solvers": [asdict(solver) for solver in self.solvers],
            "missing": list(self.missing),
            "interrupted": self.interrupted,
            "subsets": [
                {
                    "name": result.subset.name,
                    "title": result.subset.title,
                    "seconds": result.subset.seconds,
                    "seeds": result.subset.seeds,
                    "customers": {each.name: each.customers for each in result.subset.instances},
                    "references": {name: asdict(reference) for name, reference in result.references.items()},
                    "summaries": [asdict(summary) for summary in result.summaries],
                    "alarms": result.alarms,
                    "left_out": [asdict(each) for each in result.left_out],
                    "runs": [asdict(row) for row in result.rows],
                }
                for result in self.results
            ],
        }


# Tables.

NOTE = (
    "Gap: of the mean cost over the seeds above the reference, by our checker, in percent, mean over the instances on "
    "which all runs of the solver are feasible; their number stands behind it where these are not all. Integral: the "
    f"primal integral, that is the gap's mean over the time of a run, at most {CAP:g}, by what the solver tells of its "
    f"progress; {DASH} where it tells nothing. W / L / T: instances on which the first solver has a lower, higher or "
    "equal mean cost, or more or fewer feasible runs where not all are. CPU: the part of the wall time that a "
    "processor worked for it; well below 1, other work was in the way."
)


def standings_table(result: SubsetResult, solvers: Sequence[Contestant]) -> Table:
    """Return a table of how the solvers stand on a subset."""
    columns = [
        Column("Solver", number=False), Column("Gap, %"), Column("Integral"), Column("W / L / T"),
        Column("Feasible"), Column("Seconds"), Column("CPU"),
    ]  # fmt: skip
    names = {solver.key: solver.name for solver in solvers}
    found = result.summaries
    return Table(columns, [_summary_cells(each, names[each.solver], first=each is found[0]) for each in found])


def instances_table(result: SubsetResult) -> Table:
    """Return a table of the gap of every solver on every instance."""
    columns = [Column("Instance", number=False), Column("n"), Column("Reference"), *map(Column, result.solvers)]
    sizes = {instance.name: instance.customers for instance in result.subset.instances}
    references = result.references
    rows = [
        [Cell(case.instance), Cell(str(sizes[case.instance]))]
        + [Cell(text) for text in instance_cells(result, case, references[case.instance])]
        for case in result.cases
    ]
    return Table(columns, rows, "Gap on each instance, %")


def instance_cells(result: SubsetResult, case: Case, reference: Reference) -> list[str]:
    """Return the reference of an instance, marked if it is the best of these runs, and the gap of every solver.

    If not all runs of a solver are feasible, the number of those that are stands in place of the gap.
    """
    mark = "†" * (reference.origin == BEST_OF_RUNS)
    cells = [DASH if reference.cost is None else number_text(reference.cost) + mark]
    for key in result.solvers:
        runs = case.outcomes.get(key)
        if runs is None:
            cells.append(DASH)
        elif runs.settled and reference.cost is not None:
            cells.append(f"{gap(runs.average, reference.cost):.3f}")
        else:
            cells.append(f"{len(runs.feasible)} of {len(runs.expected)}")
    return cells


def subset_title(subset: Subset) -> str:
    """Return a title that says what a subset is, and with which time and seeds the solvers ran on it."""
    seeds = f"{subset.seeds} seed" + "s" * (subset.seeds > 1)
    return f"{subset.name}: {subset.title}; {len(subset.instances)} instances, {subset.seconds:g} s, {seeds}"


def rich_table(table: Table) -> RichTable:
    """Return a table for the terminal."""
    # There is no frame and little padding, because the widest table must fit a terminal of 80 columns.
    shown = RichTable(box=SIMPLE_HEAD, padding=0)
    for column in table.columns:
        shown.add_column(column.heading, justify="right" if column.number else "left", no_wrap=True)
    for row in table.rows:
        shown.add_row(*(cell.text for cell in row))
    return shown


def _summary_cells(summary: SolverSummary, name: str, *, first: bool) -> list[Cell]:
    record = f"{summary.wins} / {summary.losses} / {summary.ties}"
    over = f" ({summary.in_gap})" if summary.in_gap < summary.instances else ""
    texts = [
        name,
        _number(summary.gap, 3) + over,
        _number(summary.integral, 3),
        DASH if first or not summary.instances else record,
        f"{summary.feasible} of {summary.runs}" if summary.runs else DASH,
        _number(summary.seconds, 2),
        _number(summary.share, 2),
    ]
    return [Cell(text) for text in texts]


def _number(value: float | None, digits: int) -> str:
    return DASH if value is None else f"{value:.{digits}f}"


# Files.

COLUMNS = (
    "subset", "instance", "solver", "seed", "budget", "status", "feasible", "cost", "reference", "gap_percent",
    "seconds", "processor_seconds", "error",
)  # fmt: skip


def write_comparison(folder: Path, comparison: Comparison) -> list[Path]:
    """Write every run as JSON and as CSV, and the tables as Markdown; return the paths."""
    contents = {
        "quality.json": json.dumps(comparison.to_dict(), allow_nan=False) + "\n",
        "quality.csv": runs_csv(comparison),
        "quality.md": comparison_markdown(comparison),
    }
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return [folder / name for name in contents]


def runs_csv(comparison: Comparison) -> str:
    """Return a CSV table with a line for each run."""
    lines: list[Sequence[object]] = [COLUMNS]
    for result in comparison.results:
        references = result.references
        for row in result.rows:
            reference = references[row.instance].cost
            cost = row.cost if is_feasible(row) else None
            known = "" if cost is None or reference is None else f"{gap(cost, reference):.6f}"
            lines.append(
                [
                    result.subset.name, row.instance, row.selector, row.seed, row.budget, row.status, row.feasible,
                    cost, reference, known, row.wall_seconds, row.cpu_seconds, row.error,
                ]
            )  # fmt: skip
    return csv_text(lines)


def comparison_markdown(comparison: Comparison) -> str:
    """Return the whole comparison as Markdown."""
    machine = comparison.machine
    facts = Facts(
        [
            ("Command", [Cell(comparison.command, code=True)]),
            (
                "Machine",
                [
                    Cell(f"{machine['processor']}, {machine['cpus']} CPUs, {machine['platform']}"),
                    Cell(f"Python {machine['python']}, Numba {machine['numba']}"),
                    Cell(f"load average {machine['load_average']:.1f} before the first run"),
                ],
            ),
            ("Solvers", [Cell(f"{solver.name} {solver.version}") for solver in comparison.solvers]),
            *(("Missing", [Cell(sentence)]) for sentence in comparison.missing),
        ]
    )
    blocks: list[Block] = [facts]
    if comparison.interrupted:
        blocks.append(Paragraph("Interrupted: not all runs were done."))
    sections = [_section(result, comparison) for result in comparison.results]
    return to_markdown(Document("Quality at equal time", [*blocks, Paragraph(NOTE)], sections), None)


def _section(result: SubsetResult, comparison: Comparison) -> Section:
    blocks: list[Block] = [standings_table(result, comparison.solvers), instances_table(result)]
    if any(reference.origin == BEST_OF_RUNS for reference in result.references.values()):
        blocks.append(Paragraph(f"† the {BEST_OF_RUNS}: no value is published."))
    blocks += [Paragraph(sentence) for sentence in result.alarms]
    return Section(subset_title(result.subset), blocks)
