"""Selectors by the names that the command line and settings files use."""

from collections.abc import Callable

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
    if not isinstance(given, str):
        return given
    kind, colon, weights = given.partition(":")
    if kind == "weights" and colon:
        return FixedWeights.parse(weights)
    choices = (*SELECTORS, "weights:DESTROY/REPAIR")
    return SELECTORS[require_choice("selector", given, choices)]()
