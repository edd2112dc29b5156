"""The running mean of the parameters."""

import numpy as np

from dacalns.learning.rounds import averaged


def run(values):
    average = np.array([99.0])
    for number, value in enumerate(values, start=1):
        average = averaged(average, np.array([value], dtype=np.float32), number)
    return float(average[0])


def test_the_first_round_is_its_own_mean():
    assert run([3]) == 3


def test_what_is_the_same_stays_the_same():
    assert run([2] * 50) == 2


def test_the_second_half_of_the_rounds_has_fifteen_sixteenths_of_the_weight():
    assert abs(run([0] * 1000 + [1] * 1000) - 15 / 16) < 1e-3


def test_the_weights_are_those_of_polynomial_decay():
    rounds = 7
    weights = np.array([1.0])
    for number in range(2, rounds + 1):
        share = 4 / (number + 3)
        weights = np.append(weights * (1 - share), share)
    values = np.arange(rounds, dtype=float) ** 2
    assert np.isclose(run(values), weights @ values)
