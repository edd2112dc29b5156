"""The benchmark's plumbing, on tiny cases: no figure is held against a clock here."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import dacalns
from dacalns.bench import driving, speed
from dacalns.bench import measure as memory
from dacalns.bench import measure as startup
from dacalns.bench import speed_cases as cases
from dacalns.bench.driving import Driven, measure_driving
from dacalns.bench.measure import Startup, measure_throughput, operator_microseconds
from dacalns.bench.speed_cases import LearnedCase, SpeedCase, learned_cases, speed_cases
from dacalns.bench.tables import Bar

OPERATORS = ["random_removal", "worst_removal", "random_repair", "greedy_repair", "regret_repair"]


def test_a_bar_from_below() -> None:
    assert Bar("x", 2, 2, "s").met
    missed = Bar("x", 1999, 2000, "it/s")
    assert not missed.met
    assert str(missed) == "x: 1,999 it/s, target at least 2,000"
    assert missed.limit == "≥ 2,000"


def test_a_bar_from_above() -> None:
    assert Bar("x", 2, 2, "s", at_least=False).met
    missed = Bar("x", 2.5, 2, "s", at_least=False)
    assert not missed.met
    assert str(missed) == "x: 2.5 s, target at most 2"


def test_the_cases_without_the_shared_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "SHARED", Path("nowhere"))
    instances = [case.load() for case in speed_cases()]
    assert [instance.customers for instance in instances] == [79, 100, 199, 1000]
    assert [instance.problem for instance in instances] == ["cvrp", "vrptw", "cvrp", "cvrp"]
    assert [case.load().customers for case in learned_cases()] == [40, 79, 100, 199, 1000]


def test_data_next_to_the_working_directory_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "SHARED", Path("elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    dacalns.write_instance(dacalns.generate_cvrp(5), tmp_path / "elsewhere" / "X-n200-k36.vrp")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert [case.load().customers for case in speed_cases()[2:]] == [5, 1000]


def test_operator_times_are_means_over_the_uses() -> None:
    results = [
        dacalns.solve("P-n16-k8", portfolio="paper", selector="random", stop=dacalns.MaxIterations(50), seed=seed)
        for seed in (1, 2)
    ]
    times = operator_microseconds(results)
    assert list(times) == OPERATORS
    spent = sum(result.operators.repair_seconds[1] for result in results)
    uses = sum(result.operators.repair_uses[1] for result in results)
    assert times["greedy_repair"] == pytest.approx(1e6 * spent / uses)


def test_throughput_has_both_sides() -> None:
    measured = measure_throughput(dacalns.read("P-n16-k8"), 0.06)
    assert measured.iterations_per_second > 0
    assert measured.ratio == measured.iterations_per_second / measured.peer_iterations_per_second
    assert list(measured.operators) == OPERATORS


def test_all_ways_to_drive_a_search_are_measured() -> None:
    driven = measure_driving(dacalns.generate_cvrp(9, seed=1), 0.003)
    assert all(speed.blind > 0 for speed in driven.values())
    seeing = {name for name, speed in driven.items() if speed.seeing is not None}
    assert seeing == {driving.PHASES, driving.TOGETHER, driving.SINGLE, driving.MANY, driving.PAIRS}
    assert set(driven) - seeing == {driving.LOOP, driving.ARRAYS}


@pytest.mark.skipif(sys.platform == "win32", reason="not measured there")
def test_memory_of_a_child() -> None:
    measured = memory.measure_memory(customers=20, seconds=0.0)
    assert measured is not None
    assert 10 < measured < 2048


def test_startup_is_measured_with_an_empty_cache_once(monkeypatch: pytest.MonkeyPatch) -> None:
    caches, bytecode = [], set()

    def note(command: list[str], *, env: dict[str, str], **_: object) -> None:
        assert command[1:3] == ["-m", "dacalns"]
        assert "PYTHONDONTWRITEBYTECODE" not in env
        caches.append(env.get("NUMBA_CACHE_DIR"))
        bytecode.add(env["PYTHONPYCACHEPREFIX"])

    monkeypatch.setattr(subprocess, "run", note)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    measured = startup.measure_startup()
    assert measured.warm >= 0
    assert len(bytecode) == 1
    usual = os.environ.get("NUMBA_CACHE_DIR")
    assert caches[:-1] == [usual] * 4
    assert caches[-1] not in (None, usual)
    assert not os.path.exists(caches[-1] or "")


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """One tiny case with a bar nobody reaches, and no subprocesses."""
    tiny_case = SpeedCase(lambda: dacalns.read("P-n16-k8"), 1e12, ratio=1e-12)
    monkeypatch.setattr(speed, "speed_cases", lambda: [tiny_case])
    learned_case = LearnedCase(lambda: dacalns.read("P-n16-k8"), online=1e12, frozen=1e-12)
    monkeypatch.setattr(speed, "learned_cases", lambda: [learned_case])
    monkeypatch.setattr(speed, "measure_startup", lambda: Startup(warm=1.0, cold=100.0))
    monkeypatch.setattr(speed, "measure_memory", lambda: 300.0)
    driven = {driving.PHASES: Driven(9_000.0, 4_321.0), driving.TOGETHER: Driven(50_000.0)}
    monkeypatch.setattr(speed, "measure_driving", lambda *_: driven)


@pytest.mark.usefixtures("tiny")
def test_run_speed_prints_returns_and_writes(tmp_path: Path) -> None:
    text = StringIO()
    path = tmp_path / "figures.json"
    figures = speed.run_speed(Console(file=text, width=140), 0.03, path)
    assert json.loads(path.read_text()) == figures
    missed = [sentence.split(":")[0] for sentence in figures["missed"]]
    together = f"driven from Python, {driving.TOGETHER}"
    assert missed == ["P-n16-k8", "P-n16-k8, dac", together, "cold, all compiled"]
    assert [bar["met"] for bar in figures["targets"]] == [False, True, False, True, True, False, True, False, True]
    assert figures["driven"][driving.PHASES] == {"blind": 9_000.0, "seeing": 4_321.0}
    assert list(figures["learned"][0]["time_ratios"]) == ["roulette", "dac", "dac-t", "dac-t hold 50"]
    for expected in (
        "P-n16-k8",
        "regret",
        "300 MiB",
        "missed: cold",
        "pure Python",
        "dac-t hold 50",
        "Time of an iteration",
        "4,321",
        "60 to 310 ms an iteration",
    ):
        assert expected in text.getvalue()


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan")])
def test_seconds_must_be_positive(seconds: float) -> None:
    with pytest.raises(dacalns.InputError, match="expected more than 0"):
        speed.run_speed(Console(file=StringIO()), seconds)


def test_a_path_that_cannot_be_written_is_told_first(tmp_path: Path) -> None:
    with pytest.raises(dacalns.InputError):
        speed.run_speed(Console(file=StringIO()), 1.0, tmp_path / "nowhere" / "figures.json")
