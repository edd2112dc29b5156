"""One method against another over some instances."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from dacalns.study.bootstrap import bootstrap_interval, interval_over_trainings
from dacalns.study.cases import Case
from dacalns.study.each_training import OneTraining, Pair, averages_by_training, each_training, has_several, policy_of
from dacalns.study.gaps import difference, gap
from dacalns.study.signed_rank import exact_p_value, paper_p_value, rank_biserial

RULE = (
    "An instance counts only if both methods have every expected run. Where all of these are feasible it is in the "
    "gaps and in the test; where some leave customers unserved it is a win for the method with more feasible runs, and "
    "left out if they have as many. Averages that differ by no more than 1e-9 of their value tie."
)


@dataclass(frozen=True)
class Versus:
    """A method against another one.

    Parameters
    ----------
    first, second
        The methods.
    expected
        Instances on which both should have run.
    used
        Those in gaps and test: all runs there, all feasible.
    gap_of_bests, gap_of_averages
        Mean over these of the gap in percent, on the best and on the mean of the runs. Negative: the first is better.
    interval
        The bootstrap's 95 % interval of the gap of averages: other instances, and other trainings where a method has
        several.
    wins, losses, ties
        By the averages, and, where runs are infeasible, by the number of feasible ones.
    time_ratio, timed
        Mean of the ratios of the mean times, over so many instances with all runs.
    p_value, p_exact
        That the first is better: as in the paper, and exact whatever ties.
    p_worse
        That it is worse, exact.
    effect
        The rank-biserial correlation: 1 where the first is always better, -1 where it never is.
    trainings
        The same by training, where a method has several.
    """

    first: str
    second: str
    expected: int
    used: int
    gap_of_bests: float | None
    gap_of_averages: float | None
    interval: tuple[float, float] | None
    wins: int
    losses: int
    ties: int
    time_ratio: float | None
    timed: int
    p_value: float | None
    p_exact: float | None
    p_worse: float | None
    effect: float | None
    trainings: tuple[OneTraining, ...] = ()

    @property
    def counted(self) -> int:
        """Instances among wins, losses and ties."""
        return self.wins + self.losses + self.ties


def versus(cases: Sequence[Case], first: str, second: str) -> Versus:
    """Compare two methods on all cases that both should have run on.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    both = [(case, case.outcomes[first], case.outcomes[second]) for case in cases
            if first in case.outcomes and second in case.outcomes]  # fmt: skip
    complete = [(ours, theirs) for _, ours, theirs in both if ours.complete and theirs.complete]
    settled = [(ours, theirs) for ours, theirs in complete if ours.settled and theirs.settled]
    averages = [gap(ours.average, theirs.average) for ours, theirs in settled]
    bests = [gap(ours.best, theirs.best) for ours, theirs in settled]
    differences = [difference(ours.average, theirs.average) for ours, theirs in settled]
    # Fractions, as the two could be expected to run with unlike numbers of seeds.
    served = [
        len(ours.feasible) / len(ours.expected) - len(theirs.feasible) / len(theirs.expected)
        for ours, theirs in complete
    ]
    ratios = [ours.seconds / theirs.seconds for ours, theirs in complete if ours.seconds and theirs.seconds]
    return Versus(
        first=first,
        second=second,
        expected=len(both),
        used=len(settled),
        gap_of_bests=fmean(bests) if bests else None,
        gap_of_averages=fmean(averages) if averages else None,
        interval=_interval_over_both(settled) if has_several(settled) else bootstrap_interval(averages),
        wins=sum(value < 0 for value in differences) + sum(share > 0 for share in served),
        losses=sum(value > 0 for value in differences) + sum(share < 0 for share in served),
        ties=sum(value == 0 for value in differences),
        time_ratio=fmean(ratios) if ratios else None,
        timed=len(ratios),
        p_value=paper_p_value(differences),
        p_exact=exact_p_value(differences),
        p_worse=exact_p_value([-value for value in differences]),
        effect=rank_biserial(differences),
        trainings=tuple(each_training(settled)),
    )


def _interval_over_both(settled: Sequence[Pair]) -> tuple[float, float] | None:
    costs = [averages_by_training(pair) for pair in settled]
    return interval_over_trainings(
        [ours for ours, _ in costs], [theirs for _, theirs in costs], [policy_of(pair) for pair in settled]
    )
