"""One run: drive the compiled loop in short stretches, listen for signals in between, and make the result."""

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from dacalns.core import loop
from dacalns.core import selection as selection_kernels
from dacalns.core import stepper as steps
from dacalns.core.clock import nanoseconds
from dacalns.core.distances import MATRIX, RICH, form_of, told_apart
from dacalns.core.jit import address
from dacalns.core.model import Solution, empty_solution, is_solution, overwrite
from dacalns.core.stopping import TOKEN, used_fraction
from dacalns.instances import Instance, require_feasible
from dacalns.search.acceptance import AcceptanceCriterion, PythonAcceptance, compiled_acceptance
from dacalns.search.checker import check, route_plans, second_look, without_noise
from dacalns.search.policy_view import Explanation
from dacalns.search.portfolio import Portfolio
from dacalns.search.python_selector import PythonSelector, adapted
from dacalns.search.reasons import reasons_of
from dacalns.search.result import NewBest, OperatorUse, Result, TimeSplit, platform_facts
from dacalns.search.selector import CompiledSelector, Selector
from dacalns.search.signals import CALL_LIMIT, Call, Interrupt, Supervisor
from dacalns.search.solved import Solved
from dacalns.search.start import Routes, Start, answer_of, is_large, load_construction
from dacalns.search.stepper import PointerCalls, Stepper, compiled_check
from dacalns.search.stopping import DISTANCE, StoppingCriterion, StopWhen, in_another_search
from dacalns.search.user_code import (
    STOPPING,
    MisuseError,
    StopSearch,
    called,
    compiled_for_loop,
    corrupted,
    idle_operators,
    iteration_of,
    place_of,
    raised,
)
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.values import gap_percent
from dacalns.version import __version__

# Long enough that coming back to Python costs nothing, short enough that Ctrl-C feels immediate.
STRETCH = 50_000_000
# An iteration that no search reaches.
NEVER = 1 << 62
# What `Result.stopped_by` says of a search that an operator, selector or criterion of the user's has ended.
USER_CODE = "user code"


CALLBACK = "callback"
"""What `Result.stopped_by` says of a search that code of the user's has ended by raising `StopSearch`."""


@dataclass(frozen=True)
class Snapshot:
    """The state of a running search; with several jobs, iterations and uses are sums over them."""

    iteration: int
    seconds: float
    fraction: float
    cost: float  #: of the best solution
    unserved: int
    gap_percent: float | None
    destroy_uses: dict[str, int]
    repair_uses: dict[str, int]
    vehicles: int
    current: float = math.nan  #: the cost of the current solution


class Listeners:
    """The user's callbacks in one run, which may end it.

    Parameters
    ----------
    on_best, on_progress
        What is called with each new best, and with where the search stands.
    interrupt
        What is to be requested when one of them ends the search; may be left out.
    """

    def __init__(
        self,
        on_best: Callable[[NewBest], None] | None,
        on_progress: Callable[[Snapshot], None] | None,
        interrupt: Interrupt | None = None,
    ) -> None:
        self._on_best, self._on_progress, self._interrupt = on_best, on_progress, interrupt
        self.stopped = False  #: whether one of them has raised `StopSearch`; nothing is called from then on

    def best(self, event: NewBest) -> None:
        """Tell of a new best."""
        self._call("on_best", self._on_best, event)

    def progress(self, snapshot: Snapshot) -> None:
        """Tell where the search stands."""
        self._call("on_progress", self._on_progress, snapshot)

    def _call(self, name: str, listener: Callable[[Any], None] | None, told: NewBest | Snapshot) -> None:
        if listener is None or self.stopped:
            return
        try:
            listener(told)
        except StopSearch:
            self.stopped = True
            if self._interrupt is not None:
                self._interrupt.requested = True
        except Exception as error:
            error.add_note(f"{name} {called(listener)!r} raised this in iteration {told.iteration} of a search.")
            raise


class Search:
    """One run of the compiled loop.

    Building it finds the start solution, which the clock counts; :meth:`run` searches. Whoever drives several at once
    calls :meth:`begin`, then :meth:`advance` again and again, then :meth:`result`. Where code that is not ours fails,
    :attr:`failure` says how, and the search has ended.

    Nothing given is checked again: `dacalns.solve` has done that. The portfolio has only operators that are fit for the
    instance, see :meth:`Portfolio.for_features`. With ``even_infeasible``, an instance of which it is proven that no
    solution serves everybody is searched for one that serves as many as may be.
    """

    def __init__(
        self,
        instance: Instance,
        portfolio: Portfolio,
        selector: CompiledSelector | PythonSelector,
        acceptance: AcceptanceCriterion,
        stop: StoppingCriterion,
        seed: int,
        start: Routes | Start | Solution | None,
        began: int | None = None,
        call_limit: float = CALL_LIMIT,
        even_infeasible: bool = False,
    ) -> None:
        self.call_limit = call_limit
        if not (is_solution(start) or even_infeasible):
            require_feasible(instance)
        self._began = nanoseconds() if began is None else began
        self.instance, self.acceptance, self.stop, self.seed = instance, acceptance, stop, seed
        self.selector = adapted(selector)
        self.given_start = start is not None
        self.stepper = Stepper.of(instance, portfolio, acceptance, seed, start)
        self.stepper.names = dataclasses.replace(self.stepper.names, selector=self.selector.name)
        self.foreign = self.stepper.foreign or self.selector.foreign
        self.failure: str | None = None
        self.left = False  #: whether it has ended because a call did not return
        self.stopped = False  #: whether code of the user's has ended it, as it wanted to
        self._remarks: list[str] = []
        self._selector_kernels = _compiled_selector(self.selector, form_of(self.stepper.problem))
        self._selector_run = self.selector.begin(self.stepper, seed)
        self.selector_memory = self._selector_run.memory
        program = stop.tokens(instance.scale)
        self._stop_kinds = np.array([kind for kind, _ in program], dtype=np.int64)
        self._stop_values = np.array([value for _, value in program], dtype=np.float64)
        self._stop_stack = np.zeros(len(program))
        waiting = [k for k, token in enumerate(program) if token == (TOKEN.patience, StopWhen.GO_ON)]
        self._asked = list(zip(waiting, stop.asked, strict=True))  # where in the program they stand
        self._was_asked = False
        self.foreign |= bool(self._asked)
        self.stepper.names = dataclasses.replace(self.stepper.names, stops=[one.name for one in stop.asked])
        self._history: list[NewBest] = []
        self._found: list[NewBest] = []
        self._start_cost = self.stepper.best_cost

    def beside(self, seed: int) -> "Search":
        """Return another search from the same start and on the same clock, with a seed of its own."""
        criterion = self.acceptance
        twin = Search(
            self.instance, self.stepper.portfolio.in_another_search(), self.selector.for_another_search(),
            criterion.in_another_search() if isinstance(criterion, PythonAcceptance) else criterion,
            in_another_search(self.stop), seed, self.stepper.current, self._began, self.call_limit,
        )  # fmt: skip
        twin.given_start = self.given_start
        return twin

    def run(
        self,
        on_best: Callable[[NewBest], None] | None = None,
        on_progress: Callable[[Snapshot], None] | None = None,
        compile_seconds: float = 0.0,
    ) -> Result:
        """Search until the stopping criterion is met or a signal asks to stop, and return the best found."""
        listeners = Listeners(on_best, on_progress)
        self._note_event(self.begin(), listeners)
        listening = on_best is not None
        stopped_by = "criterion"
        state = loop.ENDING.paused
        with Interrupt() as interrupt, Supervisor([self], interrupt, self.call_limit) as supervisor:
            while state == loop.ENDING.paused and not listeners.stopped:
                [state] = supervisor.do([partial(self._stretch, listening)])
                for event in self._new_bests(listening):
                    self._note_event(event, listeners)
                if self.failure is not None:
                    stopped_by = USER_CODE
                    break
                if not self.stopped and on_progress is not None:
                    listeners.progress(self.snapshot())
                if interrupt.requested and state != loop.ENDING.finished:
                    stopped_by = "interrupt"
                    break
        stopped_by = CALLBACK if listeners.stopped or self.stopped else stopped_by
        return self.result(self.seconds, stopped_by, compile_seconds)

    def begin(self) -> NewBest:
        """Start the clock, tell the selector, and return the start solution."""
        self.stepper.progress.counters[steps.COUNTER.started] = self._began
        seconds, value = self.seconds, float(self.stepper.progress.values[steps.VALUE.best])
        self._selector_run.start(self.seed)
        routes, types = answer_of(self.instance, self.stepper.best)
        return NewBest(
            0, seconds, self._start_cost, self.stepper.missing, routes=routes, vehicle_types=types, value=value
        )

    def advance(self, pause_after: int, pause_iteration: int, listening: bool) -> tuple[bool, list[NewBest]]:
        """Search for so many nanoseconds or up to an iteration; return whether it has finished, and its new bests.

        It may be called in any thread, by one at a time.
        """
        pause_at = nanoseconds() + pause_after
        while True:
            state = self._stretch(listening, pause_after, pause_iteration)
            self._found += self._new_bests(listening)
            pause_after = pause_at - nanoseconds()
            if state != loop.ENDING.paused or self.iteration >= pause_iteration or pause_after <= 0:
                found, self._found = self._found, []
                return state != loop.ENDING.paused, found

    def go_on(self, pause_after: int, pause_iteration: int) -> None:
        """As :meth:`advance`, but raise an `InputError` if code of the user's fails or does not return."""
        with Supervisor([self], Interrupt(), self.call_limit) as supervisor:
            supervisor.do([partial(self.advance, pause_after, pause_iteration, False)])
        if self.failure is not None:
            raise InputError(self.failure)
        if self.stopped:
            raise InputError("code of yours raised StopSearch in a training; expected that of a search; leave it out.")

    def found_until_left(self, listening: bool) -> list[NewBest]:
        """The new bests that :meth:`advance` would have returned, had it returned."""
        return [*self._found, *self._new_bests(listening)]

    def call_in_hand(self) -> Call | None:
        """What the loop is calling: the iteration, the kind and the number; None if nothing."""
        iteration, called, which = self.stepper.progress.counters[
            [steps.COUNTER.iteration, steps.COUNTER.called, steps.COUNTER.which]
        ].tolist()
        return None if called == steps.CALL.nobody else (iteration, called, which)

    def is_over(self) -> bool:
        """Return True if the budget is used up by now."""
        counters, values = self.stepper.progress.counters, self.stepper.progress.values
        best = values[steps.VALUE.best] if self.stepper.missing == 0 else np.inf
        plain = getattr(used_fraction, "py_func", used_fraction)  # too seldom to be worth compiling once more
        stalled = int(counters[steps.COUNTER.iteration] - counters[steps.COUNTER.best_iteration])
        return bool(
            plain(
                self._stop_kinds, self._stop_values, np.zeros(len(self._stop_kinds)), self.iteration, self.seconds,
                stalled, float(values[steps.VALUE.start]), float(best),
            )
            >= 1
        )  # fmt: skip

    def request_stop(self) -> None:
        """Let the loop pause before the next iteration, whatever it was told."""
        self.stepper.progress.counters[steps.COUNTER.stop] = 1

    def leave(self, call: Call, since: str, *, at_fault: bool) -> bool:
        """Go without the answer of a call that does not come, unless it has come in the meantime.

        The thread that waits for it has the arrays, and may write to them some day. So the search goes on with copies.
        """
        stepper = self.stepper
        best = empty_solution(stepper.problem)
        overwrite(best, stepper.best)
        progress = steps.Progress(*(array.copy() for array in stepper.progress))
        if self.call_in_hand() != call:
            return False
        self.request_stop()
        stepper.best, stepper.progress = best, progress
        sentence = (
            f"{stepper.names.of(progress.counters)} had not returned {since} in iteration "
            f"{iteration_of(progress.counters)}; look for a loop that cannot end."
        )
        self.left = True
        if at_fault:
            self.failure = sentence
        else:
            self._remarks.append(sentence)
        return True

    def move_to_best_of(self, other: "Search") -> None:
        """Go on from the best solution of another search on the same instance."""
        self.stepper.move_to_best_of(other.stepper)
        self.selector.moved(self.selector_memory)

    @property
    def seconds(self) -> float:
        """The seconds since the search began."""
        return 1e-9 * float(nanoseconds() - self._began)

    @property
    def iteration(self) -> int:
        """Iterations done so far."""
        return int(self.stepper.progress.counters[steps.COUNTER.iteration])

    def load_kernels(self) -> None:
        """Compile the loop, or load it from the cache, without an iteration."""
        self._stretch(False)

    def _stretch(self, pause_on_best: bool, pause_after: int = STRETCH, pause_iteration: int = NEVER) -> int:
        """Search for a while, in any thread; return the state of the loop, and note what goes wrong.

        Where a stopping criterion is plain Python, the loop pauses to ask it.
        """
        if not self._asked:
            return self._run_loop(pause_on_best, pause_after, pause_iteration)
        counters, pause_at = self.stepper.progress.counters, nanoseconds() + pause_after
        if not self._was_asked:  # before the first iteration, too
            self._was_asked = True
            self._ask()
            if self.failure is not None:
                return loop.ENDING.broken
        while True:
            ask_at = min((self.iteration // one.every + 1) * one.every for _, one in self._asked)
            state = self._run_loop(pause_on_best, pause_at - nanoseconds(), min(pause_iteration, ask_at))
            if state != loop.ENDING.paused:
                return state
            if self.iteration == ask_at:
                self._ask()
            over = nanoseconds() >= pause_at or self.iteration >= pause_iteration or self.failure is not None
            if over or counters[steps.COUNTER.stop] or counters[steps.COUNTER.events]:
                return state if self.failure is None else loop.ENDING.broken

    def _ask(self) -> None:
        """Ask the stopping criteria in plain Python whose turn it is."""
        progress = self.stepper.progress
        counters = progress.counters
        for which, (place, one) in enumerate(self._asked):
            if self.iteration % one.every:
                continue
            counters[steps.COUNTER.which], counters[steps.COUNTER.called] = which, STOPPING
            error: BaseException | None = None
            try:
                answer = one.function(self.snapshot())
                if not isinstance(answer, bool | np.bool_ | None):
                    error = MisuseError(f"returned {shown(answer, 40)}", "True to stop, else False or None")
                elif answer:
                    self._stop_values[place] = StopWhen.STOP
            except BaseException as raised_now:
                error = raised_now
            if error is not None and self.stepper.progress is progress:
                self._note_error(error, counters.copy())
            counters[steps.COUNTER.called] = steps.CALL.nobody

    def share_stops(self, others: "Sequence[Search]") -> None:
        """Let all searches side by side know which stopping criteria in plain Python have been met in one of them."""
        for place, _ in self._asked:
            if any(other._stop_values[place] == StopWhen.STOP for other in others):
                for other in others:
                    other._stop_values[place] = StopWhen.STOP

    def _run_loop(self, pause_on_best: bool, pause_after: int, pause_iteration: int) -> int:
        stepper, state = self.stepper, loop.ENDING.broken
        progress = stepper.progress
        counters = progress.counters
        with PointerCalls(counters) as calls:
            try:
                state = int(
                    loop.run(
                        stepper.problem, stepper.current, stepper.candidate, stepper.best, progress,
                        stepper.destroy_operators, stepper.scales, stepper.repair_operators,
                        *self._selector_kernels, self.selector_memory, stepper.accept_kernel, stepper.accept_memory,
                        self._stop_kinds, self._stop_values, self._stop_stack, stepper.rng, pause_after,
                        pause_iteration, pause_on_best,
                    )
                )  # fmt: skip
            except Exception as error:  # it comes through where nothing is compiled
                if not place_of(error):
                    raise
                calls.error, calls.raised_at = error, counters
        if stepper.progress is progress:  # else nobody waits for this any more
            self._note_failure(state, calls)
        return state if self.failure is None and not self.stopped else loop.ENDING.broken

    def _note_failure(self, state: int, calls: PointerCalls) -> None:
        names, progress = self.stepper.names, self.stepper.progress
        chosen_badly = self._selector_run.failure
        if chosen_badly is not None and not isinstance(chosen_badly, InputError):
            raise chosen_badly
        if calls.error is not None:
            self._note_error(calls.error, calls.raised_at)
        elif chosen_badly is not None and isinstance(chosen_badly.__cause__, StopSearch):
            self.stopped = True
        elif chosen_badly is not None:
            self.failure = str(chosen_badly)
        elif state == loop.ENDING.no_such_operator:
            self.failure = names.of_choice(progress.counters)
        elif state == loop.ENDING.broken:
            self.failure = corrupted(names.of(progress.counters), iteration_of(progress.counters), progress.flaw)

    def _note_error(self, error: BaseException, counters: npt.NDArray[np.int64]) -> None:
        """Note what code of the user's has raised: that ends the search."""
        if isinstance(error, StopSearch):
            self.stopped = True
            self.request_stop()
        elif isinstance(error, KeyboardInterrupt | SystemExit):
            raise error
        else:
            self.failure = raised(self.stepper.names.of(counters), error, iteration_of(counters))

    def _new_bests(self, with_routes: bool) -> list[NewBest]:
        """What the loop has noted since it was asked last; with routes, it must have paused at each."""
        progress = self.stepper.progress
        noted = progress.history[: progress.counters[steps.COUNTER.events]].tolist()
        progress.counters[steps.COUNTER.events] = 0
        routes, types = answer_of(self.instance, self.stepper.best) if noted and with_routes else ([], [])
        return [
            NewBest(
                int(iteration),
                seconds,
                without_noise(length / self.instance.scale),
                int(unserved),
                routes=routes,
                vehicle_types=types,
                value=value,
            )
            for iteration, seconds, length, unserved, value in noted
        ]

    def _note_event(self, event: NewBest, listeners: "Listeners") -> None:
        self._history.append(event.for_history())
        listeners.best(event)

    def snapshot(self) -> Snapshot:
        """Return the state of the search."""
        stepper, progress = self.stepper, self.stepper.progress
        uses = progress.outcomes.sum(axis=2)
        destroy = [operator.name for operator in stepper.portfolio.destroy]
        repair = [operator.name for operator in stepper.portfolio.repair]
        unserved = stepper.missing
        return Snapshot(
            iteration=self.iteration,
            seconds=self.seconds,
            fraction=float(progress.values[steps.VALUE.fraction]),
            cost=stepper.best_cost,
            unserved=unserved,
            gap_percent=None if unserved else gap_to_best_known(stepper.best_cost, self.instance.best_known),
            destroy_uses=dict(zip(destroy, uses.sum(axis=1).tolist(), strict=True)),
            repair_uses=dict(zip(repair, uses.sum(axis=0).tolist(), strict=True)),
            vehicles=stepper.vehicles,
            current=stepper.current_cost,
        )

    def result(self, seconds: float, stopped_by: str, compile_seconds: float, *, checked: bool = True) -> Result:
        """Return the best solution, and how it was found.

        The independent checker looks at the solution, unless ``checked`` is False: for a search beside the one whose
        solution is the answer.
        """
        stepper, progress, instance = self.stepper, self.stepper.progress, self.instance
        unserved = stepper.unserved
        routes, types = answer_of(instance, stepper.best)
        cost, kept, warnings = without_noise(stepper.best_cost), True, list[str]()
        if checked:
            cost, kept, warnings = second_look(instance, routes, stepper.best_cost, types)
        detail = {} if instance.is_plain else in_detail(instance, routes, types)
        explanation, unexplained = self._explanation()
        iterations = self.iteration
        operator_seconds = float(progress.destroy_time.sum() + progress.repair_time.sum()) * 1e-9
        selection_seconds = float(progress.selection_time[0]) * 1e-9
        return Result(
            instance=instance.name,
            problem=instance.problem,
            customers=instance.customers,
            cost=cost,
            feasible=kept and not unserved,
            routes=routes,
            vehicle_types=types,
            unserved=unserved,
            reasons=reasons_of(instance, routes, types, unserved, detail.get("left_out", [])),
            solved=Solved(instance),
            **detail,
            best_known=instance.best_known,
            best_known_origin=instance.best_known_origin,
            gap_percent=None if unserved else gap_to_best_known(cost, instance.best_known),
            seed=self.seed,
            selector=self.selector.name,
            portfolio=stepper.portfolio.name,
            iterations=iterations,
            seconds=seconds,
            iterations_per_second=iterations / seconds if seconds > 0 else 0.0,
            compile_seconds=compile_seconds,
            stopped_by=stopped_by,
            start_cost=without_noise(self._start_cost),
            rounding=instance.rounding,
            fleet=instance.fleet,
            history=self._history,
            operators=_operator_use(stepper),
            time=TimeSplit(
                operators=operator_seconds,
                selection=selection_seconds,
                bookkeeping=max(0.0, seconds - operator_seconds - selection_seconds),
                **self.selector.seconds(self.selector_memory),
            ),
            explanation=explanation,
            settings={
                "objective": {"name": DISTANCE},
                "selector": described(self.selector.origin),
                "acceptance": described(self.acceptance),
                "stop": described(self.stop),
                "portfolio": {
                    "destroy": [
                        {"name": operator.name, **vars(operator.scale)} for operator in stepper.portfolio.destroy
                    ],
                    "repair": [operator.name for operator in stepper.portfolio.repair],
                },
                "start": "given" if self.given_start else _construction(instance, stepper.portfolio),
                "platform": platform_facts(),
            },
            version=__version__,
            warnings=[
                *([] if self.failure is None else [self.failure]),
                *self._remarks,
                *warnings,
                *unexplained,
                *idle_operators(stepper.names, progress),
            ],
        )

    def _explanation(self) -> tuple[Explanation | None, list[str]]:
        """Return the explanation, or a sentence on why there is none: the answer does not depend on it."""
        try:
            return self.selector.explain(self.selector_memory), []
        except Exception as error:
            reason = f"{type(error).__name__}: {' '.join(str(error).split()).rstrip('.'):.120}"
            return None, [
                f"selector {self.selector.name!r} cannot be explained ({reason}); "
                "where its numbers are not finite, learning has diverged: lower its rate."
            ]


def compile_parts(
    portfolio: Portfolio, selector: Selector, acceptance: AcceptanceCriterion, form: str = MATRIX
) -> None:
    """Compile what the user chose, or load it from the cache, so that the clock of a search need not count it.

    Operators are compiled for problems of one form: with a distance matrix, without, or rich. Selectors are compiled
    for plain or rich ones.
    """
    for operator in (*portfolio.destroy, *portfolio.repair):
        operator.compiled(form)
    compiled_check(portfolio, form)
    _compiled_selector(selector, form)
    selector.load_kernels()
    compiled_acceptance(acceptance)
    if form != RICH:
        load_construction(portfolio.construction)


def _compiled_selector(selector: Selector, form: str) -> tuple[Any, ...]:
    return _compiled_kernels(selector.name, form == RICH, *selector.kernels)


@cache
def _compiled_kernels(name: str, rich: bool, *kernels: Any) -> tuple[Any, ...]:
    signatures = (selection_kernels.SELECT_DESTROY, selection_kernels.SELECT_REPAIR, selection_kernels.UPDATE)
    return tuple(
        address(
            compiled_for_loop(f"selector {name!r}", kernel, signature, told_apart(signature, RICH) if rich else None)
        )
        for kernel, signature in zip(kernels, signatures, strict=True)
    )


def require_user_code_sound(result: Result) -> Result:
    """The result itself, or an `InputError` if code of the user's has ended its search."""
    if result.stopped_by == USER_CODE:
        raise InputError(result.warnings[0])
    return result


# How the sentences begin that `second_look` adds to the warnings of a result.
DOUBTS = ("the search broke a limit", "the solution is beyond a limit", "the routes cost")


def doubts_of(result: Result) -> list[str]:
    """Return what the independent checker had to say against an answer: a limit that it breaks, or its cost."""
    return [sentence for sentence in result.warnings if sentence.startswith(DOUBTS)]


def gap_to_best_known(cost: float, best_known: float | None) -> float | None:
    """Return how far ``cost`` is above ``best_known``, in percent; None where no cost is known."""
    return None if best_known is None else gap_percent(cost, best_known)


def _construction(instance: Instance, portfolio: Portfolio) -> str:
    return "savings" if is_large(instance.customers) else portfolio.construction


def described(thing: Any) -> dict[str, Any]:
    """A settings object as plain data: its type and its fields, nested ones likewise."""

    def plain(value: Any) -> Any:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return described(value)
        if isinstance(value, tuple | list):
            return [plain(entry) for entry in value]
        if isinstance(value, np.ndarray | np.generic):
            return value.tolist()
        if isinstance(value, StopWhen):
            return described(value)
        return value if isinstance(value, str | int | float | None) else repr(value)

    if isinstance(thing, PythonAcceptance | StopWhen):
        return {"type": type(thing).__name__, "name": thing.name}
    entries = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    return {"type": type(thing).__name__, **{entry.name: plain(getattr(thing, entry.name)) for entry in entries}}


def in_detail(instance: Instance, routes: list[list[int]], types: list[int]) -> dict[str, Any]:
    """What a result tells besides of the answer to a rich problem, as the independent checker sees it."""
    verdict = check(instance, routes, types)
    return {
        "cost_parts": verdict.cost_parts,
        "left_out": verdict.left_out,
        "plans": route_plans(instance, routes, types),
    }


def _operator_use(stepper: Stepper) -> OperatorUse:
    progress = stepper.progress
    uses = progress.outcomes.sum(axis=2)
    destroy_uses = np.maximum(uses.sum(axis=1), 1)

    def outcome(which: int) -> list[list[int]]:
        counts: list[list[int]] = progress.outcomes[:, :, which].tolist()
        return counts

    def seconds(nanos: npt.NDArray[np.int64]) -> Any:
        return (nanos * 1e-9).tolist()

    return OperatorUse(
        destroy=[operator.name for operator in stepper.portfolio.destroy],
        repair=[operator.name for operator in stepper.portfolio.repair],
        uses=uses.tolist(),
        seconds=seconds(progress.pair_time),
        new_best=outcome(selection_kernels.OUTCOME.new_best),
        better=outcome(selection_kernels.OUTCOME.better),
        accepted_new=outcome(selection_kernels.OUTCOME.accepted),
        accepted=progress.accepted.tolist(),
        destroy_seconds=seconds(progress.destroy_time),
        repair_seconds=seconds(progress.repair_time),
        mean_removed=(progress.removed / destroy_uses).tolist(),
    )
