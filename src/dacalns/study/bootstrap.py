"""How far a mean could be off, had other instances been drawn, or other policies been trained."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

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
    return _middle(np.asarray(values, dtype=np.float64)[drawn].mean(axis=1))


def interval_over_trainings(
    ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]], policies: Sequence[str]
) -> tuple[float, float] | None:
    """The interval of a mean gap in percent where policies were trained several times.

    Every sample draws instances and, for each policy, as many of its trainings as there are, both with replacement.
    A gap in it is that of the mean costs over the drawn trainings. Always the same for the same values.

    Parameters
    ----------
    ours, theirs
        For each instance, the average cost with the policy of each training; one cost where there is no training.
    policies
        For each instance, whose trainings these are: instances of the same policy get the same draw of its trainings.

    Returns
    -------
    tuple or None
        None of fewer than two instances.
    """
    if len(policies) < 2:
        return None
    random = np.random.default_rng(SEED)
    drawn = random.integers(len(policies), size=(RESAMPLES, len(policies)))
    gaps = np.empty((RESAMPLES, len(policies)))
    for policy in dict.fromkeys(policies):
        places = [place for place, name in enumerate(policies) if name == policy]
        number = max(len(costs[place]) for costs in (ours, theirs) for place in places)
        trainings = random.integers(number, size=(RESAMPLES, number))
        # How large a part of each sample each training is.
        shares = np.stack([(trainings == training).mean(axis=1) for training in range(number)], axis=1)
        for place in places:
            first, second = _means(ours[place], shares), _means(theirs[place], shares)
            gaps[:, place] = 100 * (first - second) / second
    return _middle(np.take_along_axis(gaps, drawn, axis=1).mean(axis=1))


def _means(costs: Sequence[float], shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The mean cost of each sample of the trainings."""
    if len(costs) == 1:
        return np.full(len(shares), costs[0])
    return shares @ np.asarray(costs, dtype=np.float64)


def _middle(means: npt.NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
