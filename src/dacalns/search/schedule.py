"""When a vehicle should leave: the departure with which a route takes the least time, from the definition."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dacalns.util.tolerance import tolerance

Window = tuple[float, float]

# Differences of times that are no more than the last bits of doubles.
NOISE = 1e-12


@dataclass(frozen=True)
class Visit:
    """One visit of a route: where the vehicle starts, a customer, a reload, or where it ends.

    All times are in the same unit.

    Parameters
    ----------
    windows
        Service starts in one of them, in order of time. It may end later.
    earliest, latest
        Service starts no earlier and no later, whatever the windows say: release times and shifts.
    service
        How long service takes.
    travel
        The driving time from the visit before.
    """

    windows: tuple[Window, ...] = ((0.0, math.inf),)
    earliest: float = 0.0
    latest: float = math.inf
    service: float = 0.0
    travel: float = 0.0


@dataclass(frozen=True)
class Schedule:
    """When the service of each visit starts.

    Parameters
    ----------
    arrivals, starts, departures
        For each visit. The first arrival is the start of the route, the last departure its end.
    after_closing, after_latest
        For each visit, by how much its service starts too late: after its last window, and after its latest start.
    """

    arrivals: list[float]
    starts: list[float]
    departures: list[float]
    after_closing: list[float]
    after_latest: list[float]

    @property
    def duration(self) -> float:
        """The time from the first start to the last departure."""
        return self.departures[-1] - self.starts[0]


def best_schedule(visits: Sequence[Visit]) -> Schedule:
    """Return the schedule of the least duration; of several, the one that leaves first.

    Waiting is allowed anywhere, and counts. Where a visit is late even if the vehicle leaves as early as it may, that
    cannot be helped, and its window is stretched by that much: then no visit is later than it must be.

    Parameters
    ----------
    visits
        The visits in order. Service of the last takes no time, unless the route ends with it.
    """
    day = visits[0].earliest
    starts: list[float] = []
    free: list[list[Window]] = []
    after_closing, after_latest = [], []
    for number, visit in enumerate(visits):
        reached = visit.earliest
        if number:
            before = visits[number - 1]
            reached = max(reached, starts[-1] + before.service + visit.travel)
        start = begin(visit, reached, day)
        starts.append(start)
        after_closing.append(max(0.0, start - visit.windows[-1][1]))
        after_latest.append(max(0.0, start - visit.latest))
        free.append(_free(visit, start))
    departure = _best_departure(visits, starts, free, day)
    if departure > starts[0]:
        starts = _drive(visits, free, departure, day) or starts
    departures = [start + visit.service for start, visit in zip(starts, visits, strict=True)]
    arrivals = [starts[0], *(left + visit.travel for left, visit in zip(departures, visits[1:], strict=False))]
    return Schedule(arrivals, starts, departures, after_closing, after_latest)


def _near(day: float, limit: float) -> float:
    """How much a time may exceed a limit by rounding alone, on a day that begins at ``day``."""
    return float(tolerance(max(abs(float(limit)), abs(float(day)))))


def begin(visit: Visit, reached: float, day: float) -> float:
    """Return when a visit starts that is reached at some time, of a route that starts at ``day`` at the earliest.

    Where all its windows have closed by then, that is as soon as it is reached.
    """
    entered = _enter(visit.windows, reached, day)
    return reached if entered is None else entered


def _enter(windows: Sequence[Window], reached: float, day: float) -> float | None:
    """The first time in a window from when it is reached, rounding aside; None if all have closed by then."""
    for opens, closes in windows:
        if reached <= closes or reached - closes <= _near(day, closes):
            return max(reached, opens)
    return None


def _free(visit: Visit, start: float) -> list[Window]:
    """The times at which service may start, of which the earliest possible start is always one."""
    windows = []
    for opens, closes in visit.windows:
        free = max(opens, visit.earliest), min(closes, visit.latest)
        if free[0] <= free[1]:
            windows.append(free)
    if any(opens <= start <= closes for opens, closes in windows):
        return windows
    # It is late: the times from the last one before it are as good as that.
    before = [window for window in windows if window[1] < start]
    opens = before[-1][0] if before else start
    return [*before[:-1], (opens, start), *(window for window in windows if window[0] > start)]


def _best_departure(visits: Sequence[Visit], starts: list[float], free: list[list[Window]], day: float) -> float:
    """The departure of the least duration.

    The end is a function of the departure that never falls and has slope 0, where the vehicle waits somewhere, or 1. So
    the best departures are those that are as late as some end of a window allows, or, where the vehicle never waits,
    those from where it would begin to wait. With one window for each visit, one end decides: that of the route.
    """
    last = len(visits) - 1
    if all(len(windows) == 1 for windows in free):
        latest = _latest_departure(visits, free, last, starts[last], day)
        return starts[0] if latest is None or latest - starts[0] <= NOISE * abs(starts[last]) else latest
    candidates = {starts[0]}
    for number, windows in enumerate(free):
        for limit in {limit for window in windows for limit in window if math.isfinite(limit)}:
            latest = _latest_departure(visits, free, number, limit, day)
            if latest is not None and latest > starts[0]:
                candidates.add(latest)
    best, least = starts[0], math.inf
    for candidate in sorted(candidates):
        driven = _drive(visits, free, candidate, day)
        if driven is not None:
            duration = driven[-1] - driven[0]
            if duration < least - NOISE * abs(driven[-1]):
                best, least = candidate, duration
    return best


def _latest_departure(
    visits: Sequence[Visit], free: list[list[Window]], number: int, limit: float, day: float
) -> float | None:
    """The latest departure with which a visit can start no later than a limit; None if there is none."""
    for here in range(number, -1, -1):
        near = _near(day, limit)
        windows = [window for window in free[here] if window[0] <= limit + near]
        if not windows:
            return None
        limit = min(limit, windows[-1][1])
        if here:
            limit -= visits[here].travel + visits[here - 1].service
    return limit


def _drive(visits: Sequence[Visit], free: list[list[Window]], departure: float, day: float) -> list[float] | None:
    """The start of each visit after a departure; None if one of them is not possible any more."""
    starts: list[float] = []
    reached = departure
    for number, visit in enumerate(visits):
        if number:
            reached = starts[-1] + visits[number - 1].service + visit.travel
        start = _enter(free[number], reached, day)
        if start is None:
            return None
        starts.append(start)
    return starts
