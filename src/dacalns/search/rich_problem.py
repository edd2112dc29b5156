"""Rich instances as the kernels see them: their arrays, and how the kernels number nodes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from dacalns.core.model import USED, Problem, Solution
from dacalns.core.rich import DEPOT, FORBIDDEN, LIMIT, NOWHERE, WHERE, Fleet, Wishes, build_rich_problem
from dacalns.instances import Instance
from dacalns.instances.fields import LARGEST
from dacalns.instances.parts import VehicleType
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, shortened

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Rich problems keep matrices of all their places: 800 MB for so many.
MOST_CUSTOMERS = 10_000


# Nothing is known of the windows in which nodes are visited.
NOT_KNOWN: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True)
class Numbering:
    """How the kernels number the nodes of a rich instance.

    Customers are 1 … n. A node with several windows stands for several of them, one for each window, of whom one is
    visited.

    Parameters
    ----------
    node_of
        The node of each customer of the kernels; nobody stands at 0.
    depots
        How many depots the instance has; they are the places behind the customers.
    group
        The group of each customer of the kernels; 0 for none.
    """

    node_of: IntArray
    depots: int
    group: IntArray

    @cached_property
    def customers_of(self) -> dict[int, list[int]]:
        """The customers of the kernels that stand for each node."""
        found: dict[int, list[int]] = {}
        for customer, node in enumerate(self.node_of.tolist()):
            if customer:
                found.setdefault(node, []).append(customer)
        return found

    def place_of(self, depot: int | None) -> int:
        """Return the place of a depot; `NOWHERE` for None."""
        return NOWHERE if depot is None else len(self.node_of) + depot

    def answer(self, solution: Solution) -> tuple[list[list[int]], list[int]]:
        """Return the routes by the numbers of nodes, depots where vehicles load again among them, and their types."""
        found = []
        first = solution.first.tolist()
        for number in range(int(solution.counts[USED])):
            if solution.ahead[number] >= 0:  # type: ignore[attr-defined]
                continue
            route: list[int] = []
            trip = number
            while trip >= 0:
                node = first[trip]
                while node:
                    route.append(int(self.node_of[node]))
                    node = int(solution.succ[node])
                following = int(solution.behind[trip])  # type: ignore[attr-defined]
                if following >= 0:
                    route.append(int(solution.end[trip]) - len(self.node_of))  # type: ignore[attr-defined]
                trip = following
            found.append((int(solution.kind[number]), route))  # type: ignore[attr-defined]
        found.sort()
        return [route for _, route in found], [kind for kind, _ in found]

    def visits(self, routes: list[list[int]], begins: Mapping[int, int] = NOT_KNOWN) -> tuple[IntArray, IntArray]:
        """Return routes as customers of the kernels in a row, and the length of each; depots become places.

        ``begins`` has the customers that stand for nodes with several windows. Of others it is the first: whoever is
        too late there is inserted anew.
        """
        numbers = [
            begins.get(node, self.customers_of[node][0]) if node >= self.depots else self.place_of(node)
            for route in routes
            for node in route
        ]
        return np.array(numbers, dtype=np.int64), np.array([len(route) for route in routes], dtype=np.int64)

    def waiting(self, solution: Solution) -> list[int]:
        """Return the nodes that are not visited, but not those of whose group another one is."""
        visited = solution.visited  # type: ignore[attr-defined]
        found = {
            int(self.node_of[customer])
            for customer in range(1, len(self.node_of))
            if solution.route[customer] < 0 and not (self.group[customer] and visited[self.group[customer]])
        }
        return sorted(found)


def rich_problem(instance: Instance) -> tuple[Problem, Numbering]:
    """Return an instance as the kernels see it, and how they number its nodes.

    Raises
    ------
    InputError
        When it has too many customers, or something that no search can do yet.
    """
    called = shortened(instance.name, VALUE)
    if instance.customers > MOST_CUSTOMERS:
        raise InputError(
            f"{called}: has {instance.customers} customers; expected at most {MOST_CUSTOMERS} in a problem beyond CVRP "
            "and VRPTW; take a part of them."
        )
    nodes, windows = _customers(instance)
    numbering = Numbering(nodes, instance.depots, _groups(instance, nodes)[0])
    wishes = _wishes(instance, nodes, windows)
    legs, drives, profile_of = _matrices(instance, nodes, wishes)
    fleet = _fleet(instance, numbering, profile_of)
    return build_rich_problem(legs, drives, _depots(instance, numbering), fleet, wishes), numbering


def with_available(problem: Problem, vehicles: int) -> Problem:
    """Return a rich problem with another number of vehicles in all, which of several types may not load again."""
    customers = len(problem.demand) - 1
    if len(problem.ends) > 1:  # type: ignore[attr-defined]
        assert not problem.trips  # type: ignore[attr-defined]
        return problem._replace(fleet=min(vehicles, customers))
    ends = problem.ends.copy()  # type: ignore[attr-defined]
    ends[:, WHERE.available] = vehicles
    ends.flags.writeable = False
    # Where vehicles make several trips, there may be more of these.
    routes = problem.fleet if problem.trips else min(vehicles, customers)  # type: ignore[attr-defined]
    return problem._replace(ends=ends, fleet=routes)  # type: ignore[call-arg]


def _customers(instance: Instance) -> tuple[IntArray, FloatArray]:
    """Return the node and the window of each customer of the kernels."""
    count = len(instance.demands)
    given = instance.scaled_windows
    windows = np.tile((0.0, np.inf), (count, 1)) if given is None else _endless(given)
    rows = [(node, windows[node, 0], windows[node, 1]) for node in instance.customer_nodes]
    rows += [(node, opens, closes) for node, opens, closes in instance.scaled_more_windows]
    rows.sort(key=lambda row: row[0])
    nodes = np.array([-1, *(node for node, _, _ in rows)], dtype=np.int64)
    return nodes, np.array([(0.0, np.inf), *((opens, closes) for _, opens, closes in rows)])


def _endless(windows: FloatArray) -> FloatArray:
    """Let windows that close at the largest number there is never close."""
    return np.where(windows >= LARGEST, np.inf, windows)


def _groups(instance: Instance, nodes: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the group of each customer of the kernels, 0 for none, what each group costs if lacking, and priorities.

    Infinity stands for groups of whom one must be visited.
    """
    group_of_node = np.zeros(len(instance.demands), dtype=np.int64)
    lacking, urgent = [0.0], [0.0]
    for group in instance.groups:
        group_of_node[list(group.customers)] = len(lacking)
        lacking.append(np.inf if group.required else 0.0)
        urgent.append(0.0)
    prizes, priorities = instance.scaled_prizes, instance.priorities
    for node in sorted({node for node, _, _ in instance.more_windows}):
        if group_of_node[node] == 0:
            group_of_node[node] = len(lacking)
            may_be_left = instance.optional is not None and bool(instance.optional[node])
            prize = 0.0 if prizes is None else float(prizes[node])
            lacking.append(prize if may_be_left else np.inf)
            urgent.append(0.0 if priorities is None else float(priorities[node]))
        elif prizes is not None and prizes[node] > 0:
            raise InputError(
                f"{shortened(instance.name, VALUE)}: more_windows has node {node}, a member of a group with a prize; "
                "expected one window for it, as several are not supported there; leave all but one out."
            )
    groups = group_of_node[nodes]
    groups[0] = 0
    return groups, np.array(lacking), np.array(urgent)


def _wishes(instance: Instance, nodes: IntArray, windows: FloatArray) -> Wishes:
    """Return what the customers of the kernels ask for."""
    dims = 1 if instance.demands.ndim == 1 else instance.demands.shape[1]

    def amounts(given: FloatArray | None) -> FloatArray:
        values = np.zeros((len(instance.demands), dims)) if given is None else given.reshape(-1, dims)
        rows: FloatArray = values[nodes].copy()
        rows[0] = 0.0
        return rows

    def numbers(given: FloatArray | None) -> FloatArray:
        values = np.zeros(len(instance.demands)) if given is None else np.asarray(given, dtype=np.float64)
        rows: FloatArray = values[nodes].copy()
        rows[0] = 0.0
        return rows

    deliver, collect = amounts(instance.demands), amounts(instance.pickups)
    mate, second = np.zeros(len(nodes), dtype=np.int64), np.zeros(len(nodes), dtype=np.int64)
    if instance.pairs is not None:
        several = {node for node, _, _ in instance.more_windows}
        place = {int(node): customer for customer, node in enumerate(nodes) if customer}
        for pickup, delivery in instance.pairs.tolist():
            if pickup in several or delivery in several:
                raise InputError(
                    f"{shortened(instance.name, VALUE)}: more_windows has node "
                    f"{pickup if pickup in several else delivery} of a pair; expected one window for each node of a "
                    "pair, as several are not supported there; leave all but one out."
                )
            one, other = place[pickup], place[delivery]
            mate[one], mate[other], second[other] = other, one, 1
            collect[one] += deliver[one]
            collect[other] -= deliver[one]
            deliver[one] = 0.0
    group, lacking, urgent = _groups(instance, nodes)
    optional = numbers(None if instance.optional is None else instance.optional.astype(np.float64))
    prize, priority = numbers(instance.scaled_prizes), numbers(instance.priorities)
    for node in {node for node, _, _ in instance.more_windows}:
        if node not in {member for each in instance.groups for member in each.customers}:
            prize[nodes == node] = priority[nodes == node] = 0.0  # its group has them
    return Wishes(
        deliver, collect, windows[:, 0], windows[:, 1], numbers(instance.scaled_service),
        numbers(instance.scaled_releases), np.where(group > 0, 0.0, optional), prize, priority,
        group, lacking, urgent, mate, second,
    )  # fmt: skip


def _matrices(
    instance: Instance, nodes: IntArray, wishes: Wishes
) -> tuple[FloatArray, FloatArray, dict[tuple[int, float], int]]:
    """Return distances and driving times between places, and the number of the matrices of each profile and speed."""
    wanted = list(dict.fromkeys((each.profile, each.speed) for each in instance.scaled_types))
    places = np.concatenate([[0], nodes[1:], np.arange(instance.depots)])
    count = len(places)
    legs, drives = np.zeros((len(wanted), count, count)), np.zeros((len(wanted), count, count))
    for number, (profile, speed) in enumerate(wanted):
        legs[number] = instance.distances_of(profile)[np.ix_(places, places)]
        drives[number] = instance.durations_of(profile)[np.ix_(places, places)] / speed
    for matrix in (legs, drives):
        matrix[:, NOWHERE, :] = matrix[:, :, NOWHERE] = 0.0
    if instance.backhauls_last:
        _forbid_deliveries_after_pickups(legs, wishes, len(nodes))
    return legs, drives, {key: number for number, key in enumerate(wanted)}


def _forbid_deliveries_after_pickups(legs: FloatArray, wishes: Wishes, customers: int) -> None:
    """Forbid to deliver behind a pickup, and to begin a trip with one; who asks for nothing counts as a delivery."""
    back = np.zeros(legs.shape[1], dtype=np.bool_)
    line = np.zeros(legs.shape[1], dtype=np.bool_)
    back[:customers] = wishes.collect.any(axis=1)
    line[1:customers] = ~back[1:customers]
    depots = np.arange(legs.shape[1]) >= customers
    depots[NOWHERE] = True
    legs[:, back[:, None] & line] = FORBIDDEN
    legs[:, depots[:, None] & back] = FORBIDDEN


def _depots(instance: Instance, numbering: Numbering) -> FloatArray:
    """Return opening hours and loading times, a row for each place."""
    rows = np.tile((0.0, np.inf, 0.0), (len(numbering.node_of) + instance.depots, 1))
    windows, service = instance.scaled_windows, instance.scaled_service
    for depot in range(instance.depots):
        place = numbering.place_of(depot)
        if windows is not None:
            rows[place, [DEPOT.opens, DEPOT.closes]] = _endless(windows)[depot]
        rows[place, DEPOT.loading] = service[depot]
    return rows


def _fleet(instance: Instance, numbering: Numbering, profile_of: dict[tuple[int, float], int]) -> Fleet:
    """Return the vehicle types in rows."""
    types = instance.scaled_types
    dims = 1 if instance.demands.ndim == 1 else instance.demands.shape[1]
    kinds, ends = np.zeros((len(types), len(LIMIT))), np.zeros((len(types), len(WHERE)), dtype=np.int64)
    holds, aboard = np.full((len(types), dims), np.inf), np.zeros((len(types), dims))
    reload_at = np.zeros((len(types), max(1, *(len(each.reload_depots) for each in types))), dtype=np.int64)
    may_serve = np.ones((len(types), len(numbering.node_of)), dtype=np.int64)
    for number, each in enumerate(types):
        kinds[number] = _limits(each)
        ends[number, WHERE.profile] = profile_of[each.profile, each.speed]
        ends[number, WHERE.start] = numbering.place_of(each.start_depot)
        ends[number, WHERE.end] = numbering.place_of(each.end_depot)
        ends[number, WHERE.available] = instance.customers if each.num_available is None else each.num_available
        holds[number, : len(each.capacity)] = each.capacity
        aboard[number, : len(each.initial_load)] = each.initial_load
        reload_at[number, : len(each.reload_depots)] = [numbering.place_of(depot) for depot in each.reload_depots]
        if each.allowed_customers is not None:
            may_serve[number] = np.isin(numbering.node_of, list(each.allowed_customers))
    return Fleet(kinds, ends, holds, aboard, reload_at, may_serve)


def _limits(each: VehicleType) -> list[float]:
    """Return limits and costs of a vehicle type in the order of `Limit`."""
    row = dict.fromkeys(LIMIT._fields, 0.0)
    row |= {
        "fixed": each.fixed_cost,
        "per_distance": each.unit_distance_cost,
        "per_duration": each.unit_duration_cost,
        "per_overtime": each.unit_overtime_cost,
        "shift": each.shift_duration,
        "duration": each.shift_duration + each.max_overtime,
        "distance": each.max_distance,
        "stops": each.max_stops,
        "opens": each.tw_early,
        "starts_by": each.tw_late if each.start_late is None else each.start_late,
        "closes": each.tw_late,
        "reloads": each.max_reloads if each.reload_depots else 0.0,
    }
    return [row[name] for name in LIMIT._fields]
