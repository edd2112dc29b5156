"""The problem and the solution of the pure-Python peer, as plain lists."""

import math
from dataclasses import dataclass
from itertools import pairwise

from dacalns.instances import Instance
from dacalns.search.portfolio import random_removal, worst_removal
from dacalns.search.start import Routes, problem_of
from dacalns.util.errors import InputError


@dataclass(frozen=True, eq=False)
class PlainProblem:
    """The data that the operators read: lists of Python floats, in scaled units."""

    distance: list[list[float]]
    demand: list[float]
    opens: list[float]
    closes: list[float]
    service: list[float]
    capacity: float
    fleet: int
    penalty: float
    unserved: list[float]
    timed: bool
    random_range: tuple[int, int]
    worst_range: tuple[int, int]


def plain_problem(instance: Instance) -> PlainProblem:
    """Return an instance as lists.

    Raises
    ------
    InputError
        If distances differ by direction, for which the peer would have to read two rows instead of one.
    """
    if not instance.symmetric:
        raise InputError(f"{instance.name}: distances differ by direction; expected the same both ways.")
    problem = problem_of(instance)
    return PlainProblem(
        distance=instance.distances.tolist(),
        demand=problem.demand.tolist(),
        opens=problem.opens.tolist(),
        closes=problem.closes.tolist(),
        service=problem.service.tolist(),
        capacity=problem.capacity,
        fleet=problem.fleet,
        penalty=problem.penalty,
        unserved=problem.unserved.tolist(),
        timed=problem.timed,
        random_range=random_removal.scale.customers(instance.customers),
        worst_range=worst_removal.scale.customers(instance.customers),
    )


class PlainState:
    """A solution with an ``objective``, as the ``alns`` package requires.

    A tour is a list of customers that ends with the depot, 0. So a position is named by the node that follows it, and
    the node before the one at ``k`` is ``tour[k - 1]``, even at the front.
    """

    __slots__ = ("depart", "latest", "legs", "loads", "problem", "tours", "value", "waiting")

    def __init__(self, problem: PlainProblem, nodes: int) -> None:
        self.problem = problem
        self.tours: list[list[int]] = []
        self.legs: list[list[float]] = []  # distance to each node of the tour from the one before
        self.loads: list[float] = []
        self.waiting: list[int] = []
        self.depart = [problem.opens[0]] * nodes  # earliest end of service
        self.latest = [problem.closes[0]] * nodes  # latest start of service that keeps the rest in time
        self.value = math.inf

    def objective(self) -> float:
        """Return the distance plus a penalty for each waiting customer, which is larger for larger demands."""
        return self.value

    def length(self) -> float:
        """Return the distance of all tours."""
        return sum(map(sum, self.legs))

    def routes(self) -> list[list[int]]:
        """Return the customers of each route, without the depot."""
        return [tour[:-1] for tour in self.tours]

    def evaluate(self) -> None:
        """Compute the objective once, because ``alns`` asks for it several times in an iteration."""
        problem = self.problem
        self.value = self.length()
        for customer in self.waiting:
            self.value += problem.unserved[customer]

    def without(self, removed: list[int]) -> "PlainState":
        """Return a copy in which the removed customers wait and empty tours are closed."""
        problem, gone = self.problem, set(removed)
        distance, demand = problem.distance, problem.demand
        copy = PlainState.__new__(PlainState)
        copy.problem, copy.value = problem, math.inf
        copy.tours, copy.legs, copy.loads = [], [], []
        copy.waiting = self.waiting + removed
        copy.depart, copy.latest = self.depart, self.latest
        if problem.timed:
            copy.depart, copy.latest = self.depart[:], self.latest[:]
        for tour, legs, load in zip(self.tours, self.legs, self.loads, strict=True):
            if gone.isdisjoint(tour):
                copy.tours.append(tour[:])
                copy.legs.append(legs[:])
                copy.loads.append(load)
                continue
            kept = [node for node in tour if node not in gone]
            if len(kept) > 1:
                copy.tours.append(kept)
                copy.legs.append([distance[a][b] for a, b in pairwise([0, *kept])])
                copy.loads.append(sum([demand[node] for node in kept]))
                if problem.timed:
                    copy.push_departures(len(copy.tours) - 1, 0)
                    copy.pull_latest(len(copy.tours) - 1, len(kept) - 2)
        return copy

    def push_departures(self, route: int, start: int) -> None:
        """Recompute earliest departures from position ``start`` of a tour to its end."""
        opens, service, depart = self.problem.opens, self.problem.service, self.depart
        tour, legs = self.tours[route], self.legs[route]
        clock = depart[tour[start - 1]]
        for k in range(start, len(tour) - 1):
            node = tour[k]
            clock += legs[k]
            if clock < opens[node]:
                clock = opens[node]
            clock += service[node]
            depart[node] = clock

    def pull_latest(self, route: int, start: int) -> None:
        """Recompute latest starts from position ``start`` of a tour to its front."""
        closes, service, latest = self.problem.closes, self.problem.service, self.latest
        tour, legs = self.tours[route], self.legs[route]
        late = latest[tour[start + 1]]
        for k in range(start, -1, -1):
            node = tour[k]
            late -= legs[k + 1] + service[node]
            if late > closes[node]:
                late = closes[node]
            latest[node] = late

    def insert(self, customer: int, route: int, place: int) -> int:
        """Put a customer in front of node ``place`` of a tour; return the position it has then."""
        tour, legs, row = self.tours[route], self.legs[route], self.problem.distance[customer]
        position = tour.index(place)
        legs[position] = row[place]
        legs.insert(position, row[tour[position - 1]])
        tour.insert(position, customer)
        self.loads[route] += self.problem.demand[customer]
        if self.problem.timed:
            self.push_departures(route, position)
            self.pull_latest(route, position)
        return position

    def open_tour(self) -> None:
        """Append a tour without customers."""
        self.tours.append([0])
        self.legs.append([0.0])
        self.loads.append(0.0)

    def close_empty_tour(self) -> None:
        """Drop the last tour if it has no customers."""
        if self.tours and len(self.tours[-1]) == 1:
            del self.tours[-1], self.legs[-1], self.loads[-1]


def plain_state(problem: PlainProblem, routes: Routes) -> PlainState:
    """Return the state with these routes, in which all other customers wait."""
    nodes = len(problem.demand)
    whole = PlainState(problem, nodes)
    for route, customers in enumerate(routes):
        whole.open_tour()
        for customer in customers:
            whole.insert(int(customer), route, 0)
    served = {customer for tour in whole.tours for customer in tour}
    whole.waiting = [customer for customer in range(1, nodes) if customer not in served]
    whole.evaluate()
    return whole
