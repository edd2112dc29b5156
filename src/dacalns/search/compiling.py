"""Compile what the user wrote, and say in one sentence why where it cannot be."""

import inspect
from collections.abc import Callable
from typing import Any

from dacalns.core.jit import pluggable
from dacalns.errors import InputError
from dacalns.search.compile_errors import explained
from dacalns.shown import shown


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
        raise InputError(explained(what, function, error)) from error


def require_function(what: str, function: Any, parameters: tuple[str, ...]) -> None:
    """Raise an `InputError` unless this is a function with as many parameters."""
    plain = getattr(function, "py_func", function)
    if not inspect.isroutine(plain):
        raise InputError(f"{shown(function)} is no function; expected one with parameters ({', '.join(parameters)}).")
    given = tuple(inspect.signature(plain).parameters)
    if len(given) != len(parameters):
        raise InputError(f"{what} {plain.__name__!r} takes ({', '.join(given)}); expected ({', '.join(parameters)}).")
