"""Whether a solver's distance matrix fits this machine."""

import os
from pathlib import Path

from dacalns.instances import Instance

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
