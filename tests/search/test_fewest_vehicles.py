"""The search for fewer vehicles on its own: where it begins, and what it leaves to the second search."""

import pytest

from core.oracle import solution_of
from dacalns.core.model import Solution
from dacalns.instances import Instance
from dacalns.search import fewest_vehicles as fleet_search
from dacalns.search.fewest_vehicles import FleetSearch
from dacalns.search.result import NewBest
from dacalns.search.signals import Interrupt
from dacalns.search.start import Routes, problem_of
from dacalns.search.stopping import MaxIterations


def in_a_row(fleet: int | None, capacity: int = 2) -> Instance:
    """Six customers in a row, each of demand 1."""
    places = [[k, 0] for k in range(7)]
    return Instance(name="row", coordinates=places, demands=[0] + [1] * 6, capacity=capacity, fleet=fleet)  # type: ignore[arg-type]


def test_it_begins_with_making_room_where_not_all_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_few(instance: Instance, routes: Routes | None) -> Solution:
        return solution_of(problem_of(instance), [[1], [2], [3]])

    monkeypatch.setattr(fleet_search, "first_solution", too_few)
    heard: list[NewBest] = []
    search = FleetSearch(in_a_row(fleet=3), MaxIterations(500), 1, None)
    assert search.fleet == 3
    phase = search.run(Interrupt(), heard.append)
    assert [event.unserved for event in heard] == sorted((event.unserved for event in heard), reverse=True)
    assert (heard[0].unserved, heard[-1].unserved) == (3, 0)
    assert (phase.start_vehicles, phase.vehicles, phase.bound) == (3, 3, 3)
    assert phase.iterations < 150, "it ends with the bound, not with its share"
    assert sorted(map(len, search.routes)) == [2, 2, 2]


def test_the_limit_is_left_as_it_was_where_not_all_can_be_served() -> None:
    """Three fit into a vehicle by weight, but only one of these can be heavy."""
    heavy = in_a_row(fleet=2, capacity=10).with_(demands=[0, 6, 6, 6, 1, 1, 0])
    search = FleetSearch(heavy.with_(fleet=3), MaxIterations(100), 0, None)
    assert search.run(Interrupt(), lambda _: None).vehicles == search.fleet == 3
    light = Instance(name="misfit", coordinates=[[k, 0] for k in range(6)], demands=[0] + [4] * 5, capacity=11, fleet=2)  # type: ignore[arg-type]
    search = FleetSearch(light, MaxIterations(100), 0, None)
    phase = search.run(Interrupt(), lambda _: None)
    assert (phase.vehicles, phase.bound, search.fleet, phase.iterations) == (2, 2, 2, 30)
    assert sum(map(len, search.routes)) == 4


def test_vehicles_are_done_without_until_the_bound() -> None:
    heard: list[NewBest] = []
    search = FleetSearch(in_a_row(fleet=None), MaxIterations(1000), 3, [[k] for k in range(1, 7)])
    phase = search.run(Interrupt(), heard.append)
    vehicles = [len(event.routes) for event in heard]
    assert vehicles == sorted(set(vehicles), reverse=True)
    assert (vehicles[0], vehicles[-1]) == (6, 3)
    assert (phase.start_vehicles, phase.vehicles, phase.bound) == (6, 3, 3)
    assert search.iterations == phase.iterations == heard[-1].iteration


def test_an_interrupt_ends_it_with_what_it_has() -> None:
    interrupt = Interrupt()
    interrupt.requested = True
    heard: list[NewBest] = []
    misfit = in_a_row(fleet=None, capacity=12).with_(demands=[0] + [5] * 6)
    search = FleetSearch(misfit, MaxIterations(10**9), 3, [[k] for k in range(1, 7)])
    phase = search.run(interrupt, heard.append)
    assert phase.bound == 3
    assert 1 <= len(heard) <= 2, "the first stretch ends it"
    assert phase.vehicles == len(heard[-1].routes) == search.fleet
