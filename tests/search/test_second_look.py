"""What is said of an answer before it is returned, and what it costs."""

import pytest

from dacalns.instances import Instance
from dacalns.search.checker import second_look, without_noise


def pair(closes: float, capacity: float = 2.0) -> Instance:
    return Instance(
        name="pair", coordinates=[[0, 0], [3, 4], [6, 8]], demands=[0, 1, 1], capacity=capacity, rounding="exact",
        windows=[[0, 100], [0, 50], [0, closes]], service=[0, 0, 0],
    )  # type: ignore[arg-type]  # fmt: skip


def test_nothing_is_said_of_a_sound_answer() -> None:
    assert second_look(pair(10.0), [[1, 2]], 20.0) == (20.0, True, [])


def test_unserved_customers_are_no_mistake() -> None:
    assert second_look(pair(10.0), [[1]], 10.0) == (10.0, True, [])


@pytest.mark.parametrize(("instance", "word"), [(pair(10 - 5e-6), "customer 2"), (pair(10, 2 - 5e-6), "carries")])
def test_beyond_a_limit_by_rounding_is_a_warning(instance: Instance, word: str) -> None:
    _, kept, warnings = second_look(instance, [[1, 2]], 20.0)
    assert kept
    assert len(warnings) == 1
    assert "by the rounding of sums" in warnings[0]
    assert word in warnings[0]


@pytest.mark.parametrize("instance", [pair(9.0), pair(10, 1.5)])
def test_far_beyond_a_limit_is_not_feasible(instance: Instance) -> None:
    _, kept, warnings = second_look(instance, [[1, 2]], 20.0)
    assert not kept
    assert "broke a limit" in warnings[0]


def test_a_wrong_cost_is_told() -> None:
    cost, _, warnings = second_look(pair(10.0), [[1, 2]], 19.0)
    assert cost == 20
    assert "not the 19" in warnings[0]


def test_what_is_left_of_a_long_start_is_no_mistake() -> None:
    free = pair(10.0).with_(coordinates=None, matrix=[[0, 0, 1], [1, 0, 0], [0, 1, 0]], rounding="none")
    assert second_look(free, [[1, 2]], -2e-16) == (0.0, True, [])


@pytest.mark.parametrize(
    ("noisy", "clean"),
    [(827.3000000000001, 827.3), (0.0, 0.0), (1.0000000000000002e-06, 1e-6), (1.23456789012e-05, 1.23456789e-05),
     (10_000_000_000.100002, 10_000_000_000.1), (9e15 + 1, 9e15 + 1)],
)  # fmt: skip
def test_costs_lose_their_noise_in_every_unit(noisy: float, clean: float) -> None:
    assert without_noise(noisy) == clean
