"""Read and write solutions in the format of the benchmark libraries."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dacalns.instances.fields import positive_number
from dacalns.instances.instance import Instance
from dacalns.instances.source_text import SourceText
from dacalns.util.errors import InputError
from dacalns.util.files import write_atomically
from dacalns.util.shown import VALUE, shortened, shown
from dacalns.util.values import LARGEST, number_text, whole_number

# Whatever follows the word matches at once: no text makes it try twice.
COST = re.compile(r"cost\b\s*:?\s*(.*)", re.IGNORECASE)

MOST_VEHICLES = 1_000_000


@dataclass(frozen=True)
class _Route:
    """A line such as ``Route #1: 21 31``."""

    line: int
    name: str
    visits: list[int]


def read_solution(path: str | os.PathLike[str]) -> tuple[list[list[int]], float | None]:
    """Read a ``.sol`` file of an instance with vehicles of one type.

    Parameters
    ----------
    path
        A file of lines such as ``Route #1: 21 31`` and ``Cost 784``; lines that are neither are passed over.

    Returns
    -------
    tuple
        The routes, customers from 1 on and the depot left out; and the cost as it is written there, or
        ``None``.

    Raises
    ------
    InputError
        When the file is malformed; the message names the line.
    """
    routes, cost = _read(SourceText.load(path), 1)
    return [route.visits for route in routes if route.visits], cost


def read_solution_of(
    instance: Instance, path: str | os.PathLike[str]
) -> tuple[list[list[int]], list[int], float | None]:
    """Read a ``.sol`` file as `write_solution_of` writes it for an instance.

    Parameters
    ----------
    instance
        It says what the numbers in the file mean.
    path
        The file.

    Returns
    -------
    tuple
        The routes as node numbers; the vehicle type of each; and the cost as it is written there, or ``None``.

    Raises
    ------
    InputError
        When the file is malformed, or names a vehicle or a node that the instance does not have.
    """
    source = SourceText.load(path)
    reloads = any(kind.reload_depots for kind in instance.vehicle_types)
    found, cost = _read(source, 0 if reloads and not instance.customers_first else 1)
    type_of = types_of_vehicles(instance)
    routes: list[list[int]] = []
    types: list[int] = []
    lines: dict[int, int] = {}
    for route in found:
        if not type_of:
            vehicle, its_type = len(lines), 0
        else:
            vehicle = int(route.name) - 1 if len(route.name) < 10 else -1
            if vehicle not in type_of:
                raise source.error(
                    route.line,
                    f"route {shortened(route.name, 20)} is of a vehicle that is not known; expected 1 to "
                    f"{max(type_of) + 1}, as route k is driven by vehicle k; correct the number.",
                )
            if vehicle in lines:
                raise source.error(
                    route.line,
                    f"route {route.name} is given a second time; expected it once (first on line {lines[vehicle]}), as "
                    "route k is driven by vehicle k; correct one of the numbers.",
                )
            its_type = type_of[vehicle]
        lines[vehicle] = route.line
        if route.visits:
            routes.append(_nodes(instance, source, route))
            types.append(its_type)
    return routes, types, cost


def _read(source: SourceText, minimum: int) -> tuple[list[_Route], float | None]:
    routes: list[_Route] = []
    cost: float | None = None
    for number, raw in enumerate(source.lines, start=1):
        text = raw.strip()
        if text.lower().startswith("route"):
            routes.append(_route(source, number, text, minimum))
        elif match := COST.match(text):
            if cost is not None:
                raise source.error(number, f"cost {shown(match[1])} is a second one; expected one; delete a line.")
            cost = source.number(number, match[1], "cost", "write for example 'Cost 784'", minimum=0)
    if not routes:
        raise source.error(1, "there is no route; expected lines such as 'Route #1: 21 31'; check the file.")
    return routes, cost


def _route(source: SourceText, number: int, text: str, minimum: int) -> _Route:
    head, colon, visits = text[len("route") :].partition(":")
    name = head.strip().removeprefix("#").strip()
    if not (colon and name.isdecimal()):
        raise source.error(
            number, f"the line is {shown(text, 40)}; expected a route such as 'Route #1: 21 31'; correct it."
        )
    what, fix = f"customer in route {shortened(name, 20)}", "number the customers from 1 and leave the depot out"
    if not minimum:
        fix = "number all nodes from 0, depots first"
    nodes = [int(source.number(number, token, what, fix, minimum=minimum, whole=True)) for token in visits.split()]
    return _Route(number, name, nodes)


def _nodes(instance: Instance, source: SourceText, route: _Route) -> list[int]:
    """Turn the numbers of a file into those of nodes."""
    if not instance.customers_first:
        return route.visits
    nodes = instance.customers + instance.depots
    for visit in route.visits:
        if visit > nodes:
            raise source.error(
                route.line,
                f"customer in route {shortened(route.name, 20)} is {shown(visit)}; expected 1 to {instance.customers}; "
                "correct the number.",
            )
    return [(visit - 1 + instance.depots) % nodes for visit in route.visits]


def _numbers(instance: Instance, route: Sequence[int]) -> list[int]:
    """Turn the numbers of nodes into those of a file."""
    if not instance.customers_first:
        return list(route)
    nodes = instance.customers + instance.depots
    return [(node - instance.depots) % nodes + 1 for node in route]


def types_of_vehicles(instance: Instance) -> dict[int, int]:
    """Return the type of each vehicle by its number from 0, or nothing where all are of one type.

    Of a type without a number of vehicles, there are as many as customers.

    Raises
    ------
    InputError
        When there are too many for a line each.
    """
    if len(instance.vehicle_types) < 2:
        return {}
    counts = [instance.customers if kind.num_available is None else kind.num_available for kind in instance.types]
    require_lines(instance, sum(counts))
    in_order = [number for number, count in enumerate(counts) for _ in range(count)]
    return dict(zip(instance.vehicles or range(len(in_order)), in_order, strict=True))


def require_lines(instance: Instance, vehicles: int) -> None:
    """Raise an `InputError` unless a file can have a line for each vehicle."""
    if vehicles > MOST_VEHICLES:
        raise InputError(
            f"{shortened(instance.name, VALUE)}: there are {vehicles} vehicles that differ; expected at most "
            f"{MOST_VEHICLES}, as files have a line for each; give fewer."
        )


def write_solution(path: str | os.PathLike[str], routes: Iterable[Sequence[int]], cost: float | None = None) -> None:
    """Write a ``.sol`` file of an instance with vehicles of one type, whole or not at all.

    Parameters
    ----------
    path
        Where to.
    routes
        The customers of each route; a route without any is left out.
    cost
        In file units; an integer is written without decimals. Left out when ``None``.

    Raises
    ------
    InputError
        When a customer or the cost is not a number of the right kind, or the file cannot be written.
    """
    write_atomically(path, solution_text(routes, cost))


def solution_text(routes: Iterable[Sequence[int]], cost: float | None = None) -> str:
    """What `write_solution` writes."""
    return _text([_whole(number, route, 1) for number, route in enumerate(routes, start=1)], cost, keep_empty=False)


def write_solution_of(
    instance: Instance,
    path: str | os.PathLike[str],
    routes: Iterable[Sequence[int]],
    types: Sequence[int] | None = None,
    cost: float | None = None,
) -> None:
    """Write a ``.sol`` file as the benchmark libraries expect it for an instance, whole or not at all.

    Where vehicles differ, route k is that of vehicle k, and vehicles that are not used have an empty route.

    Parameters
    ----------
    instance
        It says what the numbers in the file mean.
    path
        Where to.
    routes
        The nodes that each route visits; a reload is the node of a depot.
    types
        The vehicle type of each route; the first one when left out.
    cost
        In file units; an integer is written without decimals. Left out when ``None``.

    Raises
    ------
    InputError
        When there are not enough vehicles of a type, something is not a number of the right kind, or the file cannot be
        written.
    """
    write_atomically(path, solution_text_of(instance, routes, types, cost))


def solution_text_of(
    instance: Instance,
    routes: Iterable[Sequence[int]],
    types: Sequence[int] | None = None,
    cost: float | None = None,
) -> str:
    """What `write_solution_of` writes."""
    most = instance.customers + instance.depots - 1
    numbers = [_numbers(instance, _whole(number, route, 0, most)) for number, route in enumerate(routes, start=1)]
    type_of = types_of_vehicles(instance)
    if not type_of:
        return _text(numbers, cost, keep_empty=False)
    types = [0] * len(numbers) if types is None else types
    if len(types) != len(numbers):
        raise InputError(
            f"{shortened(instance.name, VALUE)}: there are {len(types)} types for {len(numbers)} routes; expected one "
            "for each; give as many."
        )
    free: dict[int, list[int]] = {number: [] for number in range(len(instance.vehicle_types))}
    for vehicle in sorted(type_of, reverse=True):
        free[type_of[vehicle]].append(vehicle)
    by_vehicle: list[list[int]] = [[] for _ in range(max(type_of) + 1)]
    for number, (route, its_type) in enumerate(zip(numbers, types, strict=True), start=1):
        if not route:
            continue
        kind = whole_number(f"type of route {number}", its_type, minimum=0, maximum=len(free) - 1)
        if not free[kind]:
            raise InputError(
                f"{shortened(instance.name, VALUE)}: route {number} is one too many of type {kind}; expected at most "
                f"{sum(each == kind for each in type_of.values())}, as there are no more vehicles; use another type."
            )
        by_vehicle[free[kind].pop()] = route
    return _text(by_vehicle, cost, keep_empty=True)


def _whole(number: int, route: Sequence[int], minimum: int, maximum: int = LARGEST) -> list[int]:
    try:
        return [whole_number("customer", customer, minimum=minimum, maximum=maximum) for customer in route]
    except TypeError:
        raise InputError(
            f"route {number} is {shown(route)}; expected a list of customers; give a list of lists."
        ) from None


def _text(routes: list[list[int]], cost: float | None, *, keep_empty: bool) -> str:
    lines: list[str] = []
    for route in routes:
        if route or keep_empty:
            lines.append(" ".join((f"Route #{len(lines) + 1}:", *map(str, route))))
    if cost is not None:
        lines.append("Cost " + number_text(positive_number("cost", cost) if cost else 0.0))
    return "\n".join(lines) + "\n"
