"""A comparison as tables, for the terminal and for Markdown."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table as RichTable

from dacalns.bench.quality.comparison import Comparison, Contestant, SubsetResult
from dacalns.bench.quality.primal_integral import CAP
from dacalns.bench.quality.reference import BEST_OF_RUNS
from dacalns.bench.quality.standings import GAP_WITHOUT_SOLUTION, Standing, counted_instances, mean_gap
from dacalns.study.report.document import DASH, Block, Cell, Column, Document, Facts, Paragraph, Section, Table
from dacalns.study.report.markdown import to_markdown
from dacalns.util.values import number_text

NOTE = (
    "Gap: of the cost that our checker measures above the reference, mean over the instances of the mean over the "
    f"seeds, in percent; a run without a feasible solution counts as {GAP_WITHOUT_SOLUTION:g}. Integral: the primal "
    f"integral, that is the gap's mean over the time of a run, at most {CAP:g}, by what the solver tells of its "
    f"progress; {DASH} where it tells nothing. W / L / T: instances on which the first solver has a lower, higher or "
    "equal mean gap. CPU: the part of the wall time that a processor worked for it; well below 1, other work was in "
    "the way."
)


def standings_table(result: SubsetResult, solvers: Sequence[Contestant]) -> Table:
    """Return how the solvers stand on a subset."""
    columns = [
        Column("Solver", number=False), Column("Gap, %"), Column("Integral"), Column("W / L / T"),
        Column("Feasible"), Column("Seconds"), Column("CPU"),
    ]  # fmt: skip
    found = result.standings
    names = {solver.key: solver.name for solver in solvers}
    rows = [_standing_cells(standing, names[standing.solver], first=standing is found[0]) for standing in found]
    return Table(columns, rows)


def instances_table(result: SubsetResult) -> Table:
    """Return the mean gap of every solver on every instance."""
    keys = list(dict.fromkeys(run.solver for run in result.runs))
    columns = [Column("Instance", number=False), Column("n"), Column("Reference"), *map(Column, keys)]
    sizes = {instance.name: instance.customers for instance in result.subset.instances}
    rows = [
        [Cell(name), Cell(str(sizes[name])), *map(Cell, instance_cells(result, name, keys))]
        for name in counted_instances(result.runs)
    ]
    return Table(columns, rows, "Gap on each instance, %")


def instance_cells(result: SubsetResult, name: str, keys: Sequence[str]) -> list[str]:
    """Return the reference of an instance, marked if it is the best of these runs, and the gap of every solver."""
    reference = result.references[name]
    mark = "†" * (reference.origin == BEST_OF_RUNS)
    cells = [DASH if reference.cost is None else number_text(reference.cost) + mark]
    for key in keys:
        gap = mean_gap([run for run in result.runs if (run.instance, run.solver) == (name, key)], reference)
        cells.append(DASH if gap is None else f"{gap:.3f}")
    return cells


def subset_title(result: SubsetResult) -> str:
    """Return what a subset is and what was asked of the solvers on it."""
    subset = result.subset
    seeds = f"{subset.seeds} seed" + "s" * (subset.seeds > 1)
    return f"{subset.name}: {subset.title}; {len(subset.instances)} instances, {subset.seconds:g} s, {seeds}"


def comparison_markdown(comparison: Comparison) -> str:
    """Return all of it as Markdown."""
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


def rich_table(table: Table) -> RichTable:
    """Return a table for the terminal."""
    # No frame and little padding: the widest table must fit a terminal of 80 columns.
    shown = RichTable(box=SIMPLE_HEAD, padding=0)
    for column in table.columns:
        shown.add_column(column.heading, justify="right" if column.number else "left", no_wrap=True)
    for row in table.rows:
        shown.add_row(*(cell.text for cell in row))
    return shown


def _section(result: SubsetResult, comparison: Comparison) -> Section:
    blocks: list[Block] = [standings_table(result, comparison.solvers), instances_table(result)]
    if any(reference.origin == BEST_OF_RUNS for reference in result.references.values()):
        blocks.append(Paragraph(f"† the {BEST_OF_RUNS}: no value is published."))
    blocks += [Paragraph(sentence) for sentence in result.alarms]
    return Section(subset_title(result), blocks)


def _standing_cells(standing: Standing, name: str, *, first: bool) -> list[Cell]:
    record = f"{standing.wins} / {standing.losses} / {standing.ties}"
    return [
        Cell(name),
        Cell(_number(standing.gap, 3)),
        Cell(_number(standing.integral, 3)),
        Cell(DASH if first or not standing.instances else record),
        Cell(f"{standing.feasible} of {standing.runs}" if standing.runs else DASH),
        Cell(_number(standing.seconds, 2)),
        Cell(_number(standing.share, 2)),
    ]


def _number(value: float | None, digits: int) -> str:
    return DASH if value is None else f"{value:.{digits}f}"
