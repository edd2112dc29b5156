"""Eight numbers side by side, which compiled code keeps in vector registers and works on at once.

Left to itself, the compiler makes vector code of some loops and not of others. These operations are vector code always.
Without compilation, and to a reader, a value is an array of eight numbers. What an operation is in machine code is
written down with it, so that Numba has no function to compile for it.
"""

import inspect
import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import lower_builtin, register_model, type_callable
from numba.np.arrayobj import make_array

LANES = 8
VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class LanesType(types.Type):
    """The type of eight numbers."""

    def __init__(self):
        super().__init__(name="Lanes")


LANES_TYPE = LanesType()


@register_model(LanesType)
class LanesModel(PrimitiveModel):
    """Eight numbers are one vector."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR)


def _vector_code(function, result, *arguments):
    """Register the instructions for an operation on arguments of these types."""

    def register(instructions):
        @type_callable(function)
        def typer(context):
            def typed(*kinds):
                return result if all(map(isinstance, kinds, arguments)) else None

            typed.__signature__ = inspect.signature(function)
            return typed

        @lower_builtin(function, *arguments)
        def lower_call(context, builder, signature, args):
            return instructions(context, builder, signature.args, args)

        return instructions

    return register


def spread(number: float) -> np.ndarray:
    """The same number in all lanes."""
    return np.full(LANES, number)


@_vector_code(spread, LANES_TYPE, types.Float)
def _spread(context, builder, kinds, args):
    return _in_all_lanes(builder, args[0])


def _in_all_lanes(builder, number):
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def lanes_of(table: np.ndarray, row: int) -> np.ndarray:
    """What a row of a table of eight columns holds."""
    return table[row].copy()


@_vector_code(lanes_of, LANES_TYPE, types.Array, types.Integer)
def _lanes_of(context, builder, kinds, args):
    return builder.load(_pointer(context, builder, kinds, args), align=8)


def put_lanes(table: np.ndarray, row: int, values: np.ndarray) -> None:
    """Write a row of a table of eight columns."""
    table[row] = values


@_vector_code(put_lanes, types.none, types.Array, types.Integer, LanesType)
def _put_lanes(context, builder, kinds, args):
    builder.store(args[2], _pointer(context, builder, kinds, args), align=8)
    return context.get_dummy_value()


def _pointer(context, builder, kinds, args):
    table = make_array(kinds[0])(context, builder, args[0])
    row = context.cast(builder, args[1], kinds[1], types.intp)
    if context.enable_boundscheck:
        cgutils.do_boundscheck(context, builder, row, cgutils.unpack_tuple(builder, table.shape)[0], 0)
    place = builder.gep(table.data, [builder.mul(row, context.get_constant(types.intp, LANES))])
    return builder.bitcast(place, VECTOR.as_pointer())


def with_lane(values: np.ndarray, lane: int, number: float) -> np.ndarray:
    """The same but for one lane."""
    values = values.copy()
    values[lane] = number
    return values


@_vector_code(with_lane, LANES_TYPE, LanesType, types.Integer, types.Float)
def _with_lane(context, builder, kinds, args):
    return builder.insert_element(args[0], args[2], args[1])


@_vector_code(operator.add, LANES_TYPE, LanesType, LanesType)
def _add(context, builder, kinds, args):
    return builder.fadd(*args)


@_vector_code(operator.sub, LANES_TYPE, LanesType, LanesType)
def _subtract(context, builder, kinds, args):
    return builder.fsub(*args)


@_vector_code(operator.mul, LANES_TYPE, LanesType, LanesType)
def _multiply(context, builder, kinds, args):
    return builder.fmul(*args)


def fraction(values: np.ndarray) -> np.ndarray:
    """What is behind the point of numbers that are not negative and below 2 to the power of 52."""
    return values - np.floor(values)


@_vector_code(fraction, LANES_TYPE, LanesType)
def _fraction(context, builder, kinds, args):
    whole = ir.VectorType(ir.IntType(64), LANES)
    return builder.fsub(args[0], builder.uitofp(builder.fptoui(args[0], whole), VECTOR))


def lower(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The lower number in each lane."""
    return np.minimum(one, other)


@_vector_code(lower, LANES_TYPE, LanesType, LanesType)
def _lower(context, builder, kinds, args):
    return builder.select(builder.fcmp_ordered("<", *args), *args)


def higher(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The higher number in each lane."""
    return np.maximum(one, other)


@_vector_code(higher, LANES_TYPE, LanesType, LanesType)
def _higher(context, builder, kinds, args):
    return builder.select(builder.fcmp_ordered(">", *args), *args)


def where_at_most(level: np.ndarray, limit: np.ndarray, values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The values where the level is at most the limit, the others elsewhere."""
    return np.where(level <= limit, values, others)


@_vector_code(where_at_most, LANES_TYPE, LanesType, LanesType, LanesType, LanesType)
def _where_at_most(context, builder, kinds, args):
    return builder.select(builder.fcmp_ordered("<=", args[0], args[1]), args[2], args[3])


def within(values: np.ndarray, level: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """The values where the level is at most the limit, infinity elsewhere."""
    return np.where(level <= limit, values, np.inf)


@_vector_code(within, LANES_TYPE, LanesType, LanesType, LanesType)
def _within(context, builder, kinds, args):
    infinity = _in_all_lanes(builder, context.get_constant(types.float64, np.inf))
    return builder.select(builder.fcmp_ordered("<=", args[1], args[2]), args[0], infinity)


def lane_of(values: np.ndarray, lane: int) -> float:
    """The number in one lane."""
    return values[lane]


@_vector_code(lane_of, types.float64, LanesType, types.Integer)
def _lane_of(context, builder, kinds, args):
    return builder.extract_element(*args)


def any_at_most(level: np.ndarray, limit: np.ndarray) -> bool:
    """Whether the level is at most the limit in any lane."""
    return bool((level <= limit).any())


@_vector_code(any_at_most, types.boolean, LanesType, LanesType)
def _any_at_most(context, builder, kinds, args):
    bits = builder.bitcast(builder.fcmp_ordered("<=", *args), ir.IntType(LANES))
    return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))


def most_of(values: np.ndarray) -> float:
    """The largest number of all lanes."""
    return values.max()


@_vector_code(most_of, types.float64, LanesType)
def _most_of(context, builder, kinds, args):
    """Compare the upper half with the lower one until there is one number."""
    values, width = args[0], LANES
    while width > 1:
        width //= 2
        halves = [
            builder.shuffle_vector(
                values, values, ir.Constant(ir.VectorType(ir.IntType(32), width), [*range(begin, begin + width)])
            )
            for begin in (0, width)
        ]
        values = builder.select(builder.fcmp_ordered(">", *halves), *halves)
    return builder.extract_element(values, ir.Constant(ir.IntType(32), 0))


def lane_with(values: np.ndarray, number: float) -> int:
    """The first lane that holds this number; LANES if none does."""
    return int(np.append(values == number, True).argmax())


@_vector_code(lane_with, types.int64, LanesType, types.Float)
def _lane_with(context, builder, kinds, args):
    equal = builder.fcmp_ordered("==", args[0], _in_all_lanes(builder, args[1]))
    bits = builder.zext(builder.bitcast(equal, ir.IntType(LANES)), ir.IntType(64))
    bits = builder.or_(bits, ir.Constant(ir.IntType(64), 1 << LANES))
    return builder.cttz(bits, ir.Constant(ir.IntType(1), 1))
