"""Rich instances from a seed have the features that were asked for, and a feasible solution."""

import random

import numpy as np
import pytest

from dacalns.instances import generate_rich, preflight, read
from dacalns.instances.features import BACKHAULS_LAST, FEATURES, GROUPS, PAIRS, PRIORITIES, PRIZES, WINDOWS
from dacalns.instances.generate_rich import IMPLIED, require_features
from dacalns.instances.preflight import fleet_bound
from dacalns.util.errors import InputError


def drawn_features(seed: int) -> set[str]:
    dice = random.Random(seed)
    features = set(dice.sample(FEATURES, dice.choice([1, 2, 3, 5, 8, 12, len(FEATURES)])))
    if {PAIRS, BACKHAULS_LAST} <= features:
        features.discard(dice.choice([PAIRS, BACKHAULS_LAST]))
    return features


@pytest.mark.parametrize("feature", FEATURES)
def test_every_feature_can_be_asked_for(feature: str) -> None:
    for seed in range(5):
        instance = generate_rich(12, {feature}, seed)
        assert instance.features == require_features({feature})
        assert instance.customers == 12
        assert preflight(instance) == []


@pytest.mark.parametrize("seed", range(40))
def test_any_features_go_together(seed: int) -> None:
    features = drawn_features(seed)
    instance = generate_rich(6 + seed, features, seed)
    assert instance.features == require_features(features)
    assert preflight(instance) == []
    assert instance.fleet is None or fleet_bound(instance) <= instance.fleet
    again = generate_rich(6 + seed, features, seed)
    assert again == instance
    assert again != generate_rich(6 + seed, features, seed + 1)


@pytest.mark.parametrize("seed", range(20))
def test_all_numbers_are_whole(seed: int) -> None:
    instance = generate_rich(10, drawn_features(seed), seed)
    for kind in instance.scaled_types:
        for values in (instance.distances_of(kind.profile), instance.durations_of(kind.profile) / kind.speed):
            assert np.array_equal(values, np.floor(values))
    for values in (instance.demands, instance.pickups, instance.windows, instance.releases, instance.prizes):
        assert values is None or np.array_equal(values, np.floor(values))


def test_what_features_imply() -> None:
    assert generate_rich(9, {"overtime"}).features == {"overtime", "duration-limits"}
    assert generate_rich(9, {"depots"}).features == {"depots", "vehicle-types"}
    assert generate_rich(9, "several-windows").features == {"several-windows", "windows"}
    assert set(IMPLIED) <= set(FEATURES)


def test_without_features_it_is_a_cvrp() -> None:
    assert generate_rich(9).is_plain
    assert generate_rich(9, {WINDOWS}).problem == "vrptw"


def test_names() -> None:
    instance = read("generated-pairs+windows-n20-s3")
    assert instance.name == "generated-pairs+windows-n20-s3"
    assert instance.comment == "rich-pairs+windows-n20-s3"
    assert instance.same_content(generate_rich(20, {"pairs", "windows"}, 3))
    with pytest.raises(InputError):
        read("generated-pears+windows-n20-s3")


@pytest.mark.parametrize(
    ("customers", "features", "sentence"),
    [
        (0, {PAIRS}, "customers is 0; expected a whole number from 1"),
        (1, {PAIRS}, "customers is 1; expected at least 2 for pairs"),
        (3, {PAIRS, GROUPS}, "customers is 3; expected at least 4 for groups, pairs"),
        (2, {GROUPS, PRIORITIES}, f"customers is 2; expected at least 3 for groups, priorities, {PRIZES}"),
        (9, {"colours"}, "features has 'colours'; expected some of windows, vehicle-types"),
        (9, {PAIRS, BACKHAULS_LAST}, "features has backhauls-last and pairs; expected one of the two"),
    ],
)
def test_what_is_refused(customers: int, features: set[str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        generate_rich(customers, features)
