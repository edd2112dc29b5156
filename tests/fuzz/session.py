"""A run over targets: mutate, try, and keep what fails, once for each kind of failure."""

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fuzz import mutate
from fuzz.oracle import minimised, save, trouble
from fuzz.targets import SUBJECTS


@dataclass
class SessionOutcome:
    """How many inputs each target took, and the failures by target and kind, with the file of each."""

    inputs: Counter[str] = field(default_factory=Counter)
    failures: dict[tuple[str, str], Path] = field(default_factory=dict)
    repeated: Counter[tuple[str, str]] = field(default_factory=Counter)


def inputs_of(name: str, seed: int) -> Iterator[bytes]:
    """The corpus of a target, then mutations of it for ever; the same for the same seed."""
    subject = SUBJECTS[name]
    corpus = subject.corpus()
    yield from corpus
    rng = random.Random(f"{name} {seed}")
    while True:
        yield mutate.mutated(rng, rng.choice(corpus), corpus, subject.changes)


def run(
    names: Sequence[str], seed: int, folder: Path, *, seconds: float | None = None, each: int | None = None
) -> SessionOutcome:
    """Try inputs on targets in turn, for a time or for a number of inputs each."""
    outcome = SessionOutcome()
    streams = {name: inputs_of(name, seed) for name in names}
    ends = None if seconds is None else time.monotonic() + seconds
    while each is None or outcome.inputs.total() < each * len(names):
        for name in names:
            # A turn is a stretch of time, so that quick targets get more inputs than slow ones.
            turn = time.monotonic() + 1.0
            while ends is None or time.monotonic() < min(turn, ends):
                _try(outcome, name, next(streams[name]), folder)
                if ends is None and outcome.inputs[name] % (each or 1) == 0:
                    break
        if ends is not None and time.monotonic() >= ends:
            break
    return outcome


def _try(outcome: SessionOutcome, name: str, data: bytes, folder: Path) -> None:
    outcome.inputs[name] += 1
    run = SUBJECTS[name].run
    found = trouble(run, data)
    if found is None:
        return
    kind, details = found
    outcome.repeated[name, kind] += 1
    if (name, kind) not in outcome.failures:
        path = save(folder, name, minimised(run, data, kind), kind, details)
        outcome.failures[name, kind] = path
        print(f"{name}: {kind}\n  {path}", flush=True)
