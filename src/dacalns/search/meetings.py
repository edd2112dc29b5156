"""When searches side by side meet."""

import math

from dacalns.core.stopping import ITERATIONS, PATIENCE, SECONDS, STALL, TARGET
from dacalns.search.run import NEVER, STRETCH
from dacalns.search.stopping import Token

# So many meetings in a budget of iterations, at least as many in one of time: each stage of an exchange is at one.
MEETINGS = 20
# A shorter stretch, in nanoseconds, would take as long to begin and to end.
SHORTEST = 1_000_000
# Iterations between meetings times customers, where the best of all searches decides on the end: some 30 milliseconds.
SOON = 200_000


class Meetings:
    """When searches with a stopping program meet, to compare what they have found.

    Iterations decide on it as long as no clock is in the program, so that the same searches meet at the same points
    whatever their pace. Otherwise they meet whenever they come back to Python.

    Parameters
    ----------
    program
        The tokens of the stopping criterion.
    customers
        Of the instance.
    """

    def __init__(self, program: list[Token], customers: int) -> None:
        kinds = [kind for kind, _ in program]
        limits = [limit for kind, limit in program if kind == ITERATIONS]
        seconds = min((limit for kind, limit in program if kind == SECONDS), default=math.inf)
        self.timed = SECONDS in kinds  #: whether the clock decides on anything
        #: whether the best solution decides on the end
        self.about_best = any(kind in kinds for kind in (STALL, PATIENCE, TARGET))
        self._every = max(1, math.ceil(min(limits) / MEETINGS)) if limits else NEVER
        if self.about_best or not limits:
            self._every = min(self._every, max(1, SOON // customers))
        self.stretch = int(min(STRETCH, max(SHORTEST, 1e9 * seconds / MEETINGS)))  #: nanoseconds until all pause
        self.next_iteration = NEVER if self.timed else self._every  #: that all wait for

    def met(self) -> None:
        """Set the next one."""
        if not self.timed:
            self.next_iteration += self._every
