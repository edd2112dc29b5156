"""The cost that gaps are measured from."""

from collections.abc import Iterable
from dataclasses import dataclass

from dacalns.bench.quality.run import Run
from dacalns.instances import Instance

BEST_OF_RUNS = "best of these runs"
PUBLISHED = "best-known"


@dataclass(frozen=True)
class Reference:
    """A cost and where it comes from; None where nobody has found a solution."""

    cost: float | None
    origin: str


def reference_of(instance: Instance, runs: Iterable[Run]) -> Reference:
    """Return the best-known cost of an instance; without one, the best that any solver has found here."""
    if instance.best_known is not None:
        return Reference(instance.best_known, instance.best_known_origin or PUBLISHED)
    costs = [run.cost for run in runs if run.instance == instance.name and run.cost is not None]
    return Reference(min(costs, default=None), BEST_OF_RUNS)
