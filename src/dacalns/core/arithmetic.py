"""Arithmetic that gives the same bits on every processor: fused products, exp and log, sums in registers."""

import inspect
import math
from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import make_array, populate_array

from dacalns.core.jit import shared

# A product added to a sum and rounded once, and sums of such, on every processor to the same bits.
#
# Nearly all processors do this in one instruction, as fast as a product alone. Left to itself, the compiler would use
# it where the processor has it, and round twice elsewhere; and where it may reorder a long sum, it makes as many sums
# of it as the processor's vectors are wide. A network would then decide otherwise on another machine.

# A long sum is kept as so many sums side by side, as many as the widest vectors have room for.
ABREAST = 16
SINGLE, DOUBLE, BITS = ir.FloatType(), ir.DoubleType(), ir.IntType(64)


def fused(one: np.floating, other: np.floating, total: np.floating) -> np.floating:
    """``one * other + total`` for numbers of one type; plain Python rounds twice."""
    return one * other + total


@type_callable(fused)
def _type_of_fused(context):
    def typed(one, other, total):
        return one if one == other == total and isinstance(one, types.Float) else None

    typed.__signature__ = inspect.signature(fused)
    return typed


@lower_builtin(fused, types.Float, types.Float, types.Float)
def _lower_fused(context, builder, signature, args):
    return _fused(context, builder, *args)


def dot(x: np.ndarray, y: np.ndarray) -> np.floating:
    """The sum of the products of two vectors of one type and length, in this order."""
    sums, rest, full = np.zeros(ABREAST, dtype=x.dtype), x.dtype.type(0), len(x) - len(x) % ABREAST
    for begin in range(0, full, ABREAST):
        sums = fused(x[begin : begin + ABREAST], y[begin : begin + ABREAST], sums)
    for k in range(full, len(x)):
        rest = fused(x[k], y[k], rest)
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    return sums[0] + rest


@type_callable(dot)
def _type_of_dot(context):
    def typed(x, y):
        alike = isinstance(x, types.Array) and isinstance(y, types.Array) and x.dtype == y.dtype
        return x.dtype if alike and (x.ndim, x.layout, y.ndim, y.layout) == (1, "C", 1, "C") else None

    typed.__signature__ = inspect.signature(dot)
    return typed


@lower_builtin(dot, types.Array, types.Array)
def _lower_dot(context, builder, signature, args):
    """Write the sum in vectors: the compiler would make none of a loop that is so short."""
    number = context.get_data_type(signature.return_type)
    vector = ir.VectorType(number, ABREAST)
    x, y = (make_array(kind)(context, builder, value) for kind, value in zip(signature.args, args, strict=True))
    (length,) = cgutils.unpack_tuple(builder, x.shape)
    if context.enable_boundscheck:
        (other,) = cgutils.unpack_tuple(builder, y.shape)
        last = builder.sub(length, length.type(1))
        with builder.if_then(builder.icmp_signed(">", length, length.type(0))):
            cgutils.do_boundscheck(context, builder, last, other, 0)
    item = context.get_abi_sizeof(number)

    def loaded(array, place, kind):
        return builder.load(builder.bitcast(builder.gep(array.data, [place]), kind.as_pointer()), align=item)

    sums = cgutils.alloca_once_value(builder, ir.Constant(vector, [0.0] * ABREAST))
    rest = cgutils.alloca_once_value(builder, ir.Constant(number, 0.0))
    full = builder.and_(length, length.type(-ABREAST))
    for begin, end, step, kind, total in (
        (length.type(0), full, ABREAST, vector, sums),
        (full, length, 1, number, rest),
    ):
        with cgutils.for_range_slice(builder, begin, end, length.type(step), inc=True) as (place, _):
            products = loaded(x, place, kind), loaded(y, place, kind)
            builder.store(_fused(context, builder, *products, builder.load(total)), total)
    folded, width = builder.load(sums), ABREAST
    while width > 1:
        width //= 2
        folded = builder.fadd(*(_lanes(builder, folded, begin, width) for begin in (0, width)))
    return builder.fadd(builder.extract_element(folded, ir.IntType(32)(0)), builder.load(rest))


def _lanes(builder, vector, begin, width):
    which = ir.Constant(ir.VectorType(ir.IntType(32), width), [*range(begin, begin + width)])
    return builder.shuffle_vector(vector, vector, which)


def _fused(context, builder, one, other, total):
    """Return ``one * other + total``, rounded once: of numbers, or of vectors lane by lane."""
    number = getattr(one.type, "element", one.type)
    if number == SINGLE and not _has_instruction(context):
        return _without_instruction(builder, one, other, total)
    kind = f"v{one.type.count}" if isinstance(one.type, ir.VectorType) else ""
    name = f"llvm.fma.{kind}{number.intrinsic_name}"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(one.type, [one.type] * 3), name)
    return builder.call(function, [one, other, total])


def _has_instruction(context) -> bool:
    """Whether the processor is known to have the instruction. Of the kinds that Numba compiles for, x86 may lack it."""
    triple, _, features = context.codegen().magic_tuple()
    return not triple.startswith("x86") or "+fma" in features.split(",")


def _without_instruction(builder, one, other, total):
    """The same in double precision, for processors from before 2013: the C library would take far longer.

    There, the product is exact. The sum is rounded to odd: where something is lost, its last bit is set, so that
    rounding it once more, to single precision, comes to what rounding the exact sum does (Boldo and Melquiond 2008).
    """
    many = one.type.count if isinstance(one.type, ir.VectorType) else 0
    double, whole = (ir.VectorType(kind, many) if many else kind for kind in (DOUBLE, BITS))
    nothing, last, sign = (ir.Constant(whole, [value] * many if many else value) for value in (0, 1, 63))
    product = builder.fmul(builder.fpext(one, double), builder.fpext(other, double))
    addend = builder.fpext(total, double)
    rounded = builder.fadd(product, addend)
    # What was lost, exactly, whichever of the two is larger (Knuth).
    kept = builder.fsub(rounded, product)
    lost = builder.fadd(builder.fsub(product, builder.fsub(rounded, kept)), builder.fsub(addend, kept))
    bits = builder.bitcast(rounded, whole)
    even = builder.icmp_unsigned("==", builder.and_(bits, last), nothing)
    wrong = builder.and_(even, builder.fcmp_ordered("!=", lost, builder.bitcast(nothing, double)))
    # The next number away from zero where both have one sign, else the next one towards it.
    step = builder.or_(builder.ashr(builder.xor(bits, builder.bitcast(lost, whole)), sign), last)
    odd = builder.select(wrong, builder.add(bits, step), bits)
    return builder.fptrunc(builder.bitcast(odd, double), one.type)


# The exponential, the logarithm and whole powers, on every processor to the same bits.
#
# Those of C libraries differ in their last bits, from one version to another and with what the processor can do. These
# are sums and products alone, in a fixed order, and as plain Python they come to the same bits. They are off by at
# most one or two units in the last place of double precision. What a network decides and learns depends on them;
# annealing takes the C library's.

# The upper part has so few digits that its product with any exponent is exact.
LN2_UPPER, LN2_LOWER = 0.6931471803691238, 1.9082149292705877e-10
PER_LN2 = 1.0 / math.log(2.0)
# Added to a number below 2 to the power of 51, it rounds it to a whole one, which is then in the last bits.
ROUNDS = 1.5 * 2.0**52
MANTISSA_BITS, BIAS = 52, 1023
# Beyond these, results would not be normal numbers.
LEAST, MOST = -708.0, 709.0
ROOT_OF_HALF = math.sqrt(0.5)


@shared
def exponential(x: float) -> float:
    """``e`` to the power of ``x``; nothing where it would be below 1e-307."""
    within = x if x > LEAST else LEAST
    within = within if within < MOST else MOST
    shifted = np.float64(within * PER_LN2 + ROUNDS)
    exponent = shifted - ROUNDS
    rest = (within - exponent * LN2_UPPER) - exponent * LN2_LOWER
    # The series of Taylor, 1 + rest (1 + rest / 2 (1 + rest / 3 (...))), for a rest of at most 0.35.
    series = 1.0 + rest * (1.0 / 13.0)
    series = 1.0 + rest * (1.0 / 12.0) * series
    series = 1.0 + rest * (1.0 / 11.0) * series
    series = 1.0 + rest * (1.0 / 10.0) * series
    series = 1.0 + rest * (1.0 / 9.0) * series
    series = 1.0 + rest * (1.0 / 8.0) * series
    series = 1.0 + rest * (1.0 / 7.0) * series
    series = 1.0 + rest * (1.0 / 6.0) * series
    series = 1.0 + rest * (1.0 / 5.0) * series
    series = 1.0 + rest * (1.0 / 4.0) * series
    series = 1.0 + rest * (1.0 / 3.0) * series
    series = 1.0 + rest * (1.0 / 2.0) * series
    series = 1.0 + rest * series
    bits = shifted.view(np.int64)
    power = np.int64((bits + BIAS) << MANTISSA_BITS).view(np.float64)
    result = series * power
    result = result if x > LEAST else 0.0
    result = result if x < MOST else np.inf
    return x if math.isnan(x) else result


@shared
def logarithm(x: float) -> float:
    """The natural logarithm of a normal number over 0."""
    part, exponent = math.frexp(x)
    if part < ROOT_OF_HALF:
        part *= 2.0
        exponent -= 1
    # ln((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...), for an s of at most 0.18.
    s = (part - 1.0) / (part + 1.0)
    square = s * s
    series = 0.0
    for odd in range(23, 1, -2):
        series = (series + 1.0 / odd) * square
    return exponent * LN2_UPPER + (2.0 * s + (2.0 * s * series + exponent * LN2_LOWER))


@shared
def whole_power(base: float, exponent: int) -> float:
    """``base`` to the power of a whole number from 0 on."""
    result = 1.0
    while exponent > 0:
        if exponent % 2:
            result *= base
        base *= base
        exponent //= 2
    return result


def of_each(function: Callable[[float], float], values: np.ndarray) -> np.ndarray:
    """A function of every number in an array, for Python: NumPy's own functions depend on the processor's vectors."""
    return np.array([function(value) for value in values.ravel().tolist()]).reshape(values.shape)


# A few sums that compiled code keeps in registers.
#
# Added up in an array, each sum would be loaded and stored at every step, because other arrays might overlap with it.
# What lies on the stack overlaps with nothing; if loops over it have a constant length, it stays in vector registers.

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
