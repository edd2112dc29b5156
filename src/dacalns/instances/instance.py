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
)
from dacalns.instances.fields import (
    LARGEST,
    capacity_of,
    node_array,
    positive_number,
    require_not_negative,
    require_one_line,
    require_open_windows,
    require_zero_at_depot,
)
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
        What to call it in results.
    coordinates
        Positions, shape (nodes, 2). May be left out when there is a matrix.
    matrix
        Explicit distances in file units, shape (nodes, nodes), not necessarily symmetric. Where given,
        distances come from here and coordinates only serve for drawing and features.
    demands
        Shape (nodes,), 0 for the depot.
    capacity
        Of every vehicle.
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
        Whether ``best_known`` is known to be optimal.
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

    name: str
    coordinates: FloatArray | None = None
    matrix: FloatArray | None = None
    demands: FloatArray
    capacity: float
    windows: FloatArray | None = None
    service: FloatArray = dataclasses.field(default_factory=lambda: np.zeros(0))
    fleet: int | None = None
    rounding: str = "auto"
    best_known: float | None = None
    proven_optimal: bool = False
    best_known_origin: str = ""
    comment: str = ""

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
            self._set(coordinates=node_array(self._called, "coordinates", self.coordinates, (nodes, 2)))
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
        """What messages call it."""
        return shortened(self.name, VALUE)

    def _set(self, **fields: Any) -> None:
        """Write a field once it is checked; a frozen dataclass has no other way."""
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    @property
    def customers(self) -> int:
        """The number of customers, the depot not counted."""
        return len(self.demands) - 1

    @property
    def problem(self) -> str:
        """``"vrptw"`` with time windows, else ``"cvrp"``."""
        return "cvrp" if self.windows is None else "vrptw"

    @property
    def scale(self) -> int:
        """The factor from file units to scaled units: 10 for ``dimacs``, else 1."""
        return scale_of(self.rounding)

    @cached_property
    def symmetric(self) -> bool:
        """Whether every distance is the same in both directions."""
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
        if not changes.keys() <= {"name", "comment"}:
            changes = {"best_known": None, "proven_optimal": False, "best_known_origin": ""} | changes
        return dataclasses.replace(self, **changes)

    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def __eq__(self, other: object) -> bool:
        if self is other:  # looked up at every search
            return True
        if not isinstance(other, Instance):
            return NotImplemented
        theirs = other._fields()
        return all(np.array_equal(mine, theirs[field]) for field, mine in self._fields().items())

    def __hash__(self) -> int:
        return hash((self.name, self.rounding, self.fleet, self.capacity, self.demands.tobytes()))

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
    return cls(**fields)
