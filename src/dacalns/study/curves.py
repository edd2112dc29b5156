"""The numbers behind the figures: convergence, performance profiles and shares of operators."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dacalns.study.cases import Case, methods_of
from dacalns.study.rows import Row
from dacalns.study.statistics import gap
from dacalns.util.values import gap_percent

Numbers = npt.NDArray[np.float64]

# The fractions of the budget at which gaps are taken: evenly on a logarithmic axis, because most is found early.
FRACTIONS: Numbers = np.geomspace(1e-3, 1.0, 61)


@dataclass(frozen=True)
class Convergence:
    """The mean gaps in percent at `FRACTIONS` of the budget.

    Parameters
    ----------
    gaps
        The gaps by method; they are not a number while any run still leaves customers unserved.
    used, expected
        The number of instances on which all these methods have all runs feasible, and the number of all instances.
    without_best_known
        The number of used instances without a best-known value, where the lowest cost of any run is the reference.
    """

    gaps: dict[str, Numbers]
    used: int
    expected: int
    without_best_known: int


@dataclass(frozen=True)
class Profile:
    """A performance profile: by method, how far its average is above the lowest of all methods on each instance.

    The distances are in percent, sorted, and infinite where a method leaves customers unserved. They are over the
    instances on which every method has all runs.
    """

    excess: dict[str, Numbers]
    used: int
    expected: int


@dataclass(frozen=True)
class Shares:
    """How often a method used each pair of operators: the mean share over its runs, in percent."""

    destroy: list[str]
    repair: list[str]
    percent: Numbers
    runs: int


def convergence(cases: Sequence[Case]) -> Convergence:
    """Return the mean gap over time of all methods that have all runs feasible on some instance."""
    present = [method for method in methods_of(cases) if any(case.settled(method) for case in cases)]
    common = [case for case in cases if present and case.settled(*present)]
    by_method: dict[str, list[Numbers]] = {method: [] for method in present}
    for case in common:
        reference = case.best_known if case.best_known is not None else case.lowest
        assert reference is not None  # every run is feasible
        for method in present:
            by_method[method] += [_gaps_over_time(row, reference) for row in case.outcomes[method].feasible]
    return Convergence(
        {method: np.mean(each, axis=0) for method, each in by_method.items() if each},
        len(common),
        len(cases),
        sum(case.best_known is None for case in common),
    )


def profile(cases: Sequence[Case]) -> Profile:
    """Return a performance profile after Dolan and Moré, of the average costs.

    References
    ----------
    E. D. Dolan, J. J. Moré, "Benchmarking optimization software with performance profiles", Math. Program. 91 (2002).
    """
    present = [
        method for method in methods_of(cases)
        if any(method in case.outcomes and case.outcomes[method].complete for case in cases)
    ]  # fmt: skip
    complete = [
        case for case in cases
        if present and all(method in case.outcomes and case.outcomes[method].complete for method in present)
    ]  # fmt: skip
    # If no method serves all customers, there is nothing to compare with.
    used = [case for case in complete if any(case.settled(method) for method in present)]
    excess: dict[str, list[float]] = {method: [] for method in present}
    for case in used:
        lowest = min(case.outcomes[method].average for method in present if case.settled(method))
        for method in present:
            excess[method].append(gap(case.outcomes[method].average, lowest) if case.settled(method) else float("inf"))
    return Profile({method: np.sort(each) for method, each in excess.items() if each}, len(used), len(cases))


def operator_shares(cases: Sequence[Case], method: str) -> list[Shares]:
    """Return the shares of a method; there are several if it ran with several sets of operators."""
    tables: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Numbers]] = {}
    for case in cases:
        for row in case.outcomes[method].done if method in case.outcomes else []:
            uses = np.array(row.uses, dtype=np.float64)
            if uses.shape == (len(row.destroy), len(row.repair)) and uses.sum() > 0:
                tables.setdefault((tuple(row.destroy), tuple(row.repair)), []).append(100 * uses / uses.sum())
    return [
        Shares([*destroy], [*repair], np.mean(found, axis=0), len(found))
        for (destroy, repair), found in tables.items()
    ]  # fmt: skip


def _gaps_over_time(row: Row, reference: float) -> Numbers:
    by_iterations = "iteration" in row.budget
    column, end = (0, row.iterations) if by_iterations else (1, row.wall_seconds)
    # Only a solution that serves all customers has a cost that counts.
    events = [event for event in row.history if not event[3]]
    if not events or not end:
        # Without a history only the end is known.
        last = gap(row.cost, reference) if row.cost is not None else np.nan
        return np.where(FRACTIONS >= 1.0, last, np.nan)
    times = np.array([event[column] / end for event in events])
    gaps = gap_percent(np.array([event[2] for event in events], dtype=np.float64), reference)
    place = np.searchsorted(times, FRACTIONS, side="right") - 1
    # The last improvement of a search that ends by the clock may be noted just after the end.
    place[-1] = len(events) - 1
    return np.where(place >= 0, gaps[np.maximum(place, 0)], np.nan)
