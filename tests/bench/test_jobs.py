"""The script that compares several cores with one: one short run."""

import runpy
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow_without_jit

SCRIPT = str(Path(__file__).parents[2] / "benchmarks" / "jobs.py")


def test_gaps_wins_losses_and_ties(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["P-n16-k8", "P-n19-k2", "--iterations", "200", "--seeds", "2", "--portfolio", "paper"]
    monkeypatch.setattr(sys, "argv", [SCRIPT, *arguments])
    runpy.run_path(SCRIPT, run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["dac-alns", "instance", "P-n16-k8", "P-n19-k2", "mean", "2"]
    words = lines[-1].replace(",", "").split()
    counts = [int(words[words.index(word) + shift]) for word, shift in (("better", 1), ("worse", 1), ("same", 1))]
    assert sum(counts) == 4


def test_more_jobs_than_cores_cannot_be_compared_by_the_clock(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [SCRIPT, "P-n16-k8", "--jobs", "1000"])
    with pytest.raises(SystemExit):
        runpy.run_path(SCRIPT, run_name="__main__")
    assert "1000 jobs need as many cores" in capsys.readouterr().err
