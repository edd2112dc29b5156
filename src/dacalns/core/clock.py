"""A monotonic clock for compiled code, in nanoseconds."""

import sys
import time

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from dacalns.core.jit import jit_enabled

I64, I32 = ir.IntType(64), ir.IntType(32)
# CLOCK_MONOTONIC is 1 on Linux and 6 on macOS.
CLOCK_ID = 6 if sys.platform == "darwin" else 1


@intrinsic
def _posix_clock(typingctx):
    """Call the C library's ``clock_gettime``: a symbol rather than an address, so that code stays cacheable."""

    def codegen(context, builder, signature, args):
        timespec = ir.LiteralStructType([I64, I64])
        slot = cgutils.alloca_once(builder, timespec)
        function_type = ir.FunctionType(I32, [I32, slot.type])
        function = cgutils.get_or_insert_function(builder.module, function_type, "clock_gettime")
        builder.call(function, [ir.Constant(I32, CLOCK_ID), slot])
        seconds = builder.extract_value(builder.load(slot), 0)
        nanoseconds = builder.extract_value(builder.load(slot), 1)
        return builder.add(builder.mul(seconds, ir.Constant(I64, 1_000_000_000)), nanoseconds)

    return types.int64(), codegen


@intrinsic
def _windows_clock(typingctx):
    """Call ``QueryPerformanceCounter``, which counts in units of 100 ns."""

    def codegen(context, builder, signature, args):
        slot = cgutils.alloca_once(builder, I64)
        function_type = ir.FunctionType(I32, [slot.type])
        function = cgutils.get_or_insert_function(builder.module, function_type, "QueryPerformanceCounter")
        builder.call(function, [slot])
        return builder.mul(builder.load(slot), ir.Constant(I64, 100))

    return types.int64(), codegen


if jit_enabled():
    from dacalns.core.jit import kernel

    _clock = _windows_clock if sys.platform == "win32" else _posix_clock

    @kernel
    def nanoseconds():
        """Nanoseconds since an arbitrary moment."""
        return _clock()

else:
    nanoseconds = time.monotonic_ns
