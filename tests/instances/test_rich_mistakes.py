"""Contradictory or incomplete rich instances: each is refused in one sentence that names the field."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from dacalns.instances import Customer, Depot, Group, Instance, Pair, Parts, Profile, VehicleType
from dacalns.util.errors import InputError

NAN = float("nan")
INFINITE = float("inf")
BASE: dict[str, Any] = {
    "name": "mine",
    "coordinates": [[0, 0], [9, 9], [3, 4], [6, 8], [0, 5], [-3, 4]],
    "depots": 2,
    "demands": [0, 0, 1, 2, 3, 4],
    "windows": [[0, 99]] * 6,
    "vehicle_types": (VehicleType(num_available=2, capacity=(9,)),),
}
ONE = 1 - np.eye(6)


def kind(**fields: Any) -> dict[str, Any]:
    """Vehicle types, of which the second has the fields."""
    return {"vehicle_types": (VehicleType(capacity=(9,)), VehicleType(**{"capacity": (9,), **fields}))}


def marked(**values: float) -> list[float]:
    """A number for each node, 0 unless it is given as ``n3=…``."""
    row = [0.0] * 6
    for name, value in values.items():
        row[int(name[1:])] = value
    return row


# What is changed, the field that is named, and how the sentence goes.
MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    ({"depots": 0}, "depots", r"is 0; expected a whole number from 1 to 5"),
    ({"depots": 6}, "depots", r"is 6; expected a whole number from 1 to 5"),
    ({"depots": 1.0}, "depots", r"is 1.0; expected a whole number"),
    ({"depots": 3}, "demand", r"of depot 2 is 1; expected 0; depots come first"),
    ({"vehicle_types": ()}, "capacity", r"is None, and there are no vehicle_types; expected one of them"),
    ({"capacity": 7}, "capacity", r"is 7, and there are vehicle_types, which say it"),
    ({"fleet": 1}, "fleet", r"is 1, and there are vehicle_types, which say it"),
    ({"vehicle_types": (), "capacity": 7, "demands": [[0, 0]] * 6}, "demands",
     r"has 2 load dimensions, and capacity is 7"),
    ({"vehicle_types": VehicleType()}, "vehicle_types", r"is VehicleType.*; expected a list"),
    ({"vehicle_types": ["van"]}, r"vehicle_types\[0\]", r"is 'van'; expected a VehicleType"),
    (kind(capacity=()), r"capacity of vehicle_types\[1\]", r"is empty; expected 1 number, one for each load dimension"),
    (kind(capacity=(9, 9)), r"capacity of vehicle_types\[1\]", r"is \(9.0, 9.0\); expected 1 number"),
    (kind(capacity=(-1,)), r"capacity of vehicle_types\[1\]", r"is -1; expected a number of 0 or more"),
    (kind(capacity="much"), r"capacity of vehicle_types\[1\]", r"is 'much'; expected a number for each load dimension"),
    (kind(num_available=0), r"num_available of vehicle_types\[1\]", r"is 0; .* use None for no limit"),
    (kind(num_available=2.5), r"num_available of vehicle_types\[1\]", r"is 2.5; expected a whole number"),
    (kind(start_depot=2), r"start_depot of vehicle_types\[1\]", r"is 2; expected the number of a depot, from 0 to 1"),
    (kind(end_depot=-1), r"end_depot of vehicle_types\[1\]", r"is -1; expected a whole number"),
    (kind(fixed_cost=-3.0), r"fixed_cost of vehicle_types\[1\]", r"is -3.0; expected a number of 0 or more"),
    (kind(tw_early=9.0, tw_late=5.0), r"tw_early of vehicle_types\[1\]", r"is 9, and tw_late is 5"),
    (kind(tw_early=9.0, start_late=5.0), r"tw_early of vehicle_types\[1\]", r"is 9, and start_late is 5"),
    (kind(shift_duration=NAN), r"shift_duration of vehicle_types\[1\]", r"is nan; .* or math.inf"),
    (kind(max_distance=-1.0), r"max_distance of vehicle_types\[1\]", r"is -1.0"),
    (kind(unit_distance_cost=INFINITE), r"unit_distance_cost of vehicle_types\[1\]", r"is inf"),
    (kind(unit_duration_cost="1"), r"unit_duration_cost of vehicle_types\[1\]", r"is '1'; expected a number"),
    (kind(profile=1), r"profile of vehicle_types\[1\]",
     r"is 1; expected a number from 0 to 0, as there are 0 profiles"),
    (kind(speed=0.0), r"speed of vehicle_types\[1\]", r"is 0.0; expected a number over 0"),
    (kind(initial_load=(10,)), r"initial_load of vehicle_types\[1\]",
     r"is 10 in dimension 0, more than the capacity of 9"),
    (kind(initial_load=(1, 1)), r"initial_load of vehicle_types\[1\]", r"is \(1.0, 1.0\); expected 1 number"),
    (kind(reload_depots=(3,)), r"reload_depots of vehicle_types\[1\]", r"is 3; expected the number of a depot"),
    (kind(reload_depots=(0, 0)), r"reload_depots of vehicle_types\[1\]", r"has 0 twice"),
    (kind(max_reloads=0.5), r"max_reloads of vehicle_types\[1\]", r"is 0.5; expected a whole number"),
    (kind(max_overtime=5.0), r"max_overtime of vehicle_types\[1\]", r"is 5, and shift_duration has no end"),
    (kind(max_stops=0), r"max_stops of vehicle_types\[1\]", r"is 0; expected a whole number of 1 or more"),
    (kind(allowed_customers=()), r"allowed_customers of vehicle_types\[1\]", r"is empty; expected at least one"),
    (kind(allowed_customers=(1,)), r"allowed_customers of vehicle_types\[1\]",
     r"is 1; expected the number of a customer"),
    (kind(allowed_customers=(2, 2)), r"allowed_customers of vehicle_types\[1\]", r"has 2 twice"),
    ({**kind(allowed_customers=(2, 3)), "pairs": [[3, 4]], "demands": [0, 0, 1, 2, 0, 4]},
     r"allowed_customers of vehicle_types\[1\]", r"has node 3 and not 4, and they are a pair"),
    ({"vehicles": (1,)}, "vehicles", r"has 1 number; expected 2 numbers, one for each vehicle"),
    ({"vehicles": (4, 4)}, "vehicles", r"has 4 twice"),
    ({"vehicle_types": (), "capacity": 7, "vehicles": (1,)}, "vehicles",
     r"has 1 number; expected none, without a fleet"),
    ({"pickups": [0, 0, 1]}, "pickups", r"has shape \(3,\); expected \(6,\)"),
    ({"pickups": [[0, 0]] * 6}, "pickups", r"has 2 load dimensions, and demands has 1"),
    ({"pickups": marked(n2=-1)}, "pickup", r"of node 2 is -1"),
    ({"pickups": marked(n1=1)}, "pickup", r"of depot 1 is 1; expected 0"),
    ({"demands": [[]] * 6}, "demands", r"has no load dimension; expected at least one"),
    ({"demands": [[0, 0], [0, 0], [1], [1, 1], [1, 1], [1, 1]]}, "demands", r"is not an array of numbers"),
    ({"more_windows": [(2, 120)]}, "more_windows", r"is \[\(2, 120\)\]; expected rows of node, earliest and latest"),
    ({"more_windows": [(1, 120, 130)]}, r"node of more_windows\[0\]", r"is 1; expected the number of a customer"),
    ({"more_windows": [(2, 130, 120)]}, r"more_windows\[0\]",
     r"of node 2 is \[130, 120\]; expected one that opens before"),
    ({"more_windows": [(2, 50, 120)]}, r"more_windows\[0\]", r"of node 2 opens at 50, and the one before closes at 99"),
    ({"more_windows": [(2, 120, 130)], "windows": None}, "more_windows", r"is given, and windows is None"),
    ({"releases": marked(n0=5)}, "release", r"of depot 0 is 5; expected 0"),
    ({"releases": marked(n3=NAN)}, "releases", r"of node 3 is nan; expected a finite number"),
    ({"prizes": marked(n3=5)}, "prize", r"of node 3 is 5, but it must be visited; expected 0; or make it optional"),
    ({"prizes": marked(n3=-5), "optional": marked(n3=1)}, "prize", r"of node 3 is -5"),
    ({"optional": [True]}, "optional", r"is \[True\]; expected True or False for each of the 6 nodes"),
    ({"optional": marked(n2=0.5)}, "optional", r"is \[.*\]; expected True or False"),
    ({"optional": marked(n1=1)}, "optional", r"of depot 1 is True; expected False"),
    ({"priorities": marked(n3=5)}, "priority", r"of node 3 is 5, but it must be visited"),
    ({"priorities": marked(n3=101), "optional": marked(n3=1)}, "priority", r"of node 3 is 101; .* from 0 to 100"),
    ({"groups": [(2, 3)]}, r"groups\[0\]", r"is \(2, 3\); expected a Group"),
    ({"groups": [Group(customers=(2,))]}, r"customers of groups\[0\]", r"is \(2,\); expected at least two customers"),
    ({"groups": [Group(customers=(2, 2))]}, r"customers of groups\[0\]", r"has node 2 twice"),
    ({"groups": [Group(customers=(1, 2))]}, r"customer of groups\[0\]", r"is 1; expected the number of a customer"),
    ({"groups": [Group(customers=(2, 3)), Group(customers=(3, 4))]}, "groups",
     r"node 3 is in groups\[0\] and groups\[1\]"),
    ({"groups": [Group(customers=(2, 3), required=1)]}, r"required of groups\[0\]", r"is 1; expected True or False"),
    ({"pairs": [[2, 3, 4]]}, "pairs", r"is \[\[2, 3, 4\]\]; expected rows of two node numbers"),
    ({"pairs": [[2, 2.5]]}, "pairs", r"is \[\[2, 2.5\]\]; expected rows of two node numbers"),
    ({"pairs": [[2, 9]]}, r"delivery of pairs\[0\]", r"is 9; expected the number of a customer, from 2 to 5"),
    ({"pairs": [[2, 3], [3, 4]]}, "pairs", r"has node 3 twice"),
    ({"pairs": [[2, 3]]}, "demand", r"of node 3 is 2.0, and it is in a pair; expected 0"),
    ({"pairs": [[2, 3]], "demands": marked(n2=1), "pickups": marked(n2=1)}, "pickup",
     r"of node 2 is 1.0, and it is in a"),
    ({"pairs": [[2, 3]], "demands": marked(n2=1), "optional": marked(n2=1)}, "optional", r"of nodes 2 and 3 differ"),
    ({"pairs": [[2, 3]], "demands": marked(n2=1), "optional": marked(n2=1, n3=1), "prizes": marked(n3=4)},
     "prize", r"of node 3 is 4.0, and it is in a pair; expected 0 at the delivery"),
    ({"pairs": [[2, 3]], "demands": marked(n2=1), "groups": [Group(customers=(3, 4))]}, "groups",
     r"node 3 is in groups\[0\]"),
    ({"backhauls_last": 1}, "backhauls_last", r"is 1; expected True or False"),
    ({"backhauls_last": True, "pickups": marked(n2=1)}, "backhauls_last",
     r"is True, and node 2 has a delivery and a pickup"),
    ({"backhauls_last": True, "pairs": [[2, 3]], "demands": marked(n2=1)}, "backhauls_last",
     r"is True, and there are pairs"),
    ({"durations": ONE[:5]}, "durations", r"has shape \(5, 6\); expected \(6, 6\)"),
    ({"durations": -ONE}, "durations", r"of node 0 is -1; expected a number of 0 or more"),
    ({"profiles": [ONE]}, r"profiles\[0\]", r"is array.*; expected a Profile"),
    ({"profiles": [Profile()]}, r"profiles\[0\]", r"has neither distances nor durations"),
    ({"profiles": [Profile(distances=ONE[:3])]}, r"distances of profiles\[0\]",
     r"has shape \(3, 6\); expected \(6, 6\)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "field", "sentence"), MISTAKES, ids=[f"{name} {rest[:40]}" for _, name, rest in MISTAKES]
)
def test_a_mistake_is_told_in_one_sentence(changes: dict[str, Any], field: str, sentence: str) -> None:
    with pytest.raises(InputError, match=rf"^mine: .*{field}.*{sentence}|^mine: .*{sentence}") as caught:
        Instance(**{**BASE, **changes})
    said = str(caught.value)
    assert "expected" in said
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) <= 300
    assert field.replace("\\", "").split("[")[0].split(" of ")[0] in said


def test_what_they_are_mistakes_of_is_accepted() -> None:
    assert Instance(**BASE).depots == 2


# The same in parts, where numbers are of parts.

PARTS = Parts(
    coordinates=np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 5.0]]),
    depots=(Depot(location=0),),
    customers=(Customer(location=1, delivery=(1,)), Customer(location=2, delivery=(1,))),
    vehicle_types=(VehicleType(capacity=(5,)),),
)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"depots": [Depot(location=0, tw_early=5, tw_late=1)]}, r"tw_early of depots\[0\] is 5, and tw_late is 1"),
        ({"depots": [Depot(location=1.5)]}, r"location of depots\[0\] is 1.5"),  # type: ignore[arg-type]
        ({"customers": [Customer(location=1, delivery=(-1,))]}, r"delivery of customers\[0\] is -1"),
        ({"customers": [Customer(location=1, prize=3)]}, r"prize of node 1 is 3, but it must be visited"),
        ({"customers": [Customer(location=1, group=0)]}, r"group of customers\[0\] is 0, and there are 0 groups"),
        ({"customers": [Customer(location=1, service_duration=NAN)]}, r"service_duration of customers\[0\] is nan"),
        ({"customers": [Customer(location=1, required=None)]}, r"required of customers\[0\] is None"),  # type: ignore[arg-type]
        ({"customers": [Customer(location=1, more_windows=((9, 3),))]}, r"more_windows of customers\[0\] has \(9, 3\)"),
        (
            {"customers": [Customer(location=1, tw_late=8, more_windows=((5, 9),))]},
            r"more_windows\[0\] of node 1 opens at 5, and the one before closes at 8",
        ),
        (
            {"customers": [Customer(location=1, delivery=(1, 2))]},
            r"capacity of vehicle_types\[0\] is \(5.0,\), and deliv",
        ),
        ({"pairs": [Pair(pickup_location=1, delivery_location=7)]}, r"delivery_location of pairs\[0\] is 7"),
        (
            {"pairs": [Pair(pickup_location=1, delivery_location=2, delivery_tw_early=9, delivery_tw_late=2)]},
            r"delivery_tw_early of pairs\[0\] is 9, and delivery_tw_late is 2",
        ),
        ({"groups": [Group(customers=(0, 1))]}, r"a customer of groups\[0\] is 0; expected the number of a customer"),
        ({"profiles": [Profile(durations=np.ones((2, 2)))]}, r"durations of profiles\[0\] has shape \(2, 2\)"),
        ({"durations": np.ones((3, 2)), "customers": [Customer(location=2)]}, r"durations has shape \(3, 2\)"),
    ],
)
def test_mistakes_in_parts(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=rf"^mine: .*{sentence}") as caught:
        Instance.from_parts("mine", dataclasses.replace(PARTS, **changes))
    assert len(str(caught.value)) <= 300
