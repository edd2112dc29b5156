"""The pure-Python peer: feasible, priced right, and the same operators as the compiled ones."""

import sys
from random import Random

import numpy as np
import pytest

import dacalns
from dacalns.bench.pure_python import load_alns, solve_in_python
from dacalns.bench.pure_python import operators as destroy
from dacalns.bench.pure_python import operators as repair
from dacalns.bench.pure_python.state import PlainState, plain_problem, plain_state
from dacalns.core import removals as compiled_destroy
from dacalns.core import repairs as compiled_repair
from dacalns.core.rng import seeded
from dacalns.core.routes import remove as compiled_remove
from dacalns.core.routes import settle
from dacalns.core.terms import objective
from dacalns.search.start import problem_of, routes_of, start_solution

ITERATIONS = 60
# The demands fill ten vehicles or so: with no more than these, some customers have one route to go to, or none.
CUSTOMERS, TIGHT_FLEET = 80, 10


def real_valued(customers: int, seed: int, *, timed: bool, fleet: int | None = None) -> dacalns.Instance:
    """Random real coordinates, so that no two insertions cost the same."""
    numbers = np.random.default_rng(seed)
    opens = numbers.uniform(0, 3, customers + 1)
    windows = np.stack([opens, opens + numbers.uniform(0.5, 2.5, customers + 1)], axis=1)
    windows[0] = 0, 8
    return dacalns.Instance(
        name="real",
        coordinates=numbers.uniform(0, 1, (customers + 1, 2)),
        demands=np.concatenate([[0], numbers.integers(1, 10, customers)]),
        capacity=40,
        windows=windows if timed else None,
        service=np.concatenate([[0], numbers.uniform(0, 0.1, customers)]),
        fleet=fleet,
        rounding="exact",
    )


CASES = [
    pytest.param(seed, timed, fleet, id=f"{'vrptw' if timed else 'cvrp'}-{fleet or 'free'}-{seed}")
    for timed in (False, True)
    for fleet in (None, TIGHT_FLEET)
    for seed in range(5)
]


def assert_consistent(state: PlainState) -> None:
    """All that is kept incrementally is what it is from scratch."""
    fresh = plain_state(state.problem, state.routes())
    assert state.tours == fresh.tours
    assert state.legs == fresh.legs
    assert state.loads == pytest.approx(fresh.loads)
    assert sorted(state.waiting) == fresh.waiting
    assert state.value == pytest.approx(fresh.value)
    if state.problem.timed:
        for node in (node for tour in state.tours for node in tour):
            assert state.depart[node] == pytest.approx(fresh.depart[node])
            assert state.latest[node] == pytest.approx(fresh.latest[node])


@pytest.mark.parametrize("name", ["A-n32-k5", "P-n16-k8", "R101-n30-s1", "C205-n25-s2"])
def test_solutions_are_feasible_and_priced_right(name: str) -> None:
    instance = dacalns.read(name)
    result = solve_in_python(instance, iterations=ITERATIONS, seed=1)
    verdict = dacalns.check(instance, result.routes)
    assert verdict.feasible
    assert verdict.cost == pytest.approx(result.cost)
    assert not result.unserved
    assert result.iterations == ITERATIONS
    assert solve_in_python(instance, iterations=ITERATIONS, seed=1).routes == result.routes


def test_a_start_is_never_made_worse() -> None:
    instance = dacalns.read("A-n32-k5")
    start = dacalns.solve(instance, stop=dacalns.MaxIterations(200)).routes
    result = solve_in_python(instance, iterations=5, start=start)
    assert result.cost <= dacalns.check(instance, start).cost


def test_a_time_limit_stops_it() -> None:
    result = solve_in_python(dacalns.read("P-n16-k8"), iterations=10**9, seconds=0.02)
    assert 0 < result.iterations < 10**6


@pytest.mark.parametrize(("seed", "timed", "fleet"), CASES)
@pytest.mark.parametrize("name", ["greedy_repair", "regret_repair"])
def test_repair_gives_the_same_solution(name: str, seed: int, timed: bool, fleet: int | None) -> None:
    instance = real_valued(CUSTOMERS, seed, timed=timed, fleet=fleet)
    problem = problem_of(instance)
    ours = start_solution(problem, None)
    # Many, so that each rule of the cache comes up: often the best position goes, or a new one is the best.
    removed = Random(seed).sample(range(1, CUSTOMERS + 1), 50)
    theirs = plain_state(plain_problem(instance), routes_of(ours)).without(
        [customer for customer in removed if ours.route[customer] >= 0]
    )
    for customer in removed:
        compiled_remove(problem, ours, customer)
    settle(problem, ours)
    getattr(compiled_repair, name)(problem, ours, seeded(0))
    getattr(repair, name)(theirs, Random(0))
    assert theirs.objective() == pytest.approx(objective(problem, ours))
    assert sorted(theirs.routes()) == routes_of(ours)
    assert_consistent(theirs)


@pytest.mark.parametrize("seed", range(5))
def test_worst_removal_takes_the_same_customers(seed: int) -> None:
    instance = real_valued(CUSTOMERS, seed, timed=False)
    problem = problem_of(instance)
    ours = start_solution(problem, None)
    theirs = destroy.worst_removal(plain_state(plain_problem(instance), routes_of(ours)), Random(seed))
    compiled_destroy.worst_removal(problem, ours, len(theirs.waiting), seeded(0))
    settle(problem, ours)
    assert sorted(theirs.routes()) == routes_of(ours)


@pytest.mark.parametrize(("seed", "timed", "fleet"), CASES)
def test_random_operators_keep_the_state_consistent(seed: int, timed: bool, fleet: int | None) -> None:
    instance = real_valued(CUSTOMERS, seed, timed=timed, fleet=fleet)
    random = Random(seed)
    state = repair.regret_repair(plain_state(plain_problem(instance), ()), random)
    for k in range(20):
        before = len(state.waiting)
        destroyed = destroy.random_removal(state, random)
        low, high = state.problem.random_range
        assert low <= len(destroyed.waiting) - before <= high
        operator = (repair.random_repair, repair.greedy_repair, repair.regret_repair)[k % 3]
        state = operator(destroyed, random)
        assert_consistent(state)
        kinds = {violation.kind for violation in dacalns.check(instance, state.routes()).violations}
        assert kinds <= {"missing"}


def test_random_repair_opens_a_route_only_where_it_must() -> None:
    instance = real_valued(12, 0, timed=False).with_(capacity=1000)
    state = repair.random_repair(plain_state(plain_problem(instance), ()), Random(0))
    assert len(state.tours) == 1


def test_distances_by_direction_are_refused() -> None:
    matrix = [[0, 1, 2], [3, 0, 1], [1, 1, 0]]
    instance = dacalns.Instance(name="one-way", matrix=matrix, demands=[0, 1, 1], capacity=2)  # type: ignore[arg-type]
    with pytest.raises(dacalns.InputError, match="differ by direction"):
        plain_problem(instance)


def test_without_alns_the_error_names_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "alns", None)
    with pytest.raises(dacalns.InputError, match=r'pip install "dac-alns\[bench\]"'):
        load_alns()
