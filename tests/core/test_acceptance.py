"""Each criterion against its formula."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dacalns.core.acceptance import (
    hill_climbing,
    late_acceptance,
    record_to_record,
    relative_threshold,
    simulated_annealing,
    threshold,
)
from dacalns.core.rng import random_float, seeded
from dacalns.search.acceptance import LateAcceptance, RecordToRecord, SimulatedAnnealing, Threshold

COSTS = st.integers(90, 120).map(float)
FRACTIONS = st.floats(0, 1)


@given(fraction=FRACTIONS, candidate=COSTS, current=COSTS, seed=st.integers(0, 99))
def test_simulated_annealing(fraction: float, candidate: float, current: float, seed: int) -> None:
    rng, twin = seeded(seed), seeded(seed)
    accepted = simulated_annealing(np.array([8.0, 0.5]), fraction, candidate, current, 90.0, rng)
    if candidate <= current:
        assert accepted
        assert rng.tolist() == twin.tolist(), "what is certain needs no draw"
    else:
        temperature = 8.0 * (0.5 / 8.0) ** fraction
        assert accepted == (random_float(twin) < math.exp(-(candidate - current) / temperature))


@pytest.mark.parametrize("worse", [1.0, 3.0, 8.0])
def test_simulated_annealing_accepts_as_often_as_it_should(worse: float) -> None:
    rng, memory, draws = seeded(7), np.array([4.0, 4.0]), 3000
    accepted = sum(simulated_annealing(memory, 0.5, 100 + worse, 100.0, 90.0, rng) for _ in range(draws))
    chance = math.exp(-worse / 4.0)
    assert abs(accepted / draws - chance) < 5 * math.sqrt(chance * (1 - chance) / draws)


@pytest.mark.parametrize(("fraction", "worse"), [(0.0, 0.02), (1.0, 0.001)])
def test_start_and_end_are_the_worsening_accepted_half_of_the_time(fraction: float, worse: float) -> None:
    memory = SimulatedAnnealing(start=0.02, end=0.001).memory(1000.0)
    rng, draws = seeded(1), 3000
    accepted = sum(simulated_annealing(memory, fraction, 1000 + 1000 * worse, 1000.0, 900.0, rng) for _ in range(draws))
    assert abs(accepted / draws - 0.5) < 5 * 0.5 / math.sqrt(draws)


@given(fraction=FRACTIONS, candidate=COSTS, current=COSTS)
def test_record_to_record_and_threshold(fraction: float, candidate: float, current: float) -> None:
    best = 95.0
    allowance = 10.0 + (0.5 - 10.0) * fraction
    memory, rng = np.array([10.0, 0.5]), seeded(0)
    assert record_to_record(memory, fraction, candidate, current, best, rng) == (candidate - best <= allowance)
    assert threshold(memory, fraction, candidate, current, best, rng) == (candidate - current <= allowance)
    assert (
        RecordToRecord(0.1, 0.005).memory(100.0).tolist() == Threshold(0.1, 0.005).memory(100.0).tolist() == [10, 0.5]
    )


@given(candidate=COSTS, current=COSTS)
def test_hill_climbing(candidate: float, current: float) -> None:
    assert hill_climbing(np.zeros(1), 0.5, candidate, current, 80.0, seeded(0)) == (candidate <= current)


@given(candidates=st.lists(COSTS, max_size=30), length=st.integers(1, 5))
def test_late_acceptance(candidates: list[float], length: int) -> None:
    memory, rng = LateAcceptance(length).memory(100.0), seeded(0)
    past, current = [math.inf] * length, 100.0
    for step, candidate in enumerate(candidates):
        place = step % length
        expected = candidate <= current or candidate <= past[place]
        assert late_acceptance(memory, 0.0, candidate, current, 90.0, rng) == expected
        current = candidate if expected else current
        past[place] = min(past[place], current)


@given(fraction=FRACTIONS, candidate=COSTS, current=COSTS)
def test_threshold_relative_to_the_current_solution(fraction: float, candidate: float, current: float) -> None:
    memory = Threshold(0.2, 0.13, of="current").memory(12345.0)
    allowed = current * (1 + 0.2 + (0.13 - 0.2) * fraction)
    assert relative_threshold(memory, fraction, candidate, current, 90.0, seeded(1)) == (candidate <= allowed)
