"""How many vehicles more serve all at once whom an answer does not serve."""

import dataclasses
from collections.abc import Iterator, Sequence

from dacalns.search.checker import check
from dacalns.search.reasons import FLEET
from dacalns.search.relaxation import Knob, Relaxation
from dacalns.search.smallest_change import MOST_SEARCHES, Place, SmallestChanges, Way

FEW = 60
"""For more customers, pairs and groups than that, not every place of every new route is tried."""
LAST_ROUTES, PLACES = 3, 6
"""But only so many places in so many routes."""


class ForAll:
    """Finds vehicles with which all are served at once whom an answer does not serve.

    Parameters
    ----------
    changes
        What finds changes for each.
    units
        The customers, pairs and groups that must be served.
    """

    def __init__(self, changes: SmallestChanges, units: Sequence[Way]) -> None:
        self._changes, self._units = changes, [*units]
        self._instance, self._inquiry = changes.instance, changes.inquiry

    def found(self) -> list[Relaxation]:
        """Return how many vehicles more serve all whom vehicles of a type can serve; those that serve most first."""
        made = [self._vehicles(kind) for kind in self._inquiry.places.exhausted]
        return sorted((each for each in made if each is not None), key=lambda each: (-len(each.serves), each.order))

    def _vehicles(self, kind: int) -> Relaxation | None:
        """Put one after the other into new routes of a type, and look whether a search does with fewer."""
        routes: list[list[int]] = []
        served: list[int] = []
        units = 0
        for unit in self._units:
            place = next(filter(None, (self._into(routes, way, kind) for way in self._inquiry.ways(unit))), None)
            if place is not None:
                at, nodes, way = place
                routes[at : at + 1] = [nodes]
                served += way
                units += 1
        if units < 2:
            return None
        made = self._made(kind, len(routes), served)
        answer = [*self._changes.answer[0], *routes], [*self._changes.answer[1], *[kind] * len(routes)]
        verdict = check(made.apply(self._instance), *answer)
        if any(each.kind != "missing" or each.customer in served for each in verdict.violations):
            return None
        return self._in_words(self._with_fewer(made, kind, len(routes)), units)

    def _with_fewer(self, made: Relaxation, kind: int, enough: int) -> Relaxation:
        """The fewest vehicles with which a short search serves the same; those in the answer may make room."""
        too_few = 0
        for _ in range(MOST_SEARCHES if self._changes.searcher is not None else 0):
            if enough - too_few < 2:
                break
            middle = (too_few + enough) // 2
            trial = dataclasses.replace(self._made(kind, middle, made.serves), checked_by="search")
            if self._changes.serves(trial, {*made.serves}):
                made, enough = trial, middle
            else:
                too_few = middle
        return made

    def _in_words(self, made: Relaxation, units: int) -> Relaxation:
        said = self._changes.in_words(made)
        if units == len(self._units):
            return said
        sentence = f"{said.sentence.rstrip('.')}, which serves {units} of {len(self._units)}."
        return dataclasses.replace(said, sentence=sentence)

    def _into(self, routes: list[list[int]], way: Way, kind: int) -> tuple[int, list[int], Way] | None:
        """A new route that takes somebody, with them in it; a further one if none of those there are does."""
        first = 0 if len(self._units) <= FEW else max(0, len(routes) - LAST_ROUTES)
        for at, route in [*enumerate(routes[first:], start=first), (len(routes), [])]:
            for nodes in self._with(route, way):
                if not self._changes.measured(Place(way, None, kind, nodes))[1]:
                    return at, nodes, way
        return None

    def _with(self, route: list[int], way: Way) -> Iterator[list[int]]:
        """A route with somebody at its places, or at those next to which others are near."""
        gaps = [*range(len(route) + 1)]
        if len(self._units) > FEW and len(gaps) > PLACES:
            ways = self._instance.distances_from(way[0])
            ends = [min(map(float, ways[: self._instance.depots]))]
            near = [*ends, *(float(ways[node]) for node in route), *ends]
            gaps = sorted(sorted(gaps, key=lambda gap: near[gap] + near[gap + 1])[:PLACES])
        for begin in gaps:
            for end in [gap for gap in gaps if gap >= begin] if len(way) > 1 else [begin]:
                yield [*route[:begin], way[0], *route[begin:end], *way[1:], *route[end:]]

    def _made(self, kind: int, vehicles: int, served: Sequence[int]) -> Relaxation:
        knob = Knob(FLEET, "num_available", kind)
        new = (knob.old(self._instance) or 0.0) + vehicles
        made = self._changes.relaxation(knob, new, Place(tuple(served), None, kind, []))
        return dataclasses.replace(made, route_type=None)
