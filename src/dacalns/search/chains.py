"""Several searches side by side, one on each core, that exchange what they find."""

import copy
import dataclasses
import math
from collections.abc import Callable
from functools import partial

import numpy as np

from dacalns.core import stepper as steps
from dacalns.core.model import BANKED
from dacalns.core.stopping import used_fraction
from dacalns.errors import InputError
from dacalns.instances import Instance
from dacalns.search.acceptance import AcceptanceCriterion
from dacalns.search.callbacks import is_compiled, selector_name
from dacalns.search.exchange import Exchange, exchange
from dacalns.search.interrupt import Interrupt
from dacalns.search.joint_history import JointHistory
from dacalns.search.joint_result import joint_result
from dacalns.search.meetings import Meetings
from dacalns.search.portfolio import Portfolio
from dacalns.search.python_selector import PythonSelector
from dacalns.search.result import Result
from dacalns.search.run import USER_CODE, Found, NewBest, Search, Snapshot
from dacalns.search.selector import CompiledSelector
from dacalns.search.start import Routes
from dacalns.search.stopping import StoppingCriterion
from dacalns.search.watch import CALL_LIMIT, Watch
from dacalns.shown import shown

# More threads than any machine has cores are a mistake.
MOST_JOBS = 1024


class Chains:
    """Searches from the same start, each with a seed and a selector of its own, in as many threads.

    The compiled loop does not need Python's lock, so that they run at once. The stopping criterion holds for all of
    them together: each has the iterations and the time; the best solution is the best of all.
    """

    def __init__(
        self,
        instance: Instance,
        portfolio: Portfolio,
        selector: CompiledSelector | PythonSelector,
        acceptance: AcceptanceCriterion,
        stop: StoppingCriterion,
        seed: int,
        start: Routes | None,
        jobs: int,
        call_limit: float = CALL_LIMIT,
    ) -> None:
        first = Search(instance, portfolio, selector, acceptance, stop, seed, start, call_limit=call_limit)
        others = [first.beside(_own(selector), chain_seed(first.seed, chain)) for chain in range(1, jobs)]
        self.searches = [first, *others]
        self._program = stop.tokens(instance.scale)
        self._meetings = Meetings(self._program, instance.customers)
        self._exchange = Exchange(jobs)
        self._finished = [False] * jobs

    def run(
        self,
        on_best: Callable[[NewBest], None] | None = None,
        on_progress: Callable[[Snapshot], None] | None = None,
        compile_seconds: float = 0.0,
    ) -> Result:
        """Search until the stopping criterion is met or a signal asks to stop, and return the best found."""
        first = self.searches[0]
        begun = [search.begin() for search in self.searches]
        tolerance = float(first.stepper.progress.values[steps.TOLERANCE])
        history = JointHistory(begun[0], len(self.searches), tolerance, in_turns=not self._meetings.timed)

        def tell(found: list[Found]) -> None:
            for entry in found:
                if on_best is not None:
                    on_best(NewBest.of(entry.event, entry.routes))

        tell(begun[:1])
        stopped_by = "criterion"
        with Interrupt() as interrupt, Watch(self.searches, interrupt, first.call_limit) as watch:
            while True:
                for chain, found in enumerate(self._advance(watch, on_best is not None)):
                    history.add(chain, found)
                tell(history.settle(self._reached, self._iterations))
                if on_progress is not None:
                    on_progress(self.snapshot(history.leader))
                if any(search.failure is not None for search in self.searches):
                    stopped_by = USER_CODE
                    break
                left = any(search.left for search in self.searches) and not interrupt.requested
                if left or all(self._finished) or (self._all_there and self._meet(history)):
                    break
                if interrupt.requested:
                    stopped_by = "interrupt"
                    break
        tell(history.settle(math.inf, self._iterations))
        seconds = first.seconds
        results = [search.result(seconds, stopped_by, compile_seconds) for search in self.searches]
        return joint_result(results, history.leader, history.events)

    def snapshot(self, leader: int) -> Snapshot:
        """Where the searches stand now, with the best solution of the one that leads."""
        each = [search.snapshot() for search in self.searches]

        def total(uses: list[dict[str, int]]) -> dict[str, int]:
            return {name: sum(use[name] for use in uses) for name in uses[0]}

        return dataclasses.replace(
            each[leader],
            iteration=self._iterations,
            fraction=min(snapshot.fraction for snapshot in each),
            destroy_uses=total([snapshot.destroy_uses for snapshot in each]),
            repair_uses=total([snapshot.repair_uses for snapshot in each]),
        )

    def _advance(self, watch: Watch, listening: bool) -> list[list[Found]]:
        """Let all searches go on for a while, and return the new bests of each."""
        pauses = self._meetings.stretch, self._meetings.next_iteration, listening
        outcomes = watch.do([partial(search.advance, *pauses) for search in self.searches])
        self._finished = [outcome is None or outcome[0] for outcome in outcomes]
        return [
            search.found_until_left(listening) if outcome is None else outcome[1]
            for search, outcome in zip(self.searches, outcomes, strict=True)
        ]

    @property
    def _iterations(self) -> int:
        return sum(search.iteration for search in self.searches)

    @property
    def _reached(self) -> float:
        """The iteration that all searches which have not finished have reached."""
        pairs = zip(self.searches, self._finished, strict=True)
        return min((search.iteration for search, finished in pairs if not finished), default=math.inf)

    @property
    def _all_there(self) -> bool:
        return self._meetings.timed or self._reached >= self._meetings.next_iteration

    def _meet(self, history: JointHistory) -> bool:
        """Let the searches exchange what it is time for; return whether the criterion is met for all together."""
        self._meetings.met()
        if self._meetings.about_best:
            stalled = self.searches[history.leader].iteration - history.found_at
            for search in self.searches:
                counters = search.stepper.progress.counters
                counters[steps.BEST_ITERATION] = counters[steps.ITERATION] - stalled
            if self._joint_fraction(history, stalled) >= 1:
                return True
        fraction = min(float(search.stepper.progress.values[steps.FRACTION]) for search in self.searches)
        survivors = self._exchange.survivors(fraction)
        if survivors is not None:
            exchange(self.searches, survivors)
        return False

    def _joint_fraction(self, history: JointHistory, stalled: int) -> float:
        """How much of the budget is used, as far as the best of all searches tells."""
        leader = self.searches[history.leader].stepper
        served = leader.best.counts[BANKED] == 0  # an unfinished solution meets no target
        kinds, limits = zip(*self._program, strict=True)
        plain = getattr(used_fraction, "py_func", used_fraction)  # too seldom to be worth compiling once more
        return float(
            plain(
                kinds, limits, [0.0] * len(kinds), min(search.iteration for search in self.searches),
                self.searches[0].seconds, stalled, leader.progress.values[steps.START_VALUE],
                history.value if served else math.inf,
            )
        )  # fmt: skip


def chain_seed(seed: int, chain: int) -> int:
    """The seed of a search beside the first one: short enough for every generator that a selector may draw from."""
    return int(np.random.SeedSequence((seed, chain)).generate_state(1)[0])


def _own(selector: CompiledSelector | PythonSelector) -> CompiledSelector | PythonSelector:
    """A selector for one more search. A compiled one has all its state in the search; another must be copied."""
    if is_compiled(selector):
        return selector
    try:
        return copy.deepcopy(selector)
    except Exception as error:
        raise InputError(
            f"selector {shown(selector_name(selector))} cannot be copied ({error}); expected one that copy.deepcopy "
            "copies, since each job needs its own; use jobs=1."
        ) from error
