"""Named positions in arrays of numbers: ``trial[TRIAL.before]`` rather than ``trial[3]``.

A record is a named tuple whose fields are numbered in their order; kinds and outcomes are numbered alike. Kernels use a
record as a global, and each field of it compiles to the plain number. Compiled code gets a type of its own for that:
as a tuple of numbers, every mention would take twice as long to compile.
"""

from typing import Any, TypeVar

from numba import types
from numba.core.imputils import lower_constant
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    type_callable,
    typeof_impl,
)

Record = TypeVar("Record", bound=tuple[Any, ...])


class Numbered(types.Type):
    """The type of one record in compiled code: it has the numbers, the value is empty."""

    def __init__(self, numbers):
        self.numbers = numbers
        super().__init__(name=f"Numbered({numbers})")


def numbered(kind: type[Record], first: int = 0) -> Record:
    """Return a record: the fields of a named tuple, numbered in their order from ``first`` on."""
    fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    typeof_impl.register(kind)(lambda value, _: Numbered(value))
    return kind(*range(first, first + len(fields)))


register_model(Numbered)(models.OpaqueModel)


@lower_constant(Numbered)
def _lower_record(context, builder, kind, value):
    return context.get_dummy_value()


@infer_getattr
class _Fields(AttributeTemplate):
    key = Numbered

    def generic_resolve(self, kind, name):
        return types.intp if name in kind.numbers._fields else None


@lower_getattr_generic(Numbered)
def _lower_field(context, builder, kind, value, name):
    return context.get_constant(types.intp, getattr(kind.numbers, name))


@type_callable(len)
def _type_of_length(context):
    return lambda record: types.intp if isinstance(record, Numbered) else None


@lower_builtin(len, Numbered)
def _lower_length(context, builder, signature, args):
    return context.get_constant(types.intp, len(signature.args[0].numbers))
