"""The smallest single changes of a problem with which somebody can be served whom an answer does not serve.

Who is not served is put into places of the answer. Where one thing alone stands in the way, that is relaxed as far as
it is needed, and the independent checker judges the answer with him on the problem with that change.
"""

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dacalns.instances import Instance
from dacalns.search.checker import check
from dacalns.search.measure import scaled
from dacalns.search.open_places import Attempt
from dacalns.search.reasons import FLEET, PRICE, SEARCH, TIMED, Inquiry, Reason
from dacalns.search.relaxation import (
    BACKHAULS,
    EARLY,
    LATE,
    MOVED_EARLIER,
    PRIZE,
    RELEASE,
    TIMES,
    Knob,
    Relaxation,
    called,
    change_words,
    windows_of,
)
from dacalns.search.rich_checker import Breach, route_breaches
from dacalns.search.route_plan import Figures, Measured, measure_route
from dacalns.util.clock import plain_text
from dacalns.util.errors import InputError
from dacalns.util.tolerance import tolerance

Answer = tuple[list[list[int]], list[int]]
"""Routes, and the vehicle type of each."""

Searcher = Callable[[Instance, Answer], Answer]
"""Searches a little from an answer."""

Way = tuple[int, ...]

Change = tuple[Knob, float | None]
"""What is relaxed, and its new value; None where that is no number, infinity where it has no limit."""

PLACES = 4
"""Of places where the same stands in the way, so many of those where the least is missing are looked at."""

MOST_TOGETHER = 6
"""The most changes that are proposed together."""

HALVINGS = 60
FINE = 1e-4
"""A bisection ends when what is left is so small a part of the change."""

MOST_SEARCHES = 6
"""The most short searches for one customer, pair or group, or for all at once."""

FIXED_KNOBS = {
    "distance": "max_distance", "stops": "max_stops", "reload": "max_reloads", "restriction": "allowed_customers",
}  # fmt: skip
"""The field of a vehicle type that does away with a kind of violation."""


@dataclass(frozen=True)
class Place:
    """A route with somebody in it.

    Parameters
    ----------
    way
        Who is served.
    route
        The number of the route, from 1; None for a new one.
    kind
        The number of its vehicle type.
    nodes
        Its nodes with them.
    """

    way: Way
    route: int | None
    kind: int
    nodes: list[int]

    def answer(self, answer: Answer) -> Answer:
        """Return an answer with this route."""
        routes, types = [[*route] for route in answer[0]], [*answer[1]]
        if self.route is None:
            return [*routes, self.nodes], [*types, self.kind]
        routes[self.route - 1] = self.nodes
        return routes, types


class SmallestChanges:
    """Finds the smallest changes for those whom one answer does not serve.

    Parameters
    ----------
    inquiry
        What finds the reasons of the answer.
    answer
        The answer.
    searcher
        What searches a little, for changes of which putting somebody in does not tell; None for none of these.
    most
        How many changes are wanted for each.
    """

    def __init__(self, inquiry: Inquiry, answer: Answer, searcher: Searcher | None, most: int) -> None:
        self.inquiry, self.instance = inquiry, inquiry.instance
        self.answer, self.searcher, self.most = answer, searcher, most
        self._figures = Figures(self.instance)
        self._unit = self._figures.scale

    @cached_property
    def _cost(self) -> float:
        return check(self.instance, *self.answer).cost

    @cached_property
    def _visited(self) -> set[int]:
        return {node for route in self.answer[0] for node in route}

    def explained(self, unit: Way) -> Reason:
        """Return the reason for which a customer, pair or group is not served, with what would help."""
        tried = self.inquiry.tried(unit)
        reason = self.inquiry.reason_of(unit, tried)
        if reason.main == PRICE:
            found = self._prices(tried)
        elif reason.main == SEARCH:
            found = []
        else:
            found = self._changes(unit, tried)
        return dataclasses.replace(reason, relaxations=found)

    def _changes(self, unit: Way, tried: list[tuple[Way, Attempt]]) -> list[Relaxation]:
        best: dict[Knob, Relaxation] = {}
        places = {id(place): place for place in self._places(unit, tried)}
        at: dict[Knob, Place] = {}
        for place in places.values():
            for knob, new in self._at(place):
                made = self.relaxation(knob, new, place)
                if knob not in best or made.order < best[knob].order:
                    best[knob], at[knob] = made, place
        wanted = []
        for knob, made in sorted(best.items(), key=lambda each: each[1].order):
            checked = self._checked(made, at[knob])
            wanted += [] if checked is None else [checked]
            if len(wanted) == self.most:
                break
        if self.searcher is not None and not (wanted and wanted[0].pays and self._is_least(unit, wanted[0])):
            wanted += self._searched(unit, wanted)
        return sorted(wanted or self._several(unit), key=lambda each: each.order)[: self.most]

    # Where somebody is put.

    def _places(self, unit: Way, tried: list[tuple[Way, Attempt]]) -> Iterator[Place]:
        """The places to look at: of those where the same stands in the way, those where the least is missing."""
        alike: dict[tuple[object, ...], list[tuple[Way, Attempt]]] = {}
        for way, attempt in tried:
            kinds = attempt.obstacles.keys()
            if kinds <= TIMED or len(kinds) == 1:
                which = frozenset(kinds), attempt.vehicle_type, attempt.route is None
                alike.setdefault(which, []).append((way, attempt))
        for group in alike.values():
            group.sort(key=lambda each: (each[1].shortfall, each[1].longer))
            for way, attempt in group[:PLACES]:
                yield self._place(way, attempt)
        for way in self.inquiry.ways(unit):
            for kind in self.inquiry.places.exhausted:
                yield Place(way, None, kind, [*way])

    def _place(self, way: Way, attempt: Attempt) -> Place:
        if attempt.route is None:
            return Place(way, None, attempt.vehicle_type, [*way])
        nodes = [*self.answer[0][attempt.route - 1]]
        for shift, (at, node) in enumerate(attempt.inserted):
            nodes.insert(at + shift, node)
        return Place(way, attempt.route, attempt.vehicle_type, nodes)

    def _is_exhausted(self, place: Place) -> bool:
        return place.route is None and place.kind in self.inquiry.places.exhausted

    # What is relaxed there.

    def _at(self, place: Place) -> Iterator[tuple[Knob, float | None]]:
        """Yield what serves somebody at a place by itself, and its least value."""
        measured, breaches = self.measured(place)
        if self._is_exhausted(place):
            if not breaches:
                yield self._one_vehicle_more(place.kind)
            return
        for knob in self._knobs(place, measured, breaches):
            new = self._least(knob, place, measured)
            if new is not None:
                yield knob, None if math.isinf(new) else new

    def _one_vehicle_more(self, kind: int) -> tuple[Knob, float]:
        knob = Knob(FLEET, "num_available", kind)
        return knob, (knob.old(self.instance) or 0.0) + 1

    def measured(self, place: Place, changes: Sequence[Change] = ()) -> tuple[Measured, list[Breach]]:
        """Return what a route does and what is wrong with it, with something relaxed."""
        figures = self._figures
        for knob, new in changes:
            figures = self._relaxed(figures, knob, new)
        route = measure_route(figures, 1, place.nodes, place.kind)
        breaches = route_breaches(figures, route)
        if any(knob.field == BACKHAULS for knob, _ in changes):
            breaches = [breach for breach in breaches if breach.kind != "backhaul"]
        return route, breaches

    def _relaxed(self, figures: Figures, knob: Knob, new: float | None) -> Figures:
        """The figures with something relaxed; a rule that is dropped is not among them."""
        twin = copy.copy(figures)
        if knob.vehicle_type is not None:
            types = [*twin.vehicles]
            types[knob.vehicle_type] = knob.type_with(types[knob.vehicle_type], new)
            twin.vehicles = tuple(types)
        elif knob.node is not None and new is not None:
            value = scaled(new, self._unit)
            if knob.field == RELEASE:
                twin.releases = [*twin.releases]
                twin.releases[knob.node] = value
            else:
                own = [*twin.windows[knob.node]]
                opens, closes = own[knob.index]
                own[knob.index] = (value, closes) if knob.field == EARLY else (opens, value)
                twin.windows = [*twin.windows]
                twin.windows[knob.node] = tuple(own)
        return twin

    def _knobs(self, place: Place, measured: Measured, breaches: list[Breach]) -> Iterator[Knob]:
        """What might do by itself."""
        kinds, kind = {breach.kind for breach in breaches}, place.kind
        if kinds == {"capacity"}:
            if len(over := self._overloads(measured)) == 1:
                yield over[0]
        elif kinds == {"backhaul"}:
            yield Knob("backhaul", BACKHAULS)
        elif len(kinds) == 1 and kinds <= FIXED_KNOBS.keys():
            [only] = kinds
            customers = place.way if only == "restriction" else ()
            yield Knob(only, FIXED_KNOBS[only], kind, customers=customers)
        elif kinds and kinds <= TIMED:
            yield from self._times(place, measured, kinds)

    def _overloads(self, measured: Measured) -> list[Knob]:
        """The capacity in each load dimension in which there is too much."""
        return [
            Knob("capacity", "capacity", measured.kind, index=dimension)
            for dimension, (load, limit) in enumerate(zip(measured.loads, measured.vehicle.capacity, strict=False))
            if load - limit > tolerance(float(limit))
        ]

    def _times(self, place: Place, measured: Measured, kinds: set[str]) -> Iterator[Knob]:
        """What might do where the vehicle is late, or under way for too long."""
        instance, schedule, kind = self.instance, measured.schedule, place.kind
        vehicle, last = instance.types[kind], len(measured.visits) - 1
        day = abs(measured.visits[0].earliest)

        def over(late: float, limit: float) -> bool:
            return late > float(tolerance(max(day, abs(limit))))

        closed = [
            at
            for at, (late, visit) in enumerate(zip(schedule.after_closing, measured.visits, strict=True))
            if over(late, visit.windows[-1][1])
        ]
        ended = [
            at
            for at, (late, visit) in enumerate(zip(schedule.after_latest, measured.visits, strict=True))
            if over(late, visit.latest)
        ]
        late = sorted({*closed, *ended})
        if kinds == {"duration"}:
            yield Knob("duration", "shift_duration", kind)
        if len(late) == 1 and closed == late and not ended:
            yield from self._close(measured.places[late[0]])
        if len(late) == 1 and ended == late and not closed:
            is_start = late[0] == 0 and vehicle.start_late is not None
            yield Knob("shift", "start_late" if is_start else LATE, kind)
        # Whatever begins earlier helps those behind it.
        until = late[0] if late else last
        waits = [at for at in range(1, until + 1) if schedule.starts[at] > schedule.arrivals[at] + 1e-9 * self._unit]
        own = [at for at, node in enumerate(measured.places) if node in place.way]
        for at in dict.fromkeys([*(at for at in own if at <= until), *waits[-1:]]):
            yield from self._open(measured.places[at], schedule.starts[at])
        released = [node for node in place.nodes if node >= instance.depots and self._figures.releases[node] > 0]
        if released:
            latest = max(released, key=lambda node: self._figures.releases[node])
            yield Knob("release", RELEASE, node=latest)
        if vehicle.tw_early > 0:
            yield Knob("shift", EARLY, kind)
        if vehicle.start_depot is not None:
            yield from self._open(vehicle.start_depot, schedule.starts[0])
        if kinds == {"duration"}:
            for at in own:
                yield from self._close(measured.places[at])

    def _close(self, node: int | None) -> Iterator[Knob]:
        if node is not None and self.instance.windows is not None:
            kind = "window" if node >= self.instance.depots else "depot"
            yield Knob(kind, LATE, node=node, index=len(self._figures.windows[node]) - 1)

    def _open(self, node: int | None, start: float) -> Iterator[Knob]:
        """The opening of the window in which a visit starts."""
        if node is None or self.instance.windows is None:
            return
        windows = self._figures.windows[node]
        index = next((at for at, (_, closes) in enumerate(windows) if start <= closes), len(windows) - 1)
        if windows[index][0] > 0:
            kind = "window" if node >= self.instance.depots else "depot"
            yield Knob(kind, EARLY, node=node, index=index)

    def _least(
        self,
        knob: Knob,
        place: Place,
        measured: Measured,
        before: Sequence[Change] = (),
        kinds: frozenset[str] | None = None,
    ) -> float | None:
        """The least change of something that makes a place feasible; infinity for what is no number, None for none.

        With ``before`` these changes are made already; with ``kinds`` only these kinds of violations must go.
        """

        def does(new: float | None) -> bool:
            left = {breach.kind for breach in self.measured(place, [*before, (knob, new)])[1]}
            return not left & (left if kinds is None else kinds)

        old = knob.old(self.instance)
        if old is None:
            return math.inf if does(None) else None
        if knob.field in MOVED_EARLIER:
            return self._bisected(knob, old, self._earliest(knob), does)
        if not does(math.inf):
            return None
        guess = self._guess(knob, measured)
        for part in (0.0, 1e-9, 1e-6):
            new = self._rounded(knob, old, guess + part * abs(guess - old))
            if new > old and does(new):
                return new
        return self._bisected(knob, old, guess + self.inquiry.places.day / self._unit, does)

    def _earliest(self, knob: Knob) -> float:
        """How early a window may open: not before the one before it closes."""
        if knob.node is None or knob.index == 0 or knob.field != EARLY:
            return 0.0
        return windows_of(self.instance, knob.node)[knob.index - 1][1]

    def _guess(self, knob: Knob, measured: Measured) -> float:
        """What is needed at the least, in file units."""
        schedule, unit = measured.schedule, self._unit
        if knob.field == "capacity":
            return measured.loads[knob.index]
        if knob.field == "max_distance":
            return measured.distance / unit
        if knob.field == "shift_duration":
            return schedule.duration / unit - measured.vehicle.max_overtime
        if knob.field == "max_stops":
            return float(sum(node >= self.instance.depots for node in measured.nodes))
        if knob.field == "max_reloads":
            return float(sum(node < self.instance.depots for node in measured.nodes))
        if knob.field == "start_late":
            return schedule.starts[0] / unit
        if knob.node is None:  # the end of a shift
            return schedule.starts[-1] / unit
        late = [
            start
            for start, node, after in zip(schedule.starts, measured.places, schedule.after_closing, strict=True)
            if node == knob.node and after > 0
        ]
        return max(late, default=schedule.starts[measured.places.index(knob.node)]) / unit

    def _bisected(self, knob: Knob, old: float, far: float, does: Callable[[float], bool]) -> float | None:
        if far == old or not does(far):
            return None
        near = old
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            if does(middle):
                far = middle
            else:
                near = middle
            if abs(far - near) <= FINE * abs(far - old):
                break
        # What is left of the bisection is no reason for a whole unit more.
        near = float(round(far))
        new = near if abs(near - far) <= 2 * FINE * abs(far - old) else self._rounded(knob, old, far)
        new = new if does(new) else self._rounded(knob, old, far)
        return new if does(new) else far

    def _rounded(self, knob: Knob, old: float, new: float) -> float:
        """A value that is no smaller a change, without more digits than anybody wants to read.

        Where all times are whole, so is this one; other changes have three digits, unless they are whole.
        """
        sign = 1.0 if new >= old else -1.0
        amount = abs(new - old)
        whole = round(new)
        if abs(new - whole) <= 1e-7 * max(1.0, abs(new)):
            return float(whole)
        if knob.field in TIMES | {"shift_duration"} and float(old).is_integer() and self._whole_times and amount > 0.1:
            return float(math.ceil(new) if sign > 0 else max(0, math.floor(new)))
        return old + sign * up(amount)

    @cached_property
    def _whole_times(self) -> bool:
        if self.instance.time_unit == "h":
            return False
        windows = self.instance.windows
        return windows is None or bool((windows[windows < 1e11] % 1 == 0).all())

    # What it is then.

    def relaxation(self, knob: Knob, new: float | None, place: Place) -> Relaxation:
        """Return a change as users see it, but for the words."""
        instance, old = self.instance, knob.old(self.instance)
        known = new is not None and old is not None
        amount = round(abs(new - old), 9) if known else float(len(knob.customers)) or 1.0  # type: ignore[operator]
        timed = knob.field in TIMES or knob.field == "shift_duration"
        return Relaxation(
            kind=knob.kind,
            field=knob.field,
            vehicle_type=knob.vehicle_type,
            node=knob.node,
            index=knob.index,
            allowed=[*knob.customers],
            old=old,
            new=new,
            amount=amount,
            unit=instance.time_unit if timed else "",
            size=self._size(knob, old, amount),
            serves=[*place.way],
            route=place.route,
            nodes=[*place.nodes],
            route_type=place.kind,
        )

    def _size(self, knob: Knob, old: float | None, amount: float) -> float | None:
        """A change as a part of what there is."""
        if knob.field == BACKHAULS:
            return 1.0
        if knob.field == "allowed_customers":
            return amount / self.instance.customers
        if knob.field in TIMES:
            return amount * self._unit / self.inquiry.places.day
        if knob.field == "num_available":
            vehicles = self.instance.fleet
            old = old if vehicles is None else float(vehicles)
        return amount / old if old else None

    def _checked(self, made: Relaxation, place: Place) -> Relaxation | None:
        """The change with what it costs and in words; None if the checker finds anything wrong with it."""
        try:
            relaxed = made.apply(self.instance)
        except InputError:  # a window that would touch the one before it
            return None
        verdict = check(relaxed, *place.answer(self.answer))
        if any(each.kind != "missing" or each.customer in place.way for each in verdict.violations):
            return None
        prize = self.inquiry.prize(place.way)
        cost = verdict.cost - self._cost + prize
        optional = self._is_optional(place.way) and not self.inquiry.priority(place.way)
        pays = not optional or cost < prize - float(tolerance(max(abs(cost), prize)))
        return self.in_words(dataclasses.replace(made, cost=round(cost, 9), pays=pays))

    def _is_optional(self, way: Way) -> bool:
        if self.instance.required[way[0]]:
            return False
        return not any(group.required and way[0] in group.customers for group in self.instance.groups)

    def in_words(self, made: Relaxation) -> Relaxation:
        """Return a change with its sentence."""
        said = [change_words(self.instance, each.knob, each.old, each.new, each.amount) for each in [made, *made.also]]
        sentence = ", and ".join(said)
        if made.checked_by == "search":
            sentence += ", as a short search found"
        if not made.pays:
            who = called(self.instance, made.serves)
            sentence += f"; serving {who} then costs {plain_text(made.cost)}, no less than leaving them out"
        also = [self.in_words(each) for each in made.also]
        return dataclasses.replace(made, sentence=sentence[:1].upper() + sentence[1:] + ".", also=also)

    # Prizes.

    def _prices(self, tried: list[tuple[Way, Attempt]]) -> list[Relaxation]:
        """What prize makes it pay to serve somebody who fits in."""
        feasible = [(way, attempt) for way, attempt in tried if attempt.cost is not None]
        way, attempt = min(feasible, key=lambda each: (each[1].cost or 0.0) - self.inquiry.prize(each[0]))
        place, knob = self._place(way, attempt), Knob(PRICE, PRIZE, node=way[0])
        cost, old = attempt.cost or 0.0, knob.old(self.instance) or 0.0
        if self.instance.prizes is None or bool((self.instance.prizes % 1 == 0).all()):
            new = float(math.floor(cost + 1e-9) + 1)
        else:
            new = old + up(max(cost - old, 1e-6) * 1.001)
        made = self.relaxation(knob, new, place)
        relaxed = made.apply(self.instance)
        with_him, without = check(relaxed, *place.answer(self.answer)), check(relaxed, *self.answer)
        if any(each.kind != "missing" for each in with_him.violations) or with_him.cost >= without.cost:
            return []
        return [self.in_words(dataclasses.replace(made, cost=round(cost, 9)))]

    # Several changes, where none does by itself.

    def _several(self, unit: Way) -> list[Relaxation]:
        """What it takes together to serve somebody by an empty vehicle, if anything is known."""
        found = []
        for way in self.inquiry.ways(unit):
            for kind in range(len(self.instance.types)):
                place = Place(way, None, kind, [*way])
                changes = self._all_needed(place)
                if len(changes) > 1:
                    parts = [self.relaxation(knob, new, place) for knob, new in changes]
                    sizes = [part.size for part in parts if part.size is not None]
                    whole = math.fsum(sizes) if len(sizes) == len(parts) else None
                    found.append((dataclasses.replace(parts[0], size=whole, also=parts[1:]), place))
        checked = (self._checked(made, place) for made, place in sorted(found, key=lambda each: each[0].order))
        return [each for each in checked if each is not None][:1]

    def _all_needed(self, place: Place) -> list[Change]:
        """All changes that an empty vehicle needs, one after the other; none if that is not known."""
        changes: list[Change] = []
        while True:
            measured, breaches = self.measured(place, changes)
            kinds = frozenset(breach.kind for breach in breaches)
            if not kinds:
                break
            least = min(
                (
                    (made.order, number, knob, new)
                    for number, (knob, of) in enumerate(self._parts(place, measured, kinds))
                    if (new := self._least(knob, place, measured, changes, of)) is not None
                    for made in [self.relaxation(knob, None if math.isinf(new) else new, place)]
                ),
                default=None,
            )
            if least is None or len(changes) == MOST_TOGETHER:
                return []
            changes.append((least[2], None if math.isinf(least[3]) else least[3]))
        if self._is_exhausted(place):
            changes.append(self._one_vehicle_more(place.kind))
        return changes

    def _parts(self, place: Place, measured: Measured, kinds: frozenset[str]) -> Iterator[tuple[Knob, frozenset[str]]]:
        """What does away with some of the violations, and with which; loads first, times last."""
        over = self._overloads(measured)
        if over:
            yield over[0], frozenset() if len(over) > 1 else frozenset({"capacity"})
            return
        other = sorted(kinds - TIMED)
        if other:
            if other[0] in FIXED_KNOBS:
                customers = place.way if other[0] == "restriction" else ()
                yield Knob(other[0], FIXED_KNOBS[other[0]], place.kind, customers=customers), frozenset({other[0]})
            elif other[0] == "backhaul":
                yield Knob("backhaul", BACKHAULS), frozenset({"backhaul"})
            return
        first = kinds - {"duration"}
        for knob in self._times(place, measured, {*(first or kinds)}):
            yield knob, kinds
        if first and first != kinds:
            for knob in self._times(place, measured, {*first}):
                yield knob, first

    # What only a search can tell.

    def _is_least(self, unit: Way, found: Relaxation) -> bool:
        """Whether nothing is smaller that an empty vehicle would need."""
        return all(
            found.size is not None and made.size is not None and found.size <= made.size * (1 + 1e-9)
            for made in self._for_empty_vehicles(unit)
        )

    def _for_empty_vehicles(self, unit: Way) -> list[Relaxation]:
        """What somebody needs in an empty vehicle of a type of which none is free: others may make room in another."""
        found: dict[Knob, Relaxation] = {}
        for way in self.inquiry.ways(unit):
            for kind in self.inquiry.places.exhausted:
                place = Place(way, None, kind, [*way])
                measured, breaches = self.measured(place)
                for knob in self._knobs(place, measured, breaches):
                    new = self._least(knob, place, measured)
                    if new is not None:
                        made = self.relaxation(knob, None if math.isinf(new) else new, place)
                        if knob not in found or made.order < found[knob].order:
                            found[knob] = made
        return sorted(found.values(), key=lambda each: each.order)

    def _searched(self, unit: Way, found: Sequence[Relaxation]) -> list[Relaxation]:
        """Changes that are smaller than those found, as far as a short search serves somebody with them."""
        assert self.searcher is not None, "it is asked only where there is one"
        least = min((each.order for each in found), default=None)
        for made in self._for_empty_vehicles(unit)[:MOST_SEARCHES]:
            if least is not None and made.order >= least:
                break
            if self.serves(made, {*made.serves}):
                placed = dataclasses.replace(made, route=None, nodes=[], route_type=None, checked_by="search")
                return [self.in_words(placed)]
        return []

    def serves(self, made: Relaxation, wanted: set[int]) -> bool:
        """Whether a short search serves somebody with a change, and everybody who is served without it."""
        if self.searcher is None:
            return False
        try:
            relaxed = made.apply(self.instance)
        except InputError:
            return False
        answer = self.searcher(relaxed, self.answer)
        verdict = check(relaxed, *answer)
        visited = {node for route in answer[0] for node in route}
        missing = {each.customer for each in verdict.violations if each.kind == "missing"}
        sound = all(each.kind == "missing" for each in verdict.violations)
        return sound and wanted <= visited and not missing & self._visited


def up(amount: float) -> float:
    """Return an amount rounded up to three digits.

    >>> up(3.2671), up(0.25), up(12345.2)
    (3.27, 0.25, 12400.0)
    """
    step = 10.0 ** (math.floor(math.log10(amount)) - 2)
    return round(math.ceil(amount / step - 1e-6) * step, 12)
