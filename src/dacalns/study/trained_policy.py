"""The policies that a study trains for itself."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dacalns.engines import Engine
from dacalns.learning.files import Files
from dacalns.learning.progress import TrainingProgress
from dacalns.learning.trainer import train
from dacalns.study.content_key import code_version, digest
from dacalns.study.protocol import Training
from dacalns.study.store import Store

FOLDER = "policies"
POLL_SECONDS, RENEW_SECONDS = 0.5, 30.0


class StudyInterrupted(Exception):  # noqa: N818
    """Somebody asked to stop."""


def trained_policy(
    store: Store,
    training: Training,
    engine: Engine,
    on_progress: Callable[[str, TrainingProgress], None] | None = None,
) -> Path:
    """The policy of a training, trained now if it is not there; half a training is gone on with.

    Raises
    ------
    StudyInterrupted
        If Ctrl-C ended it; the next call goes on.
    """
    folder = store.path.parent / FOLDER
    folder.mkdir(exist_ok=True)
    options = dict(training.options)
    name = f"{training.name}-{digest({'options': _plain(options), 'code': code_version()})[:12]}"
    policy = folder / f"{name}.safetensors"
    # Another runner on this folder may be training it.
    while not store.claim(f"training {name}"):
        time.sleep(POLL_SECONDS)
    renewed = time.monotonic()

    def tell(progress: TrainingProgress) -> None:
        nonlocal renewed
        if time.monotonic() - renewed > RENEW_SECONDS:
            store.renew_claims()
            renewed = time.monotonic()
        if on_progress is not None:
            on_progress(training.name, progress)

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
