"""Stopping criteria and objectives: how long a search runs, and what it minimises."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dacalns.core import stopping as tokens
from dacalns.instances.fields import LARGEST
from dacalns.search.user_code import called, copied, require_callable
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.tolerance import tolerance
from dacalns.util.values import require_choice, whole_number

# Stopping criteria. Each says what fraction of its budget is used; the search stops when that reaches one.
#
# Combine them with ``|`` (stop when any is met) and ``&`` (stop when all are). The temperature of simulated annealing
# follows the same fraction, whichever the budget is.

Token = tuple[int, float]
Stops = Callable[[Any], bool]
"""A stopping criterion in plain Python: it is called with a `Snapshot`, see `StopWhen`."""
# The sum of a million distances of the largest kind.
LARGEST_COST = 1e6 * LARGEST


class StoppingCriterion:
    """A budget."""

    def tokens(self, scale: float) -> list[Token]:
        """The criterion as a postfix program; costs are multiplied by ``scale``."""
        raise NotImplementedError

    @property
    def by_time(self) -> bool:
        """True if it ends searches by the clock and not by the number of their iterations."""
        kinds = {kind for kind, _ in self.tokens(1.0)}
        return tokens.TOKEN.seconds in kinds and tokens.TOKEN.iterations not in kinds

    @property
    def asked(self) -> "list[StopWhen]":
        """The criteria in plain Python that it consists of, in the order of their tokens."""
        return []

    def __or__(self, other: "StoppingCriterion | float | Stops") -> "AnyOf":
        return AnyOf((self, _as_criterion(other)))

    def __ror__(self, other: "float | Stops") -> "AnyOf":
        return AnyOf((_as_criterion(other), self))

    def __and__(self, other: "StoppingCriterion | float | Stops") -> "AllOf":
        return AllOf((self, _as_criterion(other)))

    def __rand__(self, other: "float | Stops") -> "AllOf":
        return AllOf((_as_criterion(other), self))


@dataclass(frozen=True)
class MaxIterations(StoppingCriterion):
    """Stop after a number of iterations."""

    iterations: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "iterations", whole_number("iterations", self.iterations, minimum=0))

    def tokens(self, scale: float) -> list[Token]:  # noqa: ARG002
        """One token."""
        return [(tokens.TOKEN.iterations, float(self.iterations))]


PAPER_ITERATIONS = "max(2000, 50 n)"
"""The budget of the paper's searches on n customers, in words."""


def paper_iterations(customers: int) -> int:
    """Return the budget of the paper's searches: 50 iterations for each customer, and at least 2000."""
    return max(2000, 50 * customers)


@dataclass(frozen=True)
class MaxTime(StoppingCriterion):
    """Stop after a time in seconds, one-off compilation not counted."""

    seconds: float

    def __post_init__(self) -> None:
        if not _is_number(self.seconds) or not 0 <= self.seconds <= LARGEST:
            most = "" if _is_number(self.seconds) and self.seconds < 0 else f" and at most {LARGEST:g}"
            raise InputError(f"time is {shown(self.seconds)}; expected seconds, 0 or more{most}; correct the value.")

    def tokens(self, scale: float) -> list[Token]:  # noqa: ARG002
        """One token."""
        return [(tokens.TOKEN.seconds, float(self.seconds))]


@dataclass(frozen=True)
class NoImprovement(StoppingCriterion):
    """Stop after a number of iterations without a new best solution."""

    iterations: int

    def __post_init__(self) -> None:
        iterations = whole_number("iterations without improvement", self.iterations, minimum=1)
        object.__setattr__(self, "iterations", iterations)

    def tokens(self, scale: float) -> list[Token]:  # noqa: ARG002
        """One token."""
        return [(tokens.TOKEN.stall, float(self.iterations))]


@dataclass(frozen=True)
class Patience(StoppingCriterion):
    """Stop after a number of iterations without a new best solution, but let the temperature follow the other budgets.

    With `NoImprovement` a search cools while it stalls, as if its budget ran out. Combine it with another budget by
    ``|``: alone, or with ``&``, a search stays as hot as it began until it ends.
    """

    iterations: int

    def __post_init__(self) -> None:
        iterations = whole_number("iterations of patience", self.iterations, minimum=1)
        object.__setattr__(self, "iterations", iterations)

    def tokens(self, scale: float) -> list[Token]:  # noqa: ARG002
        """One token."""
        return [(tokens.TOKEN.patience, float(self.iterations))]


@dataclass(frozen=True)
class TargetCost(StoppingCriterion):
    """Stop at a solution that costs no more than a target. Combine it: alone it may never be met."""

    cost: float

    def __post_init__(self) -> None:
        if not _is_number(self.cost) or not abs(self.cost) <= LARGEST_COST:
            raise InputError(
                f"target is {shown(self.cost)}; expected a cost of at most {LARGEST_COST:g}; correct the value."
            )

    def tokens(self, scale: float) -> list[Token]:
        """One token."""
        return [(tokens.TOKEN.target, self.cost * scale + float(tolerance(self.cost * scale)))]


class StopWhen(StoppingCriterion):
    """Stop when a function says so. The temperature follows the other budgets, see `Patience`.

    Parameters
    ----------
    function
        Any callable that is called with a `Snapshot` of the search, and returns True to stop.
    every
        After how many iterations it is asked again, so that the same seed gives the same answer. To ask costs some
        20 microseconds, and what the function itself takes.
    """

    #: The limit of the token until the function says so, and from then on: iterations without a new best.
    GO_ON, STOP = math.inf, 0.0

    def __init__(self, function: "Stops", every: int = 100) -> None:
        require_callable("stopping criterion", function, ("snapshot",))
        self.function, self.name = function, called(function)
        self.every = whole_number("every", every, minimum=1)

    @property
    def asked(self) -> "list[StopWhen]":
        """The criterion itself."""
        return [self]

    def tokens(self, scale: float) -> list[Token]:  # noqa: ARG002
        """One token, whose limit the search lowers."""
        return [(tokens.TOKEN.patience, self.GO_ON)]

    def __repr__(self) -> str:
        return f"StopWhen({self.name}, every={self.every})"


@dataclass(frozen=True)
class Remaining(StoppingCriterion):
    """What of a budget is left after some iterations and seconds; a fraction of it is a fraction of the rest."""

    criterion: StoppingCriterion
    iterations: int
    seconds: float

    def tokens(self, scale: float) -> list[Token]:
        """The tokens of the whole budget, less what is used up."""
        used = {tokens.TOKEN.iterations: float(self.iterations), tokens.TOKEN.seconds: self.seconds}
        return [(kind, max(0.0, value - used.get(kind, 0.0))) for kind, value in self.criterion.tokens(scale)]

    @property
    def asked(self) -> list[StopWhen]:
        """Those of the whole budget."""
        return self.criterion.asked


class _Combination(StoppingCriterion):
    criteria: tuple[StoppingCriterion, ...]
    _token: int

    def __post_init__(self) -> None:
        for criterion in self.criteria:
            if not isinstance(criterion, StoppingCriterion):
                raise InputError(
                    f"{shown(criterion)} is no stopping criterion; expected one such as MaxTime(10), or seconds beside "
                    "one as a number; wrap it."
                )
        if not self.criteria:
            raise InputError(f"{type(self).__name__} combines nothing; expected at least one criterion.")

    def tokens(self, scale: float) -> list[Token]:
        """The parts, then the token that combines them."""
        program = [token for criterion in self.criteria for token in criterion.tokens(scale)]
        return [*program, (self._token, float(len(self.criteria)))]

    @property
    def asked(self) -> list[StopWhen]:
        """Those of all parts."""
        return [one for criterion in self.criteria for one in criterion.asked]


@dataclass(frozen=True)
class AnyOf(_Combination):
    """Stop when any of the criteria is met."""

    criteria: tuple[StoppingCriterion, ...]
    _token = tokens.TOKEN.any


@dataclass(frozen=True)
class AllOf(_Combination):
    """Stop when all of the criteria are met."""

    criteria: tuple[StoppingCriterion, ...]
    _token = tokens.TOKEN.all


def _as_criterion(given: "StoppingCriterion | float | Stops") -> StoppingCriterion:
    """Return a criterion; a number alone means seconds, as for ``solve(stop=…)``, and a callable is asked."""
    if _is_number(given):
        return MaxTime(given)  # type: ignore[arg-type]
    if callable(given) and not isinstance(given, type):
        return StopWhen(given)
    return given  # type: ignore[return-value]


def in_another_search(criterion: StoppingCriterion) -> StoppingCriterion:
    """Return a criterion for a search beside the first one; functions in it are copied, as they may keep something."""
    if not criterion.asked:
        return criterion
    return copied(f"stopping criterion {criterion.asked[0].name!r}", criterion)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# What a search minimises.

DISTANCE, VEHICLES_FIRST = "distance", "vehicles-then-distance"
OBJECTIVES = (DISTANCE, VEHICLES_FIRST)
"""``distance``: the total distance. ``vehicles-then-distance``: the number of routes, then their distance."""


def require_objective(given: object) -> str:
    """Return the objective given, or say which there are."""
    return require_choice("objective", given, OBJECTIVES)
