"""One run: drive the compiled loop in short stretches, listen for signals in between, and make the result."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dacalns.core import loop
from dacalns.core import selection as selection_kernels
from dacalns.core import stepper as steps
from dacalns.core.clock import nanoseconds
from dacalns.core.model import USED, Solution
from dacalns.core.pointers import address
from dacalns.errors import InputError
from dacalns.instances import Instance, require_feasible
from dacalns.instances.whole_number import whole_number
from dacalns.search.acceptance import AcceptanceCriterion, compiled_acceptance
from dacalns.search.callbacks import KERNELS, Callbacks, is_compiled, require_methods, selector_name
from dacalns.search.compiling import compiled_for_loop
from dacalns.search.interrupt import Interrupt
from dacalns.search.objective import DISTANCE
from dacalns.search.platform_facts import platform_facts
from dacalns.search.pointer_calls import PointerCalls
from dacalns.search.portfolio import Portfolio
from dacalns.search.python_selector import PythonSelector
from dacalns.search.result import Improvement, OperatorUse, Result, TimeSplit
from dacalns.search.second_look import second_look, without_noise
from dacalns.search.selector import CompiledSelector
from dacalns.search.start import Routes, is_large, load_construction, routes_of
from dacalns.search.stepper import Stepper
from dacalns.search.stopping import StoppingCriterion
from dacalns.version import __version__

# Long enough that coming back to Python costs nothing, short enough that Ctrl-C feels immediate.
STRETCH = 50_000_000
# An iteration that no search reaches.
NEVER = 1 << 62


@dataclass(frozen=True)
class Snapshot:
    """Where a running search stands; with several jobs, iterations and uses are sums over them."""

    iteration: int
    seconds: float
    fraction: float
    cost: float
    unserved: int
    gap_percent: float | None
    destroy_uses: dict[str, int]
    repair_uses: dict[str, int]
    vehicles: int


@dataclass(frozen=True)
class NewBest:
    """A new best solution, as callbacks get it."""

    iteration: int
    seconds: float
    cost: float
    unserved: int
    routes: list[list[int]]

    @classmethod
    def of(cls, event: Improvement, routes: list[list[int]]) -> "NewBest":
        """The solution of an event."""
        return cls(event.iteration, event.seconds, event.cost, event.unserved, routes)


class Found(NamedTuple):
    """A new best solution of one search, as others compare it with theirs."""

    value: float  #: what the search minimises, in scaled units
    event: Improvement
    routes: list[list[int]]  #: empty if nobody wants to know


class Search:
    """One run of the compiled loop.

    Building it finds the start solution, which the clock counts; :meth:`run` searches. Whoever drives several at once
    calls :meth:`begin`, then :meth:`advance` again and again, then :meth:`result`.
    """

    def __init__(
        self,
        instance: Instance,
        portfolio: Portfolio,
        selector: CompiledSelector | PythonSelector,
        acceptance: AcceptanceCriterion,
        stop: StoppingCriterion,
        seed: int,
        start: Routes | Solution | None,
        began: int | None = None,
    ) -> None:
        if not isinstance(start, Solution):
            require_feasible(instance)
        self._began = nanoseconds() if began is None else began
        self.instance, self.selector, self.acceptance, self.stop = instance, selector, acceptance, stop
        self.seed = whole_number("seed", seed, minimum=0)
        self.given_start = start is not None
        self.stepper = Stepper(instance, portfolio, acceptance, seed, start)
        self._selector_kernels = _compiled_selector(selector)
        operators = self.stepper.portfolio
        self._callbacks: Callbacks | None = None
        if is_compiled(selector):
            self.selector_memory = memory_of(selector, instance, operators, self.seed)
        else:
            self._callbacks = Callbacks(require_methods(selector), self.stepper)
            self.selector_memory = self._callbacks.memory()
        program = stop.tokens(instance.scale)
        self._stop_kinds = np.array([kind for kind, _ in program], dtype=np.int64)
        self._stop_values = np.array([value for _, value in program], dtype=np.float64)
        self._stop_stack = np.zeros(len(program))
        self._history: list[Improvement] = []
        self._start_cost = self.stepper.best_cost

    def beside(self, selector: CompiledSelector | PythonSelector, seed: int) -> "Search":
        """Another search from the same start and on the same clock, with a seed of its own."""
        twin = Search(
            self.instance, self.stepper.portfolio, selector, self.acceptance, self.stop, seed, self.stepper.current,
            self._began,
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
        self._note_event(self.begin().event, on_best)
        stopped_by = "criterion"
        state = loop.PAUSED
        with Interrupt() as interrupt, PointerCalls() as calls:
            while state == loop.PAUSED:
                state = self._stretch(on_best is not None)
                calls.raise_first()
                for found in self._new_bests(on_best is not None):
                    self._note_event(found.event, on_best)
                self._require_choices(state)
                if on_progress is not None:
                    on_progress(self.snapshot())
                if interrupt.requested and state == loop.PAUSED:
                    stopped_by = "interrupt"
                    break
        return self.result(self.seconds, stopped_by, compile_seconds)

    def begin(self) -> Found:
        """Start the clock, tell the selector, and return the start solution."""
        self.stepper.progress.counters[steps.STARTED] = self._began
        event = Improvement(0, self.seconds, self._start_cost, len(self.stepper.unserved))
        if self._callbacks:
            self._callbacks.start(self.seed)
        return Found(float(self.stepper.progress.values[steps.BEST_VALUE]), event, self.stepper.best_routes)

    def advance(self, pause_after: int, pause_iteration: int, listening: bool) -> tuple[bool, list[Found]]:
        """Search for so many nanoseconds or up to an iteration; return whether it has finished, and its new bests.

        It may be called in any thread, by one at a time.
        """
        found: list[Found] = []
        pause_at = nanoseconds() + pause_after
        with PointerCalls() as calls:
            while True:
                state = self._stretch(listening, pause_after, pause_iteration)
                calls.raise_first()
                found += self._new_bests(listening)
                self._require_choices(state)
                pause_after = pause_at - nanoseconds()
                if state == loop.FINISHED or self.iteration >= pause_iteration or pause_after <= 0:
                    return state == loop.FINISHED, found

    def move_to_best_of(self, other: "Search") -> None:
        """Go on from the best solution of another search on the same instance."""
        self.stepper.move_to_best_of(other.stepper)
        if hasattr(self.selector, "moved"):
            self.selector.moved(self.selector_memory)

    @property
    def seconds(self) -> float:
        """What the clock shows."""
        return 1e-9 * float(nanoseconds() - self._began)

    @property
    def iteration(self) -> int:
        """Iterations done so far."""
        return int(self.stepper.progress.counters[steps.ITERATION])

    def load_kernels(self) -> None:
        """Compile the loop, or load it from the cache, without an iteration."""
        with PointerCalls():
            self._stretch(False)

    def _stretch(self, pause_on_best: bool, pause_after: int = STRETCH, pause_iteration: int = NEVER) -> int:
        stepper = self.stepper
        return int(
            loop.run(
                stepper.problem, stepper.current, stepper.candidate, stepper.best, stepper.progress,
                stepper.destroy_operators, stepper.scales, stepper.repair_operators,
                *self._selector_kernels, self.selector_memory, stepper.accept_kernel, stepper.accept_memory,
                self._stop_kinds, self._stop_values, self._stop_stack, stepper.rng, pause_after, pause_iteration,
                pause_on_best,
            )
        )  # fmt: skip

    def _new_bests(self, with_routes: bool) -> list[Found]:
        """What the loop has noted since it was asked last; with routes, it must have paused at each."""
        progress = self.stepper.progress
        noted = progress.history[: progress.counters[steps.EVENTS]].tolist()
        progress.counters[steps.EVENTS] = 0
        routes = self.stepper.best_routes if noted and with_routes else []
        return [
            Found(
                value,
                Improvement(int(iteration), seconds, without_noise(length / self.instance.scale), int(unserved)),
                routes,
            )
            for iteration, seconds, length, unserved, value in noted
        ]

    def _require_choices(self, state: int) -> None:
        """Raise an `InputError` if the selector has failed."""
        if self._callbacks:
            self._callbacks.raise_first()
        if state == loop.NO_SUCH_OPERATOR:
            raise InputError(
                f"selector {selector_name(self.selector)!r} chose an operator that the portfolio does not have."
            )

    def _note_event(self, event: Improvement, on_best: Callable[[NewBest], None] | None) -> None:
        self._history.append(event)
        if on_best is not None:
            on_best(NewBest.of(event, self.stepper.best_routes))

    def snapshot(self) -> Snapshot:
        """Where the search stands now."""
        stepper, progress = self.stepper, self.stepper.progress
        uses = progress.outcomes.sum(axis=2)
        destroy = [operator.name for operator in stepper.portfolio.destroy]
        repair = [operator.name for operator in stepper.portfolio.repair]
        unserved = len(stepper.unserved)
        return Snapshot(
            iteration=self.iteration,
            seconds=self.seconds,
            fraction=float(progress.values[steps.FRACTION]),
            cost=stepper.best_cost,
            unserved=unserved,
            gap_percent=None if unserved else gap_percent(stepper.best_cost, self.instance.best_known),
            destroy_uses=dict(zip(destroy, uses.sum(axis=1).tolist(), strict=True)),
            repair_uses=dict(zip(repair, uses.sum(axis=0).tolist(), strict=True)),
            vehicles=int(stepper.best.counts[USED]),
        )

    def result(self, seconds: float, stopped_by: str, compile_seconds: float) -> Result:
        """The best solution, and how it was found."""
        stepper, progress, instance = self.stepper, self.stepper.progress, self.instance
        unserved = stepper.unserved
        cost = without_noise(stepper.best_cost)
        routes = routes_of(stepper.best)
        kept, warnings = second_look(instance, routes, cost)
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
            unserved=unserved,
            best_known=instance.best_known,
            best_known_origin=instance.best_known_origin,
            gap_percent=None if unserved else gap_percent(cost, instance.best_known),
            seed=self.seed,
            selector=selector_name(self.selector),
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
                **(self.selector.seconds(self.selector_memory) if hasattr(self.selector, "seconds") else {}),
            ),
            explanation=self.selector.explain(self.selector_memory) if hasattr(self.selector, "explain") else None,
            settings={
                "objective": {"name": DISTANCE},
                "selector": described(self.selector),
                "acceptance": described(self.acceptance),
                "stop": described(self.stop),
                "portfolio": {
                    "destroy": [
                        {"name": operator.name, **dataclasses.asdict(operator.scale)}
                        for operator in stepper.portfolio.destroy
                    ],
                    "repair": [operator.name for operator in stepper.portfolio.repair],
                },
                "start": "given" if self.given_start else _construction(instance, stepper.portfolio),
                "platform": platform_facts(),
            },
            version=__version__,
            warnings=warnings,
        )


def compile_parts(
    portfolio: Portfolio,
    selector: CompiledSelector | PythonSelector,
    acceptance: AcceptanceCriterion,
    stored: bool = True,
) -> None:
    """Compile what the user chose, or load it from the cache, so that the clock of a search need not count it.

    Operators are compiled for instances with a distance matrix, or, where ``stored`` is False, for those without.
    """
    for operator in (*portfolio.destroy, *portfolio.repair):
        operator.compiled(stored)
    _compiled_selector(selector)
    if hasattr(selector, "load_kernels"):
        selector.load_kernels()
    compiled_acceptance(acceptance)
    load_construction(portfolio.construction)


def _compiled_selector(selector: CompiledSelector | PythonSelector) -> tuple[Any, ...]:
    kernels = selector.kernels if is_compiled(selector) else KERNELS
    signatures = (selection_kernels.SELECT_DESTROY, selection_kernels.SELECT_REPAIR, selection_kernels.UPDATE)
    return tuple(
        address(compiled_for_loop(f"selector {selector_name(selector)!r}", kernel, signature))
        for kernel, signature in zip(kernels, signatures, strict=True)
    )


def memory_of(
    selector: CompiledSelector, instance: Instance, portfolio: Portfolio, seed: int
) -> selection_kernels.Memory:
    """What the selector starts with on this instance."""
    if hasattr(selector, "memory_for"):
        return selector.memory_for(instance, portfolio, seed)
    return selection_kernels.new_memory(selector.memory(len(portfolio.destroy), len(portfolio.repair)))


def gap_percent(cost: float, best_known: float | None) -> float | None:
    """How much ``cost`` is above ``best_known``, in percent; None where nothing is known."""
    return None if best_known is None else 100 * (cost - best_known) / best_known


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
        return value if isinstance(value, str | int | float | None) else repr(value)

    entries = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    return {"type": type(thing).__name__, **{entry.name: plain(getattr(thing, entry.name)) for entry in entries}}


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
        new_best=outcome(selection_kernels.NEW_BEST),
        better=outcome(selection_kernels.BETTER),
        accepted_new=outcome(selection_kernels.ACCEPTED),
        accepted=progress.accepted.tolist(),
        destroy_seconds=seconds(progress.destroy_time),
        repair_seconds=seconds(progress.repair_time),
        mean_removed=(progress.removed / destroy_uses).tolist(),
    )
