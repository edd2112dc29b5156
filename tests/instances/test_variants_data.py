"""Files of richer problems, where they lie beside the checkout, against what another reader says of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dacalns.instances import read
from dacalns.instances.solution_file import read_solution_of, write_solution_of
from dacalns.instances.write import write_instance
from instances.agreement import LARGE, require_agreement

VARIANTS = Path(__file__).parents[3] / "shared" / "data" / "variants"
DIALECT = [
    path for folder in sorted(VARIANTS.glob("*")) if folder.name != "limits" for path in sorted(folder.glob("*.vrp"))
]
SOLVED = [path for path in DIALECT if path.with_suffix(".sol").exists()]
OTHERS = [
    *sorted(VARIANTS.glob("PDPTW/*/*.txt")),
    *sorted(VARIANTS.glob("MDVRP/*.txt")),
    *sorted(VARIANTS.glob("limits/*.vrp")),
]

pytestmark = pytest.mark.skipif(not DIALECT, reason="the files of richer problems are not beside this checkout")

ROUNDINGS = {"GVRP": "round", "VRPB": "round", "MTVRPTWR": "dimacs", "PCVRPTW": "dimacs"}


def named(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def in_pyvrp(path: Path, rounding: str) -> Any:
    pyvrp = pytest.importorskip("pyvrp")
    return pyvrp.read(path, round_func="exact" if rounding == "milli" else rounding)


@pytest.mark.parametrize("path", DIALECT, ids=named)
def test_the_same_problem_as_pyvrp_reads(path: Path) -> None:
    instance = read(path)
    assert instance.rounding == ROUNDINGS.get(path.parent.name, "milli")
    require_agreement(instance, in_pyvrp(path, instance.rounding))


@pytest.mark.parametrize("path", SOLVED, ids=named)
def test_published_solutions_are_read_and_written_again(path: Path, tmp_path: Path) -> None:
    instance = read(path)
    routes, types, cost = read_solution_of(instance, path.with_suffix(".sol"))
    assert cost is not None
    visited = [node for route in routes for node in route if node >= instance.depots]
    assert len(visited) == len({*visited})
    assert set(np.flatnonzero(instance.required)) <= {*visited} <= {*instance.customer_nodes}
    for route, its_type in zip(routes, types, strict=True):
        allowed = instance.types[its_type].allowed_customers
        assert allowed is None or {node for node in route if node >= instance.depots} <= {*allowed}
    again = tmp_path / "again.sol"
    write_solution_of(instance, again, routes, types, cost)
    found = read_solution_of(instance, again)
    assert sorted(zip(*found[:2], strict=True)) == sorted(zip(routes, types, strict=True))
    assert found[2] == cost
    pyvrp = pytest.importorskip("pyvrp")
    if len(instance.demands) <= LARGE:
        theirs = pyvrp.read_solution(again, in_pyvrp(path, instance.rounding))
        assert theirs.is_feasible()
        assert theirs.is_complete()


@pytest.mark.parametrize("path", [*DIALECT, *OTHERS], ids=named)
def test_written_and_read_again(path: Path, tmp_path: Path) -> None:
    instance = read(path)
    write_instance(instance, tmp_path / "again.vrp")
    again = read(tmp_path / "again.vrp", rounding=instance.rounding)
    # Solution files of the dialect number nodes as we do.
    assert again == instance.with_(customers_first=False, name=again.name)
    assert again.name == instance.name
    if path in DIALECT and len(instance.demands) <= LARGE:
        require_agreement(again, in_pyvrp(tmp_path / "again.vrp", again.rounding))


@pytest.mark.parametrize("path", sorted(VARIANTS.glob("PDPTW/*/*.txt")), ids=named)
def test_pairs_of_li_and_lim(path: Path) -> None:
    instance = read(path)
    assert instance.rounding == "exact"
    rows = [list(map(float, line.split())) for line in path.read_text().splitlines() if line.strip()]
    assert (instance.fleet, instance.capacity) == tuple(rows[0][:2])
    assert len(instance.demands) == len(rows) - 1
    assert instance.pairs is not None
    for pickup, delivery in instance.pairs.tolist():
        first, second = rows[pickup + 1], rows[delivery + 1]
        assert (first[8], second[7]) == (delivery, pickup)
        assert instance.demands[pickup] == first[3] == -second[3]
        assert instance.demands[delivery] == 0
    assert np.array_equal(instance.coordinates, [row[1:3] for row in rows[1:]])
    assert np.array_equal(instance.windows, [row[4:6] for row in rows[1:]])
    assert np.array_equal(instance.service, [row[6] for row in rows[1:]])


@pytest.mark.parametrize("path", sorted(VARIANTS.glob("MDVRP/*.txt")), ids=named)
def test_depots_of_cordeau(path: Path) -> None:
    instance = read(path)
    assert instance.rounding == "exact"
    rows = [list(map(float, line.split())) for line in path.read_text().splitlines() if line.strip()]
    _, each, customers, depots = map(int, rows[0])
    assert (instance.depots, instance.customers, instance.fleet) == (depots, customers, each * depots)
    for depot, kind in enumerate(instance.vehicle_types):
        longest, capacity = rows[1 + depot]
        assert (kind.num_available, kind.start_depot, kind.end_depot) == (each, depot, depot)
        assert (kind.capacity, kind.shift_duration) == ((capacity,), longest or np.inf)
    nodes = rows[1 + depots :]
    nodes = nodes[customers:] + nodes[:customers]
    assert np.array_equal(instance.coordinates, [row[1:3] for row in nodes])
    assert np.array_equal(instance.service, [row[3] for row in nodes])
    assert np.array_equal(instance.demands, [row[4] for row in nodes])


@pytest.mark.parametrize("path", sorted(VARIANTS.glob("limits/*.vrp")), ids=named)
def test_limits_on_distance_and_service(path: Path) -> None:
    instance = read(path)
    said = dict(line.split(" : ") for line in path.read_text().splitlines() if " : " in line)
    if "DISTANCE" not in said:
        assert instance.is_plain
        return
    (kind,) = instance.vehicle_types
    assert (instance.rounding, instance.windows, kind.num_available) == ("exact", None, None)
    assert kind.shift_duration == float(said["DISTANCE"])
    assert set(instance.service[1:]) == {float(said.get("SERVICE_TIME", 0))}
