"""The two-phase stepper from Python: ``destroy(i)``, ``repair(j)``, ``accept()``."""

import numbers
import sys
import threading
import warnings
from collections import OrderedDict
from operator import is_
from types import TracebackType
from typing import Any, ClassVar, overload
from weakref import WeakKeyDictionary

import numba
import numpy as np
import numpy.typing as npt
from numba.core.errors import NumbaExperimentalFeatureWarning

from dacalns.core import lockstep, sight
from dacalns.core import stepper as steps
from dacalns.core.distances import RICH, form_of, told_apart
from dacalns.core.frames import FRAME, NOTE, PHASE, Engine, frame_rows, keep
from dacalns.core.graph import Graph
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
    LocalAnnealing,
    PythonAcceptance,
    RecordToRecord,
    SimulatedAnnealing,
    Threshold,
    acceptance_memory,
    as_acceptance,
    compiled_acceptance,
    criterion_name,
)
from dacalns.search.called_back import CalledBack
from dacalns.search.observation import Observation, observe_all
from dacalns.search.operators import Operator, PythonDestroy, PythonRepair
from dacalns.search.orders import Orders
from dacalns.search.outcome import Outcome, Outcomes
from dacalns.search.policy_view import NEIGHBOURS
from dacalns.search.portfolio import Portfolio, as_portfolio
from dacalns.search.start import (
    Routes,
    Start,
    answer_of,
    first_solution,
    graph_of,
    problem_of,
    vehicles_in,
    waiting_in,
)
from dacalns.search.user_code import Names, StopSearch, corrupted, is_foreign, iteration_of, raised
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import LARGEST_SEED, whole_number

# The largest budget that a double counts exactly.
LARGEST_BUDGET = 1 << 53
BOUNDS_CHECKED = bool(numba.config.BOUNDSCHECK)  # type: ignore[attr-defined]

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


# Instances that a stepper goes back to without making anything anew, the latest ones.
MOST_GROUNDS = 8
# Starts that are found once for all steppers.
_starts: "WeakKeyDictionary[Instance, dict[str, Solution]]" = WeakKeyDictionary()


class _Ground:
    """All of a stepper that belongs to one instance."""

    def __init__(self, stepper: "Stepper", instance: Instance, portfolio: Portfolio, current: Solution) -> None:
        self.instance, self.portfolio, self.current = instance, portfolio, current
        self.problem = problem_of(instance)
        self.candidate, self.best = (empty_solution(self.problem, current) for _ in range(2))
        self.first: Solution | None = None
        self.scales = np.array(
            [operator.scale.customers(instance.customers) for operator in portfolio.destroy], dtype=np.int64
        )
        self.form = form_of(self.problem)
        self.called_back = CalledBack(stepper, instance, PointerCalls.keep)
        # They are kept, as the loop knows only their addresses.
        self._operators = [
            [self._as_called(operator) for operator in side] for side in (portfolio.destroy, portfolio.repair)
        ]
        self.destroy_operators, self.repair_operators = map(addresses, self._operators)
        self.parts: tuple[Any, ...] = ()  # what the frame is of
        self.row: list[Any] = []
        self.frame: npt.NDArray[Any] | None = None
        self.kept: list[Any] = []
        self.neighbours = 0  # of the graph in the frame
        self._graphs: dict[int, Graph] = {}

    def _as_called(self, operator: Operator) -> Any:
        """An operator as the loop calls it: compiled, or in Python and bound to this search."""
        if isinstance(operator, PythonDestroy | PythonRepair):
            return self.called_back.operator(operator)
        return operator.compiled(self.form)

    def graph_with(self, neighbours: int) -> Graph:
        """Return what networks see of the instance itself, with so many nearest neighbours of a node."""
        if neighbours not in self._graphs:
            self._graphs[neighbours] = graph_of(self.instance, neighbours)
        return self._graphs[neighbours]


class Stepper:
    """A search that moves one phase at a time, or many iterations at once.

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
        The criterion: an object, a name of `dacalns.ACCEPTANCES`, or any callable. It is told which part of the budget
        is used: see :attr:`budget` and :attr:`fraction`.
    seed
        The seed of all that is random.
    start
        Routes to start from, or a solution to copy; if left out, they are built as the portfolio says.
    budget
        How many iterations the search will have; if left out, nobody knows, and :attr:`fraction` is yours to set.

    Raises
    ------
    InputError
        By the three steps, if an operator or the criterion raises something, or an operator leaves what is no solution.
        The candidate is given up then: go on with :meth:`destroy`.

    Examples
    --------
    >>> stepper = Stepper("A-n32-k5", seed=1, budget=1000)
    >>> [operator.name for operator in stepper.portfolio.repair]
    ['blink_repair', 'polished_blink_repair', 'polished_regret_repair']
    >>> stepper.destroy(0)
    >>> stepper.repair(2)
    >>> outcome = stepper.accept()
    >>> outcome.removed, outcome.after < 2 * outcome.before
    (13, True)
    >>> many = stepper.step([0, 1, 0], [2, 2, 1])
    >>> len(many.after), stepper.iteration
    (3, 4)
    """

    def __init__(
        self,
        instance: Instance | str,
        portfolio: Portfolio | str = "full",
        acceptance: str | AcceptanceCriterion | Accepts | None = None,
        seed: int = 0,
        start: Routes | Start | Solution | None = None,
        budget: int | None = None,
    ) -> None:
        instance = instance if isinstance(instance, Instance) else read(instance)
        seed = whole_number("seed", seed, minimum=0, maximum=LARGEST_SEED)
        self._given = as_portfolio(portfolio)
        operators = self._given.for_features(instance.features)
        criterion = operators.acceptance if acceptance is None else as_acceptance(acceptance)
        current = _started(instance, operators, start)
        self._set_up(instance, operators, criterion, seed, current)
        self._ground.first = empty_solution(self.problem, self.current)
        overwrite(self._ground.first, self.current)
        self.budget = budget

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
        stepper._given = portfolio
        if is_solution(start):
            current = empty_solution(problem_of(instance))
            overwrite(current, start)
        else:
            assert not isinstance(start, Solution)
            current = first_solution(instance, start, portfolio.construction)
        stepper._set_up(instance, portfolio, acceptance, seed, current)
        return stepper

    def _set_up(
        self,
        instance: Instance,
        portfolio: Portfolio,
        criterion: AcceptanceCriterion,
        seed: int,
        current: Solution,
    ) -> None:
        self._criterion = criterion
        self.rng = seeded(seed)
        self.accept_kernel = address(compiled_acceptance(criterion))
        self.accept_memory = acceptance_memory(
            criterion, problem_of(instance), solution_cost(problem_of(instance), current)
        )
        self._notes = np.zeros(len(NOTE))
        self._notes[NOTE.budget] = np.inf
        self._notes[[NOTE.coldest, NOTE.linear]] = _cooling(criterion, self.accept_memory)
        self._orders = Orders(1, 1)
        self._used: tuple[Portfolio, str] | None = None
        self._grounds: OrderedDict[Instance, _Ground] = OrderedDict()
        self._stand_on(_Ground(self, instance, portfolio, current))
        self._begin()

    def _stand_on(self, ground: _Ground) -> None:
        """Go to an instance: all that belongs to it is there now."""
        self._ground = self._grounds[ground.instance] = ground
        self._grounds.move_to_end(ground.instance)
        while len(self._grounds) > MOST_GROUNDS:
            self._grounds.popitem(last=False)
        self.instance, self.problem = ground.instance, ground.problem
        self.current, self.candidate, self.best = ground.current, ground.candidate, ground.best
        self.scales, self.destroy_operators = ground.scales, ground.destroy_operators
        self.repair_operators = ground.repair_operators
        if isinstance(self._criterion, PythonAcceptance):
            ground.called_back.criterion(self._criterion, self.accept_memory)
        if self._used != (ground.portfolio, ground.form):
            self._use(ground.portfolio, ground.form)

    def _use(self, portfolio: Portfolio, form: str) -> None:
        """Count the uses of these operators, and know their names."""
        self._used = portfolio, form
        self.portfolio = portfolio
        self.progress = steps.new_progress(
            len(portfolio.destroy), len(portfolio.repair), compiled_check(portfolio, form)
        )
        for side, operators in enumerate((portfolio.destroy, portfolio.repair)):
            self.progress.foreign[side, : len(operators)] = [operator.foreign for operator in operators]
        own_criterion = isinstance(self._criterion, PythonAcceptance) or is_foreign(self._criterion.kernel)
        self.foreign = bool(self.progress.foreign.any()) or own_criterion
        self.names = Names(
            [operator.name for operator in portfolio.destroy],
            [operator.name for operator in portfolio.repair],
            criterion_name(self._criterion),
        )

    def _begin(self) -> None:
        """Begin at the current solution."""
        overwrite(self.candidate, self.current)
        overwrite(self.best, self.current)
        reference = solution_cost(self.problem, self.current)
        value = objective(self.problem, self.current)
        self.progress.values[steps.VALUE.current] = value
        self.progress.values[steps.VALUE.best] = value
        self.progress.values[steps.VALUE.start] = reference
        self.progress.values[steps.VALUE.tolerance] = steps.RELATIVE_TOLERANCE * reference
        self._notes[NOTE.removed : NOTE.coldest] = 0
        self._notes[NOTE.phase] = PHASE.whole
        self._note_visit()

    def reset(
        self,
        seed: int | None = None,
        instance: Instance | str | None = None,
        start: Routes | Start | Solution | None = None,
    ) -> None:
        """Begin anew: nothing is compiled, and nothing is allocated for an instance that was there before.

        Parameters
        ----------
        seed
            The seed of all that is random; if left out, random numbers go on where they are.
        instance
            Another instance, with those operators of the portfolio that are fit for it; if left out, the same one. The
            last eight are kept.
        start
            Routes to start from, or a solution to copy; if left out, the start that the stepper had on this instance.
        """
        if seed is not None:
            state = seeded(whole_number("seed", seed, minimum=0, maximum=LARGEST_SEED))
        if instance is not None and instance is not self.instance:
            instance = instance if isinstance(instance, Instance) else read(instance)
            ground = self._grounds.get(instance)
            portfolio = self._given.for_features(instance.features) if ground is None else ground.portfolio
            first = None if start is None and ground is not None else _started(instance, portfolio, start)
            if ground is None:
                assert first is not None
                ground = _Ground(self, instance, portfolio, first)
            self._stand_on(ground)
        else:
            first = None if start is None else _started(self.instance, self.portfolio, start)
        if start is not None:
            assert first is not None
            overwrite(self.current, first)
        else:
            if self._ground.first is None:
                self._ground.first = _started(self.instance, self.portfolio, None)
            overwrite(self.current, self._ground.first)
        if seed is not None:
            self.rng[:] = state
            self._ground.called_back.begin()
        for counted in self.progress:
            if counted is not self.progress.foreign and counted is not self.progress.check:
                counted[:] = 0
        nodes = len(self.current.route)
        # What removal by history remembers stands at the end of the working memory.
        self.current.scratch_ints[-nodes:] = 0
        self.current.scratch_floats[-2 * nodes :] = 0.0
        self.accept_memory[:] = acceptance_memory(
            self._criterion, self.problem, solution_cost(self.problem, self.current)
        )
        if isinstance(self._criterion, PythonAcceptance):
            self._ground.called_back.criterion(self._criterion, self.accept_memory)
        self._begin()

    @property
    def graph(self) -> Graph:
        """What of the graph that selectors may ask for depends on the instance alone; built when it is first used."""
        return self._ground.graph_with(NEIGHBOURS)

    def destroy(self, which: int, count: int | None = None) -> None:
        """Destroy a copy of the current solution with destroy operator number ``which``, counted from 0.

        ``count`` is how many customers it is asked to remove; left out, it draws a number from its scale.
        """
        which = whole_number("destroy operator", which, minimum=0, maximum=len(self.portfolio.destroy) - 1)
        if count is not None:
            count = whole_number("count", count, minimum=1)
        self._do(lockstep.DESTROY, which, 0, count or lockstep.DRAWN)

    def repair(self, which: int) -> None:
        """Repair the destroyed solution with repair operator number ``which``, counted from 0."""
        which = whole_number("repair operator", which, minimum=0, maximum=len(self.portfolio.repair) - 1)
        self._do(lockstep.REPAIR, 0, which)

    def accept(self) -> Outcome:
        """Let the criterion decide on the repaired solution, and return what came of the iteration."""
        self._do(lockstep.ACCEPT, 0, 0)
        return self._orders.outcome(self.instance.scale)

    def finish(self, which: int) -> Outcome:
        """Repair the destroyed solution and let the criterion decide, in one call of compiled code."""
        which = whole_number("repair operator", which, minimum=0, maximum=len(self.portfolio.repair) - 1)
        self._do(lockstep.REPAIR | lockstep.ACCEPT, 0, which)
        return self._orders.outcome(self.instance.scale)

    @overload
    def step(self, destroy: int, repair: int, count: int | None = None) -> Outcome: ...

    @overload
    def step(self, destroy: npt.ArrayLike, repair: npt.ArrayLike, count: npt.ArrayLike | None = None) -> Outcomes: ...

    def step(
        self, destroy: npt.ArrayLike, repair: npt.ArrayLike, count: npt.ArrayLike | None = None
    ) -> Outcome | Outcomes:
        """Do whole iterations in one call of compiled code: one for numbers, or as many as arrays have numbers.

        Parameters
        ----------
        destroy, repair
            The operators of each iteration.
        count
            How many customers each destroy operator is asked to remove; left out, it draws a number from its scale.

        Returns
        -------
        Outcome | Outcomes
            What came of the iteration; or arrays, for several of them.
        """
        if not (hasattr(destroy, "__len__") or hasattr(repair, "__len__")):
            which = whole_number("destroy operator", destroy, minimum=0, maximum=len(self.portfolio.destroy) - 1)
            then = whole_number("repair operator", repair, minimum=0, maximum=len(self.portfolio.repair) - 1)
            drawn = lockstep.DRAWN if count is None else whole_number("count", count, minimum=1)
            self._do(lockstep.WHOLE, which, then, drawn)
            return self._orders.outcome(self.instance.scale)
        orders = Orders.of(destroy, repair, count)
        orders.phases[:] = lockstep.WHOLE
        self._follow(orders)
        return orders.outcomes(np.array([self.instance.scale], dtype=np.float64))

    def _do(self, phases: int, destroy: int, repair: int, count: int = lockstep.DRAWN) -> None:
        orders = self._orders
        orders.phases[0], orders.destroy[0, 0], orders.repair[0, 0], orders.counts[0, 0] = (
            phases,
            destroy,
            repair,
            count,
        )
        self._follow(orders)

    def _follow(self, orders: Orders, number: int | None = None) -> None:
        """Do as ordered, or raise an `InputError`; ``number`` is that of the stepper, if it is one of several."""
        frame = self._framed()
        if not (self.foreign or BOUNDS_CHECKED):
            if orders.follow(frame):
                self._complain(orders, 0, None, number)
            return
        with PointerCalls(self.progress.counters) as calls:
            stuck = orders.follow(frame)
        if stuck or calls.error is not None:
            self._complain(orders, 0, calls.error, number)

    def _complain(self, orders: Orders, row: int, error: BaseException | None, number: int | None = None) -> None:
        """Go back to the current solution, and say what went wrong."""
        trouble, counters, whose = orders.troubles[row], self.progress.counters, self.portfolio
        at = int(orders.done[row])
        self.give_up()
        name, iteration, before = self.names.of(counters), iteration_of(counters), ""
        if number is not None:
            before = f"stepper {number}: "
        if isinstance(error, KeyboardInterrupt | SystemExit | StopSearch):
            raise error
        if error is not None:
            raise InputError(before + raised(name, error, iteration)) from error
        if trouble == lockstep.TROUBLE.broken:
            raise InputError(before + corrupted(name, iteration, self.progress.flaw))
        if trouble == lockstep.TROUBLE.not_destroyed:
            raise InputError(f"{before}there is nothing to repair; expected a destroyed solution; call destroy first.")
        if trouble == lockstep.TROUBLE.not_repaired:
            raise InputError(f"{before}there is nothing to accept; expected a repaired solution; call repair first.")
        kind, chosen, known = "destroy", orders.destroy, len(whose.destroy)
        if trouble == lockstep.TROUBLE.no_such_repair:
            kind, chosen, known = "repair", orders.repair, len(whose.repair)
        raise InputError(
            f"{before}{kind} operator is {int(chosen[row, at])}, in iteration {at + 1} of the call; expected a whole "
            f"number from 0 to {known - 1}."
        )

    def give_up(self) -> None:
        """Go back to the current solution: the next phase is to destroy it."""
        overwrite(self.candidate, self.current)
        self._notes[NOTE.phase] = PHASE.whole
        self.progress.counters[steps.COUNTER.stop] = 0

    def _framed(self) -> npt.NDArray[Any]:
        """Return the frame, anew where it was of something else."""
        ground = self._ground
        parts = (
            self.problem, self.current, self.candidate, self.best, self.progress, self.rng, self.scales,
            self.accept_memory, self.destroy_operators, self.repair_operators, self.accept_kernel,
        )  # fmt: skip
        if ground.frame is not None and all(map(is_, parts, ground.parts)):
            return ground.frame
        rich = form_of(self.problem) == RICH
        engine = Engine(
            self.destroy_operators, self.scales, self.repair_operators, self.accept_memory, self.rng, self._notes
        )
        kept = [keep(each) for each in (*parts[:5], engine)]
        ground.kept, ground.parts, ground.neighbours = [kept], parts, 0
        move = address(pluggable(lockstep.move_rich if rich else lockstep.move_plain, lockstep.MOVE))
        ground.row = [*(place for place, _ in kept), 0, self.accept_kernel, move, 0]
        ground.frame = frame_rows([ground.row])
        return ground.frame

    def _framed_to_see(self, neighbours: int) -> npt.NDArray[Any]:
        """Return the frame with the graph of so many neighbours in it."""
        frame, ground = self._framed(), self._ground
        if ground.neighbours != neighbours:
            place, kept = keep(ground.graph_with(neighbours))
            ground.kept = [ground.kept[0], kept]
            see = pluggable(sight.see_rich if form_of(self.problem) == RICH else sight.see_plain, sight.SEE)
            ground.row[FRAME.graph], ground.row[FRAME.see] = place, address(see)
            ground.neighbours = neighbours
            frame = ground.frame = frame_rows([ground.row])
        return frame

    def observe(
        self, out: Observation | None = None, *, destroyed: bool = False, neighbours: int = NEIGHBOURS
    ) -> Observation:
        """Return the search as our own networks see it: the graph of a solution, and numbers on the search.

        Parameters
        ----------
        out
            Arrays to write into, with as much room as is needed or more; the rest is filled with zeros. If left out,
            new ones that just fit.
        destroyed
            True for the destroyed solution, False for the current one.
        neighbours
            How many nearest neighbours a node is linked to.

        Raises
        ------
        InputError
            If there is not room enough.
        """
        return observe_all([self], out, [destroyed], neighbours)

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
    def iteration(self) -> int:
        """How many iterations are done."""
        return int(self.progress.counters[steps.COUNTER.iteration])

    @property
    def budget(self) -> int | None:
        """How many iterations there will be, by which :attr:`fraction` grows; None if nobody knows. Yours to set."""
        budget = self._notes[NOTE.budget]
        return None if np.isinf(budget) else int(budget)

    @budget.setter
    def budget(self, iterations: int | None) -> None:
        self._notes[NOTE.budget] = (
            np.inf if iterations is None else whole_number("budget", iterations, minimum=1, maximum=LARGEST_BUDGET)
        )

    @property
    def fraction(self) -> float:
        """The part of the budget that is used, from 0 to 1, which the acceptance criterion cools by; yours to set.

        Where there is a :attr:`budget`, it is at least what that says whenever an iteration begins.
        """
        return float(self.progress.values[steps.VALUE.fraction])

    @fraction.setter
    def fraction(self, part: float) -> None:
        if isinstance(part, bool) or not isinstance(part, numbers.Real) or not 0 <= part <= 1:
            raise InputError(f"fraction is {shown(part)}; expected a number from 0 to 1; correct the value.")
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


def _started(instance: Instance, portfolio: Portfolio, start: Routes | Start | Solution | None) -> Solution:
    """Return a solution of one's own to start from; one that is built is found once for all steppers."""
    problem = problem_of(instance)
    if start is None:
        known = _starts.setdefault(instance, {})
        if portfolio.construction not in known:
            known[portfolio.construction] = first_solution(instance, None, portfolio.construction)
        start = known[portfolio.construction]
    elif not is_solution(start):
        assert not isinstance(start, Solution)
        return first_solution(instance, start, portfolio.construction)
    current = empty_solution(problem)
    overwrite(current, start)
    return current


def _cooling(criterion: AcceptanceCriterion, memory: npt.NDArray[np.float64]) -> tuple[float, bool]:
    """Return the last temperature, or allowance, as a part of the first, 0 where there is none; and if it is linear."""
    if not isinstance(criterion, SimulatedAnnealing | LocalAnnealing | RecordToRecord | Threshold) or not memory[0]:
        return 0.0, False
    return float(memory[1] / memory[0]), isinstance(criterion, RecordToRecord | Threshold)
