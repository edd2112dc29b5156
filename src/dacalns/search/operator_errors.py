"""Errors raised inside operators, which the compiled loop cannot pass on by itself."""

import sys
from types import TracebackType
from typing import Any

from dacalns.errors import InputError


class OperatorErrors:
    """While entered, collects what a function called through a pointer raises; Python would only print it."""

    def __init__(self) -> None:
        self._first: BaseException | None = None
        self._previous: Any = None

    def __enter__(self) -> "OperatorErrors":
        self._previous = sys.unraisablehook
        sys.unraisablehook = self._note
        return self

    def _note(self, unraisable: Any) -> None:
        if "cfunc" not in str(unraisable.object) and not isinstance(unraisable.object, str):
            self._previous(unraisable)
        elif self._first is None:
            self._first = unraisable.exc_value

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.unraisablehook = self._previous

    def raise_first(self) -> None:
        """Raise an `InputError` if an operator has failed."""
        if self._first is not None:
            reason = " ".join(str(self._first).split())
            raise InputError(
                f"an operator raised {type(self._first).__name__}: {reason}; expected one that handles every solution; "
                "run it with NUMBA_DISABLE_JIT=1 to see where."
            ) from self._first
