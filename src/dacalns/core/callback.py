"""A selector written in plain Python, as the compiled loop sees it: three kernels that call back by address.

The addresses stand in the selector's memory, never in the code, so that the compiled code can be cached. Calling back
costs a microsecond; driving the steps from Python would cost some hundred, most of it to pass the operators.
"""

import ctypes
from typing import NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dacalns.core.jit import jit_enabled, kernel
from dacalns.core.records import numbered

# What is called: no arguments, since the caller knows where the arrays are; an operator's number comes back.
CALLED = ctypes.CFUNCTYPE(ctypes.c_int64)


class Callback(NamedTuple):
    """Where the memory's index has the addresses."""

    on_destroy: int
    on_repair: int
    on_update: int


CALLBACK = numbered(Callback)


@intrinsic
def _call_compiled(typingctx, address):
    """Call the C function at ``address``."""

    def codegen(context, builder, signature, args):
        function = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), [])

    return types.int64(types.int64), codegen


def _call_plain(address):
    return CALLED(int(address))()


_call = _call_compiled if jit_enabled() else _call_plain


@kernel
def ask_destroy(memory, problem, solution, rng):
    """Whatever Python chooses."""
    return _call(memory.index[CALLBACK.on_destroy])


@kernel
def ask_repair(memory, problem, solution, destroy, rng):
    """Whatever Python chooses for the destroyed solution."""
    return _call(memory.index[CALLBACK.on_repair])


@kernel
def tell(memory, trial):
    """Tell Python the outcome of an iteration."""
    _call(memory.index[CALLBACK.on_update])
