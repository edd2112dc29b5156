"""The best solution of a small problem of any kind, found by trying all: with the checker alone.

A route's cost and rules do not depend on other routes, but for the fleet and for who is left out. So every subset of
the customers gets its best route for each vehicle type, and then all ways to split the customers are tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations, product

from dacalns.instances import Instance
from dacalns.search.checker import Check, check

MOST = 6


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
    customers = [*instance.customer_nodes]
    assert len(customers) <= MOST, "there are too many solutions to try all"
    subsets = [frozenset(some) for size in range(1, len(customers) + 1) for some in combinations(customers, size)]
    kinds = range(len(instance.types))
    routes = {(some, kind): _best_route(instance, some, kind, reloads) for some in subsets for kind in kinds}
    best: Best | None = None
    for some in (frozenset[int](), *subsets):
        for tours, types in _cheapest(instance, some, routes):
            verdict = check(instance, tours, types)
            missing = missing_in(instance, verdict)
            if missing is None or (missing and not incomplete):
                continue
            found = Best(verdict.lost_priority, verdict.cost, tours, types, missing)
            if best is None or found.rank < best.rank:
                best = found
    return best


Found = tuple[float, list[int]]


def _best_route(instance: Instance, some: frozenset[int], kind: int, reloads: int) -> Found | None:
    """The cheapest route of a vehicle type that visits just these customers."""
    best: Found | None = None
    if _hopeless(instance, some, kind):
        return None
    for order in permutations(sorted(some)):
        for route in _with_reloads(instance, [*order], kind, reloads):
            verdict = check(instance, [route], [kind])
            cost = verdict.cost - verdict.cost_parts.get("prizes", 0.0)
            broken = any(violation.kind != "missing" for violation in verdict.violations)
            if not broken and (best is None or cost < best[0]):
                best = cost, route
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
