"""The script that calibrates the baseline: what it tries, and how it ranks."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import dacalns

pytestmark = pytest.mark.slow_without_jit

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "calibrate.py"


def test_the_chosen_ones_were_tried_on_no_benchmark_instance(script: ModuleType) -> None:
    assert dacalns.ACCEPTANCES["calibrated"] in script.ANNEALINGS
    assert dacalns.ACCEPTANCES["version-0.1"] in script.ANNEALINGS
    assert {dacalns.Roulette(), dacalns.Roulette.preset("tuned"), dacalns.Roulette.preset("quick")} <= {*script.WHEELS}
    sizes = [instance.customers for instance in script.instances()]
    assert (len(sizes), min(sizes), max(sizes)) == (72, 20, 79)
    assert not {instance.name for instance in script.instances()} & {*dacalns.instance_names()}


def test_the_lowest_mean_gap_ranks_first(script: ModuleType) -> None:
    settings = [(dacalns.HillClimbing(), dacalns.Roulette())] * 3
    best = np.full(72, 100.0)
    table = np.stack([np.full((72, 2), cost) for cost in (103.0, 101.0, np.inf)])
    rows = script.ranked(settings, table, best)
    assert [row[3] for row in rows] == [1, 0, 2]
    assert rows[0][:3] == pytest.approx((1, 1, 1))
    assert rows[-1][0] == 100, "an infeasible run counts as twice the cost"


def test_costs_are_in_their_places(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "instances", lambda: [dacalns.read(name) for name in ("P-n16-k8", "P-n19-k2")])
    settings = [(dacalns.HillClimbing(), dacalns.Roulette()), (dacalns.SimulatedAnnealing(), dacalns.Roulette())]
    with ThreadPoolExecutor(1) as pool:
        table = script.table_of(pool, settings, 2)
    assert table.shape == (2, 2, 2)
    for place, (acceptance, wheel) in enumerate(settings):
        result = dacalns.solve("P-n19-k2", portfolio="paper", acceptance=acceptance, selector=wheel, seed=1)
        assert table[place, 1, 1] == result.cost
