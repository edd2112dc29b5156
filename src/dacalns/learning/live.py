"""The live display of a running training in a terminal; elsewhere, a line is printed for each validation."""

from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dacalns.learning.monitor import TrainingProgress

BAR_WIDTH = 28
SHOWN = ("return", "loss", "entropy")
PHASES = {
    "training": "training",
    "validation": "validating against roulette",
    "critic": "fitting the critic to the policy",
}


class LiveTraining:
    """A context manager that shows how a training goes; call it with every `TrainingProgress`."""

    def __init__(self, console: Console, title: str) -> None:
        self._title = title
        self._console, self._told = console, False
        self._live = Live(console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> "LiveTraining":
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, progress: TrainingProgress) -> None:
        """Show where the training stands; at the first call also say, for good, what is trained."""
        if progress.about and not self._told:
            self._told = True
            self._console.print(progress.about, highlight=False, soft_wrap=True)
        self._live.update(Panel(_body(progress), title=Text(self._title), title_align="left", width=76))


class TrainingLines:
    """A context manager that prints a line for each validation, and one before the critic is fitted at the end.

    Call it with every `TrainingProgress`.
    """

    def __init__(self, console: Console) -> None:
        self._console, self._told = console, -1
        self._began = self._at_the_critic = False

    def __enter__(self) -> "TrainingLines":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, progress: TrainingProgress) -> None:
        """Print what is trained at the first call, and a line if there is a new validation."""
        if progress.about and not self._began:
            self._began = True
            self._console.print(progress.about, highlight=False, soft_wrap=True)
        validation = progress.validation
        if validation is not None and validation.round > self._told:
            self._told = validation.round
            self._say(f"round {validation.round:,}  steps {progress.steps:,}  {progress.seconds:.0f} s  {validation}")
        if progress.phase == "critic" and not self._at_the_critic:
            self._at_the_critic = True
            self._say(f"{PHASES['critic']}, which may take minutes; the policy itself is ready")

    def _say(self, line: str) -> None:
        self._console.print(line, highlight=False, soft_wrap=True)


def duration(seconds: float) -> str:
    """Return a duration as text, such as ``1:02:03`` or ``2:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _body(progress: TrainingProgress) -> Group:
    to_go = "" if progress.seconds_to_go is None else f"{duration(progress.seconds_to_go)} to go"
    done = min(1.0, progress.steps / progress.all_steps)
    head = Table.grid(padding=(0, 2))
    head.add_row(_dim("round"), f"{progress.round:,}", PHASES[progress.phase])
    head.add_row(
        _dim("steps"),
        f"{progress.steps:,} of {progress.all_steps:,}",
        ProgressBar(total=1, completed=done, width=BAR_WIDTH),
    )
    head.add_row(_dim("time"), f"{duration(progress.seconds)}, {progress.episodes_per_second:.1f} episodes/s", to_go)
    told = "   ".join(f"{name} {value:.4g}" for name in SHOWN if (value := progress.metrics.get(name)) is not None)
    gap = "not validated yet"
    if progress.validation is not None:
        gap = f"round {progress.validation.round:,}: {progress.validation}"
    return Group(head, Text(), Text(told or "the first round"), Text(gap), Text(), _mix(progress))


def _mix(progress: TrainingProgress) -> Table:
    table = Table.grid(padding=(0, 2))
    for kind in ("destroy", "repair"):
        first = kind
        for name, share in progress.metrics.items():
            if name.startswith(f"{kind}/") and share is not None:
                bar = ProgressBar(total=1, completed=share, width=BAR_WIDTH, complete_style="cyan")
                table.add_row(_dim(first), name.removeprefix(f"{kind}/"), f"{100 * share:3.0f} %", bar)
                first = ""
    return table


def _dim(text: str) -> Text:
    return Text(text, style="dim")
