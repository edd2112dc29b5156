"""A problem that is built call by call, and every misuse of the calls in one sentence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns import InputError, Model
from dacalns.instances import Group, VehicleType
from dacalns.instances.features import PLAIN


def small(**options: Any) -> tuple[Model, dict[str, Any]]:
    """A model with a depot, three customers and a vehicle type."""
    model = Model("mine", **options)
    made: dict[str, Any] = {"depot": model.add_depot(0, 0, name="home")}
    made["customers"] = [model.add_customer(3, 4 * place, delivery=1) for place in range(3)]
    made["van"] = model.add_vehicle_type(num_available=2, capacity=2)
    return model, made


def test_a_plain_model_is_a_plain_instance() -> None:
    instance = small()[0].instance()
    assert instance.features <= PLAIN
    assert (instance.capacity, instance.fleet, instance.vehicle_types) == (2, 2, ())
    expected = dacalns.Instance(
        name="mine", coordinates=[[0, 0], [3, 0], [3, 4], [3, 8]], demands=[0, 1, 1, 1], capacity=2, fleet=2,  # type: ignore[arg-type]
        service=[0] * 4,  # type: ignore[arg-type]
    )  # fmt: skip
    assert instance.same_content(expected)


def test_handles_know_their_nodes_in_any_order() -> None:
    model = Model()
    first = model.add_customer(1, 1, name="Anna")
    pair = model.add_pair((1, 2), (3, 4), amount=2, name="sofa")
    depot = model.add_depot(0, 0)
    second = model.add_customer(2, 2)
    other = model.add_depot(9, 9)
    assert [each.node for each in (depot, other, first, second)] == [0, 1, 2, 3]
    assert pair.nodes == (4, 5)
    assert model.names == {2: "Anna", 4: "sofa", 5: "sofa"}
    assert model.add_vehicle_type(capacity=5, end_depot=other, allowed_customers=[pair, first]).nodes == ()
    instance = model.instance()
    assert instance.pairs is not None
    assert instance.pairs.tolist() == [[4, 5]]
    assert instance.vehicle_types[0].allowed_customers == (2, 4, 5)
    assert (instance.vehicle_types[0].start_depot, instance.vehicle_types[0].end_depot) == (0, 1)
    assert instance.coordinates is not None
    assert instance.coordinates.tolist() == [[0, 0], [9, 9], [1, 1], [2, 2], [1, 2], [3, 4]]
    assert str(first) == "customer 0 'Anna'"
    assert repr(model) == "Model('model': 2 depots, 2 customers, 1 vehicle type, 1 pair)"


def test_everything_arrives() -> None:
    model, made = small()
    other = model.add_depot(5, 5, tw_early=1, tw_late=80, service_duration=2)
    fast = model.add_profile(durations=np.ones((7, 7)) - np.eye(7))
    late = model.add_customer(
        1, 1, pickup=1, service_duration=3, more_windows=[(5, 9), (20, 30)], release_time=2, prize=4, required=False,
        priority=7,
    )  # fmt: skip
    one = model.add_customer(2, 2, delivery=1)
    group = model.add_group([one, made["customers"][0]], required=False)
    model.add_vehicle_type(
        num_available=None, capacity=9, start_depot=None, end_depot=other, fixed_cost=5, tw_early=1, tw_late=99,
        shift_duration=50, max_distance=70, unit_distance_cost=2, unit_duration_cost=3, profile=fast, speed=2,
        start_late=40, initial_load=1, reload_depots=[made["depot"], other], max_reloads=3, max_overtime=4,
        unit_overtime_cost=5, max_stops=6, allowed_customers=[late, one],
    )  # fmt: skip
    instance = model.instance()
    expected = VehicleType(
        num_available=None, capacity=(9.0,), start_depot=None, end_depot=1, fixed_cost=5.0, tw_early=1.0, tw_late=99.0,
        shift_duration=50.0, max_distance=70.0, unit_distance_cost=2.0, unit_duration_cost=3.0, profile=1, speed=2.0,
        start_late=40.0, initial_load=(1.0,), reload_depots=(0, 1), max_reloads=3.0, max_overtime=4.0,
        unit_overtime_cost=5.0, max_stops=6.0, allowed_customers=(5, 6),
    )  # fmt: skip
    assert instance.vehicle_types[1] == expected
    assert instance.groups == (Group(customers=(2, 6), required=False),)
    assert group.nodes == ()
    assert instance.more_windows == ((5, 20.0, 30.0),)
    assert (instance.fleet, instance.capacity) == (None, 9)
    for field, value in (("pickups", 1), ("releases", 2), ("prizes", 4), ("priorities", 7), ("service", 3)):
        assert getattr(instance, field)[5] == value
    assert instance.windows is not None
    assert instance.windows[1].tolist() == [1, 80]
    assert instance.service[1] == 2


def test_customers_join_their_group() -> None:
    model, made = small()
    group = model.add_group([made["customers"][0]])
    model.add_customer(7, 7, group=group)
    assert model.instance().groups == (Group(customers=(1, 4)),)


def test_places_can_be_shared() -> None:
    model = Model()
    yard = model.add_location(2, 3, name="yard")
    model.add_depot(location=yard)
    model.add_customer(location=yard, delivery=1)
    model.add_pair(yard, (5, 5), amount=1)
    model.add_vehicle_type(capacity=3)
    instance = model.instance()
    assert instance.coordinates is not None
    assert instance.coordinates.tolist() == [[2, 3], [2, 3], [2, 3], [5, 5]]


def test_matrices_over_locations() -> None:
    distances = np.arange(9.0).reshape(3, 3)
    model = Model(distances=distances, durations=2 * distances, coordinates=[[0, 0], [1, 1], [2, 2]])
    model.add_depot(location=2)
    model.add_customer(location=0, delivery=1)
    model.add_pair(1, 0, amount=1)
    model.add_vehicle_type(capacity=1)
    instance = model.instance()
    assert instance.rounding == "none"
    assert instance.matrix is not None
    assert instance.matrix[0].tolist() == [8, 6, 7, 6]
    assert instance.durations is not None
    assert instance.durations[0].tolist() == [16, 12, 14, 12]
    assert instance.coordinates is not None
    assert instance.coordinates[0].tolist() == [2, 2]


def test_a_model_is_solved() -> None:
    result = small()[0].solve(stop=dacalns.MaxIterations(20), seed=1, rounding="exact")
    assert result.feasible
    assert sorted(node for route in result.routes for node in route) == [1, 2, 3]


def other_depot() -> Any:
    return Model("other").add_depot(0, 0)


# Each misuse, on the model above, and how the sentence begins.
MISUSES: list[tuple[Callable[[Model, dict[str, Any]], Any], str]] = [
    (lambda m, _: m.add_depot(), r"mine: depot 1 has no place; expected x and y"),
    (lambda m, _: m.add_depot(1), r"mine: y of depot 1 is None; expected a number"),
    (lambda m, _: m.add_depot("1", 2), r"mine: x of depot 1 is '1'; expected a number"),
    (lambda m, _: m.add_depot(1, 2, tw_early=9, tw_late=3), r"mine: tw_early of depot 1 is 9, and tw_late is 3"),
    (lambda m, _: m.add_depot(1, 2, service_duration=-1), r"mine: service_duration of depot 1 is -1"),
    (lambda m, _: m.add_depot(location=0), r"mine: location of depot 1 is 0; expected a handle of add_location"),
    (
        lambda m, h: m.add_depot(location=h["depot"]),
        r"mine: location of depot 1 is depot 0 'home'; expected a location",
    ),
    (lambda m, _: m.add_depot(1, 2, opens=3), r"mine: add_depot\(\) has no argument 'opens'; expected one of"),
    (lambda m, _: m.add_customer(1, 2, tw_lat=3), r"mine: add_customer\(\) has no argument 'tw_lat'.*'tw_late'"),
    (lambda m, _: m.add_customer(1, 2, delivery=-3), r"mine: delivery of customer 3 is -3; expected a number of 0"),
    (lambda m, _: m.add_customer(1, 2, delivery="many"), r"mine: delivery of customer 3 is 'many'; expected a number"),
    (lambda m, _: m.add_customer(1, 2, pickup=[1, None]), r"mine: pickup of customer 3 is None"),
    (lambda m, _: m.add_customer(1, 2, tw_early=5, tw_late=4), r"mine: tw_early of customer 3 is 5, and tw_late is 4"),
    (lambda m, _: m.add_customer(1, 2, more_windows=[(5, 4)]), r"mine: more_windows of customer 3 has \(5, 4\)"),
    (
        lambda m, _: m.add_customer(1, 2, more_windows=[5, 4]),
        r"mine: more_windows of customer 3 is \(5, 4\); expected p",
    ),
    (lambda m, _: m.add_customer(1, 2, prize=4), r"mine: prize of customer 3 is 4.*expected required=False"),
    (lambda m, _: m.add_customer(1, 2, priority=4), r"mine: priority of customer 3 is 4.*expected required=False"),
    (lambda m, _: m.add_customer(1, 2, required=0), r"mine: required of customer 3 is 0; expected True or False"),
    (lambda m, _: m.add_customer(1, 2, required=False, priority=101), r"mine: priority of customer 3 is 101"),
    (lambda m, _: m.add_customer(1, 2, release_time=float("nan")), r"mine: release_time of customer 3 is nan"),
    (lambda m, _: m.add_customer(1, 2, group=1), r"mine: group of customer 3 is 1; expected the handle of a group"),
    (lambda m, _: m.add_customer(1, 2, name="a\nb"), r"mine: name of customer 3 is 'a\\nb'"),
    (lambda m, _: m.add_pair((1, 2), None), r"mine: delivery of pair 0 is None; expected \(x, y\)"),
    (lambda m, _: m.add_pair((1, 2), (3,)), r"mine: delivery of pair 0 is \(3,\); expected \(x, y\)"),
    (lambda m, _: m.add_pair((1, 2), (3, 4), prize=1), r"mine: prize of pair 0 is 1.*expected required=False"),
    (lambda m, _: m.add_pair((1, 2), (3, 4), amount=-1), r"mine: amount of pair 0 is -1"),
    (
        lambda m, _: m.add_pair((1, 2), (3, 4), pickup_tw_early=9, pickup_tw_late=3),
        r"mine: pickup_tw_early of pair 0 is 9, and pickup_tw_late is 3",
    ),
    (lambda m, _: m.add_pair((1, 2), (3, 4), load=1), r"mine: add_pair\(\) has no argument 'load'"),
    (lambda m, _: m.add_group(3), r"mine: customers of group 0 is 3; expected a list of handles"),
    (lambda m, _: m.add_group([3]), r"mine: entry 0 of customers of group 0 is 3; expected the handle of a customer"),
    (lambda m, h: m.add_group([h["depot"]]), r"mine: entry 0 of customers of group 0 is depot 0 'home'; expected a c"),
    (lambda m, h: m.add_group(2 * h["customers"]), r"mine: customers of group 0 has customer 0 twice"),
    (
        lambda m, h: (m.add_group(h["customers"]), m.add_group(h["customers"])),
        r"mine: customers of group 1 has customer",
    ),
    (lambda m, h: (m.add_group(h["customers"][:1]), m.instance()), r"mine: customers of group 0 is \[0\]; expected at"),
    (lambda m, _: m.add_profile(), r"mine: profile 0 has neither distances nor durations"),
    (
        lambda m, _: m.add_profile(distances=[1, 2]),
        r"mine: distances of profile 0 is \[1, 2\]; expected a square array",
    ),
    (lambda m, _: m.add_profile(distances=[[-1.0]]), r"mine: distances of profile 0 has -1 in row 0, column 0"),
    (
        lambda m, _: (m.add_vehicle_type(profile=m.add_profile(distances=[[1.0]]), capacity=1), m.instance()),
        r"mine: distances of profiles\[0\] has shape \(1, 1\); expected \(4, 4\)",
    ),
    (lambda m, _: m.add_vehicle_type(0), r"mine: num_available of vehicle type 1 is 0; expected a whole number of 1"),
    (lambda m, _: m.add_vehicle_type(1, -2), r"mine: capacity of vehicle type 1 is -2"),
    (
        lambda m, _: m.add_vehicle_type(capacity=2, start_depot=0),
        r"mine: start_depot of vehicle type 1 is 0; expected t",
    ),
    (
        lambda m, _: m.add_vehicle_type(capacity=2, end_depot=other_depot()),
        r"mine: end_depot of vehicle type 1 is depot 0 of another model",
    ),
    (
        lambda m, h: m.add_vehicle_type(capacity=2, end_depot=h["van"]),
        r"mine: end_depot of vehicle type 1 is vehicle type 0; expected a depot",
    ),
    (
        lambda m, _: m.add_vehicle_type(capacity=2, profile=1),
        r"mine: profile of vehicle type 1 is 1; expected the handle",
    ),
    (lambda m, _: m.add_vehicle_type(speed=0), r"mine: speed of vehicle type 1 is 0; expected a number over 0"),
    (lambda m, _: m.add_vehicle_type(max_overtime=3), r"mine: max_overtime of vehicle type 1 is 3, and shift_duration"),
    (lambda m, _: m.add_vehicle_type(max_stops=0), r"mine: max_stops of vehicle type 1 is 0"),
    (lambda m, _: m.add_vehicle_type(max_reloads=1.5), r"mine: max_reloads of vehicle type 1 is 1.5; expected a whole"),
    (
        lambda m, _: m.add_vehicle_type(tw_early=9, start_late=3),
        r"mine: tw_early of vehicle type 1 is 9, and start_late",
    ),
    (lambda m, _: m.add_vehicle_type(fixed_cost=float("inf")), r"mine: fixed_cost of vehicle type 1 is inf"),
    (lambda m, _: m.add_vehicle_type(allowed_customers=[]), r"mine: allowed_customers of vehicle type 1 is empty"),
    (lambda m, h: m.add_vehicle_type(reload_depots=h["depot"]), r"mine: reload_depots of vehicle type 1 is Handle"),
    (lambda m, _: m.add_vehicle_type(cost=3), r"mine: add_vehicle_type\(\) has no argument 'cost'"),
    (lambda m, _: m.instance(rounding="ceil"), r"mine: rounding is 'ceil'"),
    (
        lambda m, _: (m.add_vehicle_type(capacity=[1, 2]), m.instance()),
        r"mine: delivery of customers\[0\] is \(1.0,\), and",
    ),
    (
        lambda m, _: (m.add_vehicle_type(), m.instance()),
        r"mine: capacity of vehicle_types\[1\] is empty; expected 1 num",
    ),
]


@pytest.mark.parametrize(("misuse", "sentence"), MISUSES, ids=[sentence[:60] for _, sentence in MISUSES])
def test_a_misuse_is_told_in_one_sentence(misuse: Callable[[Model, dict[str, Any]], Any], sentence: str) -> None:
    model, made = small()
    with pytest.raises(InputError, match=sentence) as caught:
        misuse(model, made)
    assert len(str(caught.value)) <= 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (
            lambda m: m.add_customer(0, 0) and m.add_vehicle_type(),
            "mine: the model has no depot; expected at least one",
        ),
        (
            lambda m: m.add_depot(0, 0) and m.add_customer(0, 0),
            "mine: the model has no vehicle type; expected at least",
        ),
        (
            lambda m: m.add_depot(0, 0) and m.add_vehicle_type(),
            "mine: the model has no customer; expected at least one",
        ),
    ],
)
def test_what_is_missing_is_named(build: Callable[[Model], Any], sentence: str) -> None:
    model = Model("mine")
    build(model)
    with pytest.raises(InputError, match=sentence):
        model.instance()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"distances": [[0, 1], [1]]}, r"mine: distances is \[\[0, 1\], \[1\]\]; expected a square array"),
        ({"distances": [[0, float("nan")], [1, 0]]}, "mine: distances has nan in row 0, column 1"),
        ({"durations": [[0]]}, "mine: durations is given without distances"),
        ({"coordinates": [[0, 0]]}, "mine: coordinates is given without distances"),
        ({"distances": [[0]], "coordinates": [[0]]}, r"mine: coordinates is \[\[0\]\]; expected shape \(1, 2\)"),
        ({"backhauls_last": 1}, "mine: backhauls_last is 1; expected True or False"),
        ({"matrix": [[0]]}, r"mine: Model\(\) has no argument 'matrix'"),
    ],
)
def test_what_a_model_cannot_begin_with(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Model("mine", **options)


def test_places_of_a_model_with_matrices() -> None:
    model = Model("mine", distances=[[0, 1], [1, 0]])
    with pytest.raises(InputError, match="mine: depot 0 has no place; expected location, a row of the distances"):
        model.add_depot()
    with pytest.raises(InputError, match="mine: x and y of depot 0 are given, and the model has distances"):
        model.add_depot(1, 2)
    with pytest.raises(InputError, match="mine: location of depot 0 is 2; expected a whole number from 0 to 1"):
        model.add_depot(location=2)
    with pytest.raises(InputError, match="mine: depot 0 has a location, and x or y"):
        model.add_depot(1, location=1)


def test_a_pair_has_two_nodes() -> None:
    model, _ = small()
    with pytest.raises(InputError, match="pair 0 has 2 nodes; expected a depot or customer"):
        print(model.add_pair((0, 0), (1, 1), amount=1).node)


def test_names_of_nodes_and_vehicle_types_go_into_the_instance():
    model = dacalns.Model("named")
    model.add_depot(0, 0, name="yard")
    model.add_customer(3, 4, name="shop")
    model.add_customer(6, 8)
    model.add_vehicle_type(name="van")
    model.add_vehicle_type(2)
    instance = model.instance()
    assert instance.names == ("yard", "shop", "")
    assert instance.vehicle_names == ("van", "")
    assert [instance.vehicle_name_of(kind) for kind in (0, 1)] == ["van", "1"]
