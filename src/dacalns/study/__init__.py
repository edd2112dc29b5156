"""Studies compare methods: a protocol says what to run, runs can be resumed, and statistics become a report."""

from dacalns.study.load_protocol import load_protocol, protocol_names
from dacalns.study.report import write_report
from dacalns.study.runner import Summary, run_study

__all__ = ["Summary", "load_protocol", "protocol_names", "run_study", "write_report"]
