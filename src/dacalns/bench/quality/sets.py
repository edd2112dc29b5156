"""The sets of instances that solvers are compared on: those of the package, and the user's folders."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from dacalns.instances import Instance, generate_cvrp, generate_rich, instance_names, read
from dacalns.instances.json_problem import is_problem_file
from dacalns.study.task import with_solution_beside
from dacalns.util.errors import InputError
from dacalns.util.values import require_choice, whole_number

SUFFIXES = (".vrp", ".txt")
# The budget on a folder, unless the user gives another one.
SECONDS, SEEDS = 10.0, 1
SOLOMON_CLASSES = ("C1", "C2", "R1", "R2", "RC1", "RC2")


@dataclass(frozen=True)
class Subset:
    """A set of instances, and the budget of every run on them.

    Parameters
    ----------
    name, title
        A word for the command line, and a title for the tables.
    instances
        The instances.
    seconds
        The time of each run.
    seeds
        The number of runs of each solver on each instance, if it takes a seed.
    notes
        Sentences that a reader should know about the references.
    """

    name: str
    title: str
    instances: Sequence[Instance]
    seconds: float
    seeds: int
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def budget(self) -> str:
        """The time of each run, in words."""
        return f"{self.seconds:.6g} s"


def planned_subsets(
    names: Sequence[str] = (),
    folders: Sequence[Path] = (),
    *,
    seconds: float | None = None,
    seeds: int | None = None,
    customers: str | None = None,
) -> list[Subset]:
    """Return the subsets to run.

    Parameters
    ----------
    names
        The names of subsets, among them ``"variants"`` for all of richer problems; those of CVRP and VRPTW that come
        with the package if neither names nor folders are given.
    folders
        Folders with instances of your own, and with ``.sol`` files beside them.
    seconds, seeds
        The budget in place of each subset's own.
    customers
        The instances to keep, by their number of customers: ``"100"`` or ``"100-400"``.

    Raises
    ------
    InputError
        If one of these cannot be used, or nothing is left.
    """
    if seconds is not None and not 0 < seconds < math.inf:
        raise InputError(f"seconds is {seconds!r}; expected more than 0; 3 is enough for 100 customers.")
    if seeds is not None:
        seeds = whole_number("seeds", seeds, minimum=1)
    least, most = (0, math.inf) if customers is None else _range(customers)
    wanted = names or ([] if folders else _SUBSETS)
    each = dict.fromkeys(one for name in wanted for one in (_VARIANTS if name == ALL_VARIANTS else [name]))
    found = [*map(named_subset, each), *map(folder_subset, folders)]
    kept = []
    for subset in found:
        instances = [instance for instance in subset.instances if least <= instance.customers <= most]
        if instances:
            kept.append(
                replace(
                    subset,
                    instances=instances,
                    seconds=subset.seconds if seconds is None else seconds,
                    seeds=subset.seeds if seeds is None else seeds,
                )
            )
    if not kept:
        raise InputError(f"customers is {customers!r}; no instance has so many; give a wider range.")
    return kept


def _range(given: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", given)
    least, most = (0, -1) if match is None else (int(match[1]), int(match[2] or match[1]))
    if least > most:
        raise InputError(f"customers is {given!r}; expected a number or a range such as 100-400; correct it.")
    return least, most


# The user's folders.


def folder_subset(folder: Path) -> Subset:
    """Read all instances of a folder.

    These are all ``.vrp`` and ``.txt`` files, and the ``.json`` files that state a problem. A file ``NAME.sol`` beside
    ``NAME.vrp`` may be the reference of that instance, as `with_solution_beside` says.

    Raises
    ------
    InputError
        If there is no such folder, no instance in it, or a file that cannot be read.
    """
    if not folder.is_dir():
        raise InputError(
            f"folder is {str(folder)!r}; expected a folder with .vrp, .txt or .json files; check the path."
        )
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    files = [path for path in files if path.suffix in SUFFIXES or is_problem_file(path)]
    if not files:
        raise InputError(f"{folder}: there is no instance in it; expected .vrp, .txt or .json files; check the path.")
    found = [with_solution_beside(read(path), path) for path in files]
    instances = sorted((instance for instance, _ in found), key=lambda instance: instance.customers)
    name = folder.resolve().name
    return Subset(name, f"the files of {name}", instances, SECONDS, SEEDS, [note for _, note in found if note])


# The subsets that come with the package. Those of CVRP and VRPTW take less than 20 minutes, and so do the others.

ALL_VARIANTS = "variants"
"""The name for all subsets of richer problems."""


def subset_names() -> list[str]:
    """Return the names of the subsets, those of CVRP and VRPTW first."""
    return [*_SUBSETS, *_VARIANTS]


def named_subset(name: str) -> Subset:
    """Return a subset by its name.

    Raises
    ------
    InputError
        If there is no subset with this name.
    """
    return (_SUBSETS | _VARIANTS)[require_choice("set", name, [*subset_names(), ALL_VARIANTS])]()


def _augerat_large() -> Subset:
    instances = [read(name) for name in instance_names("cvrp-large")]
    return Subset("augerat-large", "Augerat A, B and P with 60 to 79 customers", instances, seconds=1.0, seeds=3)


def _solomon() -> Subset:
    """Take the first and the last of each class, which have about the tightest and the widest windows."""
    classes = [instance_names(family) for family in SOLOMON_CLASSES]
    instances = [read(name) for names in classes for name in (names[0], names[-1])]
    title = "Solomon, 100 customers, first and last of each class"
    return Subset("solomon", title, instances, seconds=3.0, seeds=2)


def _x_like() -> Subset:
    """Generate instances in the manner of set X, each of another kind."""
    instances: Sequence[Instance] = (
        generate_cvrp(200, "central", "clustered", "quadrant", seed=11),
        generate_cvrp(240, "eccentric", "random", "unitary", seed=12),
        generate_cvrp(280, "random", "mixed", "1-100", seed=13),
        generate_cvrp(320, "central", "random", "50-100", seed=14),
        generate_cvrp(360, "eccentric", "mixed", "many-small", seed=15),
        generate_cvrp(400, "random", "clustered", "5-10", seed=16),
    )
    title = "generated in the manner of set X, 200 to 400 customers"
    return Subset("x-like", title, instances, seconds=6.0, seeds=2)


_SUBSETS: dict[str, Callable[[], Subset]] = {
    "augerat-large": _augerat_large,
    "solomon": _solomon,
    "x-like": _x_like,
}


# The size of the instances of richer problems, and how many there are of each kind.
VARIANT_CUSTOMERS, VARIANT_INSTANCES = 100, 4


def _variant(name: str, title: str, features: Sequence[str]) -> Subset:
    instances = [generate_rich(VARIANT_CUSTOMERS, features, seed=seed) for seed in range(1, VARIANT_INSTANCES + 1)]
    return Subset(name, f"{title}, {VARIANT_CUSTOMERS} customers, generated", instances, seconds=5.0, seeds=1)


_VARIANTS: dict[str, Callable[[], Subset]] = {
    name: partial(_variant, name, title, features)
    for name, title, features in (
        ("vehicle-types", "vehicle types with fixed costs", ("vehicle-types", "fixed-costs", "distance-costs")),
        ("depots", "several depots, windows, longest durations", ("depots", "windows", "duration-limits")),
        ("limits", "longest distances", ("distance-limits",)),
        ("pickups", "deliveries and pickups", ("pickups",)),
        ("backhauls", "deliveries before pickups", ("backhauls-last",)),
        ("prizes", "optional customers with prizes, windows", ("prizes", "windows")),
        ("groups", "groups of which one is visited", ("groups",)),
        ("restrictions", "customers for some vehicles only, windows", ("restrictions", "windows")),
        ("trips", "several trips, release times, windows", ("reloads", "release-times", "windows")),
        ("pairs", "pairs of pickup and delivery, windows", ("pairs", "windows")),
    )
}
