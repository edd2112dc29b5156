"""What speed is measured on."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dacalns.instances import Instance, generate_cvrp, read

SHARED = Path("shared", "data", "scale", "X")


@dataclass(frozen=True)
class SpeedCase:
    """An instance and what is asked of the search on it.

    Parameters
    ----------
    load
        Gets the instance.
    iterations_per_second
        The least that is good enough.
    ratio
        The least that is good enough of the peer's speed; ``None`` where nothing is asked.
    """

    load: Callable[[], Instance]
    iterations_per_second: float
    ratio: float | None = None


def speed_cases() -> list[SpeedCase]:
    """The four cases, by size."""
    return [
        SpeedCase(lambda: read("A-n80-k10"), 60_000, ratio=60),
        SpeedCase(lambda: read("R101"), 40_000),
        SpeedCase(
            lambda: (
                _from_set_x("X-n200-k36")
                or generate_cvrp(199, positions="clustered", demand="quadrant", route_length=5.6, seed=1)
            ),
            20_000,
        ),
        SpeedCase(
            lambda: _from_set_x("X-n1001-k43") or generate_cvrp(1000, demand="1-10", route_length=23.6, seed=1),
            1_500,
        ),
    ]


def _from_set_x(name: str) -> Instance | None:
    """An instance of set X, which the package does not carry, if the data lie next to the checkout."""
    checkout = Path(__file__).parents[3]
    for base in (checkout, Path.cwd()):
        path = base.parent / SHARED / f"{name}.vrp"
        if path.is_file():
            return read(path)
    return None
