"""Write a file whole or not at all; write through to what is no plain file."""

import contextlib
import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator

from dacalns.errors import InputError

STANDARD_OUTPUT = "/dev/stdout"
# What has been opened for this process is written to where it stands: it belongs to whoever opened it.
_OPEN = {STANDARD_OUTPUT: 1, "/dev/fd/1": 1, "/dev/stderr": 2, "/dev/fd/2": 2}

_unfinished: set[str] = set()


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never half of it.

    A link stays, and the file that it points to is replaced. That keeps its mode, and its owner where that is
    permitted. What is no plain file, such as a device or a pipe, is written to; nothing there can be atomic.

    Parameters
    ----------
    path
        Where to.
    content
        Text, whose lines end in a line feed on every platform, or bytes.

    Raises
    ------
    InputError
        When the text is no Unicode, or it cannot be written there.
    """
    target = os.fsdecode(path)
    data = _encoded(target, content)
    require_writable(target)
    try:
        if is_plain(target):
            _replace(os.path.realpath(target), data)
        else:
            _write_through(target, data)
    except OSError as error:
        raise _cannot_be_written(target, error) from None


def append(path: str | os.PathLike[str], content: str) -> None:
    """Write text at the end of a file.

    Raises
    ------
    InputError
        When it cannot be written there.
    """
    target = os.fsdecode(path)
    try:
        with open(target, "ab", buffering=0) as stream:
            stream.write(_encoded(target, content))
    except OSError as error:
        raise _cannot_be_written(target, error) from None


def require_writable(path: str | os.PathLike[str]) -> None:
    """Raise an `InputError` if a file cannot be written there, so that a long run need not end in one."""
    target = os.fsdecode(path)
    if "\0" in target:
        raise InputError(f"{target[:80]!r}: a path cannot have the character NUL; expected another; correct it.")
    if os.path.isdir(target):
        raise InputError(f"{target}: this is a folder; expected a file to write; add a file name.")
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise InputError(f"{target}: this file is read-only; expected one open for writing; choose another.")
    if not is_plain(target):
        return
    real = os.path.realpath(target)
    if os.path.islink(real):
        raise InputError(f"{target}: this link leads back to itself; expected a file to write; choose another.")
    folder = os.path.dirname(real)
    if not os.path.isdir(folder):
        named = os.path.dirname(target) or folder
        raise InputError(f"{target}: there is no folder {named!r}; expected one that exists; create it first.")
    if not os.access(folder, os.W_OK):
        named = os.path.dirname(target) or "."
        raise InputError(f"{target}: folder {named!r} is read-only; expected one open for writing; choose another.")


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Whether a file there is, or will be, one that can be replaced: no device, pipe or open file of the process."""
    target = os.fsdecode(path)
    if _descriptor(target) is not None:
        return False
    try:
        there = os.stat(target)
    except OSError:
        return True
    if not stat.S_ISREG(there.st_mode):
        return False
    # The names of open files, such as /dev/fd/3, lead to a file by that name only if it is still there.
    real = os.path.realpath(target)
    return os.path.exists(real) and os.path.samestat(there, os.stat(real))


def remove_unfinished() -> None:
    """Remove what `write_atomically` has begun, in a process that is about to end without any clean-up."""
    for temporary in [*_unfinished]:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _replace(target: str, data: bytes) -> None:
    # In the same folder: only within one file system is the replacement atomic.
    temporary = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.partial")
    _unfinished.add(temporary)
    try:
        with open(temporary, "xb") as stream:
            _take_after(target, stream.fileno())
            stream.write(data)
            stream.flush()
            # Else the new name may be on the disk before the content, and a power cut leaves an empty file for the old
            # one. The folder itself is not forced out: then the old file is there, whole.
            with _unless_unsupported():
                os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        _unfinished.discard(temporary)


def _take_after(target: str, descriptor: int) -> None:
    """Give a new file the owner, where permitted, and the mode of the one that it will replace."""
    try:
        there = os.stat(target)
    except FileNotFoundError:
        return
    if not hasattr(os, "fchown"):
        return
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (there.st_uid, there.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, there.st_uid, there.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(there.st_mode))


def _write_through(target: str, data: bytes) -> None:
    descriptor = _descriptor(target)
    if descriptor is None:
        with open(target, "wb", buffering=0) as stream:
            _write_all(stream.fileno(), data)
        return
    if descriptor == 1 and sys.stdout is not None:
        sys.stdout.flush()
    _write_all(descriptor, data)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _descriptor(target: str) -> int | None:
    """Of standard output or error, where the path is that of its file."""
    if target in _OPEN:
        return _OPEN[target]
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            there = os.fstat(descriptor)
            if stat.S_ISREG(there.st_mode) and os.path.samestat(os.stat(target), there):
                return descriptor
    return None


def _encoded(target: str, content: str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        near = content[max(0, error.start - 20) : error.end + 20]
        raise InputError(
            f"{target}: the text {near!r} has half a character, {content[error.start]!r}; expected Unicode; rename it."
        ) from None


@contextlib.contextmanager
def _unless_unsupported() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def _cannot_be_written(target: str, error: OSError) -> InputError:
    reason = error.strerror or type(error).__name__
    return InputError(f"{target}: cannot be written ({reason}); expected a place open for writing; choose another.")
