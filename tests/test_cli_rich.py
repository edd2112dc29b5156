"""The command line with a problem of two depots, two vehicle types and customers who may be left out."""

import sys

import pytest

import dacalns
from dacalns import cli
from dacalns.instances.parts import VehicleType

pytestmark = pytest.mark.slow_without_jit


@pytest.fixture
def dac_alns(monkeypatch, capfd):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["dac-alns", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = capfd.readouterr()
        return exit_.value.code or 0, out, "".join(line for line in err.splitlines(True) if "Compiling" not in line)

    return run


@pytest.fixture
def vans(tmp_path):
    places = [[0, 0], [20, 0], [1, 5], [2, 6], [4, 1], [15, 2], [17, 1], [18, -3], [-3, -3], [95, 94]]
    instance = dacalns.Instance(
        name="vans",
        coordinates=places,
        depots=2,
        demands=[0, 0] + [1] * 8,
        optional=[0] * 9 + [1],
        prizes=[0] * 9 + [5],
        vehicle_types=(
            VehicleType(capacity=4, num_available=2, fixed_cost=10),
            VehicleType(capacity=3, num_available=2, start_depot=1, end_depot=1),
        ),
        rounding="milli",
    )
    dacalns.write_instance(instance, tmp_path / "vans.vrp")
    return tmp_path / "vans.vrp"


def test_solve_check_and_start(dac_alns, vans, tmp_path):
    sol = tmp_path / "vans.sol"
    code, out, err = dac_alns("solve", vans, "--rounding", "milli", "--iterations", 100, "--out", sol)
    assert (code, err) == (0, "")
    told = out.splitlines()
    kind = "VRP with depots, vehicle-types, prizes and fixed-costs"
    assert told[0].startswith(f"vans: {kind}, 8 customers, rounding milli")
    assert "(fixed " in told[1]
    assert told[2].endswith("feasible, 1 optional customer left out: 9")
    assert told[3].startswith(
        "    Customer 9 is left out by choice: the cheapest place, a new route of vehicle type 1, "
    )
    assert told[3].endswith(" more, above his prize of 5.")
    assert [line.split()[:3] for line in told[4:6]] == [["1:", "type", "0"], ["2:", "type", "1"]]
    assert told[7].startswith(
        "  selector weights (fixed mixture: no trained policy for this problem), portfolio full, "
    )
    cost = told[1].split()[1]
    code, out, _ = dac_alns("check", vans, sol, "--rounding", "milli")
    assert code == 0
    assert out.startswith(f"vans: cost {cost} (fixed ")
    assert out.endswith("feasible, 1 optional customer left out: 9\n")
    code, again, _ = dac_alns("solve", vans, "--rounding", "milli", "--start", sol, "--time", 0)
    assert again.splitlines()[1:3] == told[1:3]


def test_a_problem_that_only_json_can_say(dac_alns, vans, tmp_path):
    stated, sol = tmp_path / "vans.json", tmp_path / "vans.sol"
    types = [
        VehicleType(capacity=4, num_available=2, unit_duration_cost=0.5, max_stops=3, reload_depots=(0, 1)),
        VehicleType(capacity=3, num_available=2, start_depot=None, start_late=40),
    ]
    dacalns.write_instance(dacalns.read(vans, rounding="milli").with_(vehicle_types=types), stated)
    code, out, err = dac_alns("solve", stated, "--iterations", 100, "--out", sol)
    assert (code, err) == (0, "")
    assert "8 customers, rounding milli" in out
    code, checked, _ = dac_alns("check", stated, sol)
    assert code == 0
    assert checked.split()[2] == out.splitlines()[1].split()[1]
    text = stated.read_text()
    stated.write_text(text.replace("max_stops", "max_stop"))
    code, _, err = dac_alns("solve", stated)
    assert code == 2
    assert err.startswith(f"Error: {stated}: vehicle_types[0].max_stop is not known; expected one of ")
    assert err.endswith("; did you mean max_stops?\n")


def test_generated_instances_in_json(dac_alns, tmp_path):
    code, _, err = dac_alns("generate", "vrptw", "-n", 12, "--seed", 3, "--out", tmp_path / "x.json")
    assert (code, err) == (0, "")
    assert dacalns.read(tmp_path / "x.json") == dacalns.generate_vrptw(12, seed=3)


def test_check_names_what_is_wrong_with_vehicles(dac_alns, vans, tmp_path):
    (tmp_path / "bad.sol").write_text("Route #1: 2 3 4 5 6\nRoute #3: 7 8\nCost 5\n")
    code, out, _ = dac_alns("check", vans, tmp_path / "bad.sol", "--rounding", "milli")
    assert code == 1
    assert out.splitlines()[0].endswith(
        "2 routes (1 of type 0, 1 of type 1), INFEASIBLE: 1 violation, 1 optional customer left out: 9"
    )
    assert "  Route 1 carries 5" in out
    assert "the file says Cost 5; with rounding milli it is " in out
    (tmp_path / "bad.sol").write_text("Route #9: 2\n")
    code, _, err = dac_alns("check", vans, tmp_path / "bad.sol")
    assert code == 2
    assert "route 9 is of a vehicle that is not known; expected 1 to 4" in err


def test_routes_that_no_file_could_take_are_printed_as_files_have_them(dac_alns, vans, tmp_path):
    code, out, _ = dac_alns("solve", vans, "--iterations", 20, "--quiet", "--out", "/dev/full")
    assert code == 2
    (tmp_path / "again.sol").write_text(out[out.index("Route #1") :])
    instance = dacalns.read(vans)
    routes, types, cost = dacalns.read_solution_of(instance, tmp_path / "again.sol")
    verdict = dacalns.check(instance, routes, types)
    assert verdict.feasible
    assert verdict.cost == pytest.approx(cost)


def test_fewest_vehicles_are_refused_in_one_sentence(dac_alns, vans):
    code, out, err = dac_alns("solve", vans, "--objective", "vehicles-then-distance", "--iterations", 10)
    assert (code, out) == (2, "")
    assert err.startswith("Error: objective is vehicles-then-distance, and vans has several vehicle types; expected ")


def test_side_by_side_with_a_picture_and_a_report(dac_alns, vans, tmp_path):
    report, picture = tmp_path / "x.json", tmp_path / "x.svg"
    code, _, err = dac_alns("solve", vans, "--jobs", 2, "--iterations", 50, "--json", report, "--plot", picture)
    assert (code, err) == (0, "")
    result = dacalns.Result.from_json(report)
    assert result.jobs == 2
    assert len(result.plans) == len(result.routes) == len(result.vehicle_types)
    assert picture.read_text().startswith("<?xml")
