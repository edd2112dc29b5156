"""What becomes of signals, from the first moment of the command to its last.

Python's own handlers run when the main thread comes back to the interpreter, which may be half a minute later while it
compiles. So a thread listens, and ends the process if there is nothing to lose. This module is imported before anything
that takes long, and listens from then on if this process is the command. It must import nothing that takes long.
"""

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from dacalns.search.signals import SIGNALS, Interrupt

# From a signal to the end, a little less than the two seconds that are promised.
GRACE = 1.7
# What writing has at the least.
LEAST_GRACE = 0.5
LOOK_AGAIN = 0
NOTHING_YET = "Interrupted before there was a solution."


class Watch:
    """Ends the process at a signal: at once where nothing would be lost, soon where something is to be saved.

    Until a search, training or study has begun (`Interrupt.begun`), a signal ends the process with one sentence. From
    then on the first one is a request that they follow, and one that comes when it should have been followed ends the
    process. Once there is a result to hand over, what hangs is given up.
    """

    def __init__(self) -> None:
        self.sentence = NOTHING_YET
        #: Whether the process ends when this is left.
        self.is_command = False
        self._hasten: Callable[[], int] | None = None
        self._asked_at: float | None = None
        self._deadline: float | None = None
        self._previous: dict[int, Any] = {}
        self._previous_descriptor = -1
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listen from now on; nothing happens if that is so already, or outside of the main thread."""
        if self._thread is not None or threading.current_thread() is not threading.main_thread():
            return
        _open_closed_streams()
        Interrupt.begun = Interrupt.pending = False
        self._hasten = self._asked_at = self._deadline = None
        self.sentence = NOTHING_YET
        self._ear, self._mouth = os.pipe()
        os.set_blocking(self._mouth, False)
        self._previous_descriptor = signal.set_wakeup_fd(self._mouth, warn_on_full_buffer=False)
        for number in SIGNALS:
            handler = signal.getsignal(number)
            if handler is not signal.SIG_IGN:  # as nohup wants it
                self._previous[number] = handler
                signal.signal(number, _note)
        self._thread = threading.Thread(target=self._listen, name="signals", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Put everything back as it was."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        signal.set_wakeup_fd(self._previous_descriptor)
        for number, handler in self._previous.items():
            signal.signal(number, handler or signal.SIG_DFL)  # None: set outside Python
        self._previous = {}
        Interrupt.pending = False
        self._wake()
        thread.join()
        os.close(self._ear)
        os.close(self._mouth)

    def __enter__(self) -> "Watch":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.is_command:
            self.stop()
            return
        # All is done: a signal must not change the exit code while Python takes itself apart.
        for number in self._previous:
            signal.signal(number, signal.SIG_IGN)
        self._hasten = self._asked_at = self._deadline = None

    def hand_over(self, hasten: Callable[[], int]) -> None:
        """Say that there is a result; ``hasten`` saves what it can of it at once, and returns the exit code."""
        self._hasten = hasten
        if self._thread is not None:
            self._wake()

    def _wake(self) -> None:
        os.write(self._mouth, bytes([LOOK_AGAIN]))

    def _listen(self) -> None:
        while self._thread is not None:
            if self._hasten is not None and self._asked_at is not None and self._deadline is None:
                self._deadline = max(self._asked_at + GRACE, time.monotonic() + LEAST_GRACE)
            left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
            if select.select([self._ear], [], [], left)[0]:
                for number in os.read(self._ear, 64):
                    if number != LOOK_AGAIN:
                        self._heard(number)
            elif self._hasten is not None:
                _end(self._hasten())

    def _heard(self, number: int) -> None:
        now = time.monotonic()
        if not Interrupt.begun:
            self._leave(number)
        elif self._asked_at is None:
            self._asked_at = now
        elif self._hasten is None and now > self._asked_at + GRACE:
            self._leave(number)

    def _leave(self, number: int) -> None:
        say(self.sentence)
        _end(128 + number)


def say(sentence: str) -> None:
    """Write a line to standard error, whatever other threads do, unless that would take long."""
    if not select.select([], [2], [], 0.1)[1]:
        return
    show_cursor = "\x1b[?25h\n" if os.isatty(2) else ""  # a live display has hidden it
    with contextlib.suppress(OSError):
        os.write(2, f"{show_cursor}{sentence}\n".encode(errors="backslashreplace"))


def _end(code: int) -> None:
    # Nothing is imported here: the main thread may be importing, and hold the lock.
    if atomic := sys.modules.get("dacalns.util.files"):
        getattr(atomic, "remove_unfinished", int)()
    if multiprocessing := sys.modules.get("multiprocessing"):
        for child in getattr(multiprocessing, "active_children", list)():
            child.kill()
    os._exit(code)


def _note(_number: int, _frame: FrameType | None) -> None:
    """What Python does about a signal in the main thread; the thread above does the rest."""
    Interrupt.pending = True


def _open_closed_streams() -> None:
    """Else the next file that is opened would be taken for standard output or error."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


watch = Watch()


def watch_if_command() -> None:
    """Start to listen if this process is ``dac-alns`` or ``python -m dacalns``, and no program that imports us."""
    words = sys.orig_argv
    as_module = "-m" in words and words[words.index("-m") + 1 :][:1] == ["dacalns"]
    script = sys.argv[0] if sys.argv else ""
    as_script = os.path.basename(script) in ("dac-alns", "dac-alns.exe") and script in words
    if (as_module and script == "-m") or as_script:
        sys.excepthook = _explain_failed_import
        watch.is_command = True
        watch.start()


def _explain_failed_import(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """One sentence where libraries cannot be loaded, for want of memory say."""
    if not issubclass(kind, ImportError | OSError | MemoryError):
        sys.__excepthook__(kind, error, trace)
        return
    reason = " ".join(str(error).split())[:150] or "no reason given"
    say(
        f"Error: dac-alns cannot be loaded ({kind.__name__}: {reason}); expected memory and all it needs; install anew."
    )
    os._exit(2)


watch_if_command()
