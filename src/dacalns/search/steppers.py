"""Many steppers that move together: one call of compiled code, whatever the instance of each."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from dacalns.core import lockstep
from dacalns.core import stepper as steps
from dacalns.search.observation import Observation, observe_all
from dacalns.search.orders import Orders
from dacalns.search.outcome import Outcomes
from dacalns.search.policy_view import NEIGHBOURS
from dacalns.search.stepper import BOUNDS_CHECKED, Stepper
from dacalns.util.errors import InputError
from dacalns.util.shown import shown


class Steppers(Sequence[Stepper]):
    """Several steppers that are told what to do in one call, of compiled code that goes from one to the next.

    Their instances, portfolios, criteria and budgets may differ. Each is still there to be driven alone, to be reset
    or to be looked at: ``steppers[k]``.

    Parameters
    ----------
    steppers
        The steppers, each of them once.

    Raises
    ------
    InputError
        If there is none, or one of them twice; and by the steps, as those of `Stepper` do. A message begins with the
        number of the stepper; the others have done as they were told.

    Examples
    --------
    >>> steppers = Steppers(Stepper(name, seed=1) for name in ("A-n32-k5", "R101"))
    >>> outcomes = steppers.step([0, 1], [2, 2])
    >>> outcomes.after.shape, outcomes.accepted.dtype
    ((2,), dtype('bool'))
    >>> steppers.step(np.zeros((2, 5), dtype=int), np.ones((2, 5), dtype=int)).after.shape
    (2, 5)
    """

    def __init__(self, steppers: Iterable[Stepper]) -> None:
        self._steppers = list(steppers)
        for each in self._steppers:
            if not isinstance(each, Stepper):
                raise InputError(f"steppers have {shown(each)}; expected objects of class Stepper; make them first.")
        if len({id(each) for each in self._steppers}) < max(1, len(self._steppers)):
            raise InputError("there is no stepper, or one of them twice; expected some, each of them once.")
        # What the frames are of, and what they point to, which lives as long as they do.
        self._framed_from: list[tuple[Any, Any]] = []
        self._kept: list[Any] = []
        self._seen: int | None = None  # with how many neighbours the frames have the graphs
        self._frames: npt.NDArray[Any] = np.zeros(0)
        self._scales = np.zeros(0)

    def __len__(self) -> int:
        return len(self._steppers)

    @overload
    def __getitem__(self, which: int) -> Stepper: ...

    @overload
    def __getitem__(self, which: slice) -> list[Stepper]: ...

    def __getitem__(self, which: int | slice) -> Stepper | list[Stepper]:
        return self._steppers[which]

    def __iter__(self) -> Iterator[Stepper]:
        return iter(self._steppers)

    def destroy(self, which: npt.ArrayLike, count: npt.ArrayLike | None = None) -> None:
        """Destroy a copy of each current solution, each with the operator of this number; see `Stepper.destroy`."""
        self.advance(Orders.of(which, 0, count, len(self)), lockstep.DESTROY)

    def repair(self, which: npt.ArrayLike) -> None:
        """Repair each destroyed solution with the operator of this number."""
        self.advance(Orders.of(0, which, None, len(self)), lockstep.REPAIR)

    def accept(self) -> Outcomes:
        """Let the criteria decide on the repaired solutions, and return what came of the iterations."""
        orders = Orders(len(self), 1)
        self.advance(orders, lockstep.ACCEPT)
        return orders.outcomes(self._scales)

    def step(self, destroy: npt.ArrayLike, repair: npt.ArrayLike, count: npt.ArrayLike | None = None) -> Outcomes:
        """Do whole iterations with each of them.

        Parameters
        ----------
        destroy, repair
            A number for each stepper; or a row of these for each, if it is to do several iterations.
        count
            How many customers each destroy operator is asked to remove; left out, it draws a number from its scale.
        """
        orders = Orders.of(destroy, repair, count, len(self))
        self.advance(orders, lockstep.WHOLE)
        return orders.outcomes(self._scales)

    def advance(self, orders: Orders, phases: int | npt.NDArray[np.int64]) -> None:
        """Do these phases as ordered: the same with each stepper, or for each its own."""
        orders.phases[:] = phases
        self._look()
        if any(each.foreign for each in self._steppers) or BOUNDS_CHECKED:
            self._one_by_one(orders)
        elif orders.follow(self._frames):
            row = int(np.flatnonzero(orders.troubles)[0])
            for other in np.flatnonzero(orders.troubles)[1:].tolist():
                self._steppers[other].give_up()
            self._steppers[row]._complain(orders, row, None, row)

    def _one_by_one(self, orders: Orders) -> None:
        """Let each do its part by itself, so that it is known whose function raised something."""
        failed: BaseException | None = None
        for number, each in enumerate(self._steppers):
            part = Orders(1, orders.destroy.shape[1])
            for what in ("phases", "destroy", "repair", "counts"):
                getattr(part, what)[0] = getattr(orders, what)[number]
            try:
                each._follow(part, number)
            except InputError as error:
                failed = failed or error
            orders.rows[number] = part.rows[0]
        if failed is not None:
            raise failed

    def observe(
        self,
        out: Observation | None = None,
        *,
        destroyed: bool | Sequence[bool] = False,
        neighbours: int = NEIGHBOURS,
        operators: npt.NDArray[np.int64] | None = None,
    ) -> Observation:
        """Return all searches as our own networks see them, in arrays with a row for each; see `Stepper.observe`.

        ``operators`` are the last destroy operators, by the numbers that ``out.search`` has room for, or -1; left out,
        they are those of the iterations in hand.
        """
        shown_ones = [destroyed] * len(self) if isinstance(destroyed, bool) else [bool(each) for each in destroyed]
        self._look(neighbours)
        return observe_all(
            self._steppers, out, shown_ones, neighbours, operators=operators, frames=self._frames, batch=True
        )

    def _look(self, neighbours: int | None = None) -> None:
        """See to it that the frames are those of the steppers as they stand."""
        if neighbours is None:
            neighbours = self._seen
        known = self._framed_from
        if self._seen == neighbours and len(known) == len(self) and all(map(_is_framed_from, self._steppers, known)):
            return
        if neighbours is None:
            rows = [each._framed() for each in self._steppers]
        else:
            rows = [each._framed_to_see(neighbours) for each in self._steppers]
        self._frames = np.concatenate(rows)
        self._framed_from = [(each._ground.frame, each.progress) for each in self._steppers]
        self._kept = [each._ground.kept for each in self._steppers]
        self._seen = neighbours
        self._scales = np.array([each.instance.scale for each in self._steppers], dtype=np.float64)

    @property
    def current_cost(self) -> npt.NDArray[np.float64]:
        """What the searches minimise, at their current solutions, in the units of the instances."""
        return self._value(steps.VALUE.current)

    @property
    def best_cost(self) -> npt.NDArray[np.float64]:
        """What the searches minimise, at their best solutions, in the units of the instances."""
        return self._value(steps.VALUE.best)

    def _value(self, which: int) -> npt.NDArray[np.float64]:
        return np.array([each.progress.values[which] / each.instance.scale for each in self._steppers])


def _is_framed_from(stepper: Stepper, known: tuple[Any, Any]) -> bool:
    """True if a frame is of a stepper as it stands."""
    return stepper._ground.frame is known[0] and stepper.progress is known[1]
