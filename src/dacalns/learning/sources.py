"""Training instances come from one of three sources: generators, named sets or files."""

import re
from dataclasses import dataclass

from dacalns.instances import Instance, generate_rich, instance_names, set_names
from dacalns.instances.feature_sets import (
    RICH,
    drawn_features,
    feature_sets,
    is_rich,
    problem_of,
    require_drawable,
    require_problem,
)
from dacalns.instances.generate import HORIZONS, drawn_instance
from dacalns.instances.generate_rich import require_features
from dacalns.instances.positions import MOST_CUSTOMERS
from dacalns.instances.read import read_once
from dacalns.util.errors import InputError
from dacalns.util.random_stream import Stream
from dacalns.util.shown import VALUE, shortened, shown, shown_path
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
        ``"cvrp"``, ``"vrptw"``, sets of features such as ``"pairs+windows,prizes"``, each of which is drawn as often as
        the others, or ``"rich"``, for which a few features are drawn together.
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
        customers = stream.integer(self.fewest, self.most)
        if is_rich(self.problem):
            return generate_rich(customers, drawn_features(stream, self.problem), seed=stream.integer(0, 1 << 30))
        return drawn_instance(stream, self.problem, customers, self.sort)


@dataclass(frozen=True)
class Listed:
    """A source of given instances, which come one after the other, again and again.

    Parameters
    ----------
    problem
        ``"cvrp"``, ``"vrptw"``, or the sets of features that the instances have.
    name
        The name of the set, or the files.
    members
        The instances, as `dacalns.read` takes them.
    """

    problem: str
    name: str
    members: tuple[str, ...]

    def __post_init__(self) -> None:
        for member in self.members:
            instance = read_once(member)
            if require_features(instance.features) not in feature_sets(self.problem):
                asked = shortened(self.problem, VALUE)
                found = f"is not a {asked}" if not is_rich(self.problem) else f"is a {instance.problem}, not {asked}"
                raise InputError(
                    f"instances {shown(self.name)} has {shown_path(member)}, which {found}; expected instances of one "
                    "problem; choose another set or problem."
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
    instances. For ``"rich"``, the instances of a set or of files may have any features; the problem of their source
    names these.

    Raises
    ------
    InputError
        If there is no such problem, set or file, or an instance is of another problem.
    """
    problem = require_problem(problem)
    kind, _, sizes = text.partition(":")
    if kind == GENERATED:
        return _generated(problem, text, sizes, seed)
    members = instance_names(text) if text in set_names() else [part.strip() for part in text.split(",")]
    members = [member for member in members if member]
    if not members:
        raise InputError(f"instances is {shown(text)}; expected generated, a set such as cvrp-small, or files.")
    if problem == RICH:
        instances = [read_once(member) for member in members]
        plain = next((instance for instance in instances if instance.is_plain), None)
        if plain is not None:
            raise InputError(
                f"instances {shown(text)} has {shown(plain.name)}, a {plain.problem}; expected problems beyond CVRP "
                "and VRPTW for rich; choose other instances, or another problem."
            )
        problem = require_problem(problem_of(instance.features for instance in instances))
    return Listed(problem, text, tuple(members))


def _generated(problem: str, text: str, sizes: str, seed: int) -> Generated:
    fewest, most, sort = *USUAL_SIZES, None
    if sizes:
        found = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})(?::(\w+))?", sizes)
        if not found or not 2 <= int(found[1]) <= int(found[2]) <= MOST_CUSTOMERS:
            raise InputError(
                f"instances is {shown(text)}; expected generated:FEWEST-MOST with 2 to {MOST_CUSTOMERS} customers, "
                "such as generated:20-59."
            )
        fewest, most, sort = int(found[1]), int(found[2]), found[3]
    if sort is not None:
        require_choice("sort of the instances", sort, HORIZONS)
    if is_rich(problem):
        if sort is not None:
            raise InputError(
                f"instances is {shown(text)}; expected no {sort!r} for {shortened(problem, VALUE)}, as CVRP and VRPTW "
                "alone are generated so; leave it out."
            )
        require_drawable(problem, fewest)
    return Generated(problem, fewest, most, seed, sort)
