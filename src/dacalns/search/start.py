"""The start of a search: regret construction, savings, or routes that the user gives."""

import dataclasses
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from dacalns.core.construction import complete, place_routes, savings_routes
from dacalns.core.distances import as_operators_see, pairs_between
from dacalns.core.graph import Graph, build_graph
from dacalns.core.model import BANKED, USED, Problem, Solution, build_problem, empty_solution
from dacalns.core.plane import Plane
from dacalns.core.repairs import near_repair
from dacalns.core.rich import RichProblem, RichSolution
from dacalns.core.rich_insertions import place_given_routes
from dacalns.core.rng import seeded
from dacalns.core.terms import from_start_to_all, objective, vehicles_needed
from dacalns.instances import Instance
from dacalns.instances.distance_matrix import rule_of
from dacalns.instances.fields import CONTENT, Meaning, fields_with
from dacalns.instances.parts import VehicleType
from dacalns.search.checker import route_plans
from dacalns.search.rich_problem import Numbering, rich_problem, with_available
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.tolerance import time_tolerance

Routes = Sequence[Sequence[int]]


class Start(NamedTuple):
    """Routes to start from, and the vehicle type of each."""

    routes: Routes
    types: Sequence[int]


CONSTRUCTIONS = ("regret", "savings")

# A time that was divided by its unit, and multiplied with it again, is off by less.
EARLY = 1e-6

# Instances with more customers have no matrix unless they bring one.
MOST_STORED = 4000
# And with more than these, regret construction takes too long.
MOST_BY_REGRET = 4000
# Far more rounds than tight benchmark instances need, up to 100 customers; a round costs the square of the customers.
PACKING_ROUNDS = 5000


_problems: "WeakKeyDictionary[Instance, Problem]" = WeakKeyDictionary()
_numberings: "WeakKeyDictionary[Instance, Numbering]" = WeakKeyDictionary()
_graphs: "WeakKeyDictionary[Instance, dict[int, Graph]]" = WeakKeyDictionary()


def has_matrix(instance: Instance) -> bool:
    """Return True if the search of an instance reads its distances from a matrix, and False if it measures them."""
    return instance.matrix is not None or instance.customers <= MOST_STORED


def problem_of(instance: Instance) -> Problem:
    """The instance as the kernels see it, made once: search and selector share it."""
    problem = _problems.get(instance)  # in one step: an equal instance that it was made for may be gone at any moment
    if problem is None:
        problem = _problems[instance] = _problem(instance)
    return problem


def numbering_of(instance: Instance) -> Numbering:
    """How the kernels number the nodes of a rich instance."""
    problem_of(instance)
    return _numberings[instance]


def graph_of(instance: Instance, neighbours: int) -> Graph:
    """What networks see of the instance itself, made once for all searches of it."""
    graphs = _graphs.setdefault(instance, {})
    if neighbours not in graphs:
        graphs[neighbours] = build_graph(problem_of(instance), positions_of(instance), neighbours)
    return graphs[neighbours]


def positions_of(instance: Instance) -> npt.NDArray[np.float64] | None:
    """Return the places of depot and customers, numbered as in the kernels; None without coordinates."""
    if instance.coordinates is None or instance.is_plain:
        return instance.coordinates
    nodes = numbering_of(instance).node_of.copy()
    ends = (each for kind in instance.types for each in (kind.start_depot, kind.end_depot))
    nodes[0] = next((depot for depot in ends if depot is not None), 0)
    return instance.coordinates[nodes]


class _Limited(Instance):
    """An instance of whose vehicles, of several types, no more than so many may be used at once.

    What kernels see of it says so. It equals nothing but itself, so that they see no other instance like that.
    """

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


def with_fleet(instance: Instance, fleet: int) -> Instance:
    """The instance with another limit on vehicles of all types; what kernels see of it is not made anew."""
    if len(instance.types) > 1:
        known = fields_with(instance, *CONTENT, Meaning.ANNOTATION)
        limited: Instance = _Limited(**{name: getattr(instance, name) for name in known})
    elif instance.vehicle_types:
        [kind] = instance.vehicle_types
        limited = instance.with_(vehicle_types=(dataclasses.replace(kind, num_available=fleet),))
    else:
        limited = instance.with_(fleet=fleet)
    problem = problem_of(instance)
    if not instance.is_plain:
        _numberings[limited] = numbering_of(instance)
    _problems[limited] = with_vehicles(problem, fleet)
    return limited


def with_vehicles(problem: Problem, vehicles: int) -> Problem:
    """The problem with another limit on vehicles of all types; of several types, none may load again."""
    return with_available(problem, vehicles) if isinstance(problem, RichProblem) else problem._replace(fleet=vehicles)


def vehicles_in(solution: Solution) -> int:
    """How many vehicles a solution has; each may make several trips."""
    return int(solution.taken.sum() if isinstance(solution, RichSolution) else solution.counts[USED])


def _problem(instance: Instance) -> Problem:
    if not instance.is_plain:
        problem, _numberings[instance] = rich_problem(instance)
        return problem
    fleet = instance.customers if instance.fleet is None else min(instance.fleet, instance.customers)
    return build_problem(
        instance.distances if has_matrix(instance) else _plane(instance),
        instance.demands,
        instance.capacity,
        fleet,
        instance.scaled_windows,
        instance.scaled_service,
        instance.symmetric,
    )


def _plane(instance: Instance) -> Plane:
    assert instance.coordinates is not None, "an instance has coordinates or a matrix"
    return Plane(instance.coordinates, *rule_of(instance.rounding))


def first_solution(instance: Instance, start: Routes | Start | None, construction: str = "regret") -> Solution:
    """The start of a search of an instance, see `start_solution`."""
    problem = problem_of(instance)
    routes, types = start if isinstance(start, Start) else (start, None)
    if instance.is_plain:
        return start_solution(problem, routes, construction)
    solution = empty_solution(problem)
    if routes is not None:
        place_in(instance, problem, solution, *checked_start(instance, routes, types))
    complete(problem, solution, empty_solution(problem, solution), 0, seeded(0))
    return solution


def place_in(
    instance: Instance, problem: Problem, solution: Solution, routes: list[list[int]], types: list[int]
) -> None:
    """Serve waiting customers of a rich problem by these routes, as far as that is feasible."""
    visits, sizes = numbering_of(instance).visits(routes, _windows_used(instance, problem, routes, types))
    place_given_routes(problem, solution, visits, sizes, np.array(types, dtype=np.int64))


def _windows_used(instance: Instance, problem: Problem, routes: Routes, types: Sequence[int]) -> dict[int, int]:
    """Which customers of the kernels stand for nodes with several windows, as the checker times the routes."""
    if not instance.more_windows:
        return {}
    customers_of, used = numbering_of(instance).customers_of, dict[int, int]()
    closes = problem.closes + time_tolerance(0.0, problem.closes)
    for plan in route_plans(instance, routes, types):
        for stop in plan.stops:
            begins = stop.start * instance.scale
            for customer in customers_of.get(stop.node, []):
                if problem.opens[customer] <= begins + EARLY and begins <= closes[customer]:
                    used[stop.node] = customer
    return used


def start_solution(problem: Problem, routes: Routes | None, construction: str = "regret") -> Solution:
    """The start of a plain problem: ``routes`` as far as they are feasible, completed by regret insertion and packing.

    A feasible start is kept as it is. Of an infeasible one, customers that break a limit are inserted elsewhere.
    Without routes, the better of two constructions: from one seed for each route, or from nothing. Or by savings: if
    asked for, unless they leave customers over and one of the others is better; and on large instances, where the
    others would take minutes. There, insertion looks at near neighbours first.
    """
    problem = as_operators_see(problem)
    if routes is not None:
        return _completed(problem, _checked(routes, len(problem.demand) - 1))
    starts = []
    large = is_large(len(problem.demand) - 1)
    if large or construction == "savings":
        starts.append(_completed(problem, savings_routes(problem)[: problem.fleet]))
        if large or not starts[0].counts[BANKED]:
            return starts[0]
    starts += _completed(problem, _seeds(problem)), _completed(problem, [])
    return min(starts, key=lambda solution: float(objective(problem, solution)))


def is_large(customers: int) -> bool:
    """Return True if so many customers are started by savings, as regret construction would take too long."""
    return customers > MOST_BY_REGRET


def tiny_instance() -> Instance:
    """Enough to compile with."""
    return Instance(name="tiny", coordinates=[[0, 0], [1, 0], [2, 0]], demands=[0, 1, 1], capacity=1)  # type: ignore[arg-type]


def tiny_rich_instance() -> Instance:
    """The same, with a vehicle type."""
    tiny = tiny_instance()
    return tiny.with_(vehicle_types=(VehicleType(num_available=2, capacity=(1.0,), fixed_cost=1.0),))


@cache
def load_construction(construction: str) -> None:
    """Compile what a construction needs besides, or load it from the cache."""
    if construction == "savings":
        savings_routes(as_operators_see(problem_of(tiny_instance())))


def _completed(problem: Problem, routes: list[list[int]]) -> Solution:
    solution = empty_solution(problem)
    visits, sizes = list(chain.from_iterable(routes)), [len(route) for route in routes]
    place_routes(problem, solution, np.array(visits, dtype=np.int64), np.array(sizes, dtype=np.int64))
    if is_large(len(problem.demand) - 1):
        near_repair(problem, solution, seeded(0))
    rounds = PACKING_ROUNDS * min(1, (100 / len(problem.demand)) ** 2)
    complete(problem, solution, empty_solution(problem, solution), max(20, int(rounds)), seeded(0))
    return solution


def _seeds(problem: Problem) -> list[list[int]]:
    """As many customers as the demand needs routes, each far from the depot and from the seeds before it.

    Regret insertion alone opens its first routes next to the depot and ends some 30 % above the best-known values;
    with seeds it ends near 10 %.
    """
    nodes = np.arange(len(problem.demand))
    nearest = from_start_to_all(problem).copy()
    seeds: list[list[int]] = []
    for _ in range(min(vehicles_needed(problem), problem.fleet)):
        seed = int(nearest.argmax())
        if nearest[seed] <= 0:
            break
        seeds.append([seed])
        np.minimum(nearest, pairs_between(problem, np.full_like(nodes, seed), nodes), out=nearest)
    return seeds


def checked_start(instance: Instance, routes: Routes, types: Sequence[int] | None) -> tuple[list[list[int]], list[int]]:
    """The non-empty routes of a start for a rich instance, and their vehicle types, all of them valid.

    Without types, all vehicles must be alike.
    """
    reloads = instance.depots > 1 or any(each.reload_depots for each in instance.types)
    checked = _checked(routes, len(instance.demands) - 1, instance.depots, 0 if reloads else 1)
    if types is None:
        if len(instance.types) > 1:
            raise InputError(
                f"start: the routes have no vehicle types, and {shown(instance.name)} has {len(instance.types)}; "
                "expected a .sol file in which route k is that of vehicle k; write one."
            )
        return checked, [0] * len(checked)
    used = [kind for kind, route in zip(types, routes, strict=True) if len(route)]
    return checked, used


def _checked(routes: Routes, customers: int, depots: int = 1, least: int = 1) -> list[list[int]]:
    """The non-empty routes as lists, with every number valid and none twice; depots inside routes may repeat."""
    seen: set[int] = set()
    checked = []
    try:
        plain = [list(route) for route in routes]
    except TypeError:
        raise InputError(f"start is {shown(routes)}; expected a list of lists of customers, or a .sol file.") from None
    for number, route in enumerate(plain, start=1):
        for customer in route:
            if not hasattr(customer, "__index__"):
                raise InputError(f"start: route {number} has {shown(customer)}; expected customers 1 to {customers}.")
            if not least <= customer <= customers:
                raise InputError(
                    f"start: route {number} has customer {customer}; expected 1 to {customers}; "
                    "is this a solution of another instance?"
                )
            if customer < depots:
                continue
            if customer in seen:
                raise InputError(f"start: customer {customer} is visited twice; expected once; remove one visit.")
            seen.add(customer)
        if route:
            checked.append([int(customer) for customer in route])
    return checked


def answer_of(instance: Instance, solution: Solution) -> tuple[list[list[int]], list[int]]:
    """The routes as plain lists of nodes, and their vehicle types."""
    if instance.is_plain:
        routes = routes_of(solution)
        return routes, [0] * len(routes)
    return numbering_of(instance).answer(solution)


def waiting_in(instance: Instance, solution: Solution) -> tuple[list[int], list[int]]:
    """The nodes that must be visited and are not, and those that may be left out and are."""
    if instance.is_plain:
        return sorted(int(customer) for customer in solution.bank[: solution.counts[BANKED]]), []
    waiting = numbering_of(instance).waiting(solution)
    required = instance.required.copy()
    for group in instance.groups:
        required[list(group.customers)] = group.required
    return [node for node in waiting if required[node]], [node for node in waiting if not required[node]]


def unvisited_in(instance: Instance, solution: Solution) -> list[int]:
    """The nodes that no route visits, whether they must be visited or not."""
    if instance.is_plain:
        return waiting_in(instance, solution)[0]
    visited = {node for route in answer_of(instance, solution)[0] for node in route}
    return [node for node in instance.customer_nodes if node not in visited]


def routes_of(solution: Solution) -> list[list[int]]:
    """The routes as plain lists, in the order of their first customers."""
    routes = []
    for number in range(int(solution.counts[USED])):
        route, node = [], int(solution.first[number])
        while node:
            route.append(node)
            node = int(solution.succ[node])
        routes.append(route)
    return sorted(routes)
