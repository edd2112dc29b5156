"""A few sums that compiled code keeps in registers.

Added up in an array, each sum would be loaded and stored at every step, because other arrays might overlap with it.
What lies on the stack overlaps with nothing; if loops over it have a constant length, it stays in vector registers.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import make_array, populate_array

# Two rows of the paper's width: as many as there are vector registers for.
ROWS, WIDE = 2, 64


def registers(like: np.ndarray) -> np.ndarray:
    """An array of (ROWS, WIDE) numbers of the type of those in ``like``, not set to anything."""
    return np.empty((ROWS, WIDE), dtype=like.dtype)


@type_callable(registers)
def _type_of_registers(context):
    return lambda like: types.Array(like.dtype, 2, "C")


@lower_builtin(registers, types.Array)
def _lower_registers(context, builder, signature, args):
    number = context.get_data_type(signature.return_type.dtype)
    item = context.get_abi_sizeof(number)
    place = cgutils.alloca_once(builder, ir.ArrayType(number, ROWS * WIDE))
    rows, columns, row_step, step = (context.get_constant(types.intp, k) for k in (ROWS, WIDE, WIDE * item, item))
    target = make_array(signature.return_type)(context, builder)
    data = builder.bitcast(place, number.as_pointer())
    populate_array(target, data, (rows, columns), (row_step, step), step, None)
    return target._getvalue()
