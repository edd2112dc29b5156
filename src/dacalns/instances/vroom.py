"""Problems in VROOM's JSON: what of it can be said exactly becomes an instance, and the rest is refused by name."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dacalns.instances.conversion import stated_fields
from dacalns.instances.fields import LARGEST, FloatArray
from dacalns.instances.great_circle import DETOUR, SPEED, driving_times, great_circle, in_plane, require_few_places
from dacalns.instances.parts import UNLIMITED, Customer, Depot, Pair, Parts, Profile, VehicleType
from dacalns.instances.source_text import ParsedFile
from dacalns.util.errors import InputError
from dacalns.util.shown import listed, shown
from dacalns.util.values import did_you_mean

KEYS = ("jobs", "shipments", "vehicles", "matrices", "matrix")
TASK_KEYS = ("id", "description", "location", "location_index", "setup", "service", "time_windows")
SHARED_KEYS = ("skills", "priority")
JOB_KEYS = (*TASK_KEYS, *SHARED_KEYS, "delivery", "pickup")
SHIPMENT_KEYS = ("pickup", "delivery", "amount", *SHARED_KEYS)
VEHICLE_KEYS = (
    "id", "profile", "description", "start", "start_index", "end", "end_index", "capacity", "costs", "skills", "type",
    "time_window", "breaks", "speed_factor", "max_tasks", "max_travel_time", "max_distance", "steps",
)  # fmt: skip
COST_KEYS = ("fixed", "per_hour", "per_task_hour", "per_km")
MATRIX_KEYS = ("durations", "distances", "costs")
UNSAYABLE = {
    "setup_per_type": "the setup of tasks cannot depend on vehicles",
    "service_per_type": "the service of tasks cannot depend on vehicles",
    "amount": "'delivery' and 'pickup' say it",
    "options": "geometry and plan mode are not there",
}
"""Keys of VROOM that are refused wherever they stand, and why."""

PER_HOUR = 3600
"""The cost of an hour of driving, if nothing else is said: a second costs 1."""

MOST_PRIORITY = 100
MOST_DIMENSIONS = 100
MOST_CELLS = 16_000_000
"""The most numbers in the matrices of all profiles between nodes."""


@dataclass(frozen=True)
class Task:
    """A task of the file: a job, a pickup or a delivery.

    Parameters
    ----------
    kind
        ``job``, ``pickup`` or ``delivery``.
    said
        What the file says of it.
    priority
        Its priority: of a shipment, that of the whole.
    delivery, pickup
        What it brings or takes, in each dimension.
    """

    kind: str
    said: Mapping[str, Any]
    priority: int
    delivery: tuple[float, ...] = ()
    pickup: tuple[float, ...] = ()


@dataclass(frozen=True)
class Leg:
    """Driving times in seconds and, where they are known, distances in metres, between nodes of the instance."""

    durations: FloatArray
    distances: FloatArray | None


@dataclass(frozen=True)
class VroomFile:
    """What a file states.

    Parameters
    ----------
    fields
        The fields of the instance.
    tasks
        The tasks by their nodes.
    vehicles
        What the file says of the vehicles of each vehicle type.
    legs
        How long and how far it is for each vehicle type.
    loaded
        True if anything is carried.
    """

    fields: ParsedFile
    tasks: dict[int, Task]
    vehicles: list[list[Mapping[str, Any]]]
    legs: list[Leg]
    loaded: bool


def is_vroom(data: Any) -> bool:
    """Return True if data out of a JSON file are a problem of VROOM's, by their keys."""
    return (
        isinstance(data, dict)
        and "format" not in data
        and "vehicles" in data
        and ("jobs" in data or "shipments" in data)
    )


def parse_vroom(
    data: Any, file: str, name: str, *, speed: float | None = None, detour: float | None = None
) -> VroomFile:
    """Return what data out of VROOM's JSON state.

    Parameters
    ----------
    data
        The data.
    file
        What messages call the file.
    name
        The name of the instance.
    speed, detour
        Kilometres an hour, and how many times longer than the great circle ways are, where the file has no matrices.

    Raises
    ------
    InputError
        When something in it is missing, of another kind, or cannot be said; the message has the path.
    """
    return _Reader(data, file, name, SPEED if speed is None else speed, DETOUR if detour is None else detour).read()


@dataclass
class _Way:
    """What vehicles of one kind drive: the matrix whose sum is the cost, times `unit`, and the driving times."""

    costs: FloatArray
    unit: float
    leg: Leg
    sums: str
    """What the matrix is besides costs: ``time``, ``distance`` or nothing of both."""


@dataclass
class _Reader:
    data: Any
    file: str
    name: str
    speed: float
    detour: float
    places: list[Any] = field(default_factory=list)

    def read(self) -> VroomFile:
        data = self._object("", self.data, KEYS)
        vehicles = [
            self._object(f"vehicles[{number}]", each, VEHICLE_KEYS)
            for number, each in enumerate(self._list("vehicles", data.get("vehicles")))
        ]
        jobs = self._list("jobs", data.get("jobs", []))
        shipments = self._list("shipments", data.get("shipments", []))
        for key, given in (("vehicles", vehicles), ("jobs", jobs or shipments)):
            if not given:
                raise self._error(key, "is empty; expected at least one entry; add one.")
        self.matrices = self._matrices(data)
        self.dimensions = self._dimensions(vehicles, jobs, shipments)
        self._require_ids("vehicles", vehicles)
        for number, each in enumerate(vehicles):
            self._check_vehicle(f"vehicles[{number}]", each)
        ends = [
            tuple(self._end(f"vehicles[{number}]", each, key) for key in ("start", "end"))
            for number, each in enumerate(vehicles)
        ]
        depots = list(dict.fromkeys(place for pair in ends for place in pair if place is not None))
        self.places = list(depots)
        tasks = self._tasks(jobs, shipments, len(depots))
        skills = {node: self._skills_of(node) for node in tasks}
        ways, of_vehicle = self._ways(vehicles)
        types, members, kinds = self._types(vehicles, ends, depots, skills, ways, of_vehicle)
        if not types:
            raise self._error("vehicles", "have the skills of no task; expected one that has; correct the skills.")
        prize = self._prize(types, members, [ways[kind] for kind in kinds], tasks)
        fields = self._fields(depots, tasks, types, [ways[kind] for kind in kinds], kinds, prize)
        fields["vehicle_names"] = [" ".join(str(each[0].get("description", each[0]["id"])).split()) for each in members]
        return VroomFile(fields, tasks, members, [ways[kind].leg for kind in kinds], self.dimensions > 0)

    # Matrices.

    def _matrices(self, data: Mapping[str, Any]) -> dict[str, dict[str, FloatArray]]:
        if "matrix" in data:
            if "matrices" in data:
                raise self._error("matrix", "is given beside matrices; expected one of the two; leave it out.")
            return {"car": {"durations": self._matrix("matrix", data["matrix"])}}
        given = data.get("matrices", {})
        if not isinstance(given, Mapping):
            raise self._error("matrices", f"is {shown(given)}; expected an object with profiles; correct it.")
        found = {}
        for profile, each in given.items():
            path = f"matrices.{profile}"[:60]
            self._object(path, each, MATRIX_KEYS)
            if "durations" not in each:
                raise self._error(path, "has no durations; expected them; add them.")
            found[profile] = {key: self._matrix(f"{path}.{key}", values) for key, values in each.items()}
        sizes = {len(values) for each in found.values() for values in each.values()}
        if len(sizes) > 1:
            raise self._error("matrices", f"have {listed(sorted(sizes))} rows; expected as many in each; correct them.")
        return found

    def _matrix(self, path: str, values: Any) -> FloatArray:
        for row in self._list(path, values):
            if not isinstance(row, list) or len(row) != len(values):
                raise self._error(path, "is not square; expected a row and a column for each place; correct it.")
            for number in row:
                self._number(path, number)
        if not values:
            raise self._error(path, "is empty; expected a row and a column for each place; correct it.")
        found = np.array(values, dtype=np.float64)
        np.fill_diagonal(found, 0.0)
        return found

    def _base(self, path: str, profile: str) -> dict[str, FloatArray]:
        """Return the matrices of a profile between nodes."""
        count = len(self.places)
        if self.matrices:
            if profile not in self.matrices:
                raise self._error(
                    path, f"is {shown(profile, 40)}, and matrices has {listed(self.matrices, 80)}; expected one of "
                    "these, as no routing service is asked; add a matrix."
                )  # fmt: skip
            rows = np.array(self.places, dtype=np.intp)
            return {key: values[np.ix_(rows, rows)] for key, values in self.matrices[profile].items()}
        require_few_places(self.file, count)
        kilometres = great_circle(np.array(self.places, dtype=np.float64), self.detour)
        return {
            "distances": np.round(kilometres * 1000), "durations": np.round(driving_times(kilometres, self.speed, "s"))
        }  # fmt: skip

    def _ways(self, vehicles: Sequence[Mapping[str, Any]]) -> tuple[list[_Way], list[int]]:
        """Return the different ways of all vehicles, and which each vehicle drives."""
        numbers: dict[Any, int] = {}
        ways: list[_Way] = []
        of_vehicle: list[int] = []
        bases: dict[str, dict[str, FloatArray]] = {}
        for number, vehicle in enumerate(vehicles):
            path = f"vehicles[{number}]"
            profile, factor = vehicle.get("profile", "car"), vehicle.get("speed_factor", 1)
            costs = vehicle.get("costs", {})
            per_hour, per_km = costs.get("per_hour", PER_HOUR), costs.get("per_km", 0)
            profile = profile if self.matrices else "car"  # without a routing service, all drive alike
            key = (profile, factor, per_hour, per_km)
            if key not in numbers:
                if profile not in bases:
                    bases[profile] = self._base(f"{path}.profile", profile)
                numbers[key] = len(ways)
                ways.append(self._way(path, vehicle, bases[profile], factor, per_hour, per_km))
                if 3 * len(ways) * len(self.places) ** 2 > MOST_CELLS and len(ways) > 1:
                    raise self._error(
                        path, f"is the first of {len(ways)} kinds to drive between {len(self.places)} places; expected "
                        "fewer; give vehicles the same profile, speed_factor and costs."
                    )  # fmt: skip
            of_vehicle.append(numbers[key])
        return ways, of_vehicle

    def _way(
        self, path: str, vehicle: Mapping[str, Any], base: Mapping[str, FloatArray], factor: float, per_hour: float,
        per_km: float,
    ) -> _Way:  # fmt: skip
        durations = base["durations"] / factor
        leg = Leg(durations, base.get("distances"))
        if "costs" in base:
            if per_km or per_hour != PER_HOUR:
                raise self._error(
                    f"{path}.costs", "has per_hour or per_km, and the matrices of its profile have costs; expected one "
                    "of the two; leave one out."
                )  # fmt: skip
            way = _Way(base["costs"], 1.0, leg, "")
        elif not per_km:
            way = _Way(durations, per_hour / 3600, leg, "time")
        elif leg.distances is None:
            raise self._error(
                f"{path}.costs.per_km", "is given, and matrices has no distances; add them, or take it out."
            )
        elif not per_hour:
            way = _Way(leg.distances, per_km / 1000, leg, "distance")
        else:
            way = _Way(durations * (per_hour / 3600) + leg.distances * (per_km / 1000), 1.0, leg, "")
        for key, sums, other in (
            ("max_travel_time", "time", "per_km is 0"),
            ("max_distance", "distance", "per_hour is 0"),
        ):
            if key in vehicle and way.sums != sums:
                raise self._error(
                    f"{path}.{key}", f"cannot be said beside other costs; expected a vehicle whose costs follow the "
                    f"{sums} alone, so that {other}; take it out."
                )  # fmt: skip
        return way

    # Vehicles.

    def _check_vehicle(self, path: str, vehicle: Mapping[str, Any]) -> None:
        for key in ("breaks", "steps"):
            if vehicle.get(key):
                raise self._error(f"{path}.{key}", "cannot be said; expected none; take them out.")
        costs = self._object(f"{path}.costs", vehicle.get("costs", {}), COST_KEYS)
        for key, value in costs.items():
            self._number(f"{path}.costs.{key}", value)
        if costs.get("per_task_hour"):
            raise self._error(f"{path}.costs.per_task_hour", "cannot be said; expected 0; take it out.")
        if not isinstance(vehicle.get("profile", "car"), str):
            raise self._error(f"{path}.profile", f"is {shown(vehicle['profile'])}; expected text; correct it.")
        factor = vehicle.get("speed_factor", 1)
        if self._number(f"{path}.speed_factor", factor) > 5 or factor < 0.01:
            raise self._error(
                f"{path}.speed_factor", f"is {shown(factor)}; expected a number over 0, up to 5; correct it."
            )
        for key in ("max_tasks", "max_travel_time", "max_distance"):
            if key in vehicle:
                self._number(f"{path}.{key}", vehicle[key], whole=key == "max_tasks")

    def _types(
        self, vehicles: Sequence[Mapping[str, Any]], ends: Sequence[tuple[Any, ...]], depots: Sequence[Any],
        skills: Mapping[int, frozenset[int]], ways: Sequence[_Way], of_vehicle: Sequence[int],
    ) -> tuple[list[VehicleType], list[list[Mapping[str, Any]]], list[int]]:  # fmt: skip
        """Return vehicle types, the vehicles of each, and the way that each drives; those that are alike are one."""
        numbers = {place: number for number, place in enumerate(depots)}
        found: dict[Any, tuple[VehicleType, list[Mapping[str, Any]], int]] = {}
        for number, vehicle in enumerate(vehicles):
            path = f"vehicles[{number}]"
            has = frozenset(self._skills(path, vehicle))
            allowed = tuple(node for node, wanted in skills.items() if wanted <= has)
            if not allowed or vehicle.get("max_tasks") == 0:
                continue  # it stays at home
            window = (
                self._windows(f"{path}.time_window", [vehicle["time_window"]])[0] if "time_window" in vehicle else None
            )
            start, end = (None if place is None else numbers[place] for place in ends[number])
            way = ways[of_vehicle[number]]
            limit = vehicle.get("max_travel_time", vehicle.get("max_distance", UNLIMITED))
            made = VehicleType(
                capacity=self._amounts(f"{path}.capacity", vehicle.get("capacity", []), vehicle=True),
                start_depot=start, end_depot=end, fixed_cost=float(vehicle.get("costs", {}).get("fixed", 0)),
                tw_early=window[0] if window else 0.0, tw_late=window[1] if window else UNLIMITED,
                max_distance=float(limit), unit_distance_cost=way.unit, max_stops=vehicle.get("max_tasks", UNLIMITED),
                allowed_customers=None if len(allowed) == len(skills) else allowed,
            )  # fmt: skip
            key = (made, of_vehicle[number])
            if key in found:
                found[key][1].append(vehicle)
            else:
                found[key] = made, [vehicle], of_vehicle[number]
        kinds = [kind for _, _, kind in found.values()]
        used = list(dict.fromkeys(kinds))
        types = [
            VehicleType(**{**vars(made), "num_available": len(members), "profile": used.index(kind)})
            for made, members, kind in found.values()
        ]
        return types, [members for _, members, _ in found.values()], kinds

    def _end(self, path: str, vehicle: Mapping[str, Any], key: str) -> Any:
        """Return where a vehicle starts or ends: a row of the matrices, or a point; None if that is open."""
        index = f"{key}_index"
        if self.matrices:
            if index in vehicle:
                return self._index(f"{path}.{index}", vehicle[index])
            if key in vehicle:
                raise self._error(path, f"has {key} and no {index}; expected it, as there are matrices; add it.")
        elif key in vehicle:
            return self._point(f"{path}.{key}", vehicle[key])
        elif index in vehicle:
            raise self._error(f"{path}.{index}", f"is given, and there are no matrices; expected {key}; add them.")
        other = "end" if key == "start" else "start"
        if other not in vehicle and f"{other}_index" not in vehicle:
            raise self._error(path, "has neither start nor end; expected at least one; add it.")
        return None

    # Tasks.

    def _tasks(self, jobs: Sequence[Any], shipments: Sequence[Any], first: int) -> dict[int, Task]:
        """Return the tasks by their nodes, and note where they are."""
        found: dict[int, Task] = {}
        self.paths: dict[int, str] = {}
        self.owners: dict[int, Mapping[str, Any]] = {}

        def add(kind: str, path: str, said: Mapping[str, Any], owner: Mapping[str, Any], owner_path: str) -> None:
            node = first + len(found)
            delivery: tuple[float, ...] = ()
            pickup: tuple[float, ...] = ()
            if kind == "job":
                delivery = self._amounts(f"{path}.delivery", said.get("delivery", []))
                pickup = self._amounts(f"{path}.pickup", said.get("pickup", []))
            else:
                amount = self._amounts(f"{owner_path}.amount", owner.get("amount", []))
                delivery, pickup = (amount, ()) if kind == "delivery" else ((), amount)
            if said.get("setup"):
                raise self._error(f"{path}.setup", "cannot be said; expected 0; add it to service, or take it out.")
            priority = int(self._number(f"{owner_path}.priority", owner.get("priority", 0), whole=True))
            if priority > MOST_PRIORITY:
                raise self._error(
                    f"{owner_path}.priority", f"is {priority}; expected 0 to {MOST_PRIORITY}; correct it."
                )
            found[node] = Task(kind, said, priority, delivery, pickup)
            self.paths[node], self.owners[node] = path, owner
            self._number(f"{path}.service", said.get("service", 0))
            self.places.append(self._place(path, said))

        for number, job in enumerate(jobs):
            path = f"jobs[{number}]"
            self._object(path, job, JOB_KEYS)
            add("job", path, job, job, path)
        for number, shipment in enumerate(shipments):
            path = f"shipments[{number}]"
            self._object(path, shipment, SHIPMENT_KEYS)
            for kind in ("pickup", "delivery"):
                if kind not in shipment:
                    raise self._error(path, f"has no {kind}; expected a pickup and a delivery; add it.")
                step = self._object(f"{path}.{kind}", shipment[kind], TASK_KEYS)
                add(kind, f"{path}.{kind}", step, shipment, path)
        for kind in ("job", "pickup", "delivery"):
            self._require_ids(f"{kind}s", [task.said for task in found.values() if task.kind == kind])
        return found

    def _place(self, path: str, said: Mapping[str, Any]) -> Any:
        if self.matrices:
            if "location_index" not in said:
                raise self._error(path, "has no location_index; expected a row of the matrices; add it.")
            return self._index(f"{path}.location_index", said["location_index"])
        if "location" not in said:
            raise self._error(
                path, "has no location; expected [longitude, latitude], as there are no matrices; add it."
            )
        return self._point(f"{path}.location", said["location"])

    def _skills_of(self, node: int) -> frozenset[int]:
        return frozenset(self._skills(self.paths[node], self.owners[node]))

    # The instance.

    def _prize(
        self,
        types: Sequence[VehicleType],
        members: Sequence[Sequence[Any]],
        ways: Sequence[_Way],
        tasks: Mapping[int, Task],
    ) -> float:
        """Return what leaving out a task costs: more than all routes, so that as many as can be are served."""
        nodes = list(tasks)
        columns = np.max(
            [way.costs.max(axis=0) * kind.unit_distance_cost for way, kind in zip(ways, types, strict=True)], axis=0
        )
        vehicles = min(sum(map(len, members)), len(nodes))
        depots = float(columns[: nodes[0]].max(initial=0.0)) + max(kind.fixed_cost for kind in types)
        return float(math.ceil(1.0 + float(columns[nodes].sum()) + vehicles * depots))

    def _fields(
        self, depots: Sequence[Any], tasks: Mapping[int, Task], types: Sequence[VehicleType], ways: Sequence[_Way],
        kinds: Sequence[int], prize: float,
    ) -> ParsedFile:  # fmt: skip
        customers, pairs, pair_nodes = [], [], []
        priorities = self._priorities(tasks)
        for node, task in tasks.items():
            visit = self._visit(node, task)
            if task.kind == "job":
                customers.append(
                    Customer(
                        location=node,
                        delivery=task.delivery,
                        pickup=task.pickup,
                        prize=prize,
                        required=False,
                        priority=priorities[node],
                        **visit,
                    )
                )
            elif task.kind == "pickup":
                delivery = self._visit(node + 1, tasks[node + 1])
                pairs.append(
                    Pair(
                        pickup_location=node,
                        delivery_location=node + 1,
                        amount=task.pickup,
                        prize=2 * prize,
                        required=False,
                        priority=priorities[node],
                        **{f"pickup_{key}": value for key, value in visit.items()},
                        **{f"delivery_{key}": value for key, value in delivery.items()},
                    )
                )
                pair_nodes.append((node, node + 1))
        profiles = [ways[kinds.index(kind)] for kind in dict.fromkeys(kinds)]
        apart = any(way.costs is not way.leg.durations for way in profiles)
        on_map = None if self.matrices else np.array(self.places, dtype=np.float64)
        parts = Parts(
            depots=tuple(Depot(location=number) for number in range(len(depots))),
            customers=tuple(customers), pairs=tuple(pairs), vehicle_types=tuple(types),
            coordinates=None if on_map is None else in_plane(on_map), distances=profiles[0].costs,
            durations=profiles[0].leg.durations if apart else None,
            profiles=tuple(
                Profile(distances=way.costs, durations=way.leg.durations if apart else None) for way in profiles[1:]
            ),
        )  # fmt: skip
        names = [""] * len(depots) + [f"{task.kind} {task.said['id']}" for task in tasks.values()]
        return {
            "name": self.name, "rounding": "none", "names": names, "time_unit": "s",
            "lonlat": on_map if on_map is not None else self._lonlat(tasks, len(depots)),
            **stated_fields(self.file, parts, pair_nodes),
        }  # fmt: skip

    def _priorities(self, tasks: Mapping[int, Task]) -> dict[int, int]:
        """Return priorities in the same proportions: that of a shipment counts for its pickup and its delivery."""
        sums = {node: task.priority * (1 if task.kind == "job" else 2) for node, task in tasks.items()}
        common = math.gcd(*sums.values()) or 1
        if max(sums.values()) <= MOST_PRIORITY:
            common = 1
        for node, total in sums.items():
            if total // common > MOST_PRIORITY:
                path = self.paths[node].rpartition(".")[0] or self.paths[node]
                raise self._error(
                    f"{path}.priority",
                    f"is {tasks[node].priority}, and counts for pickup and delivery; expected at most "
                    f"{MOST_PRIORITY // 2} beside other priorities; lower all of them.",
                )
        return {node: total // common for node, total in sums.items()}

    def _visit(self, node: int, task: Task) -> dict[str, Any]:
        first, *more = self._task_windows(node, task)
        return {
            "tw_early": first[0], "tw_late": first[1], "more_windows": tuple(more),
            "service_duration": float(task.said.get("service", 0)),
        }  # fmt: skip

    def _task_windows(self, node: int, task: Task) -> list[tuple[float, float]]:
        given = task.said.get("time_windows")
        return self._windows(f"{self.paths[node]}.time_windows", given) if given else [(0.0, UNLIMITED)]

    def _lonlat(self, tasks: Mapping[int, Task], depots: int) -> FloatArray | None:
        """Return where nodes are on a map, if the file says it beside its matrices for all of them."""
        where = {}
        for number, vehicle in enumerate(self.data["vehicles"]):
            for key in ("start", "end"):
                if key in vehicle and f"{key}_index" in vehicle:
                    where[vehicle[f"{key}_index"]] = self._point(f"vehicles[{number}].{key}", vehicle[key])
        found = [where.get(place) for place in self.places[:depots]]
        found += [
            self._point(f"{self.paths[node]}.location", task.said["location"]) if "location" in task.said else None
            for node, task in tasks.items()
        ]
        return None if None in found else np.array(found, dtype=np.float64)

    # Values.

    def _error(self, path: str, message: str) -> InputError:
        return InputError(f"{self.file}: {path} {message}")

    def _object(self, path: str, value: Any, known: Sequence[str]) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self._error(path, f"is {shown(value)}; expected an object with keys; correct it.")
        if (twice := getattr(value, "key", None)) is not None:
            raise self._error(
                f"{path}.{twice}"[:80], "is given a second time; expected it once; delete one of the two."
            )
        for key in value:
            where = f"{path}.{key}"[:80] if path else key[:80]
            if key in known:
                continue
            if key in UNSAYABLE and key not in known:
                raise self._error(where, f"cannot be said, as {UNSAYABLE[key]}; expected no such key; take it out.")
            hint = did_you_mean(key, known)
            raise self._error(where, f"is not known; expected one of {listed(known, 100)}; {hint or 'take it out.'}")
        return value

    def _list(self, path: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self._error(path, f"is {shown(value)}; expected a list; correct it.")
        return value

    def _number(self, path: str, value: Any, *, whole: bool = False) -> float:
        usable = type(value) in (int, float) and 0 <= value <= LARGEST
        if not usable or (whole and value != int(value)):
            said = "null" if value is None else shown(value)
            kind = "a whole number" if whole else "a number"
            raise self._error(path, f"is {said}; expected {kind} of 0 or more; correct it.")
        return float(value)

    def _index(self, path: str, value: Any) -> int:
        rows = len(next(iter(next(iter(self.matrices.values())).values())))
        if type(value) is not int or not 0 <= value < rows:
            raise self._error(path, f"is {shown(value)}; expected a row of the matrices, 0 to {rows - 1}; correct it.")
        return value

    def _point(self, path: str, value: Any) -> tuple[float, float]:
        fits = isinstance(value, list) and len(value) == 2 and all(type(each) in (int, float) for each in value)
        if not fits or not (abs(value[0]) <= 180 and abs(value[1]) <= 90):
            raise self._error(path, f"is {shown(value)}; expected [longitude, latitude] in degrees; correct it.")
        return float(value[0]), float(value[1])

    def _skills(self, path: str, said: Mapping[str, Any]) -> list[int]:
        given = self._list(f"{path}.skills", said.get("skills", []))
        return [int(self._number(f"{path}.skills", each, whole=True)) for each in given]

    def _windows(self, path: str, given: Any) -> list[tuple[float, float]]:
        """Return windows in the order of time; those that touch become one."""
        made: list[tuple[float, float]] = []
        for each in self._list(path, given):
            if not isinstance(each, list) or len(each) != 2:
                raise self._error(path, f"has {shown(each)}; expected pairs of a start and an end; correct it.")
            start, end = (self._number(path, time) for time in each)
            if start > end:
                raise self._error(path, f"has {shown(each)}; expected a start before its end; swap the two.")
            made.append((start, end))
        joined: list[tuple[float, float]] = []
        for start, end in sorted(made):
            if joined and start <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(end, joined[-1][1])
            else:
                joined.append((start, end))
        return joined

    def _dimensions(self, vehicles: Sequence[Any], jobs: Sequence[Any], shipments: Sequence[Any]) -> int:
        """Return the number of load dimensions, which all amounts have."""
        given = [(f"vehicles[{number}].capacity", each.get("capacity")) for number, each in enumerate(vehicles)]
        for kind, keys, entries in (("jobs", ("delivery", "pickup"), jobs), ("shipments", ("amount",), shipments)):
            for number, each in enumerate(entries):
                if isinstance(each, Mapping):
                    given += [(f"{kind}[{number}].{key}", each.get(key)) for key in keys]
        known = [(path, self._list(path, value)) for path, value in given if value]
        if not known:
            return 0
        count = len(known[0][1])
        if count > MOST_DIMENSIONS:
            raise self._error(known[0][0], f"has {count} numbers; expected at most {MOST_DIMENSIONS}; take some out.")
        for path, value in known:
            if len(value) != count:
                raise self._error(
                    path, f"has {len(value)} numbers, and {known[0][0]} has {count}; expected as many; correct one."
                )
        if any(not each.get("capacity") for each in vehicles) and any(each.get("capacity") for each in vehicles):
            number = next(number for number, each in enumerate(vehicles) if not each.get("capacity"))
            raise self._error(f"vehicles[{number}]", "has no capacity, and others have; expected one for each; add it.")
        return count

    def _amounts(self, path: str, given: Any, *, vehicle: bool = False) -> tuple[float, ...]:
        values = tuple(self._number(path, each) for each in self._list(path, given))
        if values or not self.dimensions:
            return values
        return (UNLIMITED if vehicle else 0.0,) * self.dimensions

    def _require_ids(self, path: str, entries: Sequence[Mapping[str, Any]]) -> None:
        seen: set[int] = set()
        for number, each in enumerate(entries):
            if "id" not in each:
                raise self._error(f"{path}[{number}]", "has no id; expected a whole number; add it.")
            key = each["id"]
            if type(key) is not int:
                raise self._error(f"{path}[{number}].id", f"is {shown(key)}; expected a whole number; correct it.")
            if key in seen:
                raise self._error(
                    f"{path}[{number}].id", f"is {key}, as another one's is; expected each once; change it."
                )
            seen.add(key)
