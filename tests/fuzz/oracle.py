"""What may come of an input: an answer or an `InputError` of one short sentence, in time and within memory."""

import hashlib
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from numba.core.compiler_lock import global_compiler_lock

from dacalns.util.errors import LONGEST, InputError

SECONDS = 5.0
"""Of processor time, so that a busy machine blames nobody."""

MEGABYTES = 500
"""More than before the input."""

Target = Callable[[bytes, Path], None]


class UnexpectedError(Exception):
    """Something that should not come of an input, other than an exception; the message is its kind."""


class _TooSlow(BaseException):
    """The time is over; nothing in the package catches it."""


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


@contextmanager
def _limited() -> Iterator[None]:
    def over(*_: object) -> None:
        if global_compiler_lock.is_locked():
            # What is compiled at its first use takes long, once, and must not be interrupted.
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
        else:
            raise _TooSlow

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def trouble(target: Target, data: bytes) -> tuple[str, str] | None:
    """What is wrong with how a target takes an input: its kind, which is the same for the same cause, and all of it."""
    peak = peak_megabytes()
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        try:
            with _limited(), warnings.catch_warnings():
                # A warning of NumPy's between the lines of a command is no sentence of ours.
                warnings.simplefilter("error", RuntimeWarning)
                target(data, Path(folder))
        except InputError as error:
            if len(str(error)) > LONGEST:
                return "a message of over 300 characters", str(error)
        except _TooSlow:
            return f"over {SECONDS:g} s in {_place()}", traceback.format_exc()
        except UnexpectedError as error:
            return str(error).partition("\n")[0], str(error)
        except (Exception, SystemExit) as error:
            return f"{type(error).__name__} in {_place()}", traceback.format_exc()
    if (more := peak_megabytes() - peak) > MEGABYTES:
        return f"over {MEGABYTES} MB", f"{more:.0f} MB"
    return None


def _place() -> str:
    """The innermost line of the package that an exception went through."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    ours = [frame for frame in frames if "dacalns" in Path(frame.filename).parts] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"


def minimised(target: Target, data: bytes, kind: str, seconds: float = 10.0) -> bytes:
    """A shorter input with the same trouble, if leaving out pieces gives one in that time."""
    ends = time.monotonic() + seconds
    size = len(data) // 2
    while size and time.monotonic() < ends:
        begin = 0
        while begin < len(data) and time.monotonic() < ends:
            shorter = data[:begin] + data[begin + size :]
            found = trouble(target, shorter)
            if found is not None and found[0] == kind:
                data = shorter
            else:
                begin += size
        size //= 2
    return data


def save(folder: Path, name: str, data: bytes, kind: str, details: str) -> Path:
    """Write a failing input to a file, and beside it what is wrong and how to see it again."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    again = f"PYTHONPATH=tests python -m fuzz --target {name} --input {path}"
    path.with_name(path.name + ".txt").write_text(f"{kind}\n\n{again}\n\n{details}\n", errors="replace")
    return path
