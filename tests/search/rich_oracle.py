"""The best solution of a small problem of any kind, found by trying all: with the checker alone.

A route's cost and rules do not depend on other routes, but for the fleet and for who is left out. So every subset of
the customers gets its best route for each vehicle type, and then all ways to split the customers are tried.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations, product

from dacalns.instances import Instance
from dacalns.search.checker import Check, check
from dacalns.search.measure import distance
from dacalns.search.rich_checker import Figures, _limits, _loads, _times, measured_routes

MOST = 6
MOST_BROKEN = _loads, _times, _limits


@dataclass(frozen=True)
class Best:
    """The best solution: what is lost by priority, which goes first, its cost, its routes and their vehicle types."""

    lost_priority: float
    cost: float
    routes: list[list[int]]
    types: list[int]
    missing: int = 0  #: how many customers, pairs and groups are not served who should be

    @property
    def rank(self) -> tuple[int, float, float]:
        """What counts, in this order."""
        return self.missing, self.lost_priority, self.cost


def missing_in(instance: Instance, verdict: Check) -> int | None:
    """How many customers, pairs and groups a solution does not serve and should; None if it breaks another rule."""
    if any(violation.kind != "missing" for violation in verdict.violations):
        return None
    deliveries = [] if instance.pairs is None else instance.pairs[:, 1].tolist()
    return sum(violation.customer not in deliveries for violation in verdict.violations)


def best_solution(instance: Instance, reloads: int = 1, *, incomplete: bool = False) -> Best | None:
    """Try all solutions with at most so many reloads on a route, none right after another; None if none is feasible.

    If ``incomplete``, solutions that lack those who must be served count as well, and one with the fewest is best.

    A reload before the first customer may make sense, as it unloads what the vehicle starts with, and where distances
    are no metric even one after the last.
    """
    best: Best | None = None
    for found in _candidates(instance, reloads):
        if (incomplete or not found.missing) and (best is None or found.rank < best.rank):
            best = found
    return best


def effort(instance: Instance, reloads: int = 1) -> int:
    """How many routes are tried at most for so many reloads."""
    customers = instance.customers
    total = 0
    for vehicle in instance.types:
        for visited in range(1, customers + 1):
            most = int(min(vehicle.max_reloads, reloads))
            ways = sum(math.comb(visited + 1, count) * len(vehicle.reload_depots) ** count for count in range(most + 1))
            total += math.perm(customers, visited) * ways
    return total


def fewest_vehicles(instance: Instance, reloads: int = 1) -> Best | None:
    """The best of the solutions that serve all with the fewest vehicles; None if none is feasible."""
    served = (found for found in _candidates(instance, reloads) if not found.missing)
    return min(served, key=lambda found: (len(found.routes), found.cost), default=None)


def _candidates(instance: Instance, reloads: int) -> Iterator[Best]:
    """For each set of customers and each number of vehicles of each type, the cheapest solution that breaks no rule."""
    customers = [*instance.customer_nodes]
    assert len(customers) <= MOST, "there are too many solutions to try all"
    subsets = [frozenset(some) for size in range(1, len(customers) + 1) for some in combinations(customers, size)]
    kinds = range(len(instance.types))
    tables = [_Table.of(instance, kind) for kind in kinds]
    routes = {(some, kind): _best_route(tables[kind], some, reloads) for some in subsets for kind in kinds}
    for some in (frozenset[int](), *subsets):
        for tours, types in _cheapest(instance, some, routes):
            verdict = check(instance, tours, types)
            missing = missing_in(instance, verdict)
            if missing is not None:
                yield Best(verdict.lost_priority, verdict.cost, tours, types, missing)


Found = tuple[float, list[int]]


@dataclass(frozen=True)
class _Table:
    """What routes of a vehicle type are measured with, and all distances, to pass over most of them at once."""

    instance: Instance
    kind: int
    figures: Figures
    legs: list[list[float]]

    @classmethod
    def of(cls, instance: Instance, kind: int) -> "_Table":
        nodes, profile = range(instance.depots + instance.customers), instance.types[kind].profile
        legs = [[distance(instance, here, there, profile) for there in nodes] for here in nodes]
        return cls(instance, kind, Figures(instance), legs)

    def dearest(self, best: float) -> float:
        """How long a route may be that costs less than another."""
        vehicle, scale = self.instance.types[self.kind], self.figures.scale
        longest = 1e-6 + vehicle.max_distance * scale * (1 + 1e-6)
        if best < math.inf and vehicle.unit_distance_cost > 0:
            longest = min(longest, 1e-6 + (best - vehicle.fixed_cost * scale) / vehicle.unit_distance_cost)
        return longest

    def length(self, route: list[int]) -> float:
        vehicle, legs = self.instance.types[self.kind], self.legs
        length = sum(legs[here][there] for here, there in pairwise(route))
        length += 0 if vehicle.start_depot is None else legs[vehicle.start_depot][route[0]]
        return length + (0 if vehicle.end_depot is None else legs[route[-1]][vehicle.end_depot])


def _best_route(table: _Table, some: frozenset[int], reloads: int) -> Found | None:
    """The cheapest route of a vehicle type that visits just these customers."""
    instance, kind, figures = table.instance, table.kind, table.figures
    best: Found | None = None
    if _hopeless(instance, some, kind):
        return None
    longest = table.dearest(math.inf)
    for order in permutations(sorted(some)):
        for route in _with_reloads(instance, [*order], kind, reloads):
            if table.length(route) > longest:
                continue
            (measured,) = measured_routes(instance, [route], [kind], figures)
            cost = math.fsum(measured.costs.values())
            # Most are too dear, or break one of these rules; all rules are looked at last.
            if (best is not None and cost >= best[0]) or any(any(rule(figures, measured)) for rule in MOST_BROKEN):
                continue
            if all(violation.kind == "missing" for violation in check(instance, [route], [kind]).violations):
                best = cost, route
                longest = table.dearest(cost)
    return best


def _hopeless(instance: Instance, some: frozenset[int], kind: int) -> bool:
    """Whether a rule is broken that does not depend on the order."""
    broken = {violation.kind for violation in check(instance, [sorted(some)], [kind]).violations}
    pairs = [] if instance.pairs is None else instance.pairs.tolist()
    torn = any((pickup in some) != (delivery in some) for pickup, delivery in pairs)
    one_load = not pairs and instance.pickups is None and not instance.types[kind].reload_depots
    return torn or bool(broken & {"restriction", "stops", "group"}) or (one_load and "capacity" in broken)


def _with_reloads(instance: Instance, order: list[int], kind: int, reloads: int) -> Iterator[list[int]]:
    yield order
    vehicle = instance.types[kind]
    for count in range(1, min(reloads, int(min(vehicle.max_reloads, reloads))) + 1):
        for places in combinations(range(len(order) + 1), count):
            for depots in product(vehicle.reload_depots, repeat=count):
                route = [*order]
                for place, depot in sorted(zip(places, depots, strict=True), reverse=True):
                    route.insert(place, depot)
                yield route


def _cheapest(
    instance: Instance, some: frozenset[int], routes: dict[tuple[frozenset[int], int], Found | None]
) -> Iterator[tuple[list[list[int]], list[int]]]:
    """For each number of vehicles of each type, the cheapest way to visit just these customers."""
    kinds = range(len(instance.types))
    known: dict[frozenset[int], dict[tuple[int, ...], tuple[float, tuple[tuple[frozenset[int], int], ...]]]] = {
        frozenset(): {tuple(0 for _ in kinds): (0.0, ())}
    }

    def ways(left: frozenset[int]) -> dict[tuple[int, ...], tuple[float, tuple[tuple[frozenset[int], int], ...]]]:
        if left in known:
            return known[left]
        found: dict[tuple[int, ...], tuple[float, tuple[tuple[frozenset[int], int], ...]]] = {}
        first, *others = sorted(left)
        for size in range(len(others) + 1):
            for rest in combinations(others, size):
                part = frozenset((first, *rest))
                for kind in kinds:
                    route = routes[part, kind]
                    if route is None:
                        continue
                    for used, (cost, chosen) in ways(left - part).items():
                        now = tuple(count + (each == kind) for each, count in enumerate(used))
                        total = cost + route[0]
                        if now not in found or total < found[now][0]:
                            found[now] = total, (*chosen, (part, kind))
        known[left] = found
        return found

    for _, chosen in ways(some).values():
        found = [(routes[part, kind], kind) for part, kind in chosen]
        yield [route[1] for route, _ in found if route is not None], [kind for _, kind in found]
