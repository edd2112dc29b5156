"""A few of the inputs of `make fuzz` at every run of the tests, always the same ones; and the harness itself."""

import random
import time
from pathlib import Path

import pytest

from dacalns.util.errors import InputError
from fuzz import mutate
from fuzz.oracle import UnexpectedError, minimised, save, trouble
from fuzz.session import inputs_of, run
from fuzz.targets import SUBJECTS

# Quick targets get more of the ten seconds.
INPUTS = {"study": 60, "command": 80, "protocol": 150, "result": 250}


@pytest.mark.parametrize("name", SUBJECTS)
def test_nothing_but_input_errors(name: str, tmp_path: Path) -> None:
    outcome = run([name], 0, tmp_path, each=INPUTS.get(name, 400))
    assert outcome.failures == {}


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_it_begins_with_is_fine(name: str, tmp_path: Path) -> None:
    # The first ones: others are parts of files, or start where only another instance can.
    SUBJECTS[name].run(SUBJECTS[name].corpus()[0], tmp_path)


def test_the_same_seed_gives_the_same_inputs() -> None:
    for name in ("vrp", "settings", "policy", "result"):
        one, other = inputs_of(name, 3), inputs_of(name, 3)
        assert [next(one) for _ in range(20)] == [next(other) for _ in range(20)]


def test_every_kind_of_failure_is_told() -> None:
    def fails(data: bytes, _: Path) -> None:
        if b"key" in data:
            raise KeyError("x")
        if b"long" in data:
            raise InputError("x")
        if b"odd" in data:
            raise UnexpectedError("exit code 3\nmore")

    found = trouble(fails, b"a key")
    assert found is not None
    assert found[0].startswith("KeyError in test_fuzz.py:")
    assert trouble(fails, b"odd") == ("exit code 3", "exit code 3\nmore")
    assert trouble(fails, b"long") is None
    assert trouble(fails, b"fine") is None


def test_what_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(_: bytes, __: Path) -> None:
        ends = time.process_time() + 30
        while time.process_time() < ends:
            pass

    monkeypatch.setattr("fuzz.oracle.SECONDS", 0.1)
    found = trouble(busy, b"")
    assert found is not None
    assert found[0].startswith("over 0.1 s")


def test_failures_are_made_shorter_and_kept(tmp_path: Path) -> None:
    def fails(data: bytes, _: Path) -> None:
        if b"x" in data:
            raise UnexpectedError("an x")

    data = minimised(fails, b"abc" * 100 + b"x" + b"def" * 100, "an x")
    assert data == b"x"
    path = save(tmp_path / "new", "vrp", data, "an x", "details")
    assert path.read_bytes() == b"x"
    assert f"--target vrp --input {path}" in path.with_name(path.name + ".txt").read_text()


def test_changes_keep_to_their_limit() -> None:
    rng = random.Random(1)
    for name, subject in SUBJECTS.items():
        corpus = subject.corpus()
        for change in set(subject.changes):
            changed = [mutate.mutated(rng, corpus[0], corpus, (change,)) for _ in range(5)]
            assert all(len(data) <= mutate.LARGEST for data in changed), name
            assert any(data != corpus[0] for data in changed), (name, change)
