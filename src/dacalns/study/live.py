"""The live display of a running study in a terminal; elsewhere, a line is printed now and then."""

import time
from collections import defaultdict
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dacalns.learning.monitor import TrainingProgress
from dacalns.study.rows import DONE, Row
from dacalns.study.runner import StudyProgress

BAR_WIDTH = 40
LINE_SECONDS = 30.0
# The table has room for this many methods.
MOST_METHODS = 20


class StudyDisplay:
    """A context manager that shows what is done and left, the time to go, and running means of the methods.

    Parameters
    ----------
    console
        The console to print on.
    title
        The title of the study.
    """

    def __init__(self, console: Console, title: str) -> None:
        self._console, self._title = console, title
        self._live = Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None
        self._means: dict[tuple[str, str], _Means] = defaultdict(_Means)
        self._told = time.monotonic()

    def __enter__(self) -> "StudyDisplay":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def training(self, name: str, progress: TrainingProgress) -> None:
        """Show how the training of a policy goes on."""
        words = f"training {name}: {progress.steps:,} of {progress.all_steps:,} iterations"
        self._show(Text(words), words)

    def running(self, standing: StudyProgress) -> None:
        """Show where the study stands."""
        for member, row in standing.rows:
            self._means[member.budget, member.method].add(row)
        came = standing.done + standing.failed
        togo = standing.seconds_left
        words = f"{came:,} of {standing.runs:,} runs done, {standing.left:,} left"
        words += f", {standing.failed} failed" if standing.failed else ""
        words += f", {_clock(togo)} to go" if togo is not None and standing.left else ""
        bar = ProgressBar(total=max(1, standing.runs), completed=came, width=BAR_WIDTH)
        self._show(Group(Text(words), bar, Text(), self._table()), words)

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        for heading in ("budget", "method"):
            table.add_column(heading)
        for heading in ("runs", "gap to best-known", "seconds", "iterations/s"):
            table.add_column(heading, justify="right")
        known = sorted(self._means.items())
        for (budget, method), means in known[:MOST_METHODS]:
            table.add_row(budget, method, *means.cells())
        if len(known) > MOST_METHODS:
            table.add_row("", f"and {len(known) - MOST_METHODS} more")
        return table

    def _show(self, body: Group | Text, line: str) -> None:
        if self._live is not None:
            self._live.update(Panel(body, title=Text(self._title), title_align="left", width=76))
        elif time.monotonic() - self._told > LINE_SECONDS:
            self._console.print(line, highlight=False, soft_wrap=True)
            self._told = time.monotonic()


class _Means:
    def __init__(self) -> None:
        self._runs = self._with_gap = 0
        self._gap = self._seconds = self._iterations = 0.0

    def add(self, row: Row) -> None:
        if row.status != DONE:
            return
        self._runs += 1
        self._seconds += row.wall_seconds or 0.0
        self._iterations += row.iterations or 0
        if row.gap_percent is not None:
            self._with_gap += 1
            self._gap += row.gap_percent

    def cells(self) -> tuple[str, ...]:
        gap = f"{self._gap / self._with_gap:.2f} %" if self._with_gap else "-"
        seconds = f"{self._seconds / self._runs:.2f}" if self._runs else "-"
        rate = f"{self._iterations / self._seconds:,.0f}" if self._seconds else "-"
        return str(self._runs), gap, seconds, rate


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
