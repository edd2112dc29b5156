"""Solutions of generated rich problems, full and destroyed, and what networks are to see of them, from plain lists."""

import itertools
from typing import Any

import numpy as np

from core.rich_arrays import chain_of, of_trips
from dacalns import generate_rich
from dacalns.core.model import Solution, empty_solution, overwrite
from dacalns.instances import Instance
from dacalns.search.checker import route_plans
from dacalns.search.start import Routes, Start, answer_of, numbering_of, problem_of
from dacalns.search.stepper import Stepper

Row = dict[str, float]
MANY = (
    "pairs", "windows", "depots", "groups", "prizes", "priorities", "pickups", "restrictions", "distance-costs",
    "duration-limits", "reloads", "loads", "release-times",
)  # fmt: skip
"""Features of which a small problem can have all."""
BEFORE_ALL_COSTS = 1.0
"""What the column of prizes comes near to for customers whom no saving outweighs."""


def rich_instance(seed: int = 1, customers: int = 12, features: tuple[str, ...] = MANY) -> Instance:
    return generate_rich(customers, features, seed)


def states_of(instance: Instance, start: Routes | Start | None = None) -> list[Solution]:
    """A full solution, what destroying left of it, and the full one after that."""
    stepper = Stepper(instance, "full", seed=1, start=start)
    stepper.destroy(1)
    found = [stepper.current, stepper.candidate]
    destroyed = empty_solution(stepper.problem)
    overwrite(destroyed, stepper.candidate)
    found[1] = destroyed
    stepper.repair(0)
    return [*found, stepper.candidate]


def several_trips(instance: Instance) -> Start:
    """A start in which a vehicle of the first type makes two trips."""
    node, other = list(instance.customer_nodes)[:2]
    return Start([[node, instance.types[0].reload_depots[0], other]], [0])


def expected_rows(instance: Instance, solution: Solution) -> list[Row]:
    """What the columns that only rich problems have are to say of each customer of the kernels."""
    node_of = numbering_of(instance).node_of.tolist()
    routes, types = answer_of(instance, solution)
    seen = {node: number for number, route in enumerate(routes) for node in route if node >= instance.depots}
    named = [_group_of(instance, node) for node in node_of]
    longest = float(problem_of(instance).distance.max())
    rates = [kind.unit_distance_cost + kind.unit_duration_cost for kind in instance.types]
    plans = route_plans(instance, routes, types)
    rows: list[Row] = [{}]
    for node, members in zip(node_of[1:], named[1:], strict=True):
        row: Row = {}
        mate, first = _mate_of(instance, node)
        row["pickup"] = _share(instance, _collected(instance, node, mate, first))
        if mate is not None:
            row["pair"] = 1.0 if first else -1.0
            ways = [distance_of(instance, kind.profile, *((node, mate) if first else (mate, node)))
                    for kind in instance.types]  # fmt: skip
            row["mate"] = min(ways) / longest
        row |= _choice(instance, node, node if first or mate is None else mate, longest)
        row["release"] = 0.0 if instance.releases is None else float(instance.releases[node]) / _day(instance)
        row["group"] = float(len(members) > 1)
        allowed = [kind.allowed_customers is None or node in kind.allowed_customers for kind in instance.types]
        row["barred"] = 1.0 - sum(allowed) / len(allowed)
        if instance.depots > 1:
            ways = [
                distance_of(instance, kind.profile, *pair)
                for kind in instance.types
                for depot in range(instance.depots)
                for pair in ((depot, node), (node, depot))
            ]
            row["depot"] = min(1.0, min(ways) / longest)
        row["visited"] = float(len(members) > 1 and any(member in seen for member in members))
        if node in seen:
            route, kind, plan = routes[seen[node]], instance.types[types[seen[node]]], plans[seen[node]]
            row["rate"] = (kind.unit_distance_cost + kind.unit_duration_cost - min(rates)) / max(rates)
            row["smaller"] = 1.0 - kind.capacity[0] / max(each.capacity[0] for each in instance.types)
            loads = [at for at, stop in enumerate(route) if stop < instance.depots]
            row["trip"] = sum(at < route.index(node) for at in loads) / (len(loads) + 1)
            stops = sum(stop >= instance.depots for stop in route)
            row["limit"] = max(
                stops / kind.max_stops,
                plan.distance / kind.max_distance,
                plan.duration / (kind.shift_duration + kind.max_overtime),
            )
        rows.append(row)
    # With several windows, one of the kernels' customers stands for a node: only that one is on a route, and at its
    # window, so that the route may take longer than it has to.
    problem: Any = problem_of(instance)
    for customer, row in enumerate(rows):
        if customer and solution.route[customer] < 0:
            for name in ("rate", "smaller", "trip", "limit"):
                row.pop(name, None)
        elif customer and instance.more_windows:
            chain = chain_of(solution, int(solution.route[customer]))
            kind = instance.types[int(solution.kind[chain[0]])]
            duration = of_trips(problem, solution, chain)[0]
            row["limit"] = max(row["limit"], duration / (kind.shift_duration + kind.max_overtime))
    return rows


def expected_search(instance: Instance, solution: Solution) -> Row:
    """What the numbers on the search are to be."""
    rows = expected_rows(instance, solution)
    routes, types = answer_of(instance, solution)
    waiting = [customer for customer in range(1, len(rows)) if solution.route[customer] < 0]
    available = [instance.customers if each.num_available is None else each.num_available for each in instance.types]
    several = len(instance.types) > 1
    return {
        "left_out": sum(rows[each].get("optional", 0.0) * (1.0 - rows[each]["visited"]) for each in waiting)
        / (len(rows) - 1),
        "vehicles": len(routes) / min(sum(available), len(rows) - 1),
        "types": len(set(types)) / len(instance.types) if several else 0.0,
    }


def distance_of(instance: Instance, profile: int, one: int, other: int) -> float:
    return float(instance.distances_of(profile)[one, other])


def _mate_of(instance: Instance, node: int) -> tuple[int | None, bool]:
    for pickup, delivery in [] if instance.pairs is None else instance.pairs.tolist():
        if node == pickup:
            return delivery, True
        if node == delivery:
            return pickup, False
    return None, False


def _group_of(instance: Instance, node: int) -> list[int]:
    """The members of a node's group, itself included; a node with several windows is in a group with itself."""
    for group in instance.groups:
        if node in group.customers:
            return list(group.customers)
    return [node] * (2 if any(node == other for other, _, _ in instance.more_windows) else 1)


def _collected(instance: Instance, node: int, mate: int | None, first: bool) -> Any:
    amounts = np.zeros_like(instance.demands[node]) if instance.pickups is None else instance.pickups[node]
    if mate is None:
        return amounts
    return amounts + instance.demands[node] if first else amounts - instance.demands[mate]


def _share(instance: Instance, amounts: Any) -> float:
    largest = np.max([kind.capacity for kind in instance.types], axis=0)
    parts = (np.atleast_1d(amounts) / largest).tolist()
    return float(max(parts, key=abs))


def _choice(instance: Instance, node: int, payer: int, longest: float) -> Row:
    """Whether a node may be left out, and its prize beside the cost of the longest way."""
    group = next((each for each in instance.groups if node in each.customers), None)
    optional = bool(instance.optional is not None and instance.optional[node]) if group is None else not group.required
    if not optional:
        return {}
    if group is None and instance.priorities is not None and instance.priorities[payer]:
        return {"optional": 1.0, "prize": BEFORE_ALL_COSTS}
    rates = [kind.unit_distance_cost + kind.unit_duration_cost for kind in instance.types]
    prize = 0.0 if instance.prizes is None or group is not None else float(instance.prizes[payer])
    return {"optional": 1.0, "prize": prize / (prize + longest * float(np.median(rates)))}


def _day(instance: Instance) -> float:
    """When all windows, and all times of vehicles that end, have ended, and all goods are released."""
    ends = [float(kind.tw_late) for kind in instance.types] + [0.0 if instance.releases is None else
                                                              float(instance.releases.max()), 1.0]  # fmt: skip
    if instance.windows is not None:
        ends += itertools.chain(instance.windows[:, 1].tolist(), (closes for _, _, closes in instance.more_windows))
    return max(end for end in ends if np.isfinite(end))


__all__ = ["MANY", "expected_rows", "expected_search", "rich_instance", "several_trips", "states_of"]
