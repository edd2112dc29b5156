"""Selectors by the names that the command line and settings files use."""

from collections.abc import Callable

from dacalns.errors import InputError
from dacalns.instances.choices import require_choice
from dacalns.search.selector import CompiledSelector
from dacalns.selectors.fixed_weights import FixedWeights
from dacalns.selectors.roulette import Roulette
from dacalns.selectors.ucb import AlphaUCB
from dacalns.selectors.uniform import UniformRandom

SELECTORS: dict[str, Callable[[], CompiledSelector]] = {
    "random": UniformRandom,
    "roulette": Roulette,
    "ucb": AlphaUCB,
}


def as_selector(given: str | CompiledSelector) -> CompiledSelector:
    """A selector from its name (``weights:1,0/0,1,2`` for fixed weights), or as it is."""
    choices = (*SELECTORS, "weights:DESTROY/REPAIR")
    if not isinstance(given, str):
        if isinstance(given, type) or not (
            hasattr(given, "name") and hasattr(given, "kernels") and hasattr(given, "memory")
        ):
            raise InputError(
                f"selector is {given!r}; expected one of {', '.join(choices)}, or an object of such a class."
            )
        return given
    kind, colon, weights = given.partition(":")
    if kind == "weights" and colon:
        return FixedWeights.parse(weights)
    return SELECTORS[require_choice("selector", given, choices)]()
