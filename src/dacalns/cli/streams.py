"""Standard output and error that take any text, and whose failure ends no command."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO


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
