"""The log of what a policy decided, against one that is kept at every iteration."""

from typing import Any

import numpy as np
import pytest

from core.learners import INSTANCE, KINDS, PORTFOLIO, SMALL
from dacalns.core import policy_table as layout
from dacalns.selectors.actor_critic import ActorCritic
from dacalns.selectors.policy_log import explanation_of

DESTROYS, REPAIRS = 2, 3


def blank_table(kind: type[ActorCritic]) -> Any:
    return kind(network=SMALL).blank_memory(INSTANCE, PORTFOLIO).table


def put_decision(kind: type[ActorCritic], table: Any, hold: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Let a table hold a random decision that was used ``hold`` times; what each of these iterations saw."""
    destroy_value, repair_values, destroy_entropy, repair_entropies = -0.5, (1.5, 2.5), 0.25, (0.5, 0.75)
    first, second = rng.dirichlet(np.ones(DESTROYS)), rng.dirichlet(np.ones(REPAIRS), DESTROYS)
    used = rng.integers(DESTROYS, size=hold)
    noted = layout.DECISION
    table[layout.ROW.destroy_probabilities, [-noted.used, -noted.entropy, -noted.value]] = (
        hold, destroy_entropy, destroy_value,
    )  # fmt: skip
    if kind.paired:
        table[layout.ROW.destroy_probabilities, : DESTROYS * REPAIRS] = (first[:, None] * second).ravel()
        return [{"destroy": first, "repair": first @ second, "pairs": first[:, None] * second}] * hold
    table[layout.ROW.destroy_probabilities, :DESTROYS] = first
    for destroy in range(DESTROYS):
        row = table[layout.repair_row(destroy)]
        row[:REPAIRS] = second[destroy]
        row[[-layout.DECISION.used, -layout.DECISION.entropy, -layout.DECISION.value]] = (
            np.sum(used == destroy), repair_entropies[destroy], repair_values[destroy],
        )  # fmt: skip
    return [
        {
            "destroy": first, "repair": second[each], "pairs": np.eye(DESTROYS)[:, [each]] * second[each],
            "entropies": (destroy_entropy, repair_entropies[each]), "values": (destroy_value, repair_values[each]),
        }
        for each in used
    ]  # fmt: skip


@pytest.mark.parametrize("hold", [1, 3])
@pytest.mark.parametrize("decisions", [1, 2, 127, 128, 129, 191, 255, 256, 257, 600])
@pytest.mark.parametrize("kind", KINDS)
def test_points_are_means_over_iterations(kind: type[ActorCritic], decisions: int, hold: int) -> None:
    table, rng, seen = blank_table(kind), np.random.default_rng(decisions), []
    for _ in range(decisions):
        layout.log_decision(table)  # the one before, as when a policy looks again
        seen += put_decision(kind, table, hold, rng)
    stride = hold
    while decisions * hold >= 128 * stride:
        stride *= 2
    stretches = [seen[begin : begin + stride] for begin in range(0, len(seen), stride)]

    kept = table.copy()
    explanation = explanation_of(table)
    assert (table == kept).all(), "explaining changes nothing"
    assert explanation is not None
    assert explanation.iterations == np.cumsum([len(stretch) for stretch in stretches]).tolist()

    def means(what: str) -> Any:
        return [np.mean([each[what] for each in stretch], axis=0) for stretch in stretches]

    np.testing.assert_allclose(explanation.destroy_probabilities, means("destroy"))
    np.testing.assert_allclose(explanation.repair_probabilities, means("repair"))
    pairs = np.sum([each["pairs"] for each in seen], axis=0)
    expected = pairs / np.maximum(pairs.sum(axis=1, keepdims=True), 1e-9)
    np.testing.assert_allclose(explanation.repair_given_destroy, expected)
    if not kind.paired:
        np.testing.assert_allclose(np.transpose([explanation.destroy_value, explanation.repair_value]), means("values"))
        entropies = np.transpose([explanation.destroy_entropy, explanation.repair_entropy])
        np.testing.assert_allclose(entropies, means("entropies"))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_explain_before_the_first_decision(kind: type[ActorCritic]) -> None:
    assert explanation_of(blank_table(kind)) is None
