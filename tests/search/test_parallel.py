"""Several searches side by side: the same answer again, one end for all, and errors that come through."""

import math
import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest

import dacalns
from core.oracle import random_instance, routes_in
from dacalns import InputError, Instance, MaxIterations, MaxTime, NoImprovement, Patience, Result, TargetCost, check
from dacalns.core.clock import nanoseconds
from dacalns.core.stepper import VALUE
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.outcome import Outcome
from dacalns.search.parallel import Chains, chain_seed
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.search.python_selector import State
from dacalns.search.result import NewBest
from dacalns.search.run import Search, Snapshot
from dacalns.search.stopping import StoppingCriterion
from dacalns.selectors import Roulette

INSTANCES = [random_instance(8, 16), random_instance(9, 16, timed=True)]
HOT = SimulatedAnnealing(0.1, 0.01)
ALONE = [[customer] for customer in range(1, 17)]


def chains(
    jobs: int = 2, stop: StoppingCriterion | None = None, seed: int = 1, instance: Instance | None = None,
    selector: Any = None, start: Any = ALONE,
) -> Chains:  # fmt: skip
    return Chains(
        instance or INSTANCES[0], PORTFOLIOS["paper"], selector or Roulette(segment=10), HOT,
        stop or MaxIterations(80), seed, start, jobs,
    )  # fmt: skip


def answer(result: Result) -> tuple[object, ...]:
    """A result without its times."""
    history = [(event.iteration, event.cost, event.unserved) for event in result.history]
    use = result.operators
    counts = use.uses, use.new_best, use.better, use.accepted_new, use.accepted, use.mean_removed
    return result.cost, result.routes, result.iterations, result.stopped_by, result.seed, result.jobs, history, counts


# --- the same answer -----------------------------------------------------------------------------------------------

BUDGETS = [
    MaxIterations(80),
    NoImprovement(25) | MaxIterations(300),
    Patience(25) | MaxIterations(300),
    TargetCost(451) | MaxIterations(150),
    MaxIterations(50) & NoImprovement(20),
]


@pytest.mark.parametrize("instance", INSTANCES, ids=["cvrp", "vrptw"])
@pytest.mark.parametrize("stop", BUDGETS, ids=lambda stop: type(stop).__name__)
@pytest.mark.parametrize("jobs", [2, 5])
def test_the_same_seed_gives_the_same_answer_at_any_pace(
    instance: Instance, stop: StoppingCriterion, jobs: int
) -> None:
    one, other = (chains(jobs, stop, instance=instance) for _ in range(2))
    other._meetings.stretch = 1  # a nanosecond: every search pauses after every iteration
    expected = answer(one.run())
    assert answer(other.run()) == expected
    assert answer(chains(jobs, stop, instance=instance).run(on_best=lambda _: None)) == expected


def test_the_slower_search_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answer(chains(3).run())
    usual = Search.advance
    waits = iter([0.02, 0.0, 0.03, 0.01, 0.0] * 40)

    def slow(self: Search, *pauses: Any) -> Any:
        threading.Event().wait(next(waits))
        return usual(self, *pauses)

    monkeypatch.setattr(Search, "advance", slow)
    assert answer(chains(3).run()) == expected


def test_another_seed_or_number_gives_another_answer() -> None:
    seen = [answer(chains(jobs, seed=seed).run()) for jobs, seed in ((2, 1), (2, 2), (3, 1))]
    assert len({repr(entry[-1]) for entry in seen}) == 3


@pytest.mark.parametrize("stop", BUDGETS, ids=lambda stop: type(stop).__name__)
def test_one_alone_is_a_plain_search(stop: StoppingCriterion) -> None:
    plain = Search(INSTANCES[0], PORTFOLIOS["paper"], Roulette(segment=10), HOT, stop, 1, ALONE)
    assert answer(chains(1, stop).run()) == answer(plain.run())


def test_searches_go_different_ways_and_the_first_goes_that_of_a_plain_one() -> None:
    plain = Search(INSTANCES[0], PORTFOLIOS["paper"], Roulette(segment=10), HOT, MaxIterations(80), 1, ALONE)
    several = chains(3).searches
    for search in (plain, *several):
        search.begin()
        assert routes_in(search.stepper.current) == ALONE
        search.advance(nanoseconds(), 20, listening=False)
    reached = [routes_in(search.stepper.current) for search in several]
    assert reached[0] == routes_in(plain.stepper.current)
    assert len({repr(routes) for routes in reached}) == 3
    assert [search.iteration for search in several] == [20, 20, 20]


def test_no_two_searches_of_neighbouring_seeds_draw_the_same() -> None:
    seeds = [chain_seed(seed, chain) for seed in (0, 1, 2, 10**30) for chain in (1, 2, 3)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**32 for seed in seeds)


# --- what comes of it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", INSTANCES, ids=["cvrp", "vrptw"])
@pytest.mark.parametrize("jobs", [2, 4])
def test_it_is_the_best_of_all_and_all_is_counted(instance: Instance, jobs: int) -> None:
    run = chains(jobs, instance=instance)
    result = run.run()
    assert check(instance, result.routes).feasible
    assert check(instance, result.routes).cost == pytest.approx(result.cost)
    lowest = min(search.stepper.progress.values[VALUE.best] for search in run.searches)
    assert result.cost == pytest.approx(lowest / instance.scale)
    assert (result.jobs, result.seed, result.iterations) == (jobs, 1, jobs * 80)
    assert sum(result.operators.destroy_uses) == sum(result.operators.repair_uses) == jobs * 80
    assert Result.from_json(result.to_json()) == result
    assert f"/s, {jobs} jobs)" in str(result)


def test_after_the_last_stage_nobody_is_behind_the_best_that_was_then() -> None:
    run = chains(4, MaxIterations(200))
    joint: list[float] = []
    result = run.run(on_progress=lambda now: joint.append(now.cost) if now.fraction <= 0.9 else None)
    assert result.iterations == 800
    scale = run.searches[0].instance.scale
    assert all(search.stepper.progress.values[VALUE.best] / scale <= joint[-1] + 1e-9 for search in run.searches)


@pytest.mark.parametrize("stop", [MaxIterations(80), MaxIterations(80) | MaxTime(1000)], ids=["turns", "clock"])
def test_new_bests_are_told_in_order_with_their_routes(stop: StoppingCriterion) -> None:
    heard: list[NewBest] = []
    result = chains(3, stop).run(on_best=heard.append)
    assert [(event.iteration, event.seconds, event.cost) for event in heard] == [
        (event.iteration, event.seconds, event.cost) for event in result.history
    ]
    assert len(heard) > 3
    assert (heard[0].iteration, heard[0].routes, heard[-1].routes) == (0, ALONE, result.routes)
    for event in heard:
        assert check(INSTANCES[0], event.routes).cost == pytest.approx(event.cost)
    costs, places = [event.cost for event in heard], [event.iteration for event in heard]
    assert costs == sorted(set(costs), reverse=True)
    assert places == sorted(places)
    assert places[-1] <= result.iterations
    assert [event.seconds for event in heard] == sorted(event.seconds for event in heard)


def test_snapshots_are_of_all() -> None:
    heard: list[Snapshot] = []
    run = chains(3)
    run._meetings.stretch = 1
    result = run.run(on_progress=heard.append)
    totals = [snapshot.iteration for snapshot in heard]
    assert totals == sorted(totals)
    assert totals[-1] == sum(heard[-1].destroy_uses.values()) == sum(heard[-1].repair_uses.values()) == 240
    assert (heard[-1].cost, heard[-1].fraction) == (pytest.approx(result.cost), 1.0)
    costs = [snapshot.cost for snapshot in heard]
    assert costs == sorted(costs, reverse=True)
    assert any(0 < snapshot.fraction < 1 for snapshot in heard)


# --- one end for all -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("iterations", [0, 1, 7, 40])
def test_each_has_all_iterations(iterations: int) -> None:
    run = chains(3, MaxIterations(iterations))
    assert run.run().iterations == 3 * iterations
    assert [search.iteration for search in run.searches] == [iterations] * 3


def test_a_target_that_one_reaches_ends_all() -> None:
    free = chains(2, MaxIterations(80)).run()
    target = free.history[len(free.history) // 2].cost
    for stop in (TargetCost(target), TargetCost(target) | MaxTime(1000)):
        run = chains(2, stop)
        run._meetings._every, run._meetings.next_iteration = 5, math.inf if run._meetings.timed else 5
        run._meetings.stretch = 10**6 if run._meetings.timed else 10**9
        result = run.run()
        assert result.cost <= target + 1e-9
        assert result.stopped_by == "criterion"
        missed = [search for search in run.searches if search.stepper.best_cost > target + 1e-6]
        assert len(missed) <= 1
    assert chains(2, TargetCost(1e9)).run().iterations == 0


def test_no_improvement_is_one_of_nobody() -> None:
    run = chains(2, NoImprovement(40))
    run._meetings._every = run._meetings.next_iteration = 5
    result = run.run()
    last = result.history[-1].iteration // 2
    for search in run.searches:
        assert last + 40 - 5 <= search.iteration <= last + 40 + 5


def test_all_of_waits_for_both() -> None:
    result = chains(2, MaxIterations(60) & NoImprovement(10)).run()
    assert result.iterations >= 2 * 60


@pytest.mark.parametrize("seconds", [0, 0.05])
def test_time_is_a_limit_for_all(seconds: float) -> None:
    run = chains(2, MaxTime(seconds))
    result = run.run()
    assert result.stopped_by == "criterion"
    assert seconds > 0 or result.iterations == 0


@pytest.mark.parametrize("stop", [MaxIterations(10**9), MaxTime(1000)], ids=["iterations", "time"])
def test_a_signal_ends_all_with_the_best_so_far(stop: StoppingCriterion) -> None:
    run, before = chains(2, stop), signal.getsignal(signal.SIGINT)
    start = run.searches[0].stepper.best_cost

    def interrupt(now: Snapshot) -> None:
        if now.cost < start and signal.getsignal(signal.SIGINT) is not before:
            os.kill(os.getpid(), signal.SIGINT)

    result = run.run(on_progress=interrupt)
    assert result.stopped_by == "interrupt"
    lowest = min(search.stepper.best_cost for search in run.searches)
    assert result.cost == pytest.approx(lowest)
    assert result.history[-1].cost == pytest.approx(lowest)
    assert check(INSTANCES[0], result.routes).cost == pytest.approx(result.cost)
    assert signal.getsignal(signal.SIGINT) is before


def test_the_answer_is_never_worse_than_the_start() -> None:
    first = chains(2, MaxIterations(120)).run()
    for seed in range(4):
        result = chains(2, MaxIterations(3), seed=seed, start=first.routes).run()
        assert result.start_cost == first.cost
        assert result.cost <= first.cost
        assert result.settings["start"] == "given"


def test_who_serves_more_leads() -> None:
    tight = random_instance(3, 14, tight=True)
    result = chains(3, MaxIterations(60), instance=tight, start=[[1]]).run()
    unserved = [event.unserved for event in result.history]
    assert unserved == sorted(unserved, reverse=True)
    assert len(result.unserved) == unserved[-1]


# --- selectors in Python, and what goes wrong ----------------------------------------------------------------------


class Noting:
    """Takes turns, and notes which seed it was given and how much it was told."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.seeds: list[int] = []
        self.updates, self.fails_at = 0, fails_at

    def start(self, destroy_names: list[str], repair_names: list[str], seed: int) -> None:
        self.seeds.append(seed)

    def select_destroy(self, state: State) -> int:
        if state.iteration == self.fails_at and self.seeds[-1] != 1:
            raise RuntimeError("bad luck")
        return state.iteration % 2

    def select_repair(self, destroyed: State, destroy: int) -> int:
        return destroyed.iteration % 3

    def update(self, outcome: Outcome) -> None:
        self.updates += 1


def test_each_search_has_a_selector_of_its_own() -> None:
    selector = Noting()
    run = chains(3, selector=selector)
    assert run.run().iterations == 240
    used: list[Any] = [search.selector.origin for search in run.searches]
    assert used[0] is selector
    assert [each.updates for each in used] == [80, 80, 80]
    assert [each.seeds for each in used] == [[1], [chain_seed(1, 1)], [chain_seed(1, 2)]]
    assert answer(chains(3, selector=Noting()).run()) == answer(chains(3, selector=Noting()).run())


def test_an_error_in_one_search_ends_all() -> None:
    result = chains(3, MaxIterations(10**9), selector=Noting(fails_at=7)).run()
    assert result.stopped_by == "user code"
    assert "'Noting' raised RuntimeError: bad luck, in select_destroy, iteration 8" in result.warnings[0]


def test_a_selector_that_cannot_be_copied() -> None:
    selector = Noting()
    selector.lock = threading.Lock()  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"'Noting' cannot be copied .*use jobs=1"):
        chains(2, selector=selector)
    assert chains(1, selector=selector).run().iterations == 80


def test_errors_of_a_listener_come_through() -> None:
    def fail(_: object) -> None:
        raise RuntimeError("the listener's own")

    listeners: list[dict[str, Callable[[Any], None]]] = [{"on_best": fail}, {"on_progress": fail}]
    for listener in listeners:
        with pytest.raises(RuntimeError, match="the listener's own"):
            chains(2).run(**listener)  # type: ignore[arg-type]


@pytest.mark.slow_without_jit
def test_what_an_operator_raises_in_one_search_ends_all() -> None:
    @dacalns.destroy_operator(count=(1, 3))
    def unlucky(problem, solution, count, rng):  # type: ignore[no-untyped-def]
        if dacalns.random_float(rng) < 0.01:
            raise ValueError("bad luck")
        dacalns.remove(problem, solution, 1)

    result = dacalns.solve(
        INSTANCES[0], portfolio=dacalns.Portfolio([unlucky], ["greedy_repair"]), stop=1000, jobs=3, seed=2
    )
    assert result.stopped_by == "user code"
    assert "destroy operator 'unlucky' raised ValueError: bad luck" in result.warnings[0]
    assert dacalns.check(INSTANCES[0], result.routes).feasible
