"""When searches side by side meet."""

import pytest

from dacalns.search.parallel import MEETINGS, SHORTEST, SOON, Meetings
from dacalns.search.run import NEVER, STRETCH
from dacalns.search.stopping import MaxIterations, MaxTime, NoImprovement, Patience, StoppingCriterion, TargetCost

HUGE = 10**9


def meetings(stop: StoppingCriterion, customers: int = 100) -> Meetings:
    return Meetings(stop.tokens(1.0), customers)


@pytest.mark.parametrize(
    ("stop", "every"),
    [
        (MaxIterations(2000), 100),
        (MaxIterations(2001), 101),
        (MaxIterations(3), 1),
        (MaxIterations(0), 1),
        (MaxIterations(2000) & MaxIterations(4000), 100),
        (TargetCost(5), SOON // 100),
        (NoImprovement(30), SOON // 100),
        (NoImprovement(30) | MaxIterations(200), 10),
        (TargetCost(5) | MaxIterations(HUGE), SOON // 100),
    ],
)
def test_iterations_decide_where_no_clock_does(stop: StoppingCriterion, every: int) -> None:
    planned = meetings(stop)
    assert not planned.timed
    for count in (1, 2, 3):
        assert planned.next_iteration == count * every
        planned.met()
    assert planned.stretch == STRETCH


def test_huge_instances_meet_all_the_same() -> None:
    assert meetings(TargetCost(5), customers=10 * SOON).next_iteration == 1


@pytest.mark.parametrize(
    ("stop", "stretch"),
    [
        (MaxTime(60), STRETCH),
        (MaxTime(0.2), 0.2e9 / MEETINGS),
        (MaxTime(0), SHORTEST),
        (MaxTime(60) | MaxIterations(10), STRETCH),
        (MaxTime(60) & (NoImprovement(7) | MaxTime(0.2)), 0.2e9 / MEETINGS),
    ],
)
def test_with_a_clock_they_meet_at_every_pause(stop: StoppingCriterion, stretch: float) -> None:
    planned = meetings(stop)
    assert planned.timed
    assert planned.stretch == stretch
    planned.met()
    assert planned.next_iteration == NEVER


def test_whether_the_best_decides_on_the_end() -> None:
    assert not meetings(MaxTime(1) | MaxIterations(5)).about_best
    assert meetings(MaxTime(1) | NoImprovement(5)).about_best
    assert meetings(MaxTime(1) | Patience(5)).about_best
    assert meetings(MaxIterations(5) & TargetCost(5)).about_best
