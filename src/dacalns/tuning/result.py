"""What a tuning tells while it runs, and what it found."""

from dataclasses import dataclass
from pathlib import Path

from dacalns.settings import Settings


@dataclass(frozen=True)
class TuningProgress:
    """How far a tuning has come.

    Parameters
    ----------
    done, trials
        The number of trials that are over, and of all.
    pruned
        How many of them were given up early.
    defaults
        The mean gap of the defaults, in percent.
    best, best_trial
        The lowest mean gap so far, and the number of its trial; None before the first trial is complete.
    is_new_best
        True if the trial that ended last is the best one.
    """

    done: int
    trials: int
    pruned: int
    defaults: float
    best: float | None
    best_trial: int | None
    is_new_best: bool


@dataclass(frozen=True)
class Comparison:
    """The best settings beside the defaults on instances that were not tuned on.

    Parameters
    ----------
    instances
        The number of instances.
    change
        By how many percent the best settings are dearer, on the mean over instances: below 0 is better.
    better, worse
        On how many instances they are cheaper, and dearer.
    p_value
        The two-sided p-value of Wilcoxon's exact signed-rank test over instances; 1 if all are equal.
    """

    instances: int
    change: float
    better: int
    worse: int
    p_value: float

    def __str__(self) -> str:
        return (
            f"on {self.instances} instances not tuned on, the best settings change the cost of the defaults by "
            f"{self.change:+.2f} %: better on {self.better}, worse on {self.worse}, p = {self.p_value:.3g}"
        )


@dataclass(frozen=True)
class TuningResult:
    """What a tuning found.

    Parameters
    ----------
    settings
        The best settings; those of the defaults if no trial is complete.
    gap, default_gap
        Their mean gap on the instances tuned on, in percent, and that of the defaults.
    best_trial
        The number of the best trial; None if none is complete.
    trials, pruned
        The number of trials that are over, and how many of them were given up early.
    file
        The file of the best settings.
    storage
        What ``optuna-dashboard`` takes to show the study.
    check
        The comparison on other instances, if the tuning has any.
    interrupted
        True if the tuning was interrupted; the same call goes on with it.
    """

    settings: Settings
    gap: float
    default_gap: float
    best_trial: int | None
    trials: int
    pruned: int
    file: Path
    storage: str
    check: Comparison | None = None
    interrupted: bool = False

    def __str__(self) -> str:
        lines = [
            f"{self.trials} trials, {self.pruned} of them given up early; the defaults have {self.default_gap:.3f} %"
        ]
        if self.best_trial is not None:
            lines.append(f"best: {self.gap:.3f} % by trial {self.best_trial}, written to {self.file}")
        if self.check is not None:
            lines.append(str(self.check))
        return "\n".join([*lines, f"look: optuna-dashboard {self.storage}"])
