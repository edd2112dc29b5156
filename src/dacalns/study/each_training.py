"""One method against another, training by training: how much of a result is the luck of a training."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, stdev

from dacalns.study.cases import Outcome
from dacalns.study.gaps import difference, gap
from dacalns.study.signed_rank import exact_p_value

Pair = tuple[Outcome, Outcome]
"""The outcomes of two methods on one instance."""


@dataclass(frozen=True)
class OneTraining:
    """Two methods, of which at least one uses a trained policy, with the policy of one training.

    Parameters
    ----------
    policy, training
        The name of the training, and its seed.
    gap_of_averages
        Mean over the instances of the gap in percent. Negative: the first method is better.
    wins, losses, ties
        By the averages.
    p_exact
        That the first method is better, by the exact signed-rank test over the instances.
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
    """What several trainings come to.

    Parameters
    ----------
    trainings
        How many there are.
    mean, deviation, lowest, highest
        Of their gaps in percent; the standard deviation is that of a sample.
    better, worse
        How many have a negative and how many a positive gap.
    p_value
        The exact sign test over the trainings that the first method is better: the probability of so many negative
        gaps or more, were either sign as likely. None where no gap has a sign.
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
    """Whether a method of any of these runs with the policies of several trainings."""
    return any(len(outcome.trainings) > 1 for pair in pairs for outcome in pair)


def policy_of(pair: Pair) -> str:
    """The name of the training whose policies are used; empty where none is."""
    ours, theirs = pair
    return ours.policy or theirs.policy or ""


def averages_by_training(pair: Pair) -> tuple[list[float], list[float]]:
    """The average cost of either method with each training, in the same order; of a method without, only one."""
    ours, theirs = pair
    order = ours.trainings or theirs.trainings
    return _in_order(ours, order), _in_order(theirs, order)


def each_training(pairs: Sequence[Pair]) -> list[OneTraining]:
    """Every training on the instances that its policy is used on; nothing where no method has several.

    Parameters
    ----------
    pairs
        Both outcomes on each instance, all runs done and feasible.
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
    """What these come to; None of fewer than two."""
    gaps = [each.gap_of_averages for each in trainings]
    if len(gaps) < 2:
        return None
    better, worse = sum(value < 0 for value in gaps), sum(value > 0 for value in gaps)
    return Spread(len(gaps), fmean(gaps), stdev(gaps), min(gaps), max(gaps), better, worse, sign_test(better, worse))


def sign_test(better: int, worse: int) -> float | None:
    """The probability of ``better`` or more heads in ``better + worse`` tosses of a coin; None of none.

    >>> sign_test(5, 0)
    0.03125
    """
    tosses = better + worse
    if not tosses:
        return None
    return float(sum(comb(tosses, heads) for heads in range(better, tosses + 1)) / 2**tosses)


def _in_order(outcome: Outcome, trainings: Sequence[int]) -> list[float]:
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
