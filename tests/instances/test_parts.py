"""A problem in parts becomes an instance and comes back."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from dacalns.instances import Customer, Depot, Group, Instance, Pair, Parts, Profile, VehicleType, generate_cvrp, read
from dacalns.instances.features import DEPOTS, FEATURE_WORDS, FEATURES, PAIRS, PLAIN, PROBLEMS, VEHICLE_TYPES, WINDOWS
from dacalns.instances.fields import feature_asked
from dacalns.instances.parts import KINDS
from dacalns.util.errors import InputError

PLACES = [[0.0, 0.0], [3.0, 4.0], [0.0, 5.0], [6.0, 5.0]]
PAIR = Pair(pickup_location=1, delivery_location=2, amount=1)
GIVEN_MATRIX = 9 * (1 - np.eye(4))

# A value of each field, other than its default, and what it needs to make sense; all come back from an instance.
OTHERS: dict[type, dict[str, Any]] = {
    Depot: {"location": 2, "tw_early": 1.0, "tw_late": 90.0, "service_duration": 1.0},
    Customer: {
        "location": 2, "delivery": (2.0,), "pickup": (1.0,), "service_duration": 3.0, "tw_early": 5.0, "tw_late": 50.0,
        "more_windows": ((60.0, 70.0),), "release_time": 1.0, "prize": 1.0, "required": False, "priority": 1,
        "group": 0,
    },
    VehicleType: {
        "num_available": None, "capacity": (9.0,), "start_depot": None, "end_depot": None, "fixed_cost": 1.0,
        "tw_early": 1.0, "tw_late": 90.0, "shift_duration": 50.0, "max_distance": 50.0, "unit_distance_cost": 2.0,
        "unit_duration_cost": 1.0, "profile": 1, "speed": 2.0, "start_late": 1.0, "initial_load": (1.0,),
        "reload_depots": (0,), "max_reloads": 1.0, "max_overtime": 1.0, "unit_overtime_cost": 1.0, "max_stops": 1.0,
        "allowed_customers": (1,),
    },
    Pair: {
        "pickup_location": 3, "delivery_location": 3, "pickup_tw_early": 1.0, "pickup_tw_late": 60.0,
        "pickup_service_duration": 1.0, "delivery_tw_early": 1.0, "delivery_tw_late": 60.0,
        "delivery_service_duration": 1.0, "amount": (2.0,), "prize": 1.0, "required": False,
        "pickup_more_windows": ((70.0, 80.0),), "delivery_more_windows": ((70.0, 80.0),), "release_time": 1.0,
        "priority": 1,
    },
    Parts: {
        "depots": (Depot(location=0), Depot(location=1)), "customers": (Customer(location=1, delivery=(1.0,)),),
        "vehicle_types": (VehicleType(capacity=(2.0,)), VehicleType(capacity=(3.0,))), "pairs": (PAIR,),
        "groups": (Group(customers=(1, 2)),), "coordinates": np.ones((4, 2)), "distances": GIVEN_MATRIX,
        "durations": GIVEN_MATRIX, "profiles": (Profile(durations=GIVEN_MATRIX),), "backhauls_last": True,
    },
}  # fmt: skip
NEEDS: dict[str, dict[str, Any]] = {
    "prize": {"required": False}, "priority": {"required": False}, "max_overtime": {"shift_duration": 50.0},
    "more_windows": {"tw_late": 50.0}, "pickup_more_windows": {"pickup_tw_late": 50.0},
    "delivery_more_windows": {"delivery_tw_late": 50.0},
}  # fmt: skip
FROM_OTHERS = ("group", "customers", "pairs", "tw_early", "tw_late")
WHERE = {Depot: "depots", Customer: "customers", VehicleType: "vehicle_types", Pair: "pairs"}


def stated(kind: type | None = None, **change: Any) -> Parts:
    """A small CVRP, in which a field of the first part of a kind is changed."""
    parts = Parts(
        coordinates=np.array(PLACES),
        depots=[Depot(location=0)],
        customers=[
            Customer(location=1, delivery=1),
            Customer(location=2, delivery=1),
            Customer(location=3, delivery=0),
        ],
        vehicle_types=[VehicleType(capacity=2)],
        pairs=[PAIR] if kind is Pair else [],
        profiles=[Profile(durations=GIVEN_MATRIX)] if change.get("profile") else [],
        groups=[Group(customers=[1, 2])] if "group" in change else [],
    )
    if kind is None or kind is Parts:
        return dataclasses.replace(parts, **change)
    first, *others = getattr(parts, WHERE[kind])
    return dataclasses.replace(parts, **{WHERE[kind]: [dataclasses.replace(first, **change), *others]})


def fields() -> list[Any]:
    return [
        pytest.param(
            kind, field.name, feature_asked(field, OTHERS[kind][field.name]), id=f"{kind.__name__}.{field.name}"
        )
        for kind in OTHERS
        for field in dataclasses.fields(kind)
    ]


@pytest.mark.parametrize("kind", [*KINDS.values(), Parts])
def test_every_field_says_what_it_asks_for(kind: type) -> None:
    for field in dataclasses.fields(kind):
        assert feature_asked(field, (1, 2)) in {None, *FEATURE_WORDS}


def test_a_field_that_says_nothing_of_features_is_found() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Coloured(Customer):
        colour: str = "red"

    with pytest.raises(TypeError, match="'colour' says nothing about features"):
        Instance.from_parts("mine", stated(customers=[Coloured(location=1)]))


@pytest.mark.parametrize(("kind", "field", "feature"), fields())
def test_what_is_stated_comes_back(kind: type, field: str, feature: str | None) -> None:
    parts = stated(kind, **NEEDS.get(field, {}), **{field: OTHERS[kind][field]})
    assert feature is None or feature in parts.features
    instance = Instance.from_parts("mine", parts, rounding="exact")
    again = Instance.from_parts("mine", instance.parts, rounding="exact")
    assert again == instance
    assert again.parts == instance.parts
    if (kind, field) not in {(VehicleType, "tw_early"), (VehicleType, "tw_late")}:  # they become the depot's
        assert instance.features == parts.features
        assert feature is None or feature in instance.features
    if "location" not in field and kind is not Pair and field not in FROM_OTHERS:
        assert value_of(instance.parts, kind, field) == value_of(parts, kind, field)


def value_of(parts: Parts, kind: type, field: str) -> Any:
    value = getattr(parts if kind is Parts else getattr(parts, WHERE[kind])[0], field)
    return value.tolist() if isinstance(value, np.ndarray) else value


def test_pairs_come_after_customers() -> None:
    pairs = [PAIR, Pair(pickup_location=3, delivery_location=0, amount=2, required=False, prize=7)]
    instance = Instance.from_parts("mine", stated(pairs=pairs))
    assert instance.pairs is not None
    assert instance.pairs.tolist() == [[4, 5], [6, 7]]
    assert instance.demands.tolist() == [0, 1, 1, 0, 1, 0, 2, 0]
    assert instance.prizes is not None
    assert instance.prizes.tolist() == [0, 0, 0, 0, 0, 0, 7, 0]
    assert instance.optional is not None
    assert instance.optional.tolist() == [False] * 6 + [True] * 2
    assert instance.customers == 7
    assert instance.customer_nodes == range(1, 8)
    assert instance.coordinates is not None
    assert instance.coordinates[4:].tolist() == [PLACES[1], PLACES[2], PLACES[3], PLACES[0]]
    assert instance.features == {PAIRS, "prizes"}
    assert Instance.from_parts("mine", instance.parts) == instance


def test_pairs_anywhere_among_the_nodes_come_last_in_parts() -> None:
    instance = Instance(
        name="mine", coordinates=PLACES, demands=[0, 2, 1, 0], capacity=3, pairs=[[1, 3]], groups=[],  # type: ignore[arg-type]
        vehicle_types=(),
    )  # fmt: skip
    parts = instance.parts
    assert [customer.location for customer in parts.customers] == [2]
    assert (parts.pairs[0].pickup_location, parts.pairs[0].delivery_location) == (1, 3)
    again = Instance.from_parts("mine", parts)
    assert again.pairs is not None
    assert again.pairs.tolist() == [[2, 3]]


def test_groups_are_told_by_either_side() -> None:
    both = stated(groups=[Group(customers=[1, 2], required=False)])
    customers = [dataclasses.replace(each, group=0) for each in both.customers[:2]] + [both.customers[2]]
    one = dataclasses.replace(both, customers=customers, groups=[Group(required=False)])
    assert Instance.from_parts("mine", one) == Instance.from_parts("mine", both)
    assert Instance.from_parts("mine", one).groups == (Group(customers=(1, 2), required=False),)
    assert Instance.from_parts("mine", one).required.tolist() == [False, False, False, True]


def test_the_shift_of_all_vehicles_is_the_hours_of_their_depot() -> None:
    parts = stated(VehicleType, tw_early=5, tw_late=70)
    instance = Instance.from_parts("mine", dataclasses.replace(parts, depots=[Depot(location=0, tw_late=60)]))
    assert instance.is_plain
    assert instance.windows is not None
    assert instance.windows[0].tolist() == [5, 60]
    apart = dataclasses.replace(parts, vehicle_types=[*parts.vehicle_types, VehicleType(capacity=2)])
    assert "shifts" in Instance.from_parts("mine", apart).features
    late = stated(VehicleType, tw_early=5, start_late=9)
    assert "shifts" in Instance.from_parts("mine", late).features


def test_windows_that_are_all_further_ones() -> None:
    parts = stated(Customer, more_windows=[[50, 60], [10, 20]])
    instance = Instance.from_parts("mine", parts, rounding="exact")
    assert instance.windows is not None
    assert instance.windows[1].tolist() == [10, 20]
    assert instance.more_windows == ((1, 50.0, 60.0),)
    assert instance.features == {WINDOWS, "several-windows"}


def test_a_plain_type_is_no_type() -> None:
    instance = Instance.from_parts("mine", stated(VehicleType, num_available=3))
    assert (instance.vehicle_types, instance.capacity, instance.fleet) == ((), 2, 3)
    assert instance.features <= PLAIN
    assert instance.types == (VehicleType(num_available=3, capacity=(2.0,)),)


def test_several_load_dimensions() -> None:
    parts = stated(
        customers=[Customer(location=1, delivery=[1, 2]), Customer(location=2, pickup=[3, 0])],
        vehicle_types=[VehicleType(capacity=[4, float("inf")])],
    )
    instance = Instance.from_parts("mine", parts)
    assert instance.demands.tolist() == [[0, 0], [1, 2], [0, 0]]
    assert instance.pickups is not None
    assert instance.pickups.tolist() == [[0, 0], [0, 0], [3, 0]]
    assert instance.features == {"loads", "pickups"}
    assert instance.capacity == 4
    assert Instance.from_parts("mine", instance.parts) == instance


def test_matrices_follow_the_locations() -> None:
    distances, durations = np.arange(16.0).reshape(4, 4), np.arange(16.0, 32).reshape(4, 4)
    parts = stated(distances=distances, durations=durations, profiles=[Profile(distances=durations)])
    parts = dataclasses.replace(parts, depots=[Depot(location=2), Depot(location=3)])
    instance = Instance.from_parts("mine", parts)
    rows = np.ix_([2, 3, 1, 2, 3], [2, 3, 1, 2, 3])
    assert instance.durations is not None
    assert np.array_equal(instance.durations, durations[rows])
    assert np.array_equal(instance.profiles[0].distances, durations[rows])  # type: ignore[arg-type]
    assert np.array_equal(instance.distances_of(1), instance.durations_of(1))
    assert instance.durations_of(0)[0, 1] == durations[2, 3]
    assert instance.durations_of(0)[0, 0] == 0
    assert DEPOTS in instance.features


def test_durations_of_profiles() -> None:
    distances, durations = np.full((4, 4), 5.0), np.full((4, 4), 7.0)
    instance = Instance(
        name="mine", coordinates=PLACES, demands=[0, 1, 1, 1], durations=durations, rounding="dimacs",  # type: ignore[arg-type]
        profiles=(Profile(distances=distances), Profile(durations=distances)),
        vehicle_types=(VehicleType(capacity=3), VehicleType(capacity=3, profile=1), VehicleType(capacity=3, profile=2)),
    )  # fmt: skip
    assert instance.durations_of()[0, 1] == 70
    assert instance.distances_of(1)[0, 1] == instance.durations_of(1)[0, 1] == 50
    assert instance.distances_of(2) is instance.distances
    assert instance.durations_of(2)[0, 1] == 50
    assert VEHICLE_TYPES in instance.features


def test_locations_are_rows_of_the_matrices_in_any_order() -> None:
    distances = np.arange(16.0).reshape(4, 4)
    parts = stated(distances=distances, depots=[Depot(location=2)])
    parts = dataclasses.replace(parts, customers=[Customer(location=0, delivery=1), Customer(location=0, delivery=2)])
    instance = Instance.from_parts("mine", parts)
    assert instance.coordinates is not None
    assert instance.coordinates.tolist() == [PLACES[2], PLACES[0], PLACES[0]]
    assert instance.matrix is not None
    assert instance.matrix.tolist() == [[10, 8, 8], [2, 0, 0], [2, 0, 0]]
    assert instance.demands.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["A-n32-k5", "R101", "generated"])
def test_an_instance_comes_back_from_its_parts(name: str) -> None:
    instance = generate_cvrp(20) if name == "generated" else read(name)
    again = Instance.from_parts(instance.name, instance.parts, rounding=instance.rounding)
    assert again.same_content(instance)
    assert again.parts == instance.parts
    assert len(instance.parts.customers) == instance.customers
    assert instance.is_plain
    assert again.coordinates is instance.coordinates


def test_an_explicit_matrix_comes_back_from_its_parts() -> None:
    instance = Instance(name="mine", matrix=[[0, 1.5], [2.5, 0]], demands=[0, 1], capacity=1, service=[0, 7])
    assert Instance.from_parts("mine", instance.parts) == instance


def test_a_window_without_an_end_stays_without() -> None:
    parts = stated(Customer, tw_early=5)
    instance = Instance.from_parts("mine", parts, rounding="exact")
    assert instance.windows is not None
    assert np.isfinite(instance.windows).all()
    assert instance.parts == parts


def test_lists_and_single_numbers_are_taken() -> None:
    assert Customer(location=1, delivery=3) == Customer(location=1, delivery=[3])  # type: ignore[arg-type]
    assert VehicleType(allowed_customers=[1, 2]).allowed_customers == (1, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"depots": []}, "mine: depots is empty; expected at least one"),
        ({"customers": []}, "mine: customers is empty; expected at least one"),
        ({"vehicle_types": []}, "mine: vehicle_types is empty; expected at least one"),
        ({"vehicle_types": [VehicleType()]}, r"mine: capacity of vehicle_types\[0\] is empty"),
        (
            {"vehicle_types": [VehicleType(capacity=1, end_depot=1)]},
            r"mine: end_depot of vehicle_types\[0\] is 1; expected 0, the only depot",
        ),
        ({"depots": [Depot(location=4)]}, r"mine: location of depots\[0\] is 4; expected a whole number from 0 to 3"),
        ({"customers": [Customer(location=-1)]}, r"mine: location of customers\[0\] is -1; expected a whole number"),
        ({"coordinates": None}, "mine: has neither coordinates nor matrix"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Instance.from_parts("mine", stated(**change))


def test_a_part_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(InputError, match=r"customers\[0\] is Depot.*expected a Customer"):
        stated(customers=[Depot(location=1)])


def test_every_name_of_a_feature_is_in_words() -> None:
    assert set(FEATURES) <= FEATURE_WORDS.keys()
    assert set().union(*PROBLEMS.values()) <= FEATURE_WORDS.keys()
    asked = {field.metadata["feature"] for kind in (*KINDS.values(), Parts) for field in dataclasses.fields(kind)}
    assert asked - {None} == FEATURE_WORDS.keys()
