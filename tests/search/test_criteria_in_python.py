"""Acceptance and stopping criteria in plain Python, and callbacks that end a search."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns import (
    HillClimbing,
    InputError,
    MaxIterations,
    NewBest,
    Portfolio,
    Snapshot,
    Stepper,
    StopSearch,
    StopWhen,
    solve,
)

INSTANCE = dacalns.read("A-n32-k5")
STOP = MaxIterations(300)


def downhill(candidate: float, current: float, best: float, fraction: float, rng: np.random.Generator) -> bool:
    """Do what `HillClimbing` does."""
    assert best <= current
    assert 0 <= fraction < 1
    return candidate <= current


class Late:
    """A criterion that remembers, as an object with a method."""

    def __init__(self) -> None:
        self.last: list[float] = []

    def accept(self, candidate: float, current: float, best: float, fraction: float, rng: Any) -> bool:
        self.last.append(candidate)
        return bool(candidate <= min(self.last[-20:]) + rng.random())


def _of_one(cost: float) -> bool:
    return True


# Acceptance.


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_function_accepts(jobs: int) -> None:
    ours = solve(INSTANCE, acceptance=HillClimbing(), stop=STOP, seed=2, jobs=jobs)
    own = solve(INSTANCE, acceptance=downhill, stop=STOP, seed=2, jobs=jobs)
    assert own.routes == ours.routes
    assert own.operators.accepted == ours.operators.accepted
    assert own.settings["acceptance"] == {"type": "PythonAcceptance", "name": "downhill"}


def test_costs_are_in_the_units_of_the_instance() -> None:
    seen: list[tuple[float, ...]] = []
    result = solve(
        INSTANCE, acceptance=lambda *costs_and: seen.append(costs_and[:3]) is None and True, stop=MaxIterations(5)
    )
    assert seen[0][1] == result.start_cost
    assert min(costs[0] for costs in seen) >= result.cost


@pytest.mark.slow_without_jit
def test_an_object_accepts_and_draws_alike_again() -> None:
    results = [solve(INSTANCE, acceptance=Late(), stop=STOP, seed=4) for _ in range(2)]
    assert results[0].routes == results[1].routes
    assert results[0].settings["acceptance"]["name"] == "Late"


@pytest.mark.parametrize(
    ("criterion", "sentence"),
    [
        (lambda *_: 5, "acceptance criterion 'lambda' returned 5 in iteration 1; expected True or False."),
        (lambda *_: None, "acceptance criterion 'lambda' returned None in iteration 1; expected True or False."),
        (lambda *_: 1 / 0, "acceptance criterion 'lambda' raised ZeroDivisionError: division by zero in iteration 1 ("),
    ],
)
def test_a_function_that_fails(criterion: Any, sentence: str) -> None:
    result = solve(INSTANCE, portfolio="paper", acceptance=criterion, stop=STOP)
    assert result.stopped_by == "user code"
    assert result.warnings[0].startswith(sentence)
    assert dacalns.check(INSTANCE, result.routes).cost == result.cost


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (_of_one, r"criterion '_of_one' takes \(cost\); expected \(candidate, current, best, fraction, rng\)"),
        (5, "acceptance is 5; expected a criterion such as SimulatedAnnealing.., one of calibrated, .*FILE.py:NAME"),
        (HillClimbing, "acceptance is <class"),
        ("uphill", "acceptance is 'uphill'"),
    ],
)
def test_what_is_no_criterion(given: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        solve(INSTANCE, acceptance=given)


@pytest.mark.slow_without_jit
def test_names_are_taken_everywhere() -> None:
    portfolio = Portfolio(["random_removal"], ["greedy_repair"], acceptance="hill-climbing")
    assert portfolio.acceptance == HillClimbing()
    assert Stepper(INSTANCE, portfolio, "record-to-record").names.criterion == "RecordToRecord"
    assert Stepper(INSTANCE, portfolio, downhill).names.criterion == "downhill"
    for name in ("late-acceptance", "local-annealing"):
        assert solve(INSTANCE, acceptance=name, stop=MaxIterations(10)).feasible


@pytest.mark.slow_without_jit
def test_a_criterion_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def strict(candidate, current, best, fraction, rng):\n    return candidate < best\n")
    result = solve(INSTANCE, acceptance=f"{path}:strict", stop=MaxIterations(50))
    assert result.settings["acceptance"]["name"] == "strict"
    for wrong, sentence in (("", "which criterion to use is not said"), (":lax", "it has no 'lax'")):
        with pytest.raises(InputError, match=sentence):
            solve(INSTANCE, acceptance=f"{path}{wrong}")


def test_a_stepper_asks_it() -> None:
    stepper = Stepper(INSTANCE, Portfolio(["random_removal"], ["random_repair"]), lambda *_: False)
    before = stepper.current_cost
    for _ in range(5):
        stepper.destroy(0)
        stepper.repair(0)
        assert stepper.accept().outcome in ("nothing new", "best")
    assert stepper.current_cost in (before, stepper.best_cost)


# Stopping.


@pytest.mark.slow_without_jit
def test_a_function_stops() -> None:
    result = solve(INSTANCE, stop=StopWhen(lambda now: now.iteration >= 17, every=1), seed=1)
    assert (result.iterations, result.stopped_by) == (17, "criterion")
    assert result.settings["stop"] == {"type": "StopWhen", "name": "lambda"}
    assert solve(INSTANCE, stop=lambda now: now.iteration > 100).iterations == 200


@pytest.mark.slow_without_jit
def test_it_is_combined_with_others() -> None:
    def found(now: Snapshot) -> bool:
        return now.iteration > 0 and now.cost < 900

    whole = MaxIterations(1000)
    assert solve(INSTANCE, stop=whole | found, seed=1).iterations == 100
    assert solve(INSTANCE, stop=found | whole, seed=1).iterations == 100
    assert solve(INSTANCE, stop=whole & found, seed=1).iterations == 1000
    assert solve(INSTANCE, stop=whole | (lambda _: None), seed=1).iterations == 1000


def test_one_of_several_jobs_stops_all() -> None:
    asked: list[int] = []

    def second(now: Snapshot) -> bool:
        asked.append(now.iteration)
        return len(asked) == 2

    result = solve(INSTANCE, stop=StopWhen(second, every=10) | MaxIterations(10**7), jobs=2)
    assert result.stopped_by == "criterion"
    assert result.iterations < 10**6


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (
            lambda _: 1 / 0,
            "stopping criterion 'lambda' raised ZeroDivisionError: division by zero in iteration 0 (",
        ),
        (lambda _: "yes", "stopping criterion 'lambda' returned 'yes' in iteration 0; expected True to stop, else"),
        (lambda _: [None for _ in iter(int, 1)], "stopping criterion 'lambda' had not returned after 0.2 s"),
    ],
)
def test_a_stopping_criterion_that_fails(function: Any, sentence: str) -> None:
    result = solve(INSTANCE, portfolio="paper", selector="random", stop=function, call_limit=0.2)
    assert result.stopped_by == "user code"
    assert result.warnings[0].startswith(sentence)
    assert dacalns.check(INSTANCE, result.routes).cost == result.cost


def test_what_does_not_stop() -> None:
    with pytest.raises(InputError, match=r"stopping criterion 'lambda' takes \(\); expected \(snapshot\)"):
        solve(INSTANCE, stop=lambda: True)
    with pytest.raises(InputError, match="every is 0"):
        StopWhen(lambda _: True, every=0)
    with pytest.raises(InputError, match="'lambda' is a function, which the search for fewer vehicles does not ask"):
        solve(INSTANCE, stop=lambda _: True, objective="vehicles-then-distance")


# Callbacks, and other code, that end a search.


def _stop(_: object) -> None:
    raise StopSearch


@pytest.mark.parametrize("listener", ["on_best", "on_progress"])
@pytest.mark.parametrize("options", [{}, {"jobs": 2}, {"objective": "vehicles-then-distance"}])
def test_a_callback_ends_the_search(listener: str, options: dict[str, Any]) -> None:
    result = solve(INSTANCE, stop=600.0, **{listener: _stop}, **options)  # type: ignore[arg-type]
    assert (result.stopped_by, result.warnings) == ("callback", [])
    assert dacalns.check(INSTANCE, result.routes).cost == result.cost


def test_the_best_is_kept() -> None:
    told: list[NewBest] = []

    def third(event: NewBest) -> None:
        told.append(event)
        if len(told) == 3:
            raise StopSearch("good enough")

    result = solve(INSTANCE, stop=600.0, on_best=third, seed=1)
    assert len(told) == len(result.history) == 3
    assert (result.cost, result.stopped_by) == (told[-1].cost, "callback")


class _Selector:
    def select_destroy(self, state: dacalns.State) -> int:
        if state.iteration == 5:
            raise StopSearch
        return 0

    def select_repair(self, destroyed: dacalns.State, destroy: int) -> int:
        return 0

    def update(self, outcome: dacalns.Outcome) -> None:
        pass


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("jobs", [1, 2])
def test_operators_selectors_and_criteria_may_end_it(jobs: int) -> None:
    def stop(*_: object) -> None:
        raise StopSearch

    portfolio = Portfolio(["random_removal"], [stop])
    for options in ({"portfolio": portfolio}, {"acceptance": stop}, {"selector": _Selector()}):
        result = solve(INSTANCE, stop=MaxIterations(500), jobs=jobs, **options)  # type: ignore[arg-type]
        assert (result.stopped_by, result.warnings) == ("callback", [])
    assert solve(INSTANCE, stop=stop, jobs=jobs).stopped_by == "callback"


def test_errors_of_a_callback_name_it() -> None:
    def broken(_: object) -> None:
        raise RuntimeError("the listener's own")

    with pytest.raises(RuntimeError, match="the listener's own") as error:
        solve(INSTANCE, stop=STOP, on_progress=broken)
    assert error.value.__notes__[0].startswith("on_progress 'broken' raised this in iteration ")


def test_a_stepper_takes_code_in_python_along_to_another_instance() -> None:
    asked: list[tuple[str, float, float]] = []

    def some(draft: dacalns.Draft, rng: Any) -> None:
        for customer in rng.choice(sorted(set().union(*draft.routes)), size=3, replace=False).tolist():
            draft.remove(customer)

    def accepts(candidate: float, current: float, best: float, fraction: float, rng: Any) -> bool:
        asked.append((stepper.instance.name, current, fraction))
        return candidate < current

    portfolio = Portfolio([some], ["greedy_repair"])
    stepper = Stepper(INSTANCE, portfolio, accepts, seed=3, budget=10)
    costs = [[stepper.step(0, 0).after for _ in range(10)]]
    for other in ("R101", dacalns.generate_rich(12, {"pairs", "windows"}, seed=1), INSTANCE):
        stepper.reset(seed=3, instance=other)
        assert stepper.step([0] * 10, [0] * 10).removed.min() >= 3
        stepper.reset(seed=3)
        costs.append([stepper.step(0, 0).after for _ in range(10)])
    assert costs[0] == costs[-1]
    assert costs[0] != costs[1]
    assert len({name for name, _, _ in asked}) == 3
    assert all(0 <= fraction <= 1 for _, _, fraction in asked)
    assert max(current for name, current, _ in asked if name == INSTANCE.name) < 2 * max(costs[0])  # in its units
