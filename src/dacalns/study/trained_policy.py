"""A study trains the policies that its methods need before it does the runs."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dacalns.engines import Engine
from dacalns.learning.monitor import TrainingProgress
from dacalns.learning.standing import Files
from dacalns.learning.trainer import train
from dacalns.study.content_key import code_version, digest
from dacalns.study.protocol import PolicyTraining
from dacalns.study.store import Store
from dacalns.util.files import file_name

FOLDER = "policies"
POLL_SECONDS, RENEW_SECONDS = 0.5, 30.0


class StudyInterrupted(Exception):  # noqa: N818
    """The user asked to stop."""


def trained_policies(
    store: Store,
    training: PolicyTraining,
    engine: Engine,
    on_progress: Callable[[str, TrainingProgress], None] | None = None,
) -> dict[int, str]:
    """Return the files of a training's policies, one for each of its seeds; policies that are missing are trained now.

    A training that was interrupted goes on where it stopped.

    Raises
    ------
    StudyInterrupted
        If Ctrl-C ended a training; the next call goes on.
    """
    return {
        seed: str(_trained_policy(store, training, seed, options, engine, on_progress))
        for seed, options in training.each().items()
    }


def _trained_policy(
    store: Store,
    training: PolicyTraining,
    seed: int,
    options: dict[str, Any],
    engine: Engine,
    on_progress: Callable[[str, TrainingProgress], None] | None,
) -> Path:
    folder = store.path.parent / FOLDER
    folder.mkdir(exist_ok=True)
    made_from = digest({"options": _plain(options), "code": code_version("learning")})
    name = f"{file_name(training.name)}-{seed}-{made_from[:12]}"
    told_as = training.name if len(training.seeds) == 1 else f"{training.name}, seed {seed}"
    policy = folder / f"{name}.safetensors"
    # Another runner on this folder may be training the same policy; wait for it.
    while not store.claim(f"training {name}"):
        time.sleep(POLL_SECONDS)
    renewed = time.monotonic()

    def tell(progress: TrainingProgress) -> None:
        nonlocal renewed
        if time.monotonic() - renewed > RENEW_SECONDS:
            store.renew_claims()
            renewed = time.monotonic()
        if on_progress is not None:
            on_progress(told_as, progress)

    try:
        there = Files.beside(policy).state.exists()
        summary = train(**options, out=policy, resume=there, engine=engine, on_progress=tell)
    finally:
        store.give_up_claims()
    if not summary.finished:
        raise StudyInterrupted
    return policy


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, int | float | bool) else str(value) for name, value in options.items()}
