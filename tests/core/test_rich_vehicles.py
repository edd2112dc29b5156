"""Vehicles change their types with all their trips, and who costs more than his prize goes: priced by the checker."""

import dataclasses
import math
import random
from typing import Any

import pytest

from core.rich_arrays import chain_of, require_sound, trip_of
from core.test_rich_insertions import Tour, price, tours_in
from core.test_rich_terms import drawn
from dacalns.core.model import USED, empty_solution
from dacalns.core.rich import LIMIT, WHERE
from dacalns.core.rich_insertions import place_item, serve
from dacalns.core.rich_openings import NEVER
from dacalns.core.rich_vehicles import drop_dear, larger_kind, suit_vehicles
from dacalns.core.rng import seeded
from dacalns.core.routes import settle
from dacalns.instances import Instance
from dacalns.instances.parts import VehicleType
from dacalns.search.checker import check
from dacalns.search.start import answer_of, place_in, problem_of
from search.rich_cases import random_solution

Routes = list[list[int]]


def placed(instance: Instance, routes: Routes, types: list[int]) -> Any:
    """A solution with these routes, as far as they are feasible, all of which have just changed."""
    problem = problem_of(instance)
    solution = empty_solution(problem)
    place_in(instance, problem, solution, routes, types)
    return solution


def placed_at_random(instance: Instance, seed: int) -> tuple[Instance, Any, Any]:
    """A problem, its arrays, and a random solution."""
    routes, types = random_solution(instance, seed)
    last = instance.depots + instance.customers
    routes = [list(dict.fromkeys(node for node in route if 0 <= node < last)) for route in routes]
    return instance, problem_of(instance), placed(instance, routes, types)


def with_another_type(problem: Any, solution: Any) -> list[list[Tour]]:
    """All ways to give one vehicle another type of which there is one."""
    tours = tours_in(solution)
    return [
        [*tours[:number], (other, reloads, trips), *tours[number + 1 :]]
        for number, (kind, reloads, trips) in enumerate(tours)
        for other in range(len(problem.ends))
        if other != kind and solution.taken[other] < problem.ends[other, WHERE.available]
    ]


def with_reloads(seed: int) -> Instance:
    """A random problem of three vehicle types, all of which may load again, somewhere at least."""
    dice = random.Random(seed)
    instance = drawn(seed)
    first = dice.choice(instance.types)
    some = [dice.choice((first, *instance.types)) for _ in range(3)]
    kinds = tuple(
        dataclasses.replace(
            each, num_available=dice.choice((1, 2)), fixed_cost=dice.choice((each.fixed_cost, dice.randint(0, 50))),
            reload_depots=tuple(sorted(dice.sample(range(instance.depots), dice.randint(1, instance.depots)))),
            max_reloads=dice.choice((1.0, 2.0, math.inf)),
        )
        for each in some
    )  # fmt: skip
    timeless = {} if dice.random() < 0.5 else {"windows": None, "more_windows": ()}
    return instance.with_(vehicle_types=kinds, **timeless)


@pytest.mark.parametrize("trips", [1, 2])
def test_no_vehicle_would_be_cheaper_as_another_that_is_free(trips: int) -> None:
    """Of vehicles with so many trips or more, on random routes."""
    changed = 0
    for seed in range(20_000, 20_400):
        instance, problem, solution = placed_at_random(drawn(seed) if trips == 1 else with_reloads(seed), seed)
        before = tours_in(solution)
        if len(instance.types) == 1 or max((len(each) for _, _, each in before), default=0) < trips:
            continue
        cost = price(instance, before)
        for _ in range(5):  # one that changes may leave its type to another that was asked before
            suit_vehicles(problem, solution)
        settle(problem, solution)
        require_sound(problem, solution)
        after = tours_in(solution)
        now = price(instance, after)
        changes = [one[2] for one, other in zip(before, after, strict=True) if one[0] != other[0]]
        changed += any(len(each) >= trips for each in changes)
        assert [tour[1:] for tour in after] == [tour[1:] for tour in before]
        assert now < cost if changes else now == cost
        found = min((price(instance, tours) for tours in with_another_type(problem, solution)), default=now)
        assert found >= now or found == pytest.approx(now, abs=1e-6), seed
    assert changed > 4


# By hand: a depot at 0, another at 100, and customers at 10, 20, 30 and 40.


def line(*types: VehicleType, **changes: Any) -> Instance:
    fields: dict[str, Any] = {
        "name": "line", "coordinates": [[0, 0], [100, 0], [10, 0], [20, 0], [30, 0], [40, 0]], "depots": 2,
        "demands": [0, 0, 1, 1, 1, 1], "rounding": "round", "vehicle_types": types,
    }  # fmt: skip
    return Instance(**{**fields, **changes})


def shuttle(**fields: Any) -> VehicleType:
    return VehicleType(**{"num_available": 1, "capacity": (2,), "reload_depots": (0,), **fields})


def kinds_after(instance: Instance, routes: Routes, types: list[int]) -> list[int]:
    """The vehicle types of the routes, which stay as they are, after the search has suited them."""
    problem, solution = problem_of(instance), placed(instance, routes, types)
    assert answer_of(instance, solution) == (routes, types)
    suit_vehicles(problem, solution)
    require_sound(problem, solution)
    found, kinds = answer_of(instance, solution)
    assert sorted(found) == sorted(routes)
    return [kinds[found.index(route)] for route in routes]


CHAIN = [[2, 3, 0, 4, 5]]


@pytest.mark.parametrize(
    ("changes", "taken"),
    [
        ({}, True),
        ({"fixed_cost": 4}, True),
        ({"fixed_cost": 6}, False),
        ({"capacity": (1,)}, False),  # too small for either trip
        ({"reload_depots": (1,)}, False),
        ({"reload_depots": (1, 0)}, True),
        ({"allowed_customers": (2, 3, 4)}, False),  # and not the last one of the second trip
        ({"max_reloads": 0}, False),
        ({"max_distance": 119}, False),  # the trips are 40 and 80 long
        ({"max_distance": 120}, True),
        ({"max_stops": 3}, False),
        ({"shift_duration": 119}, False),
        ({"shift_duration": 120, "unit_distance_cost": 0}, True),
        ({"tw_late": 119}, False),
        ({"end_depot": 1}, False),  # it is 140 long then
        ({"end_depot": 1, "unit_distance_cost": 0.8}, True),
        ({"start_depot": 1, "end_depot": 1, "fixed_cost": 0}, False),
    ],
)
def test_a_chain_of_trips_changes_its_type_as_a_whole(changes: dict[str, Any], taken: bool) -> None:
    dear = shuttle(fixed_cost=5)
    cheap = shuttle(**{"fixed_cost": 0, **changes})
    assert kinds_after(line(dear, cheap), CHAIN, [0]) == [int(taken)]
    verdicts = [check(line(dear, cheap), CHAIN, [kind]) for kind in (0, 1)]
    assert taken == (verdicts[1].feasible and verdicts[1].cost < verdicts[0].cost)


def test_vehicles_exchange_all_their_trips() -> None:
    dear, cheap = shuttle(unit_distance_cost=3, max_reloads=1), shuttle(max_reloads=1)
    assert kinds_after(line(dear, cheap), [[4, 0, 5], [2, 0, 3]], [0, 1]) == [1, 0]
    assert kinds_after(line(dear, cheap), [[2, 0, 3], [4, 0, 5]], [0, 1]) == [0, 1]
    full = line(shuttle(unit_distance_cost=3), shuttle(capacity=(1,)))
    assert kinds_after(full, [[4, 5, 0, 3], [2]], [0, 1]) == [0, 1]


def test_one_for_whom_a_trip_is_too_full_makes_the_vehicle_a_larger_one() -> None:
    small, large = shuttle(max_reloads=1), shuttle(capacity=(3,), max_reloads=1, fixed_cost=7)
    instance = line(small, large, demands=[0, 0, 1, 1, 1, 2])
    problem, solution = problem_of(instance), placed(instance, [[2, 3, 0, 4]], [0])
    waits, second = int(solution.bank[0]), int(solution.route[3])
    assert larger_kind(problem, solution, second, waits) == (1, 7.0)
    assert larger_kind(problem, solution, int(solution.route[1]), waits)[0] == -1
    customer, route, place, place_too = place_item(problem, solution, waits, True, 1.0, NEVER, seeded(0))
    assert (customer, route) == (waits, second)
    serve(problem, solution, customer, route, place, place_too)
    require_sound(problem, solution)
    assert [int(solution.kind[trip]) for trip in chain_of(solution, 0)] == [1, 1]
    assert solution.taken.tolist() == [0, 1]
    assert check(instance, *answer_of(instance, solution)).feasible


# Prizes.


def optional_pair(prize: float, order: list[int], **changes: Any) -> tuple[Any, Any, list[int]]:
    """Customers 2 to 5 on a route, 4 and 5 an optional pair; and who is left after dear ones were dropped."""
    fields: dict[str, Any] = {
        "demands": [0, 0, 1, 1, 1, 0], "pairs": [[4, 5]], "optional": [0, 0, 0, 0, 1, 1],
        "prizes": [0, 0, 0, 0, prize, 0],
    }  # fmt: skip
    instance = line(VehicleType(capacity=(9,), num_available=1), **fields, **changes)
    problem, solution = problem_of(instance), placed(instance, [order], [0])
    drop_dear(problem, solution)
    settle(problem, solution)
    require_sound(problem, solution)
    return instance, solution, answer_of(instance, solution)[0][0]


@pytest.mark.parametrize("order", [[2, 3, 4, 5], [2, 4, 3, 5], [4, 2, 3, 5], [4, 5, 2, 3], [2, 4, 5, 3]])
def test_a_pair_goes_that_costs_more_than_its_prize(order: list[int]) -> None:
    without = [node for node in order if node < 4]
    instance = line(VehicleType(capacity=(9,), num_available=1))
    saved = check(instance, [order]).cost - check(instance, [without]).cost
    assert saved > 0
    assert optional_pair(saved + 1, order)[2] == order
    assert optional_pair(saved - 1, order)[2] == without


def test_nobody_is_left_who_costs_more_than_his_prize() -> None:
    dropped = pairs = 0
    for seed in range(30_000, 31_500):
        instance, problem, solution = placed_at_random(drawn(seed), seed)
        timed = problem.kinds[:, [LIMIT.per_duration, LIMIT.per_overtime]].any()
        if not problem.elective or timed or problem.trips or problem.kinds[:, LIMIT.fixed].any():
            continue
        before = tours_in(solution)
        cost = price(instance, before)
        drop_dear(problem, solution)
        settle(problem, solution)
        require_sound(problem, solution)
        tours = tours_in(solution)
        now = price(instance, tours)
        assert now <= cost or now == pytest.approx(cost)
        served = {node for _, _, trips in tours for trip in trips for node in trip}
        gone = {node for _, _, trips in before for trip in trips for node in trip} - served
        dropped += len(gone) > 0
        pairs += any(problem.mate[node] for node in gone)
        for node in served:
            if problem.optional[node]:
                left = {node, int(problem.mate[node])}
                found = [(kind, reloads, [[k for k in trip if k not in left] for trip in trips])
                         for kind, reloads, trips in tours]  # fmt: skip
                found = [tour for tour in found if tour[2] != [[]]]
                cheaper = price(instance, found)
                assert cheaper >= now or cheaper == pytest.approx(now, abs=1e-6), seed
    assert dropped > 10
    assert pairs > 0


def test_a_trip_is_not_worth_what_the_vehicle_costs_that_goes_on_without_it() -> None:
    van = shuttle(fixed_cost=1000)
    instance = line(van, optional=[0, 0, 1, 1, 0, 0], prizes=[0, 0, 30, 20, 0, 0])
    problem, solution = problem_of(instance), placed(instance, [[2, 3, 0, 4, 5]], [0])
    drop_dear(problem, solution)  # the first trip is 40 long, and the prizes are 50
    settle(problem, solution)
    assert answer_of(instance, solution)[0] == [[2, 3, 0, 4, 5]]
    cheap = instance.with_(prizes=[0, 0, 15, 24, 0, 0], vehicle_types=(van,))
    problem, solution = problem_of(cheap), placed(cheap, [[2, 3, 0, 4, 5]], [0])
    drop_dear(problem, solution)  # neither of them alone saves more than 20, both save 40
    settle(problem, solution)
    assert [trip_of(solution, route) for route in range(int(solution.counts[USED]))] == [[3, 4]]
