"""Figures of learned selectors, from runs that are too short to say anything about speed."""

from pathlib import Path

import pytest

import dacalns
from dacalns.bench.measure import BASE, FROZEN, HELD, ONLINE, LearnedSpeed, iteration_microseconds, measure_learned
from dacalns.bench.speed_cases import write_untrained_policy
from dacalns.selectors.actor_critic import DualActorCritic
from dacalns.selectors.frozen_policy import FrozenPolicy

PARTS = ["operators", "features", "forward", "backward", "other"]


def test_the_ratios_are_of_times() -> None:
    measured = LearnedSpeed("x", 9, {BASE: 100.0, ONLINE: 20.0}, {})
    assert measured.time_ratios == {BASE: 1.0, ONLINE: 5.0}


def test_the_parts_add_up_to_the_run() -> None:
    results = [
        dacalns.solve("P-n16-k8", selector=DualActorCritic(), stop=dacalns.MaxIterations(20), seed=seed)
        for seed in (1, 2)
    ]
    times = iteration_microseconds(results)
    assert list(times) == PARTS
    assert sum(times.values()) == pytest.approx(1e6 * sum(result.seconds for result in results) / 40)
    assert times["backward"] == pytest.approx(1e6 * sum(result.time.backward for result in results) / 40)
    assert min(times.values()) > 0


def test_every_selector_is_measured() -> None:
    measured = measure_learned(dacalns.read("P-n16-k8"), 0.03)
    assert list(measured.iterations_per_second) == [BASE, ONLINE, FROZEN, HELD]
    assert min(measured.iterations_per_second.values()) > 0
    assert measured.microseconds[BASE]["forward"] == 0
    assert measured.microseconds[FROZEN]["forward"] > 0
    assert measured.microseconds[FROZEN]["backward"] == 0


@pytest.mark.parametrize("kind", ["dac", "ac"])
@pytest.mark.parametrize("instance", ["P-n16-k8", "R101"])
def test_an_untrained_policy_chooses_evenly(kind: str, instance: str, tmp_path: Path) -> None:
    given = dacalns.read(instance)
    policy = tmp_path / "policy.safetensors"
    write_untrained_policy(policy, given.problem, kind)
    result = dacalns.solve(given, selector=FrozenPolicy(policy), stop=dacalns.MaxIterations(5))
    assert result.explanation is not None
    shares = [*result.explanation.destroy_probabilities[0], *result.explanation.repair_probabilities[0]]
    assert shares == pytest.approx([1 / 2] * 2 + [1 / 3] * 3, abs=0.05)
