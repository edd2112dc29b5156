"""Where training instances come from: generators, named sets or files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from dacalns.errors import InputError
from dacalns.instances import Instance, generate_cvrp, generate_vrptw, instance_names, read, set_names
from dacalns.instances.choices import require_choice
from dacalns.instances.generate_cvrp import DEMAND_RANGES, DEPOTS
from dacalns.instances.generate_vrptw import HORIZONS
from dacalns.instances.positions import POSITIONS
from dacalns.instances.stream import Stream

T = TypeVar("T")
GENERATED = "generated"
# Small and Medium of the paper.
USUAL_SIZES = (20, 59)
WIDTHS, DENSITIES = (0.05, 0.1, 0.2, 0.4), (0.25, 0.5, 0.75, 1.0)
# Customers in a route of CVRP of either sort.
ROUTE_LENGTHS = {"short": (3, 8), "long": (12, 25)}
DEMANDS = (*(kind for kind in DEMAND_RANGES if kind != "unitary"), "quadrant", "many-small")


@dataclass(frozen=True)
class Generated:
    """Endless instances from generators, of every kind that these know.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``.
    fewest, most
        The range of the number of customers.
    seed
        Where the stream of instances begins.
    sort
        ``"short"`` or ``"long"``: VRPTW with such a horizon, or CVRP with such routes; both if left out.
    """

    problem: str
    fewest: int = USUAL_SIZES[0]
    most: int = USUAL_SIZES[1]
    seed: int = 0
    sort: str | None = None

    def __str__(self) -> str:
        return f"{GENERATED}:{self.fewest}-{self.most}" + (f":{self.sort}" if self.sort else "")

    def customers(self, number: int) -> int:
        """How many customers the instance with this number has."""
        return self._stream(number).integer(self.fewest, self.most)

    def _stream(self, number: int) -> Stream:
        return Stream("training", self.problem, self.seed, number)

    def instance(self, number: int) -> Instance:
        """The instance with this number, the same on every machine."""
        stream = self._stream(number)

        def one_of(choices: Sequence[T]) -> T:
            return choices[stream.integer(0, len(choices) - 1)]

        customers, positions = stream.integer(self.fewest, self.most), one_of(POSITIONS)
        if self.problem == "cvrp":
            depot, demand = one_of(DEPOTS), one_of(DEMANDS)
            length = stream.integer(*ROUTE_LENGTHS[self.sort]) if self.sort else None
            return generate_cvrp(customers, depot, positions, demand, length, seed=stream.integer(0, 1 << 30))
        horizon, width, density = one_of(HORIZONS), one_of(WIDTHS), one_of(DENSITIES)
        return generate_vrptw(
            customers, positions, self.sort or horizon, width, density, seed=stream.integer(0, 1 << 30)
        )


@dataclass(frozen=True)
class Listed:
    """Given instances, one after the other, again and again.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``.
    name
        Of the set, or the files.
    members
        What `dacalns.read` takes.
    """

    problem: str
    name: str
    members: tuple[str, ...]

    def __post_init__(self) -> None:
        others = [member for member in self.members if read(member).problem != self.problem]
        if others:
            raise InputError(
                f"instances {self.name!r} has {others[0]}, which is not a {self.problem}; expected instances of one "
                "problem; choose another set or problem."
            )

    def __str__(self) -> str:
        return self.name

    def customers(self, number: int) -> int:
        """How many customers the instance with this number has."""
        return _customers(self.members[number % len(self.members)])

    def instance(self, number: int) -> Instance:
        """The instance with this number."""
        return read(self.members[number % len(self.members)])


Source = Generated | Listed


@cache
def _customers(member: str) -> int:
    return read(member).customers


def as_source(problem: str, text: str, seed: int) -> Source:
    """Instances from ``generated``, ``generated:20-59``, the name of a set, a file, or files with commas between.

    Also ``generated:20-59:short`` and ``generated:20-59:long``: VRPTW with such a horizon, CVRP with such routes.

    Raises
    ------
    InputError
        If there is no such set or file, or an instance is of another problem.
    """
    kind, _, sizes = text.partition(":")
    if kind == GENERATED:
        if not sizes:
            return Generated(problem, seed=seed)
        found = re.fullmatch(r"(\d+)-(\d+)(?::(\w+))?", sizes)
        if not found or not 2 <= int(found[1]) <= int(found[2]):
            raise InputError(
                f"instances is {text!r}; expected generated:FEWEST-MOST with 2 or more customers, such as "
                "generated:20-59."
            )
        if found[3] is not None:
            require_choice("sort of the instances", found[3], HORIZONS)
        return Generated(problem, int(found[1]), int(found[2]), seed, found[3])
    if text in set_names():
        return Listed(problem, text, tuple(instance_names(text)))
    members = tuple(part.strip() for part in text.split(",") if part.strip())
    if not members:
        raise InputError(f"instances is {text!r}; expected generated, a set such as cvrp-small, or files.")
    return Listed(problem, text, members)
