"""A core that no other process of ours uses."""

import os

from dacalns.engines.engine import usable_cores
from dacalns.private_folder import private_folder

_held: int | None = None
"""An open lock file; the operating system lets go of it when the process ends, however it does."""


def take_own_core() -> int | None:
    """Keep this process on a core that no other one has taken; None where there is none, or no such thing."""
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
        except OSError:  # a full disk, or no lock of ours
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
