"""A search on states of any kind, with the operators of the user's as they are and our selectors and criteria."""

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core.rng import seeded
from dacalns.core.stopping import used_fraction
from dacalns.interop.adapters import AlnsStop
from dacalns.interop.chooser import REJECTED, Before, Chooser, Features
from dacalns.interop.operators import (
    Named,
    cost_of_destroyed,
    named_operators,
    needs_destroyed_cost,
    objective_of,
)
from dacalns.search.acceptance import (
    AcceptanceCriterion,
    LocalAnnealing,
    PythonAcceptance,
    SimulatedAnnealing,
    as_acceptance,
)
from dacalns.search.policy_view import Explanation
from dacalns.search.signals import Interrupt
from dacalns.search.stopping import MaxTime, StoppingCriterion
from dacalns.search.user_code import raised
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import LARGEST_SEED, whole_number

BEST, BETTER, ACCEPTED = range(REJECTED)
EVENTS = ("on_best", "on_better", "on_accept", "on_reject")


@dataclass(frozen=True)
class AnyResult:
    """What a search on states of any kind found.

    Parameters
    ----------
    best_state
        The best state.
    objective, start_objective
        The objectives of the best and of the first state.
    iterations, seconds
        How many iterations there were, and how long they took.
    objectives
        The objective of the current state at the start and after each iteration.
    history
        A triple of iteration, seconds and objective for each new best, the start among them.
    destroy_operator_counts, repair_operator_counts
        How often each operator came to a best, better, accepted and rejected state.
    pair_counts
        How often each pair was used: a row for each destroy operator, a column for each repair operator.
    time_split
        The seconds spent in destroying, repairing, selecting, and all else.
    stopped_by
        ``"criterion"``, ``"interrupt"``, or ``"user code"`` if an operator or a criterion failed.
    warnings
        What went wrong on the way without costing the answer.
    explanation
        What a learned policy did.
    """

    best_state: Any
    objective: float
    start_objective: float
    iterations: int
    seconds: float
    objectives: npt.NDArray[np.float64]
    history: list[tuple[int, float, float]]
    destroy_operator_counts: dict[str, list[int]]
    repair_operator_counts: dict[str, list[int]]
    pair_counts: npt.NDArray[np.int64]
    time_split: dict[str, float]
    stopped_by: str = "criterion"
    warnings: list[str] = field(default_factory=list)
    explanation: Explanation | None = None
    _chooser: Any = field(default=None, repr=False, compare=False)

    def save_policy(self, path: str | os.PathLike[str]) -> None:
        """Write what the networks of ``ac`` or ``dac`` have learned to a file, from which ``dac-t:FILE`` chooses.

        Raises
        ------
        InputError
            If the selector has no network.
        """
        self._chooser.save(path)

    def __str__(self) -> str:
        rate = self.iterations / self.seconds if self.seconds else 0.0
        return (
            f"objective {self.objective:g}, from {self.start_objective:g}, in {self.iterations:,} iterations and "
            f"{self.seconds:.2f} s ({rate:,.0f} a second), stopped by {self.stopped_by}"
        )


def solve(
    state: Any,
    *,
    destroy: Sequence[Any],
    repair: Sequence[Any],
    selector: Any = "dac:improved",
    accept: Any = None,
    stop: Any,
    seed: int = 0,
    features: Features | None = None,
    destroyed_cost: Callable[[Any], float] | None = None,
    policy: str | os.PathLike[str] | None = None,
    on_best: Callable[..., Any] | None = None,
    on_better: Callable[..., Any] | None = None,
    on_accept: Callable[..., Any] | None = None,
    on_reject: Callable[..., Any] | None = None,
    operator_arguments: dict[str, Any] | None = None,
) -> AnyResult:
    """Improve a state of any kind: destroy, let the selector see what is left, repair, accept.

    States and operators are those of the ``alns`` package, and need no change: a state has ``objective()``, which is
    minimised, and an operator is a function ``(state, rng)`` that returns another state. ``alns`` itself is not needed.

    Parameters
    ----------
    state
        The first state.
    destroy, repair
        The operators: functions, or pairs of a name and a function, as ``ALNS.destroy_operators`` lists them.
    selector
        As for `Selection`.
    accept
        A criterion of ``alns``, or any function ``(rng, best, current, candidate) -> bool`` of states; one of ours,
        such as ``RecordToRecord()``, or its name. Left out: ``SimulatedAnnealing()``. Yours is copied first.
    stop
        A criterion of ``alns``, or any function ``(rng, best, current) -> bool``; one of ours, such as
        ``MaxIterations(1000)``; or seconds.
    seed
        The seed of all that is random: of the generator that operators and criteria get, and of the selector.
    features, destroyed_cost, policy
        As for `Selection`.
    on_best, on_better, on_accept, on_reject
        Functions ``(candidate, rng)``, called as ``alns`` calls them; they may change the candidate.
    operator_arguments
        Keyword arguments for all operators and these functions.

    Returns
    -------
    AnyResult
        The best state found, also if Ctrl-C cut the search short, or an operator failed: then ``stopped_by`` is
        ``"user code"``, and ``warnings`` says what happened.

    Raises
    ------
    InputError
        If something given cannot be used.

    Examples
    --------
    >>> class Numbers:
    ...     def __init__(self, values): self.values = values
    ...     def objective(self): return sum(value * value for value in self.values)
    >>> def forget_one(state, rng):
    ...     values = list(state.values)
    ...     values[rng.integers(len(values))] = None
    ...     return Numbers(values)
    >>> def draw(state, rng):
    ...     return Numbers([rng.normal() if value is None else value for value in state.values])
    >>> import dacalns
    >>> found = solve(Numbers([3.0, 4.0]), destroy=[forget_one], repair=[draw], selector="roulette",
    ...               accept="hill-climbing", stop=dacalns.MaxIterations(500), seed=1)
    >>> found.objective < 0.1
    True
    """
    seed = whole_number("seed", seed, minimum=0, maximum=LARGEST_SEED)
    destroys, repairs = named_operators("destroy", destroy), named_operators("repair", repair)
    chooser = Chooser(selector, [name for name, _ in destroys], [name for name, _ in repairs], features, policy)
    start = objective_of(state, "the first state")
    run = _Run(
        state, destroys, repairs, chooser, _acceptance(accept, start, seed), _stopping(stop), seed, start,
        dict(zip(EVENTS, (on_best, on_better, on_accept, on_reject), strict=True)), dict(operator_arguments or {}),
    )  # fmt: skip
    run.destroyed_cost = destroyed_cost
    return run.run()


# Criteria: ours and those of `alns` by one interface.


class _Stop:
    """Says what part of the budget is used; 1 is the end."""

    def used(self, run: "_Run") -> float:
        raise NotImplementedError


class _OurStop(_Stop):
    def __init__(self, criterion: StoppingCriterion) -> None:
        program = criterion.tokens(1.0)
        self._kinds = np.array([kind for kind, _ in program], dtype=np.int64)
        self._values = np.array([value for _, value in program])
        self._stack = np.zeros(len(program))
        self._used = 0.0
        used_fraction(self._kinds, self._values, self._stack, 0, 0.0, 0, 1.0, 1.0)  # so that no search waits for it

    def used(self, run: "_Run") -> float:
        seconds, stalled = run.seconds(), run.iteration - run.best_iteration
        found = used_fraction(
            self._kinds, self._values, self._stack, run.iteration, seconds, stalled, run.start, run.best_value
        )
        self._used = max(self._used, float(found))
        return self._used


class _TheirStop(_Stop):
    """A criterion of ``alns``: of its two usual ones the budget is known, so that our annealing can cool by it."""

    def __init__(self, criterion: Any) -> None:
        self._criterion = _copied(criterion)
        self._iterations = getattr(criterion, "max_iterations", None) if _is(criterion, "MaxIterations") else None
        self._seconds = getattr(criterion, "max_runtime", None) if _is(criterion, "MaxRuntime") else None

    def used(self, run: "_Run") -> float:
        if run.call("stopping criterion", self._criterion, run.rng, run.best, run.current):
            return 1.0
        used, budget = (run.iteration, self._iterations) if self._iterations else (run.seconds(), self._seconds)
        return min(used / budget, 1.0 - 1e-9) if budget else 0.0


def _is(criterion: Any, name: str) -> bool:
    return type(criterion).__name__ == name and type(criterion).__module__.partition(".")[0] == "alns"


def _copied(criterion: Any) -> Any:
    """Return a copy, if there can be one: criteria change while they are used."""
    with contextlib.suppress(Exception):
        return deepcopy(criterion)
    return criterion


def _stopping(given: Any) -> _Stop:
    if isinstance(given, AlnsStop):
        return _TheirStop(given.given)
    if isinstance(given, StoppingCriterion):
        if given.asked:
            raise InputError(
                f"stop is {shown(given)}, which asks a function about a search of routes; expected the function alone, "
                "of (rng, best, current), or criteria without one; give that."
            )
        return _OurStop(given)
    if isinstance(given, Real) and not isinstance(given, bool):
        return _OurStop(MaxTime(float(given)))
    if callable(given) and not isinstance(given, type):
        return _TheirStop(given)
    raise InputError(
        f"stop is {shown(given)}; expected a criterion such as dacalns.MaxIterations(1000) or "
        "alns.stop.MaxIterations(1000), or seconds."
    )


Accept = Callable[["_Run", Any, float], bool]


def _acceptance(given: Any, start: float, seed: int) -> Accept:
    """Return a function that says whether a candidate is accepted."""
    ours = given is None or isinstance(given, str | AcceptanceCriterion)
    if not ours and callable(given) and not isinstance(given, type):
        criterion = _copied(given)

        def theirs(run: "_Run", candidate: Any, value: float) -> bool:  # noqa: ARG001
            return bool(run.call("acceptance criterion", criterion, run.rng, run.best, run.current, candidate))

        return theirs
    chosen = SimulatedAnnealing() if given is None else as_acceptance(given)
    if isinstance(chosen, LocalAnnealing):
        raise InputError(
            f"accept is {shown(given)}, which measures distances between customers; expected a criterion for any "
            "problem, such as SimulatedAnnealing(0.01, 0.001); take another."
        )
    if isinstance(chosen, PythonAcceptance):
        decides = chosen.in_another_search().function  # a copy, as criteria change while they are used

        def in_python(run: "_Run", candidate: Any, value: float) -> bool:  # noqa: ARG001
            costs = value, run.value, run.best_value
            return bool(run.call("acceptance criterion", decides, *costs, run.used, run.rng))

        return in_python
    kernel, memory = chosen.kernel, np.ascontiguousarray(chosen.memory(abs(start)), dtype=np.float64)
    draws = seeded(seed + 1)
    kernel(memory.copy(), 0.0, start, start, start, draws)  # so that no search waits for the compiler

    def by_cost(run: "_Run", candidate: Any, value: float) -> bool:  # noqa: ARG001
        return bool(kernel(memory, run.used, value, run.value, run.best_value, draws))

    return by_cost


# The loop.


class _Failed(Exception):  # noqa: N818
    """The sentence about code of the user's that failed."""


class _Run:
    def __init__(
        self,
        state: Any,
        destroy: list[Named],
        repair: list[Named],
        chooser: Chooser,
        accept: Accept,
        stop: _Stop,
        seed: int,
        start: float,
        listeners: dict[str, Callable[..., Any] | None],
        arguments: dict[str, Any],
    ) -> None:
        self.current = self.best = state
        self.start = self.value = self.best_value = start
        self.rng = np.random.default_rng(seed)
        self.iteration = self.best_iteration = 0
        self.used = 0.0
        self.destroyed_cost: Callable[[Any], float] | None = None
        self._destroy, self._repair, self._chooser = destroy, repair, chooser
        self._accept, self._stop = accept, stop
        self._listeners, self._arguments = listeners, arguments
        self._rewarded = needs_destroyed_cost(chooser.learned_rewards)
        self._objectives, self._history = [start], [(0, 0.0, start)]
        self._counts = [{name: [0] * (REJECTED + 1) for name, _ in side} for side in (destroy, repair)]
        self._pairs = np.zeros((len(destroy), len(repair)), dtype=np.int64)
        self._split = dict.fromkeys(("destroy", "repair", "selection"), 0.0)
        self._seed = seed

    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def call(self, what: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Call code of the user's."""
        try:
            return function(*arguments, **named)
        except Exception as error:
            raise _Failed(raised(what, error, self.iteration + 1)) from error

    def run(self) -> AnyResult:
        stopped_by, warnings = "criterion", []
        self._chooser.start(self._seed)
        with Interrupt() as interrupt:
            self._began = time.perf_counter()
            try:
                while True:
                    if interrupt.requested:
                        stopped_by = "interrupt"
                        break
                    self.used = self._stop.used(self)
                    if self.used >= 1.0:
                        break
                    self._iterate()
            except (_Failed, InputError) as error:
                stopped_by, warnings = "user code", [str(error)]
            seconds = self.seconds()
        split = self._split | {"else": max(0.0, seconds - sum(self._split.values()))}
        return AnyResult(
            self.best, self.best_value, self.start, self.iteration, seconds, np.array(self._objectives), self._history,
            self._counts[0], self._counts[1], self._pairs, split, stopped_by, warnings, self._chooser.explanation,
            self._chooser,
        )  # fmt: skip

    def _iterate(self) -> None:
        began = time.perf_counter()
        destroy = self._chooser.select_destroy(self.current, Before(self.start, self.best_value, self.value, self.used))
        chosen = time.perf_counter()
        name, operator = self._destroy[destroy]
        destroyed = self.call(f"destroy operator {name!r}", operator, self.current, self.rng, **self._arguments)
        ended = time.perf_counter()
        repair = self._chooser.select_repair(destroyed, destroy)
        cost = cost_of_destroyed(self.destroyed_cost, destroyed, name) if self._rewarded else 0.0
        chosen_too = time.perf_counter()
        name, operator = self._repair[repair]
        candidate = self.call(f"repair operator {name!r}", operator, destroyed, self.rng, **self._arguments)
        value = objective_of(candidate, f"what repair operator {name!r} left in iteration {self.iteration + 1}")
        repaired = time.perf_counter()
        self._judge(candidate, value, destroy, repair, cost, (ended - chosen) + (repaired - chosen_too))
        self._split["selection"] += (chosen - began) + (chosen_too - ended)
        self._split["destroy"] += ended - chosen
        self._split["repair"] += repaired - chosen_too

    def _judge(self, candidate: Any, value: float, destroy: int, repair: int, cost: float, seconds: float) -> None:
        """Accept or reject as ``alns`` does: a new best is kept whatever the criterion says."""
        outcome = REJECTED
        if self._accept(self, candidate, value):
            outcome = BETTER if value < self.value else ACCEPTED
        if value < self.best_value:
            outcome = BEST
        listener = self._listeners[EVENTS[outcome]]
        if listener is not None:
            self.call(EVENTS[outcome], listener, candidate, self.rng, **self._arguments)
            value = objective_of(candidate, f"what {EVENTS[outcome]} left in iteration {self.iteration + 1}")
        began = time.perf_counter()
        self._chooser.update(destroy, repair, outcome, cost, value, seconds)
        self._split["selection"] += time.perf_counter() - began
        self.iteration += 1
        if outcome != REJECTED:
            self.current, self.value = candidate, value
        if outcome == BEST:
            self.best, self.best_value, self.best_iteration = candidate, value, self.iteration
            self._history.append((self.iteration, self.seconds(), value))
        self._objectives.append(self.value)
        self._counts[0][self._destroy[destroy][0]][outcome] += 1
        self._counts[1][self._repair[repair][0]][outcome] += 1
        self._pairs[destroy, repair] += 1
