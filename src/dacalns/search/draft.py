"""What an operator in plain Python works on: the solution of the search, which it cannot break."""

import ctypes
import operator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dacalns.core import by_hand
from dacalns.core.distances import form_of, told_apart
from dacalns.core.jit import jit_enabled, pluggable
from dacalns.core.model import BANKED, USED
from dacalns.core.places import FOUND, REFUSAL
from dacalns.instances import Instance
from dacalns.search.policy_view import Edges
from dacalns.search.start import numbering_of, problem_of
from dacalns.search.state import State
from dacalns.util.errors import InputError
from dacalns.util.shown import shown

if TYPE_CHECKING:
    from dacalns.search.stepper import Stepper

# The kernels that Python calls by address, with the addresses of problem and solution that the loop has given it.

_WHOLE, _REAL, _ADDRESS = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
# An array, as compiled code passes it on: owner, parent, items, their size, address, shape and strides.
ARRAY = (_ADDRESS, _ADDRESS, _WHOLE, _WHOLE, _ADDRESS, _WHOLE, _WHOLE)
_BOTH = (_ADDRESS, _ADDRESS)
KERNELS: dict[str, tuple[Any, Any, Any]] = {
    "put_in": (by_hand.put_in, by_hand.PUT_SIGNATURE, (_WHOLE, *_BOTH, *(_WHOLE,) * 4)),
    "take_out": (by_hand.take_out, by_hand.TAKE_SIGNATURE, (_WHOLE, *_BOTH, _WHOLE)),
    "list_places": (by_hand.list_places, by_hand.LIST_SIGNATURE, (_WHOLE, *_BOTH, _WHOLE, *ARRAY, *ARRAY)),
    "put_right": (by_hand.put_right, by_hand.SETTLE_SIGNATURE, (None, *_BOTH)),
    "cost_of": (by_hand.cost_of, by_hand.COST_SIGNATURE, (_REAL, *_BOTH)),
}


class Calls(NamedTuple):
    """The kernels of one form of problems, as Python calls them."""

    put_in: Any
    take_out: Any
    list_places: Any
    put_right: Any
    cost_of: Any


@cache
def calls_for(form: str) -> Calls:
    """Return the kernels for a form of problems; compiled at the first call and cached on disk."""
    found = {}
    for name, (kernel, signature, types) in KERNELS.items():
        compiled = pluggable(kernel, signature, told_apart(signature, form))
        # It keeps Python's lock: giving it back and taking it again would take longer than the call.
        found[name] = ctypes.PYFUNCTYPE(*types)(compiled.__wrapper_address__()) if jit_enabled() else compiled
    return Calls(**found)


def _passed(array: npt.NDArray[Any]) -> tuple[Any, ...]:
    """An array as the arguments that a kernel takes."""
    if not jit_enabled():
        return (array,)
    return None, None, array.size, array.itemsize, array.ctypes.data, array.size, array.itemsize


# What an operator sees.


class Place(NamedTuple):
    """Where a customer may be inserted: ``draft.insert(*place[1:])`` does it."""

    cost: float  #: what the routes cost more with it, in the instance's units
    customer: int
    route: int
    position: int  #: how many customers stand before it
    second: int | None = None  #: how many stand before the delivery of its pair; None where it has none


REASONS = {
    REFUSAL.served: "it is in a route already",
    REFUSAL.grouped: "another one of its group is visited",
    REFUSAL.no_route: "there is no such route, and no vehicle for another",
    REFUSAL.no_position: "there is no such position",
    REFUSAL.no_room: "the vehicle has no room for it, or may not serve it",
    REFUSAL.limits: "a limit of time, distance or load would be broken",
}
OVER = "the draft is that of a call that is over; expected the one that the operator was called with; keep values of it"


class Draft(State):
    """The solution that an operator in plain Python changes, by :meth:`remove` and :meth:`insert`.

    Every change is checked, so that no operator can make a solution unsound; one that is not possible raises an
    `InputError` and changes nothing. Customers have the numbers that they have in the instance. A route is known by its
    number, its place in :attr:`routes`; numbers may change when a route becomes empty.

    Like a `State`, it is a live view. It serves during the call only.
    """

    __slots__ = ("_arguments", "_calls", "_count", "_stale", "_tables")

    def __init__(self, stepper: "Stepper", tables: "Tables", arguments: tuple[Any, Any], count: int) -> None:
        super().__init__(stepper, stepper.candidate)
        self._calls, self._tables = tables.calls, tables
        self._arguments: tuple[Any, Any] | None = arguments
        self._count = count
        self._stale = False

    def _close(self) -> None:
        """Let nobody change anything from now on."""
        self._arguments = None

    def _given(self) -> tuple[Any, Any]:
        if self._arguments is None:
            raise InputError(f"{OVER}.")
        return self._arguments

    def _settle(self) -> None:
        """Bring times and sums up to date after removals."""
        if self._stale and self._arguments is not None:
            self._stale = False
            self._calls.put_right(*self._arguments)

    # Who is where.

    @property
    def count(self) -> int:
        """How many customers a destroy operator should remove, at most those that are served; 0 for a repair operator.

        It is drawn anew for each call from the scale of the operator.
        """
        return min(self._count, len(self.served)) if self._count else 0

    @property
    def customers(self) -> list[int]:
        """All customers of the instance."""
        return [int(node) for node in self.instance.customer_nodes]

    @property
    def routes(self) -> list[list[int]]:
        """The routes as new lists of customers; where vehicles load again, each trip is a route."""
        self._settle()
        solution, node_of = self._solution, self._node_of
        following, found = solution.succ.tolist(), []
        for customer in solution.first[: solution.counts[USED]].tolist():
            route = []
            while customer:
                route.append(customer if node_of is None else node_of[customer])
                customer = following[customer]
            found.append(route)
        return found

    @property
    def vehicle_types(self) -> list[int]:
        """The vehicle type of each route, by its number in the instance."""
        self._settle()
        used = int(self._solution.counts[USED])
        return [0] * used if self.instance.is_plain else self._rich.kind[:used].tolist()

    @property
    def vehicles(self) -> list[list[int]]:
        """The numbers of the routes of each vehicle, in the order of driving: one, unless it loads again."""
        self._settle()
        used = range(int(self._solution.counts[USED]))
        if self.instance.is_plain:
            return [[route] for route in used]
        ahead, behind = self._rich.ahead.tolist(), self._rich.behind.tolist()
        found = []
        for first in used:
            if ahead[first] < 0:
                chain = [first]
                while behind[chain[-1]] >= 0:
                    chain.append(behind[chain[-1]])
                found.append(chain)
        return found

    @property
    def served(self) -> list[int]:
        """The customers in routes, in ascending order."""
        served = np.flatnonzero(self._solution.route >= 0)
        if self._node_of is None:
            found: list[int] = served.tolist()
            return found
        return sorted(self._node_of[customer] for customer in served.tolist())

    @property
    def unserved(self) -> list[int]:
        """The customers that wait for a place, in ascending order: those removed, and any that were left out before.

        Of a group of whom one is visited, no other one waits.
        """
        self._settle()
        if self.instance.is_plain:
            return sorted(self._solution.bank[: self._solution.counts[BANKED]].tolist())
        return numbering_of(self.instance).waiting(self._solution)

    @property
    def removed(self) -> list[int]:
        """Those of them that the current solution serves, which is the one that was destroyed."""
        before = self._stepper.current.route
        return [customer for customer in self.unserved if any(before[k] >= 0 for k in self._numbers_of(customer))]

    def route_of(self, customer: int) -> int | None:
        """Return the number of a customer's route; None if it is in none."""
        self._settle()
        for number in self._numbers_of(customer):
            if self._solution.route[number] >= 0:
                return int(self._solution.route[number])
        return None

    def neighbours(self, customer: int) -> list[int]:
        """Return up to 100 customers that go well beside one, the nearest first."""
        near = self._stepper.problem.neighbours[self._numbers_of(customer)[0]].tolist()
        if self._node_of is None:
            return list(near)
        return list(dict.fromkeys(self._node_of[number] for number in near))

    # Changes.

    def remove(self, customer: int) -> bool:
        """Take a customer out of its route, with the other one of its pair if it has one; False if it is in none."""
        given = self._given()
        for number in self._numbers_of(customer):
            if self._calls.take_out(*given, number):
                self._stale = True
                return True
        return False

    def places(self, customer: int) -> list[Place]:
        """Return all places where a waiting customer fits, the cheapest first; none if it is in a route.

        A place is in a route in use, or opens another one: for each vehicle type of which there is another vehicle, and
        for each trip that a vehicle in use may make besides. Of a pair, it is the cheapest place in each of these.
        """
        given = self._given()
        self._settle()
        if self._node_of is None:
            number = self._numbers_of(customer)[0]
            if self._solution.route[number] >= 0:
                return []
            at = zip(*self._tables.listed(given, number), strict=True)
            return sorted(Place(cost, number, route, position) for (route, position, _), cost in at)
        found: dict[tuple[int, int], Place] = {}
        for number in self._numbers_of(customer):
            first, paired = self._first_of(number)
            if self._solution.route[first] >= 0:
                return []
            for (route, position, second), cost in zip(*self._tables.listed(given, first), strict=True):
                place = Place(cost, self._node_of[first], route, position, second if paired else None)
                if (route, position) not in found or place < found[route, position]:
                    found[route, position] = place
        return sorted(found.values())

    def insert(self, customer: int, route: int, position: int, second: int | None = None) -> None:
        """Put a waiting customer into a route, where ``position`` customers stand before it then.

        Parameters
        ----------
        customer
            Its number in the instance. Of a pair, the pickup; its delivery comes along.
        route
            The number of a route, or ``len(routes)`` plus a vehicle type to open another one. Numbers beyond, which
            :meth:`places` finds, are those of more trips.
        position
            0 is the front.
        second
            How many customers stand before the delivery of the pair then, the pickup included.

        Raises
        ------
        InputError
            If the customer does not fit there; nothing has changed then.
        """
        given = self._given()
        self._settle()
        where = self._whole("route", route), self._whole("position", position)
        after = -1 if second is None else self._whole("second", second)
        reasons = []
        for number in self._best_first(customer, *where):
            first, paired = self._first_of(number)
            if first != number:
                raise InputError(
                    f"customer {customer} is a delivery; insert its pickup, {self._node_of[first]}, and it comes along."  # type: ignore[index]
                )
            if paired != (second is not None):
                wrong = "is a pickup; give second for its delivery" if paired else "has no pair; leave second out"
                raise InputError(f"customer {customer} {wrong}.")
            refused = self._calls.put_in(*given, number, *where, after)
            if not refused:
                return
            reasons.append(REASONS[refused])
        pair = "" if second is None else f", its delivery at {second}"
        raise InputError(
            f"customer {customer} cannot be put at position {where[1]} of route {where[0]}{pair}: {reasons[-1]}."
        )

    # What it is worth, and what networks see of it.

    @property
    def cost(self) -> float:
        """What the routes cost, in the instance's units."""
        given = self._given()
        self._settle()
        return float(self._calls.cost_of(*given)) / self.instance.scale

    @property
    def node_features(self) -> npt.NDArray[np.float32]:
        """What the network of a learned selector sees of each node, see `State.node_features`."""
        self._settle()
        return super().node_features

    @property
    def edges(self) -> Edges:
        """The graph between them, see `State.edges`."""
        self._settle()
        return super().edges

    def __repr__(self) -> str:
        return f"Draft({self.instance.name}, iteration {self.iteration}, unserved {len(self.unserved)})"

    # Numbers.

    @property
    def _rich(self) -> Any:
        return self._solution

    @property
    def _node_of(self) -> list[int] | None:
        return self._tables.node_of

    def _numbers_of(self, customer: int) -> list[int]:
        """The numbers that the kernels have for a customer: several, if it has several windows."""
        try:
            number = operator.index(customer)
        except TypeError:
            number = 0
        found = self._tables.numbers_of.get(number)
        if found is None:
            raise InputError(
                f"{shown(customer)} is no customer of {self.instance.name}; expected {self._tables.range}."
            )
        return found

    def _first_of(self, number: int) -> tuple[int, bool]:
        """The first one of the pair of a customer, and whether it has one."""
        if self._node_of is None:
            return number, False
        problem: Any = self._stepper.problem
        mate = int(problem.mate[number])
        return (mate if problem.second[number] else number), mate > 0

    def _best_first(self, customer: int, route: int, position: int) -> list[int]:
        """The numbers of a customer, and first of them the one that costs least there."""
        numbers = self._numbers_of(customer)
        if len(numbers) == 1:
            return numbers
        costs = dict.fromkeys(numbers, np.inf)
        for number in numbers:
            for (at, place, _), cost in zip(*self._tables.listed(self._given(), number), strict=True):
                if (at, place) == (route, position):
                    costs[number] = cost
        return sorted(numbers, key=lambda number: costs[number])

    def _whole(self, name: str, given: Any) -> int:
        try:
            if not isinstance(given, bool):
                number = operator.index(given)
                if abs(number) < 1 << 62:
                    return number
        except TypeError:
            pass
        raise InputError(f"{name} is {shown(given)}; expected a whole number.")


class Tables:
    """What all drafts of one search share: kernels, numbers of customers, and room for places.

    Parameters
    ----------
    instance
        What it solves.
    """

    def __init__(self, instance: Instance) -> None:
        self.calls = calls_for(form_of(problem_of(instance)))
        self.node_of: list[int] | None = None
        if instance.is_plain:
            self.numbers_of = {customer: [customer] for customer in range(1, instance.customers + 1)}
        else:
            numbering = numbering_of(instance)
            self.node_of, self.numbers_of = numbering.node_of.tolist(), numbering.customers_of
        self.range = f"{min(self.numbers_of)} to {max(self.numbers_of)}"
        self._scale = instance.scale
        self._make_room(256)

    def _make_room(self, rows: int) -> None:
        self._numbers = np.zeros(rows * len(FOUND), dtype=np.int64)
        self._costs = np.zeros(rows)
        self._passed = (*_passed(self._numbers), *_passed(self._costs))

    def listed(self, given: tuple[Any, Any], number: int) -> tuple[list[list[int]], list[float]]:
        """Return routes, positions and second positions of all places of a customer, and what they cost."""
        found = int(self.calls.list_places(*given, number, *self._passed))
        if found > len(self._costs):
            self._make_room(2 * found)
            found = int(self.calls.list_places(*given, number, *self._passed))
        numbers: list[list[int]] = self._numbers.reshape(-1, len(FOUND))[:found].tolist()
        return numbers, (self._costs[:found] / self._scale).tolist()
