"""Protocols so small that they take no time."""

import pytest

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
