"""What came of an iteration, of one search or of many."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

OUTCOMES = ("best", "better", "accepted", "nothing new")


class Outcome(NamedTuple):
    """What came of an iteration.

    ``before``, ``after`` and ``best`` are what the search minimises, in the instance's units: the distance, plus a
    penalty larger than any distance for every customer that is not served.
    """

    destroy: int  #: the destroy operator that was used
    repair: int  #: the repair operator that was used
    outcome: str  #: ``best``, ``better``, ``accepted``, or ``nothing new``: not accepted, or accepted once before
    accepted: bool  #: whether the repaired solution is the current one now, new or not
    before: float  #: the current solution's cost before it was destroyed
    destroyed: float  #: distance of what destroying left
    after: float  #: the repaired solution's cost
    best: float  #: the best cost before this iteration
    seconds: float  #: time of both operators
    removed: int = 0  #: customers that the destroy operator took out

    @property
    def new_best(self) -> bool:
        """Whether the repaired solution is better than all before it."""
        return self.outcome == OUTCOMES[0]


class Outcomes(NamedTuple):
    """What came of many iterations: arrays of the fields of `Outcome`.

    Those of one `Stepper` have a number for each iteration; those of `Steppers` a row for each stepper, if they were
    told several iterations at once.
    """

    destroy: npt.NDArray[np.int64]  #: the destroy operators
    repair: npt.NDArray[np.int64]  #: the repair operators
    outcome: npt.NDArray[np.int64]  #: places in `OUTCOMES`: 0 ``best``, 1 ``better``, 2 ``accepted``, 3 ``nothing new``
    accepted: npt.NDArray[np.bool_]  #: whether the repaired solution is the current one now, new or not
    before: npt.NDArray[np.float64]  #: the current solution's cost before it was destroyed
    destroyed: npt.NDArray[np.float64]  #: distance of what destroying left
    after: npt.NDArray[np.float64]  #: the repaired solution's cost
    best: npt.NDArray[np.float64]  #: the best cost before the iteration
    seconds: npt.NDArray[np.float64]  #: time of both operators
    removed: npt.NDArray[np.int64]  #: customers that the destroy operator took out

    @property
    def new_best(self) -> npt.NDArray[np.bool_]:
        """Whether the repaired solution is better than all before it."""
        return np.asarray(self.outcome == 0)
