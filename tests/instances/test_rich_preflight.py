"""Reasons why a rich instance has no solution, and the bound on its vehicles."""

from typing import Any

import numpy as np
import pytest

from dacalns.instances import Group, Instance, Profile, VehicleType, generate_rich, preflight, require_feasible
from dacalns.instances.preflight import fleet_bound
from dacalns.util.errors import InfeasibleInstanceError

# Distances from the depot: 5, 5, 10.
BASE: dict[str, Any] = {
    "name": "mine",
    "coordinates": [[0, 0], [3, 4], [0, 5], [6, 8]],
    "demands": [0, 1, 2, 3],
    "rounding": "exact",
}


def rich(**changes: Any) -> Instance:
    return Instance(
        **{**BASE, "vehicle_types": (VehicleType(num_available=3, capacity=(4,), fixed_cost=1.0),), **changes}
    )


def kind(**fields: Any) -> VehicleType:
    return VehicleType(**{"num_available": 2, "capacity": (6,), **fields})


def test_what_is_feasible_has_no_reasons() -> None:
    assert preflight(rich()) == []


FAR = Profile(distances=40 * (1 - np.eye(4)))
INFEASIBLE: list[tuple[dict[str, Any], str]] = [
    ({"vehicle_types": (kind(capacity=(2,)), kind(capacity=(1,)))},
     "Customer 3 .* by no vehicle: it is more than they"),
    (
        {"vehicle_types": (kind(allowed_customers=(1, 2)), kind(allowed_customers=(2,)))},
        "Customer 3 can be served by no vehicle: none of them may",
    ),
    (
        {"vehicle_types": (kind(allowed_customers=(1, 2)), kind(capacity=(2,)))},
        "Customer 3 can be served by no vehicle: it is more than they carry",
    ),
    ({"vehicle_types": (kind(max_distance=19.0),)}, "Customer 3 .*: it is further than their routes may go"),
    ({"vehicle_types": (kind(shift_duration=19.0),)}, "Customer 3 .*: it takes longer than their routes may"),
    (
        {"vehicle_types": (kind(shift_duration=12.0, max_overtime=9.0),), "matrix": 5 * (1 - np.eye(4)),
         "rounding": "none", "demands": [0, 7, 1, 1]},
        "Customer 1 .*: it is more than they carry",
    ),
    (
        {"vehicle_types": (kind(shift_duration=19.0, max_overtime=0.5, unit_overtime_cost=1.0),)},
        "Customer 3 .*: it takes longer than their routes may",
    ),
    ({"vehicle_types": (kind(tw_late=19.0, start_late=3.0),)}, "Customer 3 .*: they cannot return from it in time"),
    (
        {"windows": [[0, 99], [0, 99], [0, 4], [0, 99]], "vehicle_types": (kind(fixed_cost=1.0),)},
        "Customer 2 .*: they cannot reach it in time",
    ),
    (
        {"windows": [[0, 99]] * 4, "releases": [0, 0, 0, 90], "vehicle_types": (kind(fixed_cost=1.0),)},
        "Customer 3 .*: they cannot reach it in time",
    ),
    (
        {"windows": [[0, 99], [0, 99], [0, 4], [0, 99]], "more_windows": [(2, 4.5, 4.9)]},
        "Customer 2 .*: they cannot reach it in time",
    ),
    (
        {"groups": [Group(customers=(1, 3))], "vehicle_types": (kind(allowed_customers=(2,)),)},
        "No customer of group 0 can be served by any vehicle: of node 1, none of them may",
    ),
    (
        {"pairs": [[1, 3]], "demands": [0, 9, 1, 0], "vehicle_types": (kind(),)},
        "The pair of 1 and 3 can be served by no vehicle: it is more than they carry",
    ),
    (
        {"pairs": [[1, 3]], "demands": [0, 1, 1, 0], "vehicle_types": (kind(max_stops=1.0),)},
        "The pair of 1 and 3 can be served by no vehicle: their routes have fewer stops than a pair",
    ),
    (
        {"pairs": [[3, 1]], "demands": [0, 0, 1, 3], "windows": [[0, 99], [0, 14], [0, 99], [0, 99]]},
        "The pair of 3 and 1 can be served by no vehicle: they cannot reach it in time",
    ),
    (
        {"pickups": [0, 1, 0, 5], "vehicle_types": (kind(capacity=(4,)),)},
        "Customer 3 .*: it is more than they carry",
    ),
    ({"vehicle_types": (kind(capacity=(4,), initial_load=(2,)),)}, "Customer 3 .*: it is more than they carry"),
    ({"vehicle_types": (kind(num_available=1, capacity=(5,), fixed_cost=2.0),)}, "The deliveries of all .* come to 6,"),
    (
        {"vehicle_types": (kind(num_available=1, capacity=(3,), reload_depots=(0,), max_reloads=0.0),)},
        "The deliveries of all who must be served come to 6, more than the 3",
    ),
    (
        {"demands": [[0, 0], [1, 2], [1, 2], [1, 2]], "vehicle_types": (kind(num_available=1, capacity=(3, 5)),)},
        "come to 6 in load dimension 1, more than the 5",
    ),
    ({"vehicle_types": (kind(num_available=1, max_stops=2.0),)},
     "3 customers must be visited, and routes of .* 2 stops"),
    (
        {"pickups": [0, 1, 2, 3], "demands": [0] * 4, "backhauls_last": True},
        "Customer 1 has a pickup, which comes after a delivery",
    ),
    (
        {"vehicle_types": (kind(profile=1, max_distance=50.0),), "profiles": (FAR,)},
        "Customer 1 .*: it is further than their routes may go",
    ),
    ({"vehicle_types": (kind(speed=0.5, shift_duration=30.0),)}, "Customer 3 .*: it takes longer than their routes"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "sentence"), INFEASIBLE, ids=[sentence[:50] for _, sentence in INFEASIBLE])
def test_every_reason_is_told(changes: dict[str, Any], sentence: str) -> None:
    instance = rich(**changes)
    with pytest.raises(InfeasibleInstanceError, match=sentence):
        require_feasible(instance)


def test_what_may_be_left_out_is_no_reason() -> None:
    types = (kind(allowed_customers=(1, 2)),)
    assert preflight(rich(vehicle_types=types, optional=[False, False, False, True])) == []
    assert preflight(rich(vehicle_types=types, groups=[Group(customers=(2, 3))])) == []
    assert preflight(rich(vehicle_types=types, groups=[Group(customers=(1, 3), required=False)])) == []


def test_a_way_over_others_may_be_faster() -> None:
    """Straight to 2 and back it is 100, over 1 only 20."""
    matrix = np.array([[0, 5, 50], [5, 0, 5], [50, 5, 0]], dtype=float)
    fields = {"name": "over", "matrix": matrix, "demands": [0, 1, 1], "vehicle_types": (kind(max_distance=20.0),)}
    assert preflight(Instance(**fields)) == []
    assert len(preflight(Instance(**{**fields, "vehicle_types": (kind(max_distance=19.0),)}))) == 1


def test_open_routes_need_no_way_back() -> None:
    types = (kind(max_distance=10.0, end_depot=None),)
    assert preflight(rich(vehicle_types=types)) == []
    assert preflight(rich(vehicle_types=(kind(max_distance=0.0, end_depot=None, start_depot=None),))) == []
    assert len(preflight(rich(vehicle_types=(kind(max_distance=9.0, end_depot=None),)))) == 1


@pytest.mark.parametrize("seed", range(30))
def test_generated_instances_have_none(seed: int) -> None:
    assert preflight(generate_rich(12, {"windows", "reloads", "release-times", "open-routes"}, seed)) == []


def test_the_bound_counts_what_must_be_served() -> None:
    types = (VehicleType(num_available=None, capacity=(2,), fixed_cost=1.0),)
    demands = [0, 2, 2, 2]
    assert fleet_bound(rich(demands=demands, vehicle_types=types)) == 3
    assert fleet_bound(rich(demands=demands, vehicle_types=types, optional=[0, 1, 0, 0])) == 2
    assert fleet_bound(rich(demands=demands, vehicle_types=types, groups=[Group(customers=(1, 2, 3))])) == 1
    assert fleet_bound(rich(demands=[0] * 4, pickups=demands, vehicle_types=types)) == 3
    reloading = (VehicleType(num_available=None, capacity=(2,), reload_depots=(0,), max_reloads=1.0),)
    assert fleet_bound(rich(demands=demands, vehicle_types=reloading)) == 2
    reloading = (VehicleType(num_available=None, capacity=(2,), reload_depots=(0,)),)
    assert fleet_bound(rich(demands=demands, vehicle_types=reloading)) == 1
    assert fleet_bound(rich(demands=demands, vehicle_types=types, optional=[0, 1, 1, 1])) == 1


def test_pairs_at_the_same_time_need_several_vehicles() -> None:
    places = [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [5, 0], [6, 0]]
    windows = [[0, 100], *[[10, 10]] * 3, *[[0, 90]] * 3]
    fields = {"coordinates": places, "demands": [0, 1, 1, 1, 0, 0, 0], "windows": windows, "capacity": 9}
    instance = Instance(name="rush", pairs=[[1, 4], [2, 5], [3, 6]], **fields)
    assert fleet_bound(instance) == 3
    assert fleet_bound(instance.with_(optional=[0, 1, 0, 0, 1, 0, 0])) == 2
