"""Acceptance criteria and their settings.

Every allowance is relative, to the length of the start solution or to the distance between near customers, so that one
setting serves all instances.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from dacalns.core import acceptance as kernels
from dacalns.core import callback
from dacalns.core.distances import mean_spacing
from dacalns.core.model import Problem
from dacalns.core.terms import cost_of_distance, rarity
from dacalns.instances.fields import LARGEST
from dacalns.search.user_code import (
    called,
    compiled_for_loop,
    copied,
    load_file,
    require_callable,
    split_file,
)
from dacalns.util.errors import InputError
from dacalns.util.shown import shown, shown_path
from dacalns.util.values import require_choice, whole_number


class AcceptanceCriterion:
    """The base class of acceptance criteria: a kernel, the numbers that it works on, and what these are relative to.

    A criterion defines :attr:`kernel` and :meth:`memory`. An object of another class that has the two is accepted, too;
    its numbers are relative to the length of the start solution.
    """

    @property
    def kernel(self) -> Any:
        """A function ``(memory, fraction, candidate, current, best, rng) -> bool``, or one compiled by Numba."""
        raise NotImplementedError("define kernel, a function that says whether a solution is accepted")

    def memory(self, reference: float) -> npt.NDArray[np.float64]:
        """Return the kernel's numbers at the start, given what they are relative to."""
        raise NotImplementedError("define memory(self, reference), which returns the numbers of the kernel")

    def reference(self, problem: Problem, length: float) -> float:  # noqa: ARG002
        """Return what :meth:`memory` is relative to: by default ``length``, that of the start solution."""
        return length


def acceptance_memory(criterion: AcceptanceCriterion, problem: Problem, length: float) -> npt.NDArray[np.float64]:
    """Return the criterion's numbers for a start solution of some length."""
    reference = criterion.reference(problem, length) if isinstance(criterion, AcceptanceCriterion) else length
    return np.ascontiguousarray(criterion.memory(reference), dtype=np.float64)


def compiled_acceptance(criterion: AcceptanceCriterion) -> Any:
    """The criterion as the compiled loop calls it."""
    return _compiled(type(criterion).__name__, criterion.kernel)


@cache
def _compiled(name: str, kernel: Any) -> Any:
    return compiled_for_loop(f"acceptance criterion {name}", kernel, kernels.SIGNATURE)


def _require_falling(criterion: str, start: float, end: float) -> None:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (start, end))
    if not numbers or not 0 < end <= start <= LARGEST:
        raise InputError(
            f"{criterion} has start {shown(start)} and end {shown(end)}; expected 0 < end <= start <= {LARGEST:g}."
        )


@dataclass(frozen=True)
class SimulatedAnnealing(AcceptanceCriterion):
    """Accept worse solutions with a probability that falls with the temperature.

    The temperature falls exponentially with the fraction of the budget used. A `Portfolio` of your own has this
    criterion unless it is given another; those in the package have `LocalAnnealing`.

    Parameters
    ----------
    start, end
        The worsening, as a fraction of the start solution's length, that is accepted with probability one half at
        the start and at the end of the search.
    """

    start: float = 0.007
    end: float = 0.003

    def __post_init__(self) -> None:
        _require_falling("SimulatedAnnealing", self.start, self.end)

    @property
    def kernel(self) -> Any:
        """The compiled criterion."""
        return kernels.simulated_annealing

    def memory(self, reference: float) -> npt.NDArray[np.float64]:
        """Start and end temperature."""
        return np.array([self.start, self.end]) * (reference or 1.0) / math.log(2)


@dataclass(frozen=True)
class LocalAnnealing(AcceptanceCriterion):
    """Simulated annealing in units of the distance between near customers: what the portfolios in the package have.

    A change of a few customers costs some such distances however many customers there are and however far the depot
    is, so that one setting does for instances of all sizes; a fraction of the whole length would not.

    Parameters
    ----------
    start, end
        The worsening that is accepted with probability one half at the start and at the end of the search, in mean
        distances of a customer to its `NEAREST` nearest ones.
    """

    start: float = 2.0
    end: float = 0.07

    NEAREST: ClassVar[int] = 4

    def __post_init__(self) -> None:
        _require_falling("LocalAnnealing", self.start, self.end)

    @property
    def kernel(self) -> Any:
        """The compiled criterion."""
        return kernels.simulated_annealing

    def memory(self, reference: float) -> npt.NDArray[np.float64]:
        """Start and end temperature where near customers are ``reference`` apart."""
        return np.array([self.start, self.end]) * (reference or 1.0) / math.log(2)

    def reference(self, problem: Problem, length: float) -> float:
        """What to measure in: what it costs on average from a customer to its nearest ones.

        Where vehicles may serve only some customers, those that may change places are farther apart.
        Where all are at one place, the cost of the start solution over the number of customers.
        """
        spacing = mean_spacing(problem, self.NEAREST) * rarity(problem)
        return spacing * cost_of_distance(problem) or length / max(1, len(problem.demand) - 1)


@dataclass(frozen=True)
class RecordToRecord(AcceptanceCriterion):
    """Accept what is within an allowance of the best solution; the allowance falls linearly."""

    start: float = 0.01
    end: float = 1e-6

    def __post_init__(self) -> None:
        _require_falling("RecordToRecord", self.start, self.end)

    @property
    def kernel(self) -> Any:
        """The compiled criterion."""
        return kernels.record_to_record

    def memory(self, reference: float) -> npt.NDArray[np.float64]:
        """Start and end allowance."""
        return np.array([self.start, self.end]) * reference


@dataclass(frozen=True)
class Threshold(AcceptanceCriterion):
    """Accept what is within an allowance of the current solution; the allowance falls linearly.

    Parameters
    ----------
    start, end
        The allowance at the start and at the end of the search.
    of
        What it is a fraction of: the ``"start"`` solution's length, or the cost of the ``"current"`` solution.
    """

    start: float = 0.005
    end: float = 1e-6
    of: str = "start"

    def __post_init__(self) -> None:
        _require_falling("Threshold", self.start, self.end)
        require_choice("of", self.of, ("start", "current"))

    @property
    def kernel(self) -> Any:
        """The compiled criterion."""
        return kernels.threshold if self.of == "start" else kernels.relative_threshold

    def memory(self, reference: float) -> npt.NDArray[np.float64]:
        """Start and end allowance."""
        return np.array([self.start, self.end]) * (reference if self.of == "start" else 1.0)


@dataclass(frozen=True)
class HillClimbing(AcceptanceCriterion):
    """Accept what is no worse than the current solution."""

    @property
    def kernel(self) -> Any:
        """The compiled criterion."""
        return kernels.hill_climbing

    def memory(self, reference: float) -> npt.NDArray[np.float64]:  # noqa: ARG002
        """Nothing to remember."""
        return np.zeros(1)


@dataclass(frozen=True)
class LateAcceptance(AcceptanceCriterion):
    """Accept what is no worse than the current solution of some iterations ago (Burke and Bykov 2017).

    Parameters
    ----------
    length
        How many iterations ago, at most a million.
    """

    length: int = 100

    LONGEST: ClassVar[int] = 1_000_000

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "length", whole_number("LateAcceptance length", self.length, minimum=1, maximum=self.LONGEST)
        )

    @property
    def kernel(self) -> Any:
        """The compiled criterion."""
        return kernels.late_acceptance

    def memory(self, reference: float) -> npt.NDArray[np.float64]:  # noqa: ARG002
        """Length, position, and the values of the last iterations: at first, any value is good."""
        memory = np.full(kernels.LATE.values + self.length, np.inf)
        memory[kernels.LATE.length], memory[kernels.LATE.position] = self.length, 0
        return memory


CALIBRATED = LocalAnnealing(1.2, 0.77)

ACCEPTANCES: dict[str, AcceptanceCriterion] = {
    "calibrated": CALIBRATED,
    "ropke-pisinger": SimulatedAnnealing(0.05, 0.02),
    "record-to-record": RecordToRecord(0.02, 1e-6),
    "threshold": Threshold(0.20, 0.13, of="current"),
    "hill-climbing": HillClimbing(),
    "late-acceptance": LateAcceptance(),
    "local-annealing": LocalAnnealing(),
    "version-0.1": SimulatedAnnealing(0.007, 0.003),
}
"""Criteria by name, for the command line and `dacalns.solve`: those that the paper's description of its ALNS admits,
and two more.

``"calibrated"``: the default of the paper's portfolio, calibrated for the classic baseline on generated instances
(``benchmarks/calibrate.py``). ``"ropke-pisinger"``: Ropke and Pisinger (2006) start where a solution 5 % worse is
accepted half the time; what their cooling leaves of that after a few thousand iterations is 2 %.
``"record-to-record"``: within 2 % of the best, falling to nothing. ``"threshold"``: within 20 % of the current
solution, falling to 13 %. ``"hill-climbing"``: nothing worse. ``"late-acceptance"``: nothing worse than the current
solution of 100 iterations ago. ``"local-annealing"``: the default of portfolio ``"full"``. ``"version-0.1"``: what
version 0.1 was calibrated to.
"""


class PythonAcceptance(AcceptanceCriterion):
    """A criterion in plain Python, which the compiled loop calls back.

    Parameters
    ----------
    function
        Any callable ``(candidate, current, best, fraction, rng) -> bool``: three costs in the instance's units, with a
        penalty for each customer that is not served, the part of the budget that is used, and a generator of NumPy.
    """

    PARAMETERS = ("candidate", "current", "best", "fraction", "rng")

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        require_callable("acceptance criterion", function, self.PARAMETERS)
        self.function, self.name = function, name or called(function)

    @property
    def kernel(self) -> Any:
        """The compiled criterion, which asks Python."""
        return callback.ask_acceptance

    def memory(self, reference: float) -> npt.NDArray[np.float64]:  # noqa: ARG002
        """Room for what is asked; a search puts the address of the callable into it."""
        return np.zeros(len(callback.ASKED))

    def in_another_search(self) -> "PythonAcceptance":
        """Return a copy for a search beside the first one, as the callable may keep something."""
        return PythonAcceptance(copied(f"acceptance criterion {self.name!r}", self.function), self.name)

    def __repr__(self) -> str:
        return f"PythonAcceptance({self.name})"


def criterion_name(criterion: AcceptanceCriterion) -> str:
    """Return what results and messages call a criterion."""
    return criterion.name if isinstance(criterion, PythonAcceptance) else type(criterion).__name__


Accepts = Callable[[float, float, float, float, np.random.Generator], bool]
"""What an acceptance criterion in plain Python is: see `PythonAcceptance`."""


def as_acceptance(given: "str | AcceptanceCriterion | Accepts") -> AcceptanceCriterion:
    """A criterion from its name in `ACCEPTANCES`, from ``FILE.py:NAME``, from any callable, or as it is.

    An object that cannot be called may have a method ``accept`` instead.

    Raises
    ------
    InputError
        If there is no such criterion.
    """
    if isinstance(given, str) and (in_file := split_file(given)):
        given = _in_file(*in_file)
    if isinstance(given, str):
        return ACCEPTANCES[require_choice("acceptance", given, tuple(ACCEPTANCES))]
    if not isinstance(given, type):
        if hasattr(given, "kernel") and hasattr(given, "memory"):
            return cast(AcceptanceCriterion, given)
        if callable(method := getattr(given, "accept", None)):
            return PythonAcceptance(method, called(given))
        if callable(given):
            return PythonAcceptance(given)
    raise InputError(
        f"acceptance is {shown(given)}; expected a criterion such as SimulatedAnnealing(), one of "
        f"{', '.join(ACCEPTANCES)}, FILE.py:NAME, or something that is called with "
        f"({', '.join(PythonAcceptance.PARAMETERS)})."
    )


def _in_file(path: Path, name: str | None) -> Any:
    module = load_file(path, "acceptance criterion")
    if name is None or not hasattr(module, name):
        what = "which criterion to use is not said" if name is None else f"it has no {shown(name)}"
        raise InputError(
            f"{shown_path(path)}: {what}; expected {path.name}:NAME, NAME that of a criterion or of a function "
            f"({', '.join(PythonAcceptance.PARAMETERS)})."
        )
    found = getattr(module, name)
    return found() if isinstance(found, type) else found
