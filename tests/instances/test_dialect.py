"""Sections of the dialect that PyVRP reads, one at a time, in a file of one depot or two and six customers at most."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dacalns.instances import Group, Instance, VehicleType, read, write_instance
from dacalns.util.errors import InputError
from instances.agreement import require_agreement

HEAD = """NAME : rich
DIMENSION : 5
{more}EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 30 40
3 60 80
4 0 50
5 50 0
{sections}EOF
"""
DEMANDS = "DEMAND_SECTION\n1 0\n2 3\n3 4\n4 0\n5 2\n"
CAPACITY = "CAPACITY : 10\n"
TWO_DEPOTS = "DEMAND_SECTION\n1 0\n2 0\n3 4\n4 3\n5 2\nDEPOT_SECTION\n1\n2\n-1\n"
WINDOWS = "TIME_WINDOW_SECTION\n1 0 1000\n2 10 900\n3 20 800\n4 30 700\n5 40 600\n"
PAIRED = (
    "PICKUP_AND_DELIVERY_SECTION\n1 0 0 900 0 0 0\n2 3 10 800 5 0 4\n3 2 20 700 6 0 5\n4 -3 0 600 7 2 0\n"
    "5 -2 0 500 8 3 0\n"
)


def section(name: str, *rows: Any) -> str:
    """A section whose rows are numbered from 1."""
    return "".join([f"{name}_SECTION\n", *(f"{number} {row}".rstrip() + "\n" for number, row in enumerate(rows, 1))])


def written(folder: Path, more: str = "", sections: str = "") -> Path:
    path = folder / "rich.vrp"
    path.write_text(HEAD.format(more=more, sections=sections))
    return path


def rich(folder: Path, more: str = CAPACITY, sections: str = DEMANDS, **options: Any) -> Instance:
    return read(written(folder, more, sections), **options)


# The specifications and sections of a file, and the fields that the instance has beside those of a plain one.
MEANINGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "no-loads": ("", "", {"demands": [0] * 5, "capacity": 1e12}),
    "linehaul": (CAPACITY, DEMANDS.replace("DEMAND", "LINEHAUL"), {"demands": [0, 3, 4, 0, 2]}),
    "backhaul": (CAPACITY, DEMANDS + section("BACKHAUL", 0, 0, 1, 5, 0), {"pickups": [0, 0, 1, 5, 0]}),
    "backhaul-alone": (
        CAPACITY,
        section("BACKHAUL", 0, 0, 1, 5, 0),
        {"demands": [0] * 5, "pickups": [0, 0, 1, 5, 0]},
    ),
    "backhauls-last": (
        "TYPE : VRPB\n" + CAPACITY,
        DEMANDS + section("BACKHAUL", 0, 0, 0, 5, 0),
        {"pickups": [0, 0, 0, 5, 0], "backhauls_last": True},
    ),
    "releases": (CAPACITY, DEMANDS + section("RELEASE_TIME", 0, 5, 0, 0, 7), {"releases": [0, 5, 0, 0, 7]}),
    "no-releases": (CAPACITY, DEMANDS + section("RELEASE_TIME", 0, 0, 0, 0, 0), {"releases": None}),
    "prizes": (
        CAPACITY,
        DEMANDS + section("PRIZE", 0, 5, 0, 0, 7),
        {"prizes": [0, 5, 0, 0, 7], "optional": [False, True, False, False, True]},
    ),
    "groups": (
        "TYPE : GVRP\n" + CAPACITY,
        DEMANDS + section("MUTUALLY_EXCLUSIVE_GROUP", "2 4", "5", "", "3"),
        {"groups": (Group(customers=(1, 3)),), "optional": None},
    ),
    "service-of-depots": (
        "SERVICE_TIME : 9\n" + CAPACITY,
        TWO_DEPOTS,
        {"service": [0, 0, 9, 9, 9], "depots": 2, "vehicle_types": ()},
    ),
    "vehicles": ("VEHICLES : 4\n" + CAPACITY, DEMANDS, {"fleet": 4, "vehicle_types": ()}),
    "limits": (
        "VEHICLES : 4\nVEHICLES_MAX_DISTANCE : 300\nVEHICLES_MAX_DURATION : 400.5\n" + CAPACITY,
        DEMANDS,
        {"vehicle_types": (VehicleType(num_available=4, capacity=10.0, max_distance=300.0, shift_duration=400.5),)},
    ),
    "idle-reloads": ("VEHICLES_MAX_RELOADS : 2\n" + CAPACITY, DEMANDS, {"vehicle_types": (), "fleet": None}),
    "reloads": (
        "VEHICLES : 2\nVEHICLES_MAX_RELOADS : 2\n" + CAPACITY,
        DEMANDS + section("VEHICLES_RELOAD_DEPOT", 1, 1),
        {"vehicle_types": (VehicleType(num_available=2, capacity=10.0, reload_depots=(0,), max_reloads=2.0),)},
    ),
    "reloads-of-many": (
        CAPACITY,
        DEMANDS + section("VEHICLES_RELOAD_DEPOT", 1, 1, 1, 1),
        {"vehicle_types": (VehicleType(num_available=None, capacity=10.0, reload_depots=(0,)),), "fleet": None},
    ),
    "reloads-of-some": (
        "VEHICLES : 3\n" + CAPACITY,
        TWO_DEPOTS + section("VEHICLES_RELOAD_DEPOT", "2 1", "", "1 2"),
        {
            "vehicle_types": (
                VehicleType(num_available=2, capacity=10.0, reload_depots=(0, 1)),
                VehicleType(num_available=1, capacity=10.0),
            ),
            "vehicles": (0, 2, 1),
        },
    ),
    "capacities": (
        "VEHICLES : 3\n",
        DEMANDS + section("CAPACITY", 10, 20, 10),
        {
            "capacity": 20,
            "fleet": 3,
            "vehicle_types": (VehicleType(num_available=2, capacity=10.0), VehicleType(num_available=1, capacity=20.0)),
            "vehicles": (0, 2, 1),
        },
    ),
    "one-capacity": ("VEHICLES : 2\n", DEMANDS + section("CAPACITY", 10, 10), {"fleet": 2, "vehicle_types": ()}),
    "several-loads": (
        "VEHICLES : 2\n",
        section("DEMAND", "0 0", "1 2", "3 4", "5 6", "7 8") + section("CAPACITY", "10 20", "10 20"),
        {
            "demands": [[0, 0], [1, 2], [3, 4], [5, 6], [7, 8]],
            "vehicle_types": (VehicleType(num_available=2, capacity=(10.0, 20.0)),),
        },
    ),
    "costs": (
        "VEHICLES : 2\n" + CAPACITY,
        DEMANDS + section("VEHICLES_FIXED_COST", 7, 8) + section("VEHICLES_UNIT_DISTANCE_COST", 1, 3),
        {
            "vehicle_types": (
                VehicleType(num_available=1, capacity=10.0, fixed_cost=7.0),
                VehicleType(num_available=1, capacity=10.0, fixed_cost=8.0, unit_distance_cost=3.0),
            ),
        },
    ),
    "limits-of-each": (
        "VEHICLES : 2\n" + CAPACITY,
        DEMANDS
        + section("VEHICLES_MAX_DISTANCE", 300, 1e12)
        + section("VEHICLES_MAX_DURATION", 400, 500)
        + section("VEHICLES_MAX_RELOADS", 0, 3)
        + section("VEHICLES_RELOAD_DEPOT", 1, 1),
        {
            "vehicle_types": (
                VehicleType(
                    num_available=1, capacity=10.0, max_distance=300.0, shift_duration=400.0, reload_depots=(0,),
                    max_reloads=0.0,
                ),
                VehicleType(
                    num_available=1, capacity=10.0, shift_duration=500.0, reload_depots=(0,), max_reloads=3.0
                ),
            ),
        },
    ),
    "depots": (
        "VEHICLES : 3\nTYPE : MDVRPTW\n" + CAPACITY,
        TWO_DEPOTS + WINDOWS + section("VEHICLES_DEPOT", 2, 1, 2),
        {
            "depots": 2,
            "vehicle_types": (
                VehicleType(num_available=2, capacity=10.0, start_depot=1, end_depot=1),
                VehicleType(num_available=1, capacity=10.0),
            ),
            "vehicles": (0, 2, 1),
        },
    ),
    "windows-of-depots-where-others-reload": (
        "VEHICLES : 2\n" + CAPACITY,
        TWO_DEPOTS + WINDOWS + section("VEHICLES_DEPOT", 2, 1) + section("VEHICLES_RELOAD_DEPOT", 1, 2),
        {
            "windows": [[0, 1000], [0, 1000], [20, 800], [30, 700], [40, 600]],
            "vehicle_types": (
                VehicleType(
                    num_available=1, capacity=10.0, start_depot=1, end_depot=1, reload_depots=(0,), tw_early=10.0,
                    tw_late=900.0,
                ),
                VehicleType(num_available=1, capacity=10.0, reload_depots=(1,), tw_early=0.0, tw_late=1000.0),
            ),
        },
    ),
    "windows-of-depots-of-open-routes": (
        "TYPE : OVRPTW\nVEHICLES : 2\n" + CAPACITY,
        TWO_DEPOTS + WINDOWS + section("VEHICLES_DEPOT", 1, 1) + section("VEHICLES_RELOAD_DEPOT", 2, 2),
        {
            "windows": [[0, 1000], [0, 1000], [20, 800], [30, 700], [40, 600]],
            "vehicle_types": (
                VehicleType(
                    num_available=2, capacity=10.0, end_depot=None, reload_depots=(1,), tw_early=0.0, start_late=1000.0
                ),
            ),
        },
    ),
    "restrictions": (
        "VEHICLES : 3\n" + CAPACITY,
        DEMANDS + section("VEHICLES_ALLOWED_CLIENTS", "5 2 3", "2 3 4 5", "3 5 2"),
        {
            "vehicle_types": (
                VehicleType(num_available=2, capacity=10.0, allowed_customers=(1, 2, 4)),
                VehicleType(num_available=1, capacity=10.0),
            ),
        },
    ),
    "pairs": (
        "TYPE : PDPTW\nVEHICLES : 2\n" + CAPACITY,
        PAIRED,
        {
            "demands": [0, 3, 2, 0, 0],
            "windows": [[0, 900], [10, 800], [20, 700], [0, 600], [0, 500]],
            "service": [0, 5, 6, 7, 8],
            "pairs": [[1, 3], [2, 4]],
            "rounding": "exact",
        },
    ),
    "open-routes": (
        "TYPE : OVRP\nVEHICLES : 2\n" + CAPACITY,
        DEMANDS,
        {"vehicle_types": (VehicleType(num_available=2, capacity=10.0, end_depot=None),), "windows": None},
    ),
    "open-routes-of-many": (
        "TYPE : OVRPTW\nVEHICLES : 3\n" + CAPACITY,
        TWO_DEPOTS + WINDOWS + section("VEHICLES_DEPOT", 2, 1, 2),
        {
            "vehicle_types": (
                VehicleType(num_available=2, capacity=10.0, start_depot=1, end_depot=None),
                VehicleType(num_available=1, capacity=10.0, end_depot=None),
            ),
            "vehicles": (0, 2, 1),
        },
    ),
    "pickups-beside-deliveries": (
        "TYPE : VRPSPDTW\n" + CAPACITY,
        DEMANDS + WINDOWS + section("BACKHAUL", 0, 1, 1, 5, 0),
        {"pickups": [0, 1, 1, 5, 0], "backhauls_last": False},
    ),
    "backhauls-last-in-windows": (
        "TYPE : VRPBTW\n" + CAPACITY,
        DEMANDS + WINDOWS + section("BACKHAUL", 0, 0, 0, 5, 0),
        {"pickups": [0, 0, 0, 5, 0], "backhauls_last": True},
    ),
    "distance-and-service": (
        "TYPE : DCVRP\nDISTANCE : 250\nSERVICE_TIME : 5\n" + CAPACITY,
        DEMANDS,
        {
            "vehicle_types": (VehicleType(num_available=None, capacity=10.0, shift_duration=250.0),),
            "service": [0, 5, 5, 5, 5],
            "rounding": "exact",
        },
    ),
    "distance-beside-windows": (
        "DISTANCE : 250\n" + CAPACITY,
        DEMANDS + WINDOWS,
        {"vehicle_types": (VehicleType(num_available=None, capacity=10.0, max_distance=250.0),)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MEANINGS)
def test_meaning(case: str, tmp_path: Path) -> None:
    more, sections, fields = MEANINGS[case]
    instance = rich(tmp_path, more, sections)
    for name, expected in fields.items():
        found = getattr(instance, name)
        same = np.array_equal(found, expected) if isinstance(found, np.ndarray) else found == expected
        assert same, f"{name} is {found!r}"
    if not case.startswith("windows-of-depots-"):
        write_instance(instance, tmp_path / "again.vrp")
        assert read(tmp_path / "again.vrp", rounding=instance.rounding) == instance


OURS_ALONE = ("distance-", "no-loads", "open-routes", "backhauls-last-in-windows", "windows-of-depots-of-open")


@pytest.mark.parametrize("case", [case for case in MEANINGS if not case.startswith(OURS_ALONE)])
def test_the_other_reader_agrees(case: str, tmp_path: Path) -> None:
    pyvrp = pytest.importorskip("pyvrp")
    more, sections, _ = MEANINGS[case]
    path = written(tmp_path, more, sections)
    require_agreement(read(path, rounding="round"), pyvrp.read(path, round_func="round"))


# The specifications and sections, the line that the message must name, a piece of the message. The first specification
# stands on line 3, and the first section on line 10 and as many more as there are specifications.
MISTAKES: dict[str, tuple[str, str, int, str]] = {
    "type-unknown": ("TYPE : CCVRP\n", "", 3, "TYPE is 'CCVRP'; expected CVRP or VRPTW, or one of VRP, VRPB, VRPSPD"),
    "type-without-types": (
        "TYPE : HFVRP\n" + CAPACITY,
        DEMANDS,
        3,
        "no CAPACITY_SECTION or VEHICLES_FIXED_COST_SECTION; expected what says it; add one, or write 'TYPE : CVRP'",
    ),
    "type-without-pickups": ("TYPE : VRPSPDTW\n" + CAPACITY, PAIRED, 3, "there is no BACKHAUL_SECTION"),
    "type-without-pairs": ("TYPE : PDPTW\n" + CAPACITY, DEMANDS + WINDOWS, 3, "no PICKUP_AND_DELIVERY_SECTION"),
    "type-of-split-deliveries": ("TYPE : SDVRP\n" + CAPACITY, DEMANDS, 3, "no VEHICLES_ALLOWED_CLIENTS_SECTION"),
    "type-without-limit": ("TYPE : DCVRP\n" + CAPACITY, DEMANDS, 3, "there is no DISTANCE or VEHICLES_MAX_DISTANCE;"),
    "three-dimensions": ("NODE_COORD_TYPE : THREED_COORDS\n" + CAPACITY, DEMANDS, 3, "which this format does not know"),
    "type-without-windows": (
        "TYPE : MDVRPTW\n" + CAPACITY,
        DEMANDS,
        3,
        "no TIME_WINDOW_SECTION; expected the two to agree; add a TIME_WINDOW_SECTION or write 'TYPE : MDVRP'",
    ),
    "type-with-windows": ("TYPE : GVRP\n" + CAPACITY, DEMANDS + WINDOWS, 3, "write 'TYPE : GVRPTW'"),
    "type-without-backhauls": ("TYPE : VRPB\n" + CAPACITY, DEMANDS, 3, "there is no BACKHAUL_SECTION"),
    "one-release-for-all": ("RELEASE_TIME : 5\n" + CAPACITY, DEMANDS, 3, "expected a RELEASE_TIME_SECTION with a row"),
    "key-misspelt": ("VEHICLES_MAX_DURATON : 5\n", DEMANDS, 3, "expected VEHICLES_MAX_DURATION if that is meant"),
    "limit-negative": ("VEHICLES_MAX_DISTANCE : -5\n" + CAPACITY, DEMANDS, 3, "VEHICLES_MAX_DISTANCE is '-5'"),
    "reloads-fraction": ("VEHICLES_MAX_RELOADS : 1.5\n" + CAPACITY, DEMANDS, 3, "'1.5'; expected a whole number"),
    "demands-missing": (CAPACITY, "", 1, "DEMAND_SECTION is missing"),
    "demands-without-capacity": ("", DEMANDS, 1, "CAPACITY is missing"),
    "demands-twice": (
        CAPACITY,
        DEMANDS + DEMANDS.replace("DEMAND", "LINEHAUL"),
        17,
        "LINEHAUL_SECTION says what DEMAND_SECTION (line 11) says",
    ),
    "backhaul-of-depot": (CAPACITY, DEMANDS + section("BACKHAUL", 1, 0, 0, 0, 0), 18, "demand of the depot is 1"),
    "backhaul-row-missing": (CAPACITY, DEMANDS + section("BACKHAUL", 0, 0), 17, "has 2 rows; expected 5"),
    "backhaul-loads": (
        CAPACITY,
        DEMANDS + section("BACKHAUL", "0 0", "0 1", "0 1", "0 1", "0 1"),
        17,
        "BACKHAUL_SECTION has 2 numbers for a node; expected as many as DEMAND_SECTION (line 11)",
    ),
    "backhaul-and-demand": (
        "TYPE : VRPB\n" + CAPACITY,
        DEMANDS + section("BACKHAUL", 0, 0, 1, 5, 0),
        18,
        "node 3 has a demand and a backhaul; expected one of them in TYPE VRPB",
    ),
    "release-negative": (
        CAPACITY,
        DEMANDS + section("RELEASE_TIME", 0, -5, 0, 0, 7),
        19,
        "release time of node 2 is '-5'",
    ),
    "release-of-depot": (
        CAPACITY,
        DEMANDS + section("RELEASE_TIME", 3, 5, 0, 0, 7),
        18,
        "release time of the depot is 3",
    ),
    "prize-text": (CAPACITY, DEMANDS + section("PRIZE", 0, "x", 0, 0, 7), 19, "prize of node 2 is 'x'"),
    "prize-of-second-depot": (CAPACITY, TWO_DEPOTS + section("PRIZE", 0, 4, 0, 0, 7), 23, "prize of depot 2 is 4"),
    "group-number": (
        CAPACITY,
        DEMANDS + "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2\n3 4\n",
        19,
        "group number is '3' in MUTUALLY_EXCLUSIVE_GROUP_SECTION; expected 1 to 2 as there are 2 rows",
    ),
    "group-of-depot": (
        CAPACITY,
        DEMANDS + section("MUTUALLY_EXCLUSIVE_GROUP", "2 1"),
        18,
        "customer of group 1 is '1'; expected 2 to 5",
    ),
    "group-of-nobody": (CAPACITY, DEMANDS + section("MUTUALLY_EXCLUSIVE_GROUP", "2 9"), 18, "'9'; expected 2 to 5"),
    "group-twice": (
        CAPACITY,
        DEMANDS + section("MUTUALLY_EXCLUSIVE_GROUP", "2 3", "4 3"),
        19,
        "customer 3 of group 2 is in a group already (line 18)",
    ),
    "group-and-prize": (
        CAPACITY,
        DEMANDS + section("MUTUALLY_EXCLUSIVE_GROUP", "2 3") + section("PRIZE", 0, 4, 0, 0, 0),
        18,
        "customer 2 of group 1 has a prize of 4; expected 0",
    ),
    "capacities-and-capacity": (
        "VEHICLES : 2\n" + CAPACITY,
        DEMANDS + section("CAPACITY", 10, 20),
        4,
        "CAPACITY is '10' and there is a CAPACITY_SECTION (line 18); expected one of them",
    ),
    "capacities-few": (
        "VEHICLES : 3\n",
        DEMANDS + section("CAPACITY", 10, 20),
        17,
        "add vehicle 3 or correct VEHICLES",
    ),
    "capacities-without-vehicles": (
        "",
        DEMANDS + section("CAPACITY", 10, 20),
        16,
        "expected 4 as there are customers, for VEHICLES is missing; add vehicle 3 or write VEHICLES",
    ),
    "capacities-many": (
        "VEHICLES : 1\n",
        DEMANDS + section("CAPACITY", 10, 20),
        19,
        "vehicle number is '2' in CAPACITY_SECTION; expected 1 to 1 as VEHICLES says",
    ),
    "capacity-zero": ("VEHICLES : 2\n", DEMANDS + section("CAPACITY", 10, 0), 19, "capacity of vehicle 2 is 0"),
    "capacity-loads": (
        "VEHICLES : 1\n",
        DEMANDS + section("CAPACITY", "10 20"),
        18,
        "vehicle 1 has 2 capacities; expected 1, as demands have",
    ),
    "capacity-for-loads": (
        CAPACITY,
        section("DEMAND", "0 0", "1 2", "3 4", "5 6", "7 8"),
        3,
        "CAPACITY is '10', but demands have 2 numbers",
    ),
    "vehicle-twice": (
        "VEHICLES : 2\n" + CAPACITY,
        DEMANDS + "VEHICLES_FIXED_COST_SECTION\n1 5\n1 6\n",
        20,
        "vehicle 1 is given a second time in VEHICLES_FIXED_COST_SECTION; expected it once (first on line 19)",
    ),
    "fixed-cost-twice": (
        "VEHICLES : 1\nVEHICLES_FIXED_COST : 5\n" + CAPACITY,
        DEMANDS + section("VEHICLES_FIXED_COST", 5),
        4,
        "VEHICLES_FIXED_COST is '5' and there is a VEHICLES_FIXED_COST_SECTION (line 19)",
    ),
    "reloads-text": (
        "VEHICLES : 1\n" + CAPACITY,
        DEMANDS + section("VEHICLES_MAX_RELOADS", 1.5),
        19,
        "max reloads of vehicle 1 is '1.5'; expected a whole number",
    ),
    "depot-of-vehicle": (
        "VEHICLES : 1\n" + CAPACITY,
        DEMANDS + section("VEHICLES_DEPOT", 2),
        19,
        "depot is '2' in VEHICLES_DEPOT_SECTION; expected 1 to 1 as in DEPOT_SECTION",
    ),
    "depots-of-vehicle": (
        "VEHICLES : 1\n" + CAPACITY,
        DEMANDS + section("VEHICLES_DEPOT", "1 1"),
        19,
        "vehicle 1 has 2 depots in VEHICLES_DEPOT_SECTION; expected 1",
    ),
    "reload-depot": (
        "VEHICLES : 1\n" + CAPACITY,
        DEMANDS + section("VEHICLES_RELOAD_DEPOT", "1 x"),
        19,
        "depot is 'x' in VEHICLES_RELOAD_DEPOT_SECTION",
    ),
    "allowed-depot": (
        "VEHICLES : 1\n" + CAPACITY,
        DEMANDS + section("VEHICLES_ALLOWED_CLIENTS", "1 2"),
        19,
        "customer of vehicle 1 is '1' in VEHICLES_ALLOWED_CLIENTS_SECTION; expected 2 to 5, each once",
    ),
    "allowed-twice": (
        "VEHICLES : 1\n" + CAPACITY,
        DEMANDS + section("VEHICLES_ALLOWED_CLIENTS", "2 3 2"),
        19,
        "customer of vehicle 1 is '2'",
    ),
    "allowed-none": (
        "VEHICLES : 1\n" + CAPACITY,
        DEMANDS + section("VEHICLES_ALLOWED_CLIENTS", ""),
        19,
        "vehicle 1 has no customers in VEHICLES_ALLOWED_CLIENTS_SECTION",
    ),
    "allowed-half-a-pair": (
        "VEHICLES : 1\n" + CAPACITY,
        PAIRED + section("VEHICLES_ALLOWED_CLIENTS", "2 3 5"),
        19,
        "vehicle 1 may serve customer 2 and not 4; expected both or none",
    ),
    "limit-twice": (
        "VEHICLES_MAX_DURATION : 9\nDISTANCE : 9\n" + CAPACITY,
        DEMANDS,
        4,
        "DISTANCE is '9' and the vehicles have a limit of their own",
    ),
    "distance-waiting": (
        "DISTANCE : 9\nSERVICE_TIME : 2\n" + CAPACITY,
        DEMANDS + WINDOWS,
        3,
        "DISTANCE is '9', a limit on distance and service time without waiting",
    ),
    "pairs-and-demands": (
        CAPACITY,
        DEMANDS + PAIRED,
        11,
        "DEMAND_SECTION stands beside PICKUP_AND_DELIVERY_SECTION (line 17)",
    ),
    "pairs-and-service": ("SERVICE_TIME : 5\n" + CAPACITY, PAIRED, 3, "SERVICE_TIME is '5' beside PICKUP_AND_DELIVERY"),
    "pairs-short": (CAPACITY, PAIRED.replace("8 3 0", "8 3"), 16, "node 5 has 5 values (-2 0 500 8 3)"),
    "pair-alone": (
        CAPACITY,
        PAIRED.replace("6 0 5", "6 0 0"),
        14,
        "delivery of node 3 is 0; expected another node from 2",
    ),
    "pair-not-agreed": (
        CAPACITY,
        PAIRED.replace("8 3 0", "8 2 0"),
        14,
        "delivery of node 3 is 5, which has pickup 2 and delivery 0; expected 3 and 0",
    ),
    "pair-of-three": (
        CAPACITY,
        PAIRED.replace("8 3 0", "8 2 0").replace("3 2 20 700 6 0 5", "3 0 20 700 6 2 0"),
        14,
        "pickup of node 3 is 2; expected a node that has 3 as its delivery",
    ),
    "pair-window": (CAPACITY, PAIRED.replace("10 800", "900 800"), 13, "window of node 2 is 900 to 800"),
    "pair-negative": (CAPACITY, PAIRED.replace("800 5", "800 -5"), 13, "service time of node 2 is -5"),
    "pair-amounts": (CAPACITY, PAIRED.replace("4 -3", "4 -4"), 15, "demand of node 4 is -4; expected -3"),
    "pair-reversed": (
        CAPACITY,
        PAIRED.replace("4 -3", "4 3").replace("2 3", "2 -3"),
        13,
        "demand of node 2 is -3; expected 0 or more, as it is a pickup",
    ),
    "pair-of-depot": (CAPACITY, PAIRED.replace("1 0 0 900", "1 2 0 900"), 12, "demand of depot 1 is 2; expected 0"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_message(case: str, tmp_path: Path) -> None:
    more, sections, line, fragment = MISTAKES[case]
    path = written(tmp_path, more, sections)
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert fragment in message
    assert message.endswith((".", "?"))
    assert len(message) <= 300


def test_a_fleet_of_the_users(tmp_path: Path) -> None:
    limited = rich(tmp_path, "VEHICLES : 4\nVEHICLES_MAX_DISTANCE : 300\n" + CAPACITY, DEMANDS, fleet=3)
    assert (limited.fleet, limited.vehicle_types[0].num_available) == (3, 3)
    free = rich(tmp_path, "VEHICLES : 4\nVEHICLES_MAX_DISTANCE : 300\n" + CAPACITY, DEMANDS, fleet="free")
    assert (free.fleet, free.vehicle_types[0].num_available) == (None, None)
    sections = DEMANDS + section("CAPACITY", 10, 20)
    with pytest.raises(InputError, match="fleet is 3; expected 'auto', as there are 2 types of vehicles"):
        rich(tmp_path, "VEHICLES : 2\n", sections, fleet=3)
    with pytest.raises(InputError, match="fleet is 0"):
        rich(tmp_path, "VEHICLES : 2\n", sections, fleet=0)


SMALL: dict[str, Any] = {
    "name": "small", "coordinates": [[0, 0], [30, 40], [60, 80], [0, 50]], "demands": [0, 1, 2, 3], "rounding": "round"
}  # fmt: skip
TWO_TYPES = (VehicleType(num_available=1, capacity=5.0), VehicleType(num_available=2, capacity=6.0))
WINDOWED: dict[str, Any] = {**SMALL, "depots": 2, "demands": [0, 0, 2, 3], "windows": [[0, 9], [1, 8], [0, 9], [0, 9]]}


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({**SMALL, "capacity": 9, "optional": [False, True, False, False]}, "optional customers without a prize"),
        ({**SMALL, "capacity": 9, "groups": (Group(customers=(1, 2), required=False),)}, "groups of which nobody need"),
        (
            {**SMALL, "capacity": 9, "groups": (Group(customers=(1, 2)),), "prizes": [0, 4, 0, 0]},
            "prizes in groups",
        ),
        ({**SMALL, "capacity": 9, "demands": [0, 1, 0, 3], "pairs": [[1, 2]]}, "pairs beside other customers"),
        (
            {**SMALL, "vehicle_types": (*TWO_TYPES[:1], VehicleType(num_available=None, capacity=6.0))},
            "several types of unlimited",
        ),
        ({**SMALL, "vehicle_types": (VehicleType(capacity=6.0, unit_duration_cost=2.0),)}, "duration-costs"),
        ({**SMALL, "vehicle_types": (VehicleType(capacity=6.0, max_stops=2.0),)}, "stop-limits"),
        ({**SMALL, "vehicle_types": (VehicleType(capacity=6.0, start_depot=None),)}, "routes that start at a customer"),
        (
            {**SMALL, "vehicle_types": (*TWO_TYPES[:1], VehicleType(capacity=6.0, end_depot=None))},
            "routes of which only some are open",
        ),
        (
            {
                **SMALL,
                "demands": [0, 1, 0, 0],
                "pairs": [[1, 2]],
                "vehicle_types": (VehicleType(capacity=6.0, end_depot=None),),
            },
            "open routes with pairs",
        ),
        (
            {**SMALL, "vehicle_types": (VehicleType(capacity=6.0, max_reloads=2.0),)},
            "a limit on reloads without depots",
        ),
        ({**WINDOWED, "vehicle_types": (VehicleType(capacity=6.0, end_depot=1),)}, "routes that end at another depot"),
        ({**WINDOWED, "vehicle_types": (VehicleType(capacity=6.0, reload_depots=(1,)),)}, "opening hours of depots to"),
        ({**SMALL, "capacity": 9, "service": [5, 1, 1, 1]}, "depot-service"),
        ({**SMALL, "capacity": 9, "durations": [[1] * 4] * 4}, "durations"),
    ],
)
def test_what_the_dialect_cannot_say(fields: dict[str, Any], what: str, tmp_path: Path) -> None:
    instance = Instance(**fields)
    with pytest.raises(InputError) as caught:
        write_instance(instance, tmp_path / "x.vrp")
    assert what in str(caught.value)
    assert "which this format cannot say" in str(caught.value)
    with pytest.raises(InputError):
        write_instance(instance, tmp_path / "x.txt")
    assert not list(tmp_path.iterdir())


numbers = st.integers(0, 50).map(float) | st.floats(0, 1e6)


@st.composite
def rich_instances(draw: st.DrawFn) -> Instance:
    """Instances of all that the dialect can say, types in the order in which a file names them."""
    depots, customers = draw(st.integers(1, 3)), draw(st.integers(2, 5))
    nodes = depots + customers

    def of_customers(dimensions: int = 1) -> Any:
        rows = draw(
            st.lists(st.lists(numbers, min_size=dimensions, max_size=dimensions), min_size=nodes, max_size=nodes)
        )
        array = np.array(rows)
        array[:depots] = 0
        return array[:, 0] if dimensions == 1 else array

    dimensions = draw(st.sampled_from([1, 1, 2]))
    fields: dict[str, Any] = {
        "name": "rich",
        "coordinates": [[node, node % 3] for node in range(nodes)],
        "depots": depots,
        "demands": of_customers(dimensions),
        "service": of_customers(),
        "rounding": draw(st.sampled_from(["round", "dimacs", "milli", "exact"])),
    }
    for field in ("pickups", "releases"):
        if draw(st.booleans()):
            fields[field] = of_customers(dimensions if field == "pickups" else 1)
    if draw(st.booleans()):
        fields["windows"] = [[0, 1e6]] * depots + [sorted([draw(numbers), draw(numbers)]) for _ in range(customers)]
    visits = draw(st.permutations(range(depots, nodes)))
    if draw(st.booleans()):
        fields["groups"] = (Group(customers=tuple(visits[:2])),)
    if draw(st.booleans()):
        prizes = of_customers()
        prizes[visits[:2]] = 0
        fields |= {"prizes": prizes, "optional": prizes > 0}
    homes = st.integers(0, depots - 1)
    open_routes = draw(st.booleans())

    def vehicle_type(count: int | None) -> VehicleType:
        home = draw(homes)
        reloads = draw(st.sets(homes))
        return VehicleType(
            num_available=count,
            capacity=tuple(draw(st.lists(st.integers(1, 9).map(float), min_size=dimensions, max_size=dimensions))),
            start_depot=home,
            end_depot=None if open_routes else home,
            fixed_cost=draw(numbers),
            unit_distance_cost=draw(numbers),
            max_distance=draw(st.just(np.inf) | numbers),
            shift_duration=draw(st.just(np.inf) | numbers),
            reload_depots=tuple(sorted(reloads)),
            max_reloads=draw(st.just(np.inf) | st.integers(0, 3).map(float)) if reloads else np.inf,
            allowed_customers=draw(st.none() | st.just(tuple(sorted(visits[1:])))),
        )

    counts = draw(st.lists(st.integers(1, 3), min_size=2, max_size=3) | st.sampled_from([[None], [2]]))
    types = {replace(kind, num_available=0): kind for kind in map(vehicle_type, counts)}
    order = [kind for kind in types.values() for _ in range(kind.num_available or 0)]
    fields["vehicle_types"] = tuple(types.values())
    if len(types) > 1 and draw(st.booleans()):
        # The first vehicles are one of each type, as a file names the types in the order of their first vehicles.
        firsts = [order.index(kind) for kind in types.values()]
        others = draw(st.permutations([position for position in range(len(order)) if position not in firsts]))
        numbered = {position: number for number, position in enumerate([*firsts, *others])}
        fields["vehicles"] = _ascending(order, [numbered[position] for position in range(len(order))])
    return Instance(**fields)


def _ascending(order: list[VehicleType], given: list[int]) -> list[int]:
    """The numbers of the vehicles of each type in ascending order."""
    return [
        number
        for kind in dict.fromkeys(order)
        for number in sorted(number for each, number in zip(order, given, strict=True) if each == kind)
    ]


KEYS_THAT_MAY_MATTER = (
    "VEHICLES_MAX_STOPS", "VEHICLES_START_LATE", "VEHICLES_UNIT_DURATION_COST", "OPEN", "OPEN_ROUTES", "DUE_DATE",
    "RELEASE_DATE", "SALESMEN", "No of trucks", "ENERGY_CAPACITY", "GVRP_SETS", "MAX_ROUTES", "SCALE", "DEPOTS",
    "EDGE_DATA_FORMAT", "TIME_WINDOW", "PENALTY_VALUE", "SPEED",
)  # fmt: skip


@pytest.mark.parametrize("key", KEYS_THAT_MAY_MATTER)
def test_a_key_that_may_change_the_problem_is_refused(key: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        rich(tmp_path, f"{key} : 1\n" + CAPACITY)
    assert str(caught.value) == (
        f"{tmp_path / 'rich.vrp'}:3: {key.upper()} is given as '1', which this format does not know; expected nothing "
        "that may change the problem; delete the line if it does not, or write the problem as JSON."
    )


def test_keys_that_tell_about_the_file_are_passed_over(tmp_path: Path) -> None:
    plain = rich(tmp_path)
    telling = (
        "AUTHOR", "Date", "BEST_KNOWN", "BEST_KNOWN_SOLUTION", "Optimal value", "OPTIMAL_COST", "UPPER_BOUND",
        "COMMENT2", "EDGE_WEIGHT_UNIT_OF_MEASUREMENT", "URL", "SEED", "GENERATOR_VERSION", "SOURCE",
    )  # fmt: skip
    for key in telling:
        assert rich(tmp_path, f"{key} : 1\n" + CAPACITY) == plain
    assert rich(tmp_path, "NODE_COORD_TYPE : TWOD_COORDS\n" + CAPACITY) == plain


@given(rich_instances())
def test_round_trip_is_exact(tmp_path_factory: pytest.TempPathFactory, instance: Instance) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.vrp"
    write_instance(instance, path)
    assert read(path, rounding=instance.rounding) == instance
