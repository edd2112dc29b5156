"""Who goes on from whose solution, and when."""

import pytest

from core.oracle import random_instance, require_consistent, routes_in
from dacalns.core.clock import nanoseconds
from dacalns.core.stepper import CURRENT_KEY, VALUE
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.parallel import STAGES, Exchange, exchange
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.search.run import NEVER, Search
from dacalns.search.stopping import MaxIterations
from dacalns.selectors import Roulette


@pytest.mark.parametrize(
    ("searches", "stages"),
    [
        (1, []),
        (2, [(0.9, 1)]),
        (3, [(0.8, 2), (0.9, 1)]),
        (16, [(0.6, 8), (0.7, 4), (0.8, 2), (0.9, 1)]),
        (100, list(STAGES)),
    ],
)
def test_each_stage_comes_once(searches: int, stages: list[tuple[float, int]]) -> None:
    ahead = Exchange(searches)
    seen = [(percent / 100, ahead.survivors(percent / 100)) for percent in range(101)]
    assert [entry for entry in seen if entry[1] is not None] == stages


def test_of_stages_that_come_at_once_the_last_counts() -> None:
    assert Exchange(16).survivors(0.75) == 4


def searches(count: int, timed: bool = False) -> list[Search]:
    """Searches that have gone some way, each on its own."""
    instance = random_instance(5, 14, timed=timed)
    made = [
        Search(instance, PORTFOLIOS["paper"], Roulette(), SimulatedAnnealing(0.2, 0.1), MaxIterations(1000), seed, None)
        for seed in range(count)
    ]
    for search in made:
        search.begin()
        search.advance(nanoseconds(), 30 - 5 * search.seed, listening=False)
    return made


def best(search: Search) -> float:
    return float(search.stepper.progress.values[VALUE.best])


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("survivors", [1, 2, 3, 4, 5])
def test_those_behind_go_on_from_the_best_of_those_ahead(survivors: int, timed: bool) -> None:
    met = searches(5, timed)
    ranked = sorted(met, key=best)
    before = [routes_in(search.stepper.current) for search in ranked]
    bests = [(best(search), routes_in(search.stepper.best)) for search in ranked]
    exchange(met, survivors)
    for place, search in enumerate(ranked):
        moved, values = search.stepper, search.stepper.progress.values
        if place < survivors:
            assert routes_in(moved.current) == before[place]
            continue
        value, routes = bests[(place - survivors) % survivors]
        assert routes_in(moved.current) == routes_in(moved.best) == routes
        assert values[VALUE.current] == values[VALUE.best] == value
        for solution in (moved.current, moved.best):
            require_consistent(moved.problem, solution)


def test_what_a_search_went_to_is_a_solution_of_its_own() -> None:
    first, second = sorted(searches(2), key=best)
    exchange([first, second], 1)
    reached, key = routes_in(second.stepper.current), second.stepper.progress.visited[CURRENT_KEY]
    first.advance(nanoseconds(), first.iteration + 40, listening=False)
    assert routes_in(second.stepper.current) == reached
    assert second.stepper.progress.visited[CURRENT_KEY] == key
    second.advance(nanoseconds(), second.iteration + 40, listening=False)
    assert routes_in(second.stepper.current) != routes_in(first.stepper.current)
    require_consistent(second.stepper.problem, second.stepper.current)


def test_a_search_with_as_good_a_solution_keeps_its_own() -> None:
    met = searches(2)
    for search in met:
        search.advance(nanoseconds(), 400, listening=False)
    first, second = sorted(met, key=best)
    own = routes_in(second.stepper.best)
    first.stepper.progress.values[VALUE.best] = second.stepper.progress.values[VALUE.best]
    exchange([first, second], 1)
    assert routes_in(second.stepper.best) == own
    assert routes_in(second.stepper.current) == routes_in(first.stepper.best)


def test_never_is_never() -> None:
    search = searches(1)[0]
    assert search.advance(1, NEVER, listening=False)[0] is False
