"""The loop pauses and goes on as if it had never paused."""

from collections.abc import Callable

import numpy as np
import pytest

from core import oracle
from dacalns.core import loop
from dacalns.core.clock import nanoseconds
from dacalns.core.stepper import COUNTER, EVENT, VALUE
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.portfolio import as_portfolio
from dacalns.search.run import Search
from dacalns.search.stepper import PointerCalls
from dacalns.search.stopping import MaxIterations
from dacalns.selectors import Roulette

ITERATIONS = 60


def new_search(seed: int = 4, timed: bool = False) -> Search:
    instance = oracle.random_instance(seed, 12, timed=timed, rounding="round")
    criterion = SimulatedAnnealing(0.02, 0.001)
    search = Search(
        instance, as_portfolio("paper"), Roulette(segment=10), criterion, MaxIterations(ITERATIONS), seed,
        [[customer] for customer in range(1, 13)],
    )  # fmt: skip
    search.stepper.progress.counters[COUNTER.started] = nanoseconds()
    return search


def stretch(
    search: Search, pause_after: int, pause_on_best: bool = False, pause_iteration: int = 10 * ITERATIONS
) -> int:
    moved = search.stepper
    with PointerCalls():
        return int(
            loop.run(
                moved.problem, moved.current, moved.candidate, moved.best, moved.progress,
                moved.destroy_operators, moved.scales, moved.repair_operators,
                *search._selector_kernels, search.selector_memory, moved.accept_kernel, moved.accept_memory,
                search._stop_kinds, search._stop_values, search._stop_stack, moved.rng, pause_after,
                pause_iteration, pause_on_best,
            )
        )  # fmt: skip


def outcome(search: Search) -> tuple[object, ...]:
    moved = search.stepper
    oracle.require_consistent(moved.problem, moved.best)
    oracle.require_consistent(moved.problem, moved.current)
    return (
        oracle.routes_in(moved.best), oracle.routes_in(moved.current), moved.progress.outcomes.tolist(),
        moved.rng.tolist(), search.selector_memory.table.tolist(), int(moved.progress.counters[COUNTER.iteration]),
    )  # fmt: skip


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("pause_after", [1, 100_000])
def test_pausing_changes_nothing(pause_after: int, timed: bool) -> None:
    whole, pieces = new_search(timed=timed), new_search(timed=timed)
    assert stretch(whole, 10**15) == loop.ENDING.finished
    pauses = 0
    while stretch(pieces, pause_after) == loop.ENDING.paused:
        pauses += 1
    assert outcome(pieces) == outcome(whole)
    assert pauses > 0 or pause_after > 1
    assert whole.stepper.progress.values[VALUE.fraction] == 1


def test_a_stretch_of_no_time_does_nothing() -> None:
    search = new_search()
    assert stretch(search, 0) == loop.ENDING.paused
    assert search.stepper.progress.counters[COUNTER.iteration] == 0


@pytest.mark.parametrize("timed", [False, True])
def test_pausing_at_an_iteration(timed: bool) -> None:
    whole, pieces = new_search(timed=timed), new_search(timed=timed)
    stretch(whole, 10**15)
    for iteration in (1, 7, 7, 3, 50):
        assert stretch(pieces, 10**15, pause_iteration=iteration) == loop.ENDING.paused
        assert pieces.stepper.progress.counters[COUNTER.iteration] == max(7 if iteration == 3 else 0, iteration)
    assert stretch(pieces, 10**15, pause_iteration=ITERATIONS) == loop.ENDING.finished
    assert outcome(pieces) == outcome(whole)


@pytest.mark.parametrize("pause_on_best", [False, True])
def test_pausing_on_a_new_best(pause_on_best: bool) -> None:
    search, whole = new_search(), new_search()
    stretch(whole, 10**15)
    seen: list[float] = []
    note: Callable[[], None] = lambda: seen.append(float(search.stepper.progress.values[VALUE.best]))  # noqa: E731
    while stretch(search, 10**15, pause_on_best) == loop.ENDING.paused:
        note()
    note()
    assert outcome(search) == outcome(whole)
    values = whole.stepper.progress.history[: whole.stepper.progress.counters[COUNTER.events], 2].tolist()
    assert len(values) > 3
    if pause_on_best:
        assert seen[: len(values)] == values
    else:
        assert seen == values[-1:]


def test_a_full_history_pauses_until_it_is_emptied() -> None:
    search, whole = new_search(), new_search()
    stretch(whole, 10**15)
    moved = search.stepper
    moved.progress = moved.progress._replace(history=np.zeros((2, len(EVENT))))
    values: list[float] = []
    while stretch(search, 10**15) == loop.ENDING.paused:
        assert moved.progress.counters[COUNTER.events] == 2
        assert stretch(search, 10**15) == loop.ENDING.paused, "nothing happens until somebody empties it"
        values += moved.progress.history[:2, 2].tolist()
        moved.progress.counters[COUNTER.events] = 0
    values += moved.progress.history[: moved.progress.counters[COUNTER.events], 2].tolist()
    assert outcome(search) == outcome(whole)
    assert values == whole.stepper.progress.history[: len(values), 2].tolist()
    assert values == sorted(values, reverse=True)
    assert len(values) > 3
