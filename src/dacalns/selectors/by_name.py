"""Selectors by the names that the command line and settings files use."""

from collections.abc import Callable
from pathlib import Path

from dacalns.errors import InputError
from dacalns.instances.choices import require_choice
from dacalns.instances.whole_number import whole_number
from dacalns.search.callbacks import METHODS, is_compiled, require_methods
from dacalns.search.python_selector import PythonSelector
from dacalns.search.selector import CompiledSelector
from dacalns.search.user_file import load_file, split_file
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.fixed_weights import FixedWeights
from dacalns.selectors.frozen_policy import FrozenPolicy, LearnedWheel
from dacalns.selectors.roulette import Roulette
from dacalns.selectors.ucb import AlphaUCB
from dacalns.selectors.uniform import UniformRandom

SELECTORS: dict[str, Callable[[], CompiledSelector]] = {
    "random": UniformRandom,
    "roulette": Roulette,
    "ucb": AlphaUCB,
    "wheel": LearnedWheel,
    "ac": ActorCritic,
    "dac": DualActorCritic,
    "dac-t": FrozenPolicy,
}
CHOICES = (*SELECTORS, "weights:DESTROY/REPAIR", "FILE.py:NAME")


def as_selector(given: str | CompiledSelector | PythonSelector) -> CompiledSelector | PythonSelector:
    """A selector from its name, from ``FILE.py:NAME``, or as it is.

    Behind a name, a colon and details: ``weights:1,0/0,1,2``, ``dac:improved``, ``dac-t:FILE.safetensors``,
    ``dac-t:hold=50``, ``dac-t:timed``, ``wheel:FILE.safetensors``.
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
    """A frozen policy from ``FILE.safetensors``, ``hold=N``, or both with a comma between."""
    policy, hold = None, None
    for part in text.split(","):
        if part.startswith("hold="):
            number = part.removeprefix("hold=")
            hold = whole_number("hold", int(number) if number.isdecimal() else number, minimum=1)
        else:
            policy = part
    return FrozenPolicy(policy, hold)


DETAILS: dict[str, Callable[[str], CompiledSelector]] = {
    "ac": ActorCritic.preset,
    "dac": DualActorCritic.preset,
    "dac-t": _trained,
    "wheel": LearnedWheel,
}


def _checked(given: object) -> CompiledSelector | PythonSelector:
    """The object itself, if it has all that one of the two kinds of selectors needs."""
    if not isinstance(given, type):
        if is_compiled(given) and hasattr(given, "name") and (hasattr(given, "memory") or hasattr(given, "memory_for")):
            return given
        if _has_methods(given):
            return require_methods(given)
    called = " (a class: call it)" if isinstance(given, type) else ""
    raise InputError(
        f"selector is {given!r}{called}; expected one of {', '.join(CHOICES)}, or an object with "
        f"{', '.join(METHODS.values())}."
    )


def _has_methods(given: object) -> bool:
    return not is_compiled(given) and any(hasattr(given, method) for method in METHODS)


def _load(path: Path, name: str | None) -> CompiledSelector | PythonSelector:
    module = load_file(path, "selector")
    if name is None or not hasattr(module, name):
        what = "which selector to use is not said" if name is None else f"it has no {name!r}"
        found = [
            key
            for key, value in vars(module).items()
            if not key.startswith("_") and (is_compiled(value) or _has_methods(value))
        ]
        raise InputError(f"{path}: {what}; expected {path.name}:NAME, NAME one of: {', '.join(found) or 'none there'}.")
    selector = getattr(module, name)
    if isinstance(selector, type) or (callable(selector) and not is_compiled(selector) and not _has_methods(selector)):
        try:
            selector = selector()
        except InputError:
            raise
        except Exception as error:
            raise InputError(
                f"{path}: {name}() raised {type(error).__name__}: {' '.join(str(error).split())}; expected an object, "
                "or a class or function that can be called without arguments."
            ) from error
    return _checked(selector)
