"""Products and sums that are rounded once, against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from numba import types
from numba.extending import intrinsic

from conftest import PLAIN
from dacalns.core import arithmetic as module
from dacalns.core.arithmetic import dot, fused
from dacalns.core.jit import kernel


@intrinsic
def fused_without_instruction(context, one, other, total):
    """As for a processor that lacks it."""

    def code(context, builder, signature, args):
        return module._without_instruction(builder, *args)

    return types.float32(one, other, total), code


@kernel
def fill(one, other, total, results):
    for k in range(len(one)):
        results[k] = fused(one[k], other[k], total[k])


@kernel
def fill_without_instruction(one, other, total, results):
    for k in range(len(one)):
        results[k] = fused_without_instruction(one[k], other[k], total[k])


@kernel
def compiled_dot(x, y):
    return dot(x, y)


def hard_cases(count: int) -> list[np.ndarray]:
    """Sums of which much cancels, of all sizes, ties and numbers too small to be normal among them."""
    rng = np.random.default_rng(1)
    one, other = (rng.standard_normal(count) * 10.0 ** rng.integers(-15, 15, count) for _ in range(2))
    total = -one * other * (1 + rng.standard_normal(count) * 10.0 ** rng.integers(-9, 9, count))
    # Half a unit in the last place of the total, and a little more or less.
    one[: count // 4] = 1 + rng.integers(-1, 2, count // 4) * 2.0**-23
    other[: count // 4] = 2.0**-24
    total[: count // 4] = 1 + rng.integers(0, 9, count // 4) * 2.0**-23
    with np.errstate(over="ignore"):
        return [values.astype(np.float32) for values in (one, other, total)]


@pytest.mark.skipif(PLAIN, reason="plain Python rounds twice")
@pytest.mark.parametrize("filling", [fill, fill_without_instruction])
def test_rounded_once(filling: object) -> None:
    cases = hard_cases(2000)
    results = np.empty_like(cases[0])
    filling(*cases, results)  # type: ignore[operator]
    for one, other, total, result in zip(*(values.tolist() for values in cases), results, strict=True):
        if np.isfinite([one, other, total, result]).all():
            exact = Fraction(one) * Fraction(other) + Fraction(total)
            lower, upper = (np.nextafter(result, np.float32(end)) for end in (-np.inf, np.inf))
            away = abs(Fraction(float(result)) - exact)
            for near in (lower, upper):
                distance = abs(Fraction(float(near)) - exact) if np.isfinite(near) else away + 1
                assert away < distance or (away == distance and not result.view(np.int32) % 2)


@pytest.mark.skipif(PLAIN, reason="there are no instructions")
def test_the_same_with_and_without_the_instruction() -> None:
    cases = hard_cases(100_000)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, 1.0], dtype=np.float32)
    grid = [each.ravel() for each in np.meshgrid(special, special, special)]
    cases = [np.concatenate([usual, rare]) for usual, rare in zip(cases, grid, strict=True)]
    with_it, without = np.empty_like(cases[0]), np.empty_like(cases[0])
    fill(*cases, with_it)
    fill_without_instruction(*cases, without)
    assert (np.isnan(with_it) == np.isnan(without)).all()
    numbers = ~np.isnan(with_it)
    assert (with_it[numbers].view(np.int32) == without[numbers].view(np.int32)).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("length", [0, 1, 7, 15, 16, 17, 48, 64, 135])
def test_dot_of_any_length(length: int, kind: type) -> None:
    rng = np.random.default_rng(length)
    x, y = (rng.standard_normal(length).astype(kind) for _ in range(2))
    expected = float(np.dot(x.astype(np.float64), y.astype(np.float64)))
    assert compiled_dot(x, y) == pytest.approx(expected, rel=1e-5, abs=1e-5)
    # Where nothing is rounded, whatever the order.
    x, y = np.round(4 * x), np.round(4 * y)
    assert compiled_dot(x, y) == dot(x, y) == np.dot(x, y)


@pytest.mark.skipif(PLAIN, reason="plain Python rounds twice")
def test_dot_adds_in_the_order_that_is_written_down() -> None:
    """Numbers so different in size that another order comes to another sum; products with one are exact."""
    rng = np.random.default_rng(0)
    for length in (20, 64, 100):
        x = (rng.standard_normal(length) * 10.0 ** rng.integers(-4, 4, length)).astype(np.float32)
        assert compiled_dot(x, np.ones_like(x)) == dot(x, np.ones_like(x))
