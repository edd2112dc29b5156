"""Training: policies that are learned on many small instances, and then used frozen on larger ones."""

from dacalns.learning.monitor import TrainingProgress, TrainingSummary
from dacalns.learning.trainer import train
from dacalns.learning.validation import Validation

__all__ = ["TrainingProgress", "TrainingSummary", "Validation", "train"]
