"""Fewest vehicles first: another answer than that for distance, one budget, one history, one result."""

import dataclasses
import json
import os
import signal
import subprocess
import sys

import pytest

import dacalns
from core.oracle import random_instance
from dacalns import InputError, Instance, MaxIterations, MaxTime, NoImprovement, Result, TargetCost, check, solve
from dacalns.search.acceptance import SimulatedAnnealing
from dacalns.search.fewest_vehicles import BUDGET_SHARE, OnBest, OnProgress, vehicles_then_distance
from dacalns.search.portfolio import as_portfolio
from dacalns.search.result import NewBest
from dacalns.search.run import Search
from dacalns.search.start import Routes
from dacalns.selectors import UniformRandom

FIRST = "vehicles-then-distance"


def to_and_fro() -> Instance:
    """Two customers on either side of the depot, 10 away, to be visited in turn: left, right, left, right.

    A vehicle for each side drives 20 + 20. One vehicle for all drives 10 + 20 + 20 + 20 + 10.
    """
    return Instance(
        name="to-and-fro",
        coordinates=[[0, 0], [-10, 0], [10, 0], [-10, 0], [10, 0]],  # type: ignore[arg-type]
        demands=[0, 1, 1, 1, 1],  # type: ignore[arg-type]
        capacity=4,
        windows=[[0, 80], [10, 10], [30, 30], [50, 50], [70, 70]],  # type: ignore[arg-type]
        rounding="exact",
    )


def misfit(fleet: int | None) -> Instance:
    """Seven customers, two to a vehicle, though the demand would fit in three."""
    places = [[0, 0], *([k, 1] for k in range(7))]
    return Instance(name="misfit", coordinates=places, demands=[0] + [4] * 7, capacity=10, fleet=fleet)  # type: ignore[arg-type]


ALONE = [[1], [2], [3], [4]]


def test_the_objectives_have_different_answers() -> None:
    shortest = solve(to_and_fro(), stop=MaxIterations(200), start=ALONE)
    assert (shortest.routes, shortest.cost, shortest.objective) == ([[1, 3], [2, 4]], 40, "distance")
    assert shortest.fleet_phase is None
    fewest = solve(to_and_fro(), stop=MaxIterations(200), start=ALONE, objective=FIRST)
    assert (fewest.routes, fewest.cost, fewest.objective) == ([[1, 2, 3, 4]], 80, FIRST)
    assert check(to_and_fro(), fewest.routes).feasible
    assert fewest.start_cost == 80
    assert "1 route (at least 1 needed), feasible" in str(fewest)


def test_the_bound_ends_the_first_search_early() -> None:
    result = solve(to_and_fro(), stop=MaxIterations(1000), start=ALONE, objective=FIRST)
    phase = result.fleet_phase
    assert phase is not None
    assert (phase.start_vehicles, phase.vehicles, phase.bound) == (4, 1, 1)
    assert 0 < phase.iterations < 100
    assert result.iterations == 1000, "what is left is the second search's"
    assert sum(result.operators.destroy_uses) == 1000 - phase.iterations
    already = solve(to_and_fro(), stop=MaxIterations(50), start=[[1, 2, 3, 4]], objective=FIRST)
    assert already.fleet_phase is not None
    assert (already.fleet_phase.iterations, already.routes) == (0, [[1, 2, 3, 4]])


@pytest.mark.parametrize("iterations", [0, 1, 100])
def test_what_cannot_be_proven_costs_its_share(iterations: int) -> None:
    result = solve(misfit(None), stop=MaxIterations(iterations), objective=FIRST)
    assert result.fleet_phase is not None
    assert (result.fleet_phase.vehicles, result.fleet_phase.bound) == (4, 3)
    assert result.fleet_phase.iterations == -(-iterations * BUDGET_SHARE // 1)
    assert result.iterations == iterations
    assert (result.feasible, len(result.routes)) == (True, 4)


def test_a_fleet_that_is_too_small_leaves_somebody_out() -> None:
    result = solve(misfit(3), stop=MaxIterations(100), objective=FIRST)
    assert (result.feasible, len(result.unserved), len(result.routes)) == (False, 1, 3)
    assert [event.unserved for event in result.history][-1] == 1
    assert result.gap_percent is None


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("matrix", [False, True])
def test_never_more_vehicles_than_the_start_and_never_longer_with_as_many(seed: int, timed: bool, matrix: bool) -> None:
    instance = random_instance(seed, 9, timed=timed, matrix=matrix)
    start = solve(instance, stop=MaxIterations(20), seed=seed).routes
    result = solve(instance, stop=MaxIterations(60), seed=seed, start=start, objective=FIRST)
    verdict = check(instance, result.routes)
    assert verdict.feasible
    assert verdict.cost == pytest.approx(result.cost)
    assert len(result.routes) <= len(start)
    assert len(result.routes) < len(start) or result.cost <= check(instance, start).cost + 1e-9
    assert result.settings["start"] == "given"


def answer(result: Result) -> dict[str, object]:
    kept = result.to_dict()
    for entry in ("seconds", "iterations_per_second", "compile_seconds", "time"):
        del kept[entry]
    kept["history"] = [dataclasses.replace(event, seconds=0) for event in result.history]
    kept["operators"] = result.operators.uses
    kept["fleet_phase"] = dataclasses.replace(result.fleet_phase, seconds=0) if result.fleet_phase else None
    return kept


def test_the_same_seed_gives_the_same_answer_whoever_listens() -> None:
    heard: list[object] = []
    instance = random_instance(4, 14, timed=True)

    def solved(seed: int, **listeners: object) -> dict[str, object]:
        return answer(solve(instance, stop=MaxIterations(150), seed=seed, objective=FIRST, **listeners))  # type: ignore[arg-type]

    assert solved(1) == solved(1, on_best=heard.append, on_progress=heard.append)
    assert len(heard) > 2
    assert solved(2) != solved(1)


def test_one_history_of_both_searches() -> None:
    heard: list[dacalns.NewBest] = []
    seen: list[dacalns.Snapshot] = []
    instance = random_instance(7, 12, timed=True)
    start = [[customer] for customer in range(1, 13)]
    result = solve(
        instance, stop=MaxIterations(300), seed=3, start=start, objective=FIRST, on_best=heard.append,
        on_progress=seen.append,
    )  # fmt: skip
    assert result.fleet_phase is not None
    assert [(event.iteration, event.cost, event.unserved) for event in heard] == [
        (event.iteration, event.cost, event.unserved) for event in result.history
    ]
    ranks = [(len(event.routes), event.cost) for event in heard]
    assert ranks == sorted(set(ranks), reverse=True), "fewer vehicles, or as many and shorter"
    assert [event.vehicles for event in result.history] == [vehicles for vehicles, _ in ranks]
    assert (heard[0].iteration, heard[0].routes) == (0, sorted(start))
    assert (heard[-1].routes, heard[-1].cost) == (result.routes, result.cost)
    assert max(event.iteration for event in heard) > result.fleet_phase.iterations
    for event in heard:
        assert check(instance, event.routes).cost == pytest.approx(event.cost)
    assert [now.iteration for now in seen] == sorted(now.iteration for now in seen)
    assert [now.fraction for now in seen] == sorted(now.fraction for now in seen)
    assert (seen[-1].iteration, seen[-1].fraction, seen[-1].vehicles) == (300, 1.0, len(result.routes))


def test_fewer_vehicles_met_by_the_second_search_are_kept() -> None:
    """It prefers what is shorter, though with more vehicles; the answer does not."""
    instance = to_and_fro()
    met = [
        NewBest(0, 0.0, 60.0, 0, routes=[[1], [2, 4], [3]]),
        NewBest(5, 0.1, 80.0, 0, routes=[[1, 2, 3, 4]]),
        NewBest(6, 0.2, 40.0, 0, routes=[[1, 3], [2, 4]]),
    ]

    class Second:
        def __init__(self, limited: Instance, stop: dacalns.StoppingCriterion, start: Routes) -> None:
            self._plain = Search(
                limited, as_portfolio("paper"), UniformRandom(), SimulatedAnnealing(), MaxIterations(0), 0, start
            )

        def run(self, on_best: OnBest, on_progress: OnProgress, compile_seconds: float) -> Result:
            assert on_best is not None
            for event in met:
                on_best(event)
            return self._plain.run(None, on_progress, compile_seconds)

    start = [[1], [2, 4], [3]]
    result = vehicles_then_distance(instance, Second, MaxIterations(0), 0, start, None, None, 0.0)
    assert (result.routes, result.cost, result.feasible) == ([[1, 2, 3, 4]], 80, True)
    assert [(event.iteration, event.vehicles) for event in result.history] == [(0, 3), (5, 1)]


@pytest.mark.parametrize(
    "stop",
    [
        NoImprovement(40),
        TargetCost(1e9) | MaxIterations(50),
        MaxIterations(30) & NoImprovement(10),
        MaxTime(0.05),
        MaxTime(0),
    ],
    ids=str,
)
def test_every_budget_ends_both_searches(stop: dacalns.StoppingCriterion) -> None:
    result = solve(misfit(None), stop=stop, objective=FIRST)
    assert (result.feasible, result.stopped_by) == (True, "criterion")
    assert result.settings["stop"]["type"] == type(stop).__name__


def test_a_target_alone_does_not_keep_the_first_search_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dacalns.search.fewest_vehicles.FIRST_TRY", 1)
    result = solve(misfit(None), stop=TargetCost(1e9), objective=FIRST)
    assert result.fleet_phase is not None
    assert result.iterations == result.fleet_phase.iterations > 7 * 10
    assert len(result.routes) == 4


@pytest.mark.slow_without_jit
def test_gaps_are_to_what_is_published_for_this_objective() -> None:
    instance = dacalns.read("C201", rounding="exact")
    result = solve(instance, stop=MaxIterations(30), objective=FIRST)
    assert (result.best_known, result.best_known_vehicles) == (591.56, 3)
    if len(result.routes) == 3:
        assert result.gap_percent == pytest.approx(100 * (round(result.cost, 2) / 591.56 - 1))
    else:
        assert result.gap_percent is None
    assert "best-known 3, at least 3 needed" in str(result)
    truncated = solve("C201", stop=MaxIterations(0), objective=FIRST)
    assert (truncated.best_known, truncated.best_known_vehicles, truncated.gap_percent) == (None, None, None)


@pytest.mark.slow_without_jit
def test_where_the_limit_is_the_bound_the_least_distance_is_the_best_known_one() -> None:
    instance = dacalns.read("A-n32-k5")
    result = solve(instance, stop=MaxIterations(30), objective=FIRST)
    assert (result.best_known, result.fleet) == (784, 5)
    assert result.gap_percent == pytest.approx(100 * (result.cost / 784 - 1))
    assert solve(instance.with_(fleet=6), stop=MaxIterations(0), objective=FIRST).best_known is None


def test_it_reads_back_from_json() -> None:
    result = solve(to_and_fro(), stop=MaxIterations(50), start=ALONE, objective=FIRST)
    assert Result.from_json(result.to_json()) == result
    assert result.settings["objective"] == {"name": FIRST, "share": BUDGET_SHARE}
    assert result.time.fleet == result.fleet_phase.seconds > 0  # type: ignore[union-attr]
    old = result.to_dict()
    for entry in ("objective", "best_known_vehicles", "fleet_phase"):
        del old[entry]
    assert Result.from_dict(old).objective == "distance"


@pytest.mark.parametrize("objective", ["vehicles", "distanz", None, 1])
def test_objectives_that_do_not_exist(objective: object) -> None:
    with pytest.raises(
        InputError, match=f"objective is {objective!r}; expected one of distance, vehicles-then-distance"
    ):
        solve(to_and_fro(), objective=objective)  # type: ignore[arg-type]


@pytest.mark.slow_without_jit
def test_the_same_answer_in_plain_python() -> None:
    script = f"""
import dacalns, json
result = dacalns.solve("R105-n20-s1", stop=dacalns.MaxIterations(200), seed=1, objective={FIRST!r})
print(json.dumps([result.cost, result.routes, result.fleet_phase.iterations]))
"""
    here = solve("R105-n20-s1", stop=MaxIterations(200), seed=1, objective=FIRST)
    assert here.fleet_phase is not None
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert json.loads(done.stdout) == [here.cost, here.routes, here.fleet_phase.iterations]


SIGNALLED = """
import dacalns
instance = dacalns.read({name!r}, rounding="exact")
ready = lambda snapshot: print("ready", flush=True)
result = dacalns.solve(instance, stop=1000.0, seed=1, on_progress=ready, objective={objective!r})
assert dacalns.check(instance, result.routes).feasible
second = sum(result.operators.destroy_uses)
print(result.stopped_by, len(result.routes) <= result.fleet_phase.start_vehicles, second > 0, flush=True)
"""


@pytest.mark.slow_without_jit
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize(("name", "second"), [("R104", False), ("C101", True)])
def test_a_signal_ends_either_search_with_the_best_so_far(name: str, second: bool) -> None:
    """R104 keeps the first search busy; C101 starts with as few vehicles as are needed."""
    script = SIGNALLED.format(name=name, objective=FIRST)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert rest.splitlines()[-1] == f"interrupt True {second}"
    assert process.returncode == 0
