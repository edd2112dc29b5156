"""What an episode pays."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from dacalns.core.lockstep import ACCEPT, DONE
from dacalns.core.paying import ROWS, pay
from dacalns.core.policy_table import ROW, SETTING
from dacalns.core.selection import HEADER, SIZE
from dacalns.search.outcome import Outcome
from dacalns.selectors.settings import PRESETS, Rewards
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

Floats = npt.NDArray[np.float64]
Given = str | Rewards | Callable[[Outcome], float]
GAIN = "gain"
NAMES = (*PRESETS, GAIN)


class Pay:
    """What several searches are paid, phase by phase.

    Parameters
    ----------
    given
        ``"paper"`` for the two rewards of the paper, or another preset of our learners; their parameters; ``"gain"``
        for what a new best saves, in percent of the cost of the start; or a function of the `Outcome`, which is paid
        after the repair.
    searches
        How many there are.
    repairs
        How many repair operators there are.
    """

    def __init__(self, given: Given, searches: int, repairs: int) -> None:
        rewards = PRESETS[given].rewards if isinstance(given, str) and given in PRESETS else given
        if not (rewards == GAIN or isinstance(rewards, Rewards) or callable(rewards)):
            raise InputError(
                f"reward is {shown(given)}; expected one of {', '.join(NAMES)}, Rewards(...), or a function of an "
                "Outcome."
            )
        self.own = rewards if callable(rewards) else None
        self._gain = rewards == GAIN
        self._start = np.ones(searches)
        self._columns = max(len(SETTING), repairs)
        self._tables = np.zeros((searches, ROWS, self._columns))
        if isinstance(rewards, Rewards):
            for name, value in vars(rewards).items():
                self._tables[:, HEADER, getattr(SETTING, name)] = value

    def begin(self, which: int, repairs: int, start: float) -> None:
        """Begin an episode of one of the searches: its number of repair operators, and the cost of its start."""
        self._tables[which, HEADER, SIZE.repairs] = repairs
        self._tables[which, ROW.repair_uses] = 0.0
        self._start[which] = start or 1.0

    def after(self, rows: Floats, phases: npt.NDArray[np.int64]) -> Floats:
        """Return what each search is paid for the phases that it has gone, except by a function of the user's."""
        rewards = np.zeros(len(phases))
        if self._gain:
            saved = np.maximum(0.0, rows[:, DONE.best] - rows[:, DONE.after])
            rewards[:] = np.where(phases & ACCEPT, 100.0 * saved / self._start, 0.0)
        elif self.own is None:
            pay(self._tables.reshape(-1), self._columns, rows.reshape(-1), phases, rewards)
        return rewards
