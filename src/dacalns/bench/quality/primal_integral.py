"""The primal integral: how good a search is over all of its time, and not at the end only."""

from collections.abc import Sequence

from dacalns.util.values import gap_percent

CAP = 10.0


def primal_integral(
    trajectory: Sequence[tuple[float, float]], reference: float, seconds: float, cap: float = CAP
) -> float:
    """Return the mean over the time of a run of the gap, in percent, of the best solution so far.

    Gaps count for at most ``cap``, as does the time before the first solution. With the cap of 10 % this is the measure
    of the 12th DIMACS implementation challenge.

    Parameters
    ----------
    trajectory
        Seconds and cost of each new best solution, in order.
    reference
        The cost that gaps are measured from.
    seconds
        The length of the run; what came later does not count.
    cap
        The largest gap that counts, in percent.

    References
    ----------
    T. Berthold, "Measuring the impact of primal heuristics", Operations Research Letters 41 (2013).

    Examples
    --------
    >>> primal_integral([(1.0, 104.0), (3.0, 102.0)], reference=100.0, seconds=4.0)  # (10 + 2 * 4 + 2) / 4
    5.0
    """
    area, since, gap = 0.0, 0.0, cap
    for moment, cost in trajectory:
        at = min(max(moment, since), seconds)
        area += gap * (at - since)
        if moment <= seconds:
            gap = min(gap, gap_percent(cost, reference))
        since = at
    return (area + gap * (seconds - since)) / seconds
