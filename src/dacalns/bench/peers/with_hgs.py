"""HGS-CVRP, through the package ``hygese``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dacalns.bench.peers.peer import Answer, installed_version, too_large, unknown_features
from dacalns.instances import Instance

# What it is asked to solve.
FEATURES: frozenset[str] = frozenset()
# Our matrix, what its signs are checked with, and the library's copy.
BYTES_PER_PAIR = 24


@dataclass(frozen=True)
class Hgs:
    """HGS-CVRP, as it comes.

    It knows no time windows, tells nothing about solutions on its way, and counts the time of the processor rather than
    that of the clock on the wall: where other work runs, it takes longer than it was given. A free fleet is what it
    allows itself, 1.3 times the least number of vehicles, and three.
    """

    key: str = "hgs"
    name: str = "HGS-CVRP"
    seeded: bool = True

    def version(self) -> str | None:
        """Return the version of ``hygese``."""
        version = installed_version("hygese")
        return None if version is None else f"(hygese {version})"

    def refuses(self, instance: Instance) -> str | None:
        """Refuse time windows and the like, distances that differ by direction, and what does not fit the memory."""
        if unknown := unknown_features(instance, FEATURES):
            return unknown
        if not instance.symmetric:
            return "it knows only distances that are the same in both directions"
        return too_large(instance, BYTES_PER_PAIR)

    def prepare(self, instance: Instance, seconds: float, seed: int) -> Callable[[], Answer]:
        """Bring the data into the form of ``hygese``."""
        import hygese

        data: dict[str, Any] = {
            "distance_matrix": instance.distances,
            "demands": instance.demands,
            "vehicle_capacity": instance.capacity,
        }
        if instance.coordinates is not None:
            # They guide its SWAP* moves only, and must not be negative.
            x, y = (instance.coordinates - instance.coordinates.min(axis=0)).T
            data |= {"x_coordinates": x, "y_coordinates": y}
        if instance.fleet is not None:
            data["num_vehicles"] = instance.fleet
        parameters = hygese.AlgorithmParameters(
            timeLimit=seconds, seed=seed, useSwapStar=instance.coordinates is not None
        )
        solver = hygese.Solver(parameters, verbose=False)

        def run() -> Answer:
            found = solver.solve_cvrp(data)
            return Answer([route for route in found.routes if route], found.cost / instance.scale)

        return run
