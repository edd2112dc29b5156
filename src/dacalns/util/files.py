"""Files that are written whole or not at all, their names, and which of them must differ."""

import contextlib
import csv
import errno
import hashlib
import io
import os
import re
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from dacalns.util.errors import InputError

# Write a file whole or not at all; write through to what is no plain file.

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
    """Return True if a file there is or will be one that can be replaced: no device, pipe or file that is open."""
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
    """Return the descriptor of standard output or standard error if the path leads to its file, else None."""
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


# Files to write that must be no files to read, nor one another.

AnyPath = str | os.PathLike[str]


def require_apart(targets: Mapping[str, AnyPath | None], sources: Mapping[str, AnyPath | None]) -> None:
    """Check, before a long run, that none of its files would be written over another one of them.

    Parameters
    ----------
    targets
        What will be written, by the name of its option; None where it is not wanted.
    sources
        What is read, likewise. What is no file, such as the name of a bundled instance, counts for nothing.

    Raises
    ------
    InputError
        If two of them are one file, also by way of a link.
    """
    # Devices and pipes may take several: they lose nothing by it.
    wanted = [(name, path) for name, path in targets.items() if path is not None and _keeps(path)]
    for place, (name, path) in enumerate(wanted):
        for other, source in sources.items():
            if source is not None and os.path.isfile(source) and _same(path, source):
                raise InputError(
                    f"{name} {os.fsdecode(path)!r} is the file that {other} reads; expected another one, or it would "
                    "be lost; choose another name."
                )
        for other, earlier in wanted[:place]:
            if _same(path, earlier):
                raise InputError(
                    f"{name} {os.fsdecode(path)!r} is the file that {other} writes; expected a file for each; choose "
                    "another name."
                )


def files_in(words: str | None) -> Iterable[str]:
    """The files that a selector or portfolio such as ``"dac-t:policy.safetensors,hold=50"`` names."""
    if words is None:
        return []
    behind = words.partition(":")[2]
    parts = (words, words.rpartition(":")[0], behind, *words.split(","), *behind.split(","))
    return [part for part in dict.fromkeys(parts) if part and os.path.isfile(part)]


def _keeps(path: AnyPath) -> bool:
    return os.fsdecode(path) == STANDARD_OUTPUT or is_plain(path)


def _same(one: AnyPath, other: AnyPath) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # at least one is not there yet
        return os.path.realpath(one) == os.path.realpath(other)


# Names of instances, trainings and the like as names of files.

# Of a file; the rest is for what stands before and behind.
MOST_BYTES = 120
# Devices of Windows, whatever stands behind a dot.
RESERVED = re.compile(r"(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE)


def file_name(name: str) -> str:
    """A name as that of a file in the folder where it belongs, on every system.

    Letters, digits and ``-_.+`` stay. A name that has others, that would lead elsewhere or that is too long is changed,
    and ends in a few digits that tell it from others that look alike then.

    Examples
    --------
    >>> file_name("A-n80-k10")
    'A-n80-k10'
    >>> file_name("../../x")
    'x-9cdf6a50'
    """
    kept = re.sub(r"[^\w.+-]+", "-", name).lstrip("-.")
    kept = kept.encode("utf-8", "ignore")[:MOST_BYTES].decode("utf-8", "ignore").rstrip(".")
    if kept and kept == name and not RESERVED.fullmatch(name):
        return name
    digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{kept.partition('.')[0] if RESERVED.fullmatch(kept) else kept}-{digits}".lstrip("-")


# Tables as text with commas, for programs that calculate.


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """The rows, a line each.

    Text that a spreadsheet would take for a formula, and carry out, gets an apostrophe in front of it.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def _harmless(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r", "\n")  # which stands between quotes, unlike the other
    if not text.startswith(("=", "+", "-", "@", "\t", "\n")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


# A folder of this user's alone, among the temporary files that all users share.

ATTEMPTS = 10


@cache
def private_folder() -> Path | None:
    """The folder, made if need be; None where there can be none.

    All processes of a user find the same one. A name that somebody else has taken, with a folder of theirs or a link,
    is passed over: what is in there is not ours to trust.
    """
    user = os.getuid() if hasattr(os, "getuid") else "user"
    try:
        shared = Path(tempfile.gettempdir())
        for attempt in range(ATTEMPTS):
            folder = shared / (f"dac-alns-{user}-{attempt}" if attempt else f"dac-alns-{user}")
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                if not _is_ours(folder):
                    continue
            return folder
    except OSError:  # no folder for temporary files, or one that cannot be written
        pass
    return None


def _is_ours(folder: Path) -> bool:
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):  # a link, too
        return False
    # On Windows each user has temporary files of their own, and modes say nothing.
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == 0o700)
