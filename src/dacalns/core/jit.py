"""How this package compiles: the decorators for kernels, kernels called by name, and calls by address."""

import ctypes
import functools
import inspect
import warnings
from functools import cache
from threading import RLock
from types import FunctionType

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, sigutils
from numba.core.ccallback import CFunc
from numba.core.cpu import CPUContext
from numba.extending import intrinsic, lower_builtin, overload, register_jitable, type_callable
from numba.np import arrayobj

from dacalns.core.code_cache import TWIN, CodeCache

# Numba's ``CFunc``, with its environment.


class CFunction(CFunc):
    """A C function whose environment is bound also where it was compiled just now, as it is where it was cached.

    Numba forgets that. Without it, ``print`` leaves in the middle, with Python's lock in its hands, and whoever waits
    for the lock next waits for ever.
    """

    _fresh = None

    def _compile_uncached(self):
        self._fresh = super()._compile_uncached()
        return self._fresh

    def compile(self):
        """Compile it, or load it from its cache."""
        super().compile()
        if self._fresh is not None:
            environment = self._fresh.environment
            self._library.codegen.set_env(environment.env_name, environment)
            self._fresh = None


# How this package compiles: one decorator for kernels, one wrapper for pluggable functions.

# What loads a kernel that others call by name, see `core/jit.py`.
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
# vectors suggest, and decisions would differ from one machine to another. `core/arithmetic.py` does it alike.
numeric_inlined = _njit(**OPTIONS, forceinline=not numba.config.BOUNDSCHECK)
# For the small ones that call those of `core/jit.py`, which must be there before code that calls them is loaded:
# `pluggable` sees to that for the code it loads from the cache, and nobody would for any other. Under bounds checks
# there are none of those.
glue = _njit(cached=bool(numba.config.BOUNDSCHECK), **OPTIONS)
# For the small ones that Python calls too: there they are plain Python, and need not be compiled on their own.
shared = register_jitable(error_model="numpy", _nrt=False)


def by_kind(plain, rich):
    """Return a kernel that is ``plain``, and ``rich`` where an argument is a rich problem or one of its solutions.

    Which of the two is decided when the kernel that calls it is compiled, or when Python calls it; both take the same
    arguments.
    """
    if not (jit_enabled() and hasattr(plain, "get_call_template")):

        @functools.wraps(plain)
        def chosen(*arguments):
            return (rich if any(map(_is_rich, arguments)) else plain)(*arguments)

        if jit_enabled():  # both are `shared`
            options = {"error_model": "numpy", "_nrt": False}
            overload(chosen, jit_options=options, strict=False)(
                lambda *arguments: rich if any(map(_is_rich, arguments)) else plain
            )
        return chosen
    template, overload_of, compiled = plain.get_call_template, plain.get_overload, plain.compile

    def compile_either(signature):  # for a call from Python
        if not any(map(_is_rich, _arguments_of(signature))):
            return compiled(signature)
        entry_point = rich.compile(signature)
        plain.add_overload(rich.overloads[tuple(_arguments_of(signature))])
        return entry_point

    plain.compile = compile_either
    plain.get_call_template = lambda args, kws: (
        rich.get_call_template(args, kws) if any(map(_is_rich, args)) else template(args, kws)
    )
    plain.get_overload = lambda sig: (
        rich.get_overload(sig) if any(map(_is_rich, _arguments_of(sig))) else overload_of(sig)
    )
    return plain


def _is_rich(argument):
    """Tell whether an argument, or its type, is of a rich problem: their classes are marked."""
    return getattr(getattr(argument, "instance_class", type(argument)), "rich", False)


def _arguments_of(signature):
    return signature if isinstance(signature, tuple) else signature.args


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


def load_callees(plain, arguments) -> None:
    """Load what code for arguments of these types may call by name: such code cannot be loaded before."""
    if numba.config.BOUNDSCHECK:
        return
    rich = any(map(_is_rich, arguments))
    _load_callees(plain, rich, set())
    if rich:
        load_rich_calls()


def _load_callees(plain, rich, seen) -> None:
    """Load what a function, or one that it calls, calls by name; ``rich`` if it is compiled for rich problems."""
    for name in plain.__code__.co_names:
        called = plain.__globals__.get(name)
        if hasattr(called, LOAD):
            getattr(called, LOAD)(rich)
        elif hasattr(called, "py_func") and called not in seen:
            seen.add(called)
            _load_callees(called.py_func, rich, seen)


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
    wanted = sigutils.normalize_signature(compiled_as or signature)
    load_callees(plain, wanted[0])
    compiled = CFunction(plain, wanted, locals={}, options=options)
    compiled._cache = CodeCache(plain)
    compiled.compile()
    if not compiled.address:
        raise TypeError("it compiles to something that cannot be called.")
    return _Pluggable(compiled, signature)


# Kernels that are compiled once, however many others call them.
#
# Numba compiles what a function calls into that function, and again into each that calls it. That is good for small
# functions; with large ones a cold start would take minutes. Those marked here are called by name instead.
#
# Code that calls a name cannot be loaded from the cache before whatever has that name. `pluggable` finds the names in
# the source. Kernels of rich problems often stand behind plain ones (`by_kind`), where nobody finds them: all of them
# are loaded at once, before the first that needs one. They are defined in the order in which they call one another.

_rich_calls = []  # those that are not loaded yet
_every_rich_call = []
_loading = RLock()
_apart = False


def compile_apart() -> None:
    """From now on compile each kernel without those that it calls by name, for other processes to load.

    This process must run none of them: in place of what they call stands something that ends the process.
    """
    global _apart
    _apart = True


@cache
def _stand_in() -> int:
    return ctypes.cast(ctypes.pythonapi.Py_Exit, ctypes.c_void_p).value


def called_by(function, rich) -> list:
    """The kernels that are compiled once and that a function calls, or one that it calls: with their signatures."""
    found, seen = [], set()
    _collect(getattr(function, "py_func", function), found, seen)
    if rich:
        found += _every_rich_call
    chosen = []
    for call in dict.fromkeys(found):
        versions = {any(map(_is_rich, wanted.args)): (kernel, wanted) for kernel, wanted in call.compiled_for}
        if rich in versions or False in versions:
            chosen.append(versions.get(rich, versions.get(False)))
    return chosen


def _collect(plain, found, seen) -> None:
    for name in plain.__code__.co_names:
        called = plain.__globals__.get(name)
        if hasattr(called, "py_func") and called not in seen:
            seen.add(called)
            found += [called] if hasattr(called, LOAD) else []
            _collect(called.py_func, found, seen)


def load_rich_calls() -> None:
    """Load all kernels of rich problems that others call by name; compile those that are not in the cache."""
    with _loading:
        waiting = [] if numba.config.BOUNDSCHECK else list(_rich_calls)
        # While one is loaded this is called again, and then there is nothing to do; an interrupted one still waits.
        _rich_calls.clear()
        try:
            while waiting:
                getattr(waiting[0], LOAD)(True)
                waiting.pop(0)
        finally:
            _rich_calls.extend(waiting)


def compiled_once(signature, rich=None):
    """Compile a kernel that returns nothing, or an integer, on its own, for arguments of these types.

    It is compiled again for those of the signature ``rich``, if there is one.

    For arguments of other types, as tests have them, and under bounds checks, whose errors could not pass a call by
    name, it is compiled into its callers as any other kernel is.
    """

    def decorate(kernel):
        return _by_name(kernel, signature, rich or signature) if jit_enabled() else kernel

    return decorate


def _by_name(kernel, signature, rich):
    plain = kernel.py_func
    symbol = f"{plain.__module__}.{plain.__qualname__}"
    symbols = {rich.args: f"{symbol}.rich", signature.args: symbol}
    only_rich = any(map(_is_rich, signature.args))

    def call(*arguments):
        return kernel(*arguments)

    def load(for_rich):
        if only_rich and not for_rich:
            return
        wanted = rich if for_rich else signature
        there = _stand_in() if _apart else pluggable(kernel, wanted).__wrapper_address__()
        llvmlite.binding.add_symbol(symbols[wanted.args], there)

    @type_callable(call)
    def typed(context):
        def typer(*arguments):
            return signature.return_type

        typer.__signature__ = inspect.signature(plain)
        return typer

    @lower_builtin(call, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        if sig.args not in symbols or numba.config.BOUNDSCHECK:
            return context.compile_internal(builder, plain, sig, args)
        load(sig.args == rich.args)
        argument_types = [context.get_value_type(kind) for kind in sig.args]
        function_type = ir.FunctionType(context.get_value_type(signature.return_type), argument_types)
        result = builder.call(cgutils.get_or_insert_function(builder.module, function_type, symbols[sig.args]), args)
        return context.get_dummy_value() if signature.return_type == types.void else result

    call.py_func = plain
    call.compiled_for = [(kernel, wanted) for wanted in dict.fromkeys((signature, rich))]
    setattr(call, LOAD, load)
    if only_rich:
        _rich_calls.append(call)
        _every_rich_call.append(call)
    return call


# Calls by address: how the loop calls operators, selectors and criteria without being compiled for each of them.
#
# Numba has function pointers of its own. They are looked at one by one, in Python, whenever a kernel is called with
# them, which takes longer than a hundred iterations on a small instance. An address is a number, and an array of them
# is one argument. As plain Python, a function stands for its own address.


def address(compiled):
    """What a kernel needs in order to call what :func:`dacalns.core.jit.pluggable` has made."""
    return compiled.__wrapper_address__() if jit_enabled() else compiled


def addresses(compiled):
    """The same for several, of which the kernel picks one."""
    listed = [address(function) for function in compiled]
    return np.array(listed, dtype=np.int64) if jit_enabled() else listed


def caller(signature):
    """A function ``call(address, arguments)`` for kernels; the arguments, a tuple, are of the signature's types."""
    if not jit_enabled():
        return lambda function, arguments: function(*arguments)

    @intrinsic
    def call(typingctx, address, arguments):
        def codegen(context, builder, sig, args):
            values = cgutils.unpack_tuple(builder, args[1], len(signature.args))
            given = [
                context.cast(builder, value, have, want)
                for value, have, want in zip(values, sig.args[1].types, signature.args, strict=True)
            ]
            kind = ir.FunctionType(
                context.get_value_type(signature.return_type), [context.get_value_type(want) for want in signature.args]
            )
            result = builder.call(builder.inttoptr(args[0], kind.as_pointer()), given)
            return context.get_dummy_value() if signature.return_type == types.void else result

        return signature.return_type(types.int64, arguments), codegen

    return call
