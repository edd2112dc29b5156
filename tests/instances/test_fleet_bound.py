"""The bound on the number of vehicles: never above what a search through all solutions needs."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest

from core.oracle import random_instance
from dacalns import check, instance_names, read
from dacalns.instances import Instance
from dacalns.instances.best_known import fewest_vehicles_values
from dacalns.instances.preflight import fleet_bound


def fewest(instance: Instance) -> int:
    """How many vehicles are needed, by looking at every set of customers."""
    alone = instance.with_(fleet=None)
    customers = range(1, instance.customers + 1)

    def fits(group: tuple[int, ...]) -> bool:
        kinds = ("capacity", "window", "depot")
        return any(
            not any(violation.kind in kinds for violation in check(alone, [order]).violations)
            for order in permutations(group)
        )

    one_route = {
        frozenset(group)
        for size in range(1, instance.customers + 1)
        for group in combinations(customers, size)
        if fits(group)
    }
    needed = {frozenset[int](): 0}
    for size in range(1, instance.customers + 1):
        for group in map(frozenset, combinations(customers, size)):
            needed[group] = min(
                1 + needed[group - route] for route in one_route if min(group) in route and route <= group
            )
    return needed[frozenset(customers)]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("rounding", ["exact", "dimacs"])
def test_no_solution_has_fewer(seed: int, matrix: bool, rounding: str) -> None:
    instance = random_instance(seed, 5, timed=True, matrix=matrix, rounding="none" if matrix else rounding)
    assert 1 <= fleet_bound(instance) <= fewest(instance)


def test_the_demand_needs_so_many() -> None:
    instance = random_instance(1, 9)
    assert fleet_bound(instance) == math.ceil(instance.demands.sum() / instance.capacity)
    exact = Instance(name="x", coordinates=np.zeros((11, 2)), demands=[0] + [0.1] * 10, capacity=0.5)  # type: ignore[arg-type]
    assert fleet_bound(exact) == 2, "0.1 has no exact double, and ten of them are no more than one"


def test_customers_too_large_to_share() -> None:
    demands = [0, 6, 6, 6, 1, 1]
    instance = Instance(name="large", coordinates=np.zeros((6, 2)), demands=demands, capacity=10)  # type: ignore[arg-type]
    assert fleet_bound(instance) == 3


def test_customers_at_the_same_time() -> None:
    """At 10, four at once, at four places; a fifth can wait."""
    places = [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [5, 0]]
    windows = [[0, 100], *[[10, 10]] * 4, [0, 90]]
    instance = Instance(name="rush", coordinates=places, demands=[0, 1, 1, 1, 1, 1], capacity=9, windows=windows)  # type: ignore[arg-type]
    assert fleet_bound(instance) == 4
    assert fleet_bound(instance.with_(fleet=9)) == 4


def test_a_way_over_others_may_be_faster() -> None:
    """From 1 to 3 it takes 50, over 2 only 2, so that one vehicle will do."""
    far = 50
    matrix = [[0, 1, 1, 1], [1, 0, 1, far], [1, 1, 0, 1], [1, far, 1, 0]]
    windows = [[0, 99], [1, 1], [0, 99], [3, 3]]
    instance = Instance(name="over", matrix=matrix, demands=[0, 1, 1, 1], capacity=3, windows=windows)  # type: ignore[arg-type]
    assert check(instance, [[1, 2, 3]]).feasible
    assert fleet_bound(instance) == 1


@pytest.mark.parametrize("name", instance_names("solomon"))
def test_solomon(name: str) -> None:
    assert fleet_bound(read(name, rounding="exact")) <= fewest_vehicles_values()[name].vehicles


def test_a_large_instance_is_bounded_by_its_demand() -> None:
    many = 401
    instance = Instance(
        name="many",
        coordinates=np.zeros((many + 1, 2)),
        demands=[0] + [1] * many,  # type: ignore[arg-type]
        capacity=100,
        windows=[[0, 9]] + [[5, 5]] * many,  # type: ignore[arg-type]
        service=[0] + [1] * many,  # type: ignore[arg-type]
    )
    assert fleet_bound(instance) == 5
