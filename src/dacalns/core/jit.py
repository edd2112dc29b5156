"""How this package compiles: one decorator for kernels, one wrapper for pluggable functions, one cache rule."""

import hashlib
import warnings
from functools import cache
from pathlib import Path
from types import FunctionType

import numba
from numba import types
from numba.core import caching
from numba.core.cpu import CPUContext
from numba.extending import register_jitable
from numba.np import arrayobj

from dacalns.core.c_function import c_function

CORE = Path(__file__).parent
MARK = "__dacalns_pluggable__"
# What kernels call in place of a kernel.
TWIN = "__dacalns_twin__"
# What loads a kernel that others call by name, see `core/apart.py`.
LOAD = "__dacalns_load__"

# Kernels own no memory: without Numba's run-time (`_nrt`) they cannot allocate, and arrays are not reference-counted,
# which would cost more than the arithmetic. The "numpy" error model drops the zero-division branch from divisions.
# Nobody passes a kernel as a value (`pluggable` compiles what is passed), so none needs the wrapper for that.
OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
FAST = {"contract", "reassoc", "nsz", "arcp"}


def jit_enabled() -> bool:
    """Whether kernels are compiled (``NUMBA_DISABLE_JIT=1`` runs them as plain Python)."""
    return not numba.config.DISABLE_JIT


def _njit(**options):
    """Numba's ``njit``, with less to compile where one kernel calls another.

    There, a kernel needs no wrapper that unpacks Python's objects, which takes longer to compile than most kernels do;
    so what kernels call is a twin without one. Nor does it need a version for each constant that it is called with, and
    one more for what a variable holds before a loop assigns to it: where it is inlined, constants are known anyway.
    """

    def decorated(function):
        dispatcher = numba.njit(**options)(function)
        if jit_enabled():
            parts = (
                function.__code__,
                function.__globals__,
                function.__name__,
                function.__defaults__,
                function.__closure__,
            )
            twin = FunctionType(*parts)
            twin.__module__, twin.__qualname__ = function.__module__, function.__qualname__
            setattr(twin, TWIN, True)
            called = numba.njit(**options, no_cpython_wrapper=True)(twin)
            dispatcher.get_call_template = lambda args, kws: called.get_call_template(
                tuple(types.unliteral(kind) for kind in args),
                {name: types.unliteral(kind) for name, kind in kws.items()},
            )
            dispatcher.get_overload = called.get_overload
        return dispatcher

    return decorated


kernel = _njit(**OPTIONS)
# For the innermost loops, and for the steps of an iteration, where a call would cost as much as the work.
inlined = _njit(**OPTIONS, forceinline=True)
# For a network's arithmetic: sums may be reordered and fused, so that they vectorise. Infinity and NaN stay as they
# are. What such a function comes to, in its last bits, depends on what it was compiled into. Called by its name, it
# would exist in several versions, and which of them is called would depend on what a process has compiled or loaded
# before. So `numeric` is for those of `core/apart.py` alone, of which there is one; all others are `numeric_inlined`.
numeric = _njit(**OPTIONS, fastmath=FAST)
# Under bounds checks it would only take longer to compile.
numeric_inlined = _njit(**OPTIONS, fastmath=FAST, forceinline=not numba.config.BOUNDSCHECK)
# For the small ones that call those of `core/apart.py`, which must be there before code that calls them is loaded:
# `pluggable` sees to that for the code it loads from the cache, and nobody would for any other. Under bounds checks
# there are none of those.
glue = _njit(**(OPTIONS | {"cache": bool(numba.config.BOUNDSCHECK)}))
# For the small ones that Python calls too: there they are plain Python, and need not be compiled on their own.
shared = register_jitable(error_model="numpy", _nrt=False)


def _short_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _fingerprint_of_core() -> str:
    return _short_hash(b"".join(source.read_bytes() for source in sorted(CORE.glob("*.py"))))


def _captured(function, seen) -> str:
    """The values that Numba freezes into a compiled function: globals, closure cells, and the functions it calls."""
    plain = getattr(function, "py_func", function)
    if id(plain) in seen:
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


def _install_cache_rule() -> None:
    """Make cached code depend on all that it was compiled from.

    Numba keys its cache on the file of the outermost function alone: a change in a kernel that another file calls
    would go unnoticed, and so would ``NUMBA_BOUNDSCHECK`` and a global that a script reads from its arguments. The
    locators below add these to the key, for our kernels and for users' functions, and leave every other function on
    the machine alone.
    """
    fingerprint = _fingerprint_of_core()

    def strict(base: type) -> type:
        class StrictLocator(base):
            @classmethod
            def from_function(cls, py_func, py_file):
                ours = Path(py_file).parent == CORE
                if not ours and not hasattr(py_func, MARK):
                    return None
                locator = super().from_function(py_func, py_file)
                if locator is not None:
                    captured = "" if ours else _captured(py_func, set())
                    locator.suffix = "-checked" if numba.config.BOUNDSCHECK else ""
                    locator.suffix += "-twin" if hasattr(py_func, TWIN) else ""
                    locator.suffix += "-" + _short_hash(captured.encode()) if captured else ""
                return locator

            def get_source_stamp(self):
                return (*super().get_source_stamp(), fingerprint)

            def get_disambiguator(self):
                return super().get_disambiguator() + self.suffix

        return StrictLocator

    standard = caching.CacheImpl._locator_classes
    caching.CacheImpl._locator_classes = [*(strict(base) for base in standard), *standard]


def _trust_indices() -> None:
    """Spare kernels the question, at every ``array[k]``, whether ``k`` counts from the end: an eighth of their time.

    Kernels count from the front, which the tests with bounds checks make sure of. Numba has no option for that, so its
    function is replaced, for code on the processor without Numba's run-time, as our kernels are. Users' functions have
    it, and may count from the end; Numba's own few without it do not.
    """
    careful = arrayobj.fix_integer_index

    def trusting(context, builder, index_type, index, size):
        if context.enable_nrt or not isinstance(context, CPUContext):
            return careful(context, builder, index_type, index, size)
        return context.cast(builder, index, index_type, types.intp)

    arrayobj.fix_integer_index = trusting


_install_cache_rule()
_trust_indices()
if not jit_enabled():
    # Compiled integers wrap around in silence, as hashes and random numbers need; NumPy's say so.
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)


def _load_callees(plain, seen) -> None:
    """Load what a function, or one that it calls, calls by name."""
    for name in plain.__code__.co_names:
        called = plain.__globals__.get(name)
        if hasattr(called, LOAD):
            getattr(called, LOAD)()
        elif hasattr(called, "py_func") and called not in seen:
            seen.add(called)
            _load_callees(called.py_func, seen)


class _Pluggable(types.WrapperAddressProtocol):
    """A compiled function that the compiled loop calls by address, so that the loop never recompiles for it."""

    def __init__(self, compiled, signature):
        self.compiled = compiled
        self._signature = signature

    def __wrapper_address__(self) -> int:
        return int(self.compiled.address)

    def signature(self):
        return self._signature


@cache
def pluggable(function, signature, compiled_as=None):
    """Compile ``function`` against ``signature`` so that the loop can call it through a function pointer.

    A kernel is compiled as a kernel is; a user's plain function may allocate. ``compiled_as`` is another signature,
    whose arguments look the same in memory, for a version that knows more of them.
    """
    plain = getattr(function, "py_func", function)
    if not jit_enabled():
        return plain
    chosen = getattr(function, "targetoptions", {})
    # Users hear of a division by zero; what they have compiled themselves does as they have chosen.
    options = {"error_model": chosen.get("error_model", "python"), "_nrt": chosen.get("_nrt", True)}
    options |= {name: chosen.get(name, False) for name in ("fastmath", "forceinline")}
    setattr(plain, MARK, True)
    if not numba.config.BOUNDSCHECK:
        _load_callees(plain, set())
    try:
        compiled = c_function(plain, compiled_as or signature, cache=True, **options)
    except (RuntimeError, ImportError) as error:
        # Typed at a prompt, so that there is no file to cache beside; or cached under a module name now gone.
        if isinstance(error, RuntimeError) and "cannot cache" not in str(error):
            raise
        compiled = c_function(plain, compiled_as or signature, cache=False, **options)
    if not compiled.address:
        raise TypeError("it compiles to something that cannot be called.")
    return _Pluggable(compiled, signature)
