"""Compiled code on the disk: read wherever there is some, written wherever that is possible, checked before it is run.

Numba's own cache keys code on the file of the outermost function alone: a change in a kernel that another file calls
would go unnoticed, and so would ``NUMBA_BOUNDSCHECK`` and a global that a script reads from its arguments. It needs a
folder that can be written, even to read; it is ended for good by a file that is not what was written; and two processes
that fill it at once may leave the code of one signature under another. So our kernels, and the functions of users that
the loop calls, have this one. It leaves all other functions on the machine to Numba.

Each piece of code has a file of its own, which begins with a hash of all that it was compiled from, and one of that and
the code. A file that is damaged, cut, empty or of another version does not fit them: it counts as not there, and is
replaced.
"""

import contextlib
import hashlib
import inspect
import multiprocessing
import os
import pickle
import re
import uuid
import warnings
from collections import Counter
from functools import cache
from pathlib import Path

import llvmlite
import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from dacalns.core.shipped_code import PYTHON, Shipped, shipped
from dacalns.util.files import private_folder

CORE = Path(__file__).parent
# Set on a function that is compiled without the wrapper by which Python calls it, see `core/jit.py`.
TWIN = "__dacalns_twin__"
DIGEST_SIZE = hashlib.sha256().digest_size


class CodeCache(NullCache):
    """The compiled code of one function, for Numba to ask for and to hand over."""

    def __init__(self, function):
        self._function = function

    @property
    def cache_path(self):
        """The folder that is looked into first."""
        return next((str(folder) for folder in _folders(self._function.__code__.co_filename)), None)

    def load_overload(self, sig, target_context):
        """The code for a signature; None if it is to be compiled."""
        target_context.refresh()
        for path, identity, origin in self._places(sig, target_context.codegen().magic_tuple()):
            payload = _checked(path, identity)
            if payload is None:
                continue
            # It is what was written, so that little can go wrong: a module it refers to may be gone, say.
            with contextlib.suppress(Exception):
                stored, code = pickle.loads(payload)
                if stored == sig:
                    result = CompileResult._rebuild(target_context, *code)
                    origins[origin] += 1
                    return result
        origins[COMPILED] += 1
        return None

    def origin(self, sig, processor):
        """Where there is code for a signature, None if nowhere; it is not read, so that it may be damaged."""
        return next((origin for path, what, origin in self._places(sig, processor) if _begins_as(path, what)), None)

    def _places(self, sig, processor):
        """Where the code may be, what it must have been compiled from, and whence it would be."""
        function = self._function
        stamp = _stamp(function)
        if stamp is None:
            return
        captured = self._captured()
        wheel = code_of_wheel()
        if wheel.folder is not None and (room := _room(function)) is not None:
            name, identity = self._entry(sig, wheel.magic, stamp, captured)
            yield wheel.folder / room / name, identity, WHEEL
        name, identity = self._entry(sig, processor, stamp, captured)
        for folder in _folders(function.__code__.co_filename):
            yield folder / name, identity, KEPT

    def save_overload(self, sig, data):
        """Keep the code for a signature, if there is a place where that can be done."""
        stamp = _stamp(self._function)
        if stamp is None or data.library.has_dynamic_globals or any(not each.can_cache for each in data.lifted):
            return
        name, identity = self._entry(sig, data.codegen.magic_tuple(), stamp, self._captured())
        # The source with its types beside it would take as long to write as the code, and nobody reads it.
        payload = dumps((sig, data._replace(type_annotation="")._reduce()))
        content = _header(identity, payload) + payload
        refusal = None
        for folder in _folders(self._function.__code__.co_filename):
            try:
                _write(folder / name, content)
                return
            except OSError as error:  # full, read-only, of another user
                refusal = refusal or error
        _say_that_nothing_is_kept(refusal)

    def _captured(self):
        """The values that are frozen into the code."""
        cells = [cell.cell_contents for cell in self._function.__closure__ or ()]
        return _captured(self._function, set()), dumps(cells) if cells else b""

    def _entry(self, sig, processor, stamp, captured):
        """The name of the file, and all that the code depends on."""
        function = self._function
        kept_apart = (sig, processor, bool(numba.config.BOUNDSCHECK), hasattr(function, TWIN), *captured)
        readable = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        readable = re.sub(r"[^\w.]", "", readable, flags=re.ASCII)[:80]
        name = f"{readable}-{function.__code__.co_firstlineno}.{PYTHON}-{_short_hash(repr(kept_apart).encode())}.nbc"
        identity = repr((kept_apart, numba.__version__, llvmlite.__version__, stamp, function.__code__.co_code))
        return name, identity.encode()


# Where code that this process has asked for came from.
WHEEL, KEPT, COMPILED = "wheel", "cache", "compiled"
origins: Counter[str] = Counter()


def code_of_wheel() -> Shipped:
    """The compiled code that came with the package, if it can be used here."""
    return shipped(fingerprint_of_core())


def _room(function):
    """The folder of a function of this package in the code of a wheel: the place of its file; None for others."""
    file = Path(function.__code__.co_filename)
    return file.parent.name if file.parent.parent == CORE.parent else None


def _header(identity, payload):
    """What a file begins with: a hash of what its code was compiled from, and one of that and the code."""
    hashed = hashlib.sha256(identity)
    begins = hashed.digest()
    hashed.update(payload)
    return begins + hashed.digest()


def _begins_as(path, identity):
    """True if there is a file whose code was compiled from just this."""
    try:
        with path.open("rb") as file:
            return file.read(DIGEST_SIZE) == hashlib.sha256(identity).digest()
    except OSError:
        return False


def _checked(path, identity):
    """What is in a file, after its hashes; None if there is no such file, or if it does not fit them."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    payload = memoryview(content)[2 * DIGEST_SIZE :]
    return payload if _header(identity, payload) == content[: 2 * DIGEST_SIZE] else None


def _write(path, content):
    """Put a file into place as a whole; what a power cut makes of it, its hash tells."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}.tmp")
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def _folders(file):
    """Where code compiled from a file may be, in the order in which places are tried."""
    name, usual = _usual_folders(file)
    yield from usual
    private = private_folder()
    if private is not None:
        yield private / name


@cache
def _usual_folders(file):
    """What the folder of a file is called, and those of Numba that it may be in."""
    source = Path(os.path.abspath(file)).parent
    in_file = _is_of_core(file) or os.path.exists(file)
    # What was typed at a prompt, or in a notebook, is in no file, whatever it is called.
    name = f"{source.name}_{_short_hash(str(source).encode())}" if in_file else "prompt"
    if numba.config.CACHE_DIR:
        return name, [Path(numba.config.CACHE_DIR) / name]
    folders = [source / "__pycache__"] if in_file else []
    of_user = Path(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    if of_user.is_absolute():  # else there is no home
        folders.append(of_user / name)
    return name, folders


_said = False


def nothing_is_kept() -> bool:
    """Tell whether some code could not be kept, so that other processes do not find it."""
    return _said


def place_to_keep_code(make: bool = True) -> Path | None:
    """The folder that code of the kernels goes into, made if need be; None where there is none that can be written."""
    for folder in places_of_code():
        there = folder
        if make:
            with contextlib.suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
        else:
            there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
        if there.is_dir() and os.access(there, os.W_OK):
            return folder
    return None


def places_of_code() -> list[Path]:
    """The folders that code of the kernels may be in, the first one first."""
    return [*_folders(str(CORE / "jit.py"))]


def _say_that_nothing_is_kept(refusal):
    global _said
    if not _said and multiprocessing.parent_process() is None:
        _said = True
        warnings.warn(
            f"Compiled code could not be kept ({refusal or 'there is no folder for it'}), so that the next start "
            "compiles it again; set NUMBA_CACHE_DIR to a folder that can be written.",
            RuntimeWarning,
            stacklevel=2,
        )


def _short_hash(data):
    return hashlib.sha256(data).hexdigest()[:16]


@cache
def fingerprint_of_core():
    """A hash of all kernels, whatever the dates of their files; None where their files are not there."""
    files = sorted(CORE.glob("*.py")) or sorted(CORE.glob("*.pyc"))
    return _short_hash(b"".join(file.read_bytes() for file in files)) if files else None


def _is_of_core(file):
    return Path(file).parent == CORE


def _stamp(function):
    """What compiled code depends on besides its function; None where that cannot be told."""
    fingerprint, file = fingerprint_of_core(), function.__code__.co_filename
    if fingerprint is None or _is_of_core(file):
        return fingerprint
    try:
        found = os.stat(file)
        return fingerprint, _hash_of_file(file, found.st_mtime_ns, found.st_size)
    except OSError:  # in a notebook
        pass
    try:
        return fingerprint, inspect.getsource(function)
    except Exception:  # at a prompt that does not keep what was typed
        return None


@cache
def _hash_of_file(file, modified, size):
    return _short_hash(Path(file).read_bytes())


def _captured(function, seen):
    """The values that Numba freezes into a compiled function: globals, closure cells, and the functions it calls."""
    plain = getattr(function, "py_func", function)
    if id(plain) in seen or _is_of_core(plain.__code__.co_filename):
        return ""
    seen.add(id(plain))
    names = plain.__code__.co_names
    values = [plain.__globals__[name] for name in names if name in plain.__globals__]
    values += [cell.cell_contents for cell in plain.__closure__ or ()]
    parts = [plain.__code__.co_code.hex(), repr(plain.__code__.co_consts)]
    for value in values:
        if hasattr(value, "py_func"):
            parts.append(_captured(value, seen))
        elif hasattr(value, "tobytes"):
            parts.append(value.tobytes().hex())
        elif isinstance(value, int | float | str | tuple):
            parts.append(repr(value))
    return ";".join(parts)
