import numpy as np
import pytest

import dacalns
from dacalns.search.portfolio import PORTFOLIOS
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic
from dacalns.selectors.checkpoint import bundled_policy

PAPER = PORTFOLIOS["paper"]


@pytest.mark.parametrize("name", ["dac:warm", "ac:warm"])
@pytest.mark.parametrize("instance", ["P-n16-k8", "R101-n20-s1"])
def test_it_begins_with_the_table_in_the_package(name, instance):
    problem = dacalns.read(instance).problem
    pairs = dacalns.load_checkpoint(bundled_policy(problem, "wheel"))[0]["pairs"].astype(float)
    # What a new network adds to the table is small and without direction.
    found = [
        dacalns.solve(instance, portfolio="paper", selector=name, stop=dacalns.MaxIterations(1), seed=seed).explanation
        for seed in range(12)
    ]
    destroy = np.mean([each.destroy_probabilities[0] for each in found], axis=0)
    np.testing.assert_allclose(destroy, pairs.sum(axis=1), atol=0.05)


def test_from_nothing_it_begins_evenly():
    found = dacalns.solve(
        "P-n16-k8", portfolio="paper", selector="dac:improved", stop=dacalns.MaxIterations(1)
    ).explanation
    np.testing.assert_allclose(found.destroy_probabilities[0], 0.5, atol=0.1)


def test_the_preset_of_settings_has_the_prior_unless_they_say_otherwise():
    assert dacalns.SelectorSettings("dac", "warm").build() == DualActorCritic.preset("warm")
    assert dacalns.SelectorSettings("ac", "warm").build().prior == "wheel"
    assert dacalns.SelectorSettings("dac", "improved").build().prior is None
    assert dacalns.SelectorSettings("dac", "warm", {"prior": "mine"}).build().prior == "mine"


def test_a_prior_that_does_not_match_is_told(tmp_path):
    network = bundled_policy("cvrp", "dac")
    wheel = bundled_policy("cvrp", "wheel")
    cases = [
        ("P-n16-k8", network, PAPER, "this policy is of kind dac; expected a wheel to begin with"),
        ("P-n16-k8", tmp_path / "none", PAPER, "no such file"),
        ("R101-n20-s1", wheel, PAPER, "cvrp"),
        ("P-n16-k8", wheel, dacalns.Portfolio(["random_removal"], ["greedy_repair"]), "operators"),
    ]
    for name, prior, portfolio, said in cases:
        with pytest.raises(dacalns.InputError, match=said):
            ActorCritic(prior=prior).memory_for(dacalns.read(name), portfolio, 0)
