"""Inputs that are fine, for the mutations to begin with."""

import json
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

import dacalns
from dacalns.instances import generate_cvrp, generate_rich, generate_vrptw, write_instance, write_solution
from dacalns.instances.features import BACKHAULS_LAST, FEATURES, PAIRS
from dacalns.instances.instance_file import bundled_path
from dacalns.learning.blueprint import blueprint
from dacalns.learning.options import TrainingOptions
from dacalns.learning.standing import Standing, save_standing
from dacalns.learning.validation import Validation
from dacalns.selectors.actor_critic import LearningState
from dacalns.selectors.checkpoint import bundled_policy
from dacalns.study.load_protocol import SHIPPED
from dacalns.study.rows import DONE, FAILED, Member, ProtocolOutline, Row
from dacalns.study.store import FILE, Store

SETTINGS = """\
[search]
portfolio = "paper:ratio,scales"
seed = 1
jobs = 1
objective = "distance"

[stop]
time = 0.5
iterations = 20
no_improvement = 10
target = 100.0

[acceptance]
type = "SimulatedAnnealing"
start = 0.05
end = 0.01

[selector]
name = "dac"
preset = "improved"

[rewards]
alpha1 = 1.0
new_best = 20

[network]
hidden = 8
neighbours = 5
context = "search"

[learning]
rate = 0.001
discount = 0.9
normalise_advantage = true
target = "two-step"
"""
MORE_SETTINGS = (
    "acceptance = 'threshold'\n[selector]\nname = 'roulette'\nscores = [33, 9, 13, 0]\nsegment = 10\nreaction = 0.1\n",
    "[acceptance]\ntype = 'LateAcceptance'\nlength = 100\n[selector]\nname = 'ucb'\nalpha = 0.05\n",
    "[acceptance]\npreset = 'hill-climbing'\n[selector]\nname = 'dac-t:hold=5,exploration=0.1'\n",
    "[acceptance]\ntype = 'RecordToRecord'\nstart = 1e-2\n[selector]\nname = 'weights:1,0,1,1/1,1,2'\n",
)
PROTOCOL = """\
title = "A study"
seeds = [0, 100]
portfolio = "paper"
comparisons = [["DAC", "ALNS"]]

[groups.Tiny]
instances = ["P-n16-k8", "R101-n12-s3", "generated-cvrp-n20-s7"]
dataset = "CVRP"
scale = "Small"
policy = "small"

[methods.ALNS]
selector = "roulette"

[methods.DAC]
selector = "dac-t:{policy}"
budgets = ["iterations"]
acceptance = "threshold"

[budgets.iterations]
iterations = 50

[budgets.time]
like = "ALNS"
of = "iterations"
factor = 2

[trainings.small]
problem = "cvrp"
instances = "generated:10-20"
steps = 100
seeds = [1, 2]
"""


def _written(name: str, write: object) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)  # type: ignore[operator]
        return path.read_bytes()


@cache
def vrp() -> list[bytes]:
    """VRPLIB files, with coordinates, matrices and windows."""
    names = ("P-n16-k8", "A-n32-k5")
    small = generate_cvrp(6, seed=1)
    explicit = small.with_(coordinates=None, matrix=small.distances, rounding="none", fleet=3)
    instances = (generate_vrptw(5, seed=1), small, explicit)
    return [
        *(Path(bundled_path(name)).read_bytes() for name in names),
        *(_written("x.vrp", lambda path, one=one: write_instance(one, path)) for one in instances),
    ]


RICH = """NAME : rich
TYPE : {type}
DIMENSION : 6
VEHICLES : 3
{more}EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 30 40
3 60 80
4 0 50
5 50 0
6 9 9
{sections}EOF
"""


def _rows(section: str, *rows: object) -> str:
    return "".join([f"{section}_SECTION\n", *(f"{number} {row}\n" for number, row in enumerate(rows, start=1))])


@cache
def dialect() -> list[bytes]:
    """VRPLIB files of richer problems, with all sections among them."""
    demands, windows = _rows("DEMAND", 0, 0, 3, 4, 0, 2), _rows("TIME_WINDOW", *["0 999"] * 6)
    depots, vehicles = "DEPOT_SECTION\n1\n2\n-1\n", _rows("CAPACITY", 10, 20, 10)
    many = (
        ("MDVRPTW", "VEHICLES_MAX_DURATION : 400\n",
         demands + windows + _rows("VEHICLES_DEPOT", 2, 1, 2) + vehicles + depots),
        ("HFVRP", "", demands + vehicles + _rows("VEHICLES_FIXED_COST", 7, 8, 7)
         + _rows("VEHICLES_UNIT_DISTANCE_COST", 1, 2.5, 1)),
        ("VRPB", "CAPACITY : 10\n", demands + _rows("BACKHAUL", 0, 4, 0, 0, 5, 0)),
        ("GVRP", "CAPACITY : 10\nSERVICE_TIME : 5\nDISTANCE : 300\n",
         demands + _rows("MUTUALLY_EXCLUSIVE_GROUP", "2 3", "5", "4 6")),
        ("MTVRPTWR", "CAPACITY : 10\nVEHICLES_MAX_RELOADS : 2\n",
         demands + windows + _rows("RELEASE_TIME", 0, 1, 2, 3, 4, 5) + _rows("VEHICLES_RELOAD_DEPOT", "1 2", "", 2)
         + depots),
        ("PCVRPTW", "CAPACITY : 10\n", demands + windows + _rows("PRIZE", 0, 1, 2, 0, 4, 5)),
        ("SDVRP", "", demands + vehicles + _rows("VEHICLES_ALLOWED_CLIENTS", "3 4 5", "2 3 4 5 6", "4 6")
         + _rows("VEHICLES_MAX_DISTANCE", 300, 300, 400)),
        ("CVRP", "", _rows("DEMAND", "0 0", "1 2", "3 4", "5 6", "7 8", "9 9") + _rows("CAPACITY", *["20 30"] * 3)),
        ("PDPTW", "CAPACITY : 10\n", _rows("PICKUP_AND_DELIVERY", "0 0 900 0 0 0", "0 0 900 0 0 0", "3 10 800 5 0 5",
         "2 20 700 6 0 6", "-3 0 600 7 3 0", "-2 0 500 8 4 0") + depots),
    )  # fmt: skip
    return [RICH.format(type=kind, more=more, sections=sections).encode() for kind, more, sections in many]


PROBLEM = """{
"format": "dac-alns problem", "version": 1, "name": "rows", "comment": "by hand", "rounding": "none",
"coordinates": [[0, 0], [3, 4], [0.5, 5]],
"distances": [[0, 1, 2], [3, 0, 4], [5, 6, 0]],
"durations": [[0, 2, 2], [3, 0, 4], [5, 6, 0]],
"profiles": [{"distances": [[0, 1, 2], [3, 0, 4], [5, 6, 0]]}, {"durations": [[0, 1, 2], [3, 0, 4], [5, 6, 0]]}],
"depots": [{"location": 0, "tw_late": 90, "service_duration": 2}, {"location": 2}],
"customers": [
  {"location": 1, "delivery": [1, 2], "group": 0, "more_windows": [[20, 30], [40, 50]], "tw_early": 5, "tw_late": 9},
  {"location": 2, "pickup": [0, 2], "release_time": 4, "group": 0},
  {"location": 1, "required": false, "prize": 3, "priority": 7}],
"pairs": [{"pickup_location": 1, "delivery_location": 2, "amount": [1, 0], "pickup_node": 3, "delivery_node": 2,
  "release_time": 1, "delivery_release_time": 2, "delivery_more_windows": [[200, 300]], "delivery_tw_late": 99}],
"groups": [{"required": false}],
"vehicle_types": [
  {"num_available": null, "capacity": [5, 4], "start_depot": null, "end_depot": 1, "max_stops": 3, "speed": 0.5},
  {"num_available": 2, "capacity": [5, 9], "tw_early": 1, "tw_late": 80, "start_late": 50, "shift_duration": 60,
   "max_overtime": 10, "unit_overtime_cost": 2, "unit_duration_cost": 1, "unit_distance_cost": 0, "fixed_cost": 3,
   "profile": 2, "reload_depots": [0, 1], "max_reloads": 2, "initial_load": [1, 0], "max_distance": 70,
   "allowed_customers": [2, 3, 4]}]
}
"""


@cache
def problem() -> list[bytes]:
    """Problems in JSON: one by hand with rows and groups, and generated ones with points or all features."""
    most = set(FEATURES) - {PAIRS}, set(FEATURES) - {BACKHAULS_LAST}
    generated = (
        generate_cvrp(4, seed=1),
        generate_vrptw(4, seed=2).with_(fleet=3, comment="short"),
        *(generate_rich(7, features, seed=3) for features in most),
        generate_rich(6, {"pairs", "several-windows", "shifts", "restrictions"}, seed=4).with_(customers_first=True),
    )
    return [
        PROBLEM.encode(), *(_written("x.json", lambda path, one=one: write_instance(one, path)) for one in generated)
    ]  # fmt: skip


@cache
def table() -> list[bytes]:
    """Tables of customers: on a map, in a plane with windows and groups, and with pairs."""
    return [
        b"name,lat,lon,demand,open,close,service,notes\ndepot,52.5,13.4,,,,,\nA,52.53,13.38,3,08:30,10:00,5,x\n"
        b"B,52.58,13.28,4,,,0:10,\n\nC,52.6,13.3,1,9:00,12:00,5 min,\n",
        "\ufeffName;X;Y;qty;ready time;due;Prize;optional;priority;group;phone\ndepot;0;0;;;;;;;;\n"
        "Ä;1,5;1;3;10;90;5;yes;3;;0\nB;2;2;1;;;;;;g;\nC;3;2,5;1;;;;;;G;\n".encode(),
        b"id,type,x,y,demand_kg,release,pair,windows,skills\n1,depot,0,0,,,,,\n"
        b'2,pickup,1,1,3,,p,"1-9, 20-30",\n3,delivery,2,2,,,P,,\n',
        b"name\tx\ty\tpickup_of\tdemand\ndepot\t0\t0\t\t\nA\t1\t1\tB\t2\nB\t2\t2\t\t-2\n",
    ]  # fmt: skip


@cache
def fleet_table() -> list[bytes]:
    """Tables of vehicles."""
    return [
        b"name,number,capacity,fixed_cost,start,end\nvan,2,5,20,08:00,16:00\ntruck,1,12,50,07:00,15:00\n",
        b"vehicle;count;capacity;cost_per_km;cost_per_hour;start;end;max_hours;overtime;max_distance;max_stops;speed\n"
        b"v;unlimited;9;0,5;30;depot;open;8;1:00;200;9;40\n",
    ]


@cache
def matrix() -> list[bytes]:
    """Matrices of four places as routing services answer them."""
    metres = [[0 if a == b else 900 + 100 * a + b for b in range(4)] for a in range(4)]
    cells = [[{"distance": each / 1000, "time": each, "to_index": 1} for each in row] for row in metres]
    answers = (
        {"code": "Ok", "distances": metres, "durations": metres}, {"times": metres, "distances": metres},
        {"sources_to_targets": cells, "units": "miles"},
        {"sources_to_targets": {"distances": metres, "durations": metres}}, metres,
    )  # fmt: skip
    return [json.dumps(each).encode() for each in answers]


@cache
def vroom() -> list[bytes]:
    """Problems in VROOM's JSON, with matrices and on a map."""
    line = [[abs(a - b) * 100 for b in range(5)] for a in range(5)]
    problem = {
        "vehicles": [
            {"id": 1, "start_index": 0, "end_index": 0, "capacity": [4, 9], "time_window": [0, 50000],
             "max_travel_time": 5000, "costs": {"fixed": 3, "per_hour": 7200}, "speed_factor": 0.5},
            {"id": 2, "start_index": 0, "capacity": [4, 1], "skills": [7], "max_tasks": 3, "profile": "bike"},
        ],
        "jobs": [
            {"id": 11, "location_index": 1, "service": 300, "delivery": [1, 0],
             "time_windows": [[3600, 4000], [9000, 9500]]},
            {"id": 12, "location_index": 2, "pickup": [2, 1], "skills": [7], "description": "cold", "setup": 0},
        ],
        "shipments": [
            {"pickup": {"id": 21, "location_index": 3}, "delivery": {"id": 21, "location_index": 4},
             "amount": [2, 0], "priority": 5}
        ],
        "matrices": {"car": {"durations": line, "distances": line}, "bike": {"durations": line, "costs": line}},
    }  # fmt: skip
    on_map = {
        "vehicles": [{"id": 1, "start": [2.35, 48.87], "end": [2.35, 48.87], "costs": {"per_km": 5}}],
        "jobs": [{"id": 1, "location": [2.36, 48.87]}, {"id": 2, "location": [2.35, 48.88], "priority": 3}],
    }
    return [json.dumps(each).encode() for each in (problem, on_map)]


@cache
def li_lim() -> list[bytes]:
    """Files in the format of Li and Lim."""
    return [
        b"2\t200\t1\n0 40 50 0 0 1236 0 0 0\n1 45 68 -10 912 967 90 3 0\n2 45 70 20 825 870 80 0 4\n"
        b"3 42 66 10 65 146 70 0 1\n4 42 68 -20 727 782 60 2 0\n"
    ]


@cache
def cordeau() -> list[bytes]:
    """Files in the format of Cordeau, without windows and with them."""
    return [
        b"2 3 3 2\n80 100\n0 60.5\n1 10 0 5 7 1 2 1 2\n2 20 0 6 8 1 2 1 2\n3 30 0 7 9 1 0\n4 0 1 0 0 0 0\n"
        b"5 0 2 0 0 0 0\n",
        b"6 3 2 1\n0 100\n1 10 0 5 7 1 1 1 20 30\n2 20 0 6 8 1 1 1 40 50\n3 0 1 0 0 0 0 0 99\n",
    ]


@cache
def rich_sol() -> list[bytes]:
    """Solutions of instances with vehicle types."""
    return [b"Route #1: 3 0 2\nRoute #2:\nRoute #3: 4 5\nCost: 12.5\n", b"Route #2: 3\n"]


@cache
def solomon() -> list[bytes]:
    """Files in Solomon's format."""
    short = b"\n".join(Path(bundled_path("R101")).read_bytes().splitlines()[:16]) + b"\n"
    return [short, _written("x.txt", lambda path: write_instance(generate_vrptw(4, seed=2).with_(fleet=4), path))]


@cache
def sol() -> list[bytes]:
    """Solutions."""
    return [
        _written("x.sol", lambda path: write_solution(path, [[1, 2, 3], [4], [5, 6, 7, 8, 9, 10, 11, 12]], 450.5)),
        b"Route #1: 1 2 3\nRoute #2: 4 5\nCost 784\n",
        b"route 1 : 1 2\r\nCost: 1\r\n",
    ]


@cache
def settings() -> list[bytes]:
    """Settings files."""
    return [SETTINGS.encode(), *(text.encode() for text in MORE_SETTINGS)]


@cache
def protocol() -> list[bytes]:
    """Protocols."""
    return [PROTOCOL.encode(), (SHIPPED / "quick.toml").read_bytes(), (SHIPPED / "map.toml").read_bytes()[:3000]]


@cache
def policy() -> list[bytes]:
    """Policies: a network and a wheel."""
    return [bundled_policy("cvrp", kind).read_bytes() for kind in ("dac", "wheel")]


@cache
def result() -> list[bytes]:
    """Results, with an explanation and with a phase for fewer vehicles."""
    stop = dacalns.MaxIterations(30)
    return [
        dacalns.solve("P-n16-k8", selector="dac-t", stop=stop).to_json().encode(),
        dacalns.solve("R101-n12-s3", objective="vehicles-then-distance", selector="roulette", stop=stop)
        .to_json()
        .encode(),
    ]


@cache
def plan() -> dict[str, object]:
    """The plan of the training whose standing is in `state`."""
    return json.loads(json.dumps(_blueprint().described()))


def _blueprint() -> object:
    options = {"instances": "generated:5-8", "kind": "wheel", "method": "whole", "episodes": 2}
    return blueprint(TrainingOptions(problem="cvrp", steps=1, **options))


@cache
def state() -> list[bytes]:
    """Where a training stopped."""
    import numpy as np

    size = 16
    learner = LearningState(*(np.full(size, value, np.float32) for value in (0.1, 0.2, 0.3)), 3.0, 1.5)
    validation = Validation(2, -0.5, 3, 1, 0)
    standing = Standing(
        learner, np.full(size, 0.5), 2, 400, 1.5, ((1.0, None, 3.0), (2.0, 0.5, 1.0)), (validation,), validation,
        (100.0, 200.0), False,
    )  # fmt: skip
    return [_written("x.state", lambda path: save_standing(path, standing, plan()))]


@cache
def study() -> list[bytes]:
    """The database of a study."""
    with tempfile.TemporaryDirectory() as folder:
        members, rows = [], []
        for method in ("ALNS", "DAC"):
            for seed in (0, 100):
                key = f"{method}-{seed}"
                members.append(Member("Tiny", "CVRP", "Small", "P-n16-k8", method, "iterations", seed, key))
                rows.append(_row(key, method, seed))
        failed = Row("x", FAILED, 1, "P-n16-k8", "cvrp", 15, "roulette", 1, "50 iterations", "1", "m", "2026", "why")
        outline = ProtocolOutline(
            "made", "Made up", {"ALNS": "roulette", "DAC": "dac-t"}, {"iterations": "50 iterations"}, [("DAC", "ALNS")],
            None, [0, 100], "dac-alns study run", {"small": [1, 2]},
        )  # fmt: skip
        with Store(folder, create=True) as store:
            store.add_protocol(outline, PROTOCOL, members)
            for row in (*rows, failed):
                store.add(row)
        # A claim of a runner that has been dead for long: one of this process would be another one every time.
        with closing(sqlite3.connect(Path(folder) / FILE)) as connection, connection:
            connection.execute("INSERT INTO claims VALUES ('y', 'host:1:2', 'host', 1, 1.5)")
        return [(Path(folder) / FILE).read_bytes()]


def _row(key: str, method: str, seed: int) -> Row:
    return Row(
        key, DONE, 1, "P-n16-k8", "cvrp", 15, method, seed, "50 iterations", "1.2.3", "machine", "2026-01-02T03:04:05",
        None, 450.0 + seed, True, 0, 450.0, 0.5, 0.25, 0.25, 50, ["a", "b"], ["c"], [[20], [30]],
        [[0, 0.0, 500.0, 0], [10, 0.1, 450.0, 0]], [[1, 2], [3]], {"seed": seed},
    )  # fmt: skip


@cache
def command() -> list[bytes]:
    """Calls of the command line: arguments and files."""
    files = {
        "x.vrp": vrp()[0].decode("latin-1"),
        "x.sol": sol()[0].decode("latin-1"),
        "x.toml": MORE_SETTINGS[0],
        "p.toml": PROTOCOL,
        "x.csv": table()[0].decode("latin-1"),
        "v.csv": fleet_table()[0].decode("latin-1"),
    }
    calls = (
        ["solve", "x.vrp", "--fleet", "8", "--seed", "1", "--rounding", "round", "--out", "y.sol", "--json", "y.json"],
        ["solve", "R101-n12-s3", "--selector", "dac-t:hold=5", "--acceptance", "threshold", "--quiet"],
        ["solve", "P-n16-k8", "--selector", "weights:1,1,1,1/1,1,1", "--portfolio", "paper:ratio", "--start", "x.sol"],
        ["solve", "P-n16-k8", "--settings", "x.toml", "--target", "450", "--no-improvement", "10", "--quiet"],
        ["solve", "x.csv", "--vehicles", "v.csv", "--ignore", "notes", "--out", "y.sol", "--speed", "40"],
        ["solve", "x.csv", "--capacity", "9", "--column", "demand=demand", "--detour", "1.2", "--time-unit", "s"],
        ["check", "x.vrp", "x.sol", "--rounding", "exact", "--fleet", "free"],
        ["instances", "C1"],
        ["generate", "cvrp", "-n", "12", "--demand", "1-10", "--seed", "3", "--out", "y.vrp"],
        ["generate", "vrptw", "-n", "12", "--width", "0.5", "--density", "0.5", "--out", "y.vrp"],
        ["generate", "sample", "R101", "-n", "12", "--seed", "1", "--out", "y.vrp"],
        ["study", "show", "p.toml"],
        ["study", "report", ".", "--format", "md"],
    )
    return [json.dumps({"arguments": call, "files": files}).encode() for call in calls]
