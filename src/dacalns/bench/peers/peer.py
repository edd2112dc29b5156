"""What a comparison asks of a solver."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from dacalns.instances import Instance

Trajectory = list[tuple[float, float]]
"""When a new best solution came, in seconds from the start of the run, and what it costs in file units."""


@dataclass(frozen=True)
class Answer:
    """What a solver has to say.

    Parameters
    ----------
    routes
        The customers of each route, from 1 on; empty if it found no solution.
    cost
        What it believes that these cost, in file units; None if it does not say.
    trajectory
        Its feasible solutions over time; None if it does not tell.
    """

    routes: list[list[int]]
    cost: float | None = None
    trajectory: Trajectory | None = None


class Peer(Protocol):
    """A solver. It is sent to another process, so it must be possible to pickle it."""

    @property
    def key(self) -> str:
        """A word for it, on the command line and at the head of columns."""

    @property
    def name(self) -> str:
        """What to call it in a table."""

    @property
    def seeded(self) -> bool:
        """Whether a seed changes its answer; one run for each instance is enough if not."""

    def version(self) -> str | None:
        """Return the version installed, None if there is none."""

    def refuses(self, instance: Instance) -> str | None:
        """Return why it cannot be asked to solve an instance; None if it can."""

    def prepare(self, instance: Instance, seconds: float, seed: int) -> Callable[[], Answer]:
        """Bring an instance into the solver's own form, and return the call that solves it.

        Only that call is timed. It must stop after ``seconds`` by itself.
        """
