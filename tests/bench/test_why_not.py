"""The benchmark of reasons with planted causes: a few of each cause, and what counts as right."""

import dataclasses
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dacalns.instances import generate_rich
from dacalns.instances.instance import Instance

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "why_not.py"
CAUSES = (
    "window-early", "window-late", "vehicle-short", "forbidden", "broken-pair", "capacity", "duration", "distance",
    "depot-closes", "prize-low",
)  # fmt: skip


def test_every_cause_is_tried(script: ModuleType) -> None:
    assert tuple(script.PLANTED) == CAUSES


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("cause", CAUSES)
def test_planted_causes_are_found_and_done_away_with(script: ModuleType, cause: str) -> None:
    found = script.outcomes([cause], 3, 1000, 1500)
    assert [(each.cause, each.right, each.served) for each in found] == [(cause, True, True)] * 3, found
    assert all(each.relaxation.endswith(".") for each in found)
    assert len({each.number for each in found}) == 3


@pytest.mark.slow_without_jit
def test_nothing_planted_is_nothing_found(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(instance: Instance, dice: np.random.Generator) -> object:
        return script.Case(instance, [instance.depots])

    fair = dataclasses.replace(script.PLANTED["capacity"], plant=nothing)
    monkeypatch.setitem(script.PLANTED, "capacity", fair)
    for number in range(6):
        with pytest.raises(script.UnsuitableError):
            script.outcome("capacity", number, 1500)


def test_what_is_planted_is_there(script: ModuleType) -> None:
    instance = generate_rich(15, {"windows"}, seed=4)
    dice = np.random.default_rng(3)
    early = script.window_early(instance, dice)
    [node] = early.customers
    assert early.instance.windows[node, 1] < instance.distances[0, node]
    large = script.capacity(instance, dice)
    assert large.instance.demands[large.customers[0]] > instance.capacity


@pytest.mark.slow_without_jit
def test_the_table_and_the_file(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "found.json"
    script.main(["--instances", "2", "--causes", "capacity", "prize-low", "--iterations", "800", "--json", str(path)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["cause", "instances", "refused", "main", "served", "seconds"]
    assert [line.split()[0] for line in lines[1:]] == ["capacity", "prize-low", "all"]
    assert lines[-1].split()[1] == "2"
    assert [each["cause"] for each in json.loads(path.read_text())] == ["capacity", "prize-low"]
