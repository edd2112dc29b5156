"""What searches side by side tell one another, and when."""

from collections.abc import Sequence

from dacalns.core import stepper as steps
from dacalns.search.run import Search

# When so much of the budget is used, only this many searches go on as they are: those with the best solutions.
STAGES = ((0.5, 16), (0.6, 8), (0.7, 4), (0.8, 2), (0.9, 1))


class Exchange:
    """The stages of one run: at each, fewer searches survive, and the others go on from the best solutions of these.

    Until then every search is on its own. Searches that meet earlier, or oftener, end in the same place more often than
    what they learn from one another is worth; those that never meet waste the end of all but one.
    """

    def __init__(self, searches: int) -> None:
        self._ahead = [(fraction, survivors) for fraction, survivors in STAGES if survivors < searches]

    def survivors(self, fraction: float) -> int | None:
        """How many searches survive the stage that has come, now that so much of the budget is used; None if none."""
        survivors = None
        while self._ahead and fraction >= self._ahead[0][0]:
            survivors = self._ahead.pop(0)[1]
        return survivors


def exchange(searches: Sequence[Search], survivors: int) -> None:
    """Let all but so many searches go on from the best solutions of these.

    Of searches with equally good ones, the first survives.
    """
    ranked = sorted(searches, key=lambda search: float(search.stepper.progress.values[steps.BEST_VALUE]))
    for place, search in enumerate(ranked[survivors:]):
        search.move_to_best_of(ranked[place % survivors])
