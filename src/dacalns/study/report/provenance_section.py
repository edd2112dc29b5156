"""Where the numbers of a study come from."""

from collections import Counter
from collections.abc import Iterable

from dacalns.study.report.document import DASH, Cell, Facts, Section
from dacalns.study.rows import DONE, FAILED, Study


def provenance_section(study: Study) -> Section:
    """Command, versions, machines, seeds, budgets, dates and the number of rows."""
    outline, rows = study.outline, study.rows.values()
    finished = sorted(row.finished for row in rows)
    counts = Counter(row.status for row in rows)
    expected = len({(member.key, member.method) for member in study.members}) if study.members else 0
    facts = [
        ("Command", Cell(outline.command, code=True) if outline.command else Cell(DASH)),
        ("Methods", Cell("; ".join(f"{name} = {selector}" for name, selector in outline.methods.items()) or DASH)),
        ("Budgets", Cell("; ".join(f"{name}: {words}" for name, words in outline.budgets.items()) or DASH)),
        ("Seeds", Cell(", ".join(map(str, outline.seeds)) or DASH)),
        ("Runs", Cell(f"{expected:,} expected, {counts[DONE]:,} done, {counts[FAILED]:,} failed")),
        ("Version", Cell(_counted(row.version for row in rows))),
        ("Machine", Cell(_counted(row.machine for row in rows))),
        ("Dates", Cell(f"{finished[0]} to {finished[-1]} (UTC)" if finished else DASH)),
    ]
    return Section("Where this comes from", [Facts(facts)])


def _counted(values: Iterable[str]) -> str:
    """What the rows say, with the number of rows where they say several things."""
    counts = Counter(values)
    if len(counts) < 2:
        return next(iter(counts), DASH)
    return "; ".join(f"{value} ({count:,} runs)" for value, count in counts.most_common())
