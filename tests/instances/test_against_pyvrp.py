"""Costs, matrices and feasibility against another implementation, which shares no code with ours."""

from pathlib import Path

import numpy as np
import pytest

from dacalns.instances import read, sample, write_instance
from dacalns.search.checker import check
from dacalns.util.random_stream import Stream

pyvrp = pytest.importorskip("pyvrp")

CASES = [
    ("A-n32-k5", "round"),
    ("A-n80-k10", "trunc"),
    ("B-n57-k9", "round"),
    ("P-n101-k4", "round"),
    ("P-n16-k8", "trunc"),
    ("R101", "dimacs"),
    ("C205", "dimacs"),
    ("RC208", "dimacs"),
    ("R105-n67-s3", "dimacs"),
]


def random_routes(customers: int, longest: int, seed: int) -> list[list[int]]:
    stream = Stream("routes", seed)
    order = stream.choose(range(1, customers + 1), customers)
    routes = []
    while order:
        size = stream.integer(1, longest)
        routes.append(order[:size])
        order = order[size:]
    return routes


@pytest.mark.parametrize(("name", "rounding"), CASES)
def test_the_same_matrix_cost_and_verdict(tmp_path: Path, name: str, rounding: str) -> None:
    instance = read(name, rounding=rounding, fleet="free")
    write_instance(instance, tmp_path / "x.vrp")
    data = pyvrp.read(tmp_path / "x.vrp", round_func=rounding)
    assert np.array_equal(data.distance_matrix(0), instance.distances)
    for seed in range(20):
        routes = random_routes(instance.customers, 1 + seed // 2, seed)
        theirs = pyvrp.Solution(data, [[customer - 1 for customer in route] for route in routes])
        ours = check(instance, routes)
        kinds = {violation.kind for violation in ours.violations}
        assert ours.cost == theirs.distance() / instance.scale
        assert ("capacity" in kinds) == theirs.has_excess_load()
        assert bool(kinds & {"window", "depot"}) == theirs.has_time_warp()
        assert ours.feasible == theirs.is_feasible()


def test_an_explicit_matrix(tmp_path: Path) -> None:
    base = sample(read("R101"), 20, 1)
    matrix = base.distances + np.arange(21)[:, None]
    np.fill_diagonal(matrix, 0)
    instance = base.with_(coordinates=None, matrix=matrix, rounding="none")
    write_instance(instance, tmp_path / "x.vrp")
    data = pyvrp.read(tmp_path / "x.vrp", round_func="none")
    routes = random_routes(20, 5, 1)
    theirs = pyvrp.Solution(data, [[customer - 1 for customer in route] for route in routes])
    assert not instance.symmetric
    assert check(instance, routes).cost == theirs.distance()
