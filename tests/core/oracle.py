"""Slow, plain-Python twins of the kernels, on lists of customers, and the instances to compare them on.

Nothing here calls a kernel: a route is walked from the depot and back for every question that is asked.
"""

import math
from itertools import chain, pairwise

import numpy as np

from dacalns.core.model import BANKED, USED, Problem, Solution, build_problem, empty_solution
from dacalns.core.routes import insert
from dacalns.instances import Instance
from dacalns.search.start import problem_of

MASK = (1 << 64) - 1
Route = list[int]


class Xoshiro:
    """The reference xoshiro256++ (Blackman and Vigna), seeded by splitmix64, on Python's whole numbers."""

    def __init__(self, seed: int) -> None:
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            z = seed
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            self.state.append(z ^ (z >> 31))

    def next(self) -> int:
        s = self.state
        result = (self._rotated(s[0] + s[3], 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self._rotated(s[3], 45)
        return result

    @staticmethod
    def _rotated(x: int, by: int) -> int:
        x &= MASK
        return ((x << by) | (x >> (64 - by))) & MASK


# --- instances ---------------------------------------------------------------------------------------------------


def random_instance(
    seed: int,
    customers: int = 8,
    *,
    timed: bool = False,
    tight: bool = False,
    rounding: str = "exact",
    matrix: bool = False,
) -> Instance:
    """Customers anywhere in a square; ``tight`` leaves as few vehicles as the demand needs.

    Every customer alone can be served in time. An explicit matrix is asymmetric and far from metric.
    """
    rng = np.random.default_rng(seed)
    nodes = customers + 1
    points = rng.uniform(0, 50, (nodes, 2))
    demands = np.r_[0, rng.integers(1, 10, customers)]
    capacity = max(float(demands.max()), math.ceil(demands.sum() / max(2, customers // 3)))
    explicit = rng.uniform(1, 60, (nodes, nodes)) if matrix else None
    windows, service = None, np.zeros(nodes)
    if timed:
        service[1:] = rng.integers(0, 6, customers)
        reach = explicit if explicit is not None else np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
        earliest, horizon = np.ceil(reach[0]) + 1, 200.0
        latest = np.floor(horizon - reach[:, 0] - service) - 1
        opens = np.floor(earliest + rng.uniform(0, 0.7, nodes) * (latest - earliest))
        closes = np.minimum(latest, opens + rng.integers(5, 60, nodes))
        windows = np.column_stack([opens, closes])
        windows[0] = 0.0, horizon
    fleet = math.ceil(demands.sum() / capacity) if tight else None
    return Instance(
        name=f"random-{seed}",
        coordinates=None if matrix else points,
        matrix=explicit,
        demands=demands,
        capacity=capacity,
        windows=windows,
        service=service,
        fleet=fleet,
        rounding=rounding,
    )


# With windows and without, directions alike or not, fractions and whole numbers.
KINDS: list[dict[str, object]] = [
    {},
    {"timed": True},
    {"matrix": True},
    {"timed": True, "matrix": True},
    {"rounding": "round"},
    {"timed": True, "rounding": "dimacs"},
]


def random_problem(seed: int, customers: int = 8, **kind: object) -> Problem:
    return problem_of(random_instance(seed, customers, **kind))  # type: ignore[arg-type]


def on_a_line(points: list[float], capacity: float = 1e9) -> Problem:
    """Nodes at these places on a line, the depot first, every demand one."""
    distance = np.abs(np.subtract.outer(points, points))
    nodes = len(points)
    return build_problem(distance, np.r_[0.0, np.ones(nodes - 1)], capacity, nodes - 1, None, np.zeros(nodes), True)


def filled(problem: Problem, seed: int = 0, share: float = 1.0) -> Solution:
    """A feasible solution by no rule at all: customers in random order, each at the first place that takes it."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(np.arange(1, len(problem.demand)))
    routes: list[Route] = []
    for customer in order[: round(share * len(order))].tolist():
        for route in [*routes, []]:
            if route or len(routes) < problem.fleet:
                longer = [*route, customer]
                if feasible(problem, longer):
                    if route:
                        routes[routes.index(route)] = longer
                    else:
                        routes.append(longer)
                    break
    return solution_of(problem, routes)


def solution_of(problem: Problem, routes: list[Route]) -> Solution:
    """The routes as arrays. Written front to back, so that every beginning of a route has to be feasible too."""
    solution = empty_solution(problem)
    for number, route in enumerate(routes):
        for after, customer in pairwise([0, *route]):
            assert insert(problem, solution, customer, number, after)
    return solution


def routes_in(solution: Solution) -> list[Route]:
    """The routes in the order of their numbers."""
    routes = []
    for number in range(int(solution.counts[USED])):
        route, node = [], int(solution.first[number])
        while node:
            route.append(node)
            assert len(route) < len(solution.succ), "a route runs in a circle"
            node = int(solution.succ[node])
        routes.append(route)
    return routes


def bank_of(solution: Solution) -> list[int]:
    return [int(customer) for customer in solution.bank[: solution.counts[BANKED]]]


# --- measuring ---------------------------------------------------------------------------------------------------


def length(problem: Problem, route: Route) -> float:
    return math.fsum(float(problem.distance[edge]) for edge in pairwise([0, *route, 0])) if route else 0.0


def starts(problem: Problem, route: Route) -> list[float]:
    """The start of service of each customer, then the arrival at the depot, leaving as early as possible."""
    clock, begun = float(problem.opens[0]), []
    for here, there in pairwise([0, *route, 0]):
        clock = clock + float(problem.distance[here, there])
        if there:
            clock = max(clock, float(problem.opens[there]))
        begun.append(clock)
        clock += float(problem.service[there])
    return begun


def in_time(problem: Problem, route: Route) -> bool:
    if not problem.timed or not route:
        return True
    slack = 1e-9 * problem.closes[0]
    return all(
        start <= problem.closes[node] + slack for node, start in zip([*route, 0], starts(problem, route), strict=True)
    )


def feasible(problem: Problem, route: Route) -> bool:
    return sum(problem.demand[route]) <= problem.capacity and in_time(problem, route)


def latest_starts(problem: Problem, route: Route) -> list[float]:
    """Until when each customer's service may begin for the rest of the route to be in time."""
    late, begun = float(problem.closes[0]), []
    for here, there in pairwise(reversed([*route, 0])):
        late = late - float(problem.distance[there, here]) - float(problem.service[there])
        late = min(late, float(problem.closes[there]))
        begun.append(late)
    return begun[::-1]


def cheapest(problem: Problem, route: Route, customer: int) -> tuple[float, int]:
    """The least added length, and the place: the number of customers before it."""
    best, where = math.inf, 0
    for place in range(len(route) + 1):
        longer = [*route[:place], customer, *route[place:]]
        delta = length(problem, longer) - length(problem, route)
        if delta < best and feasible(problem, longer):
            best, where = delta, place
    return best, where


def options(problem: Problem, routes: list[Route], customer: int) -> list[tuple[float, int, int]]:
    """(added length, route, place) of each route that can take the customer, cheapest first."""
    candidates = [*routes, []] if len(routes) < problem.fleet else routes
    found = [(*cheapest(problem, route, customer), number) for number, route in enumerate(candidates)]
    return sorted((delta, number, place) for delta, place, number in found if delta < math.inf)


# --- operators, everything computed anew at every step -----------------------------------------------------------


def naive_fill(problem: Problem, routes: list[Route], bank: list[int], depth: int) -> tuple[list[Route], list[int]]:
    """Greedy (1) or regret insertion; what is missing to ``depth`` options counts as the penalty."""
    routes, bank = [list(route) for route in routes], list(bank)
    while True:
        merits = []
        for customer in bank:
            found = options(problem, routes, customer)
            if found:
                costs = [delta for delta, _, _ in found] + [problem.penalty] * depth
                merit = -costs[0] if depth == 1 else sum(cost - costs[0] for cost in costs[1:depth])
                merits.append((merit, customer, found[0]))
        if not merits:
            return routes, bank
        _, customer, (_, number, place) = max(merits)
        if number == len(routes):
            routes.append([])
        routes[number].insert(place, customer)
        bank.remove(customer)


def naive_worst(problem: Problem, routes: list[Route], count: int) -> list[Route]:
    """Take out, ``count`` times, the customer without whom the routes are shortest."""
    routes = [list(route) for route in routes]
    for _ in range(count):
        savings = [
            (length(problem, route) - length(problem, [other for other in route if other != customer]), customer)
            for route in routes
            for customer in route
        ]
        if savings:
            routes = [[customer for customer in route if customer != max(savings)[1]] for route in routes]
    return [route for route in routes if route]


# --- the invariant -----------------------------------------------------------------------------------------------


def require_consistent(problem: Problem, solution: Solution) -> None:
    """Every array says the same as the linked lists, and the linked lists say something feasible."""
    routes, bank = routes_in(solution), bank_of(solution)
    customers = range(1, len(problem.demand))
    assert sorted([*chain(*routes), *bank]) == list(customers)
    assert len(routes) <= problem.fleet
    assert all(routes), "a route in use is empty"
    assert not solution.dirty.any()
    assert [int(solution.slot[customer]) for customer in bank] == list(range(len(bank)))
    assert all(solution.route[customer] == -1 for customer in bank)
    for number in range(len(routes), problem.fleet + 1):
        row = solution.first[number], solution.last[number], solution.size[number]
        assert row == (0, 0, 0)
        assert (solution.load[number], solution.length[number]) == (0, 0)
    for number, route in enumerate(routes):
        assert (solution.first[number], solution.last[number]) == (route[0], route[-1])
        assert solution.size[number] == len(route)
        assert [int(solution.pred[node]) for node in route] == [0, *route[:-1]]
        assert [int(solution.succ[node]) for node in route] == [*route[1:], 0]
        assert set(solution.route[route]) == {number}
        legs = [float(problem.distance[edge]) for edge in pairwise([0, *route])]
        assert solution.leg[route].tolist() == legs
        np.testing.assert_allclose(solution.load[number], sum(problem.demand[route]))
        np.testing.assert_allclose(solution.length[number], length(problem, route), atol=1e-7)
        assert sum(problem.demand[route]) <= problem.capacity
        if problem.timed:
            ends = np.array(starts(problem, route)[:-1]) + problem.service[route]
            np.testing.assert_allclose(solution.depart[route], ends, atol=1e-7)
            np.testing.assert_allclose(solution.latest[route], latest_starts(problem, route), atol=1e-7)
            assert in_time(problem, route), f"route {route} is late"
    if problem.timed:
        assert (solution.depart[0], solution.latest[0]) == (problem.opens[0], problem.closes[0])
