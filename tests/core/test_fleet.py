"""Serving everybody with fewer routes: the counters, what is preferred, and how the search ends."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from dacalns.core import fleet
from dacalns.core.clock import nanoseconds
from dacalns.core.model import USED, Problem, Solution, empty_solution
from dacalns.core.rng import random_float, random_int, seeded
from dacalns.core.routes import copy_into
from dacalns.core.terms import solution_cost
from dacalns.search.stopping import MaxIterations, StoppingCriterion

LONG = 10**15


class Squeezed:
    """A search on a random instance, from a solution by no rule, with fewer routes than the demand needs."""

    def __init__(
        self, seed: int, customers: int = 12, timed: bool = False, stop: StoppingCriterion | None = None
    ) -> None:
        problem = oracle.random_problem(seed, customers, timed=timed)
        self.best = oracle.filled(problem, seed)
        self.problem = problem._replace(fleet=math.ceil(problem.demand.sum() / problem.capacity) - 1)
        self.current, self.candidate = empty_solution(problem), empty_solution(problem)
        self.absences = np.zeros(customers + 1, dtype=np.int64)
        self.counters = np.zeros(len(fleet.COUNTER), dtype=np.int64)
        self.counters[fleet.COUNTER.stuck_at] = LONG
        self.counters[fleet.COUNTER.started] = nanoseconds()
        self.values = np.array([0.01 * solution_cost(problem, self.best), 1.0, 0.0])
        self.rng = seeded(seed)
        program = (stop or MaxIterations(40)).tokens(1)
        self.stop = np.array([kind for kind, _ in program]), np.array([value for _, value in program]), np.zeros(9)
        copy_into(self.current, self.best)
        while self.current.counts[USED] > self.problem.fleet:
            fleet.close_a_route(self.problem, self.current, self.absences, False, self.rng)

    def search(self, pause_after: int = LONG) -> int:
        return int(
            fleet.serve_all(
                self.problem, self.current, self.candidate, self.best, self.absences, self.counters, self.values,
                *self.stop, self.rng, pause_after,
            )
        )  # fmt: skip

    def state(self) -> tuple[object, ...]:
        return (
            oracle.routes_in(self.best), oracle.routes_in(self.current), self.absences.tolist(), self.rng.tolist(),
            self.counters[: fleet.COUNTER.started].tolist(),
        )  # fmt: skip


def partial(seed: int, share: float) -> tuple[Problem, Solution]:
    problem = oracle.random_problem(3, 10)
    return problem, oracle.filled(problem, seed, share)


def some_absences(seed: int, customers: int = 10, most: int = 4) -> np.ndarray:
    return np.r_[0, np.random.default_rng(seed).integers(0, most, customers)]


def preferred(
    problem: Problem, current: Solution, candidate: Solution, absences: np.ndarray, temperature: float, draw: float
) -> bool:
    now, then = oracle.bank_of(current), oracle.bank_of(candidate)
    if len(then) < len(now):
        return True
    if set(now) != set(then):
        return sum(absences[then]) < sum(absences[now])
    worse = sum(oracle.length(problem, route) for route in oracle.routes_in(candidate))
    worse -= sum(oracle.length(problem, route) for route in oracle.routes_in(current))
    return worse <= 1e-9 or draw < math.exp(-worse / temperature)


@given(
    seeds=st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)),
    shares=st.tuples(st.sampled_from([0.6, 0.8, 0.9, 1.0]), st.sampled_from([0.6, 0.8, 0.9, 1.0])),
    same=st.booleans(),
)
def test_what_is_preferred(seeds: tuple[int, int], shares: tuple[float, float], same: bool) -> None:
    problem, current = partial(seeds[0], shares[0])
    if same:  # the same customers are left out, in other routes
        served = [customer for route in oracle.routes_in(current) for customer in route]
        order = np.random.default_rng(seeds[1]).permutation(served).tolist()
        candidate = oracle.solution_of(problem, [[customer] for customer in order])
    else:
        _, candidate = partial(seeds[1], shares[1])
    absences, rng = some_absences(seeds[0]), seeded(seeds[1])
    expected = preferred(problem, current, candidate, absences, 50.0, random_float(rng.copy()))
    assert fleet.is_preferred(problem, current, candidate, absences, 50.0, rng) == expected


@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_those_left_out_most_come_first(seed: int, share: float) -> None:
    _, solution = partial(seed, share)
    absences, rng = some_absences(seed, most=100), seeded(seed)
    bank, twin = oracle.bank_of(solution), seeded(seed)
    keys = [(1 + absences[customer]) * random_float(twin) for customer in bank]
    expected = [customer for _, customer in sorted(zip(keys, bank, strict=True), key=lambda pair: -pair[0])]
    assert fleet.line_up_by_absence(solution, absences, rng) == len(bank)
    assert solution.scratch_ints[: len(bank), 0].tolist() == expected


@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.7, 1.0]), afresh=st.booleans())
def test_the_easiest_route_is_closed_or_afresh_any(seed: int, share: float, afresh: bool) -> None:
    problem, solution = partial(seed, share)
    routes, waiting = oracle.routes_in(solution), oracle.bank_of(solution)
    absences, rng = some_absences(seed), seeded(seed)
    chosen = min(routes, key=lambda route: sum(absences[route]))
    if afresh:
        chosen = routes[random_int(rng.copy(), len(routes))]
    before = absences.copy()
    fleet.close_a_route(problem, solution, absences, afresh, rng)
    oracle.require_consistent(problem, solution)
    assert sorted(oracle.bank_of(solution)) == sorted([*waiting, *chosen])
    assert sorted(oracle.routes_in(solution)) == sorted(route for route in routes if route != chosen)
    assert absences.tolist() == ([0] * len(before) if afresh else before.tolist())


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_every_iteration_follows_the_rules(seed: int, timed: bool) -> None:
    """What was accepted, counted and kept is what an oracle that sees both solutions says."""
    search = Squeezed(seed, timed=timed)
    before, absences = empty_solution(search.problem._replace(fleet=12)), search.absences.copy()
    started_with = oracle.routes_in(search.best)
    moves = 0
    for iteration in range(1, 41):
        copy_into(before, search.current)
        search.counters[fleet.COUNTER.stuck_at] = iteration
        assert search.search() == (fleet.ENDING.stuck if iteration < 40 else fleet.ENDING.budget_used)
        for solution in (search.current, search.candidate):
            oracle.require_consistent(search.problem, solution)
        assert oracle.routes_in(search.best) == started_with
        now, was, came = (oracle.routes_in(solution) for solution in (search.current, before, search.candidate))
        cold = preferred(search.problem, before, search.candidate, absences, 1e-12, 1.0)
        hot = preferred(search.problem, before, search.candidate, absences, 1e12, 0.0)
        assert now == came if cold else now == was or (hot and now == came)
        absences[oracle.bank_of(search.candidate)] += 1
        assert search.absences.tolist() == absences.tolist()
        moves += now != was
    assert moves > 0


def test_it_ends_when_all_are_served() -> None:
    """Four customers in a row, two to a vehicle, from three vehicles to two."""
    problem = oracle.on_a_line([0, 1, 2, 3, 4], capacity=2)._replace(fleet=2)
    search = Squeezed(0, customers=4)
    search.problem, wide = problem, problem._replace(fleet=3)
    search.best, search.current, search.candidate = (oracle.solution_of(wide, [[1, 3], [2], [4]]) for _ in range(3))
    fleet.close_a_route(problem, search.current, search.absences, False, search.rng)
    assert sorted(oracle.bank_of(search.current)) == [1, 3]
    assert search.search() == fleet.ENDING.all_served
    oracle.require_consistent(problem, search.best)
    assert oracle.bank_of(search.best) == []
    assert sorted(map(len, oracle.routes_in(search.best))) == [2, 2]
    assert search.counters[fleet.COUNTER.served_at] == search.counters[fleet.COUNTER.iteration] > 0


@pytest.mark.parametrize("pause_after", [1, 100_000])
def test_pausing_changes_nothing(pause_after: int) -> None:
    whole, pieces = Squeezed(6), Squeezed(6)
    ended = whole.search()
    state = pieces.search(pause_after)
    while state == fleet.ENDING.paused:
        state = pieces.search(pause_after)
    assert state == ended
    assert pieces.state() == whole.state()


def test_the_share_of_the_budget_is_not_exceeded() -> None:
    search = Squeezed(0, stop=MaxIterations(50))
    search.values[fleet.VALUE.share_allowed] = 0.3
    assert search.search() == fleet.ENDING.budget_used
    assert search.counters[fleet.COUNTER.iteration] == 15
    assert search.values[fleet.VALUE.fraction] == 0.3


def test_more_served_is_kept_where_not_all_ever_were() -> None:
    """Two routes of two places for five customers: one is left out for good."""
    problem = oracle.on_a_line([0, 1, 2, 3, 4, 5], capacity=2)._replace(fleet=2)
    search = Squeezed(0, customers=5, stop=MaxIterations(100))
    search.problem, search.best = problem, oracle.solution_of(problem, [[1], [2]])
    search.current, search.candidate = empty_solution(problem), empty_solution(problem)
    copy_into(search.current, search.best)
    heard = []
    state = search.search()
    while state == fleet.ENDING.more_served:
        heard.append(len(oracle.bank_of(search.best)))
        state = search.search()
    assert state == fleet.ENDING.budget_used
    assert heard == sorted(heard, reverse=True)
    assert heard[-1] == 1
    assert search.counters[fleet.COUNTER.iteration] == 100
