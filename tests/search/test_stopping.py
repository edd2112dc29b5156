"""Settings of the stopping criteria; their arithmetic is tested with the kernel."""

import pytest

from dacalns.search.stopping import (
    AllOf,
    AnyOf,
    MaxIterations,
    MaxTime,
    NoImprovement,
    Remaining,
    StoppingCriterion,
    TargetCost,
)
from dacalns.util.errors import InputError


@pytest.mark.parametrize(
    ("criterion", "value", "name"),
    [
        (MaxIterations, -1, "iterations"),
        (MaxIterations, 1.5, "iterations"),
        (MaxIterations, True, "iterations"),
        (MaxTime, -0.1, "time"),
        (MaxTime, float("nan"), "time"),
        (MaxTime, float("inf"), "time"),
        (MaxTime, "5", "time"),
        (NoImprovement, 0, "iterations without improvement"),
        (TargetCost, float("inf"), "target"),
        (TargetCost, None, "target"),
    ],
)
def test_values_that_make_no_sense(criterion: type, value: object, name: str) -> None:
    with pytest.raises(InputError, match=f"^{name} is {value!r}; expected") as caught:
        criterion(value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("combination", [AnyOf, AllOf])
def test_combinations_of_something_else(combination: type) -> None:
    with pytest.raises(InputError, match="10 is no stopping criterion"):
        combination((MaxTime(1), 10))
    with pytest.raises(InputError, match="combines nothing"):
        combination(())


def test_what_remains_of_a_budget() -> None:
    whole = (MaxIterations(100) & MaxTime(5)) | NoImprovement(10) | TargetCost(7)
    left = Remaining(whole, iterations=30, seconds=1.5)
    assert left.tokens(2) == ((MaxIterations(70) & MaxTime(3.5)) | NoImprovement(10) | TargetCost(7)).tokens(2)
    assert Remaining(MaxTime(1), 0, 2.0).tokens(1) == MaxTime(0).tokens(1)


@pytest.mark.parametrize(
    ("criterion", "by_time"),
    [
        (MaxTime(1), True),
        (MaxIterations(1), False),
        (TargetCost(1), False),
        (MaxTime(1) | TargetCost(1), True),
        (MaxTime(1) & NoImprovement(5), True),
        (MaxTime(1) | MaxIterations(5), False),
        (Remaining(MaxTime(1), 10, 0.5), True),
    ],
)
def test_whether_the_clock_ends_a_search(criterion: StoppingCriterion, by_time: bool) -> None:
    assert criterion.by_time == by_time


def test_a_number_beside_a_criterion_means_seconds() -> None:
    stalled = NoImprovement(300)
    assert stalled | 1.0 == stalled | MaxTime(1.0)
    assert 2 & stalled == MaxTime(2) & stalled
    with pytest.raises(InputError, match="True is no stopping criterion"):
        stalled | True
