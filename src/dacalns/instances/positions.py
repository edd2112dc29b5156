"""The positions of the customers of generated instances."""

import math

from dacalns.util.random_stream import Stream

MOST_CUSTOMERS = 100_000
"""The most that a generated instance has."""

POSITIONS = ("random", "clustered", "mixed")
CLUSTERS = (3, 8)

Point = tuple[int, int]


def customer_positions(stream: Stream, kind: str, count: int, side: int, decay: float, depot: Point) -> list[Point]:
    """Draw distinct grid points, none of them the depot.

    Clusters grow around seed customers as Uchoa et al. describe: a random point is accepted with the
    probability that the seeds lend it, the sum of exp(-distance / decay) over them. A mixed instance is
    half clustered, half random.

    Parameters
    ----------
    stream
        Where the draws come from.
    kind
        One of `POSITIONS`.
    count
        How many.
    side
        The grid goes from 0 to this number in both directions.
    decay
        The distance at which the pull of a seed has fallen to 1/e.
    depot
        A point to leave free.

    References
    ----------
    Uchoa, Pecin, Pessoa, Poggi, Vidal, Subramanian (2017), "New benchmark instances for the capacitated
    vehicle routing problem", European Journal of Operational Research 257(3).
    """
    taken = {depot}
    points: list[Point] = []

    def add(point: Point) -> None:
        if point not in taken:
            taken.add(point)
            points.append(point)

    def draw() -> Point:
        return stream.integer(0, side), stream.integer(0, side)

    clustered = {"random": 0, "clustered": count, "mixed": count // 2}[kind]
    if clustered:
        seeds = min(clustered, stream.integer(*CLUSTERS))
        while len(points) < seeds:
            add(draw())
        centres = list(points)
        while len(points) < clustered:
            point = draw()
            pull = sum(math.exp(-math.dist(point, centre) / decay) for centre in centres)
            if stream.uniform() < pull:
                add(point)
    while len(points) < count:
        add(draw())
    return points
