"""What came of a training."""

from dataclasses import dataclass
from pathlib import Path

from dacalns.learning.validation import Validation


@dataclass(frozen=True)
class TrainingSummary:
    """What came of a training.

    Parameters
    ----------
    policy
        The file of the policy.
    state
        The file that a training goes on from.
    metrics
        The CSV file with a row for each round.
    rounds, steps, seconds
        How many rounds, iterations of search and seconds it took, over all runs.
    validation
        The saved policy against roulette; None if it was not validated.
    stopped_by
        ``"steps"``, ``"no improvement"`` or ``"interrupt"``: after the last, it can go on.
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
        """Whether nothing cut it short."""
        return self.stopped_by != "interrupt"

    def __str__(self) -> str:
        validated = "not validated" if self.validation is None else str(self.validation)
        return (
            f"{self.policy}: {self.rounds:,} rounds, {self.steps:,} steps, {self.seconds:.1f} s\n"
            f"  validation  {validated}\n"
            f"  stopped by  {self.stopped_by}"
        )
