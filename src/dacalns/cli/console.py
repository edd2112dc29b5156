"""What commands print to, and what several of them say."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from dacalns.errors import LONGEST
from dacalns.instances.atomic import STANDARD_OUTPUT
from dacalns.shown import shortened

# All that a terminal might obey, but for ends of lines and tabs.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class PlainConsole(Console):
    """A console that takes text as it is: no markup in it counts, and control characters are quoted.

    Names of instances, files and operators are the user's, or some stranger's.
    """

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of anything printed, shown live or in a table."""
        for segment in super().render(renderable, options):
            if segment.control or not CONTROL.search(segment.text):
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)


out = PlainConsole()
err = PlainConsole(stderr=True)


def printable(text: str) -> str:
    """The text with control characters as Python would write them."""
    return CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def print_as_it_is(text: str) -> None:
    """Print a document: to a file or a pipe exactly, to a terminal without control characters."""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def fail(sentence: str) -> None:
    """Print what was wrong, in one line."""
    # Complaints about options are not ours, and repeat these in full.
    err.print(f"Error: {shortened(' '.join(sentence.split()), LONGEST)}", style="red", soft_wrap=True)


def as_target(path: Path | None) -> Path | None:
    """The path of a file to write, where ``-`` is standard output."""
    return Path(STANDARD_OUTPUT) if path == Path("-") else path


def announce_compilation() -> None:
    """Tell why nothing happens for a while."""
    err.print("Compiling the search once, in about 40 s; from then on it starts in a second.", style="dim")
