"""Where the numbers of a study come from."""

from collections import Counter
from collections.abc import Iterable

from dacalns.study.report.document import DASH, Cell, Facts, Section
from dacalns.study.rows import DONE, FAILED, Study
from dacalns.version import __version__


def provenance_section(study: Study) -> Section:
    """Command, versions, machines, seeds, budgets, dates and the number of rows."""
    outline, rows = study.outline, study.rows.values()
    # To the minute, without the zone, which is always the same.
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
    """What the rows say, with the number of rows where they say several things."""
    counts = Counter(values)
    if len(counts) < 2:
        return [Cell(value) for value in counts]
    return [Cell(f"{value} ({count:,} runs)") for value, count in counts.most_common()]
