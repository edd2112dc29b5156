"""Comparisons of methods: each by itself, one against another, training by training, and verdicts on claims.

A claim is something that the paper says about two methods. An outcome is settled if every expected run is done and
serves all customers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, stdev

from dacalns.study.cases import Case, MethodRuns, distinct, methods_of
from dacalns.study.paper_tables import ALL, GLOBAL, Claim
from dacalns.study.statistics import (
    bootstrap_interval,
    difference,
    exact_p_value,
    gap,
    interval_over_trainings,
    paper_p_value,
    rank_biserial,
)

# Each method by itself: gaps to the best-known values, ranks, feasible runs and speed.


@dataclass(frozen=True)
class MethodSummary:
    """The figures of one method over some instances.

    Parameters
    ----------
    instances
        The number of instances that it should run on.
    gap_to_best_known, with_best_known
        The mean gap of the average cost in percent, and the number of instances that it is over: those with a
        best-known value and all runs feasible.
    rank, ranked
        The mean rank by average cost, and the number of instances that it is over: those on which all methods that are
        settled anywhere have all runs feasible. Equal methods share the mean of their ranks.
    expected_runs, done_runs, feasible_runs
        The numbers of runs.
    iterations_per_second, seconds
        All iterations divided by all seconds, and the mean time, of the runs that are done.
    """

    method: str
    instances: int
    gap_to_best_known: float | None
    with_best_known: int
    rank: float | None
    ranked: int
    expected_runs: int
    done_runs: int
    feasible_runs: int
    iterations_per_second: float | None
    seconds: float | None


def summarise(cases: Sequence[Case]) -> list[MethodSummary]:
    """Return the figures of every method that should run on the cases, in the order of the protocol."""
    ranks = ranks_of(cases)
    return [_summary(cases, method, ranks.get(method, [])) for method in methods_of(cases)]


def ranks_of(cases: Sequence[Case]) -> dict[str, list[float]]:
    """Return the ranks of each method that is settled anywhere, on the instances where all such methods are settled."""
    present = [method for method in methods_of(cases) if any(case.settled(method) for case in cases)]
    common = [case for case in cases if case.settled(*present)]
    ranks: dict[str, list[float]] = {method: [] for method in present}
    for case in common if present else []:
        averages = {method: case.outcomes[method].average for method in present}
        for method, average in averages.items():
            signs = [difference(average, other) for other in averages.values()]
            ahead, level = sum(sign > 0 for sign in signs), sum(sign == 0 for sign in signs)
            ranks[method].append(ahead + (level + 1) / 2)
    return ranks


def mean_gap(cases: Sequence[Case], method: str, reference: Callable[[Case], float | None]) -> tuple[float | None, int]:
    """Return the mean gap of a method's average costs in percent, and the number of instances that it is over.

    This is the one rule for runs without a solution: an instance counts only if all runs of the method on it are
    feasible, and the number of such instances stands beside the mean. Wins and losses also count the other instances.
    """
    found = [(case.outcomes[method].average, reference(case)) for case in cases if case.settled(method)]
    gaps = [gap(average, known) for average, known in found if known is not None]
    return (fmean(gaps) if gaps else None), len(gaps)


def _summary(cases: Sequence[Case], method: str, ranks: list[float]) -> MethodSummary:
    own = [case for case in cases if method in case.outcomes]
    gap_to_best_known, with_best_known = mean_gap(own, method, lambda case: case.best_known)
    outcomes = [case.outcomes[method] for case in own]
    done = [row for outcome in outcomes for row in outcome.done]
    timed = [(row.iterations, row.wall_seconds) for row in done if row.iterations is not None and row.wall_seconds]
    seconds = sum(time for _, time in timed)
    return MethodSummary(
        method=method,
        instances=len(own),
        gap_to_best_known=gap_to_best_known,
        with_best_known=with_best_known,
        rank=fmean(ranks) if ranks else None,
        ranked=len(ranks),
        expected_runs=sum(len(outcome.expected) for outcome in outcomes),
        done_runs=len(done),
        feasible_runs=sum(len(outcome.feasible) for outcome in outcomes),
        iterations_per_second=sum(count for count, _ in timed) / seconds if seconds else None,
        seconds=seconds / len(timed) if timed else None,
    )


# One method against another, training by training, which shows how much of a result is the luck of a training.

Pair = tuple[MethodRuns, MethodRuns]
"""The outcomes of two methods on one instance."""


@dataclass(frozen=True)
class OneTraining:
    """A comparison of two methods, at least one of which uses a trained policy, with the policy of one training.

    Parameters
    ----------
    policy, training
        The name of the training, and its seed.
    gap_of_averages
        The mean over the instances of the gap in percent. If it is negative, the first method is better.
    wins, losses, ties
        The numbers of instances, by the averages.
    p_exact
        The p-value that the first method is better, by the exact signed-rank test over the instances.
    """

    policy: str
    training: int
    gap_of_averages: float
    wins: int
    losses: int
    ties: int
    p_exact: float | None


@dataclass(frozen=True)
class Spread:
    """The spread of the gaps of several trainings.

    Parameters
    ----------
    trainings
        The number of trainings.
    mean, deviation, lowest, highest
        The mean, standard deviation (of a sample), lowest and highest of their gaps in percent.
    better, worse
        The numbers of trainings with a negative and with a positive gap.
    p_value
        The p-value that the first method is better, by the exact sign test over the trainings: the probability of at
        least as many negative gaps if both signs were equally likely. None if no gap has a sign.
    """

    trainings: int
    mean: float
    deviation: float
    lowest: float
    highest: float
    better: int
    worse: int
    p_value: float | None


def has_several(pairs: Sequence[Pair]) -> bool:
    """Return True if a method of any pair runs with the policies of several trainings."""
    return any(len(outcome.trainings) > 1 for pair in pairs for outcome in pair)


def policy_of(pair: Pair) -> str:
    """Return the name of the training whose policies are used; empty if there is none."""
    ours, theirs = pair
    return ours.policy or theirs.policy or ""


def averages_by_training(pair: Pair) -> tuple[list[float], list[float]]:
    """Return the average costs of both methods by training, in the same order; a method without trainings has one."""
    ours, theirs = pair
    order = ours.trainings or theirs.trainings
    return _in_order(ours, order), _in_order(theirs, order)


def each_training(pairs: Sequence[Pair]) -> list[OneTraining]:
    """Return a comparison for every training, on the instances where its policy is used; none if no method has several.

    Parameters
    ----------
    pairs
        The outcomes of both methods on each instance, with all runs done and feasible.
    """
    if not has_several(pairs):
        return []
    costs: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for pair in pairs:
        trainings = pair[0].trainings or pair[1].trainings
        first, second = averages_by_training(pair)
        for place, training in enumerate(trainings):
            cost = (first[place if len(first) > 1 else 0], second[place if len(second) > 1 else 0])
            costs.setdefault((policy_of(pair), training), []).append(cost)
    return [_one_training(policy, training, found) for (policy, training), found in costs.items()]


def spread_of(trainings: Sequence[OneTraining]) -> Spread | None:
    """Return the spread of the trainings' gaps; None for fewer than two trainings."""
    gaps = [each.gap_of_averages for each in trainings]
    if len(gaps) < 2:
        return None
    better, worse = sum(value < 0 for value in gaps), sum(value > 0 for value in gaps)
    return Spread(len(gaps), fmean(gaps), stdev(gaps), min(gaps), max(gaps), better, worse, sign_test(better, worse))


def sign_test(better: int, worse: int) -> float | None:
    """Return the probability of ``better`` or more heads in ``better + worse`` tosses of a coin; None without tosses.

    >>> sign_test(5, 0)
    0.03125
    """
    tosses = better + worse
    if not tosses:
        return None
    return float(sum(comb(tosses, heads) for heads in range(better, tosses + 1)) / 2**tosses)


def _in_order(outcome: MethodRuns, trainings: Sequence[int]) -> list[float]:
    if not outcome.trainings:
        return [outcome.average]
    averages = outcome.averages
    return [averages[training] for training in trainings]


def _one_training(policy: str, training: int, costs: Sequence[tuple[float, float]]) -> OneTraining:
    differences = [difference(ours, theirs) for ours, theirs in costs]
    return OneTraining(
        policy,
        training,
        gap_of_averages=fmean(gap(ours, theirs) for ours, theirs in costs),
        wins=sum(value < 0 for value in differences),
        losses=sum(value > 0 for value in differences),
        ties=sum(value == 0 for value in differences),
        p_exact=exact_p_value(differences),
    )


# One method against another over some instances.

RULE = (
    "An instance counts only if both methods have every expected run. Where all of these are feasible it is in the "
    "gaps and in the test; where some leave customers unserved it is a win for the method with more feasible runs, and "
    "left out if they have as many. Averages that differ by no more than 1e-9 of their value tie."
)


@dataclass(frozen=True)
class Versus:
    """A comparison of a method with another one.

    Parameters
    ----------
    first, second
        The methods.
    expected
        The number of instances on which both should have run.
    used
        The number of instances in gaps and test: those on which both have all runs, all feasible.
    gap_of_bests, gap_of_averages
        The mean over these of the gap in percent, of the best and of the mean of the runs. If it is negative, the first
        method is better.
    interval
        The 95 % bootstrap interval of the gap of averages: how it could vary with other instances, and with other
        trainings if a method has several.
    wins, losses, ties
        The numbers of instances, by the averages, or by the number of feasible runs if some are infeasible.
    time_ratio, timed
        The mean of the ratios of the mean times, and the number of instances that it is over: those with all runs.
    p_value, p_exact
        The p-values that the first method is better: as in the paper, and exact even if there are ties.
    p_worse
        The exact p-value that it is worse.
    effect
        The rank-biserial correlation: 1 if the first method is always better, -1 if it never is.
    trainings
        The comparison by training, if a method has several.
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
        """The number of instances among wins, losses and ties."""
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
    ratios = [ours.seconds / theirs.seconds for ours, theirs in complete if ours.seconds and theirs.seconds]
    wins, losses, ties = wins_losses_ties(complete)
    return Versus(
        first=first,
        second=second,
        expected=len(both),
        used=len(settled),
        gap_of_bests=fmean(bests) if bests else None,
        gap_of_averages=fmean(averages) if averages else None,
        interval=_interval_over_both(settled) if has_several(settled) else bootstrap_interval(averages),
        wins=wins,
        losses=losses,
        ties=ties,
        time_ratio=fmean(ratios) if ratios else None,
        timed=len(ratios),
        p_value=paper_p_value(differences),
        p_exact=exact_p_value(differences),
        p_worse=exact_p_value([-value for value in differences]),
        effect=rank_biserial(differences),
        trainings=tuple(each_training(settled)),
    )


def wins_losses_ties(pairs: Sequence[Pair]) -> tuple[int, int, int]:
    """Return the numbers of instances on which the first method is better, worse and equal, by the rule `RULE`.

    Parameters
    ----------
    pairs
        The outcomes of both methods on each instance on which both have every run.
    """
    differences = [
        difference(ours.average, theirs.average) for ours, theirs in pairs if ours.settled and theirs.settled
    ]
    # Compare fractions, because the two methods may have different numbers of seeds.
    served = [
        len(ours.feasible) / len(ours.expected) - len(theirs.feasible) / len(theirs.expected) for ours, theirs in pairs
    ]
    return (
        sum(value < 0 for value in differences) + sum(share > 0 for share in served),
        sum(value > 0 for value in differences) + sum(share < 0 for share in served),
        sum(value == 0 for value in differences),
    )


def _interval_over_both(settled: Sequence[Pair]) -> tuple[float, float] | None:
    costs = [averages_by_training(pair) for pair in settled]
    return interval_over_trainings(
        [ours for ours, _ in costs], [theirs for _, theirs in costs], [policy_of(pair) for pair in settled]
    )


# Verdicts: whether the paper's claims hold here, by the test, under one reading of what the paper leaves open.

SIGNIFICANT = 0.05
HOLDS, NOT_SHOWN, OPPOSITE = "holds here", "not shown here", "the opposite here"
"""The verdicts on a claim that a method is better."""
NO_DIFFERENCE, DIFFERENCE = "no difference shown", "a difference shown"
"""The verdicts on a claim that two methods cannot be told apart."""
NO_DATA, UNTESTED = "no data", "not tested"


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim, what we found, and the verdict in words."""

    claim: Claim
    found: Versus
    words: str


def cases_at(cases: Sequence[Case], dataset: str, scale: str) -> list[Case]:
    """Return the cases that a line of the paper's tables covers."""
    return distinct(
        case for case in cases if dataset in (ALL, case.dataset) and scale in (GLOBAL, case.scale)
    )  # fmt: skip


def verdict_on(claim: Claim, cases: Sequence[Case]) -> ClaimVerdict:
    """Return the verdict on a claim.

    The claim that a method is better holds here if the exact p is below 0.05; if the opposite has p < 0.05, the
    opposite holds here; otherwise the claim is not shown here. No test can show that two methods cannot be told apart:
    a difference is shown if either direction has p < 0.05.

    Raises
    ------
    InputError
        If SciPy is missing.
    """
    found = versus(cases_at(cases, claim.dataset, claim.scale), claim.first, claim.second)
    return ClaimVerdict(claim, found, _words(claim, found))


def _words(claim: Claim, found: Versus) -> str:
    if claim.kind == "time":
        return UNTESTED if found.time_ratio is not None else NO_DATA
    if not found.used:
        return NO_DATA
    better = found.p_exact is not None and found.p_exact < SIGNIFICANT
    worse = found.p_worse is not None and found.p_worse < SIGNIFICANT
    if claim.kind == "equal":
        return DIFFERENCE if better or worse else NO_DIFFERENCE
    if better:
        return HOLDS
    return OPPOSITE if worse else NOT_SHOWN
