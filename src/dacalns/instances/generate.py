"""Generate instances: CVRP as set X, VRPTW as Solomon's, and those with a name."""

import math
import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from dacalns.instances.features import FEATURES, PROBLEMS, WINDOWS
from dacalns.instances.fields import positive_number
from dacalns.instances.generate_rich import generate_rich
from dacalns.instances.instance import Instance
from dacalns.instances.positions import MOST_CUSTOMERS, POSITIONS, Point, customer_positions
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream
from dacalns.util.shown import shown
from dacalns.util.values import require_choice, whole_number

# Generate CVRP instances as Uchoa et al. (2017) describe for their benchmark set X.

SIDE = 1000
DECAY = 40.0
DEPOTS = ("random", "central", "eccentric")
DEMAND_RANGES = {"unitary": (1, 1), "1-10": (1, 10), "5-10": (5, 10), "1-100": (1, 100), "50-100": (50, 100)}
DEMANDS = (*DEMAND_RANGES, "quadrant", "many-small")


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
        The number of customers.
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


# Generate VRPTW instances in the manner of Solomon (1987).

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
        The number of customers.
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


# Instances of every kind that the generators know, drawn from a stream, and those of them that have a name.

T = TypeVar("T")
GENERATED = ("generated-cvrp", "generated-vrptw")
"""How the names of generated instances begin."""

NAME = re.compile(
    r"generated-(?P<problem>[a-z+-]{1,600})-n(?P<customers>[0-9]{1,18})-s(?P<seed>[0-9]{1,18})", re.IGNORECASE
)
WIDTHS, DENSITIES = (0.05, 0.1, 0.2, 0.4), (0.25, 0.5, 0.75, 1.0)
# Customers in a route of CVRP of either sort.
ROUTE_LENGTHS = {"short": (3, 8), "long": (12, 25)}
DRAWN_DEMANDS = (*(kind for kind in DEMAND_RANGES if kind != "unitary"), "quadrant", "many-small")


def drawn_instance(stream: Stream, problem: str, customers: int, sort: str | None = None) -> Instance:
    """Draw what kind of instance it is (positions, depot, demands, route length; horizon, windows), then the instance.

    Parameters
    ----------
    stream
        The next draws of which decide; equal streams give equal instances.
    problem
        ``"cvrp"`` or ``"vrptw"``.
    customers
        The number of customers.
    sort
        ``"short"`` or ``"long"``: VRPTW with such a horizon, or CVRP with such routes; both if left out.
    """

    def one_of(choices: Sequence[T]) -> T:
        return choices[stream.integer(0, len(choices) - 1)]

    positions = one_of(POSITIONS)
    if WINDOWS not in PROBLEMS[problem]:
        depot, demand = one_of(DEPOTS), one_of(DRAWN_DEMANDS)
        length = stream.integer(*ROUTE_LENGTHS[sort]) if sort else None
        return generate_cvrp(customers, depot, positions, demand, length, seed=stream.integer(0, 1 << 30))
    horizon, width, density = one_of(HORIZONS), one_of(WIDTHS), one_of(DENSITIES)
    return generate_vrptw(customers, positions, sort or horizon, width, density, seed=stream.integer(0, 1 << 30))


def generated_instance(name: str) -> Instance | None:
    """Return the instance that a name such as ``generated-cvrp-n60-s7`` stands for; ``None`` if it is another name.

    In place of ``cvrp`` or ``vrptw``, features with ``+`` between them ask for a rich problem. Its stream is its own:
    no training, validation or calibration draws these instances.

    Examples
    --------
    >>> generated_instance("generated-vrptw-n60-s7")
    Instance('generated-vrptw-n60-s7': vrptw, 60 customers, capacity 1000, fleet free, rounding dimacs)
    >>> generated_instance("generated-pairs+windows-n60-s7").features == {"pairs", "windows"}
    True
    """
    found = NAME.fullmatch(name)
    if found is None:
        return None
    problem, customers, seed = found["problem"].lower(), int(found["customers"]), int(found["seed"])
    if problem not in PROBLEMS:
        asked = problem.split("+")
        if not set(asked) <= set(FEATURES):
            return None
        rich = generate_rich(customers, asked, seed)
        return rich.with_(name=f"generated-{problem}-n{customers}-s{seed}", comment=rich.name)
    drawn = drawn_instance(Stream("generated by name", problem, customers, seed), problem, customers)
    return drawn.with_(name=f"generated-{problem}-n{customers}-s{seed}", comment=drawn.name)
