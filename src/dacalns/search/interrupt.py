"""Turning Ctrl-C and SIGTERM into a request to stop."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, ClassVar


class Interrupt:
    """While entered, the first Ctrl-C or SIGTERM only sets :attr:`requested`; a second one acts as usual.

    Signals reach the main thread alone; in any other thread this does nothing. Nor does it where :attr:`enabled` is
    false: a process that works for another, which hears the same Ctrl-C, must finish what it was given.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM)
    enabled: ClassVar[bool] = True

    def __init__(self) -> None:
        self.requested = False
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interrupt":
        if self.enabled and threading.current_thread() is threading.main_thread():
            self._previous = {number: signal.signal(number, self._note) for number in self.SIGNALS}
        return self

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.requested = True
        self._restore()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler or signal.SIG_DFL)  # None: set outside Python
        self._previous = {}
