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


@dataclass(frozen=True)
class LearnedCase:
    """An instance and what is asked of learned selectors on it.

    Parameters
    ----------
    load
        Gets the instance.
    online, frozen
        The fewest iterations a second that are good enough while learning, and of a frozen policy that looks at every
        solution; ``None`` where nothing is asked.
    """

    load: Callable[[], Instance]
    online: float | None = None
    frozen: float | None = None


def speed_cases() -> list[SpeedCase]:
    """The four cases, by size."""
    return [
        SpeedCase(lambda: read("A-n80-k10"), 60_000, ratio=60),
        SpeedCase(lambda: read("R101"), 40_000),
        SpeedCase(_with_199_customers, 20_000),
        SpeedCase(_with_1000_customers, 1_500),
    ]


def learned_cases() -> list[LearnedCase]:
    """The five cases, by size."""
    return [
        LearnedCase(lambda: read("B-n41-k6")),
        LearnedCase(lambda: read("A-n80-k10"), online=5_000, frozen=15_000),
        LearnedCase(lambda: read("R101"), online=4_000, frozen=11_000),
        LearnedCase(_with_199_customers),
        LearnedCase(_with_1000_customers, online=450, frozen=1_100),
    ]


def _with_199_customers() -> Instance:
    return _from_set_x("X-n200-k36") or generate_cvrp(
        199, positions="clustered", demand="quadrant", route_length=5.6, seed=1
    )


def _with_1000_customers() -> Instance:
    return _from_set_x("X-n1001-k43") or generate_cvrp(1000, demand="1-10", route_length=23.6, seed=1)


def _from_set_x(name: str) -> Instance | None:
    """An instance of set X, which the package does not carry, if the data lie next to the checkout."""
    checkout = Path(__file__).parents[3]
    for base in (checkout, Path.cwd()):
        path = base.parent / SHARED / f"{name}.vrp"
        if path.is_file():
            return read(path)
    return None
