"""Read and write solutions in the format of the benchmark libraries."""

import os
import re
from collections.abc import Iterable, Sequence

from dacalns.instances.fields import positive_number
from dacalns.instances.source_text import SourceText
from dacalns.util.errors import InputError
from dacalns.util.files import write_atomically
from dacalns.util.shown import shortened, shown
from dacalns.util.values import number_text, whole_number

# Whatever follows the word matches at once: no text makes it try twice.
COST = re.compile(r"cost\b\s*:?\s*(.*)", re.IGNORECASE)


def read_solution(path: str | os.PathLike[str]) -> tuple[list[list[int]], float | None]:
    """Read a ``.sol`` file.

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
    source = SourceText.load(path)
    routes: list[list[int]] = []
    cost: float | None = None
    found = False
    for number, raw in enumerate(source.lines, start=1):
        text = raw.strip()
        if text.lower().startswith("route"):
            found = True
            if route := _route(source, number, text):
                routes.append(route)
        elif match := COST.match(text):
            if cost is not None:
                raise source.error(number, f"cost {shown(match[1])} is a second one; expected one; delete a line.")
            cost = source.number(number, match[1], "cost", "write for example 'Cost 784'", minimum=0)
    if not found:
        raise source.error(1, "there is no route; expected lines such as 'Route #1: 21 31'; check the file.")
    return routes, cost


def _route(source: SourceText, number: int, text: str) -> list[int]:
    head, colon, customers = text[len("route") :].partition(":")
    name = head.strip().removeprefix("#").strip()
    if not (colon and name.isdecimal()):
        raise source.error(
            number, f"the line is {shown(text, 40)}; expected a route such as 'Route #1: 21 31'; correct it."
        )
    what, fix = f"customer in route {shortened(name, 20)}", "number the customers from 1 and leave the depot out"
    return [int(source.number(number, token, what, fix, minimum=1, whole=True)) for token in customers.split()]


def write_solution(path: str | os.PathLike[str], routes: Iterable[Sequence[int]], cost: float | None = None) -> None:
    """Write a ``.sol`` file, whole or not at all.

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
    lines: list[str] = []
    for route in routes:
        try:
            customers = [whole_number("customer", customer, minimum=1) for customer in route]
        except TypeError:
            raise InputError(
                f"route {len(lines) + 1} is {shown(route)}; expected a list of customers; give a list of lists."
            ) from None
        if customers:
            lines.append(f"Route #{len(lines) + 1}: " + " ".join(map(str, customers)))
    if cost is not None:
        lines.append("Cost " + number_text(positive_number("cost", cost) if cost else 0.0))
    return "\n".join(lines) + "\n"
