"""The two-phase stepper: outcomes, copies and counts, on a solution that is checked by hand."""

import numpy as np
import pytest

from core import oracle
from dacalns.core import selection, stepper
from dacalns.core.acceptance import SIGNATURE
from dacalns.core.jit import address, kernel, pluggable
from dacalns.core.model import USED
from dacalns.core.rng import seeded
from dacalns.core.routes import add_to_journal, fingerprint, touch
from dacalns.core.stepper import (
    COUNTER,
    EVENT,
    TRIAL,
    VALUE,
    accept_step,
    first_visit,
    new_progress,
)
from dacalns.core.terms import objective
from dacalns.instances import Instance
from dacalns.search.acceptance import HillClimbing
from dacalns.search.start import problem_of
from dacalns.search.stepper import PointerCalls, Stepper

LINE = Instance(name="line", coordinates=[[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]], demands=[0, 1, 1, 1, 1], capacity=4)  # type: ignore[arg-type]
GOOD, FAIR, POOR = [[1, 2, 3, 4]], [[1, 2], [3, 4]], [[1], [2], [3], [4]]  # 8, 12 and 20 long


@kernel
def always(memory, fraction, candidate, current, best, rng):  # type: ignore[no-untyped-def]
    return True


@kernel
def never(memory, fraction, candidate, current, best, rng):  # type: ignore[no-untyped-def]
    return False


class Bench:
    """A current solution with a best one, and candidates put before the criterion."""

    def __init__(self, current: list[list[int]], best: list[list[int]]) -> None:
        self.problem = problem_of(LINE)
        self.current = oracle.solution_of(self.problem, current)
        self.best = oracle.solution_of(self.problem, best)
        self.progress = new_progress(2, 3)
        self.progress.values[VALUE.current] = objective(self.problem, self.current)
        self.progress.values[VALUE.best] = objective(self.problem, self.best)
        self.progress.values[stepper.VALUE.tolerance] = stepper.RELATIVE_TOLERANCE * 10
        for solution in (self.best, self.current):
            key = fingerprint(self.problem, solution)
            first_visit(self.progress.visited, key)
        self.progress.visited[stepper.CURRENT_KEY] = key
        add_to_journal(self.best, self.current)  # no two routes of theirs are known to be equal

    def put(self, routes: list[list[int]], criterion: object, destroy: int = 1, repair: int = 2) -> int:
        candidate = oracle.solution_of(self.problem, routes)
        for route in range(self.current.counts[USED]):
            touch(candidate, route)
        trial, values = self.progress.trial, self.progress.values
        trial[[TRIAL.destroy, TRIAL.repair]] = destroy, repair
        trial[[TRIAL.before, TRIAL.best]] = values[VALUE.current], values[VALUE.best]
        trial[TRIAL.after] = objective(self.problem, candidate)
        accept = address(pluggable(criterion, SIGNATURE))
        with PointerCalls():
            outcome = accept_step(
                self.problem, self.current, candidate, self.best, self.progress, accept, np.zeros(1), seeded(0)
            )
        assert trial[TRIAL.outcome] == outcome
        return int(outcome)


def test_new_best_is_kept_whatever_the_criterion_says() -> None:
    bench = Bench(current=POOR, best=FAIR)
    assert bench.put(GOOD, never) == selection.OUTCOME.new_best
    assert oracle.routes_in(bench.best) == oracle.routes_in(bench.current) == GOOD
    assert bench.progress.values[[VALUE.current, VALUE.best]].tolist() == [8, 8]
    assert bench.progress.counters[[COUNTER.iteration, COUNTER.best_iteration, COUNTER.events]].tolist() == [1, 1, 1]
    assert bench.progress.history[0, [0, 2]].tolist() == [1, 8]
    assert bench.progress.history[0, EVENT.value] == bench.progress.values[VALUE.best]


def test_better_than_current() -> None:
    bench = Bench(current=POOR, best=GOOD)
    assert bench.put(FAIR, always) == selection.OUTCOME.better
    assert oracle.routes_in(bench.current) == FAIR
    assert oracle.routes_in(bench.best) == GOOD
    assert bench.progress.values[[VALUE.current, VALUE.best]].tolist() == [12, 8]
    assert bench.progress.counters[[COUNTER.iteration, COUNTER.best_iteration, COUNTER.events]].tolist() == [1, 0, 0]


def test_worse_but_accepted() -> None:
    bench = Bench(current=GOOD, best=GOOD)
    assert bench.put(FAIR, always) == selection.OUTCOME.accepted
    assert oracle.routes_in(bench.current) == FAIR


def test_rejected() -> None:
    bench = Bench(current=FAIR, best=GOOD)
    assert bench.put(POOR, never) == selection.OUTCOME.nothing_new
    assert oracle.routes_in(bench.current) == FAIR
    assert bench.progress.values[VALUE.current] == 12


def test_what_was_accepted_before_earns_nothing() -> None:
    bench = Bench(current=FAIR, best=GOOD)
    assert bench.put(POOR, always) == selection.OUTCOME.accepted
    # Back again, the routes turned around: accepted, but no news.
    assert bench.put([[4, 3], [2, 1]], always) == selection.OUTCOME.nothing_new
    assert oracle.routes_in(bench.current) == [[4, 3], [2, 1]]
    assert bench.progress.accepted[1, 2] == 2


def test_what_was_rejected_before_is_still_new() -> None:
    bench = Bench(current=FAIR, best=GOOD)
    assert bench.put(POOR, never) == selection.OUTCOME.nothing_new
    assert bench.put(POOR, always) == selection.OUTCOME.accepted


def test_equal_up_to_rounding_errors_is_no_new_best() -> None:
    bench = Bench(current=GOOD, best=GOOD)
    bench.progress.values[VALUE.best] += bench.progress.values[stepper.VALUE.tolerance] / 2
    assert bench.put([[4, 3, 2, 1]], always) != selection.OUTCOME.new_best


def test_counts_by_pair_and_outcome() -> None:
    bench = Bench(current=POOR, best=POOR)
    bench.put(FAIR, always, destroy=0, repair=1)
    bench.put(GOOD, always, destroy=1, repair=0)
    bench.put(POOR, never, destroy=1, repair=0)
    outcomes = bench.progress.outcomes
    assert outcomes.sum() == 3
    assert outcomes[0, 1, selection.OUTCOME.new_best] == outcomes[1, 0, selection.OUTCOME.new_best] == 1
    assert outcomes[1, 0, selection.OUTCOME.nothing_new] == 1
    assert bench.progress.accepted.tolist() == [[0, 1, 0], [1, 0, 0]]


def test_destroy_works_on_a_copy_and_at_the_scale_drawn() -> None:
    moved = Stepper(LINE, "paper", HillClimbing(), seed=3, start=FAIR)
    moved.scales[:] = 2, 3
    seen = set()
    for _ in range(12):
        moved.destroy(0)
        assert oracle.routes_in(moved.current) == FAIR
        oracle.require_consistent(moved.problem, moved.candidate)
        seen.add(len(oracle.bank_of(moved.candidate)))
        assert moved.progress.trial[selection.TRIAL.destroyed] == sum(moved.candidate.length)
    assert seen == {2, 3}
    assert moved.progress.removed[0] == pytest.approx(12 * 2.5, abs=6)


def test_repair_reports_the_objective() -> None:
    moved = Stepper(LINE, seed=3, start=FAIR)
    moved.destroy(1)
    moved.repair(1)
    oracle.require_consistent(moved.problem, moved.candidate)
    trial = moved.progress.trial
    assert trial[TRIAL.after] == objective(moved.problem, moved.candidate)
    assert (trial[TRIAL.before], trial[TRIAL.best]) == (12, 12)
    assert (trial[selection.TRIAL.destroy], trial[selection.TRIAL.repair]) == (1, 1)


def test_visited_table_forgets_only_by_collision() -> None:
    problem = problem_of(LINE)
    visited = new_progress(1, 1).visited
    one, other = (oracle.solution_of(problem, routes) for routes in (GOOD, FAIR))
    assert first_visit(visited, fingerprint(problem, one))
    assert first_visit(visited, fingerprint(problem, other))
    assert not first_visit(visited, fingerprint(problem, one))
    visited[:] = 1
    assert first_visit(visited, fingerprint(problem, one))
