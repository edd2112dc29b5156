"""Processes that compile parts of a search, while this one waits and shows how far they are.

Numba compiles one thing at a time in a process, so that several cores need several processes. They run nothing of what
they compile, but keep it on the disk (`core/code_cache.py`), where this process finds it. Whatever becomes of them
costs time only: what they have not compiled is compiled here.

They are started by hand rather than as `multiprocessing` does, which would import the user's script anew in each.
"""

import base64
import json
import multiprocessing
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import IO, Any

import numba
from numba.core import event
from numba.core.registry import cpu_target

from dacalns.core.code_cache import code_of_wheel, nothing_is_kept, place_to_keep_code
from dacalns.core.jit import compile_apart, jit_enabled
from dacalns.search.parts import Part

SETTINGS: Any = numba.config
# The number of processes that compile; 1 for none but the one that searches.
VARIABLE = "DACALNS_COMPILE_JOBS"
# More would mostly wait for the one that has the loop.
MOST = 4
# It is not worth the second that a process takes to start, if there is less to compile than so many seconds.
WORTH_IT = 3.0
# A part that takes so many times as long as it should, and so many seconds more, is given up.
PATIENCE, LEAST_PATIENCE = 10.0, 60.0
LOOK_AGAIN = 0.05


# How far compiling is: told to whoever listens.


@dataclass
class Progress:
    """How far compiling is.

    Parameters
    ----------
    total
        The seconds that all parts take, about.
    parts
        How many there are.
    jobs
        How many processes compile.
    """

    total: float
    parts: int
    jobs: int
    done: int = 0
    seconds_done: float = 0.0
    began: float = field(default_factory=time.monotonic)
    #: What is being compiled, and since when.
    in_hand: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def fraction(self) -> float:
        """How much of it is done, from 0 to 1; of what is in hand, by the time it usually takes."""
        now = time.monotonic()
        begun = sum(min(now - since, 0.9 * usual) for usual, since in list(self.in_hand.values()))
        return min(1.0, (self.seconds_done + begun) / max(self.total, 1e-9))

    @property
    def seconds(self) -> float:
        """The seconds since it began."""
        return time.monotonic() - self.began

    @property
    def names(self) -> list[str]:
        """What is being compiled now."""
        return list(self.in_hand)

    def begin(self, part: Part) -> None:
        """Note that a part is begun."""
        self.in_hand[part.name] = part.seconds, time.monotonic()

    def end(self, part: Part, done: bool = True) -> None:
        """Note that a part is done, or given up."""
        self.in_hand.pop(part.name, None)
        self.done += done
        self.seconds_done += part.seconds * done


_listeners: list[Callable[[Progress], None]] = []


@contextmanager
def listening(listener: Callable[[Progress], None] | None) -> Iterator[None]:
    """While entered, a listener is told when compiling begins; the object it gets stays up to date."""
    if listener is None:
        yield
        return
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


# Our side.


def compile_missing(parts: Sequence[Part], announce: Callable[[], None], jobs: int | None = None) -> None:
    """Compile what is not on the disk, side by side where that helps.

    Parameters
    ----------
    parts
        What a search needs, those that take longest first.
    announce
        Is called before it, if it takes long enough to be told of.
    jobs
        How many processes compile; None to leave that to `possible_jobs`.
    """
    if not jit_enabled() or SETTINGS.BOUNDSCHECK:  # under bounds checks parts are compiled into one another
        return
    missing = [part for part in parts if not part.is_kept()]
    total = sum(part.seconds for part in missing)
    if not missing or total < WORTH_IT:
        return
    announce()
    jobs = min(possible_jobs(jobs), len(missing))
    if jobs > 1 and _busy.acquire(blocking=False):
        try:
            _compile_aside(missing, Progress(total, len(missing), jobs))
        finally:
            _busy.release()
        missing = [part for part in missing if not part.is_kept()]
        total = sum(part.seconds for part in missing)
    if missing and total >= WORTH_IT:
        _compile_here(missing, Progress(total, len(missing), 1))


_busy = threading.Lock()
"""Of several threads that begin a search at once, one starts processes; the others wait for the compiler as ever."""


def possible_jobs(wanted: int | None = None) -> int:
    """Return how many processes may compile side by side; 1 if none may be started, or could hand anything over."""
    if (
        multiprocessing.parent_process() is not None  # there may be one for each core already
        or getattr(sys, "frozen", False)
        or "python" not in os.path.basename(sys.executable or "").lower()
        or place_to_keep_code() is None
    ):
        return 1
    given = os.environ.get(VARIABLE, "")
    if wanted is None and given.isdecimal() and int(given[:6]) > 0:
        wanted = int(given[:6])
    return min(_cores(), MOST) if wanted is None else wanted


def _cores() -> int:
    """How many cores this process may use, also by the rule of a container."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):
        allowed, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        cores = min(cores, max(1, ceil(int(allowed) / int(period))))
    return cores


def _compile_here(missing: Sequence[Part], progress: Progress) -> None:
    """Compile in this process, so that it is seen how far it is."""
    for listener in [*_listeners]:
        listener(progress)
    for part in missing:
        progress.begin(part)
        with suppress(Exception):  # it is told where the part is needed
            part.compile()
        progress.end(part)


def _compile_aside(missing: Sequence[Part], progress: Progress) -> None:
    """Let processes compile, and return when they are through, whatever came of it; an exception ends them."""
    waiting = deque(missing)
    ended: queue.SimpleQueue[_Helper] = queue.SimpleQueue()
    helpers: list[_Helper] = []
    try:
        for _ in range(progress.jobs):
            helpers.append(_Helper(waiting, progress, ended))
        for listener in [*_listeners]:
            listener(progress)
        at_work = set(helpers)
        while at_work:
            with suppress(queue.Empty):
                at_work.discard(ended.get(timeout=LOOK_AGAIN))
            # A signal that has come is heard at the next step of the compiler, see `search/kernels.py`.
            with event.trigger_event("numba:run_pass"):
                pass
            for helper in at_work:
                helper.end_if_stuck()
    except OSError:  # there can be no more processes: what is missing is compiled here
        pass
    finally:
        for helper in helpers:
            helper.end()


class _Helper:
    """A process that compiles one part after the other, and the thread that hands them out."""

    def __init__(self, waiting: "deque[Part]", progress: Progress, ended: "queue.SimpleQueue[_Helper]") -> None:
        self._waiting, self._progress, self._ended = waiting, progress, ended
        self._due: float | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _program()],
            env=os.environ | _environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._thread = threading.Thread(target=self._hand_out, name="compiling", daemon=True)
        self._thread.start()

    def end_if_stuck(self) -> None:
        """End the process if a part takes far too long."""
        if self._due is not None and time.monotonic() > self._due:
            self._process.kill()

    def end(self) -> None:
        """End the process, whatever it does."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError, AttributeError):
                pipe.close()  # type: ignore[union-attr]

    def _hand_out(self) -> None:
        try:
            self._due = time.monotonic() + LEAST_PATIENCE
            if self._answer() == hello():
                while self._waiting:
                    if not self._compile(self._waiting.popleft()):
                        break
        except (OSError, ValueError, IndexError):  # it has died, or another thread was quicker
            pass
        finally:
            self._due = None
            self._ended.put(self)

    def _compile(self, part: Part) -> bool:
        """Let it compile a part; False if it is of no more use."""
        assert self._process.stdin is not None
        self._progress.begin(part)
        self._due = time.monotonic() + LEAST_PATIENCE + PATIENCE * part.seconds
        answer: Any = None
        try:
            self._process.stdin.write(base64.b64encode(pickle.dumps(part.reference())) + b"\n")
            self._process.stdin.flush()
            answer = self._answer()
        finally:
            self._progress.end(part, answer == DONE)
        return answer in (DONE, FAILED)

    def _answer(self) -> Any:
        """What it says next; None if it has ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None


def hello() -> list[Any]:
    """What must be the same here and in a process for the one to find what the other has compiled."""
    folder = place_to_keep_code()
    processor = list(cpu_target.target_context.codegen().magic_tuple())
    return [str(Path(__file__)), numba.__version__, bool(SETTINGS.BOUNDSCHECK), processor, str(folder)]


def _program() -> str:
    """What the process runs: with our search path, so that it imports what this one has imported."""
    path = [os.path.abspath(entry) for entry in sys.path if isinstance(entry, str)]
    return (
        f"import sys; sys.path[:] = {path!r}; sys.dont_write_bytecode = {sys.dont_write_bytecode!r}; "
        f"sys.pycache_prefix = {sys.pycache_prefix!r}; from dacalns.search import helpers; helpers.serve()"
    )


def _environment() -> dict[str, str]:
    """Numba's settings as they are in this process, which a program may have changed."""
    chosen = {"NUMBA_CACHE_DIR": SETTINGS.CACHE_DIR, "NUMBA_BOUNDSCHECK": str(int(bool(SETTINGS.BOUNDSCHECK)))}
    if SETTINGS.CPU_NAME is not None:
        chosen["NUMBA_CPU_NAME"] = SETTINGS.CPU_NAME
    if SETTINGS.CPU_FEATURES is not None:
        chosen["NUMBA_CPU_FEATURES"] = SETTINGS.CPU_FEATURES
    if code_of_wheel().folder is None:
        chosen["DACALNS_PRECOMPILED"] = "0"
    return chosen


# Their side.

DONE, FAILED, NOT_KEPT = "done", "failed", "not kept"


def serve() -> None:
    """Compile what comes, line by line, until no more does; for a process that was started for that."""
    import signal

    for number in (signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])):
        signal.signal(number, signal.SIG_IGN)  # whoever has started this hears it, too, and ends this
    compile_apart()
    # Nothing else may get into the answers.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, tasks), daemon=True).start()
    _say(answers, hello())
    while True:
        _say(answers, _done(tasks.get()))


def _read(stream: IO[bytes], tasks: "queue.SimpleQueue[bytes]") -> None:
    for line in stream:
        tasks.put(line)
    os._exit(0)  # whoever has started this is gone, or needs no more, in the middle of a part as it may be


def _say(answers: IO[bytes], answer: Any) -> None:
    answers.write(json.dumps(answer).encode() + b"\n")


def _done(task: bytes) -> str:
    try:
        Part.referred_to(pickle.loads(base64.b64decode(task))).compile()
    except Exception:  # it will fail again where it is needed, and there it is told
        return FAILED
    return NOT_KEPT if nothing_is_kept() else DONE
