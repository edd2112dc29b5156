"""The report of a study has tables, verdicts and figures as Markdown, LaTeX or HTML, or the runs as CSV."""

from dacalns.study.report.files import FORMATS, write_report

__all__ = ["FORMATS", "write_report"]
