"""How this package compiles: one decorator for kernels, one wrapper for pluggable functions."""

import warnings
from functools import cache
from types import FunctionType

import numba
from numba import types
from numba.core import sigutils
from numba.core.cpu import CPUContext
from numba.extending import register_jitable
from numba.np import arrayobj

from dacalns.core.c_function import CFunction
from dacalns.core.code_cache import TWIN, CodeCache

# What loads a kernel that others call by name, see `core/apart.py`.
LOAD = "__dacalns_load__"

# Kernels own no memory: without Numba's run-time (`_nrt`) they cannot allocate, and arrays are not reference-counted,
# which would cost more than the arithmetic. The "numpy" error model drops the zero-division branch from divisions.
# Nobody passes a kernel as a value (`pluggable` compiles what is passed), so none needs the wrapper for that.
OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


def jit_enabled() -> bool:
    """Whether kernels are compiled (``NUMBA_DISABLE_JIT=1`` runs them as plain Python)."""
    return not numba.config.DISABLE_JIT


def _njit(cached=True, **options):
    """Numba's ``njit``, with a cache of our own, and with less to compile where one kernel calls another.

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
            if cached:
                dispatcher._cache, called._cache = CodeCache(function), CodeCache(twin)
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
# For a network's loops, which must be inlined to be compiled for sizes that are known. Under bounds checks that would
# only take longer to compile. Nothing is compiled with `fastmath`: sums would be reordered and fused as the processor's
# vectors suggest, and decisions would differ from one machine to another. See `core/fused.py` for what does that alike.
numeric_inlined = _njit(**OPTIONS, forceinline=not numba.config.BOUNDSCHECK)
# For the small ones that call those of `core/apart.py`, which must be there before code that calls them is loaded:
# `pluggable` sees to that for the code it loads from the cache, and nobody would for any other. Under bounds checks
# there are none of those.
glue = _njit(cached=bool(numba.config.BOUNDSCHECK), **OPTIONS)
# For the small ones that Python calls too: there they are plain Python, and need not be compiled on their own.
shared = register_jitable(error_model="numpy", _nrt=False)


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
    options["forceinline"] = chosen.get("forceinline", False)
    if not numba.config.BOUNDSCHECK:
        _load_callees(plain, set())
    compiled = CFunction(plain, sigutils.normalize_signature(compiled_as or signature), locals={}, options=options)
    compiled._cache = CodeCache(plain)
    compiled.compile()
    if not compiled.address:
        raise TypeError("it compiles to something that cannot be called.")
    return _Pluggable(compiled, signature)
