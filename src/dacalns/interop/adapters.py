"""Acceptance and stopping criteria of ``alns`` as plain functions of costs."""

from copy import deepcopy
from typing import Any

import numpy as np

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
        self.name = type(criterion).__name__
        self.start(seed)

    def start(self, seed: int | None = None) -> None:
        """Begin anew: the criterion is as it was given, and draws from a generator with this seed."""
        self._criterion = deepcopy(self._given)
        self._rng = np.random.default_rng(self._seed if seed is None else seed)


class AlnsAcceptance(_Adapted):
    """A criterion of ``alns.accept`` as a function ``(candidate, current, best) -> bool`` of costs.

    What else it is called with is ignored. It is stateful: call it once in each iteration, and `start` before each run.
    """

    def __call__(self, candidate: float, current: float, best: float, *_: Any, **__: Any) -> bool:
        """Return True if the candidate is accepted."""
        return bool(self._criterion(self._rng, CostState(best), CostState(current), CostState(candidate)))


class AlnsStop(_Adapted):
    """A criterion of ``alns.stop`` as a function ``(best, current) -> bool`` of costs: True to stop.

    What else it is called with is ignored. It is stateful: call it once before each iteration, and `start` before each
    run.
    """

    def __call__(self, best: float, current: float, *_: Any, **__: Any) -> bool:
        """Return True if the search is to stop."""
        return bool(self._criterion(self._rng, CostState(best), CostState(current)))


def from_alns_acceptance(criterion: Any, *, seed: int = 0) -> AlnsAcceptance:
    """Return an acceptance criterion of ``alns`` as a plain function of the costs of candidate, current and best.

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
    """Return a stopping criterion of ``alns`` as a plain function of the costs of best and current.

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
