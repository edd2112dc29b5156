"""The graph of a solution, as a Python selector sees it, against lists of routes."""

from typing import Any

import numpy as np
import pytest

from core import network_oracle, oracle
from dacalns import Instance, State
from dacalns.search.policy_view import NEIGHBOURS
from dacalns.search.stepper import Stepper
from dacalns.selectors.settings import NetworkSettings

INSTANCES = [
    pytest.param(oracle.random_instance(1, 30), id="cvrp"),
    pytest.param(oracle.random_instance(2, 25, timed=True), id="vrptw"),
    pytest.param(oracle.random_instance(3, 14, matrix=True), id="asymmetric"),
    pytest.param(oracle.random_instance(4, 1), id="one customer"),
]


def states(instance: Instance) -> list[State]:
    """A full and a destroyed solution."""
    stepper = Stepper(instance, seed=1)
    stepper.destroy(0)
    return [State(stepper, stepper.current), State(stepper, stepper.candidate)]


@pytest.mark.parametrize("instance", INSTANCES)
def test_edges_are_those_of_the_network(instance: Instance) -> None:
    for state in states(instance):
        tails, heads, weights = state.edges
        problem: Any = state._stepper.problem
        dense = np.eye(instance.customers + 1)
        dense[tails, heads] += weights
        assert len(tails) == len(set(zip(tails.tolist(), heads.tolist(), strict=True))), "an edge comes twice"
        root = np.sqrt(dense.sum(axis=1))
        expected = network_oracle.adjacency(problem, state.routes, NEIGHBOURS)
        np.testing.assert_allclose(dense / np.outer(root, root), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("instance", INSTANCES)
def test_features_say_who_is_served_and_when(instance: Instance) -> None:
    for state in states(instance):
        features = state.node_features
        assert features.shape == (instance.customers + 1, 10 if instance.problem == "vrptw" else 4)
        waiting = [node for node in range(instance.customers + 1) if features[node, 3] == 0]
        assert waiting == state.unserved
        np.testing.assert_allclose(features[:, 2], instance.demands / instance.capacity, rtol=1e-5)
        if instance.problem == "vrptw":
            problem: Any = state._stepper.problem
            for route in state.routes:
                starts = oracle.starts(problem, route)[:-1]
                seen = features[route, 8] + features[route, 9]
                np.testing.assert_allclose(seen, (np.array(starts) - problem.opens[0]) / problem.closes[0], rtol=1e-4)


def test_it_is_made_anew_for_each_look() -> None:
    state, _ = states(oracle.random_instance(1, 8))
    first = state.node_features
    first[:] = 7
    state.edges[2][:] = 7
    assert state.node_features.max() <= 1
    assert state.edges[2].min() < 7
    assert NetworkSettings().neighbours == NEIGHBOURS
