"""Operators and acceptance criteria in plain Python at work in one search: the compiled loop calls them by address."""

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dacalns.core import callback
from dacalns.core.jit import jit_enabled
from dacalns.instances import Instance
from dacalns.search.acceptance import PythonAcceptance
from dacalns.search.draft import ARRAY, Draft, Tables
from dacalns.search.operators import DestroyOperator, PythonDestroy, PythonRepair
from dacalns.search.user_code import MisuseError
from dacalns.util.shown import shown

if TYPE_CHECKING:
    from dacalns.search.stepper import Stepper

# What the loop calls, as in `DESTROY_SIGNATURE` and `REPAIR_SIGNATURE`: problem and solution come by their addresses.
_DESTROYS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, *ARRAY)
_REPAIRS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *ARRAY)

Keep = Callable[[BaseException], None]


class CalledBack:
    """The operators and the criterion of one search that are plain Python.

    What they raise cannot pass through compiled code, so it is kept, and the loop told to stop.

    Parameters
    ----------
    stepper
        The search.
    instance
        What it solves when they are called.
    keep
        What is told of an exception; it lets the loop stop.
    """

    def __init__(self, stepper: "Stepper", instance: Instance, keep: Keep) -> None:
        self._stepper, self._instance, self._keep = stepper, instance, keep
        self._tables: Tables | None = None
        self._alive: Any = None  # the loop knows only the address of a criterion
        self.begin()

    def begin(self) -> None:
        """Draw from a new generator of NumPy, as operators know how to; it begins where that of the search is."""
        self.rng = np.random.default_rng(self._stepper.rng.tolist())

    def operator(self, operator: PythonDestroy | PythonRepair) -> "Bound":
        """Return an operator as the loop of this search calls it."""
        if self._tables is None:
            self._tables = Tables(self._instance)
        tables = self._tables

        def call(given: tuple[Any, Any], count: int) -> None:
            draft = Draft(self._stepper, tables, given, count)
            try:
                answer = operator.function(draft, self.rng)
                if answer is not None and answer is not draft:
                    raise MisuseError(f"returned {shown(answer, 40)}", "None, as it changes the draft that it is given")
            except BaseException as error:
                self._keep(error)
            finally:
                draft._close()

        return Bound(call, destroys=isinstance(operator, DestroyOperator))

    def criterion(self, criterion: PythonAcceptance, memory: npt.NDArray[np.float64]) -> None:
        """Let the loop call a criterion, with whose memory the loop calls its kernel."""
        scale, asked = self._instance.scale, callback.ASKED

        def call() -> int:
            try:
                costs = (memory[[asked.candidate, asked.current, asked.best]] / scale).tolist()
                answer = criterion.function(*costs, float(memory[asked.fraction]), self.rng)
                if isinstance(answer, bool | np.bool_):
                    return int(answer)
                raise MisuseError(f"returned {shown(answer, 40)}", "True or False")
            except BaseException as error:
                self._keep(error)
            return 0

        called = callback.CALLED(call)
        self._alive = called
        address = ctypes.cast(called, ctypes.c_void_p).value or 0
        memory[asked.high], memory[asked.low] = address >> callback.HALF, address & ((1 << callback.HALF) - 1)


class Bound:
    """An operator of one search, which the loop calls by its address, or as it is where nothing is compiled."""

    def __init__(self, call: Callable[[tuple[Any, Any], int], None], *, destroys: bool) -> None:
        self._call, self._destroys = call, destroys
        self._called = (_DESTROYS if destroys else _REPAIRS)(self) if jit_enabled() else None

    def __call__(self, problem: Any, solution: Any, *rest: Any) -> None:
        """Call the operator; the number of customers comes before the random numbers, if at all."""
        self._call((problem, solution), int(rest[0]) if self._destroys else 0)

    def __wrapper_address__(self) -> int:
        return ctypes.cast(self._called, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
