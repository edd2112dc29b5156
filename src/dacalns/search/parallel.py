"""Several searches side by side, one on each core, that exchange what they find."""

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from dacalns.core import stepper as steps
from dacalns.core.stopping import TOKEN, used_fraction
from dacalns.instances import Instance
from dacalns.search.acceptance import AcceptanceCriterion
from dacalns.search.portfolio import Portfolio
from dacalns.search.python_selector import PythonSelector
from dacalns.search.result import NewBest, OperatorUse, Result, TimeSplit
from dacalns.search.run import CALLBACK, NEVER, STRETCH, USER_CODE, Listeners, Search, Snapshot
from dacalns.search.selector import CompiledSelector
from dacalns.search.signals import CALL_LIMIT, Interrupt, Supervisor
from dacalns.search.start import Routes, Start
from dacalns.search.stopping import StoppingCriterion, Token

# What searches side by side tell one another, and when.

# When so much of the budget is used, only this many searches go on as they are: those with the best solutions.
STAGES = ((0.5, 16), (0.6, 8), (0.7, 4), (0.8, 2), (0.9, 1))


class Exchange:
    """The stages of one run: at each, fewer searches survive, and the others go on from the best solutions of these.

    Until then every search is on its own. Searches that meet earlier, or oftener, end in the same place more often than
    what they learn from one another is worth; those that never meet waste the end of all but one.
    """

    def __init__(self, searches: int) -> None:
        self._ahead = [(fraction, survivors) for fraction, survivors in STAGES if survivors < searches]

    def survivors(self, fraction: float) -> int | None:
        """How many searches survive the stage that has come, now that so much of the budget is used; None if none."""
        survivors = None
        while self._ahead and fraction >= self._ahead[0][0]:
            survivors = self._ahead.pop(0)[1]
        return survivors


def exchange(searches: Sequence[Search], survivors: int) -> None:
    """Let all but so many searches go on from the best solutions of these.

    Of searches with equally good ones, the first survives.
    """
    ranked = sorted(searches, key=lambda search: float(search.stepper.progress.values[steps.VALUE.best]))
    for place, search in enumerate(ranked[survivors:]):
        search.move_to_best_of(ranked[place % survivors])


# When searches side by side meet.

# So many meetings in a budget of iterations, at least as many in one of time: each stage of an exchange is at one.
MEETINGS = 20
# A shorter stretch, in nanoseconds, would take as long to begin and to end.
SHORTEST = 1_000_000
# Iterations between meetings times customers, where the best of all searches decides on the end: some 30 milliseconds.
SOON = 200_000


class Meetings:
    """When searches with a stopping program meet, to compare what they have found.

    Iterations decide on it as long as no clock is in the program, so that the same searches meet at the same points
    whatever their pace. Otherwise they meet whenever they come back to Python.

    Parameters
    ----------
    program
        The tokens of the stopping criterion.
    customers
        The number of customers of the instance.
    """

    def __init__(self, program: list[Token], customers: int) -> None:
        kinds = [kind for kind, _ in program]
        limits = [limit for kind, limit in program if kind == TOKEN.iterations]
        seconds = min((limit for kind, limit in program if kind == TOKEN.seconds), default=math.inf)
        self.timed = TOKEN.seconds in kinds  #: whether the clock decides on anything
        #: whether the best solution decides on the end
        self.about_best = any(kind in kinds for kind in (TOKEN.stall, TOKEN.patience, TOKEN.target))
        self._every = max(1, math.ceil(min(limits) / MEETINGS)) if limits else NEVER
        if self.about_best or not limits:
            self._every = min(self._every, max(1, SOON // customers))
        self.stretch = int(min(STRETCH, max(SHORTEST, 1e9 * seconds / MEETINGS)))  #: nanoseconds until all pause
        self.next_iteration = NEVER if self.timed else self._every  #: that all wait for

    def met(self) -> None:
        """Set the next one."""
        if not self.timed:
            self.next_iteration += self._every


# The new bests of several searches side by side, as one history.


class JointHistory:
    """Puts the new bests of several searches in order, and keeps those that were better than all before them.

    Searches run at their own pace, so that one may report a new best that comes before what another has reported. With
    ``in_turns``, they count as if they took turns: iteration after iteration, in the order of their numbers. That does
    not depend on their pace, and the same searches give the same history. Otherwise the clock decides.

    Parameters
    ----------
    start
        The solution that all searches begin with.
    searches
        How many there are.
    tolerance
        By how much a value must be lower to be better.
    in_turns
        Whether iterations decide on the order, or the clock.
    """

    def __init__(self, start: NewBest, searches: int, tolerance: float, in_turns: bool) -> None:
        self.events: list[NewBest] = [start.for_history()]
        self.leader = 0  #: the search that found the best solution
        self.value = start.value  #: its objective, in scaled units
        self.found_at = 0  #: the iteration of that search in which it did
        self._searches, self._tolerance, self._in_turns = searches, tolerance, in_turns
        self._waiting: list[tuple[int, NewBest]] = []

    def add(self, search: int, found: list[NewBest]) -> None:
        """Take what a search has found since it was asked last."""
        self._waiting += [(search, entry) for entry in found]

    def settle(self, reached: float, total: int) -> list[NewBest]:
        """The new bests of all searches that none can precede any more, in order.

        Parameters
        ----------
        reached
            The iteration that every search which has not finished has reached; infinity for all that there is.
        total
            Iterations of all searches so far.
        """
        settled: list[NewBest] = []
        later: list[tuple[int, NewBest]] = []
        for search, found in sorted(self._waiting, key=self._place):
            if self._in_turns and found.iteration > reached:
                later.append((search, found))
            elif found.value < self.value - self._tolerance:
                self.value, self.leader, self.found_at = found.value, search, found.iteration
                settled.append(self._joint(search, found, total))
                self.events.append(settled[-1].for_history())
        self._waiting = later
        return settled

    def _place(self, entry: tuple[int, NewBest]) -> tuple[float, int]:
        search, found = entry
        return (found.iteration if self._in_turns else found.seconds), search

    def _joint(self, search: int, event: NewBest, total: int) -> NewBest:
        """The event with the iterations of all searches, of which none comes before the last one noted."""
        last = self.events[-1]
        turn = (event.iteration - 1) * self._searches + search + 1
        return replace(event, iteration=max(last.iteration, min(turn, total)), seconds=max(last.seconds, event.seconds))


# One result for several searches side by side.


def joint_result(results: Sequence[Result], leader: int, history: list[NewBest]) -> Result:
    """The result of the search that found the best solution, with the effort of all.

    Iterations, the use of operators and the time in the parts of a search are sums; the explanation is the leader's.
    The seed is that of the first search, from which the others have theirs.
    """
    best = results[leader]
    iterations = sum(result.iterations for result in results)
    times = [result.time for result in results]
    return replace(
        best,
        jobs=len(results),
        seed=results[0].seed,
        iterations=iterations,
        iterations_per_second=iterations / best.seconds if best.seconds > 0 else 0.0,
        history=history,
        operators=_joint_use([result.operators for result in results]),
        warnings=list(dict.fromkeys(sentence for result in results for sentence in result.warnings)),
        time=TimeSplit(**{entry.name: _sum(times, entry.name) for entry in fields(TimeSplit)}),
    )


def _joint_use(uses: Sequence[OperatorUse]) -> OperatorUse:
    counts = np.array([use.destroy_uses for use in uses])
    removed = (counts * [use.mean_removed for use in uses]).sum(axis=0)
    summed = [entry.name for entry in fields(OperatorUse) if entry.name not in ("destroy", "repair", "mean_removed")]
    return replace(
        uses[0],
        **{name: _sum(uses, name) for name in summed},
        mean_removed=(removed / np.maximum(counts.sum(axis=0), 1)).tolist(),
    )


def _sum(parts: Sequence[Any], name: str) -> Any:
    return np.sum([getattr(part, name) for part in parts], axis=0).tolist()


# Several searches side by side, one on each core, that exchange what they find.

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
        start: Routes | Start | None,
        jobs: int,
        call_limit: float = CALL_LIMIT,
    ) -> None:
        first = Search(instance, portfolio, selector, acceptance, stop, seed, start, call_limit=call_limit)
        others = [first.beside(chain_seed(first.seed, chain)) for chain in range(1, jobs)]
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
        tolerance = float(first.stepper.progress.values[steps.VALUE.tolerance])
        history = JointHistory(begun[0], len(self.searches), tolerance, in_turns=not self._meetings.timed)

        listeners = Listeners(on_best, on_progress)

        def tell(found: list[NewBest]) -> None:
            for entry in found:
                listeners.best(entry)

        tell(begun[:1])
        stopped_by = "criterion"
        with Interrupt() as interrupt, Supervisor(self.searches, interrupt, first.call_limit) as supervisor:
            while not listeners.stopped:
                for chain, found in enumerate(self._advance(supervisor, on_best is not None)):
                    history.add(chain, found)
                tell(history.settle(self._reached, self._iterations))
                if on_progress is not None:
                    listeners.progress(self.snapshot(history.leader))
                first.share_stops(self.searches)
                if any(search.stopped for search in self.searches):
                    break
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
        if listeners.stopped or any(search.stopped for search in self.searches):
            stopped_by = CALLBACK
        seconds = first.seconds
        results = [
            search.result(seconds, stopped_by, compile_seconds, checked=chain == history.leader)
            for chain, search in enumerate(self.searches)
        ]
        return joint_result(results, history.leader, history.events)

    def snapshot(self, leader: int) -> Snapshot:
        """Return the state of the searches together, with the best solution of the one that leads."""
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

    def _advance(self, supervisor: Supervisor, listening: bool) -> list[list[NewBest]]:
        """Let all searches go on for a while, and return the new bests of each."""
        pauses = self._meetings.stretch, self._meetings.next_iteration, listening
        outcomes = supervisor.do([partial(search.advance, *pauses) for search in self.searches])
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
                counters[steps.COUNTER.best_iteration] = counters[steps.COUNTER.iteration] - stalled
            if self._joint_fraction(history, stalled) >= 1:
                return True
        fraction = min(float(search.stepper.progress.values[steps.VALUE.fraction]) for search in self.searches)
        survivors = self._exchange.survivors(fraction)
        if survivors is not None:
            exchange(self.searches, survivors)
        return False

    def _joint_fraction(self, history: JointHistory, stalled: int) -> float:
        """How much of the budget is used, as far as the best of all searches tells."""
        leader = self.searches[history.leader].stepper
        served = leader.missing == 0  # an unfinished solution meets no target
        kinds, limits = zip(*self._program, strict=True)
        plain = getattr(used_fraction, "py_func", used_fraction)  # too seldom to be worth compiling once more
        return float(
            plain(
                kinds, limits, [0.0] * len(kinds), min(search.iteration for search in self.searches),
                self.searches[0].seconds, stalled, leader.progress.values[steps.VALUE.start],
                history.value if served else math.inf,
            )
        )  # fmt: skip


def chain_seed(seed: int, chain: int) -> int:
    """The seed of a search beside the first one: short enough for every generator that a selector may draw from."""
    return int(np.random.SeedSequence((seed, chain)).generate_state(1)[0])
