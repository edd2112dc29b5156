"""The interface of a solver in a comparison, and checks of whether a solver can take an instance."""

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

# The version of a package.


def installed_version(distribution: str) -> str | None:
    """Return the version of a package as pip knows it; None if it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


# A solver's distance matrix must fit into the memory.

# The part of the free memory that a matrix may take; the rest is for everything else.
SHARE = 0.8


def too_large(instance: Instance, bytes_per_pair: int) -> str | None:
    """Return why an instance is too large for a solver with this many bytes for every pair of nodes; None if it is not.

    Without this check the operating system would end processes when memory runs out, perhaps others than the solver's.
    """
    needed = bytes_per_pair * (instance.customers + 1) ** 2
    memory = _free_memory()
    if memory is None or needed <= SHARE * memory:
        return None
    return f"all pairs of nodes take {needed / 2**30:.1f} GiB, and {memory / 2**30:.1f} are free"


def _free_memory() -> int | None:
    """Return the bytes of free memory; None if they are unknown."""
    listed = Path("/proc/meminfo")
    if listed.is_file():
        for line in listed.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no such call
        return None


# A solver, as we call it, knows some features.


def unknown_features(instance: Instance, known: Set[str]) -> str | None:
    """Return what an instance asks for that a solver does not know; None if it knows everything."""
    unknown = sorted(instance.features - known)
    return f"it knows no {listed([FEATURE_WORDS.get(each, each) for each in unknown])}" if unknown else None


# Some solvers know only whole numbers.


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


# The interface.

Trajectory = list[tuple[float, float]]
"""For each new best solution, the seconds since the start of the run, and its cost in file units."""


@dataclass(frozen=True)
class Answer:
    """The answer of a solver.

    Parameters
    ----------
    routes
        The nodes that each route visits, as `dacalns.Instance` numbers them; empty if it found no solution.
    cost
        The cost of the routes according to the solver, in file units; None if it does not say.
    trajectory
        Its new best feasible solutions over time; None if it does not say.
    types
        The vehicle type of each route; None where there is only one.
    """

    routes: list[list[int]]
    cost: float | None = None
    trajectory: Trajectory | None = None
    types: list[int] | None = None


class Peer(Protocol):
    """A solver; it is sent to another process, so it must be possible to pickle it."""

    @property
    def key(self) -> str:
        """A word for the solver, on the command line and as the heading of columns."""

    @property
    def name(self) -> str:
        """The name of the solver in tables."""

    @property
    def seeded(self) -> bool:
        """True if a seed changes its answer; if not, one run for each instance is enough."""

    def version(self) -> str | None:
        """Return the installed version; None if the solver is not installed."""

    def refuses(self, instance: Instance) -> str | None:
        """Return why the solver cannot take an instance; None if it can."""

    def prepare(self, instance: Instance, seconds: float, seed: int) -> Callable[[], Answer]:
        """Bring an instance into the solver's own form, and return the call that solves it.

        Only that call is timed. It must stop after ``seconds`` by itself.
        """
