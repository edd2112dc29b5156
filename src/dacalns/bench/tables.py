"""The figures of the speed benchmark as tables, beside their targets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from dacalns.bench.driving import Driven
from dacalns.bench.measure import LearnedSpeed, Throughput

# A figure and its target, which is called a bar.


@dataclass(frozen=True)
class Bar:
    """A measured figure and its target.

    Parameters
    ----------
    what
        The words for what was measured.
    value
        The measured figure.
    target
        The least or the most that it should be.
    unit
        The unit of both.
    at_least
        True if the target is the least rather than the most.
    """

    what: str
    value: float
    target: float
    unit: str
    at_least: bool = True

    @property
    def met(self) -> bool:
        """True if the figure is as good as the target."""
        return self.value >= self.target if self.at_least else self.value <= self.target

    @property
    def verdict(self) -> Text:
        """The words for whether it is as good, coloured for the console."""
        return Text("ok", style="green") if self.met else Text("missed", style="red")

    @property
    def limit(self) -> str:
        """The target, as a table shows it."""
        return f"{'≥' if self.at_least else '≤'} {self.target:,g}"

    def __str__(self) -> str:
        bound = "at least" if self.at_least else "at most"
        return f"{self.what}: {self.value:,.4g} {self.unit}, target {bound} {self.target:,g}"


# Tables.


def throughput_table(rows: Sequence[tuple[Throughput, Bar, Bar | None]]) -> Table:
    """Return a table of the iterations per second of both sides, with the targets for the speed and the ratio."""
    table = _table("Iterations per second, uniform choice of operators", "instance")
    for heading in ("n", "ours", "target", "", "pure\nPython", "ratio", "target", ""):
        table.add_column(heading, justify="right")
    for measured, speed, ratio in rows:
        table.add_row(
            measured.instance,
            str(measured.customers),
            f"{measured.iterations_per_second:,.0f}",
            speed.limit,
            speed.verdict,
            _number(measured.peer_iterations_per_second),
            f"{measured.ratio:.0f}x",
            ratio.limit if ratio else "",
            ratio.verdict if ratio else "",
        )
    return table


def operator_table(rows: Sequence[Throughput]) -> Table:
    """Return a table of the microseconds in each operator, and outside them."""
    table = _table("Microseconds: operators per use, the rest per iteration", "instance")
    names = list(rows[0].operators)
    for heading in (*names, "selection", "book-keeping"):
        table.add_column(heading.replace("_", "\n").replace("-", "-\n"), justify="right")
    for measured in rows:
        times = [*(measured.operators[name] for name in names), measured.selection, measured.bookkeeping]
        table.add_row(measured.instance, *map(_number, times))
    return table


def learned_table(rows: Sequence[tuple[LearnedSpeed, dict[str, Bar]]]) -> Table:
    """Return a table of the iterations per second of each selector, with the targets that there are."""
    table = _table("Iterations per second of learned selectors", "instance")
    table.add_column("n", justify="right")
    barred = {name for _, bars in rows for name in bars}
    for name in rows[0][0].iterations_per_second:
        for heading in (name.replace(" ", "\n", 1), *(["target"] if name in barred else [])):
            table.add_column(heading, justify="right", no_wrap=True)
    for measured, bars in rows:
        cells = [measured.instance, str(measured.customers)]
        for name, speed in measured.iterations_per_second.items():
            cells.append(f"{speed:,.0f}")
            if name in bars:
                cells.append(f"[{'green' if bars[name].met else 'red'}]{bars[name].limit}[/]")
            elif name in barred:
                cells.append("")
        table.add_row(*cells)
    return table


def split_table(rows: Sequence[LearnedSpeed]) -> Table:
    """Return a table of how much longer than roulette each selector takes, and where an iteration's time goes."""
    table = _table("Time of an iteration: over roulette's, and microseconds", "instance, selector")
    for part in ("ratio", *next(iter(rows[0].microseconds.values()))):
        # Long headings have two lines, so that the table fits a terminal of 80 columns.
        heading = part if len(part) < 6 else f"{part[:-4]}-\n{part[-4:]}"
        table.add_column(heading, justify="right", no_wrap=True)
    for measured in rows:
        for name, parts in measured.microseconds.items():
            times = [_number(time) if time else "" for time in parts.values()]
            table.add_row(f"{measured.instance}, {name}", f"{measured.time_ratios[name]:.2f}", *times)
        table.add_section()
    return table


def driving_table(instance: str, driven: Mapping[str, Driven], bars: Mapping[str, Bar], peer: float) -> Table:
    """Return a table of the iterations per second of a search that Python drives, and of the pure-Python peer."""
    table = _table(f"Iterations per second, driven from Python, on {instance}", "")
    for heading in ("without\nobservation", "target", "", "with"):
        table.add_column(heading, justify="right")
    for name, speed in driven.items():
        bar = bars.get(name)
        seeing = "" if speed.seeing is None else f"{speed.seeing:,.0f}"
        limit, verdict = (bar.limit, bar.verdict) if bar else ("", "")
        table.add_row(name, f"{speed.blind:,.0f}", limit, verdict, seeing)
    table.add_row("alns, pure Python, its own loop", _number(peer), "", "", "")
    return table


def bar_table(title: str, bars: Sequence[Bar]) -> Table:
    """Return a table of figures and their targets."""
    table = _table(title, "")
    for heading in ("measured", "target", ""):
        table.add_column(heading, justify="right")
    for bar in bars:
        table.add_row(bar.what, f"{bar.value:,.4g} {bar.unit}", f"{bar.limit} {bar.unit}", bar.verdict)
    return table


def _table(title: str, first: str) -> Table:
    # No frame and little padding: the widest table must fit a terminal of 80 columns.
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    return table


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
