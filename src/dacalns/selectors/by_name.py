"""Selectors are found by the names that the command line and settings files use."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dacalns.search.python_selector import METHODS, PythonSelector, adapted, is_compiled
from dacalns.search.selector import CompiledSelector, Selector
from dacalns.search.user_code import load_file, split_file
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.frozen_policy import FrozenPolicy, LearnedWheel
from dacalns.selectors.wheels import AlphaUCB, FixedWeights, Roulette, UniformRandom
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, reason_of, shown, shown_path
from dacalns.util.values import require_choice

SELECTORS: dict[str, Callable[[], Selector]] = {
    "random": UniformRandom,
    "roulette": Roulette,
    "ucb": AlphaUCB,
    "wheel": LearnedWheel,
    "ac": ActorCritic,
    "dac": DualActorCritic,
    "dac-t": FrozenPolicy,
}
CHOICES = (*SELECTORS, "weights:DESTROY/REPAIR", "FILE.py:NAME")


def as_selector(given: str | CompiledSelector | PythonSelector) -> Selector:
    """Return a selector from its name, from ``FILE.py:NAME``, or from an object, which need not derive from `Selector`.

    A name may be followed by a colon and details: ``weights:1,0/0,1,2``, ``roulette:tuned``, ``dac:improved``,
    ``dac:target=one-step,alpha1=0``, ``dac-t:FILE.safetensors``, ``dac-t:hold=50,exploration=0.1``, ``dac-t:timed``,
    ``wheel:FILE.safetensors``.
    """
    if not isinstance(given, str):
        return _checked(given)
    if in_file := split_file(given):
        return _load(*in_file)
    kind, colon, weights = given.partition(":")
    if kind == "weights" and colon:
        return FixedWeights.parse(weights)
    if colon and kind in DETAILS:
        return DETAILS[kind](weights)
    return SELECTORS[require_choice("selector", given, CHOICES)]()


def _trained(text: str) -> FrozenPolicy:
    """Return a frozen policy from ``FILE.safetensors``, ``hold=N`` and ``exploration=E``, with commas between."""
    policies: list[str] = []
    settings: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if equals and name in NUMBERS:
            settings[name] = NUMBERS[name](value)
        else:
            policies.append(part)
    if len(policies) > 1:
        raise InputError(
            f"selector {shown('dac-t:' + text)} has two policies, {shown(policies[0])} and {shown(policies[1])}; "
            f"expected one file or none, and {' and '.join(f'{name}=NUMBER' for name in NUMBERS)} if you like."
        )
    return FrozenPolicy(policies[0] if policies else None, **settings)


def _whole(text: str) -> Any:
    # No option can be set to a number with more digits; the policy refuses such text.
    return int(text) if text.isdecimal() and len(text) <= 18 else text


def _real(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


# The options of a frozen policy besides its file; the policy itself refuses a value that is no number.
NUMBERS: dict[str, Callable[[str], Any]] = {"hold": _whole, "exploration": _real}

DETAILS: dict[str, Callable[[str], Selector]] = {
    "roulette": Roulette.preset,
    "ac": ActorCritic.preset,
    "dac": DualActorCritic.preset,
    "dac-t": _trained,
    "wheel": LearnedWheel,
}


def _checked(given: object) -> Selector:
    """Return the selector that an object is or stands for, if it has all that one of the two kinds needs."""
    if not isinstance(given, type):
        if is_compiled(given) and hasattr(given, "name") and (hasattr(given, "memory") or hasattr(given, "memory_for")):
            return adapted(given)
        if _has_methods(given):
            return adapted(given)
    called = " (a class: call it)" if isinstance(given, type) else ""
    raise InputError(
        f"selector is {shown(given)}{called}; expected one of {', '.join(CHOICES)}, or an object with "
        f"{', '.join(METHODS.values())}."
    )


def _has_methods(given: object) -> bool:
    return not is_compiled(given) and any(hasattr(given, method) for method in METHODS)


def _load(path: Path, name: str | None) -> Selector:
    module = load_file(path, "selector")
    if name is None or not hasattr(module, name):
        what = "which selector to use is not said" if name is None else f"it has no {shown(name)}"
        found = [
            key
            for key, value in vars(module).items()
            if not key.startswith("_") and (is_compiled(value) or _has_methods(value))
        ]
        raise InputError(
            f"{shown_path(path)}: {what}; expected {path.name}:NAME, NAME one of: {listed(found) or 'none there'}."
        )
    selector = getattr(module, name)
    if isinstance(selector, type) or (callable(selector) and not is_compiled(selector) and not _has_methods(selector)):
        try:
            selector = selector()
        except InputError:
            raise
        except Exception as error:
            raise InputError(
                f"{shown_path(path)}: {name}() raised {reason_of(error)}; expected an object, "
                "or a class or function that can be called without arguments."
            ) from error
    return _checked(selector)


# Some selectors have a policy that can be explained.


def require_explaining(given: Any) -> Selector:
    """Return a selector whose results have an explanation; it is asked for before a long search.

    A selector whose attribute ``explains`` is true has a policy, and logs its probabilities and values.

    Parameters
    ----------
    given
        The selector, or its name.

    Raises
    ------
    InputError
        If there is no such selector, or it has no policy.
    """
    selector = as_selector(given)
    if selector.explains:
        return selector
    learned = [name for name, kind in SELECTORS.items() if getattr(kind, "explains", False)]
    expected = f"one of {', '.join(learned)}" if learned else "a learned selector"
    raise InputError(
        f"selector {shown(selector.name)} has no policy to explain; expected {expected}; choose it, or explain nothing."
    )
