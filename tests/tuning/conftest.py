"""Tunings without searches: a made-up cost of settings stands in for them."""

import math
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from dacalns.tuning.evaluation import Answer, Evaluation

TUNING = """
[tune]
instances = ["generated-cvrp-n10-s1", "generated-cvrp-n10-s2", "generated-cvrp-n10-s3"]
seeds = 2
iterations = 100
trials = 8

[acceptance]
type = "LocalAnnealing"
start = { low = 0.5, high = 8.0, log = true }
end = 0.1

[selector]
name = "roulette"
segment = { low = 10, high = 90, step = 20 }
"""


class Here:
    """An engine that makes each call when its answer is asked for, one after the other, in this process."""

    def __init__(self, slots: int = 1, fails_after: float = math.inf) -> None:
        self.slots, self.calls, self._left = slots, 0, fails_after

    def submit(self, call: Any, *arguments: Any) -> "Future[Any]":
        if self.calls >= self._left:
            raise KeyboardInterrupt
        self.calls += 1
        future: Future[Any] = Future()
        try:
            future.set_result(call(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def __enter__(self) -> "Here":
        return self

    def __exit__(self, *_: object) -> None:
        pass


def made_up(evaluation: Evaluation) -> Answer:
    """Lowest at start = 3 and segment = 50; instances differ, and seeds a little."""
    acceptance: Any = evaluation.settings.acceptance
    segment = evaluation.settings.selector.values.get("segment", 100) if evaluation.settings.selector else 100
    away = abs(math.log(acceptance.start / 3.0)) + abs(segment - 50) / 50 if acceptance is not None else 3.0
    base = 100.0 + 10 * int(evaluation.instance.name[-1])
    return Answer(base * (1 + 0.02 * away) + 0.01 * evaluation.seed, 0)


@pytest.fixture
def no_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Evaluation, "answer", made_up)


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(text: str = TUNING, name: str = "mine.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written
