"""Problems in VROOM's JSON, and answers in its shape."""

import copy
import json
import math
from itertools import pairwise

import pytest

import dacalns
from dacalns.util.errors import InputError

FEW = dacalns.MaxIterations(400)
LINE = [[abs(a - b) * 100 for b in range(6)] for a in range(6)]
PROBLEM = {
    "vehicles": [
        {"id": 1, "start_index": 0, "end_index": 0, "capacity": [4], "time_window": [0, 50000], "description": "van"},
        {"id": 2, "start_index": 0, "capacity": [4], "skills": [7]},
    ],
    "jobs": [
        {"id": 11, "location_index": 1, "service": 300, "delivery": [1], "time_windows": [[3600, 4000], [9000, 9500]]},
        {"id": 12, "location_index": 2, "service": 300, "pickup": [2], "skills": [7], "description": "cold"},
        {"id": 13, "location_index": 3, "delivery": [9]},
    ],
    "shipments": [
        {
            "pickup": {"id": 21, "location_index": 4, "service": 10}, "delivery": {"id": 21, "location_index": 5},
            "amount": [2], "priority": 5,
        }
    ],
    "matrices": {"car": {"durations": LINE}},
}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def written(data, name="day.json"):
        path = tmp_path / name
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return path

    return written


def changed(change):
    data = copy.deepcopy(PROBLEM)
    change(data)
    return data


def answered(problem, **options):
    return dacalns.to_vroom(problem, dacalns.solve(problem.instance, stop=FEW, seed=1, **options))


def test_a_problem_is_known_by_its_keys_and_keeps_what_it_says(write):
    instance = dacalns.read(write(PROBLEM))
    assert instance.names == ("", "job 11", "job 12", "job 13", "pickup 21", "delivery 21")
    assert instance.vehicle_names == ("van", "2")
    assert instance.time_unit == "s"
    assert instance.windows[1].tolist() == [3600, 4000]
    assert instance.more_windows == ((1, 9000, 9500),)
    assert instance.pairs.tolist() == [[4, 5]]
    assert instance.demands.tolist() == [0, 1, 0, 9, 2, 0]
    assert instance.pickups.tolist() == [0, 0, 2, 0, 0, 0]
    assert instance.priorities.tolist() == [0, 0, 0, 0, 10, 0]
    assert instance.optional[1:].all()
    assert instance.types[0].allowed_customers == (1, 3, 4, 5)
    assert instance.types[1].end_depot is None
    assert dacalns.read_vroom(write(PROBLEM)).instance == instance


def test_the_answer_has_the_published_shape(write):
    problem = dacalns.read_vroom(write(PROBLEM))
    answer = answered(problem)
    assert answer["code"] == 0
    assert answer["unassigned"] == [{"id": 13, "type": "job", "location_index": 3}]
    summary = answer["summary"]
    assert summary["unassigned"] == 1
    assert (summary["delivery"], summary["pickup"], summary["priority"]) == ([3], [4], 10)
    for key in ("cost", "duration", "service", "waiting_time", "setup"):
        assert summary[key] == sum(route[key] for route in answer["routes"])
    assert summary["routes"] == len(answer["routes"])
    for route in answer["routes"]:
        steps = route["steps"]
        assert [steps[0]["type"], steps[-1]["type"]] == ["start", "end"]
        assert {step["type"] for step in steps[1:-1]} <= {"job", "pickup", "delivery"}
        assert steps[-1]["duration"] == route["duration"] == route["cost"]
        for before, step in pairwise(steps):
            spent = before["service"] + before["waiting_time"] + step["duration"] - before["duration"]
            assert step["arrival"] == before["arrival"] + spent
            assert step["violations"] == []
            assert 0 <= step["load"][0] <= 4
    # What is said of places and descriptions is repeated.
    cold = next(step for route in answer["routes"] for step in route["steps"] if step.get("id") == 12)
    assert (cold["description"], cold["location_index"], cold["job"]) == ("cold", 2, 12)


def test_as_many_tasks_as_can_be_come_before_costs_and_priorities_before_both(write):
    far = [[0, 10, 9000], [10, 0, 9000], [9000, 9000, 0]]
    jobs = [{"id": 1, "location_index": 1, "delivery": [1]}, {"id": 2, "location_index": 2, "delivery": [1]}]
    data = {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "capacity": [2]}], "jobs": jobs,
        "matrices": {"car": {"durations": far}},
    }  # fmt: skip
    assert answered(dacalns.read_vroom(write(data)))["summary"]["cost"] == 18010
    data["vehicles"][0]["capacity"] = [1]
    assert [each["id"] for each in answered(dacalns.read_vroom(write(data)))["unassigned"]] == [2]
    jobs[1]["priority"] = 1
    assert [each["id"] for each in answered(dacalns.read_vroom(write(data)))["unassigned"]] == [1]


def test_the_priority_of_a_shipment_counts_for_both_of_its_tasks(write):
    data = {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "capacity": [1]}],
        "jobs": [{"id": 1, "location_index": 1, "delivery": [1], "priority": 99}],
        "shipments": [
            {"pickup": {"id": 2, "location_index": 1}, "delivery": {"id": 3, "location_index": 2}, "amount": [1],
             "priority": 66}
        ],
        "matrices": {"car": {"durations": [[0, 10, 90], [10, 0, 90], [90, 90, 0]]}},
    }  # fmt: skip
    data["vehicles"][0]["max_tasks"] = 2
    problem = dacalns.read_vroom(write(data))
    assert problem.instance.priorities.tolist() == [0, 3, 4, 0]
    answer = answered(problem)
    assert [each["id"] for each in answer["unassigned"]] == [1]
    assert answer["summary"]["priority"] == 132
    data["jobs"][0]["priority"] = 97
    with pytest.raises(InputError, match=r"shipments\[0\]\.priority is 66, and counts for pickup and delivery"):
        dacalns.read(write(data))


def test_costs_are_those_of_vehicles(write):
    data = {
        "vehicles": [
            {"id": 1, "start_index": 0, "end_index": 0, "costs": {"fixed": 50, "per_hour": 7200}, "max_tasks": 2},
            {"id": 2, "start_index": 0, "end_index": 0, "costs": {"per_hour": 0, "per_km": 10000}, "speed_factor": 2},
        ],
        "jobs": [{"id": number, "location_index": number} for number in range(1, 6)],
        "matrices": {"car": {"durations": LINE, "distances": [[2 * each for each in row] for row in LINE]}},
    }
    answer = answered(dacalns.read_vroom(write(data)))
    total = 0
    for route in answer["routes"]:
        seconds, metres = route["duration"], route["distance"]
        assert metres == pytest.approx(2 * seconds * (2 if route["vehicle"] == 2 else 1))
        cost = 50 + 2 * seconds if route["vehicle"] == 1 else 10 * metres
        assert route["cost"] == cost
        total += cost
        if route["vehicle"] == 1:
            assert len(route["steps"]) <= 4
    assert answer["summary"]["cost"] == total
    alone = copy.deepcopy(data)
    alone["vehicles"][0]["max_travel_time"] = 500
    del alone["vehicles"][1]
    assert answered(dacalns.read_vroom(write(alone)))["summary"]["duration"] <= 500


def test_vehicles_that_are_alike_are_one_type(write):
    data = changed(lambda each: each.update(vehicles=[{"id": n, "start_index": 0, "capacity": [4]} for n in range(9)]))
    data["jobs"][1]["skills"] = []
    problem = dacalns.read_vroom(write(data))
    assert [each.num_available for each in problem.instance.types] == [9]
    used = [route["vehicle"] for route in answered(problem)["routes"]]
    assert len({*used}) == len(used)


def test_places_on_a_map_need_no_matrix(write):
    data = {
        "vehicles": [{"id": 1, "start": [2.35, 48.87], "end": [2.35, 48.87]}],
        "jobs": [{"id": 1, "location": [2.36, 48.87]}, {"id": 2, "location": [2.35, 48.88]}],
    }
    slow, fast = (dacalns.read_vroom(write(data), speed=speed) for speed in (25, 50))
    assert fast.instance.lonlat.tolist() == [[2.35, 48.87], [2.36, 48.87], [2.35, 48.88]]
    durations = [answered(each)["summary"]["duration"] for each in (slow, fast)]
    assert durations[0] == pytest.approx(2 * durations[1], abs=3)
    assert dacalns.read(write(data), speed=25) == slow.instance


def test_the_old_key_for_a_single_matrix_is_understood(write):
    data = {"vehicles": [{"id": 0, "start_index": 0, "end_index": 3}], "jobs": [
        {"id": 1414, "location_index": 1}, {"id": 1515, "location_index": 2}],
        "matrix": [[0, 2104, 197, 1299], [2103, 0, 2255, 3152], [197, 2256, 0, 1102], [1299, 3153, 1102, 0]],
    }  # fmt: skip
    answer = answered(dacalns.read_vroom(write(data)))
    assert answer["summary"]["cost"] == 2104 + 2255 + 1102
    assert [step["arrival"] for step in answer["routes"][0]["steps"]] == [0, 2104, 4359, 5461]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("jobs.0.setup", 5, "jobs[0].setup cannot be said; expected 0"),
        ("jobs.0.service_per_type", {}, "jobs[0].service_per_type cannot be said, as the service of tasks cannot"),
        ("jobs.0.amount", [1], "jobs[0].amount cannot be said, as 'delivery' and 'pickup' say it"),
        ("jobs.0.colour", 1, "jobs[0].colour is not known; expected one of id, description"),
        ("jobs.0.priority", 101, "jobs[0].priority is 101; expected 0 to 100"),
        ("jobs.0.service", -1, "jobs[0].service is -1; expected a number of 0 or more"),
        ("jobs.0.location_index", 6, "jobs[0].location_index is 6; expected a row of the matrices, 0 to 5"),
        ("jobs.0.time_windows", [[5, 3]], "jobs[0].time_windows has [5, 3]; expected a start before its end"),
        ("jobs.1.id", 11, "jobs[1].id is 11, as another one's is"),
        ("jobs.0.delivery", [1, 2], "jobs[0].delivery has 2 numbers, and vehicles[0].capacity has 1; expected as many"),
        ("vehicles.0.breaks", [{"id": 1}], "vehicles[0].breaks cannot be said; expected none"),
        ("vehicles.0.steps", [{"type": "start"}], "vehicles[0].steps cannot be said; expected none"),
        ("vehicles.0.profile", "bike", "vehicles[0].profile is 'bike', and matrices has car"),
        ("vehicles.0.max_distance", 9, "vehicles[0].max_distance cannot be said beside other costs; expected a"),
        ("vehicles.0.costs", {"per_task_hour": 1}, "vehicles[0].costs.per_task_hour cannot be said; expected 0"),
        ("vehicles.0.costs", {"per_km": 1}, "vehicles[0].costs.per_km is given, and matrices has no distances"),
        ("vehicles.0.speed_factor", 9, "vehicles[0].speed_factor is 9; expected a number over 0, up to 5"),
        ("vehicles.1.capacity", [], "vehicles[1] has no capacity, and others have"),
        ("vehicles.1.start_index", None, "vehicles[1].start_index is None; expected a row of the matrices"),
        ("shipments.0.pickup", {"id": 3}, "shipments[0].pickup has no location_index; expected a row of the matrices"),
        ("matrices.car.durations", [[0, None], [1, 0]], "matrices.car.durations is null; expected a number of 0"),
        ("matrices.car.durations", [[0, 1]], "matrices.car.durations is not square"),
        ("options", {"g": True}, "options cannot be said, as geometry and plan mode are not there"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_refused_by_name(path, value, said, write):
    data = copy.deepcopy(PROBLEM)
    *within, last = path.split(".")
    place = data
    for key in within:
        place = place[int(key) if key.isdecimal() else key]
    place[last] = value
    with pytest.raises(InputError) as error:
        dacalns.read(write(data))
    assert said in str(error.value)


def test_a_file_that_is_another_one_is_refused(write):
    with pytest.raises(InputError, match="is no problem of VROOM's; expected an object with vehicles, and jobs"):
        dacalns.read_vroom(write({"vehicles": []}))
    with pytest.raises(InputError, match=r"day\.json: vehicles is empty"):
        dacalns.read(write({"vehicles": [], "jobs": []}))
    twice = json.dumps(PROBLEM).replace('"id": 1,', '"id": 1, "id": 3,', 1)
    with pytest.raises(InputError, match=r"vehicles\[0\]\.id is given a second time"):
        dacalns.read(write(twice))


def test_answers_are_no_costlier_than_those_of_vroom(write):
    vroom = pytest.importorskip("vroom")
    data = changed(lambda each: each["vehicles"][0].update(capacity=[30]))
    path = write(data)
    theirs = vroom.Input.from_json(path).solve(exploration_level=5, nb_threads=1).to_dict()
    ours = answered(dacalns.read_vroom(path))
    assert ours["summary"]["unassigned"] == theirs["summary"]["unassigned"]
    assert ours["summary"]["cost"] <= theirs["summary"]["cost"]
    assert {*theirs["summary"]} - {*ours["summary"]} <= {"amount"}
    assert {*theirs["routes"][0]} - {*ours["routes"][0]} <= {"amount"}
    keys = {key for route in theirs["routes"] for step in route["steps"] for key in step}
    assert keys - {key for route in ours["routes"] for step in route["steps"] for key in step} == set()
    assert math.isclose(ours["summary"]["priority"], theirs["summary"]["priority"])
