"""Selectors: which operator next. Each is a small settings object with compiled kernels behind it."""

from dacalns.selectors.by_name import SELECTORS, as_selector
from dacalns.selectors.fixed_weights import FixedWeights
from dacalns.selectors.roulette import Roulette
from dacalns.selectors.ucb import AlphaUCB
from dacalns.selectors.uniform import UniformRandom

__all__ = ["SELECTORS", "AlphaUCB", "FixedWeights", "Roulette", "UniformRandom", "as_selector"]
