"""Selector kernels against hand computations and frequencies."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core import selection as kernels
from dacalns.core.rng import seeded
from dacalns.selectors import AlphaUCB, FixedWeights, Roulette, UniformRandom

PROBLEM = oracle.random_problem(1, 4)
SOLUTION = oracle.filled(PROBLEM, 1)


def trial(destroy: int, repair: int, outcome: int) -> np.ndarray:
    values = np.zeros(len(kernels.TRIAL))
    values[[kernels.TRIAL.destroy, kernels.TRIAL.repair, kernels.TRIAL.outcome]] = destroy, repair, outcome
    return values


def frequencies(selector: object, destroys: int, repairs: int, draws: int = 3000) -> np.ndarray:
    """How often each pair comes."""
    select_destroy, select_repair, _ = selector.kernels  # type: ignore[attr-defined]
    memory, rng = kernels.new_memory(selector.memory(destroys, repairs)), seeded(5)  # type: ignore[attr-defined]
    counts = np.zeros((destroys, repairs))
    for _ in range(draws):
        destroy = select_destroy(memory, PROBLEM, SOLUTION, rng)
        counts[destroy, select_repair(memory, PROBLEM, SOLUTION, destroy, rng)] += 1
    return counts / draws


@given(
    weights=st.lists(st.sampled_from([0.0, 0.0, 1e-12, 0.1, 0.3, 7.0]), min_size=1, max_size=6).filter(any),
    seed=st.integers(0, 10_000),
)
def test_draw_never_picks_a_zero(weights: list[float], seed: int) -> None:
    table, rng = np.array([[9.0] * len(weights), weights]), seeded(seed)
    assert all(weights[kernels.draw(table, 1, len(weights), rng)] > 0 for _ in range(10))


def test_draw_never_picks_a_trailing_zero_after_a_rounding_error() -> None:
    """Ten times 0.1 sums to less than one, so that the subtractions may end a little above zero."""
    table = np.array([[0.1] * 10 + [0.0]])
    table[0, 3] = 1e17  # swallows its neighbours
    rng = seeded(0)
    assert all(kernels.draw(table, 0, 11, rng) < 10 for _ in range(200))


def test_uniform() -> None:
    assert frequencies(UniformRandom(), 2, 3) == pytest.approx(np.full((2, 3), 1 / 6), abs=0.035)


def test_fixed_weights_hold_for_pairs() -> None:
    pairs = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 4.0]])
    counts = frequencies(FixedWeights(pairs.tolist()), 2, 3)
    assert counts == pytest.approx(pairs / 10, abs=0.04)
    assert counts[0, 1] == counts[1, 0] == 0


def test_fixed_weights_drawn_independently() -> None:
    counts = frequencies(FixedWeights.parse("1,3/0,1,1"), 2, 3)
    assert counts == pytest.approx(np.outer([0.25, 0.75], [0, 0.5, 0.5]), abs=0.04)


def test_roulette_starts_even() -> None:
    assert frequencies(Roulette(), 2, 3) == pytest.approx(np.full((2, 3), 1 / 6), abs=0.035)


def test_roulette_weights_after_a_segment_by_hand() -> None:
    selector = Roulette(scores=(10, 6, 4, 1), segment=4, reaction=0.25)
    memory = kernels.new_memory(selector.memory(2, 3))
    told = [(0, 1, kernels.OUTCOME.new_best), (0, 2, kernels.OUTCOME.better), (1, 1, kernels.OUTCOME.accepted)]
    for destroy, repair, outcome in told:
        kernels.roulette_update(memory, trial(destroy, repair, outcome))
        assert memory.table[kernels.WHEEL_ROW.destroy_weight, :2].tolist() == [1, 1], (
            "weights stay until the segment ends"
        )
    kernels.roulette_update(memory, trial(0, 1, kernels.OUTCOME.nothing_new))
    # Destroy 0 was used three times for 17, destroy 1 once for 4; repair 0 never, 1 three times for 15, 2 once for 6.
    assert memory.table[kernels.WHEEL_ROW.destroy_weight, :2] == pytest.approx([0.75 + 0.25 * 17 / 3, 0.75 + 0.25 * 4])
    assert memory.table[kernels.WHEEL_ROW.repair_weight, :3] == pytest.approx(
        [1, 0.75 + 0.25 * 15 / 3, 0.75 + 0.25 * 6]
    )
    # The next segment begins with nothing collected.
    for _ in range(4):
        kernels.roulette_update(memory, trial(1, 0, kernels.OUTCOME.nothing_new))
    assert memory.table[kernels.WHEEL_ROW.destroy_weight, 0] == pytest.approx(0.75 + 0.25 * 17 / 3)
    assert memory.table[kernels.WHEEL_ROW.destroy_weight, 1] == pytest.approx(0.75 * 1.75 + 0.25 * 1)


def test_roulette_never_gives_an_operator_up() -> None:
    memory = kernels.new_memory(Roulette(segment=1, reaction=1.0).memory(2, 2))
    for _ in range(50):
        kernels.roulette_update(memory, trial(0, 0, kernels.OUTCOME.nothing_new))
    assert memory.table[kernels.WHEEL_ROW.destroy_weight, 0] > 0


def test_roulette_follows_its_weights() -> None:
    class Tilted(Roulette):
        def memory(self, destroys: int, repairs: int) -> np.ndarray:
            table = super().memory(destroys, repairs)
            table[kernels.WHEEL_ROW.destroy_weight, :2] = 1, 4
            return table

    assert frequencies(Tilted(), 2, 2).sum(axis=1) == pytest.approx([0.2, 0.8], abs=0.04)


def pull(memory: kernels.Memory, outcome: int) -> tuple[int, int]:
    destroy = int(kernels.ucb_destroy(memory, PROBLEM, SOLUTION, seeded(0)))
    repair = int(kernels.ucb_repair(memory, PROBLEM, SOLUTION, destroy, seeded(0)))
    kernels.ucb_update(memory, trial(destroy, repair, outcome))
    return destroy, repair


@given(outcomes=st.lists(st.integers(0, 3), min_size=6, max_size=60), alpha=st.sampled_from([0.0, 0.05, 1.0]))
def test_ucb_tries_every_pair_and_then_the_most_promising(outcomes: list[int], alpha: float) -> None:
    selector = AlphaUCB(alpha=alpha, scores=(5, 2, 1, 0))
    memory = kernels.new_memory(selector.memory(2, 3))
    rewards: dict[tuple[int, int], list[float]] = {}
    for step, outcome in enumerate(outcomes):
        if len(rewards) == 6:
            merits = {
                pair: sum(got) / len(got) + math.sqrt(alpha * math.log(1 + step) / len(got))
                for pair, got in rewards.items()
            }
        pair = pull(memory, outcome)
        if len(rewards) == 6:
            assert merits[pair] == pytest.approx(max(merits.values()))
        else:
            assert pair not in rewards, "an untried pair comes first"
        rewards.setdefault(pair, []).append(selector.scores[outcome])
