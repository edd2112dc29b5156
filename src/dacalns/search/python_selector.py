"""Selectors in plain Python: what they implement, what they see, and how the compiled loop calls them."""

import ctypes
import operator
from copy import deepcopy
from typing import Any, Protocol, cast

import numpy as np

from dacalns.core import callback
from dacalns.core import selection as selection_kernels
from dacalns.core import stepper as steps
from dacalns.instances import Instance
from dacalns.search.outcome import OUTCOMES, Outcome
from dacalns.search.portfolio import Portfolio
from dacalns.search.selector import CompiledSelector, Selector, SelectorRun
from dacalns.search.state import State
from dacalns.search.stepper import Stepper
from dacalns.search.stopping import StoppingCriterion
from dacalns.search.user_code import is_foreign
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

# Selectors in plain Python: what they implement and what they are told.


class PythonSelector(Protocol):
    """A selector in plain Python, which the compiled loop calls back.

    Any object with these three methods will do. It is called by its class in results, unless it has a ``name``. If it
    has a method ``start(destroy_names, repair_names, seed)``, that is called once at the beginning of every run: a
    selector that begins anew there, and draws from a generator with that seed, can be used again and again and gives
    the same answer for the same seed.
    """

    def select_destroy(self, state: State) -> int:
        """The number of a destroy operator, from 0 to ``state.destroys`` - 1, for the current solution."""

    def select_repair(self, destroyed: State, destroy: int) -> int:
        """The number of a repair operator for what ``destroy`` left, from 0 to ``destroyed.repairs`` - 1."""

    def update(self, outcome: Outcome) -> None:
        """Learn from what came of it."""


# Between the compiled loop and a selector in plain Python.

METHODS = {
    "select_destroy": "select_destroy(state)",
    "select_repair": "select_repair(destroyed, destroy)",
    "update": "update(outcome)",
}
KERNELS = (callback.ask_destroy, callback.ask_repair, callback.tell)
# What the loop takes for a choice that no portfolio has, and stops at.
ASTRAY = -1


def adapted(given: object) -> Selector:
    """Return a selector as the base class describes it: the object itself, or one that stands for it.

    Raises
    ------
    InputError
        If the object brings some methods of a selector in plain Python, but not all.
    """
    if isinstance(given, Selector) and is_compiled(given):
        return given
    return _WithKernels(given) if is_compiled(given) else _InPython(require_methods(given))


def is_compiled(selector: object) -> bool:
    """Return True if a selector brings kernels; one that brings methods as well is compiled all the same."""
    if isinstance(selector, Selector):
        return type(selector).kernels is not Selector.kernels
    return hasattr(selector, "kernels")


def selector_name(selector: CompiledSelector | PythonSelector) -> str:
    """Return what results and messages call a selector."""
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


class _Adapted(Selector):
    """A selector that stands for an object of another class, and has the defaults for all hooks that it lacks."""

    HOOKS: tuple[str, ...] = ("made_for", "load_kernels", "explain", "seconds", "moved")

    def __init__(self, given: Any) -> None:
        self._given = given
        self.name = selector_name(given)
        self.explains = bool(getattr(given, "explains", False))
        for hook in self.HOOKS:
            if callable(own := getattr(given, hook, None)):
                setattr(self, hook, own)

    @property
    def origin(self) -> Any:
        """The object that the user gave."""
        return self._given


class _WithKernels(_Adapted):
    """A compiled selector whose class does not derive from `Selector`."""

    HOOKS = (*_Adapted.HOOKS, "prepare", "memory", "memory_for")

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The object's kernels."""
        kernels: tuple[Any, Any, Any] = self._given.kernels
        return kernels


class _InPython(_Adapted):
    """A selector in plain Python, which the compiled loop calls back."""

    @property
    def kernels(self) -> tuple[Any, Any, Any]:
        """The kernels that call back."""
        return KERNELS

    def prepare(self, instance: Instance, portfolio: Portfolio, budget: StoppingCriterion) -> Selector:
        """Ask the object if its class derives from `Selector`; another may mean something else by this name."""
        if isinstance(self._given, Selector):
            return adapted(self._given.prepare(instance, portfolio, budget))
        return self

    def begin(self, stepper: Stepper, seed: int) -> "Callbacks":  # noqa: ARG002
        """Return the calls between the loop and the object."""
        return Callbacks(self._given, stepper)

    def for_another_search(self) -> "_InPython":
        """Return a copy, since the object may keep what it has learned."""
        try:
            return _InPython(deepcopy(self._given))
        except Exception as error:
            raise InputError(
                f"selector {shown(self.name)} cannot be copied ({error}); expected one that copy.deepcopy copies, "
                "since each job needs its own; use jobs=1."
            ) from error

    @property
    def foreign(self) -> bool:
        """True if the class of the object is defined outside of this package."""
        return is_foreign(type(self._given))


class Callbacks(SelectorRun):
    """A Python selector at work in one run.

    What it raises cannot pass through compiled code. So it is kept as :attr:`failure`, and the loop is made to stop at
    its next choice.
    """

    def __init__(self, selector: PythonSelector, stepper: Stepper) -> None:
        self._selector, self._stepper, self._name = selector, stepper, selector_name(selector)
        self._destroy = 0
        self._current, self._destroyed = State(stepper, stepper.current), State(stepper, stepper.candidate)
        self._accepted, self._removed = stepper.progress.accepted.copy(), stepper.progress.removed.copy()
        # The loop knows only their addresses: they must live as long as it may call them.
        self._called = [callback.CALLED(call) for call in (self._on_destroy, self._on_repair, self._on_update)]
        addresses = [ctypes.cast(called, ctypes.c_void_p).value for called in self._called]
        super().__init__(selection_kernels.new_memory(np.zeros((1, 1)), index=np.array(addresses, dtype=np.int64)))

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
        pair = int(trial[selection_kernels.TRIAL.destroy]), int(trial[selection_kernels.TRIAL.repair])
        times = progress.accepted[pair]
        accepted = bool(times > self._accepted[pair])
        removed = progress.removed[pair[0]]
        taken, self._removed[pair[0]] = int(removed - self._removed[pair[0]]), removed
        self._accepted[pair] = times
        return Outcome(
            destroy=pair[0],
            repair=pair[1],
            outcome=OUTCOMES[int(trial[selection_kernels.TRIAL.outcome])],
            accepted=accepted,
            before=trial[selection_kernels.TRIAL.before] / scale,
            destroyed=trial[selection_kernels.TRIAL.destroyed] / scale,
            after=trial[selection_kernels.TRIAL.after] / scale,
            best=trial[selection_kernels.TRIAL.best] / scale,
            seconds=trial[selection_kernels.TRIAL.seconds],
            removed=taken,
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
        return int(self._stepper.progress.counters[steps.COUNTER.iteration])
