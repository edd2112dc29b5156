"""Signals and deadlines of a running search: Ctrl-C and its like, and calls of users' code that do not return."""

import queue
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from numbers import Real
from types import FrameType, TracebackType
from typing import Any, ClassVar, Protocol

from dacalns.search.user_code import Aside
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

# Turning Ctrl-C, SIGTERM and SIGHUP into a request to stop.

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


# Waiting for searches that call code of users, which may never return.

CALL_LIMIT = 10.0
# After a request to stop, and at the end of the budget, a call has so many seconds left.
GRACE = 1.0
# The waiting thread looks up so often. It counts its own steps, not what the clock shows: a process that was stopped
# for a while, or hardly gets a core, has not been calling anything all that time.
STEP = 0.05

Call = tuple[int, int, int]
_Reports = queue.SimpleQueue[tuple[int, Any, BaseException | None]]


def require_call_limit(given: Any) -> float:
    """The limit in seconds, or an `InputError`."""
    try:
        seconds = float(given) if isinstance(given, Real) and not isinstance(given, bool) else 0.0
    except OverflowError:
        seconds = 0.0
    if not seconds > 0:
        raise InputError(f"call_limit is {shown(given)}; expected seconds, more than 0; inf is no limit.")
    return seconds


class Watched(Protocol):
    """A search, as it is waited for."""

    @property
    def foreign(self) -> bool:
        """True if the search calls code that is not ours."""

    def call_in_hand(self) -> Call | None:
        """Return what the search is calling: the iteration, the kind and the number; None if nothing."""

    def is_over(self) -> bool:
        """Return True if the budget is used up."""

    def request_stop(self) -> None:
        """Let it pause before the next iteration, whatever it was told."""

    def leave(self, call: Call, since: str, *, at_fault: bool) -> bool:
        """Go without the answer of a call; False if that has come in the meantime."""


@dataclass
class _Patience:
    """How long one call has been waited for, in seconds: in all, and since it should have ended."""

    call: Call | None = None
    waited: float = 0.0
    asked: float = 0.0

    def wait(self, call: Call | None, asked: bool) -> None:
        if call != self.call:
            self.call, self.waited, self.asked = call, 0.0, 0.0
        self.waited += STEP
        self.asked += STEP if asked else 0.0


class Supervisor:
    """Lets searches go on side by side, and waits for them.

    Where one of them calls code that is not ours, each has a thread of its own, so that the waiting thread hears
    signals and can leave a search whose call does not return. Where all code is ours, the first one has the waiting
    thread itself.
    """

    def __init__(self, searches: Sequence[Watched], interrupt: Interrupt, call_limit: float) -> None:
        self._searches, self._interrupt, self._limit = searches, interrupt, call_limit
        self._foreign = any(search.foreign for search in searches)
        self._asides = [Aside() if self._foreign or place else None for place in range(len(searches))]

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for aside in self._asides:
            if aside is not None:
                aside.end()

    def do(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """Do a call for each search, and return what they return; None for a search that was left."""
        done: _Reports = queue.SimpleQueue()
        waiting = {place: _Patience() for place, aside in enumerate(self._asides) if aside is not None}
        for place, aside in enumerate(self._asides):
            if aside is not None:
                aside.begin(calls[place], partial(_report, done, place))
        answers = dict.fromkeys(range(len(calls)))
        errors: list[BaseException] = []
        if self._asides[0] is None:
            try:
                answers[0] = calls[0]()
            except BaseException as error:
                errors.append(error)
        try:
            while waiting:
                try:
                    place, answer, failure = done.get(timeout=STEP if self._foreign else None)
                except queue.Empty:
                    for place in [place for place, patience in waiting.items() if self._is_left(place, patience)]:
                        del waiting[place]
                else:
                    del waiting[place]
                    answers[place] = answer
                    errors += [] if failure is None else [failure]
        except BaseException:  # a second Ctrl-C, say
            self._give_up(set(waiting), done)
            raise
        if errors:
            raise errors[0]
        return list(answers.values())

    def _give_up(self, waiting: set[int], done: _Reports) -> None:
        """Stop the searches, and leave those that do not."""
        for place in waiting:
            self._searches[place].request_stop()
        with suppress(queue.Empty):
            while waiting:
                waiting.discard(done.get(timeout=GRACE)[0])
        for place in waiting:
            aside = self._asides[place]
            if aside is not None:
                aside.leave()

    def _is_left(self, place: int, patience: _Patience) -> bool:
        search, aside = self._searches[place], self._asides[place]
        over = search.is_over()
        patience.wait(search.call_in_hand(), self._interrupt.requested or over)
        if patience.call is None or aside is None:
            return False
        if patience.waited >= self._limit:
            since = f"after {self._limit:g} s (call_limit)"
        elif patience.asked >= GRACE:
            since = f"{GRACE:g} s after the " + ("end of the budget" if over else "request to stop")
        else:
            return False
        if not search.leave(patience.call, since, at_fault=patience.waited >= self._limit):
            return False
        aside.leave()
        return True


def _report(done: _Reports, place: int, answer: Any, error: BaseException | None) -> None:
    done.put((place, answer, error))
