"""Are the reasons and relaxations right? Plant a cause for which somebody cannot be served, and ask why he is not.

    python benchmarks/why_not.py [--instances 500] [--first 0] [--causes window-early …] [--iterations 3000]
        [--json FILE]

Instances of 12 to 40 customers are generated with features that vary, and are solved, so that it is known that all can
be served. Then one thing is made wrong (`PLANTED` lists what), and `dacalns.explain_unserved` is asked. Two things
count: whether the main reason is the planted one, and whether another search serves the customer, and everybody who
must be served, once the first relaxation is applied. In every second instance the customer may be left out for a large
prize, so that the pre-flight does not refuse the instance. Where a vehicle is short, it is the relaxation for all at
once that is applied, if several are not served.
"""

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dacalns
from dacalns.instances.features import (
    DEPOT_SERVICE,
    DEPOTS,
    DISTANCE_COSTS,
    DISTANCE_LIMITS,
    DURATION_COSTS,
    DURATION_LIMITS,
    DURATIONS,
    FIXED_COSTS,
    LOADS,
    OPEN_ROUTES,
    PAIRS,
    PICKUPS,
    PRIZES,
    RELEASE_TIMES,
    RELOADS,
    RESTRICTIONS,
    SEVERAL_WINDOWS,
    SHIFTS,
    STOP_LIMITS,
    VEHICLE_TYPES,
    WINDOWS,
)
from dacalns.util.errors import InfeasibleInstanceError

SEED = 90_000
MUCH = 1e5  # a prize for which everybody is worth a visit


class UnsuitableError(Exception):
    """The cause cannot be planted into this instance."""


@dataclass(frozen=True)
class Case:
    """An instance with a planted cause, and who is to suffer; nobody in particular where a vehicle is short."""

    instance: dacalns.Instance
    customers: list[int]


Planter = Callable[[dacalns.Instance, np.random.Generator], Case]


# How each cause is planted.


def _lone(instance: dacalns.Instance) -> list[int]:
    """The customers who must be served, and are in no pair."""
    paired = set() if instance.pairs is None else set(instance.pairs.ravel().tolist())
    found = [node for node in np.flatnonzero(instance.required).tolist() if node not in paired]
    if not found:
        raise UnsuitableError
    return found


def _far(instance: dacalns.Instance, nodes: Sequence[int]) -> int:
    """The one who is farthest from the nearest depot."""
    return max(nodes, key=lambda node: min(instance.distances[depot, node] for depot in range(instance.depots)))


def _way(instance: dacalns.Instance, node: int, *, back: bool) -> float:
    """The least time to a customer from the start of a vehicle, or back from him to its end."""
    ways = []
    for kind in instance.types:
        times = instance.durations_of(kind.profile) / kind.speed
        depot = kind.end_depot if back else kind.start_depot
        if depot is None:
            raise UnsuitableError
        ways.append(times[node, depot] if back else instance.service[depot] + times[depot, node])
    return float(min(ways))


def _with_window(instance: dacalns.Instance, windows: dict[int, tuple[float, float]]) -> dacalns.Instance:
    changed = instance.windows.copy()
    for node, window in windows.items():
        changed[node] = window
    more = tuple(row for row in instance.more_windows if row[0] not in windows)
    return instance.with_(windows=changed, more_windows=more)


def window_early(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """A window closes before anybody can be there."""
    node = _far(instance, _lone(instance))
    closes = np.floor(dice.uniform(0.0, 0.6) * _way(instance, node, back=False))
    return Case(_with_window(instance, {node: (0.0, float(closes))}), [node])


def window_late(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """A window opens so late that nobody can be back before the depot closes."""
    node = _far(instance, _lone(instance))
    day = float(instance.windows[: instance.depots, 1].max())
    opens = np.ceil(day - dice.uniform(0.0, 0.6) * (_way(instance, node, back=True) + instance.service[node]))
    return Case(_with_window(instance, {node: (float(min(opens, day)), day)}), [node])


def vehicle_short(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """There are as many vehicles of each type as a good plan uses, less one; types that it does not use are gone."""
    plan = dacalns.solve(instance, stop=dacalns.MaxIterations(6000), seed=1)
    used = [plan.vehicle_types.count(kind) for kind in range(len(instance.types))]
    several = [kind for kind, count in enumerate(used) if count > 1]
    if not several:
        raise UnsuitableError
    used[int(dice.choice(several))] -= 1
    if instance.vehicle_types:
        types = tuple(
            dataclasses.replace(kind, num_available=count)
            for kind, count in zip(instance.types, used, strict=True)
            if count
        )
        return Case(instance.with_(vehicle_types=types), [])
    return Case(instance.with_(fleet=used[0]), [])


def forbidden(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """No type may serve him, or only one that is far too small."""
    node = int(dice.choice(_lone(instance)))
    types = [
        dataclasses.replace(
            kind,
            allowed_customers=tuple(
                each for each in (kind.allowed_customers or instance.customer_nodes) if each != node
            ),
        )
        for kind in instance.types
    ]
    if not all(kind.allowed_customers for kind in types):
        raise UnsuitableError
    if dice.random() < 0.5:
        zero = (0.0,) * len(types[0].capacity)
        if not instance.demands.reshape(len(instance.demands), -1)[node].any():
            raise UnsuitableError
        types.append(dataclasses.replace(types[0], capacity=zero, initial_load=(), allowed_customers=(node,)))
    return Case(instance.with_(vehicle_types=tuple(types)), [node])


def broken_pair(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """The goods must be delivered before they can be picked up; or the way over both ends is too long."""
    pickup, delivery = dice.choice(instance.pairs).tolist()
    if instance.windows is not None:
        middle = float(np.floor(instance.windows[0, 1] / 2))
        early = float(middle - dice.integers(1, 20))
        windows = {pickup: (middle, middle + float(dice.integers(0, 30))), delivery: (0.0, early)}
        return Case(_with_window(instance, windows), [pickup, delivery])
    x, y = instance.coordinates[0].tolist()
    reach = float(max(kind.max_distance for kind in instance.types))
    coordinates = instance.coordinates.copy()
    angle, far = dice.uniform(0, 2 * np.pi), 0.45 * reach
    coordinates[pickup] = x + far * np.cos(angle), y + far * np.sin(angle)
    coordinates[delivery] = x - far * np.cos(angle), y - far * np.sin(angle)
    return Case(instance.with_(coordinates=coordinates), [pickup, delivery])


def capacity(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """One customer is larger than every vehicle, in one load dimension."""
    node = int(dice.choice(_lone(instance)))
    largest = max(kind.capacity[0] for kind in instance.types)
    demands = instance.demands.copy()
    demands.reshape(len(demands), -1)[node, 0] = np.ceil(largest * dice.uniform(1.02, 1.8))
    return Case(instance.with_(demands=demands), [node])


def duration(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """With his service a route takes longer than it may, even if it has only him."""
    node = int(dice.choice(_lone(instance)))
    service = instance.service.copy()
    service[node] = np.ceil(dice.uniform(1.0, 1.5) * max(kind.shift_duration for kind in instance.types)) + 1
    return Case(instance.with_(service=service), [node])


def distance(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """He lives so far away that the way there and back is too long."""
    node = int(dice.choice(_lone(instance)))
    x, y = instance.coordinates[0].tolist()
    far = dice.uniform(0.55, 0.9) * max(kind.max_distance for kind in instance.types)
    coordinates = instance.coordinates.copy()
    angle = dice.uniform(0, 2 * np.pi)
    coordinates[node] = x + far * np.cos(angle), y + far * np.sin(angle)
    return Case(instance.with_(coordinates=coordinates), [node])


def depot_closes(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """His service takes so long that nobody is back before the depot closes, however early he is served."""
    node = int(dice.choice(_lone(instance)))
    day = float(instance.windows[: instance.depots, 1].max())
    service = instance.service.copy()
    service[node] = np.ceil(dice.uniform(1.0, 1.3) * day)
    return Case(_with_window(instance.with_(service=service), {node: (0.0, day)}), [node])


def prize_low(instance: dacalns.Instance, dice: np.random.Generator) -> Case:
    """He may be left out, and his prize does not pay for the way."""
    node = _far(instance, _lone(instance))
    return Case(_optional(instance, [node], float(dice.integers(0, 3))), [node])


@dataclass(frozen=True)
class Cause:
    """What is planted.

    Parameters
    ----------
    plant
        Plants it.
    main
        The main reason that is expected.
    needs, without
        The features that the instance must have, and those that it may not have: with them it would be another cause.
    optional
        Whether every second customer may be left out for a large prize.
    """

    plant: Planter
    main: str
    needs: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    optional: bool = True


ANY = (
    DEPOTS, DEPOT_SERVICE, DISTANCE_COSTS, DISTANCE_LIMITS, DURATION_COSTS, DURATION_LIMITS, DURATIONS, FIXED_COSTS,
    LOADS, OPEN_ROUTES, PAIRS, PICKUPS, RELEASE_TIMES, RELOADS, RESTRICTIONS, SEVERAL_WINDOWS, SHIFTS, STOP_LIMITS,
    VEHICLE_TYPES, WINDOWS,
)  # fmt: skip
CLOCK = (WINDOWS, SEVERAL_WINDOWS, SHIFTS, RELEASE_TIMES)

PLANTED = {
    "window-early": Cause(window_early, "window", (WINDOWS,), (OPEN_ROUTES, RELEASE_TIMES, SEVERAL_WINDOWS)),
    "window-late": Cause(window_late, "window", (WINDOWS,), (OPEN_ROUTES, SHIFTS, SEVERAL_WINDOWS)),
    "vehicle-short": Cause(vehicle_short, "fleet", (), (RESTRICTIONS, PRIZES), optional=False),
    "forbidden": Cause(forbidden, "restriction", (RESTRICTIONS,), (RELOADS,)),
    "broken-pair": Cause(broken_pair, "pair", (PAIRS,), (OPEN_ROUTES,)),
    "capacity": Cause(capacity, "capacity", ()),
    "duration": Cause(duration, "duration", (DURATION_LIMITS,), CLOCK),
    "distance": Cause(distance, "distance", (DISTANCE_LIMITS,), (*CLOCK, DURATION_LIMITS, OPEN_ROUTES)),
    "depot-closes": Cause(
        depot_closes, "depot", (WINDOWS,), (SHIFTS, DURATION_LIMITS, OPEN_ROUTES, SEVERAL_WINDOWS, RELEASE_TIMES)
    ),
    "prize-low": Cause(prize_low, "price", (), optional=False),
}
"""The causes; ``broken-pair`` has windows in every second instance, and a limit on distances in the others."""


def _optional(instance: dacalns.Instance, nodes: Sequence[int], prize: float) -> dacalns.Instance:
    count = len(instance.demands)
    optional = np.zeros(count, dtype=bool) if instance.optional is None else instance.optional.copy()
    prizes = np.zeros(count) if instance.prizes is None else instance.prizes.copy()
    optional[list(nodes)], prizes[nodes[0]] = True, prize
    return instance.with_(optional=optional, prizes=prizes)


def planted(cause: str, number: int) -> Case:
    """Return an instance with a cause in it.

    Raises
    ------
    UnsuitableError
        When it cannot be planted into the instance of this number.
    """
    what = PLANTED[cause]
    dice = np.random.default_rng([SEED, [*PLANTED].index(cause), number])
    needs, without = {*what.needs}, {*what.without}
    if cause == "broken-pair":
        needs.add(WINDOWS if number % 2 else DISTANCE_LIMITS)
        without |= set() if number % 2 else {*CLOCK, DURATION_LIMITS, DEPOTS}
    asked = needs | {feature for feature in ANY if dice.random() < 0.12 and feature not in without}
    if {PAIRS, SEVERAL_WINDOWS} <= asked:  # which the search does not do together
        raise UnsuitableError
    base = dacalns.generate_rich(int(dice.integers(12, 41)), asked, seed=SEED + number)
    if not dacalns.solve(base, stop=dacalns.MaxIterations(3000), seed=0).feasible:
        raise UnsuitableError
    case = what.plant(base, dice)
    if what.optional and number // 2 % 2:
        case = Case(_optional(case.instance, case.customers, MUCH), case.customers)
    return case


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    cause: str
    number: int
    features: list[str]
    refused: bool
    main: str
    right: bool
    relaxation: str
    served: bool
    seconds: float


def outcome(cause: str, number: int, iterations: int) -> Outcome:
    """Plant, ask, relax and search again.

    Raises
    ------
    UnsuitableError
        When the cause cannot be planted, or everybody is served all the same.
    """
    case = planted(cause, number)
    instance, refused, result = case.instance, False, None
    try:
        result = dacalns.solve(instance, stop=dacalns.MaxIterations(iterations), seed=2)
    except InfeasibleInstanceError:
        refused = True
    if result is not None and not result.unserved and not {*case.customers} & {*result.left_out}:
        raise UnsuitableError
    began = time.perf_counter()
    why = dacalns.explain_unserved(instance, result)
    seconds = time.perf_counter() - began
    if case.customers:
        reasons = [why[case.customers[0]]]
    else:
        unserved = {*result.unserved} if result is not None else {*range(len(instance.demands))}
        reasons = [reason for reason in why if unserved & {*reason.customers}]
    mains = {reason.main for reason in reasons}
    found = why.together[:1] if not case.customers and why.together else reasons[0].relaxations[:1]
    served = False
    if found:
        again = dacalns.solve(found[0].apply(instance), stop=dacalns.MaxIterations(4 * iterations), seed=3)
        served = again.feasible and not {*case.customers} & {*again.left_out}
    return Outcome(
        cause=cause,
        number=number,
        features=sorted(instance.features),
        refused=refused,
        main=" ".join(sorted(mains)),
        right=mains == {PLANTED[cause].main},
        relaxation=str(found[0]) if found else "",
        served=served,
        seconds=seconds,
    )


def outcomes(causes: Sequence[str], each: int, first: int, iterations: int) -> list[Outcome]:
    """So many outcomes of each cause; instances that do not suit are passed over."""
    found: list[Outcome] = []
    for cause in causes:
        number, left = first, each
        while left:
            try:
                found.append(outcome(cause, number, iterations))
                left -= 1
            except UnsuitableError:
                pass
            number += 1
    return found


def table(found: Sequence[Outcome]) -> str:
    """The outcomes by cause."""
    lines = [f"{'cause':14} {'instances':>9} {'refused':>8} {'main':>8} {'served':>8} {'seconds':>8}"]
    for cause in [*dict.fromkeys(each.cause for each in found), ""]:
        some = [each for each in found if cause in ("", each.cause)]
        right, served = (sum(getattr(each, name) for each in some) / len(some) for name in ("right", "served"))
        refused = sum(each.refused for each in some)
        mean = sum(each.seconds for each in some) / len(some)
        lines.append(
            f"{cause or 'all':14} {len(some):9} {refused:8} {100 * right:7.1f}% {100 * served:7.1f}% {mean:8.3f}"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and the outcomes that are wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--causes", nargs="+", choices=[*PLANTED], default=[*PLANTED])
    parser.add_argument("--iterations", type=int, default=3000)
    parser.add_argument("--json", type=Path)
    asked: Any = parser.parse_args(arguments)
    each = max(1, asked.instances // len(asked.causes))
    found = outcomes(asked.causes, each, asked.first, asked.iterations)
    for wrong in (one for one in found if not (one.right and one.served)):
        print(
            f"{wrong.cause} {wrong.number}: main {wrong.main}, {'served' if wrong.served else 'not served'} with: "
            f"{wrong.relaxation or 'nothing'} ({', '.join(wrong.features)})",
            file=sys.stderr,
        )
    print(table(found))
    if asked.json is not None:
        asked.json.write_text(json.dumps([dataclasses.asdict(one) for one in found], indent=1) + "\n")


if __name__ == "__main__":
    main()
