"""Square matrices of +1 and -1 whose rows are orthogonal: what designs of experiments are made of."""

from itertools import count
from math import isqrt

import numpy as np
import numpy.typing as npt

Signs = npt.NDArray[np.int64]


def hadamard(least: int) -> Signs:
    """A Hadamard matrix with at least so many rows, of the smallest order that two constructions give.

    Paley's from the squares modulo a prime p = 3 (mod 4) has order p + 1; Sylvester's doubles any order. Its first
    column is all ones.

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
    # Of the difference of two numbers: 1 for a square, -1 for none, 0 for none at all.
    characters = np.array([0, *(1 if number in squares else -1 for number in range(1, prime))])
    places = np.arange(prime)
    matrix = np.ones((prime + 1, prime + 1), dtype=np.int64)
    # Rows that would begin with -1 are turned.
    matrix[1:, 1:] = -(characters[(places[:, None] - places) % prime] + np.eye(prime, dtype=np.int64))
    return matrix


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))
