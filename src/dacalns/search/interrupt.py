"""Turning Ctrl-C, SIGTERM and SIGHUP into a request to stop."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, ClassVar

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupt:
    """While entered, the first Ctrl-C, SIGTERM or SIGHUP only sets :attr:`requested`; a second one acts as usual.

    A signal that is ignored stays so. Signals reach the main thread alone; in any other thread this does nothing. Nor
    does it where :attr:`enabled` is false: a process that works for another, which hears the same Ctrl-C, must finish
    what it was given.
    """

    enabled: ClassVar[bool] = True
    #: Whether one has been entered, so that there is something to lose; for the command line, which resets it.
    begun: ClassVar[bool] = False
    #: Whether a signal came while none was entered; set by the command line alone, and followed by the next one.
    pending: ClassVar[bool] = False

    def __init__(self) -> None:
        self.requested = False
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interrupt":
        if self.enabled and threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._note)
            Interrupt.begun = True
            if Interrupt.pending:
                self._request()
        return self

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._request()

    def _request(self) -> None:
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
