"""Searches of random rich problems, in many ways, against the checker, PyVRP and all solutions.

`make invariants` takes others, and more.
"""

import random

import numpy as np
import pytest

from core.rich_arrays import require_sound
from dacalns import InputError, MaxIterations, check, solve
from dacalns.core.model import empty_solution
from dacalns.core.rich_insertions import complete as complete_rich
from dacalns.core.rng import seeded
from dacalns.instances import Instance
from dacalns.instances.parts import VehicleType
from dacalns.search.outcome import Outcome as Iteration
from dacalns.search.python_selector import State
from dacalns.search.start import Start, answer_of, first_solution, problem_of
from dacalns.search.stepper import Stepper
from invariants.rich import Outcome, draw_case, judge, rates, tried
from search.rich_cases import draw, random_solution

CASES = 240
TOGETHER = 20
outcomes: dict[int, Outcome] = {}


@pytest.mark.slow_without_jit
@pytest.mark.parametrize("first", range(0, CASES, TOGETHER))
def test_nothing_is_wrong(first: int) -> None:
    found = [tried(number) for number in range(first, first + TOGETHER)]
    outcomes.update({outcome.number: outcome for outcome in found})
    assert {outcome.number: outcome.wrong for outcome in found if outcome.wrong} == {}


@pytest.mark.slow_without_jit
def test_the_best_solution_is_reached_nearly_always() -> None:
    if len(outcomes) < CASES:
        pytest.skip("it needs the outcomes of all cases")
    known = [outcome.reached for outcome in outcomes.values() if outcome.reached is not None]
    assert len(known) > CASES / 2
    assert sum(known) >= 0.95 * len(known), "\n".join(rates([*outcomes.values()]))


@pytest.mark.parametrize("number", range(5000, 5012))
def test_nothing_is_wrong_in_plain_python(number: int) -> None:
    case = draw_case(number)
    few = {"seed": 1, "portfolio": "full", "selector": "roulette"}
    assert judge(type(case)(number, draw(number, 4), few, 12)).wrong == []


# Starts.


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_a_start_is_made_as_rich_problems_need_it_and_is_settled(first: int) -> None:
    """Whoever asks for it from Python gets no other than kernels do."""
    for seed in range(first, first + 20):
        instance = solvable(seed)
        problem, expected = problem_of(instance), empty_solution(problem_of(instance))
        complete_rich(problem, expected, empty_solution(problem), 0, seeded(0))
        solution = first_solution(instance, None)
        require_sound(problem, solution)
        assert not solution.dirty.any()
        assert answer_of(instance, solution) == answer_of(instance, expected)


def solvable(seed: int, most: int = 6) -> Instance:
    """The first problem from a seed on that the search can do and the pre-flight lets pass."""
    while True:
        instance = draw(seed, most)
        try:
            solve(instance, stop=MaxIterations(0), selector="random")
        except InputError:
            seed += 1000
        else:
            return instance


def whole(routes: list[list[int]], instance: Instance) -> list[list[int]]:
    """The routes without nodes that there are not, and nobody twice."""
    seen: set[int] = set()
    kept = []
    for route in routes:
        kept.append([node for node in route if 0 <= node < instance.depots + instance.customers and node not in seen])
        seen |= {node for node in kept[-1] if node >= instance.depots}
    return kept


@pytest.mark.parametrize("seed", range(40))
def test_starts_with_vehicle_types_are_kept_or_mended(seed: int) -> None:
    instance = solvable(seed)
    routes, types = random_solution(instance, seed)
    routes = whole(routes, instance)
    before = check(instance, routes, types)
    reloads = instance.depots > 1 or any(each.reload_depots for each in instance.types)
    if any(violation.kind == "reload" for violation in before.violations) and not reloads:
        with pytest.raises(InputError, match="start: route"):
            Stepper(instance, seed=seed, start=Start(routes, types))
        return
    stepper = Stepper(instance, seed=seed, start=Start(routes, types))
    found, kinds = stepper.best_routes, stepper.best_types
    after = check(instance, found, kinds)
    assert {violation.kind for violation in after.violations} <= {"missing"}
    if before.feasible:
        rank = before.lost_priority, before.cost
        assert (after.lost_priority, after.cost) <= (rank[0], rank[1] + 1e-6)


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_an_earlier_result_is_a_start(seed: int) -> None:
    instance = solvable(seed)
    first = solve(instance, stop=MaxIterations(30), selector="roulette", seed=seed)
    again = solve(instance, stop=MaxIterations(0), selector="roulette", start=first)
    assert again.start_cost <= first.cost  # whoever costs more than his prize is left out at once
    assert len(again.unserved) == len(first.unserved)
    if again.cost == first.cost:
        assert (again.routes, again.vehicle_types) == (first.routes, first.vehicle_types)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ([[1, 2]], "route 1 has customer 1"),
        ([[3, 9]], "route 1 has customer 9; expected"),
        ([[3], [3]], "customer 3 is visited twice"),
        ([["three"]], "route 1 has"),
        (7, "start is 7"),
    ],
)
def test_starts_that_are_none(start: object, words: str) -> None:
    kind = VehicleType(num_available=2, capacity=(9,), end_depot=None)
    demands = [0, 0, 1, 1, 1, 1]
    instance = Instance(
        name="small", coordinates=[[k, k] for k in range(6)], demands=demands, depots=2, vehicle_types=(kind,)
    )  # fmt: skip
    if words == "route 1 has customer 1":  # a depot that nobody may reload at: the search leaves it out
        result = solve(instance, stop=MaxIterations(5), selector="random", start=start)  # type: ignore[arg-type]
        assert result.feasible
        return
    with pytest.raises(InputError, match=words):
        solve(instance, stop=MaxIterations(5), start=start)  # type: ignore[arg-type]


# Selectors in Python, and steps from Python.


class Watchful:
    """Draws at random, and compares all that it sees with the checker."""

    def __init__(self) -> None:
        self.dice = random.Random(0)
        self.seen = 0

    def look(self, state: State) -> None:
        instance = state.instance
        routes = state.routes
        nodes = [node for route in routes for node in route if node >= instance.depots]
        assert len(set(nodes)) == len(nodes)
        assert sorted([*nodes, *state.unserved]) == [*instance.customer_nodes]
        assert state.removed_fraction == pytest.approx(len(state.unserved) / instance.customers)
        assert np.isfinite(state.node_features).all()
        assert np.isfinite(state.edges[2]).all()
        assert state.cost >= 0
        assert state.best_cost <= state.current_cost or state.unserved or instance.priorities is not None
        assert "removed" in repr(state)
        self.seen += 1

    def select_destroy(self, state: State) -> int:
        self.look(state)
        return self.dice.randrange(state.destroys)

    def select_repair(self, state: State, destroy: int) -> int:
        self.look(state)
        return self.dice.randrange(state.repairs)

    def update(self, outcome: Iteration) -> None:
        assert outcome.best <= outcome.before + 1e-6


@pytest.mark.parametrize("seed", range(0, 24, 2))
def test_a_selector_in_python_sees_nodes_of_the_instance(seed: int) -> None:
    instance, watchful = solvable(seed), Watchful()
    result = solve(instance, stop=MaxIterations(10), selector=watchful, portfolio="full")
    assert result.stopped_by == "criterion", result.warnings
    assert watchful.seen == 20
    assert result.selector == "Watchful"


@pytest.mark.parametrize("selector", ["roulette", "random", "ucb"])
def test_the_same_seed_gives_the_same_answer(selector: str) -> None:
    instance = solvable(8)
    results = [solve(instance, stop=MaxIterations(40), selector=selector, seed=3) for _ in range(2)]
    assert results[0].routes == results[1].routes
    assert results[0].cost == results[1].cost


@pytest.mark.parametrize("seed", range(0, 40, 5))
def test_searches_side_by_side_agree_with_the_checker(seed: int) -> None:
    instance = solvable(seed)
    result = solve(instance, stop=MaxIterations(40), selector="roulette", jobs=2, seed=seed)
    verdict = check(instance, result.routes, result.vehicle_types)
    assert result.cost == pytest.approx(verdict.cost)
    assert result.feasible == verdict.feasible
    assert not result.warnings


@pytest.mark.parametrize("seed", range(0, 40, 5))
def test_a_search_goes_on_from_the_best_of_another(seed: int) -> None:
    """As searches side by side do, and those that go on in another process."""
    instance = solvable(seed)
    one, other = Stepper(instance, "full", seed=seed), Stepper(instance, "full", seed=seed + 1)
    dice = random.Random(seed)
    for _ in range(15):
        for stepper in (one, other):
            stepper.destroy(dice.randrange(len(stepper.portfolio.destroy)))
            stepper.repair(dice.randrange(len(stepper.portfolio.repair)))
            stepper.accept()
        if dice.random() < 0.3:
            other.move_to_best_of(one)
            assert other.current_cost == pytest.approx(one.best_cost)
            assert answer_of(instance, other.current) == answer_of(instance, one.best)
    found = check(instance, other.best_routes, other.best_types)
    assert {violation.kind for violation in found.violations} <= {"missing"}
    assert found.cost == pytest.approx(other.best_cost)
    third = Stepper(instance, "full", start=Start(other.best_routes, other.best_types))
    assert third.best_cost == pytest.approx(other.best_cost) or instance.more_windows
    assert other.unserved == sorted(
        {node for node in instance.customer_nodes if instance.required[node]}
        - {node for route in other.best_routes for node in route}
        | ({*other.unserved} if instance.groups else set())
    )
