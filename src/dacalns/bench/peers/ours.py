"""Our own solver as a peer, in one of its configurations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dacalns.bench.peers.peer import Answer, unknown_features
from dacalns.instances import Instance
from dacalns.instances.features import FEATURES
from dacalns.search.stopping import MaxTime
from dacalns.solve import solve
from dacalns.version import __version__


@dataclass(frozen=True)
class Ours:
    """Our own solver in one configuration.

    Parameters
    ----------
    key, name
        The word and the name for it, see `Peer`.
    options
        The arguments of `dacalns.solve` besides the instance, the time and the seed.
    """

    key: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seeded: bool = True

    def version(self) -> str | None:
        """Return this package's version."""
        return __version__

    def refuses(self, instance: Instance) -> str | None:
        """Refuse features that the search does not know."""
        return unknown_features(instance, frozenset(FEATURES))

    def prepare(self, instance: Instance, seconds: float, seed: int) -> Callable[[], Answer]:
        """Return the call that solves; nothing is prepared, so that the distance matrix is part of the time."""

        def run() -> Answer:
            result = solve(instance, stop=MaxTime(seconds), seed=seed, **self.options)
            served = [(event.seconds, event.cost) for event in result.history if not event.unserved]
            return Answer(result.routes, result.cost, served, result.vehicle_types)

        return run
