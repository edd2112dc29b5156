"""The engine of one machine: processes, each of which can have a core of its own."""

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from dacalns.engines.engine import ONE_THREAD, WorkerDied, usable_cores
from dacalns.search.signals import SIGNALS, Interrupt
from dacalns.search.user_code import Aside
from dacalns.util.files import private_folder

# Cores: a lock file for each core keeps two processes of ours from using the same one.

_held: int | None = None
"""The open lock file; the operating system releases it when the process ends, however that happens."""


def take_own_core() -> int | None:
    """Keep this process on a core that no other one has taken, and return the core; None if that is not possible."""
    global _held
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    folder = private_folder()
    if folder is None or not hasattr(os, "sched_setaffinity"):
        return None
    for core in usable_cores():
        try:
            held = os.open(folder / f"core-{core}.lock", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        except OSError:  # the disk is full, or the lock is somebody else's
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.sched_setaffinity(0, {core})
        except OSError:
            os.close(held)
            continue
        _held = held
        return core
    return None


# Processes.

Returned = TypeVar("Returned")
Call = tuple[Callable[..., Any], tuple[Any, ...], float | None, "Future[Any]"]
END = None
_environment = threading.Lock()
"""The lock of the thread that changes the environment for the process it starts: no other may see that change."""


class Processes:
    """An engine that makes calls in processes of this machine.

    Each process is watched by a thread of its own. If the process dies, the thread knows which call it was making, and
    starts another process.

    Parameters
    ----------
    jobs
        The number of processes.
    pinned
        True if each process stays on a core of its own, where that is possible, so that times are comparable.
    """

    def __init__(self, jobs: int, *, pinned: bool = False) -> None:
        self._jobs, self._pinned = jobs, pinned
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._workers: list[_Worker] = []
        self._threads: list[threading.Thread] = []

    @property
    def slots(self) -> int:
        """The number of processes, each of which makes one call at a time."""
        return self._jobs

    def submit(self, call: Callable[..., Returned], *arguments: Any, limit: float | None = None) -> "Future[Returned]":
        """Make a call in the next free process, which is ended if there is no answer after ``limit`` seconds."""
        future: Future[Returned] = Future()
        self._calls.put((call, arguments, limit, future))
        return future

    def __enter__(self) -> "Processes":
        self._workers = [_Worker(self._pinned) for _ in range(self._jobs)]
        self._threads = [threading.Thread(target=self._serve, args=(worker,), daemon=True) for worker in self._workers]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.kill()
        for _thread in self._threads:
            self._calls.put(END)
        for thread in self._threads:
            thread.join()

    def _serve(self, worker: "_Worker") -> None:
        while (given := self._calls.get()) is not END:
            call, arguments, limit, future = given
            try:
                future.set_result(worker.do(call, arguments, limit))
            except Exception as error:
                future.set_exception(error)


class _Worker:
    """A process that makes one call at a time, and our end of the pipe to it."""

    def __init__(self, pinned: bool) -> None:
        self._pinned = pinned
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._starting = threading.Lock()
        self._ended = False

    def do(self, call: Callable[..., Any], arguments: tuple[Any, ...], limit: float | None = None) -> Any:
        """Return the call's answer or raise what it raised; raise `WorkerDied` after ``limit`` seconds."""
        with self._starting:
            if self._process is None and not self._ended:
                self._start()
        if self._process is None or self._pipe is None:
            raise WorkerDied("the study was ended")
        try:
            self._pipe.send((call, arguments))
            if not self._pipe.poll(limit):
                self._end()
                raise WorkerDied(f"there was no answer after {limit:.0f} s")
            done, answer, as_new = self._pipe.recv()
        except (EOFError, OSError):
            process, self._process = self._process, None
            process.join()
            raise WorkerDied(f"its process ended with code {process.exitcode}, perhaps for want of memory") from None
        if not as_new:
            self._end()
        if not done:
            raise answer
        return answer

    def _end(self) -> None:
        """End the process; the next call starts another one."""
        assert self._process is not None
        self._process.kill()
        self._process.join()
        self._process = None

    def _start(self) -> None:
        # Start a new process instead of a copy of this one, because a copy would lack the threads.
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        process = context.Process(target=_work, args=(other, self._pinned, os.getcwd()), daemon=True)
        with _environment, _deaf_children():
            before = {name: os.environ.get(name) for name in ONE_THREAD}
            os.environ.update(ONE_THREAD)  # NumPy reads it when it is imported, before any line of ours runs there
            try:
                process.start()
            finally:
                for name, value in before.items():
                    if value is None:
                        os.environ.pop(name, None)
                    else:
                        os.environ[name] = value
        other.close()
        self._process = process

    def kill(self) -> None:
        with self._starting:
            self._ended = True
            if self._process is not None:
                self._process.kill()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Block signals in the processes that this thread starts, until they have said how to handle them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    resource_tracker.ensure_running()  # it is a process, too, and starting it unblocks some signals in this thread
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, pinned: bool, folder: str) -> None:
    # These signals reach all processes of a terminal or of a service at once: the first process decides what to do.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    Interrupt.enabled = False
    os.chdir(folder)
    if pinned:
        take_own_core()
    while True:
        try:
            call, arguments = pipe.recv()
        except (EOFError, OSError):  # the process that gives work is gone
            return
        try:
            answer = True, call(*arguments)
        except Exception as error:
            answer = False, error
        try:
            # A user's code that never ends keeps a core busy: then another process must take over.
            pipe.send((*answer, not Aside.any_left()))
        except OSError:
            return
