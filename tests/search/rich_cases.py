"""Small random problems of every kind, random solutions of them, and the same problems as PyVRP states them."""

import math
import random
from typing import Any

import numpy as np
import pytest

from dacalns.instances import Instance
from dacalns.instances.parts import Group, Profile, VehicleType

Routes = list[list[int]]


def draw(seed: int, most: int = 6, *, pyvrp: bool = False) -> Instance:
    """A problem of up to ``most`` customers with some of the rules; with ``pyvrp`` those that PyVRP can state."""
    dice = random.Random(seed)
    depots, customers = dice.choice((1, 1, 2, 3)), dice.randint(1, most)
    nodes = depots + customers

    def asks(chance: float = 0.3) -> bool:
        return dice.random() < chance

    dims = dice.choice((1, 1, 1, 2))
    fields: dict[str, Any] = _places(dice, nodes) | {"name": f"rich-{seed}", "depots": depots}
    demands = [[0] * dims] * depots + [[dice.randint(0, 5) for _ in range(dims)] for _ in range(customers)]
    pairs = _pairs(dice, depots, nodes) if asks() else []
    for _, delivery in pairs:
        demands[delivery] = [0] * dims
    paired = {node for pair in pairs for node in pair}
    fields["demands"] = demands if dims > 1 else [row[0] for row in demands]
    if pairs:
        fields["pairs"] = pairs
    if asks():
        pickups = [
            [dice.randint(0, 5) * (node >= depots and node not in paired) for _ in range(dims)] for node in range(nodes)
        ]
        fields["pickups"] = pickups if dims > 1 else [row[0] for row in pickups]
    if not pyvrp and not pairs and asks(0.15):
        backhaul = [node >= depots and asks(0.4) for node in range(nodes)]
        fields["pickups"] = [dice.randint(1, 5) * back for back in backhaul]
        fields["demands"] = [dice.randint(0, 5) * (node >= depots and not backhaul[node]) for node in range(nodes)]
        fields["backhauls_last"], dims = True, 1
    if asks(0.6):
        fields |= _windows(dice, depots, nodes, several=not pyvrp and asks())
        for pickup, delivery in pairs if pyvrp else []:  # it refuses pairs that no one could serve
            fields["windows"][delivery][1] = max(fields["windows"][delivery][1], fields["windows"][pickup][0])
    if asks(0.6):
        fields["service"] = [dice.randint(0, 4) if node >= depots or asks() else 0 for node in range(nodes)]
    if asks():
        latest = [min(40, closes) for _, closes in fields.get("windows", [[0, 40]] * nodes)]
        fields["releases"] = [
            dice.choice((0, 0, dice.randint(0, latest[node]))) * (node >= depots and not (pyvrp and node in paired))
            for node in range(nodes)
        ]
    fields |= _optional(dice, depots, nodes, pairs, priorities=not pyvrp and asks(0.2))
    if asks(0.2):
        fields["durations"] = _arcs(dice, nodes)
    if asks(0.2):
        fields["profiles"] = tuple(
            Profile(distances=one, durations=other)
            for one, other in dice.choices(
                ((_arcs(dice, nodes), None), (None, _arcs(dice, nodes))), k=dice.randint(1, 2)
            )
        )
    count = dice.choice((1, 1, 2, 3))
    profiles = len(fields.get("profiles", ()))
    fields["vehicle_types"] = tuple(
        _vehicle(dice, depots, nodes, dims, profiles, pyvrp=pyvrp, paired=pairs) for _ in range(count)
    )
    return Instance(**fields)


def _places(dice: random.Random, nodes: int) -> dict[str, Any]:
    points = [[dice.randint(0, 15), dice.randint(0, 15)] for _ in range(nodes)]
    if dice.random() < 0.3:
        return {"matrix": _arcs(dice, nodes), "rounding": "none"}
    return {"coordinates": points, "rounding": dice.choice(("round", "trunc", "dimacs", "milli"))}


def _arcs(dice: random.Random, nodes: int) -> list[list[int]]:
    return [[dice.randint(1, 20) * (here != there) for there in range(nodes)] for here in range(nodes)]


def _pairs(dice: random.Random, depots: int, nodes: int) -> list[list[int]]:
    order = dice.sample(range(depots, nodes), nodes - depots)
    return [order[at : at + 2] for at in range(0, min(4, len(order) - 1), 2)]


def _windows(dice: random.Random, depots: int, nodes: int, *, several: bool) -> dict[str, Any]:
    windows, more = [], []
    for node in range(nodes):
        opens = dice.randint(0, 10) if node < depots else dice.randint(0, 60)
        closes = opens + (dice.randint(60, 150) if node < depots else dice.randint(0, 60))
        windows.append([opens, closes])
        while several and node >= depots and dice.random() < 0.5:
            opens = closes + dice.randint(1, 20)
            closes = opens + dice.randint(0, 20)
            more.append((node, float(opens), float(closes)))
    return {"windows": windows, "more_windows": tuple(more)}


def _optional(
    dice: random.Random, depots: int, nodes: int, pairs: list[list[int]], *, priorities: bool
) -> dict[str, Any]:
    """Who may be left out, what that costs, and groups."""
    optional = [node >= depots and dice.random() < 0.3 for node in range(nodes)]
    for pickup, delivery in pairs:
        optional[delivery] = optional[pickup]
    paired = {node for pair in pairs for node in pair}
    single = [node for node in range(depots, nodes) if node not in paired]
    groups = ()
    if len(single) > 1 and dice.random() < 0.3:
        members = tuple(sorted(dice.sample(single, dice.randint(2, min(3, len(single))))))
        groups = (Group(customers=members, required=dice.random() < 0.5),)
    leavable = [optional[node] or any(node in group.customers for group in groups) for node in range(nodes)]
    deliveries = {delivery for _, delivery in pairs}
    paid = [leavable[node] and node not in deliveries for node in range(nodes)]
    found: dict[str, Any] = {"groups": groups}
    if dice.random() < 0.4:
        found |= {"optional": optional, "prizes": [pays * dice.randint(0, 40) for pays in paid]}
        if priorities:
            found["priorities"] = [pays * dice.choice((0, 5, 10)) for pays in paid]
    elif groups and dice.random() < 0.5:
        found["prizes"] = [
            dice.randint(0, 40) * any(node in each.customers for each in groups) for node in range(nodes)
        ]
    return found


def _vehicle(
    dice: random.Random, depots: int, nodes: int, dims: int, profiles: int, *, pyvrp: bool, paired: list[list[int]]
) -> VehicleType:
    fields: dict[str, Any] = {
        "num_available": dice.choice((None, 1, 2, nodes)),
        "capacity": tuple(dice.randint(5, 20) for _ in range(dims)),
    }
    for end in ("start_depot", "end_depot"):
        fields[end] = None if dice.random() < 0.15 else dice.randrange(depots)
    optional = {
        "fixed_cost": dice.randint(0, 50),
        "tw_early": dice.randint(0, 20),
        "tw_late": dice.randint(60, 200),
        "start_late": dice.randint(20, 60),
        "max_distance": dice.randint(20, 120),
        "unit_distance_cost": dice.randint(0, 3),
        "unit_duration_cost": dice.randint(0, 3),
        "reload_depots": tuple(dice.sample(range(depots), dice.randint(1, depots))),
        "initial_load": tuple(dice.randint(0, 4) for _ in range(dims)),
    }
    fields |= {name: value for name, value in optional.items() if dice.random() < 0.3}
    if "reload_depots" in fields and dice.random() < 0.5:
        fields["max_reloads"] = dice.randint(1, 2)
    if dice.random() < 0.3:
        fields["shift_duration"] = dice.randint(20, 90)
        if dice.random() < 0.5:
            fields |= {"max_overtime": dice.randint(1, 40), "unit_overtime_cost": dice.randint(0, 3)}
    if profiles:
        fields["profile"] = dice.randint(0, profiles)
    if not pyvrp:
        if dice.random() < 0.15:
            fields["max_stops"] = dice.randint(1, 4)
        if dice.random() < 0.15:
            fields["speed"] = dice.choice((0.5, 2.0))
        if dice.random() < 0.15:
            chosen = {node for node in range(depots, nodes) if dice.random() < 0.7} | {depots}
            for pair in paired:
                chosen |= set(pair) if chosen & set(pair) else set()
            fields["allowed_customers"] = tuple(sorted(chosen))
    return VehicleType(**fields)


def random_solution(instance: Instance, seed: int) -> tuple[Routes, list[int]]:
    """Some routes, mostly as they may be, and their vehicle types."""
    dice = random.Random(seed)
    depots = instance.depots
    visited = [node for node in instance.customer_nodes if dice.random() < (0.6 if _leavable(instance, node) else 0.97)]
    for group in instance.groups:
        inside = [node for node in visited if node in group.customers]
        if len(inside) > 1 and dice.random() < 0.9:
            visited = [node for node in visited if node not in inside[1:]]
    dice.shuffle(visited)
    routes: Routes = [[] for _ in range(dice.randint(1, max(1, len(visited))))]
    for node in visited:
        dice.choice(routes).append(node)
    for pickup, delivery in [] if instance.pairs is None else instance.pairs.tolist():
        if dice.random() < 0.9:
            _straighten(dice, routes, pickup, delivery)
    routes = [route for route in routes if route]
    types = [dice.randrange(len(instance.types)) for _ in routes]
    for route, kind in zip(routes, types, strict=True):
        allowed = instance.types[kind].reload_depots or ((0,) if dice.random() < 0.03 else ())
        while allowed and dice.random() < 0.4:
            route.insert(dice.randint(0, len(route)), dice.choice(allowed))
    if routes and dice.random() < 0.02:
        routes[0].append(dice.choice((depots, nodes_of(instance), -1)))
    return routes, types


def _straighten(dice: random.Random, routes: Routes, pickup: int, delivery: int) -> None:
    """Put a pair on one route in its order."""
    with_pickup = [route for route in routes if pickup in route]
    for route in routes:
        while delivery in route:
            route.remove(delivery)
    if with_pickup:
        route = with_pickup[0]
        route.insert(dice.randint(route.index(pickup) + 1, len(route)), delivery)


def _leavable(instance: Instance, node: int) -> bool:
    optional = instance.optional is not None and bool(instance.optional[node])
    return optional or any(node in group.customers for group in instance.groups)


def nodes_of(instance: Instance) -> int:
    """The number of nodes."""
    return instance.depots + instance.customers


# As PyVRP states them.


def pyvrp_or_skip() -> Any:
    """PyVRP, if there is one that knows pairs."""
    pyvrp = pytest.importorskip("pyvrp")
    if not hasattr(pyvrp, "Shipment"):
        pytest.skip("PyVRP knows pairs since 0.14")
    return pyvrp


class InPyvrp:
    """A problem in PyVRP's words, in scaled units, with an additional depot at no distance for open routes."""

    def __init__(self, instance: Instance) -> None:
        pyvrp = pyvrp_or_skip()
        self.module, self.instance = pyvrp, instance
        self.nodes, self.unit = nodes_of(instance), instance.scale
        pairs = [] if instance.pairs is None else instance.pairs.tolist()
        self.pickup = {pickup: number for number, (pickup, _) in enumerate(pairs)}
        self.delivery = {delivery: number for number, (_, delivery) in enumerate(pairs)}
        singles = [node for node in instance.customer_nodes if node not in self.pickup and node not in self.delivery]
        self.client = {node: number for number, node in enumerate(singles)}
        self.dims = 1 if instance.demands.ndim == 1 else instance.demands.shape[1]
        group_of = {node: number for number, group in enumerate(instance.groups) for node in group.customers}
        self.data = pyvrp.ProblemData(
            locations=[pyvrp.Location(0, 0) for _ in range(self.nodes + 1)],
            clients=[self._client(node, group_of.get(node)) for node in singles],
            depots=[self._depot(node) for node in range(instance.depots)] + [pyvrp.Depot(self.nodes)],
            vehicle_types=[self._vehicle(vehicle) for vehicle in instance.types],
            distance_matrices=[self._arcs(profile, times=False) for profile in range(len(instance.profiles) + 1)],
            duration_matrices=[self._arcs(profile, times=True) for profile in range(len(instance.profiles) + 1)],
            groups=[
                pyvrp.ClientGroup([self.client[node] for node in group.customers], group.required)
                for group in instance.groups
            ],
            shipments=[self._shipment(pickup, delivery) for pickup, delivery in pairs],
        )

    def _scaled(self, value: float) -> int:
        return round(value * self.unit)

    def _loads(self, array: Any, node: int) -> list[int]:
        return [0] * self.dims if array is None else np.atleast_1d(array[node]).astype(int).tolist()

    def _window(self, node: int, prefix: str = "") -> dict[str, int]:
        if self.instance.windows is None:
            return {}
        opens, closes = self.instance.windows[node].tolist()
        return {f"{prefix}tw_early": self._scaled(opens), f"{prefix}tw_late": self._scaled(closes)}

    def _client(self, node: int, group: int | None) -> Any:
        instance = self.instance
        optional = instance.optional is not None and bool(instance.optional[node])
        return self.module.Client(
            location=node,
            delivery=self._loads(instance.demands, node),
            pickup=self._loads(instance.pickups, node),
            service_duration=self._scaled(instance.service[node]),
            release_time=0 if instance.releases is None else self._scaled(instance.releases[node]),
            prize=0 if instance.prizes is None else self._scaled(instance.prizes[node]),
            required=group is None and not optional,
            group=group,
            **self._window(node),
        )

    def _depot(self, node: int) -> Any:
        return self.module.Depot(node, service_duration=self._scaled(self.instance.service[node]), **self._window(node))

    def _shipment(self, pickup: int, delivery: int) -> Any:
        instance = self.instance
        return self.module.Shipment(
            pickup_location=pickup,
            delivery_location=delivery,
            pickup_service_duration=self._scaled(instance.service[pickup]),
            delivery_service_duration=self._scaled(instance.service[delivery]),
            amount=self._loads(instance.demands, pickup),
            prize=0 if instance.prizes is None else self._scaled(instance.prizes[pickup]),
            required=instance.optional is None or not instance.optional[pickup],
            **self._window(pickup, "pickup_"),
            **self._window(delivery, "delivery_"),
        )

    def _vehicle(self, ours: VehicleType) -> Any:
        nowhere = self.instance.depots
        limits = {
            name: self._scaled(getattr(ours, name))
            for name in ("tw_late", "shift_duration", "max_distance", "start_late")
            if getattr(ours, name) is not None and math.isfinite(getattr(ours, name))
        }
        if math.isfinite(ours.max_reloads):
            limits["max_reloads"] = int(ours.max_reloads)
        return self.module.VehicleType(
            num_available=ours.num_available or 100,
            capacity=[int(load) for load in ours.capacity],
            start_depot=nowhere if ours.start_depot is None else ours.start_depot,
            end_depot=nowhere if ours.end_depot is None else ours.end_depot,
            fixed_cost=self._scaled(ours.fixed_cost),
            tw_early=self._scaled(ours.tw_early),
            unit_distance_cost=int(ours.unit_distance_cost),
            unit_duration_cost=int(ours.unit_duration_cost),
            profile=ours.profile,
            initial_load=[int(load) for load in ours.initial_load] or [0] * self.dims,
            reload_depots=list(ours.reload_depots),
            max_overtime=self._scaled(ours.max_overtime),
            unit_overtime_cost=int(ours.unit_overtime_cost),
            **limits,
        )

    def _arcs(self, profile: int, *, times: bool) -> Any:
        instance = self.instance
        own = instance.profiles[profile - 1] if profile else Profile()
        distances = instance.matrix if own.distances is None else own.distances
        durations = distances if own.distances is not None else instance.durations
        chosen = (durations if own.durations is None else own.durations) if times else distances
        if chosen is None:
            chosen = distances
        if chosen is None:
            assert instance.coordinates is not None
            chosen = np.hypot(*(instance.coordinates[:, None] - instance.coordinates).transpose(2, 0, 1))
        rounded = {
            "round": lambda arcs: np.floor(arcs + 0.5),
            "trunc": np.floor,
            "dimacs": lambda arcs: np.floor(10 * arcs + 1e-9),
            "milli": lambda arcs: np.floor(1000 * arcs + 0.5),
            "none": lambda arcs: arcs,
        }[instance.rounding](np.asarray(chosen))
        arcs = np.zeros((self.nodes + 1, self.nodes + 1), dtype=np.int64)
        arcs[:-1, :-1] = rounded
        np.fill_diagonal(arcs, 0)
        return arcs

    def route(self, nodes: list[int], kind: int) -> Any:
        """A route of PyVRP; what it does not accept is a ValueError."""
        kinds = self.module.ActivityType
        activities = []
        for node in nodes:
            for numbers, word in (
                (self.client, kinds.CLIENT),
                (self.pickup, kinds.PICKUP),
                (self.delivery, kinds.DELIVERY),
            ):
                if node in numbers:
                    activities.append(self.module.Activity(word, numbers[node]))
                    break
            else:
                if not 0 <= node < self.instance.depots:
                    raise ValueError(node)
                activities.append(self.module.Activity(kinds.DEPOT, node))
        return self.module.Route(self.data, activities, kind)

    def solution(self, routes: Routes, types: list[int]) -> Any:
        """A solution of PyVRP; None if it does not accept it."""
        try:
            return self.module.Solution(
                self.data, [self.route(route, kind) for route, kind in zip(routes, types, strict=True)]
            )
        except (ValueError, RuntimeError):
            return None

    def cost(self, solution: Any) -> int:
        """The cost of a feasible solution."""
        evaluator = self.module.CostEvaluator([0] * self.data.num_load_dimensions, 0, 0)
        return int(evaluator.cost(solution))
