"""Eight numbers side by side: compiled, each operation must come to what NumPy makes of an array."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dacalns.core.jit import OPTIONS
from dacalns.core.lanes import (
    LANES,
    any_at_most,
    fraction,
    higher,
    lane_of,
    lane_with,
    lanes_of,
    lower,
    most_of,
    put_lanes,
    spread,
    where_at_most,
    with_lane,
    within,
)

NUMBERS = st.lists(st.sampled_from([-2.5, 0.0, 1.0, 1.5, 7.0, np.inf, -np.inf]), min_size=LANES, max_size=LANES)
FINITE = st.lists(st.integers(0, 2**40).map(lambda k: k / 1024), min_size=LANES, max_size=LANES)
LANE = st.integers(0, LANES - 1)
# Not cached: these are no kernels of the package.
compiled: Callable[..., Any] = numba.njit(**OPTIONS)


def rowwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """Read rows 0, 1 and 2, do it, and write row 3, so that lanes need not leave compiled code."""
    function = compiled(function)

    def body(table: np.ndarray) -> None:
        put_lanes(table, 3, function(lanes_of(table, 0), lanes_of(table, 1), lanes_of(table, 2)))

    return compiled(body)  # type: ignore[no-any-return]


@compiled
def all_numbers(table: np.ndarray, lane: int, number: float) -> tuple[float, float, int, bool]:
    """What operations that come to one number do."""
    one, other = lanes_of(table, 0), lanes_of(table, 1)
    put_lanes(table, 2, with_lane(one, lane, number))
    put_lanes(table, 3, spread(number))
    return lane_of(one, lane), most_of(one), lane_with(one, number), any_at_most(one, other)


OPERATIONS = {
    "add": (rowwise(lambda a, b, _c: a + b), lambda a, b, _c: a + b),
    "subtract": (rowwise(lambda a, b, _c: a - b), lambda a, b, _c: a - b),
    "multiply": (rowwise(lambda a, b, _c: a * b), lambda a, b, _c: a * b),
    "fraction": (rowwise(lambda a, _b, _c: fraction(a)), lambda a, _b, _c: a % 1.0),
    "lower": (rowwise(lambda a, b, _c: lower(a, b)), lambda a, b, _c: np.minimum(a, b)),
    "higher": (rowwise(lambda a, b, _c: higher(a, b)), lambda a, b, _c: np.maximum(a, b)),
    "where": (rowwise(lambda a, b, c: where_at_most(a, b, c, a)), lambda a, b, c: np.where(a <= b, c, a)),
    "within": (rowwise(lambda a, b, c: within(a, b, c)), lambda a, b, c: np.where(b <= c, a, np.inf)),
}


@pytest.mark.parametrize("name", OPERATIONS)
@given(rows=st.tuples(FINITE, FINITE, FINITE))
def test_operations_on_eight_numbers(name: str, rows: tuple[list[float], ...]) -> None:
    ours, numpy_s = OPERATIONS[name]
    table = np.array([*rows, [0.0] * LANES])
    ours(table)
    assert table[3].tolist() == numpy_s(*table[:3]).tolist()


@pytest.mark.parametrize("name", ["lower", "higher", "where", "within"])
@given(rows=st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_comparisons_know_infinity(name: str, rows: tuple[list[float], ...]) -> None:
    test_operations_on_eight_numbers.hypothesis.inner_test(name, rows)  # type: ignore[attr-defined]


@given(one=NUMBERS, other=NUMBERS, lane=LANE, number=st.sampled_from([-2.5, 1.0, 7.0]))
def test_single_numbers(one: list[float], other: list[float], lane: int, number: float) -> None:
    table = np.array([one, other, other, other])
    found = all_numbers(table, lane, number)
    first = one.index(number) if number in one else LANES
    assert found == (one[lane], max(one), first, any(a <= b for a, b in zip(one, other, strict=True)))
    assert table[2].tolist() == [*one[:lane], number, *one[lane + 1 :]]
    assert table[3].tolist() == [number] * LANES
