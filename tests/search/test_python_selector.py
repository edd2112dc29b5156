"""Selectors in plain Python: the same search, what they see, what they hear, and what goes wrong."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dacalns
from core.oracle import bank_of, random_instance, routes_in
from dacalns import InputError, MaxIterations, MaxTime, Outcome, State, solve
from dacalns.core.rng import random_int
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.outcome import OUTCOMES
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.search.run import Search
from dacalns.search.stepper import Stepper

INSTANCES = [random_instance(4, 12), random_instance(5, 12, timed=True, rounding="dimacs")]


class Turns:
    """Operators in turn, and a note of everything."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.outcomes: list[Outcome] = []

    def start(self, destroy_names: list[str], repair_names: list[str], seed: int) -> None:
        self.calls, self.outcomes = [("start", (destroy_names, repair_names, seed))], []

    def select_destroy(self, state: State) -> int:
        self.calls.append(("destroy", state.iteration))
        return len(self.outcomes) % state.destroys

    def select_repair(self, destroyed: State, destroy: int) -> int:
        self.calls.append(("repair", destroy))
        return len(self.outcomes) % destroyed.repairs

    def update(self, outcome: Outcome) -> None:
        self.calls.append(("update", outcome.outcome))
        self.outcomes.append(outcome)


class CompiledTurns:
    """The same in compiled code."""

    name = "Turns"

    @property
    def kernels(self) -> tuple[Callable[..., Any], ...]:
        def select_destroy(memory, problem, solution, rng):  # type: ignore[no-untyped-def]
            return int(memory.table[0, 2]) % int(memory.table[0, 0])

        def select_repair(memory, problem, solution, destroy, rng):  # type: ignore[no-untyped-def]
            return int(memory.table[0, 2]) % int(memory.table[0, 1])

        def update(memory, trial):  # type: ignore[no-untyped-def]
            memory.table[0, 2] += 1

        return select_destroy, select_repair, update

    def memory(self, destroys: int, repairs: int) -> np.ndarray:
        return np.array([[destroys, repairs, 0.0]])


def answer(result: dacalns.Result) -> tuple[object, ...]:
    """A result without its times."""
    history = [(event.iteration, event.cost, event.unserved) for event in result.history]
    use = result.operators
    counts = use.uses, use.new_best, use.better, use.accepted_new, use.accepted, use.mean_removed
    return result.cost, result.routes, result.iterations, result.stopped_by, result.selector, history, counts


# --- the same search ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", INSTANCES, ids=["cvrp", "vrptw"])
@pytest.mark.parametrize("listening", [False, True])
def test_the_same_choices_give_the_same_answer_as_in_compiled_code(instance: dacalns.Instance, listening: bool) -> None:
    heard: list[object] = []
    callbacks = {"on_best": heard.append, "on_progress": heard.append} if listening else {}
    selectors = (Turns(), CompiledTurns())
    options: dict[str, Any] = {"stop": MaxIterations(80), "seed": 3, "start": [[k] for k in range(1, 13)]}
    python, compiled = (
        solve(instance, portfolio="paper", selector=selector, **options, **callbacks) for selector in selectors
    )
    assert answer(python) == answer(compiled)
    assert len(python.history) > 2
    assert python.time.selection > 0


class SharedDraws:
    """Uniform choice that draws from the search's own generator, as the compiled one does."""

    name = "random"

    def select_destroy(self, state: State) -> int:
        return int(random_int(state._stepper.rng, state.destroys))

    def select_repair(self, destroyed: State, destroy: int) -> int:
        return int(random_int(destroyed._stepper.rng, destroyed.repairs))

    def update(self, outcome: Outcome) -> None:
        pass


@pytest.mark.parametrize("instance", INSTANCES, ids=["cvrp", "vrptw"])
def test_the_same_draws_give_the_same_answer_as_the_compiled_selector(instance: dacalns.Instance) -> None:
    python, compiled = (
        solve(instance, portfolio="paper", selector=selector, stop=MaxIterations(80), seed=7)
        for selector in (SharedDraws(), "random")
    )
    assert answer(python) == answer(compiled)


def test_calls_come_in_order_and_a_run_begins_with_start() -> None:
    selector = Turns()
    for seed in (5, 6):
        solve(INSTANCES[0], portfolio="paper", selector=selector, stop=MaxIterations(7), seed=seed)
        assert selector.calls[0] == ("start", (["random_removal", "worst_removal"], REPAIRS, seed))
        assert [call for call, _ in selector.calls[1:]] == ["destroy", "repair", "update"] * 7
        assert [entry for call, entry in selector.calls if call == "destroy"] == list(range(7))


REPAIRS = ["random_repair", "greedy_repair", "regret_repair"]


def test_the_name_is_optional() -> None:
    named = Turns()
    named.name = "mine"  # type: ignore[attr-defined]
    for selector, name in ((Turns(), "Turns"), (named, "mine")):
        result = solve(INSTANCES[0], portfolio="paper", selector=selector, stop=MaxIterations(3))
        assert result.selector == name
        assert result.settings["selector"] == {"type": "Turns"}
        assert dacalns.Result.from_json(result.to_json()) == result


# --- what they see -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", INSTANCES, ids=["cvrp", "vrptw"])
def test_the_state_is_the_solution(instance: dacalns.Instance) -> None:
    stepper = Stepper(instance, "paper", seed=2)
    full, destroyed = State(stepper, stepper.current), State(stepper, stepper.candidate)
    stepper.destroy(0)
    for state, solution in ((full, stepper.current), (destroyed, stepper.candidate)):
        assert state.routes == sorted(routes_in(solution))
        assert state.unserved == sorted(bank_of(solution))
        assert state.removed_fraction == len(bank_of(solution)) / 12
        assert state.cost == pytest.approx(dacalns.check(instance, state.routes).cost)
        assert state.current_cost == state.best_cost == pytest.approx(full.cost)
    assert full.unserved == []
    assert 0 < destroyed.removed_fraction < 1
    assert (full.instance, full.destroys, full.repairs, full.iteration) == (instance, 2, 3, 0)
    assert repr(destroyed) == f"State({instance.name}, iteration 0, removed {len(destroyed.unserved)})"


def test_the_state_cannot_be_changed() -> None:
    state = State(Stepper(INSTANCES[0]), Stepper(INSTANCES[0]).current)
    state.routes.clear()
    assert state.routes
    for name in ("routes", "iteration", "colour"):
        with pytest.raises(AttributeError):
            setattr(state, name, 1)


def test_the_state_tells_how_far_the_search_is() -> None:
    seen: list[tuple[int, float]] = []

    class Watching(Turns):
        def select_repair(self, destroyed: State, destroy: int) -> int:
            seen.append((destroyed.iteration, destroyed.fraction))
            return 0

    solve(INSTANCES[0], portfolio="paper", selector=Watching(), stop=MaxIterations(4))
    assert seen == [(0, 0), (1, 0.25), (2, 0.5), (3, 0.75)]


# --- what they hear ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("instance", INSTANCES, ids=["cvrp", "vrptw"])
def test_outcomes_tell_what_the_counts_tell(instance: dacalns.Instance) -> None:
    selector = Turns()
    start, warm = [[k] for k in range(1, 13)], SimulatedAnnealing(0.1, 0.1)
    result = solve(
        instance, portfolio="paper", selector=selector, stop=MaxIterations(200), seed=3, start=start, acceptance=warm
    )
    use = result.operators
    for word, counts in zip(OUTCOMES, (use.new_best, use.better, use.accepted_new), strict=False):
        assert sum(map(sum, counts)) == sum(outcome.outcome == word for outcome in selector.outcomes)
    assert sum(map(sum, use.accepted)) == sum(outcome.accepted for outcome in selector.outcomes)
    assert {outcome.outcome for outcome in selector.outcomes} == set(OUTCOMES)
    current = best = result.start_cost
    for outcome in selector.outcomes:
        assert outcome.before == pytest.approx(current)
        assert outcome.best == pytest.approx(best)
        assert outcome.destroyed <= outcome.before  # as long as before where whoever was removed lay on the way
        assert (outcome.outcome == "best") == (outcome.after < best - 1e-6)
        assert outcome.seconds >= 0
        current, best = outcome.after if outcome.accepted else current, min(best, outcome.after)
    assert sum(outcome.destroyed < outcome.before for outcome in selector.outcomes) > 190
    assert best == pytest.approx(result.cost)


# --- what goes wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", [-1, 2, 1.0, "0", None, True, np.float64(0), 2**70])
def test_choices_that_no_portfolio_has(choice: object) -> None:
    class Astray(Turns):
        def select_destroy(self, state: State) -> Any:
            return choice if state.iteration == 5 else np.int64(0)

    result = solve(INSTANCES[0], portfolio="paper", selector=Astray(), stop=MaxIterations(50))
    assert (result.stopped_by, result.iterations) == ("user code", 5)
    assert result.warnings == [
        f"selector 'Astray' chose {choice!r} in select_destroy, iteration 6; expected a whole number from 0 to 1, that "
        "of a destroy operator of the portfolio."
    ]


def test_a_repair_operator_that_no_portfolio_has() -> None:
    class Astray(Turns):
        def select_repair(self, destroyed: State, destroy: int) -> int:
            return 3

    result = solve(INSTANCES[0], portfolio="paper", selector=Astray(), stop=MaxIterations(50))
    assert result.stopped_by == "user code"
    assert "chose 3 in select_repair, iteration 1; expected a whole number from 0 to 2" in result.warnings[0]


@pytest.mark.parametrize("method", ["select_destroy", "select_repair", "update"])
@pytest.mark.parametrize("iterations", [4, 50])
def test_what_a_selector_raises(method: str, iterations: int) -> None:
    """Also in the very last iteration; the best solution before is the result."""

    class Unlucky(Turns):
        pass

    def unlucky(self: Turns, *given: Any) -> Any:
        if len(self.outcomes) == 3:
            raise ValueError("bad\nluck")
        return getattr(Turns, method)(self, *given)

    setattr(Unlucky, method, unlucky)
    heard: list[Any] = []
    start = [[k] for k in range(1, 13)]
    options: dict[str, Any] = {"stop": MaxIterations(iterations), "start": start, "on_best": heard.append}
    result = solve(INSTANCES[0], portfolio="paper", selector=Unlucky(), **options)
    assert result.stopped_by == "user code"
    sentence = result.warnings[0]
    assert f"selector 'Unlucky' raised ValueError: bad luck, in {method}, iteration 4 (" in sentence
    assert f"{os.path.basename(__file__)}:" in sentence
    assert len(heard) > 1
    assert (result.cost, result.routes) == (pytest.approx(heard[-1].cost), heard[-1].routes)
    assert dacalns.check(INSTANCES[0], result.routes).feasible


def test_what_start_raises() -> None:
    class Unlucky(Turns):
        def start(self, destroy_names: list[str], repair_names: list[str], seed: int) -> None:
            raise KeyError("weights")

    with pytest.raises(InputError, match=r"'Unlucky' raised KeyError: 'weights', in start \(") as caught:
        solve(INSTANCES[0], portfolio="paper", selector=Unlucky())
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_method_with_other_parameters() -> None:
    class Old(Turns):
        def select_repair(self, destroyed: State) -> int:  # type: ignore[override]
            return 0

    result = solve(INSTANCES[0], portfolio="paper", selector=Old())
    assert "'Old' raised TypeError: " in result.warnings[0]
    assert "in select_repair, iteration 1; expected" in result.warnings[0]


def test_methods_that_are_missing() -> None:
    class Half:
        def select_destroy(self, state: State) -> int:
            return 0

        update = None

    expected = r"selector 'Half' has no method select_repair\(destroyed, destroy\) and no update\(outcome\); expected"
    with pytest.raises(InputError, match=expected):
        solve(INSTANCES[0], portfolio="paper", selector=Half())  # type: ignore[arg-type]
    with pytest.raises(InputError, match=expected):
        Search(INSTANCES[0], PORTFOLIOS["paper"], Half(), SimulatedAnnealing(), MaxIterations(1), 0, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [Turns, object(), 7, False])
def test_what_is_no_selector(given: Any) -> None:
    with pytest.raises(
        InputError, match=r"selector is .*; expected one of random, .*select_destroy\(state\)"
    ) as caught:
        solve(INSTANCES[0], portfolio="paper", selector=given)
    assert ("a class: call it" in str(caught.value)) == isinstance(given, type)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises as usual, also where this process was started in the background and told to ignore it."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.mark.usefixtures("interruptible")
def test_the_first_interrupt_returns_the_best_and_the_second_interrupts() -> None:
    class Interrupting(Turns):
        def __init__(self, times: int) -> None:
            super().__init__()
            self.times = times

        def update(self, outcome: Outcome) -> None:
            super().update(outcome)
            # All in one call: between two iterations, a slow machine may pause and see the first. The main thread needs
            # a moment to hear each of them.
            for _ in range(self.times if len(self.outcomes) == 1 else 0):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.2)

    result = solve(INSTANCES[0], portfolio="paper", selector=Interrupting(1), stop=MaxTime(600))
    assert result.stopped_by == "interrupt"
    assert dacalns.check(INSTANCES[0], result.routes).feasible
    with pytest.raises(KeyboardInterrupt):
        solve(INSTANCES[0], portfolio="paper", selector=Interrupting(2), stop=MaxTime(600))


def test_a_search_inside_a_selector() -> None:
    class Nested(Turns):
        def start(self, destroy_names: list[str], repair_names: list[str], seed: int) -> None:
            self.inner: list[float] = []

        def update(self, outcome: Outcome) -> None:
            self.inner.append(solve(INSTANCES[1], portfolio="paper", selector=Turns(), stop=MaxIterations(5)).cost)

    selector = Nested()
    solve(INSTANCES[0], portfolio="paper", selector=selector, stop=MaxIterations(3))
    assert len(selector.inner) == 3
    assert len(set(selector.inner)) == 1
