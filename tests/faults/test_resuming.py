"""Trainings and studies that are ended at any moment, by any signal, and go on."""

import os
import random
import signal
import sqlite3
import time

import pytest

from faults.command import PATIENCE, ended, started

pytestmark = [pytest.mark.slow_without_jit, pytest.mark.faults]
TRAIN = (
    "train", "--problem", "cvrp", "--instances", "generated:20-25", "--kind", "wheel", "--episodes", 4,
    "--validation-instances", 4, "--steps", 700_000, "--jobs", 2,
)  # fmt: skip
PROTOCOL = """
title = "Ended at any moment"
seeds = [0, 1, 2]
[budgets.iterations]
iterations = 20000
[groups."CVRP Small"]
dataset = "CVRP"
scale = "Small"
instances = ["A-n32-k5", "P-n16-k8", "P-n40-k5", "A-n45-k6"]
[methods.ALNS]
selector = "roulette"
[methods.Random]
selector = "random"
"""
RUNS = 3 * 4 * 2
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


def hurt(process, number, delay, group):
    """Send a signal to a process, or to all of its group, as a terminal does that is closed."""
    time.sleep(delay)
    if process.poll() is None:
        (os.killpg if group else os.kill)(process.pid, number)
    return process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "p.safetensors"
    code, _, err = ended(*TRAIN, "--out", path)
    assert code == 0, err
    return path.read_bytes()


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("number", SIGNALS)
def test_a_training_goes_on_to_the_same_policy(tmp_path, policy, number, group):
    path = tmp_path / "p.safetensors"

    def command():
        state = path.with_name(path.name + ".state")
        return *TRAIN, "--out", path, "--resume" if state.exists() else "--force"

    draw = random.Random(number * 2 + group)
    codes = set()
    for _ in range(3):
        process = started(*command(), start_new_session=True)
        _, err = hurt(process, number, draw.uniform(1, 9), group)
        assert "Traceback" not in err
        codes.add(process.returncode)
    assert codes <= {0, 130, 128 + number, -signal.SIGKILL}
    code, _, err = ended(*command())
    assert code == 0, err
    assert path.read_bytes() == policy


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("number", SIGNALS)
def test_a_study_goes_on_with_every_row_once(tmp_path, number, group):
    protocol = tmp_path / "study.toml"
    protocol.write_text(PROTOCOL)
    folder = tmp_path / "out"
    draw = random.Random(number * 2 + group)
    for _ in range(3):
        process = started("study", "run", protocol, "--out", folder, "--jobs", 2, start_new_session=True)
        _, err = hurt(process, number, draw.uniform(1, 8), group)
        assert "Traceback" not in err
    code, out, err = ended("study", "run", protocol, "--out", folder, "--jobs", 2)
    assert code == 0, err
    with sqlite3.connect(folder / "study.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = database.execute("SELECT count(*), count(DISTINCT key), sum(status = 'done') FROM runs").fetchone()
    assert rows == (RUNS, RUNS, RUNS), out
