"""The interface of an engine, which makes calls in other processes, and what is known about this machine."""

import os
import platform
import re
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, TypeVar

Answer = TypeVar("Answer")


class Engine(Protocol):
    """Does calls elsewhere, many at a time; leaving it ends what is still at work."""

    @property
    def slots(self) -> int:
        """How many calls it can do at once."""

    def submit(self, call: Callable[..., Answer], *arguments: Any) -> "Future[Answer]":
        """Do ``call(*arguments)``, a function at the top of a module.

        What it raises is raised by the future, as is a `WorkerDied` if its process ends before it does.
        """

    def __enter__(self) -> Any: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class WorkerDied(Exception):  # noqa: N818
    """A process ended in the middle of a call, for want of memory, say."""


def usable_cores() -> list[int]:
    """The cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def processor_name() -> str:
    """Return the model of the processor where Linux tells it; elsewhere what Python knows."""
    about = Path("/proc/cpuinfo")
    if about.is_file() and (found := re.search(r"model name\s*:\s*(.+)", about.read_text(errors="replace"))):
        return found[1].strip()
    return platform.processor() or platform.machine()


# One thread for each process, so that times are those of one core.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
