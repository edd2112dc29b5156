"""Reports are written to files, with their figures beside them, or returned as text."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from dacalns.report.figure import matplotlib_module
from dacalns.study.report.contents import report_of
from dacalns.study.report.document import Document, Picture, with_different_names
from dacalns.study.report.figures import saved_figure
from dacalns.study.report.html import to_html
from dacalns.study.report.latex import to_latex
from dacalns.study.report.markdown import to_markdown
from dacalns.study.rows import Study
from dacalns.study.statistics import scipy_stats
from dacalns.study.store import Store
from dacalns.util.errors import InputError
from dacalns.util.files import csv_text, require_apart, require_writable, write_atomically
from dacalns.util.values import require_choice

# CSV for programs such as R and pandas.

OF_MEMBER = ("group", "dataset", "scale", "instance", "method", "budget", "seed", "policy", "training")
OF_ROW = (
    "status", "cost", "feasible", "unserved", "best_known", "gap_percent", "wall_seconds", "cpu_seconds", "iterations",
    "selector", "problem", "customers", "attempts", "error", "version", "machine", "finished",
)  # fmt: skip


def runs_csv(studies: Sequence[Study]) -> str:
    """Return a line for each run that a protocol expects; a run that is not done has the status ``missing``."""
    lines: list[list[object]] = [["protocol", *OF_MEMBER, "limit", *OF_ROW]]
    for study in studies:
        for member in study.members:
            row = study.rows.get(member.key)
            found = [None, "missing"] if row is None else [row.budget, *(getattr(row, name) for name in OF_ROW)]
            found += [None] * (1 + len(OF_ROW) - len(found))
            lines.append([study.outline.name, *(getattr(member, name) for name in OF_MEMBER), *found])
    return csv_text(lines)


# Reports.

FORMATS = ("md", "latex", "html", "csv")
# The name of the page in a study's own folder.
PAGE = "report.html"
DOTS_PER_INCH = 180
# Characters that are invisible or turn the direction of writing, except tabs and ends of lines.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def write_report(
    folder: str | os.PathLike[str],
    format: str = "md",  # noqa: A002
    out: str | os.PathLike[str] | None = None,
    *,
    brief: bool = False,
) -> str | Path:
    """Report on all studies in a folder.

    ``md`` and ``latex`` have tables and verdicts, and with ``out`` also figures, which are files in a folder beside it
    whose name ends in ``_figures``. ``html`` is one page with everything in it. ``csv`` has a line for each run.

    Parameters
    ----------
    folder
        The folder of the study, as ``dac-alns study run`` made it; the study may still be running.
    format
        ``"md"``, ``"latex"``, ``"html"`` or ``"csv"``.
    out
        The file to write; if left out, ``html`` goes to ``report.html`` in the folder, and the others are returned.
    brief
        If True, datasets of many groups have one line each, and figures and shares of operators are left out; a study
        with a map is never shortened.

    Returns
    -------
    str or Path
        The text, or the path of the file that was written.

    Raises
    ------
    InputError
        If there is no study, the format is another, the file cannot be written, or SciPy or Matplotlib is missing.
    """
    require_choice("format", format, FORMATS)
    if brief and format == "csv":
        raise InputError("brief is set for format 'csv'; expected it for reports alone; leave it out.")
    path = Path(out) if out is not None else Path(folder) / PAGE if format == "html" else None
    with Store(folder) as store:
        if path is not None:
            require_writable(path)
            require_apart({"out": path}, {"the report": store.path})
        studies = store.studies()
    if format == "csv":
        text = runs_csv(studies)
    else:
        scipy_stats()
        if path is not None:
            matplotlib_module("figure")
        text = _rendered(with_different_names(report_of(studies, brief=brief)), format, path)
    # Names may contain characters that control a terminal.
    text = CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)
    if path is None:
        return text
    write_atomically(path, text)
    return path


def _rendered(document: Document, format: str, path: Path | None) -> str:  # noqa: A002
    if format == "html":
        return to_html(document)
    if format == "latex":
        return to_latex(document, _picture_files(path, "pdf"))
    return to_markdown(document, _picture_files(path, "png"))


def _picture_files(path: Path | None, suffix: str) -> Callable[[Picture], str] | None:
    """Return a function that writes a figure beside the report and returns its path relative to the report."""
    if path is None:
        return None
    folder = path.with_name(f"{path.stem}_figures")

    def write(picture: Picture) -> str:
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{folder}: cannot be made a folder ({error.strerror}); expected a place for figures; choose another "
                "file name."
            ) from None
        # Without a date, equal figures give equal files.
        metadata = {"CreationDate": None} if suffix == "pdf" else None
        content = saved_figure(picture.draw(), suffix, dpi=DOTS_PER_INCH, metadata=metadata)
        write_atomically(folder / f"{picture.name}.{suffix}", content)
        return f"{folder.name}/{picture.name}.{suffix}"

    return write
