"""What commands print to: streams that never fail, the console, and the sentences that several commands say."""

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from dacalns.util.errors import LONGEST
from dacalns.util.files import STANDARD_OUTPUT
from dacalns.util.shown import shortened

if TYPE_CHECKING:
    from dacalns.instances import Instance

# Standard output and error that take any text, and whose failure ends no command.


class Stream:
    """A stream in place of another one: what it cannot encode is quoted, and what it cannot write is lost.

    Nobody reads the other end of a broken pipe, so nothing is said of it. Of any other failure, :attr:`failure` tells.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream: TextIO = io.StringIO() if stream is None else stream  # None: it was closed from the beginning
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        """Write as much of the text as can be."""
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        try:
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        except OSError as error:
            self._lose(error)
        return len(text)

    def flush(self) -> None:
        """Write what waits."""
        try:
            self._stream.flush()
        except OSError as error:
            self._lose(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _lose(self, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError):
            self.failure = error
        # What waits would be tried again, and complained about, when the process ends.
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def safe_streams() -> Iterator[Stream]:
    """While entered, standard output and error are such streams; the former is returned."""
    before = sys.stdout, sys.stderr
    output = Stream(sys.stdout)
    sys.stdout, sys.stderr = output, Stream(sys.stderr)
    try:
        yield output
    finally:
        sys.stdout, sys.stderr = before


# What commands print to, and what several of them say.

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


def announce_compilation(instance: "Instance | None" = None) -> None:
    """Tell why nothing happens for a while: code is compiled for an instance, or for one with a distance matrix."""
    from dacalns.search.kernels import compilation_sentence

    err.print(compilation_sentence(instance), style="dim", soft_wrap=True)


def announce_nothing() -> None:
    """Stay silent, in place of what the library would say by itself."""
