"""Protocols so small that they take no time."""

import sys

import pytest

from dacalns.cli import main
from dacalns.study.load_protocol import load_protocol

SMALL = """
title = "Small"
seeds = [0, 100]

[budgets.iterations]
iterations = 200

[groups.Tiny]
dataset = "CVRP"
scale = "Small"
instances = ["P-n16-k8", "P-n19-k2"]

[methods.ALNS]
selector = "roulette"

[methods.Random]
selector = "random"
"""


@pytest.fixture
def protocol(tmp_path):
    """A protocol from text; left out, a small one."""

    def load(text=SMALL, name="small.toml"):
        path = tmp_path / name
        path.write_text(text)
        return load_protocol(path)

    return load


@pytest.fixture
def dac_alns(monkeypatch, capsys):
    """Run ``dac-alns study`` in this process; returns exit code, standard output and standard error."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["dac-alns", "study", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return run
