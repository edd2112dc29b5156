"""Random numbers: xoshiro256++ on an explicit state of four ``uint64``, passed to every kernel that draws."""

import numpy as np

from dacalns.core.jit import kernel

_MASK = (1 << 64) - 1
_SHIFTS = np.array([11, 17, 23, 41, 45, 19], dtype=np.uint64)
SHIFT_11, SHIFT_17, SHIFT_23, SHIFT_41, SHIFT_45, SHIFT_19 = _SHIFTS
TO_UNIT = 2.0**-53


def seeded(seed: int) -> np.ndarray:
    """A fresh generator state for ``seed`` (splitmix64, so that neighbouring seeds share nothing)."""
    state = np.empty(4, dtype=np.uint64)
    z = int(seed) & _MASK
    for k in range(4):
        z = (z + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        state[k] = mixed ^ (mixed >> 31)
    return state


@kernel
def random_float(rng):
    """Draw uniformly from [0, 1)."""
    total = rng[0] + rng[3]
    result = ((total << SHIFT_23) | (total >> SHIFT_41)) + rng[0]
    shifted = rng[1] << SHIFT_17
    rng[2] ^= rng[0]
    rng[3] ^= rng[1]
    rng[1] ^= rng[2]
    rng[0] ^= rng[3]
    rng[2] ^= shifted
    rng[3] = (rng[3] << SHIFT_45) | (rng[3] >> SHIFT_19)
    return float(result >> SHIFT_11) * TO_UNIT


@kernel
def random_int(rng, below):
    """Draw uniformly from 0 … ``below`` - 1."""
    return int(random_float(rng) * below)
