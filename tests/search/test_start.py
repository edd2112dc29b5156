"""Where a search starts."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.oracle import bank_of, feasible, filled, random_instance, require_consistent
from dacalns import HillClimbing, MaxIterations, Portfolio, Stepper, generate_cvrp, solve
from dacalns.core.construction import savings_routes
from dacalns.instances import Instance
from dacalns.search import start
from dacalns.search.checker import check
from dacalns.search.start import problem_of, routes_of, start_solution, with_fleet
from dacalns.util.errors import InputError


@given(
    seed=st.integers(0, 10_000),
    timed=st.booleans(),
    rounding=st.sampled_from(["round", "dimacs", "exact"]),
    matrix=st.booleans(),
)
def test_a_feasible_start_is_kept_as_it_is(seed: int, timed: bool, rounding: str, matrix: bool) -> None:
    instance = random_instance(seed, 8, timed=timed, rounding=rounding, matrix=matrix)
    problem = problem_of(instance)
    routes = routes_of(filled(problem, seed))
    assert check(instance, routes).feasible
    assert routes_of(start_solution(problem, routes)) == sorted(routes)


def test_a_feasible_start_whose_beginnings_are_not_feasible_is_kept_too() -> None:
    """From customer 1 the way back takes 50, and it is at the end for a moment while the route is written."""
    instance = Instance(
        name="one-way",
        matrix=[[0, 1, 1, 1], [50, 0, 1, 5], [1, 5, 0, 1], [1, 5, 1, 0]],  # type: ignore[arg-type]
        demands=[0, 1, 1, 1],  # type: ignore[arg-type]
        capacity=3,
        windows=[[0, 20], [0, 20], [0, 20], [0, 20]],  # type: ignore[arg-type]
    )
    assert check(instance, [[2, 1, 3]]).feasible
    assert routes_of(start_solution(problem_of(instance), [[2, 1, 3]])) == [[2, 1, 3]]


def test_a_start_that_is_feasible_up_to_rounding_errors_is_kept() -> None:
    """0.1 + 0.2 is a little more than 0.3, which the checker forgives."""
    instance = Instance(
        name="tenths",
        matrix=[[0, 0.1, 5], [5, 0, 0.2], [0.1, 5, 0]],  # type: ignore[arg-type]
        demands=[0, 1, 1],  # type: ignore[arg-type]
        capacity=2,
        windows=[[0, 20], [0, 20], [0, 0.3]],  # type: ignore[arg-type]
    )
    assert check(instance, [[1, 2]]).feasible
    assert routes_of(start_solution(problem_of(instance), [[1, 2]])) == [[1, 2]]


@given(seed=st.integers(0, 10_000), timed=st.booleans(), data=st.data())
def test_an_infeasible_start_is_repaired(seed: int, timed: bool, data: st.DataObject) -> None:
    """All customers in one route, or any part of them: what fits stays, the others go elsewhere."""
    instance = random_instance(seed, 8, timed=timed)
    problem = problem_of(instance)
    order = data.draw(st.permutations(range(1, 9)))
    given_route = list(order[: data.draw(st.integers(1, 8))])
    kept: list[int] = []
    for customer in given_route:
        kept += [customer] if feasible(problem, [*kept, customer]) else []
    solution = start_solution(problem, [given_route])
    require_consistent(problem, solution)
    assert bank_of(solution) == []
    routes = [[customer for customer in route if customer in kept] for route in routes_of(solution)]
    assert kept in routes, "what fits stays together and in order"


def test_more_routes_than_vehicles() -> None:
    instance = random_instance(5, 9, tight=True)
    problem = problem_of(instance)
    solution = start_solution(problem, [[customer] for customer in range(1, 10)])
    require_consistent(problem, solution)
    assert len(routes_of(solution)) <= problem.fleet


@pytest.mark.parametrize(
    ("routes", "message"),
    [
        ([[1, 9]], "route 1 has customer 9; expected 1 to 8"),
        ([[1], [0]], "route 2 has customer 0; expected 1 to 8"),
        ([[-1]], "route 1 has customer -1"),
        ([[1, 2], [2]], "customer 2 is visited twice"),
        ([[1.5]], "route 1 has 1.5"),
        ([["1"]], "route 1 has '1'"),
        ([[None]], "route 1 has None"),
        ([1, 2, 3], "start"),
        (5, "start"),
    ],
)
def test_a_start_that_cannot_be_one(routes: object, message: str) -> None:
    problem = problem_of(random_instance(1, 8))
    with pytest.raises(InputError, match=message) as caught:
        start_solution(problem, routes)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_arrays_and_empty_routes_are_welcome() -> None:
    problem = problem_of(random_instance(1, 4))
    solution = start_solution(problem, [np.array([1]), [], (2,), np.array([3], dtype=np.uint8)])  # type: ignore[list-item]
    assert {1, 2, 3, 4} == set(itertools.chain(*routes_of(solution)))


@given(seed=st.integers(0, 10_000), timed=st.booleans())
def test_construction_serves_everybody_where_the_fleet_is_free(seed: int, timed: bool) -> None:
    problem = problem_of(random_instance(seed, 10, timed=timed))
    solution = start_solution(problem, None)
    require_consistent(problem, solution)
    assert bank_of(solution) == []


def test_another_fleet_shares_the_rest_of_the_problem() -> None:
    instance = random_instance(5, 9, timed=True)
    limited = with_fleet(instance, 4)
    assert (limited.fleet, instance.fleet) == (4, None)
    assert limited == instance.with_(fleet=4)
    assert problem_of(limited).fleet == 4
    assert problem_of(limited).distance is problem_of(instance).distance
    assert problem_of(instance).fleet == 9


@pytest.mark.parametrize("timed", [False, True])
def test_savings_if_the_portfolio_says_so(timed: bool) -> None:
    instance = random_instance(2, 30, timed=timed)
    problem = problem_of(instance)
    by_savings = routes_of(start_solution(problem, None, "savings"))
    assert by_savings == sorted(savings_routes(problem))
    assert by_savings != routes_of(start_solution(problem, None))
    for construction, routes in (("savings", by_savings), ("regret", routes_of(start_solution(problem, None)))):
        portfolio = Portfolio(["random_removal"], ["greedy_repair"], construction=construction)
        assert sorted(Stepper(instance, portfolio).best_routes) == routes
        result = solve(instance, portfolio=portfolio, stop=MaxIterations(1))
        assert result.settings["start"] == construction


def test_savings_that_leave_customers_over_give_way_to_a_better_start(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(random_instance(5, 9))
    limited = problem._replace(fleet=len(routes_of(start_solution(problem, None))))
    monkeypatch.setattr(start, "savings_routes", lambda _: [[1]])
    monkeypatch.setattr(start, "complete", _idle_after_savings(start.complete))
    solution = start_solution(limited, None, "savings")
    require_consistent(limited, solution)
    assert bank_of(solution) == []


def _idle_after_savings(repair: Callable[..., None]) -> Callable[..., None]:
    """One that leaves the first start as it is."""
    calls = itertools.count()
    return lambda *given: None if next(calls) == 0 else repair(*given)


@pytest.fixture
def as_if_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "MOST_BY_REGRET", 0)


@pytest.mark.usefixtures("as_if_large")
@pytest.mark.parametrize("kind", [{}, {"timed": True}, {"tight": True}, {"matrix": True}], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_large_instances_start_from_savings(seed: int, kind: dict[str, bool]) -> None:
    problem = problem_of(random_instance(seed, 30, **kind))  # type: ignore[arg-type]
    solution = start_solution(problem, None)
    require_consistent(problem, solution)
    assert not bank_of(solution)
    if problem.fleet == 30:  # with a limit, routes that are left over are spread over the others
        assert routes_of(solution) == sorted(savings_routes(problem))


@pytest.mark.usefixtures("as_if_large")
@pytest.mark.parametrize("timed", [False, True])
def test_a_large_start_that_leaves_customers_out_is_completed(timed: bool) -> None:
    problem = problem_of(random_instance(3, 30, timed=timed))
    given = routes_of(start_solution(problem, None))[:3]
    solution = start_solution(problem, given)
    require_consistent(problem, solution)
    assert not bank_of(solution)
    assert sum(set(route) <= set(longer) for route in given for longer in routes_of(solution)) == 3


@pytest.mark.slow_without_jit
def test_six_thousand_customers_without_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = generate_cvrp(6000, seed=1)
    monkeypatch.setitem(vars(instance), "distances", None)  # nothing can be done with this
    result = solve(instance, portfolio="full", acceptance=HillClimbing(), stop=MaxIterations(100))
    assert result.feasible
    assert result.settings["start"] == "savings"
    assert result.cost < result.start_cost < 1.2 * result.cost


def test_the_problem_of_an_equal_instance_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looking for it and taking it, say."""
    known = start._problems
    first, second = random_instance(8, 6), random_instance(8, 6)
    assert first == second
    problem_of(first)

    class Forgetful(type(known)):  # type: ignore[misc]
        def __contains__(self, key: object) -> bool:
            found = super().__contains__(key)
            self.clear()
            return found

    forgetful = Forgetful()
    forgetful[first] = problem_of(first)
    monkeypatch.setattr(start, "_problems", forgetful)
    assert problem_of(second).fleet == problem_of(first).fleet
