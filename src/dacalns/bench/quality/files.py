"""The files that a comparison leaves."""

import json
from collections.abc import Sequence
from pathlib import Path

from dacalns.bench.quality.comparison import Comparison
from dacalns.bench.quality.report import comparison_markdown
from dacalns.bench.quality.standings import gap_of
from dacalns.util.errors import InputError
from dacalns.util.files import csv_text, write_atomically

COLUMNS = (
    "subset", "instance", "solver", "seed", "budget", "status", "cost", "reference", "gap_percent", "seconds",
    "processor_seconds", "reason",
)  # fmt: skip


def require_folder(folder: Path) -> None:
    """Make the folder for the files, before anything is run.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(
            f"{folder}: cannot be made ({reason}); expected a folder for the results; choose another."
        ) from None


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
    """Return a line for each run."""
    lines: list[Sequence[object]] = [COLUMNS]
    for result in comparison.results:
        references = result.references
        for run in result.runs:
            reference = references[run.instance]
            gap = "" if run.cost is None else f"{gap_of(run, reference):.6f}"
            lines.append(
                [
                    result.subset.name, run.instance, run.solver, run.seed, run.budget, run.status, run.cost,
                    reference.cost, gap, f"{run.seconds:.4f}", f"{run.processor_seconds:.4f}", run.reason,
                ]
            )  # fmt: skip
    return csv_text(lines)
