"""A search finds the same whether it reads distances from a matrix or measures them."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import dacalns
from core.oracle import random_instance
from dacalns import MaxIterations, between, random_int, remove, solve
from dacalns.core.jit import jit_enabled
from dacalns.instances import Instance
from dacalns.instances.distance_matrix import ROUNDINGS
from dacalns.search import start
from dacalns.search.operators import destroy_operator
from dacalns.search.portfolio import PORTFOLIOS, Portfolio
from dacalns.util.errors import InputError


def found(instance: Instance, **options: Any) -> Any:
    options = {"stop": MaxIterations(60 if jit_enabled() else 8), "seed": 3, **options}
    result = solve(instance, **options)
    history = [dataclasses.replace(event, seconds=0.0) for event in result.history]
    return result.cost, result.routes, result.unserved, result.operators.accepted, history


@pytest.fixture
def no_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "MOST_STORED", 0)
    monkeypatch.setattr(Instance, "distances", property(lambda _: pytest.fail("the matrix was built")))


@pytest.mark.parametrize("portfolio", PORTFOLIOS)
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("kind", [{}, {"timed": True}, {"tight": True}], ids=["cvrp", "vrptw", "tight"])
def test_same_answer(kind: dict[str, Any], rounding: str, portfolio: str, request: pytest.FixtureRequest) -> None:
    instance = random_instance(5, 25, rounding=rounding, **kind)
    with_matrix = found(instance, portfolio=portfolio, selector="random")
    request.getfixturevalue("no_matrix")
    copy = random_instance(5, 25, rounding=rounding, **kind).with_(name="the same without a matrix")
    assert not start.problem_of(copy).stored
    assert found(copy, portfolio=portfolio, selector="random") == with_matrix


@pytest.mark.parametrize("timed", [False, True], ids=["cvrp", "vrptw"])
def test_learned_selectors_see_the_same(timed: bool, request: pytest.FixtureRequest) -> None:
    with_matrix = found(random_instance(1, 20, timed=timed), selector="dac")
    request.getfixturevalue("no_matrix")
    assert found(random_instance(1, 20, timed=timed).with_(name="without"), selector="dac") == with_matrix


@pytest.mark.usefixtures("no_matrix")
def test_a_matrix_that_an_instance_brings_is_used() -> None:
    instance = random_instance(1, 5, matrix=True)
    assert start.has_matrix(instance)
    assert not start.has_matrix(random_instance(1, 5))


def test_small_instances_have_a_matrix() -> None:
    assert start.problem_of(random_instance(2, 6)).stored


@destroy_operator(count=(1, 3))
def reads_the_matrix(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    customer = 1 + random_int(rng, len(problem.demand) - 1)
    if problem.distance[0, customer] > 0:
        remove(problem, solution, customer)


@destroy_operator(count=(1, 3))
def calls_between(problem, solution, count, rng):  # type: ignore[no-untyped-def]
    customer = 1 + random_int(rng, len(problem.demand) - 1)
    if between(problem, 0, customer) > 0:
        remove(problem, solution, customer)


def test_own_operators(request: pytest.FixtureRequest) -> None:
    reading, calling = (Portfolio((own,), ("regret_repair",)) for own in (reads_the_matrix, calls_between))
    instance = random_instance(4, 12)
    expected = found(instance, portfolio=reading)
    assert found(instance, portfolio=calling)[:2] == expected[:2]
    request.getfixturevalue("no_matrix")
    bare = instance.with_(name="without")
    assert found(bare, portfolio=calling)[:2] == expected[:2]
    if jit_enabled():
        with pytest.raises(InputError, match="destroy operator 'reads_the_matrix' reads") as caught:
            found(bare, portfolio=reading)
        assert "dacalns.between" in str(caught.value)


@pytest.mark.usefixtures("no_matrix")
def test_the_whole_way_from_file_to_file(tmp_path: Any) -> None:
    instance = random_instance(6, 15, rounding="round")
    dacalns.write_instance(instance, tmp_path / "some.vrp")
    back = dacalns.read(tmp_path / "some.vrp", rounding="round")
    result = solve(back, stop=MaxIterations(5))
    dacalns.write_solution(tmp_path / "some.sol", result.routes, result.cost)
    assert dacalns.check(back, dacalns.read_solution(tmp_path / "some.sol")[0]).feasible
    assert np.isclose(dacalns.check(back, result.routes).cost, result.cost)
