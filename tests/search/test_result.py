"""Results on paper and back."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import dacalns
from core.oracle import random_instance
from dacalns.instances import Instance
from dacalns.instances.parts import VehicleType
from dacalns.search.checker import check, route_plans
from dacalns.search.output.words import number
from dacalns.search.result import Result
from dacalns.util.errors import InputError

STOP = dacalns.MaxIterations(20) | (dacalns.MaxTime(1000) & dacalns.TargetCost(1))


@pytest.fixture(scope="module")
def result() -> Result:
    return dacalns.solve(random_instance(2, 8, timed=True), portfolio="paper", stop=STOP, seed=3)


def test_json_round_trip(result: Result, tmp_path: Path) -> None:
    assert Result.from_json(result.to_json()) == result
    path = tmp_path / "result.json"
    result.to_json(path)
    assert Result.from_json(path) == Result.from_json(str(path)) == result
    assert Result.from_dict(json.loads(result.to_json())) == result


@pytest.fixture(scope="module")
def rich(result: Result) -> Result:
    """The same search with the answer to another problem: two vehicle types, one of them open, and a missed prize."""
    instance = Instance(
        name="rich", coordinates=[[0, 0], [3, 4], [6, 8], [0, 5]], demands=[0, 1, 1, 1], optional=[0, 0, 0, 1],
        prizes=[0, 0, 0, 2.5], windows=[[0, 90], [20, 30], [0, 90], [0, 90]],
        vehicle_types=(VehicleType(capacity=4, fixed_cost=7), VehicleType(capacity=3, end_depot=None)),
    )  # fmt: skip
    routes, types = [[1], [2]], [1, 0]
    verdict = check(instance, routes, types)
    return dataclasses.replace(
        result, instance="rich", routes=routes, vehicle_types=types, cost=verdict.cost, cost_parts=verdict.cost_parts,
        left_out=verdict.left_out, plans=route_plans(instance, routes, types),
    )  # fmt: skip


def test_json_of_a_plain_problem_says_no_more_than_before(result: Result) -> None:
    assert result.vehicle_types == [0] * len(result.routes)
    data = json.loads(result.to_json())
    assert not data.keys() & {"vehicle_types", "cost_parts", "left_out", "plans"}
    assert dataclasses.replace(result, routes=[[1]], vehicle_types=[]).vehicle_types == [0]


def test_details_of_richer_problems(rich: Result) -> None:
    assert rich.cost_parts == {"fixed": 7, "distance": 25, "duration": 0, "overtime": 0, "prizes": 2.5}
    assert str(rich).splitlines()[1:3] == [
        "  cost 34.5 (fixed 7, distance 25, prizes 2.5)",
        "  2 routes (1 of type 0, 1 of type 1), feasible, 1 optional customer left out: 3",
    ]
    assert (rich.plans[0].vehicle_type, rich.plans[0].end_depot, rich.plans[0].start) == (1, None, 15)
    data = json.loads(rich.to_json())
    assert (data["vehicle_types"], data["left_out"]) == ([1, 0], [3])
    assert data["plans"][0]["stops"][1] == {
        "node": 1, "arrival": 20, "wait": 0, "start": 20, "departure": 20, "load": [0],
    }  # fmt: skip
    assert Result.from_json(rich.to_json()) == rich


def test_a_reference_of_ours_is_not_called_best_known() -> None:
    result = dacalns.solve("C102-n20-s1", portfolio="paper", stop=STOP)
    assert result.best_known_origin == dacalns.read("C102-n20-s1").best_known_origin
    assert f" % to reference {number(result.best_known)}" in str(result)


def test_all_that_is_needed_to_repeat_it_is_there(result: Result) -> None:
    assert result.settings["stop"] == {
        "type": "AnyOf",
        "criteria": [
            {"type": "MaxIterations", "iterations": 20},
            {
                "type": "AllOf",
                "criteria": [{"type": "MaxTime", "seconds": 1000}, {"type": "TargetCost", "cost": 1}],
            },
        ],
    }
    assert result.settings["acceptance"]["type"] == "LocalAnnealing"
    assert result.settings["selector"] == {
        "type": "Roulette",
        "scores": [33, 9, 13, 0],
        "segment": 100,
        "reaction": 0.1,
    }
    assert result.settings["portfolio"]["repair"] == ["random_repair", "greedy_repair", "regret_repair"]
    assert (result.seed, result.version, result.rounding) == (3, dacalns.__version__, "exact")


def test_numbers_of_numpy_do_not_spoil_the_json() -> None:
    instance = random_instance(2, 5)
    result = dacalns.solve(instance, portfolio="paper", stop=dacalns.MaxIterations(np.int64(3)), seed=np.int64(2))
    assert Result.from_json(result.to_json()) == result


def test_counts_add_up(result: Result) -> None:
    use = result.operators
    assert sum(use.destroy_uses) == sum(use.repair_uses) == result.iterations == 20
    for one, other in ((use.accepted, use.uses), (use.new_best, use.accepted), (use.better, use.accepted)):
        assert all(a <= b for row, most in zip(one, other, strict=True) for a, b in zip(row, most, strict=True))
    assert sum(map(sum, use.new_best)) == len(result.history) - 1
    assert all(0 <= removed <= 8 for removed in use.mean_removed)
    assert result.history[-1].cost == pytest.approx(result.cost)
    assert result.history[0].cost == pytest.approx(result.start_cost)


def test_printing(result: Result) -> None:
    first, cost, routes, *lines, iterations, settings = str(result).splitlines()
    assert first == "random-2: VRPTW, 8 customers, rounding exact, fleet free"
    assert cost == f"  cost {number(result.cost)}"
    assert routes == f"  {len(result.routes)} routes, feasible"
    assert [line.split(":")[0].strip() for line in lines] == [str(k + 1) for k in range(len(result.routes))]
    assert iterations.startswith("  20 iterations in ")
    assert iterations.endswith("stopped by criterion")
    assert settings.startswith("  selector roulette, portfolio paper, seed 3, version ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "JSON text:1: .*expected JSON"),
        ("{}", "result: instance is missing"),
        ('{"history": [], "operators": {}, "time": {}}', "missing"),
        ('{"history": 3}', "result: instance is missing"),
    ],
)
def test_text_that_is_no_result(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Result.from_json(text)


def test_a_field_too_many_or_too_few(result: Result) -> None:
    data = result.to_dict()
    with pytest.raises(InputError, match="surprise"):
        Result.from_dict({**data, "surprise": 1})
    del data["cost"]
    with pytest.raises(InputError, match="cost"):
        Result.from_dict(data)


def test_files_that_are_no_result(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Result.from_json(tmp_path / "absent.json")
    listed = tmp_path / "list.json"
    listed.write_text("[1, 2]")
    with pytest.raises(InputError, match="result is a JSON list"):
        Result.from_json(listed)
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        Result.from_json(binary)


@pytest.mark.parametrize(
    ("known", "gap", "alarm"), [(2, None, False), (3, 0.0, False), (3, -0.1, True), (4, None, True)]
)
def test_fewer_vehicles_than_published_raise_the_alarm(
    result: Result, known: int, gap: float | None, alarm: bool
) -> None:
    phase = dacalns.FleetPhase(start_vehicles=5, vehicles=3, bound=2, iterations=9, seconds=0.1)
    told = dataclasses.replace(
        result, routes=[[1], [2], [3]], best_known=100.0, best_known_vehicles=known, gap_percent=gap, fleet_phase=phase
    )
    assert ("BELOW the best-known value" in str(told)) == alarm
    assert f"3 routes (best-known {known}, at least 2 needed)" in str(told)
