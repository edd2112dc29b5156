"""Memory as kernels see it: named tuples passed by address, and views of flat arrays."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_cast,
    lower_getattr_generic,
    overload,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array

# Named tuples that compiled code passes on as one pointer.
#
# Numba passes a tuple of arrays as all the numbers that its arrays consist of, 200 for a problem and a solution, and
# copies them at every call that is not inlined: more than many an operator has to do. Of a tuple marked here a kernel
# gets the address. It lies on the stack of the function that Python called, and nothing in it changes meanwhile, which
# the code is told, so that whatever a loop reads of it is read once.


class Referenced(types.Type):
    """The type of a named tuple that is passed by its address."""

    def __init__(self, members, instance_class):
        self.instance_class = instance_class
        self.types = tuple(members)
        self.whole = types.NamedTuple(self.types, instance_class)
        super().__init__(name=f"Referenced({self.whole.name})")

    def of_class(self, instance_class):
        """The same for another class with fields of the same types."""
        return Referenced(self.types, instance_class)


@register_model(Referenced)
class ReferencedModel(PrimitiveModel):
    """A pointer to the tuple."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, manager.lookup(kind.whole).get_value_type().as_pointer())


def by_reference(cls):
    """Let compiled code pass tuples of this class, and of those derived from it, by their address."""

    @typeof_impl.register(cls)
    def typed(value, context):
        return Referenced([typeof_impl(member, context) for member in value], type(value))

    return cls


@unbox(Referenced)
def _unbox(kind, value, c):
    whole = c.unbox(kind.whole, value)
    place = c.builder.alloca(whole.value.type)  # not in the entry block: a tuple is unpacked once a call
    c.builder.store(whole.value, place)

    def release():
        if whole.cleanup is not None:
            whole.cleanup()
        if c.context.enable_nrt:
            c.context.nrt.decref(c.builder, kind.whole, whole.value)

    return NativeValue(place, is_error=whole.is_error, cleanup=release)


@lower_cast(Referenced, Referenced)
def _cast(context, builder, have, want, value):
    # A pointer to a tuple that begins with the fields of the other will do for one to that.
    return builder.bitcast(value, context.get_value_type(want))


@infer_getattr
class _Attributes(AttributeTemplate):
    key = Referenced

    def generic_resolve(self, kind, name):
        fields = kind.instance_class._fields
        return kind.types[fields.index(name)] if name in fields else None


@lower_getattr_generic(Referenced)
def _lower_attribute(context, builder, kind, value, name):
    place = kind.instance_class._fields.index(name)
    field = builder.gep(value, [ir.Constant(ir.IntType(32), k) for k in (0, place)], inbounds=True)
    return impl_ret_borrowed(context, builder, kind.types[place], load_constant(builder, field))


def load_constant(builder, pointer):
    """What is at a pointer, number by number, each marked as one that does not change."""
    kind = pointer.type.pointee
    if isinstance(kind, ir.Aggregate):
        result = ir.Constant(kind, ir.Undefined)
        for k in range(len(kind)):
            part = builder.gep(pointer, [ir.Constant(ir.IntType(32), i) for i in (0, k)], inbounds=True)
            result = builder.insert_value(result, load_constant(builder, part), k)
        return result
    loaded = builder.load(pointer)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


# Views of flat arrays for kernels: without reference counts, which those of slices have, and fast to compile.


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
