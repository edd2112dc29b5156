"""The checker: by hand on four customers, then on the published solutions."""

from pathlib import Path

import numpy as np
import pytest

from dacalns import MaxIterations, solve
from dacalns.instances import Instance, generate_cvrp, read, read_solution
from dacalns.search.checker import check
from dacalns.util.errors import InputError

SOLUTIONS = sorted((Path(__file__).parents[1] / "data" / "solomon-sol").glob("*.sol"))
INFEASIBLE_WHEN_EXACT = {"R102", "R105", "R107", "R108", "R112", "R211", "RC101", "RC105"}


def four(**changes: object) -> Instance:
    """Distances from the depot 5, 10, 5, 5; from 1 to 2: 5; from 3 to 4: sqrt(10)."""
    fields = {
        "name": "four",
        "coordinates": [[0, 0], [3, 4], [6, 8], [0, 5], [-3, 4]],
        "demands": [0, 1, 2, 3, 4],
        "capacity": 7,
    }
    return Instance(**{**fields, **changes})  # type: ignore[arg-type]


def kinds(instance: Instance, routes: list[list[int]]) -> list[tuple[str, int | None, int | None, float]]:
    return [(v.kind, v.route, v.customer, v.amount) for v in check(instance, routes).violations]


@pytest.mark.parametrize(
    ("rounding", "cost"), [("round", 33), ("trunc", 33), ("dimacs", 33.1), ("exact", 30 + 10**0.5)]
)
def test_cost_by_hand(rounding: str, cost: float) -> None:
    verdict = check(four(rounding=rounding), [[1, 2], [3, 4]])
    assert verdict.cost == cost
    assert verdict.feasible
    assert verdict.violations == []


def test_empty_routes_and_numpy_numbers_do_not_matter() -> None:
    assert check(four(fleet=2), [[], np.array([1, 2]), [3, 4], []]).feasible  # type: ignore[list-item]


def test_capacity() -> None:
    assert kinds(four(), [[1, 3, 4], [2]]) == [("capacity", 1, None, 1.0)]
    assert str(check(four(), [[1, 3, 4], [2]]).violations[0]) == "Route 1 carries 8, 1 more than the capacity of 7."
    assert check(four(demands=[0, 0.1, 0.2, 0, 0], capacity=0.3), [[1, 2, 3, 4]]).feasible


def test_visits() -> None:
    assert kinds(four(), [[1, 2], [3]]) == [("missing", None, 4, 1.0)]
    assert kinds(four(), [[1, 2], [3, 1]]) == [("duplicate", 2, 1, 1.0), ("missing", None, 4, 1.0)]
    assert kinds(four(), [[1, 2, 9], [3, 4], [0], [-1]]) == [
        ("unknown", 1, 9, 1.0),
        ("unknown", 3, 0, 1.0),
        ("unknown", 4, -1, 1.0),
    ]
    assert check(four(), [[1, 2, 9], [3, 4]]).cost == 33
    assert len(check(four(), []).violations) == 4
    assert check(four(), []).cost == 0


def test_fleet() -> None:
    assert kinds(four(fleet=2), [[1], [2], [3, 4]]) == [("fleet", None, None, 1.0)]


def test_windows_by_hand() -> None:
    # Reach 1 at 5, wait to 8, serve to 10, reach 2 at 15, serve to 17, reach the depot at 27.
    windows = [[0, 27], [8, 9], [0, 15], [0, 27], [0, 27]]
    instance = four(windows=windows, service=[0, 2, 2, 2, 2])
    assert check(instance, [[1, 2], [3, 4]]).feasible
    late = instance.with_(windows=[[0, 27], [8, 9], [0, 14.5], [0, 27], [0, 27]])
    assert kinds(late, [[1, 2], [3, 4]]) == [("window", 1, 2, 0.5)]
    sentence = check(late, [[1, 2], [3, 4]]).violations[0].sentence
    assert sentence == "Route 1 reaches customer 2 at 15, 0.5 after it closes at 14.5."
    early = instance.with_(windows=[[0, 26], [8, 9], [0, 15], [0, 26], [0, 26]])
    assert kinds(early, [[1, 2], [3, 4]]) == [("depot", 1, None, 1.0)]
    assert "Route 1 reaches the depot at 27" in check(early, [[1, 2], [3, 4]]).violations[0].sentence


def test_the_depot_opens_late() -> None:
    instance = four(windows=[[6, 90], [0, 10], [0, 90], [0, 90], [0, 90]])
    assert kinds(instance, [[1, 2], [3, 4]]) == [("window", 1, 1, 1.0)]


def test_an_asymmetric_matrix() -> None:
    matrix = [[7, 1, 2], [3, 7, 4], [5, 6, 7]]
    instance = Instance(name="m", matrix=matrix, demands=[0, 1, 1], capacity=2)  # type: ignore[arg-type]
    assert check(instance, [[1, 2]]).cost == 1 + 4 + 5
    assert check(instance, [[2, 1]]).cost == 2 + 6 + 3


@pytest.mark.parametrize("routes", [[[1.5]], [["a"]], [1], 5, [[None]]])
def test_what_is_not_a_solution(routes: list[list[int]]) -> None:
    with pytest.raises(InputError, match="expected lists of customers"):
        check(four(), routes)


@pytest.mark.parametrize("rounding", ["round", "trunc", "dimacs", "exact", "none"])
def test_agrees_with_the_distance_matrix(rounding: str) -> None:
    instance = generate_cvrp(40, seed=3).with_(rounding=rounding)
    stops = [0, *range(1, 41), 0]
    total = instance.distances[stops[:-1], stops[1:]].sum() / instance.scale
    assert check(instance, [list(range(1, 41))]).cost == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_published_solomon_solutions(path: Path) -> None:
    instance = read(path.stem)
    routes, cost = read_solution(path)
    verdict = check(instance, routes)
    assert verdict.violations == []
    assert verdict.cost == cost == instance.best_known
    exact = check(instance.with_(rounding="exact"), routes)
    assert exact.feasible == (path.stem not in INFEASIBLE_WHEN_EXACT)


def test_all_56_solutions_are_there() -> None:
    assert len(SOLUTIONS) == 56


def appointments(unit: float = 1.0, rounding: str = "exact") -> Instance:
    """Three customers one hour apart; each is served for 40 minutes, and the next must be reached on the dot."""
    hour, service = unit, unit * (2 / 3)
    times = [0.0, hour, 2 * hour + service, 3 * hour + 2 * service]
    return Instance(
        name="line", coordinates=[[unit * k, 0] for k in range(4)], demands=[0, 1, 1, 1], capacity=10,
        rounding=rounding, windows=[[0, 20 * unit], *([time, time] for time in times[1:])],
        service=[0.0] + [service] * 3,
    )  # type: ignore[arg-type]  # fmt: skip


@pytest.mark.parametrize("unit", [1e-6, 1.0, 60.0, 1e9])
def test_appointments_with_fractional_service_are_kept_in_every_unit(unit: float) -> None:
    assert check(appointments(unit), [[1, 2, 3]]).feasible
    late = appointments(unit)
    assert late.windows is not None
    sooner = late.windows.copy()
    sooner[3] -= 1e-3 * unit
    assert [violation.kind for violation in check(late.with_(windows=sooner), [[1, 2, 3]]).violations] == ["window"]


@pytest.mark.parametrize("rounding", ["round", "trunc", "dimacs", "exact", "none"])
def test_search_and_checker_agree_on_appointments(rounding: str) -> None:
    instance = appointments(rounding=rounding)
    result = solve(instance, stop=MaxIterations(20), selector="roulette")
    assert (result.feasible, result.warnings) == (True, [])
    assert check(instance, result.routes).feasible


def test_windows_that_close_just_before_a_whole_number() -> None:
    for early in (4e-7, 5e-7, 6e-7, 9e-7):
        instance = four(rounding="round", windows=[[0, 100], *([0, closes - early] for closes in (15, 10, 15, 15))])
        result = solve(instance, stop=MaxIterations(20), selector="roulette")
        assert (result.warnings, result.feasible) == ([], check(instance, result.routes).feasible)


def test_large_and_tiny_loads() -> None:
    assert check(four(demands=[0, 1e9 / 3, 1e9 / 3, 1e9 / 3, 0], capacity=1e9), [[1, 2, 3, 4]]).feasible
    assert not check(four(demands=[0, 1e-6, 1e-6, 1e-6, 0], capacity=2.9e-6), [[1, 2, 3, 4]]).feasible
