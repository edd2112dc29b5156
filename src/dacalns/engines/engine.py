"""The interface of engines, which make calls in other processes, and functions that describe this machine."""

import os
import platform
import re
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, TypeVar

Returned = TypeVar("Returned")


class Engine(Protocol):
    """An object that makes calls elsewhere, many at a time; leaving its context ends those that still run."""

    @property
    def slots(self) -> int:
        """The number of calls that it can make at once."""

    def submit(self, call: Callable[..., Returned], *arguments: Any) -> "Future[Returned]":
        """Make the call ``call(*arguments)``, and return its future answer; ``call`` is at the top of a module.

        The future raises what the call raises, or `WorkerDied` if the process ends before the call does.
        """

    def __enter__(self) -> Any: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class WorkerDied(Exception):  # noqa: N818
    """The error that a process ended in the middle of a call, perhaps for lack of memory."""


def usable_cores() -> list[int]:
    """Return the cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def processor_name() -> str:
    """Return the model of the processor as Linux names it, or elsewhere as Python does."""
    about = Path("/proc/cpuinfo")
    if about.is_file() and (found := re.search(r"model name\s*:\s*(.+)", about.read_text(errors="replace"))):
        return found[1].strip()
    return platform.processor() or platform.machine()


# Each process has one thread, so that times are those of one core.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
