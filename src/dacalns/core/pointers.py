"""Calls by address: how the loop calls operators, selectors and criteria without being compiled for each of them.

Numba has function pointers of its own. They are looked at one by one, in Python, whenever a kernel is called with them,
which takes longer than a hundred iterations on a small instance. An address is a number, and an array of them is one
argument. As plain Python, a function stands for its own address.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from dacalns.core.jit import jit_enabled


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
