"""The script that gives selectors roulette's time: who is compared with whom, and what it prints."""

import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "roulette_time.py"


def test_a_line(script: ModuleType) -> None:
    """All five better: p is 1/32, by hand; one tie changes nothing but the count."""
    words = script.line("dac-t", np.array([-0.1, -0.2, -0.3, -0.4, -0.5])).split()
    assert words == ["dac-t", "-0.300", "0.071", "5/0/0", "0.0312", "1.0000"]
    assert script.line("x", np.array([0.0, 0.0])).split()[3:] == ["0/0/2", "1.0000", "1.0000"]


def test_from_the_command_line(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "gaps.json"
    arguments = ["--sizes", "5-8", "--instances", "3", "--seeds", "2", "--selectors", "dac-t,random", "--jobs", "1"]
    monkeypatch.setattr(sys, "argv", ["roulette_time.py", "vrptw", "--sort", "long", *arguments, "--json", str(file)])
    script.main()
    printed = capsys.readouterr().out
    assert "generated:5-8:long: 3 instances, 2 seeds" in printed
    gaps = json.loads(file.read_text())["gaps"]
    assert list(gaps) == ["dac-t", "random"]
    assert all(len(of_selector) == 3 and abs(np.array(of_selector)).max() < 50 for of_selector in gaps.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--sizes", "60"], "instances is 'generated:60'"), (["--selectors", "dac-u"], "selector is 'dac-u'")],
)
def test_mistakes(
    script: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["roulette_time.py", "cvrp", *arguments])
    with pytest.raises(SystemExit) as caught:
        script.main()
    assert caught.value.code == 2
    assert message in capsys.readouterr().err
