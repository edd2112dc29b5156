"""The departure of the least duration against all departures at whole numbers."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from dacalns.search.schedule import Visit, best_schedule

HORIZON = 120


@some.composite
def visits(draw: some.DrawFn) -> list[Visit]:
    several = draw(some.booleans())
    made = []
    for number in range(draw(some.integers(2, 6))):
        windows, opens = [], draw(some.integers(0, 12))
        for _ in range(draw(some.integers(1, 3)) if several else 1):
            closes = opens + draw(some.integers(0, 12))
            windows.append((float(opens), float(closes)))
            opens = closes + draw(some.integers(1, 8))
        if draw(some.booleans()):
            windows = [(0.0, math.inf)]
        made.append(
            Visit(
                windows=tuple(windows),
                earliest=draw(some.sampled_from((0.0, 0.0, 7.0, 15.0))),
                latest=draw(some.sampled_from((math.inf, math.inf, 10.0, 30.0))),
                service=draw(some.integers(0, 3)),
                travel=draw(some.integers(0, 4)) if number else 0,
            )
        )
    return made


def drive(route: list[Visit], departure: float) -> float | None:
    """The end after a departure; None if a visit cannot start in time."""
    start = departure
    for number, visit in enumerate(route):
        if number:
            start += route[number - 1].service + visit.travel
        reached = max(start, visit.earliest)
        starts = [max(reached, opens) for opens, closes in visit.windows if reached <= closes]
        if not starts or starts[0] > visit.latest or (number == 0 and starts[0] != departure):
            return None
        start = starts[0]
    return start + route[-1].service


@settings(max_examples=600)
@given(visits())
def test_no_departure_takes_less_time(route: list[Visit]) -> None:
    ends = {departure: drive(route, departure) for departure in range(HORIZON)}
    durations = [(end - departure, departure) for departure, end in ends.items() if end is not None]
    schedule = best_schedule(route)
    late = any(schedule.after_closing) or any(schedule.after_latest)
    assert late == (not durations)
    if durations:
        assert (schedule.duration, schedule.starts[0]) == min(durations)


@pytest.mark.parametrize("unit", [1e-6, 1 / 3, 0.7, 1e7])
@given(route=visits())
def test_fractions_of_time_change_nothing(unit: float, route: list[Visit]) -> None:
    def scaled(visit: Visit) -> Visit:
        return Visit(
            windows=tuple((opens * unit, closes * unit) for opens, closes in visit.windows),
            earliest=visit.earliest * unit,
            latest=visit.latest * unit,
            service=visit.service * unit,
            travel=visit.travel * unit,
        )

    whole, parts = best_schedule(route), best_schedule([scaled(visit) for visit in route])
    assert parts.duration == pytest.approx(whole.duration * unit, abs=1e-9 * unit)
    assert parts.starts == pytest.approx([start * unit for start in whole.starts], abs=1e-9 * unit)
    for one, other in ((parts.after_closing, whole.after_closing), (parts.after_latest, whole.after_latest)):
        assert one == pytest.approx([late * unit for late in other], abs=1e-9 * unit)


def test_who_is_late_is_as_little_late_as_can_be() -> None:
    route = [
        Visit(),
        Visit(windows=((10, 20), (40, 50)), travel=55),
        Visit(windows=((100, 110),), travel=5),
        Visit(travel=1),
    ]
    schedule = best_schedule(route)
    assert schedule.after_closing == [0, 5, 0, 0]
    assert schedule.starts == [0, 55, 100, 101]


def test_a_later_window_may_be_the_better_one() -> None:
    # From the first window of the first customer, the second would be a wait of 40.
    route = [
        Visit(),
        Visit(windows=((10, 20), (50, 60)), travel=5),
        Visit(windows=((60, 70),), travel=5),
        Visit(travel=5),
    ]
    schedule = best_schedule(route)
    assert (schedule.duration, schedule.starts) == (15, [50, 55, 60, 65])


@pytest.mark.parametrize("unit", [1e-6, 1 / 3, 1e7])
def test_rounding_keeps_no_one_out(unit: float) -> None:
    legs = [0.1, 0.2, 0.3, 0.7]
    reached = [sum(legs[: number + 1]) * unit for number in range(4)]
    exact = [Visit(windows=((time, time),), travel=leg * unit) for time, leg in zip(reached, legs, strict=True)]
    schedule = best_schedule([Visit(), *exact])
    assert max(schedule.after_closing) <= 1e-12 * unit
    assert schedule.duration == pytest.approx(1.3 * unit)
