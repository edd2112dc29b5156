"""The problem to be solved: nodes, demands, windows, and the rules by which solutions are measured."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from dacalns.instances import kept_nodes
from dacalns.instances.conversion import instance_fields, parts_of
from dacalns.instances.distance_matrix import (
    ROUNDINGS,
    FloatArray,
    automatic_rounding,
    distance_matrix,
    distance_rows,
    scale_of,
    scaled,
    scaled_number,
    warn_of_degrees,
)
from dacalns.instances.features import (
    BACKHAULS_LAST,
    DEPOT_SERVICE,
    DEPOTS,
    DURATIONS,
    GROUPS,
    LOADS,
    PAIRS,
    PICKUPS,
    PLAIN,
    PRIORITIES,
    PRIZES,
    PROFILES,
    RELEASE_TIMES,
    SEVERAL_WINDOWS,
    VEHICLE_TYPES,
    WINDOWS,
    problem_called,
)
from dacalns.instances.fields import (
    CONTENT,
    LARGEST,
    LEAST_CAPACITY,
    Meaning,
    annotation,
    by_number,
    capacity_of,
    default_of,
    features_of_fields,
    fields_with,
    hashable,
    is_unsaid,
    node_array,
    per_arc,
    per_node,
    per_vehicle_type,
    positive_number,
    record,
    require_not_negative,
    require_one_line,
    require_open_windows,
    require_zero_at_depots,
    rows,
    rule,
    same_value,
)
from dacalns.instances.part_checks import flag, whole
from dacalns.instances.parts import Group, Parts, Profile, VehicleType
from dacalns.instances.rich_checks import (
    BoolArray,
    IntArray,
    arc_array,
    dimensions_of,
    groups_of,
    load_array,
    more_windows_of,
    optional_of,
    pairs_of,
    pickups_of,
    priorities_of,
    profiles_of,
    require_backhauls,
    require_leavable,
    require_pairs_agree,
    require_partners_allowed,
    times_or_costs,
    vehicle_types_of,
    vehicles_of,
)
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, shortened, shown
from dacalns.util.values import require_choice

TIME_UNITS = ("", "s", "min", "h")
"""What `Instance.time_unit` may be."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Instance:
    """A routing problem together with its rounding and its fleet rule: a CVRP or VRPTW, or one that asks for more.

    Lists are accepted wherever an array is named; arrays are copied and made read-only. Nodes are numbered from 0:
    depots first, then all that is visited. With one depot, node 0 is the depot. All from ``depots`` on is left out for
    a CVRP or VRPTW.

    Parameters
    ----------
    name
        The name of the instance in results.
    coordinates
        Positions in a plane, shape (nodes, 2). May be left out when there is a matrix. Without one, a
        ``UserWarning`` says when they look like latitude and longitude.
    matrix
        Explicit distances in file units, shape (nodes, nodes), not necessarily symmetric. Where given,
        distances come from here and coordinates only serve for drawing and features.
    demands
        What is brought to each node, shape (nodes,), or (nodes, dimensions) for several load dimensions; 0 for depots.
        For a pair, the entry of its pickup is what is carried to its delivery, whose own entry is 0.
    capacity
        The capacity of every vehicle. With ``vehicle_types`` it is left out; then it is the largest of theirs in the
        first load dimension.
    windows
        Earliest and latest start of service in file units, shape (nodes, 2); ``None`` for a CVRP. The
        depot's is the horizon.
    service
        Service times in file units, shape (nodes,); zeros when left out. A depot's is the time that loading takes
        before each departure.
    fleet
        The most routes that a solution may have; ``None`` when free. With ``vehicle_types`` it is left out; then it is
        the number of all their vehicles.
    rounding
        One of ``round``, ``trunc``, ``dimacs``, ``milli``, ``exact``, ``none``; ``auto`` picks what best-known lists
        use.
    best_known
        The best cost known for these rules, in file units.
    proven_optimal
        True if ``best_known`` is known to be optimal.
    best_known_origin
        The run that found ``best_known``, where that is a reference of our own; empty for a published value.
    comment
        One line of free text.
    depots
        How many depots there are.
    pickups
        What is collected at each node and brought to the depot, in the shape of ``demands``.
    more_windows
        Further windows of nodes: rows of a node, an earliest and a latest start, later than the window before.
    releases
        The earliest departure of the trip that visits a node, shape (nodes,).
    prizes
        What leaving out a node costs, shape (nodes,): for optional nodes and members of groups.
    optional
        True for nodes that may be left out, shape (nodes,). Members of groups need not be marked; of a pair, both are.
    priorities
        How important it is to visit an optional node, 0 to 100, shape (nodes,); it goes before the cost.
    groups
        Groups of nodes of which at most one is visited.
    pairs
        Rows of two nodes, the pickup of goods and their delivery; one route visits both, in that order.
    backhauls_last
        True if every trip makes all deliveries before the first pickup, and at least one.
    vehicle_types
        Vehicles of different kinds, in place of ``capacity`` and ``fleet``. Numbers of depots and customers in them
        are those of the nodes. A single type with one capacity and no more becomes ``capacity`` and ``fleet``.
    vehicles
        The numbers that the vehicles have in their file, type after type; none if they are numbered in that order.
    customers_first
        True if solution files number customers from 1 and depots after them, as Cordeau's do; node numbers otherwise.
    names
        What users call the nodes, one entry each, empty for a node without a name; none if no node has one.
    lonlat
        Longitudes and latitudes of the nodes in degrees, shape (nodes, 2), for maps; they change no distance.
    time_unit
        What a unit of time is: ``"s"``, ``"min"`` or ``"h"``, counted from midnight; empty if nobody knows.
    vehicle_names
        What users call the vehicle types, one entry each; none if no type has a name.
    durations
        Driving times in file units, shape (nodes, nodes); the distances if left out.
    profiles
        Distances and driving times of vehicle types that have their own.

    Raises
    ------
    InputError
        When a value cannot be part of an instance.

    Examples
    --------
    >>> Instance(name="mine", coordinates=[[0, 0], [3, 4], [0, 5]], demands=[0, 1, 1], capacity=2)
    Instance('mine': cvrp, 2 customers, capacity 2, fleet free, rounding round)
    """

    name: str = annotation()
    coordinates: FloatArray | None = per_node(default=None, feature=None)
    matrix: FloatArray | None = per_arc(default=None, feature=None)
    demands: FloatArray = per_node(feature=None)  # several load dimensions are seen in its shape
    capacity: float = per_vehicle_type(default=None, feature=None)
    windows: FloatArray | None = per_node(default=None, feature=WINDOWS)
    service: FloatArray = per_node(default_factory=lambda: np.zeros(0), feature=None)  # loading times are looked up
    fleet: int | None = per_vehicle_type(default=None, feature=None)
    rounding: str = rule(default="auto", feature=None)
    best_known: float | None = record(default=None)
    proven_optimal: bool = record(default=False)
    best_known_origin: str = record(default="")
    comment: str = annotation(default="")
    depots: int = rule(default=1, feature=DEPOTS, unsaid=True)
    pickups: FloatArray | None = per_node(default=None, feature=PICKUPS, unsaid=True)
    more_windows: tuple[tuple[int, float, float], ...] = by_number(
        default=(), feature=SEVERAL_WINDOWS, unsaid=True, kept=kept_nodes.windows
    )
    releases: FloatArray | None = per_node(default=None, feature=RELEASE_TIMES, unsaid=True)
    prizes: FloatArray | None = per_node(default=None, feature=PRIZES, unsaid=True)
    optional: BoolArray | None = per_node(default=None, feature=PRIZES, unsaid=True)
    priorities: FloatArray | None = per_node(default=None, feature=PRIORITIES, unsaid=True)
    groups: tuple[Group, ...] = by_number(default=(), feature=GROUPS, unsaid=True, kept=kept_nodes.groups)
    pairs: IntArray | None = by_number(default=None, feature=PAIRS, unsaid=True, kept=kept_nodes.pairs)
    backhauls_last: bool = rule(default=False, feature=BACKHAULS_LAST, unsaid=True)
    vehicle_types: tuple[VehicleType, ...] = per_vehicle_type(
        default=(), feature=None, unsaid=True, kept=kept_nodes.vehicle_types
    )  # each type names the features that it asks for
    vehicles: tuple[int, ...] = annotation(default=())
    customers_first: bool = annotation(default=False)
    names: tuple[str, ...] = annotation(default=(), kept=kept_nodes.entries)
    lonlat: FloatArray | None = annotation(default=None, kept=rows)  # noqa: RUF009  # it declares a field
    time_unit: str = annotation(default="")
    vehicle_names: tuple[str, ...] = annotation(default=())
    durations: FloatArray | None = per_arc(default=None, feature=DURATIONS, unsaid=True)
    profiles: tuple[Profile, ...] = per_arc(default=(), feature=PROFILES, unsaid=True, kept=kept_nodes.profiles)

    def __post_init__(self) -> None:
        require_one_line("instance name", self.name, empty_allowed=False)
        require_one_line(f"{self._called}: comment", self.comment, empty_allowed=True)
        require_one_line(f"{self._called}: best_known_origin", self.best_known_origin, empty_allowed=True)
        demands = load_array(self._called, "demands", self.demands, -1)
        nodes = len(demands)
        if nodes < 2:
            raise InputError(
                f"{self._called}: has {nodes} nodes; expected a depot and at least one customer; add some."
            )
        self._set(depots=whole(f"{self._called}: depots", self.depots, minimum=1, maximum=nodes - 1))
        require_not_negative(self._called, "demand", demands)
        require_zero_at_depots(self._called, "demand", demands, self.depots)
        self._set(demands=demands)
        self._check_places(nodes)
        self._check_labels(nodes)
        self._check_times(nodes)
        self._check_visits(nodes)
        self._check_vehicles(nodes)
        self._check_vehicle_names()
        self._check_rules()

    def _check_places(self, nodes: int) -> None:
        if self.coordinates is None and self.matrix is None:
            raise InputError(f"{self._called}: has neither coordinates nor matrix; expected one of them; give one.")
        if self.coordinates is not None:
            coordinates = node_array(self._called, "coordinates", self.coordinates, (nodes, 2))
            if self.matrix is None and coordinates is not self.coordinates:  # those of another instance are shared
                warn_of_degrees(self._called, coordinates)
            self._set(coordinates=coordinates)
        if self.matrix is not None:
            self._set(matrix=node_array(self._called, "matrix", self.matrix, (nodes, nodes)))
            require_not_negative(self._called, "distance", self.matrix)
        if self.durations is not None:
            self._set(durations=arc_array(self._called, "durations", self.durations, nodes))
        self._set(profiles=profiles_of(self._called, self.profiles, nodes))

    def _check_labels(self, nodes: int) -> None:
        """Check what users call nodes and units, and where nodes are on a map."""
        names = tuple(self.names)
        for node, name in enumerate(names):
            require_one_line(f"{self._called}: names[{node}]", name, empty_allowed=True)
        if names and len(names) != nodes:
            raise InputError(
                f"{self._called}: names has {len(names)} entries; expected {nodes}, one for each node, depots first; "
                "use an empty text for a node without a name."
            )
        self._set(names=names if any(names) else ())
        if self.lonlat is not None:
            lonlat = node_array(self._called, "lonlat", self.lonlat, (nodes, 2))
            beyond = (np.abs(lonlat) > (180.0, 90.0)).any(axis=1)
            if beyond.any():
                node = int(np.argmax(beyond))
                raise InputError(
                    f"{self._called}: lonlat of node {node} is {lonlat[node].tolist()}; expected a longitude from -180 "
                    "to 180, then a latitude from -90 to 90; correct it, or swap the columns."
                )
            self._set(lonlat=lonlat)
        require_choice(f"{self._called}: time_unit", self.time_unit, TIME_UNITS)

    def name_of(self, node: int) -> str:
        """Return what users call a node: its name, or its number."""
        return (self.names[node] if self.names else "") or str(node)

    def _check_times(self, nodes: int) -> None:
        if self.windows is not None:
            windows = node_array(self._called, "windows", self.windows, (nodes, 2))
            require_not_negative(self._called, "window", windows)
            require_open_windows(self._called, windows)
            self._set(windows=windows)
        service = self.service if np.size(self.service) else np.zeros(nodes)
        service = node_array(self._called, "service", service, (nodes,))
        require_not_negative(self._called, "service time", service)
        self._set(service=service)
        self._set(more_windows=more_windows_of(self._called, self.more_windows, self.windows, self.depots))
        if self.releases is not None:
            given = self._called, "releases", "release", self.releases, nodes, self.depots
            self._set(releases=times_or_costs(*given))

    def _check_visits(self, nodes: int) -> None:
        """Check what is brought and collected, and which nodes may be left out."""
        called, depots = self._called, self.depots
        self._set(
            backhauls_last=flag(f"{called}: backhauls_last", self.backhauls_last),
            customers_first=flag(f"{called}: customers_first", self.customers_first),
            groups=groups_of(called, self.groups, depots, nodes),
            pairs=None if self.pairs is None else pairs_of(called, self.pairs, depots, nodes),
        )
        if self.pickups is not None:
            self._set(pickups=pickups_of(called, self.pickups, depots, self.demands))
        if self.optional is not None:
            self._set(optional=optional_of(called, self.optional, depots, nodes, self.groups))
        if self.prizes is not None:
            self._set(prizes=times_or_costs(called, "prizes", "prize", self.prizes, nodes, depots))
        if self.priorities is not None:
            self._set(priorities=priorities_of(called, self.priorities, depots, nodes))
        if self.pairs is not None:
            require_pairs_agree(
                called, self.pairs, self.demands, pickups=self.pickups, prizes=self.prizes, groups=self.groups,
                priorities=self.priorities, optional=self.optional,
            )  # fmt: skip
        require_leavable(called, "prize", self.prizes, ~self.required)
        require_leavable(called, "priority", self.priorities, ~self.required)
        if self.backhauls_last:
            require_backhauls(called, self.demands, self.pickups, self.pairs)

    def _check_vehicles(self, nodes: int) -> None:
        called, dimensions = self._called, dimensions_of(self.demands)
        types = vehicle_types_of(
            called, self.vehicle_types, depots=self.depots, nodes=nodes, dimensions=dimensions,
            loaded=bool(self.demands.any()) or self.pickups is not None, profiles=len(self.profiles),
        )  # fmt: skip
        if not types:
            if self.capacity is None:
                raise InputError(
                    f"{called}: capacity is None, and there are no vehicle_types; expected one of them; give one."
                )
            if dimensions > 1:
                raise InputError(
                    f"{called}: demands has {dimensions} load dimensions, and capacity is {shown(self.capacity)}; "
                    "expected vehicle_types, each with as many capacities; give those."
                )
            self._set(capacity=capacity_of(called, self.capacity))
            if self.fleet is not None:
                self._set(fleet=whole_fleet(called, self.fleet))
            self._set(vehicle_types=(), vehicles=vehicles_of(called, self.vehicles, self.fleet, ()))
            return
        if self.pairs is not None:
            require_partners_allowed(called, types, self.pairs)
        numbers = [each.num_available for each in types]
        capacity = max(LEAST_CAPACITY, *(each.capacity[0] for each in types))
        fleet = None if None in numbers else sum(number for number in numbers if number is not None)
        for field, value in (("capacity", capacity), ("fleet", fleet)):
            if (given := getattr(self, field)) is not None and given != value:
                raise InputError(
                    f"{called}: {field} is {shown(given)}, and there are vehicle_types, which say it; expected one of "
                    f"the two; leave out {field}."
                )
        vehicles = vehicles_of(called, self.vehicles, fleet, types)
        if says_no_more_than_capacity(types):
            types = vehicles = ()
        self._set(vehicle_types=types, vehicles=vehicles, capacity=capacity, fleet=fleet)

    def _check_vehicle_names(self) -> None:
        names = tuple(self.vehicle_names)
        for number, name in enumerate(names):
            require_one_line(f"{self._called}: vehicle_names[{number}]", name, empty_allowed=True)
        if names and len(names) != len(self.types):
            raise InputError(
                f"{self._called}: vehicle_names has {len(names)} entries; expected {len(self.types)}, one for each "
                "vehicle type; use an empty text for a type without a name."
            )
        self._set(vehicle_names=names if any(names) else ())

    def vehicle_label(self, vehicle_type: int) -> str | int:
        """Return what a table calls a vehicle type: its name, or its number where no type has a name."""
        return self.vehicle_name_of(vehicle_type) if self.vehicle_names else vehicle_type

    def vehicle_name_of(self, vehicle_type: int) -> str:
        """Return what users call a vehicle type: its name, or its number."""
        return (self.vehicle_names[vehicle_type] if self.vehicle_names else "") or str(vehicle_type)

    def _check_rules(self) -> None:
        if self.rounding == "auto":
            rounding = automatic_rounding(
                coordinates=self.coordinates,
                explicit=self.matrix is not None,
                features=self.features,
                capacities=len({each.capacity for each in self.types}),
            )
            self._set(rounding=rounding)
        require_choice(f"{self._called}: rounding", self.rounding, ROUNDINGS)
        if self.best_known is not None:
            self._set(best_known=positive_number(f"{self._called}: best_known", self.best_known))

    @property
    def _called(self) -> str:
        """The name of the instance in messages."""
        return shortened(self.name, VALUE)

    def _set(self, **fields: Any) -> None:
        """Write a field once it is checked; a frozen dataclass has no other way."""
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    @classmethod
    def from_parts(cls, name: str, parts: Parts, *, rounding: str = "auto", comment: str = "") -> Self:
        """Build an instance from depots, customers and vehicle types.

        Parameters
        ----------
        name, rounding, comment
            The fields of the instance.
        parts
            The depots, customers and vehicle types.

        Raises
        ------
        InputError
            When the parts contradict one another: the message names the field.

        Examples
        --------
        >>> from dacalns.instances.parts import Customer, Depot, VehicleType
        >>> parts = Parts(
        ...     coordinates=[[0, 0], [3, 4], [0, 5]],
        ...     depots=[Depot(location=0)],
        ...     customers=[Customer(location=1, delivery=1), Customer(location=2, delivery=1)],
        ...     vehicle_types=[VehicleType(num_available=2, capacity=2)],
        ... )
        >>> Instance.from_parts("mine", parts)
        Instance('mine': cvrp, 2 customers, capacity 2, fleet 2, rounding round)
        """
        return cls(name=name, rounding=rounding, comment=comment, **instance_fields(name, parts))

    @classmethod
    def from_frame(
        cls,
        customers: Any,
        vehicles: Any = None,
        depot: Any = None,
        *,
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
        ignore: Iterable[str] = (),
        capacity: Any = None,
        speed: float | None = None,
        detour: float | None = None,
        time_unit: str | None = None,
        matrix: Any = None,
        durations: Any = None,
        backhauls_last: bool = False,
        rounding: str = "auto",
    ) -> Self:
        """Build an instance from a table of customers, and perhaps one of vehicles and one of depots.

        A table is a DataFrame, the path of a CSV or Excel file, a list of dictionaries, or a dictionary of columns.
        Columns are known by their names, in any order; [Your data](data.md) lists them.

        Parameters
        ----------
        customers
            A row for each customer, and perhaps rows for depots.
        vehicles
            A row for each vehicle type; or how many vehicles there are, which ``capacity`` describes. Left out: as many
            as are needed.
        depot
            The depot, if no row is one: a position (latitude, longitude) or (x, y), the name of a row, a table, or a
            list of several of these.
        name
            The name of the instance; that of the file if left out.
        columns
            What columns mean whose names say something else: ``{"demand": "Kisten"}``.
        ignore
            Names of columns to leave out.
        capacity
            The capacity of each vehicle where ``vehicles`` is no table; a dictionary for several load dimensions.
        speed
            Kilometres an hour between places on a map, 50 if left out. With x and y: units of distance an hour.
        detour
            How many times longer than the great circle ways on a map are; 1.3 if left out.
        time_unit
            The unit of times that are numbers, and of driving times: ``"s"``, ``"min"`` or ``"h"``. Left out: minutes
            where times are times of the day or driving times are computed, else nobody knows.
        matrix
            Distances and perhaps driving times: an array, the answer of OSRM, Valhalla or GraphHopper, or a file with
            one of these. A dictionary of such for vehicles with different profiles.
        durations
            Driving times, if ``matrix`` has none.
        backhauls_last
            True if every trip makes all deliveries before the first pickup.
        rounding
            That of an instance. ``"auto"`` is metres and thousandths of the unit of time on a map, else ``"exact"``,
            and ``"none"`` for a matrix without units.

        Raises
        ------
        InputError
            When a table cannot be read or understood; the message names table, row and column.

        Examples
        --------
        >>> shops = [
        ...     {"name": "depot", "lat": 52.52, "lon": 13.40},
        ...     {"name": "Mitte", "lat": 52.53, "lon": 13.38, "demand": 3, "open": "08:30", "close": "10:00"},
        ...     {"name": "Tegel", "lat": 52.58, "lon": 13.28, "demand": 4, "service": 10},
        ... ]
        >>> instance = Instance.from_frame(shops, vehicles=2, capacity=10)
        >>> instance.names, instance.windows[1].tolist(), instance.time_unit
        (('depot', 'Mitte', 'Tegel'), [510.0, 600.0], 'min')
        """
        from dacalns.instances.table_problem import parse_tables, tell

        fields, notices = parse_tables(
            customers, vehicles, depot, name=name, columns=columns, ignore=ignore, capacity=capacity, speed=speed,
            detour=detour, time_unit=time_unit, matrix=matrix, durations=durations, backhauls_last=backhauls_last,
        )  # fmt: skip
        tell(notices)
        return cls(**fields | ({} if rounding == "auto" else {"rounding": rounding}))

    @cached_property
    def parts(self) -> Parts:
        """The same problem as depots, customers and vehicle types; `from_parts` makes an instance of them again."""
        return parts_of(self)

    @property
    def customers(self) -> int:
        """The number of nodes to visit, depots not counted; a pair counts two."""
        return len(self.demands) - self.depots

    @property
    def customer_nodes(self) -> range:
        """The numbers of the nodes to visit."""
        return range(self.depots, len(self.demands))

    @cached_property
    def features(self) -> frozenset[str]:
        """What the instance asks for beyond capacity, by name: ``{"windows"}`` with time windows.

        `dacalns.instances.features` has all names. Operators, policies, other solvers and file formats list the
        features that they support, and refuse others.
        """
        found = features_of_fields(self)
        if self.demands.ndim > 1:
            found.add(LOADS)
        if self.service[: self.depots].any():
            found.add(DEPOT_SERVICE)
        if len(self.vehicle_types) > 1:
            found.add(VEHICLE_TYPES)
        return frozenset(found.union(feature for each in self.vehicle_types for feature, _ in each.asked()))

    @property
    def is_plain(self) -> bool:
        """True for a CVRP or VRPTW, which asks for nothing but capacity and perhaps time windows."""
        return self.features <= PLAIN

    @cached_property
    def types(self) -> tuple[VehicleType, ...]:
        """The vehicle types; without any, the one that ``capacity`` and ``fleet`` state."""
        return self.vehicle_types or (VehicleType(num_available=self.fleet, capacity=(self.capacity,)),)

    @property
    def required(self) -> BoolArray:
        """True for nodes that every solution visits: not optional, and in no group."""
        found = np.ones(len(self.demands), dtype=np.bool_) if self.optional is None else ~self.optional
        found[: self.depots] = False
        found[[node for group in self.groups for node in group.customers]] = False
        return found

    @property
    def problem(self) -> str:
        """The features in a word for people: ``"vrptw"`` with time windows, ``"cvrp"`` without."""
        return problem_called(self.features)

    @property
    def scale(self) -> int:
        """The factor from file units to scaled units: 10 for ``dimacs``, 1000 for ``milli``, else 1."""
        return scale_of(self.rounding)

    @cached_property
    def symmetric(self) -> bool:
        """True if every distance is the same in both directions."""
        return self.matrix is None or bool(np.array_equal(self.matrix, self.matrix.T))

    @cached_property
    def distances(self) -> FloatArray:
        """All distances in scaled units after rounding, read-only, computed at the first use."""
        return distance_matrix(self.coordinates, self.matrix, self.rounding, len(self.demands))

    def distances_from(self, node: int) -> FloatArray:
        """Return the distances from one node to all, as a row of `distances`, without the whole matrix."""
        row: FloatArray = distance_rows(self.coordinates, self.matrix, self.rounding, np.array([node]))[0]
        return row

    def distances_to(self, node: int) -> FloatArray:
        """Return the distances to one node from all, as a column of `distances`, without the whole matrix."""
        backwards = None if self.matrix is None else self.matrix.T
        column: FloatArray = distance_rows(self.coordinates, backwards, self.rounding, np.array([node]))[0]
        return column

    def distances_of(self, profile: int = 0) -> FloatArray:
        """Return the distances that hold for vehicle types of a profile, in scaled units."""
        return self._ways_of(profile)[0]

    def durations_of(self, profile: int = 0) -> FloatArray:
        """Return the driving times that hold for vehicle types of a profile and speed 1, in scaled units."""
        return self._ways_of(profile)[1]

    def _ways_of(self, profile: int) -> tuple[FloatArray, FloatArray]:
        """Return distances and durations of a profile, computed at the first use."""
        if profile not in self._ways:
            own = self.profiles[profile - 1] if profile else Profile(durations=self.durations)
            distances = self.distances if own.distances is None else self._rounded(own.distances)
            if own.durations is not None:
                durations = self._rounded(own.durations)
            elif own.distances is not None or not profile:
                durations = distances
            else:
                durations = self.durations_of()
            self._ways[profile] = distances, durations
        return self._ways[profile]

    @cached_property
    def _ways(self) -> dict[int, tuple[FloatArray, FloatArray]]:
        return {}

    def _rounded(self, given: FloatArray) -> FloatArray:
        return distance_matrix(None, given, self.rounding, len(self.demands))

    @cached_property
    def scaled_windows(self) -> FloatArray | None:
        """The windows in scaled units."""
        return None if self.windows is None else scaled(self.windows, self.rounding)

    @cached_property
    def scaled_more_windows(self) -> tuple[tuple[int, float, float], ...]:
        """The further windows in scaled units."""
        return tuple(
            (node, scaled_number(opens, self.rounding), scaled_number(closes, self.rounding))
            for node, opens, closes in self.more_windows
        )

    @cached_property
    def scaled_service(self) -> FloatArray:
        """The service times in scaled units."""
        return scaled(self.service, self.rounding)

    @cached_property
    def scaled_releases(self) -> FloatArray | None:
        """The release times in scaled units."""
        return None if self.releases is None else scaled(self.releases, self.rounding)

    @cached_property
    def scaled_prizes(self) -> FloatArray | None:
        """The prizes in scaled units."""
        return None if self.prizes is None else scaled(self.prizes, self.rounding)

    @cached_property
    def scaled_types(self) -> tuple[VehicleType, ...]:
        """The vehicle types with times, limits and fixed costs in scaled units; costs for each unit stay."""
        return tuple(scaled_type(each, self.rounding) for each in self.types)

    def with_(self, **changes: Any) -> Self:
        """Return a copy with some fields changed, without the best-known value unless that is given anew.

        A best-known value holds for one set of rules; `dataclasses.replace` would carry it over to others. So would it
        the capacity and the fleet that vehicle types say.
        """
        if not changes.keys() <= fields_with(self, Meaning.ANNOTATION).keys():
            forgotten = {name: default_of(each) for name, each in fields_with(self, Meaning.RECORD).items()}
            changes = forgotten | changes
        if self.vehicle_types:
            changes = {"capacity": None, "fleet": None} | changes
        if "vehicle_types" in changes:
            changes = {"capacity": None, "fleet": None, "vehicles": (), "vehicle_names": ()} | changes
        return dataclasses.replace(self, **changes)

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in fields_with(self)}

    def content(self) -> dict[str, Any]:
        """Return all that makes up the problem, by the names of the fields; no name, comment or best-known value."""
        fields = fields_with(self, *CONTENT).values()
        return {each.name: getattr(self, each.name) for each in fields if not is_unsaid(each, getattr(self, each.name))}

    def same_content(self, other: "Instance") -> bool:
        """Return True if two instances have the same solutions and costs, whatever they are called.

        A field that only one of the two has must have its default there.
        """
        mine, theirs = self.content(), other.content()
        known = fields_with(self, *CONTENT) | fields_with(other, *CONTENT)

        def value(given: dict[str, Any], name: str) -> Any:
            return given[name] if name in given else default_of(known[name])

        return all(same_value(value(mine, name), value(theirs, name)) for name in known)

    def __eq__(self, other: object) -> bool:
        if self is other:  # looked up at every search
            return True
        if not isinstance(other, Instance):
            return NotImplemented
        mine, theirs = self._fields(), other._fields()
        return mine.keys() == theirs.keys() and all(same_value(mine[name], theirs[name]) for name in mine)

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, *map(hashable, self.content().values())))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process gets the fields and not the cached matrix, and its arrays are read-only again.
        return _rebuild, (type(self), self._fields())

    def __repr__(self) -> str:
        fleet = "free" if self.fleet is None else self.fleet
        counts = [f"{self.customers} customers"]
        if self.depots > 1:
            counts.append(f"{self.depots} depots")
        if len(self.types) > 1:
            counts.append(f"{len(self.types)} vehicle types")
        return (
            f"Instance({self.name!r}: {self.problem}, {', '.join(counts)}, capacity "
            f"{self.capacity:g}, fleet {fleet}, rounding {self.rounding})"
        )


def says_no_more_than_capacity(types: Sequence[VehicleType]) -> bool:
    """Return True if vehicle types are one, with one capacity, and all else as in a plain problem."""
    return len(types) == 1 and types[0] == VehicleType(
        num_available=types[0].num_available, capacity=types[0].capacity[:1]
    )


def scaled_type(given: VehicleType, rounding: str) -> VehicleType:
    """Return a vehicle type with times, limits and fixed costs in scaled units."""
    changes: dict[str, Any] = {field: scaled_number(getattr(given, field), rounding) for field in SCALED_OF_TYPES}
    late = given.start_late
    return dataclasses.replace(given, **changes, start_late=None if late is None else scaled_number(late, rounding))


SCALED_OF_TYPES = ("tw_early", "tw_late", "shift_duration", "max_distance", "max_overtime", "fixed_cost")
"""The fields of a vehicle type, `start_late` apart, that are times, limits or costs."""


def whole_fleet(what: str, fleet: Any) -> int:
    """Return a limit on the number of routes as an integer, or raise an `InputError`."""
    if isinstance(fleet, bool) or not isinstance(fleet, int | np.integer) or not 1 <= fleet <= LARGEST:
        raise InputError(
            f"{shortened(what, VALUE)}: fleet is {shown(fleet)}; expected a whole number from 1 to {LARGEST:g}; use "
            "None for no limit."
        )
    return int(fleet)


def _rebuild(cls: type[Instance], fields: dict[str, Any]) -> Instance:
    if fields["coordinates"] is not None:
        fields["coordinates"].setflags(write=False)  # marks them as those of an instance, which has warned of degrees
    return cls(**fields)
