"""The problem to be solved: nodes, demands, windows, and the rules by which solutions are measured."""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from dacalns.instances.distance_matrix import (
    ROUNDINGS,
    FloatArray,
    automatic_rounding,
    distance_matrix,
    distance_rows,
    scale_of,
    scaled,
    warn_of_degrees,
)
from dacalns.instances.features import WINDOWS, problem_called
from dacalns.instances.fields import (
    CONTENT,
    LARGEST,
    Meaning,
    annotation,
    capacity_of,
    default_of,
    fields_with,
    node_array,
    per_arc,
    per_node,
    per_vehicle_type,
    positive_number,
    record,
    require_not_negative,
    require_one_line,
    require_open_windows,
    require_zero_at_depot,
    rule,
    same_value,
)
from dacalns.instances.parts import Parts, instance_fields, parts_of
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, shortened, shown
from dacalns.util.values import require_choice


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Instance:
    """A CVRP or VRPTW instance together with its rounding and its fleet rule.

    Lists are accepted wherever an array is named; arrays are copied and made read-only. Node 0 is the depot.

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
        Shape (nodes,), 0 for the depot.
    capacity
        The capacity of every vehicle.
    windows
        Earliest and latest start of service in file units, shape (nodes, 2); ``None`` for a CVRP. The
        depot's is the horizon.
    service
        Service times in file units, shape (nodes,); zeros when left out.
    fleet
        The most routes that a solution may have; ``None`` when free.
    rounding
        One of ``round``, ``trunc``, ``dimacs``, ``exact``, ``none``; ``auto`` picks what best-known lists
        use.
    best_known
        The best cost known for these rules, in file units.
    proven_optimal
        True if ``best_known`` is known to be optimal.
    best_known_origin
        The run that found ``best_known``, where that is a reference of our own; empty for a published value.
    comment
        One line of free text.

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
    coordinates: FloatArray | None = per_node(default=None)
    matrix: FloatArray | None = per_arc(default=None)
    demands: FloatArray = per_node()
    capacity: float = per_vehicle_type()
    windows: FloatArray | None = per_node(default=None)
    service: FloatArray = per_node(default_factory=lambda: np.zeros(0))
    fleet: int | None = per_vehicle_type(default=None)
    rounding: str = rule(default="auto")
    best_known: float | None = record(default=None)
    proven_optimal: bool = record(default=False)
    best_known_origin: str = record(default="")
    comment: str = annotation(default="")

    def __post_init__(self) -> None:
        require_one_line("instance name", self.name, empty_allowed=False)
        require_one_line(f"{self._called}: comment", self.comment, empty_allowed=True)
        require_one_line(f"{self._called}: best_known_origin", self.best_known_origin, empty_allowed=True)
        demands = node_array(self._called, "demands", self.demands, (-1,))
        nodes = len(demands)
        if nodes < 2:
            raise InputError(
                f"{self._called}: has {nodes} nodes; expected a depot and at least one customer; add some."
            )
        require_not_negative(self._called, "demand", demands)
        require_zero_at_depot(self._called, "demand", demands)
        self._set(demands=demands, capacity=capacity_of(self._called, self.capacity))
        self._check_places(nodes)
        self._check_times(nodes)
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

    def _check_times(self, nodes: int) -> None:
        if self.windows is not None:
            windows = node_array(self._called, "windows", self.windows, (nodes, 2))
            require_not_negative(self._called, "window", windows)
            require_open_windows(self._called, windows)
            self._set(windows=windows)
        service = self.service if np.size(self.service) else np.zeros(nodes)
        service = node_array(self._called, "service", service, (nodes,))
        require_not_negative(self._called, "service time", service)
        require_zero_at_depot(self._called, "service time", service)
        self._set(service=service)

    def _check_rules(self) -> None:
        if self.fleet is not None:
            self._set(fleet=whole_fleet(self._called, self.fleet))
        if self.rounding == "auto":
            explicit, windows = self.matrix is not None, self.windows is not None
            self._set(rounding=automatic_rounding(coordinates=self.coordinates, explicit=explicit, windows=windows))
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
            Those of the instance.
        parts
            What it is made of.

        Raises
        ------
        InputError
            When the parts ask for more than a CVRP or VRPTW: the message names the field and the feature.

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

    @cached_property
    def parts(self) -> Parts:
        """The same problem as depots, customers and vehicle types; `from_parts` makes an instance of them again."""
        content = fields_with(self, Meaning.NODE, Meaning.ARC, Meaning.VEHICLE_TYPE)
        return parts_of(**{field: getattr(self, field) for field in content})

    @property
    def customers(self) -> int:
        """The number of customers, the depot not counted."""
        return len(self.demands) - 1

    @property
    def features(self) -> frozenset[str]:
        """What the instance asks for beyond capacity: ``{"windows"}`` with time windows, else nothing.

        `dacalns.instances.features` has all names. Operators, policies, other solvers and file formats list the
        features that they support, and refuse others.
        """
        return frozenset() if self.windows is None else frozenset({WINDOWS})

    @property
    def problem(self) -> str:
        """The features in a word for people: ``"vrptw"`` with time windows, ``"cvrp"`` without."""
        return problem_called(self.features)

    @property
    def scale(self) -> int:
        """The factor from file units to scaled units: 10 for ``dimacs``, else 1."""
        return scale_of(self.rounding)

    @cached_property
    def symmetric(self) -> bool:
        """True if every distance is the same in both directions."""
        return self.matrix is None or bool(np.array_equal(self.matrix, self.matrix.T))

    @cached_property
    def distances(self) -> FloatArray:
        """All distances in scaled units after rounding, read-only, computed at the first use."""
        return distance_matrix(self.coordinates, self.matrix, self.rounding, self.customers + 1)

    def distances_from(self, node: int) -> FloatArray:
        """Return the distances from one node to all, as a row of `distances`, without the whole matrix."""
        row: FloatArray = distance_rows(self.coordinates, self.matrix, self.rounding, np.array([node]))[0]
        return row

    def distances_to(self, node: int) -> FloatArray:
        """Return the distances to one node from all, as a column of `distances`, without the whole matrix."""
        backwards = None if self.matrix is None else self.matrix.T
        column: FloatArray = distance_rows(self.coordinates, backwards, self.rounding, np.array([node]))[0]
        return column

    @cached_property
    def scaled_windows(self) -> FloatArray | None:
        """The windows in scaled units."""
        return None if self.windows is None else scaled(self.windows, self.rounding)

    @cached_property
    def scaled_service(self) -> FloatArray:
        """The service times in scaled units."""
        return scaled(self.service, self.rounding)

    def with_(self, **changes: Any) -> Self:
        """Return a copy with some fields changed, without the best-known value unless that is given anew.

        A best-known value holds for one set of rules; `dataclasses.replace` would carry it over to others.
        """
        if not changes.keys() <= fields_with(self, Meaning.ANNOTATION).keys():
            forgotten = {name: default_of(each) for name, each in fields_with(self, Meaning.RECORD).items()}
            changes = forgotten | changes
        return dataclasses.replace(self, **changes)

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in fields_with(self)}

    def content(self) -> dict[str, Any]:
        """Return all that makes up the problem, by the names of the fields; no name, comment or best-known value."""
        return {name: getattr(self, name) for name in fields_with(self, *CONTENT)}

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
        values = self.content().values()
        return hash((self.name, *(value.tobytes() if isinstance(value, np.ndarray) else value for value in values)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process gets the fields and not the cached matrix, and its arrays are read-only again.
        return _rebuild, (type(self), self._fields())

    def __repr__(self) -> str:
        fleet = "free" if self.fleet is None else self.fleet
        return (
            f"Instance({self.name!r}: {self.problem}, {self.customers} customers, capacity "
            f"{self.capacity:g}, fleet {fleet}, rounding {self.rounding})"
        )


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
