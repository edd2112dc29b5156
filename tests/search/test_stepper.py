"""Whatever operators are applied in whatever order, a solution stays what it claims to be."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dacalns
from core.oracle import Problem, bank_of, random_instance, require_consistent, routes_in
from dacalns.core.rng import seeded
from dacalns.core.routes import copy_into
from dacalns.core.stepper import VALUE
from dacalns.core.terms import objective
from dacalns.instances import Instance
from dacalns.search.acceptance import HillClimbing, LateAcceptance, RecordToRecord, SimulatedAnnealing, Threshold
from dacalns.search.checker import check
from dacalns.search.portfolio import MOST_OPERATORS, PORTFOLIOS, Portfolio, random_removal, regret_repair
from dacalns.search.stepper import Stepper
from dacalns.util.errors import InputError

PAPER = PORTFOLIOS["paper"]
CRITERIA = [None, SimulatedAnnealing(0.05, 0.05), RecordToRecord(), Threshold(), HillClimbing(), LateAcceptance(3)]
ROUNDINGS = ["round", "dimacs", "exact"]
# None for the criterion: every candidate is taken as it comes.
MOVES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=8)


def instances(*, timed: bool, matrix: bool) -> st.SearchStrategy[Instance]:
    return st.builds(
        random_instance,
        seed=st.integers(0, 100_000),
        customers=st.integers(1, 12),
        timed=st.just(timed),
        tight=st.booleans(),
        rounding=st.sampled_from(ROUNDINGS),
        matrix=st.just(matrix),
    )


def roam(instance: Instance, moves: list[tuple[int, int]], seed: int, criterion: object) -> None:
    """Go the moves; look at everything after every phase."""
    moved = Stepper(instance, "paper", acceptance=criterion or HillClimbing(), seed=seed)  # type: ignore[arg-type]
    problem: Problem = moved.problem
    require_consistent(problem, moved.current)
    for destroy, repair in moves:
        best_before = moved.progress.values[VALUE.best]
        moved.destroy(destroy)
        require_consistent(problem, moved.candidate)
        moved.repair(repair)
        require_consistent(problem, moved.candidate)
        require_agreement(instance, moved)
        if criterion is None:
            copy_into(moved.current, moved.candidate)
            moved.progress.values[VALUE.current] = objective(problem, moved.candidate)
            continue
        outcome = moved.accept().outcome
        require_consistent(problem, moved.current)
        require_consistent(problem, moved.best)
        values = moved.progress.values
        assert values[VALUE.current] == pytest.approx(objective(problem, moved.current))
        assert values[VALUE.best] == pytest.approx(objective(problem, moved.best))
        assert values[VALUE.best] <= best_before
        assert (outcome == "best") == (values[VALUE.best] < best_before)


def require_agreement(instance: Instance, moved: Stepper) -> None:
    """The independent checker measures the same, and finds nobody wrong but those in the bank."""
    verdict = check(instance, routes_in(moved.candidate))
    assert verdict.cost == pytest.approx(sum(moved.candidate.length) / instance.scale, abs=1e-7)
    missing = {violation.customer for violation in verdict.violations if violation.kind == "missing"}
    assert missing == set(bank_of(moved.candidate))
    assert len(verdict.violations) == len(missing), verdict.violations


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: type(criterion).__name__)
@given(instance=instances(timed=False, matrix=False), moves=MOVES, seed=st.integers(0, 99))
def test_cvrp(criterion: object, instance: Instance, moves: list[tuple[int, int]], seed: int) -> None:
    roam(instance, moves, seed, criterion)


@pytest.mark.parametrize("criterion", CRITERIA[:2], ids=lambda criterion: type(criterion).__name__)
@given(instance=instances(timed=True, matrix=False), moves=MOVES, seed=st.integers(0, 99))
def test_vrptw(criterion: object, instance: Instance, moves: list[tuple[int, int]], seed: int) -> None:
    roam(instance, moves, seed, criterion)


@given(instance=instances(timed=False, matrix=True), moves=MOVES, seed=st.integers(0, 99))
def test_cvrp_on_an_asymmetric_matrix(instance: Instance, moves: list[tuple[int, int]], seed: int) -> None:
    roam(instance, moves, seed, None)


@given(instance=instances(timed=True, matrix=True), moves=MOVES, seed=st.integers(0, 99))
def test_vrptw_on_an_asymmetric_matrix(instance: Instance, moves: list[tuple[int, int]], seed: int) -> None:
    """Without the triangle inequality, taking a customer out may make the next one late."""
    roam(instance, moves, seed, None)


def test_a_removal_that_makes_the_next_customer_late_is_noticed() -> None:
    """From 1 to 3 it takes 50 directly and 2 over customer 2."""
    instance = Instance(
        name="detour",
        matrix=[[0, 1, 1, 1], [1, 0, 1, 50], [1, 1, 0, 1], [1, 50, 1, 0]],  # type: ignore[arg-type]
        demands=[0, 1, 1, 1],  # type: ignore[arg-type]
        capacity=3,
        windows=[[0, 100], [0, 9], [0, 9], [0, 9]],  # type: ignore[arg-type]
    )
    for seed in range(10):
        moved = Stepper(instance, seed=seed, start=[[1, 2, 3]])
        moved.scales[:] = 1
        moved.destroy(0)
        require_consistent(moved.problem, moved.candidate)


@given(instance=instances(timed=True, matrix=False), seed=st.integers(0, 99))
def test_the_same_seed_makes_the_same_moves(instance: Instance, seed: int) -> None:
    outcomes = []
    for _ in range(2):
        moved = Stepper(instance, seed=seed)
        trace: list[object] = []
        for k in range(4):
            moved.destroy(k % 2)
            moved.repair(k % 3)
            trace += [moved.accept().outcome, routes_in(moved.current)]
        outcomes.append(trace)
    assert outcomes[0] == outcomes[1]


def test_costs_are_in_file_units() -> None:
    instance = random_instance(3, 8, timed=True, rounding="dimacs")
    moved = Stepper(instance)
    verdict = check(instance, moved.best_routes)
    assert verdict.feasible
    assert moved.best_cost == moved.current_cost == pytest.approx(verdict.cost)
    assert moved.unserved == []


def test_thirty_two_operators_of_a_kind_work_and_not_one_more() -> None:
    names = [dataclasses.replace(random_removal, name=f"removal {k}") for k in range(MOST_OPERATORS)]
    moved = Stepper(random_instance(1, 5), Portfolio(names, [regret_repair]))
    moved.destroy(MOST_OPERATORS - 1)
    moved.repair(0)
    moved.accept()
    assert moved.progress.outcomes[MOST_OPERATORS - 1, 0].sum() == 1
    with pytest.raises(InputError, match="33 destroy operators; expected 1 to 32"):
        Portfolio([*names, random_removal], [regret_repair])


def test_the_seed_decides() -> None:
    instance = random_instance(3, 12)
    removed = set()
    for seed in range(8):
        moved = Stepper(instance, "paper", seed=seed)
        moved.destroy(0)
        removed.add(tuple(sorted(bank_of(moved.candidate))))
        assert moved.rng.tolist() != seeded(seed).tolist()
    assert len(removed) > 4


def test_the_criterion_cools_by_the_part_of_the_budget_that_is_told() -> None:
    hot, cold = (Stepper("P-n16-k8", acceptance=SimulatedAnnealing(0.5, 0.001), seed=1) for _ in range(2))
    cold.fraction = 1
    assert (hot.fraction, cold.fraction) == (0, 1)
    worse = {}
    for stepper in (hot, cold):
        worse[stepper] = 0
        for _ in range(200):
            before = stepper.current_cost
            stepper.destroy(0)
            stepper.repair(0)
            stepper.accept()
            worse[stepper] += stepper.current_cost > before
    assert worse[hot] > worse[cold]


@pytest.mark.parametrize("part", [-0.1, 1.5, "half", True, float("nan")])
def test_no_other_part_of_a_budget_is_taken(part: object) -> None:
    with pytest.raises(InputError, match=r"^fraction is .*; expected a number from 0 to 1"):
        Stepper("P-n16-k8").fraction = part


def test_the_operators_are_those_of_a_solve() -> None:
    stepper = Stepper("P-n16-k8")
    solved = dacalns.solve("P-n16-k8", stop=dacalns.MaxIterations(1))
    assert stepper.portfolio.name == solved.portfolio == "full"
    assert [operator.name for operator in stepper.portfolio.destroy] == solved.operators.destroy


@pytest.mark.parametrize("which", [-1, 4, 7, 0.5, "0"])
def test_operators_are_named_by_valid_numbers(which: object) -> None:
    stepper = Stepper("P-n16-k8")
    with pytest.raises(InputError, match=r"destroy operator is .*expected a whole number from 0 to 3"):
        stepper.destroy(which)
    stepper.destroy(0)
    with pytest.raises(InputError, match=r"repair operator is .*from 0 to 2"):
        stepper.repair(3)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_is_kept_whole_after_a_move_to_one_that_is_as_good(seed):
    """Its routes have other numbers, so that none of them is where it was."""
    first = Stepper("A-n32-k5", "full", seed=seed)
    other = Stepper("A-n32-k5", "full", start=[route[::-1] for route in first.best_routes[::-1]])
    first.move_to_best_of(other)
    assert first.best_routes != other.best_routes
    bests = 0
    while bests < 3:
        first.destroy(0)
        first.repair(0)
        bests += first.accept().new_best
    verdict = check(first.instance, first.best_routes)
    assert verdict.feasible
    assert verdict.cost == first.best_cost


@pytest.mark.parametrize("criterion", [None, dacalns.RecordToRecord(0.1, 0.01), dacalns.SimulatedAnnealing(0.1, 0.01)])
def test_where_nothing_costs_anything_there_is_no_temperature(criterion: dacalns.AcceptanceCriterion | None) -> None:
    instance = dacalns.Instance(name="here", coordinates=[[5, 5]] * 4, demands=[0, 1, 1, 1], capacity=2)
    stepper = Stepper(instance, "paper", criterion, budget=10)
    assert [stepper.step(0, 1).after for _ in range(10)] == [0.0] * 10
