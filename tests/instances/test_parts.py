"""A problem in parts: what is plain becomes an instance and comes back, what is more is refused by name."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from dacalns.instances import Customer, Depot, Group, Instance, Pair, Parts, VehicleType, generate_cvrp, read
from dacalns.instances.features import FEATURE_WORDS, FEATURES, PROBLEMS
from dacalns.instances.fields import feature_asked
from dacalns.instances.parts import KINDS
from dacalns.util.errors import InputError

PLACES = [[0.0, 0.0], [3.0, 4.0], [0.0, 5.0]]
PAIR = Pair(pickup_location=1, delivery_location=2)

# A value of each field, other than its default. Those of the plain fields and of the windows come back from an
# instance, the others are refused.
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
        "reload_depots": (0,), "max_reloads": 1, "max_overtime": 1.0, "unit_overtime_cost": 1.0, "max_stops": 1,
        "allowed_customers": (0,),
    },
    Parts: {
        "depots": (Depot(location=0), Depot(location=1)), "customers": (Customer(location=1, delivery=1),),
        "vehicle_types": (VehicleType(capacity=2), VehicleType(capacity=3)), "pairs": (PAIR,),
        "groups": (Group(customers=(0, 1)),), "coordinates": np.ones((3, 2)), "distances": np.ones((3, 3)),
        "durations": np.ones((3, 3)),
    },
}  # fmt: skip
MANY_LOADS = [(Customer, "delivery"), (VehicleType, "capacity")]
WHERE = {Depot: "depots", Customer: "customers", VehicleType: "vehicle_types"}


def stated(kind: type | None = None, **change: Any) -> Parts:
    """A small CVRP, in which a field of the first part of a kind is changed."""
    parts = Parts(
        coordinates=np.array(PLACES),
        depots=[Depot(location=0)],
        customers=[Customer(location=1, delivery=1), Customer(location=2, delivery=1)],
        vehicle_types=[VehicleType(capacity=2)],
    )
    if kind is None or kind is Parts:
        return dataclasses.replace(parts, **change)
    first, *others = getattr(parts, WHERE[kind])
    return dataclasses.replace(parts, **{WHERE[kind]: [dataclasses.replace(first, **change), *others]})


def cases(*, supported: bool) -> list[Any]:
    found = []
    for kind in OTHERS:
        for field in dataclasses.fields(kind):
            feature = feature_asked(field, OTHERS[kind][field.name])
            if supported == (feature is None or feature in FEATURES):
                found.append(pytest.param(kind, field.name, feature, id=f"{kind.__name__}.{field.name}"))
    return found


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


@pytest.mark.parametrize(("kind", "field", "feature"), cases(supported=False))
def test_what_is_beyond_a_plain_problem_is_refused_by_name(kind: type, field: str, feature: str) -> None:
    parts = stated(kind, **{field: OTHERS[kind][field]})
    assert feature in parts.features
    where = f"{field} has" if kind is Parts else rf"{field} of {WHERE[kind]}\[0\] is"
    sentence = rf"^mine: {where} .*, which asks for {feature} \(.*; leave it out\.$"
    with pytest.raises(InputError, match=sentence) as no:
        Instance.from_parts("mine", parts)
    assert len(str(no.value)) <= 300


@pytest.mark.parametrize(("kind", "field"), MANY_LOADS)
def test_several_load_dimensions_are_refused_by_name(kind: type, field: str) -> None:
    with pytest.raises(InputError, match=rf"{field} of {WHERE[kind]}\[0\] is \(1, 2\), which asks for loads "):
        Instance.from_parts("mine", stated(kind, **{field: (1, 2)}))


@pytest.mark.parametrize("field", dataclasses.fields(Pair), ids=lambda field: field.name)
def test_a_pair_is_refused_whatever_it_says(field: "dataclasses.Field[Any]") -> None:
    value = 1 if field.default in (0.0, dataclasses.MISSING, ()) else not field.default
    with pytest.raises(InputError, match="pairs has 1 row, which asks for pairs "):
        Instance.from_parts("mine", stated(pairs=[dataclasses.replace(PAIR, **{field.name: value})]))


@pytest.mark.parametrize(
    ("kind", "field", "feature"),
    [case for case in cases(supported=True) if case.values[1] != "location"],  # nodes are renumbered: the next test
)
def test_what_a_plain_problem_has_comes_back(kind: type, field: str, feature: str | None) -> None:
    parts = stated(kind, **{field: OTHERS[kind][field]})
    assert parts.features == ({feature} if feature else set())
    if field == "customers":
        parts = dataclasses.replace(parts, coordinates=parts.coordinates[:2])  # type: ignore[index]
    instance = Instance.from_parts("mine", parts, rounding="exact")
    assert instance.features == parts.features
    assert instance.parts == parts
    assert Instance.from_parts("mine", instance.parts, rounding="exact") == instance
    if field != "customers":
        assert parts != stated()


def test_locations_are_rows_of_the_matrices_in_any_order() -> None:
    distances = np.arange(9.0).reshape(3, 3)
    parts = stated(distances=distances, depots=[Depot(location=2)])
    parts = dataclasses.replace(parts, customers=[Customer(location=0, delivery=1), Customer(location=0, delivery=2)])
    instance = Instance.from_parts("mine", parts)
    assert instance.coordinates is not None
    assert instance.coordinates.tolist() == [PLACES[2], PLACES[0], PLACES[0]]
    assert instance.matrix is not None
    assert instance.matrix.tolist() == [[8, 6, 6], [2, 0, 0], [2, 0, 0]]
    assert instance.demands.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["A-n32-k5", "R101", "generated"])
def test_an_instance_comes_back_from_its_parts(name: str) -> None:
    instance = generate_cvrp(20) if name == "generated" else read(name)
    again = Instance.from_parts(instance.name, instance.parts, rounding=instance.rounding)
    assert again.same_content(instance)
    assert again.parts == instance.parts
    assert len(instance.parts.customers) == instance.customers
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
        ({"vehicle_types": [VehicleType(capacity=1, end_depot=1)]}, "mine: end_depot is 1; expected 0, the only depot"),
        ({"depots": [Depot(location=3)]}, r"mine: location of depots\[0\] is 3; expected a whole number from 0 to 2"),
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
