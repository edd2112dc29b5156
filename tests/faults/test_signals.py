"""Signals at any moment of a search."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

import dacalns
from faults.command import INSTANCE, PATIENCE, complaints, ended, is_solution, started

pytestmark = pytest.mark.slow_without_jit
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(scope="module")
def until_it_searches():
    """Seconds after which a search has begun for certain, on this machine."""
    began = time.monotonic()
    assert ended("solve", INSTANCE, "--time", 0)[0] == 0
    return 1 + 3 * (time.monotonic() - began)


def require_answer_or_sentence(code, out, err, number, sol, report):
    """A process that a signal has ended has handed over the best so far, or says in one sentence that there is none."""
    assert "Traceback" not in err
    left = sorted(path.name for path in sol.parent.iterdir())
    if code == 0:
        assert "stopped by interrupt" in out
        assert is_solution(sol)
        assert dacalns.Result.from_json(report).feasible
        assert left == sorted([sol.name, report.name])
    else:
        assert code == 128 + number
        assert out == ""
        assert err.splitlines()[-1] == "Interrupted before there was a solution."
        assert left == []


def interrupted(tmp_path, number, delay, *options, **more):
    files = tmp_path / "files"
    files.mkdir()
    sol, report = files / "x.sol", files / "x.json"
    process = started("solve", INSTANCE, "--time", 600, "--out", sol, "--json", report, *options, **more)
    time.sleep(delay)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    if process.returncode == -number and delay < 1:  # Python itself was still starting
        assert list(files.iterdir()) == []
        return
    require_answer_or_sentence(process.returncode, out, err, number, sol, report)


def test_a_signal_while_everything_is_loaded(tmp_path):
    interrupted(tmp_path, signal.SIGINT, 0.5)


@pytest.mark.faults
@pytest.mark.parametrize("number", ENDING)
@pytest.mark.parametrize("delay", [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 6.0])
def test_a_signal_at_any_moment(tmp_path, number, delay):
    interrupted(tmp_path, number, delay + random.uniform(0, 0.2))


@pytest.mark.faults
@pytest.mark.parametrize("number", ENDING)
@pytest.mark.parametrize("delay", [2, 8, 20])
def test_a_signal_while_kernels_are_compiled(tmp_path, number, delay):
    interrupted(tmp_path, number, delay, environment={"NUMBA_CACHE_DIR": str(tmp_path / "cache")})


@pytest.mark.faults
@pytest.mark.parametrize("options", [("--jobs", 2), ("--objective", "vehicles-then-distance"), ("--selector", "dac")])
def test_a_signal_in_other_searches(tmp_path, options, until_it_searches):
    interrupted(tmp_path, signal.SIGHUP, until_it_searches, *options)


@pytest.mark.faults
def test_several_signals_in_a_row_cost_nothing(tmp_path, until_it_searches):
    sol = tmp_path / "x.sol"
    process = started("solve", INSTANCE, "--time", 600, "--out", sol)
    time.sleep(until_it_searches)
    for _ in range(3):
        process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert is_solution(sol)


@pytest.mark.faults
def test_what_nobody_hears_is_not_heard(tmp_path):
    process = subprocess.Popen(
        ["nohup", sys.executable, "-m", "dacalns", "solve", "P-n16-k8", "--time", "4"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    for _ in range(8):
        time.sleep(0.5)
        process.send_signal(signal.SIGHUP)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "stopped by criterion" in out


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(10))
def test_kill_leaves_old_files_or_new_ones(tmp_path, seed):
    sol = tmp_path / "x.sol"
    dacalns.write_solution(sol, dacalns.solve(INSTANCE, stop=0).routes)
    before = sol.read_bytes()
    process = started("solve", INSTANCE, "--time", 0.3, "--out", sol)
    time.sleep(random.Random(seed).uniform(0.5, 4))
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert sol.read_bytes() == before or is_solution(sol)


@pytest.mark.faults
def test_a_pipe_that_nobody_reads_is_given_up_after_a_signal(tmp_path):
    pipe, report = tmp_path / "x.sol", tmp_path / "x.json"
    os.mkfifo(pipe)
    process = started("solve", INSTANCE, "--time", 0.5, "--out", pipe, "--json", report)
    deadline = time.monotonic() + PATIENCE
    while not report.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert f"wrote {report}" in out
    assert complaints(err) == f"Error: {pipe}: not written: a signal ended the wait for it.\n"
    assert dacalns.Result.from_json(report).feasible


@pytest.mark.faults
def test_output_that_nobody_reads_is_given_up_after_a_signal(tmp_path, until_it_searches):
    report = tmp_path / "x.json"
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for piece in (b"x" * 65536, b"x"):
        try:
            while True:
                os.write(writing, piece)
        except BlockingIOError:
            pass
    os.set_blocking(writing, True)
    process = started("solve", INSTANCE, "--time", 0.5, "--json", report, stdout=writing)
    os.close(writing)
    time.sleep(until_it_searches)
    assert not report.exists()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    os.close(reading)
    assert dacalns.Result.from_json(report).feasible


LIBRARY = """
import os, random, signal, sys, threading
import dacalns

draw = random.Random(int(sys.argv[1]))
stop = dacalns.MaxIterations(300)
for _ in range(5):
    timer = threading.Timer(draw.uniform(0.1, 7), os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        print("stopped", dacalns.solve("A-n80-k10", stop=600).stopped_by)
    except KeyboardInterrupt:
        print("interrupted")
    assert not timer.is_alive(), "a search has ended without its signal"
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print(dacalns.solve("A-n80-k10", stop=stop).cost, dacalns.solve("R101", stop=stop, selector="roulette").cost)
"""


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(4))
def test_a_program_that_is_interrupted_while_it_compiles_can_search_again(tmp_path, seed):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", LIBRARY, str(seed)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    *told, costs = done.stdout.splitlines()
    assert len(told) == 5
    assert set(told) <= {"interrupted", "stopped interrupt"}
    stop = dacalns.MaxIterations(300)
    expected = dacalns.solve(INSTANCE, stop=stop).cost, dacalns.solve("R101", stop=stop, selector="roulette").cost
    assert costs == f"{expected[0]} {expected[1]}"
