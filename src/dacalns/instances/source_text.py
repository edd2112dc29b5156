"""A file that is being read: its text by lines, and what it says before rounding and fleet are chosen."""

import math
import os
from dataclasses import dataclass
from typing import Any

from dacalns.instances.fields import LARGEST
from dacalns.util.errors import InputError
from dacalns.util.shown import shown, shown_path

# A text file that is being parsed, and errors that name its lines.


@dataclass(frozen=True)
class SourceText:
    """The lines of a file.

    Parameters
    ----------
    name
        The path as the user wrote it.
    lines
        The text, line by line; messages count from 1.
    """

    name: str
    lines: list[str]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "SourceText":
        """Read a file.

        Raises
        ------
        InputError
            When it cannot be read, or holds nothing, or is not text.
        """
        name = shown_path(path)
        try:
            with open(path, "rb") as stream:
                content = stream.read()
        except FileNotFoundError:
            raise InputError(f"{name}: there is no such file; expected a readable file; check the path.") from None
        except IsADirectoryError:
            raise InputError(f"{name}: this is a folder; expected a file; name one of the files in it.") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"{name}: cannot be read ({reason}); expected a readable file; check it.") from None
        if b"\0" in content:
            raise InputError(f"{name}:1: holds binary data; expected a text file; unpack it first if it is an archive.")
        # Names and comments in other encodings must not stop anyone: the numbers are ASCII in all of them.
        lines = content.decode("utf-8-sig", errors="replace").splitlines()
        if not any(line.strip() for line in lines):
            raise InputError(f"{name}:1: the file is empty; expected an instance or a solution; check how it was made.")
        return cls(os.fspath(path), lines)

    @property
    def stem(self) -> str:
        """The name of the file without folder and suffix: that of an instance that gives itself none."""
        return os.path.splitext(os.path.basename(self.name))[0]

    def rows(self) -> list[tuple[int, list[str]]]:
        """Return the number and the words of every line that has any."""
        return [(number, words) for number, line in enumerate(self.lines, start=1) if (words := line.split())]

    def error(self, line: int, message: str) -> InputError:
        """Return an error that points at a line; the caller raises it."""
        return InputError(f"{shown_path(self.name)}:{line}: {message}")

    def number(
        self, line: int, token: str, what: str, fix: str, *, minimum: float = -math.inf, whole: bool = False
    ) -> float:
        """Return the number that a token stands for.

        Parameters
        ----------
        line
            Where the token stands.
        token
            The text.
        what
            What it is, for the message.
        fix
            What to do about a wrong one, for the message.
        minimum
            The least value allowed.
        whole
            Whether only integers are allowed.

        Raises
        ------
        InputError
            When it is not such a number.
        """
        try:
            value = float(token)
        except ValueError:
            value = math.nan
        # Python reads "1_000" as a number and "inf" as well; no benchmark file means either.
        if abs(value) <= LARGEST and value >= minimum and "_" not in token and (value.is_integer() or not whole):
            return value
        kind = "a whole number" if whole else "a number"
        least = "" if minimum == -math.inf else f" of {minimum:g} or more"
        most = f" of at most {LARGEST:g}" if abs(value) > LARGEST else ""
        raise self.error(line, f"{what} is {shown(token, 40)}; expected {kind}{most or least}; {fix}.")


ParsedFile = dict[str, Any]
"""What an instance file says, by the names of the fields of `Instance`, before rounding and fleet are chosen."""
