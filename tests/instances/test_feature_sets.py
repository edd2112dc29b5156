"""Names of problems that policies are trained for."""

import pytest

from dacalns import InputError, generate_rich
from dacalns.instances.feature_sets import (
    APART,
    RICH,
    drawn_features,
    feature_sets,
    features_of,
    is_rich,
    problem_of,
    require_drawable,
    require_problem,
    spelled_out,
)
from dacalns.instances.features import FEATURES, PLAIN, WINDOWS
from dacalns.search.start import problem_of as searched
from dacalns.util.random_stream import Stream


def test_plain_problems_keep_their_names() -> None:
    assert feature_sets("cvrp") == (frozenset(),)
    assert feature_sets("vrptw") == ({WINDOWS},)
    assert [require_problem(each) for each in ("cvrp", "vrptw", "rich")] == ["cvrp", "vrptw", "rich"]
    assert [is_rich(each) for each in ("cvrp", "vrptw", "rich", "pairs")] == [False, False, True, True]


def test_sets_have_what_their_features_imply_and_come_once() -> None:
    name = "windows+pairs, depots,pairs+windows"
    assert feature_sets(name) == ({"pairs", "windows"}, {"depots", "vehicle-types"})
    assert require_problem(name) == "depots+vehicle-types,pairs+windows"
    assert features_of(name) == {"pairs", "windows", "depots", "vehicle-types"}
    assert problem_of(feature_sets(name)) == require_problem(name) == require_problem(require_problem(name))


def test_rich_stands_for_all_features() -> None:
    assert features_of(RICH) == set(FEATURES)
    assert not any(each <= PLAIN for each in feature_sets(RICH))
    assert features_of(spelled_out(RICH)) == features_of(RICH)
    assert spelled_out("prizes,pairs") == "pairs,prizes"
    assert spelled_out("vrptw") == "vrptw"


@pytest.mark.parametrize("name", [RICH, "pairs+windows,prizes,depots+reloads"])
def test_what_is_drawn_can_be_generated_and_searched(name: str) -> None:
    require_drawable(name, 6)
    found = [drawn_features(Stream("features", number), name) for number in range(150)]
    assert found == [drawn_features(Stream("features", number), name) for number in range(150)]
    assert frozenset().union(*found) == features_of(name)
    for number, features in enumerate(found):
        assert not features <= PLAIN
        assert not any(set(pair) <= features for pair in APART)
        instance = generate_rich(6 + number % 5, features, number)
        assert instance.features == features
        searched(instance)
    if name == RICH:
        assert len(set(found)) > 100
        assert 50 < sum(WINDOWS in features for features in found) < 120
    else:
        assert set(found) == set(feature_sets(name))
        assert all(found.count(each) > 25 for each in feature_sets(name))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tsp", "^problem is 'tsp'; expected one of cvrp, vrptw, rich alone, or features such as pairs.windows"),
        ("prices", "did you mean 'prizes'"),
        ("pairs,windos+prizes", "which names 'windos'; expected .* did you mean 'windows'"),
        ("pairs,cvrp", "which names 'cvrp'; expected .* train another policy for cvrp"),
        ("pairs,", "which names ''; expected"),
        ("", "^problem is ''; expected one of"),
        ("pairs,windows", "which names windows alone; expected features beyond CVRP and VRPTW in every set; give vrp"),
        (("pairs",), r"^problem is \('pairs',\); expected one of cvrp, vrptw, rich, or features .* as text"),
        (None, "^problem is None; expected"),
        ("x" * 5000 + ",pairs", "^problem is 'xxx"),
        ("+".join(["pairs"] * 50) + "+" + "é" * 300, "which names 'é"),
    ],
)
def test_names_that_make_no_sense(name: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        require_problem(name)
    assert len(str(caught.value)) <= 300


@pytest.mark.parametrize(
    ("name", "fewest", "message"),
    [
        ("prizes,pairs+backhauls-last", 9, "names pairs and backhauls-last together; expected sets without one"),
        ("pairs+several-windows", 9, "names pairs and several-windows together; expected sets without one"),
        ("groups+prizes,pairs", 2, "^instances have 2 customers or more; expected at least 3 for groups"),
        (RICH, 5, "^instances have 5 customers or more; expected at least 6 for rich; ask for more"),
    ],
)
def test_what_cannot_be_drawn(name: str, fewest: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        require_drawable(name, fewest)
