"""Orders to one stepper or to several, and what came of them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core.lockstep import DONE, DRAWN, advance
from dacalns.search.outcome import OUTCOMES, Outcome, Outcomes
from dacalns.util.errors import InputError
from dacalns.util.shown import shown


class Orders:
    """What steppers are told to do, a row for each; and what came of it."""

    def __init__(self, steppers: int, iterations: int) -> None:
        shape = steppers, iterations
        self.shape: tuple[int, ...] = (steppers,)  # of the answer
        self.phases = np.zeros(steppers, dtype=np.int64)
        self.destroy, self.repair, self.counts = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        self.rows = np.zeros((*shape, len(DONE)))
        self._flat = self.rows.reshape(-1)
        self.done, self.troubles = np.zeros(steppers, dtype=np.int64), np.zeros(steppers, dtype=np.int64)

    @classmethod
    def of(
        cls,
        destroy: npt.ArrayLike,
        repair: npt.ArrayLike,
        count: npt.ArrayLike | None = None,
        steppers: int | None = None,
    ) -> "Orders":
        """Return orders to one stepper, a number for each iteration; or to several: a number, or a row, for each.

        Raises
        ------
        InputError
            If these are no whole numbers, or not as many as there are steppers.
        """
        given = {"destroy operators": destroy, "repair operators": repair, "counts": DRAWN if count is None else count}
        arrays = {what: whole_numbers(what, values) for what, values in given.items()}
        if count is not None and arrays["counts"].min(initial=1) < 1:
            raise InputError(
                f"counts have {arrays['counts'].min()}; expected whole numbers of at least 1; leave them out for those "
                "that the operators draw."
            )
        sizes = " and ".join(f"{what} of shape {array.shape}" for what, array in arrays.items() if array.ndim)
        try:
            shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
        except ValueError:
            raise InputError(f"there are {sizes}; expected as many of each; correct the arrays.") from None
        if steppers is None:
            if len(shape) != 1:
                raise InputError(f"there are {sizes}; expected a number for each iteration; correct the arrays.")
            orders = cls(1, *shape)
            orders.shape = shape
        else:
            if len(shape) > 2 or (shape and shape[0] != steppers):
                raise InputError(
                    f"there are {sizes}; expected a number, or a row of numbers, for each of {steppers} steppers; "
                    "correct the arrays."
                )
            orders = cls(steppers, shape[1] if len(shape) == 2 else 1)
            orders.shape = shape if len(shape) == 2 else (steppers,)
        for target, array in zip((orders.destroy, orders.repair, orders.counts), arrays.values(), strict=True):
            target[:] = array[:, None] if steppers is not None and len(shape) == 1 and array.ndim else array
        return orders

    def follow(self, frames: npt.NDArray[Any]) -> int:
        """Let compiled code do it; return how many have stopped before the end."""
        return int(
            advance(frames, self.phases, self.destroy, self.repair, self.counts, self._flat, self.done, self.troubles)
        )

    def outcome(self, scale: float) -> Outcome:
        """What came of the only iteration."""
        destroy, repair, outcome, accepted, before, destroyed, after, best, seconds, removed = self._flat.tolist()
        return Outcome(
            int(destroy), int(repair), OUTCOMES[int(outcome)], bool(accepted), before / scale, destroyed / scale,
            after / scale, best / scale, seconds, int(removed),
        )  # fmt: skip

    def outcomes(self, scales: npt.NDArray[np.float64]) -> Outcomes:
        """What came of all of them."""
        rows, done, shape = self.rows, DONE, self.shape
        costs = rows[..., done.before : done.best + 1] / scales[:, None, None]
        before, destroyed, after, best = (costs[..., k].reshape(shape) for k in range(4))
        whole = rows[..., [done.destroy, done.repair, done.outcome, done.accepted, done.removed]].astype(np.int64)
        destroy, repair, outcome, accepted, removed = (whole[..., k].reshape(shape) for k in range(5))
        return Outcomes(
            destroy, repair, outcome, accepted > 0, before, destroyed, after, best,
            rows[..., done.seconds].reshape(shape).copy(), removed,
        )  # fmt: skip


def whole_numbers(what: str, given: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return an array of whole numbers, or raise an `InputError`."""
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in "iu":
        raise InputError(f"{what} are {shown(given)}; expected whole numbers; correct the array.")
    return array.astype(np.int64)
