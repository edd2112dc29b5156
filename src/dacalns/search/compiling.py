"""Compile what the user wrote, and say in one sentence why where it cannot be."""

import inspect
import re
from collections.abc import Callable
from typing import Any

from dacalns.core.jit import pluggable
from dacalns.errors import InputError


def compiled_for_loop(what: str, function: Callable[..., Any], signature: Any, compiled_as: Any = None) -> Any:
    """The function as the compiled loop calls it.

    Parameters
    ----------
    what
        What it is, for the message: ``"repair operator 'mine'"``.
    function
        Plain Python, or compiled by Numba.
    signature
        What it takes and returns, in Numba's types.
    compiled_as
        A signature for which the function is compiled instead, whose arguments look the same in memory.

    Raises
    ------
    InputError
        If Numba cannot compile it.
    """
    try:
        return pluggable(function, signature, compiled_as)
    except Exception as error:  # Numba raises many kinds, some of them not its own
        plain = getattr(function, "py_func", function)
        code = getattr(plain, "__code__", None)
        where = f"{code.co_filename}:{code.co_firstlineno}: " if code else ""
        raise InputError(
            f"{where}{what} does not compile: {_first_reason(error)} "
            "Keep to what Numba supports: numbers, arrays and functions compiled with numba.njit."
        ) from error


def require_function(what: str, function: Any, parameters: tuple[str, ...]) -> None:
    """Raise an `InputError` unless this is a function with as many parameters."""
    plain = getattr(function, "py_func", function)
    if not inspect.isroutine(plain):
        raise InputError(f"{function!r} is no function; expected one with parameters ({', '.join(parameters)}).")
    given = tuple(inspect.signature(plain).parameters)
    if len(given) != len(parameters):
        raise InputError(f"{what} {plain.__name__!r} takes ({', '.join(given)}); expected ({', '.join(parameters)}).")


def _first_reason(error: Exception) -> str:
    """The line of Numba's long message that says what is wrong."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba colours its messages
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in", "During:", "File ", ">>>", "<source"))]
    reason = (telling or lines or ["no reason given"])[0]
    return reason if reason.endswith(".") else reason + "."
