"""Named tuples that compiled code passes on as one pointer.

Numba passes a tuple of arrays as all the numbers that its arrays consist of, 200 for a problem and a solution, and
copies them at every call that is not inlined: more than many an operator has to do. Of a tuple marked here a kernel
gets the address. It lies on the stack of the function that Python called, and nothing in it changes meanwhile, which
the code is told, so that whatever a loop reads of it is read once.
"""

from llvmlite import ir
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, register_model, typeof_impl, unbox


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
    return impl_ret_borrowed(context, builder, kind.types[place], _constant(builder, field))


def _constant(builder, pointer):
    """What is at a pointer, number by number, each marked as one that does not change."""
    kind = pointer.type.pointee
    if isinstance(kind, ir.Aggregate):
        result = ir.Constant(kind, ir.Undefined)
        for k in range(len(kind)):
            part = builder.gep(pointer, [ir.Constant(ir.IntType(32), i) for i in (0, k)], inbounds=True)
            result = builder.insert_value(result, _constant(builder, part), k)
        return result
    loaded = builder.load(pointer)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded
