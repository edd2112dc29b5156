"""Training instances come from one of three sources: generators, named sets or files."""

import re
from dataclasses import dataclass

from dacalns.instances import Instance, instance_names, set_names
from dacalns.instances.features import PROBLEMS
from dacalns.instances.generate import HORIZONS, drawn_instance
from dacalns.instances.positions import MOST_CUSTOMERS
from dacalns.instances.read import read_once
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream
from dacalns.util.shown import shown, shown_path
from dacalns.util.values import require_choice

GENERATED = "generated"
# The paper calls these sizes Small and Medium.
USUAL_SIZES = (20, 59)


@dataclass(frozen=True)
class Generated:
    """An endless source of instances from generators, of all kinds that these know.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``.
    fewest, most
        The range of the number of customers.
    seed
        The seed of the stream of instances.
    sort
        ``"short"`` or ``"long"``: the horizon of VRPTW instances, or the routes of CVRP instances; both if left out.
    """

    problem: str
    fewest: int = USUAL_SIZES[0]
    most: int = USUAL_SIZES[1]
    seed: int = 0
    sort: str | None = None

    def __str__(self) -> str:
        return f"{GENERATED}:{self.fewest}-{self.most}" + (f":{self.sort}" if self.sort else "")

    def customers(self, number: int) -> int:
        """Return how many customers the instance with this number has."""
        return self._stream(number).integer(self.fewest, self.most)

    def _stream(self, number: int) -> Stream:
        return Stream("training", self.problem, self.seed, number)

    def instance(self, number: int) -> Instance:
        """Return the instance with this number, the same on every machine."""
        stream = self._stream(number)
        return drawn_instance(stream, self.problem, stream.integer(self.fewest, self.most), self.sort)


@dataclass(frozen=True)
class Listed:
    """A source of given instances, which come one after the other, again and again.

    Parameters
    ----------
    problem
        ``"cvrp"`` or ``"vrptw"``.
    name
        The name of the set, or the files.
    members
        The instances, as `dacalns.read` takes them.
    """

    problem: str
    name: str
    members: tuple[str, ...]

    def __post_init__(self) -> None:
        others = [member for member in self.members if read_once(member).features != PROBLEMS[self.problem]]
        if others:
            raise InputError(
                f"instances {shown(self.name)} has {shown_path(others[0])}, which is not a {self.problem}; expected "
                "instances of one problem; choose another set or problem."
            )

    def __str__(self) -> str:
        return self.name

    def customers(self, number: int) -> int:
        """Return how many customers the instance with this number has."""
        return self.instance(number).customers

    def instance(self, number: int) -> Instance:
        """Return the instance with this number."""
        return read_once(self.members[number % len(self.members)])


Source = Generated | Listed


def as_source(problem: str, text: str, seed: int) -> Source:
    """Return the source for ``generated``, ``generated:20-59``, the name of a set, or files with commas between.

    ``generated:20-59:short`` and ``generated:20-59:long`` limit the horizon of VRPTW instances, or the routes of CVRP
    instances.

    Raises
    ------
    InputError
        If there is no such set or file, or an instance is of another problem.
    """
    kind, _, sizes = text.partition(":")
    if kind == GENERATED:
        if not sizes:
            return Generated(problem, seed=seed)
        found = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})(?::(\w+))?", sizes)
        if not found or not 2 <= int(found[1]) <= int(found[2]) <= MOST_CUSTOMERS:
            raise InputError(
                f"instances is {shown(text)}; expected generated:FEWEST-MOST with 2 to {MOST_CUSTOMERS} customers, "
                "such as generated:20-59."
            )
        if found[3] is not None:
            require_choice("sort of the instances", found[3], HORIZONS)
        return Generated(problem, int(found[1]), int(found[2]), seed, found[3])
    if text in set_names():
        return Listed(problem, text, tuple(instance_names(text)))
    members = tuple(part.strip() for part in text.split(",") if part.strip())
    if not members:
        raise InputError(f"instances is {shown(text)}; expected generated, a set such as cvrp-small, or files.")
    return Listed(problem, text, members)
