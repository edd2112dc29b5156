"""Acceptance and stopping criteria of ``alns`` in searches of ours, and as plain functions of costs."""

from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.search.acceptance import PythonAcceptance
from dacalns.search.run import Snapshot
from dacalns.search.stopping import StopWhen
from dacalns.search.user_code import copied
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

INSTALL = 'pip install "dac-alns[alns]"'


def load_alns() -> Any:
    """Import the ``alns`` package when it is needed.

    Raises
    ------
    InputError
        If it is not installed; the message has the command that installs it.
    """
    try:
        import alns
        import alns.accept
        import alns.select
        import alns.stop
    except ImportError as error:
        raise InputError(
            f"the package 'alns' cannot be imported ({error}); expected version 7; install it with: {INSTALL}"
        ) from None
    return alns


class CostState:
    """A state of which only the cost is known: all that the criteria of ``alns`` ask for."""

    __slots__ = ("cost",)

    def __init__(self, cost: float) -> None:
        self.cost = float(cost)

    def objective(self) -> float:
        """Return the cost."""
        return self.cost


class _Adapted:
    """A criterion that is copied when a run begins, because it changes while it is used."""

    def __init__(self, criterion: Any, seed: int) -> None:
        if not callable(criterion) or isinstance(criterion, type):
            called = " (a class: call it)" if isinstance(criterion, type) else ""
            raise InputError(f"criterion is {shown(criterion)}{called}; expected a criterion object of alns; make one.")
        self._given, self._seed = criterion, seed
        self.start(seed)

    @property
    def given(self) -> Any:
        """The criterion as it was given."""
        return self._given

    def start(self, seed: int | None = None) -> None:
        """Begin anew: the criterion is as it was given, and draws from a generator with this seed."""
        self._criterion = deepcopy(self._given)
        self._rng = np.random.default_rng(self._seed if seed is None else seed)


class AlnsAcceptance(_Adapted, PythonAcceptance):
    """A criterion of ``alns.accept`` as one of ours, and as a function ``(candidate, current, best) -> bool`` of costs.

    It is stateful: a search of ours begins with it as it was given; call `start` before each run of your own.
    """

    def __init__(self, criterion: Any, seed: int) -> None:
        _Adapted.__init__(self, criterion, seed)
        PythonAcceptance.__init__(self, self, type(criterion).__name__)

    def __call__(self, candidate: float, current: float, best: float, *_: Any, **__: Any) -> bool:
        """Return True if the candidate is accepted; what else it is called with is ignored."""
        return bool(self._criterion(self._rng, CostState(best), CostState(current), CostState(candidate)))

    def memory(self, reference: float) -> npt.NDArray[np.float64]:
        """Begin anew, as a search does that asks for its memory."""
        self.start()
        return super().memory(reference)

    def in_another_search(self) -> "AlnsAcceptance":
        """Return one for a search beside the first one."""
        return AlnsAcceptance(copied(f"acceptance criterion {self.name!r}", self._given), self._seed)


class AlnsStop(_Adapted, StopWhen):
    """A criterion of ``alns.stop`` as one of ours, and as a function of costs, ``(best, current) -> bool``.

    It is stateful: a search of ours, which asks it before each iteration, begins with it as it was given; call `start`
    before each run of your own.
    """

    def __init__(self, criterion: Any, seed: int) -> None:
        _Adapted.__init__(self, criterion, seed)
        StopWhen.__init__(self, self._asked_by_search, every=1)
        self.name = type(criterion).__name__

    def __call__(self, best: float, current: float, *_: Any, **__: Any) -> bool:
        """Return True if the search is to stop; what else it is called with is ignored."""
        return bool(self._criterion(self._rng, CostState(best), CostState(current)))

    def _asked_by_search(self, snapshot: Snapshot) -> bool:
        if snapshot.iteration == 0:
            self.start()
        return self(snapshot.cost, snapshot.current)


def from_alns_acceptance(criterion: Any, *, seed: int = 0) -> AlnsAcceptance:
    """Return an acceptance criterion of ``alns`` for `dacalns.solve`, and as a function of costs.

    Parameters
    ----------
    criterion
        An object such as ``alns.accept.SimulatedAnnealing(...)``, or a function ``(rng, best, current, candidate)``
        that asks its states for nothing but ``objective()``.
    seed
        The seed of the generator that the criterion is given.

    Raises
    ------
    InputError
        If it cannot be called.

    Examples
    --------
    >>> def within_a_tenth(rng, best, current, candidate):
    ...     return candidate.objective() < 1.1 * best.objective()
    >>> accept = from_alns_acceptance(within_a_tenth)
    >>> accept(candidate=105.0, current=101.0, best=100.0)
    True
    """
    return AlnsAcceptance(criterion, seed)


def from_alns_stop(criterion: Any, *, seed: int = 0) -> AlnsStop:
    """Return a stopping criterion of ``alns`` for `dacalns.solve`, and as a function of costs.

    Parameters
    ----------
    criterion
        An object such as ``alns.stop.NoImprovement(100)``, or a function ``(rng, best, current)`` that asks its states
        for nothing but ``objective()``.
    seed
        The seed of the generator that the criterion is given.

    Raises
    ------
    InputError
        If it cannot be called.
    """
    return AlnsStop(criterion, seed)
