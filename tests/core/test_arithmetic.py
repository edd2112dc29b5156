"""Our exponential, logarithm and powers beside the C library's, and to the last bit beside their plain Python."""

import math

import numpy as np
import pytest

from dacalns.core.arithmetic import exponential, logarithm, of_each, whole_power
from dacalns.core.jit import kernel

RNG = np.random.default_rng(0)
EXPONENTS = np.concatenate([RNG.uniform(-700, 700, 3000), RNG.uniform(-2, 2, 3000), 10.0 ** RNG.uniform(-20, 0, 500)])
NUMBERS = np.concatenate([10.0 ** RNG.uniform(-300, 300, 3000), RNG.uniform(0.4, 2.1, 3000)])


@kernel
def exponentials(values, results):
    for k in range(len(values)):
        results[k] = exponential(values[k])


@kernel
def logarithms(values, results):
    for k in range(len(values)):
        results[k] = logarithm(values[k])


def test_exponential() -> None:
    for x in EXPONENTS.tolist():
        assert abs(exponential(x) - math.exp(x)) <= 2 * math.ulp(math.exp(x)), x


@pytest.mark.parametrize(
    ("x", "expected"),
    [(0.0, 1.0), (-0.0, 1.0), (-np.inf, 0.0), (-1e300, 0.0), (-709.0, 0.0), (np.inf, np.inf), (1e9, np.inf)],
)
def test_exponential_of_special_numbers(x: float, expected: float) -> None:
    results = np.empty(1)
    exponentials(np.array([x]), results)
    assert results[0] == exponential(x) == expected


def test_exponential_of_no_number() -> None:
    results = np.empty(1)
    exponentials(np.array([np.nan]), results)
    assert math.isnan(results[0])
    assert math.isnan(exponential(math.nan))


def test_logarithm() -> None:
    for x in NUMBERS.tolist():
        assert abs(logarithm(x) - math.log(x)) <= 2 * math.ulp(math.log(x)) + 1e-17, x
    assert logarithm(1.0) == 0.0


@pytest.mark.parametrize(("compiled", "function", "values"), [
    (exponentials, exponential, EXPONENTS), (logarithms, logarithm, NUMBERS)
])  # fmt: skip
def test_compiled_and_plain_are_the_same_to_the_last_bit(compiled, function, values) -> None:  # type: ignore[no-untyped-def]
    results = np.empty_like(values)
    compiled(values, results)
    assert (results == of_each(function, values)).all()


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 10, 1000, 123_456])
def test_whole_power(exponent: int) -> None:
    assert whole_power(0.999, exponent) == pytest.approx(0.999**exponent, rel=1e-10)
    assert whole_power(2.0, min(exponent, 1000)) == 2.0 ** min(exponent, 1000)


def test_of_each_keeps_the_shape() -> None:
    assert of_each(math.sqrt, np.array([[1.0, 4.0], [9.0, 16.0]])).tolist() == [[1, 2], [3, 4]]
