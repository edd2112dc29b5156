"""A stream of random numbers that is the same on every machine and with every version of Python."""

import math
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Stream:
    """Draws that depend on nothing but the words given.

    Python promises that `random.Random.random` keeps its sequence for a seed; it promises nothing about the
    other methods, and NumPy's generators may change with a release. So every draw here comes from that one
    method.

    Parameters
    ----------
    words
        What the stream is for, such as a purpose and a seed; other words give an unrelated stream.
    """

    def __init__(self, *words: object) -> None:
        self._random = random.Random(" ".join(str(word) for word in words)).random

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number in [low, high)."""
        return low + (high - low) * self._random()

    def integer(self, low: int, high: int) -> int:
        """Return an integer from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def triangular(self, low: float, mode: float, high: float) -> float:
        """Return a number from the triangular distribution, by its inverse."""
        level, split = self._random(), (mode - low) / (high - low)
        if level < split:
            return low + math.sqrt((high - low) * (mode - low) * level)
        return high - math.sqrt((high - low) * (high - mode) * (1.0 - level))

    def choose(self, items: Sequence[T], count: int) -> list[T]:
        """Return some of the items, without repetition, in random order."""
        pool = list(items)
        for index in range(count):
            other = self.integer(index, len(pool) - 1)
            pool[index], pool[other] = pool[other], pool[index]
        return pool[:count]
