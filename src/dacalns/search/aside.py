"""Threads that may be left behind."""

import contextvars
import ctypes
import queue
import threading
from collections.abc import Callable
from typing import Any, ClassVar


class LeftBehind(BaseException):
    """What ends Python code in a thread that nobody waits for any more."""


class Aside:
    """A thread that does one call after the other for another thread, which may stop waiting for it.

    It is a daemon, so that the process can end whatever it is doing, and has the context variables of whoever made it.
    """

    times_left: ClassVar[int] = 0  #: how often this process has left one
    _left: ClassVar[list[threading.Thread]] = []

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._work,), name="dacalns search", daemon=True)
        self._thread.start()

    def begin(self, call: Callable[[], Any], tell: Callable[[Any, BaseException | None], None]) -> None:
        """Do a call, and ``tell`` in that thread what it has returned, or what it has raised."""

        def do() -> None:
            try:
                answer = call()
            except BaseException as error:
                tell(None, error)
            else:
                tell(answer, None)

        self._calls.put(do)

    def end(self) -> None:
        """Let the thread end when it has done its calls."""
        self._calls.put(None)

    def leave(self) -> None:
        """Leave the thread to itself: Python code in it is ended, compiled code may go on as long as the process."""
        self.end()
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(LeftBehind)
        )
        self._left.append(self._thread)
        Aside.times_left += 1

    @classmethod
    def any_left(cls) -> bool:
        """Whether a thread that was left is still at work."""
        for thread in cls._left:
            thread.join(0.2)
        cls._left[:] = [thread for thread in cls._left if thread.is_alive()]
        return bool(cls._left)

    def _work(self) -> None:
        try:
            while (call := self._calls.get()) is not None:
                call()
        except LeftBehind:  # it came when the call had just ended
            pass
