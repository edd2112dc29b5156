"""How far a mean could be off, had other instances been drawn."""

from collections.abc import Sequence

import numpy as np

RESAMPLES = 10_000
SEED = 0
LEVEL = 0.95


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The percentile bootstrap's 95 % interval of the mean, always the same for the same values.

    None of fewer than two values, of which nothing could be told.
    """
    if len(values) < 2:
        return None
    drawn = np.random.default_rng(SEED).integers(len(values), size=(RESAMPLES, len(values)))
    means = np.asarray(values, dtype=np.float64)[drawn].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
