"""What would help somebody who is not served: planted causes, everything against the checker, words, and files."""

import dataclasses
import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns import MaxIterations, Relaxation, Result, WhyNot, check, explain_unserved, solve
from dacalns.instances import Instance
from dacalns.instances.parts import Group, VehicleType
from dacalns.search import for_all
from dacalns.search.for_all import ForAll
from dacalns.search.reasons import Inquiry, units_of
from dacalns.search.relaxation import windows_of
from dacalns.search.smallest_change import SmallestChanges, up
from dacalns.util.clock import clock_text, span_text
from dacalns.util.errors import InputError
from dacalns.util.typed_data import from_plain
from search.rich_cases import Routes, draw
from search.test_reasons import PLANTED, free, kept_part, line, vehicle

ALL_DAY = [0, 500]


def changes_of(instance: Instance, routes: Routes, types: list[int], left: list[int], searcher: Any = None) -> Any:
    units = units_of(instance, left)
    return SmallestChanges(Inquiry(instance, routes, types, len(units)), (routes, types), searcher, 5)


def helped(instance: Instance, routes: Routes, customer: int, types: list[int] | None = None) -> list[Relaxation]:
    """What would help a customer who is not served, each change judged by the checker."""
    types = types or [0] * len(routes)
    visited = {node for route in routes for node in route}
    left = [node for node in instance.customer_nodes if node not in visited]
    changes = changes_of(instance, routes, types, left)
    unit = next(unit for unit in units_of(instance, left) if customer in unit)
    found = changes.explained(unit).relaxations
    for each in found:
        require_sound(instance, routes, types, each)
    assert [each.order for each in found] == sorted(each.order for each in found)
    return found


def require_sound(instance: Instance, routes: Routes, types: list[int], made: Relaxation) -> None:
    """A change serves whom it names, and changes nothing but the field that it names."""
    relaxed = made.apply(instance)
    new_routes, new_types = [[*route] for route in routes], [*types]
    if made.route is None:
        new_routes, new_types = [*new_routes, made.nodes], [*new_types, made.route_type or 0]
    else:
        new_routes[made.route - 1] = made.nodes
    after = check(relaxed, new_routes, new_types)
    assert {each.kind for each in after.violations} <= {"missing"}, (made, after)
    assert not {each.customer for each in after.violations} & {*made.serves}
    assert {*made.serves} <= {node for route in new_routes for node in route}
    before = check(relaxed, routes, types)
    assert {each.kind for each in before.violations} <= {"missing"}
    if made.kind == "price":
        assert after.cost < before.cost
    else:
        without = check(instance, new_routes, new_types)
        assert {each.kind for each in without.violations} - {"missing"}, made
    assert made.sentence.endswith(".")
    assert "inf" not in made.sentence
    assert "nan" not in made.sentence
    assert made.size is None or made.size > 0
    assert relaxed is not instance


# Planted causes: the case, and the first change in words; the cases are those of `test_reasons`.

HELP = {
    "capacity": "1 unit more capacity (4 instead of 3).",
    "a dimension": "1 vehicle more (2 instead of 1).",
    "what is picked up": "2 units more capacity (5 instead of 3).",
    "his window": "2 units later (close of the window of customer 4 at 40 instead of 38).",
    "the window of another customer": "6 units later (close of the window of customer 3 at 50 instead of 44).",
    "the depot": "10 units later (close of the depot at 80 instead of 70).",
    "the end of a shift": "5 units later (end of the shift at 80 instead of 75).",
    "goods that come after the latest start": "4 units earlier (release of customer 4 at 20 instead of 24).",
    "duration": "18 units more of shift duration (78 instead of 60).",
    "distance": "8 units more distance (80 instead of 72).",
    "stops": "1 customer more on a route (4 instead of 3).",
    "restriction": "Allow the vehicles to serve customer 4.",
    "deliveries first": "Allow vehicle type 0 to serve customer 4.",
    "a pair that is too large": "1 unit more capacity (3 instead of 2).",
    "reloads": "1 unit more capacity (2 instead of 1).",
    "a group": "10 units more distance (60 instead of 50).",
    "a price": "A prize of at least 21 for customer 4 (instead of 15).",
    "a price that is as high": "A prize of at least 21 for customer 4 (instead of 20).",
    "no prize": "A prize of at least 21 for customer 3 (instead of 0).",
    "a search that is too short": None,
    "a priority": None,
}


@pytest.mark.parametrize("cause", PLANTED)
def test_the_first_change_for_each_planted_cause(cause: str) -> None:
    instance, routes, customer, *_ = PLANTED[cause]
    found = helped(instance, routes, customer, [0] * len(routes))
    assert (found[0].sentence if found else None) == HELP[cause]


OTHERS: dict[str, tuple[Instance, Routes, int, dict[str, str]]] = {
    "a vehicle": (
        line(vehicle(capacity=(2,), num_available=2), demands=[0, 1, 1, 1, 2]), [[1, 2], [3]], 4,
        {"fleet": "1 vehicle more (3 instead of 2)."},
    ),
    "a vehicle of some type": (
        line(vehicle(capacity=(1,), num_available=3), vehicle(capacity=(0,))), [[1], [2], [3]], 4,
        {
            "fleet": "1 vehicle more of vehicle type 0 (4 instead of 3).",
            "capacity": "1 unit more capacity of vehicle type 0 (2 instead of 1).",
        },
    ),
    "a window that opens too late": (
        line(windows=[[0, 100], ALL_DAY, ALL_DAY, ALL_DAY, [70, 90]]), [[1, 2, 3]], 4,
        {
            "window": "10 units earlier (opening of the window of customer 4 at 60 instead of 70).",
            "depot": "10 units later (close of the depot at 110 instead of 100).",
        },
    ),
    "a late start of the shift": (
        line(vehicle(tw_early=15), windows=[ALL_DAY, ALL_DAY, ALL_DAY, ALL_DAY, [0, 50]]), [[1, 2, 3]], 4,
        {
            "window": "5 units later (close of the window of customer 4 at 55 instead of 50).",
            "shift": "5 units earlier (start of the shift at 10 instead of 15).",
        },
    ),
    "waiting that takes too long": (
        line(
            vehicle(shift_duration=90), windows=[ALL_DAY, [20, 20], ALL_DAY, ALL_DAY, [80, 500]],
        ), [[1, 2, 3]], 4,
        {
            "duration": "20 units more of shift duration (110 instead of 90).",
            "window": "20 units earlier (opening of the window of customer 4 at 60 instead of 80).",
        },
    ),
    "the last of several windows": (
        line(
            windows=[ALL_DAY, ALL_DAY, ALL_DAY, ALL_DAY, [0, 5]], more_windows=[(4, 10, 20), (4, 25, 30)],
        ), [[1, 2, 3]], 4,
        {"window": "10 units later (close of the last window of customer 4 at 40 instead of 30)."},
    ),
    "only pickups": (
        line(demands=[0] * 5, pickups=[0, 1, 1, 1, 1], backhauls_last=True), [], 4,
        {"backhaul": "Let pickups come before deliveries."},
    ),
    "a pair whose windows exclude each other": (
        line(
            pairs=[[3, 4]], demands=[0, 1, 1, 1, 0], windows=[ALL_DAY, ALL_DAY, ALL_DAY, [200, 300], [0, 150]],
        ), [[1, 2]], 4,
        {"window": "60 units later (close of the window of customer 4 at 210 instead of 150)."},
    ),
    "one reload more": (
        line(vehicle(capacity=(2,), reload_depots=(0,), max_reloads=1), demands=[0, 2, 2, 0, 2]), [[1, 0, 2, 3]], 4,
        {
            "reload": "1 reload more (2 instead of 1).",
            "capacity": "2 units more capacity (4 instead of 2).",
            "fleet": "1 vehicle more (2 instead of 1).",
        },
    ),
    "a latest start": (
        line(vehicle(start_late=10), windows=[[0, 500], [20, 500], ALL_DAY, ALL_DAY, ALL_DAY],
             releases=[0, 0, 0, 0, 12]), [[1, 2, 3]], 4,
        {
            "release": "2 units earlier (release of customer 4 at 10 instead of 12).",
            "shift": "2 units later (latest start at 12 instead of 10).",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("cause", OTHERS)
def test_what_else_helps(cause: str) -> None:
    instance, routes, customer, wanted = OTHERS[cause]
    found = helped(instance, routes, customer)
    said = {each.kind: each.sentence for each in reversed(found)}
    assert {kind: said.get(kind) for kind in wanted} == wanted


def test_a_change_is_no_larger_than_needed() -> None:
    tight = 0
    for cause, (instance, routes, customer, *_) in (PLANTED | OTHERS).items():
        for made in helped(instance, routes, customer, [0] * len(routes)):
            if made.new is None or made.old is None or made.also or made.route is None:
                continue
            less = dataclasses.replace(made, new=made.new - math.copysign(1e-3, made.new - made.old))
            try:
                trial = [made.nodes if number == made.route else route for number, route in enumerate(routes, start=1)]
                after = check(less.apply(instance), trial, [0] * len(routes))
            except InputError:  # half a vehicle
                continue
            bad = {each.kind for each in after.violations} - {"missing"}
            assert bad or made.kind == "price", (cause, made)
            tight += 1
    assert tight > 15


def test_of_random_problems_every_change_serves() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(240):
        instance = draw(seed, 8)
        routes, types = kept_part(instance, seed)
        visited = {node for route in routes for node in route}
        left = [node for node in instance.customer_nodes if node not in visited and not free(instance, node, visited)]
        left += check(instance, routes, types).left_out
        if not left:
            continue
        changes = changes_of(instance, routes, types, left)
        for unit in units_of(instance, left):
            reason = changes.explained(unit)
            for made in reason.relaxations:
                require_sound(instance, routes, types, made)
                assert {*made.serves} <= {*unit}
                kinds[made.kind] += 1
                kinds["several"] += bool(made.also)
            assert reason.relaxations or reason.main == "search" or not reason.feasible_places
            kinds["helped"] += bool(reason.relaxations)
            kinds["not helped"] += not reason.relaxations and reason.main != "search"
    assert {"fleet", "capacity", "window", "depot", "duration", "distance", "stops", "restriction", "price"} <= {*kinds}
    assert {"shift", "several"} <= {*kinds}
    assert kinds["helped"] > 9 * kinds["not helped"], kinds


# Several changes, and all at once.


def test_where_no_single_change_helps_several_are_named_together() -> None:
    instance = line(vehicle(capacity=(3, 5), max_distance=70), demands=[[0, 0], [1, 1], [1, 1], [1, 1], [4, 9]])
    [made] = helped(instance, [[1, 2, 3]], 4)
    assert made.sentence == (
        "1 unit more capacity in load dimension 0 (4 instead of 3), and 4 units more capacity in load dimension 1 (9 "
        "instead of 5), and 10 units more distance (80 instead of 70), and 1 vehicle more (2 instead of 1)."
    )
    relaxed = made.apply(instance)
    assert relaxed.types[0].capacity == (4.0, 9.0)
    assert (relaxed.types[0].max_distance, relaxed.fleet) == (80.0, 2)
    again = from_plain(Relaxation, json.loads(json.dumps(dataclasses.asdict(made))), "it")
    assert again == made
    assert again.apply(instance) == relaxed


def test_vehicles_for_all_at_once() -> None:
    instance = line(vehicle(capacity=(2,)), coordinates=[[10 * k, 0] for k in range(8)], demands=[0] + [1] * 7)
    changes = changes_of(instance, [[1, 2]], [0], [3, 4, 5, 6, 7])
    [made] = ForAll(changes, units_of(instance, [3, 4, 5, 6, 7])).found()
    assert (made.sentence, made.serves) == ("3 vehicles more (4 instead of 1).", [3, 4, 5, 6, 7])
    far = instance.with_(vehicle_types=(vehicle(capacity=(2,), max_distance=135),))
    changes = changes_of(far, [[1, 2]], [0], [3, 4, 5, 6, 7])
    [made] = ForAll(changes, units_of(far, [3, 4, 5, 6, 7])).found()
    assert (made.sentence, made.serves) == ("2 vehicles more (3 instead of 1), which serves 4 of 5.", [3, 4, 5, 6])


def test_of_many_not_every_place_of_the_new_routes_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(4)
    instance = line(
        vehicle(capacity=(8,), max_distance=900), coordinates=dice.integers(0, 100, (41, 2)), demands=[0] + [1] * 40,
    )  # fmt: skip
    left = [*range(3, 41)]
    units = units_of(instance, left)
    [thorough] = ForAll(changes_of(instance, [[1, 2]], [0], left), units).found()
    monkeypatch.setattr(for_all, "FEW", 5)
    changes = changes_of(instance, [[1, 2]], [0], left)
    tried = []
    measured = changes.measured
    monkeypatch.setattr(changes, "measured", lambda place: tried.append(place) or measured(place))
    [made] = ForAll(changes, units).found()
    assert (made.amount, made.serves) == (thorough.amount, left)
    assert made.amount == 5
    assert len(tried) <= len(left) * (for_all.LAST_ROUTES * for_all.PLACES + 1)


@pytest.mark.slow_without_jit
def test_a_search_needs_fewer_vehicles_than_putting_in() -> None:
    # Two and three fit together, and so do two and three: but the answer has the two together.
    instance = Instance(
        name="jigsaw", coordinates=[[0, 0], *([k, 1] for k in range(8))], demands=[0, 4, 4, 6, 6, 4, 4, 6, 6],
        capacity=10, fleet=2,
    )  # fmt: skip
    left = [3, 4, 7, 8]
    base = solve(instance.with_(fleet=4), stop=MaxIterations(200))
    assert base.feasible
    result = dataclasses.replace(base, routes=[[1, 2], [5, 6]], unserved=left, vehicle_types=[0, 0], feasible=False)
    [put_in] = explain_unserved(instance, result, iterations=0).together
    [searched] = explain_unserved(instance, result).together
    assert (put_in.amount, put_in.checked_by, searched.amount, searched.checked_by) == (4, "check", 2, "search")
    assert searched.sentence == "2 vehicles more (4 instead of 2), as a short search found."


@pytest.mark.slow_without_jit
def test_a_search_finds_what_putting_in_does_not() -> None:
    instance = Instance(
        name="room", coordinates=[[0, 0], [10, 0], [0, 10], [-10, 0]], demands=[0, 5, 5, 12], capacity=10, fleet=2
    )
    alone = solve(instance.with_(capacity=12), stop=MaxIterations(200))
    assert alone.feasible
    routes = [[1], [2]]
    base = solve(instance.with_(demands=[0, 5, 5, 5], fleet=3), stop=MaxIterations(0))
    result = dataclasses.replace(base, routes=routes, unserved=[3], vehicle_types=[0, 0], feasible=False)
    found = explain_unserved(instance, result)
    assert [(each.sentence, each.checked_by) for each in found[3].relaxations] == [
        ("2 units more capacity (12 instead of 10), as a short search found.", "search"),
        ("7 units more capacity (17 instead of 10).", "check"),
    ]
    without = explain_unserved(instance, result, iterations=0)
    assert [each.checked_by for each in without[3].relaxations] == ["check"]
    assert solve(found[3].relaxations[0].apply(instance), stop=MaxIterations(200)).feasible


# Words.


def test_names_and_clock_times_are_in_sentences() -> None:
    instance = line(
        windows=[[480, 1080], [490, 500], [500, 510], [510, 1080], [480, 520]], service=[0, 0, 0, 12, 0],
        names=["Depot", "Anna", "Bob", "Carl", "Bakery"], time_unit="min",
    )  # fmt: skip
    instance = instance.with_(coordinates=[[10 * k, 0] for k in (0, 1, 2, 3, 6)])
    found = helped(instance, [[1, 2, 3]], 4)
    assert found[0].sentence == ("20 minutes later (close of the window of customer Bakery at 09:00 instead of 08:40).")
    assert found[0].unit == "min"
    reason = changes_of(instance, [[1, 2, 3]], [0], [4]).explained((4,))
    assert reason.sentence.startswith("Customer Bakery fits into no route: ")
    assert reason.sentence.endswith("behind customer Bob, 20 minutes too late at customer Bakery.")
    by_the_hour = line(vehicle(shift_duration=1.25), matrix=[[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]],
        demands=[0, 1, 1], coordinates=None, rounding="none", time_unit="h")  # fmt: skip
    found = helped(by_the_hour, [[1]], 2)
    assert found[0].sentence == (
        "1 hour 15 minutes more of shift duration (2 hours 30 minutes instead of 1 hour 15 minutes)."
    )


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [(742, "min", "12:22"), (0, "s", "00:00"), (86_399, "s", "23:59:59"), (24, "h", "24:00"),
     (49.5, "h", "49:30"), (12.25, "", "12.25"), (0.1 + 0.2, "", "0.3")],
)  # fmt: skip
def test_clock_times(value: float, unit: str, said: str) -> None:
    assert clock_text(value, unit) == said


@pytest.mark.parametrize(
    ("amount", "unit", "said"),
    [(1, "min", "1 minute"), (61, "s", "1 minute 1 second"), (1.5, "h", "1 hour 30 minutes"), (0.25, "s",
     "0.25 seconds"), (3.5, "", "3.5")],
)  # fmt: skip
def test_spans(amount: float, unit: str, said: str) -> None:
    assert span_text(amount, unit) == said


@pytest.mark.parametrize(("amount", "more"), [(3.2671, 3.27), (0.25, 0.25), (1e-7, 1e-7), (99.95, 100), (1234.5, 1240)])
def test_amounts_are_rounded_up(amount: float, more: float) -> None:
    assert up(amount) == pytest.approx(more, rel=1e-12)
    assert up(amount) >= amount * (1 - 1e-9)


def test_a_window_that_meets_the_next_one_is_not_proposed() -> None:
    instance = line(windows=[ALL_DAY] * 4 + [[0, 5]], more_windows=[(4, 10, 20)])
    assert windows_of(instance, 4) == [(0.0, 5.0), (10.0, 20.0)]
    made = Relaxation("window", "tw_late", None, 4, 1, [], 20.0, 45.0, 25.0, "", 0.1, [4])
    assert made.apply(instance).more_windows == ((4, 10.0, 45.0),)
    first = dataclasses.replace(made, index=0, old=5.0)
    with pytest.raises(InputError):
        first.apply(instance)


# For whole answers.


def tight(**fields: Any) -> Instance:
    return Instance(**{
        "name": "tight", "coordinates": [[0, 0], *([k, 3 * k % 7] for k in range(1, 10))], "demands": [0, *[4] * 9],
        "capacity": 12, "fleet": 2, **fields,
    })  # fmt: skip


@pytest.mark.slow_without_jit
def test_of_an_instance_that_is_refused() -> None:
    instance = tight()
    with pytest.raises(dacalns.InfeasibleInstanceError):
        solve(instance, stop=MaxIterations(10))
    found = explain_unserved(instance)
    assert found.proofs == dacalns.preflight(instance)
    assert [reason.main for reason in found] == ["fleet"] * len(found)
    assert [str(each) for each in found.together] == ["1 vehicle more (3 instead of 2)."]
    assert solve(found.together[0].apply(instance), stop=MaxIterations(500)).feasible
    lines = str(found).splitlines()
    assert lines[:3] == [
        "No solution serves everybody: The total demand of 36 needs 3 vehicles of capacity 12, more than the fleet of "
        "2.",
        "For all together who must be served:",
        "  would help: 1 vehicle more (3 instead of 2).",
    ]
    assert lines[4] == "  main reason: fleet (an empty vehicle could serve, but none is free)"
    assert from_plain(WhyNot, json.loads(json.dumps(found.to_dict())), "it") == found
    served = {node for route in found.routes for node in route}
    assert len(found) == 9 - len(served) == 3
    with pytest.raises(KeyError):
        found[found.routes[0][0]]


@pytest.mark.slow_without_jit
def test_of_an_instance_that_no_search_can_serve_and_no_single_change() -> None:
    instance = tight(windows=[[0, 40], *[[0, 40]] * 8, [0, 1]], fleet=4)
    found = explain_unserved(instance)
    [reason] = found
    assert (reason.customers, reason.main) == ([9], "window")
    assert found.together == []
    assert reason.relaxations[0].kind == "window"
    assert solve(reason.relaxations[0].apply(instance), stop=MaxIterations(500)).feasible


@pytest.mark.slow_without_jit
def test_results_carry_what_would_help_through_json() -> None:
    instance = line(
        vehicle(capacity=(3,)), optional=[0, 1, 1, 1, 1], prizes=[0, 90, 90, 90, 90],
        coordinates=[[10 * k, 0] for k in range(5)],
    )  # fmt: skip
    result = solve(instance, stop=MaxIterations(50))
    [customer] = result.left_out
    found = explain_unserved(instance, result)
    assert result.reasons[customer].relaxations == []
    explained = found.added_to(result)
    again = Result.from_json(explained.to_json())
    assert again.reasons[customer] == explained.reasons[customer] == found[customer]
    assert again.reasons[customer].relaxations[0].apply(instance) == found[customer].relaxations[0].apply(instance)
    assert again == result
    assert "together" not in result.to_dict()
    some = explain_unserved(instance, result, most=1, customers=1)
    assert [len(reason.relaxations) for reason in some] == [1]


@pytest.mark.slow_without_jit
def test_who_would_be_left_out_all_the_same() -> None:
    instance = line(vehicle(capacity=(3,)), optional=[0, 0, 0, 0, 1], prizes=[0, 0, 0, 0, 3])
    [first, *_] = helped(instance, [[1, 2, 3]], 4)
    assert (first.pays, first.cost) == (False, 20.0)
    assert first.sentence == (
        "1 unit more capacity (4 instead of 3); serving customer 4 then costs 20, no less than leaving them out."
    )


@pytest.mark.slow_without_jit
def test_everybody_is_served() -> None:
    instance = tight(fleet=3)
    result = solve(instance, stop=MaxIterations(200))
    assert result.feasible
    found = explain_unserved(instance, result)
    assert (len(found), str(found), [*found]) == (0, "Everybody is served.", [])
    assert str(explain_unserved("A-n32-k5", iterations=200)) == "Everybody is served."


@pytest.mark.slow_without_jit
def test_what_cannot_be_explained() -> None:
    instance = tight(fleet=3)
    result = solve(instance, stop=MaxIterations(20))
    with pytest.raises(InputError, match=r"result is of 'tight' with 9 customers, and instance is 'line' with 4"):
        explain_unserved(line(), result)
    with pytest.raises(InputError, match="result is 3; expected a Result"):
        explain_unserved(instance, 3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="most is 0"):
        explain_unserved(instance, result, most=0)
    with pytest.raises(InputError, match="iterations is -1"):
        explain_unserved(instance, result, iterations=-1)


def test_a_change_of_another_instance_is_refused() -> None:
    made = Relaxation("capacity", "capacity", 3, None, 0, [], 1.0, 2.0, 1.0, "", 1.0, [1])
    with pytest.raises(InputError, match="the relaxation is about vehicle type 3, and line has 1 vehicle types"):
        made.apply(line(vehicle(max_distance=9)))
    window = Relaxation("window", "tw_late", None, 9, 0, [], 1.0, 2.0, 1.0, "", 1.0, [1])
    with pytest.raises(InputError, match="the relaxation is about node 9, and line has 5 nodes"):
        window.apply(line(windows=[ALL_DAY] * 5))
    with pytest.raises(InputError, match="window 0 of node 4, and line has no such window"):
        dataclasses.replace(window, node=4).apply(line())


def test_plain_problems_stay_plain() -> None:
    instance = tight()
    more = Relaxation("fleet", "num_available", 0, None, 0, [], 2.0, 3.0, 1.0, "", 0.5, [1]).apply(instance)
    assert (more.fleet, more.is_plain, more.capacity) == (3, True, 12.0)
    larger = Relaxation("capacity", "capacity", 0, None, 0, [], 12.0, 13.0, 1.0, "", 0.5, [1]).apply(instance)
    assert (larger.fleet, larger.is_plain, larger.capacity) == (2, True, 13.0)


def test_a_member_of_a_group_is_enough() -> None:
    instance = line(vehicle(max_distance=50), groups=(Group(customers=(3, 4)),))
    found = helped(instance, [[1, 2]], 3)
    assert found[0].serves == [3]
    assert isinstance(instance.types[0], VehicleType)
    assert np.array_equal(found[0].apply(instance).demands, instance.demands)
