"""Problems beyond CVRP and VRPTW: the checker by hand on a few customers, then against PyVRP on random ones."""

import dataclasses
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from dacalns.instances import Instance
from dacalns.instances.parts import Group, Profile, VehicleType
from dacalns.search.checker import check, route_plans, second_look
from dacalns.util.errors import InputError
from search.rich_cases import InPyvrp, draw, pyvrp_or_skip, random_solution
from search.rich_oracle import best_solution

SEEDS = some.integers(0, 10**9)


def line(*types: VehicleType, **changes: Any) -> Instance:
    """A depot at 0 and customers at 10, 20, 30 and 40 on a line, with one load dimension and demands of 1."""
    fields: dict[str, Any] = {
        "name": "line", "coordinates": [[10 * k, 0] for k in range(5)], "demands": [0, 1, 1, 1, 1],
        "rounding": "round", "vehicle_types": types or (VehicleType(num_available=None, capacity=(10,)),),
    }  # fmt: skip
    return Instance(**{**fields, **changes})


def vehicle(**fields: Any) -> VehicleType:
    return VehicleType(**{"num_available": None, "capacity": (10,), **fields})


def sentences(instance: Instance, routes: list[list[int]], types: list[int] | None = None) -> list[str]:
    return [str(violation) for violation in check(instance, routes, types).violations]


def kinds(instance: Instance, routes: list[list[int]], types: list[int] | None = None) -> list[tuple[Any, ...]]:
    violations = check(instance, routes, types).violations
    return [(each.kind, each.route, each.customer, each.amount) for each in violations]


ALL = [[1, 2, 3, 4]]


# By hand.


def test_costs_by_parts() -> None:
    instance = line(
        vehicle(fixed_cost=7, unit_distance_cost=2, unit_duration_cost=0.5, shift_duration=50, max_overtime=100,
                unit_overtime_cost=3),
        vehicle(fixed_cost=1),
        service=[2, 1, 1, 1, 1], optional=[0, 0, 0, 0, 1], prizes=[0, 0, 0, 0, 11],
    )  # fmt: skip
    verdict = check(instance, [[1], [2, 3]], [1, 0])
    assert verdict.feasible
    # Route 1: 20 long. Route 2: 60 long, takes 60 and 2 for loading and 2 for service.
    assert verdict.cost_parts == {"fixed": 8, "distance": 20 + 120, "duration": 32, "overtime": 42, "prizes": 11}
    assert verdict.cost == sum(verdict.cost_parts.values())
    assert verdict.left_out == [4]


@pytest.mark.parametrize(
    ("rounding", "cost"),
    [("milli", 3 * 5.831 + 0.123 + 2 * 3), ("dimacs", 3 * 5.8 + 0.1 + 2 * 3), ("trunc", 3 * 5 + 6)],
)
def test_scaled_units(rounding: str, cost: float) -> None:
    coordinates = [[0, 0], [3, 5], [3, 5], [6, 10]]
    instance = Instance(
        name="scaled", coordinates=coordinates, demands=[0, 1, 1, 1], rounding=rounding, optional=[0, 0, 1, 0],
        prizes=[0, 0, 0.1234, 0], vehicle_types=(vehicle(end_depot=None, fixed_cost=2), vehicle(start_depot=None)),
    )  # fmt: skip
    if rounding != "trunc":
        instance = instance.with_(prizes=[0, 0, 0.1 if rounding == "dimacs" else 0.123, 0])
    else:
        instance = instance.with_(prizes=None, demands=[0, 1, 0, 1])
    verdict = check(instance, [[1, 3], [1]], [0, 1])
    assert verdict.cost == pytest.approx(cost - 4, abs=1e-12)
    assert [violation.kind for violation in verdict.violations] == ["duplicate"]


def test_types_fit_the_routes() -> None:
    instance = line(vehicle(), vehicle(fixed_cost=3))
    with pytest.raises(InputError, match="types is None, and line has 2 vehicle types; expected the number"):
        check(instance, ALL)
    with pytest.raises(InputError, match="types has 1 entries, and there are 2 routes"):
        check(instance, [[1], [2]], [0])
    with pytest.raises(InputError, match="types has 2; expected the number of a vehicle type, from 0 to 1"):
        check(instance, ALL, [2])
    assert check(instance, [[], [1, 2, 3, 4]], [0, 1]).cost == 83
    assert check(line(vehicle(fixed_cost=3)), ALL).cost == 83


def test_the_fleet_of_each_type() -> None:
    instance = line(vehicle(num_available=1), vehicle(num_available=2, fixed_cost=1))
    routes = [[1], [2], [3], [4]]
    assert kinds(instance, routes, [0, 0, 1, 1]) == [("fleet", None, None, 1)]
    assert sentences(instance, routes, [0, 1, 1, 1]) == [
        "The solution has 3 routes of vehicle type 1, 1 more than the fleet of 2."
    ]


def test_loads_in_two_dimensions_and_pickups() -> None:
    instance = line(
        vehicle(capacity=(3, 9), initial_load=(1, 0), reload_depots=(0,)),
        demands=[[0, 0], [2, 0], [0, 5], [0, 5], [1, 0]], pickups=[[0, 0], [0, 0], [0, 0], [3, 0], [0, 1]],
    )  # fmt: skip
    # On board at the start: 1 + 3 and 10. The reload takes away the initial load and parts the deliveries.
    assert kinds(instance, ALL) == [("capacity", 1, None, 2), ("capacity", 1, None, 1)]
    assert sentences(instance, ALL)[1] == "Route 1 carries 10 in dimension 1, 1 more than the capacity of 9."
    assert check(instance, [[1, 2, 0, 4, 3]]).feasible
    (plan,) = route_plans(instance, [[1, 2, 0, 4, 3]])
    assert plan.loads == [3, 6]
    assert [stop.load for stop in plan.stops] == [[3, 5], [1, 5], [1, 0], [1, 5], [0, 6], [3, 1], [0, 0]]
    # Full with what was picked up: 3 collected, and 1 not yet delivered.
    assert kinds(instance, [[1, 2, 0, 3, 4]]) == [("capacity", 1, None, 1)]


def test_a_pair_shares_a_trip_and_keeps_its_order() -> None:
    instance = line(vehicle(capacity=(3,), reload_depots=(0,)), demands=[0, 1, 3, 0, 1], pairs=[[2, 3]])
    assert kinds(instance, ALL) == [("capacity", 1, None, 1)]  # 3 of the pair, while 1 is for customer 4
    assert check(instance, [[1, 4, 2, 3]]).feasible
    assert sentences(instance, [[1, 4, 3, 2]]) == [
        "Route 1 visits customer 3, but customer 2 of the same pair comes after it."
    ]
    assert sentences(instance, [[1, 4, 2, 0, 3]]) == [
        "Route 1 visits customer 3, but a reload parts it from customer 2 of the same pair."
    ]
    assert sentences(instance, [[1, 4, 2], [3]]) == [
        "Route 2 visits customer 3, but route 1 visits customer 2 of the same pair."
    ]
    assert sentences(instance, [[1, 4, 2]]) == [
        "Route 1 visits customer 2, but none visits customer 3 of the same pair."
    ]
    assert kinds(instance, [[1, 4]]) == [("missing", None, 2, 1), ("missing", None, 3, 1)]
    free = instance.with_(optional=[0, 0, 1, 1, 0], prizes=[0, 0, 9, 0, 0])
    assert (check(free, [[1, 4]]).cost, check(free, [[1, 4]]).feasible) == (89, True)


def test_groups() -> None:
    instance = line(groups=(Group(customers=(1, 2), required=True), Group(customers=(3, 4), required=False)))
    assert check(instance, [[2]]).feasible
    assert check(instance, [[2]]).left_out == [3, 4]  # not customer 1, whose group is visited
    assert sentences(instance, [[2, 1]]) == [
        "Route 1 visits customer 1, but customer 2 of the same group is visited already."
    ]
    assert kinds(instance, [[1, 3], [4]]) == [("group", 2, 4, 1)]
    assert kinds(instance, [[3]]) == [("missing", None, None, 1)]
    assert sentences(instance, [[3]]) == ["No route visits any customer of the group 1, 2."]


def test_prizes_and_priorities_of_who_is_left_out() -> None:
    instance = line(optional=[0, 1, 1, 1, 0], prizes=[0, 5, 0, 2, 0], priorities=[0, 10, 20, 0, 0])
    verdict = check(instance, [[3, 4]])
    assert (verdict.feasible, verdict.left_out, verdict.lost_priority) == (True, [1, 2], 30)
    assert verdict.cost == 80 + 5
    assert kinds(instance, [[1, 2, 3]]) == [("missing", None, 4, 1)]


def test_limits_of_a_route() -> None:
    instance = line(
        vehicle(max_distance=70, max_stops=2, shift_duration=60, max_overtime=5),
        service=[0, 3, 3, 3, 3], optional=[0, 1, 1, 1, 1],
    )  # fmt: skip
    assert kinds(instance, ALL) == [("duration", 1, None, 27), ("distance", 1, None, 10), ("stops", 1, None, 2)]
    assert sentences(instance, ALL) == [
        "Route 1 takes 92 with overtime, 27 more than the 65 of vehicle type 0.",
        "Route 1 is 80 long, 10 more than the 70 of vehicle type 0.",
        "Route 1 has 4 customers, 2 more than the 2 of vehicle type 0.",
    ]
    assert check(instance, [[1, 2]]).feasible
    (plan,) = route_plans(instance, [[2, 3]])
    assert (plan.duration, plan.overtime) == (66, 6)


def test_restrictions() -> None:
    instance = line(vehicle(allowed_customers=(1, 2)), vehicle(fixed_cost=5))
    assert check(instance, [[1, 2], [3, 4]], [0, 1]).feasible
    assert sentences(instance, [[1, 2], [3, 4]], [1, 0]) == [
        "Route 2 visits customer 3, whom vehicle type 0 may not serve.",
        "Route 2 visits customer 4, whom vehicle type 0 may not serve.",
    ]


def test_reloads() -> None:
    instance = line(
        vehicle(capacity=(2,), reload_depots=(1,), max_reloads=1), depots=2, demands=[0, 0, 1, 2, 1], rounding="round"
    )  # fmt: skip
    assert check(instance, [[2, 1, 3], [4]]).feasible
    assert sentences(instance, [[2, 0, 3], [4]]) == [
        "Route 1 reloads at depot 0, which vehicle type 0 may not.",
    ]
    assert kinds(instance, [[2, 1, 3, 1, 4]]) == [("reload", 1, None, 1)]
    assert sentences(instance, [[2, 1, 3, 1, 4]]) == ["Route 1 reloads 2 times, 1 more than the 1 of vehicle type 0."]
    assert check(instance, [[1], [2, 1, 3], [4]]).cost == check(instance, [[2, 1, 3], [4]]).cost  # it serves nobody
    assert kinds(instance, [[2, 1, 3], [4, 7]]) == [("unknown", 2, 7, 1)]
    assert sentences(instance, [[2, 1, 3], [4, 7]]) == ["Route 2 visits 7; customers are 2 to 4."]


def test_backhauls_come_last() -> None:
    instance = line(demands=[0, 1, 1, 0, 0], pickups=[0, 0, 0, 1, 1], backhauls_last=True)
    assert check(instance, ALL).feasible
    assert check(instance, [[2], [1, 4, 3]]).feasible
    assert sentences(instance, [[1, 3, 2, 4]]) == ["Route 1 delivers to customer 2 after its pickup at customer 3."]
    assert sentences(instance, [[1, 2, 3], [4]]) == ["Route 2 only collects; expected at least one delivery before."]
    assert not check(instance, [[1, 4, 2], [3]]).feasible
    assert check(instance.with_(demands=[0, 1, 0, 0, 0]), [[1], [2, 3, 4]]).feasible  # 2 counts as a delivery
    again = line(vehicle(reload_depots=(0,)), demands=[0, 1, 1, 0, 0], pickups=[0, 0, 0, 1, 1], backhauls_last=True)
    assert check(again, [[1, 4, 0, 2, 3]]).feasible
    assert sentences(again, [[1, 2, 0, 3, 4]]) == [
        "Route 1 only collects on a trip; expected at least one delivery before."
    ]


def test_open_routes_and_several_depots() -> None:
    types = (vehicle(start_depot=0, end_depot=1), vehicle(start_depot=None, end_depot=0), vehicle(end_depot=None))
    instance = line(*types, depots=2, demands=[0, 0, 1, 1, 1], service=[4, 6, 1, 1, 1])
    verdict = check(instance, [[2], [3], [4]], [0, 1, 2])
    # Depots at 0 and 10: 20 + 10, then 30 from customer 3, then 40 to customer 4.
    assert (verdict.feasible, verdict.cost) == (True, 100)
    plans = route_plans(instance, [[2], [3], [4]], [0, 1, 2])
    assert [plan.duration for plan in plans] == [4 + 30 + 1, 1 + 30, 4 + 40 + 1]
    assert [[stop.node for stop in plan.stops] for plan in plans] == [[0, 2, 1], [3, 0], [0, 4]]
    assert [(plan.start_depot, plan.end_depot) for plan in plans] == [(0, 1), (None, 0), (0, None)]
    assert [(plan.start, plan.end, plan.cost) for plan in plans] == [(0, 35, 30), (0, 31, 30), (0, 45, 40)]


def test_the_schedule_of_a_route() -> None:
    instance = line(
        vehicle(reload_depots=(0,), tw_early=5, start_late=50),
        windows=[[0, 300], [80, 90], [0, 300], [0, 300], [0, 300]], service=[3, 1, 1, 1, 1], releases=[0, 0, 0, 160, 0],
        demands=[0, 1, 1, 1, 0], optional=[0, 0, 0, 0, 1],
    )  # fmt: skip
    # The reload waits for the release of customer 3, so that the latest start is the best.
    (plan,) = route_plans(instance, [[2, 1, 0, 3]])
    assert [dataclasses.astuple(stop)[:5] for stop in plan.stops] == [
        (0, 50, 0, 50, 53), (2, 73, 0, 73, 74), (1, 84, 0, 84, 85), (0, 95, 65, 160, 163), (3, 193, 0, 193, 194),
        (0, 224, 0, 224, 224),
    ]  # fmt: skip
    assert (plan.start, plan.end, plan.duration) == (50, 224, 174)
    assert [stop.load for stop in plan.stops] == [[2], [1], [0], [1], [0], [0]]


def test_who_starts_or_ends_too_late() -> None:
    late = line(vehicle(start_late=10), releases=[0, 0, 12, 0, 0])
    assert sentences(late, ALL) == ["Route 1 starts at 12, 2 after the latest start of vehicle type 0 at 10."]
    early = line(vehicle(tw_late=75))
    assert sentences(early, ALL) == ["Route 1 ends at 80, 5 after the latest end of vehicle type 0 at 75."]
    closed = line(vehicle(tw_early=12), windows=[[0, 10], *[[0, 90]] * 4])
    assert sentences(closed, ALL) == [
        "Route 1 leaves the depot at 12, 2 after it closes at 10.",
        "Route 1 reaches the depot at 92, 82 after it closes at 10.",
    ]
    assert kinds(closed, ALL) == [("depot", 1, None, 2), ("depot", 1, None, 82)]


def test_driving_times_speeds_and_profiles() -> None:
    ten = [[10.0 * (here != there) for there in range(3)] for here in range(3)]
    one = [[1.0 * (here != there) for there in range(3)] for here in range(3)]
    base: dict[str, Any] = {"name": "ways", "demands": [0, 1, 1], "matrix": ten, "rounding": "none"}
    rush = vehicle(unit_distance_cost=0, unit_duration_cost=1)

    def time(vehicle_type: VehicleType, **changes: Any) -> tuple[float, float]:
        instance = Instance(**base, **changes, vehicle_types=(vehicle_type,))
        return route_plans(instance, [[1, 2]])[0].distance, check(instance, [[1, 2]]).cost

    assert time(rush) == (30, 30)
    assert time(dataclasses.replace(rush, speed=4.0)) == (30, 7.5)
    assert time(rush, durations=one) == (30, 3)
    other = dataclasses.replace(rush, profile=1)
    assert time(other, durations=one, profiles=(Profile(distances=ten),)) == (30, 30)
    assert time(other, profiles=(Profile(distances=one),)) == (3, 3)
    assert time(other, profiles=(Profile(durations=one),)) == (30, 3)


def test_second_look() -> None:
    instance = line(vehicle(fixed_cost=10), vehicle(capacity=(3,)), optional=[0, 0, 0, 0, 1], prizes=[0, 0, 0, 0, 5])
    assert second_look(instance, [[1, 2, 3]], 65.0, [1]) == (65.0, True, [])
    assert second_look(instance, [[1, 2]], 45.0, [1]) == (45.0, True, [])
    cost, kept, warnings = second_look(instance, ALL, 80.0, [1])
    assert (cost, kept, len(warnings)) == (80.0, False, 1)
    assert "broke a limit" in warnings[0]
    _, kept, warnings = second_look(instance, [[1, 2, 3]], 60.0, [0])
    assert kept
    assert "the routes cost 75, not the 60" in warnings[0]


def test_beyond_a_limit_by_rounding_is_a_warning() -> None:
    instance = line(vehicle(max_distance=80 - 5e-6), rounding="exact")
    _, kept, warnings = second_look(instance, ALL, 80.0)
    assert kept
    assert "by the rounding of sums: Route 1 is 80 long" in warnings[0]
    assert not second_look(line(vehicle(max_distance=79), rounding="exact"), ALL, 80.0)[1]


def test_plans_of_a_plain_problem() -> None:
    instance = Instance(
        name="plain", coordinates=[[0, 0], [10, 0]], demands=[0, 2], capacity=5, windows=[[0, 90], [50, 60]],
        service=[0, 3], rounding="dimacs",
    )  # fmt: skip
    (plan,) = route_plans(instance, [[1], []])
    assert (plan.start, plan.duration, plan.loads, plan.cost) == (40, 23, [2], 20)
    assert check(instance, [[1]], [0]).cost_parts == {}


# Against PyVRP.

TIMES = {"window", "depot", "shift"}
REFUSED = {"duplicate", "unknown", "pair", "group", "fleet", "reload"}


@settings(max_examples=400)
@given(SEEDS, SEEDS)
def test_pyvrp_agrees(problem: int, solution: int) -> None:
    instance = draw(problem, pyvrp=True)
    peer = InPyvrp(instance)
    routes, types = random_solution(instance, solution)
    ours, theirs = check(instance, routes, types), peer.solution(routes, types)
    kinds = {violation.kind for violation in ours.violations}
    assert (theirs is None) == bool(kinds & REFUSED)
    if theirs is None:
        return
    assert ours.feasible == theirs.is_feasible()
    assert ("missing" in kinds) == (not theirs.is_complete())
    assert ("capacity" in kinds) == theirs.has_excess_load()
    assert ("distance" in kinds) == theirs.has_excess_distance()
    assert bool(kinds & {*TIMES, "duration"}) == theirs.has_time_warp()
    if ours.feasible:
        assert ours.cost == peer.cost(theirs) / instance.scale
    late = {violation.route for violation in ours.violations if violation.kind in TIMES}
    plans = route_plans(instance, routes, types)
    for number, (plan, route) in enumerate(zip(plans, theirs.routes(), strict=True), start=1):
        assert plan.distance == route.distance() / instance.scale
        if number not in late:
            expected = route.duration(), route.overtime(), route.start_time()
            assert (plan.duration, plan.overtime, plan.start) == tuple(time / instance.scale for time in expected)
            assert plan.end == pytest.approx(plan.start + plan.duration)


# What PyVRP cannot state, from the definition.


@settings(max_examples=150)
@given(SEEDS, SEEDS)
def test_several_windows_are_the_best_choice_of_one(problem: int, solution: int) -> None:
    instance = draw(problem)
    routes, types = random_solution(instance, solution)
    visited = {node for route in routes for node in route}
    choices: dict[int, list[tuple[float, float]]] = {}
    for node, opens, closes in instance.more_windows:
        if node in visited:
            assert instance.windows is not None
            choices.setdefault(node, [tuple(instance.windows[node])]).append((opens, closes))
    expected: list[float] = []
    for chosen in itertools.islice(itertools.product(*choices.values()), 100):
        windows = None if instance.windows is None else instance.windows.copy()
        for node, window in zip(choices, chosen, strict=True):
            assert windows is not None
            windows[node] = window
        # Each unit of time costs as much as possible, so that the choice of the least duration is the cheapest.
        verdict = check(_hasty(instance).with_(windows=windows, more_windows=()), routes, types)
        expected += [verdict.cost] * verdict.feasible
    verdict = check(_hasty(instance), routes, types)
    assert verdict.feasible == bool(expected)
    if expected:
        assert verdict.cost == pytest.approx(min(expected))


def _hasty(instance: Instance) -> Instance:
    """The same without overtime, where only durations cost something, and with vehicle types in any case."""
    fields: dict[str, Any] = {"fixed_cost": 0.0, "unit_distance_cost": 0.0, "unit_duration_cost": 1.0}
    return instance.with_(
        prizes=None,
        vehicle_types=tuple(dataclasses.replace(each, **fields, unit_overtime_cost=0.0) for each in instance.types),
    )  # fmt: skip


@settings(max_examples=150)
@given(SEEDS, SEEDS)
def test_rules_from_their_definitions(problem: int, solution: int) -> None:
    instance = draw(problem)
    routes, types = random_solution(instance, solution)
    verdict = check(instance, routes, types)
    kinds = [violation.kind for violation in verdict.violations]
    tours = [
        [node for node in route if instance.depots <= node < instance.depots + instance.customers] for route in routes
    ]
    chosen = [instance.types[kind] for kind in types]
    assert kinds.count("stops") == sum(len(tour) > each.max_stops for tour, each in zip(tours, chosen, strict=True))
    refused = sum(
        each.allowed_customers is not None and node not in each.allowed_customers
        for tour, each in zip(tours, chosen, strict=True)
        for node in tour
    )
    assert kinds.count("restriction") == refused
    if instance.backhauls_last and instance.pickups is not None:
        directions = [
            "".join("R" if node < instance.depots else "P" if instance.pickups[node] else "D" for node in route)
            for route in routes
        ]
        trips = [trip for each in directions for trip in each.split("R") if trip]
        wrong = ["PD" in trip or "D" not in trip for trip in trips]
        assert ("backhaul" in kinds) == any(wrong)
    else:
        assert "backhaul" not in kinds
    if instance.priorities is not None:
        visited = {node for tour in tours for node in tour}
        lost = [node for node in instance.customer_nodes if node not in visited and not instance.required[node]]
        assert verdict.lost_priority == sum(instance.priorities[node] for node in lost)


@settings(max_examples=12)
@given(SEEDS)
def test_the_best_solution_is_no_worse_than_any(problem: int) -> None:
    instance = draw(problem, 4)
    best = best_solution(instance)
    for seed in range(60):
        routes, types = random_solution(instance, seed)
        verdict = check(instance, routes, types)
        reloads = max((sum(node < instance.depots for node in route) for route in routes), default=0)
        if verdict.feasible and reloads <= 1:  # as often as the oracle does
            assert best is not None
            assert (best.lost_priority, best.cost) <= (verdict.lost_priority, verdict.cost + 1e-9)
    if best is not None:
        verdict = check(instance, best.routes, best.types)
        assert (verdict.feasible, verdict.cost, verdict.lost_priority) == (True, best.cost, best.lost_priority)


@pytest.mark.parametrize("seed", range(8))
def test_pyvrp_finds_nothing_better_than_the_oracle(seed: int) -> None:
    pyvrp = pyvrp_or_skip()
    instance = draw(seed, 4, pyvrp=True)
    best = best_solution(instance, reloads=2)
    peer = InPyvrp(instance)
    found = pyvrp.solve(peer.data, stop=pyvrp.stop.MaxIterations(200), seed=seed, display=False)
    if best is None:
        assert not found.is_feasible()
    else:
        assert peer.cost(peer.solution(best.routes, best.types)) / instance.scale == best.cost
        assert not found.is_feasible() or best.cost <= found.cost() / instance.scale
