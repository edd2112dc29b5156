"""The stopping program against a recursive reading of the criteria."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dacalns.core.stopping import used_fraction
from dacalns.search.stopping import (
    AllOf,
    AnyOf,
    MaxIterations,
    MaxTime,
    NoImprovement,
    Patience,
    StoppingCriterion,
    TargetCost,
)


@dataclass(frozen=True)
class Moment:
    """Where a search stands."""

    iteration: int = 0
    seconds: float = 0.0
    stalled: int = 0
    start: float = 1000.0
    best: float = 1000.0


def used(criterion: StoppingCriterion, moment: Moment, scale: int = 1) -> float:
    kinds, values = zip(*criterion.tokens(scale), strict=True)
    stack = np.zeros(len(kinds))
    numbers = moment.iteration, moment.seconds, moment.stalled, np.float64(moment.start), np.float64(moment.best)
    return float(used_fraction(np.array(kinds), np.array(values), stack, *numbers))


def oracle(criterion: StoppingCriterion, moment: Moment) -> float:
    match criterion:
        case MaxIterations(limit):
            return min(1.0, moment.iteration / limit) if limit else 1.0
        case MaxTime(limit):
            return min(1.0, moment.seconds / limit) if limit else 1.0
        case NoImprovement(limit):
            return min(1.0, moment.stalled / limit)
        case Patience(limit):
            return float(moment.stalled >= limit)
        case TargetCost(cost):
            if moment.best <= cost + 1e-6:
                return 1.0
            return max(0.0, (moment.start - moment.best) / (moment.start - cost - 1e-6))
        case AnyOf(parts):
            return max(oracle(part, moment) for part in parts)
        case AllOf(parts):
            return min(oracle(part, moment) for part in parts)
    raise AssertionError(criterion)


SINGLE = st.one_of(
    st.integers(0, 50).map(MaxIterations),
    st.floats(0, 5).map(MaxTime),
    st.integers(1, 50).map(NoImprovement),
    st.integers(1, 50).map(Patience),
    st.integers(500, 999).map(TargetCost),
)
NESTED = st.recursive(
    SINGLE,
    lambda inner: st.lists(inner, min_size=1, max_size=3).flatmap(
        lambda parts: st.sampled_from([AnyOf(tuple(parts)), AllOf(tuple(parts))])
    ),
    max_leaves=8,
)
MOMENTS = st.builds(
    Moment,
    iteration=st.integers(0, 60),
    seconds=st.floats(0, 6),
    stalled=st.integers(0, 60),
    best=st.integers(450, 1000).map(float),
)


@given(criterion=NESTED, moment=MOMENTS)
def test_any_program_equals_the_recursive_reading(criterion: StoppingCriterion, moment: Moment) -> None:
    assert used(criterion, moment) == pytest.approx(oracle(criterion, moment))


def test_operators_build_combinations() -> None:
    both, either = MaxIterations(10) & MaxTime(1), MaxIterations(10) | MaxTime(1)
    moment = Moment(iteration=10, seconds=0.5)
    assert (used(both, moment), used(either, moment)) == (0.5, 1.0)


def test_nothing_left_of_a_budget_of_nothing() -> None:
    assert used(MaxIterations(0), Moment()) == used(MaxTime(0), Moment()) == 1


def test_stall_counts_from_the_last_improvement() -> None:
    assert used(NoImprovement(20), Moment(iteration=100, stalled=5)) == 0.25


@pytest.mark.parametrize(("best", "fraction"), [(1000, 0.0), (900, 0.5), (800.5, 0.9975), (800, 1.0), (700, 1.0)])
def test_target(best: float, fraction: float) -> None:
    assert used(TargetCost(800), Moment(best=best)) == pytest.approx(fraction, abs=1e-6)


def test_target_in_scaled_units() -> None:
    assert used(TargetCost(80.1), Moment(best=801), scale=10) == 1
    assert used(TargetCost(80.1), Moment(best=802), scale=10) < 1


def test_target_met_by_the_start() -> None:
    assert used(TargetCost(1000), Moment()) == used(TargetCost(1200), Moment()) == 1


def test_target_is_not_met_by_a_start_that_leaves_customers_out() -> None:
    """Such a start may well be shorter than the target; the penalty says that it does not count."""
    short_of_customers = Moment(start=500.0, best=500.0 + 1e6)
    assert used(TargetCost(800), short_of_customers) < 1
    assert used(TargetCost(500), short_of_customers) < 1
