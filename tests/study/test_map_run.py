"""A small map from the command line to its report: killed, resumed, and run twice."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from dacalns.study.rows import DONE
from dacalns.study.store import Store

from .map_study import METHODS, SCREENING
from .synthetic_study import count_runs

pytestmark = pytest.mark.slow_without_jit

SMALL = (
    """\
title = "A small map"
paper = "comparative"
seeds = [0, 100]

[map]
crossed = ["target", "bonus"]
learners = ["DAC", "AC"]
baselines = ["ALNS"]
references = ["ALNS", "Always"]
screening = ["CVRP screening"]

[map.choices.target]
two-step = {}
joint.learning.target = "joint"

[map.choices.bonus]
small = {}
large.rewards.delta = 1.0

[map.choices.worst]
count = {}
ratio.portfolio = "ratio"

[budgets.iterations]
iterations = 60

[budgets.time]
like = "ALNS"
"""
    + METHODS
    + SCREENING
    + """
[groups."CVRP Small"]
dataset = "CVRP"
scale = "Small"
instances = ["P-n16-k8", "P-n19-k2"]
"""
)
# What a machine's speed decides.
TIMES = {"wall_seconds": None, "cpu_seconds": None, "finished": "", "history": []}
# 8 readings of two learners, 2 baselines, 1 more reference; in equal time 8 readings and 2 references; 5 seeds in all.
RUNS = (8 * 2 + 2 + 1 + 8 + 2) * 5


def rows_of(folder):
    """The rows with as many iterations for all, by member, without what depends on the speed of the machine."""
    with Store(folder) as store:
        (study,) = store.studies()
    assert len(study.rows) == len(study.members) == RUNS
    assert all(row.status == DONE for row in study.rows.values())
    return {
        member: replace(study.rows[member.key], **TIMES) for member in study.members if member.budget == "iterations"
    }


def test_a_small_map_from_end_to_end(dac_alns, tmp_path):
    path, folder = tmp_path / "small.toml", tmp_path / "study"
    path.write_text(SMALL)
    code, out, _ = dac_alns("show", path)
    assert code == 0
    assert f"small: A small map, {RUNS} runs" in out
    assert "8 readings:" in out

    # Killed in the middle.
    command = [sys.executable, "-m", "dacalns", "study", "run", str(path), "--out", str(folder), "--jobs", "1"]
    runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ))
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and runner.poll() is None and count_runs(folder / "study.sqlite") < 5:
        time.sleep(0.02)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    assert 5 <= count_runs(folder / "study.sqlite") < RUNS
    # What there is can be reported.
    assert "## The map" in dac_alns("report", folder, "--format", "md")[1]

    assert dac_alns("run", path, "--out", folder, "--jobs", 2)[0] == 0
    assert dac_alns("run", path, "--out", tmp_path / "again", "--jobs", 2)[0] == 0
    rows = rows_of(folder)
    assert rows == rows_of(tmp_path / "again")
    # Readings are not all the same, or nothing was varied.
    assert len({row.cost for member, row in rows.items() if member.instance == "P-n19-k2"}) > 3
    ratio = [row for member, row in rows.items() if member.method == "ALNS [ratio]"]
    assert all(row.settings["portfolio"]["destroy"][1]["fraction"] for row in ratio)

    for kind in ("md", "latex", "html", "csv"):
        code, out, _ = dac_alns("report", folder, "--format", kind, "--out", tmp_path / f"report.{kind}")
        assert code == 0
    text = (tmp_path / "report.md").read_text()
    assert "every expected run is done and feasible" in text
    assert "too few instances to tell" in text
    assert (tmp_path / "report_figures" / "small-heat-dac-alns-cvrp.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "report.csv").read_text().count("\n") == RUNS + 1
