"""What a rich instance computes, how it copies, and what samples of it keep."""

import pickle
import random
from typing import Any

import numpy as np
import pytest

from dacalns.instances import Group, Instance, Profile, VehicleType, generate_rich, read, sample, write_instance
from dacalns.instances.features import BACKHAULS_LAST, FEATURES, GROUPS, PAIRS, PRIZES, RESTRICTIONS
from dacalns.instances.fields import fields_with, is_default
from dacalns.study.content_key import instance_digest
from dacalns.util.errors import InputError

INFINITE = float("inf")
BASE: dict[str, Any] = {
    "name": "mine",
    "coordinates": [[0, 0], [9, 9], [3, 4], [6, 8], [0, 5], [-3, 4]],
    "depots": 2,
    "demands": [0, 0, 1, 2, 3, 4],
    "vehicle_types": (
        VehicleType(num_available=2, capacity=(9,), start_depot=1, end_depot=0),
        VehicleType(
            num_available=1, capacity=(12,), fixed_cost=5.5, shift_duration=80.25, start_late=7.5, tw_early=1.5
        ),
    ),
}
# Digests of instances made before there were the rich fields: runs of a study are told by them.
DIGESTS = {
    "R101": "cdd64ba765a5f987752012ab221201c6968b328461cd4f630b9ca713e87267ac",
    "A-n32-k5": "1e33cf0aba095f732c3862fdbcb5bc72dc4aab3ae8a3a19ebcc1cb3d6e9f3ef7",
}


def drawn(seed: int, *always: str, customers: int = 12) -> Instance:
    dice = random.Random(seed)
    features = {*dice.sample(FEATURES, dice.choice([1, 3, 6, 12])), *always}
    if {PAIRS, BACKHAULS_LAST} <= features:
        features.discard(BACKHAULS_LAST)
    return generate_rich(customers, features, seed)


@pytest.mark.parametrize("name", DIGESTS)
def test_plain_instances_keep_their_digests(name: str) -> None:
    assert instance_digest(read(name)) == DIGESTS[name]


@pytest.mark.parametrize("seed", range(30))
def test_it_survives_pickling_and_copying(seed: int) -> None:
    instance = drawn(seed)
    again = pickle.loads(pickle.dumps(instance))
    assert again == instance
    assert hash(again) == hash(instance)
    assert instance_digest(again) == instance_digest(instance)
    assert again.vehicle_types == instance.vehicle_types
    renamed = instance.with_(name="other")
    assert renamed != instance
    assert renamed.same_content(instance)
    assert instance_digest(renamed) != instance_digest(instance)


def test_every_field_makes_another_problem() -> None:
    instance = drawn(3, *(each for each in FEATURES if each != BACKHAULS_LAST))
    for name, field in fields_with(Instance).items():
        value = getattr(instance, name)
        gone = {"name": None, "demands": None, "coordinates": None, "depots": None}
        if name in gone or is_default(field, value) or name in ("windows", "vehicle_types", "optional", "service"):
            continue
        if name in ("capacity", "fleet", "rounding", "comment", "groups", "pairs", "profiles"):
            continue
        changed = instance.with_(**{name: None if value is None or isinstance(value, np.ndarray) else type(value)()})
        assert not changed.same_content(instance)
        assert instance_digest(changed) != instance_digest(instance)
        assert changed.features <= instance.features


def test_capacity_and_fleet_are_those_of_the_types() -> None:
    instance = Instance(**BASE)
    assert (instance.capacity, instance.fleet) == (12, 3)
    more = (VehicleType(num_available=None, capacity=(20,)), VehicleType(capacity=(3,), end_depot=1))
    changed = instance.with_(vehicle_types=more)
    assert (changed.capacity, changed.fleet) == (20, None)
    assert Instance(**BASE, vehicles=[2, 0, 1]).vehicles == (2, 0, 1)
    assert Instance(**BASE, vehicles=[2, 0, 1]).with_(vehicle_types=more).vehicles == ()
    assert Instance(**BASE, vehicles=[0, 1, 2]).vehicles == ()
    assert changed.types == changed.vehicle_types
    assert repr(instance).endswith("4 customers, 2 depots, 2 vehicle types, capacity 12, fleet 3, rounding milli)")


def test_what_says_nothing_asks_for_nothing() -> None:
    nothing = [0.0] * 6
    instance = Instance(
        **BASE, pickups=nothing, releases=nothing, prizes=nothing, optional=nothing, priorities=nothing, pairs=[],
        groups=[], more_windows=[], profiles=[],
    )  # fmt: skip
    assert instance == Instance(**BASE)
    every = VehicleType(num_available=None, capacity=(5,), initial_load=(0,), allowed_customers=(1, 2), speed=1)
    plain = Instance(name="mine", matrix=1 - np.eye(3), demands=[[0], [1], [2]], vehicle_types=[every])  # type: ignore[arg-type]
    assert plain.is_plain
    assert plain == Instance(name="mine", matrix=1 - np.eye(3), demands=[0, 1, 2], capacity=5)  # type: ignore[arg-type]


def test_members_of_groups_need_not_be_marked() -> None:
    groups = [Group(customers=(2, 3))]
    marked = Instance(**BASE, groups=groups, optional=[0, 0, 1, 1, 0, 0])
    assert marked == Instance(**BASE, groups=groups)
    assert PRIZES not in marked.features
    assert marked.required.tolist() == [False, False, False, False, True, True]
    prized = Instance(**BASE, groups=groups, prizes=[0, 0, 5, 0, 0, 0])
    assert prized.prizes is not None
    assert prized.prizes[2] == 5


@pytest.mark.parametrize(("rounding", "factor"), [("dimacs", 10), ("milli", 1000), ("round", 1), ("exact", 1)])
def test_times_limits_and_costs_are_scaled(rounding: str, factor: int) -> None:
    instance = Instance(
        **BASE, rounding=rounding, windows=[[0.1, 90.7]] * 6, more_windows=[(2, 100.1, 110.3)],
        releases=[0, 0, 1.1, 0, 0, 0],
        prizes=[0, 0, 0, 2.2, 0, 0], optional=[0, 0, 0, 1, 0, 0],
    )  # fmt: skip
    first, second = instance.scaled_types
    assert second.fixed_cost == 5.5 * factor
    assert second.shift_duration == 80.25 * factor
    assert second.start_late == 7.5 * factor
    assert second.tw_early == 1.5 * factor
    assert first.shift_duration == INFINITE
    assert (second.unit_distance_cost, second.capacity) == (1, (12,))
    assert instance.scaled_more_windows == ((2, round(100.1 * factor, 9), round(110.3 * factor, 9)),)
    assert instance.scaled_releases is not None
    assert instance.scaled_releases[2] == round(1.1 * factor, 9)
    assert instance.scaled_prizes is not None
    assert instance.scaled_prizes[3] == round(2.2 * factor, 9)


def test_distances_in_thousandths() -> None:
    instance = Instance(name="mine", coordinates=[[0, 0], [1, 1]], demands=[0, 1], capacity=1, rounding="milli")  # type: ignore[arg-type]
    assert instance.distances.tolist() == [[0, 1414], [1414, 0]]
    assert instance.scale == 1000


@pytest.mark.parametrize("seed", range(40))
def test_samples_keep_what_belongs_together(seed: int) -> None:
    instance = drawn(seed, *random.Random(seed).sample([PAIRS, GROUPS, RESTRICTIONS], 2), customers=16)
    small = sample(instance, 8, seed)
    assert small.customers == 8
    assert small.depots == instance.depots
    assert small.features <= instance.features | {PRIZES}
    assert sample(instance, 8, seed) == small
    assert instance.coordinates is not None
    assert small.coordinates is not None
    places = {tuple(place): node for node, place in enumerate(instance.coordinates.tolist())}
    old = [places[tuple(place)] for place in small.coordinates.tolist()]
    assert old == sorted(old)
    assert np.array_equal(small.demands, instance.demands[old])
    if small.pairs is not None:
        assert instance.pairs is not None
        assert {(old[one], old[other]) for one, other in small.pairs} <= {(int(i), int(j)) for i, j in instance.pairs}
    for group in small.groups:
        members = {old[node] for node in group.customers}
        assert any(members <= set(whole.customers) and group.required == whole.required for whole in instance.groups)
    for node, opens, closes in small.more_windows:
        assert (old[node], opens, closes) in instance.more_windows
    if instance.durations is not None:
        assert small.durations is not None
        assert np.array_equal(small.durations, instance.durations[np.ix_(old, old)])
    for each, whole in zip(small.profiles, instance.profiles, strict=True):
        for mine, theirs in ((each.distances, whole.distances), (each.durations, whole.durations)):
            assert (mine is None) == (theirs is None)
            assert mine is None or theirs is None or np.array_equal(mine, theirs[np.ix_(old, old)])
    for kind in small.vehicle_types:
        allowed = {old[node] for node in kind.allowed_customers or small.customer_nodes}
        wholes = [set(each.allowed_customers or instance.customer_nodes) & set(old) for each in instance.vehicle_types]
        assert allowed in wholes


def test_the_last_of_a_group_is_visited_as_the_group_was() -> None:
    groups = [Group(customers=(2, 3)), Group(customers=(4, 5), required=False)]
    instance = Instance(**BASE, groups=groups, prizes=[0, 0, 7, 7, 7, 7])
    seen = set()
    for seed in range(30):
        small = sample(instance, 2, seed)
        assert small.coordinates is not None
        kept = tuple(BASE["coordinates"].index(place) for place in small.coordinates.astype(int).tolist()[2:])
        seen.add(kept)
        if kept == (2, 4):
            assert small.groups == ()
            assert small.required.tolist() == [False, False, True, False]
            assert small.prizes is not None
            assert small.prizes.tolist() == [0, 0, 0, 7]
        if kept == (2, 3):
            assert small.groups == groups[:1] or small.groups == (groups[0],)
    assert {(2, 4), (2, 3)} <= seen


def test_a_sample_of_pairs_alone_is_even() -> None:
    instance = Instance(name="mine", matrix=1 - np.eye(5), demands=[0, 1, 0, 1, 0], capacity=1, pairs=[[1, 2], [3, 4]])  # type: ignore[arg-type]
    assert sample(instance, 2, 1).pairs is not None
    with pytest.raises(InputError, match="customers is 3; expected an even number, as the pairs of mine stay together"):
        sample(instance, 3, 1)


def test_types_that_serve_nobody_of_a_sample_go() -> None:
    types = (VehicleType(capacity=(9,), allowed_customers=(2,)), VehicleType(capacity=(9,), fixed_cost=1.0))
    instance = Instance(**{**BASE, "vehicle_types": types}, vehicles=(1, 0))
    counts = {len(sample(instance, 2, seed).vehicle_types) for seed in range(20)}
    assert counts == {1, 2}


def test_profiles_are_compared_by_their_numbers() -> None:
    one, other = Profile(distances=np.ones((2, 2))), Profile(distances=np.ones((2, 2)))
    assert one == other
    assert hash(one) == hash(other)
    assert one != Profile(durations=np.ones((2, 2)))
    assert one != "profile"


def test_formats_refuse_what_they_cannot_say(tmp_path: Any) -> None:
    with pytest.raises(InputError, match="which this format cannot say"):
        write_instance(drawn(1, "initial-loads"), tmp_path / "mine.txt")
