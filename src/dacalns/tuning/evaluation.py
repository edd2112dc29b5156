"""One search of a tuning, as it is sent to the process that does it."""

from dataclasses import dataclass
from typing import NamedTuple

from dacalns.instances import Instance
from dacalns.search.run import doubts_of, require_user_code_sound
from dacalns.search.stopping import MaxIterations, MaxTime
from dacalns.settings import Settings
from dacalns.solve import solve_validated
from dacalns.util.errors import InputError


class Answer(NamedTuple):
    """What a search found."""

    cost: float
    missing: int  #: customers that are not served and should be


@dataclass(frozen=True)
class Evaluation:
    """One search with some settings.

    Parameters
    ----------
    instance
        The instance itself, so that no other machine need have its file.
    settings
        The settings.
    seed
        The seed of the search.
    iterations, time
        The budget: one of the two, while the other is None.
    """

    instance: Instance
    settings: Settings
    seed: int
    iterations: int | None
    time: float | None

    def answer(self) -> Answer:
        """Search, and return what was found; the independent checker has measured it."""
        stop = MaxTime(self.time or 0.0) if self.iterations is None else MaxIterations(self.iterations)
        result = solve_validated(self.instance, **self.settings.options(), stop=stop, seed=self.seed)
        require_user_code_sound(result)
        if doubts := doubts_of(result):
            raise InputError(f"the independent checker does not agree with the search: {doubts[0]}")
        if result.stopped_by != "criterion":
            raise InputError(f"the search was stopped by {result.stopped_by}; expected a whole run; run it again.")
        return Answer(round(result.cost, 9), len(result.unserved))
