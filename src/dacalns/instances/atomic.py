"""Write a file whole or not at all."""

import contextlib
import os
import secrets

from dacalns.errors import InputError


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never half of it.

    Parameters
    ----------
    path
        Where to; an existing file is replaced.
    content
        Text, whose lines end in a line feed on every platform, or bytes.

    Raises
    ------
    InputError
        When the folder does not exist or cannot be written to.
    """
    require_writable(path)
    target = os.fspath(path)
    folder = os.path.dirname(target) or "."
    # In the same folder: only within one file system is the replacement atomic.
    temporary = os.path.join(folder, f".{secrets.token_hex(8)}.partial")
    try:
        with open(temporary, "xb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
        os.replace(temporary, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        reason = error.strerror or type(error).__name__
        raise InputError(
            f"{target}: cannot be written ({reason}); expected a folder open for writing; choose another."
        ) from None


def require_writable(path: str | os.PathLike[str]) -> None:
    """Raise an `InputError` if a file cannot be written there, so that a long run need not end in one."""
    target = os.fspath(path)
    folder = os.path.dirname(target) or "."
    if not os.path.isdir(folder):
        raise InputError(f"{target}: there is no folder {folder!r}; expected one that exists; create it first.")
    if os.path.isdir(target):
        raise InputError(f"{target}: this is a folder; expected a file to write; add a file name.")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{target}: folder {folder!r} is read-only; expected one open for writing; choose another.")
