"""The processes that run episodes.

What they return comes in the order in which it was asked for, so that nothing depends on how many there are.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Any, TypeVar

from dacalns.errors import InputError
from dacalns.learning.portable import PortablePlan
from dacalns.learning.rounds import Plan
from dacalns.search.interrupt import Interrupt
from dacalns.search.portfolio import Portfolio

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Job = Callable[[Plan, Any, Item], Answer]

# Searches differ in length: with several portions for each process, none waits long for the last one.
PORTIONS = 4

_plan: Plan | None = None
"""Of a process of the pool."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require_not_starting() -> None:
    """Raise an `InputError` in a process that is just being started, and imports the script that started it."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise InputError(
            "train was called again by a process of its own, which imports your script; expected the call to stand "
            "below if __name__ == '__main__': put it there, or train with jobs=1."
        )


class Workers:
    """Processes that share a plan; while entered, :meth:`run` gives them work.

    Parameters
    ----------
    plan
        What they all know.
    portfolio
        As the user gave it.
    jobs
        How many; 1 works in this process.
    """

    def __init__(self, plan: Plan, portfolio: str | Portfolio, jobs: int) -> None:
        self._jobs = jobs
        self._pool: Executor
        if jobs == 1:
            # A thread, because a search in the main one would take Ctrl-C as meant for itself.
            self._plan: Plan | None = plan
            self._pool = ThreadPoolExecutor(1)
            return
        self._plan = None
        self._pool = ProcessPoolExecutor(
            jobs,
            # New processes, not copies of this one, whose threads a copy would lack.
            multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(PortablePlan.of(plan, portfolio), os.getcwd()),
        )

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=kind is None, cancel_futures=True)

    def run(
        self, job: Job[Item, Answer], shared: Any, items: Sequence[Item], sizes: Sequence[int] | None = None
    ) -> list[Answer]:
        """``job(plan, shared, item)`` for each item, in their order.

        ``job`` is a function at the top of a module; ``shared`` is sent with each portion of the items. Where
        ``sizes`` are known, the longest are begun first, so that no process works on a long one while others are done.

        Raises
        ------
        InputError
            If a process ends on its own, for want of memory, say.
        """
        size = max(1, -(-len(items) // (PORTIONS * self._jobs)))
        order = list(range(len(items)))
        if sizes is not None:
            order.sort(key=lambda place: -sizes[place])
        portions = [[items[place] for place in order[begin : begin + size]] for begin in range(0, len(items), size)]
        try:
            futures = [self._pool.submit(_work, self._plan, job, shared, portion) for portion in portions]
            answers = dict(zip(order, (answer for future in futures for answer in future.result()), strict=True))
            return [answers[place] for place in range(len(items))]
        except BrokenProcessPool:
            raise InputError(
                "a process of the training ended before its time; expected it to run on; free some memory or give "
                "fewer jobs, and in a script of yours call train below: if __name__ == '__main__'."
            ) from None


def _begin(portable: PortablePlan, folder: str) -> None:
    global _plan
    # Ctrl-C reaches all processes of a terminal: the first of them decides, and these finish their round.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Interrupt.enabled = False
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.chdir(folder)  # relative paths of instances and portfolios; a new process begins where the first one began
    _plan = portable.plan()


def _end_with_parent() -> None:
    """A process whose parent was killed would wait for work forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(plan: Plan | None, job: Job[Item, Answer], shared: Any, items: Sequence[Item]) -> list[Answer]:
    plan = plan or _plan
    assert plan is not None
    return [job(plan, shared, item) for item in items]
