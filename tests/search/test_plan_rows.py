"""Rows of stops and routes: against the checker, and slacks against driving with a delay."""

import math
from itertools import pairwise

import pytest

from dacalns import check, generate_vrptw
from dacalns.instances import Instance
from dacalns.instances.parts import VehicleType
from dacalns.search.checker import route_plans
from dacalns.search.output.rows import RouteRow, StopRow, plan_rows
from search.rich_cases import draw, random_solution

SEEDS = range(250)
TIMES = {"window", "depot", "shift", "duration"}
SOON, LONG = 1e-6, 1e5


def drawn(seed: int) -> tuple[Instance, list[list[int]], list[int]]:
    """A problem and a solution that visits what there is, though it may break limits."""
    instance = draw(seed, 9)
    routes, types = random_solution(instance, seed)
    known = range(instance.depots + instance.customers)
    kept = [
        ([node for node in route if node in known], kind) for route, kind in zip(routes, types, strict=True)
    ]  # fmt: skip
    kept = [(route, kind) for route, kind in kept if any(node >= instance.depots for node in route)]
    return instance, [route for route, _ in kept], [kind for _, kind in kept]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_agree_with_the_checker(seed: int) -> None:
    instance, routes, types = drawn(seed)
    rows = plan_rows(instance, routes, types)
    verdict = check(instance, routes, types)
    prizes = verdict.cost_parts.get("prizes", 0.0)
    assert math.fsum(row.cost for row in rows) + prizes == pytest.approx(verdict.cost, abs=1e-9)
    for part in ("fixed", "distance", "duration", "overtime") if not instance.is_plain else ():
        assert math.fsum(row.costs[part] for row in rows) == pytest.approx(verdict.cost_parts[part], abs=1e-9)
    for row, plan, route in zip(rows, route_plans(instance, routes, types), routes, strict=True):
        assert (row.start, row.end, row.duration) == pytest.approx((plan.start, plan.end, plan.duration))
        assert (row.load, row.distance, row.overtime) == (plan.loads, plan.distance, plan.overtime)
        assert row.costs == plan.costs
        assert [stop.node for stop in row.stops if stop.kind not in ("start", "end")] == route
        for stop, planned in zip(row.stops, plan.stops, strict=True):
            told = (stop.node, stop.arrival, stop.waiting, stop.start, stop.departure, stop.load)
            assert told == (
                planned.node, planned.arrival, planned.wait, planned.start, planned.departure, planned.load
            )  # fmt: skip
        assert math.fsum(stop.cost for stop in row.stops) == pytest.approx(row.cost, abs=1e-9)
        assert math.fsum(stop.distance for stop in row.stops) == pytest.approx(row.distance)
        assert row.stops[-1].travelled == pytest.approx(row.distance)
        driven = math.fsum(after.arrival - before.departure for before, after in pairwise(row.stops))
        assert driven + row.waiting + row.service == pytest.approx(row.duration, abs=1e-6)
        assert row.customers == sum(node >= instance.depots for node in route)


def test_a_plain_problem_has_rows_too() -> None:
    instance = generate_vrptw(12, seed=2)
    rows = plan_rows(instance, [[k] for k in range(1, 13)], [0] * 12)
    assert math.fsum(row.cost for row in rows) == pytest.approx(check(instance, [[k] for k in range(1, 13)]).cost)
    assert [stop.kind for stop in rows[3].stops] == ["start", "customer", "end"]
    assert [stop.sequence for stop in rows[3].stops] == [0, 1, 2]


# Slack, by driving on after a delay.


def too_late(instance: Instance, row: RouteRow, at: int, delay: float) -> bool:
    """Whether a limit is broken from a stop on if the vehicle arrives there that much later; written from the rules."""
    vehicle, unit = instance.types[row.vehicle], instance.scale
    begins_at_depot = vehicle.start_depot is not None
    arrival, began = row.stops[at].arrival + delay, row.start
    if at == 0:  # the whole route begins later
        began = arrival
        latest = vehicle.tw_late if vehicle.start_late is None else vehicle.start_late
        if began > latest + SOON / 10:
            return True
    for place in range(at, len(row.stops)):
        node = row.stops[place].node
        ends_here = place == len(row.stops) - 1 and vehicle.end_depot is not None
        loads_here = node < instance.depots and not ends_here
        start = arrival
        if loads_here:
            trip = [stop.node for stop in row.stops[place + 1 :]]
            until = next((k for k, other in enumerate(trip) if other < instance.depots), len(trip))
            if instance.releases is not None:
                start = max([start, *(float(instance.releases[other]) for other in trip[:until])])
        windows = [] if instance.windows is None else [instance.windows[node].tolist()]
        windows += [[opens, closes] for other, opens, closes in instance.more_windows if other == node]
        if windows:
            later = [max(start, opens) for opens, closes in sorted(windows) if start <= closes + SOON / 10]
            if not later:
                return True
            start = later[0]
        if at == 0 and place == 0 and begins_at_depot and start > arrival + SOON:
            began = start
        departure = start + (0.0 if ends_here else float(instance.service[node]))
        if place < len(row.stops) - 1:
            following = row.stops[place + 1].node
            way = 0.0 if node == following else instance.durations_of(vehicle.profile)[node, following] / unit
            arrival = departure + way / vehicle.speed
    if departure > vehicle.tw_late + SOON / 10:
        return True
    return departure - began > vehicle.shift_duration + vehicle.max_overtime + SOON / 10


def stops_on_time(seed: int) -> list[tuple[Instance, RouteRow, int, StopRow]]:
    instance, routes, types = drawn(seed)
    broken = {each.route for each in check(instance, routes, types).violations if each.kind in TIMES}
    rows = plan_rows(instance, routes, types)
    return [
        (instance, row, at, stop) for row in rows if row.route not in broken for at, stop in enumerate(row.stops)
    ]  # fmt: skip


def test_a_vehicle_may_be_late_by_its_slack_and_no_more() -> None:
    tried, limited = 0, 0
    for seed in range(600):
        for instance, row, at, stop in stops_on_time(seed):
            most = min(stop.slack, LONG)
            where = f"seed {seed}, route {row.route}, stop {at}"
            for part in (0.0, 0.31, 0.77, 1.0):
                assert not too_late(instance, row, at, part * most - SOON * (part == 1)), where
            if stop.slack < LONG:
                assert too_late(instance, row, at, stop.slack + SOON), where
                limited += 1
            tried += 1
    assert tried > 2000
    assert tried - limited > 100


def line(vehicle: VehicleType, **fields: object) -> Instance:
    known: dict[str, object] = {
        "name": "line", "coordinates": [[0, 0], [10, 0], [20, 0]], "demands": [0, 1, 2], "rounding": "round",
        "vehicle_types": (vehicle,),
    }  # fmt: skip
    return Instance(**{**known, **fields})  # type: ignore[arg-type]


def test_slack_by_hand() -> None:
    windows = [[0, 500], [0, 30], [50, 60]]
    (row,) = plan_rows(line(VehicleType(capacity=(5,)), windows=windows, service=[0, 5, 5]), [[1, 2]], [0])
    # It leaves at 20, so that it need not wait at all: until 30 at the first, which closes then.
    told = [(stop.arrival, stop.waiting, stop.start, stop.departure, stop.slack) for stop in row.stops]
    assert told == [(20, 0, 20, 20, 0), (30, 0, 30, 35, 0), (45, 5, 50, 55, 15), (75, 0, 75, 75, 425)]
    assert [stop.load for stop in row.stops] == [[3], [2], [0], [0]]


def test_a_missed_window_makes_the_route_too_long() -> None:
    vehicle = VehicleType(capacity=(5,), shift_duration=100)
    instance = line(vehicle, windows=[[0, 500], [0, 500], [30, 40]], more_windows=[(2, 200.0, 210.0)])
    (row,) = plan_rows(instance, [[1, 2]], [0])
    # Whoever is at the second customer after 40 waits until 200: 180 after a start at 20, though the window is open.
    assert row.start == 10
    assert row.stops[0].slack == 10
    assert [too_late(instance, row, 0, delay) for delay in (10.0, 10.1)] == [False, True]


def test_overtime_is_no_limit_and_its_end_is() -> None:
    vehicle = VehicleType(capacity=(5,), shift_duration=40, max_overtime=15, unit_overtime_cost=2, fixed_cost=7)
    (row,) = plan_rows(line(vehicle, service=[0, 5, 0]), [[1, 2]], [0])
    assert (row.duration, row.overtime, row.cost) == (45, 5, 40 + 2 * 5 + 7)
    assert [stop.slack for stop in row.stops] == [math.inf, 10, 10, 10]
    assert [stop.cost for stop in row.stops] == [7, 10, 10, 20 + 10]


def test_pairs_reloads_and_open_ends_have_kinds() -> None:
    instance = line(
        VehicleType(capacity=(5,), start_depot=None, reload_depots=(0,)), coordinates=[[0, 0], [1, 0], [2, 0], [3, 0]],
        demands=[0, 1, 0, 1], pairs=[[1, 2]],
    )  # fmt: skip
    (row,) = plan_rows(instance, [[1, 2, 0, 3]], [0])
    assert [(stop.sequence, stop.kind, stop.name) for stop in row.stops] == [
        (1, "pickup", "1"), (2, "delivery", "2"), (3, "reload", "0"), (4, "customer", "3"), (5, "end", "0"),
    ]  # fmt: skip
    assert (row.trips, row.customers) == (2, 3)
