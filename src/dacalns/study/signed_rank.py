"""Wilcoxon's signed-rank test, one-sided: whether differences are negative more than by chance."""

import importlib
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.errors import InputError

INSTALL = 'pip install "dac-alns[study]"'
# Up to here SciPy uses the exact distribution where nothing ties.
EXACT_UP_TO = 50


def wilcoxon_less(differences: Sequence[float], *, method: str = "auto") -> float | None:
    """The p-value of SciPy's signed-rank test that differences tend to be negative, zeros dropped; None of zeros only.

    Parameters
    ----------
    differences
        One for each instance.
    method
        SciPy's: ``"auto"``, ``"exact"`` or ``"approx"``.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    wilcoxon = scipy_stats().wilcoxon
    unequal = [difference for difference in differences if difference]
    return float(wilcoxon(unequal, alternative="less", method=method).pvalue) if unequal else None


def paper_p_value(differences: Sequence[float]) -> float | None:
    """The p-value as the paper's tables have it; None of zeros only.

    Exact where nothing ties and there are at most 50 instances, else by the normal distribution. That is SciPy's
    default at the time, and of the 24 printed values it gives 22 from wins, losses and ties that it can have.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    sizes = [abs(difference) for difference in differences]
    ties = 0.0 in sizes or len(set(sizes)) < len(sizes)
    return wilcoxon_less(differences, method="approx" if ties or len(sizes) > EXACT_UP_TO else "exact")


def exact_p_value(differences: Sequence[float]) -> float | None:
    """The exact p-value, whatever ties; None of zeros only.

    Zeros are dropped and equal sizes share the mean of their ranks. Under the hypothesis of no difference every rank is
    negative or positive by the toss of a coin: the odds of each sum of the positive ones are added up rank by rank.
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
    """The share of the ranks of negative differences less that of positive ones: 1 where all are negative.

    The effect size that goes with the test [1]_. None of zeros only.

    References
    ----------
    .. [1] D. S. Kerby, "The simple difference formula", Comprehensive Psychology 3 (2014).
    """
    doubled, negative = _doubled_ranks(differences)
    if not doubled.size:
        return None
    return float(doubled[negative].sum() - doubled[~negative].sum()) / float(doubled.sum())


def scipy_stats() -> Any:
    """SciPy's statistics, at the moment they are needed.

    Raises
    ------
    InputError
        With the line that installs SciPy, where it is missing.
    """
    try:
        return importlib.import_module("scipy.stats")
    except ImportError as error:
        raise InputError(f"Comparisons need SciPy, which cannot be imported ({error}); run: {INSTALL}") from None


def _doubled_ranks(differences: Sequence[float]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Twice the ranks by size, which makes shared ones whole, and which of them are of negative differences."""
    ordered = sorted((value for value in differences if value), key=abs)
    doubled: list[int] = []
    for _, equal in groupby(ordered, key=abs):
        count = len(list(equal))
        doubled += [2 * len(doubled) + count + 1] * count
    return np.array(doubled, dtype=np.int64), np.array([value < 0 for value in ordered], dtype=np.bool_)
