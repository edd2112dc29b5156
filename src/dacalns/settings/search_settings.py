"""The rest of a search's settings."""

from dataclasses import dataclass

from dacalns.instances.whole_number import whole_number
from dacalns.search.chains import MOST_JOBS
from dacalns.search.objective import require_objective
from dacalns.search.portfolio import named_portfolio
from dacalns.search.user_file import split_file
from dacalns.search.watch import require_call_limit
from dacalns.shown import text_of


@dataclass(frozen=True)
class SearchSettings:
    """Operators, seed, jobs, objective, and the limit for calls of code that is yours.

    Parameters
    ----------
    portfolio
        A name, or ``FILE.py`` or ``FILE.py:VARIABLE``, seen from the folder that the search is started in.
    seed
        Of all that is random.
    jobs
        How many searches to run side by side.
    objective
        ``"distance"`` or ``"vehicles-then-distance"``.
    call_limit
        Seconds that one call of an operator, selector or criterion of yours may take.

    Raises
    ------
    InputError
        When there is no such portfolio or objective, the seed is not a whole number of 0 or more, jobs not one of 1
        or more, or the limit not more than 0.
    """

    portfolio: str | None = None
    seed: int | None = None
    jobs: int | None = None
    objective: str | None = None
    call_limit: float | None = None

    def __post_init__(self) -> None:
        # A file is code: it is run when a search needs it, not when settings are read.
        if self.portfolio is not None and not split_file(text_of(self.portfolio)):
            named_portfolio(self.portfolio)
        if self.seed is not None:
            object.__setattr__(self, "seed", whole_number("seed", self.seed, minimum=0))
        if self.jobs is not None:
            object.__setattr__(self, "jobs", whole_number("jobs", self.jobs, minimum=1, maximum=MOST_JOBS))
        if self.objective is not None:
            require_objective(self.objective)
        if self.call_limit is not None:
            object.__setattr__(self, "call_limit", require_call_limit(self.call_limit))
