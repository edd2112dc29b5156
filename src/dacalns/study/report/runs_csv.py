"""Every run of a study as a line of a table, for R, pandas and the like."""

from collections.abc import Sequence

from dacalns.instances.csv_text import csv_text
from dacalns.study.rows import Study

OF_MEMBER = ("group", "dataset", "scale", "instance", "method", "budget", "seed", "policy", "training")
OF_ROW = (
    "status", "cost", "feasible", "unserved", "best_known", "gap_percent", "wall_seconds", "cpu_seconds", "iterations",
    "selector", "problem", "customers", "attempts", "error", "version", "machine", "finished",
)  # fmt: skip


def runs_csv(studies: Sequence[Study]) -> str:
    """A line for each run that a protocol expects; one that is not there has the status ``missing`` and no values."""
    lines: list[list[object]] = [["protocol", *OF_MEMBER, "limit", *OF_ROW]]
    for study in studies:
        for member in study.members:
            row = study.rows.get(member.key)
            found = [None, "missing"] if row is None else [row.budget, *(getattr(row, name) for name in OF_ROW)]
            found += [None] * (1 + len(OF_ROW) - len(found))
            lines.append([study.outline.name, *(getattr(member, name) for name in OF_MEMBER), *found])
    return csv_text(lines)
