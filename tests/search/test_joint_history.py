"""One history of several searches."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from dacalns.search.parallel import JointHistory
from dacalns.search.result import NewBest


def found(iteration: int, value: float, seconds: float = 0.0) -> NewBest:
    return NewBest(iteration, seconds, value, routes=[[1]], value=value)


START = found(0, 100.0)


def noted(history: JointHistory) -> list[tuple[int, float]]:
    return [(event.iteration, event.cost) for event in history.events]


def test_what_another_search_had_before_is_nothing_new() -> None:
    history = JointHistory(START, 2, 0.1, in_turns=True)
    history.add(0, [found(3, 90), found(7, 80)])
    history.add(1, [found(2, 95), found(3, 85), found(6, 84.95), found(8, 81)])
    settled = history.settle(10, 20)
    assert [entry.value for entry in settled] == [95, 90, 85, 80]
    assert noted(history) == [(0, 100), (4, 95), (5, 90), (6, 85), (13, 80)]
    assert (history.leader, history.value, history.found_at) == (0, 80, 7)
    assert all(entry.routes == [[1]] for entry in settled)


def test_nothing_is_settled_that_another_search_may_still_precede() -> None:
    history = JointHistory(START, 2, 0.1, in_turns=True)
    history.add(0, [found(3, 90), found(9, 70)])
    assert [entry.value for entry in history.settle(5, 14)] == [90]
    history.add(1, [found(8, 75)])
    assert [entry.value for entry in history.settle(9, 18)] == [75, 70]
    assert history.settle(math.inf, 18) == []


def test_of_equally_good_ones_the_first_counts() -> None:
    history = JointHistory(START, 3, 0.1, in_turns=True)
    for search in (2, 1, 0):
        history.add(search, [found(5, 90)])
    history.settle(math.inf, 15)
    assert (history.leader, noted(history)[1:]) == (0, [(13, 90)])


def test_the_clock_decides_where_there_is_one() -> None:
    history = JointHistory(START, 2, 0.1, in_turns=False)
    history.add(0, [found(50, 90, seconds=2.0)])
    history.add(1, [found(80, 95, seconds=1.0), found(99, 89, seconds=3.0)])
    settled = history.settle(0, 140)
    assert [entry.seconds for entry in settled] == [1, 2, 3]
    assert [entry.value for entry in settled] == [95, 90, 89]
    # As if they took turns, the last would be iteration 198; there were only 140, and none goes back.
    assert [iteration for iteration, _ in noted(history)] == [0, 140, 140, 140]


events = some.lists(some.tuples(some.integers(1, 30), some.integers(0, 99)), max_size=8)


@given(some.lists(events, min_size=1, max_size=3), some.booleans(), some.integers(0, 30))
def test_it_is_the_running_best_however_it_was_told(
    searches: list[list[tuple[int, int]]], in_turns: bool, halfway: int
) -> None:
    history = JointHistory(START, len(searches), 0.1, in_turns)
    sorted_ones = [sorted(set(search)) for search in searches]
    for late in (False, True):
        for number, search in enumerate(sorted_ones):
            now = [entry for entry in search if (entry[0] > halfway) == late]
            history.add(number, [found(k, float(value), seconds=k) for k, value in now])
        history.settle(math.inf if late else halfway, (30 if late else halfway) * len(searches))
    best, expected = 100, [100]
    for iteration, number, value in sorted((k, n, v) for n, search in enumerate(sorted_ones) for k, v in search):
        if value < best:
            best = value
            expected.append(best)
            assert (iteration - 1) * len(searches) + number + 1 in [place for place, _ in noted(history)]
    assert [cost for _, cost in noted(history)] == pytest.approx(expected)
    assert history.value == best
    places = [place for place, _ in noted(history)]
    assert places == sorted(places)
