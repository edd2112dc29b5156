"""Kernels that are compiled once, however many others call them.

Numba compiles what a function calls into that function, and again into each that calls it. That is good for small
functions; with large ones a cold start would take minutes. Those marked here are called by name instead.
"""

import inspect

import llvmlite.binding
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

from dacalns.core.jit import LOAD, jit_enabled, pluggable


def apart(signature):
    """Compile a kernel that returns nothing on its own, for arguments of these types.

    For arguments of other types, as tests have them, and under bounds checks, whose errors could not pass a call by
    name, it is compiled into its callers as any other kernel is.
    """

    def decorate(kernel):
        return _by_name(kernel, signature) if jit_enabled() else kernel

    return decorate


def _by_name(kernel, signature):
    plain = kernel.py_func
    symbol = f"{plain.__module__}.{plain.__qualname__}"

    def call(*arguments):
        return kernel(*arguments)

    def load():
        llvmlite.binding.add_symbol(symbol, pluggable(kernel, signature).__wrapper_address__())

    @type_callable(call)
    def typed(context):
        def typer(*arguments):
            return types.void

        typer.__signature__ = inspect.signature(plain)
        return typer

    @lower_builtin(call, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        if sig.args != signature.args or numba.config.BOUNDSCHECK:
            return context.compile_internal(builder, plain, sig, args)
        load()
        argument_types = [context.get_value_type(kind) for kind in signature.args]
        function_type = ir.FunctionType(context.get_value_type(types.void), argument_types)
        builder.call(cgutils.get_or_insert_function(builder.module, function_type, symbol), args)
        return context.get_dummy_value()

    call.py_func = plain
    setattr(call, LOAD, load)
    return call
