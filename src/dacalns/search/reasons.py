"""Why customers are not served: what stands in the way at each place of the answer, in counts and in a sentence."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from dacalns.instances import Instance
from dacalns.search.open_places import Attempt, Obstacle, OpenPlaces
from dacalns.search.relaxation import Relaxation
from dacalns.util.clock import span_text
from dacalns.util.errors import InputError
from dacalns.util.shown import shown
from dacalns.util.tolerance import tolerance
from dacalns.util.typed_data import from_plain

# All reasons of an answer together take so many microseconds, more or less, unless very many customers are unserved.
EFFORT = 250_000.0

PRICE, SEARCH, FLEET = "price", "search", "fleet"
"""Main reasons besides the kinds of violations: dearer than the prize; none, he fits; no vehicle is free."""
RESTRICTION, BACKHAUL, PAIR, WINDOW = "restriction", "backhaul", "pair", "window"
TIMED = frozenset({WINDOW, "depot", "shift", "duration"})
"""What may stand in the way together, and go away with one change of a time."""

CAUSES = {
    "capacity": "the capacity is exceeded",
    "window": "a window is missed",
    "depot": "a depot closes too early",
    "shift": "the shift is too short",
    "duration": "the longest duration is exceeded",
    "distance": "the longest distance is exceeded",
    "stops": "the limit of customers is exceeded",
    "restriction": "the vehicle may not serve {}",
    "backhaul": "deliveries do not come before pickups",
    "pair": "the pair is parted",
    "reload": "the vehicle may not reload once more",
}
"""What stands in the way, by the kinds of violations."""

MAINS = CAUSES | {
    PRICE: "serving costs no less than leaving out",
    SEARCH: "none; a longer search may help",
    FLEET: "an empty vehicle could serve, but none is free",
    RESTRICTION: "no vehicle may serve that could",
    PAIR: "each end could be served, but not both by one vehicle",
}
"""The main reasons."""

MOST_CAUSES = 4
"""As many causes are in a sentence; of more, those at the most places."""
MOST_LISTED = 8
"""As many members of a group are in a sentence."""


@dataclass(frozen=True)
class Reason:
    """Why a customer, a pair or a group is not served.

    Parameters
    ----------
    customers
        The customer, the pickup and delivery of the pair, or all members of the group, of whom nobody is visited.
    main
        The main reason. ``price`` if there is a feasible place that costs no less than leaving the customer out;
        ``search`` if there is another feasible place: a longer search may serve him. If he does not fit into an empty
        vehicle of any type, it is what stands in the way there: a kind of `Violation`, such as ``capacity``; ``window``
        if he would fit with his own windows open at any time; ``pair`` if each end of a pair does fit, and only both
        together do not. Else ``restriction`` if there
        is a place at which only that stands in the way, and ``fleet`` if no vehicle is free that could serve him.
    counts
        At how many places each kind of violation stands in the way; at one place there may be several. ``fleet`` is the
        number of vehicle types of which no vehicle is free.
    places
        The number of places tried.
    feasible_places
        The number of places where nothing stands in the way.
    cost
        What the routes cost more with the cheapest of these, in file units; None if there are none.
    prize
        What leaving the customer out costs; 0 for one who must be served.
    sentence
        All this in words.
    nearest
        What stands in the way at the place that comes nearest to being feasible; where nothing can be measured, what
        stands in the way most often. Empty if there is a feasible place.
    relaxations
        What would help, the smallest change first; `dacalns.explain_unserved` looks for that.
    """

    customers: list[int]
    main: str
    counts: dict[str, int]
    places: int
    feasible_places: int
    cost: float | None
    prize: float
    sentence: str
    nearest: str = ""
    relaxations: list[Relaxation] = field(default_factory=list)

    def __str__(self) -> str:
        return self.sentence


class Reasons(Mapping[int, Reason]):
    """A `Reason` for each customer who is not served, found when it is first asked for.

    Parameters
    ----------
    units
        The customers, pairs and groups.
    find
        Finds the reason of one of these.
    """

    def __init__(
        self,
        units: Iterable[tuple[int, ...]] = (),
        find: Callable[[tuple[int, ...]], Reason] | None = None,
    ) -> None:
        self._units = [*units]
        self._unit_of = {node: unit for unit in self._units for node in unit}
        self._find = find
        self._found: dict[tuple[int, ...], Reason] = {}

    def __getitem__(self, customer: int) -> Reason:
        return self._reason(self._unit_of[customer])

    def __contains__(self, customer: object) -> bool:
        return customer in self._unit_of

    def __iter__(self) -> Iterator[int]:
        return iter(self._unit_of)

    def __len__(self) -> int:
        return len(self._unit_of)

    def __repr__(self) -> str:
        return f"Reasons({dict(self)!r})"

    # It never changes, and what finds reasons holds the whole instance.

    def __copy__(self) -> "Reasons":
        return self

    def __deepcopy__(self, memo: object) -> "Reasons":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Reasons.of, (self.each(),)

    def _reason(self, unit: tuple[int, ...]) -> Reason:
        if unit not in self._found:
            assert self._find is not None, "reasons that nobody finds are given"
            self._found[unit] = self._find(unit)
            if len(self._found) == len(self._units):
                self._find = None  # it holds the whole instance
        return self._found[unit]

    def each(self, most: int | None = None) -> list[Reason]:
        """Return the reasons, one for each customer, pair and group; at most so many."""
        return [self._reason(unit) for unit in self._units[:most]]

    def lines(self, most: int) -> list[str]:
        """Return the first sentences, and how many more there are."""
        rest = len(self._units) - most
        return [reason.sentence for reason in self.each(most)] + [f"and {rest} more"] * (rest > 0)

    def to_list(self) -> list[dict[str, Any]]:
        """Return the reasons as plain data."""
        return [asdict(reason) for reason in self.each()]

    @classmethod
    def of(cls, reasons: Sequence[Reason]) -> "Reasons":
        """Return reasons that are known."""
        made = cls(tuple(reason.customers) for reason in reasons)
        made._found = dict(zip(made._units, reasons, strict=True))
        return made

    @classmethod
    def from_list(cls, data: Any) -> "Reasons":
        """Return what `to_list` described.

        Raises
        ------
        InputError
            If that is no list of reasons.
        """
        if not isinstance(data, list):
            raise InputError(f"result: reasons is {shown(data)}; expected a list of reasons.")
        return cls.of([from_plain(Reason, each, f"result: reasons[{at}]") for at, each in enumerate(data)])


def reasons_of(
    instance: Instance,
    routes: Sequence[Sequence[int]],
    types: Sequence[int],
    unserved: Sequence[int],
    left_out: Sequence[int],
) -> Reasons:
    """Return why customers are not served, as far as the answer tells.

    Each is tried at every place of every route, on a trip of his own where the vehicle may reload, and on a new route
    of each vehicle type of which there is another vehicle. Where that would take long, because many are not served or
    routes are many and long, he is tried at those places where it is the least way round. There are fewer of these, the
    more customers are not served: all reasons together take less than a second, unless thousands are not. Nothing is
    computed before a reason is read.

    Parameters
    ----------
    instance
        The problem.
    routes, types
        The answer, which breaks no limit.
    unserved, left_out
        The customers whom it does not serve, though it should and as it may.
    """
    units = units_of(instance, [*unserved, *left_out])
    if not units:
        return Reasons()
    return Reasons(units, Inquiry(instance, routes, types, len(units)).reason)


def units_of(instance: Instance, customers: Sequence[int]) -> list[tuple[int, ...]]:
    """Return customers, or pairs and groups where they belong to one."""
    unit_of: dict[int, tuple[int, ...]] = {}
    waiting = {*customers}
    for pair in [] if instance.pairs is None else instance.pairs.tolist():
        if waiting.issuperset(pair):
            unit_of |= dict.fromkeys(pair, tuple(pair))
    for group in instance.groups:
        if waiting.issuperset(group.customers):
            unit_of |= dict.fromkeys(group.customers, group.customers)
    return [*dict.fromkeys(unit_of.get(node, (node,)) for node in customers)]


class Inquiry:
    """Finds the reasons of one answer.

    Parameters
    ----------
    instance, routes, types
        The problem and the answer.
    units
        How many customers, pairs and groups are to share the time.
    """

    def __init__(self, instance: Instance, routes: Sequence[Sequence[int]], types: Sequence[int], units: int) -> None:
        self.instance, self._units = instance, units
        self._answer = [[*route] for route in routes], [*types]  # whoever has the lists may change them

    @cached_property
    def places(self) -> OpenPlaces:
        """The places of the answer."""
        return OpenPlaces(self.instance, *self._answer)

    @cached_property
    def _pairs(self) -> set[tuple[int, ...]]:
        pairs = self.instance.pairs
        return set() if pairs is None else {tuple(pair) for pair in pairs.tolist()}

    def ways(self, unit: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return who may be served so that the unit is: both ends of a pair, any member of a group."""
        return [unit] if unit in self._pairs else [(node,) for node in unit]

    def tried(self, unit: tuple[int, ...]) -> list[tuple[tuple[int, ...], Attempt]]:
        """Try everything."""
        ways = self.ways(unit)
        most = int(EFFORT / (self._units * self.places.effort * len(ways)))
        return [(way, attempt) for way in ways for attempt in self.places.attempts(way, most)]

    def reason(self, unit: tuple[int, ...]) -> Reason:
        """Try everything and tell what came of it."""
        return self.reason_of(unit, self.tried(unit))

    def reason_of(self, unit: tuple[int, ...], tried: list[tuple[tuple[int, ...], Attempt]]) -> Reason:
        """Tell what came of it when everything was tried."""
        places, ways = self.places, self.ways(unit)
        called = "customer" if len(unit) == 1 else "pair" if unit in self._pairs else "group"
        words = _Words(self.instance, self._answer[0], called, unit)
        found = Counter(kind for _, attempt in tried for kind in attempt.obstacles)
        counts = {kind: found[kind] for kind in [*CAUSES, *sorted(found.keys() - CAUSES.keys())] if found[kind]}
        if places.exhausted:
            counts[FLEET] = len(places.exhausted)
        feasible = [(way, attempt) for way, attempt in tried if attempt.cost is not None]
        there_are = sum(places.count(way) for way in ways)
        nearest = ""
        if not feasible:
            nearest, sentence = self._nowhere(words, tried, counts, there_are)
            main = self._main_of_nowhere(ways, tried, nearest)
            cost, prize = None, self.prize(unit)
        else:
            way, attempt = min(feasible, key=lambda each: ((each[1].cost or 0.0) - self.prize(each[0]), each[1].longer))
            cost, prize = attempt.cost or 0.0, self.prize(way)
            main = self._main_of_feasible(unit, way, cost, prize)
            cheapest = "the cheapest place" if len(tried) == there_are else f"the cheapest of {len(tried)} places tried"
            sentence = words.of_feasible(main, words.place(way, attempt), cheapest, cost, prize, self.priority(way))
        return Reason(
            customers=[*unit],
            main=main,
            counts=counts,
            places=len(tried),
            feasible_places=len(feasible),
            cost=cost,
            prize=prize,
            sentence=sentence,
            nearest=nearest,
        )

    def _main_of_nowhere(
        self, ways: list[tuple[int, ...]], tried: list[tuple[tuple[int, ...], Attempt]], nearest: str
    ) -> str:
        """The main reason of somebody who fits nowhere."""
        alone = [attempt for way in ways for attempt in self.places.alone(way)]
        only_restricted = any(attempt.obstacles.keys() == {RESTRICTION} for _, attempt in tried)
        if not any(attempt.obstacles.keys() <= {BACKHAUL} for attempt in alone):
            if any(attempt.obstacles.keys() == {RESTRICTION} for attempt in alone):
                return RESTRICTION
            if len(ways[0]) > 1 and self._each_end_fits(ways[0]):
                return PAIR
            closest = min(alone, key=lambda attempt: (attempt.shortfall, attempt.longer))
            if self._windows_are_to_blame(ways, closest):
                return WINDOW
            return max(closest.obstacles, key=lambda kind: closest.obstacles[kind].part)
        if only_restricted:
            return RESTRICTION
        return FLEET if any(not attempt.obstacles for attempt in alone) else nearest

    def _windows_are_to_blame(self, ways: list[tuple[int, ...]], closest: Attempt) -> bool:
        """Whether only times stand in the way, and would not if the own windows were open at any time."""
        if self.instance.windows is None or not closest.obstacles.keys() <= TIMED:
            return False
        free = (attempt for way in ways for attempt in self.places.alone(way, without_windows=True))
        return any(not attempt.obstacles for attempt in free)

    def _each_end_fits(self, pair: tuple[int, ...]) -> bool:
        """Whether each end of a pair fits into an empty vehicle of some type that may serve it."""
        return all(any(attempt.obstacles.keys() <= {PAIR} for attempt in self.places.alone((node,))) for node in pair)

    def _nowhere(
        self,
        words: "_Words",
        tried: list[tuple[tuple[int, ...], Attempt]],
        counts: dict[str, int],
        there_are: int,
    ) -> tuple[str, str]:
        """What stands in the way most, and the sentence on it."""
        told = words.causes(counts, len(tried), there_are, self.places.exhausted)
        way, nearest = min(tried, key=lambda each: (each[1].shortfall, each[1].longer), default=((), None))
        if nearest is None or math.isinf(nearest.shortfall):
            measured = {kind: count for kind, count in counts.items() if kind != FLEET}
            return max(measured, key=lambda kind: counts[kind], default=FLEET), f"{told}."
        main = max(nearest.obstacles, key=lambda kind: nearest.obstacles[kind].part)
        missing = " and ".join(
            words.amount(kind, nearest.obstacles[kind]) for kind in counts if kind in nearest.obstacles
        )
        return main, f"{told}; nearest: {words.place(way, nearest)}, {missing}."

    def _main_of_feasible(self, unit: tuple[int, ...], way: tuple[int, ...], cost: float, prize: float) -> str:
        required = self.instance.required[unit[0]]
        for group in self.instance.groups:
            required |= group.required and unit[0] in group.customers
        dear = cost >= prize - tolerance(max(abs(cost), prize))
        return PRICE if dear and not required and not self.priority(way) else SEARCH

    def prize(self, nodes: Sequence[int]) -> float:
        """What is saved if the nodes are served; of a group, of whom one is, the most that can be."""
        prizes = self.instance.prizes
        if prizes is None:
            return 0.0
        own = prizes[[*nodes]].tolist()
        return float(sum(own) if len(nodes) == 1 or tuple(nodes) in self._pairs else max(own))

    def priority(self, nodes: Sequence[int]) -> float:
        """The sum of the priorities of the nodes."""
        priorities = self.instance.priorities
        return 0.0 if priorities is None else float(priorities[[*nodes]].sum())


class _Words:
    """Puts into words what is found out about somebody.

    Parameters
    ----------
    instance, routes
        The problem and the routes of the answer.
    called
        ``customer``, ``pair`` or ``group``.
    unit
        Who it is.
    """

    def __init__(self, instance: Instance, routes: Sequence[Sequence[int]], called: str, unit: tuple[int, ...]) -> None:
        self._instance, self._routes, self._called = instance, routes, called
        more = ", …" * (len(unit) > MOST_LISTED)
        numbers = ", ".join(map(instance.name_of, unit[:MOST_LISTED])) + more
        alone = called == "customer"
        self._who = f"Customer {numbers}" if alone else f"The {called} {numbers}"
        self._he, self._him, self._his = ("he", "him", "his") if alone else ("it", "it", "its")

    def of_feasible(self, main: str, place: str, cheapest: str, cost: float, prize: float, priority: float) -> str:
        """The sentence on somebody who fits somewhere."""
        costs = f"costs {_number(cost)} more" if cost >= 0 else f"costs {_number(-cost)} less"
        if main == PRICE:
            above = "above" if cost > prize + tolerance(max(abs(cost), prize)) else "as much as"
            price = f"{above} {self._his} prize of {_number(prize)}" if prize else f"and {self._he} has no prize"
            return f"{self._who} is left out by choice: {cheapest}, {place}, {costs}, {price}."
        price = f", below {self._his} prize of {_number(prize)}" if prize > cost else ""
        first = f", and {self._his} priority of {_number(priority)} goes before costs" if priority else ""
        return f"{self._who} fits in ({place}), which {costs}{price}{first}; a longer search may serve {self._him}."

    def causes(self, counts: dict[str, int], tried: int, there_are: int, exhausted: Sequence[int]) -> str:
        """What stands in the way of somebody who fits nowhere."""
        nowhere = "into no route" if tried == there_are else f"at none of the {tried} nearest of {there_are} places"
        often = sorted((kind for kind in counts if kind != FLEET), key=lambda kind: -counts[kind])
        said = {kind: CAUSES.get(kind, f"a rule about {kind} is broken").format(self._him) for kind in often}
        told = [f"{said[kind]} at {counts[kind]}" for kind in often[:MOST_CAUSES]]
        if told and tried == there_are:
            told[0] += f" of {tried} place{'s' * (tried != 1)}"
        if len(often) > MOST_CAUSES:
            told.append(f"{len(often) - MOST_CAUSES} more causes at fewer")
        if exhausted:
            types = len(self._instance.types)
            some = (
                f"{len(exhausted)} of {types} vehicle types {'has' if len(exhausted) == 1 else 'have'} no other vehicle"
            )
            told.append("no other vehicle is free" if len(exhausted) == types else some)
        return f"{self._who} fits {nowhere}: {', '.join(told)}"

    def place(self, way: tuple[int, ...], attempt: Attempt) -> str:
        """Where somebody is tried."""
        whom = f"customer {self._instance.name_of(way[0])} on " if self._called == "group" else ""
        if attempt.route is None:
            several = len(self._instance.types) > 1
            return f"{whom}a new route" + (f" of vehicle type {attempt.vehicle_type}" if several else "")
        if len(attempt.inserted) > len(way):
            return f"{whom}a new trip of route {attempt.route}"
        behind = [self._behind(attempt.route, at) for at, _ in attempt.inserted]
        if len(set(behind)) > 1:
            return f"route {attempt.route}, pickup {behind[0]}, delivery {behind[1]}"
        return f"{whom}route {attempt.route} {behind[0]}"

    def _behind(self, route: int, at: int) -> str:
        if at == 0:
            return "at the start"
        before = self._routes[route - 1][at - 1]
        return (
            f"behind customer {self._instance.name_of(before)}"
            if before >= self._instance.depots
            else f"behind the reload at depot {self._instance.name_of(before)}"
        )

    def amount(self, kind: str, obstacle: Obstacle) -> str:
        """By how much a limit is exceeded."""
        instance, amount, limit = self._instance, _number(obstacle.amount), _number(obstacle.limit)
        if kind in ("window", "depot", "shift", "duration") and instance.time_unit:
            amount, limit = (span_text(each, instance.time_unit) for each in (obstacle.amount, obstacle.limit))
        if kind == "capacity":
            dimension = f" in dimension {obstacle.where}" if instance.demands.ndim > 1 else ""
            return f"{amount} over the capacity of {limit}{dimension}"
        if kind in ("window", "depot"):
            where = "" if obstacle.where is None else instance.name_of(obstacle.where)
            at = f"customer {where}" if kind == "window" else f"depot {where}"
            return f"{amount} too late at {'the depot' if kind == 'depot' and instance.depots == 1 else at}"
        if kind == "shift":
            return f"{amount} too late for the shift"
        if kind == "stops":
            return f"{amount} over the limit of {limit} customer{'s' * (obstacle.limit != 1)}"
        return f"{amount} over the longest {kind} of {limit}"


def _number(value: float) -> str:
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.10g}"
