"""What a user can follow of a training: progress, metrics, files for TensorBoard, and the summary at its end.

A round is several episodes (searches to learn from) that all begin with the same parameters. A validation compares the
policy with roulette, the classic selector, on instances that were not trained on.
"""

import importlib
import math
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dacalns.learning.rounds import EpisodeReport
from dacalns.learning.validation import Validation
from dacalns.search.portfolio import Portfolio
from dacalns.util.errors import InputError
from dacalns.util.files import append, csv_text, write_atomically

# The summary at the end.


@dataclass(frozen=True)
class TrainingSummary:
    """The outcome of a training.

    Parameters
    ----------
    policy
        The file of the policy.
    state
        The file from which the training can be resumed.
    metrics
        The CSV file with a row for each round.
    rounds, steps, seconds
        How many rounds, iterations of search and seconds it took, over all times that it was resumed.
    validation
        The comparison of the saved policy with roulette; None if there was none.
    stopped_by
        ``"steps"``, ``"no improvement"`` or ``"interrupt"``. After an interrupt the training can be resumed.
    """

    policy: Path
    state: Path
    metrics: Path
    rounds: int
    steps: int
    seconds: float
    validation: Validation | None
    stopped_by: str

    @property
    def finished(self) -> bool:
        """True if nothing cut the training short."""
        return self.stopped_by != "interrupt"

    def __str__(self) -> str:
        validated = "not validated" if self.validation is None else str(self.validation)
        return (
            f"{self.policy}: {self.rounds:,} rounds, {self.steps:,} steps, {self.seconds:.1f} s\n"
            f"  validation  {validated}\n"
            f"  stopped by  {self.stopped_by}"
        )


# Progress while it runs.


@dataclass(frozen=True)
class TrainingProgress:
    """A report on where a running training stands.

    Parameters
    ----------
    phase
        What comes next: ``"training"``, ``"validation"`` or ``"critic"`` (fitting the critic to the policy).
    round
        The number of rounds so far.
    steps, all_steps
        The iterations of search so far, and at the end.
    seconds
        The seconds so far, over all times that it was resumed.
    seconds_to_go
        The seconds until the last round, at the pace of this run; None before its first round.
    episodes_per_second
        The pace of this run, including validations.
    metrics
        The metrics of the latest round, by the names of the columns of the CSV file.
    validation
        The latest validation, if there was one.
    about
        A sentence on what is trained: the kind of policy, how it learns, and for which portfolio.
    """

    phase: str
    round: int
    steps: int
    all_steps: int
    seconds: float
    seconds_to_go: float | None
    episodes_per_second: float
    metrics: Mapping[str, float | None]
    validation: Validation | None
    about: str = ""


# The metrics of every round, as a row of a CSV file.

Metrics = tuple[float | None, ...]
FIRST = ("round", "steps", "seconds", "return", "loss", "entropy")
LAST = ("validation_gap", "validation_wins", "validation_losses")


def columns(portfolio: Portfolio) -> tuple[str, ...]:
    """Return the names of the metrics; those of shares are ``destroy/NAME``, ``repair/NAME`` and ``pair/NAME/NAME``."""
    destroy, repair = ([operator.name for operator in kind] for kind in (portfolio.destroy, portfolio.repair))
    pairs = [f"pair/{one}/{other}" for one in destroy for other in repair]
    return (*FIRST, *(f"destroy/{name}" for name in destroy), *(f"repair/{name}" for name in repair), *pairs, *LAST)


def row_of(number: int, steps: int, seconds: float, reports: Sequence[EpisodeReport]) -> Metrics:
    """Return the metrics of a round that was not validated."""
    uses = np.sum([report.uses for report in reports], axis=0)
    shares = uses / max(1, uses.sum())
    means = [
        math.fsum(getattr(report, name) for report in reports) / len(reports) for name in ("reward", "loss", "entropy")
    ]
    every = [*shares.sum(axis=1), *shares.sum(axis=0), *shares.ravel()]
    return (number, steps, round(seconds, 3), *means, *map(float, every), None, None, None)


def with_validation(row: Metrics, validation: Validation) -> Metrics:
    """Return the metrics of a round with those of its validation."""
    return (*row[: -len(LAST)], validation.gap, validation.wins, validation.losses)


class MetricsFile:
    """A CSV file with a row for each round.

    Parameters
    ----------
    path
        The path of the file; an existing file is replaced.
    names
        The names of the columns.
    rows
        The rows of earlier rounds.
    """

    def __init__(self, path: Path, names: Sequence[str], rows: Sequence[Metrics]) -> None:
        self._path = path
        write_atomically(path, csv_text([names, *rows]))

    def add(self, row: Metrics) -> None:
        """Write a row to the file at once."""
        append(self._path, csv_text([row]))


# Metrics in files that TensorBoard reads.

INSTALL = 'pip install "dac-alns[train]"'


def require_event_files(folder: str | os.PathLike[str]) -> Path:
    """Check, before a long training, that event files can be written to a folder; make the folder if need be.

    Raises
    ------
    InputError
        If they cannot be written, or tensorboardX is missing.
    """
    _tensorboardx()
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{os.fspath(folder)}: cannot be made a folder ({error.strerror}); expected a folder for event files; "
            "choose another."
        ) from None
    return Path(folder)


class EventFiles:
    """An event file, which TensorBoard reads; a training that is resumed writes another one to the same folder.

    Parameters
    ----------
    folder
        The folder to write to.
    names
        The names of the columns of a row.
    rounds
        The number of rounds before this run. TensorBoard drops later ones, which a run that was killed may have left.
    """

    def __init__(self, folder: Path, names: Sequence[str], rounds: int) -> None:
        # TensorBoard takes no other letters.
        self._names = [re.sub(r"[^-/.\w]", "_", name) for name in names]
        # File names contain whole seconds only: a run resumed within the same second would overwrite the file before.
        self._writer = _tensorboardx().SummaryWriter(
            str(folder), purge_step=rounds + 1, filename_suffix=f".{time.time_ns()}"
        )

    def add(self, row: Metrics) -> None:
        """Write a row to the file at once; a round is a step in TensorBoard."""
        values = dict(zip(self._names, row, strict=True))
        number = values.pop("round")
        for name, value in values.items():
            if value is not None:
                self._writer.add_scalar(name, value, number)
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()


def _tensorboardx() -> Any:
    try:
        return importlib.import_module("tensorboardX")
    except ImportError as error:
        raise InputError(
            f"Event files for TensorBoard need tensorboardX, which cannot be imported ({error}); run: {INSTALL}"
        ) from None
