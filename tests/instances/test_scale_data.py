"""Larger benchmark files with their solutions, where they lie beside the checkout."""

from pathlib import Path

import pytest

from dacalns.instances import preflight, read, read_solution
from dacalns.search.checker import check

SCALE = Path(__file__).parents[3] / "shared" / "data" / "scale"
FILES = sorted(SCALE.glob("*/*.vrp"))

pytestmark = pytest.mark.skipif(not FILES, reason="the larger files are not beside this checkout")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_published_solutions(path: Path) -> None:
    instance = read(path)
    assert (instance.fleet is None) == (instance.problem == "cvrp")
    assert preflight(instance) == []
    if path.with_suffix(".sol").exists():
        routes, cost = read_solution(path.with_suffix(".sol"))
        verdict = check(instance, routes)
        assert verdict.violations == []
        assert verdict.cost == cost
