"""The statistics of a study: gaps, Wilcoxon's test, Holm's correction and bootstrap intervals."""

import importlib
import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.util.errors import InputError
from dacalns.util.values import gap_percent

# Differences of costs, and ties.

TIE = 1e-9
"""Costs that differ by no more than this fraction tie, because averages of doubles differ in their last bits."""

# Doubles have sixteen digits; after averaging, no more than twelve digits of a difference of costs are meaningful.
DIGITS = 12


def difference(cost: float, reference: float) -> float:
    """Return how far ``cost`` is above ``reference``, or 0 if they tie.

    The difference is rounded to the twelfth digit of the costs, so that differences which are equal on paper are equal
    here, and share a rank.

    >>> difference(827.3, 827.2) == difference(100.3, 100.2)
    True
    """
    if math.isclose(cost, reference, rel_tol=TIE):
        return 0.0
    magnitude = math.floor(math.log10(max(abs(cost), abs(reference)))) + 1
    return round(cost - reference, DIGITS - magnitude)


def gap(cost: float, reference: float) -> float:
    """Return how far ``cost`` is above ``reference`` in percent, or 0 if they tie."""
    return 0.0 if difference(cost, reference) == 0 else gap_percent(cost, reference)


# Many tests at once need p-values that hold for all of them together.


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values after Holm's correction over a family of tests; tests without a value are not part of it.

    The smallest value is multiplied by the number of tests, the next one by one less, and so on; none becomes less than
    the one before [1]_.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. of Statistics 6 (1979).
    """
    ordered = sorted((value, place) for place, value in enumerate(p_values) if value is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for done, (value, place) in enumerate(ordered):
        highest = max(highest, min(1.0, value * (len(ordered) - done)))
        corrected[place] = highest
    return corrected


# Wilcoxon's one-sided signed-rank test tells whether differences are negative more often than by chance.

INSTALL = 'pip install "dac-alns[study]"'
# Up to this many differences, SciPy uses the exact distribution if nothing ties.
EXACT_UP_TO = 50


def wilcoxon_less(differences: Sequence[float], *, method: str = "auto") -> float | None:
    """Return the p-value of SciPy's signed-rank test that differences tend to be negative; None if all are zero.

    Zeros are dropped.

    Parameters
    ----------
    differences
        A difference for each instance.
    method
        SciPy's method: ``"auto"``, ``"exact"`` or ``"approx"``.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    wilcoxon = scipy_stats().wilcoxon
    unequal = [difference for difference in differences if difference]
    return float(wilcoxon(unequal, alternative="less", method=method).pvalue) if unequal else None


def paper_p_value(differences: Sequence[float]) -> float | None:
    """Return the p-value as the paper's tables have it; None if all differences are zero.

    It is exact if nothing ties and there are at most 50 instances, else by the normal distribution. This was SciPy's
    default at the time; 22 of the 24 printed values can come from it with the printed wins, losses and ties.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    sizes = [abs(difference) for difference in differences]
    ties = 0.0 in sizes or len(set(sizes)) < len(sizes)
    return wilcoxon_less(differences, method="approx" if ties or len(sizes) > EXACT_UP_TO else "exact")


def exact_p_value(differences: Sequence[float]) -> float | None:
    """Return the exact p-value even if there are ties; None if all differences are zero.

    Zeros are dropped, and equal sizes share the mean of their ranks. Under the hypothesis of no difference, the toss of
    a coin decides whether a rank is negative or positive. So the probability of each sum of the positive ranks is added
    up rank by rank.
    """
    doubled, negative = _doubled_ranks(differences)
    if not doubled.size:
        return None
    odds = np.zeros(int(doubled.sum()) + 1)
    odds[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(odds)
        shifted[rank:] = odds[: odds.size - rank]
        odds = 0.5 * (odds + shifted)
    return min(float(odds[: int(doubled[~negative].sum()) + 1].sum()), 1.0)


def rank_biserial(differences: Sequence[float]) -> float | None:
    """Return the share of the ranks of negative differences minus that of positive ones: 1 if all are negative.

    This is the effect size that goes with the test [1]_. It is None if all differences are zero.

    References
    ----------
    .. [1] D. S. Kerby, "The simple difference formula", Comprehensive Psychology 3 (2014).
    """
    doubled, negative = _doubled_ranks(differences)
    if not doubled.size:
        return None
    return float(doubled[negative].sum() - doubled[~negative].sum()) / float(doubled.sum())


def scipy_stats() -> Any:
    """Import SciPy's statistics when they are needed, and return them.

    Raises
    ------
    InputError
        If SciPy is missing; the message has the command that installs it.
    """
    try:
        return importlib.import_module("scipy.stats")
    except ImportError as error:
        raise InputError(f"Comparisons need SciPy, which cannot be imported ({error}); run: {INSTALL}") from None


def _doubled_ranks(differences: Sequence[float]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the ranks by size, doubled so that shared ranks are whole, and which differences are negative."""
    ordered = sorted((value for value in differences if value), key=abs)
    doubled: list[int] = []
    for _, equal in groupby(ordered, key=abs):
        count = len(list(equal))
        doubled += [2 * len(doubled) + count + 1] * count
    return np.array(doubled, dtype=np.int64), np.array([value < 0 for value in ordered], dtype=np.bool_)


# Intervals tell how far a mean could be off with other instances, or with other trainings.

RESAMPLES = 10_000
SEED = 0
LEVEL = 0.95


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the percentile bootstrap's 95 % interval of the mean, which is always the same for the same values.

    It is None for fewer than two values, which tell nothing about the spread.
    """
    if len(values) < 2:
        return None
    drawn = np.random.default_rng(SEED).integers(len(values), size=(RESAMPLES, len(values)))
    return _middle(np.asarray(values, dtype=np.float64)[drawn].mean(axis=1))


def interval_over_trainings(
    ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]], policies: Sequence[str]
) -> tuple[float, float] | None:
    """Return the 95 % interval of a mean gap in percent if policies were trained several times.

    Every sample draws instances and, for each policy, as many of its trainings as there are, both with replacement. A
    gap in the sample is that of the mean costs over the drawn trainings. The interval is always the same for the same
    values.

    Parameters
    ----------
    ours, theirs
        For each instance, the average cost with the policy of each training; one cost if there is no training.
    policies
        For each instance, the policy of the trainings; instances of the same policy get the same draw of its trainings.

    Returns
    -------
    tuple or None
        The interval, or None for fewer than two instances.
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
        # The share of each training in each sample.
        shares = np.stack([(trainings == training).mean(axis=1) for training in range(number)], axis=1)
        for place in places:
            first, second = _means(ours[place], shares), _means(theirs[place], shares)
            gaps[:, place] = gap_percent(first, second)
    return _middle(np.take_along_axis(gaps, drawn, axis=1).mean(axis=1))


def _means(costs: Sequence[float], shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean cost of each sample of the trainings."""
    if len(costs) == 1:
        return np.full(len(shares), costs[0])
    return shares @ np.asarray(costs, dtype=np.float64)


def _middle(means: npt.NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
