"""Moving, scaling or renumbering an instance changes nothing that a network says of a solution."""

from typing import Any

import numpy as np
import pytest

from core import oracle
from dacalns.core import judging
from dacalns.core import policy_table as layout
from dacalns.instances import Instance
from dacalns.search.portfolio import as_portfolio
from dacalns.search.start import problem_of
from dacalns.selectors.actor_critic import ActorCritic, DualActorCritic, parameters_of
from dacalns.selectors.settings import NetworkSettings

CUSTOMERS, DESTROY = 14, 1
NETWORK = NetworkSettings(hidden=16, neighbours=4)
ORDER = np.r_[0, 1 + np.random.default_rng(8).permutation(CUSTOMERS)]
PORTFOLIO = as_portfolio("paper")


def judged(kind: type[ActorCritic], instance: Instance, full: Any, destroyed: Any) -> tuple[list[float], list[float]]:
    """All probabilities on both solutions, and both values."""
    operators = PORTFOLIO.for_features(instance.features)
    destroys, repairs = len(operators.destroy), len(operators.repair)
    memory, problem = kind(network=NETWORK).memory_for(instance, operators, 3), problem_of(instance)
    # Fresh networks say nearly nothing, which would hide every difference.
    parameters = parameters_of(memory)
    parameters += 0.2 * np.random.default_rng(4).standard_normal(len(parameters)).astype(np.float32)
    size = destroys * repairs if kind.paired else destroys
    judging.score_full(memory, problem, oracle.solution_of(problem, full), size)
    row = memory.table[layout.ROW.destroy_probabilities]
    probabilities, values = row[:size].tolist(), [float(row[-layout.DECISION.value])]
    if not kind.paired:
        judging.score_destroyed(memory, problem, oracle.solution_of(problem, destroyed), DESTROY)
        row = memory.table[layout.repair_row(DESTROY)]
        probabilities += row[:repairs].tolist()
        values.append(float(row[-layout.DECISION.value]))
    return probabilities, values


def changed(instance: Instance, how: str) -> Instance:
    parts: dict[str, Any] = {
        "coordinates": np.array(instance.coordinates),
        "demands": np.array(instance.demands),
        "capacity": instance.capacity,
        "windows": None if instance.windows is None else np.array(instance.windows),
        "service": np.array(instance.service),
    }
    if how == "renumbered":
        # Customer ORDER[i] is the one that was i.
        was = np.argsort(ORDER)
        parts |= {name: value[was] for name, value in parts.items() if isinstance(value, np.ndarray)}
    elif how == "moved":
        parts["coordinates"] += [123.4, -77.7]
    elif how == "scaled":
        for name in ("coordinates", "windows", "service"):
            parts[name] = None if parts[name] is None else 3.7 * parts[name]
    elif how == "other loads":
        parts["demands"], parts["capacity"] = 2.3 * parts["demands"], 2.3 * parts["capacity"]
    return Instance(name=how, rounding=instance.rounding, fleet=instance.fleet, **parts)


@pytest.mark.parametrize("how", ["renumbered", "moved", "scaled", "other loads"])
@pytest.mark.parametrize("rounding", ["exact", "none"])
@pytest.mark.parametrize("timed", [False, True], ids=["cvrp", "vrptw"])
@pytest.mark.parametrize("kind", [ActorCritic, DualActorCritic], ids=["ac", "dac"])
def test_nothing_changes(kind: type[ActorCritic], timed: bool, rounding: str, how: str) -> None:
    instance = oracle.random_instance(2, CUSTOMERS, timed=timed, rounding=rounding)
    problem = problem_of(instance)
    full, destroyed = (oracle.routes_in(oracle.filled(problem, 1, share)) for share in (1.0, 0.6))
    assert sum(map(len, full)) == CUSTOMERS > sum(map(len, destroyed)) > 0
    probabilities, values = judged(kind, instance, full, destroyed)
    if how == "renumbered":
        full, destroyed = ([ORDER[route].tolist() for route in routes] for routes in (full, destroyed))
    same_probabilities, same_values = judged(kind, changed(instance, how), full, destroyed)
    np.testing.assert_allclose(same_probabilities, probabilities, rtol=2e-4, atol=1e-6)
    np.testing.assert_allclose(same_values, values, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("timed", [False, True], ids=["cvrp", "vrptw"])
def test_another_solution_is_judged_otherwise(timed: bool) -> None:
    """Else the tests above would show nothing."""
    instance = oracle.random_instance(2, CUSTOMERS, timed=timed)
    problem = problem_of(instance)
    judgements = [
        judged(DualActorCritic, instance, *(oracle.routes_in(oracle.filled(problem, seed, s)) for s in (1.0, 0.6)))
        for seed in (1, 2)
    ]
    (first, first_values), (second, second_values) = judgements
    assert np.abs(np.subtract(first_values, second_values)).min() > 1e-2
    assert np.abs(np.subtract(first, second)).max() > 1e-3
    assert max(first) > 1.2 * min(first[:2])
