"""Searches of rich problems: side by side, with fewest vehicles first, and with selectors that learn."""

import dataclasses

import numpy as np
import pytest

import dacalns
from dacalns import InputError, Instance, MaxIterations, TargetCost, check, solve
from dacalns.core.rich import RichProblem, RichSolution
from dacalns.instances.features import FEATURES, problem_called
from dacalns.instances.generate_rich import generate_rich
from dacalns.instances.parts import Group, VehicleType
from dacalns.search.fewest_vehicles import FleetSearch
from dacalns.search.output.words import number
from dacalns.search.result import NewBest
from dacalns.search.signals import Interrupt
from dacalns.search.start import Start, numbering_of, positions_of, problem_of, vehicles_in, with_fleet
from dacalns.search.stepper import Stepper

FIRST = "vehicles-then-distance"
FEW = MaxIterations(60)


def vans(customers: int = 10, **more: object) -> Instance:
    """Two depots, vans that go home and one that does not."""
    places = [[0, 0], [10, 2], *([(k * 7) % 13 - 3, (k * 5) % 11 - 4] for k in range(customers))]
    fields = {
        "depots": 2,
        "demands": [0, 0] + [1] * customers,
        "vehicle_types": (
            VehicleType(capacity=3, num_available=4),
            VehicleType(capacity=4, num_available=2, start_depot=None, end_depot=1),
        ),
    }
    return Instance(name="vans", coordinates=places, **(fields | more))  # type: ignore[arg-type]


def errands(pairs: int = 4, fleet: int | None = None) -> Instance:
    """Pairs in a row, each picked up and delivered on the way; one vehicle can do two at once."""
    places = [[0, 0], *([k + 1 + late, 0] for k in range(pairs) for late in (0, 0.5))]
    return Instance(
        name="errands",
        coordinates=places,  # type: ignore[arg-type]
        demands=[0, *([1, 0] * pairs)],  # type: ignore[arg-type]
        pairs=[[2 * k + 1, 2 * k + 2] for k in range(pairs)],  # type: ignore[arg-type]
        capacity=2,
        fleet=fleet,
    )


def shuttles(customers: int = 6, vehicles: int = 4, trips: int = 1) -> Instance:
    """Vehicles that carry two at a time and may load again."""
    shuttle = VehicleType(capacity=2, num_available=vehicles, reload_depots=(0,), max_reloads=trips)
    places = [[k, 0] for k in range(customers + 1)]
    return Instance(name="shuttles", coordinates=places, demands=[0] + [1] * customers, vehicle_types=(shuttle,))  # type: ignore[arg-type]


# Side by side.


@pytest.mark.parametrize("jobs", [2, 3])
def test_searches_side_by_side(jobs: int) -> None:
    instance = vans()
    heard: list[NewBest] = []
    result = solve(instance, stop=FEW, jobs=jobs, seed=1, on_best=heard.append)
    assert (result.feasible, result.jobs, result.iterations) == (True, jobs, jobs * 60)
    verdict = check(instance, result.routes, result.vehicle_types)
    assert verdict.feasible
    assert verdict.cost == pytest.approx(result.cost)
    assert heard[-1].routes == result.routes
    assert solve(instance, stop=FEW, jobs=jobs, seed=1).routes == result.routes


def test_searches_side_by_side_meet_a_target_though_optional_customers_wait() -> None:
    """Those in the bank are no sign that the solution is unfinished."""
    instance = vans(optional=[0] * 6 + [1] * 6, prizes=[0] * 6 + [0.5] * 6)
    result = solve(instance, stop=MaxIterations(400) | TargetCost(1e9), jobs=2)
    assert result.left_out
    assert result.iterations < 800


def test_another_search_begins_where_a_solution_says() -> None:
    instance = vans()
    stepper = Stepper(instance, seed=1)
    assert isinstance(stepper.current, RichSolution)
    twin = Stepper(instance, seed=2, start=stepper.current)
    assert twin.best_routes == stepper.best_routes


# Fewest vehicles first.


@pytest.mark.parametrize("jobs", [1, 2])
def test_pairs_are_served_by_the_fewest_vehicles(jobs: int) -> None:
    instance = errands()
    alone = [[2 * k + 1, 2 * k + 2] for k in range(4)]
    result = solve(instance, stop=MaxIterations(300), objective=FIRST, start=alone, jobs=jobs)
    assert result.fleet_phase is not None
    assert (result.fleet_phase.start_vehicles, result.fleet_phase.vehicles, len(result.routes)) == (4, 1, 1)
    verdict = check(instance, result.routes)
    assert (verdict.feasible, verdict.cost) == (True, pytest.approx(result.cost))
    assert [event.vehicles for event in result.history] == sorted((e.vehicles for e in result.history), reverse=True)  # type: ignore[type-var]
    assert result.cost_parts["distance"] == result.cost
    assert [stop.node for stop in result.plans[0].stops][1:-1] == result.routes[0]
    again = solve(instance, stop=MaxIterations(300), objective=FIRST, start=result)
    assert again.cost <= result.cost


def test_vehicles_count_and_not_their_trips() -> None:
    """Three trips of two customers each, two of them by one vehicle."""
    instance = shuttles()
    result = solve(instance, stop=MaxIterations(400), objective=FIRST, start=[[1, 2], [3, 4], [5, 6]])
    assert result.fleet_phase is not None
    assert (result.fleet_phase.start_vehicles, len(result.routes)) == (3, 2)
    assert check(instance, result.routes, result.vehicle_types).feasible
    assert max(map(len, result.routes)) == 5, "two customers, a reload, and two more"


def test_all_trips_of_a_vehicle_are_closed() -> None:
    instance = shuttles(trips=2)
    search = FleetSearch(instance, MaxIterations(100), 0, Start([[1, 2, 0, 3, 4], [5, 6]], [0, 0]))
    assert (vehicles_in(search._best), int(search._best.counts[0])) == (2, 3)
    for afresh in (False, True):
        dacalns.core.model.overwrite(search._current, search._best)
        search._close_a_vehicle(afresh=afresh)
        assert vehicles_in(search._current) == 1
    assert search.run(Interrupt(), lambda _: None).vehicles == 1
    assert search.routes[0].count(0) == 2


def test_another_limit_is_one_for_the_kernels_too() -> None:
    for instance in (errands(), shuttles()):
        limited = with_fleet(instance, 2)
        problem, whole = problem_of(limited), problem_of(instance)
        assert isinstance(problem, RichProblem)
        assert limited.fleet == problem.ends[0, 3] == 2
        assert problem.fleet == (whole.fleet if whole.trips else 2)
        assert not problem.ends.flags.writeable
        assert numbering_of(limited) is numbering_of(instance)
        routes = solve(limited, stop=FEW).routes
        assert check(limited, routes).feasible


def test_where_not_all_can_be_served_the_limit_is_left_as_it_was() -> None:
    near, far = [[0, 0], [1, 0], [2, 0]], [[50, 0], [51, 0], [-50, 0], [-51, 0], [0, 50], [0, 51]]
    instance = Instance(
        name="far", coordinates=near + far, demands=[0] + [1] * 8, pickups=[0] * 7 + [1, 1],  # type: ignore[arg-type]
        vehicle_types=(VehicleType(capacity=9, num_available=2, max_distance=110),),
    )  # fmt: skip
    result = solve(instance, stop=MaxIterations(200), objective=FIRST)
    assert (result.feasible, len(result.routes)) == (False, 2)
    assert result.fleet_phase is not None
    assert result.fleet_phase.vehicles == 2


# Selectors.


@pytest.mark.parametrize("selector", ["roulette", "ucb", "ac", "dac"])
def test_selectors_without_a_policy_choose_for_rich_problems(selector: str) -> None:
    assert solve(vans(), stop=MaxIterations(20), selector=selector).feasible


def test_positions_are_those_of_the_kernels() -> None:
    """A customer with two windows stands twice there, and nobody is visited at the beginning."""
    instance = vans(4, windows=[[0, 90]] * 6, more_windows=((3, 95, 99),), rounding="exact")
    positions = positions_of(instance)
    assert positions is not None
    assert instance.coordinates is not None
    assert np.array_equal(positions, instance.coordinates[[0, 2, 3, 3, 4, 5]])
    assert len(positions) == len(problem_of(instance).neighbours)


@pytest.mark.parametrize("selector", ["dac-t", "wheel"])
def test_policies_are_for_problems_that_they_were_trained_for(selector: str) -> None:
    with pytest.raises(InputError, match=r"there is no bundled \w+ policy for a vrp with depots.*; expected one of"):
        solve(vans(), stop=FEW, selector=selector)


# What people read.


def test_names_of_problems() -> None:
    assert problem_called(frozenset()) == "cvrp"
    assert problem_called({"windows"}) == "vrptw"
    assert problem_called({"pairs"}) == "vrp with pairs"
    assert problem_called({"windows", "pairs"}) == "vrp with pairs and windows"
    several = problem_called({"windows", "depots", "shifts", "durations"})
    assert several == "vrp with depots, windows, shifts and durations"
    assert problem_called(frozenset(FEATURES)) == "vrp with pairs, depots, vehicle-types and 24 more"


def test_the_result_says_what_kinds_of_vehicles_drive_and_who_is_left_out() -> None:
    result = solve(vans(optional=[0] * 6 + [1] * 6, prizes=[0] * 6 + [0.5] * 6), stop=FEW)
    told = str(result).splitlines()
    assert told[0] == (
        "vans: VRP with depots, vehicle-types, prizes and open-routes, 10 customers, rounding milli, fleet 6"
    )
    assert told[1].startswith(f"  cost {number(result.cost)} (distance ")
    assert " of type 0, " in told[2]
    assert f"feasible, {len(result.left_out)} optional customers left out: " in told[2]
    many = dataclasses.replace(result, left_out=list(range(2, 14)), vehicle_types=list(range(len(result.routes))))
    assert "12 optional customers left out: 2, 3, 4, 5, 6, 7, 8, 9, …" in str(many)


def test_the_result_says_if_no_policy_chose() -> None:
    instance = vans()
    line = "  selector weights (fixed mixture: no trained policy for this problem), portfolio full, seed 0, version "
    for given in ({}, {"jobs": 2}, {"portfolio": "full"}):
        result = solve(instance, stop=FEW, **given)  # type: ignore[arg-type]
        assert result.selector_note == "fixed mixture: no trained policy for this problem"
        assert (str(result).splitlines()[-1].startswith(line), result.warnings) == (True, [])
        assert str(dacalns.Result.from_json(result.to_json(), instance)) == str(result)
    first = solve(errands(), stop=FEW, objective=FIRST)
    assert first.selector_note == result.selector_note


def test_the_result_says_nothing_of_a_selector_that_was_meant() -> None:
    plain = Instance(name="plain", coordinates=[[0, 0], [3, 4], [0, 5]], demands=[0, 1, 1], capacity=2)  # type: ignore[arg-type]
    weights = dacalns.PORTFOLIOS["full"].for_features(vans().features).selector
    for instance, given in (
        (vans(), {"selector": "roulette"}), (vans(), {"selector": weights}),
        (vans(), {"portfolio": "paper"}), (plain, {"selector": "random"}), (plain, {"portfolio": "paper"}),
    ):  # fmt: skip
        result = solve(instance, stop=FEW, **given)  # type: ignore[arg-type]
        assert result.selector_note == ""
        assert "selector_note" not in result.to_dict()
        assert f"  selector {result.selector}, portfolio " in str(result)


def test_members_of_a_group_that_is_visited_are_not_left_out() -> None:
    one = vans(groups=(Group(customers=(2, 3, 4)), Group(customers=(5, 6), required=False)))
    result = solve(one, stop=FEW)
    assert (result.left_out, result.feasible) == ([5, 6], True)
    assert check(one, result.routes, result.vehicle_types).left_out == [5, 6]


# From a given start.


@pytest.mark.parametrize("seed", [3, 4, 11, 15, 27])
def test_a_given_start_is_never_made_worse_where_customers_may_be_left_out(seed: int) -> None:
    """To serve more than is worth it, and then drop whoever costs most, may end with other customers."""
    drawn = generate_rich(20, {"prizes", "windows"}, seed=seed)
    assert drawn.prizes is not None
    prizes = np.ceil(0.6 * np.where(drawn.prizes > 0, drawn.prizes, drawn.prizes.mean()))
    instance = drawn.with_(optional=[0] + [1] * 20, prizes=[0, *prizes[1:]])
    found = solve(instance, stop=MaxIterations(300), seed=1)
    assert found.left_out
    assert solve(instance, stop=MaxIterations(0), start=found.routes).cost <= found.cost
