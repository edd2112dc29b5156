"""Answers in VROOM's JSON: code, summary, unassigned tasks, and routes with their steps."""

import math
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from dacalns.instances.vroom import Leg, Task
from dacalns.instances.vroom_problem import VroomProblem
from dacalns.search.checker import route_plans
from dacalns.search.result import Result
from dacalns.search.route_plan import PlannedStop, RoutePlan
from dacalns.util.files import write_atomically
from dacalns.util.json_text import json_text

ECHOED = ("description", "location", "location_index")
"""What a step repeats of its task."""


def to_vroom(problem: VroomProblem, result: Result) -> dict[str, Any]:
    """Return a result as VROOM answers.

    Parameters
    ----------
    problem
        What `dacalns.read_vroom` read.
    result
        The result of solving its instance.

    Returns
    -------
    dict
        ``code``, ``summary``, ``unassigned`` and ``routes``; times are in seconds, distances in metres.

    Examples
    --------
    >>> import dacalns, json, pathlib, tempfile
    >>> places = {"vehicles": [{"id": 1, "start_index": 0, "end_index": 0}],
    ...           "jobs": [{"id": 7, "location_index": 1}, {"id": 8, "location_index": 2}],
    ...           "matrices": {"car": {"durations": [[0, 60, 90], [60, 0, 45], [90, 45, 0]]}}}
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "day.json"
    >>> _ = file.write_text(json.dumps(places))
    >>> problem = dacalns.read_vroom(file)
    >>> answer = to_vroom(problem, dacalns.solve(problem.instance, stop=dacalns.MaxIterations(50)))
    >>> answer["summary"]["cost"], sorted(step["id"] for step in answer["routes"][0]["steps"][1:-1])
    (195, [7, 8])
    """
    used: dict[int, int] = {}
    routes = []
    for plan in route_plans(problem.instance, result.routes, result.vehicle_types):
        place = used.get(plan.vehicle_type, 0)
        used[plan.vehicle_type] = place + 1
        routes.append(_route(problem, plan, problem.file.vehicles[plan.vehicle_type][place]))
    served = {node for route in result.routes for node in route}
    unassigned = [
        {"id": task.said["id"], "type": task.kind} | _echoed(task.said)
        for node, task in problem.file.tasks.items()
        if node not in served
    ]
    totals = ("cost", "setup", "service", "duration", "waiting_time", "priority")
    summary: dict[str, Any] = {
        "cost": 0, "routes": len(routes), "unassigned": len(unassigned), **dict.fromkeys(totals[1:], 0),
    }  # fmt: skip
    for key in totals:
        summary[key] = sum(route[key] for route in routes)
    if problem.file.loaded:
        for key in ("delivery", "pickup"):
            summary[key] = _sums([route[key] for route in routes], _dimensions(problem))
    if any(leg.distances is not None for leg in problem.file.legs):
        summary["distance"] = sum(route.get("distance", 0) for route in routes)
    summary["violations"] = []
    summary["computing_times"] = {"loading": 0, "solving": round(1000 * result.seconds), "routing": 0}
    return {"code": 0, "summary": summary, "unassigned": unassigned, "routes": routes}


def write_vroom(problem: VroomProblem, result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result as VROOM answers; the parameters are those of `to_vroom`, and the file."""
    write_atomically(path, json_text(to_vroom(problem, result)) + "\n")


def _route(problem: VroomProblem, plan: RoutePlan, vehicle: Mapping[str, Any]) -> dict[str, Any]:
    file, leg = problem.file, problem.file.legs[plan.vehicle_type]
    stops = [stop for stop in plan.stops if stop.node in file.tasks]
    tasks = [file.tasks[stop.node] for stop in stops]
    nodes = [stop.node for stop in plan.stops]
    driven = _driven(leg, nodes)
    steps = [
        _task_step(task, stop, *at, loaded=file.loaded)
        for task, stop, at in zip(tasks, stops, driven[plan.start_depot is not None :], strict=False)
    ]
    first, last = plan.stops[0], plan.stops[-1]
    start = _end_step("start", vehicle, first.start if plan.start_depot is not None else first.arrival, driven[0])
    end = _end_step("end", vehicle, last.arrival if plan.end_depot is not None else last.departure, driven[-1])
    for step, key, near in ((start, "start", tasks[0]), (end, "end", tasks[-1])):
        if key not in vehicle and f"{key}_index" not in vehicle:
            step |= {name: near.said[name] for name in ("location", "location_index") if name in near.said}
    if file.loaded:
        start["load"], end["load"] = _start_load(problem, tasks), _end_load(problem, tasks)
    found: dict[str, Any] = {"vehicle": vehicle["id"], "cost": _whole(plan.cost)}
    if "description" in vehicle:
        found["description"] = vehicle["description"]
    if file.loaded:
        found["delivery"] = _sums([task.delivery for task in tasks], _dimensions(problem))
        found["pickup"] = _sums([task.pickup for task in tasks], _dimensions(problem))
    found |= {
        "setup": 0,
        "service": _whole(math.fsum(task.said.get("service", 0) for task in tasks)),
        "duration": _whole(driven[-1][0]),
        "waiting_time": sum(step["waiting_time"] for step in steps),
        "priority": sum(task.priority for task in tasks),
    }
    if (metres := driven[-1][1]) is not None:
        found["distance"] = _whole(metres)
    found["steps"] = [start, *steps, end]
    found["violations"] = []
    return found


def _driven(leg: Leg, nodes: Sequence[int]) -> list[tuple[float, float | None]]:
    """Return driving time and distance from the start to each node."""
    found: list[tuple[float, float | None]] = [(0.0, None if leg.distances is None else 0.0)]
    for here, there in pairwise(nodes):
        time, way = found[-1]
        if leg.distances is not None and way is not None:
            way += float(leg.distances[here, there])
        found.append((time + float(leg.durations[here, there]), way))
    return found


def _task_step(
    task: Task, stop: PlannedStop, duration: float, distance: float | None, *, loaded: bool
) -> dict[str, Any]:
    step = {
        "type": task.kind, "id": task.said["id"], **_echoed(task.said), "setup": 0,
        "service": _whole(task.said.get("service", 0)), "waiting_time": _whole(stop.wait),
        "arrival": _whole(stop.arrival), "duration": _whole(duration),
    }  # fmt: skip
    if task.kind == "job":
        step["job"] = task.said["id"]
    if distance is not None:
        step["distance"] = _whole(distance)
    if loaded:
        step["load"] = [_whole(each) for each in stop.load]
    return step | {"violations": []}


def _end_step(
    kind: str, vehicle: Mapping[str, Any], arrival: float, driven: tuple[float, float | None]
) -> dict[str, Any]:
    step: dict[str, Any] = {"type": kind}
    for key, name in ((kind, "location"), (f"{kind}_index", "location_index")):
        if key in vehicle:
            step[name] = vehicle[key]
    return step | {
        "setup": 0, "service": 0, "waiting_time": 0, "arrival": _whole(arrival), "duration": _whole(driven[0]),
        "violations": [],
    }  # fmt: skip


def _dimensions(problem: VroomProblem) -> int:
    demands = problem.instance.demands
    return demands.shape[1] if demands.ndim > 1 else 1


def _start_load(problem: VroomProblem, tasks: Sequence[Task]) -> list[int]:
    return _sums([task.delivery for task in tasks if task.kind == "job"], _dimensions(problem))


def _end_load(problem: VroomProblem, tasks: Sequence[Task]) -> list[int]:
    return _sums([task.pickup for task in tasks if task.kind == "job"], _dimensions(problem))


def _sums(amounts: Sequence[Sequence[float]], dimensions: int) -> list[int]:
    totals = [0.0] * dimensions
    for each in amounts:
        totals = [total + amount for total, amount in zip(totals, each or [0.0] * dimensions, strict=True)]
    return [_whole(total) for total in totals]


def _echoed(said: Mapping[str, Any]) -> dict[str, Any]:
    return {key: said[key] for key in ECHOED if key in said}


def _whole(value: float) -> int:
    """Return a number as VROOM writes it: all of its figures are whole."""
    return round(value)
