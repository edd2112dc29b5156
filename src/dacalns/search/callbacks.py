"""Between the compiled loop and a selector in plain Python."""

import ctypes
import operator
from typing import Any, TypeGuard, cast

import numpy as np

from dacalns.core import callback
from dacalns.core import selection as selection_kernels
from dacalns.core import stepper as steps
from dacalns.errors import InputError
from dacalns.search.python_selector import Outcome, PythonSelector, State
from dacalns.search.selector import CompiledSelector
from dacalns.search.stepper import OUTCOMES, Stepper
from dacalns.shown import shown

METHODS = {
    "select_destroy": "select_destroy(state)",
    "select_repair": "select_repair(destroyed, destroy)",
    "update": "update(outcome)",
}
KERNELS = (callback.ask_destroy, callback.ask_repair, callback.tell)
# What the loop takes for a choice that no portfolio has, and stops at.
ASTRAY = -1


def is_compiled(selector: object) -> TypeGuard[CompiledSelector]:
    """Whether a selector brings kernels; one that brings methods as well is compiled all the same."""
    return hasattr(selector, "kernels")


def selector_name(selector: CompiledSelector | PythonSelector) -> str:
    """How to call a selector in results and messages."""
    return str(getattr(selector, "name", type(selector).__name__))


def require_methods(selector: object) -> PythonSelector:
    """The selector itself, or an `InputError` that says which method it lacks."""
    missing = [call for method, call in METHODS.items() if not callable(getattr(selector, method, None))]
    if missing:
        raise InputError(
            f"selector {shown(type(selector).__name__)} has no method {' and no '.join(missing)}; expected all of "
            f"{', '.join(METHODS.values())}."
        )
    return cast(PythonSelector, selector)


class Callbacks:
    """A Python selector at work in one run.

    What it raises cannot pass through compiled code. So it is kept as :attr:`failure`, and the loop is made to stop at
    its next choice.
    """

    def __init__(self, selector: PythonSelector, stepper: Stepper) -> None:
        self._selector, self._stepper, self._name = selector, stepper, selector_name(selector)
        self.failure: BaseException | None = None  #: an `InputError`, unless it is an interrupt
        self._destroy = 0
        self._current, self._destroyed = State(stepper, stepper.current), State(stepper, stepper.candidate)
        self._accepted = stepper.progress.accepted.copy()
        # The loop knows only their addresses: they must live as long as it may call them.
        self._called = [callback.CALLED(call) for call in (self._on_destroy, self._on_repair, self._on_update)]

    def memory(self) -> selection_kernels.Memory:
        """The addresses to call."""
        addresses = [ctypes.cast(called, ctypes.c_void_p).value for called in self._called]
        return selection_kernels.new_memory(np.zeros((1, 1)), index=np.array(addresses, dtype=np.int64))

    def start(self, seed: int) -> None:
        """Tell the selector, if it wants to know, that a run begins."""
        start = getattr(self._selector, "start", None)
        if start is None:
            return
        operators = self._stepper.portfolio
        try:
            start([entry.name for entry in operators.destroy], [entry.name for entry in operators.repair], seed)
        except Exception as error:
            raise self._complaint("start", error) from error

    def _on_destroy(self) -> int:
        if self.failure is not None:  # of the last update, which has nothing to return
            return ASTRAY
        try:
            choice = self._selector.select_destroy(self._current)
            self._destroy = self._checked("destroy", choice, len(self._stepper.portfolio.destroy))
            return self._destroy
        except BaseException as error:
            return self._keep("select_destroy", error)

    def _on_repair(self) -> int:
        try:
            choice = self._selector.select_repair(self._destroyed, self._destroy)
            return self._checked("repair", choice, len(self._stepper.portfolio.repair))
        except BaseException as error:
            return self._keep("select_repair", error)

    def _on_update(self) -> int:
        try:
            self._selector.update(self._outcome())
        except BaseException as error:
            self._keep("update", error)
        return 0

    def _outcome(self) -> Outcome:
        progress, scale = self._stepper.progress, self._stepper.instance.scale
        trial = progress.trial.tolist()
        pair = int(trial[selection_kernels.DESTROY]), int(trial[selection_kernels.REPAIR])
        times = progress.accepted[pair]
        accepted = bool(times > self._accepted[pair])
        self._accepted[pair] = times
        return Outcome(
            destroy=pair[0],
            repair=pair[1],
            outcome=OUTCOMES[int(trial[selection_kernels.OUTCOME])],
            accepted=accepted,
            before=trial[selection_kernels.BEFORE] / scale,
            destroyed=trial[selection_kernels.DESTROYED] / scale,
            after=trial[selection_kernels.AFTER] / scale,
            best=trial[selection_kernels.BEST] / scale,
            seconds=trial[selection_kernels.SECONDS],
        )

    def _checked(self, kind: str, choice: Any, total: int) -> int:
        """The choice as a number that the portfolio has; any other stops the loop."""
        try:
            number = ASTRAY if isinstance(choice, bool) else operator.index(choice)
        except TypeError:
            number = ASTRAY
        if 0 <= number < total:
            return number
        self.failure = InputError(
            f"selector {self._name!r} chose {choice!r} in select_{kind}, iteration {self._iteration() + 1}; expected a "
            f"whole number from 0 to {total - 1}, that of a {kind} operator of the portfolio."
        )
        return ASTRAY

    def _keep(self, method: str, error: BaseException) -> int:
        if isinstance(error, Exception):
            self.failure = self._complaint(method, error)
            self.failure.__cause__ = error
        else:
            self.failure = error
        return ASTRAY

    def _complaint(self, method: str, error: Exception) -> InputError:
        reason = " ".join(str(error).split())[:120]
        frame = error.__traceback__.tb_next if error.__traceback__ else None  # the first one is ours
        where = f" ({frame.tb_frame.f_code.co_filename}:{frame.tb_lineno})" if frame else ""
        when = "" if method == "start" else f", iteration {self._iteration() + (method != 'update')}"
        return InputError(
            f"selector {self._name!r} raised {type(error).__name__}: {reason}, in {method}{when}{where}; expected one "
            "that handles every solution."
        )

    def _iteration(self) -> int:
        return int(self._stepper.progress.counters[steps.ITERATION])
