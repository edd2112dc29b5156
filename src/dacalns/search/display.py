"""How a running search is shown: a live display in terminals, milestones in logs."""

from collections.abc import Callable
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from dacalns.instances import Instance
from dacalns.instances.best_known import best_known_word
from dacalns.search.helpers import Progress
from dacalns.search.run import Snapshot

BAR_WIDTH = 28

# How far a long search has come, in a few lines that remain: for logs, and above the live display.

# A line after 1, 2, 5, 10, 20, 50 … seconds.
STEPS = (1, 2, 5)

QUIET_AT_FIRST = 5.0
"""Seconds for which searches of ordinary size say nothing where there is no terminal."""


class Milestones:
    """Tells of the first feasible solution, and of the best one at times that grow; call it with every snapshot.

    Parameters
    ----------
    tell
        Is called with each line.
    after
        Seconds before which nothing is told: for searches that are expected to be short.
    """

    def __init__(self, tell: Callable[[str], None], *, after: float = 0.0) -> None:
        self._tell, self._after = tell, after
        self._found = False
        self._power, self._step = 0, 0

    def __call__(self, snapshot: Snapshot) -> None:
        """Tell what is new."""
        if not self._found and not snapshot.unserved:
            self._found = True
            if snapshot.seconds >= self._after:
                self._tell(f"first feasible solution after {snapshot.seconds:.1f} s: {_standing(snapshot)}")
        due = False
        while snapshot.seconds >= (at := STEPS[self._step] * 10**self._power):
            due = at >= self._after
            self._step = (self._step + 1) % len(STEPS)
            self._power += self._step == 0
        if due and snapshot.iteration:
            self._tell(f"{snapshot.seconds:8.1f} s  {_standing(snapshot)}, {snapshot.iteration:,} iterations")


def _clock(seconds: float) -> str:
    """Seconds as a clock that runs shows them."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes else f"{rest} s"


def _standing(snapshot: Snapshot) -> str:
    cost = f"cost {snapshot.cost:,.10g}"
    if snapshot.unserved:
        return f"{cost}, {snapshot.unserved} customer{'s' * (snapshot.unserved > 1)} still unserved"
    return cost if snapshot.gap_percent is None else f"{cost}, gap {snapshot.gap_percent:.2f} %"


# How far compiling is, in one line that moves.


class CompilingLine:
    """One line about compiling that is true whenever it is drawn."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __rich__(self) -> Table:
        """Draw it."""
        progress = self._progress
        line = Table.grid(padding=(0, 1))
        for _ in range(4):
            line.add_column(no_wrap=True)
        line.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        line.add_row(
            Spinner("dots"),
            ProgressBar(total=1, completed=progress.fraction, width=BAR_WIDTH),
            Text(f"{progress.done} of {progress.parts}"),
            Text(f"{progress.seconds:.0f} s", style="dim"),
            Text(", ".join(progress.names), style="dim"),
        )
        return line


class CompilingDisplay:
    """Shows how far compiling is while it is entered; call it when compiling begins."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, refresh_per_second=10, transient=True)

    def __enter__(self) -> "CompilingDisplay":
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Show ``progress`` from now on."""
        self._live.update(CompilingLine(progress))


# A live display of a running search, for terminals.


class LiveDisplay:
    """Shows best cost, gap, speed and operator use while it is entered; call it with every snapshot."""

    def __init__(self, console: Console, instance: Instance, title: str) -> None:
        self._instance, self._title = instance, title
        self._live = Live(console=console, refresh_per_second=10, transient=True)

    def __enter__(self) -> "LiveDisplay":
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def compiling(self, progress: Progress) -> None:
        """Show how far compiling is until there is a snapshot."""
        self._live.update(CompilingLine(progress))

    def __call__(self, snapshot: Snapshot) -> None:
        """Show ``snapshot``."""
        self._live.update(Panel(self._body(snapshot), title=Text(self._title), title_align="left", width=76))

    def _body(self, snapshot: Snapshot) -> Group:
        best_known = self._instance.best_known
        if snapshot.unserved:
            gap = f"{snapshot.unserved} customer{'s' * (snapshot.unserved > 1)} still unserved"
        elif snapshot.gap_percent is None or best_known is None:
            gap = "no best-known value"
        else:
            word = best_known_word(self._instance.best_known_origin)
            gap = f"gap {snapshot.gap_percent:.2f} % to {word} {best_known:.10g}"
        rate = snapshot.iteration / snapshot.seconds if snapshot.seconds > 0 else 0.0
        head = Table.grid(padding=(0, 2))
        head.add_row(Text("best", style="dim"), Text(f"{snapshot.cost:.10g}", style="bold green"), gap)
        head.add_row(
            Text("speed", style="dim"),
            f"{rate:,.0f} it/s",
            f"{snapshot.iteration:,} iterations in {_clock(snapshot.seconds)}",
        )
        head.add_row(Text("routes", style="dim"), f"{snapshot.vehicles}")
        head.add_row(
            Text("budget", style="dim"),
            f"{100 * snapshot.fraction:.0f} %",
            ProgressBar(total=1, completed=snapshot.fraction, width=BAR_WIDTH),
        )
        return Group(head, Text(), self._uses(snapshot))

    def _uses(self, snapshot: Snapshot) -> Table:
        table = Table.grid(padding=(0, 2))
        for kind, uses in (("destroy", snapshot.destroy_uses), ("repair", snapshot.repair_uses)):
            total = max(sum(uses.values()), 1)
            for name, count in uses.items():
                share = count / total
                bar = ProgressBar(total=1, completed=share, width=BAR_WIDTH, complete_style="cyan")
                table.add_row(Text(kind, style="dim"), name, f"{100 * share:3.0f} %", bar)
                kind = ""
        return table
