"""Operators of the user's on states of any kind: their names, and what they must not do."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from dacalns.search.portfolio import MOST_OPERATORS
from dacalns.selectors.settings import Rewards
from dacalns.util.errors import InputError
from dacalns.util.shown import reason_of, shown

Named = tuple[str, Callable[..., Any]]


def named_operators(kind: str, given: Any) -> list[Named]:
    """Return operators with their names: functions, or pairs of a name and a function, as ``alns`` lists them.

    Raises
    ------
    InputError
        If there are none or too many, one cannot be called, or names repeat.
    """
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise InputError(
            f"{kind} is {shown(given)}; expected a list of functions, or of pairs of a name and a function."
        )
    found: list[Named] = []
    for entry in given:
        pair = isinstance(entry, tuple) and len(entry) == 2
        name, function = entry if pair else (getattr(entry, "__name__", type(entry).__name__), entry)
        if not isinstance(name, str) or not callable(function):
            raise InputError(f"{kind} has {shown(entry)}; expected a function (state, rng), or a name and a function.")
        found.append((name, function))
    if not 1 <= len(found) <= MOST_OPERATORS:
        raise InputError(f"{kind} has {len(found)} operators; expected 1 to {MOST_OPERATORS}.")
    names = [name for name, _ in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{kind} has two operators named {shown(twice)}; expected names that differ; give pairs.")
    return found


def objective_of(state: Any, whose: str) -> float:
    """Return the objective of a state.

    Raises
    ------
    InputError
        If it has none, or that is not a finite number; the message says whose state it is.
    """
    try:
        value = float(state.objective())
    except Exception as error:
        raise InputError(
            f"objective() of {whose} raised {reason_of(error)}; expected a number for every state."
        ) from error
    if not math.isfinite(value):
        raise InputError(f"objective() of {whose} is {value}; expected a finite number.")
    return value


def needs_destroyed_cost(rewards: Rewards | None) -> bool:
    """Return True if a selector is rewarded for what destroying costs."""
    return rewards is not None and any((rewards.alpha1, rewards.alpha2, rewards.beta))


def cost_of_destroyed(cost: Callable[[Any], float] | None, destroyed: Any, name: str) -> float:
    """Return the cost of a destroyed state, by the user's function or its own.

    Raises
    ------
    InputError
        If it has none.
    """
    try:
        value = float(destroyed.objective() if cost is None else cost(destroyed))
    except Exception as error:
        raise InputError(
            f"the cost of what destroy operator {shown(name)} left cannot be had ({reason_of(error)}); expected a "
            "number, for which the selector has rewards; give destroyed_cost, or take the preset improved."
        ) from error
    if not math.isfinite(value):
        raise InputError(
            f"the cost of what destroy operator {shown(name)} left is {value}; expected a finite number; give "
            "destroyed_cost, or take the preset improved."
        )
    return value
