"""Tuning: settings that are given as ranges, and a study in Optuna's storage that looks for the best ones."""

from dacalns.tuning.plan import TuningPlan, load_plan
from dacalns.tuning.result import TuningProgress, TuningResult
from dacalns.tuning.run import tune

__all__ = ["TuningPlan", "TuningProgress", "TuningResult", "load_plan", "tune"]
