"""The new bests of several searches side by side, as one history."""

from dataclasses import replace

from dacalns.search.result import Improvement
from dacalns.search.run import Found


class JointHistory:
    """Puts the new bests of several searches in order, and keeps those that were better than all before them.

    Searches run at their own pace, so that one may report a new best that comes before what another has reported. With
    ``in_turns``, they count as if they took turns: iteration after iteration, in the order of their numbers. That does
    not depend on their pace, and the same searches give the same history. Otherwise the clock decides.

    Parameters
    ----------
    start
        The solution that all searches begin with.
    searches
        How many there are.
    tolerance
        By how much a value must be lower to be better.
    in_turns
        Whether iterations decide on the order, or the clock.
    """

    def __init__(self, start: Found, searches: int, tolerance: float, in_turns: bool) -> None:
        self.events: list[Improvement] = [start.event]
        self.leader = 0  #: the search that found the best solution
        self.value = start.value  #: its objective, in scaled units
        self.found_at = 0  #: the iteration of that search in which it did
        self._searches, self._tolerance, self._in_turns = searches, tolerance, in_turns
        self._waiting: list[tuple[int, Found]] = []

    def add(self, search: int, found: list[Found]) -> None:
        """Take what a search has found since it was asked last."""
        self._waiting += [(search, entry) for entry in found]

    def settle(self, reached: float, total: int) -> list[Found]:
        """The new bests of all searches that none can precede any more, in order.

        Parameters
        ----------
        reached
            The iteration that every search which has not finished has reached; infinity for all that there is.
        total
            Iterations of all searches so far.
        """
        settled: list[Found] = []
        later: list[tuple[int, Found]] = []
        for search, found in sorted(self._waiting, key=self._place):
            if self._in_turns and found.event.iteration > reached:
                later.append((search, found))
            elif found.value < self.value - self._tolerance:
                self.value, self.leader, self.found_at = found.value, search, found.event.iteration
                settled.append(found._replace(event=self._joint(search, found.event, total)))
                self.events.append(settled[-1].event)
        self._waiting = later
        return settled

    def _place(self, entry: tuple[int, Found]) -> tuple[float, int]:
        search, found = entry
        return (found.event.iteration if self._in_turns else found.event.seconds), search

    def _joint(self, search: int, event: Improvement, total: int) -> Improvement:
        """The event with the iterations of all searches, of which none comes before the last one noted."""
        last = self.events[-1]
        turn = (event.iteration - 1) * self._searches + search + 1
        return replace(event, iteration=max(last.iteration, min(turn, total)), seconds=max(last.seconds, event.seconds))
