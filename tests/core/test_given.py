"""Networks on states that Python describes do what the compiled loop's do on the same states."""

from typing import Any

import numpy as np
import pytest

from core.learners import INSTANCE, PORTFOLIO, SMALL, memory_of
from dacalns.core import given, loop
from dacalns.core import policy_table as layout
from dacalns.core.brain import REGION, STATE, edges_in, vector_in
from dacalns.core.jit import OPTIONS, _njit, address, pluggable
from dacalns.core.rng import seeded
from dacalns.core.selection import HEADER, SELECT_DESTROY, SELECT_REPAIR
from dacalns.search.policy_view import edges, node_features
from dacalns.search.start import graph_of
from dacalns.search.stepper import Stepper
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic, parameters_of
from dacalns.selectors.settings import LearningSettings, Rewards

uncached = _njit(cached=False, **OPTIONS)


@uncached
def asked_destroy(function, memory, problem, solution, rng):
    return loop.ask_destroy(function, (memory, problem, solution, rng))


@uncached
def asked_repair(function, memory, problem, solution, destroy, rng):
    return loop.ask_repair(function, (memory, problem, solution, destroy, rng))


def write(memory: Any, which: int, stepper: Stepper, solution: Any) -> None:
    graph = graph_of(INSTANCE, SMALL.neighbours)
    features = node_features(graph, stepper.problem, solution)
    tails, heads, weights = edges(graph, stepper.problem, solution)  # sorted by their tails
    starts = np.searchsorted(tails, np.arange(len(features) + 1))
    given.write_state(memory, which, features, starts, heads, weights)


@pytest.mark.parametrize("kind", [ActorCritic, DualActorCritic])
@pytest.mark.parametrize("frozen", [False, True], ids=["learning", "frozen"])
def test_the_same_choices_and_the_same_parameters_as_in_the_loop(kind: type[ActorCritic], frozen: bool) -> None:
    learning = LearningSettings(rate=0.003, entropy=0.1, normalise_advantage=True, gradient_clip=1.0)
    selector = kind(Rewards(), SMALL, learning)
    ours = memory_of(selector)
    nodes, features = INSTANCE.customers + 1, graph_of(INSTANCE, SMALL.neighbours).features.shape[1]
    theirs = selector.memory_on(
        given.blank_graph(nodes, features, nodes * (nodes - 1)), len(PORTFOLIO.destroy), len(PORTFOLIO.repair),
        own_edges=True,
    )  # fmt: skip
    before = parameters_of(ours).copy()
    parameters_of(theirs)[:] = before
    if frozen:
        for memory in (ours, theirs):
            memory.table[HEADER, layout.SETTING.learning] = layout.LEARNS.nothing
    destroy_kernel, repair_kernel, note = selector.kernels
    functions = [address(pluggable(destroy_kernel, SELECT_DESTROY)), address(pluggable(repair_kernel, SELECT_REPAIR))]
    given_functions = given.compiled_given()
    stepper = Stepper(INSTANCE, "paper", seed=2)
    rngs = seeded(5), seeded(5)
    choices = []
    for _ in range(25):
        write(theirs, STATE.next, stepper, stepper.current)
        destroy = asked_destroy(functions[0], ours, stepper.problem, stepper.current, rngs[0])
        assert given.call_destroy(given_functions[0], theirs, rngs[1]) == destroy
        stepper.destroy(destroy)
        write(theirs, STATE.destroyed, stepper, stepper.candidate)
        removed = len(INSTANCE.demands[1:][stepper.candidate.route[1:] < 0]) / INSTANCE.customers
        repair = asked_repair(functions[1], ours, stepper.problem, stepper.candidate, destroy, rngs[0])
        assert given.call_repair(given_functions[1], theirs, removed, destroy, rngs[1]) == repair
        stepper.repair(repair)
        stepper.accept()
        note(ours, stepper.progress.trial)
        note(theirs, stepper.progress.trial)
        choices.append((destroy, repair))
        rows = [layout.ROW.destroy_probabilities, layout.repair_row(destroy)]
        size = layout.decision_column(ours.table, layout.DECISION.used)
        np.testing.assert_allclose(theirs.table[rows, :size], ours.table[rows, :size], atol=1e-4)
    assert len(set(choices)) > 3
    np.testing.assert_allclose(parameters_of(theirs), parameters_of(ours), atol=2e-4)
    moved = np.abs(parameters_of(ours) - before).max()
    assert moved == 0 if frozen else moved > 0.01


def test_states_keep_edges_of_their_own() -> None:
    selector = DualActorCritic(network=SMALL)
    memory = selector.memory_on(given.blank_graph(3, 2, 6), 2, 2, own_edges=True)
    features = np.zeros((3, 2), dtype=np.float32)
    path = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]), np.ones(4, dtype=np.float32)
    given.write_state(memory, STATE.next, features, *path)
    given.write_state(memory, STATE.destroyed, features, np.array([0, 0, 1, 2]), np.array([2, 1]), np.full(2, 5.0))
    given.take_next(memory)
    assert edges_in(memory, STATE.full)[0].tolist() == path[0].tolist()
    assert edges_in(memory, STATE.full)[1][:4].tolist() == path[1].tolist()
    assert edges_in(memory, STATE.destroyed)[2][:2].tolist() == [5, 5]
    assert not vector_in(memory, REGION.gradient).any()
