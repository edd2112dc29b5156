"""A problem said in words: depots, customers and vehicles, one call for each.

>>> import dacalns
>>> model = dacalns.Model("vans")
>>> depot = model.add_depot(0, 0, tw_late=480)
>>> shops = [model.add_customer(10 * place, 30, delivery=2, service_duration=10) for place in range(6)]
>>> small = model.add_vehicle_type(num_available=2, capacity=4, fixed_cost=20)
>>> large = model.add_vehicle_type(capacity=10, fixed_cost=35, shift_duration=300)
>>> model.instance().customers
6
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dacalns.instances.fields import LARGEST, FloatArray, as_float, require_one_line
from dacalns.instances.instance import Instance
from dacalns.instances.part_checks import checked_part, flag, whole
from dacalns.instances.parts import UNLIMITED, Customer, Depot, Group, Pair, Part, Parts, Profile, VehicleType
from dacalns.solve import solve
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, listed, shortened, shown
from dacalns.util.values import did_you_mean

if TYPE_CHECKING:
    from dacalns.search.result import Result

Load = float | Sequence[float]
"""An amount, or one for each load dimension."""

Windows = Sequence[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Handle:
    """What a model returns for something that was added to it, and takes where another call names that.

    Parameters
    ----------
    kind
        What it is, such as ``"customer"``.
    number
        Which one of its kind, counted from 0 in the order in which they were added.
    name
        The name that it was given.
    """

    kind: str
    number: int
    name: str
    _model: "Model" = field(repr=False)

    @property
    def nodes(self) -> tuple[int, ...]:
        """The numbers of its nodes in instances and routes, as the model stands now: none, one, or a pair's two."""
        return self._model._nodes_of(self)

    @property
    def node(self) -> int:
        """The number of a depot or customer in instances and routes, as the model stands now.

        Depots come first and pairs last, whatever the order in which they were added.

        Raises
        ------
        InputError
            When it has not exactly one node.
        """
        nodes = self.nodes
        if len(nodes) != 1:
            raise InputError(f"{self} has {len(nodes)} nodes; expected a depot or customer; use nodes.")
        return nodes[0]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}" + (f" {shown(self.name)}" if self.name else "")


class _FirstDepot:
    """Stands for the first depot of a model, which may not be there yet."""

    def __repr__(self) -> str:
        return "the first depot"


FIRST_DEPOT: Any = _FirstDepot()


class Model:
    """A routing problem that is built call by call.

    Every ``add_…`` returns a handle, which other calls take: the depot of a vehicle type, the customers of a group.
    Names and defaults are those of PyVRP; a time that is left out is no limit.

    Places are given by ``x`` and ``y``, or by a handle of `add_location` if several share one. If the model has
    matrices, places are rows of these: ``location=3``.

    Parameters
    ----------
    name
        The name of the instance in results.
    distances, durations
        Distances and driving times between locations, shape (locations, locations). Left out: the straight line between
        places, and durations that are the distances.
    coordinates
        Positions of the locations of a model with matrices, shape (locations, 2), for drawing.
    backhauls_last
        True if every trip makes all deliveries before the first pickup, and at least one.

    Raises
    ------
    InputError
        When something is given that cannot be part of a problem. Every method raises one for its own arguments, with
        the name of the argument.

    Examples
    --------
    >>> model = Model("mine")
    >>> depot = model.add_depot(0, 0)
    >>> near, far = model.add_customer(3, 4, delivery=1), model.add_customer(0, 5, delivery=1, required=False, prize=5)
    >>> van = model.add_vehicle_type(num_available=2, capacity=2, max_distance=40)
    >>> model.instance()
    Instance('mine': vrp with prizes and distance-limits, 2 customers, capacity 2, fleet 2, rounding exact)
    >>> far.node
    2
    """

    def __init__(
        self,
        name: str = "model",
        *,
        distances: Any = None,
        durations: Any = None,
        coordinates: Any = None,
        backhauls_last: bool = False,
        **unknown: Any,
    ) -> None:
        require_one_line("model name", name, empty_allowed=False)
        self.name = name
        self._called = shortened(name, VALUE)
        _refuse(f"{self._called}: Model()", unknown, ("distances", "durations", "coordinates", "backhauls_last"))
        self.backhauls_last = flag(f"{self._called}: backhauls_last", backhauls_last)
        self.distances = self._square("distances", distances)
        self.durations = self._square("durations", durations)
        if coordinates is not None and distances is None:
            raise InputError(
                f"{self._called}: coordinates is given without distances; expected both; give x and y to the places "
                "instead, or distances."
            )
        if durations is not None and distances is None:
            raise InputError(
                f"{self._called}: durations is given without distances; expected both; give distances, too."
            )
        self._coordinates: FloatArray | None = None
        if coordinates is not None:
            self._coordinates = self._array("coordinates", coordinates, (np.shape(distances)[0], 2))
        self._places: list[tuple[float, float]] = []
        self._parts: dict[str, list[Any]] = {
            kind: [] for kind in ("depot", "customer", "vehicle type", "pair", "group", "profile")
        }
        self._handles: list[Handle] = []

    # What is added.

    def add_location(self, x: float, y: float, *, name: str = "", **unknown: Any) -> Handle:
        """Add a place that several depots, customers or pairs may share, and return its handle."""
        number = len(self._places)
        _refuse(f"{self._called}: add_location()", unknown, ("x", "y", "name"))
        self._place(f"location {number}", x, y)
        return self._handle("location", number, name)

    def add_depot(
        self,
        x: float | None = None,
        y: float | None = None,
        *,
        location: Handle | int | None = None,
        tw_early: float = 0.0,
        tw_late: float = UNLIMITED,
        service_duration: float = 0.0,
        name: str = "",
        **unknown: Any,
    ) -> Handle:
        """Add a depot, and return its handle; the parameters are those of `dacalns.instances.Depot`."""
        where = self._next("depot", unknown, Depot)
        place = self._location(where, "location", x, y, location)
        part = Depot(location=place, tw_early=tw_early, tw_late=tw_late, service_duration=service_duration)
        return self._add("depot", where, part, name)

    def add_customer(
        self,
        x: float | None = None,
        y: float | None = None,
        *,
        location: Handle | int | None = None,
        delivery: Load = (),
        pickup: Load = (),
        service_duration: float = 0.0,
        tw_early: float = 0.0,
        tw_late: float = UNLIMITED,
        more_windows: Windows = (),
        release_time: float = 0.0,
        prize: float = 0.0,
        required: bool = True,
        priority: int = 0,
        group: Handle | None = None,
        name: str = "",
        **unknown: Any,
    ) -> Handle:
        """Add a customer, and return its handle; the parameters are those of `dacalns.instances.Customer`."""
        where = self._next("customer", unknown, Customer)
        place = self._location(where, "location", x, y, location)
        part = Customer(
            location=place, delivery=delivery, pickup=pickup, service_duration=service_duration, tw_early=tw_early,  # type: ignore[arg-type]
            tw_late=tw_late, more_windows=more_windows, release_time=release_time, prize=prize, required=required,  # type: ignore[arg-type]
            priority=priority, group=None if group is None else self._given(f"group of {where}", group, "group"),
        )  # fmt: skip
        self._require_leavable(where, part, leavable=group is not None)
        return self._add("customer", where, part, name)

    def add_pair(
        self,
        pickup: Handle | int | tuple[float, float],
        delivery: Handle | int | tuple[float, float],
        *,
        amount: Load = (),
        pickup_tw_early: float = 0.0,
        pickup_tw_late: float = UNLIMITED,
        pickup_service_duration: float = 0.0,
        pickup_more_windows: Windows = (),
        delivery_tw_early: float = 0.0,
        delivery_tw_late: float = UNLIMITED,
        delivery_service_duration: float = 0.0,
        delivery_more_windows: Windows = (),
        release_time: float = 0.0,
        prize: float = 0.0,
        required: bool = True,
        priority: int = 0,
        name: str = "",
        **unknown: Any,
    ) -> Handle:
        """Add goods that one vehicle picks up at one place and delivers at another, and return their handle.

        Parameters
        ----------
        pickup, delivery
            The two places: ``(x, y)``, a handle of `add_location`, or a row of the model's matrices.
        amount, pickup_tw_early, pickup_tw_late, pickup_service_duration, pickup_more_windows, delivery_tw_early, \
delivery_tw_late, delivery_service_duration, delivery_more_windows, release_time, prize, required, priority
            Those of `dacalns.instances.Pair`.
        name
            What you call it.
        """
        where = self._next("pair", unknown, Pair)
        part = Pair(
            pickup_location=self._end(where, "pickup", pickup),
            delivery_location=self._end(where, "delivery", delivery),
            amount=amount, pickup_tw_early=pickup_tw_early, pickup_tw_late=pickup_tw_late,  # type: ignore[arg-type]
            pickup_service_duration=pickup_service_duration, pickup_more_windows=pickup_more_windows,  # type: ignore[arg-type]
            delivery_tw_early=delivery_tw_early, delivery_tw_late=delivery_tw_late,
            delivery_service_duration=delivery_service_duration, delivery_more_windows=delivery_more_windows,  # type: ignore[arg-type]
            release_time=release_time, prize=prize, required=required, priority=priority,
        )  # fmt: skip
        self._require_leavable(where, part, leavable=False)
        return self._add("pair", where, part, name)

    def add_group(
        self, customers: Iterable[Handle] = (), *, required: bool = True, name: str = "", **unknown: Any
    ) -> Handle:
        """Add a group of customers of whom one is visited, or at most one, and return its handle.

        Parameters
        ----------
        customers
            Handles of customers; more can join with ``add_customer(…, group=…)``.
        required
            True if one of them must be visited.
        name
            What you call it.
        """
        where = self._next("group", unknown, Group)
        members = self._each(f"customers of {where}", customers, "customer")
        flag(f"{self._called}: required of {where}", required)
        for member in members:
            for number, other in enumerate(self._parts["group"]):
                if member in other.customers:
                    raise InputError(
                        f"{self._called}: customers of {where} has customer {member}, who is in group {number}; "
                        "expected at most one group for each; take it out of one."
                    )
        return self._add("group", where, Group(customers=members, required=required), name)

    def add_profile(self, *, distances: Any = None, durations: Any = None, name: str = "", **unknown: Any) -> Handle:
        """Add distances and driving times for vehicle types that take other ways, and return their handle.

        Parameters
        ----------
        distances, durations
            Between locations, in the order of the model's matrices, or in which the places were added. Distances that
            are left out are those of all; durations that are left out are the distances given here, else those of all.
        name
            What you call it.
        """
        where = self._next("profile", unknown, Profile)
        if distances is None and durations is None:
            raise InputError(f"{self._called}: {where} has neither distances nor durations; expected one; give one.")
        made = Profile(
            distances=self._square(f"distances of {where}", distances),
            durations=self._square(f"durations of {where}", durations),
        )
        return self._add("profile", where, made, name)

    def add_vehicle_type(
        self,
        num_available: int | None = 1,
        capacity: Load = (),
        *,
        start_depot: Handle | None = FIRST_DEPOT,
        end_depot: Handle | None = FIRST_DEPOT,
        fixed_cost: float = 0.0,
        tw_early: float = 0.0,
        tw_late: float = UNLIMITED,
        shift_duration: float = UNLIMITED,
        max_distance: float = UNLIMITED,
        unit_distance_cost: float = 1.0,
        unit_duration_cost: float = 0.0,
        profile: Handle | None = None,
        speed: float = 1.0,
        start_late: float | None = None,
        initial_load: Load = (),
        reload_depots: Iterable[Handle] = (),
        max_reloads: float = UNLIMITED,
        max_overtime: float = 0.0,
        unit_overtime_cost: float = 0.0,
        max_stops: float = UNLIMITED,
        allowed_customers: Iterable[Handle] | None = None,
        name: str = "",
        **unknown: Any,
    ) -> Handle:
        """Add vehicles that are alike, and return their handle.

        The parameters are those of `dacalns.instances.VehicleType`, with handles in place of numbers.

        Parameters
        ----------
        num_available
            How many there are; None for as many as are needed.
        start_depot, end_depot
            Where routes start and end: the first depot if left out; None for routes that start at their first customer,
            or end at their last one.
        profile
            A profile with distances and driving times of their own.
        reload_depots
            Depots where a route may unload and load again.
        allowed_customers
            Customers and pairs that they may serve; None for all.
        capacity, fixed_cost, tw_early, tw_late, shift_duration, max_distance, unit_distance_cost, unit_duration_cost, \
speed, start_late, initial_load, max_reloads, max_overtime, unit_overtime_cost, max_stops
            Those of `dacalns.instances.VehicleType`.
        name
            What you call them.
        """
        where = self._next("vehicle type", unknown, VehicleType)
        ends = [
            0 if each is FIRST_DEPOT else None if each is None else self._given(f"{word} of {where}", each, "depot")
            for word, each in (("start_depot", start_depot), ("end_depot", end_depot))
        ]
        part = VehicleType(
            num_available=num_available, capacity=capacity, start_depot=ends[0], end_depot=ends[1],  # type: ignore[arg-type]
            fixed_cost=fixed_cost, tw_early=tw_early, tw_late=tw_late, shift_duration=shift_duration,
            max_distance=max_distance, unit_distance_cost=unit_distance_cost, unit_duration_cost=unit_duration_cost,
            profile=0 if profile is None else 1 + self._given(f"profile of {where}", profile, "profile"),
            speed=speed, start_late=start_late, initial_load=initial_load,  # type: ignore[arg-type]
            reload_depots=self._each(f"reload_depots of {where}", reload_depots, "depot"),
            max_reloads=max_reloads, max_overtime=max_overtime, unit_overtime_cost=unit_overtime_cost,
            max_stops=max_stops,
        )  # fmt: skip
        allowed = None
        if allowed_customers is not None:
            allowed = self._handles_in(f"allowed_customers of {where}", allowed_customers, "customer", "pair")
            if not allowed:
                raise InputError(
                    f"{self._called}: allowed_customers of {where} is empty; expected at least one; use None for all."
                )
        if max_overtime != 0 and shift_duration == math.inf:
            raise InputError(
                f"{self._called}: max_overtime of {where} is {shown(max_overtime)}, and shift_duration has no end; "
                "expected a shift that overtime can follow; give shift_duration."
            )
        self._parts["vehicle type"].append((self._checked(where, part), allowed))
        return self._handle("vehicle type", len(self._parts["vehicle type"]) - 1, name)

    # What comes of it.

    def parts(self) -> Parts:
        """Return the parts of the problem as it stands now.

        Raises
        ------
        InputError
            When there is no depot, no customer or no vehicle type.
        """
        for kind, need in (("depot", "add_depot"), ("vehicle type", "add_vehicle_type")):
            if not self._parts[kind]:
                raise InputError(f"{self._called}: the model has no {kind}; expected at least one; call {need}().")
        if not self._parts["customer"] and not self._parts["pair"]:
            raise InputError(
                f"{self._called}: the model has no customer; expected at least one, or a pair; call add_customer()."
            )
        first = len(self._parts["depot"])
        groups = []
        for number, group in enumerate(self._parts["group"]):
            members = {*group.customers, *self._members(number)}
            if len(members) < 2:
                raise InputError(
                    f"{self._called}: customers of group {number} is {shown(sorted(members))}; expected at least two; "
                    "add some, or leave out the group."
                )
            groups.append(Group(customers=tuple(first + member for member in sorted(members)), required=group.required))
        types = [
            VehicleType(**{**_fields_of(given), "allowed_customers": self._allowed(allowed)})
            for given, allowed in self._parts["vehicle type"]
        ]
        customers = [Customer(**{**_fields_of(each), "group": None}) for each in self._parts["customer"]]
        return Parts(
            depots=tuple(self._parts["depot"]),
            customers=tuple(customers),
            vehicle_types=tuple(types),
            pairs=tuple(self._parts["pair"]),
            groups=tuple(groups),
            coordinates=np.array(self._places, dtype=np.float64) if self._places else self._coordinates,
            distances=self.distances,
            durations=self.durations,
            profiles=tuple(self._parts["profile"]),
            backhauls_last=self.backhauls_last,
        )

    def instance(self, *, rounding: str = "auto", comment: str = "") -> Instance:
        """Return the problem as an instance.

        Parameters
        ----------
        rounding, comment
            Those of `dacalns.Instance`.

        Raises
        ------
        InputError
            When something is missing, or parts contradict one another.
        """
        instance = Instance.from_parts(self.name, self.parts(), rounding=rounding, comment=comment)
        names = self.names
        labels: dict[str, Any] = {}
        if names:
            labels["names"] = [names.get(node, "") for node in range(len(instance.demands))]
        if any(each.name for each in self._handles if each.kind == "vehicle type"):
            labels["vehicle_names"] = [each.name for each in self._handles if each.kind == "vehicle type"]
        return instance.with_(**labels) if labels else instance

    def solve(self, *, rounding: str = "auto", **options: Any) -> "Result":
        """Solve the problem, and return the result.

        Parameters
        ----------
        rounding
            That of `dacalns.Instance`.
        options
            Those of `dacalns.solve`.

        Raises
        ------
        InputError
            When something is missing, parts contradict one another, or there is no feasible solution.
        """
        return solve(self.instance(rounding=rounding), **options)

    @property
    def names(self) -> dict[int, str]:
        """The names that were given, by the numbers of the nodes; both ends of a pair have its name."""
        return {node: each.name for each in self._handles if each.name for node in each.nodes}

    def __repr__(self) -> str:
        counts = [f"{len(parts)} {kind}{'s' * (len(parts) != 1)}" for kind, parts in self._parts.items() if parts]
        return f"Model({self.name!r}: {', '.join(counts) or 'empty'})"

    # Checks of what is given, and where things are.

    def _next(self, kind: str, unknown: dict[str, Any], part: type[Part]) -> str:
        """Return what messages call the part that is to be added, once all its arguments are known ones."""
        method = f"add_{kind.replace(' ', '_').removesuffix('_')}"
        known = [*part.__dataclass_fields__, "name", *(("x", "y") if part in (Depot, Customer) else ())]
        if part is Pair:
            known = [*known, "pickup", "delivery"]
        _refuse(f"{self._called}: {method}()", unknown, known)
        return f"{kind} {len(self._parts[kind])}"

    def _add(self, kind: str, where: str, part: Part, name: str) -> Handle:
        self._parts[kind].append(part if isinstance(part, Profile | Group) else self._checked(where, part))
        return self._handle(kind, len(self._parts[kind]) - 1, name)

    def _handle(self, kind: str, number: int, name: str) -> Handle:
        require_one_line(f"{self._called}: name of {kind} {number}", name, empty_allowed=True)
        made = Handle(kind, number, name, self)
        self._handles.append(made)
        return made

    def _checked(self, where: str, part: Part) -> Part:
        return checked_part(part, lambda name: f"{self._called}: {name} of {where}")

    def _require_leavable(self, where: str, part: Customer | Pair, leavable: bool) -> None:
        """Raise an `InputError` if something has a prize or priority that must be visited."""
        for name in ("prize", "priority"):
            if getattr(part, name) != 0 and part.required is True and not leavable:
                raise InputError(
                    f"{self._called}: {name} of {where} is {shown(getattr(part, name))}, and required is True; "
                    "expected required=False, as only what may be left out has one; add that."
                )

    def _place(self, where: str, x: Any, y: Any) -> int:
        """Return the number of a new place."""
        if self.distances is not None:
            raise InputError(
                f"{self._called}: x and y of {where} are given, and the model has distances; expected location, a row "
                "of the distances; give that."
            )
        for name, value in (("x", x), ("y", y)):
            if isinstance(value, bool | str) or not abs(as_float(value)) <= LARGEST:
                raise InputError(
                    f"{self._called}: {name} of {where} is {shown(value)}; expected a number; correct the value."
                )
        self._places.append((float(x), float(y)))
        return len(self._places) - 1

    def _location(self, where: str, field: str, x: Any, y: Any, location: Any) -> int:
        """Return the number of a place that is given in one of three ways."""
        if location is None:
            if x is None and y is None:
                expected = "location, a row of the distances" if self.distances is not None else "x and y"
                raise InputError(f"{self._called}: {where} has no place; expected {expected}; give it.")
            return self._place(where, x, y)
        if x is not None or y is not None:
            raise InputError(
                f"{self._called}: {where} has a location, and x or y; expected one of the two; leave out one."
            )
        what = f"{field} of {where}"
        if isinstance(location, Handle):
            return self._given(what, location, "location")
        if self.distances is None:
            raise InputError(
                f"{self._called}: {what} is {shown(location)}; expected a handle of add_location(), as the model has "
                "no distances; give x and y, or a handle."
            )
        return whole(f"{self._called}: {what}", location, maximum=len(self.distances) - 1)

    def _end(self, where: str, field: str, place: Any) -> int:
        """Return the number of the place of an end of a pair."""
        if isinstance(place, tuple | list):
            if len(place) != 2:
                raise InputError(
                    f"{self._called}: {field} of {where} is {shown(place)}; expected (x, y); give two numbers."
                )
            return self._place(f"{field} of {where}", *place)
        if place is None:
            raise InputError(f"{self._called}: {field} of {where} is None; expected (x, y) or a location; give one.")
        return self._location(where, field, None, None, place)

    def _given(self, what: str, handle: Any, *kinds: str) -> int:
        """Return the number of what a handle stands for."""
        expected = " or ".join(kinds)
        if not isinstance(handle, Handle):
            raise InputError(
                f"{self._called}: {what} is {shown(handle)}; expected the handle of a {expected}, which "
                f"add_{kinds[0].replace(' ', '_')}() returns; give that."
            )
        if handle._model is not self:
            raise InputError(
                f"{self._called}: {what} is {handle} of another model; expected one of this model; add it here."
            )
        if handle.kind not in kinds:
            raise InputError(f"{self._called}: {what} is {handle}; expected a {expected}; give one.")
        return handle.number

    def _each(self, what: str, handles: Any, kind: str) -> tuple[int, ...]:
        return tuple(each.number for each in self._handles_in(what, handles, kind))

    def _handles_in(self, what: str, handles: Any, *kinds: str) -> tuple[Handle, ...]:
        """Return handles, each of them once."""
        try:
            given = tuple(handles)
        except TypeError:
            raise InputError(
                f"{self._called}: {what} is {shown(handles)}; expected a list of handles; give one."
            ) from None
        seen = set()
        for place, each in enumerate(given):
            self._given(f"entry {place} of {what}", each, *kinds)
            if (each.kind, each.number) in seen:
                raise InputError(f"{self._called}: {what} has {each} twice; expected it once; take one out.")
            seen.add((each.kind, each.number))
        return given

    def _members(self, group: int) -> list[int]:
        return [number for number, customer in enumerate(self._parts["customer"]) if customer.group == group]

    def _allowed(self, handles: tuple[Handle, ...] | None) -> tuple[int, ...] | None:
        return None if handles is None else tuple(node for each in handles for node in each.nodes)

    def _nodes_of(self, handle: Handle) -> tuple[int, ...]:
        depots, customers = len(self._parts["depot"]), len(self._parts["customer"])
        if handle.kind == "pair":
            first = depots + customers + 2 * handle.number
            return first, first + 1
        firsts = {"depot": 0, "customer": depots}
        return (firsts[handle.kind] + handle.number,) if handle.kind in firsts else ()

    def _square(self, name: str, values: Any) -> FloatArray | None:
        return None if values is None else self._array(name, values, None)

    def _array(self, name: str, values: Any, shape: tuple[int, ...] | None) -> FloatArray:
        try:
            array = np.array(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            array = np.zeros(0)
        fits = array.ndim == 2 and len(array) == array.shape[1] if shape is None else array.shape == shape
        if not fits or not array.size:
            expected = "a square array, a row and a column for each location" if shape is None else f"shape {shape}"
            raise InputError(f"{self._called}: {name} is {shown(values)}; expected {expected}; correct it.")
        unfit = ~(np.abs(array) <= LARGEST) | ((array < 0) if shape is None else False)
        if unfit.any():
            row, column = np.argwhere(unfit)[0].tolist()
            least = "of 0 or more and " if shape is None else ""
            raise InputError(
                f"{self._called}: {name} has {array[row, column]:g} in row {row}, column {column}; expected numbers "
                f"{least}of at most {LARGEST:g}; correct the value."
            )
        return array


def _fields_of(part: Part) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.__dataclass_fields__}


def _refuse(what: str, unknown: dict[str, Any], known: Iterable[str]) -> None:
    """Raise an `InputError` if there are arguments of unknown names."""
    if unknown:
        name, choices = next(iter(unknown)), list(known)
        hint = did_you_mean(name, choices)
        raise InputError(
            f"{what} has no argument {shown(name)}; expected one of {listed(choices)}; {hint or 'correct it.'}"
        )
