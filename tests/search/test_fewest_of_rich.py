"""Fewest vehicles first where vehicles differ in depots, for groups and several windows: against all solutions."""

import random
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns import InputError, Instance, MaxIterations, NewBest, check, solve
from dacalns.core.fleet import absence, close_a_route, items_in, leave_out_the_same, note_absences
from dacalns.core.model import BANKED, empty_solution
from dacalns.core.rng import seeded
from dacalns.core.terms import item_of, missing
from dacalns.instances.parts import Group, VehicleType
from dacalns.instances.preflight import fleet_bound
from dacalns.search.fewest_vehicles import _unserved as unserved_of
from dacalns.search.fewest_vehicles import require_countable
from dacalns.search.start import Start, first_solution, problem_of, with_fleet
from search.rich_oracle import fewest_vehicles

FIRST = "vehicles-then-distance"
CASES = 24


def drawn(seed: int) -> Instance:
    """Up to six customers, of whom all or one of each group must be served, from depots of which each has vehicles."""
    dice = random.Random(seed)
    depots, customers = dice.choice((1, 2, 3)), dice.randint(3, 6)
    nodes = depots + customers
    fields: dict[str, Any] = {
        "name": f"fewest-{seed}", "depots": depots, "rounding": dice.choice(("round", "dimacs", "trunc")),
        "coordinates": [[dice.randint(0, 15), dice.randint(0, 15)] for _ in range(nodes)],
        "demands": [0] * depots + [dice.randint(1, 5) for _ in range(customers)],
    }  # fmt: skip
    if dice.random() < 0.6:
        windows, more = [[0, 100]] * depots, []
        for node in range(depots, nodes):
            opens = dice.randint(0, 50)
            windows.append([opens, opens + dice.randint(5, 30)])
            if dice.random() < 0.3:
                more.append((node, opens + 35.0, opens + 45.0))
        fields |= {"windows": windows, "more_windows": tuple(more), "service": [0] * depots + [2] * customers}
    if dice.random() < 0.5:
        members = tuple(sorted(dice.sample(range(depots, nodes), dice.randint(2, 3))))
        fields["groups"] = (Group(customers=members),)
    shared: dict[str, Any] = {"capacity": (dice.randint(6, 12),)}
    if dice.random() < 0.3:
        shared["max_distance"] = dice.randint(30, 60)
    fields["vehicle_types"] = tuple(
        VehicleType(
            num_available=dice.choice((None, 1, 2)), start_depot=depot,
            end_depot=None if dice.random() < 0.1 else depot, **shared,
        )
        for depot in range(depots)
    )  # fmt: skip
    return Instance(**fields)


def solvable(seed: int) -> tuple[Instance, tuple[int, float]]:
    """The first of them from a seed on that has a solution, and its fewest vehicles and the least cost with these."""
    while True:
        instance = drawn(seed)
        best = fewest_vehicles(instance)
        if best is not None:
            return instance, (len(best.routes), best.cost)
        seed += 1000


@pytest.mark.slow_without_jit
def test_no_solution_has_fewer_and_nearly_always_none_is_shorter() -> None:
    reached = 0
    seen: set[str] = set()
    for seed in range(CASES):
        instance, (vehicles, cost) = solvable(seed)
        seen |= instance.features
        result = solve(instance, stop=MaxIterations(400), seed=seed, objective=FIRST)
        verdict = check(instance, result.routes, result.vehicle_types)
        assert (result.feasible, result.warnings, verdict.feasible) == (True, [], True)
        assert verdict.cost == pytest.approx(result.cost)
        assert result.fleet_phase is not None
        assert fleet_bound(instance) == result.fleet_phase.bound <= vehicles
        assert (len(result.routes), result.cost) >= (vehicles, cost - 1e-9), instance.name
        reached += (len(result.routes), result.cost) <= (vehicles, cost + 1e-9)
    assert {"depots", "vehicle-types", "groups", "several-windows", "windows", "open-routes"} <= seen
    assert reached >= CASES - 1


def depots_alike(**changes: Any) -> Instance:
    """Two depots, 10 apart, with two vehicles each; between them four customers, whom one vehicle can serve."""
    kind: dict[str, Any] = {"num_available": 2, "capacity": (4,)}
    fields: dict[str, Any] = {
        "name": "alike", "coordinates": [[0, 0], [10, 0], [1, 0], [2, 0], [8, 0], [9, 0]], "depots": 2,
        "demands": [0, 0, 1, 1, 1, 1], "rounding": "round",
        "vehicle_types": (VehicleType(**kind), VehicleType(start_depot=1, end_depot=1, **kind)),
    }  # fmt: skip
    return Instance(**(fields | changes))


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_vehicle_of_one_depot_does_for_two(jobs: int) -> None:
    instance = depots_alike()
    shortest = solve(instance, stop=MaxIterations(100), seed=1)
    assert (len(shortest.routes), shortest.cost) == (2, 8)
    heard: list[NewBest] = []
    fewest = solve(instance, stop=MaxIterations(200), seed=1, objective=FIRST, start=shortest, jobs=jobs,
                   on_best=heard.append)  # fmt: skip
    assert (len(fewest.routes), fewest.cost, len(fewest.vehicle_types)) == (1, 18, 1)
    assert (heard[0].vehicles, heard[-1].vehicles) == (2, 1)
    for event in heard:
        verdict = check(instance, event.routes, event.vehicle_types)
        assert verdict.feasible
        assert verdict.cost == event.cost
    assert (fewest.fleet, len(fewest.plans)) == (4, 1)
    assert dacalns.Result.from_json(fewest.to_json()) == fewest


def test_vehicles_of_all_types_are_limited_together() -> None:
    instance = depots_alike()
    limited = with_fleet(instance, 1)
    assert limited != instance
    assert limited.same_content(instance)
    assert (problem_of(limited).fleet, problem_of(instance).fleet) == (1, 4)
    for seed in range(3):
        result = solve(limited, stop=MaxIterations(50), seed=seed)
        assert (result.feasible, len(result.routes), result.cost) == (True, 1, 18)
    assert len(solve(instance, stop=MaxIterations(50)).routes) == 2


def test_fewer_vehicles_than_the_limit_are_told_with_their_types() -> None:
    """The second search may meet them on its way; the answer has its types from there."""
    instance = depots_alike(vehicle_types=depots_alike().vehicle_types[::-1])
    start = Start([[2, 3], [4, 5]], [1, 0])
    result = solve(instance, stop=MaxIterations(0), objective=FIRST, start=start)
    assert result.vehicle_types == [0, 1]
    assert check(instance, result.routes, result.vehicle_types).cost == result.cost == 8


def test_of_a_group_one_is_served_and_the_others_do_not_wait() -> None:
    instance = depots_alike(groups=(Group(customers=(2, 5)), Group(customers=(3, 4))))
    result = solve(instance, stop=MaxIterations(100), objective=FIRST)
    assert (len(result.routes), len(result.routes[0]), result.cost) == (1, 2, 4)
    assert (result.feasible, result.unserved, result.left_out) == (True, [], [])
    assert [event.unserved for event in result.history] == [0] * len(result.history)


def test_a_group_has_one_counter_and_waits_once() -> None:
    instance = depots_alike(groups=(Group(customers=(2, 5)),), vehicle_types=depots_alike().vehicle_types[:1])
    problem = problem_of(instance)
    assert [int(item_of(problem, customer)) for customer in range(1, 5)] == [1, 2, 3, 1]
    solution, other = first_solution(instance, None), empty_solution(problem)
    absences = np.zeros(5, dtype=np.int64)
    assert (missing(problem, solution), items_in(problem, solution), int(solution.counts[BANKED])) == (0, 0, 1)
    assert (missing(problem, other), items_in(problem, other), int(other.counts[BANKED])) == (3, 3, 4)
    note_absences(problem, solution, absences)
    assert absences.tolist() == [0] * 5
    note_absences(problem, other, absences)
    assert absences.tolist() == [0, 1, 1, 1, 0]
    assert (absence(problem, other, absences), absence(problem, solution, absences)) == (3, 0)
    assert leave_out_the_same(problem, other, empty_solution(problem))
    assert not leave_out_the_same(problem, other, solution)
    close_a_route(problem, solution, absences, False, seeded(0))
    assert leave_out_the_same(problem, solution, other)


def test_who_is_not_served_where_vehicles_are_too_few() -> None:
    """Two of three loads fit in: of those of two customers and a group."""
    kinds = tuple(VehicleType(num_available=1, capacity=(5,), start_depot=depot, end_depot=depot) for depot in (0, 1))
    loads = [0, 0, 3, 3, 3, 3]
    instance = depots_alike(demands=loads, groups=(Group(customers=(2, 5)),), vehicle_types=kinds)
    result = solve(instance, stop=MaxIterations(60), objective=FIRST)
    assert (result.feasible, len(result.routes), result.history[-1].unserved) == (False, 2, 1)
    assert result.unserved in ([2, 5], [3], [4])
    assert unserved_of(instance, [[3], [4]]) == [2, 5]
    assert unserved_of(instance, [[3], [5]]) == [4]
    assert unserved_of(instance, [[3, 2], [4]]) == []


KIND = VehicleType(capacity=(9,))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"vehicle_types": (KIND, VehicleType(capacity=(8,)))},
            "several vehicle types; expected types that differ in their depots and numbers alone, .*; use distance, "
            "with a fixed_cost for each type",
        ),
        (
            {"vehicle_types": tuple(VehicleType(capacity=(9,), start_depot=k, reload_depots=(0,)) for k in (0, 1))},
            "several vehicle types that load again; expected one type, .*; use distance",
        ),
        (
            {"vehicle_types": (KIND,), "prizes": [0, 0, 0, 0, 0, 1], "optional": [0, 0, 0, 0, 0, 1]},
            "optional customers and prizes; expected customers who must all be served, .*; use distance",
        ),
        (
            {"vehicle_types": (KIND,), "priorities": [0, 0, 0, 0, 0, 1], "optional": [0, 0, 0, 0, 0, 1]},
            "optional customers and prizes; expected customers who must all be served, .*; use distance",
        ),
        (
            {"groups": (Group(customers=(2, 3), required=False),)},
            "a group that may be left out; expected groups of which one must be visited, .*; use distance",
        ),
    ],
)
def test_what_cannot_be_counted_is_refused_by_name(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=f"objective is {FIRST}, and alike has {words}") as caught:
        solve(depots_alike(**changes), stop=MaxIterations(9), objective=FIRST)
    assert len(str(caught.value)) < 300
    require_countable(depots_alike())
