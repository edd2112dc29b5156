"""What is missing, failed or infeasible, and what beat a best-known value."""

from collections.abc import Sequence

from dacalns.report.style import cost_text, count_text
from dacalns.study.cases import Case
from dacalns.study.gaps import gap
from dacalns.study.report.document import Block, Cell, Column, Paragraph, Section, Table
from dacalns.study.report.words import signed, some
from dacalns.study.shortfalls import Record, Shortfall, failures, records, shortfalls

LONGEST_ERROR = 300


def shortfall_section(by_budget: dict[str, list[Case]], *, gathered: bool = False) -> Section:
    """Everything that a reader must know of runs without an answer.

    Parameters
    ----------
    by_budget
        All cases.
    gathered
        Whether the methods of a group share a line: where there are hundreds of them.
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
    """Runs that beat a best-known value, if any: candidates for a better one."""
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
    """A line for each group and budget."""
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
    """Which run of a method on an instance it is."""
    return f"seed {seed}" if training is None else f"training {training}, seed {seed}"


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_ERROR else words[: LONGEST_ERROR - 1] + "…"
