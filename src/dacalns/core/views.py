"""Views of flat arrays for kernels: without reference counts, which those of slices have, and fast to compile."""

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, overload, type_callable
from numba.np.arrayobj import make_array, populate_array


def view(values: np.ndarray, begin: int, shape: tuple[int, ...]) -> np.ndarray:
    """A view of as many values as ``shape`` has, from ``begin`` on; compiled code does not check them."""
    return values[begin : begin + int(np.prod(shape))].reshape(shape)


@type_callable(view)
def _type_of_view(context):
    return lambda values, begin, shape: types.Array(values.dtype, len(shape), "C")  # noqa: ARG005


@lower_builtin(view, types.Array, types.Integer, types.BaseTuple)
def _lower_view(context, builder, signature, args):
    source = make_array(signature.args[0])(context, builder, args[0])
    target = make_array(signature.return_type)(context, builder)
    shape = cgutils.unpack_tuple(builder, args[2])
    item = context.get_abi_sizeof(context.get_data_type(signature.return_type.dtype))
    strides = [context.get_constant(types.intp, item)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    # No owner: what it is a view of lives longer than any call of a kernel.
    populate_array(target, builder.gep(source.data, [args[1]]), shape, strides, strides[-1], None)
    return target._getvalue()


def naming(function):
    """Let kernels call a function that returns named views; Python calls it as it is.

    It must return arrays, which a kernel may not. Never make Numba write it into its callers (``inline="always"``): it
    would drop assignments to what it takes for an array that nobody reads.
    """
    overload(function, strict=False, jit_options={"_nrt": True, "forceinline": True})(lambda *_: function)
    return function
