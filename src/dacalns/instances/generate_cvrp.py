"""Generate CVRP instances as Uchoa et al. (2017) describe for their benchmark set X."""

import math

import numpy as np

from dacalns.instances.choices import require_choice
from dacalns.instances.instance import Instance
from dacalns.instances.positions import POSITIONS, Point, customer_positions
from dacalns.instances.stream import Stream
from dacalns.instances.validation import positive_number
from dacalns.instances.whole_number import whole_number

SIDE = 1000
DECAY = 40.0
DEPOTS = ("random", "central", "eccentric")
DEMAND_RANGES = {"unitary": (1, 1), "1-10": (1, 10), "5-10": (5, 10), "1-100": (1, 100), "50-100": (50, 100)}
DEMANDS = (*DEMAND_RANGES, "quadrant", "many-small")
MOST_CUSTOMERS = 100_000


def generate_cvrp(
    customers: int,
    depot: str = "random",
    positions: str = "random",
    demand: str = "1-100",
    route_length: float | None = None,
    seed: int = 0,
) -> Instance:
    """Generate a CVRP instance on a grid of 1000 by 1000.

    Parameters
    ----------
    customers
        How many.
    depot
        ``random``, ``central`` or ``eccentric`` (in a corner).
    positions
        ``random``, ``clustered`` or ``mixed``.
    demand
        ``unitary``; ``1-10``, ``5-10``, ``1-100`` or ``50-100``, uniform in that range; ``quadrant``, 1-50
        in two opposite quadrants and 51-100 in the others; ``many-small``, mostly 1-10 and some 50-100.
    route_length
        How many customers a full vehicle serves on average; drawn from the triangular distribution on 3, 6,
        25 when ``None``. It fixes the capacity.
    seed
        The same arguments give the same instance, on every machine.

    Returns
    -------
    Instance
        With rounded distances and a free fleet. Its name holds the arguments that are not the default.

    Raises
    ------
    InputError
        When an argument is not one of its choices.

    References
    ----------
    Uchoa, Pecin, Pessoa, Poggi, Vidal, Subramanian (2017), "New benchmark instances for the capacitated
    vehicle routing problem", European Journal of Operational Research 257(3).
    """
    count = whole_number("customers", customers, minimum=1, maximum=MOST_CUSTOMERS)
    seed = whole_number("seed", seed, minimum=0)
    require_choice("depot", depot, DEPOTS)
    require_choice("positions", positions, POSITIONS)
    require_choice("demand", demand, DEMANDS)
    stream = Stream("cvrp", count, depot, positions, demand, seed)
    place = _depot(stream, depot)
    points = customer_positions(stream, positions, count, SIDE, DECAY, place)
    demands = _demands(stream, demand, points)
    # Drawn in any case, so that a given route length changes the capacity and nothing else.
    drawn = stream.triangular(3.0, 6.0, 25.0)
    length = drawn if route_length is None else positive_number("route_length", route_length)
    capacity = max(*demands, math.ceil(length * sum(demands) / count), 1)
    words = [
        "cvrp",
        f"n{count}",
        *(given for given, usual in ((depot, "random"), (positions, "random"), (demand, "1-100")) if given != usual),
        *([] if route_length is None else [f"r{length:g}"]),
        f"s{seed}",
    ]
    return Instance(
        name="-".join(words),
        coordinates=np.array([place, *points], dtype=np.float64),
        demands=np.array([0, *demands], dtype=np.float64),
        capacity=capacity,
        rounding="round",
    )


def _depot(stream: Stream, kind: str) -> Point:
    if kind == "central":
        return SIDE // 2, SIDE // 2
    if kind == "eccentric":
        return 0, 0
    return stream.integer(0, SIDE), stream.integer(0, SIDE)


def _demands(stream: Stream, kind: str, points: list[Point]) -> list[int]:
    if kind in DEMAND_RANGES:
        return [stream.integer(*DEMAND_RANGES[kind]) for _ in points]
    if kind == "quadrant":
        half = SIDE / 2
        return [stream.integer(1, 50) if (x < half) != (y < half) else stream.integer(51, 100) for x, y in points]
    small = stream.uniform(0.70, 0.95)
    return [stream.integer(1, 10) if stream.uniform() < small else stream.integer(50, 100) for _ in points]
