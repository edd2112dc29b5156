"""Selectors and criteria in plain Python, as the compiled loop sees them: kernels that call back by address.

The addresses stand in the memory of selector or criterion, never in the code, so that the compiled code can be cached.
Calling back costs a microsecond. Operators in plain Python need no kernel: the loop calls them by address anyway
(`search/called_back.py`).
"""

import ctypes
from typing import NamedTuple

import numpy as np
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


class Asked(NamedTuple):
    """The memory of an acceptance criterion in plain Python: what it is asked, and where."""

    high: int  #: the upper half of the address
    low: int
    fraction: int
    candidate: int
    current: int
    best: int


ASKED = numbered(Asked)
# A float is exact up to 2^53, and an address may be larger, so that it is kept in two halves.
HALF = 32


@kernel
def ask_acceptance(memory, fraction, candidate, current, best, rng):
    """Whatever Python decides."""
    memory[ASKED.fraction] = fraction
    memory[ASKED.candidate] = candidate
    memory[ASKED.current] = current
    memory[ASKED.best] = best
    address = (np.int64(memory[ASKED.high]) << HALF) | np.int64(memory[ASKED.low])
    return _call(address) != 0
