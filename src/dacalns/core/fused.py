"""A product added to a sum and rounded once, and sums of such, on every processor to the same bits.

Nearly all processors do this in one instruction, as fast as a product alone. Left to itself, the compiler would use it
where the processor has it, and round twice elsewhere; and where it may reorder a long sum, it makes as many sums of it
as the processor's vectors are wide. A network would then decide otherwise on another machine.
"""

import inspect

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import make_array

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
    """The same in vectors that are written down as such: of a short loop the compiler would not make any."""
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
    """Of numbers, or of vectors lane by lane."""
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
