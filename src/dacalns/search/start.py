"""Where a search starts: regret construction, savings, or routes that the user gives."""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np

from dacalns.core.construction import complete, place_routes, savings_routes
from dacalns.core.distances import as_operators_see, pairs_between
from dacalns.core.graph import Graph, build_graph
from dacalns.core.model import BANKED, USED, Problem, Solution, build_problem, empty_solution
from dacalns.core.plane import Plane
from dacalns.core.repairs import near_repair
from dacalns.core.rng import seeded
from dacalns.core.terms import from_start_to_all, objective, vehicles_needed
from dacalns.instances import Instance
from dacalns.instances.distance_matrix import rule_of
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

Routes = Sequence[Sequence[int]]
CONSTRUCTIONS = ("regret", "savings")

# Instances with more customers have no matrix unless they bring one.
MOST_STORED = 4000
# And with more than these, regret construction takes too long.
MOST_BY_REGRET = 4000
# Far more rounds than tight benchmark instances need, up to 100 customers; a round costs the square of the customers.
PACKING_ROUNDS = 5000


_problems: "WeakKeyDictionary[Instance, Problem]" = WeakKeyDictionary()
_graphs: "WeakKeyDictionary[Instance, dict[int, Graph]]" = WeakKeyDictionary()


def has_matrix(instance: Instance) -> bool:
    """Whether the search of this instance reads its distances from a matrix; else it measures them."""
    return instance.matrix is not None or instance.customers <= MOST_STORED


def problem_of(instance: Instance) -> Problem:
    """The instance as the kernels see it, made once: search and selector share it."""
    problem = _problems.get(instance)  # in one step: an equal instance that it was made for may be gone at any moment
    if problem is None:
        problem = _problems[instance] = _problem(instance)
    return problem


def graph_of(instance: Instance, neighbours: int) -> Graph:
    """What networks see of the instance itself, made once for all searches of it."""
    graphs = _graphs.setdefault(instance, {})
    if neighbours not in graphs:
        graphs[neighbours] = build_graph(problem_of(instance), instance.coordinates, neighbours)
    return graphs[neighbours]


def with_fleet(instance: Instance, fleet: int) -> Instance:
    """The instance with another limit on the number of routes; what the kernels see of it is not made anew."""
    limited = instance.with_(fleet=fleet)
    _problems[limited] = problem_of(instance)._replace(fleet=fleet)
    return limited


def _problem(instance: Instance) -> Problem:
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


def start_solution(problem: Problem, routes: Routes | None, construction: str = "regret") -> Solution:
    """The start: ``routes`` as far as they are feasible, completed by regret-2 insertion and, if need be, by packing.

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
    """Whether an instance of so many customers is started by savings, since regret construction would take too long."""
    return customers > MOST_BY_REGRET


def tiny_instance() -> Instance:
    """Enough to compile with."""
    return Instance(name="tiny", coordinates=[[0, 0], [1, 0], [2, 0]], demands=[0, 1, 1], capacity=1)  # type: ignore[arg-type]


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


def _checked(routes: Routes, customers: int) -> list[list[int]]:
    """The non-empty routes as lists, with every number valid and none twice."""
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
            if not 1 <= customer <= customers:
                raise InputError(
                    f"start: route {number} has customer {customer}; expected 1 to {customers}; "
                    "is this a solution of another instance?"
                )
            if customer in seen:
                raise InputError(f"start: customer {customer} is visited twice; expected once; remove one visit.")
            seen.add(customer)
        if route:
            checked.append([int(customer) for customer in route])
    return checked


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
