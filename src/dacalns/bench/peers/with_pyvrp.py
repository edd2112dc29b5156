"""PyVRP as a peer."""

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dacalns.bench.peers.peer import Answer, Trajectory, installed_version, not_whole, too_large, unknown_features
from dacalns.instances import Instance
from dacalns.instances.pyvrp_data import PYVRP_FEATURES, from_pyvrp_solution, to_pyvrp
from dacalns.util.errors import InputError

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
        """Refuse features that PyVRP does not have, what is not whole, or does not fit the memory."""
        return (
            unknown_features(instance, PYVRP_FEATURES)
            or not_whole(instance)
            or too_large(instance, BYTES_PER_PAIR)
            or self._unsayable(instance)
        )

    def _unsayable(self, instance: Instance) -> str | None:
        """Return why PyVRP cannot state a rich instance, though it has all of its features; None if it can."""
        if instance.is_plain or self.version() is None:
            return None
        try:
            to_pyvrp(instance)
        except InputError as error:
            return str(error)
        return None

    def prepare(self, instance: Instance, seconds: float, seed: int) -> Callable[[], Answer]:
        """Build PyVRP's problem data, and return the call that solves it."""
        # It is imported like this so that types are the same whether it is installed or not.
        pyvrp: Any = importlib.import_module("pyvrp")
        data = to_pyvrp(instance)
        evaluator = pyvrp.CostEvaluator([0] * data.num_load_dimensions, 0, 0)

        def run() -> Answer:
            began = time.perf_counter()
            trajectory: Trajectory = []

            def note(solution: Any) -> None:
                if solution.is_feasible() and solution.is_complete():
                    cost = evaluator.penalised_cost(solution) / instance.scale
                    trajectory.append((time.perf_counter() - began, cost))

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
            routes, types = from_pyvrp_solution(result.best, instance)
            cost = result.cost() / instance.scale if result.is_feasible() else None
            return Answer(routes, cost, trajectory, types)

        return run
