"""HGS-CVRP as a peer, through the package ``hygese``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dacalns.bench.peers.peer import Answer, installed_version, too_large, unknown_features
from dacalns.instances import Instance

# It is asked to solve only the plain CVRP, which has no features.
FEATURES: frozenset[str] = frozenset()
# These are our matrix, the array with which its signs are checked, and the library's copy.
BYTES_PER_PAIR = 24


@dataclass(frozen=True)
class Hgs:
    """HGS-CVRP with its default settings.

    It knows no time windows, and tells nothing about solutions on its way. It counts processor time rather than wall
    time, so that it takes longer than it was given if other work runs. If the fleet is free, it allows itself 1.3 times
    the least number of vehicles, plus three.
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
            # Coordinates only guide its SWAP* moves, and must not be negative.
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
