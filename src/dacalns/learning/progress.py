"""How a training that runs is told."""

from collections.abc import Mapping
from dataclasses import dataclass

from dacalns.learning.validation import Validation


@dataclass(frozen=True)
class TrainingProgress:
    """Where a running training stands.

    Parameters
    ----------
    phase
        What it does next: ``"training"``, ``"validation"`` or ``"critic"``.
    round
        Rounds so far.
    steps, all_steps
        Iterations of search so far, and at the end.
    seconds
        So far, over all runs.
    seconds_to_go
        Until the last round, at the pace of this run; None before its first round.
    episodes_per_second
        The pace of this run, validation and all.
    metrics
        Of the latest round, by the names of the columns of the CSV file.
    validation
        The latest.
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
