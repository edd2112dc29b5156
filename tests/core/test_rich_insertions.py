"""Items go where they cost least: against all places in all routes, judged and priced by the checker."""

import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dacalns
from core.rich_arrays import chain_of, is_same, require_sound, trip_of
from core.test_rich_terms import broken, drawn
from dacalns.core.insertions import MANY
from dacalns.core.model import BANKED, USED, empty_solution
from dacalns.core.repairs import regret_repair
from dacalns.core.rich import WHERE
from dacalns.core.rich_fleet import has_vehicle
from dacalns.core.rich_insertions import complete as complete_rich
from dacalns.core.rich_insertions import cost_in, cost_near, fill_from_bank, place_given_routes, place_item
from dacalns.core.rich_openings import NEVER, open_behind_another, open_best_route
from dacalns.core.rich_terms import cost_without, is_item
from dacalns.core.rng import seeded
from dacalns.core.routes import copy_into, link, remove, settle
from dacalns.core.terms import objective
from dacalns.instances import Instance
from dacalns.search.checker import check
from dacalns.search.start import answer_of, first_solution, numbering_of, place_in, problem_of
from search.rich_cases import random_solution

# A vehicle with its trips: type, start of each trip behind the first, customers of each trip.
Tour = tuple[int, list[int], list[list[int]]]


def tours_in(solution: Any) -> list[Tour]:
    """What each vehicle does, by the numbers of the kernels."""
    firsts = [number for number in range(int(solution.counts[USED])) if solution.ahead[number] < 0]
    return [
        (
            int(solution.kind[first]),
            [int(solution.start[trip]) for trip in chain_of(solution, first)[1:]],
            [trip_of(solution, trip) for trip in chain_of(solution, first)],
        )
        for first in firsts
    ]


def nodes_of(node_of: list[int], tour: Tour) -> list[int]:
    """The nodes that a vehicle visits, reloads among them."""
    _, reloads, trips = tour
    found = [node_of[customer] for customer in trips[0]]
    for depot, trip in zip(reloads, trips[1:], strict=True):
        found += [depot - len(node_of), *(node_of[customer] for customer in trip)]
    return found


def with_item(problem: Any, solution: Any, customer: int) -> Iterator[list[Tour]]:
    """All ways to put a customer, or a pair, into the routes, a new one, or a trip of its own beside another."""
    tours = tours_in(solution)
    mate = int(problem.mate[customer])
    alone = [customer, mate] if mate else [customer]

    def variants(trip: list[int]) -> Iterator[list[int]]:
        for at in range(len(trip) + 1):
            longer = [*trip[:at], customer, *trip[at:]]
            if not mate:
                yield longer
                continue
            for later in range(at + 1, len(longer) + 1):
                yield [*longer[:later], mate, *longer[later:]]

    for number, (kind, reloads, trips) in enumerate(tours):
        others = [*tours[:number], *tours[number + 1 :]]
        for at, trip in enumerate(trips):
            for longer in variants(trip):
                yield [*others, (kind, reloads, [*trips[:at], longer, *trips[at + 1 :]])]
        for depot in problem.reload_at[kind].tolist():
            if depot:
                for at in range(len(trips) + 1):
                    place = max(at - 1, 0)
                    yield [
                        *others,
                        (kind, [*reloads[:place], depot, *reloads[place:]], [*trips[:at], alone, *trips[at:]]),
                    ]
    for kind in range(len(problem.ends)):
        if solution.taken[kind] < problem.ends[kind, WHERE.available]:
            yield [*tours, (kind, [], [alone])]


def price(instance: Instance, tours: list[Tour]) -> tuple[float, float]:
    """The sum of priorities that are lost, and the cost; infinite if a rule is broken."""
    node_of = numbering_of(instance).node_of.tolist()
    routes, types = [nodes_of(node_of, tour) for tour in tours], [tour[0] for tour in tours]
    if broken(instance, routes, types):
        return math.inf, math.inf
    verdict = check(instance, routes, types)
    return verdict.lost_priority, verdict.cost * instance.scale


def drawn_without(seed: int, *fields: str) -> Instance:
    """A problem without some fields."""
    while True:
        instance = drawn(seed)
        if not any(len(value) if (value := getattr(instance, field)) is not None else 0 for field in fields):
            return instance
        seed += 1000


@pytest.mark.parametrize("seed", range(60))
def test_an_item_goes_where_it_costs_least(seed: int) -> None:
    instance = drawn_without(seed, "more_windows")
    problem: Any = problem_of(instance)
    dice, rng = random.Random(seed), seeded(seed)
    solution: Any = first_solution(instance, None)
    assert len(solution.route) <= MANY
    for _ in range(8):
        for customer in dice.sample(range(1, len(problem.demand)), dice.randint(1, len(problem.demand) - 1)):
            remove(problem, solution, customer)
        settle(problem, solution)
        waiting = [int(customer) for customer in solution.bank[: solution.counts[BANKED]]]
        items = [customer for customer in waiting if is_item(problem, solution, customer)]
        if not items:
            continue
        item = dice.choice(items)
        group = int(problem.group[item])
        members = [item] if not group else [k for k in range(1, len(problem.group)) if problem.group[k] == group]
        before, now = price(instance, tours_in(solution)), objective(problem, solution)
        found = [price(instance, tours) for member in members for tours in with_item(problem, solution, member)]
        best = min(found, default=(math.inf, math.inf))
        copied = empty_solution(problem)
        copy_into(copied, solution)
        customer, route, place, place_too = place_item(problem, solution, item, False, 1.0, NEVER, rng)
        assert is_same(copied, solution)
        worth = best[0] < math.inf and (np.isinf(cost_without(problem, item)) or best < before)
        if not customer:
            # The same cost may come out a little less.
            assert not worth or best == pytest.approx(before)
            continue
        assert customer in members
        assert worth or best == pytest.approx(before)
        link(problem, solution, customer, route, place)
        if problem.mate[customer]:
            link(problem, solution, int(problem.mate[customer]), int(solution.route[customer]), place_too)
        require_sound(problem, solution)
        assert price(instance, tours_in(solution)) == pytest.approx(best, abs=1e-6)
        if worth:
            assert objective(problem, solution) < now or np.isinf(cost_without(problem, item))
        regret_repair(problem, solution, rng)


@pytest.mark.parametrize("seed", range(60))
def test_where_all_are_near_looking_near_by_finds_the_same(seed: int) -> None:
    instance = drawn(seed)
    problem: Any = problem_of(instance)
    dice, rng = random.Random(seed), seeded(seed)
    solution: Any = first_solution(instance, None)
    for _ in range(4):
        for customer in dice.sample(range(1, len(problem.demand)), dice.randint(1, len(problem.demand) - 1)):
            remove(problem, solution, customer)
        settle(problem, solution)
        for item in [int(each) for each in solution.bank[: solution.counts[BANKED]]]:
            if is_item(problem, solution, item):
                for route in range(int(solution.counts[USED])):
                    for larger in (0, 1):
                        anywhere = cost_in(problem, solution, item, route, larger, rng)
                        assert cost_near(problem, solution, item, route, larger, rng) == pytest.approx(anywhere)
        far, near = empty_solution(problem), empty_solution(problem)
        copy_into(far, solution)
        copy_into(near, solution)
        fill_from_bank(problem, far, 2, 0.0, 0, 0, 1.0, rng)
        fill_from_bank(problem, near, 2, 0.0, 1, 0, 1.0, rng)
        settle(problem, far)
        settle(problem, near)
        require_sound(problem, near)
        assert objective(problem, near) == pytest.approx(objective(problem, far))
        regret_repair(problem, solution, rng)


def test_who_fits_in_no_route_of_near_ones_goes_farther() -> None:
    dice = random.Random(3)
    model = dacalns.Model("two towns")
    model.add_depot(500, 0)
    for place in range(MANY + 10):  # all vehicles that are small stand in the near town, and are full
        model.add_customer(dice.randint(0, 99), dice.randint(0, 99), delivery=1 if place else 2)
    for _ in range(4):
        model.add_customer(1000 + dice.randint(0, 9), dice.randint(0, 9), delivery=1)
    model.add_vehicle_type(num_available=41, capacity=10)
    model.add_vehicle_type(num_available=1, capacity=7)
    instance = model.instance()
    problem: Any = problem_of(instance)
    solution = empty_solution(problem)
    assert len(solution.route) > MANY
    near = [*range(2, MANY + 11)]
    routes = [near[k : k + 10] for k in range(0, len(near), 10)]
    place_in(instance, problem, solution, [*routes, [*range(MANY + 11, MANY + 15)]], [0] * 41 + [1])
    settle(problem, solution)
    assert solution.bank[: solution.counts[BANKED]].tolist() == [1]
    assert int(solution.taken[0]) == 41
    assert not has_vehicle(problem, solution, 1)
    regret_repair(problem, solution, seeded(0))
    settle(problem, solution)
    require_sound(problem, solution)
    assert solution.counts[BANKED] == 0
    assert solution.route[1] == solution.route[MANY + 11]


@pytest.mark.parametrize("seed", range(60))
def test_given_routes_are_kept_as_they_are(seed: int) -> None:
    instance = drawn(seed)
    problem: Any = problem_of(instance)
    solution: Any = first_solution(instance, None)
    routes, types = answer_of(instance, solution)
    again = empty_solution(problem)
    place_in(instance, problem, again, routes, types)
    require_sound(problem, again)
    assert answer_of(instance, again) == (routes, types)


@pytest.mark.parametrize("seed", range(100))
def test_of_any_routes_whoever_breaks_a_limit_waits(seed: int) -> None:
    instance = drawn(seed)
    problem: Any = problem_of(instance)
    routes, types = random_solution(instance, seed)
    last = instance.depots + instance.customers
    routes = [list(dict.fromkeys(node for node in route if 0 <= node < last)) for route in routes]
    if seed % 2:
        routes = [random.Random(seed).sample(route, len(route)) for route in routes]
    solution = empty_solution(problem)
    visits, sizes = numbering_of(instance).visits(routes)
    place_given_routes(problem, solution, visits, sizes, np.array(types, dtype=np.int64))
    require_sound(problem, solution)
    assert not broken(instance, *answer_of(instance, solution))


@pytest.mark.parametrize("seed", range(0, 60, 2))
def test_a_first_solution_is_sound(seed: int) -> None:
    instance = drawn(seed)
    problem: Any = problem_of(instance)
    solution, candidate = empty_solution(problem), empty_solution(problem)
    complete_rich(problem, solution, candidate, 0, seeded(seed))
    require_sound(problem, solution)
    assert not broken(instance, *answer_of(instance, solution))


def test_a_pickup_that_has_no_place_gets_a_route_with_a_delivery_ahead_of_it() -> None:
    model = dacalns.Model("two routes", backhauls_last=True)
    model.add_depot(0, 0)
    for delivery, pickup in [(1, 0), (1, 0), (0, 2), (0, 2)]:
        model.add_customer(10 + delivery, pickup, delivery=delivery, pickup=pickup)
    model.add_vehicle_type(num_available=2, capacity=2)
    instance = model.instance()
    problem: Any = problem_of(instance)
    solution = empty_solution(problem)
    visits, sizes = numbering_of(instance).visits([[1, 2, 3]])
    place_given_routes(problem, solution, visits, sizes, np.array([0]))
    assert solution.bank[: solution.counts[BANKED]].tolist() == [4]
    open_behind_another(problem, solution, 4)
    settle(problem, solution)
    require_sound(problem, solution)
    routes, types = answer_of(instance, solution)
    assert sorted(routes) == [[1, 3], [2, 4]]
    assert check(instance, routes, types).feasible


@pytest.mark.parametrize("seed", range(60))
def test_routes_opened_behind_another_keep_all_limits(seed: int) -> None:
    instance = backhauls_last(seed)
    problem: Any = problem_of(instance)
    dice, rng = random.Random(seed), seeded(seed)
    solution: Any = first_solution(instance, None)
    for _ in range(8):
        for customer in dice.sample(range(1, len(problem.demand)), dice.randint(1, len(problem.demand) - 1)):
            remove(problem, solution, customer)
        settle(problem, solution)
        for customer in [int(customer) for customer in solution.bank[: solution.counts[BANKED]]]:
            waiting = set(solution.bank[: solution.counts[BANKED]].tolist())
            open_behind_another(problem, solution, customer)
            settle(problem, solution)
            assert waiting - set(solution.bank[: solution.counts[BANKED]].tolist()) <= {customer}
            require_sound(problem, solution)
            assert not broken(instance, *answer_of(instance, solution))
        regret_repair(problem, solution, rng)


def backhauls_last(seed: int) -> Instance:
    """A problem whose pickups come last."""
    while not (instance := drawn_without(seed, "groups", "pairs")).backhauls_last:
        seed += 1
    return instance


def most_in_turn(customers: list[tuple[int, int, int]]) -> float:
    """What customers (place, end of window, prize) bring at most, less the way, visited in this order and in time."""
    best = 0.0
    for size in range(1, len(customers) + 1):
        for chosen in itertools.combinations(customers, size):
            ways = [abs(here[0] - there[0]) for here, there in itertools.pairwise([(0,), *chosen, (0,)])]
            arrivals = itertools.accumulate(ways[:-1])
            if all(arrival <= closes for arrival, (_, closes, _) in zip(arrivals, chosen, strict=True)):
                best = max(best, sum(prize for *_, prize in chosen) - sum(ways))
    return best


@pytest.mark.parametrize("seed", range(30))
def test_the_best_route_brings_most_of_all_in_the_order_in_which_windows_close(seed: int) -> None:
    dice = random.Random(seed)
    model = dacalns.Model("a line")
    model.add_depot(0, 0)
    customers = [(dice.randint(-9, 9), 5 * turn + dice.randint(0, 4), dice.randint(0, 12)) for turn in range(7)]
    for x, closes, prize in customers:
        model.add_customer(x, 0, tw_late=closes, required=False, prize=prize)
    model.add_vehicle_type(num_available=1)
    instance = model.instance(rounding="exact")
    problem: Any = problem_of(instance)
    solution = empty_solution(problem)
    nothing = objective(problem, solution)
    served = open_best_route(problem, solution, 0, NEVER, seeded(seed))
    require_sound(problem, solution)
    assert nothing - objective(problem, solution) == pytest.approx(most_in_turn(customers))
    assert served == 7 - solution.counts[BANKED]


@pytest.mark.parametrize("seed", range(40))
def test_the_best_route_keeps_all_limits(seed: int) -> None:
    instance = with_prizes_and_windows(seed)
    problem: Any = problem_of(instance)
    rng = seeded(seed)
    for kind in range(len(problem.ends)):
        solution = empty_solution(problem)
        banked = int(solution.counts[BANKED])
        served = open_best_route(problem, solution, kind, NEVER, rng)
        settle(problem, solution)
        require_sound(problem, solution)
        assert not broken(instance, *answer_of(instance, solution))
        assert solution.counts[BANKED] == banked - served


def with_prizes_and_windows(seed: int) -> Instance:
    """A problem in which somebody may be left out and windows close."""
    while True:
        instance = drawn(seed)
        problem: Any = problem_of(instance)
        if problem.elective and problem.timed:
            return instance
        seed += 1
