"""Random instances of every kind, and ways to solve them, each from one number."""

import math
import random
from dataclasses import dataclass
from typing import Any

from dacalns import Instance

ROUNDINGS = ("round", "trunc", "dimacs", "exact", "none")
# What one unit of distance and time is: as usual; in units so large, or so small, that all numbers are tiny or huge.
UNITS = (1.0, 1.0, 1.0, 1e-6, 1e7)
SELECTORS = ("roulette", "random", "ucb", "dac-t", "dac", "dac:improved", "ac", "weights:1,1/1,1,1")
ACCEPTANCES = ("calibrated", "ropke-pisinger", "record-to-record", "threshold", "hill-climbing", "version-0.1")
FRACTIONS = (1 / 3, 2 / 3, 0.1, 0.7, 1 / 7)


@dataclass(frozen=True)
class Case:
    """An instance, what one unit is in it, and how it is to be solved."""

    number: int
    instance: Instance
    unit: float
    options: dict[str, Any]
    iterations: int


def draw(number: int) -> Case:
    """The case of a number."""
    dice = random.Random(number)
    small = dice.random() < 0.4
    customers = dice.randint(1, 8 if small else 60)
    rounding = dice.choice(ROUNDINGS)
    unit = dice.choice(UNITS) if rounding in ("exact", "none") else 1.0
    fields = _places(dice, customers, rounding, unit)
    fields |= _loads(dice, customers)
    plain = Instance(name=f"case-{number}", rounding=rounding, **fields)  # type: ignore[arg-type]
    instance = _timed(dice, plain, unit) if dice.random() < 0.6 else plain
    if dice.random() < 0.3:
        instance = instance.with_(fleet=dice.randint(1, max(1, customers)))
    return Case(number, instance, unit, _options(dice, instance), dice.choice((0, 20, 100, 400)))


def _places(dice: random.Random, customers: int, rounding: str, unit: float) -> dict[str, Any]:
    side = dice.choice((1, 10, 100, 1000))
    whole = dice.random() < 0.5
    points = [
        [unit * (dice.randint(0, side) if whole else dice.uniform(0, side)) for _ in range(2)]
        for _ in range(customers + 1)
    ]
    if dice.random() < 0.2:  # some in one place
        points = [points[dice.randrange(customers + 1)] for _ in points]
    if rounding != "none" or dice.random() < 0.3:
        return {"coordinates": points}
    matrix = [[math.dist(here, there) for there in points] for here in points]
    if dice.random() < 0.5:  # other ways there and back, without the triangle inequality
        matrix = [[entry * dice.uniform(0.5, 1.5) for entry in row] for row in matrix]
    if whole:
        matrix = [[unit * math.floor(entry / unit) for entry in row] for row in matrix]
    return {"matrix": matrix}


def _loads(dice: random.Random, customers: int) -> dict[str, Any]:
    unit = dice.choice((1.0, 1.0, 1.0, 1e-6, 1e9 / 7, 0.1, 1 / 3))
    demands = [0.0] + [unit * dice.randint(0, 9) for _ in range(customers)]
    capacity = unit * max(9, dice.randint(9, 9 + 3 * customers))
    if dice.random() < 0.3:  # just as much as some of them come to
        capacity = max(math.fsum(dice.sample(demands, dice.randint(1, customers))), max(demands), unit)
    return {"demands": demands, "capacity": capacity}


def _timed(dice: random.Random, plain: Instance, unit: float) -> Instance:
    """With windows around the times of a hidden plan, so that there is a solution: appointments in the extreme."""
    scale = plain.scale
    distances = plain.distances / scale
    kind = dice.choice(("appointments", "tight", "wide", "mixed"))
    fraction = dice.choice((0.0, 1.0, *FRACTIONS))
    service = [0.0] + [fraction * unit * dice.choice((1, 1, 2, 10)) for _ in range(plain.customers)]
    begins = dice.choice((0.0, 0.0, 5.0, 1 / 3, 1000.0)) * unit
    windows = [[0.0, 0.0] for _ in range(plain.customers + 1)]
    end = begins
    for route in _plan(dice, plain):
        here, now = 0, begins
        for customer in route:
            now += distances[here, customer]
            if kind == "appointments" or (kind == "mixed" and dice.random() < 0.5):
                early = late = 0.0
            else:
                room = 1 if kind == "tight" else 100
                early, late = (unit * dice.choice((0, dice.uniform(0, room))) for _ in range(2))
            windows[customer] = [max(0.0, now - early), now + late]
            now = max(now, windows[customer][0]) + service[customer]
            here = customer
        end = max(end, now + distances[here, 0])
    # As late as the plan is back; sometimes no limit at all; never so early that waiting for a window counts.
    windows[0] = [begins, min(dice.choice((end, end * 1.5 + unit, 1e12)), 1e12)]
    return plain.with_(windows=windows, service=service)


def _plan(dice: random.Random, instance: Instance) -> list[list[int]]:
    """Routes that keep to the capacity."""
    order = list(range(1, instance.customers + 1))
    dice.shuffle(order)
    routes: list[list[int]] = [[]]
    for customer in order:
        route = [*routes[-1], customer]
        if routes[-1] and (dice.random() < 0.2 or math.fsum(instance.demands[route]) > instance.capacity):
            routes.append([customer])
        else:
            routes[-1] = route
    return routes


def _options(dice: random.Random, instance: Instance) -> dict[str, Any]:
    options: dict[str, Any] = {"seed": dice.randrange(1000)}
    if dice.random() < 0.7:
        options["portfolio"] = dice.choice(("full", "paper", "paper:ratio,anywhere", "paper:scales"))
        options["selector"] = dice.choice(SELECTORS)
        untrained = options["selector"] == "dac-t" and options["portfolio"].startswith("paper:")
        if untrained or options["selector"].startswith("weights"):
            options["portfolio"] = "paper"  # for which there are weights, and a policy
    if dice.random() < 0.3:
        options["acceptance"] = dice.choice(ACCEPTANCES)
    if dice.random() < 0.2:
        options["objective"] = "vehicles-then-distance"
    if dice.random() < 0.1:
        options["jobs"] = 2
    if dice.random() < 0.2:
        options["start"] = _plan(dice, instance)
    return options
