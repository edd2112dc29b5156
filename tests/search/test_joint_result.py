"""One result of several searches."""

import dataclasses

import numpy as np
import pytest

import dacalns
from core.oracle import random_instance
from dacalns.search.parallel import joint_result
from dacalns.search.result import NewBest, Result


@pytest.fixture(scope="module")
def results() -> list[Result]:
    instance = random_instance(3, 9)
    return [
        dacalns.solve(instance, portfolio="paper", seed=seed, stop=dacalns.MaxIterations(10 + 5 * seed))
        for seed in range(3)
    ]


def test_solution_of_the_leader_and_effort_of_all(results: list[Result]) -> None:
    leader = dataclasses.replace(results[1], seconds=2.0, cost=1.0, routes=[[4]])
    history = [NewBest(0, 0.0, 5.0), NewBest(3, 0.1, 1.0)]
    joint = joint_result([results[0], leader, results[2]], 1, history)
    assert (joint.cost, joint.routes, joint.history) == (1.0, [[4]], history)
    assert (joint.jobs, joint.seed) == (3, 0)
    assert (joint.iterations, joint.seconds, joint.iterations_per_second) == (45, 2.0, 22.5)
    assert Result.from_json(joint.to_json()) == joint


def test_operators_and_times_are_sums(results: list[Result]) -> None:
    joint = joint_result(results, 0, [])
    use, uses = joint.operators, [result.operators for result in results]
    assert (use.destroy, use.repair) == (uses[0].destroy, uses[0].repair)
    for name in ("uses", "seconds", "new_best", "better", "accepted_new", "accepted", "repair_seconds"):
        assert np.array(getattr(use, name)) == pytest.approx(sum(np.array(getattr(each, name)) for each in uses))
    assert sum(use.destroy_uses) == joint.iterations
    removed = sum(np.array(each.destroy_uses) * each.mean_removed for each in uses)
    assert np.array(use.destroy_uses) * use.mean_removed == pytest.approx(removed)
    assert joint.time.operators == pytest.approx(sum(result.time.operators for result in results))


def test_an_operator_that_nobody_used() -> None:
    results = [dacalns.solve(random_instance(3, 9), portfolio="paper", stop=dacalns.MaxIterations(0)) for _ in range(2)]
    assert joint_result(results, 0, []).operators.mean_removed == [0, 0]
