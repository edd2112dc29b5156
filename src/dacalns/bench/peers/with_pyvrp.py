"""PyVRP as a peer."""

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dacalns.bench.peers.peer import Answer, Trajectory, installed_version, not_whole, too_large, unknown_features
from dacalns.instances import Instance
from dacalns.instances.features import WINDOWS

# The model below has these features.
FEATURES = frozenset({WINDOWS})
# These are our matrix, the same as integers, and the library's copies for distances and for durations.
BYTES_PER_PAIR = 32


@dataclass(frozen=True)
class PyVrp:
    """PyVRP 0.14 or later with its default settings.

    It gets the integers that the instance's rounding gives, and the fleet; a free fleet is a vehicle for every
    customer. Neighbour lists and the initial solution are part of the time, though PyVRP's own clock leaves them out.
    """

    key: str = "pyvrp"
    name: str = "PyVRP"
    seeded: bool = True

    def version(self) -> str | None:
        """Return the installed version; None if it is not installed."""
        return installed_version("pyvrp")

    def refuses(self, instance: Instance) -> str | None:
        """Refuse features that the model below does not have, what is not whole, or does not fit the memory."""
        return unknown_features(instance, FEATURES) or not_whole(instance) or too_large(instance, BYTES_PER_PAIR)

    def prepare(self, instance: Instance, seconds: float, seed: int) -> Callable[[], Answer]:
        """Build PyVRP's problem data, and return the call that solves it."""
        # It is imported like this so that types are the same whether it is installed or not.
        pyvrp: Any = importlib.import_module("pyvrp")
        data = problem_data(instance)

        def run() -> Answer:
            began = time.perf_counter()
            trajectory: Trajectory = []

            def note(solution: Any) -> None:
                if solution.is_feasible():
                    trajectory.append((time.perf_counter() - began, solution.distance() / instance.scale))

            callbacks = importlib.import_module("pyvrp.IteratedLocalSearch").IteratedLocalSearchCallbacks()
            callbacks.on_start = lambda search: note(search.initial_solution)
            callbacks.on_best = note
            parameters = pyvrp.SolveParams(ils=pyvrp.IteratedLocalSearchParams(callbacks=callbacks))
            result = pyvrp.solve(
                data,
                lambda _cost: time.perf_counter() - began >= seconds,
                seed=seed,
                collect_stats=False,  # the callbacks collect all that is needed, in less time
                params=parameters,
            )
            routes = [[visit.idx + 1 for visit in route if visit.is_client()] for route in result.best.routes()]
            cost = result.cost() / instance.scale if result.is_feasible() else None
            return Answer(routes, cost, trajectory)

        return run


def problem_data(instance: Instance) -> Any:
    """Return an instance as PyVRP's problem data, in scaled units."""
    pyvrp: Any = importlib.import_module("pyvrp")
    nodes = instance.customers + 1
    places = np.zeros((nodes, 2)) if instance.coordinates is None else instance.coordinates
    distances = instance.distances.astype(np.int64)
    times: list[dict[str, int]] = [{} for _ in range(nodes)]
    if instance.scaled_windows is not None:
        times = [{"tw_early": int(opens), "tw_late": int(closes)} for opens, closes in instance.scaled_windows]
    return pyvrp.ProblemData(
        locations=[pyvrp.Location(float(x), float(y)) for x, y in places],
        clients=[
            pyvrp.Client(
                location=node,
                delivery=[int(instance.demands[node])],
                service_duration=int(instance.scaled_service[node]),
                **times[node],
            )
            for node in range(1, nodes)
        ],
        depots=[pyvrp.Depot(location=0, **times[0])],
        vehicle_types=[
            pyvrp.VehicleType(
                num_available=instance.fleet or instance.customers, capacity=[int(instance.capacity)], **times[0]
            )
        ],
        distance_matrices=[distances],
        duration_matrices=[distances],
    )
