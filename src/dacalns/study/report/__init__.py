"""The report of a study: tables, verdicts and figures as Markdown, LaTeX, HTML, or its runs as CSV."""

from dacalns.study.report.files import FORMATS, write_report

__all__ = ["FORMATS", "write_report"]
