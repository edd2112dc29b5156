"""Problems in JSON: everything that an instance states comes back, and every mistake is told with its path."""

import copy
import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import dacalns
from dacalns.instances import (
    Customer,
    Group,
    Instance,
    Pair,
    Parts,
    Profile,
    VehicleType,
    generate_cvrp,
    generate_rich,
    generate_vrptw,
    read,
    read_solution_of,
    write_instance,
    write_solution_of,
)
from dacalns.instances import json_problem as json_problem_module
from dacalns.instances.features import FEATURES, PAIRS
from dacalns.instances.fields import CONTENT, fields_with, is_default
from dacalns.instances.generate_rich import require_features
from dacalns.instances.parts import KINDS
from dacalns.study.content_key import instance_digest
from dacalns.util.errors import InputError
from instances.test_generate_rich import drawn_features
from instances.test_parts import NEEDS, OTHERS, stated
from instances.test_write_instance import instances
from search.rich_cases import draw

# What is written comes back.


def require_round_trip(instance: Instance, folder: Path) -> Instance:
    """Require that an instance comes back with the same digest and in all its fields, and return it."""
    path = folder / "round-trip.json"
    write_instance(instance, path)
    again = read(path)
    assert again.same_content(instance)
    assert instance_digest(again) == instance_digest(instance)
    assert again == instance
    text = path.read_bytes()
    write_instance(again, path)
    assert path.read_bytes() == text
    return again


@pytest.mark.parametrize("first", range(0, 120, 10))
def test_any_rules_come_back(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 10):
        require_round_trip(draw(seed), tmp_path)


@pytest.mark.parametrize("feature", FEATURES)
def test_every_feature_comes_back(feature: str, tmp_path: Path) -> None:
    for seed in range(2):
        again = require_round_trip(generate_rich(12, {feature}, seed), tmp_path)
        assert again.features == require_features({feature})


@pytest.mark.parametrize("seed", range(20))
def test_any_features_come_back(seed: int, tmp_path: Path) -> None:
    require_round_trip(generate_rich(6 + seed, drawn_features(seed), seed), tmp_path)


@given(instances())
def test_plain_problems_come_back(tmp_path_factory: pytest.TempPathFactory, instance: Instance) -> None:
    require_round_trip(instance, tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("name", ["A-n32-k5", "P-n101-k4", "R101", "C102-n20-s1"])
def test_bundled_instances_come_back_with_their_best_known_value(name: str, tmp_path: Path) -> None:
    assert read(name).best_known is not None
    require_round_trip(read(name), tmp_path)


def test_generated_instances_come_back(tmp_path: Path) -> None:
    require_round_trip(generate_cvrp(30, seed=1), tmp_path)
    require_round_trip(generate_vrptw(30, seed=1), tmp_path)


PLACES = [[0.0, 0.0], [3.0, 4.0], [-0.0, 5.5], [6.0, 5.0], [7.0, 1.0]]
LEGS = [[3.0 * (one != other) + one for other in range(5)] for one in range(5)]
SMALL: dict[str, Any] = {"name": "small", "coordinates": PLACES, "demands": [0, 1, 0, 0, 3], "capacity": 9.0}
TYPES = (VehicleType(num_available=2, capacity=(9.0,)), VehicleType(num_available=None, capacity=(4.0,)))
UNUSUAL: dict[str, dict[str, Any]] = {
    "windows-that-say-nothing": {**SMALL, "windows": [[0, 1e12]] * 5},
    "a-window-of-a-depot": {**SMALL, "windows": [[0, 99], *[[0, 1e12]] * 4]},
    "windows-from-minus-zero": {**SMALL, "windows": [[-0.0, 9], *[[0, 9]] * 4], "service": [0, -0.0, 1, 1, 1]},
    "pairs-among-customers": {**SMALL, "pairs": [[4, 2]]},
    "pairs-in-another-order": {**SMALL, "demands": [0, 1, 2, 0, 0], "pairs": [[2, 4], [1, 3]]},
    "releases-of-deliveries": {**SMALL, "pairs": [[1, 2]], "releases": [0, 0, 5, 1, 2]},
    "releases-of-both-ends": {**SMALL, "pairs": [[1, 2]], "releases": [0, 7, 5, 1, 2]},
    "groups-in-another-order": {**SMALL, "groups": (Group(customers=(4, 1)), Group(customers=(3, 2), required=False))},
    "no-load": {**SMALL, "demands": [0] * 5, "capacity": 1e12},
    "no-load-of-several": {
        "name": "x", "coordinates": PLACES[:2], "demands": [[0, 0]] * 2, "vehicle_types": (VehicleType(),),
    },
    "several-loads": {
        "name": "x", "coordinates": PLACES[:2], "demands": [[0, 0], [1, 2.5]],
        "vehicle_types": (VehicleType(capacity=(2.0, 3.0), initial_load=(0.0, 0.5)),),
    },
    "unlimited-types": {
        **SMALL, "capacity": None, "vehicle_types": (TYPES[1], dataclasses.replace(TYPES[1], speed=2.0)),
    },
    "equal-types": {**SMALL, "capacity": None, "vehicle_types": (TYPES[0], TYPES[0])},
    "numbers-of-vehicles": {
        **SMALL, "capacity": None, "vehicle_types": (TYPES[0], VehicleType(capacity=(4.0,))), "vehicles": (2, 0, 1),
    },
    "customers-first": {**SMALL, "customers_first": True, "comment": 'a "comment" in Ελληνικά'},
    "matrix-alone": {**SMALL, "coordinates": None, "matrix": LEGS},
    "matrix-and-coordinates": {**SMALL, "matrix": LEGS, "durations": LEGS},
    "durations-alone": {**SMALL, "durations": LEGS, "pairs": [[4, 2]]},
    "profiles": {
        **SMALL, "capacity": None, "vehicle_types": (VehicleType(capacity=(9.0,), profile=2, speed=0.5),),
        "profiles": (Profile(distances=LEGS), Profile(distances=LEGS, durations=LEGS), Profile(durations=LEGS)),
    },
    "optional-without-a-prize": {**SMALL, "optional": [False, True, False, True, False]},
    "shift": {**SMALL, "capacity": None, "vehicle_types": (VehicleType(capacity=(9.0,), tw_early=5.0, tw_late=99.0),)},
    "fractions": {**SMALL, "demands": [0, 0.1, 1e-9, 123456789.123, 1e12], "capacity": 1 / 3},
}  # fmt: skip


@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_instances_come_back(case: str, tmp_path: Path) -> None:
    require_round_trip(Instance(**UNUSUAL[case]), tmp_path)


def test_the_tests_have_every_field_of_an_instance() -> None:
    made = [Instance(**fields) for fields in UNUSUAL.values()] + [draw(seed) for seed in range(120)]
    said = {
        name
        for instance in made
        for name, each in fields_with(Instance, *CONTENT).items()
        if not is_default(each, getattr(instance, name))
    }
    assert said == set(fields_with(Instance, *CONTENT))


def test_a_file_for_reading_by_people(tmp_path: Path) -> None:
    model = dacalns.Model("two")
    depot = model.add_depot(0, 0, tw_late=100)
    model.add_customer(1.5, 2, delivery=1, more_windows=[(60, 70)], tw_late=50)
    model.add_customer(3, 4, delivery=2, required=False, prize=8)
    model.add_pair((1, 1), (2, 2), amount=1)
    model.add_vehicle_type(num_available=None, capacity=3, end_depot=None, reload_depots=[depot])
    write_instance(model.instance(), tmp_path / "two.json")
    assert (tmp_path / "two.json").read_text() == (
        '{\n"format": "dac-alns problem",\n"version": 1,\n"name": "two",\n"rounding": "exact",\n'
        '"depots": [\n  {"x": 0, "y": 0, "tw_late": 100}\n],\n'
        '"customers": [\n'
        '  {"x": 1.5, "y": 2, "delivery": 1, "tw_late": 50, "more_windows": [[60, 70]]},\n'
        '  {"x": 3, "y": 4, "delivery": 2, "prize": 8, "required": false}\n],\n'
        '"pairs": [\n  {"pickup": [1, 1], "delivery": [2, 2], "amount": 1}\n],\n'
        '"vehicle_types": [\n'
        '  {"num_available": null, "capacity": 3, "end_depot": null, "reload_depots": [0]}\n]\n}\n'
    )


def test_what_cannot_be_written(tmp_path: Path) -> None:
    many = Instance(
        name="many", coordinates=PLACES[:2], demands=[[0] * 101, [1] * 101],
        vehicle_types=(VehicleType(capacity=(1.0,) * 101),),
    )  # fmt: skip
    with pytest.raises(InputError, match="many has over 100 load dimensions, which this format cannot say"):
        write_instance(many, tmp_path / "x.json")
    assert not list(tmp_path.iterdir())


# What a file says, in words of its own.

HEAD: dict[str, Any] = {"format": "dac-alns problem", "version": 1}
POINTS: dict[str, Any] = {
    **HEAD,
    "name": "mine",
    "depots": [{"x": 0, "y": 0}],
    "customers": [
        {"x": 3, "y": 4, "delivery": 1},
        {"x": 0, "y": 5, "delivery": [2], "required": False, "prize": 4},
        {"x": 6, "y": 8, "delivery": 1},
    ],
    "pairs": [{"pickup": [1, 2], "delivery": [3, 4], "amount": 2}],
    "groups": [{"customers": [1, 3]}],
    "vehicle_types": [{"capacity": 9}],
}
ROWS: dict[str, Any] = {
    **HEAD,
    "distances": [[0, 1, 2], [3, 0, 4], [5, 6, 0]],
    "depots": [{"location": 0}],
    "customers": [{"location": 2, "delivery": 1}, {"location": 2}, {"location": 1}],
    "vehicle_types": [{"capacity": 9}],
}


TIMED = {**POINTS, "customers": [{"x": 3, "y": 4, "tw_late": 4}, *POINTS["customers"][1:]]}
NULL = object()


def written(folder: Path, data: Any) -> Path:
    path = folder / "mine.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def changed(data: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """A file with another value somewhere, or without it if that is None; `NULL` is a value."""
    made = copy.deepcopy(data)
    place = made
    for key in path[:-1]:
        place = place[key]  # type: ignore[index]
    if value is None:
        del place[path[-1]]  # type: ignore[arg-type]
    else:
        place[path[-1]] = None if value is NULL else value  # type: ignore[index]
    return made


@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind in OTHERS for field in OTHERS[kind]])
def test_every_field_of_every_part_is_a_key(kind: type, field: str, tmp_path: Path) -> None:
    parts = stated(kind, **NEEDS.get(field, {}), **{field: OTHERS[kind][field]})
    instance = Instance.from_parts("mine", parts, rounding="exact")
    require_round_trip(instance, tmp_path)
    # The same as somebody would write it.
    data: dict[str, Any] = {**HEAD, "name": "mine", "rounding": "exact"}
    for each in dataclasses.fields(Parts):
        value = getattr(parts, each.name)
        if each.name in KINDS:
            data[each.name] = [_as_plain(part) for part in value]
        elif value is not None:
            data[each.name] = value.tolist() if isinstance(value, np.ndarray) else value
    again = read(written(tmp_path, data))
    if (kind, field) in {(VehicleType, "tw_early"), (VehicleType, "tw_late")}:  # `from_parts` makes them the depot's
        assert getattr(again.types[0], field) == OTHERS[kind][field]
    else:
        assert again == instance


def _as_plain(part: Any) -> dict[str, Any]:
    said = {field: getattr(part, field.name) for field in dataclasses.fields(part)}
    return {
        field.name: value.tolist() if isinstance(value, np.ndarray) else value
        for field, value in said.items()
        if not is_default(field, value)
    }


def test_places_are_points_or_rows(tmp_path: Path) -> None:
    points = read(written(tmp_path, POINTS))
    assert points.coordinates.tolist() == [[0, 0], [3, 4], [0, 5], [6, 8], [1, 2], [3, 4]]  # type: ignore[union-attr]
    assert points.pairs.tolist() == [[4, 5]]  # type: ignore[union-attr]
    rows = read(written(tmp_path, ROWS))
    assert (rows.name, rows.rounding, rows.coordinates) == ("mine", "none", None)
    assert rows.matrix.tolist() == [[0, 2, 2, 1], [5, 0, 0, 6], [5, 0, 0, 6], [3, 4, 4, 0]]  # type: ignore[union-attr]
    drawn = read(written(tmp_path, ROWS | {"coordinates": [[0, 0], [1, 1], [2, 2]]}))
    assert drawn.same_content(rows.with_(coordinates=[[0, 0], [2, 2], [2, 2], [1, 1]]))


def test_customers_may_name_their_group(tmp_path: Path) -> None:
    data = changed(POINTS, ("groups", 0, "customers"), [3])
    data["customers"][0]["group"] = 0
    assert read(written(tmp_path, data)).groups == (Group(customers=(3, 1)),)
    data["pairs"][0] |= {"pickup_node": 1, "delivery_node": 4}
    data["groups"][0]["customers"] = [5]
    found = read(written(tmp_path, data))
    assert found.groups == (Group(customers=(5, 2)),)
    assert found.pairs.tolist() == [[1, 4]]  # type: ignore[union-attr]
    assert found.demands.tolist() == [0, 2, 1, 2, 0, 1]


def test_rounding_and_fleet_may_be_chosen(tmp_path: Path) -> None:
    path = written(tmp_path, POINTS | {"rounding": "dimacs"})
    assert (read(path).rounding, read(path).fleet) == ("dimacs", 1)
    assert (read(path, rounding="exact").rounding, read(path, fleet=3).fleet) == ("exact", 3)
    assert read(path, fleet="free").fleet is None
    assert read(written(tmp_path, POINTS)).rounding == "exact"
    path = written(tmp_path, POINTS | {"vehicle_types": [{"capacity": 9}, {"capacity": 4}], "vehicles": [1, 0]})
    assert read(path).vehicles == (1, 0)
    with pytest.raises(InputError, match="fleet is 3; expected 'auto', as there are 2 types"):
        read(path, fleet=3)


def test_famous_names_say_nothing_about_the_fleet(tmp_path: Path) -> None:
    data = POINTS | {"name": "A-n32-k5", "vehicle_types": [{"num_available": None, "capacity": 9}]}
    assert read(written(tmp_path, data)).fleet is None


def test_byte_order_marks_and_ends_of_lines_do_not_matter(tmp_path: Path) -> None:
    expected = read(written(tmp_path, POINTS))
    text = json.dumps(POINTS, indent=2)
    for changed_text in ("\ufeff\n  " + text, text.replace("\n", "\r\n"), text.replace("\n", "\r")):
        (tmp_path / "mine.json").write_bytes(changed_text.encode())
        assert read(tmp_path / "mine.json") == expected
    assert read(written(tmp_path, POINTS).rename(tmp_path / "mine.txt")) == expected


@pytest.mark.parametrize("case", ["numbers-of-vehicles", "customers-first", "pairs-among-customers"])
def test_solution_files_have_the_numbers_of_the_instance(case: str, tmp_path: Path) -> None:
    instance = Instance(**UNUSUAL[case])
    again = require_round_trip(instance, tmp_path)
    routes, types = [[4, 2], [1, 3]], [0, len(instance.types) - 1]
    write_solution_of(instance, tmp_path / "one.sol", routes, types, 5.0)
    write_solution_of(again, tmp_path / "other.sol", routes, types, 5.0)
    assert (tmp_path / "one.sol").read_text() == (tmp_path / "other.sol").read_text()
    found = read_solution_of(again, tmp_path / "one.sol")
    assert sorted(zip(*found[:2], strict=True)) == sorted(zip(routes, types, strict=True))


def test_solution_files_have_reloads_as_depots(tmp_path: Path) -> None:
    instance = generate_rich(9, {"reloads", "depots", "overtime"}, seed=3)
    again = require_round_trip(instance, tmp_path)
    kind = next(number for number, each in enumerate(again.types) if each.reload_depots)
    route = [*again.customer_nodes[:4], again.types[kind].reload_depots[0], *again.customer_nodes[4:]]
    write_solution_of(again, tmp_path / "x.sol", [route], [kind])
    assert read_solution_of(instance, tmp_path / "x.sol")[:2] == ([route], [kind])


# Mistakes.

# The file, where something is changed, into what (None: it is taken out), and what the message says of that place.
MISTAKES: dict[str, tuple[dict[str, Any], str, Any, str]] = {
    "format-missing": (POINTS, "format", None, 'is missing; expected "format": "dac-alns problem"'),
    "format-other": (POINTS, "format", "dac-alns result", "is 'dac-alns result'; expected"),
    "version-missing": (POINTS, "version", None, 'is missing; expected "version": 1'),
    "version-later": (POINTS, "version", 2, 'is 2; expected "version": 1'),
    "version-true": (POINTS, "version", True, "is true"),
    "key-unknown": (POINTS, "clients", [], "is not known; expected one of format, version"),
    "key-of-customer": (POINTS, "customers[2].windw", 5, "is not known; expected one of x, y, delivery"),
    "list-number": (POINTS, "customers", 5, "is 5; expected a list"),
    "object-number": (POINTS, "customers[1]", 5, "is 5; expected an object with keys"),
    "object-null": (POINTS, "customers[1]", NULL, "is null; expected an object with keys"),
    "depots-missing": (POINTS, "depots", None, "is empty or missing; expected at least one entry; add one."),
    "types-empty": (POINTS, "vehicle_types", [], "is empty or missing"),
    "name-empty": (POINTS, "name", "", "is empty"),
    "name-null": (POINTS, "name", NULL, "is null; expected text"),
    "comment-lines": (POINTS, "comment", "a\nb", "is 'a\\nb'; expected one line"),
    "rounding": (POINTS, "rounding", "nearest", "is 'nearest'; expected one of round, trunc"),
    "rounding-list": (POINTS, "rounding", ["round"], "is ['round']; expected one of round, trunc"),
    "place-text": (POINTS, "customers[0].x", "3", "is '3'; expected a number of at most 1e+12"),
    "place-true": (POINTS, "customers[0].x", True, "is true; expected a number"),
    "place-large": (POINTS, "customers[0].x", -1.5e12, "is -1500000000000.0; expected a number"),
    "place-number": (POINTS, "pairs[0].pickup", 4, "is 4; expected [x, y]"),
    "place-null": (POINTS, "pairs[0].pickup[1]", NULL, "is null; expected a number"),
    "row-among-points": (POINTS, "customers[0].location", 1, "is given; expected x and y, as the file has neither"),
    "point-among-rows": (ROWS, "depots[0].x", 1, "is given; expected location, a row of distances"),
    "row-large": (ROWS, "customers[1].location", 3, "is 3; expected a whole number from 0 to 2"),
    "row-fraction": (ROWS, "customers[1].location", 1.0, "is 1.0; expected a whole number"),
    "matrix-empty": (ROWS, "distances", [], "has 0 rows; expected one for each location"),
    "matrix-short": (ROWS, "distances[1]", [1, 2], "has 2 numbers; expected a list of 3 numbers"),
    "matrix-row": (ROWS, "distances[1]", 7, "is 7; expected a list of 3 numbers"),
    "matrix-negative": (ROWS, "distances[2][1]", -1, "is -1; expected a number of 0 or more"),
    "matrix-true": (ROWS, "distances[2][1]", True, "is true; expected a number of 0 or more"),
    "matrix-text": (ROWS, "distances[2][1]", "4", "is '4'; expected a number"),
    "matrix-nan": (ROWS, "distances[2][1]", float("nan"), "is nan; expected a number"),
    "matrix-large": (ROWS, "distances[2][1]", 10**400, "is inf; expected a number"),
    "durations-short": (ROWS, "durations", [[1]], "has 1 row; expected 3, one for each location"),
    "durations-of-points": (POINTS, "durations", [[1]], "is given, and the file has neither coordinates nor distances"),
    "coordinates-wide": (ROWS, "coordinates", [[1]] * 3, "[0] has 1 number; expected a list of 2 numbers"),
    "profile-key": (ROWS, "profiles", [{"times": []}], "[0].times is not known; expected one of distances, durations"),
    "profile-short": (ROWS, "profiles", [{"durations": [[1]]}], "[0].durations has 1 row; expected 3"),
    "time-text": (POINTS, "customers[0].tw_late", "9:00", "is '9:00'; expected a number of 0 or more"),
    "time-null": (
        POINTS, "customers[0].tw_late", NULL,
        "is null; expected a number of 0 or more and of at most 1e+12; correct the value, or leave it out",
    ),
    "time-nan": (POINTS, "customers[0].tw_late", float("nan"), "is nan; expected numbers of at most 1e+12"),
    "time-infinite": (POINTS, "customers[0].tw_late", float("inf"), "is inf; expected numbers of at most 1e+12"),
    "time-of-many-digits": (POINTS, "customers[0].tw_late", 10**400, "is inf; expected numbers of at most 1e+12"),
    "window-closed": (TIMED, "customers[0].tw_early", 5, "is 5, and tw_late is 4; expected a window that opens before"),
    "windows-infinite": (POINTS, "customers[0].more_windows", [[1, float("inf")]], "has inf; expected numbers"),
    "windows-object": (POINTS, "customers[0].more_windows", {}, "is {}; expected pairs of an earliest and a latest"),
    "windows-words": (POINTS, "customers[0].more_windows", 5, "is 5; expected pairs of an earliest and a latest start, "
                      "such as [[9, 12]]; give some."),
    "windows-text": (POINTS, "customers[0].more_windows", ["ab"], "is 'a'; expected a number"),
    "windows-overlap": (
        POINTS, "customers[0].more_windows", [[6, 9], [1, 6]],
        "has a window that opens at 6, and another one closes at 6; expected windows apart",
    ),
    "load-negative": (POINTS, "customers[0].delivery", -1, "is -1; expected a number"),
    "load-true": (POINTS, "customers[0].delivery", True, "is true; expected a number"),
    "load-of-many": (POINTS, "vehicle_types[0].capacity", [1] * 101, "has 101 numbers; expected at most 100"),
    "required-text": (POINTS, "customers[1].required", "no", "is 'no'; expected true or false; give one of the two."),
    "priority-of-required": (
        POINTS, "pairs[0].priority", 5,
        "is 5, and nothing says that it may be left out; expected 0; add '\"required\": false' if it may.",
    ),
    "priority-high": (POINTS, "customers[1].priority", 101, "is 101; expected a whole number from 0 to 100"),
    "group-missing": (POINTS, "customers[1].group", 1, "is 1, and groups has 1 entry; expected"),
    "pair-release": (POINTS, "pairs[0].delivery_release_time", "x", "is 'x'; expected a number"),
    "number-of-vehicles": (
        POINTS, "vehicle_types[0].num_available", 0,
        "is 0; expected a whole number of 1 or more; use null for no limit.",
    ),
    "backhauls-number": (POINTS, "backhauls_last", 1, "is 1; expected true or false"),
    "vehicles-text": (POINTS, "vehicles", ["x"], "[0] is 'x'; expected a whole number"),
}  # fmt: skip


def steps(path: str) -> tuple[str | int, ...]:
    """The keys and places of a path, one after the other."""
    return tuple(int(step) if step.isdecimal() else step for step in re.findall(r"\w+", path))


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_told_with_its_path(case: str, tmp_path: Path) -> None:
    data, where, value, said = MISTAKES[case]
    path = written(tmp_path, changed(data, steps(where), value))
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: {where}{'' if said.startswith('[') else ' '}{said}")
    assert len(str(caught.value)) <= 300


# What is changed, into what, and a piece of the message, which names another place.
CONTRADICTIONS: dict[str, tuple[dict[str, Any], str, Any, str]] = {
    "place-missing": (POINTS, "customers[0].x", None, ": customers[0] has no x; expected x and y, as the file has"),
    "place-of-pair": (POINTS, "pairs[0].delivery", None, ": pairs[0] has no delivery; expected pickup and delivery"),
    "row-missing": (ROWS, "depots[0].location", None, ": depots[0] has no location; expected location, a row of dist"),
    "coordinates-short": (ROWS, "coordinates", [[1, 2]], ": distances has 3 rows, and coordinates has 1; expected as"),
    "profile-empty": (ROWS, "profiles", [{}], "profiles[0] has neither distances nor durations"),
    "load-dimensions": (POINTS, "customers[0].delivery", [1, 2], "of customers[0] has 2 load dimensions"),
    "prize-of-required": (POINTS, "customers[1].required", True, ": customers[1].prize is 4, and nothing says that"),
    "group-small": (POINTS, "groups[0].customers", [1], "customers of groups[0] is (1,); expected at least two"),
    "group-of-nobody": (POINTS, "groups[0].customers", [1, 9], "a customer of groups[0] is 9; expected"),
    "group-of-a-pair": (POINTS, "groups[0].customers", [1, 4], "node 4 is in groups[0] and in a pair"),
    "pair-node-alone": (POINTS, "pairs[0].pickup_node", 2, ": pairs[0].delivery_node is missing, and pairs[0] has"),
    "depot-missing": (POINTS, "vehicle_types[0].start_depot", 1, "start_depot of vehicle_types[0] is 1; expected 0"),
    "backhauls-and-pairs": (POINTS, "backhauls_last", True, "backhauls_last is True, and there are pairs"),
    "vehicles-many": (POINTS, "vehicles", [1, 0], "vehicles has 2 numbers; expected"),
    "key-endless": (POINTS, f"groups[0].{'z' * 999}", 5, "zzz is not known; expected one of customers, required;"),
}  # fmt: skip


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_a_contradiction_is_told(case: str, tmp_path: Path) -> None:
    data, where, value, said = CONTRADICTIONS[case]
    path = written(tmp_path, changed(data, steps(where), value))
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("where", "meant"),
    [
        ("clients", "customers"),
        ("customers[2].windw", "tw_early and tw_late"),
        ("customers[2].tw_lat", "tw_late"),
        ("customers[2].demand", "delivery"),
        ("pairs[0].demand", "amount"),
        ("vehicle_types[0].max_duration", "shift_duration"),
        ("vehicle_types[0].allowed_clients", "allowed_customers"),
    ],
)
def test_a_key_of_others_gets_a_hint(where: str, meant: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(written(tmp_path, changed(POINTS, steps(where), 5)))
    assert str(caught.value).endswith(f"; did you mean {meant}?")


def test_a_key_that_is_no_word_stands_in_quotes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mine\.json: depots\[0\]\.'a\\nb' is not known; expected one of x, y"):
        read(written(tmp_path, changed(POINTS, ("depots", 0, "a\nb"), 5)))


def test_nothing_to_visit(tmp_path: Path) -> None:
    data = changed(changed(POINTS, ("customers",), None), ("pairs",), None)
    with pytest.raises(InputError, match="customers is empty or missing; expected at least one entry, or pairs; add"):
        read(written(tmp_path, data | {"groups": []}))
    only_pairs = changed(POINTS, ("customers",), None) | {"groups": []}
    assert read(written(tmp_path, only_pairs)).customers == 2


@pytest.mark.parametrize(
    ("nodes", "fragment"),
    [
        ([(1, 3), (4, 3)], "pairs[1].delivery_node is 3, as is pairs[0].delivery_node; expected a node for each"),
        ([(1, 1), (2, 3)], "pairs[0].delivery_node is 1, as is pairs[0].pickup_node"),
        ([(0, 1), (2, 3)], "pairs[0].pickup_node is 0; expected a whole number from 1 to 7"),
        ([(1, 8), (2, 3)], "pairs[0].delivery_node is 8; expected a whole number from 1 to 7"),
        ([(1, 2), None], "pairs[1].pickup_node is missing, and pairs[0] has node numbers"),
        ([None, (1, 2)], "pairs[0].pickup_node is missing, and pairs[1] has node numbers"),
    ],
)
def test_nodes_of_pairs(nodes: list[tuple[int, int] | None], fragment: str, tmp_path: Path) -> None:
    data = copy.deepcopy(POINTS)
    data["pairs"] = [
        {**POINTS["pairs"][0], **({} if each is None else {"pickup_node": each[0], "delivery_node": each[1]})}
        for each in nodes
    ]
    with pytest.raises(InputError) as caught:
        read(written(tmp_path, data))
    assert fragment in str(caught.value)


TEXTS: dict[str, tuple[str, str]] = {
    "comma": ('{\n"format": "dac-alns problem",\n"version": 1,\n}', ":4: "),
    "end": ('{\n"format": "dac-alns problem"\n', ":"),
    "after-the-end": ('{"a": 1}\n{"b": 2}', ":2: Extra data in column 1; expected JSON; look for a comma, quote or"),
    "single-quotes": ("{\n'format': 1}", ":2: Expecting property name"),
    "lists": ('{"a": ' + "[" * 100_000, ":1: brackets are nested too deeply"),
    "objects": ('{"a":' * 100_000, ":1: brackets are nested too deeply"),
    "twice": ('{"format": "dac-alns problem", "version": 1, "name": "a", "name": "b"}', ": name is given a second"),
    "twice-inside": (
        '{"format": "dac-alns problem", "version": 1, "depots": [{"x": 1, "y": 2, "x": 3}]}',
        ": depots[0].x is given a second time; expected it once; delete one of the two.",
    ),
    "many-digits": ('{"format": "dac-alns problem", "version": ' + "9" * 5000 + "}", ": version is inf"),
    "surrogate": ('{"format": "dac-alns problem", "version": 1, "name": "\\ud800"}', ": name is '\\ud800'; expected"),
    "list": ("[1, 2]", ":1: the file begins with '[1, 2]'; expected VRPLIB ('NAME : …'), JSON ('{'), Solomon"),
}  # fmt: skip


@pytest.mark.parametrize("case", TEXTS)
def test_broken_text(case: str, tmp_path: Path) -> None:
    text, fragment = TEXTS[case]
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{fragment}")


def test_deep_nesting_below_the_limit_of_the_parser(tmp_path: Path) -> None:
    deep = "[" * 800 + "]" * 800
    for key, fragment in (
        ("x", "depots[0].x is [["),
        ("tw_late", "depots[0].tw_late is "),
        ("depth", "depots[0].depth"),
    ):
        text = json.dumps(changed(POINTS, ("depots", 0, key), "DEEP")).replace('"DEEP"', deep)
        with pytest.raises(InputError, match=fragment.replace("[", r"\[")):
            read(written(tmp_path, text))


def test_shared_locations_cannot_ask_for_any_amount_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = ROWS | {"customers": [{"location": 1}] * 99}
    assert read(written(tmp_path, many)).customers == 99
    monkeypatch.setattr(json_problem_module, "MOST_CELLS", 19_999)
    assert read(written(tmp_path, many)).customers == 99
    with pytest.raises(
        InputError, match="distances has 3 locations for 100 nodes, whose matrices would have 20000 numb"
    ):
        read(written(tmp_path, many | {"durations": many["distances"]}))
    own = {"distances": [[1] * 150] * 150, "customers": [{"location": place} for place in range(1, 150)]}
    assert read(written(tmp_path, many | own)).customers == 149  # the file itself is as large


def test_pairs_are_a_feature_that_needs_no_customer(tmp_path: Path) -> None:
    instance = generate_rich(10, {PAIRS}, seed=1)
    assert instance.parts.customers == ()
    assert isinstance(instance.parts.pairs[0], Pair)
    require_round_trip(instance, tmp_path)


def test_words_of_a_model_mean_the_same(tmp_path: Path) -> None:
    model = dacalns.Model("mine")
    model.add_depot(0, 0)
    one = model.add_customer(3, 4, delivery=1)
    model.add_customer(0, 5, delivery=[2], required=False, prize=4)
    model.add_group([one, model.add_customer(6, 8, delivery=1)])
    model.add_pair((1, 2), (3, 4), amount=2)
    model.add_vehicle_type(capacity=9)
    assert read(written(tmp_path, POINTS)) == model.instance()
    assert isinstance(model.parts().customers[0], Customer)
