"""The generator against its reference in plain integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.oracle import Xoshiro
from dacalns.core.rng import random_float, random_int, seeded


@given(seed=st.integers(0, 2**70))
def test_seeding_and_floats_follow_the_reference(seed: int) -> None:
    rng, reference = seeded(seed), Xoshiro(seed)
    assert rng.tolist() == reference.state
    for _ in range(20):
        assert random_float(rng) == (reference.next() >> 11) / 2**53
    assert rng.tolist() == reference.state


def test_published_vector() -> None:
    """The first output of the authors' C code for the state 1, 2, 3, 4 is 41943041."""
    rng = np.array([1, 2, 3, 4], dtype=np.uint64)
    assert random_float(rng) == (41943041 >> 11) / 2**53
    assert rng.tolist() == [7, 0, 262146, 211106232532992]


@given(seed=st.integers(0, 2**64 - 1), below=st.integers(1, 10**9))
def test_random_int_is_in_range(seed: int, below: int) -> None:
    rng = seeded(seed)
    assert all(0 <= random_int(rng, below) < below for _ in range(10))


def test_random_int_of_the_largest_float_stays_below() -> None:
    """A draw of 1 - 2**-53, the largest there is, must not round up to the bound."""
    rng = np.array([0, 0, 0, 0], dtype=np.uint64)
    rng[0] = np.uint64(2**64 - 1)  # rotl(s0 + s3, 23) + s0 has its top bits set
    draw = random_float(rng.copy())
    assert draw > 1 - 1e-6
    assert random_int(rng, 7) == 6


@pytest.mark.parametrize("below", [2, 7, 10])
def test_random_int_is_uniform(below: int) -> None:
    rng, draws = seeded(42), 4000
    counts = np.bincount([random_int(rng, below) for _ in range(draws)], minlength=below)
    expected = draws / below
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    assert chi_square < below - 1 + 6 * (2 * (below - 1)) ** 0.5
    assert len(counts) == below


def test_neighbouring_seeds_share_nothing() -> None:
    draws = np.array([[random_float(rng) for _ in range(200)] for rng in map(seeded, range(20))])
    assert abs(draws.mean() - 0.5) < 0.02
    correlation = np.corrcoef(draws) - np.eye(20)
    assert abs(correlation).max() < 0.35
