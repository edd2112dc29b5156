"""What must hold while compiled code calls operators, selectors and criteria through pointers."""

import sys
import threading
import warnings
from types import TracebackType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from numba.core.errors import NumbaExperimentalFeatureWarning

from dacalns.core import stepper as steps


class PointerCalls:
    """While entered, collects what a function called through a pointer raises, which Python would only print.

    It also silences Numba's note that function pointers are an experimental feature. Both are settings of the whole
    process: the first of several threads makes them and the last one takes them back.

    Parameters
    ----------
    counters
        Those of the search: they say which function it was, and take the request to stop. May be left out.
    """

    _lock = threading.Lock()
    _entered: ClassVar[dict[int, list["PointerCalls"]]] = {}  # of each thread, the innermost last
    _previous_hook: ClassVar[Any] = None
    _warnings: ClassVar[Any] = None

    def __init__(self, counters: npt.NDArray[np.int64] | None = None) -> None:
        self._counters = np.zeros(steps.COUNTERS, dtype=np.int64) if counters is None else counters
        self.error: BaseException | None = None  #: the first that was raised
        self.raised_at = self._counters  #: the counters as they were then

    def __enter__(self) -> "PointerCalls":
        cls = PointerCalls
        with cls._lock:
            if not cls._entered:
                cls._warnings = warnings.catch_warnings()
                cls._warnings.__enter__()
                cls._previous_hook, sys.unraisablehook = sys.unraisablehook, cls._note
            # Every time: somebody else may have taken it back in the meantime.
            warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
            cls._entered.setdefault(threading.get_ident(), []).append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        cls = PointerCalls
        with cls._lock:
            here = cls._entered[threading.get_ident()]
            here.remove(self)
            if not here:
                del cls._entered[threading.get_ident()]
            if not cls._entered:
                sys.unraisablehook = cls._previous_hook
                cls._warnings.__exit__(None, None, None)

    @classmethod
    def _note(cls, unraisable: Any) -> None:
        here = cls._entered.get(threading.get_ident())
        # Compiled code names the function by a string; whatever else cannot be raised is none of our business.
        if here and isinstance(unraisable.object, str):
            here[-1]._keep(unraisable.exc_value)
        else:
            cls._previous_hook(unraisable)

    def _keep(self, error: BaseException) -> None:
        if self.error is None:
            self.error, self.raised_at = error, self._counters.copy()
            self._counters[steps.STOP] = 1
