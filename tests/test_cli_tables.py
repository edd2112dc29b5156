"""Tables and VROOM's JSON on the command line."""

import json
import sys

import pytest

from dacalns import cli

pytestmark = pytest.mark.slow_without_jit

TOWN = (
    "name,lat,lon,Kisten,open,close,phone,door\nMitte,52.53,13.38,3,08:30,10:00,0,a\n"
    "Tegel,52.58,13.28,4,,,0,b\nBuch,52.63,13.49,2,9:00,12:00,0,c\n"
)
VANS = "name,number,capacity,fixed_cost,start,end\nvan,2,5,20,08:00,16:00\ntruck,1,12,50,07:00,15:00\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "customers.csv").write_text(TOWN)
    (tmp_path / "vehicles.csv").write_text(VANS)
    return tmp_path


@pytest.fixture
def run(folder, monkeypatch, capfd):
    """Run the command in this process; return exit code, standard output and standard error."""

    def ran(*arguments):
        monkeypatch.setattr(sys, "argv", ["dac-alns", *arguments])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        captured = capfd.readouterr()
        return exit_.value.code or 0, captured.out, captured.err

    return ran


SOLVE = ("solve", "customers.csv", "--iterations", "100")
OF_TOWN = (
    "--vehicles", "vehicles.csv", "--depot", "52.52,13.40", "--column", "demand=Kisten", "--ignore", "door,phone"
)  # fmt: skip


def test_a_table_is_solved_and_its_answer_checked(run):
    code, out, err = run(*SOLVE, *OF_TOWN, "--out", "plan.sol")
    assert code == 0, err
    assert "customers: VRP with vehicle-types, windows" in out
    assert "Note: vehicles.csv: column 'start' has times of the shift." in err
    code, out, err = run("check", "customers.csv", "plan.sol", *OF_TOWN)
    assert code == 0, err
    assert "feasible" in out
    assert run(*SOLVE, *OF_TOWN, "--quiet")[1:] == ("", "")


def test_without_a_table_of_vehicles_options_say_how_many_and_what_they_hold(run):
    code, out, err = run(*SOLVE, "--depot", "Mitte", "--vehicles", "2", "--capacity", "9", *OF_TOWN[4:])
    assert code == 0, err
    assert "fleet 2" in out
    depots = "--depot", "52.5,13.4", "--depot", "52.6,13.4"
    assert run(*SOLVE, *depots, "--capacity", "kg=9", *OF_TOWN[4:], "--quiet")[0] == 0


def test_a_matrix_and_its_profiles(run, folder):
    car = [[0, 10, 20, 30], [10, 0, 10, 20], [20, 10, 0, 10], [30, 20, 10, 0]]
    for name in ("car.json", "truck.json"):
        (folder / name).write_text(json.dumps({"code": "Ok", "durations": car, "distances": car}))
    assert run(*SOLVE, *OF_TOWN, "--matrix", "car.json")[0] == 0
    (folder / "vehicles.csv").write_text("name,capacity,profile\nvan,12,truck\n")
    assert run(*SOLVE, *OF_TOWN, "--matrix", "car=car.json", "--matrix", "truck=truck.json")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (OF_TOWN[:4], "customers.csv:1: column 'Kisten' is not known"),
        ((*OF_TOWN, "--column", "demand"), "column is 'demand'; expected MEANING=NAME, such as demand=Kisten"),
        ((*OF_TOWN, "--column", "demand=x"), "column gives 'demand' twice"),
        ((*OF_TOWN, "--capacity", "many"), "capacity is 'many'; expected a number, or LOAD=N such as kg=100"),
        ((*OF_TOWN, "--matrix", "a", "--matrix", "b"), "matrix is 'a', one of 2; expected PROFILE=FILE"),
        ((*OF_TOWN, "--time-unit", "day"), "time_unit is 'day'; expected 's', 'min' or 'h'"),
        ((*OF_TOWN, "--fleet", "3"), "as there are 2 types of vehicles"),
        ((*OF_TOWN, "--out", "vehicles.csv"), "is the file that --vehicles (vehicles.csv) reads"),
        ((*OF_TOWN, "--format", "csv"), "format is 'csv'; expected vroom"),
        (("--format", "vroom"), "customers.csv:1: Expecting value"),
    ],
)
def test_mistakes_are_one_sentence(run, folder, arguments, said):
    code, out, err = run(*SOLVE, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.splitlines()[-1].startswith("Error: ")
    assert (folder / "vehicles.csv").read_text() == VANS


VROOM = {
    "vehicles": [{"id": 1, "start_index": 0, "end_index": 0}],
    "jobs": [{"id": 7, "location_index": 1}, {"id": 8, "location_index": 2}],
    "matrices": {"car": {"durations": [[0, 60, 90], [60, 0, 45], [90, 45, 0]]}},
}


def test_vroom_goes_in_and_out(run, folder):
    (folder / "in.json").write_text(json.dumps(VROOM))
    solve = "solve", "in.json", "--iterations", "50"
    assert run(*solve, "--format", "vroom", "--out", "out.json", "--json", "all.json")[0] == 0
    answer = json.loads((folder / "out.json").read_text())
    assert (answer["code"], answer["summary"]["cost"]) == (0, 195)
    code, out, err = run(*solve, "--quiet", "--out", "-")
    assert (code, err) == (0, "")
    assert json.loads(out)["routes"][0]["steps"] == answer["routes"][0]["steps"]
    assert json.loads((folder / "all.json").read_text())["instance"] == "in"
    assert run(*solve, "--out", "x.sol")[0] == 0
    assert "Route #1" in (folder / "x.sol").read_text()
    code, _, err = run(*solve, "--vehicles", "3")
    assert code == 2
    assert "vehicles is given, and 'in.json' is a problem of VROOM's" in err
