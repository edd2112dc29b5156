"""Signals while kernels are compiled or loaded."""

import inspect
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from numba.core import event

from dacalns.search.interrupt import SIGNALS

# Of each step of the compiler: what goes wrong there leaves it in good order, as a mistake in a user's function does.
STEP = "numba:run_pass"


class Loading(event.Listener):
    """While entered, a signal is acted upon when the compiler can be left, within a second or so.

    At any other moment the exception of a handler would be swallowed where LLVM calls Python, so that the search would
    run all the same, or would leave half a kernel behind for the next search.
    """

    def __init__(self) -> None:
        self._noted: int | None = None
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> "Loading":
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler):  # others need no interpreter
                    self._previous[number] = handler
                    signal.signal(number, self._note)
            event.register(STEP, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        event.unregister(STEP, self)
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._act()

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._noted = number

    def _act(self) -> None:
        """Do what the program would have done at the signal, if there was one."""
        number, self._noted = self._noted, None
        if number is not None:
            self._previous[number](number, inspect.currentframe())

    def on_start(self, _event: object) -> None:
        """Act before a step of the compiler, in the thread that signals are for."""
        if threading.current_thread() is threading.main_thread():
            self._act()

    def on_end(self, event: object) -> None:
        """Act behind it."""
        self.on_start(event)
