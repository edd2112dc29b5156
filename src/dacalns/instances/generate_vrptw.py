"""Generate VRPTW instances in the manner of Solomon (1987)."""

import math

import numpy as np

from dacalns.errors import InputError
from dacalns.instances.choices import require_choice
from dacalns.instances.generate_cvrp import MOST_CUSTOMERS
from dacalns.instances.instance import Instance
from dacalns.instances.positions import POSITIONS, Point, customer_positions
from dacalns.instances.stream import Stream
from dacalns.instances.whole_number import whole_number
from dacalns.shown import shown

HORIZONS = ("short", "long")
# Horizon in sides of the square, and capacity: those of Solomon's R1 and R2, where the square has side 100.
HORIZON_SIDES = {"short": 2.3, "long": 10.0}
CAPACITIES = {"short": 200, "long": 1000}
SERVICE = 10
DEMAND_RANGE = (1, 50)
LEAST_SIDE = 100
USUAL_WIDTH, USUAL_DENSITY = 0.2, 0.75


def generate_vrptw(
    customers: int,
    positions: str = "mixed",
    horizon: str = "short",
    width: float = USUAL_WIDTH,
    density: float = USUAL_DENSITY,
    seed: int = 0,
) -> Instance:
    """Generate a VRPTW instance in which every customer can be served by a vehicle of its own.

    The depot lies in the middle of a square of side 100, larger beyond 100 customers so that the density
    stays. Window centres are uniform in the time in which a vehicle can begin service and still return.

    Parameters
    ----------
    customers
        How many.
    positions
        ``clustered``, ``random`` or ``mixed``, as in Solomon's C, R and RC.
    horizon
        ``short``, for routes of about ten customers, or ``long``, for routes of thirty and more.
    width
        The mean width of a window as a fraction of the horizon, over 0 and at most 1; widths vary by half
        of it.
    density
        The fraction of customers with a window of their own, from 0 to 1; the others may be served whenever
        the vehicle can return in time.
    seed
        The same arguments give the same instance, on every machine.

    Returns
    -------
    Instance
        With distances and times truncated to one decimal, and a free fleet.

    Raises
    ------
    InputError
        When an argument is not one of its choices.

    References
    ----------
    Solomon (1987), "Algorithms for the vehicle routing and scheduling problems with time window constraints",
    Operations Research 35(2).
    """
    count = whole_number("customers", customers, minimum=1, maximum=MOST_CUSTOMERS)
    seed = whole_number("seed", seed, minimum=0)
    require_choice("positions", positions, POSITIONS)
    require_choice("horizon", horizon, HORIZONS)
    width = _fraction("width", width)
    density = _fraction("density", density)
    if width == 0:
        raise InputError(
            "width is 0; expected a fraction over 0; give for example 0.2, or a small one for tight windows."
        )
    stream = Stream("vrptw", count, positions, horizon, seed)
    side = max(LEAST_SIDE, round(LEAST_SIDE * math.sqrt(count / 100)))
    depot = (side // 2, side // 2)
    closing = round(HORIZON_SIDES[horizon] * side)
    points = customer_positions(stream, positions, count, side, side / 25, depot)
    demands = [stream.integer(*DEMAND_RANGE) for _ in points]
    chosen = set(stream.choose(range(count), round(density * count)))
    windows = [
        _window(stream, math.dist(depot, point), closing, width if index in chosen else None)
        for index, point in enumerate(points)
    ]
    words = [
        "vrptw",
        f"n{count}",
        *(given for given, usual in ((positions, "mixed"), (horizon, "short")) if given != usual),
        *([f"w{width:g}"] if width != USUAL_WIDTH else []),
        *([f"d{density:g}"] if density != USUAL_DENSITY else []),
        f"s{seed}",
    ]
    return Instance(
        name="-".join(words),
        coordinates=np.array([depot, *points], dtype=np.float64),
        demands=np.array([0, *demands], dtype=np.float64),
        capacity=CAPACITIES[horizon],
        windows=np.array([(0, closing), *windows], dtype=np.float64),
        service=np.array([0] + [SERVICE] * count, dtype=np.float64),
        rounding="dimacs",
    )


def _window(stream: Stream, distance: float, closing: int, width: float | None) -> Point:
    """Return a window that can be reached from the depot and left in time for the return."""
    latest = closing - SERVICE - distance
    # Drawn in any case, so that the density decides who has a window and never which.
    centre, breadth = stream.uniform(distance, latest), stream.uniform(0.5, 1.5)
    if width is None:
        return 0, math.floor(latest)
    half = width * closing * breadth / 2
    return max(0, math.floor(centre - half)), min(math.floor(latest), math.ceil(centre + half))


def _fraction(what: str, given: float) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 <= value <= 1:
        raise InputError(f"{what} is {shown(given)}; expected a fraction from 0 to 1; correct the value.")
    return value
