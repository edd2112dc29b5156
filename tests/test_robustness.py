"""Mistakes that were made once, and users who ask too much."""

import dataclasses
import os
import subprocess
import sys
import threading

import pytest

import dacalns
from core.oracle import random_instance
from dacalns import MaxIterations, solve


@pytest.mark.slow_without_jit
def test_a_portfolio_file_runs_again_from_the_cache(tmp_path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import dacalns\n"
        "@dacalns.repair_operator()\n"
        "def first_fit(problem, solution, rng):\n"
        "    k = 0\n"
        "    while k < solution.counts[1]:\n"
        "        customer, placed = solution.bank[k], False\n"
        "        for route in range(solution.counts[0] + 1):\n"
        "            placed = placed or dacalns.insert(problem, solution, customer, route, 0)\n"
        "        k += 0 if placed else 1\n"
        "mine = dacalns.Portfolio(['random_removal'], [first_fit, 'greedy_repair'])\n"
    )
    command = [sys.executable, "-m", "dacalns", "solve", "A-n32-k5", "--portfolio", str(path), "--iterations", "50"]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "portfolio custom" in done.stdout


def test_large_times_get_no_large_allowance() -> None:
    now = 1.7e9
    instance = dacalns.Instance(
        name="epoch", coordinates=[[0, 0], [10.5, 0], [10.5, 9.9]], demands=[0, 1, 1], capacity=5,
        windows=[[now, now + 1000], [now, now + 10.6], [now, now + 20]], rounding="exact",
    )  # fmt: skip
    result = solve(instance, stop=MaxIterations(20))
    assert result.feasible
    assert dacalns.check(instance, result.routes).feasible


def test_a_start_that_is_feasible_up_to_the_last_bit_is_kept() -> None:
    far = 1000.0
    legs = {(0, 1): 0, (1, 2): 0.1, (2, 3): 2.7, (3, 4): 0.2, (4, 0): 2}
    matrix = [[0 if i == j else legs.get((i, j), far) for j in range(5)] for i in range(5)]
    instance = dacalns.Instance(
        name="bits", matrix=matrix, demands=[0, 1, 1, 1, 1], capacity=4, fleet=1,
        windows=[[0, 2000], [0, 2000], [0, 2000], [0, 2000], [0, 3]],
    )  # fmt: skip
    assert dacalns.check(instance, [[1, 2, 3, 4]]).feasible
    assert solve(instance, start=[[1, 2, 3, 4]], stop=MaxIterations(10)).cost == 5


@pytest.mark.slow_without_jit
def test_a_constant_from_outside_is_not_frozen_in_the_cache(tmp_path) -> None:
    path = tmp_path / "swept.py"
    path.write_text(
        "import os\nimport dacalns\nLIMIT = int(os.environ['LIMIT'])\n"
        "@dacalns.destroy_operator(count=(5, 20))\n"
        "def few(problem, solution, count, rng):\n"
        "    for customer in range(1, 1 + LIMIT):\n"
        "        dacalns.remove(problem, solution, customer)\n"
        "mine = dacalns.Portfolio([few], ['greedy_repair'])\n"
    )
    command = [sys.executable, "-m", "dacalns", "solve", "A-n32-k5", "--portfolio", str(path), "--iterations", "20"]
    for limit in ("1", "7"):
        report = tmp_path / f"{limit}.json"
        subprocess.run([*command, "--json", str(report)], env=os.environ | {"LIMIT": limit}, check=True)
        assert dacalns.Result.from_json(report).operators.mean_removed == [float(limit)]


@pytest.mark.slow_without_jit
def test_searches_in_threads_leave_the_process_as_it_was() -> None:
    hook = sys.unraisablehook
    threads = [threading.Thread(target=solve, args=("P-n16-k8",), kwargs={"stop": s}) for s in (0.2, 0.5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.unraisablehook is hook


def test_annealing_does_not_depend_on_the_unit() -> None:
    def answer(unit: float) -> list[list[int]]:
        instance = random_instance(5, 9)
        scaled = dataclasses.replace(instance, coordinates=instance.coordinates * unit, rounding="exact")
        return solve(scaled, stop=MaxIterations(50), seed=3).routes

    assert answer(1.0) == answer(2.0**-20)
