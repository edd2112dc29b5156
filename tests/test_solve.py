"""The one call that most users need: determinism, warm starts, stopping, signals, fleets, golden costs."""

import functools
import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import dacalns
from core.oracle import random_instance
from dacalns import (
    AlphaUCB,
    FixedWeights,
    HillClimbing,
    InputError,
    Instance,
    LateAcceptance,
    MaxIterations,
    MaxTime,
    NoImprovement,
    RecordToRecord,
    Result,
    Roulette,
    SimulatedAnnealing,
    TargetCost,
    Threshold,
    UniformRandom,
    check,
    solve,
)

pytestmark = pytest.mark.slow_without_jit

ANNEALING = SimulatedAnnealing(start=0.005, end=0.0005)
SELECTORS = [UniformRandom(), Roulette(), AlphaUCB(), FixedWeights.independent([1, 1], [1, 1, 2])]
CRITERIA = [SimulatedAnnealing(), RecordToRecord(), Threshold(), HillClimbing(), LateAcceptance()]


def answer(result: Result) -> dict[str, object]:
    """A result without its times, which no two runs share."""
    kept = result.to_dict()
    for entry in ("seconds", "iterations_per_second", "compile_seconds", "time"):
        del kept[entry]
    kept["history"] = [(event.iteration, event.cost, event.unserved) for event in result.history]
    kept["operators"] = {name: use for name, use in kept["operators"].items() if "seconds" not in name}
    return json.loads(json.dumps(kept))  # type: ignore[no-any-return]


def solved(name: str, iterations: int = 500, seed: int = 1) -> dict[str, object]:
    return answer(solve(name, stop=MaxIterations(iterations), seed=seed, acceptance=ANNEALING))


# --- the same answer -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["A-n32-k5", "R101"])
def test_the_same_seed_gives_the_same_answer_and_another_does_not(name: str) -> None:
    assert solved(name) == solved(name)
    assert solved(name, seed=2)["routes"] != solved(name)["routes"]


@pytest.mark.parametrize(("plain", "iterations"), [("0", 500), ("1", 60)])
def test_the_same_answer_in_a_fresh_process_and_in_plain_python(plain: str, iterations: int) -> None:
    script = f"""
import dacalns, json
annealing = dacalns.SimulatedAnnealing(start=0.005, end=0.0005)
for name in ("A-n32-k5", "R101"):
    result = dacalns.solve(name, stop=dacalns.MaxIterations({iterations}), seed=1, acceptance=annealing)
    print(json.dumps([result.cost, result.routes]))
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": plain, "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    for line, name in zip(done.stdout.splitlines(), ("A-n32-k5", "R101"), strict=True):
        here = solved(name, iterations)
        assert json.loads(line) == [here["cost"], here["routes"]]


def test_the_same_answer_in_spawned_processes() -> None:
    work = functools.partial(solve, dacalns.read("A-n32-k5"), stop=MaxIterations(500), acceptance=ANNEALING)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        results = [pool.apply(work, kwds={"seed": seed}) for seed in (1, 2)]
    assert [answer(result) for result in results] == [solved("A-n32-k5"), solved("A-n32-k5", seed=2)]


def test_the_same_answer_in_another_thread() -> None:
    found: list[dict[str, object]] = []
    thread = threading.Thread(target=lambda: found.append(solved("A-n32-k5")))
    thread.start()
    thread.join()
    assert found == [solved("A-n32-k5")]


def test_listening_changes_nothing() -> None:
    heard: list[object] = []
    talkative = functools.partial(solve, "A-n32-k5", stop=MaxIterations(500), seed=1, acceptance=ANNEALING)
    for callbacks in ({"on_best": heard.append}, {"on_progress": heard.append}, {"on_compile": lambda: None}):
        assert answer(talkative(**callbacks)) == solved("A-n32-k5")
    assert len(heard) > 2


# --- what listeners hear -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["A-n32-k5", "RC101"])
def test_every_improvement_is_reported_with_its_routes(name: str) -> None:
    instance, heard = dacalns.read(name), []
    start = [[customer] for customer in range(1, instance.customers + 1)]
    instance = instance.with_(fleet=None)
    result = solve(instance, stop=MaxIterations(400), seed=3, start=start, on_best=heard.append)
    assert len(heard) == len(result.history) > 5
    for event, noted in zip(heard, result.history, strict=True):
        assert (event.iteration, event.cost, event.unserved) == (noted.iteration, noted.cost, 0)
        verdict = check(instance, event.routes)
        assert verdict.feasible
        assert verdict.cost == pytest.approx(event.cost)
    costs = [event.cost for event in heard]
    assert costs == sorted(set(costs), reverse=True)
    assert (heard[0].iteration, heard[0].cost) == (0, result.start_cost)
    assert heard[-1].routes == result.routes


def test_snapshots_go_forward() -> None:
    heard: list[dacalns.Snapshot] = []
    result = solve("A-n32-k5", stop=MaxIterations(60_000), on_progress=heard.append)
    assert [snapshot.iteration for snapshot in heard] == sorted(snapshot.iteration for snapshot in heard)
    last = heard[-1]
    assert (last.iteration, last.fraction, last.unserved) == (60_000, 1.0, 0)
    assert last.cost == result.cost
    assert last.gap_percent == pytest.approx(result.gap_percent)
    assert sum(last.destroy_uses.values()) == sum(last.repair_uses.values()) == 60_000


def test_errors_of_a_listener_come_through() -> None:
    def fail(_event: object) -> None:
        raise RuntimeError("the listener's own")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(RuntimeError, match="the listener's own"):
        solve("A-n32-k5", stop=MaxIterations(1000), on_progress=fail)
    assert signal.getsignal(signal.SIGINT) is before


# --- starting and stopping -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["A-n32-k5", "R101"])
def test_a_warm_start_is_kept_and_never_made_worse(name: str, tmp_path: Path) -> None:
    first = solve(name, stop=MaxIterations(300), seed=5)
    kept = solve(name, stop=MaxIterations(0), start=first.routes)
    assert (kept.routes, kept.cost, kept.iterations) == (first.routes, first.cost, 0)
    assert kept.settings["start"] == "given"
    path = tmp_path / "first.sol"
    dacalns.write_solution(path, first.routes, first.cost)
    further = solve(name, stop=MaxIterations(300), seed=6, start=path)
    assert further.start_cost == first.cost
    assert further.cost <= first.cost


def test_a_bad_start_is_repaired() -> None:
    instance = dacalns.read("A-n32-k5")
    result = solve(instance, stop=MaxIterations(0), start=[list(range(1, 32))])
    verdict = check(instance, result.routes)
    assert verdict.cost == result.cost
    assert {violation.kind for violation in verdict.violations} <= {"missing"}
    assert sorted(violation.customer for violation in verdict.violations) == result.unserved


def test_a_start_of_another_instance() -> None:
    with pytest.raises(InputError, match="is this a solution of another instance"):
        solve("A-n32-k5", start=[[99]], stop=MaxIterations(1))


@pytest.mark.parametrize("iterations", [0, 1, 777])
def test_iterations_are_exact(iterations: int) -> None:
    result = solve("A-n32-k5", stop=MaxIterations(iterations))
    assert (result.iterations, result.stopped_by) == (iterations, "criterion")
    assert sum(result.operators.destroy_uses) == iterations


def test_default_budgets() -> None:
    assert solve("P-n16-k8").iterations == dacalns.default_iterations(15, "full") == 65_000
    assert solve("P-n16-k8", portfolio="paper").iterations == 2000
    assert dacalns.default_iterations(40) == 2000
    assert dacalns.default_iterations(101) == 5050


def test_no_time_returns_the_start() -> None:
    start = solve("A-n32-k5", stop=MaxIterations(0))
    result = solve("A-n32-k5", stop=0)
    assert (result.iterations, result.routes) == (0, start.routes)
    assert result.feasible
    assert result.cost == result.start_cost


def test_time_is_a_limit() -> None:
    result = solve("A-n32-k5", stop=MaxTime(0.05))
    assert result.iterations > 0
    assert result.stopped_by == "criterion"


def test_the_target_stops_at_once() -> None:
    """By a selector that does not look at how much of the budget is used, which a target changes."""
    search = functools.partial(solve, "A-n32-k5", seed=1, acceptance=HillClimbing(), selector="random")
    free = search(stop=MaxIterations(3000))
    target = free.history[len(free.history) // 2]
    result = search(stop=TargetCost(target.cost) | MaxIterations(3000))
    assert result.iterations == target.iteration
    assert result.cost == target.cost
    assert solve("A-n32-k5", stop=TargetCost(10_000)).iterations == 0
    assert solve("A-n32-k5", stop=TargetCost(1) | MaxIterations(50)).iterations == 50


def test_no_improvement_counts_from_the_last_one() -> None:
    result = solve("A-n32-k5", stop=NoImprovement(200), seed=2)
    assert result.iterations == result.history[-1].iteration + 200


def test_all_of_waits_for_both() -> None:
    result = solve("A-n32-k5", stop=MaxIterations(500) & NoImprovement(100), seed=2)
    assert result.iterations == max(500, result.history[-1].iteration + 100)


SIGNALLED = """
import sys, dacalns
def ready(snapshot):
    print("ready", flush=True)
result = dacalns.solve("A-n80-k10", stop=1000.0, seed=1, on_progress=ready, jobs=JOBS)
assert dacalns.check(dacalns.read("A-n80-k10"), result.routes).cost == result.cost
print(result.stopped_by, result.feasible, result.iterations > 0, result.cost <= result.start_cost, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_search_with_the_best_so_far(number: signal.Signals, jobs: int) -> None:
    script = SIGNALLED.replace("JOBS", str(jobs))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(number)
            rest, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert rest.splitlines()[-1] == "interrupt True True True"
    assert process.returncode == 0


# --- side by side --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["A-n32-k5", "R101"])
def test_one_job_is_the_search_as_it_is_and_two_are_the_same_again(name: str) -> None:
    options = {"stop": MaxIterations(500), "seed": 1, "acceptance": ANNEALING}
    assert answer(solve(name, jobs=1, **options)) == solved(name)  # type: ignore[arg-type]
    one, two = (solve(name, jobs=2, **options) for _ in range(2))  # type: ignore[arg-type]
    assert answer(one) == answer(two)
    assert (one.jobs, one.iterations, one.seed) == (2, 1000, 1)
    verdict = check(dacalns.read(name), one.routes)
    assert verdict.feasible
    assert verdict.cost == one.cost


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "2", True, None, 1025])
def test_jobs_that_make_no_sense(jobs: object) -> None:
    with pytest.raises(InputError, match=r"jobs is .*; expected a whole number from 1 to 1024"):
        solve("A-n32-k5", jobs=jobs, stop=MaxIterations(1))  # type: ignore[arg-type]


def test_more_jobs_than_cores() -> None:
    result = solve("P-n16-k8", jobs=40, stop=MaxIterations(50))
    assert (result.jobs, result.iterations) == (40, 2000)


def test_jobs_search_at_once() -> None:
    """A search that waits for another in Python would never end if the other had to wait for it."""
    both = threading.Barrier(2, timeout=60)

    class Waiting:
        def __deepcopy__(self, memory: object) -> "Waiting":
            return Waiting()

        def select_destroy(self, state: dacalns.State) -> int:
            if state.iteration == 3:
                both.wait()
            return 0

        def select_repair(self, destroyed: dacalns.State, destroy: int) -> int:
            return 0

        def update(self, outcome: dacalns.Outcome) -> None:
            pass

    assert solve("P-n16-k8", selector=Waiting(), jobs=2, stop=MaxIterations(5)).iterations == 10


@pytest.mark.parametrize("selector", ["ucb", "wheel", "ac", "dac:improved", "dac-t"])
def test_selectors_that_learn_side_by_side(selector: str) -> None:
    one, two = (solve("A-n32-k5", selector=selector, jobs=3, stop=MaxIterations(200), seed=2) for _ in range(2))
    assert answer(one) == answer(two)
    assert sum(one.operators.destroy_uses) == one.iterations == 600
    if one.explanation is not None:  # of the search that found the solution
        assert one.explanation.iterations[-1] == 200


# --- what comes out ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda selector: selector.name)
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: type(criterion).__name__)
@pytest.mark.parametrize("name", ["A-n32-k5", "RC101"])
def test_every_selector_with_every_criterion(name: str, criterion: object, selector: object) -> None:
    instance = dacalns.read(name)
    result = solve(
        instance, portfolio="paper", selector=selector, acceptance=criterion, stop=MaxIterations(150), seed=4
    )  # type: ignore[arg-type]
    verdict = check(instance, result.routes)
    assert verdict.feasible
    assert verdict.cost == result.cost <= result.start_cost
    assert all(uses > 0 for row in result.operators.uses for uses in row), "a pair is never tried"
    assert result.settings["acceptance"]["type"] == type(criterion).__name__


def test_fixed_weights_of_zero_are_never_used() -> None:
    result = solve("A-n32-k5", portfolio="paper", selector="weights:1,0/0,1,2", stop=MaxIterations(300))
    (random_greedy, *_), worst = result.operators.uses[0][1:], result.operators.uses[1]
    assert worst == [0, 0, 0]
    assert result.operators.uses[0][0] == 0
    assert random_greedy == pytest.approx(100, abs=40)


@pytest.mark.parametrize("name", dacalns.instance_names())
def test_no_answer_is_below_the_best_known(name: str) -> None:
    instance = dacalns.read(name)
    result = solve(instance, stop=MaxIterations(500), seed=1, acceptance=ANNEALING)
    verdict = check(instance, result.routes)
    assert verdict.cost == pytest.approx(result.cost, abs=1e-9)
    assert len(result.routes) <= (instance.fleet or instance.customers)
    assert {violation.kind for violation in verdict.violations} <= {"missing"}
    assert result.feasible == verdict.feasible
    assert result.best_known is not None
    if result.feasible:
        assert result.cost >= result.best_known
        assert result.gap_percent == pytest.approx(100 * (result.cost / result.best_known - 1))


GOLDEN = {
    "A-n32-k5": 784.0,
    "A-n80-k10": 1793.0,
    "B-n57-k7": 1194.0,
    "P-n76-k5": 653.0,
    "C101": 827.3,
    "R101": 1641.2,
    "R211": 816.4,
    "RC208": 868.7,
}
WHEEL = Roulette(scores=(33, 9, 13, 0), segment=100, reaction=0.1)


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_costs(name: str) -> None:
    """A change of these numbers is a change of the search: look at the quality benchmark before updating them."""
    result = solve(name, portfolio="paper", stop=MaxIterations(2000), seed=1, acceptance=ANNEALING, selector=WHEEL)
    assert result.cost == GOLDEN[name]


def test_what_is_searched_with_by_default() -> None:
    mine = dacalns.Portfolio(["string_removal"], ["blink_repair"], name="mine")
    for portfolio, selector in (("full", "dac-t"), ("paper", "roulette"), (mine, "roulette")):
        result = solve("A-n32-k5", portfolio=portfolio, stop=MaxIterations(10))  # type: ignore[arg-type]
        assert (result.portfolio, result.selector) == (getattr(portfolio, "name", portfolio), selector)
    for name in ("A-n32-k5", "R101"):
        usual = solve(name, stop=MaxIterations(10))
        assert (usual.portfolio, usual.selector) == ("full", "dac-t")


@pytest.mark.parametrize("name", ["B-n57-k7", "P-n55-k15", "P-n22-k8", "P-n16-k8"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_tight_fleet_is_never_exceeded(name: str, seed: int) -> None:
    instance = dacalns.read(name)
    assert instance.fleet is not None
    result = solve(instance, stop=MaxIterations(1500), seed=seed)
    assert len(result.routes) <= instance.fleet
    served = itertools.chain(*result.routes)
    assert sorted([*served, *result.unserved]) == list(range(1, instance.customers + 1))
    assert result.feasible == (not result.unserved) == check(instance, result.routes).feasible


def misfit() -> Instance:
    """Seven customers, three vehicles, two customers to a vehicle: no sum of demands tells that one is left over."""
    return Instance(
        name="misfit",
        coordinates=[[0, 0], *([k, 1] for k in range(7))],  # type: ignore[arg-type]
        demands=[0, 4, 4, 4, 4, 4, 4, 4],  # type: ignore[arg-type]
        capacity=10,
        fleet=3,
    )


def test_an_infeasible_result_says_who_is_not_served() -> None:
    instance = misfit()
    result = solve(instance, stop=MaxIterations(50))
    assert not result.feasible
    assert len(result.unserved) == 1
    assert result.gap_percent is None
    assert f"INFEASIBLE: unserved customer {result.unserved[0]}" in str(result)
    assert Result.from_json(result.to_json()) == result
    assert check(instance, result.routes).violations[0].customer == result.unserved[0]


@pytest.mark.parametrize("target", [30, 10_000])
def test_a_target_is_not_met_by_leaving_customers_out(target: float) -> None:
    """Neither where the routes without them are short enough, nor where even the penalty is."""
    result = solve(misfit(), stop=TargetCost(target) | MaxIterations(30))
    assert (result.feasible, result.iterations) == (False, 30)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rounding", ["round", "none"])
def test_times_hold_on_matrices_without_the_triangle_inequality(seed: int, rounding: str) -> None:
    instance = random_instance(seed, 10, timed=True, matrix=True, rounding=rounding)
    result = solve(instance, stop=MaxIterations(300), seed=seed)
    assert check(instance, result.routes).feasible == result.feasible


def test_a_late_solution_is_no_new_best() -> None:
    """Customer 2 shortens the way from 4 to 5 by much, but without it customer 3 is reached after 51, not 3."""
    far = 50
    matrix = [
        [0, 1, 1, 1, 1, 1],
        [1, 0, 1, far, far, far],
        [1, 1, 0, 1, 1, 1],
        [1, far, 1, 0, far, far],
        [1, far, 1, far, 0, 4 * far],
        [1, far, 1, far, 4 * far, 0],
    ]
    instance = Instance(
        name="shortcut",
        matrix=matrix,  # type: ignore[arg-type]
        demands=[0, 1, 1, 1, 1, 1],  # type: ignore[arg-type]
        capacity=3,
        windows=[[0, 999], [0, 999], [0, 999], [0, 9], [0, 999], [0, 999]],  # type: ignore[arg-type]
    )
    start = [[1, 2, 3], [4, 5]]
    assert check(instance, start).feasible
    one_by_one = dacalns.Portfolio([dacalns.random_removal.at(count=(1, 1))], [dacalns.greedy_repair])
    for seed in range(12):
        result = solve(instance, stop=MaxIterations(1), seed=seed, start=start, portfolio=one_by_one)
        assert result.feasible
        assert check(instance, result.routes).violations == []


@pytest.mark.parametrize("customers", [1, 2])
@pytest.mark.parametrize("timed", [False, True])
def test_the_smallest_instances(customers: int, timed: bool) -> None:
    instance = random_instance(0, customers, timed=timed)
    result = solve(instance, stop=MaxIterations(30))
    assert check(instance, result.routes).feasible
    assert result.feasible


def test_customers_at_the_depot() -> None:
    """All distances zero: nothing to divide by."""
    instance = Instance(name="point", coordinates=[[1, 1]] * 5, demands=[0, 1, 1, 1, 1], capacity=2)  # type: ignore[arg-type]
    result = solve(instance, stop=MaxIterations(30))
    assert (result.cost, result.feasible) == (0, True)
    assert Result.from_json(result.to_json()) == result
