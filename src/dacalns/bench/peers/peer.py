"""What a comparison asks of a solver, and what a solver can be asked."""

import os
from collections.abc import Callable, Set
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

import numpy as np

from dacalns.instances import Instance
from dacalns.instances.features import FEATURE_WORDS
from dacalns.util.shown import listed

# Whether a package is installed.


def installed_version(distribution: str) -> str | None:
    """Return the version of a package as pip knows it; None if it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


# Whether a solver's distance matrix fits this machine.

# Of the memory that is free; the rest is for all that is no matrix.
SHARE = 0.8


def too_large(instance: Instance, bytes_per_pair: int) -> str | None:
    """Return why an instance does not fit a solver that takes so many bytes for every pair of nodes; None if it does.

    Without this the operating system would end processes as it sees fit, perhaps others than the solver's.
    """
    needed = bytes_per_pair * (instance.customers + 1) ** 2
    memory = _free_memory()
    if memory is None or needed <= SHARE * memory:
        return None
    return f"all pairs of nodes take {needed / 2**30:.1f} GiB, and {memory / 2**30:.1f} are free"


def _free_memory() -> int | None:
    """Return the bytes that processes can still have; None where that cannot be told."""
    listed = Path("/proc/meminfo")
    if listed.is_file():
        for line in listed.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no such call
        return None


# What a solver, as we call it, can be asked.


def unknown_features(instance: Instance, known: Set[str]) -> str | None:
    """Return what an instance asks for that a solver does not know; None if it knows everything."""
    unknown = sorted(instance.features - known)
    return f"it knows no {listed([FEATURE_WORDS.get(each, each) for each in unknown])}" if unknown else None


# Whether an instance can be told to a solver that knows whole numbers only.


def not_whole(instance: Instance) -> str | None:
    """Return what is not whole in an instance, in its scaled units; None if everything is."""
    if instance.rounding in ("exact", "none") and (
        instance.matrix is None or np.any(instance.matrix != np.floor(instance.matrix))
    ):
        return "distances are not whole numbers"
    parts = {
        "demands": instance.demands,
        "windows": instance.scaled_windows,
        "service times": instance.scaled_service,
    }
    for what, values in parts.items():
        if values is not None and np.any(values != np.floor(values)):
            return f"{what} are not whole numbers"
    return None


# What a comparison asks of a solver.

Trajectory = list[tuple[float, float]]
"""When a new best solution came, in seconds from the start of the run, and what it costs in file units."""


@dataclass(frozen=True)
class Answer:
    """What a solver has to say.

    Parameters
    ----------
    routes
        The customers of each route, from 1 on; empty if it found no solution.
    cost
        What it believes that these cost, in file units; None if it does not say.
    trajectory
        Its feasible solutions over time; None if it does not tell.
    """

    routes: list[list[int]]
    cost: float | None = None
    trajectory: Trajectory | None = None


class Peer(Protocol):
    """A solver. It is sent to another process, so it must be possible to pickle it."""

    @property
    def key(self) -> str:
        """A word for it, on the command line and at the head of columns."""

    @property
    def name(self) -> str:
        """What to call it in a table."""

    @property
    def seeded(self) -> bool:
        """Whether a seed changes its answer; one run for each instance is enough if not."""

    def version(self) -> str | None:
        """Return the version installed, None if there is none."""

    def refuses(self, instance: Instance) -> str | None:
        """Return why it cannot be asked to solve an instance; None if it can."""

    def prepare(self, instance: Instance, seconds: float, seed: int) -> Callable[[], Answer]:
        """Bring an instance into the solver's own form, and return the call that solves it.

        Only that call is timed. It must stop after ``seconds`` by itself.
        """
