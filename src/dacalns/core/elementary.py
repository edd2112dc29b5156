"""The exponential, the logarithm and whole powers, on every processor to the same bits.

Those of C libraries differ in their last bits, from one version to another and with what the processor can do. These
are sums and products alone, in a fixed order, and as plain Python they come to the same bits. They are off by at most
one or two units in the last place of double precision. What a network decides and learns depends on them; annealing
takes the C library's.
"""

import math
from collections.abc import Callable

import numpy as np

from dacalns.core.jit import shared

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
