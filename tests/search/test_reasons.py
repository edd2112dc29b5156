"""Why customers are not served: planted causes, every place against the checker, and what a result does with it."""

import copy
import dataclasses
import json
import math
import pickle
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns import MaxIterations, check, solve
from dacalns.instances import Instance
from dacalns.instances.parts import Group, Profile, VehicleType
from dacalns.search import reasons as module
from dacalns.search.checker import Check
from dacalns.search.open_places import LEAST, PLACE, Attempt, OpenPlaces
from dacalns.search.reasons import CAUSES, EFFORT, Reason, Reasons, reasons_of
from dacalns.search.result import Result
from dacalns.util.errors import InputError
from search.rich_cases import Routes, draw, random_solution


def vehicle(**fields: Any) -> VehicleType:
    return VehicleType(**{"num_available": 1, "capacity": (10,), **fields})


def line(*types: VehicleType, **changes: Any) -> Instance:
    """A depot at 0 and customers at 10, 20, 30 and 40 on a line, with demands of 1, and one vehicle."""
    fields: dict[str, Any] = {
        "name": "line", "coordinates": [[10 * k, 0] for k in range(5)], "demands": [0, 1, 1, 1, 1],
        "rounding": "round", "vehicle_types": types or (vehicle(),),
    }  # fmt: skip
    return Instance(**{**fields, **changes})


def reason(instance: Instance, routes: Routes, customer: int, types: list[int] | None = None) -> Reason:
    """Why a customer is not served who is the only one, with the others of his pair or group."""
    verdict = check(instance, routes, types)
    assert {violation.kind for violation in verdict.violations} <= {"missing"}
    visited = {node for route in routes for node in route}
    unserved = [node for node in instance.customer_nodes if node not in visited and node not in verdict.left_out]
    found = reasons_of(instance, routes, types or [0] * len(routes), unserved, verdict.left_out)
    assert set(found) == {*unserved, *verdict.left_out}
    assert found.get(routes[0][0]) is None
    return found[customer]


# Planted causes: the customer, what stands in the way of him alone, and in words.

NO_OTHER = "no other vehicle is free; nearest: route 1 behind customer 2"
FOUR = "Customer 4 fits into no route:"
ALL_DAY = [0, 500]
COLLECTORS = [vehicle(allowed_customers=(1,)), *(vehicle(max_stops=most) for most in (5, 6, 7))]
PLANTED: dict[str, tuple[Instance, Routes, int, str, dict[str, int], str]] = {
    "capacity": (
        line(vehicle(capacity=(3,))), [[1, 2, 3]], 4, "capacity", {"capacity": 4, "fleet": 1},
        f"{FOUR} the capacity is exceeded at 4 of 4 places, {NO_OTHER}, 1 over the capacity of "
        "3.",
    ),
    "a dimension": (
        line(vehicle(capacity=(3, 5)), demands=[[0, 0], [1, 2], [1, 2], [1, 1], [1, 2]]), [[1, 2, 3]], 4, "capacity",
        {"capacity": 4, "fleet": 1},
        f"{FOUR} the capacity is exceeded at 4 of 4 places, {NO_OTHER}, 2 over the capacity of 5 "
        "in dimension 1.",
    ),
    "what is picked up": (
        line(vehicle(capacity=(3,)), pickups=[0, 1, 1, 1, 2]), [[1, 2, 3]], 4, "capacity", {"capacity": 4, "fleet": 1},
        f"{FOUR} the capacity is exceeded at 4 of 4 places, no other vehicle is free; nearest: "
        "route 1 behind customer 2, 2 over the capacity of 3.",
    ),
    "his window": (
        line(windows=[ALL_DAY, [10, 10], [20, 20], [30, 30], [0, 38]]), [[1, 2, 3]], 4, "window",
        {"window": 4, "fleet": 1},
        f"{FOUR} a window is missed at 4 of 4 places, no other vehicle is free; nearest: route 1 "
        "behind customer 3, 2 too late at customer 4.",
    ),
    "the window of another customer": (
        line(windows=[ALL_DAY, ALL_DAY, ALL_DAY, [30, 44], [0, 42]], service=[0, 0, 0, 50, 0]), [[1, 2, 3]], 4,
        "window", {"window": 4, "fleet": 1},
        f"{FOUR} a window is missed at 4 of 4 places, no other vehicle is free; nearest: route 1 "
        "behind customer 2, 6 too late at customer 3.",
    ),
    "the depot": (
        line(windows=[[0, 70], ALL_DAY, ALL_DAY, ALL_DAY, ALL_DAY]), [[1, 2, 3]], 4, "depot", {"depot": 4, "fleet": 1},
        f"{FOUR} a depot closes too early at 4 of 4 places, {NO_OTHER}, 10 too late at the depot.",
    ),
    "the end of a shift": (
        line(vehicle(tw_late=75)), [[1, 2, 3]], 4, "shift", {"shift": 4, "fleet": 1},
        f"{FOUR} the shift is too short at 4 of 4 places, {NO_OTHER}, 5 too late for the shift.",
    ),
    "goods that come after the latest start": (
        line(vehicle(start_late=20), releases=[0, 0, 0, 0, 24]), [[1, 2, 3]], 4, "shift", {"shift": 4, "fleet": 1},
        f"{FOUR} the shift is too short at 4 of 4 places, {NO_OTHER}, 4 too late for the shift.",
    ),
    "duration": (
        line(vehicle(shift_duration=60, max_overtime=10), service=[0, 2, 2, 2, 2]), [[1, 2, 3]], 4, "duration",
        {"duration": 4, "fleet": 1},
        f"{FOUR} the longest duration is exceeded at 4 of 4 places, {NO_OTHER}, 18 over the "
        "longest duration of 70.",
    ),
    "distance": (
        line(vehicle(max_distance=72)), [[1, 2, 3]], 4, "distance", {"distance": 4, "fleet": 1},
        f"{FOUR} the longest distance is exceeded at 4 of 4 places, {NO_OTHER}, 8 over the "
        "longest distance of 72.",
    ),
    "stops": (
        line(vehicle(max_stops=3)), [[1, 2, 3]], 4, "stops", {"stops": 4, "fleet": 1},
        f"{FOUR} the limit of customers is exceeded at 4 of 4 places, {NO_OTHER}, 1 over the "
        "limit of 3 customers.",
    ),
    "restriction": (
        line(vehicle(allowed_customers=(1, 2, 3), num_available=2)), [[1, 2, 3]], 4, "restriction", {"restriction": 5},
        f"{FOUR} the vehicle may not serve him at 5 of 5 places.",
    ),
    "deliveries first": (
        line(*COLLECTORS, demands=[0, 1, 0, 0, 0], pickups=[0, 0, 1, 1, 1], backhauls_last=True), [[1]], 4, "backhaul",
        {"restriction": 2, "backhaul": 4, "fleet": 1},
        f"{FOUR} deliveries do not come before pickups at 4 of 5 places, the vehicle may not "
        "serve him at 2, 1 of 4 vehicle types has no other vehicle.",
    ),
    "a pair that is too large": (
        line(vehicle(capacity=(2,)), demands=[0, 1, 1, 3, 0], pairs=[[3, 4]]), [[1, 2]], 3, "capacity",
        {"capacity": 6, "fleet": 1},
        f"The pair 3, 4 fits into no route: the capacity is exceeded at 6 of 6 places, {NO_OTHER}, 1 over the capacity "
        "of 2.",
    ),
    "reloads": (
        line(vehicle(capacity=(1,), reload_depots=(0,), max_reloads=1), demands=[0, 1, 1, 2, 0], pairs=[[3, 4]]),
        [[1, 0, 2]], 4, "capacity", {"capacity": 13, "pair": 4, "reload": 3, "fleet": 1},
        "The pair 3, 4 fits into no route: the capacity is exceeded at 13 of 13 places, the pair is parted at 4, the "
        "vehicle may not reload once more at 3, no other vehicle is free; nearest: route 1 behind customer 2, 1 over "
        "the capacity of 1.",
    ),
    "a group": (
        line(vehicle(max_distance=50), groups=(Group(customers=(3, 4)),)), [[1, 2]], 3, "distance",
        {"distance": 6, "fleet": 1},
        "The group 3, 4 fits into no route: the longest distance is exceeded at 6 of 6 places, no other vehicle is free"
        "; nearest: customer 3 on route 1 behind customer 1, 10 over the longest distance of 50.",
    ),
    "a price": (
        line(optional=[0, 0, 0, 0, 1], prizes=[0, 0, 0, 0, 15]), [[1, 2, 3]], 4, "price", {"fleet": 1},
        "Customer 4 is left out by choice: the cheapest place, route 1 behind customer 2, costs 20 more, above his "
        "prize of 15.",
    ),
    "a price that is as high": (
        line(optional=[0, 0, 0, 0, 1], prizes=[0, 0, 0, 0, 20]), [[1, 2, 3]], 4, "price", {"fleet": 1},
        "Customer 4 is left out by choice: the cheapest place, route 1 behind customer 2, costs 20 more, as much as "
        "his prize of 20.",
    ),
    "no prize": (
        line(groups=(Group(customers=(3, 4), required=False),)), [[1, 2]], 3, "price", {"fleet": 1},
        "The group 3, 4 is left out by choice: the cheapest place, customer 3 on route 1 behind customer 1, costs 20 "
        "more, and it has no prize.",
    ),
    "a search that is too short": (
        line(vehicle(num_available=2, fixed_cost=5), optional=[0, 0, 0, 0, 1], prizes=[0, 0, 0, 0, 30]),
        [[1, 2, 3]], 4, "search", {},
        "Customer 4 fits in (route 1 behind customer 2), which costs 20 more, below his prize of 30; a longer "
        "search may serve him.",
    ),
    "a priority": (
        line(vehicle(num_available=2), optional=[0, 0, 0, 0, 1], priorities=[0, 0, 0, 0, 7]), [[1, 2, 3]], 4, "search",
        {},
        "Customer 4 fits in (route 1 behind customer 2), which costs 20 more, and his priority of 7 goes before "
        "costs; a longer search may serve him.",
    ),
}  # fmt: skip


MAIN = {
    "his window": "window",
    "the depot": "depot",
    "the end of a shift": "shift",
    "goods that come after the latest start": "shift",
    "duration": "duration",
    "distance": "distance",
    "restriction": "restriction",
    "deliveries first": "restriction",
    "a pair that is too large": "capacity",
    "reloads": "capacity",
    "a group": "distance",
}
"""Who does not fit into an empty vehicle either, and what stands in the way there."""


@pytest.mark.parametrize("cause", PLANTED)
def test_planted_causes(cause: str) -> None:
    instance, routes, customer, main, counts, sentence = PLANTED[cause]
    found = reason(instance, routes, customer, [0] * len(routes))
    assert (found.nearest or found.main, found.counts, found.sentence) == (main, counts, sentence)
    assert found.main == (MAIN.get(cause, "fleet") if found.nearest else main)
    assert str(found) == sentence
    assert (found.cost is None) == (found.feasible_places == 0) == (main in CAUSES)
    assert all(count <= found.places for count in found.counts.values())


def test_every_kind_of_cause_is_planted() -> None:
    known = {kind for case in PLANTED.values() for kind in case[4]} | {case[3] for case in PLANTED.values()}
    assert known == {*CAUSES, "fleet", "price", "search"}


def test_many_causes_and_many_members_are_shortened() -> None:
    instance = Instance(
        name="much", coordinates=[[k, 0] for k in range(12)], demands=[0, *[5] * 11], windows=[[0, 9]] * 12,
        rounding="round", groups=(Group(customers=tuple(range(2, 12))),),
        vehicle_types=(
            vehicle(capacity=(5,), tw_late=2, max_distance=2, shift_duration=2, max_stops=1, allowed_customers=(1, 2)),
        ),
    )  # fmt: skip
    found = reason(instance, [[1]], 5)
    assert found.customers == [*range(2, 12)]
    assert found.counts == {
        "capacity": 20, "window": 8, "depot": 14, "shift": 20, "duration": 20, "distance": 20, "stops": 20,
        "restriction": 18, "fleet": 1,
    }  # fmt: skip
    assert found.sentence.startswith(
        "The group 2, 3, 4, 5, 6, 7, 8, 9, … fits into no route: the capacity is exceeded at 20 of 20 places, "
    )
    assert ", 4 more causes at fewer, no other vehicle is free; nearest: customer 2 on route 1 " in found.sentence


# Every place, against the checker.


def kept_part(instance: Instance, seed: int) -> tuple[Routes, list[int]]:
    """The routes of a random solution that break no rule, as far as the fleet goes."""
    routes: Routes = []
    types: list[int] = []
    for route, kind in zip(*random_solution(instance, seed), strict=True):
        trial = [*routes, route], [*types, kind]
        if any(node >= instance.depots for node in route) and only_missing(check(instance, *trial)):
            routes, types = trial
    return routes, types


def only_missing(verdict: Check) -> bool:
    return all(violation.kind == "missing" for violation in verdict.violations)


def changed(routes: Routes, types: list[int], attempt: Attempt) -> tuple[Routes, list[int]]:
    """The answer with somebody at a place."""
    if attempt.route is None:
        return [*routes, [node for _, node in attempt.inserted]], [*types, attempt.vehicle_type]
    route = [*routes[attempt.route - 1]]
    for shift, (at, node) in enumerate(attempt.inserted):
        route.insert(at + shift, node)
    return [*routes[: attempt.route - 1], route, *routes[attempt.route :]], types


def all_places(instance: Instance, routes: Routes, types: list[int], nodes: tuple[int, ...]) -> Counter[str]:
    """The routes, in words, with a customer or a pair at every place there is."""
    found: Counter[str] = Counter()
    for number, (route, kind) in enumerate(zip(routes, types, strict=True)):

        def note(new: list[int], number: int = number) -> None:
            found[str(([*routes[:number], new, *routes[number + 1 :]], types))] += 1

        for first in range(len(route) + 1):
            for last in range(first, len(route) + 1) if len(nodes) > 1 else [first]:
                note([*route[:first], nodes[0], *route[first:last], *nodes[1:], *route[last:]])
        for depot in instance.types[kind].reload_depots:
            note([*nodes, depot, *route])
            for at, node in [*enumerate(route), (len(route), 0)]:
                if node < instance.depots:
                    note([*route[:at], depot, *nodes, *route[at:]])
    for kind, each in enumerate(instance.types):
        if each.num_available is None or types.count(kind) < each.num_available:
            found[str(([*routes, [*nodes]], [*types, kind]))] += 1
    return found


def ways_of(instance: Instance, customers: list[int]) -> Iterator[tuple[int, ...]]:
    """A pair as a whole, and of a group each member."""
    if instance.pairs is not None and customers in instance.pairs.tolist():
        yield tuple(customers)
    else:
        yield from ((node,) for node in customers)


def judged(instance: Instance, routes: Routes, types: list[int]) -> Counter[str]:
    """Compare every place, and the reasons, with the checker; count what stood in the way."""
    before = check(instance, routes, types)
    visited = {node for route in routes for node in route}
    unserved = [node for node in instance.customer_nodes if node not in visited and not free(instance, node, visited)]
    told: Counter[str] = Counter()
    places = OpenPlaces(instance, routes, types)
    for found in reasons_of(instance, routes, types, unserved, before.left_out).each():
        counts: Counter[str] = Counter()
        gains, tried = [], 0
        for nodes in ways_of(instance, found.customers):
            prize = 0.0 if instance.prizes is None else float(instance.prizes[[*nodes]].sum())
            met: Counter[str] = Counter()
            for attempt in places.attempts(nodes, 10**6):
                with_him = changed(routes, types, attempt)
                met[str(with_him)] += 1
                after = check(instance, *with_him)
                broken = {each.kind: [] for each in after.violations if each.kind != "missing"}
                for each in after.violations:
                    if each.kind != "missing":
                        broken[each.kind].append(each.amount)
                assert attempt.obstacles.keys() == broken.keys(), (found, attempt, after)
                for kind, obstacle in attempt.obstacles.items():
                    if math.isfinite(obstacle.part):
                        assert any(obstacle.amount == pytest.approx(amount) for amount in broken[kind])
                counts.update(broken.keys())
                if not broken:
                    assert attempt.cost == pytest.approx(after.cost - before.cost + prize)
                    gains.append(after.cost - before.cost)
                assert (attempt.cost is None) == bool(broken)
            assert met == all_places(instance, routes, types, nodes)
            assert places.count(nodes) == met.total()
            tried += met.total()
        fleet = [kind for kind, each in enumerate(instance.types) if types.count(kind) == each.num_available]
        assert found.counts == dict(counts) | ({"fleet": len(fleet)} if fleet else {})
        assert (found.places, found.feasible_places) == (tried, len(gains))
        if gains:
            assert found.cost is not None
            assert found.cost - found.prize == pytest.approx(min(gains))
            assert found.main in ("price", "search")
            assert found.nearest == ""
        else:
            assert counts[found.nearest] or found.nearest == "fleet"
            require_main(instance, found)
        told.update([*counts, f"main {found.main}"])
    return told


def require_main(instance: Instance, found: Reason) -> None:
    """Compare the main reason of somebody who fits nowhere with what the checker says of empty vehicles."""
    alone = [
        {each.kind for each in check(instance, [nodes], [kind]).violations} - {"missing", "fleet"}
        for nodes in ways_of(instance, found.customers)
        for kind in range(len(instance.types))
    ]
    if set() in alone:
        assert found.main in ("fleet", "restriction")
        assert found.main == "fleet" or found.counts["restriction"]
    elif {"backhaul"} in alone:
        assert found.main in (found.nearest, "restriction")
    elif {"restriction"} in alone:
        assert found.main == "restriction"
    elif found.main == "pair":
        pair = tuple(found.customers)
        assert pair in map(tuple, instance.pairs.tolist()) or "pair" in set().union(*alone)
    elif found.main == "window" and "window" not in set().union(*alone):
        assert set().union(*alone) & {"depot", "shift", "duration"}
    else:
        assert found.main in set().union(*alone)


def free(instance: Instance, node: int, visited: set[int]) -> bool:
    """Whether nobody misses a customer who is not visited: he may be left out, or another one of his group is there."""
    for group in instance.groups:
        if node in group.customers:
            return not group.required or not visited.isdisjoint(group.customers)
    return instance.optional is not None and bool(instance.optional[node])


seen: Counter[str] = Counter()


@pytest.mark.parametrize("first", range(0, 500, 50))
def test_every_place_is_as_the_checker_sees_it(first: int) -> None:
    for seed in range(first, first + 50):
        instance = draw(seed, 8)
        seen.update(judged(instance, *kept_part(instance, seed)))


def test_these_cases_have_every_cause() -> None:
    if not seen:
        pytest.skip("it needs what the tests before it have seen")
    assert {*CAUSES, "main price", "main search"} <= {kind for kind, count in seen.items() if count > 2}


def test_half_a_pair_belongs_behind_the_other_half() -> None:
    instance = line(vehicle(num_available=2), demands=[0, 1, 1, 1, 0], pairs=[[3, 4]])
    found = reasons_of(instance, [[1, 3, 2]], [0], [4], [])[4]
    assert (found.customers, found.counts, found.places, found.feasible_places) == ([4], {"pair": 3}, 5, 2)


# Where there are many places.


def town(customers: int, left: int, per_route: int, **fields: Any) -> tuple[Instance, Routes, list[int]]:
    """Customers anywhere, routes around the depot, and those who are in none."""
    dice = np.random.default_rng(5)
    places = dice.integers(0, 1000, (customers + 1, 2))
    places[0] = 500
    instance = Instance(
        name="town", coordinates=places, demands=[0, *dice.integers(1, 9, customers).tolist()], rounding="round",
        optional=[False] + [True] * customers, prizes=[0, *dice.integers(0, 90, customers).tolist()],
        vehicle_types=(vehicle(num_available=None, capacity=(6.0 * per_route,), **fields),),
    )  # fmt: skip
    order = sorted(range(1, customers + 1), key=lambda node: math.atan2(*(places[node] - 500)))
    out = set(order[:: customers // left][:left])
    rest = [node for node in order if node not in out]
    return instance, [rest[at : at + per_route] for at in range(0, len(rest), per_route)], sorted(out)


@pytest.mark.parametrize("per_route", [10, 140])
def test_hundreds_of_reasons_share_the_work_of_a_second(per_route: int) -> None:
    instance, routes, left_out = town(1000, 300, per_route, tw_late=1e5)
    kinds = [0] * len(routes)
    reasons = reasons_of(instance, routes, kinds, [], left_out)
    each = reasons.each()
    assert [reason.customers for reason in each] == [[node] for node in left_out]
    of_all = OpenPlaces(instance, routes, kinds).count([left_out[0]])
    assert PLACE * sum(reason.places for reason in each) <= EFFORT < PLACE * of_all * len(each)
    assert LEAST < each[0].places < of_all / 5
    assert any("the cheapest of " in reason.sentence for reason in each)
    few = reasons_of(instance, routes, kinds, [], left_out[:1])[left_out[0]]
    assert few.places > 4 * each[0].places


def test_of_many_places_those_of_the_least_way_round_are_tried() -> None:
    instance, routes, left_out = town(60, 10, 10)
    places = OpenPlaces(instance, routes, [0] * 5)
    for node in left_out:
        *every, alone = places.attempts([node], 10**6)
        for most in (LEAST, 17):
            *chosen, new = places.attempts([node], most)
            assert (new, len(chosen)) == (alone, most)
            assert sorted(attempt.longer for attempt in chosen) == sorted(attempt.longer for attempt in every)[:most]
    found = reasons_of(instance.with_(optional=None, prizes=None), routes, [0] * 5, left_out[:1], [])
    assert found[left_out[0]].places == len(every) + 1


def test_of_many_places_for_a_pair_those_of_the_least_way_round_are_tried() -> None:
    plain, routes, (pickup, delivery, *_) = town(60, 10, 10)
    types = (vehicle(num_available=1), vehicle(capacity=(30,), num_available=None, profile=1))
    ways = plain.distances * np.linspace(1, 2, 61)
    instance = Instance(
        name="pair", matrix=plain.distances, demands=[4 * (node == pickup) for node in range(61)], rounding="none",
        pairs=[[pickup, delivery]], vehicle_types=types, profiles=(Profile(distances=ways),),
    )  # fmt: skip
    places = OpenPlaces(instance, routes, [0, 1, 1, 1, 1])
    every = sorted(attempt.longer for attempt in places.attempts((pickup, delivery), 10**6) if attempt.route)
    chosen = sorted(attempt.longer for attempt in places.attempts((pickup, delivery), 40) if attempt.route)
    assert len(chosen) == 40
    assert chosen[:10] == pytest.approx(every[:10])
    assert chosen[-1] < every[len(every) // 2]


def test_a_sentence_says_if_not_every_place_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = line(
        vehicle(max_distance=60), coordinates=[[10 * k, 0] for k in (0, 1, 2, 3, 1, 2, 9)], demands=[0] * 7,
        optional=[0, 1, 1, 1, 1, 1, 1],
    )  # fmt: skip
    routes = [[4, 5, 3, 2, 1]]
    assert reason(instance, routes, 6).sentence.startswith(
        "Customer 6 fits into no route: the longest distance is exceeded at 6 of 6 places, "
    )
    monkeypatch.setattr(module, "EFFORT", 0.0)
    assert reason(instance, routes, 6).sentence == (
        "Customer 6 fits at none of the 4 nearest of 6 places: the longest distance is exceeded at 4, no other vehicle "
        "is free; nearest: route 1 behind customer 5, 120 over the longest distance of 60."
    )
    served = [[4, 5, 3, 2]]
    assert reason(instance, served, 1).sentence == (
        "Customer 1 is left out by choice: the cheapest of 4 places tried, route 1 at the start, costs 0 more, and he "
        "has no prize."
    )


# In results.


def misfit(**fields: Any) -> Instance:
    """Seven customers, three vehicles, two customers to a vehicle: no sum of demands tells that one is left over."""
    return Instance(**{
        "name": "misfit", "coordinates": [[0, 0], *([k, 1] for k in range(7))], "demands": [0, *[4] * 7],
        "capacity": 10, "fleet": 3, **fields,
    })  # fmt: skip


NARROW = [[0, 40], *([2 * k, 2 * k + 9] for k in range(7))]


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("windows", [None, NARROW])
@pytest.mark.parametrize("objective", ["distance", "vehicles-then-distance"])
@pytest.mark.parametrize("stop", [MaxIterations(0), MaxIterations(20), 0.0])
def test_plain_problems_with_a_fleet_that_is_too_small(
    windows: list[list[int]] | None, objective: str, stop: MaxIterations | float
) -> None:
    instance = misfit(windows=windows)
    result = solve(instance, stop=stop, objective=objective)
    assert [*result.reasons] == result.unserved
    assert len(result.unserved) >= 1
    assert judged(instance, result.routes, result.vehicle_types)["capacity"]
    for customer in result.unserved:
        found = result.reasons[customer]
        assert (found.main, found.counts["capacity"], found.counts["fleet"]) == ("fleet", found.places, 1)
        assert found.nearest == "capacity"
        assert f"\n    {found.sentence}\n" in str(result)
    assert not {node for route in result.routes for node in route} & {*result.reasons}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_result_tells_why_customers_are_left_out(jobs: int) -> None:
    instance, _, _ = town(30, 10, 10)
    result = solve(instance, stop=MaxIterations(30), jobs=jobs)
    assert len(result.left_out) > 4
    assert [*result.reasons] == result.left_out
    assert judged(instance, result.routes, result.vehicle_types)["main price"]
    lines = str(result).splitlines()
    assert lines[3:7] == [
        *(f"    {result.reasons[node].sentence}" for node in result.left_out[:3]),
        f"    and {len(result.left_out) - 3} more",
    ]
    assert lines[7].startswith("  ")
    assert lines[7][2:5].strip().isdigit()


def test_who_is_served_has_no_reason_and_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(module, "OpenPlaces", lambda *given: asked.append(given))
    monkeypatch.setattr(module, "Inquiry", lambda *given: asked.append(given))
    for instance in (misfit(fleet=4), line(vehicle(num_available=2, fixed_cost=3))):
        result = solve(instance, stop=MaxIterations(5))
        assert (result.feasible, dict(result.reasons), result.reasons.lines(3)) == (True, {}, [])
        assert "reasons" not in result.to_dict()
    assert not asked


def test_reasons_are_found_when_they_are_read_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    instance, routes, left_out = town(40, 10, 10)
    made = []
    monkeypatch.setattr(module, "OpenPlaces", lambda *given: made.append(given) or OpenPlaces(*given))
    reasons = reasons_of(instance, routes, [0] * 3, [], left_out)
    assert (len(reasons), left_out[3] in reasons, 0 in reasons, made) == (10, True, False, [])
    first = reasons[left_out[0]]
    asked = []
    monkeypatch.setattr(OpenPlaces, "attempts", lambda _, nodes, __: asked.append(nodes) or iter(()))
    assert reasons[left_out[0]] is first
    assert not asked
    routes[0].clear()  # the list is the user's
    assert reasons[left_out[1]].customers == [left_out[1]]
    assert (asked, len(made)) == ([(left_out[1],)], 1)
    with pytest.raises(KeyError):
        reasons[0]


@pytest.fixture(scope="module")
def told() -> Result:
    return solve(town(30, 10, 10)[0], stop=MaxIterations(5))


def test_reasons_survive_json_copies_and_other_processes(told: Result, tmp_path: Path) -> None:
    result = told
    assert result.left_out
    path = tmp_path / "result.json"
    result.to_json(path)
    data = json.loads(path.read_text())
    assert data["reasons"] == [dataclasses.asdict(reason) for reason in result.reasons.each()]
    for again in (
        Result.from_json(path), Result.from_dict(result.to_dict()), pickle.loads(pickle.dumps(result)),
        copy.deepcopy(result), copy.copy(result), dataclasses.replace(result, seed=0),
    ):  # fmt: skip
        assert dict(again.reasons) == dict(result.reasons)
        assert str(again) == str(result)
        assert again == result
    del data["reasons"]
    older = Result.from_dict(data)
    assert (older, dict(older.reasons)) == (result, {})
    assert "Customer" not in str(older)


@pytest.mark.parametrize(
    ("reasons", "message"),
    [
        (3, "result: reasons is 3; expected a list of reasons"),
        ([{"main": "capacity"}], r"result: reasons\[0\]: customers is missing"),
        ([{"customers": "5"}], r"result: reasons\[0\]"),
        ([7], r"result: reasons\[0\]: it is 7"),
    ],
)
def test_what_is_no_list_of_reasons(told: Result, reasons: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Result.from_dict(told.to_dict() | {"reasons": reasons})


def test_how_reasons_are_shown() -> None:
    found = reasons_of(misfit(), [[1, 2], [3, 4], [5, 6]], [0] * 3, [7], [])
    assert repr(found) == f"Reasons({{7: {found[7]!r}}})"
    assert found == {7: found[7]} == Reasons.of([found[7]])
    assert dacalns.Reason is Reason
