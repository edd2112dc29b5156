"""The routes of an answer as a result prints them: short, with loads and times, and cut where they are many."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dacalns.instances import Instance
from dacalns.instances.features import (
    DEPOT_SERVICE,
    DURATION_COSTS,
    DURATION_LIMITS,
    DURATIONS,
    OVERTIME,
    RELEASE_TIMES,
    SHIFTS,
    WINDOWS,
)
from dacalns.instances.fields import LARGEST
from dacalns.search.output.rows import RouteRow, plan_rows
from dacalns.search.output.words import number
from dacalns.util.clock import clock_text
from dacalns.util.shown import shortened

if TYPE_CHECKING:
    from dacalns.search.result import Result

MOST_ROUTES = 10
"""So many routes are printed; of more, how many there are."""
WIDTH = 110
"""A line has about so many characters at most."""
NAME = 24
"""So many characters of a name are printed."""

TIMED = frozenset({DEPOT_SERVICE, DURATION_COSTS, DURATION_LIMITS, DURATIONS, OVERTIME, RELEASE_TIMES, SHIFTS, WINDOWS})


def about_time(instance: Instance) -> bool:
    """Return True if an instance says anything about time, so that times of routes mean something."""
    return bool(instance.features & TIMED or instance.time_unit or instance.service.any())


def route_lines(result: "Result", instance: Instance | None) -> list[str]:
    """Return a line for each route, up to ten, and one on how many more there are.

    Parameters
    ----------
    result
        The answer.
    instance
        What was solved, if it is known: without it, lines have the customers alone.
    """
    routes, types = result.routes[:MOST_ROUTES], result.vehicle_types[:MOST_ROUTES]
    numbers = [f"{place}:" for place in range(1, len(routes) + 1)]
    if instance is None:
        facts = [[each] for each in numbers]
        words = [[str(node) for node in route] for route in routes]
    else:
        facts = _facts(instance, plan_rows(instance, routes, types))
        words = [[_word(instance, node) for node in route] for route in routes]
    between = ", " if any(" " in word for route in words for word in route) else " "
    lines = []
    for columns, customers in zip(_aligned(facts), words, strict=True):
        lines.append(f"{columns}  {_fitting(customers, between, WIDTH - len(columns))}")
    rest = len(result.routes) - len(routes)
    return lines + [f"and {rest} more route{'s' * (rest > 1)}"] * (rest > 0)


def _word(instance: Instance, node: int) -> str:
    name = shortened(instance.name_of(node), NAME)
    return name if node >= instance.depots else f"[{name}]"  # where it loads again


def _facts(instance: Instance, rows: Sequence[RouteRow]) -> list[list[str]]:
    """The columns before the customers: number, type, times, load and distance."""
    columns = [[f"{row.route}:" for row in rows]]
    if len(instance.types) > 1:
        columns.append(
            [instance.vehicle_name_of(row.vehicle) if instance.vehicle_names else f"type {row.vehicle}" for row in rows]
        )
    if about_time(instance):
        columns.append(spans(instance, rows))
    if instance.demands.any() or instance.pickups is not None:
        columns.append([f"load {load_text(row)}" for row in rows])
    columns.append([f"distance {number(row.distance)}" for row in rows])
    return [[*facts] for facts in zip(*columns, strict=True)]


def spans(instance: Instance, rows: Sequence[RouteRow]) -> list[str]:
    """From when until when each route takes."""
    unit = instance.time_unit
    if not unit:
        return [f"{number(row.start)}-{number(row.end)}" for row in rows]
    return ["-".join(clock_text(time, unit, seconds=False) for time in (row.start, row.end)) for row in rows]


def load_text(row: RouteRow) -> str:
    """The largest load of a route in each dimension, and the capacity where there is one."""
    return " ".join(
        number(load) if most >= LARGEST or math.isinf(most) else f"{number(load)}/{number(most)}"
        for load, most in zip(row.load, row.capacity, strict=True)
    )


def _aligned(facts: Sequence[Sequence[str]]) -> list[str]:
    """The columns of each line, each as wide as its widest entry."""
    if not facts:
        return []
    widths = [max(map(len, column)) for column in zip(*facts, strict=True)]
    return [
        "  ".join(
            entry.rjust(width) if at == 0 else entry.ljust(width)
            for at, (entry, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in facts
    ]


def _fitting(words: Sequence[str], between: str, most: int) -> str:
    """As many words as fit, at least three, and how many more there are."""
    length, fitting = 0, 0
    for word in words:
        length += len(word) + len(between)
        if fitting >= 3 and length > most and len(words) - fitting > 1:
            break
        fitting += 1
    rest = len(words) - fitting
    return between.join(words[:fitting]) + (f" … {rest} more" if rest else "")
