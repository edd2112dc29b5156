"""Every solver through its adapter: it is told the right problem, and what comes back costs what it says."""

import dataclasses
import importlib.util

import numpy as np
import pytest

import dacalns
from dacalns.bench.peers import Hgs, OrTools, Ours, Peer, PyVrp
from dacalns.bench.peers import peer as matrix_memory
from dacalns.bench.peers.with_ortools import enough_vehicles
from dacalns.instances import Instance, generate_rich
from dacalns.instances.features import FEATURES, PRIORITIES, RELEASE_TIMES, RELOADS, SEVERAL_WINDOWS
from dacalns.instances.parts import VehicleType
from dacalns.instances.pyvrp_data import to_pyvrp
from dacalns.study.task import checked

pytestmark = [
    pytest.mark.slow_without_jit,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of what SWIG has made of OR-Tools
]


def missing(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


OURS = Ours("ours", "dac-alns", {"selector": "random"})
SOLVERS = [
    pytest.param(OURS, id="ours"),
    pytest.param(PyVrp(), id="pyvrp", marks=missing("pyvrp")),
    pytest.param(OrTools(), id="ortools", marks=missing("ortools")),
    pytest.param(Hgs(), id="hgs", marks=missing("hygese")),
]
# With a vehicle more its optimum is 590 instead of 603.
LIMITED = "P-n22-k8"


def solved(peer: Peer, instance: Instance, seconds: float = 0.3):
    answer = peer.prepare(instance, seconds, 1)()
    return answer, checked(instance, answer.routes, answer.types)


@pytest.mark.parametrize("peer", SOLVERS)
def test_the_fleet_is_a_limit_and_costs_are_rounded_as_ours(peer: Peer) -> None:
    instance = dacalns.read(LIMITED)
    answer, found = solved(peer, instance)
    assert found["feasible"]
    assert len(answer.routes) <= 8
    assert found["cost"] == answer.cost
    assert found["cost"] >= 603


@pytest.mark.parametrize("peer", SOLVERS)
def test_a_free_fleet_is_free(peer: Peer) -> None:
    answer, found = solved(peer, dacalns.read(LIMITED, fleet="free"), seconds=1.0)
    assert found["feasible"]
    assert found["cost"] == answer.cost
    assert found["cost"] < 603


@pytest.mark.parametrize("peer", SOLVERS[:3])
def test_windows_service_and_tenths(peer: Peer) -> None:
    instance = dacalns.read("RC101-n20-s1")
    assert peer.refuses(instance) is None
    answer, found = solved(peer, instance)
    assert found["feasible"]
    assert found["cost"] == pytest.approx(answer.cost)


@pytest.mark.parametrize("peer", SOLVERS)
def test_an_explicit_matrix_without_coordinates(peer: Peer) -> None:
    drawn = dacalns.read(LIMITED)
    instance = Instance(name="m", matrix=drawn.distances, demands=drawn.demands, capacity=drawn.capacity, fleet=8)
    answer, found = solved(peer, instance)
    assert found["feasible"]
    assert found["cost"] == answer.cost


@pytest.mark.parametrize("peer", SOLVERS[:3])
def test_trajectories_fall_to_the_final_cost(peer: Peer) -> None:
    answer, _ = solved(peer, dacalns.read("A-n32-k5"))
    moments, costs = zip(*answer.trajectory, strict=True)
    assert list(moments) == sorted(moments)
    assert list(costs) == sorted(costs, reverse=True)
    assert costs[-1] == answer.cost
    assert moments[0] >= 0


# OR-Tools has no words for these, and PyVRP for the first of them.
UNSAID = (PRIORITIES, RELEASE_TIMES, RELOADS, SEVERAL_WINDOWS)
TOGETHER = (("pickups", "loads", "prizes"), ("prizes", "pairs", "windows"), ("open-routes", "profiles", "overtime"))


@pytest.mark.parametrize("features", [*((each,) for each in FEATURES), *TOGETHER], ids="+".join)
@pytest.mark.parametrize("peer", SOLVERS[1:3])
def test_every_feature_is_told_to_the_solvers_that_know_it(peer: Peer, features: tuple[str, ...]) -> None:
    instance = generate_rich(12, features, seed=1)
    if set(features) & set(UNSAID if peer.key == "ortools" else UNSAID[:1]):
        assert str(peer.refuses(instance)).startswith("it knows no ")
        return
    assert peer.refuses(instance) is None
    answer, found = solved(peer, instance, 0.2)
    assert found["feasible"]
    assert found["cost"] == answer.cost
    assert answer.trajectory[-1][1] == answer.cost


@missing("ortools")
def test_what_or_tools_cannot_say_of_what_it_knows() -> None:
    priced = generate_rich(12, ("groups",), seed=1)
    first = priced.groups[0].customers[0]
    assert OrTools().refuses(priced) is None
    prizes = [5 if node == first else 0 for node in range(13)]
    assert OrTools().refuses(priced.with_(prizes=prizes)) == "customers in groups have prizes of their own"
    halves = VehicleType(capacity=9, fixed_cost=0.5)
    places = np.arange(6).reshape(3, 2)
    instance = Instance(name="m", coordinates=places, demands=[0, 1, 1], vehicle_types=(halves,), rounding="round")
    assert OrTools().refuses(instance) == "costs of vehicles are not whole numbers"
    assert "fixed_cost of vehicle_types[0] is 0.5" in str(PyVrp().refuses(instance))


@missing("hygese")
def test_hgs_tells_no_trajectory() -> None:
    assert solved(Hgs(), dacalns.read("A-n32-k5"))[0].trajectory is None


def test_what_hgs_cannot_do() -> None:
    assert Hgs().refuses(dacalns.read("R101")) == "it knows no time windows"
    skewed = np.array([[0, 1, 2], [3, 0, 1], [2, 1, 0]])
    assert "both directions" in Hgs().refuses(Instance(name="m", matrix=skewed, demands=[0, 1, 1], capacity=2))
    assert Hgs().refuses(dacalns.read("A-n32-k5")) is None


@pytest.mark.parametrize("peer", [PyVrp(), OrTools()])
def test_who_needs_whole_numbers(peer: Peer) -> None:
    assert peer.refuses(dacalns.read("A-n32-k5")) is None
    assert peer.refuses(dacalns.read("R101")) is None
    assert peer.refuses(dacalns.read("R101", rounding="exact")) == "distances are not whole numbers"
    halves = dataclasses.replace(dacalns.read("A-n32-k5"), demands=dacalns.read("A-n32-k5").demands / 2)
    assert peer.refuses(halves) == "demands are not whole numbers"
    shifted = dacalns.read("R101").windows + 0.05
    assert peer.refuses(dacalns.read("R101").with_(windows=shifted)) == "windows are not whole numbers"


@pytest.mark.parametrize("peer", [PyVrp(), OrTools(), Hgs()])
def test_what_does_not_fit_the_memory_is_refused(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = dacalns.generate_cvrp(999, seed=1)
    assert peer.refuses(instance) is None
    monkeypatch.setattr(matrix_memory, "_free_memory", lambda: 20 * 2**20)
    assert "and 0.0 are free" in peer.refuses(instance)


def test_ours_refuses_nothing() -> None:
    assert OURS.refuses(dacalns.read("R101", rounding="exact")) is None


@missing("pyvrp")
def test_pyvrp_is_told_our_integers() -> None:
    instance = dacalns.read("R101")
    data = to_pyvrp(instance)
    assert np.array_equal(data.distance_matrix(0), instance.distances)
    assert np.array_equal(data.duration_matrix(0), instance.distances)
    assert data.num_vehicles == 25
    first = data.clients()[0]
    assert (first.tw_early, first.tw_late, first.service_duration, first.delivery) == (1610, 1710, 100, [10])
    assert (data.depots()[0].tw_early, data.depots()[0].tw_late) == (0, 2300)
    assert to_pyvrp(dacalns.generate_cvrp(9, seed=1)).num_vehicles == 9


def test_vehicles_for_or_tools() -> None:
    assert enough_vehicles(dacalns.read("A-n32-k5")) == 5
    assert enough_vehicles(dacalns.read("A-n32-k5", fleet="free")) == 9  # 410 in vehicles of 100: 5.33 and 3
    assert enough_vehicles(dacalns.generate_vrptw(12, seed=1)) == 12
    assert enough_vehicles(dacalns.generate_cvrp(2, route_length=1, seed=1)) == 2


def test_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert OURS.version() == dacalns.__version__
    for module in ("with_pyvrp", "with_ortools", "with_hgs"):
        monkeypatch.setattr(f"dacalns.bench.peers.{module}.installed_version", lambda _name: None)
    assert [peer.version() for peer in (PyVrp(), OrTools(), Hgs())] == [None, None, None]
