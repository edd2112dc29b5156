"""Problems come from PyVRP and go there with the same costs; PyVRP judges."""

import random
from typing import Any

import numpy as np
import pytest

import dacalns
from dacalns import InputError, from_pyvrp, from_pyvrp_solution, to_pyvrp, to_pyvrp_solution
from dacalns.instances import Group, Instance, VehicleType, generate_rich, pyvrp_data
from dacalns.instances.features import BACKHAULS_LAST, FEATURES, PAIRS, PLAIN, PRIORITIES
from dacalns.instances.pyvrp_data import FORBIDDEN

pyvrp: Any = pytest.importorskip("pyvrp")

INFINITE = float("inf")
ONE = np.array([[0, 5, 6, 7], [5, 0, 3, 4], [6, 3, 0, 5], [7, 4, 5, 0]])
TRICKS = {"open-routes", "several-windows", "stop-limits", "restrictions", "backhauls-last", "profiles"}


def data(**changes: Any) -> Any:
    """A depot and three clients, with a change."""
    fields: dict[str, Any] = {
        "locations": [pyvrp.Location(place, 0) for place in range(4)],
        "clients": [pyvrp.Client(place, delivery=[1]) for place in (1, 2, 3)],
        "depots": [pyvrp.Depot(0)],
        "vehicle_types": [pyvrp.VehicleType(num_available=2, capacity=[2])],
        "distance_matrices": [ONE],
        "duration_matrices": [2 * ONE],
    }
    return pyvrp.ProblemData(**fields | changes)


def cost(problem: Any, solution: Any) -> int:
    evaluator = pyvrp.CostEvaluator([1.0] * problem.num_load_dimensions, 1, 1)
    return int(evaluator.cost(solution))


def drawn(seed: int) -> Instance:
    dice = random.Random(seed)
    features = set(dice.sample([each for each in FEATURES if each != PRIORITIES], dice.choice([1, 2, 3, 5])))
    if {PAIRS, BACKHAULS_LAST} <= features:
        features.discard(PAIRS)
    return generate_rich(dice.randint(7, 12), features, seed)


def sayable(instance: Instance) -> Any:
    try:
        return to_pyvrp(instance)
    except InputError as error:
        if "which PyVRP cannot say" not in str(error):
            raise
        return None


@pytest.mark.parametrize("seed", range(60))
def test_solutions_go_both_ways_at_the_same_cost(seed: int) -> None:
    instance = drawn(seed)
    problem = sayable(instance)
    if problem is None:
        return
    best = pyvrp.solve(problem, pyvrp.stop.MaxIterations(60), seed=1, display=False).best
    routes, types = from_pyvrp_solution(best, instance)
    again = to_pyvrp_solution(instance, problem, routes, types)
    assert again.is_feasible() == best.is_feasible()
    assert cost(problem, again) <= cost(problem, best)  # of several windows, PyVRP may take a worse one
    assert again.distance() == best.distance()
    assert from_pyvrp_solution(again, instance) == (routes, types)


@pytest.mark.parametrize("seed", range(60))
def test_a_problem_comes_back_with_the_same_costs(seed: int) -> None:
    instance = drawn(seed)
    problem = sayable(instance)
    if problem is None:
        return
    back = from_pyvrp(problem, instance.name)
    if not instance.features & TRICKS:
        assert back.features <= instance.features
        assert back.customers == instance.customers
        assert np.array_equal(back.demands, instance.demands)
    best = pyvrp.solve(problem, pyvrp.stop.MaxIterations(30), seed=1, display=False).best
    routes, types = from_pyvrp_solution(best, back)
    again = to_pyvrp(back)
    assert cost(again, to_pyvrp_solution(back, again, routes, types)) == cost(problem, best)


@pytest.mark.parametrize("name", ["A-n32-k5", "R101"])
def test_a_plain_instance_stays_plain(name: str) -> None:
    instance = dacalns.read(name)
    back = from_pyvrp(to_pyvrp(instance), name)
    assert back.is_plain
    assert (back.features, back.fleet, back.capacity) == (instance.features, instance.fleet, instance.capacity)
    assert np.array_equal(back.distances, instance.distances)
    if instance.scaled_windows is not None:
        assert back.windows is not None
        assert np.array_equal(back.windows, instance.scaled_windows)


def test_vehicles_hours_become_the_depots() -> None:
    clients = [pyvrp.Client(place, delivery=[1], tw_early=5, tw_late=60) for place in (1, 2, 3)]
    kind = pyvrp.VehicleType(num_available=2, capacity=[2], tw_early=0, tw_late=80)
    instance = from_pyvrp(data(clients=clients, vehicle_types=[kind], duration_matrices=[ONE]))
    assert instance.features == PLAIN
    assert instance.windows is not None
    assert instance.windows[0].tolist() == [0, 80]


def test_durations_count_only_where_time_does() -> None:
    assert from_pyvrp(data()).is_plain
    kind = pyvrp.VehicleType(num_available=2, capacity=[2], unit_duration_cost=1)
    instance = from_pyvrp(data(vehicle_types=[kind]))
    assert instance.features == {"durations", "duration-costs"}
    assert instance.durations is not None
    assert np.array_equal(instance.durations, 2 * ONE)


def test_every_field_arrives() -> None:
    kinds = [
        pyvrp.VehicleType(
            num_available=3, capacity=[2, 9], start_depot=0, end_depot=1, fixed_cost=7, tw_early=1, tw_late=90,
            shift_duration=60, max_distance=70, unit_distance_cost=2, unit_duration_cost=3, profile=1, start_late=20,
            initial_load=[1, 0], reload_depots=[1, 0, 1], max_reloads=2, max_overtime=5, unit_overtime_cost=4,
        ),
        pyvrp.VehicleType(capacity=[5, 5], profile=0),
    ]  # fmt: skip
    problem = data(
        locations=[pyvrp.Location(place, place) for place in range(4)],
        depots=[pyvrp.Depot(0), pyvrp.Depot(3, tw_early=2, tw_late=80, service_duration=6)],
        clients=[
            pyvrp.Client(1, [1, 2], [3, 4], 5, 6, 70, 8, 9, False),
            pyvrp.Client(2, [0, 0], [0, 0], required=False, group=0, prize=3),
            pyvrp.Client(2, [0, 0], [0, 0], required=False, group=0),
        ],
        groups=[pyvrp.ClientGroup([1, 2], required=False)],
        shipments=[pyvrp.Shipment(1, 2, 3, 40, 4, 5, 60, 6, [1, 1], 7, False)],
        vehicle_types=kinds,
        distance_matrices=[ONE, 3 * ONE],
        duration_matrices=[2 * ONE, 4 * ONE],
    )
    instance = from_pyvrp(problem, "all")
    assert instance.vehicle_types[0] == VehicleType(
        num_available=3, capacity=(2.0, 9.0), start_depot=0, end_depot=1, fixed_cost=7.0, tw_early=1.0, tw_late=90.0,
        shift_duration=60.0, max_distance=70.0, unit_distance_cost=2.0, unit_duration_cost=3.0, profile=1,
        start_late=20.0, initial_load=(1.0, 0.0), reload_depots=(1, 0), max_reloads=2.0, max_overtime=5.0,
        unit_overtime_cost=4.0,
    )  # fmt: skip
    assert instance.name == "all"
    assert (instance.depots, instance.customers) == (2, 5)
    assert instance.demands[2:].tolist() == [[1, 2], [0, 0], [0, 0], [1, 1], [0, 0]]
    assert instance.pickups is not None
    assert instance.pickups[2].tolist() == [3, 4]
    assert instance.service.tolist() == [0, 6, 5, 0, 0, 4, 6]
    assert instance.windows is not None
    assert instance.windows[[1, 2, 5, 6]].tolist() == [[2, 80], [6, 70], [3, 40], [5, 60]]
    assert instance.releases is not None
    assert instance.releases[2] == 8
    assert instance.prizes is not None
    assert instance.prizes.tolist() == [0, 0, 9, 3, 0, 7, 0]
    assert instance.optional is not None
    assert instance.optional.tolist() == [False, False, True, False, False, True, True]
    assert instance.groups == (Group(customers=(3, 4), required=False),)
    assert instance.pairs is not None
    assert instance.pairs.tolist() == [[5, 6]]
    for number, factor in ((instance.vehicle_types[0].profile, 3), (instance.vehicle_types[1].profile, 1)):
        assert instance.distances_of(number)[0, 2] == factor * ONE[0, 1]
        assert instance.durations_of(number)[0, 2] == (factor + 1) * ONE[0, 1]
    assert to_pyvrp(instance) is not None


def test_forbidden_clients_are_a_restriction() -> None:
    shut = ONE.copy()
    shut[2, :] = shut[:, 2] = FORBIDDEN
    np.fill_diagonal(shut, 0)
    kinds = [pyvrp.VehicleType(capacity=[2], profile=each) for each in (0, 1)]
    instance = from_pyvrp(data(vehicle_types=kinds, distance_matrices=[shut, ONE], duration_matrices=[shut, ONE]))
    assert instance.vehicle_types[0].allowed_customers == (1, 3)
    assert instance.vehicle_types[1].allowed_customers is None
    assert instance.profiles == ()
    assert np.array_equal(instance.distances, ONE)


def test_vehicles_do_not_go_where_they_may_not() -> None:
    kinds = (VehicleType(capacity=(9,), allowed_customers=(1, 2)), VehicleType(capacity=(9,)))
    instance = Instance(name="mine", matrix=ONE, demands=[0, 1, 1, 1], vehicle_types=kinds)  # type: ignore[arg-type]
    problem = to_pyvrp(instance)
    assert not to_pyvrp_solution(instance, problem, [[1, 3], [2]], [0, 1]).is_feasible()
    assert to_pyvrp_solution(instance, problem, [[2], [1, 3]], [0, 1]).is_feasible()


def test_backhauls_come_last() -> None:
    instance = Instance(
        name="mine", matrix=ONE, demands=[0, 1, 1, 0], pickups=[0, 0, 0, 2], capacity=3, backhauls_last=True,  # type: ignore[arg-type]
    )  # fmt: skip
    problem = to_pyvrp(instance)
    for routes, feasible in (([[1, 2, 3]], True), ([[1, 3, 2]], False), ([[3], [1, 2]], False), ([[1], [2, 3]], True)):
        assert to_pyvrp_solution(instance, problem, routes, [0] * len(routes)).is_feasible() == feasible


def test_open_routes_begin_at_their_first_customer() -> None:
    kinds = (VehicleType(num_available=2, capacity=(9,), start_depot=None, end_depot=None, unit_duration_cost=1.0),)
    instance = Instance(name="mine", matrix=ONE, demands=[0, 1, 1, 1], service=[0, 1, 1, 1], vehicle_types=kinds)  # type: ignore[arg-type]
    problem = to_pyvrp(instance)
    solution = to_pyvrp_solution(instance, problem, [[1, 2, 3]], [0])
    assert (solution.distance(), solution.duration()) == (8, 11)


def test_a_limit_on_stops() -> None:
    kinds = (VehicleType(num_available=3, capacity=(9,), max_stops=2.0),)
    instance = Instance(name="mine", matrix=ONE, demands=[0, 1, 1, 1], vehicle_types=kinds)  # type: ignore[arg-type]
    problem = to_pyvrp(instance)
    assert not to_pyvrp_solution(instance, problem, [[1, 2, 3]], [0]).is_feasible()
    assert to_pyvrp_solution(instance, problem, [[1, 2], [3]], [0, 0]).is_feasible()


def test_several_windows_are_judged_in_the_best_of_them() -> None:
    fields: dict[str, Any] = {"name": "mine", "matrix": ONE, "demands": [0, 1, 1, 1], "capacity": 9}
    instance = Instance(**fields, windows=[[0, 99], [40, 45], [5, 9], [0, 99]], more_windows=[(2, 50, 60), (2, 70, 90)])
    problem = to_pyvrp(instance)
    assert problem.num_clients == 5
    for routes, feasible in (([[1, 2, 3]], True), ([[2, 1, 3]], True), ([[3, 1, 2]], True), ([[1, 2], [3]], True)):
        solution = to_pyvrp_solution(instance, problem, routes, [0] * len(routes))
        assert (solution.is_feasible(), solution.is_complete()) == (feasible, True)
        assert from_pyvrp_solution(solution, instance)[0] == routes
    assert not to_pyvrp_solution(instance, problem, [[1, 3]], [0]).is_complete()


def test_prizes_of_a_group_count_each() -> None:
    clients = [pyvrp.Client(place, required=False, group=0, prize=7 * place) for place in (1, 2)]
    problem = data(
        clients=clients, groups=[pyvrp.ClientGroup([0, 1])], vehicle_types=[pyvrp.VehicleType()],
    )  # fmt: skip
    instance = from_pyvrp(problem)
    assert instance.prizes is not None
    assert instance.prizes.tolist() == [0, 7, 14]
    again = to_pyvrp(instance)
    assert cost(again, to_pyvrp_solution(instance, again, [[1]], [0])) == 10 + 14


def test_groups_of_one_are_no_groups() -> None:
    clients = [pyvrp.Client(place, required=False, group=place - 1, prize=5) for place in (1, 2)]
    groups = [pyvrp.ClientGroup([0]), pyvrp.ClientGroup([1], required=False)]
    instance = from_pyvrp(data(clients=clients, groups=groups, vehicle_types=[pyvrp.VehicleType()]))
    assert instance.groups == ()
    assert instance.required.tolist() == [False, True, False]
    assert instance.prizes is not None
    assert instance.prizes.tolist() == [0, 0, 5]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"matrix": ONE / 4, "capacity": 3},
            "mine: a distance of node 0 is 1.25 in scaled units; expected a whole number",
        ),
        ({"matrix": ONE, "capacity": 3, "service": [0, 0.5, 0, 0]}, "mine: service time of node 1 is 0.5"),
        (
            {"matrix": ONE, "vehicle_types": (VehicleType(capacity=(3,), unit_distance_cost=1.5),)},
            r"mine: unit_distance_cost of vehicle_types\[0\] is 1.5",
        ),
        (
            {"matrix": ONE, "capacity": 3, "optional": [0, 1, 0, 0], "priorities": [0, 1, 0, 0]},
            "mine: has priorities, which PyVRP cannot say",
        ),
        (
            {"matrix": ONE, "vehicle_types": (VehicleType(capacity=(3,), max_stops=3.0, reload_depots=(0,)),)},
            "mine: has max_stops together with pairs or reload_depots",
        ),
    ],
)
def test_what_pyvrp_cannot_say(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        to_pyvrp(Instance(name="mine", demands=[0, 1, 1, 1], **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("routes", "types", "sentence"),
    [
        ([[1, 2]], [0], "mine: PyVRP does not accept the routes: .*Shipment 0 has unpaired pickup and delivery"),
        ([[3, 1]], [0], "mine: PyVRP does not accept the routes: .*dacalns.check says all that is wrong"),
        ([[1, 3], [2], [2]], [0, 0, 0], "mine: PyVRP does not accept the routes: .*Client 0 is visited more than once"),
        ([[1, 0, 3]], [0], "mine: PyVRP does not accept the routes: .*trip"),
        ([[1, 4]], [0], "a node of route 1 is 4; expected a whole number from 0 to 3"),
        ([[-1]], [0], "a node of route 1 is -1"),
        ([["1"]], [0], "a node of route 1 is '1'"),
        ([[1, 3]], [1], "types of route 1 is 1; expected a whole number from 0 to 0"),
        ([[1, 3]], [], "types has 0 entries, and there are 1 routes; expected one for each"),
        (7, [0], r"routes is 7 and types is \[0\]; expected lists"),
    ],
)
def test_routes_that_pyvrp_does_not_accept(routes: Any, types: list[int], sentence: str) -> None:
    kind = VehicleType(num_available=3, capacity=(9,))
    instance = Instance(name="mine", matrix=ONE, demands=[0, 1, 1, 0], pairs=[[1, 3]], vehicle_types=(kind,))  # type: ignore[arg-type]
    problem = to_pyvrp(instance)
    with pytest.raises(InputError, match=sentence):
        to_pyvrp_solution(instance, problem, routes, types)
    assert to_pyvrp_solution(instance, problem, [[2], [], [0], [1, 3]], [0, 0, 0, 0]).is_feasible()


def test_what_we_cannot_say() -> None:
    with pytest.raises(InputError, match=r"pyvrp: fixed_cost of vehicle_types\[0\] is -5, a reward for each vehicle"):
        from_pyvrp(data(vehicle_types=[pyvrp.VehicleType(capacity=[2], fixed_cost=-5)]))
    with pytest.raises(InputError, match=r"data is 'A-n32-k5'; expected a pyvrp\.ProblemData"):
        from_pyvrp("A-n32-k5")


def test_without_pyvrp_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(pyvrp_data.importlib, "import_module", missing)
    with pytest.raises(InputError, match=r'install it with: pip install "pyvrp>=0.14"'):
        to_pyvrp(dacalns.read("A-n32-k5"))


def test_a_reload_where_the_type_may_not_is_refused_as_pyvrp_does_not_look_at_it() -> None:
    model = dacalns.Model("two depots")
    first, second = model.add_depot(0, 0), model.add_depot(9, 0)
    for x in (2, 4, 6):
        model.add_customer(x, 1, delivery=1)
    model.add_vehicle_type(capacity=2, reload_depots=[second], start_depot=first)
    instance = model.instance(rounding="round")
    data = to_pyvrp(instance)
    assert to_pyvrp_solution(instance, data, [[2, 3, 1, 4]], [0]).is_feasible()
    assert [each.kind for each in dacalns.check(instance, [[2, 3, 0, 4]], [0]).violations] == ["reload"]
    with pytest.raises(
        InputError, match="route 1 reloads at depot 0, which vehicle type 0 may not; expected one of 1;"
    ):
        to_pyvrp_solution(instance, data, [[2, 3, 0, 4]], [0])
