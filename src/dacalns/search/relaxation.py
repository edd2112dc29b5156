"""A single change of a problem that lets somebody be served: what it is, in words, and the problem with it."""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dacalns.instances import Instance
from dacalns.instances.parts import VehicleType
from dacalns.util.clock import clock_text, plain_text, span_text
from dacalns.util.errors import InputError
from dacalns.util.shown import VALUE, listed, shortened

LATE, EARLY, RELEASE, PRIZE = "tw_late", "tw_early", "release_time", "prize"
"""Fields of nodes; the first two are of vehicle types, too."""

BACKHAULS = "backhauls_last"
"""A rule of the whole problem."""

MOVED_EARLIER = frozenset({EARLY, RELEASE})
"""The fields that a relaxation makes smaller."""

TIMES = frozenset({LATE, EARLY, RELEASE, "start_late"})
"""The fields that are times of the day."""


@dataclass(frozen=True)
class Knob:
    """Something in a problem that can be relaxed by itself.

    Parameters
    ----------
    kind
        The kind of violation that it does away with.
    field
        The name of the field of a customer, depot or vehicle type, as `Model` and `VehicleType` have it.
    vehicle_type, node
        Whose it is; None for both if it is the problem's.
    index
        The load dimension of a capacity, or the number of a window.
    customers
        Whom a vehicle type may serve besides.
    """

    kind: str
    field: str
    vehicle_type: int | None = None
    node: int | None = None
    index: int = 0
    customers: tuple[int, ...] = ()

    def old(self, instance: Instance) -> float | None:
        """Return the value that it has; None where that is no number."""
        if self.field in ("allowed_customers", BACKHAULS):
            return None
        if self.vehicle_type is not None:
            value = getattr(instance.types[self.vehicle_type], self.field)
            if self.field == "capacity":
                value = value[self.index]
            elif self.field == "start_late" and value is None:
                value = instance.types[self.vehicle_type].tw_late
            return None if value is None else float(value)
        assert self.node is not None, "what is no vehicle type's and no rule is a node's"
        if self.field in (RELEASE, PRIZE):
            values = instance.releases if self.field == RELEASE else instance.prizes
            return 0.0 if values is None else float(values[self.node])
        opens, closes = windows_of(instance, self.node)[self.index]
        return opens if self.field == EARLY else closes

    def type_with(self, given: VehicleType, new: float | None) -> VehicleType:
        """Return a vehicle type with another value."""
        value: Any = new
        if self.field == "capacity":
            assert new is not None, "a capacity is a number"
            value = (*given.capacity[: self.index], new, *given.capacity[self.index + 1 :])
        elif self.field == "allowed_customers":
            value = tuple(sorted({*(given.allowed_customers or ()), *self.customers}))
        elif self.field == "num_available":
            value = None if new is None else int(new)
        return dataclasses.replace(given, **{self.field: value})

    def applied(self, instance: Instance, new: float | None) -> Instance:
        """Return the problem with another value.

        Raises
        ------
        InputError
            When there is no such node or vehicle type, or the value contradicts another one.
        """
        if self.field == BACKHAULS:
            return instance.with_(backhauls_last=False)
        if self.vehicle_type is not None:
            types = instance.types
            if self.vehicle_type >= len(types):
                raise _misplaced(instance, f"vehicle type {self.vehicle_type}", f"{len(types)} vehicle types")
            changed = self.type_with(types[self.vehicle_type], new)
            if not instance.vehicle_types and self.field in ("capacity", "num_available"):
                fields: dict[str, Any] = {"capacity": changed.capacity[0], "fleet": changed.num_available}
                return instance.with_(**fields)
            one = self.vehicle_type
            return instance.with_(
                vehicle_types=(*types[:one], changed, *types[one + 1 :]), capacity=None, fleet=None, vehicles=()
            )
        assert self.node is not None, "what is no vehicle type's and no rule is a node's"
        if self.node >= len(instance.demands):
            raise _misplaced(instance, f"node {self.node}", f"{len(instance.demands)} nodes")
        if self.field in (RELEASE, PRIZE):
            name = "releases" if self.field == RELEASE else "prizes"
            known = getattr(instance, name)
            values = np.zeros(len(instance.demands)) if known is None else known.copy()
            values[self.node] = new
            return instance.with_(**{name: values})
        return self._with_window(instance, new)

    def _with_window(self, instance: Instance, new: float | None) -> Instance:
        if instance.windows is None or self.index >= len(windows_of(instance, self.node or 0)):
            raise _misplaced(instance, f"window {self.index} of node {self.node}", "no such window")
        column = 0 if self.field == EARLY else 1
        if self.index == 0:
            windows = instance.windows.copy()
            windows[self.node, column] = new
            return instance.with_(windows=windows)
        own = 0
        rows: list[tuple[int, float, float]] = []
        for node, opens, closes in instance.more_windows:
            own += node == self.node
            hit = node == self.node and own == self.index
            both = (new, closes) if column == 0 else (opens, new)
            rows.append((node, *both) if hit else (node, opens, closes))
        return instance.with_(more_windows=tuple(rows))


def _misplaced(instance: Instance, what: str, has: str) -> InputError:
    return InputError(
        f"the relaxation is about {what}, and {shortened(instance.name, VALUE)} has {has}; expected the instance that "
        "it was found for; give that."
    )


def windows_of(instance: Instance, node: int) -> list[tuple[float, float]]:
    """Return the windows of a node in order; one without end where there are none."""
    if instance.windows is None:
        return [(0.0, math.inf)]
    first = instance.windows[node].tolist()
    return [(first[0], first[1]), *((opens, closes) for each, opens, closes in instance.more_windows if each == node)]


@dataclass(frozen=True)
class Relaxation:
    """A single change of a problem with which somebody can be served who is not.

    Parameters
    ----------
    kind
        What it does away with, in the words of `Reason.main`: ``fleet``, ``capacity``, ``window``, ``depot``,
        ``shift``, ``duration``, ``distance``, ``stops``, ``reload``, ``restriction``, ``backhaul`` or ``price``; or
        ``release``, the goods that come too late.
    field
        The field that changes, as `Model` and `VehicleType` call it: ``num_available``, ``capacity``, ``tw_late``,
        ``tw_early``, ``start_late``, ``shift_duration``, ``max_distance``, ``max_stops``, ``max_reloads``,
        ``allowed_customers``, ``release_time``, ``prize`` or ``backhauls_last``.
    vehicle_type, node
        The number of the vehicle type, or of the customer or depot, whose field it is; None for both if it is the
        problem's.
    index
        The load dimension of a capacity, or which window of the node it is; 0 for the first.
    allowed
        The customers whom the vehicle type may serve besides.
    old, new
        The value now, and the one with which it works, in file units; None where that is no number.
    amount
        By how much it changes; of a vehicle type that may serve more customers, how many. 1 for a rule that is dropped.
    unit
        The unit of the amount: that of time, or empty.
    size
        The change as a part of what there is, by which relaxations are ordered; None where there is nothing yet.
    serves
        Who is served.
    cost
        What the routes cost more with them, in file units; 0 if a search placed them.
    pays
        False if that is no less than their prize, so that a search leaves them out all the same.
    route
        The number of the route that serves them, from 1; None for a new one, or if a search placed them.
    nodes
        The nodes of that route with them, and its vehicle type is ``route_type``; empty if a search placed them.
    route_type
        The number of the vehicle type of that route; None if a search placed them.
    checked_by
        ``check`` if they were put into a route of the answer, and `dacalns.check` finds nothing wrong with it;
        ``search`` if a short search served them, without leaving out anybody else.
    sentence
        All this in words.
    also
        Further changes that are needed besides; only where no single one was found that does.
    """

    kind: str
    field: str
    vehicle_type: int | None
    node: int | None
    index: int
    allowed: list[int]
    old: float | None
    new: float | None
    amount: float
    unit: str
    size: float | None
    serves: list[int]
    cost: float = 0.0
    pays: bool = True
    route: int | None = None
    nodes: list[int] = dataclasses.field(default_factory=list)
    route_type: int | None = None
    checked_by: str = "check"
    sentence: str = ""
    also: list["Relaxation"] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        return self.sentence

    @property
    def knob(self) -> Knob:
        """What is changed."""
        return Knob(self.kind, self.field, self.vehicle_type, self.node, self.index, tuple(self.allowed))

    def apply(self, instance: Instance) -> Instance:
        """Return the problem with this change; the one given stays as it is.

        Raises
        ------
        InputError
            When the problem has no such node or vehicle type.
        """
        relaxed = self.knob.applied(instance, self.new)
        for each in self.also:
            relaxed = each.apply(relaxed)
        return relaxed

    @property
    def order(self) -> tuple[bool, float, bool, bool, float]:
        """What relaxations are ordered by: those that pay first, the smaller first.

        Of equals, those come first that concern only who is served; then those that need no search, and the cheaper.
        """
        size = math.inf if self.size is None else round(self.size, 9)
        return not self.pays, size, self.node not in self.serves, self.checked_by != "check", self.cost


# In words.


def change_words(instance: Instance, knob: Knob, old: float | None, new: float | None, amount: float) -> str:
    """Return a change in words, such as "1 vehicle more (3 instead of 2)"."""
    if knob.field == BACKHAULS:
        return "let pickups come before deliveries"
    if knob.vehicle_type is None:
        return _node_words(instance, knob, old, new, amount)
    which = f"vehicle type {knob.vehicle_type}"
    several = len(instance.types) > 1
    of = f" of {which}" if several else ""
    theirs = which if several else "the vehicles"
    if knob.field == "allowed_customers":
        return f"allow {theirs} to serve {called(instance, knob.customers)}"
    assert old is not None, "all others are numbers"
    assert new is not None, "all others are numbers"
    values = f"{plain_text(new)} instead of {plain_text(old)}"
    if knob.field == "num_available":
        return f"{plain_text(amount)} vehicle{'s' * (amount != 1)} more{of} ({values})"
    if knob.field == "capacity":
        where = f" in load dimension {knob.index}" if instance.demands.ndim > 1 else ""
        return f"{_units(amount)} more capacity{of}{where} ({values})"
    unit = instance.time_unit
    if knob.field == "shift_duration":
        lasts = f"{span_text(new, unit)} instead of {span_text(old, unit)}"
        return f"{_span(amount, unit)} more of shift duration{of} ({lasts})"
    if knob.field in TIMES:
        what = {LATE: "end of the shift", "start_late": "latest start", EARLY: "start of the shift"}[knob.field]
        return f"{_moved(knob, amount, unit)} ({what}{of} at {_from_to(old, new, unit)})"
    words = {
        "max_distance": ("more distance", "unit"), "max_stops": ("more on a route", "customer"),
        "max_reloads": ("more", "reload"),
    }  # fmt: skip
    after, noun = words[knob.field]
    return f"{plain_text(amount)} {noun}{'s' * (amount != 1)} {after}{of} ({values})"


def _node_words(instance: Instance, knob: Knob, old: float | None, new: float | None, amount: float) -> str:
    assert knob.node is not None, "what is no vehicle type's is a node's"
    assert old is not None, "a node's field is a number"
    assert new is not None, "a node's field is a number"
    who = place_called(instance, knob.node)
    if knob.field == PRIZE:
        return f"a prize of at least {plain_text(new)} for {who} (instead of {plain_text(old)})"
    unit = instance.time_unit
    if knob.field == RELEASE:
        return f"{_moved(knob, amount, unit)} (release of {who} at {_from_to(old, new, unit)})"
    several = len(windows_of(instance, knob.node)) > 1
    end = "opening" if knob.field == EARLY else "close"
    window = ("the last window" if knob.field == LATE else f"window {knob.index + 1}") if several else "the window"
    what = f"{end} of {window} of {who}" if knob.node >= instance.depots else f"{end} of {who}"
    return f"{_moved(knob, amount, unit)} ({what} at {_from_to(old, new, unit)})"


def _from_to(old: float, new: float, unit: str) -> str:
    return f"{clock_text(new, unit)} instead of {clock_text(old, unit)}"


def _moved(knob: Knob, amount: float, unit: str) -> str:
    return f"{_span(amount, unit)} {'earlier' if knob.field in MOVED_EARLIER else 'later'}"


def _span(amount: float, unit: str) -> str:
    return span_text(amount, unit) if unit else _units(amount)


def _units(amount: float) -> str:
    return f"{plain_text(amount)} unit{'s' * (amount != 1)}"


def place_called(instance: Instance, node: int) -> str:
    """Return what a sentence calls a node."""
    if node >= instance.depots:
        return f"customer {instance.name_of(node)}"
    return "the depot" if instance.depots == 1 else f"depot {instance.name_of(node)}"


def called(instance: Instance, nodes: "tuple[int, ...] | list[int]") -> str:
    """Return what a sentence calls some customers."""
    names = listed((instance.name_of(node) for node in nodes), 60)
    return f"customer{'s' * (len(nodes) > 1)} {names}"
