"""States, operators and criteria of ``alns`` run unchanged in our search."""

import os
import re
import signal
import threading
from copy import deepcopy
from typing import Any

import alns
import numpy as np
import pytest

import dacalns
from dacalns import interop
from dacalns.search.acceptance import PythonAcceptance
from interop.numbers import DESTROY, REPAIR, START, Values, rng, see

pytestmark = pytest.mark.slow_without_jit


def solved(**given: Any) -> interop.AnyResult:
    arguments: dict[str, Any] = {
        "destroy": DESTROY, "repair": REPAIR, "selector": "roulette", "stop": dacalns.MaxIterations(200), "seed": 1,
    }  # fmt: skip
    return interop.solve(START, **(arguments | given))


class First(alns.select.OperatorSelectionScheme):  # type: ignore[misc]
    """The first operators, without a draw."""

    def __call__(self, rng: Any, best: Any, curr: Any) -> tuple[int, int]:
        return 0, 0

    def update(self, candidate: Any, d_idx: int, r_idx: int, outcome: Any) -> None:
        pass


@pytest.mark.parametrize(
    "accept",
    [
        alns.accept.SimulatedAnnealing(20, 1, 0.99),
        alns.accept.RecordToRecordTravel(30, 1, 0.1),
        alns.accept.LateAcceptanceHillClimbing(5),
        alns.accept.GreatDeluge(1.5, 0.01),
    ],
    ids=lambda criterion: type(criterion).__name__,
)
def test_a_search_goes_the_way_that_it_goes_in_alns(accept: Any) -> None:
    search = alns.ALNS(rng(7))
    for operator in DESTROY[:1]:
        search.add_destroy_operator(operator)
    for operator in REPAIR[:1]:
        search.add_repair_operator(operator)

    theirs = search.iterate(START, First(1, 1), deepcopy(accept), alns.stop.MaxIterations(150))
    for _ in range(2):  # the criterion is copied, so that it begins anew
        ours = solved(
            destroy=search.destroy_operators, repair=search.repair_operators, accept=accept,
            stop=alns.stop.MaxIterations(150), seed=7,
        )  # fmt: skip
        assert ours.objectives.tolist() == theirs.statistics.objectives.tolist()
        assert ours.best_state.values == theirs.best_state.values
        assert ours.destroy_operator_counts == dict(theirs.statistics.destroy_operator_counts)
        assert ours.iterations == 150


@pytest.mark.parametrize("selector", ["random", "ucb", "dac", "dac:improved", "ac:improved"])
def test_a_result_says_all_of_a_search(selector: str) -> None:
    result = solved(selector=selector, features=see if "ac" in selector else None)
    assert (result.iterations, result.stopped_by, result.warnings) == (200, "criterion", [])
    assert result.objective == result.best_state.objective() == result.objectives.min()
    assert result.start_objective == result.objectives[0] == START.objective()
    assert result.history[0] == (0, 0.0, START.objective())
    assert [objective for _, _, objective in result.history] == sorted(
        {objective for _, _, objective in result.history}, reverse=True
    )
    assert result.objectives[result.history[-1][0]] == result.objective
    assert result.pair_counts.sum() == 200
    assert result.pair_counts.sum(axis=0).tolist() == [
        sum(result.repair_operator_counts[name]) for name in ("near", "far")
    ]
    assert sum(result.time_split.values()) == pytest.approx(result.seconds, abs=1e-3)
    assert str(result).startswith(f"objective {result.objective:g}, from 250, in 200 iterations")
    again = solved(selector=selector, features=see if "ac" in selector else None)
    assert again.objectives.tolist() == result.objectives.tolist()


def test_our_criteria_and_names() -> None:
    climbing = solved(accept="hill-climbing")
    assert (np.diff(climbing.objectives) <= 0).all()
    free = solved(accept=dacalns.SimulatedAnnealing(10.0, 5.0))
    assert (np.diff(free.objectives) > 0).any()
    stalled = solved(accept=dacalns.LateAcceptance(10), stop=dacalns.NoImprovement(15) | 60)
    assert stalled.iterations == stalled.history[-1][0] + 15
    assert solved(stop=0.0).iterations == 0
    assert solved(stop=dacalns.TargetCost(100.0) | dacalns.MaxIterations(10_000)).objective <= 100
    assert solved(stop=lambda rng, best, current: best.objective() < 100).objective < 100
    cooled = solved(accept=dacalns.RecordToRecord(0.9, 1e-6), stop=alns.stop.MaxIterations(300))
    assert cooled.objectives[-1] - cooled.objective < cooled.objectives[:150].max() - cooled.objectives[:150].min()


def test_listeners_see_candidates_and_may_change_them() -> None:
    seen: list[str] = []

    def note(name: str) -> Any:
        return lambda candidate, rng, **arguments: seen.append(f"{name} {arguments['word']}")

    def polish(candidate: Values, rng: Any, **_: Any) -> None:
        seen.append("best")
        candidate.values[:] = [value / 2 for value in candidate.values]

    result = solved(on_best=polish, on_reject=note("reject"), operator_arguments={"word": "hello"})
    assert {"best", "reject hello"} <= set(seen)
    assert result.objective == result.best_state.objective() < 1


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda state, rng: 1 / 0, "repair operator 'bad' raised ZeroDivisionError: division by zero in iteration 4"),
        (lambda state, rng: None, "objective.. of what repair operator 'bad' left in iteration 4 raised"),
        (lambda state, rng: Values([float("nan")]), "'bad' left in iteration 4 is nan; expected a finite number"),
    ],
)
def test_code_that_fails_ends_the_search_and_keeps_the_best(broken: Any, message: str) -> None:
    calls = iter(range(100))

    def bad(state: Any, rng: Any) -> Any:
        return REPAIR[0](state, rng) if next(calls) < 3 else broken(state, rng)

    result = solved(repair=[("bad", bad)])
    assert (result.stopped_by, result.iterations) == ("user code", 3)
    assert len(result.warnings) == 1
    assert re.search(message, result.warnings[0])
    assert result.objective == result.objectives.min() < START.objective()


def test_ctrl_c_keeps_the_best() -> None:
    began = threading.Event()

    def slow(state: Any, rng: Any) -> Any:
        if not began.is_set():
            began.set()
            os.kill(os.getpid(), signal.SIGINT)
        return REPAIR[0](state, rng)

    result = solved(repair=[slow], stop=dacalns.MaxIterations(1_000_000))
    assert result.stopped_by == "interrupt"
    assert result.iterations < 1000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"accept": dacalns.LocalAnnealing()}, "measures distances between customers"),
        ({"accept": "climbing"}, "acceptance is 'climbing'"),
        ({"accept": 3}, "acceptance is 3"),
        ({"stop": "soon"}, "stop is 'soon'"),
        ({"stop": alns.stop.MaxIterations}, "stop is"),
        ({"seed": -1}, "seed is -1"),
        ({"destroy": "all"}, "destroy is 'all'"),
    ],
)
def test_what_cannot_be_used(given: Any, message: str) -> None:
    with pytest.raises(dacalns.InputError, match=message):
        solved(**given)


def test_a_state_without_an_objective() -> None:
    with pytest.raises(dacalns.InputError, match=r"objective\(\) of the first state raised"):
        interop.solve(3, destroy=DESTROY, repair=REPAIR, stop=1.0)


def test_criteria_of_ours_in_python_and_adapted_ones_serve_here_too() -> None:
    stop = alns.stop.MaxIterations(60)
    theirs = solved(accept=alns.accept.HillClimbing(), stop=stop)
    for accept in (
        interop.from_alns_acceptance(alns.accept.HillClimbing()),
        PythonAcceptance(lambda candidate, current, *_: candidate <= current),
    ):
        assert (
            solved(accept=accept, stop=interop.from_alns_stop(stop)).objectives.tolist() == theirs.objectives.tolist()
        )
    failed = solved(accept=PythonAcceptance(lambda *_: 1 // 0), stop=stop)
    assert failed.stopped_by == "user code"
    assert "acceptance criterion raised ZeroDivisionError" in failed.warnings[0]
    for bad in (dacalns.StopWhen(lambda _: True), dacalns.MaxIterations(20) | dacalns.StopWhen(lambda _: True)):
        with pytest.raises(dacalns.InputError, match="expected the function alone"):
            solved(stop=bad)
