"""Readings of the paper: the choices that it leaves open, and the design of the combinations that are tried.

A choice is something that the paper leaves open, a level is one way to decide it, and a reading decides all choices.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count, product
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.util.typed_data import from_plain

# Hadamard matrices: square matrices of +1 and -1 whose rows are orthogonal, from which designs of experiments are made.

Signs = npt.NDArray[np.int64]


def hadamard(least: int) -> Signs:
    """Return the smallest Hadamard matrix with at least ``least`` rows that one of two constructions gives.

    Paley's construction from the squares modulo a prime p = 3 (mod 4) has order p + 1; Sylvester's doubles any order.
    The first column of the matrix is all ones.

    References
    ----------
    R. E. A. C. Paley, "On orthogonal matrices", J. Math. Phys. 12 (1933).

    Examples
    --------
    >>> [len(hadamard(least)) for least in (1, 2, 3, 5, 9, 13, 17, 21, 25)]
    [1, 2, 4, 8, 12, 16, 20, 24, 32]
    """
    return next(found for order in count(max(1, least)) if (found := _of_order(order)) is not None)


def _of_order(order: int) -> Signs | None:
    if order == 1:
        return np.ones((1, 1), dtype=np.int64)
    if order % 4 == 0 and _is_prime(order - 1):
        return _paley(order - 1)
    half = _of_order(order // 2) if order % 2 == 0 else None
    return None if half is None else np.kron(np.array([[1, 1], [1, -1]]), half)


def _paley(prime: int) -> Signs:
    squares = {step * step % prime for step in range(1, prime)}
    # For the difference of two numbers: 1 if it is a square, -1 if it is not, 0 if there is no difference.
    characters = np.array([0, *(1 if number in squares else -1 for number in range(1, prime))])
    places = np.arange(prime)
    matrix = np.ones((prime + 1, prime + 1), dtype=np.int64)
    # The signs of rows that would begin with -1 are turned.
    matrix[1:, 1:] = -(characters[(places[:, None] - places) % prime] + np.eye(prime, dtype=np.int64))
    return matrix


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


# Choices and readings.

Choices = Mapping[str, Sequence[str]]
"""The levels of each choice; the first one is ours."""


@dataclass(frozen=True)
class Reading:
    """One way to read the paper.

    Parameters
    ----------
    name
        ``"R01"`` and so on.
    levels
        The level of each choice.
    designed
        True if it belongs to the balanced fraction of all combinations from which effects are estimated.
    learners, baselines
        The names of the protocol's methods under it: ``{"DAC": "DAC R01"}``, ``{"ALNS": "ALNS [threshold]"}``.
    """

    name: str
    levels: dict[str, str]
    designed: bool
    learners: dict[str, str]
    baselines: dict[str, str]


@dataclass(frozen=True)
class ReadingMap:
    """All readings that a study tries, and the methods that it compares under them.

    Parameters
    ----------
    choices
        The choices, each with its levels, ours first, and what each level sets, in words.
    crossed
        The two choices whose combinations are all tried.
    learners
        The methods that run with every reading; the first one is the one that the paper proposes.
    baselines
        The methods that they are compared with, each with the acceptance and the operators of the reading.
    baseline_choices
        The choices that change the baselines, too.
    references
        The methods that no reading changes.
    screening
        The groups that tell which choices matter; all other groups are for claims.
    readings
        The readings in the order of their names.
    """

    choices: dict[str, dict[str, str]]
    crossed: list[str]
    learners: list[str]
    baselines: list[str]
    baseline_choices: list[str]
    references: list[str]
    screening: list[str]
    readings: list[Reading]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "ReadingMap":
        """Return the map that :meth:`plain` described."""
        return from_plain(cls, data, "map")

    def plain(self) -> dict[str, Any]:
        """Return the map as plain data for a file."""
        return asdict(self)

    def method_names(self) -> list[str]:
        """Return the names of the methods that learners and baselines become under the readings."""
        found = [
            name for reading in self.readings for name in (*reading.learners.values(), *reading.baselines.values())
        ]
        return [name for name in dict.fromkeys(found) if name not in self.baselines]

    @property
    def varied(self) -> list[str]:
        """The choices with two levels that are not crossed."""
        return [name for name in self.choices if name not in self.crossed]

    def words(self, reading: Reading) -> str:
        """Return how a reading differs from our choice, in words."""
        ours = {name: next(iter(levels)) for name, levels in self.choices.items()}
        changed = [f"{name} {level}" for name, level in reading.levels.items() if level != ours[name]]
        return ", ".join(changed) or "everything as we choose"


@dataclass(frozen=True)
class Point:
    """The levels of a reading, and whether it belongs to the balanced fraction."""

    levels: dict[str, str]
    designed: bool


def design(choices: Choices, crossed: Sequence[str]) -> list[Point]:
    """Return the readings to try: every combination of the crossed choices with all else as we choose, then a fraction.

    The fraction has two readings of every combination. In one of them the other choices, of two levels each, are set by
    a row of a Hadamard matrix; in the other one, by the same row with opposite signs. So every such choice has both
    levels equally often in every combination, and its effect does not depend on the crossed choices, nor on
    interactions of any two of the others. If there are as many combinations as rows, the effects do not depend on one
    another either. The effects of the crossed choices would depend on interactions of the others, so they are taken
    from the first readings. Nothing is random: equal choices give equal readings.

    Parameters
    ----------
    choices
        The choices. Those that are not crossed have two levels, and there are fewer of them than combinations.
    crossed
        The names of the crossed choices.
    """
    combinations = [dict(zip(crossed, levels, strict=True)) for levels in product(*(choices[name] for name in crossed))]
    varied = [name for name in choices if name not in crossed]
    points: dict[tuple[str, ...], Point] = {}

    def add(levels: dict[str, str], *, designed: bool) -> None:
        ordered = {name: levels[name] for name in choices}
        known = points.get(tuple(ordered.values()))
        points[tuple(ordered.values())] = Point(ordered, designed or (known is not None and known.designed))

    for combination in combinations:
        add(combination | {name: choices[name][0] for name in varied}, designed=False)
    for combination, row in zip(combinations, balanced_rows(len(combinations), len(varied)), strict=True):
        for signs in (row, -row):
            levels = {name: choices[name][int(sign < 0)] for name, sign in zip(varied, signs, strict=True)}
            add(combination | levels, designed=True)
    return [*points.values()]


def balanced_rows(rows: int, columns: int) -> Signs:
    """Return ``rows`` rows of signs that tell ``columns`` columns apart, from the smallest such Hadamard matrix."""
    for matrix in _matrices(max(rows, columns + 1)):
        # The first column is all ones, and so is the first row. Every other column is turned, because otherwise the
        # first row would be a combination with all else as we choose once more.
        turned = matrix[:rows, 1 : columns + 1] * np.where(np.arange(columns) % 2, -1, 1)
        if np.linalg.matrix_rank(turned) == min(rows, columns):
            return turned
    raise AssertionError  # there is no last matrix


def _matrices(least: int) -> Iterator[Signs]:
    while True:
        matrix = hadamard(least)
        yield matrix
        least = len(matrix) + 1


def reading_names(count: int) -> list[str]:
    """Return the names ``R01``, ``R02`` and so on, all of the same length."""
    digits = max(2, len(str(count)))
    return [f"R{number:0{digits}d}" for number in range(1, count + 1)]
