"""The exceptions that the package raises for input it cannot use, and where a warning to the user belongs."""

import sys
from types import FrameType

from dacalns.util.shown import shortened

LONGEST = 300
"""The most characters of a message."""


class InputError(ValueError):
    """Something the user gave cannot be used.

    The message is one sentence that says what was given, what was expected, where, and the likely fix. The
    command line prints it without a traceback and exits with code 2.

    Messages repeat values through `dacalns.util.shown`, so that they are short. Where several long ones meet, or a
    message is made of another one, the middle is left out: file and line stand at the beginning, the fix at the end.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(shortened(str(message), LONGEST))


class InfeasibleInstanceError(InputError):
    """An instance has no feasible solution, and the pre-flight can tell why."""


def caller_level() -> int:
    """Return the ``stacklevel`` with which a warning of the calling function names the line of the user's code."""
    level = 1
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "dacalns":
        level, frame = level + 1, frame.f_back
    return level
