"""Training learns policies, which choose operators, on many small instances; they are then used on larger ones."""

from dacalns.learning.monitor import TrainingProgress, TrainingSummary
from dacalns.learning.trainer import train
from dacalns.learning.validation import Validation

__all__ = ["TrainingProgress", "TrainingSummary", "Validation", "train"]
