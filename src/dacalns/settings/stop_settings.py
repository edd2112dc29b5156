"""Budgets as a settings file and the command line give them."""

from dataclasses import astuple, dataclass
from functools import reduce
from operator import or_

from dacalns.search.stopping import MaxIterations, MaxTime, NoImprovement, StoppingCriterion, TargetCost


@dataclass(frozen=True)
class StopSettings:
    """When to stop; of several budgets, the first one met counts.

    Parameters
    ----------
    time
        Seconds.
    iterations
        Iterations.
    no_improvement
        Iterations without a new best solution.
    target
        A cost that is good enough.

    Raises
    ------
    InputError
        When a budget makes no sense.
    """

    time: float | None = None
    iterations: int | None = None
    no_improvement: int | None = None
    target: float | None = None

    def __post_init__(self) -> None:
        self.criterion()

    def criterion(self) -> StoppingCriterion | None:
        """The budgets combined, or None where there is none."""
        kinds = (MaxTime, MaxIterations, NoImprovement, TargetCost)
        criteria: list[StoppingCriterion] = [
            kind(value) for kind, value in zip(kinds, astuple(self), strict=True) if value is not None
        ]
        return reduce(or_, criteria) if criteria else None
