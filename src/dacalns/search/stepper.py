"""The two-phase stepper from Python: ``destroy(i)``, ``repair(j)``, ``accept()``."""

import numbers
import sys
import threading
import warnings
from collections.abc import Callable
from functools import cached_property
from types import TracebackType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from numba.core.errors import NumbaExperimentalFeatureWarning

from dacalns.core import stepper as steps
from dacalns.core.clock import nanoseconds
from dacalns.core.distances import RICH, form_of, told_apart
from dacalns.core.graph import Graph, build_graph
from dacalns.core.jit import address, addresses, pluggable
from dacalns.core.model import Solution, empty_solution, is_solution, overwrite, touch_all
from dacalns.core.rng import seeded
from dacalns.core.routes import fingerprint
from dacalns.core.soundness import CHECK_SIGNATURE, settle_checked
from dacalns.core.terms import missing, objective, solution_cost
from dacalns.instances import Instance, read
from dacalns.search.acceptance import (
    AcceptanceCriterion,
    Accepts,
    PythonAcceptance,
    acceptance_memory,
    as_acceptance,
    compiled_acceptance,
    criterion_name,
)
from dacalns.search.called_back import CalledBack
from dacalns.search.operators import Operator, PythonDestroy, PythonRepair
from dacalns.search.policy_view import NEIGHBOURS
from dacalns.search.portfolio import Portfolio, as_portfolio
from dacalns.search.start import (
    Routes,
    Start,
    answer_of,
    first_solution,
    positions_of,
    problem_of,
    vehicles_in,
    waiting_in,
)
from dacalns.search.user_code import Names, corrupted, is_foreign, iteration_of, raised
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import LARGEST_SEED, whole_number

# What must hold while compiled code calls operators, selectors and criteria through pointers.


class PointerCalls:
    """While entered, collects what a function called through a pointer raises, which Python would only print.

    It also silences Numba's note that function pointers are an experimental feature. Both are settings of the whole
    process: the first of several threads makes them and the last one takes them back.

    Parameters
    ----------
    counters
        Those of the search: they say which function it was, and take the request to stop. May be left out.
    """

    _lock = threading.Lock()
    _entered: ClassVar[dict[int, list["PointerCalls"]]] = {}  # of each thread, the innermost last
    _previous_hook: ClassVar[Any] = None
    _warnings: ClassVar[Any] = None

    def __init__(self, counters: npt.NDArray[np.int64] | None = None) -> None:
        self._counters = np.zeros(len(steps.COUNTER), dtype=np.int64) if counters is None else counters
        self.error: BaseException | None = None  #: the first that was raised
        self.raised_at = self._counters  #: the counters as they were then

    def __enter__(self) -> "PointerCalls":
        cls = PointerCalls
        with cls._lock:
            if not cls._entered:
                cls._warnings = warnings.catch_warnings()
                cls._warnings.__enter__()
                cls._previous_hook, sys.unraisablehook = sys.unraisablehook, cls._note
            # Every time: somebody else may have taken it back in the meantime.
            warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
            cls._entered.setdefault(threading.get_ident(), []).append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        cls = PointerCalls
        with cls._lock:
            here = cls._entered[threading.get_ident()]
            here.remove(self)
            if not here:
                del cls._entered[threading.get_ident()]
            if not cls._entered:
                sys.unraisablehook = cls._previous_hook
                cls._warnings.__exit__(None, None, None)

    @classmethod
    def _note(cls, unraisable: Any) -> None:
        here = cls._entered.get(threading.get_ident())
        # Compiled code names the function by a string; whatever else cannot be raised is none of our business.
        if here and isinstance(unraisable.object, str):
            here[-1]._keep(unraisable.exc_value)
        else:
            cls._previous_hook(unraisable)

    @classmethod
    def keep(cls, error: BaseException) -> None:
        """Keep what Python code has raised that was called back in this thread."""
        cls._entered[threading.get_ident()][-1]._keep(error)

    def _keep(self, error: BaseException) -> None:
        if self.error is None:
            self.error, self.raised_at = error, self._counters.copy()
            self._counters[steps.COUNTER.stop] = 1


# The two-phase stepper from Python: ``destroy(i)``, ``repair(j)``, ``accept()``.

OUTCOMES = ("best", "better", "accepted", "nothing new")


class Stepper:
    """A search that moves one phase at a time.

    The compiled loop, and whatever else drives a search from Python, share this object and its kernels. Operators that
    are not ours are checked here, too; but nothing can be done about one that never returns.

    Parameters
    ----------
    instance
        What to solve: an instance, or a path or name that `dacalns.read` takes.
    portfolio
        The operators, by number. Left out: ``"full"``, as in `dacalns.solve`, so that what is tried step by step holds
        for searches, too; ``"paper"`` has the operators of the paper, with which studies compare.
    acceptance
        The criterion: an object, a name of `dacalns.ACCEPTANCES`, or any callable. It is told that no part of the
        budget is used until :attr:`budget_used` is set.
    seed
        The seed of all that is random.
    start
        Routes to start from, or a solution to copy; if left out, they are built as the portfolio says.

    Raises
    ------
    InputError
        By the three steps, if an operator or the criterion raises something, or an operator leaves what is no solution.
        The candidate is given up then: go on with :meth:`destroy`.

    Examples
    --------
    >>> stepper = Stepper("A-n32-k5", seed=1)
    >>> [operator.name for operator in stepper.portfolio.repair]
    ['blink_repair', 'polished_blink_repair', 'polished_regret_repair']
    >>> stepper.destroy(0)
    >>> stepper.repair(2)
    >>> stepper.accept() in ("best", "better", "accepted", "nothing new")
    True
    """

    def __init__(
        self,
        instance: Instance | str,
        portfolio: Portfolio | str = "full",
        acceptance: str | AcceptanceCriterion | Accepts | None = None,
        seed: int = 0,
        start: Routes | Start | Solution | None = None,
    ) -> None:
        instance = instance if isinstance(instance, Instance) else read(instance)
        seed = whole_number("seed", seed, minimum=0, maximum=LARGEST_SEED)
        operators = as_portfolio(portfolio).for_features(instance.features)
        criterion = operators.acceptance if acceptance is None else as_acceptance(acceptance)
        self._set_up(instance, operators, criterion, seed, start)

    @classmethod
    def of(
        cls,
        instance: Instance,
        portfolio: Portfolio,
        acceptance: AcceptanceCriterion,
        seed: int,
        start: Routes | Start | Solution | None,
    ) -> "Stepper":
        """Return a stepper for what was checked before: all operators are fit for the instance, the seed is valid."""
        stepper = cls.__new__(cls)
        stepper._set_up(instance, portfolio, acceptance, seed, start)
        return stepper

    def _set_up(
        self,
        instance: Instance,
        portfolio: Portfolio,
        criterion: AcceptanceCriterion,
        seed: int,
        start: Routes | Start | Solution | None,
    ) -> None:
        self.instance, self.portfolio = instance, portfolio
        self.problem = problem_of(instance)
        if is_solution(start):
            self.current = empty_solution(self.problem)
            overwrite(self.current, start)
        else:
            assert not isinstance(start, Solution)
            self.current = first_solution(instance, start, self.portfolio.construction)
        self.candidate, self.best = (empty_solution(self.problem, self.current) for _ in range(2))
        overwrite(self.candidate, self.current)
        overwrite(self.best, self.current)
        self.rng = seeded(seed)
        self.scales = np.array(
            [operator.scale.customers(instance.customers) for operator in self.portfolio.destroy], dtype=np.int64
        )
        form = form_of(self.problem)
        self._called_back = CalledBack(self, PointerCalls.keep)
        self._operators = [
            [self._as_called(operator, form) for operator in side] for side in (portfolio.destroy, portfolio.repair)
        ]
        self.destroy_operators, self.repair_operators = map(addresses, self._operators)

        reference = solution_cost(self.problem, self.current)
        self.accept_kernel = address(compiled_acceptance(criterion))
        self.accept_memory = acceptance_memory(criterion, self.problem, reference)
        if isinstance(criterion, PythonAcceptance):
            self._called_back.criterion(criterion, self.accept_memory)
        self.progress = steps.new_progress(
            len(self.portfolio.destroy), len(self.portfolio.repair), compiled_check(portfolio, form)
        )
        for side, operators in enumerate((self.portfolio.destroy, self.portfolio.repair)):
            self.progress.foreign[side, : len(operators)] = [operator.foreign for operator in operators]
        own_criterion = isinstance(criterion, PythonAcceptance) or is_foreign(criterion.kernel)
        self.foreign = bool(self.progress.foreign.any()) or own_criterion
        self.names = Names(
            [operator.name for operator in self.portfolio.destroy],
            [operator.name for operator in self.portfolio.repair],
            criterion_name(criterion),
        )
        value = objective(self.problem, self.current)
        self.progress.values[steps.VALUE.current] = value
        self.progress.values[steps.VALUE.best] = value
        self.progress.values[steps.VALUE.start] = reference
        self.progress.values[steps.VALUE.tolerance] = steps.RELATIVE_TOLERANCE * reference
        self._note_visit()

    def _as_called(self, operator: Operator, form: str) -> Any:
        """An operator as the loop calls it: compiled, or in Python and bound to this search."""
        if isinstance(operator, PythonDestroy | PythonRepair):
            return self._called_back.operator(operator)
        return operator.compiled(form)

    @cached_property
    def graph(self) -> Graph:
        """What of the graph that selectors may ask for depends on the instance alone; built when it is first used."""
        return build_graph(self.problem, positions_of(self.instance), NEIGHBOURS)

    def destroy(self, which: int) -> None:
        """Destroy a copy of the current solution with destroy operator number ``which``, counted from 0."""
        which = whole_number("destroy operator", which, minimum=0, maximum=len(self.portfolio.destroy) - 1)
        self._do(
            lambda: steps.destroy_step(
                self.problem, self.current, self.candidate, self.progress, self.destroy_operators, self.scales,
                which, self.rng, nanoseconds(),
            ),
            steps.FAILED,
        )  # fmt: skip

    def repair(self, which: int) -> None:
        """Repair the destroyed solution with repair operator number ``which``, counted from 0."""
        which = whole_number("repair operator", which, minimum=0, maximum=len(self.portfolio.repair) - 1)
        self._do(
            lambda: steps.repair_step(
                self.problem, self.current, self.candidate, self.progress, self.repair_operators, which, self.rng,
                nanoseconds(),
            ),
            False,
        )  # fmt: skip

    def accept(self) -> str:
        """Let the criterion decide on the repaired solution.

        Returns ``best``, ``better``, ``accepted``, or ``nothing new``: not accepted, or accepted once before.
        """
        outcome = self._do(
            lambda: steps.accept_step(
                self.problem, self.current, self.candidate, self.best, self.progress, self.accept_kernel,
                self.accept_memory, self.rng,
            ),
            None,
        )  # fmt: skip
        self.progress.counters[steps.COUNTER.events] = 0
        return OUTCOMES[outcome]

    def _do(self, step: Callable[[], Any], failed: object) -> Any:
        """What a step returns, or an `InputError` if that is ``failed`` or something was raised on the way."""
        counters = self.progress.counters
        with PointerCalls(counters) as calls:
            answer = step()
        if answer != failed and calls.error is None:
            return answer
        overwrite(self.candidate, self.current)
        counters[steps.COUNTER.stop] = 0
        name = self.names.of(counters)
        if calls.error is not None:
            raise InputError(raised(name, calls.error, iteration_of(counters))) from calls.error
        raise InputError(corrupted(name, iteration_of(counters), self.progress.flaw))

    def move_to_best_of(self, other: "Stepper") -> None:
        """Go on from the best solution of another stepper on the same instance."""
        values, value = self.progress.values, other.progress.values[steps.VALUE.best]
        overwrite(self.current, other.best)
        overwrite(self.candidate, other.best)
        values[steps.VALUE.current] = value
        self._note_visit()
        if value < values[steps.VALUE.best] - values[steps.VALUE.tolerance]:
            overwrite(self.best, other.best)
            values[steps.VALUE.best] = value
        else:  # any of their routes may differ
            touch_all(self.best, self.current)

    def _note_visit(self) -> None:
        """Note that the current solution is one that was visited."""
        key = np.uint64(fingerprint(self.problem, self.current))
        self.progress.visited[steps.CURRENT_KEY] = key
        steps.first_visit(self.progress.visited, key)

    @property
    def budget_used(self) -> float:
        """The part of the budget that is used, from 0 to 1, which the acceptance criterion cools by; yours to set."""
        return float(self.progress.values[steps.VALUE.fraction])

    @budget_used.setter
    def budget_used(self, part: float) -> None:
        if isinstance(part, bool) or not isinstance(part, numbers.Real) or not 0 <= part <= 1:
            raise InputError(f"budget_used is {shown(part)}; expected a number from 0 to 1; correct the value.")
        self.progress.values[steps.VALUE.fraction] = part

    @property
    def current_cost(self) -> float:
        """Cost of the current solution, in the instance's units."""
        return float(solution_cost(self.problem, self.current)) / self.instance.scale

    @property
    def best_cost(self) -> float:
        """Cost of the best solution, in the instance's units."""
        return float(solution_cost(self.problem, self.best)) / self.instance.scale

    @property
    def best_routes(self) -> list[list[int]]:
        """The best solution as plain lists."""
        return answer_of(self.instance, self.best)[0]

    @property
    def best_types(self) -> list[int]:
        """The vehicle types of the routes of the best solution."""
        return answer_of(self.instance, self.best)[1]

    @property
    def vehicles(self) -> int:
        """How many vehicles the best solution uses."""
        return vehicles_in(self.best)

    @property
    def missing(self) -> int:
        """How many customers, and groups, the best solution does not serve and should."""
        return int(missing(self.problem, self.best))

    @property
    def unserved(self) -> list[int]:
        """The customers that the best solution does not serve and should; of a group, all of them."""
        return waiting_in(self.instance, self.best)[0]

    @property
    def left_out(self) -> list[int]:
        """The customers that the best solution leaves out, as it may."""
        return waiting_in(self.instance, self.best)[1]


def compiled_check(portfolio: Portfolio, form: str) -> Any:
    """Return the check of operators' work, compiled, for the loop; None if all operators of the portfolio are ours.

    It is another one for rich problems than for plain ones.
    """
    if any(operator.foreign for operator in (*portfolio.destroy, *portfolio.repair)):
        compiled_as = told_apart(CHECK_SIGNATURE, RICH) if form == RICH else None
        return addresses([pluggable(settle_checked, CHECK_SIGNATURE, compiled_as)])
    return None
